"""buffers.gpkg, read back by GDAL and by plain SQLite."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pyogrio
import pytest
from delineated import AWKWARD, LONG, PIN, UTM, buffers, delineation, resources

from wetgeo.layers import LAYERS
from wetgeo.outputs.geopackage import STYLES
from wetgeo.outputs.write import write_outputs

FORMATS = ("gpkg",)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_outputs(delineation(tmp_path), tmp_path / "out", overwrite=False, formats=FORMATS)
    return tmp_path / "out" / "buffers.gpkg"


def _select(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as base:
        return base.execute(query).fetchall()


def test_all_layers_stand_in_it_empty_ones_too(path: Path) -> None:
    wanted = {s.name: s.geometry for s in LAYERS.values() if "run" in s.commands}
    assert dict(pyogrio.list_layers(path)) == {**wanted, STYLES: None}
    for name, geometry in wanted.items():
        info = pyogrio.read_info(path, layer=name)
        fields = [field for field in info["fields"] if not field.startswith("src_")]
        assert fields == list(LAYERS[name].names)
        assert info["crs"] == ("EPSG:26915" if geometry else None)
        assert info["features"] == {"resources": 3, "buffers": 3, "findings": 1}.get(name, 0)


def test_it_is_a_geopackage_that_old_readers_know(path: Path) -> None:
    assert _select(path, "PRAGMA user_version") == [(10200,)]
    assert _select(path, "PRAGMA journal_mode") == [("delete",)]
    assert _select(path, "PRAGMA integrity_check") == [("ok",)]
    assert _select(path, "PRAGMA foreign_key_check") == []
    indexes = {row[0] for row in _select(path, "SELECT table_name FROM gpkg_extensions")}
    assert indexes == {s.name for s in LAYERS.values() if s.geometry and "run" in s.commands}
    assert _select(path, "SELECT count(*) FROM rtree_buffers_geom") == [(3,)]


def test_values_come_back_to_the_last_digit(path: Path) -> None:
    names = "class, gdnr, area_sqft, src_PIN64, src_VISITS, src_APPROVED, src_DATE, src_SEEN, src_ZIP, src_Note, src_p"
    rows = _select(path, f"SELECT resource_id, {names} FROM resources ORDER BY fid")
    assert rows == [
        ("W2", None, None, 1.5, None, None, None, None, None, "55391", LONG, 0.25),
        ("W10", "Preserve", 1, 1e8 / 3, PIN, 3, 1, "2020-01-02", "2020-01-02T03:04:05.123", "05501", AWKWARD, 1e-20),
        (LONG, AWKWARD, 0, 7.0, 3694063473, -4, 0, "1899-12-31", "2021-01-01T00:00:00", None, None, None),
    ]
    assert _select(path, "SELECT src_list FROM resources ORDER BY fid") == [(None,), ("[1, 2]",), ('{"a": "ż"}',)]


def test_types_are_declared(path: Path) -> None:
    types = {row[1]: row[2] for row in _select(path, "PRAGMA table_info(resources)")}
    assert types["gdnr"] == types["src_APPROVED"] == "BOOLEAN"
    assert (types["src_PIN64"], types["src_DATE"], types["src_SEEN"]) == ("INTEGER", "DATE", "DATETIME")
    assert (types["area_sqft"], types["geom"]) == ("REAL", "MULTIPOLYGON")


def test_the_same_input_in_any_order_gives_the_same_bytes(tmp_path: Path) -> None:
    files = []
    for turn, order in enumerate(([0, 1, 2], [2, 0, 1])):
        source = resources()
        layers = {"buffers": buffers(source).iloc[order], "resources": source.iloc[order[::-1]]}
        write_outputs(delineation(tmp_path, layers=layers), tmp_path / str(turn), overwrite=False, formats=FORMATS)
        files.append((tmp_path / str(turn) / "buffers.gpkg").read_bytes())
    assert files[0] == files[1]


def test_time_stamps_are_the_application_date(path: Path) -> None:
    assert {row[0] for row in _select(path, "SELECT last_change FROM gpkg_contents")} == {"2026-06-01T00:00:00.000Z"}


def test_a_null_geometry_comes_back_null(tmp_path: Path) -> None:
    source = resources()
    made = buffers(source)
    made = made.set_geometry([None, *made.geometry.iloc[1:]], crs=UTM)
    layers = {"resources": source, "buffers": made}
    write_outputs(delineation(tmp_path, layers=layers), tmp_path, overwrite=False, formats=("gpkg", "shp"))
    for file, layer in (("buffers.gpkg", "buffers"), ("shapefiles/buffers.shp", None)):
        assert np.count_nonzero(pyogrio.read_dataframe(tmp_path / file, layer=layer).geometry.isna()) == 1


def test_nothing_at_all_is_written_too(tmp_path: Path) -> None:
    files = write_outputs(delineation(tmp_path, layers={}), tmp_path / "out", overwrite=False, formats=("gpkg", "shp"))
    assert tmp_path / "out" / "shapefiles" / "buffers.shp" in files
    assert pyogrio.read_info(tmp_path / "out" / "buffers.gpkg", layer="buffers")["features"] == 0
    kinds = {"buffers": "Polygon", "edges": "LineString", "monuments": "Point"}
    for name, kind in kinds.items():
        info = pyogrio.read_info(tmp_path / "out" / "shapefiles" / f"{name}.shp")
        assert (info["features"], info["geometry_type"], info["crs"]) == (0, kind, "EPSG:26915")
