"""Each format gives the same features, to the last digit; nothing is written beside the input."""

from __future__ import annotations

import shutil
import sqlite3
import zipfile
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pyarrow as pa
import pytest
import shapely
from drawn import UTM, box

from wetgeo.errors import InputError
from wetgeo.inputs import vector
from wetgeo.inputs.vector import read_layer
from wetgeo.project import LayerSource


def _frame() -> gpd.GeoDataFrame:
    columns = {"PIN64": [2711723410012345678, 7], "ZIP": ["05501", "1"], "NOTE": ["Łódź", None]}
    return gpd.GeoDataFrame(columns, geometry=[box(0, 0, 60, 40), box(100, 0, 60, 40)], crs=UTM)


def _names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def _read(path: Path, **keys: object):
    return read_layer(LayerSource(name="wetlands", path=path, **keys))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.gpkg", {}),
        ("a.geojson", {}),
        ("a.fgb", {"SPATIAL_INDEX": "NO"}),
        ("a.gdb", {"driver": "OpenFileGDB", "layer_options": {"TARGET_ARCGIS_VERSION": "ARCGIS_PRO_3_2_OR_LATER"}}),
        ("a.parquet", {}),
        ("a.gml", {}),
    ],
)
def test_formats_keep_every_digit_and_leave_no_trace(tmp_path: Path, name: str, options: dict[str, object]) -> None:
    path = tmp_path / name
    if name.endswith("parquet"):
        _frame().to_parquet(path)
    else:
        _frame().to_file(path, **options)
    before = _names(tmp_path)
    raw = _read(path)
    assert _names(tmp_path) == before
    assert raw.crs is not None
    assert raw.crs.to_epsg() == 26915
    assert raw.attributes["PIN64"].tolist() == [2711723410012345678, 7]
    assert raw.attributes["ZIP"].tolist() == ["05501", "1"]
    assert raw.attributes["NOTE"][0] == "Łódź"
    assert pd.isna(raw.attributes["NOTE"][1])
    assert shapely.area(raw.geometry).tolist() == [2400.0, 2400.0]


def test_integers_and_booleans_with_gaps_stay_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.gpkg"
    columns = {"N": pd.array([2711723410012345678, None], dtype="Int64"), "B": pd.array([True, None], dtype="boolean")}
    gpd.GeoDataFrame(columns, geometry=[box(0, 0, 1, 1)] * 2, crs=UTM).to_file(path)
    raw = _read(path)
    assert str(raw.attributes["N"].dtype) == "Int64"
    assert raw.attributes["N"][0] == 2711723410012345678
    assert raw.attributes["B"][0]
    assert raw.attributes["B"].isna().tolist() == [False, True]


def test_kml_is_read_in_longitude_and_latitude(tmp_path: Path) -> None:
    _frame().to_crs(4326)[["geometry"]].to_file(tmp_path / "a.kml", driver="KML")
    raw = _read(tmp_path / "a.kml")
    assert raw.crs is not None
    assert raw.crs.to_epsg() == 4326
    assert len(raw.geometry) == 2


def test_dxf_has_its_layer_as_a_field_and_no_crs(tmp_path: Path) -> None:
    _frame()[["geometry"]].boundary.to_file(tmp_path / "a.dxf", driver="DXF")
    raw = _read(tmp_path / "a.dxf", where="Layer = '0'")
    assert raw.crs is None
    assert len(raw.geometry) == 2


def _zip_shapefile(tmp_path: Path, *, without: str = "", second: str = "") -> Path:
    _frame().to_file(tmp_path / "pieces.shp")
    path = tmp_path / "pieces.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for each in sorted(tmp_path.glob("pieces.*")):
            if each.suffix not in (".zip", without):
                archive.write(each, f"inner/{each.name}")
                archive.writestr(f"__MACOSX/inner/._{each.name}", b"\x00\x05\x16\x07")
                if second:
                    archive.write(each, f"inner/{second}{each.suffix}")
    return path


def test_zip_with_the_stray_files_of_macos(tmp_path: Path) -> None:
    assert len(_read(_zip_shapefile(tmp_path)).geometry) == 2


def test_zip_of_two_shapefiles_asks_which(tmp_path: Path) -> None:
    path = _zip_shapefile(tmp_path, second="others")
    with pytest.raises(InputError, match=r"2 files and none is named(.|\n)*others, pieces"):
        _read(path)
    assert len(_read(path, layer="others").geometry) == 2


def test_zip_that_lacks_a_part(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"pieces\.zip is incomplete: pieces\.shx"):
        _read(_zip_shapefile(tmp_path, without=".shx"))


@pytest.mark.parametrize("part", [".shx", ".dbf"])
def test_shapefile_that_lacks_a_part(tmp_path: Path, part: str) -> None:
    _frame().to_file(tmp_path / "a.shp")
    (tmp_path / f"a{part}").unlink()
    with pytest.raises(InputError, match=rf"layer wetlands: the shapefile .*a\.shp is incomplete: a\{part} \("):
        _read(tmp_path / "a.shp")


