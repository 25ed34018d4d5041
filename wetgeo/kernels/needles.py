"""Needles: spikes and slits of outlines that are too thin to be ground.

Where outlines coincide but for the last digits of their coordinates, an overlay leaves needles of any length, whose
area is nothing but whose points stand far from the outline that is meant.
"""

from __future__ import annotations

import math

import numpy as np
import shapely
from numba import njit
from numpy.typing import NDArray

from wetgeo.kernels.offset import FloatArray, GeometryArray, Shape, polygons_only


def without_needles(geometries: GeometryArray, thickness: float) -> GeometryArray:
    """Cut off the spikes, and fill the slits, that are thinner than `thickness`.

    Parameters
    ----------
    geometries
        Polygons, shape (n,).
    thickness
        Coordinate units. No point of ground that is as thick as this moves or goes.

    Returns
    -------
    ndarray
        Those without a needle are the same objects.
    """
    kept = np.array(geometries, dtype=object)
    parts, owner = shapely.get_parts(kept, return_index=True)
    rings, part = shapely.get_rings(parts, return_index=True)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    if not len(xy):
        return kept
    found = np.unique(owner[part[ring[_tips(xy, ring, thickness)]]])
    for index in found:
        whole = shapely.union_all([_blunt(one, thickness) for one in parts[owner == index]])
        if shapely.is_valid(whole):
            kept[index] = whole
    return kept


def without_slits(polygon: Shape, thickness: float) -> Shape:
    """Fill the slits of a polygon that are thinner than `thickness`, whatever the shape of their ends.

    Its vertices move by the last digits of their coordinates; `without_needles` leaves them, but knows only slits that
    end in a point.
    """
    grown = shapely.buffer(polygon, thickness / 2, join_style="mitre")
    return shapely.buffer(grown, -thickness / 2, join_style="mitre")


def without_bands(geometries: GeometryArray, thickness: float) -> GeometryArray:
    """Open the polygons of which a hole runs within `thickness` of the outline: the band between them is no ground.

    Parameters and result as `without_needles`. Of a band no more is left than a stub of two thicknesses.
    """
    kept = np.array(geometries, dtype=object)
    parts, owner = shapely.get_parts(kept, return_index=True)
    rings, part = shapely.get_rings(parts, return_index=True)
    outer = np.flatnonzero(np.diff(part, prepend=-1))
    holes = np.setdiff1d(np.arange(len(rings)), outer)
    near = shapely.dwithin(rings[holes], rings[outer[part[holes]]], thickness)
    banded = np.unique(owner[part[holes[near]]])
    on_grid = shapely.set_precision(kept[banded], thickness)
    opens = _holes(on_grid) < _holes(kept[banded])
    # what is thick keeps its own vertices, which a grid moves: no grid must go on into the intersection
    around = shapely.buffer(shapely.set_precision(on_grid[opens], 0), 2 * thickness, quad_segs=2)
    kept[banded[opens]] = polygons_only(shapely.intersection(kept[banded[opens]], around))
    return kept


def _holes(polygons: GeometryArray) -> NDArray[np.intp]:
    """Count the holes of polygons, over their parts."""
    parts, owner = shapely.get_parts(polygons, return_index=True)
    return np.bincount(owner, shapely.get_num_interior_rings(parts), len(polygons)).astype(np.intp)


def _tips(xy: FloatArray, ring: NDArray[np.intp], thickness: float) -> NDArray[np.intp]:
    """Vertices of closed rings at which the outline turns back beside itself; the first vertex stands for the last."""
    ends = np.flatnonzero(np.diff(ring, append=-1))
    return np.flatnonzero(_turns_back(xy, np.append(0, ends + 1), thickness))


@njit(cache=True, nogil=True)
def _turns_back(xy: FloatArray, starts: NDArray[np.intp], thickness: float) -> NDArray[np.bool_]:
    """Flag vertices of closed rings whose two sides lie beside each other, and not the vertex that closes a ring.

    Two sides do where the shorter ends within `thickness` of the longer.
    """
    flags = np.zeros(len(xy), dtype=np.bool_)
    for ring in range(len(starts) - 1):
        first, last = starts[ring], starts[ring + 1] - 1
        for here in range(first, last):
            before = last - 1 if here == first else here - 1
            ax, ay = xy[before, 0] - xy[here, 0], xy[before, 1] - xy[here, 1]
            bx, by = xy[here + 1, 0] - xy[here, 0], xy[here + 1, 1] - xy[here, 1]
            if ax * bx + ay * by >= 0:
                longer = max(math.hypot(ax, ay), math.hypot(bx, by))
                flags[here] = abs(ax * by - ay * bx) <= thickness * longer
    return flags


def _blunt(polygon: Shape, thickness: float) -> Shape:
    """Take the tips of needles off a polygon until none is left."""
    rings = [_blunt_ring(shapely.get_coordinates(ring), thickness) for ring in shapely.get_rings(polygon)]
    if rings[0] is None:
        return shapely.Polygon()
    return shapely.Polygon(rings[0], [ring for ring in rings[1:] if ring is not None])


def _blunt_ring(xy: FloatArray, thickness: float) -> FloatArray | None:
    """Drop the tips of a closed ring's vertices, shape (n, 2), one of each two neighbours at a time."""
    while len(xy) > 3:
        tips = np.flatnonzero(_turns_back(xy, np.array([0, len(xy)]), thickness))
        if not len(tips):
            return xy
        xy = np.delete(xy[:-1], tips[np.diff(tips, prepend=-2) > 1], axis=0)
        xy = np.concatenate([xy, xy[:1]])
    return None
