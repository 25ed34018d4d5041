"""The subject edge: the part of a resource's edge that lies downgradient of new impervious surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from wetgeo.errors import InputError, TomlLine
from wetgeo.findings import Findings
from wetgeo.frames import empty
from wetgeo.kernels.coverage import covered_fraction
from wetgeo.kernels.flow import FlowPath, quiet, routing, trace_down
from wetgeo.kernels.grid import ElevationSource, Grid
from wetgeo.kernels.offset import FloatArray, GeometryArray, Shape
from wetgeo.kernels.rays import limit_to_own, outward_rays, strip_polygons
from wetgeo.rules.provisions import SubjectEdge
from wetgeo.ruling import Ruling
from wetgeo.site import Site

#: the ground along a subject edge is drawn this far out: further than any buffer reaches
_REACH_FT = 1000.0
#: angle between the rays of a corner, radians, and distance between those of a side: in a bay, where another side
#: becomes nearer, the ground ends between two rays
_FAN_STEP = 0.05
_RAY_SPACING_FT = 2.0
#: paths are looked for this far around the surface at first, and at most
_FIRST_MARGIN_FT = 500.0
_MOST_CELLS = 36_000_000
#: resources whose distances from a path's end differ by less than this many cells are reached alike
_ALIKE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectEdges:
    """What the rule applies to.

    Attributes
    ----------
    ground
        Row of a resource to the ground whose nearest point of it lies on the subject edge; empty where no water of the
        new surface reaches it. A row that is not here is subject all round, if the rule asks a buffer for it at all.
    flow_paths
        Layer ``flow_paths``: how the water goes.
    """

    ground: Mapping[int, Shape] = field(default_factory=dict)
    flow_paths: gpd.GeoDataFrame | None = None


def subject_edges(site: Site, ruling: Ruling, findings: Findings) -> SubjectEdges:
    """Find the subject edge of each resource under the option ``trigger``.

    Parameters
    ----------
    site
        With the DEM and layer ``new_impervious`` where the trigger asks for them.
    ruling
        The rule as it applies.
    findings
        Takes note of each resource that is subject in part, or not at all, and of paths that end in a void.

    Raises
    ------
    InputError
        Where the trigger needs a DEM or new impervious surface that is not given.
    """
    provision = _asked(ruling)
    if provision is None:
        return SubjectEdges()
    surface, dem = _required_inputs(site, ruling, provision)
    paths, owners = _flow_paths(site, dem, surface)
    _tell_of_ends(site, paths, owners, provision, findings)
    hits = _hits(site, paths, dem.cell)
    ground = {row: _ground(site, dem, row, hits.get(row)) for row in _buffered(site, ruling)}
    _tell_of_edges(site, ground, hits, provision, findings)
    return SubjectEdges(ground=ground, flow_paths=_paths_layer(site, paths, owners, surface))


def require_inputs(site: Site, ruling: Ruling) -> None:
    """Raise InputError where the trigger needs a DEM or new impervious surface that is not given."""
    provision = _asked(ruling)
    if provision is not None:
        _required_inputs(site, ruling, provision)


def _asked(ruling: Ruling) -> SubjectEdge | None:
    """Return the provision that narrows the edge, where the option ``trigger`` calls for it."""
    provision = ruling.find(SubjectEdge)
    return None if provision is None or provision.is_whole(ruling.options.get("trigger")) else provision


def _required_inputs(site: Site, ruling: Ruling, provision: SubjectEdge) -> tuple[gpd.GeoDataFrame, ElevationSource]:
    """Return the surface and the DEM that a provision is computed from. Raises InputError where one is not given."""
    trigger = ruling.options.get("trigger")
    surface = site.layers.get(provision.of)
    missing = [
        TomlLine(table, "path = ...")
        for table, given in (
            (f"layers.{provision.of}", surface is not None and not surface.empty),
            ("dem", site.dem is not None),
        )
        if not given
    ]
    if missing or surface is None or site.dem is None:
        raise InputError(
            f'trigger = "{trigger}" asks for the edge downgradient of {provision.of} ({provision.citation}), which '
            f"takes the layer {provision.of} with a feature, and a DEM",
            mend=f"add to the project file: {', '.join(f'[{one.table}] {one.line}' for one in missing)}; or choose "
            "another trigger",
            toml=TomlLine(missing[0].table, missing[0].line.replace("...", '"FILE"')) if missing else None,
        )
    return surface, site.dem


def _buffered(site: Site, ruling: Ruling) -> list[int]:
    """Choose the rows of resources that the rule asks a buffer for."""
    kinds, classes = site.resources["resource_type"], site.resources["class"]
    return [
        row
        for row, (kind, name) in enumerate(zip(kinds, classes, strict=True))
        if ruling.pack.regulates(kind, None if pd.isna(name) else str(name))
    ]


def _flow_paths(site: Site, dem: ElevationSource, surface: gpd.GeoDataFrame) -> tuple[list[FlowPath], list[int]]:
    """Follow the water down from each surface, from its outline at every cell; with the row of each path's surface."""
    paths: list[FlowPath] = []
    owners: list[int] = []
    water = shapely.union_all(site.resources.geometry.to_numpy())
    for number, shape in enumerate(surface.geometry.to_numpy()):
        margin = _FIRST_MARGIN_FT * site.ft
        while True:
            grid = dem.window(tuple(np.array(shape.bounds) + margin * np.array([-1, -1, 1, 1])))
            found = [] if grid is None else _paths_in(grid, shape, water)
            cut = [path for path in found if path.end == "edge"]
            if grid is None or not cut or grid.touches or 4 * grid.z.size > _MOST_CELLS:
                break
            margin *= 2
        paths += found
        owners += [number] * len(found)
    return paths, owners


