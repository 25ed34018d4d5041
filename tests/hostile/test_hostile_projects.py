"""Project files and rule packs that say what cannot be."""

from __future__ import annotations

import os

import pytest

from wetgeo.rules.load import load_pack

HEAD = '[project]\nrule = "mcwd-2024"\ncrs = "EPSG:26915"\noutput = "out"\n'
LAYER = '[layers.wetlands]\npath = "wetlands.gpkg"\nfields = { id = "WET_ID", class = "CLASS" }\n'
TAIL = '[outputs]\nformats = ["gpkg"]\n'

#: every key, each with a number where a text should be
WRONG = """\
[project]
name = 1
rule = 2
crs = 3
date = 4
output = 5
[layers.wetlands]
path = 6
layer = 7
where = 8
fields = 9
values = 10
defaults = 11
crs = 12
table = 13
[dem]
path = 14
z_unit = 15
[outputs]
formats = 16
"""
#: texts of a project file that are refused, with what the error tells
REFUSED = {
    "empty": ("", "rule"),
    "blank": (" \n\t\n", "rule"),
    "nul": ("\0" * 100, "TOML"),
    "markup": ("<html></html>", "TOML"),
    "json": ('{"project": {}}', "TOML"),
    "deep-lists": (f"x = {'[' * 5000}{']' * 5000}", "TOML"),
    "deep-tables": (f"x = {'{a=' * 3000}1{'}' * 3000}", "TOML"),
    "deep-keys": (f"{'a.' * 3000}a = 1", "a"),
    "huge-integer": (HEAD.replace('"EPSG:26915"', "9" * 6000) + LAYER, ""),
    "lists-for-tables": ("project = []\nlayers = []\ndem = []\noptions = []\noutputs = []", "project"),
    "numbers-for-tables": ("project = 1\nlayers = 2\ndem = 3\noptions = 4\noutputs = 5", "project"),
    "array-of-tables": ("[[project]]\n[[layers]]\n[[layers.wetlands]]", ""),
    "layer-is-text": (f'{HEAD}[layers]\nwetlands = "w.gpkg"', "layers.wetlands"),
    "all-of-the-wrong-kind": (WRONG, "15"),
    "path-with-nul": (f'{HEAD}[layers.wetlands]\npath = "a\\u0000b.gpkg"\n', "NUL"),
    "path-of-nobody": (f'{HEAD}[layers.wetlands]\npath = "~nobody-at-all/w.gpkg"\n', "nobody-at-all"),
    "output-with-nul": (HEAD.replace('"out"', '"o\\u0000t"') + LAYER, "NUL"),
    "dem-of-nobody": (f'{HEAD}{LAYER}[dem]\npath = ["~nobody-at-all/d.tif", "\\u0000"]\n', "dem.path"),
    "blank-path": (f'{HEAD}[layers.wetlands]\npath = "  "\n', "layers.wetlands.path"),
    "date-of-text": (f'{HEAD}date = "tomorrow"\n{LAYER}', "date"),
    "no-such-date": (f"{HEAD}date = 2026-02-30\n{LAYER}", ""),
    "formats-of-numbers": (f"{HEAD}{LAYER}[outputs]\nformats = [1, nan]\n", "formats"),
    "unknown-roles": (HEAD + LAYER.replace("id =", "ident ="), "ident"),
    "fields-of-tables": (HEAD + LAYER.replace('"WET_ID"', "{ a = 1 }"), "fields.id"),
    "values-of-lists": (f"{HEAD}{LAYER}values.class = [1]\n", "values.class"),
    "options-of-tables": (f"{HEAD}{LAYER}[options]\ntrigger = {{ a = 1 }}\n", "trigger"),
    "options-of-numbers": (f"{HEAD}{LAYER}[options]\ntrigger = nan\n", "trigger"),
    "length-of-infinity": (f'{HEAD}{LAYER}[options]\nbend_tolerance = "inf ft"\n', "bend_tolerance"),
    "length-below-zero": (f'{HEAD}{LAYER}[options]\nbend_tolerance = "-5 ft"\n', "bend_tolerance"),
    "length-without-end": (f'{HEAD}{LAYER}[options]\nbend_tolerance = "{"9" * 400} ft"\n', "bend_tolerance"),
    "crs-of-rubbish": (HEAD.replace("EPSG:26915", "x" * 3000) + LAYER, "crs"),
    "crs-of-json": (HEAD.replace('"EPSG:26915"', "'{\"type\": 1}'") + LAYER, "crs"),
    "crs-of-a-pipeline": (HEAD.replace("EPSG:26915", "+proj=pipeline +step +proj=utm +zone=15 +step +proj=affine") + LAYER, "crs"),
    "crs-with-nul": (HEAD.replace("EPSG:26915", "EPSG:\\u000026915") + LAYER, "crs"),
    "crs-of-heights": (HEAD.replace("EPSG:26915", "EPSG:5703") + LAYER, "crs"),
    "crs-without-scale": (HEAD.replace("EPSG:26915", "+proj=tmerc +k=0 +lon_0=-93") + LAYER, ""),
    "rule-with-nul": (HEAD.replace("mcwd-2024", "a\\u0000b") + LAYER, ""),
    "rule-that-is-a-folder": (HEAD.replace("mcwd-2024", "./") + LAYER, ""),
    "rule-that-is-data": (HEAD.replace("mcwd-2024", "wetlands.gpkg") + LAYER, "wetlands.gpkg"),
    "rule-that-is-a-device": (HEAD.replace("mcwd-2024", "/dev/zero") + LAYER, ""),
    "rule-of-a-long-name": (HEAD.replace("mcwd-2024", "x" * 5000) + LAYER, ""),
    "rule-that-leads-out": (HEAD.replace("mcwd-2024", "../../../../etc/passwd") + LAYER, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_project_file_that_cannot_be(scene, name):
    text, told = REFUSED[name]
    path = scene.folder / "site.toml"
    path.write_text(text, encoding="utf-8")
    result = scene.answer("run", path)
    assert result.code in (1, 2)
    assert told in result.err
    assert len(result.err) < 20_000
    assert not scene.out.exists()


@pytest.mark.parametrize("date", ["0001-01-01", "9999-12-31"])
def test_dates_at_the_ends_of_time(scene, date):
    path = scene.folder / "site.toml"
    path.write_text(f"{HEAD}date = {date}\n{LAYER}{TAIL}", encoding="utf-8")
    findings = scene.done(words=["run", path])["findings"]
    assert ("rule-date" in set(findings["code"])) == (date < "1000")


@pytest.mark.parametrize("data", [b"\xff\xfe" + (HEAD + LAYER).encode("utf-16-le"), b"\x80abc", bytes(range(256))])
def test_a_project_file_of_another_encoding(scene, data):
    (scene.folder / "site.toml").write_bytes(data)
    scene.refused("UTF-8", words=["run", scene.folder / "site.toml"], code=2)


def test_what_stands_in_place_of_the_project_file(scene):
    os.mkfifo(scene.folder / "pipe.toml")
    (scene.folder / "circle.toml").symlink_to("circle.toml")
    for name in ("pipe.toml", "circle.toml", "x" * 300, "a\nb"):
        scene.refused("no project file", words=["run", scene.folder / name], code=2)
    scene.refused("no project file", words=["run", "/dev/zero"], code=2)


@pytest.mark.parametrize(
    "where",
    [
        "1 = 1; DROP TABLE wetlands", "CLASS = 'Preserve' UNION SELECT * FROM sqlite_master", "'", "\\u0000", "no_such = 1",
        "1/0 = 1", "(" * 3000, "load_extension('x')", "randomblob(1000000000) = 1", "1 = 0",
    ],
)  # fmt: skip
def test_filters(scene, where):
    (scene.folder / "site.toml").write_text(f'{HEAD}{LAYER}where = "{where}"\n{TAIL}', encoding="utf-8")
    before = (scene.folder / "wetlands.gpkg").read_bytes()
    assert scene.answer("run", scene.folder / "site.toml").code in (0, 1)
    assert (scene.folder / "wetlands.gpkg").read_bytes() == before


def test_thousands_of_values(scene):
    values = ", ".join(f'"k{number}" = "Preserve"' for number in range(20_000))
    (scene.folder / "site.toml").write_text(f"{HEAD}{LAYER}values.class = {{ {values} }}\n{TAIL}", encoding="utf-8")
    scene.done(words=["run", scene.folder / "site.toml"])


#: changes of the built-in pack, each a fault
PACKS = {
    "infinite": ('base = "75 ft"', 'base = "inf ft"'),
    "not-a-number": ('base = "75 ft"', 'base = "nan ft"'),
    "below-zero": ('base = "75 ft"', 'base = "-75 ft"'),
    "many-digits": ('base = "75 ft"', f'base = "{"9" * 500} ft"'),
    "exponent": ('base = "75 ft"', 'base = "1e400 ft"'),
    "markup": ('base = "75 ft"', 'base = "<b>75 ft</b>"'),
    "a-table": ('base = "75 ft"', "base = { a = { b = 1 } }"),
    "a-date": ('base = "75 ft"', "base = 1979-05-27"),
    "zero-step": ('step = "5 %"', 'step = "0 %"'),
    "tiny-step": ('step = "5 %"', 'step = "0.0000000001 %"'),
    "list-for-text": ('id = "slope"', 'id = ["slope"]'),
    "huge-list": ('grades = ["D", "C", "B", "A"]', "grades = [" + ", ".join(['"D"'] * 5000) + "]"),
    "deep": ('grades = ["D", "C", "B", "A"]', f"grades = {'[' * 2000}{']' * 2000}"),
}


@pytest.mark.parametrize("name", PACKS)
@pytest.mark.parametrize("command", [("rules", "test"), ("rules", "show"), ("run",)], ids=" ".join)
def test_a_pack_that_cannot_be(scene, command, name):
    old, new = PACKS[name]
    text = load_pack("mcwd-2024").path.read_text(encoding="utf-8")
    assert old in text
    path = scene.folder / "own.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    result = scene.answer(*command, path if command[0] == "rules" else scene.project(rule="own.toml"))
    assert result.code in (1, 2), result
    assert len(result.err) < 20_000


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 50, b"\xff\xfe\0", b"[pack]\nid = 1", b"x = " + b"[" * 9000 + b"]" * 9000]
)
def test_a_pack_that_is_none(scene, data):
    (scene.folder / "own.toml").write_bytes(data)
    scene.refused("own.toml", words=["rules", "test", scene.folder / "own.toml"], code=2)
    scene.refused("own.toml", rule="own.toml", code=2)
