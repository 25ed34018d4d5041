"""Words that other programs obey: quotes, markup, SQL and formulas in ids, classes, fields and layers."""

from __future__ import annotations

import csv
import re
import sqlite3

import geopandas as gpd
import pandas as pd
import pytest
from scene import polygons
from small_site import UTM, square

ALL = '[outputs]\nformats = ["gpkg", "html", "csv", "declaration", "dxf"]'
#: ids that each come out as they went in
WORDS = {
    "single-quote": "O'Brien's",
    "double-quote": 'the "wet" land',
    "newline": "W\n1",
    "carriage-return": "W\r1",
    "tab": "W\t1",
    "backslash": "C:\\new\\table",
    "emoji": "\U0001f427\u200d\U0001f525",
    "right-to-left": "\u202egpj.exe",
    "combining": "Z\u0351\u036b\u0343a\u0320l",
    "sql": "'; DROP TABLE buffers; --",
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "end-of-data": "</script><script>alert(2)</script>",
    "comment": "<!-- -->",
    "entity": "&lt;b&gt;",
    "template": "{{ 7 * 7 }}{% raise %}",
    "format": "%s%n {0} {}",
    "formula": "=1+1",
    "formula-command": "=cmd|' /C calc'!A0",
    "formula-plus": "+1+1",
    "formula-minus": "-1+1",
    "formula-at": "@SUM(A1)",
    "formula-tab": "\t=1+1",
    "path": "../../etc/passwd",
    "url": "https://example.org/?a=1&b=2#c",
    "null-word": "NULL",
    "nan-word": "nan",
    "zeros": "000123",
    "huge-number": "9" * 60,
    "exponent": "1e5",
    "dxf-code": "%%c%%d\\P\\U+2205",
    "hash": "W-1#2",
    "pipe": "a|b",
    "long": "w" * 20_000,
}
_FORMULA = re.compile(r"^[=@\t\r]|^[+-](?!\d+(\.\d+)?$)")


@pytest.mark.parametrize("names", [list(WORDS)[start::3] for start in range(3)], ids=["first", "second", "third"])
def test_ids_come_out_as_they_went_in_and_nothing_obeys_them(scene, names):
    words = [WORDS[name] for name in names]
    scene.write(polygons(*(square(80 * number, 100, 20) for number in range(len(words))), WET_ID=words))
    lots = [square(80 * number - 30, 70, 80) for number in range(len(words))]
    scene.write(gpd.GeoDataFrame({"PIN": words}, geometry=lots, crs=UTM), "parcels.gpkg")
    layers = scene.done(tail=ALL, parcels='path = "parcels.gpkg"\nfields = { id = "PIN" }')
    assert set(layers["resources"]["resource_id"]) == {word.strip() for word in words}
    page = (scene.out / "report.html").read_text(encoding="utf-8")
    for mark in ("<script>alert", "<img src=x"):
        assert mark not in page
    assert page.count("<script") == page.count("</script")
    for name in ("monuments.csv", "monuments_latlon.csv"):
        with (scene.out / name).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
        assert len({len(row) for row in rows if row}) == 1
        assert not [cell for row in rows for cell in row if _FORMULA.match(cell)]
    with sqlite3.connect(scene.out / "buffers.gpkg") as base:
        assert base.execute("SELECT count(*) FROM buffers").fetchone() == (len(words),)
    base.close()


@pytest.mark.parametrize(
    "word",
    [
        "<script>alert(1)</script>",
        "Preserve'; DROP TABLE x; --",
        "=1+1",
        "x" * 5000,
        "\U0001f427",
        "Manage\n1\n2",
        "\x1b[31mred\x1b[0m",
    ],
    ids=["markup", "sql", "formula", "long", "emoji", "newline", "terminal"],
)
def test_classes_that_the_rule_does_not_know(scene, word):
    scene.write(polygons(square(100, 100), square(300, 100), CLASS=[word, "Preserve"]))
    error = scene.refused("W-1", "class")
    assert "\x1b" not in error


