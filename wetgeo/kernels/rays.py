"""Rays that leave a polygon straight away from its edge, and how far each must go."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.kernels.offset import FloatArray, GeometryArray, Shape

#: enough halvings to place a point on a ray to a billionth of its length
_HALVINGS = 34
#: rays pass an aim on both sides, this share of their spacing away: what is crossed may jump there
_BESIDE = 1e-4


def _fan(corner: FloatArray, before: FloatArray, after: FloatArray, aims: FloatArray, step: float) -> list[FloatArray]:
    """Directions from a convex corner, between the normals of the sides before and after it."""
    start = np.arctan2(before[1], before[0])
    turn = (np.arctan2(after[1], after[0]) - start) % (2 * np.pi)
    if not 0 < turn < np.pi:
        return []
    towards = aims - corner
    aimed = (np.arctan2(towards[:, 1], towards[:, 0]) - start) % (2 * np.pi)
    aimed = (aimed[:, None] + np.array([-_BESIDE, _BESIDE]) * step).ravel()
    angles = np.concatenate([np.linspace(0, turn, int(np.ceil(turn / step)) + 1), aimed[(aimed > 0) & (aimed < turn)]])
    angles = np.unique(angles) + start
    return [np.column_stack([np.cos(angles), np.sin(angles)])]


def outward_rays(
    polygon: Shape,
    aims: FloatArray,
    *,
    spacing: float,
    step: float,
) -> list[tuple[FloatArray, FloatArray]]:
    """Lay rays straight away from a polygon's edge.

    Between neighbouring rays of one strip everything that straight edges bound is linear, for rays stand wherever an
    aim lies straight before the edge.

    Parameters
    ----------
    polygon
        Polygon or MultiPolygon; holes have rays into them.
    aims
        Points that need a ray of their own, such as the corners of what the rays will cross, shape (n, 2).
    spacing, step
        Greatest distance between rays along a side, CRS units, and greatest angle between those of a corner, radians.

    Returns
    -------
    list
        Strips of neighbouring rays, one for each side and each convex corner: (origins, unit directions), each shape
        (m, 2), m at least 2.
    """
    strips: list[tuple[FloatArray, FloatArray]] = []
    for part in shapely.get_parts(shapely.orient_polygons(polygon)):
        for ring in shapely.get_rings(part):
            points = shapely.get_coordinates(ring)[:-1]
            points = points[np.any(points != np.roll(points, 1, axis=0), axis=1)]
            along = np.roll(points, -1, axis=0) - points
            lengths = np.hypot(along[:, 0], along[:, 1])
            along /= lengths[:, None]
            normals = np.column_stack([along[:, 1], -along[:, 0]])
            for i, (point, side, length, normal) in enumerate(zip(points, along, lengths, normals, strict=True)):
                fans = _fan(point, normals[i - 1], normal, aims, step)
                strips += [(np.repeat(point[None], len(fan), axis=0), fan) for fan in fans]
                stations = ((aims - point) @ side)[:, None] + np.array([-_BESIDE, _BESIDE]) * spacing
                even = np.linspace(0, length, int(np.ceil(length / spacing)) + 1)
                stations = np.unique(np.concatenate([even, stations[(stations > 0) & (stations < length)]]))
                origins = point + stations[:, None] * side
                strips.append((origins, np.repeat(normal[None], len(origins), axis=0)))
    return strips


def reach_past(
    origins: FloatArray,
    directions: FloatArray,
    surface: Shape,
    *,
    width: float,
    most: float,
) -> FloatArray:
    """Go along each ray until the ground crossed outside a surface amounts to `width`.

    Parameters
    ----------
    origins, directions
        Rays, shape (n, 2).
    surface
        Polygonal geometry that does not count.
    width, most
        The distance to reach, and the distance at which to give up, coordinate units.

    Returns
    -------
    ndarray
        Distance from the origin, shape (n,), at most `most`.
    """
    parts = shapely.get_parts(surface)
    ends = np.stack([origins, origins + directions * most], axis=1)
    lines = np.asarray(shapely.linestrings(ends), dtype=object)
    ray, part = shapely.STRtree(parts).query(lines, predicate="intersects")
    pieces, pair = shapely.get_parts(shapely.intersection(lines[ray], parts[part]), return_index=True)
    crossed = shapely.get_dimensions(pieces) == 1
    pieces, ray = pieces[crossed], ray[pair[crossed]]
    if not len(pieces):
        return np.full(len(origins), float(min(width, most)))
    xy, piece = shapely.get_coordinates(pieces, return_index=True)
    along = ((xy - origins[ray[piece]]) * directions[ray[piece]]).sum(axis=1)
    first = np.flatnonzero(np.diff(piece, prepend=-1))
    enter, leave = np.minimum.reduceat(along, first), np.maximum.reduceat(along, first)
    order = np.lexsort((enter, ray))
    ray, enter, length = ray[order], enter[order], (leave - enter)[order]
    # what lies before a piece of surface, less the pieces before it, is what counts on the way to it
    so_far = np.cumsum(length) - length
    on_ray = np.flatnonzero(np.diff(ray, prepend=-1))
    so_far -= np.repeat(so_far[on_ray], np.diff(np.append(on_ray, len(ray))))
    passed = enter - so_far < width
    reach: FloatArray = np.minimum(width + np.bincount(ray[passed], length[passed], len(origins)), most)
    return reach


def limit_to_own(origins: FloatArray, directions: FloatArray, reach: FloatArray, polygon: Shape) -> FloatArray:
    """Shorten rays to where the polygon's nearest point is still their origin."""
    shapely.prepare(polygon)

    def own(distance: FloatArray) -> NDArray[np.bool_]:
        points = shapely.points(origins + directions * distance[:, None])
        return np.asarray(shapely.distance(polygon, points) >= distance * (1 - 1e-9) - 1e-9)

    low, high = np.zeros(len(reach)), reach.copy()
    whole = own(reach)
    low[whole] = reach[whole]
    for _ in range(_HALVINGS if not whole.all() else 0):
        middle = (low + high) / 2
        good = own(middle)
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return low