def test_filter_keeps_the_number_in_the_whole_file(tmp_path: Path) -> None:
    for name in ("a.gpkg", "a.shp"):
        _frame().to_file(tmp_path / name)
        raw = _read(tmp_path / name, where="ZIP = '1'")
        assert raw.numbers.tolist() == [2]
    _frame().to_parquet(tmp_path / "a.parquet")
    assert _read(tmp_path / "a.parquet", where="ZIP = '1'").attributes["PIN64"].tolist() == [7]


@pytest.mark.parametrize("name", ["a.gpkg", "a.shp", "a.geojson", "a.parquet"])
def test_bad_filter_is_told_with_the_filter(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    _frame().to_parquet(path) if name.endswith("parquet") else _frame().to_file(path)
    with pytest.raises(InputError, match=rf"layer wetlands: .*{name} cannot be read with the filter 'NOPE = 3'"):
        _read(path, where="NOPE = 3")


def test_missing_file_names_a_close_one(tmp_path: Path) -> None:
    _frame().to_file(tmp_path / "wetlands.gpkg")
    with pytest.raises(InputError, match=r"wetland\.gpkg is not there(.|\n)*Did you mean 'wetlands\.gpkg'\?"):
        _read(tmp_path / "wetland.gpkg")
    with pytest.raises(InputError, match="there is no folder"):
        _read(tmp_path / "nowhere" / "wetlands.gpkg")


def test_layers_of_a_container(tmp_path: Path) -> None:
    path = tmp_path / "site.gpkg"
    _frame().to_file(path, layer="wetlands")
    _frame().to_file(path, layer="parcels")
    with pytest.raises(InputError, match=r"2 layers and none is named(.|\n)*wetlands, parcels"):
        _read(path)
    with pytest.raises(InputError, match=r"no layer 'wetland'(.|\n)*Did you mean 'wetlands'\?"):
        _read(path, layer="wetland")
    assert len(_read(path, layer="WETLANDS").geometry) == 2


def test_table_without_geometry(tmp_path: Path, shared: Path) -> None:
    soils = shared / "cases" / "E03-mukey-types" / "soils.gpkg"
    with pytest.raises(InputError, match=r"'muaggatt' .*table without geometry(.|\n)*mupolygon"):
        _read(soils, layer="muaggatt")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="table without geometry"):
        _read(tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["a.txt", "a.gpkg", "a.zip", "a.shp", "a.geojson", "a.parquet"])
def test_what_is_no_vector_file(tmp_path: Path, name: str) -> None:
    for end in ("shx", "dbf"):
        (tmp_path / f"a.{end}").write_bytes(b"nothing")
    (tmp_path / name).write_bytes(b"this is no geodata at all " * 20)
    with pytest.raises(InputError, match=f"layer wetlands: .*{name}(.|\n)*To mend it"):
        _read(tmp_path / name)


class TestWal:
    """GeoPackages in WAL mode."""

    def _wal(self, tmp_path: Path) -> Path:
        path = tmp_path / "in" / "wetlands.gpkg"
        path.parent.mkdir()
        _frame().to_file(path)
        return path

    def _open_in_wal(self, path: Path) -> sqlite3.Connection:
        database = sqlite3.connect(path)
        database.execute("PRAGMA journal_mode = WAL")
        return database

    def test_closed_file_is_read_in_a_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        path = self._wal(tmp_path)
        self._open_in_wal(path).close()
        assert path.read_bytes()[18:20] == b"\x02\x02"
        before = path.read_bytes()
        path.chmod(0o444)
        path.parent.chmod(0o555)
        try:
            raw = _read(path)
            assert _names(path.parent) == ["wetlands.gpkg"]
        finally:
            path.parent.chmod(0o755)
        assert len(raw.geometry) == 2
        assert path.read_bytes() == before

    def test_rows_that_stand_in_the_log_only_are_read(self, tmp_path: Path) -> None:
        path = self._wal(tmp_path)
        other = self._open_in_wal(path)
        for (name,) in other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            other.execute(f'DROP TRIGGER "{name}"')  # they call functions that only GDAL has
        other.execute("UPDATE wetlands SET ZIP = '99999' WHERE fid = 1")
        other.commit()
        states = {each.name: each.read_bytes() for each in path.parent.iterdir() if each.suffix != ".gpkg-shm"}
        assert states["wetlands.gpkg-wal"]
        raw = _read(path)
        assert raw.attributes["ZIP"].tolist() == ["99999", "1"]
        assert {name: (path.parent / name).read_bytes() for name in states} == states
        other.close()

    def test_the_case_is_left_as_it_was(self, tmp_path: Path, shared: Path) -> None:
        path = tmp_path / "wetlands.gpkg"
        shutil.copyfile(shared / "cases" / "H05-wal-and-read-only" / "wetlands.gpkg", path)
        before = path.read_bytes()
        assert len(_read(path).geometry) == 1
        assert path.read_bytes() == before
        assert _names(tmp_path) == ["wetlands.gpkg"]


def test_fields_that_bear_one_name_are_all_kept():
    """As a damaged header may have it."""
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["", "id", ""])
    assert vector._frame(table).to_dict("list") == {"": [1], "id": [2], "_3": [3]}
