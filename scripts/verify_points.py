"""Points and the shapes around them, many at a time: stations along lines, containment, distances."""

from __future__ import annotations

import numpy as np
import shapely
from verify_read import Array, Shape


def segments(shapes: Array) -> tuple[Array, Array]:
    """The straight pieces of all lines and outlines: their starts and their ends, two columns each."""
    lines = shapely.get_parts(np.where(shapely.get_dimensions(shapes) == 2, shapely.boundary(shapes), shapes))
    points, line = shapely.get_coordinates(lines, return_index=True)
    pieces = line[:-1] == line[1:]
    return points[:-1][pieces], points[1:][pieces]


def along(shape: Shape, count: int) -> tuple[Array, Array]:
    """Stations that divide a line or outline evenly, and the unit direction of the line there."""
    start, end = segments(np.array([shape]))
    way = end - start
    lengths = np.hypot(*way.T)
    start, way, lengths = (each[lengths > 0] for each in (start, way, lengths))
    if not len(lengths):
        return np.empty((0, 2)), np.empty((0, 2))
    reached = np.cumsum(lengths)
    wanted = (np.arange(count) + 0.5) / count * reached[-1]
    piece = np.minimum(np.searchsorted(reached, wanted), len(lengths) - 1)
    direction = way[piece] / lengths[piece, None]
    return start[piece] + direction * (wanted - reached[piece] + lengths[piece])[:, None], direction


def inside(points: Array, shapes: Array) -> Array:
    """Tell which points lie in any of the shapes. The points are in the tree: GEOS prepares the shapes that ask it."""
    found = np.zeros(len(points), dtype=bool)
    if len(points) and len(shapes):
        found[shapely.STRtree(shapely.points(points)).query(shapes, predicate="intersects")[1]] = True
    return found


def near(points: Array, shapes: Array, distance: float) -> Array:
    """Tell which points lie within a distance of any shape."""
    found = np.zeros(len(points), dtype=bool)
    if len(points) and len(shapes):
        tree = shapely.STRtree(shapely.points(points))
        found[tree.query(shapes, predicate="dwithin", distance=distance)[1]] = True
    return found


def distances(points: Array, shapes: Array) -> Array:
    """Distance of each point from the nearest line or outline; infinite where there is none."""
    start, end = segments(shapes) if len(shapes) else (np.empty((0, 2)), np.empty((0, 2)))
    found = np.full(len(points), np.inf)
    if len(points) and len(start):
        tree = shapely.STRtree(shapely.linestrings(np.stack([start, end], axis=1)))
        rows, reach = tree.query_nearest(shapely.points(points), return_distance=True, all_matches=False)
        found[rows[0]] = reach
    return found


def lattice(bounds: tuple[float, ...], count: int) -> tuple[Array, float]:
    """About `count` points over bounds, and their distance from each other."""
    left, bottom, right, top = bounds
    step = max(np.sqrt((right - left) * (top - bottom) / count), 1e-9)
    x, y = np.meshgrid(np.arange(left + step / 2, right, step), np.arange(bottom + step / 2, top, step))
    return np.column_stack([x.ravel(), y.ravel()]), float(step)