def sure_between(
    strips: list[tuple[FloatArray, FloatArray]],
    measure: Callable[[FloatArray, FloatArray], FloatArray],
    *,
    within: float,
    finest: float,
) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
    """Measure rays, and lay more between neighbours until a straight line between their ends is where others end.

    Where rays begin to be stopped, as at the middle line of a bay, their ends turn off; the ground between two rays on
    either side of that place would be cut off in a wedge.

    Parameters
    ----------
    strips
        As `outward_rays` returns them.
    measure
        Tells how far rays go, from their origins and directions, shape (n, 2) each.
    within
        How far from that line a ray between two others may end, coordinate units.
    finest
        Ends that are nearer to each other than this are left as they are, coordinate units.

    Returns
    -------
    list
        The strips with the reach of their rays.
    """
    if not strips:
        return []
    strip = np.repeat(np.arange(len(strips)), [len(origins) for origins, _ in strips])
    rays = np.concatenate([np.concatenate(part, axis=1) for part in strips])
    reach = measure(rays[:, :2], rays[:, 2:])
    asked = strip[:-1] == strip[1:]
    while asked.any():
        after = np.flatnonzero(asked)
        middle = (rays[after] + rays[after + 1]) / 2
        middle[:, 2:] /= np.hypot(middle[:, 2], middle[:, 3])[:, None]
        apart = np.hypot(*(rays[after + 1] - rays[after])[:, :2].T)
        apart += np.hypot(*(rays[after + 1] - rays[after])[:, 2:].T) * np.maximum(reach[after], reach[after + 1])
        told = measure(middle[:, :2], middle[:, 2:])
        new = (apart > finest) & (np.abs(told - (reach[after] + reach[after + 1]) / 2) > within)
        at = after[new] + 1
        asked = np.zeros(len(rays), dtype=bool)
        asked[at - 1] = True
        rays, reach = np.insert(rays, at, middle[new], axis=0), np.insert(reach, at, told[new])
        strip = np.insert(strip, at, strip[at - 1])
        # both halves of what was halved
        asked = np.insert(asked, at, True)[:-1]
    ends = np.flatnonzero(np.diff(strip)) + 1
    return [
        (part[:, :2], part[:, 2:], far) for part, far in zip(np.split(rays, ends), np.split(reach, ends), strict=True)
    ]


def strip_polygons(origins: FloatArray, directions: FloatArray, reach: FloatArray) -> GeometryArray:
    """Make the quadrangles between neighbouring rays of one strip, shape (n - 1,)."""
    ends = origins + directions * reach[:, None]
    corners = np.stack([origins[:-1], ends[:-1], ends[1:], origins[1:]], axis=1)
    return np.asarray(shapely.polygons(corners), dtype=object)
