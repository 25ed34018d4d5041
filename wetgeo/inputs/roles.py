"""What the fields of a layer mean: which field plays which role, and its values as the role asks for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import pandas as pd

from wetgeo.errors import InputError, closest
from wetgeo.findings import Findings
from wetgeo.inputs.faults import did_you_mean, listed, toml_line, where_named
from wetgeo.inputs.notes import Notes
from wetgeo.inputs.schemas import recognise
from wetgeo.project import LayerSource
from wetgeo.rules.soils import HydrologicGroup
from wetgeo.site import FIELD_ROLES, RATINGS, ROLE_ALIASES, roles_of

_TRUE = {"true", "t", "yes", "y", "1"}
_FALSE = {"false", "f", "no", "n", "0"}
_BOOLEANS = ("central", "gdnr")
_NUMBERS = ("setback_ft", "bank_width_ft", "width_ft")
#: kinds of structures that provisions know (SPEC: project file)
STRUCTURE_KINDS = ("new_principal", "existing_primary")
_HSG = get_args(HydrologicGroup)


def role_fields(source: LayerSource, columns: list[str], findings: Findings, *, rated: bool = False) -> dict[str, str]:
    """Find the file's field for each role of a layer.

    Fields that the project names count; roles that it does not name are filled from known schemas, and, where it names
    no field of the layer at all, from fields named like the role. What was recognised is a finding. Ratings are looked
    for only where the rule has a use for them (`rated`).

    Raises
    ------
    InputError
        The project names fields that the file does not have; all are told.
    """
    mapped = _mapped(source, columns)
    allowed = [role for role in roles_of(source.name) if rated or role not in RATINGS]
    recognised, schemas = recognise(source.name, columns)
    named = {column.casefold(): column for column in reversed(columns)}
    alike = {role: named[role] for role in allowed if role in named and role not in mapped}
    roles = mapped | {role: name for role, name in recognised.items() if role not in mapped}
    useless = [] if rated else sorted(role for role in mapped if role in RATINGS)
    if useless:
        findings.info(
            "layer-ignored", f"this rule decides nothing from ratings: {', '.join(useless)}", layer=source.name
        )
    for schema, new in schemas:
        used = {role: name for role, name in new.items() if roles.get(role) == name and role not in mapped}
        if used or not schema.roles:
            said = ", ".join(f"{role} from {name}" for role, name in used.items()) or schema.note
            findings.info("schema-recognised", f"{schema.title} recognised: {said}", layer=source.name)
    for role, name in alike.items():
        if role in roles:
            continue
        if not source.fields or source.name not in FIELD_ROLES:
            roles[role] = name
            findings.info("schema-recognised", f"{role} taken from the field {name}, by its name", layer=source.name)
        else:
            findings.info(
                "layer-ignored",
                f"field {name} is named like the role {role}, but the project file maps other fields of this layer "
                "only; it was not used",
                layer=source.name,
            )
    return roles


def _mapped(source: LayerSource, columns: list[str]) -> dict[str, str]:
    spelled = {column.casefold(): column for column in reversed(columns)}
    roles: dict[str, str] = {}
    lost: list[str] = []
    meant: list[str] = []
    for role, name in source.fields.items():
        found = name if name in columns else spelled.get(name.casefold())
        if found is None:
            lost.append(f"{role} = {name!r} is no field of the file.{did_you_mean(name, columns)}")
            meant.append(f'{role} = "{closest(name, columns) or "..."}"')
        else:
            meant.append(f'{role} = "{found}"')
            roles[ROLE_ALIASES.get(role, role)] = found
    if lost:
        toml = toml_line(source.name, f"fields = {{ {', '.join(meant)} }}")
        names = "the command line names" if toml is None else "the project file names"
        mend = "name one of them" if toml is None else f"mend fields {where_named(source.name)}"
        raise InputError(
            f"layer {source.name}: {source.path} lacks fields that {names}",
            faults=lost,
            mend=f"its fields are {listed(columns) or '(none)'}; {mend}",
            toml=toml,
        )
    return roles


def as_text(value: object) -> str | None:
    """Write an attribute as text, to its last digit; None where there is none. Blanks around it do not count."""
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, float | np.floating):
        if math.isnan(value):
            return None
        return str(int(value)) if float(value).is_integer() else str(value)
    return str(value).strip() or None


def texts(column: pd.Series[Any]) -> list[str | None]:
    """Write a column as text; see `as_text`."""
    return [as_text(value) for value in column.tolist()]


@dataclass(slots=True, kw_only=True)
class RoleReader:
    """Reads the roles of one layer, feature by feature, and notes what could not be read."""

    source: LayerSource
    attributes: pd.DataFrame
    fields: Mapping[str, str]
    notes: Notes
    faults: list[str] = field(default_factory=list)

    def stated(self, role: str) -> list[str | None]:
        """Return the values of a role as text, translated by ``values``; None where the file has none."""
        if role not in self.fields:
            return [None] * len(self.attributes)
        meant = {key.strip().casefold(): as_text(word) for key, word in self.source.values.get(role, {}).items()}
        raw = texts(self.attributes[self.fields[role]])
        return [None if text is None else meant.get(text.casefold(), text) for text in raw]

    def column(self, role: str) -> list[Any]:
        """Return the values of a role as its kind asks (bool, float or text), defaults filled in."""
        if role in _BOOLEANS:
            return [bool(value) for value in self._read(role, _boolean, "true or false")]
        if role in _NUMBERS:
            return [math.nan if v is None else v for v in self._read(role, _number, "a number of feet, 0 or more")]
        if role == "kind":
            return self._read(role, _structure_kind, f"one of {listed(STRUCTURE_KINDS)}")
        if role == "hsg":
            return self._read(role, _soil_group, f"a hydrologic soil group ({listed(_HSG)})")
        return self._read(role, str, "text")

    def _read(self, role: str, read: Callable[[str], Any], wanted: str) -> list[Any]:
        stated = self.stated(role)
        known: dict[str, Any] = {text: read(text) for text in set(stated) if text is not None}
        for text in sorted(text for text, value in known.items() if value is None):
            rows = [row for row, each in enumerate(stated) if each == text]
            self.notes.add(
                "warning" if role in ("hsg", "kind") else "error",
                "value-unreadable",
                f"{role} {text!r} is not {wanted}; it was taken as missing",
                rows,
            )
        return self._filled(role, [None if text is None else known[text] for text in stated], read)

    def _filled(self, role: str, values: list[Any], read: Callable[[str], Any]) -> list[Any]:
        text = as_text(self.source.defaults.get(role))
        default = None if text is None else read(text)
        if text is not None and default is None:
            self.faults.append(f"defaults.{role} = {text!r} cannot be read")
        if default is None:
            return values
        rows = [row for row, value in enumerate(values) if value is None]
        self.notes.add("info", "value-default", f"no {role}; the default {text} was used", rows)
        return [default if value is None else value for value in values]


def _boolean(text: str) -> bool | None:
    word = text.casefold()
    return True if word in _TRUE else False if word in _FALSE else None


def _number(text: str) -> float | None:
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _structure_kind(text: str) -> str | None:
    word = "_".join(text.casefold().replace("_", " ").replace("-", " ").split())
    return word if word in STRUCTURE_KINDS else None


def _soil_group(text: str) -> str | None:
    word = "".join(text.split()).upper()
    return word if word in _HSG else None


def soil_group(text: str | None) -> str | None:
    """Return a hydrologic soil group as its code (A to D, A/D, B/D, C/D), None where it is none."""
    return None if text is None else _soil_group(text)
