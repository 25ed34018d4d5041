"""``wetgeo diff``: what changed between two runs."""

from __future__ import annotations

import itertools
import json
import shutil

import geopandas as gpd
import pytest
import shapely
from small_site import UTM, X, Y, square, wetlands, write_layer, write_project

from wetgeo.outputs.read import read_layer

FORMATS = '[outputs]\nformats = ["gpkg", "declaration"]'
SQFT = 0.3048**2
PARCELS = 'path = "parcels.gpkg"\nfields = { id = "PIN" }'


@pytest.fixture
def folder(tmp_path):
    write_layer(tmp_path / "wetlands.gpkg", wetlands())
    return tmp_path


def lots(*west, names=None):
    """Lots from each easting to the next, 300 m deep."""
    shapes = [shapely.box(X + a, Y, X + b, Y + 300) for a, b in itertools.pairwise(west)]
    return gpd.GeoDataFrame({"PIN": names or [f"Lot {n}" for n in range(1, len(shapes) + 1)]}, geometry=shapes, crs=UTM)


@pytest.fixture
def ran(folder, run_wetgeo):
    """Run the site and keep its outputs under a name."""

    def _ran(name, **keys):
        result = run_wetgeo("run", write_project(folder, tail=FORMATS, **keys), "-o", folder / name)
        assert result.code == 0, result.err
        return folder / name

    return _ran


