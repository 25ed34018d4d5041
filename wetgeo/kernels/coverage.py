"""How much of each cell a polygon covers, exactly, and means weighted by it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.kernels.grid import Grid
from wetgeo.kernels.slope import slope

Array = NDArray[np.float64]
Cells = NDArray[np.intp]
Polygonal = shapely.Polygon | shapely.MultiPolygon

#: fractions below this are what rounding left
_ROUNDING = 1e-9


def covered_fraction(grid: Grid, polygon: Polygonal) -> Array:
    """Return the fraction of each cell that a polygon covers.

    Every piece of outline between two grid lines adds the signed area between itself and the right side of its cell,
    and its height to all cells further right; sums along the rows then give the fractions. Exact but for rounding.

    Parameters
    ----------
    grid
        Only its shape and position count.
    polygon
        A valid Polygon or MultiPolygon, holes included, in the coordinates of the grid.

    Returns
    -------
    Fractions from 0 to 1, shape of `grid.z`.
    """
    rows, columns = grid.z.shape
    area = np.zeros((rows, columns + 1))
    height = np.zeros((rows, columns + 1))
    start, end = _outline(grid, polygon)
    if len(start):
        row, column, rise, right = _pieces(start, end, rows, columns)
        before, inside = column < 0, (column >= 0) & (column < columns)
        np.add.at(height[:, 0], row[before], rise[before])
        np.add.at(area, (row[inside], column[inside]), rise[inside] * right[inside])
        np.add.at(height, (row[inside], column[inside] + 1), rise[inside])
    fraction = area + np.cumsum(height, axis=1)
    clipped: Array = np.clip(fraction[:, :columns], 0.0, 1.0)
    # the sums along a row end a rounding error beside 0, which would make the row beside a polygon part of it
    clipped[clipped < _ROUNDING] = 0.0
    return clipped


def part_around(grid: Grid, bounds: tuple[float, float, float, float]) -> tuple[slice, slice]:
    """Return the rows and columns of the cells that `bounds` touches."""
    rows, columns = grid.z.shape
    left, bottom, right, top = bounds
    span = np.array([(grid.top - top) / grid.dy, (grid.top - bottom) / grid.dy])
    across = np.array([(left - grid.left) / grid.dx, (right - grid.left) / grid.dx])
    r0, r1 = np.clip([np.floor(span[0]), np.ceil(span[1])], 0, rows).astype(int)
    c0, c1 = np.clip([np.floor(across[0]), np.ceil(across[1])], 0, columns).astype(int)
    return slice(r0, r1), slice(c0, c1)


def cut(grid: Grid, part: tuple[slice, slice]) -> Grid:
    """Return a part of a grid, given by its rows and columns."""
    rows, columns = part
    return replace(
        grid,
        z=grid.z[part],
        left=grid.left + columns.start * grid.dx,
        top=grid.top - rows.start * grid.dy,
    )


def known_share(grid: Grid | None, polygon: Polygonal) -> float:
    """Return the share of a polygon's area that has an elevation, 0 to 1; 1 for an empty polygon."""
    if polygon.is_empty:
        return 1.0
    if grid is None:
        return 0.0
    ground = cut(grid, part_around(grid, polygon.bounds))
    known = float(covered_fraction(ground, polygon)[np.isfinite(ground.z)].sum()) * grid.dx * grid.dy
    return min(known / polygon.area, 1.0)


def mean_slope(grid: Grid, polygon: Polygonal) -> tuple[float, float]:
    """Return the mean slope over a polygon, in percent, and the share of it that has an elevation.

    Each cell's slope (Horn) is weighted by the fraction of the cell inside. The first is NaN where no cell under the
    polygon has a slope; the second is 0 for an empty polygon. The grid should reach a cell beyond the polygon.
    """
    if polygon.is_empty:
        return float("nan"), 0.0
    part = part_around(grid, polygon.bounds)
    rows, columns = part
    near = slice(max(rows.start - 1, 0), rows.stop + 1), slice(max(columns.start - 1, 0), columns.stop + 1)
    ground = cut(grid, near)  # a cell more on each side for the slopes
    if not ground.z.size:
        return float("nan"), 0.0
    weight, ratio = covered_fraction(ground, polygon), slope(ground)
    known, ground_known = np.isfinite(ratio), np.isfinite(ground.z)
    coverage = weight[ground_known].sum() * grid.dx * grid.dy / polygon.area
    total = weight[known].sum()
    percent = 100 * float((weight[known] * ratio[known]).sum() / total) if total > 0 else float("nan")
    return percent, min(float(coverage), 1.0)


def _outline(grid: Grid, polygon: Polygonal) -> tuple[Array, Array]:
    """Return start and end of all segments, as column and row from the upper left corner, outlines one way round."""
    rings = shapely.get_rings(shapely.get_parts(shapely.orient_polygons(polygon)))
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    places = np.column_stack([(xy[:, 0] - grid.left) / grid.dx, (grid.top - xy[:, 1]) / grid.dy])
    same = ring[1:] == ring[:-1]
    return places[:-1][same], places[1:][same]


def _pieces(start: Array, end: Array, rows: int, columns: int) -> tuple[Cells, Cells, Array, Array]:
    """Cut segments at the grid lines; return row, column (-1 left of the grid), height and distance to the right side.

    Pieces above and below the grid are left out; pieces to its left and right are not cut at columns.
    """
    across = _crossings(start[:, 0], end[:, 0], columns)
    down = _crossings(start[:, 1], end[:, 1], rows)
    n = np.arange(len(start))
    segment = np.concatenate([n, across[0], down[0], n])
    at = np.concatenate([np.zeros(len(n)), across[1], down[1], np.ones(len(n))])
    order = np.lexsort((at, segment))
    segment, at = segment[order], at[order]
    same = segment[1:] == segment[:-1]
    piece, t0, t1 = segment[1:][same], at[:-1][same], at[1:][same]
    run = end[piece] - start[piece]
    middle = start[piece] + run * ((t0 + t1) / 2)[:, None]
    rise = run[:, 1] * (t1 - t0)
    row = np.floor(middle[:, 1]).astype(np.intp)
    column = np.maximum(np.floor(middle[:, 0]), -1.0)
    kept = (row >= 0) & (row < rows) & (rise != 0) & (column < columns)
    right = column + 1 - middle[:, 0]
    return row[kept], column[kept].astype(np.intp), rise[kept], right[kept]


def _crossings(start: Array, end: Array, lines: int) -> tuple[Cells, Array]:
    """Return the segment and the position on it (0 to 1) of each crossing of the lines 0, 1, ... `lines`."""
    low, high = np.minimum(start, end), np.maximum(start, end)
    first = np.clip(np.floor(low) + 1, 0, lines + 1).astype(np.intp)
    last = np.clip(np.ceil(high), 0, lines + 1).astype(np.intp)
    count = np.maximum(last - first, 0)
    segment = np.repeat(np.arange(len(start)), count)
    line = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    run = (end - start)[segment]
    return segment, np.clip((line - start[segment]) / run, 0.0, 1.0)
