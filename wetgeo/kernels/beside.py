"""What lies beside an outline: stations, stretches, and how near and how far ground reaches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely

from wetgeo.kernels.averaging import Sides, samples_along
from wetgeo.kernels.offset import FloatArray, GeometryArray, Shape

#: chords of a quarter circle where reach is measured: true to 4 in 100,000
_REACH_SEGMENTS = 128


def reach(outline: Sides, piece: Shape, *, spacing: float, within: float) -> tuple[float, float]:
    """Measure how near to an outline a piece of ground begins, and how far from it it ends.

    The least distance is exact. The greatest is looked for along the piece's own outline first, and then, where ground
    further away is left, such as in the middle of an island, by halving.

    Parameters
    ----------
    outline
        The sides of a resource; the piece lies outside of it.
    piece
        A polygon.
    spacing
        Distance of the places looked at along the piece's outline.
    within
        The greatest distance is known to this.
    """
    least = float(outline.distances(np.array([piece], dtype=object))[0])
    low = float(outline.distances(shapely.points(samples_along(piece, spacing))).max())

    def beyond(distance: float) -> bool:
        sides = outline.lines[outline.tree.query(piece, predicate="dwithin", distance=distance)]
        held = shapely.buffer(shapely.multilinestrings(sides), distance, quad_segs=_REACH_SEGMENTS)
        return not shapely.is_empty(shapely.buffer(shapely.difference(piece, held), -within / 4))

    if not beyond(low + within):
        return least, low
    left, bottom, right, top = piece.bounds
    high = low + float(np.hypot(right - left, top - bottom))
    while high - low > within:
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) else (low, middle)
    return least, high


def stations_along(lines: Sequence[Shape], spacing: float) -> tuple[GeometryArray, FloatArray]:
    """Set out stations along lines, running on from one line to the next.

    Returns
    -------
    tuple
        The points, and the distance of each from the start of the first line along the lines, coordinate units.
    """
    points: list[GeometryArray] = []
    stations: list[FloatArray] = []
    start = 0.0
    for line in lines:
        at = np.arange(0.0, line.length, spacing)
        points.append(np.asarray(shapely.line_interpolate_point(line, at), dtype=object))
        stations.append(start + at)
        start += line.length
    if not points:
        return np.zeros(0, dtype=object), np.zeros(0)
    return np.concatenate(points), np.concatenate(stations)


def stretch_along(lines: Sequence[Shape], piece: Shape, spacing: float) -> float:
    """Measure how much of some lines is the nearest part of them to a piece of ground.

    The piece's outline is walked in steps of at most `spacing` (more on a very long one) and each step is thrown
    straight onto the lines.
    """
    if not lines:
        return 0.0
    covered: dict[int, list[tuple[float, float]]] = {}
    tree = shapely.STRtree(lines)
    for ring in shapely.get_rings(shapely.get_parts(piece)):
        xy = samples_along(ring, spacing)
        nearest = np.atleast_1d(tree.nearest(shapely.points(xy)))
        at = shapely.line_locate_point(np.asarray(lines, dtype=object)[nearest], shapely.points(xy))
        steps = np.hypot(*np.diff(xy, axis=0).T)
        thrown = np.abs(np.diff(at))
        # a longer throw is a jump: to another side of a bay, or past the start of a closed line
        for index in np.flatnonzero((nearest[1:] == nearest[:-1]) & (thrown <= 4 * steps + 1e-9)):
            pair = sorted((float(at[index]), float(at[index + 1])))
            covered.setdefault(int(nearest[index]), []).append((pair[0], pair[1]))
    return sum(_length_of_union(intervals) for intervals in covered.values())


def _length_of_union(intervals: list[tuple[float, float]]) -> float:
    total, reached = 0.0, -np.inf
    for start, end in sorted(intervals):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total
