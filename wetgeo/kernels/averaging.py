"""Buffer averaging as operations on geometry: where a buffer is narrowest, how wide one of equal area would be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.kernels.offset import FloatArray, GeometryArray, Shape

#: sharp corners stay sharp where ground is taken in and let out again, down to angles of about 23 degrees
_MITRE = 5.0
#: a side that may run level with an edge is looked at in pieces of a tenth of its distance and a hundred slacks
_LEVEL_PIECES = 10
_LEVEL_SLACKS = 100
#: a place and its neighbour on both sides of a jump lie this far apart, as a share of the spacing
_BESIDE = 1e-4
#: more samples than this along one outline tell nothing more
_MOST_SAMPLES = 4000


@dataclass(frozen=True, slots=True)
class Narrowest:
    """A least width, in coordinate units, and the point of the resource's edge where it is."""

    width: float
    x: float
    y: float


class Sides:
    """The straight sides of outlines with an index, for distances to outlines of any number of vertices.

    Attributes
    ----------
    lines, shape_of
        The sides, and the number of the shape that each belongs to.
    tree
        A tree of the sides.
    """

    def __init__(self, shape: Shape | GeometryArray) -> None:
        shapes = np.atleast_1d(shape)
        outlines = np.where(shapely.get_dimensions(shapes) == 1, shapes, shapely.boundary(shapes))
        lines, shape_of = shapely.get_parts(outlines, return_index=True)
        xy, line_of = shapely.get_coordinates(lines, return_index=True)
        sides = np.flatnonzero(line_of[1:] == line_of[:-1])
        pairs = np.stack([xy[sides], xy[sides + 1]], axis=1)
        self.lines: GeometryArray = np.asarray(shapely.linestrings(pairs), dtype=object)
        self.shape_of: NDArray[np.intp] = shape_of[line_of[sides]]
        self.tree = shapely.STRtree(self.lines)

    def distances(self, shapes: Any, *, most: float | None = None) -> FloatArray:  # noqa: ANN401 -- array of any shapes
        """Measure from each shape to the nearest side; infinite beyond `most`."""
        found = np.full(len(shapes), np.inf)
        (index, _), away = self.tree.query_nearest(shapes, max_distance=most, return_distance=True, all_matches=False)
        found[index] = away
        return found

    def feet_of(self, points: Any) -> GeometryArray:  # noqa: ANN401 -- array of points
        """Draw the shortest way from the nearest side to each point."""
        return np.asarray(shapely.shortest_line(self.lines[self.tree.nearest(points)], points), dtype=object)


def opened(ground: Shape, half: float) -> Shape:
    """Take away what is thinner than twice `half`; corners stay sharp but for very acute ones."""
    core = shapely.buffer(ground, -half, join_style="mitre", mitre_limit=_MITRE)
    if core.is_empty:
        return shapely.Polygon()
    grown = shapely.buffer(core, half, join_style="mitre", mitre_limit=_MITRE)
    return polygonal(shapely.intersection(grown, ground))


def polygonal(shape: Shape) -> Shape:
    """Keep the polygons of a geometry."""
    if shape.geom_type in ("Polygon", "MultiPolygon"):
        return shape
    parts = [part for part in shapely.get_parts(shapely.get_parts(shape)) if part.geom_type == "Polygon"]
    return shapely.union_all(parts) if parts else shapely.Polygon()


def parts_of(shape: Shape) -> GeometryArray:
    """Return the parts of a geometry that are not empty."""
    parts: GeometryArray = shapely.get_parts(shape)
    return parts[~shapely.is_empty(parts)]


def without_gaps(ground: Shape, gap: float, solids: GeometryArray) -> tuple[Shape, GeometryArray]:
    """Take from ground the gaps thinner than `gap` that lie between two solids: lines that do not quite meet.

    The thin tip of a notch has the same solid on both sides and stays.

    Parameters
    ----------
    ground
        Polygonal ground between the solids.
    gap
        Greatest thickness of a gap, coordinate units.
    solids
        Polygons, shape (n,).

    Returns
    -------
    tuple
        The ground that is left, as one geometry (its polygons may touch), and the gaps taken away.
    """
    body = opened(ground, gap / 2)
    thin = parts_of(polygonal(shapely.difference(ground, body)))
    if not len(thin):
        return body, thin
    sides = Sides(solids)
    found, side = sides.tree.query(thin, predicate="dwithin", distance=gap / 4)
    found, _ = np.unique(np.stack([found, sides.shape_of[side]]), axis=1)
    between = np.bincount(found, minlength=len(thin)) > 1
    tips = thin[~between & (shapely.area(thin) > 0)]
    left = np.concatenate([parts_of(body), tips])
    return shapely.MultiPolygon(list(left)), thin[between]


