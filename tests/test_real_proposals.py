"""Thirty averaged buffers around real wetlands: required buffers cut along lot lines and roads, widened elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import geopandas as gpd
import numpy as np
import pyogrio
import pytest
import shapely

pytestmark = [pytest.mark.real, pytest.mark.slow]

#: US survey feet are the unit of the city's grid; the rule's are international
FT = 0.3048 * 3937 / 1200
COUNT = 30

PROJECT = """[project]
name = "Thirty proposals"
rule = "rcwd-rule-m-2004"
crs = "EPSG:26847"
date = 2026-06-01
[layers.wetlands]
path = "wetlands.gpkg"
fields = {{ id = "ID" }}
defaults.central = true
[layers.parcels]
path = "{city}/Parcels.zip"
fields = {{ id = "MAP_LOT" }}
[dem]
path = "{dem}"
z_unit = "us-ft"
[outputs]
formats = {formats}
"""


def isolated(city: Path) -> gpd.GeoDataFrame:
    """Wetlands of a city block to a farm, none of them near another: every figure then has a second route."""
    frame = gpd.read_file(city / "Wetland.shp")
    frame = frame[frame.geometry.is_valid & (frame.geometry.geom_type == "Polygon")].reset_index(drop=True)
    tree = shapely.STRtree(frame.geometry.to_numpy())
    near, _ = tree.query(frame.geometry.to_numpy(), predicate="dwithin", distance=420.0)
    alone = np.bincount(near, minlength=len(frame)) == 1
    frame = frame[alone & (frame.area > 3_000) & (frame.area < 600_000)]
    lots = gpd.read_file(city / "Parcels.zip").to_crs(frame.crs)
    number = shapely.STRtree(lots.geometry.to_numpy()).query(frame.geometry.buffer(60).to_numpy(), "intersects")[0]
    built = np.argsort(-np.bincount(number, minlength=len(frame)), kind="stable")[:COUNT]
    frame = frame.iloc[np.sort(built)]
    return gpd.GeoDataFrame(
        {"ID": [f"N-{place:02d}" for place in range(len(frame))]}, geometry=list(frame.geometry), crs=frame.crs
    )


def propose(wetland, lots, place: int):
    """Draw a proposal: an owner's lot left out beyond 25 ft or wholly, a road through it, a strip added."""
    random = np.random.default_rng(place)
    ring = shapely.difference(wetland.buffer(50 * FT, quad_segs=64), wetland)
    least = shapely.difference(wetland.buffer(25.5 * FT, quad_segs=64), wetland)
    touched = [lot for lot in lots if shapely.intersection(lot, ring).area > 500]
    proposal = ring
    if touched and place % 3 != 2:
        lot = touched[random.integers(len(touched))]
        proposal = shapely.difference(ring, lot)
        proposal = shapely.union(proposal, least) if place % 2 else proposal
    if place % 3 == 2:
        at, angle = shapely.point_on_surface(ring), random.uniform(0, np.pi)
        way = np.array([np.cos(angle), np.sin(angle)]) * 3000
        road = shapely.LineString([(at.x - way[0], at.y - way[1]), (at.x + way[0], at.y + way[1])])
        proposal = shapely.difference(ring, road.buffer(random.uniform(8, 30), cap_style="flat"))
    lost = shapely.difference(ring, proposal).area
    if place % 5:
        # made up for by a strip along the rest of the edge
        wide = 50 + min(1.3 * lost / wetland.length, 60)
        strip = shapely.difference(wetland.buffer(wide * FT, quad_segs=64), wetland.buffer(50 * FT, quad_segs=64))
        cut = shapely.difference(ring, proposal).buffer(60)
        proposal = shapely.union(proposal, shapely.difference(strip, cut))
    return shapely.difference(proposal, wetland)


def make_site(folder: Path, data: Path, formats=("gpkg",)) -> tuple[Path, gpd.GeoDataFrame, gpd.GeoDataFrame]:
    city = data / "bangor-me" / "stateplane_ft"
    wetlands = isolated(city)
    wetlands.to_file(folder / "wetlands.gpkg")
    lots = gpd.read_file(city / "Parcels.zip").to_crs(wetlands.crs).geometry.to_numpy()
    lots = shapely.make_valid(lots)
    tree = shapely.STRtree(lots)
    shapes = [
        propose(wetland, lots[tree.query(wetland.buffer(60), predicate="intersects")], place)
        for place, wetland in enumerate(wetlands.geometry)
    ]
    proposed = gpd.GeoDataFrame({"ID": wetlands["ID"]}, geometry=shapes, crs=wetlands.crs)
    proposed.to_file(folder / "proposed.gpkg")
    dem = next((data / "bangor-me" / "derived").glob("*.tif"))
    text = PROJECT.format(city=city, dem=dem, formats=json.dumps(list(formats)))
    (folder / "wetgeo.toml").write_text(text, encoding="utf-8")
    return folder / "wetgeo.toml", wetlands, proposed


def test_thirty_proposals_against_plain_geometry(shared, tmp_path, run_wetgeo):
    project, wetlands, proposed = make_site(tmp_path, shared / "data")
    assert len(proposed) == COUNT
    result = run_wetgeo("check", project, "--proposed", tmp_path / "proposed.gpkg", "-o", tmp_path / "out")
    assert result.code == 3, result.err
    found = pyogrio.read_dataframe(tmp_path / "out" / "buffers.gpkg", layer="averaging").set_index("resource_id")
    assert len(found) == COUNT
    for name, wetland, shape in zip(wetlands["ID"], wetlands.geometry, proposed.geometry, strict=True):
        row = found.loc[name]
        ring = shapely.difference(wetland.buffer(50 * FT, quad_segs=256), wetland)
        lacking = shapely.difference(wetland.buffer(2000), shapely.union(wetland, shape))
        # lines that miss each other by up to 0.05 ft are taken to meet: a hair that the plain overlay knows
        lacking = lacking.buffer(-0.03).buffer(0.03)
        # a piece that a lot cut off lies too far away to be buffer of anything, and is told
        parts = shapely.get_parts(shape)
        shape = shapely.union_all(parts[shapely.dwithin(parts, wetland, 50 * FT)])  # noqa: PLW2901 -- what counts of it
        width = shapely.distance(wetland, lacking) / FT
        assert row["required_sqft"] == pytest.approx(ring.area / FT**2, rel=2e-4, abs=1)
        assert row["minimum_ft"] == pytest.approx(width, abs=0.05), name
        assert row["credited_sqft"] == pytest.approx(shape.area / FT**2, rel=2e-4, abs=5), name
        lost = shapely.difference(ring, shape).area / FT**2
        assert row["lost_sqft"] == pytest.approx(lost, abs=max(5, 1e-3 * row["required_sqft"])), name
        enough = row["credited_sqft"] >= row["required_sqft"] - max(0.5, 1e-6 * row["required_sqft"])
        verdict = "too_narrow" if width < 24.95 else "compliant" if enough else "shortfall"
        if abs(width - 24.95) > 0.06:
            assert row["verdict"] == verdict, name
    # all verdicts are met
    assert set(found["verdict"]) == {"compliant", "shortfall", "too_narrow"}
