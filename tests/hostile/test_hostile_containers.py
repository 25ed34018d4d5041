"""Zips, and tables of soils as text: bombs, locked members, names that lead out, rows that do not fit."""

from __future__ import annotations

import struct
import zipfile

import geopandas as gpd
import pytest
from small_site import UTM, square, wetlands, write_layer


def parts(scene):
    """The four parts of a shapefile, by their names."""
    folder = scene.place / "parts"
    folder.mkdir(exist_ok=True)
    write_layer(folder / "w.shp", wetlands())
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def pack(scene, members, *, prefix="", how=zipfile.ZIP_DEFLATED, comment=b""):
    """Write w.zip."""
    with zipfile.ZipFile(scene.folder / "w.zip", "w", how) as archive:
        archive.comment = comment
        for name, content in members.items():
            archive.writestr(prefix + name, content)


@pytest.mark.parametrize(
    "prefix", ["", "inner/deep/", "with blank/", "Ünï/", "./", "x" * 150 + "/"],
    ids=["plain", "deep", "blank", "accents", "dot", "long"],
)  # fmt: skip
def test_folders_in_a_zip(scene, prefix):
    pack(scene, parts(scene), prefix=prefix)
    assert scene.answered(ids=["W-1", "W-2"], file="w.zip") is None or prefix == "./"


@pytest.mark.parametrize("prefix", ["../../", "/etc/", "..\\..\\", "C:\\", "../site/out/"])
def test_names_that_lead_out(scene, prefix):
    pack(scene, parts(scene), prefix=prefix)
    scene.answered(ids=["W-1", "W-2"], file="w.zip")


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"readme.txt": b"nothing here"},
        {"w.zip": b"PK\x05\x06" + bytes(18)},
        {"w.shp": b""},
        {"w.shp/": b"", "w.shx/": b"", "w.dbf/": b""},
        {"w.gpkg": b"SQLite format 3\0" + bytes(100)},
        {"w.geojson": b"{"},
        {f"f{number}.shp": b"" for number in range(3000)},
        {"__MACOSX/._w.shp": b"\0" * 100},
        {".shp": b"\0" * 100},
    ],
    ids=["empty", "text", "zip", "no-bytes", "folders", "database", "json", "thousands", "macos", "nameless"],
)
def test_zips_of_nothing_useful(scene, members):
    pack(scene, members)
    assert len(scene.refused("w.zip", file="w.zip")) < 20_000


