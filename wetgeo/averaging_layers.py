"""The layers of buffer averaging: verdicts, labelled areas, width profile, violations, and the proposal as judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from wetgeo.averaging import WIDTH_TOLERANCE_FT, Judgement, averaging_citation, least_width
from wetgeo.averaging_ground import TOKEN_SQFT, AveragingSite
from wetgeo.findings import Findings
from wetgeo.frames import empty, natural_key
from wetgeo.kernels.averaging import (
    Sides,
    clockwise_lines,
    lines_only,
    opened,
    parts_of,
    polygonal,
)
from wetgeo.kernels.beside import reach, stations_along, stretch_along
from wetgeo.kernels.offset import FloatArray, GeometryArray, Shape
from wetgeo.rules.provisions import Infiltration, VegetatedDistance
from wetgeo.ruling import Ruling
from wetgeo.vegetated import widen_past

#: stations of the width profile stand this far apart, feet
STATION_FT = 10.0
#: pieces thinner than this come from two drawings of one edge and get no label, feet
_THIN_FT = 0.1
#: nor do pieces that round to no square foot
_LEAST_AREA_SQFT = 0.5
#: outlines are walked in steps of this where the edge along them is measured, feet
_STEP_FT = 0.5
#: how far from the resource an area ends is known to this, feet
_REACH_FT = 0.02
#: edges end this far from lines that they meet or follow, feet
_CLEAR_FT = 0.01
#: a trail or an infiltration feature lies in a buffer where it holds more of it than this, square feet
_LEAST_USE_SQFT = 1.0

_LABELS = {"reduced": "R", "added": "A", "over_cap": "X", "not_counted": "T"}

Row = dict[str, Any]


def averaging_layers(
    averaging: AveragingSite, ruling: Ruling, judged: Sequence[Judgement], findings: Findings
) -> dict[str, pd.DataFrame]:
    """Lay out all layers of buffer averaging.

    Parameters
    ----------
    averaging, judged
        What was judged, and how.
    ruling
        The rule as it applies.
    findings
        Takes note of pieces too thin for a label.
    """
    site = averaging.site
    ids = site.resources["resource_id"].to_numpy()
    ordered = sorted(judged, key=lambda one: natural_key(str(ids[one.row])))
    edges = {one.row: subject_edge(averaging, one.row) for one in ordered}
    rows: dict[str, list[Row]] = {
        "averaging": [_verdict(averaging, ruling, one, edges[one.row]) for one in ordered],
        "averaging_areas": _areas(averaging, ruling, ordered, edges, findings),
        "width_profile": [row for one in ordered for row in _profile(averaging, one, edges[one.row])],
        "violations": [row for one in ordered for row in _violations(averaging, ruling, one)],
        "proposed": [
            {"area_sqft": one.proposed.area / site.sqft, "geometry": one.proposed, "row": one.row} for one in ordered
        ],
    }
    return {name: _frame(name, [_named(row, ids) for row in found], averaging) for name, found in rows.items()}


def _named(row: Row, ids: Any) -> Row:  # noqa: ANN401 -- an array of text
    return {"resource_id": ids[row["row"]], **row}


def _frame(name: str, rows: list[Row], averaging: AveragingSite) -> pd.DataFrame:
    kept = [row for row in rows if "geometry" not in row or not row["geometry"].is_empty]
    if not kept:
        return empty(name, averaging.site.crs)
    if "geometry" not in kept[0]:
        return pd.DataFrame(kept)
    frame: pd.DataFrame = gpd.GeoDataFrame(kept, geometry="geometry", crs=averaging.site.crs)
    return frame


def subject_edge(averaging: AveragingSite, row: int) -> list[Shape]:
    """Draw the part of a resource's edge that the rule applies to: beside upland, within the tract, and subject."""
    upland = averaging.upland
    clear = _CLEAR_FT * upland.ft
    edge = shapely.boundary(upland.resources[row])
    near = np.sort(upland.tree.query(upland.resources[row], predicate="dwithin", distance=clear))
    others = upland.resources[near[near != row]]
    if len(others):
        edge = _not_along(edge, shapely.buffer(shapely.union_all(others), clear), clear)
    if upland.tract is not None:
        inside = shapely.intersection(edge, upland.tract)
        edge = _not_along(inside, shapely.buffer(upland.tract.boundary, clear), clear)
    if row in upland.subject:
        edge = shapely.intersection(edge, shapely.buffer(upland.subject[row], clear))
    return clockwise_lines(edge)


