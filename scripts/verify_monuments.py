"""Monuments by other means: on the edge, at every lot line, and nowhere further apart along it than the rule allows."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import numpy as np
import shapely
from pyproj import Transformer
from scipy.spatial import cKDTree
from verify_points import distances, inside
from verify_read import Array, Run, Shape, Verdict, feet, lots, within

#: a monument stands on the edge to this, feet
ON_FT = 0.06
#: lot lines within half a foot are one, and its monument may stand on either: feet along the edge
LOT_LINE_FT = 1.0
#: lot lines within this distance of each other are one, feet
SAME_FT = 0.5
#: where the edge is still within half a foot of the lot line so far on, it runs along it: feet
BESIDE_FT = 2.0


def verdicts(run: Run) -> Iterator[Verdict]:
    """Check edges and monuments."""
    edges = run.layers["edges"]
    own = np.array([length(shape) for shape in edges.geometry]) / run.ft
    yield within(
        "length_ft of edges, vertex by vertex", np.abs(own - edges["length_ft"]), 0.001, "ft", edges["resource_id"]
    )
    yield on_outline(run)
    monuments = run.layers["monuments"]
    if not len(monuments):
        yield Verdict("monuments", None, "there are none")
        return
    yield on_edge(run)
    yield from fields(run)
    yield gaps(run)
    yield lot_lines(run)
    yield listed(run)


def length(shape: Shape) -> float:
    """Length of a line or several from their coordinates alone."""
    return sum(float(np.hypot(*np.diff(part.coords, axis=0)[:, :2].T).sum()) for part in shapely.get_parts(shape))


def on_outline(run: Run) -> Verdict:
    """Upland edges lie on the outline of the buffers' union, or where it meets what is cut out of it."""
    edges, union = run.layers["edges"], run.layers["buffer_union"]
    mine = edges[edges["kind"] == "upland"]
    if not len(mine) or not len(union):
        return Verdict("edges lie on the outline of the buffers", None, "there are none")
    lines = np.concatenate([union.geometry.to_numpy(), run.uncounted])
    middles = shapely.line_interpolate_point(mine.geometry.to_numpy(), 0.5, normalized=True)
    points = shapely.get_coordinates(middles)
    # what bounds a buffer goes straight over surface that does not count as buffer
    away = np.where(inside(points, run.uncounted), 0.0, distances(points, lines) / run.ft)
    return within("edges lie on the outline of the buffers", away, ON_FT, "ft", mine["resource_id"])


def on_edge(run: Run) -> Verdict:
    """Monuments stand on the upland edge of their resource."""
    monuments, edges = run.layers["monuments"], run.uplands
    away = [
        shapely.distance(point, edges[name]) / run.ft if name in edges else np.inf
        for point, name in zip(monuments.geometry, monuments["resource_id"], strict=True)
    ]
    return within("monuments stand on the upland edge", away, ON_FT, "ft", monuments["monument_id"])


def fields(run: Run) -> Iterator[Verdict]:
    """The fields of a monument say where its point is."""
    monuments = run.layers["monuments"]
    x, y = monuments.geometry.x, monuments.geometry.y
    away = np.hypot(x - monuments["x"], y - monuments["y"]) / run.ft
    yield within("x, y of monuments", away, 0.001, "ft", monuments["monument_id"])
    lon, lat = Transformer.from_crs(run.crs, run.crs.geodetic_crs, always_xy=True).transform(x.to_numpy(), y.to_numpy())
    degrees = np.hypot((lon - monuments["lon"]) * np.cos(np.radians(lat)), lat - monuments["lat"])
    # NAD83 and WGS 84 differ by up to two metres
    yield within("lon, lat of monuments", degrees, 2.5e-5, "degrees", monuments["monument_id"])


def interval_ft(run: Run) -> float | None:
    """The greatest gap that the rule allows, from its pack; None where it has none."""
    provision = run.provision("monuments")
    return None if provision is None else feet(provision["interval"])


def gaps(run: Run) -> Verdict:
    """Measure along each joined piece of edge from monument to monument, and from its open ends."""
    allowed = interval_ft(run)
    if allowed is None:
        return Verdict("gaps between monuments along the edge", None, "the rule's pack is not there, or asks for none")
    monuments = run.layers["monuments"]
    longest, where, count = 0.0, "", 0
    for name, edge in run.uplands.items():
        points = monuments.geometry[monuments["resource_id"] == name].to_numpy()
        for line in shapely.get_parts(edge):
            on = points[shapely.distance(points, line) <= ON_FT * run.ft]
            stations = np.sort(shapely.line_locate_point(line, on)) / run.ft
            whole = line.length / run.ft
            found = np.diff(stations) if len(stations) else np.empty(0)
            if line.is_closed and len(stations):
                found = np.append(found, whole - stations[-1] + stations[0])
            elif not line.is_closed:
                found = np.diff([0.0, *stations, whole])
            elif not len(stations):
                found = np.array([whole])
            count += len(found)
            if len(found) and found.max() > longest:
                longest, where = float(found.max()), name
    return Verdict(
        "gaps between monuments along the edge",
        longest <= allowed + 0.02,
        f"the longest of {count:,} is {longest:.3f} ft ({where}), allowed {allowed:g}",
    )