def _paths_in(grid: Grid, shape: Shape, water: Shape) -> list[FlowPath]:
    near: Shape = shapely.intersection(water, shapely.box(*grid.bounds))
    sink = covered_fraction(grid, near) > 0
    points = shapely.get_coordinates(shapely.segmentize(shape.boundary, min(grid.dx, grid.dy) / 2))
    ways = routing(grid, sink, smoothing=quiet(grid))
    return [path for path in trace_down(ways, points[:, 0], points[:, 1]) if path is not None]


def _line(path: FlowPath) -> shapely.LineString:
    points = np.column_stack([path.x, path.y])
    return shapely.LineString(points if len(points) > 1 else np.repeat(points, 2, axis=0))


def _hits(site: Site, paths: list[FlowPath], cell: float) -> dict[int, FloatArray]:
    """Find where paths meet the edges of resources: row to points, shape (n, 2)."""
    resources = site.resources.geometry.to_numpy()
    tree = shapely.STRtree(resources)
    hits: dict[int, list[Any]] = {}
    for path in paths:
        if path.end != "target":
            continue
        end = shapely.Point(path.x[-1], path.y[-1])
        near = np.sort(tree.query(end, predicate="dwithin", distance=2 * cell))
        apart = shapely.distance(resources[near], end)
        # resources that share the edge there are reached alike
        for row in near[apart <= apart.min(initial=np.inf) + _ALIKE * cell]:
            # the path's last cell only touches the resource; the water goes the shortest way on
            meets = shapely.intersection(_line(path), resources[row].boundary)
            point = end if meets.is_empty else next(iter(shapely.get_parts(meets)))
            nearest = shapely.shortest_line(resources[row].boundary, point)
            hits.setdefault(int(row), []).append(shapely.get_coordinates(nearest)[0])
    return {row: np.array(points) for row, points in hits.items()}


def _ground(site: Site, dem: ElevationSource, row: int, hits: FloatArray | None) -> Shape:
    """Draw the ground whose nearest point of a resource lies on its subject edge."""
    if hits is None:
        return shapely.Polygon()
    resource = site.resources.geometry.iloc[row]
    pieces: list[GeometryArray] = []
    for part in shapely.get_parts(shapely.orient_polygons(resource)):
        for ring in shapely.get_rings(part):
            pieces += _along(ring, resource, hits, 2 * dem.cell, site.ft)
    return shapely.union_all(np.concatenate(pieces)) if pieces else shapely.Polygon()


def _along(ring: shapely.LinearRing, resource: Shape, hits: FloatArray, gap: float, ft: float) -> list[GeometryArray]:
    """Draw the ground along one ring: between hits that are less than `gap` apart the edge is subject.

    A path stands for water as wide as a cell, half a `gap`, so that the edge is subject for half of that beside it.
    """
    points = np.asarray(shapely.points(hits), dtype=object)
    own = shapely.distance(ring, points) < 1e-6 * gap + 1e-9
    if not own.any():
        return []
    stations = np.unique(shapely.line_locate_point(ring, points[own]))
    breaks = np.flatnonzero(np.diff(stations) > gap)
    firsts, lasts = np.append(0, breaks + 1), np.append(breaks, len(stations) - 1)
    intervals = [(stations[a], stations[b]) for a, b in zip(firsts, lasts, strict=True)]
    around = len(intervals) > 1 and stations[0] + ring.length - stations[-1] <= gap
    if around:
        first, last = intervals.pop(0), intervals.pop()
        intervals.append((last[0], first[1] + ring.length))
    whole = len(intervals) == 1 and stations[0] + ring.length - stations[-1] <= gap and not around
    beside = gap / 4
    whole = whole or any(b - a + 2 * beside >= ring.length for a, b in intervals)
    subject = [ring] if whole else [_piece(ring, a - beside, b + beside) for a, b in intervals]
    return _strips(resource, shapely.union_all(subject), ft)


