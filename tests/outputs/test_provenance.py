"""provenance.json: what made the outputs, from which files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pyogrio
import pyproj
import shapely
from delineated import UTM, delineation, resources

import wetgeo
from wetgeo.outputs.provenance import input_files
from wetgeo.outputs.write import write_outputs


def _written(tmp_path: Path, **changes: object) -> dict[str, object]:
    write_outputs(delineation(tmp_path, **changes), tmp_path / "out", overwrite=True, formats=("gpkg",))
    return json.loads((tmp_path / "out" / "provenance.json").read_text(encoding="utf-8"))


def test_what_made_the_outputs(tmp_path: Path) -> None:
    made = _written(tmp_path, options={"reductions": "both", "bend_tolerance": 5})
    assert (made["wetgeo"], made["command"], made["application_date"]) == (wetgeo.__version__, "run", "2026-06-01")
    assert made["project"]["name"] == "Łąka"
    assert made["project"]["sha256"] == hashlib.sha256((tmp_path / "wetgeo.toml").read_bytes()).hexdigest()
    assert (made["rule"]["id"], made["rule"]["sha256"], made["rule"]["effective"]) == (
        "mcwd-2024",
        "0" * 64,
        "2024-04-29",
    )
    assert made["options"] == {"reductions": "both", "bend_tolerance": 5}
    assert (made["crs"]["name"], made["crs"]["unit"], made["crs"]["unit_m"]) == ("NAD83 / UTM zone 15N", "metre", 1.0)
    assert pyproj.CRS(made["crs"]["wkt"]) == UTM
    assert (made["layers"]["resources"], made["layers"]["zones"], made["layers"]["findings"]) == (3, 0, 1)
    assert made["versions"]["GEOS (shapely)"] == shapely.geos_version_string
    assert made["files"] == ["buffers.gpkg", "provenance.json"]


def test_all_parts_of_the_inputs_are_hashed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    pyogrio.write_dataframe(resources()[["class", "geometry"]], folder / "wet.shp", encoding="UTF-8")
    (folder / "wet.other").write_text("no part")
    (folder / "soil.gdb").mkdir()
    (folder / "soil.gdb" / "a00000001.gdbtable").write_bytes(b"x" * (2**20 + 1))
    (folder / "dem.tif").write_bytes(b"II")
    (folder / "dem.tif.aux.xml").write_text("<a/>")
    (folder / "ROAD.SHP").write_bytes(b"")
    (folder / "ROAD.DBF").write_bytes(b"1")
    names = ["wet.shp", "soil.gdb", "dem.tif", "ROAD.SHP", "wet.shp", "gone.gpkg"]
    made = _written(tmp_path, inputs=[folder / name for name in names])["inputs"]
    paths = [entry["path"] for entry in made]
    assert sorted(paths) == sorted(
        f"data/{name}"
        for name in [
            *("ROAD.DBF", "ROAD.SHP", "dem.tif", "dem.tif.aux.xml", "gone.gpkg", "soil.gdb/a00000001.gdbtable"),
            *(f"wet.{end}" for end in ("cpg", "dbf", "prj", "shp", "shx")),
        ]
    )
    for entry in made:
        path = tmp_path / entry["path"]
        if path.name == "gone.gpkg":
            assert entry["sha256"] is entry["size"] is None
        else:
            assert (entry["size"], entry["sha256"]) == (
                path.stat().st_size,
                hashlib.sha256(path.read_bytes()).hexdigest(),
            )


def test_a_geopackage_in_use_counts_with_its_log(tmp_path: Path) -> None:
    for name in ("a.gpkg", "a.gpkg-wal", "a.gpkg-shm"):
        (tmp_path / name).write_text("")
    assert [path.name for path in input_files([tmp_path / "a.gpkg"])] == ["a.gpkg", "a.gpkg-wal"]


def test_inputs_outside_the_projects_folder_are_relative_too(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "dem.tif").write_text("")
    write_outputs(
        delineation(tmp_path / "site", inputs=[tmp_path / "dem.tif"]), tmp_path / "out", overwrite=False, formats=()
    )
    made = json.loads((tmp_path / "out" / "provenance.json").read_text(encoding="utf-8"))
    assert [entry["path"] for entry in made["inputs"]] == ["../dem.tif"]
