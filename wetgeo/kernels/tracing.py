"""Compiled loops over cells. Import it inside functions: loading numba takes half a second."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: by cell: first and second neighbour, distance beside the direction of flow of each, direction (see `headings`)
Way = tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
#: by cell: where a path may go, the zone that it enters, the target
Masks = tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]
Function = TypeVar("Function", bound=Callable[..., Any])

#: how a flow path ends
REACHED, EDGE, VOID, PIT, LEFT = 1, 2, 3, 4, 5

#: the eight neighbours, counter-clockwise from the east: rows and columns
ROW = np.array([0, -1, -1, -1, 0, 1, 1, 1])
COLUMN = np.array([1, 1, 0, -1, -1, -1, 0, 1])


def compiled(function: Function) -> Function:
    """Compile with numba, kept on disk where a folder for it can be written."""
    try:
        return cast("Function", njit(cache=True, nogil=True)(function))
    except RuntimeError:  # neither beside the module nor in the user's cache
        return cast("Function", njit(nogil=True)(function))


@compiled
def flood(z: Array, outlet: NDArray[np.bool_]) -> Array:
    """Fill depressions up to their lowest way to an outlet, each cell a trifle above the next (Barnes 2014)."""
    rows, columns = z.shape
    filled = z.copy()
    closed = np.isnan(z)
    heap = [(0.0, 0)]
    heap.clear()
    for r in range(rows):
        for c in range(columns):
            if outlet[r, c] and not closed[r, c]:
                closed[r, c] = True
                heapq.heappush(heap, (z[r, c], r * columns + c))
    while len(heap) > 0:
        level, cell = heapq.heappop(heap)
        for k in range(8):
            r, c = cell // columns + ROW[k], cell % columns + COLUMN[k]
            if r < 0 or r >= rows or c < 0 or c >= columns or closed[r, c]:
                continue
            closed[r, c] = True
            filled[r, c] = max(z[r, c], np.nextafter(level, np.inf))
            heapq.heappush(heap, (filled[r, c], r * columns + c))
    return filled


@compiled
def _neighbour(z: Array, r: int, c: int, k: int) -> float:
    """Return a neighbour's elevation; where there is none, the ground goes on straight from the cell opposite."""
    rows, columns = z.shape
    i, j = r + ROW[k], c + COLUMN[k]
    if 0 <= i < rows and 0 <= j < columns and not np.isnan(z[i, j]):
        return float(z[i, j])
    i, j = r - ROW[k], c - COLUMN[k]
    if 0 <= i < rows and 0 <= j < columns:
        return float(2 * z[r, c] - z[i, j])
    return np.nan


@compiled
def _facet(z: Array, at: tuple[int, int], k: int, turn: int, cell: tuple[float, float]) -> tuple[float, float]:
    """Return the steepest fall on the facet between side neighbour `k` and the diagonal one a `turn` further.

    Also its direction from that side, radians towards the diagonal; NaN where a corner is missing.
    """
    r, c = at
    along, over = cell if k % 4 == 0 else (cell[1], cell[0])
    near, far = _neighbour(z, r, c, k), _neighbour(z, r, c, (k + turn) % 8)
    ahead, aside, corner = (z[r, c] - near) / along, (near - far) / over, np.arctan2(over, along)
    straight = (z[r, c] - far) / np.hypot(along, over)
    heading = np.arctan2(aside, ahead)
    if 0 < heading < corner and ahead > 0:
        return float(np.hypot(ahead, aside)), heading
    if np.isnan(heading) or straight > ahead:
        return straight + 0 * near, corner
    return ahead, 0.0


@compiled
def _sinkward(sink: NDArray[np.bool_], r: int, c: int) -> int:
    """Return the neighbour that is a sink, -1 for none."""
    rows, columns = sink.shape
    for k in (0, 2, 4, 6, 1, 3, 5, 7):
        i, j = r + ROW[k], c + COLUMN[k]
        if 0 <= i < rows and 0 <= j < columns and sink[i, j]:
            return k
    return -1