def without_necks(ground: Shape, barred: Shape, body: Shape, half: float, segments: int) -> Shape:
    """Take barred ground out of other ground, and with it necks and spikes thinner than twice `half` that are left.

    Corners that the barred ground makes come out round. Ground further than that from the barred ground stays as it is.

    Parameters
    ----------
    ground, barred
        Polygons.
    body
        A polygon that counts as wide ground beside `ground`, such as the resource: a strip along it is no neck.
    half
        Half the least thickness, coordinate units.
    segments
        Chords of a quarter circle.
    """
    free = polygonal(shapely.difference(ground, barred))
    whole = polygonal(shapely.union(free, body))
    wide = shapely.buffer(shapely.buffer(whole, -half, quad_segs=segments), half, quad_segs=segments)
    thin = parts_of(polygonal(shapely.difference(whole, wide)))
    # what is thinner than a hair is how arcs are drawn
    hair = half / 1000
    thin = thin[~shapely.is_empty(shapely.buffer(thin, -hair)) & shapely.dwithin(thin, barred, 2 * half)]
    if not len(thin):
        return free
    return polygonal(shapely.difference(free, shapely.buffer(shapely.union_all(thin), hair, join_style="mitre")))


def narrowest(resource: Shape, lacking: Shape, slack: float) -> Narrowest:
    """Find the distance from a resource to lacking ground, and where on its edge it is.

    Parameters
    ----------
    resource
        Polygon or MultiPolygon.
    lacking
        Ground that is no buffer; not empty.
    slack
        The place is the middle of the longest stretch where the width is within this of the least.
    """
    edge, outline = Sides(resource), Sides(lacking).lines
    # any side gives a bound, and within a bound the search is quick
    bound = float(edge.distances(outline[:: max(1, len(outline) // 64)]).min())
    away = edge.distances(outline, most=bound + slack)
    width = float(away.min())
    place = edge.feet_of(outline[[int(np.argmin(away))]])[0]
    piece = width / _LEVEL_PIECES + _LEVEL_SLACKS * slack
    stretches = _level(edge, outline[away <= width + slack], width + slack, piece)
    if len(stretches):
        middles = shapely.line_interpolate_point(stretches, 0.5, normalized=True)
        x, y = shapely.get_coordinates(middles).T
        first, *_ = np.lexsort((x, -y, -np.round(shapely.length(stretches) / slack))).tolist()
        place = edge.feet_of(middles[[first]])[0]
    x, y = shapely.get_coordinates(place)[0]
    return Narrowest(width, float(x), float(y))


def _level(edge: Sides, outline: GeometryArray, most: float, piece: float) -> GeometryArray:
    """Join those pieces of sides of an outline both ends of which are at most so far from an edge."""
    pieces = Sides(shapely.segmentize(shapely.multilinestrings(outline), piece)).lines
    ends = edge.distances(shapely.get_point(pieces, 0)), edge.distances(shapely.get_point(pieces, 1))
    level = pieces[np.maximum(*ends) <= most]
    return parts_of(shapely.line_merge(shapely.multilinestrings(level)))


def lines_only(shape: Shape) -> Shape:
    """Keep the lines of a geometry."""
    parts = shapely.get_parts(shapely.get_parts(shape))
    return shapely.MultiLineString([part for part in parts if part.geom_type == "LineString" and part.length > 0])


def narrowest_past(resource: Shape, lacking: Shape, surface: Shape, *, most: float, spacing: float) -> Narrowest | None:
    """Find the least distance to lacking ground where a surface crossed on the straight way there counts nothing.

    Measured from points of the lacking ground's outline: its vertices, places between them, and where the straight
    lines past the surface's corners meet it, so that nothing is missed where edges are straight.

    Parameters
    ----------
    resource, lacking
        As `narrowest` takes them.
    surface
        Polygons that do not count.
    most
        Ground further from the resource than this is left out.
    spacing
        Greatest distance between points.

    Returns
    -------
    Narrowest or None
        None where no straight way crosses the surface.
    """
    edge, outline = Sides(resource), shapely.boundary(lacking)
    samples = shapely.points(samples_along(outline, spacing))
    corners = shapely.get_coordinates(edge.feet_of(shapely.points(samples_along(surface, spacing))))
    behind = _behind(corners.reshape(-1, 2, 2)[:, ::-1], outline, most, _BESIDE * spacing)
    ways = edge.feet_of(np.concatenate([samples, behind]))
    ways = ways[shapely.length(ways) <= most]
    shapely.prepare(surface)
    ways = ways[shapely.intersects(ways, surface)]
    crossed = shapely.length(shapely.intersection(ways, surface))
    ways, crossed = ways[crossed > 0], crossed[crossed > 0]
    if not len(ways):
        return None
    counted = shapely.length(ways) - crossed
    least = int(np.argmin(np.round(counted, 9)))
    x, y = shapely.get_coordinates(ways[least])[0]
    return Narrowest(float(counted[least]), float(x), float(y))


def samples_along(shape: Shape, spacing: float) -> FloatArray:
    """Take points along lines or outlines, no further apart than `spacing`, but for very long ones; shape (n, 2)."""
    spacing = max(spacing, shapely.length(shape) / _MOST_SAMPLES)
    return np.asarray(shapely.get_coordinates(shapely.segmentize(shape, spacing)), dtype=np.float64)


def _behind(ways: FloatArray, outline: Shape, most: float, beside: float) -> GeometryArray:
    """Points of an outline straight behind the starts of ways to the resource, and a hair to both sides of them."""
    start, end = ways[:, 0], ways[:, 1]
    along = start - end
    lengths = np.hypot(along[:, 0], along[:, 1])
    good = (lengths > beside) & (lengths < most)
    start, along = start[good], along[good] / lengths[good][:, None]
    across = np.column_stack([-along[:, 1], along[:, 0]]) * beside
    points: list[Any] = []
    for shift in (across, -across):
        rays = shapely.linestrings(np.stack([start + shift, start + shift + along * most], axis=1))
        meets = shapely.shortest_line(shapely.points(start + shift), shapely.intersection(rays, outline))
        points.append(shapely.get_point(meets[~shapely.is_missing(meets)], 1))
    return np.concatenate(points)


def least_root(function: Callable[[float], float], low: float, high: float, *, within: float, step: float) -> float:
    """Find where an increasing function reaches zero, from above: there it is at least zero.

    False position and bisection take turns, so that jumps do no harm.

    Parameters
    ----------
    function
        Increasing; at least zero at `high`.
    low, high
        The bracket.
    within
        A value from zero to this is near enough.
    step
        A bracket shorter than this is short enough.

    Returns
    -------
    float
        `low` where the function is at least zero there already.
    """
    below = function(low)
    if below >= 0:
        return low
    above, halve = function(high), False
    while above > within and high - low > step:
        share = 0.5 if halve else np.clip((within / 2 - below) / (above - below), 0.01, 0.99)
        middle = low + (high - low) * share
        value = function(middle)
        if value < 0:
            low, below = middle, value
        else:
            high, above = middle, value
        halve = not halve
    return float(high)


def equivalent_width(area_of: Callable[[float], float], area: float, *, expected: float, most: float) -> float:
    """Find the width of the uniform buffer that has a given area.

    Parameters
    ----------
    area_of
        Gives the area of the uniform buffer of a width; increasing.
    area
        The area.
    expected
        A width near the answer; it is the answer where its buffer has just this area.
    most
        Widths above this are not tried.
    """
    grain = 1e-9 * max(area, 1.0)
    at = area_of(expected)
    if abs(at - area) <= grain:
        return expected
    if area <= grain:
        return 0.0
    low, high = (0.0, expected) if at > area else (expected, min(2 * expected, most))
    while high < most and area_of(high) < area:
        low, high = high, min(2 * high, most)
    # asked for a hair less, so that noise in the last digits of an area does not send the width to its bound
    return least_root(lambda w: area_of(w) - (area - grain), low, high, within=2 * grain, step=1e-7 * expected)


def nearest_shares(ground: Shape, shapes: GeometryArray, spacing: float) -> GeometryArray:
    """Divide ground among shapes: each gets what lies nearest to it.

    Parameters
    ----------
    ground
        Polygonal ground outside the shapes.
    shapes
        Polygons, shape (n,).
    spacing
        The shapes' outlines are taken as points this far apart.

    Returns
    -------
    ndarray
        The shares, shape (n,).
    """
    outlines = shapely.segmentize(shapely.boundary(shapes), spacing)
    xy, owner = shapely.get_coordinates(outlines, return_index=True)
    xy, first = np.unique(xy, axis=0, return_index=True)
    owner = owner[first]
    cells = shapely.get_parts(shapely.voronoi_polygons(shapely.MultiPoint(xy), extend_to=ground, ordered=True))
    shares = [shapely.intersection(shapely.union_all(cells[owner == one]), ground) for one in range(len(shapes))]
    return np.array([polygonal(share) for share in shares], dtype=object)


def clockwise_lines(lines: Shape) -> list[Shape]:
    """Merge lines; closed ones run clockwise from their northernmost (of several: westernmost) point.

    Returns
    -------
    list
        The lines, the northernmost first.
    """
    merged: list[Any] = []
    for line in parts_of(shapely.line_merge(lines_only(lines))):
        xy = shapely.get_coordinates(line)
        if (xy[0] == xy[-1]).all() and len(xy) > 3:
            xy = shapely.get_coordinates(shapely.orient_polygons(shapely.Polygon(xy), exterior_cw=True))[:-1]
            start, *_ = np.lexsort((xy[:, 0], -xy[:, 1])).tolist()
            xy = np.concatenate([xy[start:], xy[: start + 1]])
        elif tuple(xy[0]) > tuple(xy[-1]):
            xy = xy[::-1]
        merged.append(shapely.LineString(xy))
    bounds = shapely.bounds(np.array(merged, dtype=object)).reshape(-1, 4)
    order: NDArray[np.intp] = np.lexsort((bounds[:, 0], -bounds[:, 3]))
    return [merged[index] for index in order]