FIELDS = [
    "it's", 'say "so"', "a b c", "SELECT", "x; DROP TABLE y", "=1+1", "\U0001f427", "resource_id", "class", "src_class",
    "fid", "OGC_FID", "area_sqft", "rowid", "x" * 200, "a.b", "a,b", "<b>", "ID", "Geom2", "index", "level_0",
]  # fmt: skip


@pytest.mark.parametrize("names", [FIELDS, FIELDS[::-2], ["class"], ["fid"], ["index"]], ids=len)
def test_fields_of_any_name_are_kept(scene, names):
    frame = polygons(square(100, 100), square(300, 100))
    for name in names:
        frame[name] = [f"one {name}", f"two {name}"]
    frame.to_parquet(scene.folder / "w.parquet")
    resources = scene.done(file="w.parquet")["resources"]
    columns = {frozenset(map(str, resources[column])): column for column in resources if column != "geometry"}
    for name in names:
        assert columns[frozenset({f"one {name}", f"two {name}"})].startswith("src_")


def test_fields_that_differ_by_case_only(scene):
    frame = polygons(square(100, 100), square(300, 100))
    frame["Name"], frame["NAME"], frame["name"] = ["a", "b"], ["c", "d"], ["e", "f"]
    frame.to_parquet(scene.folder / "w.parquet")
    resources = scene.done(file="w.parquet")["resources"]
    assert {"ab", "cd", "ef"} <= {
        "".join(sorted(map(str, resources[column]))) for column in resources if column != "geometry"
    }


def test_five_hundred_fields(scene):
    frame = polygons(square(100, 100), square(300, 100))
    more = pd.DataFrame({f"field_{number}": [number, None] for number in range(500)})
    frame = gpd.GeoDataFrame(pd.concat([more, frame], axis=1), crs=UTM)
    frame.to_parquet(scene.folder / "w.parquet")
    resources = scene.done(file="w.parquet")["resources"]
    assert sum(column.startswith("src_field_") for column in resources) == 500


@pytest.mark.parametrize(
    "values",
    [
        [2**63 - 1, -(2**63)], [1e308, -1e308], [float("inf"), float("nan")], [True, False], [0.1 + 0.2, 1e-320],
        ["2026-06-01", "0000-00-00"], [b"\x00\xff", b""], [["a", "b"], []], [{"a": 1}, {"a": 2}], ["\x00", "a\x00b"],
    ],
    ids=["int64", "double", "not-numbers", "boolean", "digits", "dates", "bytes", "lists", "structs", "nul"],
)  # fmt: skip
def test_values_of_any_kind(scene, values):
    frame = polygons(square(100, 100), square(300, 100)).assign(VALUE=values)
    frame.to_parquet(scene.folder / "w.parquet")
    kept = scene.done(file="w.parquet")["resources"].set_index("resource_id")["src_VALUE"]
    if isinstance(values[0], int | float):
        assert [kept["W-1"], kept["W-2"]] == pytest.approx(values, rel=0, abs=0, nan_ok=True)
    else:
        assert len(kept) == 2


@pytest.mark.parametrize(
    "ids", [["W"] * 40, ["W", "W#2", "W", "W#2"] * 10, [None, "", " ", "wetlands-1"] * 10, list(range(40))],
    ids=["same", "numbered", "missing", "numbers"],
)  # fmt: skip
def test_forty_ids_stay_forty(scene, ids):
    scene.write(polygons(*[square(60 * (i % 8), 60 * (i // 8), 15) for i in range(40)], WET_ID=ids))
    resources = scene.done()["resources"]
    assert len(resources) == resources["resource_id"].nunique() == 40


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "a/b\\c", "..", "=1+1", "\U0001f427", "x" * 3000, "%s {}"]
)
def test_names_of_projects(scene, name):
    text = name.replace("\\", "\\\\")
    path = scene.project(tail=ALL)
    path.write_text(path.read_text(encoding="utf-8").replace("Small site", text), encoding="utf-8")
    scene.done(words=["run", path])
    assert "<script>alert" not in (scene.out / "report.html").read_text(encoding="utf-8")
