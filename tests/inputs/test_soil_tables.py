"""The hydrologic group of a map unit, from whatever table there is."""

from __future__ import annotations

import sqlite3
import zipfile
from pathlib import Path

import pytest
from drawn import box

from wetgeo.errors import InputError
from wetgeo.inputs.soils import find_table, map_unit_key
from wetgeo.project import LayerSource

pytest_plugins = ["site_fixtures"]

#: read off ssurgo-ar017's muaggatt.txt and comp.txt by eye: Bowdre, Gallion and Pulaski, Gullied land, Levee (none),
#: Robinsonville, Commerce, borrow pits
BY_EYE = {
    "565248": "C/D",
    "565258": "B",
    "565268": "D",
    "565271": None,
    "565281": "A",
    "565254": "C",
    "1674434": "D",
}


@pytest.mark.parametrize(
    ("value", "key"),
    [("428101", "428101"), (428101, "428101"), (428101.0, "428101"), ("428101.0", "428101"), (" 428101 ", "428101"),
     ("0428101", "428101"), (None, None), ("", None), ("AR:BoA", "AR:BoA")],
)  # fmt: skip
def test_keys_of_any_type(value: object, key: str | None) -> None:
    assert map_unit_key(value) == key


class TestSsurgo:
    """A real county download."""

    def _folder(self, shared: Path) -> Path:
        return shared / "data" / "ssurgo-ar017"

    def test_groups_read_off_by_eye(self, shared: Path) -> None:
        table = find_table(LayerSource(name="soils", path=self._folder(shared) / "spatial" / "soilmu_a_ar017.shp"))
        assert table is not None
        assert "muaggatt.txt" in table.about
        assert {key: table.groups[key] for key in BY_EYE} == BY_EYE
        assert len(table.groups) == 41

    def test_the_components_give_the_same_by_another_way(self, shared: Path) -> None:
        tabular = self._folder(shared) / "tabular"
        source = LayerSource(name="soils", path=tabular, table=tabular / "comp.txt")
        components = find_table(source)
        units = find_table(LayerSource(name="soils", path=tabular, table=tabular))
        assert components is not None
        assert units is not None
        assert components.groups == units.groups

    def test_every_polygon_joins(self, shared: Path, read) -> None:
        soils = self._folder(shared) / "spatial" / "soilmu_a_ar017.shp"
        wetlands = {"path": soils, "where": "MUSYM = 'W'"}
        done = read(wetlands=wetlands, soils=soils, crs="auto")
        frame = done.site.layers["soils"]
        assert len(frame) == 2546
        assert not done.told("soil-unmatched")
        for key, group in BY_EYE.items():
            found = set(frame.loc[frame["mukey"] == key, "hsg"])
            assert found == {group} or (group is None and frame.loc[frame["mukey"] == key, "hsg"].isna().all())


def _soils(write, read, name: str = "soils.gpkg", **keys: object):
    soils = write(name, [box(0, 0, 75, 100), box(75, 0, 25, 100)], MUKEY=["1", "2"])
    return read(wetlands=write("w.gpkg", [box(10, 10, 10, 10)]), soils={"path": soils, **keys})


def _groups(done) -> list[str | None]:
    return [None if isinstance(group, float) else group for group in done.site.layers["soils"]["hsg"]]


@pytest.mark.parametrize("place", [".", "tabular", "../tabular"])
def test_tables_beside_the_map_units(write, read, tmp_path, place: str) -> None:
    folder = tmp_path / place
    folder.mkdir(exist_ok=True)
    (folder / "component.csv").write_text(
        "cokey,MUKEY,comppct_r,hydgrp\n1,1,40,A\n2,1,30,b/d\n3,1,30, B/D\n4,2,50,C\n5,2,50,D\n", encoding="utf-8"
    )
    try:
        assert _groups(_soils(write, read)) == ["B/D", "D"]
        (folder / "muaggatt.csv").write_text("mukey,hydgrpdcd\n1.0,A/D\n2,\n", encoding="utf-8")
        done = _soils(write, read)
        assert _groups(done) == ["A/D", None]
        assert any("muaggatt.csv" in message for _, _, message in done.told("schema-recognised"))
    finally:
        for path in folder.glob("*.csv"):
            path.unlink()


