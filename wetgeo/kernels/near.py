"""Pairs of what is near to each other: boxes of neighbours on a line are looked up together, the rest is compiled."""

from __future__ import annotations

import numpy as np
import shapely
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
GeometryArray = NDArray[np.object_]

#: neighbours that share a box
RUN = 16
#: pairs are found a little further than asked, so that rounding loses none
_SLACK = 1 + 1e-9


def near_segments(ends: Floats, others: Floats, reach: float) -> tuple[Ints, Ints]:
    """Pair segments with others that may lie within `reach`: all that do are there, and some that do not.

    Parameters
    ----------
    ends
        Segments in the order of their lines, shape (n, 2 ends, 2).
    others
        Segments to pair them with, shape (m, 2 ends, 2).
    reach
        Coordinate units.

    Returns
    -------
    Rows of `ends`, ascending, and of `others`, ascending for each.
    """
    if not len(ends) or not len(others):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    reach *= _SLACK
    starts = np.arange(0, len(ends), RUN)
    low = np.minimum.reduceat(ends.min(axis=1), starts) - reach
    high = np.maximum.reduceat(ends.max(axis=1), starts) + reach
    tree = shapely.STRtree(np.asarray(shapely.box(*low.T, *high.T), dtype=object))
    other, run = tree.query(shapely.box(*others.min(axis=1).T, *others.max(axis=1).T))
    order = np.lexsort((other, run))
    found: Ints = _pairs_in_runs(ends, others, run[order], other[order], reach)
    order = np.lexsort((found[:, 1], found[:, 0]))
    return found[order, 0], found[order, 1]


@njit(cache=True, nogil=True)
def _pairs_in_runs(ends: Floats, others: Floats, run: Ints, other: Ints, reach: float) -> Ints:
    found = np.empty((max(len(run), 16), 2), dtype=np.intp)
    count = 0
    for pair in range(len(run)):
        (px, py), (qx, qy) = others[other[pair]]
        left, right = min(px, qx) - reach, max(px, qx) + reach
        bottom, top = min(py, qy) - reach, max(py, qy) + reach
        dx, dy = qx - px, qy - py
        limit = reach * np.hypot(dx, dy) * (1 + 1e-6)
        for row in range(run[pair] * RUN, min((run[pair] + 1) * RUN, len(ends))):
            (ax, ay), (bx, by) = ends[row]
            if max(ax, bx) < left or min(ax, bx) > right or max(ay, by) < bottom or min(ay, by) > top:
                continue
            one, two = (ax - px) * dy - (ay - py) * dx, (bx - px) * dy - (by - py) * dx
            # both ends lie on one side, and further away than that
            if (one > limit and two > limit) or (one < -limit and two < -limit):
                continue
            if count == len(found):
                found = np.concatenate((found, np.empty_like(found)))
            found[count, 0], found[count, 1] = row, other[pair]
            count += 1
    return found[:count].copy()


def first_outline(points: Floats, polygons: GeometryArray, reach: float) -> Ints:
    """Find for each point the first of the polygons whose outline is within `reach` of it; their number where none is.

    Parameters
    ----------
    points
        Shape (k, 2); quickest where neighbours follow each other.
    polygons
        Shape (n,).
    reach
        Coordinate units.
    """
    none = len(polygons)
    if not len(points) or not none:
        return np.full(len(points), none, dtype=np.intp)
    parts, polygon = shapely.get_parts(polygons, return_index=True)
    rings, part = shapely.get_rings(parts, return_index=True)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    side = np.flatnonzero(ring[1:] == ring[:-1])
    sides = np.stack([xy[side], xy[side + 1]], axis=1)
    first = np.searchsorted(polygon[part[ring[side]]], np.arange(none + 1))
    starts = np.arange(0, len(points), RUN)
    low, high = np.minimum.reduceat(points, starts) - reach, np.maximum.reduceat(points, starts) + reach
    run, near = shapely.STRtree(polygons).query(shapely.box(*low.T, *high.T))
    order = np.lexsort((near, run))
    boxes, offsets = _boxes(sides, first, reach)
    found: Ints = _first_outlines(points, np.column_stack([run, near])[order], sides, first, boxes, offsets, reach)
    return found


def _boxes(sides: Floats, first: Ints, reach: float) -> tuple[Floats, Ints]:
    """Boxes around each `RUN` sides of a polygon, `reach` larger, and where those of each polygon begin."""
    count = -(-np.diff(first) // RUN)
    offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.intp)
    number = np.arange(offsets[-1]) - np.repeat(offsets[:-1], count)
    starts = np.repeat(first[:-1], count) + number * RUN
    low = np.minimum.reduceat(sides.min(axis=1), starts) - reach
    high = np.maximum.reduceat(sides.max(axis=1), starts) + reach
    return np.concatenate([low, high], axis=1), offsets


@njit(cache=True, nogil=True)
def _first_outlines(
    points: Floats, pairs: Ints, sides: Floats, first: Ints, boxes: Floats, offsets: Ints, reach: float
) -> Ints:
    """Go over pairs of a run of points and a polygon, polygons ascending, and note the first that is near enough."""
    none = len(first) - 1
    found = np.full(len(points), none, dtype=np.intp)
    for run, polygon in pairs:
        for point in range(run * RUN, min((run + 1) * RUN, len(points))):
            if found[point] < none:
                continue
            x, y = points[point]
            for box in range(offsets[polygon], offsets[polygon + 1]):
                if x < boxes[box, 0] or y < boxes[box, 1] or x > boxes[box, 2] or y > boxes[box, 3]:
                    continue
                start = first[polygon] + (box - offsets[polygon]) * RUN
                if _within(x, y, sides, start, min(start + RUN, first[polygon + 1]), reach):
                    found[point] = polygon
                    break
    return found


@njit(cache=True, nogil=True)
def _within(x: float, y: float, sides: Floats, start: int, end: int, reach: float) -> bool:
    """Whether a point is within `reach` of one of some sides."""
    for side in range(start, end):
        ax, ay = sides[side, 0]
        dx, dy = sides[side, 1, 0] - ax, sides[side, 1, 1] - ay
        length = dx * dx + dy * dy
        along = min(max(((x - ax) * dx + (y - ay) * dy) / length, 0.0), 1.0) if length > 0 else 0.0
        if (x - ax - along * dx) ** 2 + (y - ay - along * dy) ** 2 <= reach * reach:
            return True
    return False
