"""The rule's class of each resource, from what the file says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wetgeo.errors import ClassError, TomlLine, closest
from wetgeo.inputs.categories import decided, rated_categories
from wetgeo.inputs.faults import listed
from wetgeo.inputs.roles import RoleReader, as_text
from wetgeo.rules.evaluate import CategoryResult
from wetgeo.rules.permits import ManagementCategory
from wetgeo.site import RATINGS


class ClassTable(Protocol):
    """What reading a site asks of a rule pack."""

    @property
    def id(self) -> str:
        """The pack's id."""

    def regulates(self, resource_type: str) -> bool:
        """Tell whether the rule has widths for wetlands, lakes or streams."""

    def classes(self, resource_type: str) -> tuple[str, ...]:
        """Return the rule's classes; none where it has one width for all."""

    def match_class(self, resource_type: str, text: str) -> str | None:
        """Return the rule's own spelling of a class, None where it knows none such."""

    def class_required(self, resource_type: str) -> bool:
        """Tell whether a resource of no class of the rule is a fault, rather than one that gets no buffer."""

    def category_table(self) -> ManagementCategory | None:
        """Return the table that decides the class of a wetland from its ratings, or None."""


def match_classes(
    reader: RoleReader, pack: ClassTable, resource_type: str, *, ids: Sequence[str], counted: NDArray[np.bool_]
) -> dict[str, list[str | None]]:
    """Match what a layer says with the rule's classes.

    A wetland without a class gets the one that its ratings decide, where the rule has a table for that; where they do
    not decide it, the default.

    Parameters
    ----------
    reader
        Of the layer; ``values.class`` and ``defaults.class`` of the project file are applied.
    pack
        The rule.
    resource_type
        wetland, lake or stream.
    ids
        Of the features, for messages.
    counted
        False for features that are dropped for other reasons, and need no class.

    Returns
    -------
    dict
        Columns ``class``, and ``class_reason`` and ``class_citation`` of those that were decided from ratings.

    Raises
    ------
    ClassError
        Features whose class the rule does not know, or that have none; each is named.
    """
    known = pack.classes(resource_type) if pack.regulates(resource_type) else ()
    if not known:
        return _columns([None] * len(ids), {})
    stated = reader.stated("class")
    rated = _rated(
        reader, pack, resource_type, [row for row in np.flatnonzero(counted).tolist() if stated[row] is None]
    )
    matched = {text: pack.match_class(resource_type, text) for text in set(stated) if text is not None}
    default = _default(reader, pack, resource_type, known)
    decisions = {row: result for row, result in rated.items() if result.category is not None}
    classes = [matched[text] if text is not None else default for text in stated]
    for row, result in decisions.items():
        classes[row] = pack.match_class(resource_type, str(result.category))
    bad = [row for row, each in enumerate(classes) if each is None and counted[row]]
    if bad and not pack.class_required(resource_type):
        for row in bad:
            said = "no class" if stated[row] is None else f"class {stated[row]!r}"
            reader.notes.add("info", "class-unknown", f"{said}: not one of the rule's ({listed(known)})", [row])
    elif bad:
        raise _unknown(reader, pack, resource_type, [(stated[row], ids[row], rated.get(row)) for row in bad])
    if default is not None:
        used = [row for row, text in enumerate(stated) if text is None and row not in decisions and counted[row]]
        reader.notes.add("info", "class-default", f"no class in the file; the default class {default} was used", used)
    return _columns(classes, decisions)


def _rated(reader: RoleReader, pack: ClassTable, resource_type: str, rows: list[int]) -> Mapping[int, CategoryResult]:
    table = pack.category_table()
    if table is None or resource_type != "wetland":
        return {}
    return rated_categories(reader, table, rows)


def _columns(classes: list[str | None], decisions: Mapping[int, CategoryResult]) -> dict[str, list[str | None]]:
    reasons: list[str | None] = [None] * len(classes)
    citations: list[str | None] = [None] * len(classes)
    for row, result in decisions.items():
        reasons[row], citations[row] = decided(result), result.citation
    return {"class": classes, "class_reason": reasons, "class_citation": citations}


