"""Jobs that wetgeo does alone: scaling, kill and resume; cold start."""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import pyogrio
import shapely

from .inputs import prepared, prepared_checks
from .measure import Measured, run
from .side import ROOT, Side

ENV = {**os.environ, "PYTHONPATH": str(ROOT)}
#: smaller landscape that time per wetland is compared with
TENTH = 10
#: where a killed run stops: parts of the time that a whole one takes
KILLED = (0.3, 0.5, 0.7)
#: layers that two runs are compared by
LAYERS = ("buffers", "buffer_union", "edges", "monuments", "monument_proof", "parcels", "findings")
#: real project for the cold start, below the folder of real data
REAL = "data/wimauma-fl"


def wetgeo(*words: str) -> list[str]:
    """Return the command line."""
    return [sys.executable, "-m", "wetgeo", *words]


def scaling(side: Side, wetlands: int, repeats: int) -> dict[str, Any]:
    """B11: time per wetland by size and by workers; kill and resume."""
    rows: list[dict[str, str]] = []
    small = _scaled(side, max(wetlands // TENTH, 100), 1, repeats)
    one, two = (_scaled(side, wetlands, workers, repeats) for workers in (1, 2))
    for size, workers, runs in ((max(wetlands // TENTH, 100), 1, small), (wetlands, 1, one), (wetlands, 2, two)):
        said = (
            f"{_median(runs):.1f} s, {_median(runs) / size * 1000:.2f} ms a wetland" if runs else "failed, or over time"
        )
        peak = max((r.peak_mb for r in runs), default=math.nan)
        rows.append(_row(f"{size:,} wetlands, --workers {workers}", f"{said}; peak {peak:,.0f} MB", ""))
    if small and one:
        grown = _median(one) / wetlands / (_median(small) / max(wetlands // TENTH, 100))
        rows.append(_row("time per wetland, of that at a tenth", f"{grown:.2f}", "at most 1.2"))
    if one and two:
        rows.append(_row("two workers, times as fast as one", f"{_median(one) / _median(two):.2f}", "at least 1.8"))
        rows.append(_row("one and two workers, same answers", _same(side, wetlands, ("1", "2")), "same"))
        rows.append(_killed(side, wetlands, _median(two)))
    return {"job": "B11", "title": "scaling by size and workers, kill and resume", "rows": rows}


def _out(side: Side, wetlands: int, name: str) -> Path:
    return side.work / "out" / f"B11-{wetlands}-{name}"


def _scaled(side: Side, wetlands: int, workers: int, repeats: int) -> list[Measured]:
    data, out = prepared(side.work, wetlands), _out(side, wetlands, str(workers))
    out.parent.mkdir(parents=True, exist_ok=True)
    runs = []
    for _ in range(max(repeats, 1)):
        shutil.rmtree(out, ignore_errors=True)
        command = wetgeo("run", str(data), "-o", str(out), "--workers", str(workers), "-q")
        runs.append(run(command, log=out.with_suffix(".log"), env=ENV, limit=side.limit))
    return [measured for measured in runs if measured.status == "done"]


def _median(runs: Sequence[Measured]) -> float:
    return statistics.median(measured.seconds for measured in runs)


def _same(side: Side, wetlands: int, names: tuple[str, str]) -> str:
    one, other = (answer_hash(_out(side, wetlands, name) / "buffers.gpkg") for name in names)
    return "same" if one == other else "DIFFERENT: " + ", ".join(k for k in one if one[k] != other.get(k))


def _killed(side: Side, wetlands: int, whole: float) -> dict[str, str]:
    """Kill a run with two workers, three times, and let the same command finish it."""
    data, out = prepared(side.work, wetlands), _out(side, wetlands, "killed")
    shutil.rmtree(out, ignore_errors=True)
    command = wetgeo("run", str(data), "-o", str(out), "--workers", "2", "-q")
    for part in KILLED:
        with out.with_suffix(".log").open("wb") as log:
            process = subprocess.Popen(command, env=ENV, stdout=log, stderr=log, start_new_session=True)
        time.sleep(part * whole)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    last = run(command, log=out.with_suffix(".log"), env=ENV, limit=side.limit)
    said = _same(side, wetlands, ("2", "killed")) if last.status == "done" else f"{last.status}: {last.said[-200:]}"
    return _row(f"killed {len(KILLED)} times, then finished in {last.seconds:.1f} s", said, "same")


def answer_hash(file: Path) -> dict[str, str]:
    """Hash the values and geometries of each layer of an output, whatever the order of its rows."""
    there = {name for name, _ in pyogrio.list_layers(file)}
    return {name: _layer_hash(file, name) for name in LAYERS if name in there}


def _layer_hash(file: Path, layer: str) -> str:
    frame = pyogrio.read_dataframe(file, layer=layer)
    values = pd.DataFrame(frame.drop(columns="geometry", errors="ignore"))
    rows = [repr(row) for row in values.itertuples(index=False, name=None)]
    if isinstance(frame, gpd.GeoDataFrame):
        shapes = shapely.to_wkb(frame.geometry.to_numpy())
        rows = [row + shape.hex() for row, shape in zip(rows, shapes, strict=True)]
    return hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()


def cold_start(side: Side, _wetlands: int, repeats: int) -> dict[str, Any]:
    """B12: how long a person waits for the first answer of a fresh process."""
    one, out = prepared_checks(side.work, 1), side.work / "out" / "B12"
    out.mkdir(parents=True, exist_ok=True)
    given = os.environ.get("WETGEO_SHARED")
    real = (Path(given) if given else ROOT.parent / "shared") / REAL
    commands = {
        ("wetgeo --help", "under 0.3 s"): wetgeo("--help"),
        ("wetgeo check, one wetland", "under 2 s"): wetgeo(
            "check", str(one), "--proposed", f"{one / 'inputs.gpkg'}|proposed", "-o", str(out / "check"), "--overwrite"
        ),
    }
    if real.exists():
        project = out / "wetgeo.toml"
        project.write_text(REAL_PROJECT.format(folder=real.as_posix()), encoding="utf-8")
        commands["wetgeo run, wimauma-fl", "under 3 s"] = wetgeo(
            "run", str(project), "-o", str(out / "run"), "--overwrite"
        )
    rows = []
    for (what, asked), command in commands.items():
        # the first run leaves compiled code and files in their caches; exit code 3: done, and not compliant
        runs = [run(command, log=out / "log.txt", env=ENV, limit=side.limit, fine=(0, 3)) for _ in range(repeats + 1)]
        said = f"{_median(runs[1:] or runs):.2f} s (first {runs[0].seconds:.2f} s)"
        failed = [measured.said for measured in runs if measured.status != "done"]
        rows.append(_row(what, f"failed: {failed[0][-200:]}" if failed else said, asked))
    return {"job": "B12", "title": "cold start", "rows": rows}


REAL_PROJECT = """\
[project]
name = "Wimauma"
rule = "mcwd-2024"
crs = "auto"
date = 2026-06-01
[layers.wetlands]
path = "{folder}/Wetlands.geojson"
defaults.class = "Manage 1"
[layers.tract]
path = "{folder}/Project.geojson"
[layers.parcels]
path = "{folder}/Project.geojson"
"""


def _row(what: str, measured: str, asked: str) -> dict[str, str]:
    return {"what": what, "measured": measured, "asked": asked}


SOLO: dict[str, Callable[[Side, int, int], dict[str, Any]]] = {"B11": scaling, "B12": cold_start}