def _piece(ring: shapely.LinearRing, start: float, end: float) -> shapely.LineString:
    """Cut a piece out of a ring; `start` may lie before it, and `end` past its length."""
    if start < 0:
        start, end = start + ring.length, end + ring.length
    twice = np.concatenate([shapely.get_coordinates(ring), shapely.get_coordinates(ring)[1:]])
    along = np.append(0, np.cumsum(np.hypot(*np.diff(twice, axis=0).T)))
    inside = (along > start) & (along < end)
    ends = [[np.interp(s, along, twice[:, axis]) for axis in (0, 1)] for s in (start, end)]
    return shapely.LineString(np.concatenate([ends[:1], twice[inside], ends[1:]]))


def _strips(resource: Shape, subject: Shape, ft: float) -> list[GeometryArray]:
    """Draw strips straight away from the subject edge, as far as it is the nearest part of the resource."""
    aims = shapely.get_coordinates([shapely.boundary(line) for line in shapely.get_parts(subject)])
    shapely.prepare(subject)
    pieces: list[GeometryArray] = []
    for origins, directions in outward_rays(resource, aims, spacing=_RAY_SPACING_FT * ft, step=_FAN_STEP):
        middles = shapely.points((origins[:-1] + origins[1:]) / 2)
        chosen = shapely.dwithin(subject, middles, 1e-4 * ft)
        if not chosen.any():
            continue
        reach = limit_to_own(origins, directions, np.full(len(origins), _REACH_FT * ft), resource)
        pieces.append(shapely.make_valid(strip_polygons(origins, directions, reach)[chosen]))
    return pieces


def _tell_of_ends(
    site: Site, paths: list[FlowPath], owners: list[int], provision: SubjectEdge, findings: Findings
) -> None:
    names = site.layers[provision.of]["feature_id"].to_numpy()
    words = {"void": "end in a void of the DEM", "edge": "leave the DEM", "pit": "end in a pit"}
    for number in sorted(set(owners)):
        ends = [path.end for path, owner in zip(paths, owners, strict=True) if owner == number]
        for end, what in words.items():
            if end in ends:
                findings.warning(
                    "flow-void" if end == "void" else "dem-edge",
                    f"{ends.count(end)} of {len(ends)} flow paths from it {what} before they reach a resource",
                    layer=provision.of,
                    feature_id=names[number],
                    citation=provision.citation,
                )
    for number in sorted(set(range(len(names))) - set(owners)):
        findings.warning(
            "dem-edge",
            "lies where the DEM has no elevations; no flow path could be followed from it",
            layer=provision.of,
            feature_id=names[number],
            citation=provision.citation,
        )


def _tell_of_edges(
    site: Site, ground: dict[int, Shape], hits: dict[int, FloatArray], provision: SubjectEdge, findings: Findings
) -> None:
    for row, along in ground.items():
        name = site.resources["resource_id"].iloc[row]
        told = (
            f"only the part of its edge that {len(hits[row])} flow paths of {provision.of} reach is subject to a buffer"
            if not along.is_empty
            else f"no water of {provision.of} reaches it: no part of its edge is subject to a buffer"
        )
        findings.info("subject-edge", told, layer="resources", feature_id=name, citation=provision.citation)


def _paths_layer(site: Site, paths: list[FlowPath], owners: list[int], surface: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    resources = site.resources
    tree = shapely.STRtree(resources.geometry.to_numpy())
    rows = []
    for path, owner in zip(paths, owners, strict=True):
        line = _line(path)
        if line.length == 0:
            continue
        reached = tree.nearest(shapely.Point(path.x[-1], path.y[-1])) if path.end == "target" else None
        rows.append(
            {
                "resource_id": None if reached is None else resources["resource_id"].iloc[int(reached)],
                "source_id": surface["feature_id"].iloc[owner],
                "ends": path.end,
                "length_ft": line.length / site.ft,
                "geometry": line,
            }
        )
    return gpd.GeoDataFrame(rows, geometry="geometry", crs=site.crs) if rows else empty("flow_paths", site.crs)
