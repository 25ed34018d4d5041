"""Drainageways from the ground: the lines along which the water of a large enough area runs together."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.kernels.flow import area_through, filled, steepest
from wetgeo.kernels.grid import Grid


def drainage_lines(grid: Grid, area: float) -> list[shapely.LineString]:
    """Return the lines through cells that at least `area` (square CRS units) drains through, running downhill.

    Each runs from its head, or from where it starts at the border, to where it joins an earlier one or ends. The lines
    follow the cells (D8) and are straightened within 0.7 of a cell.
    """
    level = filled(grid)
    neighbour = steepest(level)
    with np.errstate(invalid="ignore"):
        channel = area_through(level, neighbour) >= area
    onward = _receivers(neighbour)
    columns = grid.z.shape[1]
    fed = np.zeros(grid.z.size, dtype=bool)
    into = onward[channel.ravel() & (onward >= 0)]
    fed[into] = True
    heads = np.flatnonzero(channel.ravel() & ~fed)
    used = np.zeros(grid.z.size, dtype=bool)
    lines = []
    for head in heads:
        cells = [int(head)]
        while not used[cells[-1]] and onward[cells[-1]] >= 0:
            used[cells[-1]] = True
            cells.append(int(onward[cells[-1]]))
        row, column = np.divmod(np.array(cells), columns)
        if len(cells) > 1:
            points = np.column_stack([grid.left + (column + 0.5) * grid.dx, grid.top - (row + 0.5) * grid.dy])
            lines.append(shapely.LineString(points))
    straightened: list[shapely.LineString] = list(shapely.simplify(lines, 0.7 * max(grid.dx, grid.dy)))
    return straightened


def _receivers(neighbour: NDArray[np.int8]) -> NDArray[np.intp]:
    """Return the flat index of the cell that each cell drains to; -1 where there is none."""
    from wetgeo.kernels import tracing

    ahead = tracing.ROW * neighbour.shape[1] + tracing.COLUMN
    receiver = np.arange(neighbour.size).reshape(neighbour.shape) + ahead[neighbour]
    return np.where(neighbour < 0, -1, receiver).ravel()
