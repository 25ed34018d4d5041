"""A pack as text that a reader can follow: what it is, its tables, options and every provision with its section."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from wetgeo.rules.decision import feet
from wetgeo.rules.evaluate import steep_gain_ft
from wetgeo.rules.model import (
    ClassWidth,
    GdnrWidth,
    ManagementCategory,
    PermitTrigger,
    Provision,
    Replacement,
    RulePack,
    SteepSlope,
    StreamZones,
)
from wetgeo.rules.provisions import ZoneRow
from wetgeo.rules.quantities import Entry
from wetgeo.units import Quantity

_WIDTH = 100
_COMMON = {
    "kind",
    "id",
    "citation",
    "text",
    "effective",
    "until",
    "note",
    "question",
    "gdnr_citation",
    "buffer_citation",
}


def show(pack: RulePack, *, name: str | None = None) -> str:
    """Return a pack as text: head, width tables, options, provisions, and the number of worked examples.

    `name` is how a command names the pack, where that is not its id: the path of its file.
    """
    blocks = [
        "\n".join(_head(pack)),
        *(f"{title}\n{_table(rows)}" for title, rows in rule_tables(pack)),
        "\n".join(["Options", *_options(pack)]) if pack.options else "",
        "\n".join(["Provisions", *(line for provision in pack.provisions for line in _provision(provision))]),
        f"{len(pack.examples)} worked examples; run them with: wetgeo rules test {pack.id if name is None else name}",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _head(pack: RulePack) -> Iterator[str]:
    head = pack.head
    yield f"{head.id}: {head.title}"
    yield head.authority
    yield f"{head.document}"
    when = "draft of" if head.status == "draft" else "in force from"
    adopted = f"adopted {head.adopted}, " if head.adopted else ""
    until = f" until {head.until}" if head.until else ""
    yield f"{adopted}{when} {head.effective}{until}; pack version {head.version}, sha256 {pack.sha256}"
    yield from _wrap(f"Source: {head.source}")
    if head.note:
        yield from _wrap(head.note)


def _wrap(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(f"  {line}" for line in lines)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def rule_tables(pack: RulePack) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the tables of a pack, each with its title; the first row of each is its head."""
    classes = [(p, row) for p in pack.all(ClassWidth) for row in p.rows]
    if classes:
        rows = [["resource", "class", "base", "floor", "averaged", "least", "section"]]
        rows += [
            [
                row.resource,
                _text(row.class_name) or "any",
                _text(row.base),
                _text(row.floor),
                _text(row.average),
                _text(row.minimum),
                "; ".join(dict.fromkeys(filter(None, (row.citation or p.citation, row.minimum_citation)))),
            ]
            for p, row in classes
        ]
        yield "Widths by class", _without_empty(rows)
    for provision in pack.all(StreamZones):
        yield "Zones of a stream", _zone_rows(provision, provision.rows)
        if provision.gdnr:
            yield "Zones of a groundwater-dependent stream", _zone_rows(provision, provision.gdnr)
    for gdnr in pack.all(GdnrWidth):
        rows = [["resource", "class", "width", "least", "section"]]
        rows += [
            [r.resource, ", ".join(r.classes) or "any", str(r.width), str(r.minimum), r.citation or gdnr.citation]
            for r in gdnr.rows
        ]
        yield "Groundwater-dependent resources", rows
    for owed in pack.all(Replacement):
        rows = [["wetland", "ratio", "section"]]
        rows += [[", ".join(r.classes) or "any class", str(r.ratio), r.citation or owed.citation] for r in owed.rows]
        if owed.buffer_ratio is not None:
            rows.append(["upland buffer", str(owed.buffer_ratio), owed.buffer_citation or owed.citation])
        yield "Replacement", rows
    for category in pack.all(ManagementCategory):
        rows = [["category", "characteristic"]]
        rows += [[row.category, row.about] for row in category.criteria]
        yield f"Management category ({category.citation}), tried in order {', '.join(category.precedence)}", rows


def _without_empty(rows: list[list[str]]) -> list[list[str]]:
    kept = [number for number in range(len(rows[0])) if any(row[number] for row in rows[1:])]
    return [[row[number] for number in kept] for row in rows]


def _zone_rows(provision: StreamZones, zones: Iterable[ZoneRow]) -> list[list[str]]:
    rows = [["zone", "width", "least", "section"]]
    for zone in zones:
        least = f", at least {zone.minimum_least}" if zone.minimum_least else ""
        rows.append([zone.zone, str(zone.width), f"{zone.minimum_share}{least}", zone.citation or provision.citation])
    return rows


def _options(pack: RulePack) -> Iterator[str]:
    for option in pack.options:
        default = "not set" if option.default is None else f'"{option.default}"'
        yield f"  {option.id}: {option.allowed}; default {default}  [{option.citation}]"
        yield from _wrap(option.meaning, "      ")


def _provision(provision: Provision) -> Iterator[str]:
    period = f" from {provision.effective}" if provision.effective else ""
    period += f" until {provision.until}" if provision.until else ""
    yield f"  {provision.citation}  {provision.id} ({provision.kind}){period}"
    yield from _wrap(provision.text, "      ")
    figures = "; ".join(provision_figures(provision))
    if figures:
        yield from _wrap(figures, "      ")
    if isinstance(provision, SteepSlope):
        yield f"      a run of {provision.run} is steep where it gains more than {feet(steep_gain_ft(provision))}"
    if isinstance(provision, PermitTrigger) and provision.question:
        yield from _wrap(f"To be asked: {provision.question}", "      ")
    if provision.note:
        yield from _wrap(f"Note: {provision.note}", "      ")


def provision_figures(provision: Provision) -> Iterator[str]:
    """Yield the keys of a provision with their values, but for those of its tables, as ``rule_tables`` has them."""
    for name in type(provision).model_fields:
        value = getattr(provision, name)
        if name in _COMMON or value is None or value == ():
            continue
        if isinstance(value, Quantity | str | bool):
            yield f"{name.replace('_', ' ')} {_word(value)}"
        elif isinstance(value, dict):
            yield from (
                f"{key.replace('_', ' ')}: {', '.join([values] if isinstance(values, str) else values)}"
                for key, values in value.items()
            )
        elif isinstance(value, tuple) and name == "conditions":
            yield " and ".join(_condition(row) for row in value)
        elif isinstance(value, tuple) and not any(isinstance(item, Entry) for item in value):
            yield f"{name.replace('_', ' ')} {', '.join(str(item) for item in value)}"


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _condition(row: Entry) -> str:
    parts = [f"{name.replace('_', ' ')} {_word(value)}" for name, value in row if value not in (None, (), False)]
    return ", ".join(part.replace("('", "").replace("', '", " or ").replace("')", "") for part in parts)