def _not_along(edge: Shape, strip: Shape, clear: float) -> Shape:
    """Take away what runs along a strip; where an edge only meets or crosses it, nothing is lost."""
    within = parts_of(shapely.line_merge(lines_only(shapely.intersection(edge, strip))))
    along = within[shapely.length(within) > 10 * clear]
    return shapely.difference(edge, shapely.buffer(shapely.union_all(along), clear / 10)) if len(along) else edge


def _verdict(averaging: AveragingSite, ruling: Ruling, one: Judgement, edge: Sequence[Shape]) -> Row:
    ft, sqft = averaging.site.ft, averaging.site.sqft
    return {
        "row": one.row,
        "edge_ft": sum(line.length for line in edge) / ft,
        "required_ft": one.decision.average_ft,
        "required_sqft": one.required_sqft,
        "proposed_sqft": one.proposed.area / sqft,
        "credited_sqft": one.credited_sqft,
        "lost_sqft": one.lost.area / sqft,
        "gained_sqft": one.gained.area / sqft,
        "over_cap_sqft": one.over_cap.area / sqft,
        "net_sqft": one.credited_sqft - one.required_sqft,
        "average_ft": one.average_ft,
        "minimum_ft": one.minimum_ft,
        "minimum_x": None if one.place is None else one.place.x,
        "minimum_y": None if one.place is None else one.place.y,
        "minimum_allowed_ft": one.decision.minimum_ft,
        "margin_ft": one.minimum_ft - one.decision.minimum_ft,
        "verdict": one.verdict,
        "citation": averaging_citation(ruling, one.decision),
    }


def _areas(
    averaging: AveragingSite,
    ruling: Ruling,
    judged: Sequence[Judgement],
    edges: dict[int, list[Shape]],
    findings: Findings,
) -> list[Row]:
    ft, sqft = averaging.site.ft, averaging.site.sqft
    counts = dict.fromkeys(_LABELS, 0)
    rows: list[Row] = []
    for one in judged:
        outline, edge = Sides(averaging.upland.resources[one.row]), Sides(np.array(edges[one.row], dtype=object))
        citation = averaging_citation(ruling, one.decision)
        kinds = {
            "reduced": one.lost,
            "added": one.gained,
            "over_cap": one.over_cap,
            "not_counted": one.not_counted,
        }
        for kind, ground in kinds.items():
            parts, thin = _by_thickness(ground, _THIN_FT * ft, _LEAST_AREA_SQFT * sqft)
            if thin > TOKEN_SQFT * sqft:
                findings.info(
                    "averaging",
                    f"{thin / sqft:,.2f} sq ft {kind.replace('_', ' ')} lie in pieces under {_THIN_FT:g} ft wide "
                    f"or {_LEAST_AREA_SQFT:g} sq ft, which have no label",
                    layer="averaging_areas",
                    feature_id=averaging.site.resources["resource_id"].iloc[one.row],
                )
            for part in parts:
                counts[kind] += 1
                least, greatest = reach(outline, part, spacing=ft, within=_REACH_FT * ft)
                rows.append(
                    {
                        "label": f"{_LABELS[kind]}-{counts[kind]}",
                        "row": one.row,
                        "kind": kind,
                        "area_sqft": part.area / sqft,
                        "edge_ft": stretch_along(edge, part, _STEP_FT * ft) / ft,
                        "minimum_ft": least / ft,
                        "maximum_ft": greatest / ft,
                        "citation": citation,
                        "geometry": part,
                    }
                )
    return rows


def _by_thickness(ground: Shape, thickness: float, least: float) -> tuple[list[Shape], float]:
    """Return the parts of ground that are this thick and large, from north to south, and the area of the rest."""
    parts = parts_of(opened(ground, thickness / 2))
    parts = parts[shapely.area(parts) >= least]
    bounds = shapely.bounds(parts).reshape(-1, 4)
    order = np.lexsort((bounds[:, 0], -bounds[:, 3])).tolist()
    return [parts[index] for index in order], float(ground.area - shapely.area(parts).sum())


def _profile(averaging: AveragingSite, one: Judgement, edge: Sequence[Shape]) -> list[Row]:
    ft = averaging.site.ft
    points, stations = stations_along(edge, STATION_FT * ft)
    widths = np.full(len(points), one.minimum_ft)
    if not one.lacking.is_empty:
        widths = np.maximum(one.minimum_ft, _counted(averaging, Sides(one.lacking).feet_of(points)) / ft)
    return [
        {
            "row": one.row,
            "station_ft": station / ft,
            "width_ft": width,
            "required_ft": one.decision.average_ft,
            "minimum_allowed_ft": one.decision.minimum_ft,
            "geometry": point,
        }
        for point, station, width in zip(points, stations, widths, strict=True)
    ]


