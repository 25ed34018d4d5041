"""Whether staked monuments mark an edge as the rule asks."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import geopandas as gpd
import numpy as np
import shapely

from wetgeo.errors import CrsError, InputError
from wetgeo.findings import Findings
from wetgeo.kernels.lines import Floats, GeometryArray, Ints
from wetgeo.kernels.stations import strays
from wetgeo.lot_lines import LotLines, Piece, piece_at
from wetgeo.monuments import SAME_FT, MonumentRule
from wetgeo.site import Site

Row = dict[str, Any]

_COLUMNS = ["resource_id", "kind", "measured_ft", "required_ft", "area_sqft", "citation", "geometry"]


def judge_monuments(
    staked: gpd.GeoDataFrame, edge: LotLines, rule: MonumentRule, site: Site, findings: Findings
) -> gpd.GeoDataFrame:
    """Judge monuments as staked along upland edges.

    A monument marks an edge where it stands within the rule's `off_edge_ft` of it, at the nearest place of the edge; a
    lot line where it stands within that of the place where the line meets the edge. Gaps are measured along the edge,
    from one marked place to the next and, on an open edge, from its ends.

    Parameters
    ----------
    staked
        Points in the working CRS; ``feature_id`` names them in messages where there is such a column.
    edge
        The upland edges with their lot lines.
    rule
        What the rule asks.
    site
        CRS and units.
    findings
        Takes, where the rule asks for bends to be marked, the edges that stray from the lines between monuments.

    Returns
    -------
    Rows of layer ``violations`` by kind, with the ground around the place: ``monument_gap`` (a gap along the edge over
    the interval, or an edge without any monument, `measured_ft` its length), ``no_lot_line_monument`` (`measured_ft` to
    the nearest monument, NaN where there is none) and ``monument_off_edge`` (`measured_ft` to the nearest edge).

    Raises
    ------
    CrsError
        The points are in another CRS than the site.
    InputError
        Some of them are no points; all are told.
    """
    points = _points(staked, site)
    reach = (rule.off_edge_ft + SAME_FT) * site.ft
    lines = np.array([shapely.LineString(edge.chains.vertices(i)[0]) for i in range(len(edge.chains))], dtype=object)
    chain, point = shapely.STRtree(points).query(lines, predicate="dwithin", distance=reach)
    stations = shapely.line_locate_point(lines[chain], points[point])
    marked = [np.unique(stations[chain == index]) for index in range(len(lines))]
    judge = _Judge(edge, rule, site)
    rows = [
        *judge.gaps(marked),
        *judge.lot_lines(points, reach),
        *judge.off_edge(points, lines, np.setdiff1d(np.arange(len(points)), point)),
    ]
    if rule.bend_ft is not None:
        judge.tell_straying(marked, findings)
    rows.sort(key=lambda row: (row["kind"], row["resource_id"], -row["geometry"].bounds[3], row["geometry"].bounds[0]))
    return gpd.GeoDataFrame(rows, columns=_COLUMNS, geometry="geometry", crs=site.crs)


class _Judge:
    """Judges one set of edges."""

    def __init__(self, edge: LotLines, rule: MonumentRule, site: Site) -> None:
        self.edge, self.rule, self.ft = edge, rule, site.ft
        self.around = rule.off_edge_ft * site.ft
        pieces: dict[int, list[Piece]] = defaultdict(list)
        for piece in edge.pieces:
            pieces[piece.chain].append(piece)
        self.pieces = {chain: sorted(held, key=lambda piece: piece.start) for chain, held in pieces.items()}

    def gaps(self, marked: list[Floats]) -> Iterator[Row]:
        """Find the gaps that are longer than the rule allows."""
        allowed = self.rule.interval_ft + self.rule.tolerance_ft
        for chain, stations in enumerate(marked):
            length, closed = float(self.edge.chains.lengths[chain]), bool(self.edge.chains.closed[chain])
            for start, end in pairwise(_stops(stations, length, closed=closed)):
                gap = (end - start) / self.ft
                if gap > allowed * (1 + 1e-12) or not len(stations):
                    stretch = shapely.LineString(self.edge.chains.cut(chain, start, end)[0])
                    owner = self._resource(chain, (start + end) / 2)
                    yield self._row("monument_gap", owner, gap, self.rule.interval_ft, stretch)

    def lot_lines(self, points: GeometryArray, reach: float) -> Iterator[Row]:
        """Find the lot lines that must be marked and are not."""
        tree = shapely.STRtree(points)
        for line in self.edge.lines:
            if line.marked:
                place = shapely.Point(self.edge.chains.points(line.chain, np.array([line.station]))[0])
                measured = math.nan if not len(points) else float(shapely.distance(place, points[tree.nearest(place)]))
                if not measured <= reach:
                    owner = self._resource(line.chain, line.station)
                    yield self._row("no_lot_line_monument", owner, measured / self.ft, self.rule.off_edge_ft, place)

    def off_edge(self, points: GeometryArray, lines: GeometryArray, off: Ints) -> Iterator[Row]:
        """Describe the monuments that stand off all edges."""
        tree = shapely.STRtree(lines)
        for point in points[off]:
            measured, owner = math.nan, ""
            if len(lines):
                chain = int(tree.nearest(point))
                measured = shapely.distance(point, lines[chain]) / self.ft
                owner = self._resource(chain, float(shapely.line_locate_point(lines[chain], point)))
            yield self._row("monument_off_edge", owner, measured, self.rule.off_edge_ft, point)

    def tell_straying(self, marked: list[Floats], findings: Findings) -> None:
        """Tell where the edge strays further from the lines between monuments than the rule's bends allow."""
        found: dict[str, float] = {}
        for chain, stations in enumerate(marked):
            closed = bool(self.edge.chains.closed[chain])
            at = np.append(stations, stations[:1] + self.edge.chains.lengths[chain]) if closed else stations
            if len(at) > 1:
                for start, distance in zip(at, strays(*self.edge.chains.cut(chain, at[0], at[-1]), at) / self.ft):  # noqa: B905 -- gaps are one fewer
                    if distance > (self.rule.bend_ft or 0.0) + SAME_FT:
                        owner = self._resource(chain, float(start))
                        found[owner] = max(found.get(owner, 0.0), float(distance))
        for owner, distance in sorted(found.items()):
            findings.warning(
                "monument",
                f"the edge strays from the straight line between staked monuments by up to {distance:.2f} ft, more "
                f"than the {self.rule.bend_ft:g} ft of bend_tolerance",
                layer="monuments",
                feature_id=owner,
                citation=self.rule.citation,
            )

    def _resource(self, chain: int, station: float) -> str:
        """The resource whose footprint the edge bounds at a station."""
        place = float(self.edge.chains.wrapped(chain, station))
        return piece_at(self.pieces[chain], place, float(self.edge.chains.lengths[chain])).resource_id

    def _row(self, kind: str, owner: str, measured: float, required: float, place: Any) -> Row:  # noqa: ANN401 -- any shapely geometry
        return {
            "resource_id": owner,
            "kind": kind,
            "measured_ft": measured,
            "required_ft": required,
            "area_sqft": math.nan,
            "citation": self.rule.citation,
            "geometry": shapely.buffer(place, self.around),
        }


