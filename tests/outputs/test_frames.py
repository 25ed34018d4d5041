"""Frames that keep to the schema, whatever the order of the features."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from delineated import LONG, PIN, UTM, buffers, resources
from pyproj import CRS

from wetgeo.errors import OutputError
from wetgeo.frames import conform, empty, kind_of, natural_key
from wetgeo.layers import LAYERS


@pytest.mark.parametrize("name", LAYERS)
def test_an_empty_layer_has_all_fields(name: str) -> None:
    frame = empty(name, UTM)
    fields = {field.name: field.kind for field in LAYERS[name].fields}
    assert len(frame) == 0
    assert [c for c in frame.columns if c != "geometry"] == list(fields)
    assert {field: kind_of(frame[field]) for field in fields} == fields
    assert isinstance(frame, gpd.GeoDataFrame) == (LAYERS[name].geometry is not None)


def test_columns_come_in_order_with_their_types() -> None:
    frame = resources()
    made = conform("resources", frame[list(reversed(frame.columns))], UTM)
    own = [name for name in made.columns if not name.startswith("src_")]
    assert own == [*LAYERS["resources"].names, "geometry"]
    assert "central" not in made
    kinds = {name: kind_of(made[name]) for name in made.columns if name.startswith("src_")}
    # reversed: NOTE comes first and keeps its name
    assert kinds == {
        "src_WETLAND_IDENTIFIER_CURRENT": "text",
        "src_WETLAND_IDENTIFIER_OLD": "text",
        "src_PIN64": "int",
        "src_VISITS": "int",
        "src_APPROVED": "bool",
        "src_DATE": "date",
        "src_SEEN": "datetime",
        "src_ZIP": "text",
        "src_Note_2": "text",
        "src_NOTE": "text",
        "src_p": "real",
        "src_list": "text",
    }
    assert made.set_index("resource_id").loc["W10", "src_PIN64"] == PIN


def test_rows_come_in_natural_order() -> None:
    assert list(conform("resources", resources(), UTM)["resource_id"]) == ["W2", "W10", LONG]
    ids = ["W10", "w2#2", "W2", "W2#2", "W002", "", "9" * 5000, "٣"]
    assert sorted(ids, key=natural_key) == ["", "9" * 5000, "W002", "W2", "W2#2", "w2#2", "W10", "٣"]


def test_zones_and_severities_come_in_their_own_order() -> None:
    rows = [("S1", "outer"), ("S1", "streamside"), ("S1", "middle"), ("L1", None)]
    frame = pd.DataFrame(rows, columns=["resource_id", "zone"]).assign(width_ft=1.0, area_sqft=1.0, citation=None)
    zones = conform("zones", gpd.GeoDataFrame(frame, geometry=[shapely.box(0, 0, 1, 1)] * 4), UTM)
    assert list(zones["zone"]) == [None, "streamside", "middle", "outer"]


def test_order_and_bytes_do_not_depend_on_the_order_of_the_features() -> None:
    rng = np.random.default_rng(7)
    shapes = shapely.buffer(shapely.points(rng.random((40, 2)) * 100), 10)
    # same area and same bounds, other shape: only the geometry itself tells them apart
    twins = [shapely.Polygon([(0, 0), (9, 0), (9, 9)]), shapely.Polygon([(0, 0), (9, 9), (0, 9)])]
    frame = gpd.GeoDataFrame({"area_sqft": 1.0}, index=range(42), geometry=[*shapes, *twins], crs=UTM)
    wanted = conform("buffer_union", frame, UTM).to_wkb()
    for _ in range(5):
        shuffled = conform("buffer_union", frame.iloc[rng.permutation(42)], UTM).to_wkb()
        assert shuffled.equals(wanted)


def test_polygons_become_multipolygons_in_normal_form() -> None:
    frame = resources()
    turned = [shapely.Polygon(list(shape.reverse().exterior.coords)[1:]) for shape in frame.geometry]
    one, two = conform("resources", frame, UTM), conform("resources", frame.set_geometry(turned, crs=UTM), UTM)
    assert set(one.geom_type) == {"MultiPolygon"}
    assert one.to_wkb().equals(two.to_wkb())


def test_lines_stay_as_they_run() -> None:
    line = shapely.LineString([(9, 9), (5, 0), (0, 0)])
    frame = pd.DataFrame({"resource_id": ["W1"], "parcel_id": [None], "kind": ["upland"], "length_ft": [1.0]})
    made = conform("edges", gpd.GeoDataFrame(frame, geometry=[line], crs=UTM), UTM)
    assert list(made.geometry[0].coords) == list(line.coords)


def test_an_empty_geometry_is_null() -> None:
    frame = buffers(resources())
    frame = frame.set_geometry([shapely.Polygon(), None, frame.geometry.iloc[2]], crs=UTM)
    assert list(conform("buffers", frame, UTM).geometry.isna()) == [True, True, False]


def test_all_faulty_geometries_are_told_at_once() -> None:
    bow = shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])
    solid = shapely.Polygon([(0, 0, 5), (1, 0, 5), (1, 1, 5)])
    frame = resources().set_geometry([bow, solid, shapely.Point(0, 0)], crs=UTM)
    with pytest.raises(OutputError, match="resources must hold valid 2D MultiPolygon") as told:
        conform("resources", frame, UTM)
    assert len(told.value.faults) == 3
    assert "W10" in told.value.faults[0]
    assert "Self-intersection" in told.value.faults[0]
    assert "3D" in told.value.faults[1]
    assert "Point" in told.value.faults[2]


def test_faults_of_a_frame_are_told() -> None:
    frame = resources()
    with pytest.raises(OutputError, match="lacks the fields gdnr, edge_ft"):
        conform("resources", frame.drop(columns=["gdnr", "edge_ft"]), UTM)
    with pytest.raises(OutputError, match="field area_sqft: not all values are real"):
        conform("resources", frame.assign(area_sqft="wide"), UTM)
    with pytest.raises(OutputError, match="not in NAD83 / UTM zone 16N"):
        conform("resources", frame, CRS("EPSG:26916"))
    with pytest.raises(OutputError, match="has no geometries"):
        conform("resources", pd.DataFrame(frame.drop(columns="geometry")), UTM)


def test_columns_that_no_database_holds_become_text() -> None:
    frame = resources()[["resource_id", "resource_type", "class", "gdnr", "area_sqft", "edge_ft", "geometry"]]
    frame["src_huge"] = pd.Series([2**64, None, 1], dtype=object)
    frame["src_bytes"] = pd.Series([b"\x00\xff", None, bytearray(b"a")], dtype=object)
    frame["src_array"] = pd.Series([np.array([1, 2]), None, "x"], dtype=object)
    frame["src_mixed"] = pd.Series(["a", 1, 2.5], dtype=object)
    frame["src_kind"] = pd.Categorical(["b", None, "a"])
    frame["src_delta"] = pd.to_timedelta([1, None, 2], unit="s")
    made = conform("resources", frame, UTM).set_index("resource_id")
    assert {kind_of(made[name]) for name in made.columns if name.startswith("src_")} == {"text"}
    assert made["src_huge"].to_dict() == {"W10": str(2**64), "W2": None, LONG: "1"}
    assert made["src_bytes"].to_dict() == {"W10": "00ff", "W2": None, LONG: "61"}
    assert made["src_array"].to_dict() == {"W10": "[1, 2]", "W2": None, LONG: "x"}
    assert made["src_mixed"].to_dict() == {"W10": "a", "W2": "1", LONG: "2.5"}
    assert made["src_delta"]["W10"] == "0 days 00:00:01"
