"""Stations of monuments on a stretch of edge: even gaps, and bends kept by the straight line between neighbours."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from wetgeo.kernels.lines import Bools, Floats, Ints

#: a vertex where the edge turns by more than this angle (radians) may itself bear a monument
CORNER = 0.1
#: two sums of squared gaps that differ by less than this part of the largest gap's square are the same
SAME = 1e-9
#: halvings by which the straying is spread over the gaps
HALVINGS = 2


def even_stations(start: float, end: float, interval: float, tolerance: float) -> Floats:
    """Divide a stretch into the fewest equal gaps.

    Parameters
    ----------
    start, end
        Stations of the stretch's ends.
    interval
        The largest gap, same unit.
    tolerance
        A gap may be longer than `interval` by this much, so that an exact multiple gains no point by rounding.

    Returns
    -------
    The stations between the ends, shape (n - 1,) for n gaps.
    """
    gaps = max(1, math.ceil((end - start) / (interval + tolerance) - 1e-9))
    return np.asarray(start + (end - start) * np.arange(1, gaps) / gaps, dtype=np.float64)


def bend_stations(xy: Floats, stations: Floats, *, largest: float, smallest: float, stray: float) -> Floats:
    """Place the fewest points so that gaps are small enough and the chord of each gap keeps to the edge.

    The fewest are found by dynamic programming over places a step apart and at corners (the straying of a chord does
    not grow with its length alone, so that reaching as far as one can is not always best); among these, the straying
    is made as even as it can be. Where even gaps do with as few, they are taken.

    Parameters
    ----------
    xy, stations
        The stretch from end to end: vertices, shape (n, 2), and their stations, ascending.
    largest, smallest
        Bounds of a gap, same unit; a stretch shorter than `smallest` gets no point.
    stray
        How far the chord between neighbours may lie from the edge between them, same unit.

    Returns
    -------
    The stations between the ends. Where points would have to stand nearer than `smallest`, the straying is more than
    was asked.

    Raises
    ------
    ValueError
        `stray` is not positive, or `smallest` is more than half of `largest`.
    """
    if stray <= 0 or smallest > largest / 2:
        raise ValueError(f"no points keep to {stray:g} with gaps from {smallest:g} to {largest:g}")
    even = even_stations(stations[0], stations[-1], largest, 0.0)
    if strays(xy, stations, np.concatenate([stations[:1], even, stations[-1:]])).max() <= stray:
        return even
    # finer than the least gap asks, a small straying would only cost time
    step = max(min(largest / 200, stray / 4), smallest / 4)
    nodes, at, places = _places(xy, stations, step)
    best, kept = _path(nodes, at, places, largest, smallest, stray), stray
    while best is None:
        kept *= 2
        best = _path(nodes, at, places, largest, smallest, kept)
    even = np.linspace(stations[0], stations[-1], len(best) + 2)[1:-1]
    ends = np.concatenate([stations[:1], even, stations[-1:]])
    if np.diff(ends).max() <= largest and strays(xy, stations, ends).max() <= kept:
        return even
    low, high = 0.0, kept
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        found = _path(nodes, at, places, largest, smallest, middle)
        if found is not None and len(found) == len(best):
            best, high = found, middle
        else:
            low = middle
    return best


def strays(xy: Floats, stations: Floats, points: Floats) -> Floats:
    """How far the edge lies from the chord of each gap.

    Parameters
    ----------
    xy, stations
        The edge: vertices, shape (n, 2), and their stations.
    points
        Stations of points on it, ascending, shape (k,).

    Returns
    -------
    For each gap the greatest distance of the edge between two points from the straight line between them, (k - 1,).
    """
    ends = np.column_stack([np.interp(points, stations, xy[:, i]) for i in (0, 1)])
    return np.asarray(_strays(xy, np.searchsorted(stations, points, side="right"), ends))


@njit(cache=True)
def _strays(xy: Floats, first: Ints, ends: Floats) -> Floats:
    found = np.zeros(len(ends) - 1)
    for gap in range(len(found)):
        ax, ay = ends[gap]
        dx, dy = ends[gap + 1] - ends[gap]
        square = dx * dx + dy * dy
        for k in range(first[gap], min(first[gap + 1], len(xy))):
            px, py = xy[k, 0] - ax, xy[k, 1] - ay
            t = 0.0 if square == 0 else min(max((px * dx + py * dy) / square, 0.0), 1.0)
            found[gap] = max(found[gap], math.hypot(px - t * dx, py - t * dy))
    return found


def _places(xy: Floats, stations: Floats, step: float) -> tuple[Floats, Floats, Bools]:
    """Vertices and places a step apart, in order: coordinates, stations, and where a point may stand."""
    count = max(1, math.ceil((stations[-1] - stations[0]) / step))
    grid = np.linspace(stations[0], stations[-1], count + 1)
    direction = np.unwrap(np.arctan2(np.diff(xy[:, 1]), np.diff(xy[:, 0])))
    corner = np.concatenate([[True], np.abs(np.diff(direction)) > CORNER, [True]])
    at = np.concatenate([grid[1:-1], stations])
    order = np.argsort(at, kind="stable")
    nodes = np.concatenate([np.column_stack([np.interp(grid[1:-1], stations, xy[:, i]) for i in (0, 1)]), xy])
    places = np.concatenate([np.ones(count - 1, dtype=bool), corner])
    return nodes[order], at[order], places[order]


def _path(xy: Floats, at: Floats, places: Bools, largest: float, smallest: float, stray: float) -> Floats | None:
    """Stations of the fewest points between the ends, or None where no choice does."""
    index = np.flatnonzero(places)
    width = int((np.searchsorted(at[index], at[index] + largest, side="right") - np.arange(len(index))).max())
    ahead = _rays(xy, at, index, largest, stray, width)
    last = len(at) - 1
    mirrored = _rays(xy[::-1], at[last] - at[::-1], last - index[::-1], largest, stray, width)
    before = _fewest(at[index], ahead, mirrored, largest, smallest)
    if before[-1] < 0:
        return None
    path = [before[-1]]
    while path[-1] > 0:
        path.append(before[path[-1]])
    return np.asarray(at[index[path[-2::-1]]] if len(path) > 1 else np.empty(0))


@njit(cache=True)
def _rays(xy: Floats, at: Floats, index: Ints, largest: float, stray: float, width: int) -> Bools:
    """For each place, the places ahead whose direction keeps a ray within `stray` of all vertices between.

    A chord keeps within a distance of points where both rays, from either end, do (Chan and Chin, International Journal
    of Computational Geometry and Applications 6, 1996). The directions that keep to all vertices so far make a wedge of
    less than a half turn, from `low` counterclockwise to `high`, that only narrows.
    """
    good = np.zeros((len(index), width), dtype=np.bool_)
    for i in range(len(index)):
        a, j = index[i], i
        low_x, low_y, high_x, high_y, free, farthest = 0.0, 0.0, 0.0, 0.0, True, 0.0
        for k in range(a + 1, len(at)):
            if at[k] - at[a] > largest:
                break
            dx, dy = xy[k, 0] - xy[a, 0], xy[k, 1] - xy[a, 1]
            distance = math.sqrt(dx * dx + dy * dy)
            if j + 1 < len(index) and index[j + 1] == k:
                j += 1
                back = distance == 0 and farthest <= stray
                good[i, j - i] = back or (distance > 0 and (free or _inside(dx, dy, low_x, low_y, high_x, high_y)))
            farthest = max(farthest, distance)
            if distance <= stray:
                continue
            sine = stray / distance
            cosine = math.sqrt(1 - sine * sine)
            from_x, from_y = dx * cosine + dy * sine, dy * cosine - dx * sine
            to_x, to_y = dx * cosine - dy * sine, dy * cosine + dx * sine
            if free or not _inside(low_x, low_y, from_x, from_y, to_x, to_y):
                if not free and not _inside(from_x, from_y, low_x, low_y, high_x, high_y):
                    break
                low_x, low_y = from_x, from_y
            if free or not _inside(high_x, high_y, from_x, from_y, to_x, to_y):
                high_x, high_y = to_x, to_y
            free = False
    return good


@njit(cache=True)
def _inside(x: float, y: float, low_x: float, low_y: float, high_x: float, high_y: float) -> bool:
    """Tell whether a direction lies in a wedge of less than a half turn."""
    return low_x * y >= low_y * x and x * high_y >= y * high_x


@njit(cache=True)
def _fewest(at: Floats, ahead: Bools, mirrored: Bools, largest: float, smallest: float) -> Ints:
    """For each place, the one before it on a path of the fewest gaps (the evenest of these), -1 where there is none."""
    count = len(at)
    gaps, squares = np.full(count, count + 1), np.full(count, np.inf)
    before = np.full(count, -1)
    gaps[0], squares[0] = 0, 0.0
    for i in range(count):
        if gaps[i] > count:
            continue
        for j in range(i + 1, min(count, i + ahead.shape[1])):
            gap = at[j] - at[i]
            if gap > largest:
                break
            near = gap < smallest and not (i == 0 and j == count - 1)
            if near or not ahead[i, j - i] or not mirrored[count - 1 - j, j - i]:
                continue
            square = squares[i] + gap * gap
            # what differs in the last digits only is even alike: of these the first is taken
            evener = square < squares[j] - SAME * largest * largest
            if gaps[i] + 1 < gaps[j] or (gaps[i] + 1 == gaps[j] and evener):
                gaps[j], squares[j], before[j] = gaps[i] + 1, square, i
    return before
