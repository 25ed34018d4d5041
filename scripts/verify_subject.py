"""What the option `trigger` decides: the part of an edge that is subject, the width by the distance of a new house."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import rasterio
import shapely
from pyproj import CRS
from verify_points import along, near
from verify_read import LINE_FT, Array, Row, Run, Shape, Verdict, feet, within

#: paths less than two cells apart are one water, half a cell beside them is reached, and the last cell of a path only
#: touches the edge: the edge is subject no further than so many cells from a path's end
CELLS = 2.5
#: stations along all edges, about; ground is beside an edge that is so near to it, feet
STATIONS, TOUCH_FT = 20_000, 0.3


def verdicts(run: Run) -> Iterator[Verdict]:
    """Check what a trigger decides; nothing where the whole edge is subject."""
    if not run.in_part:
        return
    yield reached(run)
    yield unreached(run)
    yield from residence(run)


def reached(run: Run) -> Verdict:
    """Where a path of water meets the edge of a resource that has a buffer, the buffer begins."""
    paths, bare, count = run.layers["flow_paths"], [], 0
    for row in run.layers["buffers"].itertuples():
        mine = paths.geometry[(paths["resource_id"] == row.resource_id) & (paths["ends"] == "target")]
        meets = np.array([met(line, run.resource(row.resource_id)) for line in mine], dtype=object)
        meets = meets[lies_free(run, row, meets)]
        count += len(meets)
        lacking = meets[shapely.distance(row.geometry, meets) > TOUCH_FT * run.ft]
        bare += [f"{row.resource_id} at ({point.x:.1f}, {point.y:.1f})" for point in lacking]
    words = f"{count - len(bare):,} of {count:,} places where a path meets an edge have buffer beside them"
    return Verdict("subject edges that water reaches", not bare, words + "".join(f"; none at {at}" for at in bare[:5]))


def met(path: Shape, resource: Shape) -> Shape:
    """Where a path meets the edge of a resource: where it crosses it first, or the nearest place to its end."""
    edge = shapely.boundary(resource)
    crossed = shapely.intersection(path, edge)
    place = shapely.get_point(path, -1) if crossed.is_empty else shapely.get_parts(crossed)[0]
    return shapely.get_point(shapely.shortest_line(edge, place), 0)


def lies_free(run: Run, row: Row, points: Array) -> Array:
    """Tell the places of an edge beside which is neither water, nor the tract's line, nor surface of its own rule."""
    if not len(points):
        return np.empty(0, dtype=bool)
    xy, resource, slack = shapely.get_coordinates(points), run.resource(row.resource_id), 2 * TOUCH_FT * run.ft
    waters, tract = run.close(resource, row.width_ft * run.ft)
    others = waters[~shapely.equals_identical(waters, resource)]
    barred = near(xy, others, slack) | near(xy, run.uncounted, 2 * row.width_ft * run.ft)
    return ~barred & ~run.off_tract(xy, tract) & ~near(xy, shapely.boundary(tract), slack)


def unreached(run: Run) -> Verdict:
    """Where no path of water comes near an edge, it has no buffer."""
    quantity, paths = "edges that no water reaches", run.layers["flow_paths"]
    cell = cell_size(run)
    if cell is None:
        return Verdict(quantity, None, "the DEM's cells are not in the CRS of the run")
    ends = shapely.get_point(paths.geometry[paths["ends"] == "target"].to_numpy(), -1)
    rows = list(run.layers["buffers"].itertuples())
    whole = sum(run.resource(row.resource_id).length for row in rows)
    wrong, count = [], 0
    for row in rows:
        resource = run.resource(row.resource_id)
        stations, _ = along(resource, max(int(resource.length / whole * STATIONS), 100))
        stations = stations[shapely.distance(row.geometry, shapely.points(stations)) <= LINE_FT * run.ft]
        count += len(stations)
        dry = stations[~near(stations, ends, CELLS * cell)]
        wrong += [f"{row.resource_id} at ({x:.1f}, {y:.1f})" for x, y in dry]
    far = f"over {CELLS * cell / run.ft:.1f} ft from any path's end"
    words = f"{len(wrong):,} of {count:,} stations beside buffers are {far}"
    return Verdict(quantity, not wrong, words + "".join(f"; {place}" for place in wrong[:5]))


def cell_size(run: Run) -> float | None:
    """Size of the DEM's cells; None where they are not in the run's CRS."""
    path = run.project["dem"]["path"]
    first = Path(run.provenance["project"]["path"]).parent / (path if isinstance(path, str) else path[0])
    with rasterio.open(first) as dem:
        own = CRS.from_wkt(dem.crs.to_wkt())
        return float(max(dem.res)) if own.equals(run.crs, ignore_axis_order=True) else None


def residence(run: Run) -> Iterator[Verdict]:
    """The width by the distance of the nearest new principal structure."""
    rule = run.provision("new_residence_width")
    if rule is None or run.provenance["options"].get("trigger") != rule["trigger"]:
        return
    kinds = [re.sub(r"[^a-z]+", "_", str(kind).strip().lower()) for kind in run.given("structures", "kind")]
    houses = run.inputs["structures"].geometry.to_numpy()[[kind == rule["structures"] for kind in kinds]]
    rows = run.layers["buffers"]
    away = [shapely.distance(houses, run.resource(name)).min() / run.ft for name in rows["resource_id"]]
    widths = np.maximum(float(rule["share"].removesuffix("%")) / 100 * np.array(away), feet(rule["least"]))
    error = np.abs(np.minimum(widths, rows["base_ft"]) - rows["width_ft"])
    yield within("width_ft of buffers, by the new structures", error, 0.01, "ft", rows["resource_id"])
