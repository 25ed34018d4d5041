"""The strip along water that agriculture keeps: CMSCWD 3.5, end to end."""

from __future__ import annotations

import math

import geopandas as gpd
import pytest
import shapely
from places import ROOT

from wetgeo.pipeline import delineate
from wetgeo.project import load_project

UTM = "EPSG:26915"
FT = 0.3048
SIDE = 200.0

PROJECT = """
[project]
name = "Fields"
rule = "cmscwd-2009-draft"
date = 2026-06-01
[layers.{layer}]
path = "water.gpkg"
[layers.floodplain]
path = "flood.gpkg"
[options]
provision = "{provision}"
"""


def square(size):
    return shapely.box(455_000, 4_980_000, 455_000 + size * FT, 4_980_000 + size * FT)


@pytest.fixture
def strip(tmp_path):
    """Delineate a square water of 200 ft, in a floodplain, by its layer and setback."""

    def _strip(layer, setback=None, *, provision="agricultural", **columns):
        columns = {"id": ["A"], "setback_ft": [setback], **columns}
        gpd.GeoDataFrame(columns, geometry=[square(SIDE)], crs=UTM).to_file(tmp_path / "water.gpkg")
        flood = gpd.GeoDataFrame({"zone": ["AE"]}, geometry=[square(900)], crs=UTM)
        flood.to_file(tmp_path / "flood.gpkg")
        path = tmp_path / "wetgeo.toml"
        path.write_text(PROJECT.format(layer=layer, provision=provision), encoding="utf-8")
        return delineate(load_project(path))

    return _strip


@pytest.mark.parametrize(("setback", "width"), [(None, 16.5), (32.9, 16.5), (33.0, 16.5), (33.2, 16.6), (150.0, 75.0)])
@pytest.mark.parametrize("layer", ["wetlands", "lakes", "streams"])
def test_the_wider_of_a_rod_and_half_the_setback(strip, layer, setback, width) -> None:
    found = strip(layer, setback)
    row = found.layers["buffers"].iloc[0]
    assert row["width_ft"] == pytest.approx(width)
    assert row["area_sqft"] == pytest.approx(4 * SIDE * width + math.pi * width**2, rel=2e-4)
    assert row["citation"] == "3.5"
    assert row["minimum_ft"] == row["width_ft"]


def test_nothing_of_the_buffer_rule_is_added(strip) -> None:
    layers = strip("wetlands").layers
    assert layers["extensions"].empty
    assert layers["zones"].empty
    assert "monuments" not in layers or layers["monuments"].empty
    whole = strip("wetlands", provision="buffer", **{"class": ["1"]}).layers
    assert whole["extensions"]["kind"].tolist() == ["floodplain"]


def test_a_class_is_shown_where_given_and_else_not_missed(strip) -> None:
    assert strip("wetlands").layers["buffers"]["class"].isna().all()
    assert strip("wetlands", **{"class": ["Manage 2"]}).layers["buffers"]["class"].tolist() == ["2"]


def test_the_sample_project() -> None:
    found = delineate(load_project(ROOT / "data_samples" / "cmscwd-agricultural.toml"))
    widths = found.layers["buffers"].set_index("resource_id")["width_ft"]
    assert widths["L-1"] == 75  # its setback is 150 ft
    assert widths[[name for name in widths.index if name.startswith("W-")]].eq(16.5).all()


@pytest.mark.parametrize(("layer", "told"), [("lakes", True), ("streams", True), ("wetlands", False)])
def test_a_public_water_without_a_setback_is_told(strip, layer, told) -> None:
    """Its shore impact zone is not known; a wetland has none."""
    words = [f.message for f in strip(layer).findings if f.code == "rule-setback"]
    assert bool(words) is told
    assert not told or "given for A: the shore impact zone is 50 % of it" in words[0]
    assert not [f for f in strip(layer, 150.0).findings if f.code == "rule-setback"]


def test_a_stream_without_its_outer_zone_is_told(strip) -> None:
    (found,) = [f for f in strip("streams", provision="buffer").findings if f.code == "rule-setback"]
    assert (found.severity, found.citation) == ("warning", "4.3.1(a)(3)")
    assert "the outer zone reaches to it, and was left out" in found.message
    assert not [f for f in strip("lakes", provision="buffer", **{"class": ["NE"]}).findings if f.code == "rule-setback"]