def test_a_bomb_is_not_unpacked(scene):
    zeros = bytes(1 << 20)
    with (
        zipfile.ZipFile(scene.folder / "w.zip", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("w.geojson", "w") as file,
    ):
        for _ in range(300):
            file.write(zeros)
    scene.refused("would unpack from", file="w.zip")


def test_a_locked_member(scene):
    pack(scene, parts(scene))
    data = bytearray((scene.folder / "w.zip").read_bytes())
    at = -1
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        while (at := data.find(mark, at + 1)) >= 0:
            data[at + offset] |= 1
    (scene.folder / "w.zip").write_bytes(data)
    scene.refused("encrypted", file="w.zip")


@pytest.mark.parametrize("size", [0, 0xFFFFFFFE])
def test_a_size_that_lies(scene, size):
    pack(scene, parts(scene))
    data = bytearray((scene.folder / "w.zip").read_bytes())
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", size)
    (scene.folder / "w.zip").write_bytes(data)
    scene.answered(ids=["W-1", "W-2"], file="w.zip")


def test_the_same_name_twice(scene):
    pack(scene, {name[::-1] if name == "w.prj" else name: content for name, content in parts(scene).items()})
    data = (scene.folder / "w.zip").read_bytes()
    (scene.folder / "w.zip").write_bytes(data.replace(b"jrp.w", b"w.shp"))
    scene.answered(ids=["W-1", "W-2"], file="w.zip")


def test_rubbish_before_and_after(scene):
    pack(scene, parts(scene), comment=b"x" * 60_000)
    path = scene.folder / "w.zip"
    path.write_bytes(b"#!/bin/sh\n" * 100 + path.read_bytes())
    scene.answered(ids=["W-1", "W-2"], file="w.zip")


TABLES = {
    "empty": b"",
    "header-only": b"mukey,hydgrpdcd\n",
    "short-row": b"mukey,hydgrpdcd\n1,A\n2\n",
    "long-row": b"mukey,hydgrpdcd\n1,A,more\n",
    "open-quote": b'mukey,hydgrpdcd\n"1,A\n2,B\n',
    "nul": b"mukey,hydgrpdcd\n1\0,A\n",
    "carriage-returns": b"mukey,hydgrpdcd\r1,A\r2,B\r",
    "utf-16": "mukey,hydgrpdcd\n1,A\n".encode("utf-16"),
    "latin-1": b"mukey,hydgrpdcd\n1,\xc4\n",
    "binary": bytes(range(256)) * 40,
    "huge-cell": b"mukey,hydgrpdcd\n1," + b"A" * 300_000 + b"\n",
    "no-group": b"mukey,name\n1,Loam\n",
    "twice": b"mukey,mukey,hydgrpdcd\n1,2,A\n",
    "share-of-text": b"mukey,comppct_r,hydgrp\n1,much,A\n",
    "share-of-nothing": b"mukey,comppct_r,hydgrp\n1,,A\n",
    "negative-share": b"mukey,comppct_r,hydgrp\n1,-50,A\n",
    "infinite-share": b"mukey,comppct_r,hydgrp\n1,inf,A\n1,nan,B\n",
    "no-share": b"mukey,hydgrp\n1,A\n",
    "formula": b"mukey,hydgrpdcd\n1,\"=cmd|' /C calc'!A0\"\n",
    "markup": b"mukey,hydgrpdcd\n1,<script>alert(1)</script>\n",
    "key-of-text": b"mukey,hydgrpdcd\n../../x,A\n1e400,B\nnan,C\n",
    "without-a-header": b"1|2|3\n4|5|6\n",
    "blank-rows": b"mukey,hydgrpdcd\n\n1,A\n,\n\n",
    "contradiction": b"mukey,hydgrpdcd\n1,A\n1,D\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_soils(scene, name):
    soils = gpd.GeoDataFrame({"MUKEY": ["1"]}, geometry=[square(0, 0, 500)], crs=UTM)
    scene.write(soils, "soils.gpkg")
    (scene.folder / "soils.csv").write_bytes(TABLES[name])
    lines = 'path = "soils.gpkg"\nfields = { mukey = "MUKEY" }\ntable = "soils.csv"'
    error = scene.answered(ids=["W-1", "W-2"], soils=lines)
    assert error is None or "soils.csv" in error


@pytest.mark.parametrize("content", [TABLES["short-row"], TABLES["share-of-text"], b"A" * (1 << 20)])
def test_tables_in_a_zip(scene, content):
    soils = gpd.GeoDataFrame({"MUKEY": ["1"]}, geometry=[square(0, 0, 500)], crs=UTM)
    (scene.place / "parts").mkdir()
    write_layer(scene.place / "parts" / "s.shp", soils)
    pack(
        scene, {path.name: path.read_bytes() for path in (scene.place / "parts").iterdir()} | {"component.txt": content}
    )
    scene.answered(ids=["W-1", "W-2"], soils='path = "w.zip"\nfields = { mukey = "MUKEY" }')


def test_a_bomb_for_a_table(scene):
    scene.write(gpd.GeoDataFrame({"MUKEY": ["1"]}, geometry=[square(0, 0, 500)], crs=UTM), "soils.gpkg")
    with (
        zipfile.ZipFile(scene.folder / "w.zip", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("muaggatt.csv", "w") as file,
    ):
        for _ in range(300):
            file.write(bytes(1 << 20))
    scene.refused("would unpack", soils='path = "soils.gpkg"\nfields = { mukey = "MUKEY" }\ntable = "w.zip"')