def _stops(stations: Floats, length: float, *, closed: bool) -> list[float]:
    """Where gaps begin and end along an edge: on a closed one from the first mark around to it again."""
    if not closed:
        return [0.0, *stations.tolist(), length]
    first = float(stations[0]) if len(stations) else 0.0
    return [first, *stations[1:].tolist(), first + length]


def _points(staked: gpd.GeoDataFrame, site: Site) -> GeometryArray:
    if staked.crs != site.crs:
        named = "no CRS" if staked.crs is None else staked.crs.name
        raise CrsError(
            f"layer monuments is in {named}, not in the working CRS {site.crs.name}",
            mend="reproject the points with to_crs, or set_crs where they are in it",
        )
    shapes = np.array(staked.geometry, dtype=object)
    wrong = np.flatnonzero((shapely.get_type_id(shapes) != shapely.GeometryType.POINT) | shapely.is_empty(shapes))
    if len(wrong):
        names = staked["feature_id"].tolist() if "feature_id" in staked else range(1, len(staked) + 1)
        faults = [f"monument {names[i]}: {'no geometry' if shapes[i] is None else shapes[i].wkt[:60]}" for i in wrong]
        raise InputError(
            "layer monuments holds what is no point", faults=faults, mend="leave them out, or draw a point"
        )
    return np.asarray(shapely.force_2d(shapes), dtype=object)
