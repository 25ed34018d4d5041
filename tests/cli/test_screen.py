"""``wetgeo screen`` from the command line."""

from __future__ import annotations

import json

import geopandas as gpd
import pyogrio
import pytest
from small_site import UTM, square, wetlands, write_dem, write_layer, write_project

ACRE_M2 = 43560 * 0.3048**2
CATEGORIES = 'path = "wetlands.gpkg"\nfields = { id = "WET_ID", class = "CLASS" }'
LAKES = 'path = "lakes.gpkg"\nfields = { id = "ID", class = "CLASS" }'


@pytest.fixture
def folder(tmp_path):
    """Two wetlands of category 3, and a lake south of them on ground that falls to the south."""
    write_layer(tmp_path / "wetlands.gpkg", wetlands(CLASS=["3", "3"]))
    lake = gpd.GeoDataFrame({"ID": ["L-1"], "CLASS": ["natural environment"]}, geometry=[square(80, 10, 60)], crs=UTM)
    write_layer(tmp_path / "lakes.gpkg", lake)
    write_dem(tmp_path / "dem.tif")
    return tmp_path


def screened(run_wetgeo, folder, shape, *words, dem=True, **columns):
    source = write_layer(folder / "work.gpkg", gpd.GeoDataFrame(columns, geometry=[shape], crs=UTM))
    tables = {"lakes": LAKES, "dem": 'path = "dem.tif"' if dem else None}
    site = write_project(folder, rule="cmscwd-2009-draft", tail='[outputs]\nformats = ["gpkg"]', **tables)
    return run_wetgeo("screen", site, "--disturbance", source, *words)


def by_provision(result):
    assert result.code == 0, result.err
    return {row["provision"]: row for row in json.loads(result.out)["triggers"]}


@pytest.mark.parametrize(("share", "applies"), [(1.001, "yes"), (0.999, "no")])
def test_an_acre_under_and_over(folder, run_wetgeo, share, applies) -> None:
    shape = square(100, 160, (share * ACRE_M2) ** 0.5)
    row = by_provision(screened(run_wetgeo, folder, shape, "--dry-run", "--json"))["erosion-acre"]
    assert row["applies"] == applies
    assert row["measured"] == pytest.approx(share * 43560, rel=1e-6)
    assert (row["threshold"], row["unit"], row["citation"]) == (43560, "sq ft", "3.2(a)")


def test_a_quarter_acre_that_drains_to_the_lake(folder, run_wetgeo) -> None:
    rows = by_provision(screened(run_wetgeo, folder, square(100, 160, 40), "--dry-run", "--json"))
    assert rows["erosion-near"]["applies"] == "yes"
    assert rows["erosion-notice"]["applies"] == "no"


def test_below_the_lake_it_is_near_but_not_tributary(folder, run_wetgeo) -> None:
    rows = by_provision(screened(run_wetgeo, folder, square(160, 60, 40), "--dry-run", "--json"))
    # its water leaves the DEM to the south, and what becomes of it there is not known
    assert rows["erosion-near"]["applies"] == "undecided"
    assert "leaves the DEM" in rows["erosion-near"]["reason"]


def test_without_a_dem_tributary_is_left_undecided(folder, run_wetgeo) -> None:
    result = screened(run_wetgeo, folder, square(100, 160, 40), "--dry-run", "--json", dem=False)
    row = by_provision(result)["erosion-near"]
    assert row["applies"] == "undecided"
    assert "no DEM is given" in row["reason"]
    told = [f for f in json.loads(result.out)["findings"] if f["feature_id"] == "erosion-near"]
    assert [(f["severity"], f["code"]) for f in told] == [("warning", "trigger")]


def test_far_from_all_waters_no_dem_is_needed(folder, run_wetgeo) -> None:
    rows = by_provision(screened(run_wetgeo, folder, square(900, 900, 40), "--dry-run", "--json", dem=False))
    assert rows["erosion-near"]["applies"] == "no"


def test_layer_and_lines(folder, run_wetgeo) -> None:
    result = screened(run_wetgeo, folder, square(100, 160, 80))
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    assert lines[0].startswith("yes        3.2(a): erosion control plan (erosion-acre): disturbance at least 1 acre")
    answers = [line.split()[0] for line in lines]
    assert answers == sorted(answers, key=("yes", "undecided", "no").index)
    layer = pyogrio.read_dataframe(folder / "out" / "buffers.gpkg", layer="triggers")
    assert len(layer) == len(lines)
    assert set(layer["applies"]) == {"yes", "no", "undecided"}
