"""Stations of monuments on a stretch of edge: even gaps, and bends kept by the straight line between neighbours."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from wetgeo.kernels.lines import Bools, Floats, Ints
from wetgeo.kernels.threads import in_threads, slices

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
    whole = np.array([0, len(xy)], dtype=np.intp)
    return fill_stretches(
        np.ascontiguousarray(xy),
        np.ascontiguousarray(stations),
        whole,
        largest=largest,
        smallest=smallest,
        stray=stray,
    )[0]


def fill_stretches(
    xy: Floats, stations: Floats, offsets: Ints, *, largest: float, smallest: float, stray: float
) -> list[Floats]:
    """Place points on many stretches as `bend_stations` does on one, in threads.

    Parameters
    ----------
    xy, stations, offsets
        The stretches, one after the other: vertices, their stations, and where each stretch begins, shape (n + 1,).
    largest, smallest, stray
        As for `bend_stations`.

    Returns
    -------
    The stations between the ends of each stretch.

    Raises
    ------
    ValueError
        As `bend_stations`.
    """
    if stray <= 0 or smallest > largest / 2:
        raise ValueError(f"no points keep to {stray:g} with gaps from {smallest:g} to {largest:g}")
    bounds = largest, smallest, stray

    def filled(part: slice) -> list[Floats]:
        found, counts = _fill(xy, stations, offsets[part.start : part.stop + 1], bounds)
        return np.split(found, np.cumsum(counts)[:-1])

    return [inner for part in in_threads(filled, slices(len(offsets) - 1)) for inner in part]


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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _fill(xy: Floats, stations: Floats, offsets: Ints, bounds: tuple[float, float, float]) -> tuple[Floats, Ints]:
    counts = np.zeros(len(offsets) - 1, dtype=np.intp)
    found, used = np.empty(8 * len(counts)), 0
    for row in range(len(counts)):
        part = slice(offsets[row], offsets[row + 1])
        inner = _bends(xy[part], stations[part], bounds)
        while used + len(inner) > len(found):
            found = np.concatenate((found, np.empty_like(found)))
        found[used : used + len(inner)] = inner
        counts[row] = len(inner)
        used += len(inner)
    return found[:used].copy(), counts


@njit(cache=True, nogil=True)
def _bends(xy: Floats, stations: Floats, bounds: tuple[float, float, float]) -> Floats:
    largest, smallest, stray = bounds
    length = stations[-1] - stations[0]
    even = _evenly(stations, max(1, math.ceil(length / largest - 1e-9)))
    if _most_astray(xy, stations, even) <= stray:
        return even[1:-1]
    # finer than the least gap asks, a small straying would only cost time
    step = max(min(largest / 200, stray / 4), smallest / 4)
    nodes = _nodes(xy, stations, step)
    many, kept = len(nodes[1]) + 1, stray
    best, reached = _path(nodes, largest, smallest, kept, many)
    while not reached:
        kept *= 2
        best, reached = _path(nodes, largest, smallest, kept, many)
    gaps = len(best) + 1
    even = _evenly(stations, gaps)
    if np.diff(even).max() <= largest and _most_astray(xy, stations, even) <= kept:
        return even[1:-1]
    low, high = 0.0, kept
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        path, reached = _path(nodes, largest, smallest, middle, gaps)
        if reached:
            best, high = path, middle
        else:
            low = middle
    return best


@njit(cache=True, nogil=True)
def _evenly(stations: Floats, gaps: int) -> Floats:
    """Both ends of a stretch and the points between that divide it into even gaps."""
    step = (stations[-1] - stations[0]) / gaps
    even: Floats = stations[0] + np.arange(gaps + 1) * step
    even[-1] = stations[-1]
    return even


@njit(cache=True, nogil=True)
def _most_astray(xy: Floats, stations: Floats, points: Floats) -> float:
    ends, after = np.empty((len(points), 2)), np.searchsorted(stations, points, side="right")
    for k in range(len(points)):
        first = min(max(after[k] - 1, 0), len(stations) - 2)
        share = (points[k] - stations[first]) / (stations[first + 1] - stations[first])
        ends[k] = xy[first] + share * (xy[first + 1] - xy[first])
    most: float = _strays(xy, after, ends).max()
    return most


@njit(cache=True, nogil=True)
def _nodes(xy: Floats, stations: Floats, step: float) -> tuple[Floats, Floats, Bools, Bools]:
    """Vertices and places a step apart, in order: coordinates, stations, and which are places and which vertices.

    A point may stand at a place; at a vertex it may where the edge turns there.
    """
    count = max(1, math.ceil((stations[-1] - stations[0]) / step))
    total, apart = len(xy) + count - 1, (stations[-1] - stations[0]) / count
    nodes, at = np.empty((total, 2)), np.empty(total)
    place, vertex = np.ones(total, dtype=np.bool_), np.zeros(total, dtype=np.bool_)
    k, before = 0, 0.0
    for i in range(len(xy)):
        while i > 0 and k - i + 1 < count and stations[0] + (k - i + 1) * apart <= stations[i]:
            at[k] = stations[0] + (k - i + 1) * apart
            share = (at[k] - stations[i - 1]) / (stations[i] - stations[i - 1])
            nodes[k] = xy[i - 1] + share * (xy[i] - xy[i - 1])
            k += 1
        nodes[k], at[k], vertex[k] = xy[i], stations[i], True
        if i + 1 < len(xy):
            heading = math.atan2(xy[i + 1, 1] - xy[i, 1], xy[i + 1, 0] - xy[i, 0])
            turn = abs(heading - before)
            place[k] = i == 0 or min(turn, 2 * math.pi - turn) > CORNER
            before = heading
        k += 1
    return nodes, at, place, vertex


@njit(cache=True, nogil=True)
def _path(
    nodes: tuple[Floats, Floats, Bools, Bools], largest: float, smallest: float, stray: float, most: int
) -> tuple[Floats, bool]:
    """Stations of the fewest points between the ends, and whether any choice of at most `most` gaps does."""
    at = nodes[1]
    before, gaps = _fewest(nodes, largest, smallest, stray, most)
    last = len(at) - 1
    if before[last] < 0:
        return np.empty(0), False
    path = np.empty(gaps - 1)
    node = before[last]
    for k in range(gaps - 2, -1, -1):
        path[k] = at[node]
        node = before[node]
    return path, True


@njit(cache=True, nogil=True)
def _fewest(
    nodes: tuple[Floats, Floats, Bools, Bools], largest: float, smallest: float, stray: float, most: int
) -> tuple[Ints, int]:
    """For each place, the one before it on a path of the fewest gaps (the evenest of these), -1 where there is none.

    Also returns the gaps of the path to the last place.
    """
    last = len(nodes[1]) - 1
    gaps, squares = np.full(last + 1, most + 1), np.full(last + 1, np.inf)
    before = np.full(last + 1, -1)
    gaps[0], squares[0] = 0, 0.0
    for i in range(last):
        # what needs as many gaps as the best path to the end so far leads to no better one
        if nodes[2][i] and gaps[i] < min(most, gaps[last]):
            _reach(nodes, i, (gaps, squares, before), largest, smallest, stray)
    return before, gaps[last]


@njit(cache=True, nogil=True)
def _reach(
    nodes: tuple[Floats, Floats, Bools, Bools],
    i: int,
    paths: tuple[Ints, Floats, Ints],
    largest: float,
    smallest: float,
    stray: float,
) -> None:
    """Go one gap on from place `i`, and note the places ahead that are better reached so.

    A chord keeps within a distance of points where both rays, from either end, do (Chan and Chin, International Journal
    of Computational Geometry and Applications 6, 1996). The directions that keep to all vertices so far make a wedge
    that only narrows. Where no vertex between lies further away than the far end, the ray from there keeps too.
    """
    xy, at, place, vertex = nodes
    gaps, squares, before = paths
    last, limit = len(at) - 1, stray * stray
    wedge, farthest = (0.0, 0.0, 0.0, 0.0), 0.0
    for k in range(i + 1, last + 1):
        gap = at[k] - at[i]
        if gap > largest:
            break
        dx, dy = xy[k, 0] - xy[i, 0], xy[k, 1] - xy[i, 1]
        distance = dx * dx + dy * dy
        if place[k] and gaps[i] < gaps[k] and (gap >= smallest or (i == 0 and k == last)):
            square = squares[i] + gap * gap
            # what differs in the last digits only is even alike: of these the first is taken
            evener = gaps[i] + 1 < gaps[k] or square < squares[k] - SAME * largest * largest
            # a place that the edge comes back to has no direction; while no vertex counted yet, the wedge is all zero
            ahead = _inside(dx, dy, *wedge) if distance > 0 else farthest <= limit
            if evener and ahead and (farthest <= distance or _keeps_back(xy, vertex, i, k, limit)):
                gaps[k], squares[k], before[k] = gaps[i] + 1, square, i
        if vertex[k]:
            farthest = max(farthest, distance)
            if distance > limit:
                wedge, left = _narrowed(wedge, dx, dy, math.sqrt(distance - limit), stray)
                if not left:
                    break


@njit(cache=True, nogil=True)
def _narrowed(
    wedge: tuple[float, float, float, float], dx: float, dy: float, along: float, stray: float
) -> tuple[tuple[float, float, float, float], bool]:
    """Keep the directions of a wedge whose rays pass a point nearer than `stray`, and tell whether any is left.

    The point lies at (dx, dy) from the wedge's tip; `along` is the length of the tangent from there to the circle of
    radius `stray` around it. A wedge runs from low counterclockwise to high, less than a half turn; all zero, it is the
    whole turn.
    """
    low_x, low_y, high_x, high_y = wedge
    from_x, from_y = dx * along + dy * stray, dy * along - dx * stray
    to_x, to_y = dx * along - dy * stray, dy * along + dx * stray
    if low_x == 0 and low_y == 0:
        return (from_x, from_y, to_x, to_y), True
    if not _inside(low_x, low_y, from_x, from_y, to_x, to_y):
        if not _inside(from_x, from_y, low_x, low_y, high_x, high_y):
            return wedge, False
        low_x, low_y = from_x, from_y
    if not _inside(high_x, high_y, from_x, from_y, to_x, to_y):
        high_x, high_y = to_x, to_y
    return (low_x, low_y, high_x, high_y), True


@njit(cache=True, nogil=True)
def _keeps_back(xy: Floats, vertex: Bools, start: int, end: int, limit: float) -> bool:
    """Tell whether all vertices between that lie beyond the end of a chord are near to that end (squared distance)."""
    back_x, back_y = xy[start, 0] - xy[end, 0], xy[start, 1] - xy[end, 1]
    for k in range(start + 1, end):
        if vertex[k]:
            dx, dy = xy[k, 0] - xy[end, 0], xy[k, 1] - xy[end, 1]
            if dx * back_x + dy * back_y < 0 and dx * dx + dy * dy > limit:
                return False
    return True


@njit(cache=True, nogil=True)
def _inside(x: float, y: float, low_x: float, low_y: float, high_x: float, high_y: float) -> bool:
    """Tell whether a direction lies in a wedge of less than a half turn."""
    return low_x * y >= low_y * x and x * high_y >= y * high_x
