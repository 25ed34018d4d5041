"""Judging staked monuments: what was placed passes, and each fault is found where it is."""

from __future__ import annotations

import math
from dataclasses import replace

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from plats import ORIGIN, box, lay_out, lot
from pyproj import CRS
from sites import FEET, make_ruling

from wetgeo.errors import CrsError, InputError
from wetgeo.findings import Findings
from wetgeo.frames import conform
from wetgeo.monument_check import judge_monuments
from wetgeo.monuments import MonumentRule
from wetgeo.survey import judge_staked

RULE = MonumentRule(
    interval_ft=200,
    tolerance_ft=0.01,
    bend_ft=None,
    apart_ft=1,
    off_edge_ft=2,
    marker="post",
    public_marker="flush",
    citation="4(c)",
)
LOTS = [lot("A", box(-500, -500, 100, 700)), lot("B", box(100, -500, 200, 700)), lot("C", box(200, -500, 800, 700))]
RING = 1000 + 2 * math.pi * 50


def _judged(plat, places, *, rule=RULE, findings=None, crs=FEET):
    """Judge points given in feet from the origin."""
    staked = gpd.GeoDataFrame(geometry=[shapely.Point(x + ORIGIN[0], y + ORIGIN[1]) for x, y in places], crs=crs)
    found = judge_monuments(staked, plat.lines, rule, plat.site, Findings() if findings is None else findings)
    return conform("violations", found, FEET)


@pytest.fixture(scope="module")
def three_lots():
    """A wetland of 300 x 200 ft whose 50-ft buffer lies on three lots: case M02."""
    return lay_out([box(0, 0, 300, 200)], lots=LOTS)


def test_monuments_as_placed_comply(three_lots):
    assert len(three_lots.at()) == 8
    assert _judged(three_lots, three_lots.at()).empty


@pytest.mark.parametrize("bend", [None, 5.0])
@pytest.mark.parametrize("closed", [True, False])
def test_any_edge_as_placed_complies(bend, closed):
    tract = None if closed else box(-400, -400, 150, 400)
    plat = lay_out([box(0, 0, 300, 200), box(420, 0, 421, 1)], bend=bend, tract=tract)
    findings = Findings()
    assert _judged(plat, plat.at(), rule=replace(RULE, bend_ft=bend), findings=findings).empty
    assert not len(findings)


def test_each_missing_monument_is_found_where_it_should_stand(three_lots):
    places = three_lots.at()
    for index, (x, y) in enumerate(places):
        found = _judged(three_lots, np.delete(places, index, axis=0))
        place = shapely.Point(x + ORIGIN[0], y + ORIGIN[1])
        assert found.geometry.distance(place).max() < 0.01
        reason = three_lots.monuments.reason[index]
        # between the lot lines are 100 ft, so that one missing there is no gap; around the ends thirds of 557.1 ft are
        assert set(found.kind) == (
            {"monument_gap"} if reason == "interval" else {"no_lot_line_monument", "monument_gap"}
        )
        gap = found[found.kind == "monument_gap"].iloc[0]
        third = (100 + 200 + 100 + math.pi * 50) / 3
        assert gap.measured_ft == pytest.approx(2 * third if reason == "interval" else third + 100, abs=0.1)
        assert (gap.required_ft, gap.citation, gap.resource_id) == (200, "4(c)", "R1")


def test_lot_line_without_monument_tells_the_nearest(three_lots):
    places = three_lots.at()
    lines = three_lots.monuments.reason == "lot_line"
    moved = places.copy()
    moved[lines] += [10.0, 0.0]
    found = _judged(three_lots, moved)
    missing = found[found.kind == "no_lot_line_monument"]
    assert len(missing) == 4
    assert missing.measured_ft.tolist() == pytest.approx([10.0] * 4, abs=1e-3)
    assert missing.required_ft.tolist() == [2.0] * 4


def test_no_monument_at_all(three_lots):
    found = _judged(three_lots, [])
    assert sorted(found.kind) == ["monument_gap"] + 4 * ["no_lot_line_monument"]
    assert found[found.kind == "monument_gap"].measured_ft.tolist() == pytest.approx([RING], abs=0.1)
    assert found[found.kind == "no_lot_line_monument"].measured_ft.isna().all()


def test_a_short_edge_without_a_monument_is_a_gap():
    plat = lay_out([box(0, 0, 1, 1)], width=20.0)
    assert _judged(plat, plat.at()).empty
    assert _judged(plat, []).kind.tolist() == ["monument_gap"]
    assert _judged(plat, []).measured_ft.tolist() == pytest.approx([4 + 40 * math.pi], abs=0.1)