@compiled
def headings(z: Array, sink: NDArray[np.bool_], dx: float, dy: float) -> Way:
    """Return by cell the two neighbours that flow may take, how far each lies beside its direction, and that direction.

    The direction is that of the steepest of the eight facets (Tarboton 1997). -1 for a cell that nothing lies below.
    """
    rows, columns = z.shape
    first = np.full((rows, columns), -1, np.int8)
    second = np.full((rows, columns), -1, np.int8)
    beside = np.zeros((rows, columns), np.float32)
    beyond = np.zeros((rows, columns), np.float32)
    angle = np.full((rows, columns), np.nan, np.float32)
    for r in range(rows):
        for c in range(columns):
            if np.isnan(z[r, c]):
                continue
            steepest, side, turn, heading = 0.0, -1, 1, 0.0
            for facet in range(8):
                k, way = 2 * (facet // 2), 1 - 2 * (facet % 2)
                fall, towards = _facet(z, (r, c), k, way, (dx, dy))
                if fall > steepest:
                    steepest, side, turn, heading = fall, k, way, towards
            if side < 0:
                k = _sinkward(sink, r, c)
                if k >= 0:
                    first[r, c], second[r, c] = k, k
                    angle[r, c] = np.arctan2(-ROW[k] * dy, COLUMN[k] * dx)
                continue
            along, over = (dx, dy) if side % 4 == 0 else (dy, dx)
            corner = np.arctan2(over, along)
            first[r, c] = side if heading < corner else (side + turn) % 8
            second[r, c] = (side + turn) % 8 if heading > 0 else side
            if 0 < heading < corner:
                beside[r, c] = turn * along * np.sin(heading)
                beyond[r, c] = -turn * np.hypot(along, over) * np.sin(corner - heading)
            angle[r, c] = side * np.pi / 4 + turn * heading
    return first, second, beside, beyond, angle


@compiled
def steepest(z: Array, dx: float, dy: float) -> NDArray[np.int8]:
    """Find the neighbour that each cell falls to most steeply (0 to 7; -1 where none is lower), the first of equals."""
    rows, columns = z.shape
    neighbour = np.full(z.shape, np.int8(-1))
    away = np.hypot(ROW * dy, COLUMN * dx)
    for r in range(rows):
        for c in range(columns):
            most = 0.0
            for k in range(8):
                i, j = r + ROW[k], c + COLUMN[k]
                if 0 <= i < rows and 0 <= j < columns:
                    fall = (z[r, c] - z[i, j]) / away[k]
                    if fall > most:  # never where one of them is no ground
                        most, neighbour[r, c] = fall, k
    return neighbour


@compiled
def cells_through(neighbour: NDArray[np.int8]) -> Array:
    """Count the cells whose water comes through each cell, itself included, along neighbours that `steepest` found."""
    rows, columns = neighbour.shape
    waits = np.zeros(neighbour.shape, dtype=np.int8)  # for as many neighbours
    for r in range(rows):
        for c in range(columns):
            k = neighbour[r, c]
            if k >= 0:
                waits[r + ROW[k], c + COLUMN[k]] += 1
    count = np.ones(neighbour.shape)
    for r in range(rows):
        for c in range(columns):
            i, j = r, c
            # down from every cell that nothing more comes to, as far as the next that waits
            while waits[i, j] == 0:
                waits[i, j] = -1
                k = neighbour[i, j]
                if k < 0:
                    break
                below, beside = i + ROW[k], j + COLUMN[k]
                count[below, beside] += count[i, j]
                waits[below, beside] -= 1
                i, j = below, beside
    return count


@compiled
def _step(r: int, c: int, off: float, way: Way) -> tuple[int, int, float]:
    """Take the neighbour that keeps the path nearest to its true line (Orlandini 2003); `off` is how far it is off."""
    first, second, beside, beyond, _ = way
    one, other = off + beside[r, c], off + beyond[r, c]
    if abs(one) <= abs(other):
        k, off = first[r, c], one
    else:
        k, off = second[r, c], other
    return r + ROW[k], c + COLUMN[k], off


@compiled
def _border(z: Array, r: int, c: int) -> int:
    """Tell what a cell that nothing lies below is: at the border, beside a void, or a pit."""
    rows, columns = z.shape
    if r in (0, rows - 1) or c in (0, columns - 1):
        return EDGE
    for k in range(8):
        if np.isnan(z[r + ROW[k], c + COLUMN[k]]):
            return VOID
    return PIT


@compiled
def prospects(
    upward: NDArray[np.intp], way: Way, target: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the cells whose paths may, and those whose paths must reach the target; cells in order of elevation."""
    first, second, _, _, _ = way
    rows, columns = target.shape
    possible, sure = target.copy(), target.copy()
    for cell in upward:
        r, c = cell // columns, cell % columns
        if target[r, c] or first[r, c] < 0:
            continue
        i, j = r + ROW[first[r, c]], c + COLUMN[first[r, c]]
        k, m = r + ROW[second[r, c]], c + COLUMN[second[r, c]]
        one, other = 0 <= i < rows and 0 <= j < columns, 0 <= k < rows and 0 <= m < columns
        possible[r, c] = (one and possible[i, j]) or (other and possible[k, m])
        sure[r, c] = one and sure[i, j] and other and sure[k, m]
    return possible, sure


@compiled
def follow(starts: NDArray[np.intp], z: Array, way: Way, masks: Masks) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Follow flow paths from cells over allowed cells into the zone, and on to the target over any.

    Returns how each path ends, and the cells outside the zone that paths which reach the target pass.
    """
    ends = np.zeros(len(starts), np.int8)
    passed = np.zeros(z.shape, np.bool_)
    unmarked = np.zeros((0, 0), np.bool_)
    for n in range(len(starts)):
        ends[n] = _follow_one(starts[n], z, way, masks, unmarked)
        if ends[n] == REACHED:
            _follow_one(starts[n], z, way, masks, passed)
    return ends, passed


@compiled
def _follow_one(start: int, z: Array, way: Way, masks: Masks, passed: NDArray[np.bool_]) -> int:
    """Follow one path; mark the cells outside the zone in `passed`, where that has cells."""
    allowed, zone, target = masks
    rows, columns = z.shape
    r, c, off = start // columns, start % columns, 0.0
    inside = False
    while not target[r, c]:
        inside = inside or zone[r, c]
        if not inside:
            if not allowed[r, c]:
                return LEFT
            if passed.size > 0:
                passed[r, c] = True
        if way[0][r, c] < 0:
            return _border(z, r, c)
        r, c, off = _step(r, c, off, way)
        if r < 0 or r >= rows or c < 0 or c >= columns:
            return EDGE
        if np.isnan(z[r, c]):
            return VOID
    return REACHED


@compiled
def line(r: int, c: int, off: float, z: Array, way: Way, target: NDArray[np.bool_]) -> tuple[NDArray[np.float64], int]:
    """Return the cells of one flow path (row, column, distance off its true line, direction), and how it ends."""
    rows, columns = z.shape
    path = [(float(r), float(c), off, float(way[4][r, c]))]
    end = REACHED
    while not target[r, c]:
        if way[0][r, c] < 0:
            end = _border(z, r, c)
            break
        angle = float(way[4][r, c])
        r, c, off = _step(r, c, off, way)
        if r < 0 or r >= rows or c < 0 or c >= columns:
            end = EDGE
            break
        if np.isnan(z[r, c]):
            end = VOID
            break
        path.append((float(r), float(c), off, angle))
    cells = np.empty((len(path), 4))
    for n in range(len(path)):
        cells[n, 0], cells[n, 1], cells[n, 2], cells[n, 3] = path[n]
    return cells, end


@compiled
def _elevation(z: Array, row: float, column: float) -> float:
    """Interpolate between cell centres; NaN beyond them and beside voids."""
    rows, columns = z.shape
    i, j = int(np.floor(row)), int(np.floor(column))
    v, u = row - i, column - j
    if i < 0 or j < 0 or i > rows - 1 or j > columns - 1:
        return np.nan
    below, right = min(i + 1, rows - 1), min(j + 1, columns - 1)
    if (v > 0 and below == i) or (u > 0 and right == j):
        return np.nan
    north = z[i, j] * (1 - u) + z[i, right] * u
    south = z[below, j] * (1 - u) + z[below, right] * u
    return float(north * (1 - v) + south * v)


@compiled
def steep_runs(
    z: Array, ddx: Array, ddy: Array, over: NDArray[np.bool_], cell: tuple[float, float], run: float, gain: float
) -> NDArray[np.bool_]:
    """Mark the cells of all runs up the steepest direction that gain more than `gain`, trimmed to cells in `over`."""
    rows, columns = z.shape
    dx, dy = cell
    marked = np.zeros((rows, columns), np.bool_)
    steps = max(int(np.ceil(2 * run / min(dx, dy))), 8)
    for r in range(rows):
        for c in range(columns):
            slope = np.hypot(ddx[r, c], ddy[r, c])
            if not slope > 0:
                continue
            down, right = -ddy[r, c] / slope * run / dy, ddx[r, c] / slope * run / dx
            if not _elevation(z, r + down, c + right) - z[r, c] > gain:
                continue
            first, last = -1, -1
            for n in range(steps + 1):
                i, j = int(np.floor(r + down * n / steps + 0.5)), int(np.floor(c + right * n / steps + 0.5))
                if over[i, j]:
                    first, last = (n if first < 0 else first), n
            for n in range(first, last + 1):
                if first >= 0:
                    i, j = int(np.floor(r + down * n / steps + 0.5)), int(np.floor(c + right * n / steps + 0.5))
                    marked[i, j] = True
    return marked
