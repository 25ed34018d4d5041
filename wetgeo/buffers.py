"""Buffers: what is left of footprints as upland within the tract, one row a resource, and all together counted once."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import shapely

from wetgeo.findings import Findings
from wetgeo.footprints import Extension, Footprints
from wetgeo.frames import empty
from wetgeo.kernels.offset import GeometryArray, Shape, subtract
from wetgeo.kernels.unions import union_parts
from wetgeo.site import Site
from wetgeo.units import SQFT_PER_ACRE
from wetgeo.upland import Upland
from wetgeo.widths import ResourceWidth


def resources_layer(site: Site) -> gpd.GeoDataFrame:
    """List all resources as used, with their area and the length of their edge."""
    frame = site.resources.drop(columns=["central", "setback_ft"])
    geometries = frame.geometry.to_numpy()
    frame["area_sqft"] = shapely.area(geometries) / site.sqft
    frame["edge_ft"] = shapely.length(geometries) / site.ft
    return frame


def buffer_grounds(upland: Upland, footprints: Footprints, excluded: GeometryArray) -> GeometryArray:
    """Reduce each footprint to upland within the tract, less excluded surface; shape of ``footprints.rows``."""
    return subtract(upland.clipped(footprints.geometries, footprints.rows), excluded)


def buffers_layer(
    site: Site,
    rule: str,
    widths: list[ResourceWidth | None],
    footprints: Footprints,
    grounds: GeometryArray,
    findings: Findings,
) -> gpd.GeoDataFrame:
    """Describe each resource's required buffer; one without any ground on the tract is a finding."""
    rows: list[dict[str, Any]] = []
    resources = site.resources[["resource_id", "resource_type", "class"]].to_dict("records")
    citations: dict[int, list[str]] = {}
    for extension in footprints.extensions:
        citations.setdefault(extension.row, []).append(extension.citation)
    for row, ground in zip(footprints.rows.tolist(), grounds, strict=True):
        width, resource = widths[row], resources[row]
        if width is None:
            continue
        if ground.is_empty:
            findings.warning(
                "buffer-none",
                "has no buffer: within its width there is no upland"
                + (" on the tract" if "tract" in site.layers else ""),
                layer="buffers",
                feature_id=resource["resource_id"],
            )
            continue
        decision = width.decision
        area = ground.area / site.sqft
        rows.append(
            {
                "resource_id": resource["resource_id"],
                "resource_type": resource["resource_type"],
                "class": resource["class"],
                "rule": rule,
                "base_ft": decision.base_ft,
                "slope_pct": width.facts.slope_pct,
                "slope_cut_ft": decision.slope_cut_ft,
                "hsg": width.facts.hsg,
                "hsg_share": width.hsg_share,
                "soil_cut_ft": decision.soil_cut_ft,
                "floor_ft": decision.floor_ft,
                "width_ft": decision.width_ft,
                "minimum_ft": decision.minimum_ft,
                "average_ft": decision.average_ft,
                "area_sqft": area,
                "area_ac": area / SQFT_PER_ACRE,
                "citation": "; ".join(dict.fromkeys([decision.citation, *citations.get(row, [])])),
                "geometry": ground,
            }
        )
    return _frame("buffers", rows, site)


def zones_layer(site: Site, upland: Upland, footprints: Footprints, excluded: GeometryArray) -> gpd.GeoDataFrame:
    """Describe each zone of each stream, as extended; an empty zone has no row."""
    if not footprints.zones:
        return empty("zones", site.crs)
    numbers = np.array([zone.row for zone in footprints.zones])
    outer = np.array([zone.outer for zone in footprints.zones], dtype=object)
    inner = np.array([zone.inner for zone in footprints.zones], dtype=object)
    grounds = subtract(upland.clipped(shapely.difference(outer, inner), numbers), excluded)
    ids = site.resources["resource_id"].to_numpy()
    return _frame(
        "zones",
        [
            {
                "resource_id": ids[laid.row],
                "zone": laid.zone.zone,
                "width_ft": laid.zone.width_ft,
                "area_sqft": ground.area / site.sqft,
                "citation": laid.zone.citation,
                "geometry": ground,
            }
            for laid, ground in zip(footprints.zones, grounds, strict=True)
            if not ground.is_empty
        ],
        site,
    )


def extensions_layer(site: Site, upland: Upland, footprints: Footprints, excluded: GeometryArray) -> gpd.GeoDataFrame:
    """Describe what each provision added outside the plain zone, a row a resource, zone and provision."""
    grouped: dict[tuple[int, str | None, str], list[Extension]] = {}
    for extension in footprints.extensions:
        grouped.setdefault((extension.row, extension.zone, extension.kind), []).append(extension)
    if not grouped:
        return empty("extensions", site.crs)
    numbers = np.array([row for row, _, _ in grouped])
    beyond = np.array(
        [
            shapely.difference(shapely.union_all([e.ground for e in added]), added[0].plain)
            for added in grouped.values()
        ],
        dtype=object,
    )
    grounds = subtract(upland.clipped(beyond, numbers), excluded)
    ids = site.resources["resource_id"].to_numpy()
    return _frame(
        "extensions",
        [
            {
                "resource_id": ids[row],
                "zone": zone,
                "kind": kind,
                "reach_ft": _reach(ground, upland.resources[row]) / site.ft,
                "area_sqft": ground.area / site.sqft,
                "citation": added[0].citation,
                "geometry": ground,
            }
            for ((row, zone, kind), added), ground in zip(grouped.items(), grounds, strict=True)
            if ground.area > site.sqft
        ],
        site,
    )


def _reach(ground: Shape, resource: Shape) -> float:
    """Measure the greatest distance of a piece of ground's corners from a resource.

    Every sixteenth corner is measured first; of the others only those that may lie further, by their way along the
    outline from a measured one.
    """
    farthest = 0.0
    for part in shapely.get_parts(ground):
        corners = shapely.get_coordinates(part.exterior)
        along = np.append(0.0, np.cumsum(np.hypot(*np.diff(corners, axis=0).T)))
        coarse = np.arange(0, len(corners), 16)
        measured = shapely.distance(shapely.points(corners[coarse]), resource)
        farthest = max(farthest, float(measured.max()))
        before = np.arange(len(corners)) // 16
        most = measured[before] + along - along[coarse[before]]
        left = np.setdiff1d(np.flatnonzero(most > farthest), coarse)
        if len(left):
            farthest = max(farthest, float(shapely.distance(shapely.points(corners[left]), resource).max()))
    return farthest


def union_layer(site: Site, grounds: GeometryArray) -> gpd.GeoDataFrame:
    """Unite all buffers into connected parts that count no ground twice."""
    parts = union_parts(grounds)
    return _frame("buffer_union", [{"area_sqft": part.area / site.sqft, "geometry": part} for part in parts], site)


def _frame(name: str, rows: list[dict[str, Any]], site: Site) -> gpd.GeoDataFrame:
    return gpd.GeoDataFrame(rows, geometry="geometry", crs=site.crs) if rows else empty(name, site.crs)