@pytest.mark.parametrize(("off", "kinds"), [(1.99, []), (2.0, []), (2.01, ["monument_off_edge"])])
def test_off_the_edge(three_lots, off, kinds):
    found = _judged(three_lots, [*three_lots.at(), (150, 250 + off)])
    assert found.kind.tolist() == kinds
    assert found.measured_ft.tolist() == pytest.approx([off] * len(kinds), abs=1e-3)
    if kinds:
        assert found.geometry.iloc[0].centroid.distance(shapely.Point(150 + ORIGIN[0], 250 + off + ORIGIN[1])) < 0.01


@pytest.mark.parametrize(("gap", "wrong"), [(200.0, False), (200.005, False), (200.02, True)])
def test_a_gap_of_exactly_the_interval(gap, wrong):
    """A straight edge of 400 ft, open at both ends: one monument divides it."""
    plat = lay_out([box(0, 0, 400, 10)], width=50.0, tract=box(0, 5, 400, 1000))
    assert plat.at().tolist() == [[0, 60], [200, 60], [400, 60]]
    found = _judged(plat, [(0, 60), (gap, 60), (400, 60)])
    assert found.kind.tolist() == ["monument_gap"] * wrong


def test_an_open_edge_counts_from_its_ends():
    plat = lay_out([box(0, 0, 400, 10)], width=50.0, tract=box(0, 5, 400, 1000))
    assert _judged(plat, [(190, 60), (380, 60)]).empty
    assert _judged(plat, [(190, 60)]).measured_ft.tolist() == pytest.approx([210], abs=0.01)


def test_bends_are_findings():
    plat = lay_out([box(0, 0, 10, 10)], width=100.0, bend=5.0)
    findings = Findings()
    assert _judged(plat, plat.at(), rule=replace(RULE, bend_ft=5.0), findings=findings).empty
    assert not len(findings)
    ends = [(5, 110), (110, 5), (5, -100), (-100, 5)]
    assert _judged(plat, ends, rule=replace(RULE, bend_ft=5.0), findings=findings).empty
    assert [(one.feature_id, one.citation) for one in findings] == [("R1", "4(c)")]


def test_what_is_no_point_is_told_at_once(three_lots):
    shapes = [shapely.Point(0, 0), None, shapely.Point(), shapely.LineString([(0, 0), (1, 1)])]
    staked = gpd.GeoDataFrame({"feature_id": ["a", "b", "c", "d"]}, geometry=shapes, crs=FEET)
    with pytest.raises(InputError) as fault:
        judge_monuments(staked, three_lots.lines, RULE, three_lots.site, Findings())
    assert [one[:11] for one in fault.value.faults] == ["monument b:", "monument c:", "monument d:"]


@pytest.mark.parametrize("crs", [None, CRS("EPSG:26915")])
def test_another_crs_is_refused(three_lots, crs):
    with pytest.raises(CrsError, match="monuments is in"):
        _judged(three_lots, [(0, 0)], crs=crs)


def test_no_edges():
    plat = lay_out([box(0, 0, 300, 200)], tract=box(100, 100, 110, 110))
    assert _judged(plat, []).empty
    assert _judged(plat, [(0, 0)]).kind.tolist() == ["monument_off_edge"]


def test_along_the_edge_of_a_proposed_buffer(three_lots):
    """A proposal of 40 ft in the north: its edge is what monuments must mark, not the required buffer's."""
    wetland, ruling = three_lots.site.resources.geometry.iloc[0], make_ruling("rcwd-rule-m-2004")
    ground = box(-50, -50, 350, 240).difference(wetland)
    proposed = gpd.GeoDataFrame({"resource_id": ["R1"]}, geometry=[ground], crs=FEET)
    places = [(100, 240), (200, 240), (200, -50), (100, -50), (-50, -50), (-50, 95), (-50, 240)]
    places += [(350, 240), (350, 95), (350, -50)]
    points = [shapely.Point(x + ORIGIN[0], y + ORIGIN[1]) for x, y in places]
    staked = gpd.GeoDataFrame(geometry=points, crs=FEET)
    assert judge_staked(staked, proposed, three_lots.site, ruling, Findings()).empty
    found = judge_staked(staked.iloc[1:], proposed, three_lots.site, ruling, Findings())
    assert found.kind.tolist() == ["monument_gap", "no_lot_line_monument"]
    assert found.measured_ft.tolist() == pytest.approx([250, 100], abs=0.01)


@settings(max_examples=30, deadline=None)
@given(removed=st.sets(st.integers(0, 7)), seed=st.integers(0, 99))
def test_order_of_monuments_does_not_count(three_lots, removed, seed):
    places = np.delete(three_lots.at(), sorted(removed), axis=0)
    one = _judged(three_lots, places)
    other = _judged(three_lots, np.random.default_rng(seed).permutation(places))
    assert one.drop(columns="geometry").equals(other.drop(columns="geometry"))
    assert one.geometry.geom_equals(other.geometry).all()
