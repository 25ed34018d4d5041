"""buffers.qgz as XML, without QGIS: nothing missing, nothing absolute, the sheet as wide as the site."""

from __future__ import annotations

import datetime
import re
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import geopandas as gpd
import pytest
import shapely
from delineated import AWKWARD, UTM, buffers, delineation, project, resources
from pyproj import CRS

from wetgeo.layers import LAYERS
from wetgeo.outputs.qgis_project import GROUPS, project_document, site_bounds
from wetgeo.outputs.write import prepare, write_outputs

COMMANDS = sorted({command for schema in LAYERS.values() for command in schema.commands})
FEET = CRS("EPSG:26847")  # NAD83 / Maine East (ftUS)


def document(folder: Path, command: str = "run", **changes: object) -> ET.Element:
    return ET.fromstring(project_document(prepare(delineation(folder, command=command, **changes), ())))


@pytest.fixture
def root(tmp_path: Path) -> ET.Element:
    return document(tmp_path)


def test_the_file_is_a_zip_of_one_document_and_the_same_each_time(tmp_path: Path) -> None:
    files = []
    for name in ("a", "b"):
        write_outputs(delineation(tmp_path), tmp_path / name, overwrite=False, formats=("gpkg", "qgz"))
        files.append((tmp_path / name / "buffers.qgz").read_bytes())
        with zipfile.ZipFile(tmp_path / name / "buffers.qgz") as file:
            assert [(i.filename, i.date_time) for i in file.infolist()] == [("buffers.qgs", (2026, 6, 1, 0, 0, 0))]
            text = file.read("buffers.qgs").decode()
        assert str(tmp_path) not in text
        assert ET.fromstring(text).tag == "qgis"
    assert files[0] == files[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_layer_stands_once_in_the_project_and_in_its_tree(tmp_path: Path, command: str) -> None:
    root = document(tmp_path, command)
    wanted = {f"wetgeo_{name}" for name, schema in LAYERS.items() if command in schema.commands}
    assert sorted(layer.findtext("id") for layer in root.iter("maplayer")) == sorted(wanted)
    tree = [layer.get("id") for layer in root.find("layer-tree-group").iter("layer-tree-layer")]
    assert sorted(tree) == sorted(wanted)
    assert {name for names in GROUPS.values() for name in names} == set(LAYERS)


def test_paths_are_relative_and_name_the_layers_of_the_geopackage(root: ET.Element) -> None:
    sources = {layer.findtext("shortname"): layer.findtext("datasource") for layer in root.iter("maplayer")}
    assert sources == {name: f"./buffers.gpkg|layername={name}" for name in sources}
    assert root.findtext("properties/Paths/Absolute") == "false"


def test_a_layer_without_rows_is_off(root: ET.Element) -> None:
    checked = {
        layer.get("id"): layer.get("checked") for layer in root.find("layer-tree-group").iter("layer-tree-layer")
    }
    assert checked["wetgeo_buffers"] == checked["wetgeo_resources"] == "Qt::Checked"
    assert checked["wetgeo_monuments"] == checked["wetgeo_buffer_union"] == "Qt::Unchecked"
    legend = root.find(".//LayoutItem[@id='Legend']")
    assert [layer.get("id") for layer in legend.iter("layer-tree-layer")] == ["wetgeo_buffers", "wetgeo_resources"]


@pytest.mark.parametrize("crs", [UTM, FEET, CRS("+proj=lcc +lat_1=44 +lat_2=45 +lon_0=-93 +units=us-ft")])
def test_the_crs_is_written_in_full(tmp_path: Path, crs: CRS) -> None:
    layers = {"resources": resources().set_crs(crs, allow_override=True)}
    root = document(tmp_path, layers=layers, crs=crs)
    places = ["projectCrs", "mapcanvas/destinationsrs", "ProjectViewSettings/DefaultViewExtent"]
    spatial = [layer.find("srs") for layer in root.iter("maplayer") if layer.get("geometry") != "No geometry"]
    for place in [*map(root.find, places), *spatial]:
        written = place.find("spatialrefsys")
        assert CRS(written.findtext("wkt")).equals(crs)
        assert written.findtext("description") == crs.name
        assert written.findtext("authid") == (":".join(crs.to_authority()) if crs.to_epsg() else "")
        assert written.findtext("geographicflag") == "false"
    tables = [layer for layer in root.iter("maplayer") if layer.get("geometry") == "No geometry"]
    assert {layer.findtext("srs/spatialrefsys/wkt") for layer in tables} == {""}
    assert root.findtext("properties/SpatialRefSys/ProjectionsEnabled") == "1"


def test_measures_are_in_feet_and_in_the_plane(root: ET.Element) -> None:
    found = [root.findtext(f"properties/{place}") for place in ("Measurement/DistanceUnits", "Measurement/AreaUnits")]
    assert [*found, root.findtext("properties/Measure/Ellipsoid")] == ["feet", "ft2", "NONE"]


def test_the_extent_is_on_the_site(tmp_path: Path, root: ET.Element) -> None:
    ready = prepare(delineation(tmp_path), ())
    left, bottom, right, top = site_bounds(ready)
    x0, y0, x1, y1 = ready.layers["buffers"].total_bounds
    size = max(x1 - x0, y1 - y0)
    assert left < x0 < x1 < right
    assert bottom < y0 < y1 < top
    assert max(right - left, top - bottom) < 1.2 * size
    assert [float(root.findtext(f"mapcanvas/extent/{side}")) for side in ("xmin", "ymin", "xmax", "ymax")] == [
        left, bottom, right, top
    ]  # fmt: skip


def test_the_sheet_shows_the_site_at_an_engineers_scale(root: ET.Element, tmp_path: Path) -> None:
    sheet = root.find("Layouts/Layout")
    assert sheet.find("PageCollection/LayoutItem").get("size") == "431.8,279.4,mm"
    frame = sheet.find("LayoutItem[@id='Map']")
    width, height = (float(part) for part in frame.get("size").split(",")[:2])
    window = {side: float(value) for side, value in frame.find("Extent").attrib.items()}
    across, up = window["xmax"] - window["xmin"], window["ymax"] - window["ymin"]
    feet = across / 0.3048 / (width / 25.4)
    assert feet == pytest.approx(100, abs=1e-6)
    assert up / across == pytest.approx(height / width)
    left, bottom, right, top = site_bounds(prepare(delineation(tmp_path), ()))
    assert shapely.box(*(window[s] for s in ("xmin", "ymin", "xmax", "ymax"))).contains(
        shapely.box(left, bottom, right, top)
    )
    assert "1 inch = 100 feet" in sheet.find("LayoutItem[@id='Subject']").get("labelText")
    bar = sheet.find("LayoutItem[@id='Scale bar']")
    assert (bar.get("unitType"), bar.get("numUnitsPerSegment")) == ("feet", "100")


def test_the_sheet_has_all_that_a_plan_needs(tmp_path: Path) -> None:
    tables = {"run": "buffers", "check": "averaging", "impacts": "impacts", "screen": "triggers"}
    for command, table in ((command, f"wetgeo_{table}") for command, table in tables.items()):
        sheet = document(tmp_path, command).find("Layouts/Layout")
        names = {item.get("id") for item in sheet.findall("LayoutItem")}
        assert {"Map", "Title", "About", "Legend", "Scale bar", "North arrow", "Table"} <= names
        listed = sheet.find("LayoutMultiFrame")
        assert listed.get("vectorLayer") == table
        frame = listed.find("childFrame").get("uuid")
        assert frame == sheet.find("LayoutItem[@id='Table']").get("uuid")
        columns = [column.get("attribute") for column in listed.iter("column")]
        fields = {name for column in columns for name in re.findall(r'"(\w+)"', column)}
        assert fields <= set(LAYERS[table.removeprefix("wetgeo_")].names)
        uuids = [item.get("uuid") for item in sheet.iter("LayoutItem")]
        assert len(set(uuids)) == len(uuids)


def test_rule_and_date_stand_in_the_metadata(root: ET.Element) -> None:
    sentence = "Rule: Wetland Protection Rule (mcwd-2024, version 1, 2024-04-29). Application date: 2026-06-01."
    abstracts = [one.findtext("abstract") for tag in ("projectMetadata", "resourceMetadata") for one in root.iter(tag)]
    assert len(abstracts) == 1 + len(root.findall("projectlayers/maplayer"))
    assert all(sentence in text for text in abstracts)
    assert sentence in root.find(".//LayoutItem[@id='About']").get("labelText")


def test_awkward_names_and_dates_go_through(tmp_path: Path) -> None:
    changes = {"name": AWKWARD, "date": datetime.date(1979, 12, 31)}
    ready = delineation(tmp_path, project=project(tmp_path, **changes))
    write_outputs(ready, tmp_path / "out", overwrite=False, formats=("qgz",))
    with zipfile.ZipFile(tmp_path / "out" / "buffers.qgz") as file:
        root = ET.fromstring(file.read("buffers.qgs"))
    assert root.findtext("title") == " ".join(AWKWARD.split())


def test_a_site_with_nothing_on_it_is_written_too(tmp_path: Path) -> None:
    root = document(tmp_path, layers={})
    window = root.find(".//LayoutItem[@id='Map']/Extent")
    assert float(window.get("xmin")) < 0 < float(window.get("xmax"))
    checked = {layer.get("checked") for layer in root.find("layer-tree-group").iter("layer-tree-layer")}
    assert checked == {"Qt::Unchecked", "Qt::Checked"}  # findings have a row


def test_null_geometries_and_single_points_leave_a_window(tmp_path: Path) -> None:
    source = resources()
    nowhere = buffers(source).set_geometry(gpd.GeoSeries([None] * 3, crs=UTM), crs=UTM)
    for layers in ({"resources": source, "buffers": nowhere}, {"buffers": nowhere}):
        left, bottom, right, top = site_bounds(prepare(delineation(tmp_path, layers=layers), ()))
        assert left < right
        assert bottom < top
