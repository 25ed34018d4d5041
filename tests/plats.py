"""Plats for tests of edges, lots and monuments: everything in US survey feet around an origin, lots by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import geopandas as gpd
import numpy as np
import shapely
from sites import FEET, make_site

from wetgeo.edges import tract_edges, upland_edges
from wetgeo.findings import Findings
from wetgeo.frames import conform
from wetgeo.kernels.offset import grow
from wetgeo.kernels.unions import union_parts
from wetgeo.lot_lines import edges_layer, lot_lines
from wetgeo.monuments import MonumentRule, place_monuments
from wetgeo.parcels import lots_of, parcels_layer

#: a State Plane origin: rounding shows where coordinates are large
ORIGIN = (2_500_000.0, 800_000.0)


def box(*bounds):
    return at_origin(shapely.box(*bounds))


def at_origin(shape):
    return shapely.transform(shape, lambda xy: xy + ORIGIN)


def lot(name, shape):
    return {"parcel_id": name, "geometry": shape}


@dataclass
class Plat:
    """All that was laid out, each layer as it is written."""

    site: Any
    findings: Findings
    upland: Any
    lines: Any
    edges: gpd.GeoDataFrame
    monuments: gpd.GeoDataFrame
    proof: Any

    def messages(self, code):
        return [one.message for one in self.findings if one.code == code]

    def at(self, reason=None):
        """Places of monuments from the origin, feet, shape (n, 2)."""
        rows = self.monuments if reason is None else self.monuments[self.monuments.reason == reason]
        return rows[["x", "y"]].to_numpy() - ORIGIN


def lay_out(resources, width=50.0, *, lots=(), tract=None, layers=None, bend=None, token=10.0, dem=None):
    """Lay out edges and monuments for footprints of one width (feet) around the resources."""
    layers = dict(layers or {})
    if lots:
        layers["parcels"] = list(lots)
    if tract is not None:
        layers["tract"] = [{"geometry": tract}]
    site = make_site([{"geometry": one} for one in resources], layers, crs=FEET, dem=dem)
    shapes = site.resources.geometry.to_numpy()
    widths = np.broadcast_to(np.asarray(width, dtype=float), len(shapes))
    # footprints in the CRS's own feet, so that figures come out round
    frame = gpd.GeoDataFrame(
        {"resource_id": site.resources["resource_id"]}, geometry=grow(shapes, widths.copy(), tolerance=0.01), crs=FEET
    )
    findings = Findings()
    upland = upland_edges(frame, site, findings)
    ground = lots_of(site, findings)
    lines = lot_lines(upland, ground, merge_ft=0.5, token_ft=token, site=site)
    tract_lines = lot_lines(tract_edges(frame, site, upland), ground, merge_ft=0.5, token_ft=token, site=site)
    rule = MonumentRule(
        interval_ft=200,
        tolerance_ft=0.01,
        bend_ft=bend,
        apart_ft=1,
        off_edge_ft=2,
        marker="post",
        public_marker="flush",
    )
    monuments, proof = place_monuments(lines, rule, site, findings)
    return Plat(
        site=site,
        findings=findings,
        upland=upland,
        lines=lines,
        edges=conform("edges", edges_layer(lines, tract_lines, site), site.crs),
        monuments=conform("monuments", monuments, site.crs),
        proof=conform("monument_proof", proof, site.crs),
    )


def measure(ground, lots, layers=None):
    """Measure buffer by parcel: layer ``parcels`` and the findings."""
    site = make_site([{"geometry": box(0, 0, 1, 1)}], {"parcels": list(lots), **(layers or {})}, crs=FEET)
    findings = Findings()
    union = gpd.GeoDataFrame(geometry=union_parts(ground), crs=FEET)
    return conform("parcels", parcels_layer(union, lots_of(site, findings), site, findings), site.crs), findings
