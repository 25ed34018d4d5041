"""Unions of polygons: which of them come to each other, and each such group united on its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import shapely
from manifold3d import CrossSection, FillRule
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from wetgeo.kernels.threads import in_threads

GeometryArray = NDArray[np.object_]

#: the grid on which polygons are united, coordinate units: far below what any survey knows, far above rounding
_GRID, _DECIMALS = 1e-6, 6
#: the grid of coordinates in Clipper2 as manifold3d sets it
_CLIPPER_GRID = 1e-8
#: rings of less ground than this, square coordinate units, are where outlines coincide but for the grid
_SPECK = 1e-6


def union_parts(geometries: Iterable[Any]) -> GeometryArray:
    """Unite polygons and return the connected parts; each group that touches is united on its own.

    Groups are united on a fine grid: across hair cracks between outlines that nearly coincide, a union in plain
    floating point can lose ground without a word. Clipper2 does it in whole numbers, all polygons of a group at once;
    what it returns is united by GEOS instead where it is no valid polygon. A polygon that meets no other stays as it
    is, to the vertex.
    """
    collected = np.array([g for g in geometries if not g.is_empty], dtype=object)
    if not len(collected):
        return collected
    groups = connected_groups(collected)
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups))
    members = np.split(collected[order], ends[:-1])
    united = np.array([group[0] for group in members], dtype=object)
    several = [number for number, group in enumerate(members) if len(group) > 1]
    # the largest first, so that no thread is left alone with it
    several.sort(key=lambda number: -len(members[number]))
    united[several] = in_threads(lambda number: _united(members[number]), several)
    parts = np.asarray(shapely.get_parts(united), dtype=object)
    return parts[~shapely.is_empty(parts)]


def connected_groups(geometries: GeometryArray, *, within: float = 0.0) -> NDArray[np.int32]:
    """Number the groups of geometries that come within a distance of each other, step by step; shape of the input."""
    tree = shapely.STRtree(geometries)
    if within:
        one, two = tree.query(geometries, predicate="dwithin", distance=within)
    else:
        # most have few neighbours: each pair looked at once is faster than geometries prepared for many
        one, two = tree.query(geometries)
        one, two = one[one < two], two[one < two]
        met = shapely.intersects(geometries[one], geometries[two])
        one, two = one[met], two[met]
    pairs = coo_array((np.ones(len(one), dtype=np.int8), (one, two)), shape=(len(geometries),) * 2)
    return np.asarray(connected_components(pairs, directed=False)[1])


def _united(group: GeometryArray) -> Any:  # noqa: ANN401 -- any polygonal geometry
    """Unite by Clipper2; by GEOS where what Clipper2 returns is not one valid polygon within each outer ring."""
    polygons = shapely.orient_polygons(shapely.get_parts(group))
    xy, ring = shapely.get_coordinates(shapely.get_rings(polygons), return_index=True)
    # near the group itself the whole numbers are small in any CRS
    corner = np.floor(xy.min(axis=0))
    starts = np.flatnonzero(np.diff(ring, prepend=-1))
    contours = np.split((xy - corner) * (_CLIPPER_GRID / _GRID), starts[1:])
    section = CrossSection(contours, FillRule.Positive)
    found = [_rings(section, corner)]
    if len(found[0][0]) > 1:
        found = [_rings(part, corner) for part in section.decompose()]
        found = [(outer, holes) for outer, holes in found if len(outer) or len(holes)]
    if all(len(outer) == 1 for outer, _ in found):
        united = shapely.multipolygons([shapely.Polygon(outer[0], holes) for outer, holes in found])
        if shapely.is_valid(united):
            return united
    return shapely.union_all(group, grid_size=_GRID)


def _rings(section: CrossSection, corner: NDArray[np.float64]) -> tuple[GeometryArray, GeometryArray]:
    """Turn what Clipper2 found back into rings on the grid, without specks: the outer ones, and those of holes."""
    contours = [np.zeros((0, 2)), *section.to_polygons()]
    line = np.repeat(np.arange(len(contours)) - 1, [len(contour) for contour in contours])
    xy = np.concatenate(contours) * (_GRID / _CLIPPER_GRID) + corner
    rings = np.asarray(shapely.linearrings(np.round(xy, _DECIMALS), indices=line), dtype=object)
    rings = rings[shapely.area(shapely.polygons(rings)) >= _SPECK]
    outer = shapely.is_ccw(rings)
    return rings[outer], rings[~outer]
