"""The files that all programs read, made once for a landscape: no program's time counts this."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import shapely
from shapely.affinity import translate

from wetgeo.kernels.offset import CHORD_TOLERANCE_FT
from wetgeo.rules import provisions as law
from wetgeo.rules.load import load_pack

FT = 0.3048
#: what older GDAL reads without a warning
LAYER_OPTIONS = {"dataset_options": {"VERSION": "1.2"}, "engine": "pyogrio"}
PACK = "mcwd-2024"
#: provisions that no peer has are switched off: monuments at bends, and lots with a token edge
OPTIONS = '[options]\nbend_tolerance = "100000 ft"\ntoken_edge_length = "0 ft"\n\n'


def prepared(work: Path, wetlands: int) -> Path:
    """Make the landscape and the inputs of single jobs, unless they are there; return their folder.

    ``inputs.gpkg`` has wetlands (with base_m, floor_m and segs, the chords of a quarter circle that keep the promise),
    parcels, soils, buffers (at the base width) and rings (buffers less all wetlands); ``rule.json`` what scripts need
    of the rule; ``wetgeo.toml`` the project of the whole rule, without what no peer has.
    """
    folder = work / f"landscape-{wetlands}"
    done = folder / "rule.json"
    if not done.exists():
        maker = Path(__file__).parents[1] / "make_landscape.py"
        subprocess.run([sys.executable, str(maker), str(folder), "--wetlands", str(wetlands)], check=True)
        rule = _rule()
        _write_inputs(folder, rule)
        project = folder / "wetgeo.toml"
        text = project.read_text(encoding="utf-8").replace("landscape.gpkg", "inputs.gpkg")
        project.write_text(text.replace("[layers.wetlands]", OPTIONS + "[layers.wetlands]", 1), encoding="utf-8")
        done.write_text(json.dumps(rule, indent=1), encoding="utf-8")
    return folder


def _rule() -> dict[str, Any]:
    """Take the figures of the rule from its pack; lengths in metres."""
    pack = load_pack(PACK, Path.cwd())
    rows = [row for table in pack.all(law.ClassWidth) for row in table.rows]
    (slope,), (soil,), (stakes,) = pack.all(law.SlopeCut), pack.all(law.SoilCut), pack.all(law.Monuments)
    return {
        "classes": {
            row.class_name: {"base_m": row.base.value * FT, "floor_m": (row.floor or row.base).value * FT}
            for row in rows
        },
        "slope_below": slope.below.value,
        "slope_step": slope.step.value,
        "slope_cut_m": slope.cut.value * FT,
        "soil_cut_m": soil.cut.value * FT,
        "interval_m": stakes.interval.value * FT,
        "chord_m": CHORD_TOLERANCE_FT * FT,
    }


def segments(radius: float, chord: float) -> int:
    """Count the chords of a quarter circle that stray from it by at most `chord`."""
    return math.ceil(math.pi / 4 / math.acos(1 - chord / radius))


def _write_inputs(folder: Path, rule: dict[str, Any]) -> None:
    target, source = folder / "inputs.gpkg", folder / "landscape.gpkg"
    target.unlink(missing_ok=True)
    wetlands = gpd.read_file(source, layer="wetlands")
    classes: dict[str, dict[str, float]] = rule["classes"]
    for column in ("base_m", "floor_m"):
        wetlands[column] = wetlands["MGMT_CLASS"].map({name: row[column] for name, row in classes.items()})
    wetlands["segs"] = [segments(width, rule["chord_m"]) for width in wetlands["base_m"]]
    shapes = wetlands.geometry.to_numpy()
    drawn = shapely.buffer(shapes, wetlands["base_m"].to_numpy(), quad_segs=1)
    for count in wetlands["segs"].unique():
        rows = (wetlands["segs"] == count).to_numpy()
        drawn[rows] = shapely.buffer(shapes[rows], wetlands["base_m"].to_numpy()[rows], quad_segs=int(count))
    buffers = wetlands[["WET_ID", "MGMT_CLASS"]].set_geometry(drawn, crs=wetlands.crs)
    wetlands.to_file(target, layer="wetlands", **LAYER_OPTIONS)
    for layer in ("parcels", "soils"):
        gpd.read_file(source, layer=layer).to_file(target, layer=layer, **LAYER_OPTIONS)
    buffers.to_file(target, layer="buffers", **LAYER_OPTIONS)
    rings = buffers.set_geometry(_rings(drawn, shapes), crs=wetlands.crs)
    rings.to_file(target, layer="rings", promote_to_multi=True, **LAYER_OPTIONS)


def _rings(buffers: np.ndarray, wetlands: np.ndarray) -> np.ndarray:
    """Take all wetlands away from each buffer."""
    rings = buffers.copy()
    row, column = shapely.STRtree(wetlands).query(buffers, predicate="intersects")
    near = gpd.GeoSeries(wetlands[column]).groupby(row).agg(lambda shapes: shapely.union_all(shapes.to_numpy()))
    rings[near.index] = shapely.difference(buffers[near.index], near.to_numpy())
    return rings


#: ground of one wetland in the averaging checks, metres: none meets another
APART = 500.0
CHECKS_PROJECT = f"""\
[project]
name = "Averaging checks"
rule = "{PACK}"
crs = "EPSG:26915"
date = 2026-06-01
output = "out"

[options]
reductions = "none"

[layers.wetlands]
path = "inputs.gpkg"
layer = "wetlands"
fields = {{ id = "WET_ID", class = "MGMT_CLASS" }}

[outputs]
formats = ["gpkg"]
"""


def prepared_checks(work: Path, count: int = 1_000) -> Path:
    """Make wetlands that stand alone, each with a proposed buffer, narrow in the west and too wide in the east."""
    folder = work / f"checks-{count}"
    if (folder / "rule.json").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    source = prepared(work, max(count, 1_000))
    wetlands = gpd.read_file(source / "inputs.gpkg", layer="wetlands").head(count)
    number = np.arange(len(wetlands))
    centres = shapely.get_coordinates(shapely.centroid(wetlands.geometry.to_numpy()))
    places = np.column_stack([450_000 + number % 50 * APART, 4_970_000 + number // 50 * APART])
    shapes = np.array(
        [translate(shape, *move) for shape, move in zip(wetlands.geometry, places - centres, strict=True)], dtype=object
    )
    base = wetlands["base_m"].to_numpy()
    narrow, wide = (shapely.buffer(shapes, share * base, quad_segs=32) for share in (0.4 + number % 5 * 0.15, 2.2))
    east = shapely.box(places[:, 0], places[:, 1] - APART, places[:, 0] + APART, places[:, 1] + APART)
    proposed = shapely.difference(shapely.union(narrow, shapely.intersection(wide, east)), shapes)
    file = folder / "inputs.gpkg"
    wetlands.set_geometry(shapes, crs=wetlands.crs).to_file(file, layer="wetlands", **LAYER_OPTIONS)
    drawn = wetlands[["WET_ID"]].set_geometry(proposed, crs=wetlands.crs)
    drawn.to_file(file, layer="proposed", promote_to_multi=True, **LAYER_OPTIONS)
    (folder / "wetgeo.toml").write_text(CHECKS_PROJECT, encoding="utf-8")
    shutil.copy(source / "rule.json", folder / "rule.json")
    return folder
