"""The plugin, installed from its zip into a clean profile: what it offers, and that its numbers are the commands'."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path

import geopandas as gpd
import pandas as pd
import plugin_jobs
import pyogrio
import pytest
import qgis_program

ALGORITHMS = (
    "checkaveraging", "designaveraging", "doctor", "impacts", "placemonuments", "requiredbuffers", "screen",
    "writeproject",
)  # fmt: skip


@pytest.fixture(scope="module")
def home(qgis_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profile")


@pytest.fixture(scope="module")
def plugins(home: Path) -> Path:
    return plugin_jobs.install(home, home / "dist")


@pytest.fixture(scope="module")
def wetgeo(home: Path) -> dict[str, str]:
    return {"WETGEO_PYTHON": str(plugin_jobs.program(home))}


@pytest.fixture(scope="module")
def site(samples: Path) -> Path:
    return samples / "site.gpkg"


@pytest.fixture(scope="module")
def projects(sample_project) -> dict[str, Path]:
    return {name: sample_project(name) for name in ("mcwd", "cmscwd")}


@pytest.fixture(scope="module")
def jobs(projects: dict[str, Path], site: Path, home: Path) -> dict[str, dict[str, object]]:
    """A job for each algorithm on the sample site."""

    def layer(name: str, **more: object) -> dict[str, object]:
        return {"source": f"{site}|layername={name}", **more}

    mcwd, cmscwd = (plugin_jobs.parameters(projects[name]) for name in ("mcwd", "cmscwd"))
    memory = {**mcwd, "WETLANDS": {"copy_of": f"{site}|layername=wetlands", "subset": "STATUS = 'delineated'"}}
    chosen = {**mcwd, "WETLANDS": layer("wetlands", selected="\"STATUS\" = 'delineated'")}
    mine = {
        "requiredbuffers": (cmscwd, {}),
        "placemonuments": (memory, {}),
        "checkaveraging": (chosen, {"PROPOSED": layer("proposed_buffer")}),
        "designaveraging": (mcwd, {"KEEP_OUT": layer("keep_out"), "PREFER": "near"}),
        "impacts": (mcwd, {"DISTURBANCE": layer("new_impervious"), "CAUSE": "fill"}),
        "screen": (mcwd, {"DISTURBANCE": layer("new_impervious"), "CAUSE": "fill"}),
        "writeproject": (chosen, {}),
        "doctor": (mcwd, {"REMARKS": {"sink": str(home / "remarks.gpkg")}, "PAGE": str(home / "doctor.html")}),
    }
    made = {}
    for name, (given, more) in mine.items():
        place: dict[str, object] = {"FOLDER": str(home / name), "FORMATS": []}
        if name == "writeproject":
            place = {"PROJECT": str(home / "written.toml")}
        elif name == "placemonuments":
            del place["FORMATS"]  # its own
        elif name == "doctor":
            place = {}
        made[name] = {
            "id": f"wetgeo:{name}",
            "parameters": {**given, **more, **place},
            "load": name in ("checkaveraging", "doctor"),
        }
    return made


@pytest.fixture(scope="module")
def told(home: Path, plugins: Path, wetgeo: dict[str, str], jobs):
    found = plugin_jobs.run_jobs(home, plugins, list(jobs.values()), home, **wetgeo)
    found["by_name"] = dict(zip(jobs, found["jobs"], strict=True))
    return found


@pytest.fixture(scope="module")
def commands(projects: dict[str, Path], site: Path, run_wetgeo, told, home: Path) -> dict[str, Path]:
    """The output folders of the same commands."""
    words = {
        "requiredbuffers": ("run", projects["cmscwd"]),
        "placemonuments": ("run", projects["mcwd"]),
        "checkaveraging": ("check", projects["mcwd"], "--proposed", f"{site}|proposed_buffer"),
        "designaveraging": ("design", projects["mcwd"], "--keep-out", f"{site}|keep_out", "--prefer", "near"),
        "impacts": ("impacts", projects["mcwd"], "--disturbance", f"{site}|new_impervious", "--cause", "fill"),
        "screen": ("screen", projects["mcwd"], "--disturbance", f"{site}|new_impervious", "--cause", "fill"),
        "writeproject": ("run", home / "written.toml"),
    }
    folders = {}
    for name, line in words.items():
        folders[name] = home / "commands" / name
        result = run_wetgeo(*line, "-o", folders[name])
        assert result.code in (0, 3), result.err
    return folders


def _same(one: Path, other: Path) -> None:
    """See that two GeoPackages hold the same layers with the same values and geometries."""
    names = [name for name, _ in pyogrio.list_layers(one)]
    assert names == [name for name, _ in pyogrio.list_layers(other)]
    for name in set(names) - {"layer_styles", "findings"}:
        left, right = (pyogrio.read_dataframe(path, layer=name) for path in (one, other))
        own = [column for column in left.columns if not column.startswith("src_")]
        if isinstance(left, gpd.GeoDataFrame):
            assert left.geometry.to_wkb().equals(right.geometry.to_wkb()), name
            own.remove("geometry")
        pd.testing.assert_frame_equal(pd.DataFrame(left[own]), pd.DataFrame(right[own]), obj=name)


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in ("doctor", "writeproject")])
def test_an_algorithm_gives_the_numbers_of_the_command(told, commands: dict[str, Path], home: Path, name: str) -> None:
    ended = told["by_name"][name]
    assert ended.get("error") is None
    assert ended["succeeded"]
    assert ended["results"]["FOLDER"] == str(home / name)
    _same(home / name / "buffers.gpkg", commands[name] / "buffers.gpkg")


def test_a_project_written_from_layers_gives_the_same_numbers(told, commands: dict[str, Path], home: Path) -> None:
    assert told["by_name"]["writeproject"]["results"] == {"PROJECT": str(home / "written.toml")}
    assert (home / "written_inputs.gpkg").exists()  # for the selection; the other layers stay where they are
    assert [name for name, _ in pyogrio.list_layers(home / "written_inputs.gpkg")] == ["wetlands"]
    _same(commands["writeproject"] / "buffers.gpkg", commands["placemonuments"] / "buffers.gpkg")


def test_doctor_tells_what_the_command_tells(told, projects: dict[str, Path], home: Path, run_wetgeo) -> None:
    ended = told["by_name"]["doctor"]
    assert ended.get("error") is None
    document = json.loads(run_wetgeo("doctor", projects["mcwd"], "--json").out)
    counts = {severity.upper(): document["counts"][severity] for severity in ("error", "warning", "info")}
    assert ended["results"] == {
        "RUNS": True, **counts, "REMARKS": str(home / "remarks.gpkg"), "PAGE": str(home / "doctor.html")
    }  # fmt: skip
    points = gpd.read_file(home / "remarks.gpkg")
    assert points.crs == document["crs"]
    names = ["severity", "code", "layer", "feature_id", "mend"]
    assert points[names].to_numpy().tolist() == [[remark[name] for name in names] for remark in document["remarks"]]
    there = points[~points.geometry.isna()]
    places = [[remark["x"], remark["y"]] for remark in document["remarks"] if remark["x"] is not None]
    assert places
    assert there.get_coordinates().to_numpy().tolist() == [pytest.approx(place, abs=1e-6) for place in places]
    assert [(layer["title"], layer["renderer"]) for layer in ended["loaded"]] == [("Remarks", "categorizedSymbol")]
    assert "/wetgeo-qgis-" not in (home / "doctor.html").read_text(encoding="utf-8")


def test_what_was_run_can_be_run_again(told, home: Path, run_wetgeo, tmp_path: Path) -> None:
    kept = home / "requiredbuffers" / "inputs"
    assert sorted(path.name for path in kept.iterdir()) == ["inputs.gpkg", "wetgeo.toml"]
    result = run_wetgeo("run", kept, "-o", tmp_path / "again")
    assert result.code == 0, result.err
    _same(tmp_path / "again" / "buffers.gpkg", home / "requiredbuffers" / "buffers.gpkg")


def test_verdicts_and_formats(told, home: Path) -> None:
    assert told["by_name"]["checkaveraging"]["results"]["COMPLIANT"] is False
    design = told["by_name"]["designaveraging"]
    assert design["results"]["COMPLIANT"] is True, design["said"]
    names = {path.name for path in (home / "placemonuments").iterdir()}
    assert {"buffers.gpkg", "monuments.csv", "declaration.txt", "buffers.dxf", "provenance.json"} <= names
    assert "buffers.qgz" not in names
    assert {path.name for path in (home / "impacts").iterdir()} == {"buffers.gpkg", "provenance.json", "inputs"}


def test_layers_load_styled_and_in_order(told) -> None:
    loaded = told["by_name"]["checkaveraging"]["loaded"]
    assert [layer["name"] for layer in loaded] == [
        "violations", "averaging_areas", "proposed", "averaging", "monuments", "edges", "buffers", "resources",
        "parcels", "findings",
    ]  # fmt: skip
    styled = {layer["name"]: layer["renderer"] for layer in loaded}
    assert styled["buffers"] == styled["monuments"] == styled["averaging_areas"] == "categorizedSymbol"
    assert {layer["name"]: layer["title"] for layer in loaded}["buffers"] == "Required buffers"
    assert {layer["name"] for layer in loaded if layer["labels"]} >= {"monuments", "averaging_areas", "violations"}


def test_progress_and_messages_come_through(told) -> None:
    ended = told["by_name"]["requiredbuffers"]
    assert ended["progress"] == sorted(ended["progress"])
    assert len(set(ended["progress"])) > 5
    assert "deciding the widths" in ended["said"]
    assert any(text.startswith("warning: ") and "draft" in text for text in ended["warned"])


def test_all_algorithms_offer_the_rules_with_citations(told) -> None:
    assert sorted(one["id"] for one in told["algorithms"]) == [f"wetgeo:{name}" for name in ALGORITHMS]
    for one in told["algorithms"]:
        assert {"mcwd-2024", "rcwd-rule-m-2004", "cmscwd-2009-draft"} <= set(one["rules"])
        assert one["rules"][-1] == "cmscwd-2009-draft"  # drafts come last
        assert "Minnehaha Creek Watershed District, Minnesota, Wetland Protection Rule" in one["help"]
        assert one["cancels"]
    assert told["unloaded"]


def test_qgis_process_lists_and_runs_them(home: Path, site: Path, plugins: Path, wetgeo: dict[str, str]) -> None:
    environment = qgis_program.environment(home, **wetgeo)

    def process(*words: str) -> str:
        result = subprocess.run(
            [qgis_program.PROCESS, *words],
            env=environment, capture_output=True, text=True, check=False, timeout=qgis_program.SECONDS,
        )  # fmt: skip
        return result.stdout

    assert "Enabled wetgeo_qgis" in process("plugins", "enable", "wetgeo_qgis")
    listed = process("list")
    for name in ALGORITHMS:
        assert f"wetgeo:{name}\t" in listed
    said = process(
        "run", "wetgeo:requiredbuffers", "--", "RULE=rcwd-rule-m-2004", f"WETLANDS={site}|layername=wetlands",
        "WETLANDS_ID=WET_ID", "WETLANDS_CENTRAL=CENTRAL", "CRS=EPSG:26915", f"FOLDER={home / 'processed'}",
    )  # fmt: skip
    assert "OUTPUT_BUFFERS" in said
    assert pyogrio.read_info(home / "processed" / "buffers.gpkg", layer="buffers")["features"] > 0


@pytest.mark.real
@pytest.mark.slow
def test_a_real_city_gives_the_numbers_of_the_command(
    home: Path, plugins: Path, wetgeo: dict[str, str], shared: Path, run_wetgeo, tmp_path: Path
) -> None:
    feet = shared / "data" / "bangor-me" / "stateplane_ft"
    with zipfile.ZipFile(feet / "Parcels.zip") as packed:
        packed.extractall(tmp_path)
    parcels = next(tmp_path.rglob("*.shp"))
    project = tmp_path / "bangor.toml"
    project.write_text(
        f"""[project]
name = "Bangor"
rule = "rcwd-rule-m-2004"
date = 2026-06-01
[layers.wetlands]
path = '{feet / "Wetland.shp"}'
defaults.central = true
[layers.streams]
path = '{feet / "Stream.shp"}'
[layers.watercourses]
path = '{feet / "River.shp"}'
[layers.parcels]
path = '{parcels}'
fields = {{ id = "MAP_LOT" }}
[outputs]
formats = ["gpkg"]
""",
        encoding="utf-8",
    )
    job = {
        "id": "wetgeo:placemonuments",
        "parameters": {**plugin_jobs.parameters(project), "FOLDER": str(tmp_path / "plugin")},
    }
    (ended,) = plugin_jobs.run_jobs(home, plugins, [job], tmp_path, **wetgeo)["jobs"]
    assert ended.get("error") is None
    result = run_wetgeo("run", project, "-o", tmp_path / "command")
    assert result.code == 0, result.err
    _same(tmp_path / "plugin" / "buffers.gpkg", tmp_path / "command" / "buffers.gpkg")
