import datetime

import pytest

from wetgeo.errors import ProjectError
from wetgeo.project import DEFAULT_FORMATS, load_project

GOOD = """\
[project]
name = "Lakeview"
rule = "mcwd-2024"
crs = "EPSG:26915"
date = 2026-06-01
output = "results"

[layers.wetlands]
path = "site.gpkg"
layer = "wetlands"
where = "STATUS = 'delineated'"
fields = { id = "WET_ID", class = "MGMT_CLASS" }
values.class = { P = "Preserve" }
defaults.class = "Manage 2"

[layers.parcels]
path = "parcels.shp"
fields = { parcel = "PIN" }

[layers.soils]
path = "soils.shp"
table = "tabular/muaggatt.txt"

[dem]
path = ["a.tif", "b.tif"]
z_unit = "ft"

[options]
trigger = "stormwater"

[outputs]
formats = ["shp", "gpkg"]
"""


def write(folder, text):
    path = folder / "wetgeo.toml"
    path.write_text(text, encoding="utf-8")
    return path


def faults_of(folder, text):
    with pytest.raises(ProjectError) as caught:
        load_project(write(folder, text))
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_a_project_is_read_whole(tmp_path):
    project = load_project(write(tmp_path, GOOD))
    assert (project.name, project.rule, project.crs) == ("Lakeview", "mcwd-2024", "EPSG:26915")
    assert project.date == datetime.date(2026, 6, 1)
    assert project.output == tmp_path / "results"
    wetlands = project.layers["wetlands"]
    assert wetlands.path == tmp_path / "site.gpkg"
    assert wetlands.fields == {"id": "WET_ID", "class": "MGMT_CLASS"}
    assert wetlands.values == {"class": {"P": "Preserve"}}
    assert wetlands.defaults == {"class": "Manage 2"}
    assert project.layers["parcels"].fields == {"id": "PIN"}
    assert project.layers["soils"].table == tmp_path / "tabular/muaggatt.txt"
    assert project.dem.paths == (tmp_path / "a.tif", tmp_path / "b.tif")
    assert project.dem.z_unit == "ft"
    assert project.options == {"trigger": "stormwater"}
    assert project.formats == ("gpkg", "shp")
    assert len(project.files) == 6


def test_a_folder_stands_for_the_file_in_it(tmp_path):
    write(tmp_path, GOOD)
    assert load_project(tmp_path).path == tmp_path / "wetgeo.toml"


def test_what_is_left_out_has_its_default(tmp_path):
    project = load_project(write(tmp_path, '[project]\nrule = "x"\n[layers.lakes]\npath = "l.shp"\n'))
    assert project.name == tmp_path.name
    assert project.output == tmp_path / "out"
    assert project.crs is None
    assert project.dem is None
    assert project.formats == DEFAULT_FORMATS
    assert abs((project.date - datetime.datetime.now().astimezone().date()).days) <= 1


def test_all_faults_are_told_at_once_with_their_lines(tmp_path):
    text = """\
[project]
nmae = "x"
date = "2026-06-01"

[layers.wetland]
path = "a.shp"

[layers.lakes]
fields = { ident = "ID", class = 3 }
wher = "x"

[dem]
path = 7
z_unit = "feet"

[outputs]
formats = ["gpkg", "shape"]
"""
    told = faults_of(tmp_path, text)
    for words in (
        "project.nmae (line 2)",
        "did you mean name?",
        "project.rule",
        "is missing",
        "project.date (line 3)",
        "without quotes",
        "layers.wetland (line 5)",
        "did you mean wetlands?",
        "layers.lakes.path",
        "layers.lakes.fields.ident",
        "id, class, gdnr, setback_ft",
        "the name of a field",
        "layers.lakes.wher (line 10)",
        "did you mean where?",
        "dem.path",
        "unknown unit 'feet' (did you mean ft?); allowed: m, ft, us-ft, cm",
        "unknown format 'shape'",
    ):
        assert words in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[project]\nrule = mcwd\n", "line 2"),
        ('[project]\nrule = "a"\nrule = "b"\n', "not valid TOML"),
        ('[project]\nrule = "a"\n', "at least one of wetlands, lakes, streams"),
        ('[project]\nrule = "a"\n[layers]\nwetlands = "x.shp"\n', "should be a table"),
        ('[project]\nrule = "a"\n[layers.parcels]\npath="x"\ntable="y"\n[layers.lakes]\npath="x"\n', "only soils"),
        ('[project]\nrule = "a"\n[layers.lakes]\npath="x"\ndefaults.class = ["a"]\n', "should be one value"),
        ('[project]\nrule = "a"\n[layers.lakes]\npath=""\n', "should be text in quotes"),
    ],
)
def test_each_fault_is_told(tmp_path, text, words):
    assert words in faults_of(tmp_path, text)


def test_a_missing_file_says_what_to_name(tmp_path):
    with pytest.raises(ProjectError, match="there is no project file"):
        load_project(tmp_path / "no.toml")
    with pytest.raises(ProjectError, match=r"wetgeo\.toml"):
        load_project(tmp_path)


def test_a_file_that_is_no_text_is_told(tmp_path):
    (tmp_path / "wetgeo.toml").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(ProjectError, match="cannot be read"):
        load_project(tmp_path)
