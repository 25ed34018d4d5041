"""The outputs one by one in a real QGIS: the GeoPackage alone, shapefiles, and files that are held open."""

from __future__ import annotations

import csv
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pyogrio
import qgis_program

from wetgeo.layers import LAYERS


def _sound(path: Path) -> int:
    """See that a GeoPackage is whole, and count its buffers."""
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (count,) = base.execute("SELECT count(*) FROM buffers").fetchone()
    return int(count)


def test_each_layer_of_the_geopackage_opens_with_its_style(qgis, judged: Path) -> None:
    path = judged / "buffers.gpkg"
    names = [name for name, _ in pyogrio.list_layers(path) if name != "layer_styles"]
    found = qgis("open_layers.py", *(f"{path}|{name}" for name in names))
    for name in names:
        layer = found[f"{path}|{name}"]
        assert layer["valid"]
        assert layer["renderer"] == (
            None
            if LAYERS[name].geometry is None
            else "singleSymbol"
            if name in {"violations", "proposed", "parcels", "buffer_union", "flow_paths", "access"}
            else "categorizedSymbol"
        ), name
    labelled = {name for name in names if found[f"{path}|{name}"]["labels"]}
    assert labelled == {"resources", "buffers", "parcels", "monuments", "averaging_areas", "violations"}
    assert found[f"{path}|buffers"]["legend"] == [
        "Wetland, Preserve", "Wetland, Manage 1", "Wetland, Manage 2", "Wetland, Manage 3"
    ]  # fmt: skip


def test_shapefiles_say_the_same_as_the_geopackage(qgis, delineated: Path) -> None:
    with (delineated / "shapefiles" / "fields.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    long_names = {(row["layer"], row["short"]): row["full_name"] for row in rows}
    names = [name for name, schema in LAYERS.items() if "run" in schema.commands]
    shapes = {
        name: str(delineated / "shapefiles" / f"{name}{'.shp' if LAYERS[name].geometry else '.dbf'}") for name in names
    }
    sources = {name: f"{delineated / 'buffers.gpkg'}|{name}" for name in names}
    found = qgis("open_layers.py", *shapes.values(), *sources.values())
    for name in names:
        short, full = found[shapes[name]], found[sources[name]]
        assert short["valid"], name
        assert short["encoding"] == "UTF-8"
        assert short["crs"] == full["crs"]
        assert [long_names[name, field] for field, _, _ in short["fields"]] == [f for f, _, _ in full["fields"][1:]]
        assert len(short["rows"]) == len(full["rows"])
        for one, other in zip(short["rows"], full["rows"], strict=True):
            assert [_loose(value) for value in one] == [_loose(value) for value in other[1:]], name


def _loose(value: object) -> object:
    """In a dBASE table, null and empty text are alike, and true and false are 1 and 0."""
    if isinstance(value, bool):
        return float(value)
    return float(f"{value:.9g}") if isinstance(value, int | float) else value or None


@contextmanager
def _held(home: Path, project: Path) -> Iterator[None]:
    """QGIS with all layers of a project open."""
    command = [qgis_program.PYTHON, str(qgis_program.INSIDE / "hold_layers.py"), str(project)]
    with subprocess.Popen(
        command,
        env=qgis_program.environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as program:
        assert program.stdout.readline() == "held\n"
        yield
        program.communicate("\n", timeout=qgis_program.SECONDS)


def test_a_run_over_files_that_qgis_reads_says_so_and_breaks_nothing(
    qgis, qgis_home: Path, sample_project, run_wetgeo, delineated: Path
) -> None:
    project = sample_project("rcwd")
    out = project.parent / "out"
    shutil.copytree(delineated, out)
    before = _sound(out / "buffers.gpkg")
    with _held(qgis_home, out / "buffers.qgz"):
        result = run_wetgeo("run", project, "-o", out, "--overwrite")
        if result.code == 0:
            assert _sound(out / "buffers.gpkg") != before
        else:
            assert result.code == 1
            assert "buffers.gpkg is open in another program" in result.err
            assert "in QGIS: remove its layers, or close the project" in result.err
            assert _sound(out / "buffers.gpkg") == before
            assert not list(out.glob(".wetgeo*"))
    assert run_wetgeo("run", project, "-o", out, "--overwrite").code == 0
    assert _sound(out / "buffers.gpkg") != before
    source = f"{out / 'buffers.gpkg'}|buffers"
    assert qgis("open_layers.py", source)[source]["legend"] == ["Wetland"]
