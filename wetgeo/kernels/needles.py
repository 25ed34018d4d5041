"""Needles: spikes and slits of outlines that are too thin to be ground.

Where outlines coincide but for the last digits of their coordinates, an overlay leaves needles of any length, whose
area is nothing but whose points stand far from the outline that is meant.
"""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.kernels.offset import FloatArray, GeometryArray, Shape


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


def _tips(xy: FloatArray, ring: NDArray[np.intp], thickness: float) -> NDArray[np.intp]:
    """Vertices of closed rings at which the outline turns back beside itself; the first vertex stands for the last."""
    count = np.bincount(ring)
    start = np.cumsum(count) - count
    here = np.delete(np.arange(len(xy)), start + count - 1)
    before = np.where(here == start[ring[here]], here + count[ring[here]] - 2, here - 1)
    return here[_turns_back(xy[before] - xy[here], xy[here + 1] - xy[here], thickness)]


def _turns_back(one: FloatArray, other: FloatArray, thickness: float) -> NDArray[np.bool_]:
    """Whether two sides from one vertex lie beside each other: the shorter ends within `thickness` of the longer."""
    longer = np.maximum(np.hypot(one[:, 0], one[:, 1]), np.hypot(other[:, 0], other[:, 1]))
    apart = np.abs(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0])
    along = one[:, 0] * other[:, 0] + one[:, 1] * other[:, 1]
    return np.asarray((along >= 0) & (apart <= thickness * longer))


def _blunt(polygon: Shape, thickness: float) -> Shape:
    """Take the tips of needles off a polygon until none is left."""
    rings = [_blunt_ring(shapely.get_coordinates(ring)[:-1], thickness) for ring in shapely.get_rings(polygon)]
    if rings[0] is None:
        return shapely.Polygon()
    return shapely.Polygon(rings[0], [ring for ring in rings[1:] if ring is not None])


def _blunt_ring(xy: FloatArray, thickness: float) -> FloatArray | None:
    """Drop the tips of an open ring's vertices, shape (n, 2), one of each two neighbours at a time."""
    while len(xy) >= 3:
        tips = np.flatnonzero(_turns_back(np.roll(xy, 1, axis=0) - xy, np.roll(xy, -1, axis=0) - xy, thickness))
        if not len(tips):
            return xy
        apart = np.diff(tips, prepend=-2) > 1
        xy = np.delete(xy, tips[apart], axis=0)
    return None
