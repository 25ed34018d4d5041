"""What is staked and recorded: edges by parcel, monuments and their proof, and the buffer that each parcel holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from wetgeo.buffers import union_layer
from wetgeo.edges import GRID_FT, Edges, tract_edges, tract_of, upland_edges
from wetgeo.findings import Findings
from wetgeo.footprints import Footprints
from wetgeo.kernels.offset import GeometryArray, polygons_only, subtract, without_slivers
from wetgeo.lot_lines import LotLines, edges_layer, lot_lines
from wetgeo.monument_check import judge_monuments
from wetgeo.monuments import MonumentRule, place_monuments
from wetgeo.parcels import Lots, lots_of, parcels_layer
from wetgeo.rules.provisions import Monuments
from wetgeo.ruling import Ruling
from wetgeo.site import Site

#: two monuments nearer to each other than this would be one for whoever looks for them
_APART_FT = 1.0
#: a proposed buffer laps over the banks and tract lines that it ends at by this, feet: more than overlays stray, and
#: too little to move a monument
_LAP_FT = 0.005
#: smaller parts of a proposed buffer are neither staked nor recorded, square feet
_LEAST_SQFT = 1.0
#: what stands for the merging distance where a rule asks for no monuments, so that edges are still cut at lot lines
_MERGE_FT = 0.5


def monument_rule(ruling: Ruling) -> MonumentRule | None:
    """Take from the rule what it asks of monuments; None where it asks for none."""
    provision = ruling.find(Monuments)
    if provision is None:
        return None
    return MonumentRule(
        interval_ft=provision.interval.value,
        tolerance_ft=provision.interval_tolerance.value,
        bend_ft=ruling.length("bend_tolerance") if provision.bends else None,
        apart_ft=_APART_FT,
        off_edge_ft=provision.off_edge.value,
        marker=provision.marker,
        public_marker=provision.public_land_marker,
        citation=provision.citation,
    )


def survey_layers(
    site: Site, ruling: Ruling, footprints: Footprints, union: gpd.GeoDataFrame, findings: Findings
) -> dict[str, pd.DataFrame]:
    """Lay out edges, parcels, monuments and the proof of their spacing.

    Parameters
    ----------
    site, ruling
        The site, and the rule as it applies.
    footprints
        What the buffers take; edges run along their outlines.
    union
        Layer ``buffer_union``.
    findings
        Takes note of parcels and monuments that a reviewer may ask about.
    """
    lots = lots_of(site, findings)
    upland, tract = edges_with_lots(site, ruling, footprints, lots, findings)
    return {
        **staked_layers(upland, tract, site, ruling, findings),
        "parcels": parcels_layer(union, lots, site, findings),
    }


def proposed_survey(
    proposed: gpd.GeoDataFrame, surface: GeometryArray, site: Site, ruling: Ruling, findings: Findings
) -> dict[str, pd.DataFrame]:
    """Lay out what is staked and recorded of a proposed buffer: the layers of `survey_layers`, and ``buffer_union``.

    Parameters
    ----------
    proposed
        Layer ``proposed``. Parts of it and holes in it that are smaller than a square foot are left out, and told.
    surface
        Surface that is no part of a buffer.
    site, ruling, findings
        As `survey_layers`.
    """
    given = proposed.geometry.to_numpy()
    shapes = _without_specks(given, _LEAST_SQFT * site.sqft)
    specks = float(shapely.area(shapely.symmetric_difference(given, shapes)).sum()) / site.sqft
    if specks > 0:
        words = "parts of it and holes in it under a square foot each are neither staked nor described"
        findings.info("recorded", f"{words}: {specks:,.2f} sq ft in all", layer="proposed")
    rows = pd.Index(site.resources["resource_id"]).get_indexer(proposed["resource_id"])
    kept = [at for at in np.argsort(rows) if not shapes[at].is_empty]
    union = union_layer(site, subtract(shapes[kept], surface))
    footprints = Footprints(rows=rows[kept], geometries=_with_resources(rows[kept], shapes[kept], site))
    return {**survey_layers(site, ruling, footprints, union, findings), "buffer_union": union}


def _without_specks(shapes: GeometryArray, least: float) -> GeometryArray:
    """Leave out parts, and fill holes, that are smaller than `least`, square coordinate units."""
    kept = without_slivers(shapes, least)
    for index, shape in enumerate(kept):
        rings = [
            (part.exterior, [hole for hole in part.interiors if shapely.Polygon(hole).area >= least])
            for part in shapely.get_parts(shape)
            if not part.is_empty
        ]
        if sum(len(holes) for _, holes in rings) < shapely.get_num_interior_rings(shapely.get_parts(shape)).sum():
            kept[index] = shapely.multipolygons([shapely.Polygon(outer, holes) for outer, holes in rings])
    return kept


def _with_resources(rows: NDArray[np.intp], buffers: GeometryArray, site: Site) -> GeometryArray:
    """Join buffers with their resources, and let them lap over other resources and the tract's line, as footprints do.

    A proposed buffer that ends along a bank or along the tract's line follows it only as nearly as it was drawn: it
    would seem to have an edge of its own there.
    """
    water, reach = site.resources.geometry.to_numpy(), _LAP_FT * site.ft
    around = shapely.buffer(buffers, reach, quad_segs=1)
    at, other = shapely.STRtree(water).query(around, predicate="intersects")
    laps = [shapely.intersection(around[at], water[other])]
    index = [at]
    tract = tract_of(site)
    if tract is not None:
        laps.append(shapely.difference(around, tract))
        index.append(np.arange(len(around)))
    of, lap = np.concatenate(index), np.concatenate(laps)
    # on a grid: a crack between a resource and its buffer would lead later unions astray
    grid = GRID_FT * site.ft
    joined = [
        shapely.union_all([water[row], buffer, *polygons_only(lap[of == n])], grid_size=grid)
        for n, (row, buffer) in enumerate(zip(rows, buffers, strict=True))
    ]
    return np.array(joined, dtype=object)


def edges_with_lots(
    site: Site, ruling: Ruling, footprints: Footprints, lots: Lots, findings: Findings
) -> tuple[LotLines, LotLines]:
    """Draw the upland edge, and the tract's line through the buffers, with the lots along them."""
    frame = gpd.GeoDataFrame(
        {"resource_id": site.resources["resource_id"].to_numpy()[footprints.rows]},
        geometry=footprints.geometries,
        crs=site.crs,
    )
    upland = upland_edges(frame, site, findings)
    tract = tract_edges(frame, site, upland)
    return _lot_lines(upland, lots, site, ruling), _lot_lines(tract, lots, site, ruling)


