"""scripts/verify agrees with what wetgeo writes, and notices each thing that is changed afterwards."""

from __future__ import annotations

import ast
import importlib
import json
import shutil
import sqlite3
import subprocess
import sys

import bangor
import geopandas as gpd
import pyogrio
import pytest
import shapely
from places import ROOT
from shapely.affinity import translate

SCRIPTS = ROOT / "scripts"
FORMATS = '\n[outputs]\nformats = ["gpkg", "csv"]\n'
FT = 0.3048


def verify(*folders):
    """Run the script as a program of its own; exit status and what it says."""
    words = [sys.executable, str(SCRIPTS / "verify_run.py"), *map(str, folders)]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "Traceback" not in result.stderr, result.stderr
    return result.returncode, result.stdout + result.stderr


@pytest.fixture(scope="module")
def verify_run():
    """The script as a module."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module("verify_run")
    finally:
        sys.path.remove(str(SCRIPTS))


#: sample, option in the place of its own, and layers that it takes
VARIANTS = {
    "residence": (
        "mcwd",
        'trigger = "new_residence"',
        {"new_impervious": "", "structures": 'fields = { kind = "KIND" }'},
    ),
    "stormwater": ("mcwd", 'trigger = "stormwater"', {"new_impervious": ""}),
    "token": ("mcwd", 'token_edge_length = "400 ft"', {}),
}


def run_sample(run_wetgeo, folder, district):
    sample, option, layers = VARIANTS.get(district, (district, "", {}))
    text = (ROOT / "data_samples" / f"{sample}.toml").read_text(encoding="utf-8")
    if option:
        text = text.replace('reductions = "both"', option)
    for name, lines in layers.items():
        text += f'\n[layers.{name}]\npath = "site.gpkg"\nlayer = "{name}"\n{lines}\n'
    for name in ("site.gpkg", "dem.tif"):
        text = text.replace(f'"{name}"', f'"{(ROOT / "data_samples" / name).as_posix()}"')
    project = folder / f"{district}.toml"
    project.write_text(text + FORMATS, encoding="utf-8")
    out = folder / district
    result = run_wetgeo("run", project, "-o", out)
    assert result.code == 0, result.err
    return out


@pytest.fixture(scope="module")
def samples(tmp_path_factory, run_wetgeo):
    folder = tmp_path_factory.mktemp("samples")
    return {name: run_sample(run_wetgeo, folder, name) for name in ("mcwd", "rcwd", "cmscwd")}


def test_it_agrees_with_the_samples(samples):
    status, told = verify(*samples.values())
    assert status == 0, told
    assert told.count("all agrees") == 3
    assert told.count("agree      widths of buffers, by points") == 3
    assert told.count("agree      widths of buffers, by their outlines") == 3
    assert told.count("agree      monuments at lot lines") == 3
    assert told.count("agree      gaps between monuments") == 3
    assert told.count("agree      vegetated distance behind surfaces") == 2  # the third rule knows none

    # what it does not check, it says
    assert "unchecked  the required width itself" in told
    assert "unchecked  ground that provisions add, and ground beside surfaces that do not count" in told


@pytest.fixture(scope="module")
def variants(tmp_path_factory, run_wetgeo):
    folder = tmp_path_factory.mktemp("variants")
    return {name: run_sample(run_wetgeo, folder, name) for name in VARIANTS}


def test_it_agrees_where_a_trigger_makes_a_part_of_the_edge_subject(variants):
    status, told = verify(variants["residence"], variants["stormwater"])
    assert status == 0, told
    for quantity in ("subject edges that water reaches", "edges that no water reaches", "widths of buffers, by points"):
        assert told.count(f"agree      {quantity}") == 2, told
    assert told.count("agree      width_ft of buffers, by the new structures") == 1
    assert "by a distance transform" not in told


def test_it_agrees_where_lots_of_little_edge_need_no_monuments(variants):
    status, told = verify(variants["token"])
    assert status == 0, told
    line = next(line for line in told.splitlines() if "monuments at lot lines" in line)
    assert " and 0 need none" not in line


@pytest.mark.real
@pytest.mark.slow
def test_it_agrees_with_a_city_of_452_wetlands(shared, tmp_path, run_wetgeo):
    path = tmp_path / "wetgeo.toml"
    path.write_text(bangor.rule_m(shared / "data") + FORMATS, encoding="utf-8")
    result = run_wetgeo("run", path)
    assert result.code == 0, result.err
    status, told = verify(tmp_path / "out")
    assert status == 0, told
    assert "all agrees" in told
    for quantity in (*NOTICED.values(), "areas of plain buffers, by a distance transform", "parcels that hold buffer"):
        if quantity not in (
            "buffers lie in the tract",
            "vegetated distance behind surfaces that do not count",
        ):  # no such layer
            assert f"agree      {quantity}" in told, told


def test_it_computes_nothing_with_wetgeo():
    for path in SCRIPTS.glob("verify_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "wetgeo" for name in names), path


def test_nothing_to_check(tmp_path):
    status, told = verify(tmp_path)
    assert status == 2
    assert "buffers.gpkg" in told


@pytest.fixture
def out(samples, tmp_path):
    """A copy of the run under the rule of Minnehaha Creek, to be tampered with."""
    shutil.copytree(samples["mcwd"], tmp_path / "out")
    return tmp_path / "out"


def layer(out, name):
    return pyogrio.read_dataframe(out / "buffers.gpkg", layer=name)


def replace(out, name, frame):
    """Write a layer anew beside the others."""
    with sqlite3.connect(out / "buffers.gpkg") as base:
        base.execute("PRAGMA foreign_keys = OFF")
    pyogrio.write_dataframe(frame, out / "buffers.gpkg", layer=name, driver="GPKG")


def changed(out, name, row, column, value):
    frame = layer(out, name)
    if column == "geometry":
        frame.geometry = [value if at == row else shape for at, shape in enumerate(frame.geometry)]
    else:
        frame.loc[row, column] = value
    replace(out, name, gpd.GeoDataFrame(frame))


def tampered_monument(out):
    changed(out, "monuments", 5, "geometry", translate(layer(out, "monuments").geometry[5], 0.3 * FT, 0.3 * FT))


def tampered_monument_along(out):
    """The monument of a lot line, moved along the edge."""
    frame = layer(out, "monuments")
    row = frame.index[(frame["reason"] == "lot_line") & (frame["marker"] == "post")][2]
    edges = layer(out, "edges")
    mine = edges[(edges["resource_id"] == frame["resource_id"][row]) & (edges["kind"] == "upland")]
    line = next(line for line in mine.geometry if line.distance(frame.geometry[row]) < 0.01 and line.length > 10)
    changed(out, "monuments", row, "geometry", line.interpolate(4, normalized=False))


def tampered_lost_monuments(out):
    frame = layer(out, "monuments")
    replace(out, "monuments", frame[frame["reason"] != "interval"].reset_index(drop=True))


def tampered_coordinates(out):
    changed(out, "monuments", 3, "x", layer(out, "monuments")["x"][3] + 0.01)


def tampered_longitude(out):
    changed(out, "monuments", 3, "lon", layer(out, "monuments")["lon"][3] + 0.001)


def tampered_width(out):
    shape = layer(out, "buffers").geometry[2]
    changed(out, "buffers", 2, "geometry", shape.buffer(-0.4 * FT))


def tampered_hole(out):
    shape = layer(out, "buffers").geometry[2]
    changed(out, "buffers", 2, "geometry", shape.difference(shape.representative_point().buffer(3)))


def tampered_wedge(out):
    """Ground that lacks behind a trail, beyond the plain width."""
    frame = layer(out, "buffers")
    row = frame.index[frame["resource_id"] == "W-1"][0]
    water = layer(out, "resources").set_index("resource_id").geometry["W-1"]
    beyond = shapely.difference(frame.geometry[row], water.buffer(frame["width_ft"][row] * FT))
    lacking = max(shapely.get_parts(beyond), key=shapely.area).representative_point().buffer(3 * FT)
    changed(out, "buffers", row, "geometry", shapely.difference(frame.geometry[row], lacking))


def tampered_owner(out):
    """A monument that bears the id of another resource."""
    frame = layer(out, "monuments")
    other = frame["resource_id"][frame["resource_id"] != frame["resource_id"][0]].iloc[0]
    changed(out, "monuments", 0, "resource_id", other)


def tampered_lost_parcel(out):
    frame = layer(out, "parcels")
    replace(out, "parcels", frame.drop(index=frame["buffer_sqft"].idxmax()).reset_index(drop=True))


def tampered_area(out):
    changed(out, "buffers", 1, "area_sqft", layer(out, "buffers")["area_sqft"][1] * 1.0001)


def tampered_acres(out):
    changed(out, "buffers", 1, "area_ac", layer(out, "buffers")["area_ac"][1] * 1.001)


def tampered_into_water(out):
    frame, waters = layer(out, "buffers"), layer(out, "resources")
    water = waters.geometry[waters["resource_id"] == frame["resource_id"][0]].iloc[0]
    changed(out, "buffers", 0, "geometry", shapely.union(frame.geometry[0], water))


def tampered_off_the_tract(out):
    shape = layer(out, "buffers").geometry[0]
    left, bottom, *_ = layer(out, "resources").total_bounds
    changed(
        out,
        "buffers",
        0,
        "geometry",
        shapely.union(shape, shapely.box(left - 900, bottom - 900, left - 890, bottom - 890)),
    )


def tampered_union(out):
    frame = layer(out, "buffer_union")
    replace(out, "buffer_union", frame.drop(index=frame["area_sqft"].idxmax()).reset_index(drop=True))


def tampered_parcel(out):
    changed(out, "parcels", 0, "buffer_sqft", layer(out, "parcels")["buffer_sqft"][0] + 5)


def tampered_edge(out):
    changed(out, "edges", 0, "length_ft", layer(out, "edges")["length_ft"][0] + 0.1)


def tampered_edge_place(out):
    frame = layer(out, "edges")
    row = frame.index[frame["kind"] == "upland"][0]
    changed(out, "edges", row, "geometry", translate(frame.geometry[row], 1, 1))


def tampered_list(out):
    path = out / "monuments.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-1]), encoding="utf-8")


def test_points_of_one_easting_are_listed_in_any_order(verify_run, out):
    path = out / "monuments.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:1], *lines[:0:-1]]), encoding="utf-8")
    assert [verdict.agrees for verdict in verify_run.verify(out) if verdict.quantity == "monuments.csv"] == [True]


def tampered_provenance(out):
    path = out / "provenance.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    told["inputs"][0]["sha256"] = "0" * 64
    path.write_text(json.dumps(told), encoding="utf-8")


NOTICED = {
    tampered_monument: "monuments stand on the upland edge",
    tampered_monument_along: "monuments at lot lines",
    tampered_lost_monuments: "gaps between monuments along the edge",
    tampered_coordinates: "x, y of monuments",
    tampered_longitude: "lon, lat of monuments",
    tampered_width: "widths of buffers, by their outlines",
    tampered_hole: "widths of buffers, by points beside the edge",
    tampered_wedge: "vegetated distance behind surfaces that do not count",
    tampered_owner: "monuments stand on the upland edge",
    tampered_lost_parcel: "parcels that hold buffer",
    tampered_area: "area_sqft of buffers, by the shoelace formula",
    tampered_acres: "area_ac of buffers",
    tampered_into_water: "buffers lie off all resources",
    tampered_off_the_tract: "buffers lie in the tract",
    tampered_union: "buffer_union holds the buffers and nothing else",
    tampered_parcel: "buffer_sqft of parcels",
    tampered_edge: "length_ft of edges, vertex by vertex",
    tampered_edge_place: "edges lie on the outline of the buffers",
    tampered_list: "monuments.csv",
    tampered_provenance: "inputs unchanged",
}


def tampered_token(out):
    """A lot that would need no monument if it had less edge than it has."""
    path = out / "provenance.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    told["options"]["token_edge_length"] = 10.0
    path.write_text(json.dumps(told), encoding="utf-8")


def tampered_lot_line(out):
    """A lot line of a lot with more edge than the token length, without its monument."""
    frame, proof = layer(out, "monuments"), layer(out, "monument_proof")
    most = proof.groupby("parcel_id")["edge_ft"].sum().idxmax()
    gone = (frame["reason"] == "lot_line") & frame["parcel_ids"].fillna("").str.contains(most, regex=False)
    assert gone.any()
    replace(out, "monuments", frame[~gone].reset_index(drop=True))


def tampered_residence(out):
    changed(out, "buffers", 1, "width_ft", layer(out, "buffers")["width_ft"][1] + 0.5)


def _reached(out):
    """A place where water reaches the edge of a buffer's resource, and the row of the buffer."""
    buffers, paths = layer(out, "buffers"), layer(out, "flow_paths")
    mine = paths.geometry[paths["resource_id"] == buffers["resource_id"][0]]
    return shapely.get_point(mine.iloc[len(mine) // 2], -1), 0


def tampered_reached(out):
    """A buffer with a bite where water reaches the edge."""
    place, row = _reached(out)
    changed(out, "buffers", row, "geometry", layer(out, "buffers").geometry[row].difference(place.buffer(6)))


def tampered_outer_half(out):
    """A buffer of which the half that is further from the edge is lost."""
    buffers, waters = layer(out, "buffers"), layer(out, "resources").set_index("resource_id").geometry
    near = waters[buffers["resource_id"][0]].buffer(buffers["width_ft"][0] * FT / 2)
    changed(out, "buffers", 0, "geometry", buffers.geometry[0].intersection(near))


def tampered_unreached(out):
    """A buffer all round, though water reaches but a part of the edge."""
    buffers, waters = layer(out, "buffers"), layer(out, "resources").set_index("resource_id").geometry
    whole = waters[buffers["resource_id"][0]].buffer(buffers["width_ft"][0] * FT).difference(waters.union_all())
    changed(out, "buffers", 0, "geometry", whole)


#: what is changed in the runs of `VARIANTS`
NOTICED_THERE = {
    tampered_token: ("token", "monuments at lot lines"),
    tampered_lot_line: ("token", "monuments at lot lines"),
    tampered_residence: ("residence", "width_ft of buffers, by the new structures"),
    tampered_reached: ("residence", "subject edges that water reaches"),
    tampered_outer_half: ("stormwater", "widths of buffers, by points beside the edge"),
    tampered_unreached: ("stormwater", "edges that no water reaches"),
}


@pytest.mark.parametrize("tamper", NOTICED_THERE, ids=lambda tamper: tamper.__name__)
def test_it_notices_under_an_option(tamper, variants, tmp_path, verify_run, monkeypatch):
    monkeypatch.setattr("verify_ground.POINTS", 10_000)
    name, quantity = NOTICED_THERE[tamper]
    shutil.copytree(variants[name], tmp_path / "out")
    tamper(tmp_path / "out")
    assert quantity in [verdict.quantity for verdict in verify_run.verify(tmp_path / "out") if verdict.agrees is False]


@pytest.mark.parametrize("tamper", NOTICED, ids=lambda tamper: tamper.__name__)
def test_it_notices(tamper, out, verify_run, monkeypatch):
    # fewer points are quicker, and show all that is larger than a few feet
    monkeypatch.setattr("verify_ground.POINTS", 10_000)
    monkeypatch.setattr("verify_widths.POINTS", 20_000)
    monkeypatch.setattr("verify_widths.STATIONS", 10_000)
    monkeypatch.setattr("verify_widths.CELLS", 0)
    tamper(out)
    assert NOTICED[tamper] in [verdict.quantity for verdict in verify_run.verify(out) if verdict.agrees is False]
