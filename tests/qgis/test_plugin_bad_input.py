"""What a user may do wrong in the plugin's dialogs: a clear message, and nothing half-written."""

from __future__ import annotations

from pathlib import Path

import plugin_jobs
import pytest
from test_plugin import ALGORITHMS, home, plugins, site, wetgeo  # noqa: F401 -- fixtures

BUFFERS, DOCTOR = "wetgeo:requiredbuffers", "wetgeo:doctor"


@pytest.fixture(scope="module")
def told(site: Path, home: Path, plugins: Path, wetgeo: dict[str, str]):  # noqa: F811 -- fixtures
    wetlands = {"source": f"{site}|layername=wetlands", "subset": "STATUS = 'delineated'"}
    good = {"RULE": "mcwd-2024", "WETLANDS": wetlands, "WETLANDS_ID": "WET_ID", "WETLANDS_CLASS": "MGMT_CLASS"}
    nowhere = {"copy_of": f"{site}|layername=wetlands", "crs": ""}
    keep_out = {"source": f"{site}|layername=keep_out"}
    jobs = {
        "no_crs": {"parameters": {**good, "WETLANDS": nowhere}},
        "no_class": {"parameters": {**good, "WETLANDS_CLASS": "VEGETATION"}},
        "nothing_selected": {"parameters": {**good, "WETLANDS": {**wetlands, "selected": "false"}}},
        "nothing_selected_beside": {
            "id": "wetgeo:designaveraging",
            "parameters": {**good, "KEEP_OUT": {**keep_out, "selected": "false"}},
        },
        "no_resources": {"parameters": {"RULE": "mcwd-2024", "PARCELS": {"source": f"{site}|layername=parcels"}}},
        "no_raster": {"parameters": {**good, "DEM": str(home / "nowhere.tif")}},
        "no_raster_file": {
            "parameters": {**good, "DEM": {"raster": "type=xyz&url=file:///{x}/{y}/{z}.png", "provider": "wms"}}
        },
        "no_option": {"parameters": {**good, "OPTIONS": ["triger", "stormwater"]}},
        "several": {
            "parameters": {
                **good,
                "WETLANDS": nowhere,
                "PARCELS": {"copy_of": f"{site}|layername=parcels", "crs": ""},
                "DEM": str(home / "nowhere.tif"),
            }
        },
        "doctor_no_crs": {"id": DOCTOR, "parameters": {**good, "WETLANDS": nowhere}},
        "doctor_no_class": {"id": DOCTOR, "parameters": {**good, "WETLANDS_CLASS": "VEGETATION"}},
        "doctor_no_raster": {"id": DOCTOR, "parameters": {**good, "DEM": str(home / "nowhere.tif")}},
        "cancelled": {"parameters": good, "cancel_at": 25},
        "good": {"parameters": {**good, "FOLDER": str(home / "kept")}},
        "cancelled_over": {"parameters": {**good, "FOLDER": str(home / "kept"), "OVERWRITE": True}, "cancel_at": 80},
        "there_already": {"parameters": {**good, "FOLDER": str(home / "kept")}},
    }
    for name, job in jobs.items():
        if job.setdefault("id", BUFFERS) == DOCTOR:
            job["parameters"]["PAGE"] = str(home / f"{name}.html")
            continue
        job["parameters"].setdefault("FOLDER", str(home / name))
        job["parameters"]["FORMATS"] = ["csv"]
    found = plugin_jobs.run_jobs(home, plugins, list(jobs.values()), home, **wetgeo)["jobs"]
    return dict(zip(jobs, found, strict=True))


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("no_crs", ["Wetlands: layer layer in memory has no CRS", "Set Layer CRS"]),
        ("no_class", ["Error: layer wetlands", "inputs.gpkg", "Preserve", "To mend it:", "In this dialog, "]),
        ("nothing_selected", ["Wetlands: layer layer of the user gives no features", "Selected features only"]),
        ("nothing_selected_beside", ["What must stay out: layer layer of the user gives no features"]),
        ("no_resources", ["No resources: give wetlands, lakes or streams."]),
        ("no_raster", ["Elevations (DEM): there is no such raster", "nowhere.tif"]),
        ("no_raster_file", ["Elevations (DEM)"]),
        ("no_option", ["Error: ", "triger", "did you mean"]),
        ("several", ["Wetlands: layer", "Parcels: layer", "Elevations (DEM): there is no such raster"]),
    ],
)
def test_a_fault_is_told_and_nothing_is_written(told, home: Path, name: str, sentences: list[str]) -> None:  # noqa: F811
    for sentence in sentences:
        assert sentence in told[name]["error"]
    assert "Traceback" not in told[name]["error"]
    assert "/tmp/wetgeo-qgis" not in told[name]["error"]
    assert not list((home / name).rglob("*"))


@pytest.mark.parametrize(("name", "word"), [("doctor_no_crs", "CRS"), ("doctor_no_class", "Preserve")])
def test_doctor_tells_the_fault_and_where(told, home: Path, name: str, word: str) -> None:  # noqa: F811
    ended = told[name]
    assert ended.get("error") is None
    assert ended["results"]["RUNS"] is False
    assert ended["results"]["ERROR"] >= 1
    page = (home / f"{name}.html").read_text(encoding="utf-8")
    assert word in page
    assert "/tmp/wetgeo-qgis" not in page


def test_doctor_itself_needs_rasters_that_are_files(told, home: Path) -> None:  # noqa: F811
    assert "Elevations (DEM): there is no such raster" in told["doctor_no_raster"]["error"]
    assert not (home / "doctor_no_raster.html").exists()


def test_cancelled_half_way_leaves_nothing(told, home: Path) -> None:  # noqa: F811
    assert told["cancelled"]["results"] == {}
    assert "Cancelled: nothing was written." in told["cancelled"]["said"]
    assert not list((home / "cancelled").rglob("*"))


def test_cancelled_over_earlier_outputs_leaves_them(told, home: Path) -> None:  # noqa: F811
    assert told["good"].get("error") is None
    assert told["cancelled_over"]["results"] == {}
    assert not list((home / "kept").glob(".wetgeo*"))
    assert "outputs of an earlier run stand in" in told["there_already"]["error"]
    assert "In this dialog, --overwrite is: Replace what stands there." in told["there_already"]["error"]
    assert (home / "kept" / "buffers.gpkg").is_file()


def test_without_wetgeo_it_says_how_to_install_it(site: Path, home: Path, plugins: Path) -> None:  # noqa: F811
    wetlands = {"source": f"{site}|layername=wetlands"}
    job = {"id": BUFFERS, "parameters": {"WETLANDS": wetlands, "FOLDER": str(home / "absent")}}
    for more, sentence in (
        ({}, "wetgeo itself was not found"),
        ({"WETGEO_PYTHON": str(home / "no-python")}, "which the settings name as wetgeo's Python, is not there"),
        ({"WETGEO_PYTHON": "/usr/bin/python3"}, "does not run wetgeo: it is not installed there"),
    ):
        told = plugin_jobs.run_jobs(home, plugins, [job], home, **more)
        assert sentence in told["jobs"][0]["error"]
        assert "pip install" in told["jobs"][0]["error"]
        assert len(told["algorithms"]) == len(ALGORITHMS)
    assert not (home / "absent").exists()
