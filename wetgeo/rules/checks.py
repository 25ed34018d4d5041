"""What the provisions of one pack owe each other: no class twice, no class without a width, no name that is unknown."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from wetgeo.rules.options import Option, known_words
from wetgeo.rules.permits import DeMinimis, ManagementCategory, PermitTrigger, Replacement
from wetgeo.rules.provisions import (
    ClassWidth,
    GdnrWidth,
    Monuments,
    NewResidenceWidth,
    Provision,
    StreamZones,
    SubjectEdge,
    WidthRow,
)
from wetgeo.rules.worked import DeMinimisExample, Example, ReplacementExample, TriggerExample, WidthExample

if TYPE_CHECKING:
    from wetgeo.rules.faults import Faults, Key
    from wetgeo.rules.model import RulePack

#: the options that a kind of provision reads; a pack that has the kind offers each of them, and no other
OPTIONS_OF: Mapping[str, tuple[str, ...]] = {
    "slope_cut": ("reductions",),
    "soil_cut": ("reductions", "dual_hsg"),
    "subject_edge": ("trigger",),
    "new_residence_width": ("trigger",),
    "central_wetland": ("connection_tolerance",),
    "drainageway": ("drainageway_acres", "drainageway_width"),
    "monuments": ("token_edge_length",),
    "declaration": ("course_tolerance",),
    "agricultural_strip": ("provision",),
    "de_minimis": ("de_minimis_sqft",),
}
#: options that a kind reads where the pack offers them
OPTIONS_MAYBE: Mapping[str, tuple[str, ...]] = {
    "averaging": ("averaging_base",),
    "monuments": ("bend_tolerance",),
    "replacement": ("buffer_replacement",),
}


def check_pack(
    pack: RulePack,
    faults: Faults,
    *,
    provisions: Mapping[Key, Provision],
    options: Mapping[Key, Option],
    examples: Mapping[Key, Example],
) -> None:
    """Add to ``faults`` what is wrong between the tables of a pack; each comes with its key in the file."""
    if not faults:  # a table that could not be read would be missed as another's fault
        _check_options(provisions, options, faults)
    _check_repeated("provision", provisions, faults)
    _check_repeated("option", options, faults)
    _check_periods(provisions, faults)
    _check_rows(provisions, faults)
    for key, provision in provisions.items():
        for message in _provision_faults(pack, provision):
            faults.add(key, f'provision "{provision.id}"', message)
    for key, example in examples.items():
        for message in _example_faults(pack, example):
            faults.add(key, f'example "{example.about}"', message)


def _check_repeated(name: str, tables: Mapping[Key, Provision] | Mapping[Key, Option], faults: Faults) -> None:
    seen: set[str] = set()
    for key, table in tables.items():
        if table.id in seen:
            faults.add((*key, "id"), f'{name} "{table.id}"', f"the id stands on more than one {name}")
        seen.add(table.id)


def _options_of(provision: Provision) -> tuple[str, ...]:
    bends = ("bend_tolerance",) if isinstance(provision, Monuments) and provision.bends else ()
    return (*OPTIONS_OF.get(provision.kind, ()), *bends)


def _check_options(provisions: Mapping[Key, Provision], options: Mapping[Key, Option], faults: Faults) -> None:
    offered = {option.id for option in options.values()}
    for key, provision in provisions.items():
        for name in _options_of(provision):
            if name not in offered:
                faults.add(key, f'provision "{provision.id}"', f"the pack lacks the option {name!r} that it reads")
    kinds = {provision.kind for provision in provisions.values()}
    read = {name for table in (OPTIONS_OF, OPTIONS_MAYBE) for kind in kinds for name in table.get(kind, ())}
    for key, option in options.items():
        if option.id not in read:
            faults.add(key, f'option "{option.id}"', "no provision of the pack reads it")


def _overlap(one: Provision, other: Provision) -> bool:
    first, last = datetime.date.min, datetime.date.max
    return (one.effective or first) <= (other.until or last) and (other.effective or first) <= (one.until or last)


def _check_periods(provisions: Mapping[Key, Provision], faults: Faults) -> None:
    earlier: list[Provision] = []
    for key, provision in provisions.items():
        if provision.effective and provision.until and provision.until < provision.effective:
            faults.add((*key, "until"), f'provision "{provision.id}"', "until is before effective")
        for other in earlier:
            if not provision.repeats and provision.kind == other.kind and _overlap(provision, other):
                faults.add(
                    key,
                    f'provision "{provision.id}"',
                    f'kind {provision.kind} applies on the same days as in "{other.id}": part them by effective/until',
                )
        earlier.append(provision)


def _rows(provisions: Mapping[Key, Provision]) -> Iterator[tuple[Key, ClassWidth, WidthRow]]:
    for key, provision in provisions.items():
        if isinstance(provision, ClassWidth):
            for index, row in enumerate(provision.rows):
                yield (*key, "rows", index), provision, row


def _check_rows(provisions: Mapping[Key, Provision], faults: Faults) -> None:
    earlier: list[tuple[ClassWidth, WidthRow]] = []
    for key, provision, row in _rows(provisions):
        where = f'provision "{provision.id}", row {key[-1] + 1}'  # type: ignore[operator] # the last part is the index
        for other_provision, other in earlier:
            if other.resource == row.resource and _overlap(provision, other_provision):
                _check_pair(row, other, key, where, faults)
        if row.floor is not None and row.floor.value > row.base.value:
            faults.add(key, where, f"floor {row.floor} is more than base {row.base}")
        if row.minimum is not None and row.minimum.value > row.base.value:
            faults.add(key, where, f"minimum {row.minimum} is more than base {row.base}")
        earlier.append((provision, row))


def _check_pair(row: WidthRow, other: WidthRow, key: Key, where: str, faults: Faults) -> None:
    name, other_name = row.class_name, other.class_name
    if name is None and other_name is None:
        faults.add(key, where, f"two rows give a width to every {row.resource}")
    elif name is None or other_name is None:
        faults.add(key, where, f"a row without class overlaps those with one, {row.resource} {name or other_name!r}")
    elif common := row.spellings & other.spellings:
        what = f"class {name!r}" if name == other_name else f"classes {other_name!r} and {name!r}"
        spelling = ", ".join(sorted(common))
        faults.add(key, where, f"rows overlap: {what} of {row.resource} are both found as {spelling!r}")


def _provision_faults(pack: RulePack, provision: Provision) -> Iterator[str]:
    if isinstance(provision, GdnrWidth):
        yield from _gdnr_faults(pack, provision)
    elif isinstance(provision, Replacement | DeMinimis):
        named = [name for row in provision.rows for name in row.classes]
        yield from _unknown_classes(pack, "wetland", named)
        yield from _twice(named, "class")
    elif isinstance(provision, ManagementCategory):
        yield from _unknown_classes(pack, "wetland", provision.precedence)
        yield from _twice(provision.precedence, "category")
    elif isinstance(provision, SubjectEdge | NewResidenceWidth):
        yield from _trigger_faults(pack, provision)
    elif isinstance(provision, StreamZones):
        yield from _zone_faults(provision)
    elif isinstance(provision, PermitTrigger):
        known = [other.id for other in pack.all(PermitTrigger) if other is not provision]
        for key in ("unless", "entailed_by"):
            for name in getattr(provision, key):
                if name not in known:
                    yield f"{key} names {name!r}, which is no other permit_trigger; {known_words(name, known)}"


def _unknown_classes(pack: RulePack, resource: str, names: tuple[str, ...] | list[str]) -> Iterator[str]:
    known = pack.classes(resource)
    for name in dict.fromkeys(names):
        if name not in known:
            yield f"class {name!r} has no width row for {resource}; {known_words(name, known)}"


def _twice(names: tuple[str, ...] | list[str], what: str) -> Iterator[str]:
    for name in dict.fromkeys(names):
        if list(names).count(name) > 1:
            yield f"{what} {name!r} stands in it more than once"


def _gdnr_faults(pack: RulePack, provision: GdnrWidth) -> Iterator[str]:
    for resource in dict.fromkeys(row.resource for row in provision.rows):
        rows = [row for row in provision.rows if row.resource == resource]
        named = [name for row in rows for name in row.classes]
        yield from _unknown_classes(pack, resource, named)
        yield from _twice(named, "class")
        if any(not row.classes for row in rows):
            if len(rows) > 1:
                yield f"a row without classes overlaps the other rows for {resource}"
            continue
        missing = [name for name in pack.classes(resource) if name not in named]
        if missing:
            yield f"no row for {resource} of class {', '.join(missing)}"


def _trigger_faults(pack: RulePack, provision: SubjectEdge | NewResidenceWidth) -> Iterator[str]:
    values = next((option.values for option in pack.options if option.id == "trigger"), ())
    if isinstance(provision, NewResidenceWidth):
        named = [provision.trigger]
    else:
        named = [*provision.whole, *provision.downgradient]
        yield from _twice([str(name) for name in named], "trigger")
        missing = [value for value in values if value not in named]
        if missing:
            yield f"option trigger offers {', '.join(missing)}, of which neither whole nor downgradient speaks"
    for name in named:
        if name not in values:
            yield f'{name!r} is no value of the pack\'s option "trigger"; {known_words(name, values)}'


def _zone_faults(provision: StreamZones) -> Iterator[str]:
    for title, rows in (("rows", provision.rows), ("gdnr", provision.gdnr)):
        yield from _twice([str(row.zone) for row in rows], f"{title}: zone")
        inner = rows[:-1]
        if any(row.width == "to setback" for row in inner):
            yield f'{title}: only the last zone may reach "to setback"'


def _example_faults(pack: RulePack, example: Example) -> Iterator[str]:
    if isinstance(example, WidthExample):
        yield from _class_faults(pack, example.resource, example.class_name)
    elif isinstance(example, ReplacementExample | DeMinimisExample):
        yield from _class_faults(pack, "wetland", example.class_name)
    elif isinstance(example, TriggerExample):
        known = {trigger.id: trigger for trigger in pack.all(PermitTrigger)}
        if example.provision not in known:
            yield f"provision {example.provision!r} is no permit_trigger; {known_words(example.provision, known)}"
        elif len(example.measured) != len(known[example.provision].conditions):
            wanted = len(known[example.provision].conditions)
            yield f"measured has {len(example.measured)} values; the trigger has {wanted} conditions"
        for name in example.applying:
            if name not in known:
                yield f"applying names {name!r}, which is no permit_trigger; {known_words(name, known)}"


def _class_faults(pack: RulePack, resource: str, name: str | None) -> Iterator[str]:
    known = pack.classes(resource)
    if name is not None and name not in known:
        yield f"unknown class {name!r} of {resource}; {known_words(name, known)}"
    elif name is None and pack.class_required(resource) and resource != "stream":
        yield f"class is missing; {known_words('', known)}"
