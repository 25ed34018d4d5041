"""What SPEC.md promises of every run, on the sample site and on sites made at random.

The same inputs give the same outputs, whatever their order, format or CRS; a site that is moved or turned keeps its
areas; every feature that goes in comes out or stands in the findings.
"""

from __future__ import annotations

import dataclasses
from collections import Counter

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from worlds import GROUND, UTM, outputs, random_world, sample

FT = 0.3048
#: to how much outputs agree where inputs were reprojected, feet
NEAR_FT = 0.01
WORLDS = {
    "random-1": lambda: random_world(1),
    "random-2": lambda: random_world(2),
    "mcwd": lambda: sample("mcwd"),
    "rcwd": lambda: sample("rcwd"),
    "cmscwd": lambda: sample("cmscwd"),
}
QUICK = ["random-1", "mcwd", "rcwd"]
ALL = [*QUICK, "random-2", pytest.param("cmscwd", marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def base(run_wetgeo, tmp_path_factory):
    """The world by that name and its outputs, as it stands; each run once."""
    done = {}

    def run(name):
        if name not in done:
            world = WORLDS[name]()
            done[name] = world, outputs(run_wetgeo, world.write(tmp_path_factory.mktemp(name)))
        return done[name]

    return run


@pytest.fixture
def again(run_wetgeo, tmp_path):
    """Run a changed world."""
    return lambda world, **how: outputs(run_wetgeo, world.write(tmp_path, **how))


def plain(frame):
    """A layer without its geometries."""
    return pd.DataFrame(frame.drop(columns="geometry", errors="ignore"))


def wkb(frame):
    return shapely.to_wkb(frame.geometry.to_numpy())


def found(frame, *, named):
    """Findings to compare: all of them, or how many of each code where features are named by their number."""
    return frame if named else frame.groupby(["severity", "code"]).size()


def assert_identical(one, other, *, named=True):
    """Every layer is the same, values and geometries, to the byte."""
    assert one.keys() == other.keys()
    for name in one.keys() - {"findings"}:
        pd.testing.assert_frame_equal(plain(one[name]), plain(other[name]), check_exact=True)
        if "geometry" in one[name]:
            assert (wkb(one[name]) == wkb(other[name])).all(), name
    assert found(one["findings"], named=named).equals(found(other["findings"], named=named))


def assert_near(one, other, *, unit_ft=FT, where=lambda xy: xy):
    """Every layer agrees to 0.01 ft; `where` brings the geometries of `other` (in its own unit) to those of `one`."""
    for name in (*GROUND, "parcels", "monuments", "monument_proof", "reasons"):
        if name not in one:
            assert name not in other
            continue
        mine, theirs = one[name], other[name]
        assert len(mine) == len(theirs), name
        for column in plain(mine):
            if column in ("x", "y", "lon", "lat", "bearing", "reason"):  # places are compared as geometries
                continue
            if mine[column].dtype.kind == "f":
                assert np.allclose(mine[column], theirs[column], rtol=1e-6, atol=NEAR_FT, equal_nan=True), (
                    name,
                    column,
                )
            else:
                assert mine[column].equals(theirs[column]), (name, column)
        if "geometry" in mine:
            moved = shapely.transform(theirs.geometry.to_numpy(), where)
            apart = shapely.hausdorff_distance(mine.geometry.to_numpy(), moved)
            assert (apart / unit_ft).max(initial=0) <= NEAR_FT, name
    for kind in ("upland", "tract"):
        lengths = [frame["edges"].loc[frame["edges"]["kind"] == kind, "length_ft"].sum() for frame in (one, other)]
        assert lengths[0] == pytest.approx(lengths[1], abs=NEAR_FT)


@pytest.mark.parametrize("name", ALL)
def test_the_order_of_features_does_not_matter(base, again, name):
    world, usual = base(name)
    assert_identical(usual, again(world.shuffled(7)), named=False)


@pytest.mark.parametrize("name", QUICK)
def test_the_format_does_not_matter(base, again, name):
    # a FlatGeobuf stores features in an order of its own
    world, usual = base(name)
    assert_identical(usual, again(world, end="fgb"), named=False)


@pytest.mark.parametrize("crs", ["EPSG:4269", "EPSG:26851"])
@pytest.mark.parametrize("name", QUICK)
def test_the_crs_of_the_inputs_does_not_matter(base, again, name, crs):
    # longitude and latitude, and State Plane in US survey feet; the working CRS is the same
    world, usual = base(name)
    assert_near(usual, again(world.map(lambda frame: frame.to_crs(crs))))


@pytest.mark.parametrize("name", [*QUICK, "random-2"])
def test_a_site_that_is_moved_by_whole_metres(base, again, name):
    world, usual = base(name)
    assert_near(usual, again(world.moved(1000, -2000)), where=lambda xy: xy - [1000, -2000])


@pytest.mark.parametrize("name", QUICK)
def test_a_site_that_is_turned_has_the_same_areas(base, again, name):
    world, usual = base(name)
    turned = again(world.turned())
    for layer in ("resources", "buffers", "zones", "extensions"):
        one, other = (plain(frames[layer]) for frames in (usual, turned))
        assert len(one) == len(other)
        for column in one:
            if one[column].dtype.kind == "f":
                assert np.allclose(one[column], other[column], rtol=1e-6, equal_nan=True), (layer, column)
            else:
                assert one[column].equals(other[column]), (layer, column)
    assert sorted(usual["buffer_union"].area) == pytest.approx(sorted(turned["buffer_union"].area), rel=1e-6)
    for kind in ("upland", "tract"):
        lengths = [f["edges"].loc[f["edges"]["kind"] == kind, "length_ft"].sum() for f in (usual, turned)]
        assert lengths[0] == pytest.approx(lengths[1], rel=1e-6)


@pytest.mark.parametrize("name", QUICK)
def test_feet_and_metres_give_the_same_widths_and_areas(again, run_wetgeo, tmp_path_factory, name):
    # one projection in two units: ground distances, and so the rule's feet, are the same in both
    tmerc = "+proj=tmerc +lat_0=44.9 +lon_0=-93.6 +k=1 +x_0=600000 +y_0=600000 +datum=NAD83 +units={} +no_defs"
    world = WORLDS[name]()
    metres = again(world, crs=tmerc.format("m"))
    feet = outputs(run_wetgeo, world.write(tmp_path_factory.mktemp("feet"), crs=tmerc.format("us-ft")))
    assert_near(metres, feet, where=lambda xy: xy * (1200 / 3937))


@pytest.mark.parametrize("name", QUICK)
def test_a_wetland_far_away_changes_nothing_here(base, again, name):
    world, usual = base(name)
    away = world.layers["wetlands"].iloc[[0]].copy()
    identifier = "ID" if "ID" in away else "WET_ID"
    away[identifier] = "FAR"
    away["geometry"] = shapely.box(452_000, 4_975_000, 452_050, 4_975_050)
    more = again(world.with_layer("wetlands", pd.concat([world.layers["wetlands"], away], ignore_index=True)))
    for layer in (*GROUND, "monuments", "edges", "monument_proof", "parcels"):
        mine, theirs = usual[layer], more[layer]
        if "resource_id" in theirs:
            theirs = theirs[theirs["resource_id"] != "FAR"].reset_index(drop=True)
        elif layer == "buffer_union":
            theirs = theirs[theirs.intersects(shapely.box(*usual["resources"].total_bounds).buffer(200))].reset_index()
            assert set(wkb(mine)) == set(wkb(theirs))
            continue
        pd.testing.assert_frame_equal(plain(mine), plain(theirs), check_exact=True)
        if "geometry" in mine:
            assert (wkb(mine) == wkb(theirs)).all(), layer


@pytest.mark.parametrize("name", QUICK)
def test_the_tract_only_takes_away(base, again, name):
    world, held = base(name)
    lines = world.tables.splitlines()
    start = lines.index(next(line for line in lines if line.startswith("[layers.tract]")))
    end = next(i for i in range(start + 1, len(lines)) if lines[i].startswith("["))
    free = again(dataclasses.replace(world, tables="\n".join(lines[:start] + lines[end:])))
    tract = shapely.union_all(world.layers["tract"].geometry.to_numpy())
    without = free["buffers"].set_index("resource_id").geometry
    uncut = free["buffers"].set_index("resource_id")["width_ft"]
    for row in held["buffers"].itertuples():
        assert shapely.difference(row.geometry, tract.buffer(1e-6)).area < 1e-6
        if uncut[row.resource_id] == row.width_ft:  # a slope or a soil over all the ground may differ from the tract's
            clipped = shapely.intersection(without[row.resource_id], tract)
            assert shapely.symmetric_difference(clipped, row.geometry).area < 0.01
    assert set(held["buffers"]["resource_id"]) <= set(without.index)


@pytest.mark.parametrize("name", ["random-1", "random-2", "mcwd"])
def test_a_wider_rule_contains_a_narrower_one(base, again, name):
    world, usual = base(name)
    lines = [line for line in world.tables.splitlines() if not line.startswith(("[options]", "reductions"))]
    wider = again(dataclasses.replace(world, tables="\n".join(lines)), extra='[options]\nreductions = "none"\n')
    wide = wider["buffers"].set_index("resource_id")
    assert (wide["slope_cut_ft"] == 0).all()
    narrowed = 0
    for row in usual["buffers"].itertuples():
        assert wide.loc[row.resource_id, "width_ft"] >= row.width_ft
        assert shapely.difference(row.geometry, wide.loc[row.resource_id, "geometry"]).area < 1e-6
        narrowed += wide.loc[row.resource_id, "width_ft"] > row.width_ft
    assert narrowed
    union, wide_union = (shapely.union_all(frames["buffer_union"].geometry) for frames in (usual, wider))
    assert shapely.difference(union, wide_union).area < 1e-4


@pytest.mark.parametrize("name", ALL)
def test_grounds_are_upland_on_the_tract_and_counted_once(base, name):
    world, usual = base(name)
    water = shapely.union_all(usual["resources"].geometry)
    tract = shapely.union_all(world.layers["tract"].geometry.to_numpy())
    for layer in ("buffers", "zones", "extensions", "buffer_union"):
        grounds = usual[layer].geometry.to_numpy()
        assert shapely.is_valid(grounds).all()
        assert shapely.area(shapely.intersection(grounds, water)).max(initial=0) < 1e-4
        assert shapely.area(shapely.difference(grounds, tract)).max(initial=0) < 1e-4
    union = usual["buffer_union"].geometry.to_numpy()
    assert shapely.area(union).sum() == pytest.approx(shapely.union_all(usual["buffers"].geometry).area, rel=1e-8)
    assert usual["buffer_union"]["area_sqft"].to_numpy() == pytest.approx(shapely.area(union) / FT**2)


def test_every_feature_that_goes_in_comes_out_or_stands_in_the_findings(again):
    world = random_world(3)
    sound = world.layers["wetlands"]
    one = sound.geometry.iloc[0]
    bow_tie = shapely.Polygon([(455_060, 4_980_060), (455_090, 4_980_090), (455_090, 4_980_060), (455_060, 4_980_090)])
    odd = gpd.GeoDataFrame(
        {"ID": ["NULL", "EMPTY", "FLAT", "REPEAT", "TIE", None, "TIE"], "CLASS": ["Manage 3"] * 7},
        geometry=[
            None,
            shapely.Polygon(),
            shapely.Polygon([(455_000, 4_980_000), (455_009, 4_980_000), (455_000, 4_980_000)]),
            one,
            bow_tie,
            shapely.box(455_700, 4_980_020, 455_720, 4_980_040),
            shapely.box(455_750, 4_980_020, 455_770, 4_980_040),
        ],
        crs=UTM,
    )
    odd.loc[3, "CLASS"] = sound["CLASS"].iloc[0]
    everything = pd.concat([sound, odd], ignore_index=True)
    got = again(world.with_layer("wetlands", everything))
    out = set(got["resources"]["resource_id"])
    told = got["findings"]
    named = {code: set(rows["feature_id"].dropna()) for code, rows in told.groupby("code")}
    assert {"NULL", "EMPTY", "FLAT"} <= named["geometry-dropped"]
    assert "TIE" in named["geometry-repaired"]
    assert "TIE#2" in out
    assert named["duplicate-dropped"] & {"REPEAT", sound["ID"].iloc[0]}
    number = f"wetlands-{len(sound) + 6}"
    assert number in out
    named_at_all = out | set().union(*named.values())
    for identifier in everything["ID"].fillna(number):
        assert identifier in named_at_all
    dropped = len(everything) - len(out)
    assert dropped == 4
    # and a resource has its buffer, or a finding that says why not
    without = out - set(got["buffers"]["resource_id"])
    assert without <= named.get("buffer-none", set())


def test_a_wetland_that_the_buffer_law_does_not_list_is_told_and_bounds_the_upland(again):
    world = random_world(4)
    wetlands = world.layers["wetlands"].copy()
    wetlands["CLASS"] = ["public water"] + [None] * (len(wetlands) - 1)
    got = again(dataclasses.replace(world.with_layer("wetlands", wetlands), rule="mn-buffer-law"))
    assert got["buffers"]["resource_id"].tolist() == ["W-1"]
    assert got["buffers"]["width_ft"].tolist() == [50]
    assert len(got["resources"]) == len(wetlands)
    told = Counter(got["findings"]["code"])
    assert told["class-unknown"] == len(wetlands) - 1
    assert told["rule-no-buffer"] == 1
    water = shapely.union_all(got["resources"].geometry)
    assert shapely.intersection(got["buffers"].geometry.iloc[0], water).area < 1e-6
