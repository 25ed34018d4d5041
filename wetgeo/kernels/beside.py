"""What lies beside an outline: stations, stretches, and how near and how far ground reaches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely

from wetgeo.kernels.averaging import Sides, parts_of, polygonal, samples_along
from wetgeo.kernels.offset import FloatArray, GeometryArray, Shape

#: chords of a quarter circle where reach is measured: true to 4 in 100,000
_REACH_SEGMENTS = 128


def reach(outline: Sides, piece: Shape, *, spacing: float, within: float) -> tuple[float, float]:
    """Measure how near to an outline a piece of ground begins, and how far from it it ends.

    The least distance is exact. The greatest is looked for along the piece's own outline first, and then, where ground
    further away may be left, such as in the middle of an island, by halving.

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
    inner = _enclosed(outline, piece, low + within, spacing)

    def beyond(distance: float) -> bool:
        sides = outline.lines[outline.tree.query(inner, predicate="dwithin", distance=distance)]
        held = shapely.buffer(shapely.multilinestrings(sides), distance, quad_segs=_REACH_SEGMENTS)
        return not shapely.is_empty(shapely.buffer(shapely.difference(inner, held), -within / 4))

    if inner.is_empty or not beyond(low + within):
        return least, low
    left, bottom, right, top = inner.bounds
    high = low + float(np.hypot(right - left, top - bottom))
    while high - low > within:
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) else (low, middle)
    return least, high


def _enclosed(outline: Sides, piece: Shape, most: float, spacing: float) -> Shape:
    """Choose the parts of a piece within which ground may lie further from an outline than `most`.

    A place that lies further away than all around it has water on all sides, so it lies in the outline's convex hull;
    and it is no further from the outline than the edge of its part is, and from that edge.
    """
    hull = shapely.convex_hull(shapely.multilinestrings(outline.lines))
    parts = parts_of(polygonal(shapely.intersection(piece, hull)))
    bounds = shapely.bounds(parts).reshape(-1, 4)
    inside = np.minimum(np.sqrt(shapely.area(parts) / np.pi), (bounds[:, 2:] - bounds[:, :2]).min(axis=1) / 2)
    at_edge = [outline.distances(shapely.points(samples_along(part, spacing))).max() + spacing / 2 for part in parts]
    return shapely.multipolygons(parts[np.array(at_edge) + inside > most])


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


def stretch_along(edge: Sides, piece: Shape, spacing: float) -> float:
    """Measure how much of some lines is the nearest part of them to a piece of ground.

    The piece's outline is walked in steps of at most `spacing` (more on a very long one) and each step is thrown
    straight onto the lines.

    Parameters
    ----------
    edge
        The sides of the lines.
    piece
        Polygonal.
    spacing
        Coordinate units, as the result.
    """
    if not len(edge.lines):
        return 0.0
    lengths = shapely.length(edge.lines)
    # one line after the other: no two share a place
    begins = np.cumsum(lengths) - lengths
    covered: list[FloatArray] = []
    for ring in shapely.get_rings(shapely.get_parts(piece)):
        xy = samples_along(ring, spacing)
        points = shapely.points(xy)
        side = edge.tree.nearest(points)
        line = edge.shape_of[side]
        at = begins[side] + shapely.line_locate_point(edge.lines[side], points)
        steps = np.hypot(*np.diff(xy, axis=0).T)
        # a longer throw is a jump: to another side of a bay, or past the start of a closed line
        kept = np.flatnonzero((line[1:] == line[:-1]) & (np.abs(np.diff(at)) <= 4 * steps + 1e-9))
        covered.append(np.sort(np.stack([at[kept], at[kept + 1]], axis=1), axis=1))
    return _length_of_union(np.concatenate(covered))


def _length_of_union(intervals: FloatArray) -> float:
    """Add up what intervals cover, shape (n, 2)."""
    if not len(intervals):
        return 0.0
    starts, ends = intervals[np.argsort(intervals[:, 0])].T
    reached = np.maximum.accumulate(np.append(-np.inf, ends[:-1]))
    return float(np.maximum(0.0, ends - np.maximum(starts, reached)).sum())
