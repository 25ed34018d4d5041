"""The rule's class of each resource, from what the file says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wetgeo.errors import ClassError
from wetgeo.inputs.faults import listed
from wetgeo.inputs.roles import RoleReader, as_text


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


def match_classes(
    reader: RoleReader, pack: ClassTable, resource_type: str, *, ids: Sequence[str], counted: NDArray[np.bool_]
) -> list[str | None]:
    """Match what a layer says with the rule's classes.

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

    Raises
    ------
    ClassError
        Features whose class the rule does not know, or that have none; each is named.
    """
    known = pack.classes(resource_type) if pack.regulates(resource_type) else ()
    if not known:
        return [None] * len(ids)
    stated = reader.stated("class")
    matched = {text: pack.match_class(resource_type, text) for text in set(stated) if text is not None}
    default = _default(reader, pack, resource_type, known)
    classes = [default if text is None else matched[text] for text in stated]
    bad = [row for row, each in enumerate(classes) if each is None and counted[row]]
    if bad and not pack.class_required(resource_type):
        for row in bad:
            said = "no class" if stated[row] is None else f"class {stated[row]!r}"
            reader.notes.add("info", "class-unknown", f"{said}: not one of the rule's ({listed(known)})", [row])
    elif bad:
        raise _unknown(reader, pack, resource_type, known, [(stated[row], ids[row]) for row in bad])
    if default is not None:
        used = [row for row, text in enumerate(stated) if text is None and counted[row]]
        reader.notes.add("info", "class-default", f"no class in the file; the default class {default} was used", used)
    return classes


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
    known: tuple[str, ...],
    bad: list[tuple[str | None, str]],
) -> ClassError:
    """Say which features have which unknown class, and the lines that mend it."""
    source = reader.source
    by_text: dict[str | None, list[str]] = {}
    for text, name in bad:
        by_text.setdefault(text, []).append(name)
    unknown = sorted(text for text in by_text if text is not None)
    faults = [f"class {text!r}: {listed(by_text[text])}" for text in unknown]
    mends = []
    if unknown:
        pairs = ", ".join(f'"{text}" = "..."' for text in unknown[:10])
        mends.append(f"values.class = {{ {pairs} }}")
    if None in by_text:
        faults.append(f"no class: {listed(by_text[None])}")
        mends.append('defaults.class = "..."')
    field = reader.fields.get("class")
    if field is None:
        fields = listed(reader.attributes.columns) or "none"
        faults.append(f"no field was named for the class; the file's fields are {fields}")
        mends.insert(0, 'fields = { class = "THE FIELD" }, or')
    else:
        values = sorted({text for text in reader.stated("class") if text is not None})
        faults.append(f"the values of field {field} are {listed(map(repr, values), 30) or 'all missing'}")
    count = "1 feature" if len(bad) == 1 else f"{len(bad):,} features"
    return ClassError(
        f"layer {source.name} ({source.path}): {count} without a class that the rule {pack.id} knows",
        faults=faults,
        mend=f"under [layers.{source.name}] write {' and '.join(mends)}; the rule's classes of a {resource_type} are "
        f"{listed(known)}",
    )
