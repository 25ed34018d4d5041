"""Offsets of polygons, and the plain overlays that buffers are made of. Arrays of shapely geometries in and out."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import shapely
from numba import njit
from numpy.typing import NDArray

from wetgeo.kernels.threads import by_rows, in_threads, slices
from wetgeo.kernels.unions import union_parts

GeometryArray = NDArray[np.object_]
FloatArray = NDArray[np.float64]
#: any one shapely geometry
Shape: TypeAlias = Any

#: how far the chord of a drawn arc may lie from the arc, as asked of the geometry engine. GEOS divides each quarter
#: circle evenly but starts arcs where the sides end, so that twice this is met at the joints; both lie within the
#: 0.05 ft that is promised of every edge.
CHORD_TOLERANCE_FT = 0.01
#: neighbours up to this many are taken away one after the other
_FEW = 8
#: GEOS fills hollows that are shallower than this part of the distance before it buffers, and cannot be told not to
_SIMPLIFY_FACTOR = 0.01


def quarter_segments(radius: float, tolerance: float) -> int:
    """Count the chords of a quarter circle that stray from it by at most `tolerance`, both in the same unit."""
    if radius <= tolerance:
        return 1
    return max(1, math.ceil(math.pi / 4 / math.acos(1 - tolerance / radius)))


def grow(geometries: GeometryArray, distances: FloatArray, *, tolerance: float) -> GeometryArray:
    """Grow each polygon by its own distance, with round joints.

    Parameters
    ----------
    geometries
        Polygons, shape (n,).
    distances
        Distances, shape (n,), coordinate units, at least 0.
    tolerance
        Greatest distance of a chord from its arc, coordinate units.
    """
    grown = np.array(geometries, dtype=object)
    parts = [
        (distance, rows[part])
        for distance in np.unique(distances[distances > 0]).tolist()
        for rows in [np.flatnonzero(distances == distance)]
        for part in slices(len(rows))
    ]

    def drawn(part: tuple[float, NDArray[np.intp]]) -> GeometryArray:
        distance, rows = part
        buffers = shapely.buffer(geometries[rows], distance, quad_segs=quarter_segments(distance, tolerance))
        return without_excess(buffers, geometries[rows], distance, tolerance=tolerance)

    for (_, rows), buffers in zip(parts, in_threads(drawn, parts), strict=True):
        grown[rows] = buffers
    return grown


def without_excess(grown: GeometryArray, origins: GeometryArray, distance: float, *, tolerance: float) -> GeometryArray:
    """Take from buffers the ground that lies further away than their distance.

    Before it buffers, GEOS fills shallow hollows; where one is long, the buffer reaches too far by as much as it is
    deep: at 75 ft by up to 9 inches.

    Parameters
    ----------
    grown
        Buffers as GEOS drew them, shape (n,).
    origins
        What they are the buffers of, polygons or lines, shape (n,).
    distance
        Their distance, coordinate units.
    tolerance
        As for `grow`.
    """
    kept = np.array(grown, dtype=object)
    rows = np.flatnonzero(_may_be_filled(origins, distance) & ~shapely.is_empty(kept))
    # a filled hollow shows as an excess of 5 tolerances along a chord of at least sqrt(40 x distance x tolerance)
    step = math.sqrt(16 * distance * tolerance)
    outlines, row_of = _sides(shapely.boundary(kept[rows]))
    sides, origin_of = _sides(_outlines(origins[rows]))
    numbers = np.arange(len(rows) + 1)
    places, owner = _far_places(
        outlines,
        np.searchsorted(row_of, numbers),
        sides,
        np.searchsorted(origin_of, numbers),
        step,
        distance + tolerance / 5,
    )
    for number in np.unique(owner):
        row = rows[number]
        around = shapely.buffer(shapely.multipoints(places[owner == number]), step + _SIMPLIFY_FACTOR * distance)
        kept[row] = shapely.difference(kept[row], _beyond(around, origins[row], distance, tolerance))
    return kept


def _may_be_filled(origins: GeometryArray, distance: float) -> NDArray[np.bool_]:
    """Flag lines, and polygons with a vertex in a hollow that GEOS takes for shallow."""
    found = np.asarray(shapely.get_dimensions(origins) == 1)
    parts, owner = shapely.get_parts(origins, return_index=True)
    rings, part = shapely.get_rings(shapely.orient_polygons(shapely.remove_repeated_points(parts)), return_index=True)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    if len(xy):
        # the last vertex of a ring is the first one again
        count = np.bincount(ring)
        start = np.cumsum(count) - count
        here = np.delete(np.arange(len(xy)), start + count - 1)
        before = np.where(here == start[ring[here]], here + count[ring[here]] - 2, here - 1)
        chord, side = xy[here + 1] - xy[before], xy[here] - xy[before]
        turn = side[:, 0] * chord[:, 1] - side[:, 1] * chord[:, 0]
        depth = np.abs(turn) / np.maximum(np.hypot(chord[:, 0], chord[:, 1]), np.finfo(float).tiny)
        # the polygon lies to the left, so that the outline turns right in a hollow
        hollow = (turn < 0) & (depth <= 1.01 * _SIMPLIFY_FACTOR * distance)
        found[owner[part[ring[here[hollow]]]]] = True
    return found


def _sides(lines: GeometryArray) -> tuple[FloatArray, NDArray[np.intp]]:
    """All straight sides of lines, shape (sides, 2 ends, 2), and the line of each."""
    parts, line = shapely.get_parts(lines, return_index=True)
    vertices, part = shapely.get_coordinates(parts, return_index=True)
    joined = part[1:] == part[:-1]
    return np.stack([vertices[:-1], vertices[1:]], axis=1)[joined], line[part[1:][joined]]


def _outlines(origins: GeometryArray) -> GeometryArray:
    """The outlines of polygons; lines stay as they are."""
    outlines = np.array(origins, dtype=object)
    polygons = shapely.get_dimensions(outlines) == 2
    outlines[polygons] = shapely.boundary(outlines[polygons])
    return outlines


@njit(cache=True, nogil=True)
def _far_places(
    outlines: FloatArray,
    first: NDArray[np.intp],
    sides: FloatArray,
    first_side: NDArray[np.intp],
    step: float,
    reach: float,
) -> tuple[FloatArray, NDArray[np.intp]]:
    """Find the places along outlines that lie further than `reach` from all sides of their origins.

    Places stand at most `step` apart along each side of an outline, one at least.

    Parameters
    ----------
    outlines, sides
        Straight sides of the outlines and of the origins, shape (k, 2 ends, 2), row by row.
    first, first_side
        Where the sides of each row begin, shape (rows + 1,).
    step, reach
        Coordinate units.
    """
    found = [(0.0, 0.0, 0) for _ in range(0)]
    for row in range(len(first) - 1):
        here, count = first_side[row], first_side[row + 1] - first_side[row]
        hit = 0
        for index in range(first[row], first[row + 1]):
            ax, ay = outlines[index, 0]
            bx, by = outlines[index, 1]
            places = max(math.ceil(math.hypot(bx - ax, by - ay) / step), 1)
            for number in range(places):
                share = (number + 0.5) / places
                x, y = ax + (bx - ax) * share, ay + (by - ay) * share
                # the side that the last place was near to is mostly near to this one too, or its neighbours are
                near = False
                for turn in range(count):
                    away = (turn + 1) // 2 if turn % 2 else -(turn // 2)
                    side = (hit + away) % count
                    if _square(x, y, sides[here + side]) <= reach * reach:
                        hit, near = side, True
                        break
                if not near:
                    found.append((x, y, row))
    places_xy, owner = np.empty((len(found), 2)), np.empty(len(found), dtype=np.intp)
    for index, (x, y, row) in enumerate(found):
        places_xy[index, 0], places_xy[index, 1], owner[index] = x, y, row
    return places_xy, owner


@njit(cache=True, nogil=True)
def _square(x: float, y: float, side: FloatArray) -> float:
    """Squared distance of a point from a straight side."""
    dx, dy = side[1, 0] - side[0, 0], side[1, 1] - side[0, 1]
    x, y = x - side[0, 0], y - side[0, 1]
    length = dx * dx + dy * dy
    along = min(max((x * dx + y * dy) / length, 0.0), 1.0) if length > 0 else 0.0
    x, y = x - along * dx, y - along * dy
    return x * x + y * y


def _beyond(around: Shape, origin: Shape, distance: float, tolerance: float) -> Shape:
    """Cut out the part of `around` that is more than `distance` from `origin`, side by side, so that none is filled."""
    outline = origin if shapely.get_dimensions(origin) == 1 else shapely.boundary(origin)
    sides = np.asarray(shapely.linestrings(_sides(np.array([outline], dtype=object))[0]), dtype=object)
    shapely.prepare(around)
    near = sides[shapely.dwithin(around, sides, distance)]
    reach = shapely.buffer(near, distance, quad_segs=quarter_segments(distance, tolerance))
    return shapely.difference(around, shapely.union_all([origin, *reach]))


def polygons_only(geometries: GeometryArray) -> GeometryArray:
    """Keep the polygons of each geometry; lines and points that an overlay left over are no ground."""
    kept = np.array(geometries, dtype=object)
    kinds = shapely.get_type_id(kept)
    for index in np.flatnonzero((kinds != 3) & (kinds != 6)):
        parts = shapely.get_parts(shapely.get_parts(kept[index]))
        kept[index] = shapely.union_all([part for part in parts if part.geom_type == "Polygon"])
        if kept[index].geom_type not in ("Polygon", "MultiPolygon"):
            kept[index] = shapely.MultiPolygon()
    return kept


def without_slivers(geometries: GeometryArray, least: float) -> GeometryArray:
    """Leave out the parts of each polygon that are smaller than `least`, square coordinate units.

    Where outlines nearly coincide, overlays leave parts of which nothing is known but the last digits of coordinates.
    """
    kept = np.array(geometries, dtype=object)
    parts, owner = shapely.get_parts(kept, return_index=True)
    small = shapely.area(parts) < least
    for index in np.unique(owner[small]):
        own = parts[(owner == index) & ~small]
        kept[index] = own[0] if len(own) == 1 else shapely.multipolygons(own)
    return kept


def subtract(geometries: GeometryArray, others: GeometryArray, tree: shapely.STRtree | None = None) -> GeometryArray:
    """Take all `others` away from each geometry.

    A geometry with few neighbours loses them one after the other, in the order of `others`, all geometries at a time;
    one with many, such as a whole floodplain, loses them at once, as the connected parts of all `others`.

    Parameters
    ----------
    geometries
        Polygons, shape (n,).
    others
        Polygons, shape (m,).
    tree
        A tree of `others`, where one is at hand.
    """
    left = np.array(geometries, dtype=object)
    if not len(others) or not len(left):
        return left
    tree = tree or shapely.STRtree(others)
    rows, columns = tree.query(left, predicate="intersects")
    order = np.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    starts = np.concatenate(([True], rows[1:] != rows[:-1])) if len(rows) else np.zeros(0, dtype=bool)
    rank = np.arange(len(rows)) - np.maximum.accumulate(np.where(starts, np.arange(len(rows)), 0))
    many = np.flatnonzero(np.bincount(rows, minlength=len(left)) > _FEW)
    if len(many):
        parts = union_parts(others)
        whole, part = shapely.STRtree(parts).query(left[many], predicate="intersects")
        for index, row in enumerate(many):
            left[row] = shapely.difference(left[row], shapely.MultiPolygon(list(parts[np.sort(part[whole == index])])))
    few = ~np.isin(rows, many)
    for turn in range(_FEW if few.any() else 0):
        now = few & (rank == turn)
        left[rows[now]] = by_rows(shapely.difference, left[rows[now]], others[columns[now]])
    return polygons_only(left)


def clip(geometries: GeometryArray, region: Shape) -> GeometryArray:
    """Keep what lies within one polygonal region; geometries wholly inside stay as they are, to the vertex."""
    clipped = np.array(geometries, dtype=object)
    shapely.prepare(region)
    outside = ~shapely.covers(region, clipped)
    if outside.any():
        clipped[outside] = by_rows(lambda some: shapely.intersection(some, region), clipped[outside])
    return polygons_only(clipped)
