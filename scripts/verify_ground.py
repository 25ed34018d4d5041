"""Ground by other means: areas by the shoelace formula and on the ellipsoid, widths from a lattice of distances."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import shapely
from pyproj import Geod, Proj
from scipy import ndimage
from verify_read import Array, Run, Shape, Verdict, within

#: a point so near to a line (feet) is taken to lie on it: what a buffer's edge may stray, and the drawing of arcs
LINE_FT = 0.06
#: points of the lattice around one resource, about
LATTICE = 20_000
#: cells of the distance transform around one resource, about
CELLS = 400_000
#: points of the lattices around all resources, about
POINTS = 1_500_000
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
    yield from widths(run)
    yield parcels(run)


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
    buffers = run.layers["buffers"]
    shapes, waters = buffers.geometry.to_numpy(), run.layers["resources"].geometry.to_numpy()
    slack = LINE_FT * run.ft * np.maximum(shapely.length(shapes), 1)
    row, water = shapely.STRtree(waters).query(shapes, predicate="intersects")
    common = np.zeros(len(shapes))
    np.add.at(common, row, shapely.area(shapely.intersection(shapes[row], waters[water])))
    over = np.maximum(common - slack * 1e-3, 0) / run.ft**2
    yield within("buffers lie off all resources", over, 0.5, "sq ft", buffers["resource_id"])
    if "tract" not in run.inputs:
        yield Verdict("buffers lie in the tract", None, "the project has no tract")
        return
    tract = shapely.union_all(run.inputs["tract"].geometry.to_numpy())
    out = shapely.area(shapely.difference(shapes, tract)) / run.ft**2
    yield within("buffers lie in the tract", out, 0.5, "sq ft", buffers["resource_id"])


def united(run: Run) -> Verdict:
    """A point is in the union if and only if it is in a buffer: asked of a lattice over all of them."""
    buffers, union = run.layers["buffers"].geometry.to_numpy(), run.layers["buffer_union"].geometry.to_numpy()
    if not len(buffers):
        return Verdict("buffer_union holds the buffers and nothing else", None, "no buffers")
    points = np.concatenate(
        [lattice(shape.bounds, max(min(LATTICE // 4, POINTS // len(buffers)), 100))[0] for shape in buffers]
    )
    mine, theirs = inside(points, buffers), inside(points, union)
    wrong = np.flatnonzero(mine != theirs)
    lines = np.concatenate([shapely.boundary(buffers), shapely.boundary(union)])
    wrong = wrong[~near(points[wrong], lines, LINE_FT * run.ft)]
    total = abs(shapely.area(shapely.union_all(buffers)) - shapely.area(union).sum()) / run.ft**2
    words = f"{len(wrong)} of {len(points):,} points are in one and not in the other; areas differ by {total:.4g} sq ft"
    return Verdict("buffer_union holds the buffers and nothing else", not len(wrong) and total < 0.5, words)


def zones(run: Run) -> Iterator[Verdict]:
    """The zones of a stream are its buffer, each ground once."""
    frame, buffers = run.layers["zones"], run.layers["buffers"].set_index("resource_id")
    if not len(frame):
        return
    sums = frame.groupby("resource_id")["area_sqft"].sum()
    errors = [abs(sums[name] - buffers.loc[name, "area_sqft"]) for name in sums.index]
    yield within("zones add up to the buffer", errors, 0.5, "sq ft", sums.index)


def lattice(bounds: tuple[float, ...], count: int) -> tuple[Array, float]:
    """About `count` points over bounds, and their distance from each other."""
    left, bottom, right, top = bounds
    step = max(np.sqrt((right - left) * (top - bottom) / count), 1e-9)
    x, y = np.meshgrid(np.arange(left + step / 2, right, step), np.arange(bottom + step / 2, top, step))
    return np.column_stack([x.ravel(), y.ravel()]), float(step)


def inside(points: Array, shapes: Array) -> Array:
    """Tell which points lie in any of the shapes."""
    found = np.zeros(len(points), dtype=bool)
    if len(points) and len(shapes):
        found[shapely.STRtree(shapes).query(shapely.points(points), predicate="intersects")[0]] = True
    return found


def near(points: Array, lines: Array, distance: float) -> Array:
    """Tell which points lie within a distance of any line."""
    found = np.zeros(len(points), dtype=bool)
    if len(points) and len(lines):
        rows = shapely.STRtree(lines).query(shapely.points(points), predicate="dwithin", distance=distance)[0]
        found[rows] = True
    return found


def widths(run: Run) -> Iterator[Verdict]:
    """Judge each point around a resource by its distance: within the width it is buffer, beyond it is none."""
    if run.project.get("options", {}).get("trigger") in ("stormwater", "new_residence"):
        yield Verdict("widths of buffers", None, "only a part of the edges is subject")
        return
    waters = run.layers["resources"].set_index("resource_id").geometry
    tract = run.inputs["tract"].geometry.to_numpy() if "tract" in run.inputs else None
    uncounted, zoned = run.uncounted(), set(run.layers["zones"]["resource_id"])
    lines = shapely.boundary(np.concatenate([waters.to_numpy(), *([] if tract is None else [tract])]))
    count = min(max(POINTS // max(len(run.layers["buffers"]), 1), LATTICE // 10), LATTICE)
    wrong, asked, shares, left_out = [], 0, {}, run.limited()
    for row in run.layers["buffers"].itertuples():
        width, resource = row.width_ft * run.ft, waters[row.resource_id]
        if row.resource_id in left_out or not width > 0:
            continue
        points, reach, upland = around(resource, width, waters.to_numpy(), tract, count)
        # where an inner zone is extended, the next one is measured from there
        behind = width if row.resource_id in zoned else LINE_FT * run.ft
        odd = near(points, run.added(row.resource_id), behind) | near(points, uncounted, 2 * width)
        bad = on_the_wrong_side(points, (upland & (reach <= width)) != inside(points, np.array([row.geometry])), odd)
        bad = bad[(np.abs(reach[bad] - width) > LINE_FT * run.ft) & ~near(points[bad], lines, LINE_FT * run.ft)]
        asked += len(points) - int(odd.sum())
        wrong += [f"{row.resource_id} at ({x:.1f}, {y:.1f})" for x, y in points[bad]]
        if not odd.any() and fine_enough(resource, width):
            expected = transformed(resource, width, waters.to_numpy(), tract)
            shares[row.resource_id] = abs(expected - row.geometry.area) / (resource.length * width)
    words = f"{len(wrong)} of {asked:,} points are on the wrong side" + "".join(f"; {place}" for place in wrong[:5])
    more = f"; left out, for structures limit them: {', '.join(sorted(left_out))}" if left_out else ""
    yield Verdict("widths of buffers, by distances from a lattice", not wrong, words + more)
    yield within(
        "areas of plain buffers, by a distance transform", list(shares.values()), 0.02, "of edge times width", shares
    )


def on_the_wrong_side(points: Array, differs: Array, odd: Array) -> Array:
    """Rows of the points that differ, but for those that another rule than plain distance decides."""
    return np.flatnonzero(differs & ~odd) if len(points) else np.empty(0, dtype=int)


def around(resource: Shape, width: float, waters: Array, tract: Array | None, count: int) -> tuple[Array, Array, Array]:
    """A lattice around a resource: points, distance from it, and whether they are upland on the tract."""
    left, bottom, right, top = resource.bounds
    bounds = left - 1.3 * width, bottom - 1.3 * width, right + 1.3 * width, top + 1.3 * width
    points, _ = lattice(bounds, count)
    reach = shapely.distance(resource, shapely.points(points))
    close = reach < 1.3 * width
    points, reach = points[close], reach[close]
    upland = ~inside(points, waters)
    if tract is not None:
        upland &= inside(points, tract)
    return points, reach, upland


def fine_enough(resource: Shape, width: float) -> bool:
    """Tell whether the cells around a resource are small beside the width; else a transform says nothing."""
    left, bottom, right, top = resource.bounds
    return bool((right - left + 2 * width) * (top - bottom + 2 * width) / CELLS < (width / 15) ** 2)


def transformed(resource: Shape, width: float, waters: Array, tract: Array | None) -> float:
    """Area of the upland within a width, from cells and their distance to the nearest cell of the resource."""
    left, bottom, right, top = resource.bounds
    bounds = left - 1.1 * width, bottom - 1.1 * width, right + 1.1 * width, top + 1.1 * width
    _, step = lattice(bounds, CELLS)
    x = np.arange(bounds[0] + step / 2, bounds[2], step)
    y = np.arange(bounds[1] + step / 2, bounds[3], step)
    cells = np.column_stack([each.ravel() for each in np.meshgrid(x, y)])
    water = shapely.contains_xy(resource, cells[:, 0], cells[:, 1]).reshape(len(y), len(x))
    # cells stand for their middle: the edge lies half a cell nearer on average
    reach = ndimage.distance_transform_edt(~water, sampling=step) - step / 2
    upland = ~inside(cells, waters).reshape(water.shape)
    if tract is not None:
        upland &= inside(cells, tract).reshape(water.shape)
    return float(((reach <= width) & upland).sum() * step**2)


def parcels(run: Run) -> Verdict:
    """Each parcel holds the buffer that lies on it: overlaid anew, and measured by the shoelace formula."""
    frame = run.layers["parcels"]
    ground = shapely.union_all(run.layers["buffers"].geometry.to_numpy())
    own = [shoelace(shapely.intersection(ground, shape)) / run.ft**2 for shape in frame.geometry]
    return within("buffer_sqft of parcels", np.abs(own - frame["buffer_sqft"]), 0.5, "sq ft", frame["parcel_id"])
