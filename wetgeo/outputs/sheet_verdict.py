"""The verdict on a proposed or designed buffer, in a box on the first sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wetgeo.outputs.plain import one_line
from wetgeo.outputs.report_verdict import verdict
from wetgeo.outputs.sheet_paper import ASCENT, Box, Ink, Paper, wrapped
from wetgeo.rules.model import RulePack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wetgeo.delineation import Delineation

GOOD, BAD, OPEN = "#00674a", "#a50026", "#404040"
#: words of a row's verdict, as the box and the map have them
WORDS = {"compliant": "complies", "too_narrow": "too narrow", "shortfall": "short of area"}
_WORDS = {True: "COMPLIES", False: "DOES NOT COMPLY", None: "NOTHING WAS JUDGED"}
_COLORS = {True: GOOD, False: BAD, None: OPEN}
_TITLE, _TEXT, _PAD = 15.0, 6.5, 6.0
#: so many resources that fall short are named
_MOST_NAMES = 12


def is_judged(delineation: Delineation) -> bool:
    """Tell whether a proposed buffer was judged, and so has a verdict."""
    return delineation.command in ("check", "design")


def verdict_color(found: str) -> str:
    """Return the colour of a resource's verdict."""
    return GOOD if found == "compliant" else BAD


def draw_verdict(paper: Paper, delineation: Delineation, column: Box, top: float) -> float:
    """Draw the verdict below a height, with what the rule asks in its own words; returns where it ends.

    Parameters
    ----------
    paper, column, top
        Where it stands: as wide as the column, downward from `top`, points.
    delineation
        With conformed layers. Nothing is drawn where no buffer was judged.
    """
    if not is_judged(delineation):
        return top
    complies = delineation.complies
    color = _COLORS[complies]
    lines = [line for text in _told(delineation) for line in wrapped(text, _TEXT, column.width - 2 * _PAD)]
    height = 2 * _PAD + _TITLE * 1.3 + len(lines) * _TEXT * 1.25
    box = Box(column.left, top - height, column.right, top)
    paper.box(box, Ink(line=color, width=2.0, fill="#ffffff"))
    y = top - _PAD - _TITLE * ASCENT
    paper.text((box.center[0], y), _WORDS[complies], size=_TITLE, face="bold", align="center", color=color)
    y -= _TITLE * 0.3 + _TEXT * 1.25
    for line in lines:
        paper.text((box.left + _PAD, y), line, size=_TEXT)
        y -= _TEXT * 1.25
    return box.bottom - 6


def _told(delineation: Delineation) -> Iterator[str]:
    """Say what was found, which resources fall short of what, and what the sections say that were applied."""
    said = verdict(delineation)
    yield f"{said.headline}. {said.words}"
    averaging, buffers = delineation.layers["averaging"], delineation.layers["buffers"]
    others = int((~buffers["resource_id"].isin(averaging["resource_id"])).sum())
    if others:
        yield f"Not judged here: {others:,} of the {len(buffers):,} resources with a required buffer."
    for kind in ("too_narrow", "shortfall"):
        names = averaging["resource_id"][averaging["verdict"] == kind].tolist()
        if names:
            more = len(names) - _MOST_NAMES
            listed = ", ".join(one_line(name) for name in names[:_MOST_NAMES])
            yield f"{WORDS[kind].capitalize()}: {listed}{f' and {more:,} more' if more > 0 else ''}."
    cited = {part.strip() for text in averaging["citation"].dropna().tolist() for part in text.split(";")}
    if isinstance(delineation.pack, RulePack):
        for one in delineation.pack.at(delineation.project.date).provisions:
            if one.citation in cited:
                yield f"{one_line(one.citation)}: {one_line(one.text)}"