def test_a_table_in_the_same_geopackage_goes_before_the_folder(write, read, tmp_path) -> None:
    (tmp_path / "muaggatt.csv").write_text("mukey,hydgrpdcd\n1,A\n2,A\n", encoding="utf-8")
    soils = write("soils.gpkg", [box(0, 0, 75, 100), box(75, 0, 25, 100)], mukey=["1", "2"])
    with sqlite3.connect(soils) as database:
        database.execute("CREATE TABLE muaggatt (MUKEY REAL, hydgrpdcd TEXT)")
        database.execute("INSERT INTO muaggatt VALUES (1.0, 'C'), (2.0, 'C/D')")
        database.execute(
            "INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('muaggatt', 'attributes', 'm')"
        )
    database.close()
    done = read(wetlands=write("w.gpkg", [box(10, 10, 10, 10)]), soils=soils)
    assert _groups(done) == ["C", "C/D"]


def test_a_table_in_the_same_zip(write, read, tmp_path) -> None:
    write("mu.shp", [box(0, 0, 75, 100)], MUKEY=["1"])
    with zipfile.ZipFile(tmp_path / "soils.zip", "w") as archive:
        for path in tmp_path.glob("mu.*"):
            archive.write(path, f"spatial/{path.name}")
        archive.writestr("tabular/muaggatt.txt", "|" * 17 + '"B/D"' + "|" * 22 + '"1"\n')
    done = read(wetlands=write("w.gpkg", [box(10, 10, 10, 10)]), soils=tmp_path / "soils.zip")
    assert _groups(done) == ["B/D"]


def test_the_stated_table_decides_and_a_wrong_one_is_told(write, read, tmp_path) -> None:
    (tmp_path / "groups.csv").write_text("MUKEY,HYDGRPDCD\n1,A\n2,W\n", encoding="utf-8")
    done = _soils(write, read, table=tmp_path / "groups.csv")
    assert _groups(done) == ["A", None]
    assert "'W'" in done.told("value-unreadable")[0][2]
    (tmp_path / "wrong.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"wrong\.csv holds no table of hydrologic groups"):
        _soils(write, read, table=tmp_path / "wrong.csv")
    with pytest.raises(InputError, match=r"gone\.csv is not there"):
        _soils(write, read, table=tmp_path / "gone.csv")


@pytest.mark.parametrize(
    ("rows", "group", "told"),
    [
        ("mukey,hydgrpdcd\n1,D\n1,A\n2,B\n2,B\n", "D", "1 (D and A)"),
        ("mukey,hydgrpdcd\n1,A\n1,B/D\n1,C\n2,B\n", "B/D", "1 (B/D and C and A)"),
        ("mukey,hydgrpdcd\n1,A\n1,\n2,B\n", "A", "1 (A and none)"),
        ("mukey,comppct_r,hydgrp\n1,60,A\n1,60,A\n2,100,B\n", "A", "1 (components of 120 %)"),
    ],
)
def test_a_table_that_names_a_map_unit_twice_is_told_and_never_the_last_row_taken(
    write, read, tmp_path, rows: str, group: str, told: str
) -> None:
    (tmp_path / "groups.csv").write_text(rows, encoding="utf-8")
    done = _soils(write, read, table=tmp_path / "groups.csv")
    assert _groups(done) == [group, "B"]
    ((severity, _, message),) = done.told("soil-contradicted")
    assert severity == "warning"
    assert "on 1 map units" in message
    assert told in message


def test_keys_that_match_nothing_are_told_with_their_share_of_the_area(write, read, tmp_path) -> None:
    (tmp_path / "muaggatt.csv").write_text("mukey,hydgrpdcd\n1,A\n", encoding="utf-8")
    done = _soils(write, read)
    ((severity, _, message),) = done.told("soil-unmatched")
    assert severity == "warning"
    assert "1 of 2 soil polygons, 25.0% of their area" in message


def test_without_a_table_it_is_said(write, read) -> None:
    done = _soils(write, read)
    assert _groups(done) == [None, None]
    assert "no table of them was found" in done.told("soil-missing")[0][2]


def test_messy_codes(write, read) -> None:
    words = ["b/d", " B/D ", "B /D", "D", "Z", None]
    soils = write("s.gpkg", [box(20 * i, 0, 20, 9) for i in range(6)], Hydgrp=words)
    done = read(wetlands=write("w.gpkg", [box(0, 50, 10, 10)]), soils=soils)
    assert _groups(done) == ["B/D", "B/D", "B/D", "D", None, None]
    assert [(s, f) for s, f, _ in done.told("value-unreadable")] == [("warning", "soils-5")]