def _counted(averaging: AveragingSite, ways: GeometryArray) -> FloatArray:
    """Measure ways, surface that does not count left out, as the least width is."""
    lengths: FloatArray = shapely.length(ways)
    surface = averaging.passable(shapely.multilinestrings(ways)).crossed
    if not len(surface):
        return lengths
    return lengths - shapely.length(shapely.intersection(ways, shapely.union_all(surface)))


def _violations(averaging: AveragingSite, ruling: Ruling, one: Judgement) -> Iterable[Row]:
    yield from _too_narrow(averaging, ruling, one)
    yield from _infiltration(averaging, ruling, one)
    yield from _trails(averaging, ruling, one)


def _steps(ruling: Ruling, one: Judgement) -> list[tuple[float, float, str]]:
    """Least widths to look for, from the water: where each begins, what it must be, and its citation."""
    citation = averaging_citation(ruling, one.decision)
    if not one.decision.zones:
        return [(0.0, one.decision.minimum_ft, citation)]
    steps, start = [], 0.0
    for zone in one.decision.zones:
        steps.append((start, zone.minimum_ft, f"{zone.citation}; {citation}"))
        start += zone.minimum_ft
    return steps


def _too_narrow(averaging: AveragingSite, ruling: Ruling, one: Judgement) -> Iterable[Row]:
    """Find the places where the least width is not kept, zone by zone: each begins where the one before may end."""
    ft, sqft, resource = averaging.site.ft, averaging.site.sqft, averaging.upland.resources[one.row]
    for start, least, citation in _steps(ruling, one):
        if one.minimum_ft >= start + least - WIDTH_TOLERANCE_FT:
            continue
        inner = _needed(averaging, one, start) if start > 0 else resource
        short = polygonal(shapely.intersection(one.lacking, _needed(averaging, one, start + least)))
        for part in parts_of(short):
            place = least_width(averaging, one.row, part)
            if place is None or place.width / ft >= start + least - WIDTH_TOLERANCE_FT:
                continue
            own = polygonal(shapely.difference(part, inner))
            yield {
                "row": one.row,
                "kind": "too_narrow",
                "measured_ft": max(0.0, place.width / ft - start),
                "required_ft": least,
                "area_sqft": own.area / sqft,
                "citation": citation,
                "geometry": own,
            }


def _needed(averaging: AveragingSite, one: Judgement, width_ft: float) -> Shape:
    """Draw U(w), widened past surface that does not count, with all that it covers."""
    row, width = np.array([one.row]), np.array([width_ft])
    plain = averaging.upland.offset(row, width)
    return widen_past(averaging.site, averaging.upland, averaging.passable(plain[0]), Findings(), row, width, plain)[0]


def _infiltration(averaging: AveragingSite, ruling: Ruling, one: Judgement) -> Iterable[Row]:
    provision, layer = ruling.find(Infiltration), averaging.site.layers.get("infiltration")
    if provision is None or layer is None:
        return
    ft, sqft = averaging.site.ft, averaging.site.sqft
    banned = averaging.within(one.row, provision.not_within.value)
    for shape in layer.geometry:
        held = polygonal(shapely.intersection(shape, banned))
        measured = shapely.distance(shape, averaging.upland.resources[one.row]) / ft
        if held.area > TOKEN_SQFT * sqft and measured < provision.not_within.value - WIDTH_TOLERANCE_FT:
            yield {
                "row": one.row,
                "kind": "excluded_use",
                "measured_ft": measured,
                "required_ft": provision.not_within.value,
                "area_sqft": held.area / sqft,
                "citation": provision.citation,
                "geometry": held,
            }


def _trails(averaging: AveragingSite, ruling: Ruling, one: Judgement) -> Iterable[Row]:
    provision, sqft = ruling.find(VegetatedDistance), averaging.site.sqft
    if provision is None:
        return
    for trail in averaging.banned.itertuples():
        held = polygonal(shapely.intersection(trail.geometry, one.proposed))
        if held.area > _LEAST_USE_SQFT * sqft:
            yield {
                "row": one.row,
                "kind": "excluded_use",
                "measured_ft": trail.width_ft,
                "required_ft": provision.trail_most.value,
                "area_sqft": held.area / sqft,
                "citation": provision.trail_citation or provision.citation,
                "geometry": held,
            }
