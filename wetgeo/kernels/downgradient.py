"""Ground that water from one place crosses on its way to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.ndimage import binary_closing

from wetgeo.kernels.contour import Polygonal, smooth_outline
from wetgeo.kernels.coverage import covered_fraction
from wetgeo.kernels.flow import FlowPath, quiet, routing, trace_down
from wetgeo.kernels.grid import Grid

#: how many cells the strip goes on straight inside the target, so that it crosses the target's outline
_INTO_TARGET = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Downgradient:
    """What lies downgradient of a source on the way to a target.

    Attributes
    ----------
    strip
        The ground that water from the source crosses, the source included, a few cells into the target; its overlap
        with the target's outline is the part of it that lies downgradient. Empty where no water arrives.
    paths
        The flow path of each cell of the source, from its centre; those that do not arrive too.
    ends
        How many paths end at the target, the border of the elevations (edge), a void or in a pit.
    """

    strip: Polygonal
    paths: tuple[FlowPath, ...]
    ends: Mapping[str, int]


def downgradient(grid: Grid, source: Polygonal, target: Polygonal, *, smoothing: float | None = None) -> Downgradient:
    """Follow the water from a source to a target.

    Parameters
    ----------
    grid
        The ground, holding both and the way between them.
    source, target
        Valid polygons; water that arrives at the target stays there.
    smoothing
        Scale of local planes that take out noise first, CRS units; left out, `flow.quiet` chooses it.

    Returns
    -------
    The strip and the paths. On a plane of any aspect the sides of the strip are right to a cell.
    """
    part, sink = covered_fraction(grid, source), covered_fraction(grid, target) > 0
    seeds = part >= min(0.5, float(part.max()))
    row, column = np.nonzero(seeds & (part > 0) & ~sink & np.isfinite(grid.z))
    ways = routing(grid, sink, smoothing=quiet(grid) if smoothing is None else smoothing)
    x = (grid.left + (column + 0.5) * grid.dx).astype(np.float64)
    y = (grid.top - (row + 0.5) * grid.dy).astype(np.float64)
    paths = tuple(path for path in trace_down(ways, x, y) if path is not None)
    crossed = np.zeros(grid.z.shape, dtype=bool)
    for path in paths:
        if path.end == "target":
            _mark(grid, crossed, path)
    strip: Polygonal = shapely.Polygon()
    if crossed.any():
        closed = binary_closing(np.pad(crossed, 2), np.ones((3, 3), dtype=bool), iterations=2)[2:-2, 2:-2]
        strip = smooth_outline(grid, closed, fine=max(grid.dx, grid.dy) / 2)
    return Downgradient(strip=strip, paths=paths, ends=dict(Counter(path.end for path in paths)))


def _mark(grid: Grid, crossed: NDArray[np.bool_], path: FlowPath) -> None:
    """Mark the cells of a path, and a few straight on from its end."""
    x, y = path.x, path.y
    if len(x) > 1:
        before = max(len(x) - 4, 0)  # a single step may be a diagonal
        ahead = np.array([x[-1] - x[before], y[-1] - y[before]])
        steps = np.arange(1, 2 * _INTO_TARGET + 1) / 2 * max(grid.dx, grid.dy) / np.hypot(*ahead)
        x, y = np.append(x, x[-1] + ahead[0] * steps), np.append(y, y[-1] + ahead[1] * steps)
    row = np.floor((grid.top - y) / grid.dy).astype(np.intp)
    column = np.floor((x - grid.left) / grid.dx).astype(np.intp)
    inside = (row >= 0) & (row < crossed.shape[0]) & (column >= 0) & (column < crossed.shape[1])
    crossed[row[inside], column[inside]] = True
