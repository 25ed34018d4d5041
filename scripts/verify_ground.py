"""Ground by other means: areas by the shoelace formula and on the ellipsoid, overlays by lattices of points."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import shapely
from pyproj import Geod, Proj
from verify_points import inside, lattice, near
from verify_read import LINE_FT, Array, Run, Shape, Verdict, within

#: points of the lattices over all buffers, about, and at least over one
POINTS, LEAST = 200_000, 100
AREA_LAYERS = ("resources", "buffers", "zones", "extensions", "buffer_union")


def verdicts(run: Run) -> Iterator[Verdict]:
    """Check all that is ground."""
    yield run.unchanged()
    yield run.counted()
    for layer in AREA_LAYERS:
        frame = run.layers[layer]
        own = np.array([shoelace(shape) for shape in frame.geometry]) / run.ft**2
        names = frame.get("resource_id")
        told = frame["area_sqft"].to_numpy(dtype=float)
        yield within(f"area_sqft of {layer}, by the shoelace formula", np.abs(own - told), 0.01, "sq ft", names)
    buffers = run.layers["buffers"]
    acres = np.abs(buffers["area_ac"] - buffers["area_sqft"] / 43560)
    yield within("area_ac of buffers", acres, 1e-6, "ac", buffers["resource_id"])
    yield on_the_ellipsoid(run)
    yield from apart(run)
    yield united(run)
    yield from zones(run)
    yield from parcels(run)


def shoelace(shape: Shape) -> float:
    """Area of a polygon or several from their coordinates alone, holes taken away."""
    return sum(
        abs(_ring(part.exterior.coords)) - sum(abs(_ring(ring.coords)) for ring in part.interiors)
        for part in shapely.get_parts(shape)
        if part.geom_type == "Polygon"
    )


def _ring(coordinates: Array) -> float:
    points = np.asarray(coordinates)[:, :2]
    x, y = (points - points[0]).T  # near the origin, where no digit is lost
    return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) / 2)


def on_the_ellipsoid(run: Run) -> Verdict:
    """Compare each buffer's area with that on the ellipsoid, times the areal scale of the grid at the place."""
    frame, projection = run.layers["buffers"], Proj(run.crs)
    geod = Geod(a=run.crs.ellipsoid.semi_major_metre, b=run.crs.ellipsoid.semi_minor_metre)
    shares = []
    for shape, told in zip(frame.geometry, frame["area_sqft"], strict=True):
        if shape is None or shape.is_empty:
            continue
        point = shape.centroid
        scale = projection.get_factors(*projection(point.x, point.y, inverse=True)).areal_scale

        def lon_lat(points: Array) -> Array:
            return np.column_stack(projection(points[:, 0], points[:, 1], inverse=True))

        around = shapely.transform(shapely.segmentize(shape, 100 * run.ft), lon_lat)
        square_metres = abs(geod.geometry_area_perimeter(shapely.orient_polygons(around))[0])
        shares.append(abs(square_metres * scale / 0.3048**2 / told - 1))
    names = frame["resource_id"][~frame.geometry.is_empty & frame.geometry.notna()]
    return within("area_sqft of buffers, by geodesics on the ellipsoid", shares, 5e-5, "of the area", names)


def apart(run: Run) -> Iterator[Verdict]:
    """No buffer covers a wetland, lake or stream, and none leaves the tract."""
    names, waters = run.layers["resources"]["resource_id"], run.layers["resources"].geometry.to_numpy()
    slack = LINE_FT * run.ft * np.maximum(shapely.length(waters), 1)
    over = np.maximum(common(waters, run.united) - slack * 1e-3, 0) / run.ft**2
    yield within("buffers lie off all resources", over, 0.5, "sq ft", names)
    if "tract" not in run.inputs:
        yield Verdict("buffers lie in the tract", None, "the project has no tract")
        return
    tract = shapely.union_all(run.inputs["tract"].geometry.to_numpy())
    out = shapely.area(shapely.difference(run.united, tract)) / run.ft**2
    middles = shapely.point_on_surface(run.united)
    yield within("buffers lie in the tract", out, 0.5, "sq ft", [f"ground about {middle.wkt}" for middle in middles])


def common(shapes: Array, others: Array) -> Array:
    """Area that each shape shares with others, of which no two overlap; by the shoelace formula."""
    row, other = shapely.STRtree(others).query(shapes, predicate="intersects")
    shared = shapely.intersection(shapes[row], others[other])
    return np.bincount(row, [shoelace(shape) for shape in shared], len(shapes))


def united(run: Run) -> Verdict:
    """A point is in the union if and only if it is in a buffer: asked of a lattice over all of them."""
    buffers, union = run.layers["buffers"].geometry.to_numpy(), run.layers["buffer_union"].geometry.to_numpy()
    if not len(buffers):
        return Verdict("buffer_union holds the buffers and nothing else", None, "no buffers")
    points = over(buffers)
    mine, theirs = inside(points, buffers), inside(points, union)
    wrong = points[mine != theirs]
    wrong = wrong[~near(wrong, shapely.boundary(np.concatenate([buffers, union])), LINE_FT * run.ft)]
    total = abs(shapely.area(run.united).sum() - shapely.area(union).sum()) / run.ft**2
    words = f"{len(wrong)} of {len(points):,} points are in one and not in the other; areas differ by {total:.4g} sq ft"
    return Verdict("buffer_union holds the buffers and nothing else", not len(wrong) and total < 0.5, words)


def over(shapes: Array) -> Array:
    """Points of a lattice over each shape's bounds."""
    each = max(POINTS // len(shapes), LEAST)
    return np.concatenate([lattice(shape.bounds, each)[0] for shape in shapes if not shape.is_empty])


def zones(run: Run) -> Iterator[Verdict]:
    """The zones of a stream are its buffer, each ground once."""
    frame, buffers = run.layers["zones"], run.layers["buffers"].set_index("resource_id")
    if not len(frame):
        return
    sums = frame.groupby("resource_id")["area_sqft"].sum()
    errors = [abs(sums[name] - buffers.loc[name, "area_sqft"]) for name in sums.index]
    yield within("zones add up to the buffer", errors, 0.5, "sq ft", sums.index)


def parcels(run: Run) -> Iterator[Verdict]:
    """Each parcel holds the buffer that lies on it: overlaid anew, and measured by the shoelace formula."""
    frame, buffers = run.layers["parcels"], run.layers["buffers"].geometry.to_numpy()
    own = common(frame.geometry.to_numpy(), run.united) / run.ft**2
    yield within("buffer_sqft of parcels", np.abs(own - frame["buffer_sqft"]), 0.5, "sq ft", frame["parcel_id"])
    if "parcels" not in run.inputs or not len(buffers):
        return
    points = over(buffers)
    points = points[inside(points, run.united)]
    given = run.inputs["parcels"].geometry.to_numpy()
    lost = points[inside(points, given) & ~inside(points, frame.geometry.to_numpy())]
    # what is held to a square foot or less is no row
    lost = lost[~near(lost, shapely.boundary(given), 1.0 * run.ft)]
    words = f"{len(lost):,} of {len(points):,} points in buffers lie on a parcel of the file that is no row"
    yield Verdict("parcels that hold buffer", not len(lost), words)
