"""Offsets of polygons, and the plain overlays that buffers are made of. Arrays of shapely geometries in and out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import shapely
from numpy.typing import NDArray

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
    for distance in np.unique(distances[distances > 0]):
        chosen = distances == distance
        grown[chosen] = shapely.buffer(
            geometries[chosen], distance, quad_segs=quarter_segments(float(distance), tolerance)
        )
    return grown


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
    one with many, such as a whole floodplain, loses them at once, united. Others that it does not meet change nothing.

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
    for row in many:
        left[row] = shapely.difference(left[row], shapely.union_all(others[columns[rows == row]]))
    few = ~np.isin(rows, many)
    for turn in range(_FEW if few.any() else 0):
        now = few & (rank == turn)
        left[rows[now]] = shapely.difference(left[rows[now]], others[columns[now]])
    return polygons_only(left)


def clip(geometries: GeometryArray, region: Shape) -> GeometryArray:
    """Keep what lies within one polygonal region; geometries wholly inside stay as they are, to the vertex."""
    clipped = np.array(geometries, dtype=object)
    shapely.prepare(region)
    outside = ~shapely.covers(region, clipped)
    if outside.any():
        clipped[outside] = shapely.intersection(clipped[outside], region)
    return polygons_only(clipped)


def union_parts(geometries: Iterable[Shape]) -> GeometryArray:
    """Unite polygons and return the connected parts; each group that touches is united on its own."""
    collected = np.array([g for g in geometries if not g.is_empty], dtype=object)
    if not len(collected):
        return collected
    return np.asarray(shapely.get_parts(shapely.disjoint_subset_union_all(collected)), dtype=object)
