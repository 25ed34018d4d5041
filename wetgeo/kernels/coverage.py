"""How much of each cell a polygon covers, exactly, and means weighted by it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import shapely
from numba import njit
from numpy.typing import NDArray

from wetgeo.kernels.grid import ElevationSource, Grid
from wetgeo.kernels.slope import weighted_slopes
from wetgeo.kernels.threads import in_threads

Array = NDArray[np.float64]
Cells = NDArray[np.intp]
GeometryArray = NDArray[np.object_]
Bounds = tuple[float, float, float, float]
Polygonal = shapely.Polygon | shapely.MultiPolygon

#: fractions below this are what rounding left
_ROUNDING = 1e-9
#: elevations are read in blocks of so many cells in square, and so many more around
BLOCK, MARGIN = 256, 64


def covered_fraction(grid: Grid, polygon: Polygonal) -> Array:
    """Return the fraction of each cell that a polygon covers.

    Exact but for rounding.

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
    start, end, _ = _outlines(grid, np.array([polygon], dtype=object))
    window = np.array([[0, rows, 0, columns]], dtype=np.intp)
    return _weights(start, end, np.array([0, len(start)], dtype=np.intp), window)[0].reshape(rows, columns)


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
    """Return what `mean_slopes` does, for one polygon on one grid, which should reach a cell beyond it."""
    percent, coverage = mean_slopes_on(grid, np.array([polygon], dtype=object))
    return float(percent[0]), float(coverage[0])


def mean_slopes(source: ElevationSource, polygons: GeometryArray) -> tuple[Array, Array]:
    """Return the mean slope over each polygon, in percent, and the share of it that has an elevation; shape (n,).

    Each cell's slope (Horn) is weighted by the fraction of the cell inside. The first is NaN where no cell under the
    polygon has a slope; the second is 0 for an empty polygon. Elevations are read in blocks that do not depend on the
    polygons, and worked in threads; a polygon that reaches out of its block is worked on its own.
    """
    percent, coverage = np.full(len(polygons), np.nan), np.zeros(len(polygons))
    groups = _by_block(source, polygons)

    def work(group: tuple[Bounds, Cells]) -> None:
        bounds, rows = group
        grid = source.window(bounds)
        if grid is not None:
            percent[rows], coverage[rows] = mean_slopes_on(grid, polygons[rows])

    in_threads(work, groups)
    return percent, coverage


def mean_slopes_on(grid: Grid, polygons: GeometryArray) -> tuple[Array, Array]:
    """Return what `mean_slopes` does, for polygons on one grid, which should reach a cell beyond them."""
    start, end, owner = _outlines(grid, polygons)
    first = np.searchsorted(owner, np.arange(len(polygons) + 1))
    windows = np.zeros((len(polygons), 4), dtype=np.intp)
    filled = np.flatnonzero(~shapely.is_empty(polygons))
    for index, bounds in zip(filled, shapely.bounds(polygons[filled]).tolist(), strict=True):
        rows, columns = part_around(grid, bounds)
        windows[index] = rows.start, max(rows.start, rows.stop), columns.start, max(columns.start, columns.stop)
    weights, offsets = _weights(start, end, first, windows)
    ratio, known = weighted_slopes(grid.z, (grid.dx, grid.dy), windows, weights, offsets)
    area = shapely.area(polygons)
    share = np.divide(known * grid.dx * grid.dy, area, out=np.zeros(len(area)), where=area > 0)
    return 100 * ratio, np.minimum(share, 1.0)


def _by_block(source: ElevationSource, polygons: GeometryArray) -> list[tuple[Bounds, Cells]]:
    """Group polygons by the block of the elevations that holds their middle: bounds to read, and the polygons."""
    filled = np.flatnonzero(~shapely.is_empty(polygons))
    bounds = shapely.bounds(polygons[filled])
    size, margin = BLOCK * source.cell, MARGIN * source.cell
    corner = np.array([source.bounds[0], source.bounds[3]])
    block = np.floor(((bounds[:, :2] + bounds[:, 2:]) / 2 - corner) / size)
    low, high = corner + block * size - margin, corner + (block + 1) * size + margin
    inside = ((bounds[:, :2] >= low) & (bounds[:, 2:] <= high)).all(axis=1)
    groups = [((b[0], b[1], b[2], b[3]), filled[[k]]) for k, b in enumerate(bounds.tolist()) if not inside[k]]
    chosen = np.flatnonzero(inside)
    order = chosen[np.lexsort(block[chosen].T)]
    turns = np.flatnonzero((np.diff(block[order], axis=0) != 0).any(axis=1)) + 1
    for members in np.split(order, turns) if len(order) else []:
        one, other = low[members[0]].tolist(), high[members[0]].tolist()
        groups.append(((one[0], one[1], other[0], other[1]), filled[members]))
    return groups