def _default(reader: RoleReader, pack: ClassTable, resource_type: str, known: tuple[str, ...]) -> str | None:
    stated = as_text(reader.source.defaults.get("class"))
    if stated is None:
        return None
    default = pack.match_class(resource_type, stated)
    if default is None:
        raise ClassError(
            f"layer {reader.source.name}: defaults.class = {stated!r} is no class of the rule {pack.id}",
            mend=f"write one of {listed(known)}",
        )
    return default


def _unknown(
    reader: RoleReader,
    pack: ClassTable,
    resource_type: str,
    bad: list[tuple[str | None, str, CategoryResult | None]],
) -> ClassError:
    """Say which features have which unknown class, or which ratings lack, and the lines that mend it."""
    source, known = reader.source, pack.classes(resource_type)
    by_text: dict[str | None, list[str]] = {}
    for text, name, _ in bad:
        by_text.setdefault(text, []).append(name)
    unknown = sorted(text for text in by_text if text is not None)
    faults = [f"class {text!r}: {listed(by_text[text])}" for text in unknown]
    mends, lines = [], []
    if unknown:
        pairs = ", ".join(f'"{text}" = "..."' for text in unknown[:10])
        mends.append(f"values.class = {{ {pairs} }}")
        lines.append(f"values.class = {{ {', '.join(_pair(text, known) for text in unknown)} }}")
    if None in by_text:
        lines.append('defaults.class = "..."')
        faults.append(f"no class: {listed(by_text[None])}")
        faults += _lacking([(name, result) for _, name, result in bad if result is not None])
        mends.append('defaults.class = "..."')
    field = reader.fields.get("class")
    if field is None:
        fields = listed(reader.attributes.columns) or "none"
        faults.append(f"no field was named for the class; the file's fields are {fields}")
        mends.insert(0, 'fields = { class = "THE FIELD" }')
    else:
        values = sorted({text for text in reader.stated("class") if text is not None})
        faults.append(f"the values of field {field} are {listed(map(repr, values), 30) or 'all missing'}")
    return ClassError(
        f"layer {source.name} ({source.path}): {len(bad):,} feature{'s' * (len(bad) > 1)} without a class that "
        f"the rule {pack.id} knows",
        faults=faults,
        mend=f"under [layers.{source.name}] write {(' or ' if field is None else ' and ').join(mends)}; the rule's "
        f"classes of a {resource_type} are {listed(known)}{_or_ratings(pack, resource_type)}",
        toml=TomlLine(f"layers.{source.name}", "\n".join(lines if field else [*lines, 'fields = { class = "..." }'])),
    )


def _pair(text: str, known: Sequence[str]) -> str:
    """Write what the file says and the rule's class that it probably means, as a TOML pair; ... where none is near."""
    return f"{json.dumps(text, ensure_ascii=False)} = {json.dumps(closest(text, known) or '...', ensure_ascii=False)}"


def _lacking(undecided: list[tuple[str, CategoryResult]]) -> list[str]:
    """Say whose class is kept from being decided by which ratings: those that lack, and those that cannot be read."""
    by_need: dict[str, list[str]] = {}
    by_fault: dict[str, list[str]] = {}
    for name, result in undecided:
        by_need.setdefault(result.criterion, []).append(name)
        for fault in result.unreadable:
            by_fault.setdefault(fault, []).append(name)
    return [
        *(f"from their ratings, {need}: {listed(names)}" for need, names in sorted(by_need.items())),
        *(f"a rating that cannot be read, {fault}: {listed(names)}" for fault, names in sorted(by_fault.items())),
    ]


def _or_ratings(pack: ClassTable, resource_type: str) -> str:
    if pack.category_table() is None or resource_type != "wetland":
        return ""
    return f". Or give the ratings that decide the class, as fields = {{ {RATINGS[0]} = ..., ... }}: {listed(RATINGS)}"