def compared(run_wetgeo, one, two):
    result = run_wetgeo("diff", one, two, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def changes(found):
    return {(c["resource_id"], c["what"]): (c["before"], c["after"]) for c in found["changes"]}


def test_the_same_run_twice(ran, run_wetgeo) -> None:
    result = run_wetgeo("diff", ran("a"), ran("b"))
    assert (result.code, result.out) == (0, "Nothing changed.\n")


def test_a_class_that_changed(folder, ran, run_wetgeo) -> None:
    one = ran("a")
    write_layer(folder / "wetlands.gpkg", wetlands(CLASS=["Preserve", "Manage 2"]))
    two = ran("b")
    found = compared(run_wetgeo, one, two)
    told = changes(found)
    assert {name for name, _ in told} == {"W-2"}
    assert told["W-2", "resources.class"] == ("Manage 1", "Manage 2")
    assert told["W-2", "buffers.width_ft"] == (40, 30)
    assert told["W-2", "buffers.minimum_ft"] == (20, 15)
    moved = told["W-2", "monuments.new places"][1]
    assert moved > 0
    areas = [read_layer(run, "buffer_union")["area_sqft"].sum() for run in (one, two)]
    assert found["buffer_union_sqft"] == pytest.approx(areas)
    lines = run_wetgeo("diff", one, two).out.splitlines()
    assert lines[0] == "1 resource changed, 0 added, 0 removed; another buffer area on 0 lots"
    assert lines[1].startswith(f"all buffer, overlaps once: {areas[0]:,.1f} -> {areas[1]:,.1f} sq ft (-")
    assert f"W-2: {moved} monuments stand where none stood before" in lines
    assert list(found["facts"]) == ["input wetlands.gpkg"]


def test_a_subdivision_comes_by_new_lot(folder, ran, run_wetgeo) -> None:
    """The tract of one lot, and the plat of two lots to be created, whose line crosses the buffer of W-1."""
    write_layer(folder / "parcels.gpkg", lots(0, 500))
    one = ran("a", parcels=PARCELS)
    write_layer(folder / "parcels.gpkg", lots(0, 120, 500, names=["Lot 1", "Lot 2"]))
    two = ran("b", parcels=PARCELS)
    found = compared(run_wetgeo, one, two)
    told = changes(found)
    before, after = told["W-1", "monuments"]
    assert after > before
    assert told["W-1", "lot Lot 2"][0] is None
    assert told["W-1", "lot Lot 2"][1].endswith("ok")
    assert ("W-1", "buffers.width_ft") not in told
    areas = found["lots"]
    assert areas["Lot 1"][0] == pytest.approx(areas["Lot 1"][1] + areas["Lot 2"][1], rel=1e-9)
    declared = (two / "declaration.txt").read_text(encoding="utf-8")
    assert "Lot 1" in declared
    assert "Lot 2" in declared


def test_impacts_of_two_alternatives_and_what_they_trigger(folder, run_wetgeo) -> None:
    """Filling 400 square metres of W-1, or 900 and some of a community; the same under screen."""
    write_layer(folder / "c.gpkg", gpd.GeoDataFrame({"id": ["Fen"]}, geometry=[square(200, 200, 20)], crs=UTM))
    project = write_project(folder, tail=FORMATS, natural_communities='path = "c.gpkg"\nfields = { id = "id" }')
    plans = {"small": [square(100, 100, 20)], "large": [square(100, 100, 30), square(200, 200, 10)]}
    for name, shapes in plans.items():
        work = gpd.GeoDataFrame({"cause": ["fill"] * len(shapes)}, geometry=shapes, crs=UTM)
        write_layer(folder / f"{name}.gpkg", work)
        for command in ("impacts", "screen"):
            source = folder / f"{name}.gpkg"
            done = run_wetgeo(command, project, "--disturbance", source, "-o", folder / f"{command}-{name}")
            assert done.code == 0, done.err
    told = changes(compared(run_wetgeo, folder / "impacts-small", folder / "impacts-large"))
    assert told["W-1", "impacts.wetland fill.area_sqft"] == pytest.approx([400 / SQFT, 900 / SQFT])
    assert told["W-1", "impacts.wetland fill.replacement_sqft"] == pytest.approx([800 / SQFT, 1800 / SQFT])
    assert told["Fen", "impacts.natural_community fill.area_sqft"] == pytest.approx([0, 100 / SQFT])
    dry = write_layer(folder / "dry.gpkg", gpd.GeoDataFrame({"cause": ["fill"]}, geometry=[square(600, 9, 9)], crs=UTM))
    assert run_wetgeo("screen", project, "--disturbance", dry, "-o", folder / "screen-dry").code == 0
    facts = compared(run_wetgeo, folder / "screen-small", folder / "screen-dry")["facts"]
    assert facts["provision trigger-replacement"] == ["undecided", "no"]


def test_another_layer_of_the_same_file_shows_in_the_project_file(folder, ran, run_wetgeo) -> None:
    write_layer(folder / "parcels.gpkg", lots(0, 500), layer="existing")
    write_layer(folder / "parcels.gpkg", lots(0, 120, 500), layer="plat")
    one, two = (ran(name, parcels=PARCELS + f'\nlayer = "{name}"') for name in ("existing", "plat"))
    assert set(compared(run_wetgeo, one, two)["facts"]) == {"project file"}


def test_resources_of_one_run_only_and_another_rule(folder, ran, run_wetgeo) -> None:
    one = ran("a")
    write_layer(folder / "wetlands.gpkg", wetlands(WET_ID=["W-1", "W-3"]))
    result = run_wetgeo("diff", one, ran("b", rule="rcwd-rule-m-2004"))
    lines = result.out.splitlines()
    assert "W-2: only in OUT_A" in lines
    assert "W-3: only in OUT_B" in lines
    assert "W-1: buffers.rule: mcwd-2024 -> rcwd-rule-m-2004" in lines
    assert any(line.startswith("rule: mcwd-2024") for line in lines)


def test_verdicts_and_violations_of_two_proposals(folder, run_wetgeo) -> None:
    site = write_project(folder, tail=FORMATS)
    for name, width in (("wide", 12.2), ("narrow", 3.0)):
        shapes = [square(100, 100).buffer(23), square(300, 100).buffer(width)]
        source = write_layer(folder / f"{name}.gpkg", gpd.GeoDataFrame(geometry=shapes, crs=UTM))
        assert run_wetgeo("check", site, "--proposed", source, "-o", folder / name).code in (0, 3)
    told = changes(compared(run_wetgeo, folder / "wide", folder / "narrow"))
    assert told["W-2", "averaging.verdict"] == ("compliant", "too_narrow")
    assert told["W-2", "violations.too_narrow"] == (0, 1)
    # the monuments of W-1 do change: they stand on the averaged buffer only where all of it complies
    assert not [what for name, what in told if name == "W-1" and what.startswith(("averaging", "violations"))]


def test_folders_that_hold_no_run(folder, ran, run_wetgeo) -> None:
    one = ran("a")
    for other in (folder / "absent", folder):
        result = run_wetgeo("diff", one, other)
        assert result.code == 1
        assert "To mend it" in result.err
    shutil.copytree(one, folder / "bare")
    (folder / "bare" / "provenance.json").unlink()
    assert run_wetgeo("diff", one, folder / "bare").code == 0
