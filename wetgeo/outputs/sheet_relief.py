"""Contours of the ground for a map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import contourpy
import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.outputs.sheet_labels import Labels, Line, Turned
from wetgeo.outputs.sheet_paper import ASCENT, DESCENT, Ink, Paper, text_width
from wetgeo.outputs.sheet_plan import View

if TYPE_CHECKING:
    from wetgeo.kernels.grid import ElevationSource, Grid

#: elevations between contours, feet: the first whose lines do not lie too dense; every fifth is labelled
INTERVALS_FT = (2, 5, 10, 20, 50, 100)
#: lines nearer than this to each other on average make a map grey, points
_DENSE_PT = 3.0
#: cells smaller than this on the paper show nothing but noise, points
_CELL_PT = 1.6
#: a map that would need more cells than this gets no contours
_MOST_CELLS = 30_000_000
#: shorter lines than this, points, are bumps and get left out
_BUMP_PT = 9.0
#: lines are drawn without bends that stray by less than this, points
_STRAY_PT = 0.25
_LABEL_EVERY_PT = 210.0
_SIZE = 6.5

INK, INDEX_INK = Ink(line="#a08a6f", width=0.28), Ink(line="#7d6647", width=0.55)
_COLOR = "#5f4b30"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contours:
    """Contour lines in points on the paper, with the elevation of each in feet."""

    interval_ft: int
    lines: list[Any]
    levels_ft: list[int]

    @property
    def labelled_ft(self) -> int:
        """Elevations between the lines that are labelled."""
        return self.interval_ft * 5


def trace_contours(dem: ElevationSource | None, view: View, water: Any) -> Contours | None:  # noqa: ANN401 -- any shapely geometry
    """Trace the contours of the ground shown; None where no elevations are known there, or far too many.

    They end at `water`, which stands in points on the paper. Elevations are averaged over blocks of cells first, where
    cells are too small to be seen at the scale.
    """
    if dem is None:
        return None
    left, bottom, right, top = view.bounds
    if (right - left) * (top - bottom) / dem.cell**2 > _MOST_CELLS:
        return None
    grid = dem.window(view.bounds)
    if grid is None or min(grid.z.shape) < 2 or not np.isfinite(grid.z).any():
        return None
    z, x, y = _blocks(grid, max(round(_CELL_PT / (grid.dx * view.points)), 1))
    z = z / view.foot
    interval = _interval(z, x, y, view)
    low, high = float(np.nanmin(z)), float(np.nanmax(z))
    levels = np.arange(np.ceil(low / interval), np.floor(high / interval) + 1) * interval
    generator = contourpy.contour_generator(x, y, np.ma.masked_invalid(z))
    lines: list[Any] = []
    heights: list[int] = []
    for level in levels.tolist():
        for part in generator.lines(level):
            for line in _on_paper(np.asarray(part, dtype=np.float64), view, water):
                lines.append(line)
                heights.append(round(level))
    return Contours(interval_ft=interval, lines=lines, levels_ft=heights)


def draw_contours(paper: Paper, contours: Contours) -> None:
    """Draw the lines; those that get labels are heavier."""
    for ink, chosen in ((INK, False), (INDEX_INK, True)):
        paper.draw(
            [
                line
                for line, level in zip(contours.lines, contours.levels_ft, strict=True)
                if (level % contours.labelled_ft == 0) is chosen
            ],
            ink,
        )


def label_contours(labels: Labels, contours: Contours) -> None:
    """Write elevations along every fifth line, uphill or not, upright."""
    for line, level in zip(contours.lines, contours.levels_ft, strict=True):
        if level % contours.labelled_ft:
            continue
        text = Line(text=str(level), size=_SIZE, color=_COLOR)
        wide = text_width(text.text, _SIZE)
        if line.length < 3 * wide:
            continue
        pieces = max(round(line.length / _LABEL_EVERY_PT), 1)
        for piece in range(pieces):
            spots = list(_spots(line, (piece + 0.5) / pieces, wide))
            if spots:
                labels.along(spots, text)


def _spots(line: Any, at: float, wide: float) -> Iterator[Turned]:  # noqa: ANN401 -- a shapely line
    """Places near a share of a line's length where it is straight enough to be written on."""
    for step in range(9):
        away = (step + 1) // 2 * (1 if step % 2 else -1) * wide
        middle = at * line.length + away
        if not wide < middle < line.length - wide:
            continue
        x0, y0, x, y, x1, y1 = shapely.get_coordinates(
            shapely.line_interpolate_point(line, [middle - wide / 2, middle, middle + wide / 2])
        ).ravel()
        if np.hypot(x1 - x0, y1 - y0) < 0.9 * wide:
            continue
        turn = float(np.degrees(np.arctan2(y1 - y0, x1 - x0)))
        turn = turn - 180 if turn > 90 else turn + 180 if turn < -90 else turn
        drop = _SIZE * (ASCENT - DESCENT) / 2
        sin, cos = np.sin(np.radians(turn)), np.cos(np.radians(turn))
        yield Turned(float(x + drop * sin), float(y - drop * cos), turn)


def _blocks(grid: Grid, step: int) -> tuple[Floats, Floats, Floats]:
    """Average blocks of cells: elevations, rows from the south, and the coordinates of columns and rows."""
    rows, columns = (size // step for size in grid.z.shape)
    if min(rows, columns) < 2:
        step, (rows, columns) = 1, grid.z.shape
    z = grid.z[: rows * step, : columns * step].reshape(rows, step, columns, step).mean(axis=(1, 3))
    x = grid.left + (np.arange(columns) + 0.5) * step * grid.dx
    y = grid.top - (np.arange(rows) + 0.5) * step * grid.dy
    return z[::-1], x, y[::-1]


def _interval(z: Floats, x: Floats, y: Floats, view: View) -> int:
    """Choose the smallest interval at which lines do not lie too dense, by the median slope."""
    rise, run = np.gradient(z, y, x)
    steep = np.hypot(rise, run)  # feet in a unit of the CRS
    known = steep[np.isfinite(steep)]
    slope = float(np.percentile(known, 75)) if known.size else 0.0
    for interval in INTERVALS_FT:
        if slope == 0 or interval / slope * view.points >= _DENSE_PT:
            return interval
    return INTERVALS_FT[-1]


def _on_paper(xy: Floats, view: View, water: Any) -> Iterator[Any]:  # noqa: ANN401 -- any shapely geometry
    if len(xy) < 2:
        return
    seen = shapely.difference(view.place([shapely.LineString(xy)])[0], water)
    for line in shapely.get_parts(seen):
        thin = shapely.simplify(line, _STRAY_PT)
        if shapely.get_dimensions(thin) == 1 and thin.length > _BUMP_PT:
            yield thin