def lot_lines(run: Run) -> Verdict:
    """Each place where a lot line crosses the edge has a monument; lot lines are taken from the parcels' file."""
    if "parcels" not in run.inputs:
        return Verdict("monuments at lot lines", None, "the project has no parcels")
    monuments = run.layers["monuments"]
    held = lots(run)
    lines = shapely.boundary(held)
    tree = shapely.STRtree(lines)
    bare: list[tuple[str, Shape]] = []
    count = 0
    for name in monuments["resource_id"].unique():
        edge = run.uplands[name]
        crossed = lines[tree.query(edge, predicate="intersects")]
        common = shapely.get_parts(shapely.intersection(edge, crossed))
        places = common[shapely.get_type_id(common) == 0]
        places = places[~_along(places, edge, crossed, run.ft)]
        points = monuments.geometry[monuments["resource_id"] == name].to_numpy()
        away = shapely.distance(places, shapely.union_all(points)) / run.ft
        count += len(places)
        bare += [(name, place) for place in places[away > LOT_LINE_FT]]
    free = _need_none(run, [place for _, place in bare], held)
    lacking = [
        f"{name} at ({place.x:.1f}, {place.y:.1f})" for (name, place), none in zip(bare, free, strict=True) if not none
    ]
    words = f"{count - len(bare):,} of {count:,} crossings of edge and lot line have one"
    words += f", and {len(bare) - len(lacking):,} need none"
    return Verdict(
        "monuments at lot lines", not lacking, words + "".join(f"; none for {place}" for place in lacking[:5])
    )


def _need_none(run: Run, places: list[Shape], held: Array) -> list[bool]:
    """Tell the crossings where no lot ends that has more edge than the token length."""
    if not places:
        return []
    edge = run.layers["edges"].query("kind == 'upland'").geometry.to_numpy()
    parts = shapely.get_parts(shapely.line_merge(shapely.union_all(edge)))
    token = float(run.provenance["options"].get("token_edge_length") or 0.0)
    tree = shapely.STRtree(held)
    mine = parts[shapely.STRtree(parts).nearest(places)]
    station = shapely.line_locate_point(mine, places)
    found = []
    for line, at in zip(mine, station, strict=True):
        # lot lines within half a foot of each other are one: the edge that comes back within that has crossed none
        beyond = [at + side * SAME_FT * run.ft for side in (-1, 1)]
        beyond = [each % line.length if line.is_closed else min(max(each, 0.0), line.length) for each in beyond]
        on = [set(tree.query(line.interpolate(each), predicate="intersects").tolist()) for each in beyond]
        ends = held[sorted(on[0] ^ on[1])]
        holds = [length(shapely.intersection(shapely.union_all(edge), lot)) / run.ft for lot in ends]
        found.append(max(holds, default=0.0) <= token + ON_FT)
    return found


def _along(places: Array, edge: Shape, crossed: Array, ft: float) -> Array:
    """Tell where the edge runs along the lot line rather than across it; there its two ends count."""
    if not len(places):
        return np.empty(0, dtype=bool)
    parts = shapely.get_parts(edge)
    mine = parts[shapely.STRtree(parts).nearest(places)]
    lines = shapely.union_all(crossed)
    stations = shapely.line_locate_point(mine, places)
    sides = [
        shapely.distance(shapely.line_interpolate_point(mine, stations + side * BESIDE_FT * ft), lines)
        for side in (-1, 1)
    ]
    return np.asarray(np.minimum(*sides) < 0.5 * ft)


def listed(run: Run) -> Verdict:
    """monuments.csv lists the same points, in the units of the CRS."""
    path = run.folder / "monuments.csv"
    if not path.is_file():
        return Verdict("monuments.csv", None, "it was not written")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.reader(file) if len(row) >= 3 and _number(row[1]) and _number(row[2])]
    told = np.array([(float(row[2]), float(row[1])) for row in rows]).reshape(-1, 2)
    own = shapely.get_coordinates(run.layers["monuments"].geometry.to_numpy())
    if told.shape != own.shape:
        return Verdict("monuments.csv", False, f"{len(told)} points, and {len(own)} in the layer")
    # both ways, for two points of the one may be nearest to the same of the other
    away = [cKDTree(one).query(other)[0] / run.ft for one, other in ((told, own), (own, told))]
    return within("monuments.csv", np.maximum(*away), 0.02, "ft")


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