def _outlines(grid: Grid, polygons: GeometryArray) -> tuple[Array, Array, Cells]:
    """Return start and end of all segments, as column and row from the upper left corner, and their polygons.

    Outlines run one way round, holes the other.
    """
    parts, part_of = shapely.get_parts(polygons, return_index=True)
    rings, polygon_of = shapely.get_rings(shapely.orient_polygons(parts), return_index=True)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    places = np.column_stack([(xy[:, 0] - grid.left) / grid.dx, (grid.top - xy[:, 1]) / grid.dy])
    same = ring[1:] == ring[:-1]
    return places[:-1][same], places[1:][same], part_of[polygon_of[ring[1:][same]]]


@njit(cache=True, nogil=True)
def _weights(start: Array, end: Array, first: Cells, windows: Cells) -> tuple[Array, Cells]:
    """Return the fraction of each cell of the polygons' windows that the polygon covers, and where each window begins.

    Every piece of outline between two grid lines adds the signed area between itself and the right side of its cell,
    and its height to all cells further right; sums along the rows then give the fractions.

    Parameters
    ----------
    start, end, first
        Segments, as column and row of the grid, and where those of each polygon begin, shape (n + 1,).
    windows
        First and last row, first and last column (one beyond) of the cells that are wanted, shape (n, 4).
    """
    offsets = np.zeros(len(windows) + 1, dtype=np.intp)
    for index in range(len(windows)):
        r0, r1, c0, c1 = windows[index]
        offsets[index + 1] = offsets[index] + (r1 - r0) * (c1 - c0)
    fractions = np.zeros(offsets[-1])
    for index in range(len(windows)):
        r0, r1, c0, c1 = windows[index]
        area, height = np.zeros((r1 - r0, c1 - c0)), np.zeros((r1 - r0, c1 - c0))
        for k in range(first[index], first[index + 1]):
            _add_segment(area, height, start[k, 0] - c0, start[k, 1] - r0, end[k, 0] - c0, end[k, 1] - r0)
        at = offsets[index]
        for row in range(r1 - r0):
            total = 0.0
            for column in range(c1 - c0):
                total += height[row, column]
                fraction = min(max(area[row, column] + total, 0.0), 1.0)
                # the sums end a rounding error beside 0, which would make the row beside a polygon part of it
                fractions[at] = fraction if fraction >= _ROUNDING else 0.0
                at += 1
    return fractions, offsets


@njit(cache=True, nogil=True)
def _add_segment(area: Array, height: Array, x0: float, y0: float, x1: float, y1: float) -> None:
    """Cut a segment at the rows, and its pieces at the columns; what lies left of all columns counts for the first."""
    rows, columns = area.shape
    sign = 1.0
    if y0 > y1:
        x0, y0, x1, y1, sign = x1, y1, x0, y0, -1.0
    for row in range(max(math.floor(y0), 0), min(math.ceil(y1), rows)):
        low, high = max(y0, row), min(y1, row + 1.0)
        if low >= high:
            continue
        one = x0 if low == y0 else x0 + (x1 - x0) * ((low - y0) / (y1 - y0))
        other = x1 if high == y1 else x0 + (x1 - x0) * ((high - y0) / (y1 - y0))
        left, right, rise = min(one, other), max(one, other), sign * (high - low)
        if left < 0:
            share = 1.0 if right <= 0 else -left / (right - left)
            height[row, 0] += rise * share
        begins, ends = math.floor(left), math.ceil(right)
        for column in range(max(begins, 0), min(max(ends, begins + 1), columns)):
            begin, stop = max(left, column), min(right, column + 1.0)
            piece = rise if left == right else rise * (stop - begin) / (right - left)
            area[row, column] += piece * (column + 1 - (begin + stop) / 2)
            if column + 1 < columns:
                height[row, column + 1] += piece