def staked_layers(
    upland: LotLines, tract: LotLines, site: Site, ruling: Ruling, findings: Findings
) -> dict[str, pd.DataFrame]:
    """Make layers ``edges``, ``monuments`` and ``monument_proof``; the latter two where the rule asks for monuments."""
    layers: dict[str, pd.DataFrame] = {"edges": edges_layer(upland, tract, site)}
    rule = monument_rule(ruling)
    if rule is not None:
        layers["monuments"], layers["monument_proof"] = place_monuments(upland, rule, site, findings)
    return layers


def judge_staked(
    staked: gpd.GeoDataFrame, proposed: gpd.GeoDataFrame, site: Site, ruling: Ruling, findings: Findings
) -> gpd.GeoDataFrame | None:
    """Judge monuments as staked along the upland edge of a proposed buffer.

    Parameters
    ----------
    staked
        Points in the working CRS.
    proposed
        Layer ``proposed``.
    site, ruling
        The site, and the rule as it applies.
    findings
        As `judge_monuments`; and where the rule asks for no monuments.

    Returns
    -------
    Rows of layer ``violations``; None where the rule asks for no monuments.
    """
    rule = monument_rule(ruling)
    if rule is None:
        findings.warning("monument", f"{ruling.pack.id} asks for no monuments; none were judged", layer="monuments")
        return None
    rows = pd.Index(site.resources["resource_id"]).get_indexer(proposed["resource_id"])
    grounds = _with_resources(rows, proposed.geometry.to_numpy(), site)
    frame = gpd.GeoDataFrame({"resource_id": proposed["resource_id"].to_numpy()}, geometry=grounds, crs=site.crs)
    edge = _lot_lines(upland_edges(frame, site, findings), lots_of(site, findings), site, ruling)
    return judge_monuments(staked, edge, rule, site, findings)


def with_edge_elsewhere(
    found: LotLines, elsewhere: Mapping[int, Sequence[float]], site: Site, ruling: Ruling
) -> LotLines:
    """Find lot lines anew where lots have more edge elsewhere than was known: lengths by lot, CRS units."""
    return _lot_lines(found.edges, found.lots, site, ruling, elsewhere)


def _lot_lines(
    edges: Edges,
    lots: Lots,
    site: Site,
    ruling: Ruling,
    elsewhere: Mapping[int, Sequence[float]] | None = None,
) -> LotLines:
    provision = ruling.find(Monuments)
    merge_ft = _MERGE_FT if provision is None else provision.merge.value
    token_ft = 0.0 if provision is None else ruling.length("token_edge_length")
    return lot_lines(edges, lots, merge_ft=merge_ft, token_ft=token_ft, site=site, elsewhere=elsewhere)
