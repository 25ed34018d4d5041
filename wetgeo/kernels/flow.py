"""Where water goes: depressions filled, flow paths, what drains to a place, contributing area.

RichDEM fills. A flow path takes the direction of the steepest facet (Tarboton 1997) and, of the two cells it points
between, the one that keeps it nearest to its true line (Orlandini 2003), so that on a plane of any aspect it stays
within a cell of the straight line.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation

from wetgeo.kernels.grid import Grid
from wetgeo.kernels.surface import fitted, quiet_scale

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: how a flow path ends, by the codes of `tracing`
REASONS = {1: "target", 2: "edge", 3: "void", 4: "pit", 5: "left"}
#: stands for void in RichDEM
_NO_DATA = -1e30
#: RichDEM prints a warning where it gets none
_GEOTRANSFORM = (0.0, 1.0, 0.0, 0.0, 0.0, -1.0)
_NEIGHBOURS = np.ones((3, 3), dtype=bool)
_richdem_lock = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPath:
    """One flow path: its points, CRS units, and how it ends (target, edge, void or pit)."""

    x: Array
    y: Array
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """Ground that water runs off: no depressions but those that hold a sink, and the way on from each cell.

    Attributes
    ----------
    grid
        The filled ground.
    sink
        Cells that water stays in.
    way
        By cell: two neighbours (0 to 7, counter-clockwise from the east; -1 for none), how far each lies beside the
        direction of flow (CRS units), and that direction (radians, counter-clockwise from the east).
    """

    grid: Grid
    sink: Mask
    way: tuple[Any, Any, Any, Any, Any]


def filled(grid: Grid, sink: Mask | None = None) -> Grid:
    """Fill depressions so that water leaves every cell for the border, a void or a sink, flats included.

    A depression that holds a sink or a void is not filled up to its rim, for water ends in them. RichDEM fills (Barnes
    2014, with an increment); as it knows the border as the only outlet, the flood is repeated from the sinks where it
    drowned any.
    """
    z, void = grid.z, np.isnan(grid.z)
    level = _richdem_fill(grid)
    outlet = np.zeros_like(void) if sink is None else sink & ~void
    if void.any():
        outlet |= binary_dilation(void, _NEIGHBOURS) & ~void
    if (level[outlet] > z[outlet]).any():
        from wetgeo.kernels import tracing

        border = np.zeros(z.shape, dtype=bool)
        border[[0, -1], :] = border[:, [0, -1]] = True
        level = tracing.flood(z, outlet | border)
    return replace(grid, z=level)


def quiet(grid: Grid) -> float:
    """Return the scale of local planes at which noise no longer turns the water's direction, CRS units.

    About 0 on clean ground; six cells at most, for ditches and curbs are no noise.
    """
    cell = float(np.sqrt(grid.dx * grid.dy))
    _, ddx, ddy = fitted(grid, 6 * cell)
    steepness = np.hypot(ddx, ddy)
    steepness = steepness[np.isfinite(steepness)]
    typical = float(np.median(steepness)) if steepness.size else 0.0
    scale, _ = quiet_scale(grid, slope=typical, share=1 / 30, noise_scale=3 * cell, most=6 * cell)
    return scale


def routing(grid: Grid, sink: Mask | None = None, *, smoothing: float = 0.0) -> Routing:
    """Prepare the ground for following water.

    Parameters
    ----------
    grid
        The ground.
    sink
        Cells that water stays in, such as those of a wetland; depressions that hold one are not filled.
    smoothing
        Scale of local planes that take out noise first, CRS units; 0 takes the ground as it is.
    """
    from wetgeo.kernels import tracing

    elevation, _, _ = fitted(grid, smoothing)
    ground = filled(replace(grid, z=elevation), sink)
    stays = np.zeros(grid.z.shape, dtype=bool) if sink is None else sink
    return Routing(grid=ground, sink=stays, way=tracing.headings(ground.z, stays, grid.dx, grid.dy))


def drains_to(grid: Grid, target: Mask, *, smoothing: float = 0.0) -> Mask:
    """Return the cells whose water reaches the target, the target included.

    On a plane of any aspect the sides of the strip above a target are right to a cell.
    """
    from wetgeo.kernels import tracing

    ways = routing(grid, target, smoothing=smoothing)
    z = ways.grid.z
    upward = np.argsort(z, axis=None)[: np.isfinite(z).sum()]
    possible, sure = tracing.prospects(upward, ways.way, target)
    # only where the two neighbours disagree does it take a path to know, and only as far as they do
    starts = np.flatnonzero(possible & ~sure)
    ends, _ = tracing.follow(starts, z, ways.way, (possible, sure, sure))
    reached: Mask = sure.copy()
    reached.flat[starts[ends == tracing.REACHED]] = True
    return reached


def trace_down(ways: Routing, x: Array, y: Array) -> list[FlowPath | None]:
    """Follow the water from points down to a sink, the border or a void.

    Parameters
    ----------
    ways
        From `routing`; its sinks are the targets.
    x, y
        Points, CRS units.

    Returns
    -------
    A path for each point, None where there is no ground. A path that reaches a target ends in its first cell there.
    """
    from wetgeo.kernels import tracing

    grid = ways.grid
    rows, columns = grid.z.shape
    paths: list[FlowPath | None] = []
    for px, py in zip(np.asarray(x, dtype=float), np.asarray(y, dtype=float), strict=True):
        row, column = (grid.top - py) / grid.dy - 0.5, (px - grid.left) / grid.dx - 0.5
        r, c = int(np.floor(row + 0.5)), int(np.floor(column + 0.5))
        if not (0 <= r < rows and 0 <= c < columns) or np.isnan(grid.z[r, c]):
            paths.append(None)
            continue
        angle = float(np.nan_to_num(ways.way[4][r, c]))
        # distance of the cell's centre to the right of the line through the point
        off = (c - column) * grid.dx * np.sin(angle) + (r - row) * grid.dy * np.cos(angle)
        cells, end = tracing.line(r, c, off, grid.z, ways.way, ways.sink)
        paths.append(_path(grid, cells, (px, py), REASONS[end]))
    return paths


def _path(grid: Grid, cells: Array, start: tuple[float, float], end: str) -> FlowPath:
    """Put the points of a path on its true line: beside the centres of its cells, by as much as it is off."""
    row, column, off, angle = cells.T
    sideways = np.nan_to_num(angle) + np.pi / 2
    x = grid.left + (column + 0.5) * grid.dx + off * np.cos(sideways)
    y = grid.top - (row + 0.5) * grid.dy + off * np.sin(sideways)
    x[0], y[0] = start
    return FlowPath(x=x, y=y, end=end)


def steepest(grid: Grid) -> NDArray[np.int8]:
    """Return the neighbour that each cell falls to most steeply (D8), counted from the east counter-clockwise.

    -1 where none lies lower.
    """
    from wetgeo.kernels import tracing

    return tracing.steepest(grid.z, grid.dx, grid.dy)


def accumulation(grid: Grid) -> Array:
    """Return the area that drains through each cell, itself included, square CRS units; NaN in voids.

    Along `steepest` on the filled ground; RichDEM's own D8 does not weigh that diagonals are longer.
    """
    level = filled(grid)
    return area_through(level, steepest(level))


def area_through(level: Grid, neighbour: NDArray[np.int8]) -> Array:
    """As `accumulation`, of ground that is filled and whose `steepest` neighbours are known."""
    from wetgeo.kernels import tracing

    area: Array = tracing.cells_through(neighbour) * (level.dx * level.dy)
    area[np.isnan(level.z)] = np.nan
    return area


def _richdem_fill(grid: Grid) -> Array:
    import richdem  # loaded with the first filling

    void = np.isnan(grid.z)
    z = np.array(grid.z)
    z[void] = _NO_DATA
    ground = richdem.rdarray(z, no_data=_NO_DATA)
    ground.geotransform = _GEOTRANSFORM
    with _silent():
        richdem.FillDepressions(ground, epsilon=True, in_place=True)
    level = np.asarray(ground)
    level[void] = np.nan
    return level


@contextmanager
def _silent() -> Iterator[None]:
    """Keep what RichDEM's C++ code prints from the terminal: its two descriptors lead nowhere meanwhile."""
    with _richdem_lock:
        sys.stdout.flush()
        sys.stderr.flush()
        kept = {number: os.dup(number) for number in (1, 2)}
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            for number in kept:
                os.dup2(nowhere, number)
            yield
        finally:
            for number, copy in kept.items():
                os.dup2(copy, number)
                os.close(copy)
            os.close(nowhere)
