"""``wetgeo diff``: what changed between two runs."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wetgeo.cli.options import json_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wetgeo.outputs.diff import Change, RunDifference


@click.command()
@click.argument("earlier", metavar="OUT_A", type=click.Path(path_type=Path))
@click.argument("later", metavar="OUT_B", type=click.Path(path_type=Path))
@json_option
def diff(earlier: Path, later: Path, *, as_json: bool) -> None:
    """Tell what changed from run OUT_A to run OUT_B: widths, areas, monuments, verdicts and lots, per resource.

    OUT_A and OUT_B are output folders, such as of the existing lots and of a plat of new ones. What the runs were made
    of (rule, options, inputs) is compared too.
    """
    from wetgeo.outputs.diff import compare_runs

    found = compare_runs(earlier, later)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(found), ensure_ascii=False, indent=1, default=str))
        return
    for line in _lines(found):
        click.echo(line)


def _lines(found: RunDifference) -> list[str]:
    lines = [] if _is_nothing(found) else [*_summary(found)]
    lines += [f"{name}: {_said(a)} -> {_said(b)}" for name, (a, b) in found.facts.items()]
    lines += [f"{name}: only in OUT_A" for name in found.removed]
    lines += [f"{name}: only in OUT_B" for name in found.added]
    lines += [_change(one) for one in found.changes]
    lots = {lot or "(no number)": areas for lot, areas in found.lots.items()}
    lines += [f"lot {lot}: sq ft of buffer: {_said(a)} -> {_said(b)}" for lot, (a, b) in lots.items()]
    return lines or ["Nothing changed."]


def _is_nothing(found: RunDifference) -> bool:
    return not (found.facts or found.added or found.removed or found.changes or found.lots)


def _summary(found: RunDifference) -> Iterator[str]:
    """Say first how much changed."""
    changed = len({one.resource_id for one in found.changes})
    yield (
        f"{changed:,} resource{'s' * (changed != 1)} changed, {len(found.added):,} added, {len(found.removed):,} "
        f"removed; another buffer area on {len(found.lots):,} lot{'s' * (len(found.lots) != 1)}"
    )
    before, after = found.buffer_union_sqft
    if before is not None and after is not None:
        yield f"all buffer, overlaps once: {before:,.1f} -> {after:,.1f} sq ft ({after - before:+,.1f})"


def _change(one: Change) -> str:
    if one.what == "monuments.new places":
        count = one.after
        places = "monument stands where none stood" if count == 1 else "monuments stand where none stood"
        return f"{one.resource_id}: {count:,} {places} before"
    return f"{one.resource_id}: {one.what}: {_said(one.before)} -> {_said(one.after)}"


def _said(value: object) -> str:
    if value is None:
        return "none"
    text = f"{value:,.2f}" if isinstance(value, float) else str(value)
    # a hash, or a rule with its hash: its beginning tells it apart
    return " ".join(word[:12] if len(word) == 64 else word for word in text.split(" "))
