"""The legend, scale bar and north arrow of a plan sheet."""

from __future__ import annotations

import numpy as np
import shapely

from wetgeo.outputs.sheet_map import Drawn, monument_marks
from wetgeo.outputs.sheet_paper import INCH, Box, Ink, Paper, wrapped
from wetgeo.outputs.sheet_plan import View
from wetgeo.outputs.sheet_relief import INDEX_INK, INK
from wetgeo.outputs.sheet_style import Style

_SIZE = 6.5
_SWATCH = Box(0, 0, 24, 9)
_GAP = 5.0
_BLACK, _LINE = Ink(fill="#000000"), Ink(line="#000000", width=0.6)
_WHITE = Ink(line="#000000", width=0.6, fill="#ffffff")


def legend_entries(drawn: Drawn) -> list[Style]:
    """What a legend names: only what its map shows."""
    entries = list(drawn.styles)
    if drawn.contours is not None and drawn.contours.lines:
        feet = drawn.contours.interval_ft
        entries += [
            Style(ink=INK, name=f"Contour every {feet} ft", swatch="line"),
            Style(ink=INDEX_INK, name=f"Contour every {drawn.contours.labelled_ft} ft, elevation", swatch="line"),
        ]
    return entries


def legend_height(entries: list[Style], width: float, *, columns: int = 2) -> float:
    """How high a legend is, points."""
    rows = -(-len(entries) // columns)
    parts = [entries[column * rows : (column + 1) * rows] for column in range(columns)]
    return 14.5 + max(sum(_entry_height(style, width / columns - 6) for style in part) for part in parts)


def draw_legend(paper: Paper, box: Box, entries: list[Style], *, columns: int = 2) -> float:
    """Draw a legend from the top of a box downward; returns where it ends."""
    paper.text((box.left, box.top - 7.5), "Legend", size=7.5, face="bold")
    top, width = box.top - 12.5, box.width / columns
    rows = -(-len(entries) // columns)
    lowest = top
    for column in range(columns):
        y = top
        for style in entries[column * rows : (column + 1) * rows]:
            y = _entry(paper, (box.left + column * width, y), width - 6, style)
        lowest = min(lowest, y)
    return lowest


def _entry(paper: Paper, at: tuple[float, float], width: float, style: Style) -> float:
    left, top = at
    swatch = Box(left, top - _SWATCH.height, left + _SWATCH.width, top)
    _swatch(paper, swatch, style)
    lines = wrapped(style.name, _SIZE, width - _SWATCH.width - _GAP)
    base = top - 7.0
    for line in lines:
        paper.text((swatch.right + _GAP, base), line, size=_SIZE)
        base -= _SIZE * 1.2
    return top - _entry_height(style, width)


def _entry_height(style: Style, width: float) -> float:
    lines = len(wrapped(style.name, _SIZE, width - _SWATCH.width - _GAP))
    return max(_SWATCH.height + 3.0, 5.5 + lines * _SIZE * 1.2)


def _swatch(paper: Paper, box: Box, style: Style) -> None:
    x, y = box.center
    if style.swatch == "ground":
        paper.box(box, style.ink)
    elif style.swatch == "line":
        paper.line([(box.left, y), (box.right, y)], style.ink)
    else:
        paper.draw(monument_marks(np.array([(x, y)]), style.swatch), style.ink)


def draw_scale(paper: Paper, at: tuple[float, float], view: View) -> None:
    """Draw a scale bar of three inches, an inch each for its ground, from its left lower corner."""
    left, bottom = at
    for number, (start, end) in enumerate(((0.0, 0.5), (0.5, 1.0), (1.0, 2.0), (2.0, 3.0))):
        box = Box(left + start * INCH, bottom, left + end * INCH, bottom + 5)
        paper.box(box, _WHITE if number % 2 else Ink(line="#000000", width=0.6, fill="#000000"))
    for inches in (0, 1, 2, 3):
        text = f"{inches * view.feet:,.0f}" + (" ft" if inches == 3 else "")
        paper.text((left + inches * INCH, bottom + 8), text, size=6.5, align="center")


def draw_north(paper: Paper, at: tuple[float, float]) -> None:
    """Draw an arrow that points to the north of the grid, around the middle of its foot."""
    x, y = at
    paper.line([(x, y), (x, y + 28)], _LINE)
    paper.draw([shapely.Polygon([(x, y + 34), (x, y + 16), (x - 6, y + 11)])], _BLACK)
    paper.draw([shapely.Polygon([(x, y + 34), (x, y + 16), (x + 6, y + 11)])], _WHITE)
    paper.text((x, y + 37), "N", size=10, face="bold", align="center")
