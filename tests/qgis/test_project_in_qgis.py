"""buffers.qgz in a real QGIS: it opens whole, styled and on the site, and draws its map and its sheet."""

from __future__ import annotations

from pathlib import Path

import pyogrio
import pytest
from qgis_program import version

from wetgeo.layers import LAYERS

WARNING = 1
LABELLED = {"resources", "buffers", "parcels", "monuments"}


@pytest.fixture(scope="module")
def opened(delineated: Path, qgis, tmp_path_factory):
    return qgis("open_project.py", delineated / "buffers.qgz", tmp_path_factory.mktemp("pictures") / "run")


@pytest.fixture(scope="module")
def opened_check(judged: Path, qgis, tmp_path_factory):
    return qgis("open_project.py", judged / "buffers.qgz", tmp_path_factory.mktemp("pictures") / "check")


def test_all_layers_are_there_valid_and_in_the_crs(opened, delineated: Path) -> None:
    assert (opened["read"], opened["error"]) == (True, "")
    layers = {layer["name"]: layer for layer in opened["layers"]}
    assert set(layers) == {name for name, schema in LAYERS.items() if "run" in schema.commands}
    for name, layer in layers.items():
        assert layer["valid"], name
        assert layer["crs"] == ("EPSG:26915" if LAYERS[name].geometry else "")
        assert layer["rows"] == pyogrio.read_info(delineated / "buffers.gpkg", layer=name)["features"]
        assert Path(layer["source"].partition("|")[0]) == delineated / "buffers.gpkg"
    assert opened["crs"] == "EPSG:26915"
    assert opened["crs_valid"]


def test_nothing_is_complained_of(opened, opened_check) -> None:
    for told in (opened, opened_check):
        assert [message for message in told["messages"] if message[1] >= WARNING] == []
        assert told["map"]["errors"] == []


def test_styles_and_labels_are_loaded(opened, opened_check) -> None:
    layers = {layer["name"]: layer for layer in opened["layers"]}
    assert layers["buffers"]["categories"] == [
        "Wetland, 1", "Wetland, 2", "Wetland, 3", "Wetland, 4", "Lake, natural environment", "Stream"
    ]  # fmt: skip
    assert layers["zones"]["categories"] == ["Streamside", "Middle", "Outer"]
    assert layers["extensions"]["categories"] == ["Steep slope", "Floodplain", "Natural community", "Drainageway"]
    assert {name for name, layer in layers.items() if layer["labels"]} == LABELLED
    assert all(layers[name]["font_found"] in (True, None) for name in LABELLED)
    assert layers["monuments"]["label_scale"] == 1500
    checked = {layer["name"]: layer for layer in opened_check["layers"]}
    assert checked["averaging_areas"]["categories"] == ["Reduced", "Added"]
    assert {name for name, layer in checked.items() if layer["labels"]} == LABELLED | {"averaging_areas", "violations"}


def test_layers_lie_in_groups_and_in_order(opened_check) -> None:
    shown = [
        (layer["group"], layer["name"]) for layer in opened_check["layers"] if layer["shown"] and layer["renderer"]
    ]
    assert shown == [
        ("Averaging", "violations"),
        ("Averaging", "averaging_areas"),
        ("Averaging", "proposed"),
        ("Monuments and edges", "monuments"),
        ("Monuments and edges", "edges"),
        ("Buffers", "buffers"),
        ("Site", "resources"),
        ("Site", "parcels"),
    ]


def test_the_extent_is_on_the_site(opened, delineated: Path) -> None:
    left, bottom, right, top = opened["extent"]
    x0, y0, x1, y1 = pyogrio.read_info(delineated / "buffers.gpkg", layer="buffers", force_total_bounds=True)[
        "total_bounds"
    ]
    assert left < x0 < x1 < right
    assert bottom < y0 < y1 < top
    assert (right - left) < 1.3 * (x1 - x0)


def test_map_and_sheet_are_drawn(opened, opened_check) -> None:
    for told in (opened, opened_check):
        assert told["map"]["colors"] > 200
        (sheet,) = told["sheets"]
        assert (sheet["result"], sheet["pages"]) == (0, 1)
        assert sheet["size"] == pytest.approx([431.8, 279.4])
        # an engineer's scale: a whole number of hundreds of feet in an inch
        assert sheet["scale"] / 1200 == pytest.approx(round(sheet["scale"] / 1200), abs=0.01)


def test_rule_and_date_stand_in_the_metadata(opened) -> None:
    for text in (opened["abstract"], *(layer["abstract"] for layer in opened["layers"])):
        assert "cmscwd-2009-draft" in text
        assert "2026-06-01" in text


def test_a_long_table_goes_on_on_further_sheets(qgis, qgis_home: Path, run_wetgeo, tmp_path: Path) -> None:
    import geopandas as gpd
    import shapely

    squares = [shapely.box(x, y, x + 20, y + 20) for x in range(0, 1000, 100) for y in range(0, 1000, 100)]
    ground = gpd.GeoSeries(squares, crs="EPSG:26915").translate(455_000, 4_980_000)
    gpd.GeoDataFrame({"CLASS": "Preserve"}, index=ground.index, geometry=ground).to_file(tmp_path / "w.gpkg")
    (tmp_path / "wetgeo.toml").write_text(
        '[project]\nrule = "mcwd-2024"\n[layers.wetlands]\npath = "w.gpkg"\n[outputs]\nformats = ["gpkg", "qgz"]\n'
    )
    assert run_wetgeo("run", tmp_path).code == 0
    (sheet,) = qgis("open_project.py", tmp_path / "out" / "buffers.qgz", tmp_path / "many")["sheets"]
    assert sheet["result"] == 0
    assert 2 <= sheet["pages"] <= 4


def test_the_version_is_one_that_is_promised(qgis_home: Path) -> None:
    assert tuple(int(part) for part in version(qgis_home).split("-")[0].split(".")[:2]) >= (3, 22)
