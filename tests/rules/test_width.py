"""Widths decided from facts, against figures worked by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wetgeo.errors import RulePackError
from wetgeo.rules.load import load_pack
from wetgeo.rules.model import SlopeCut, SoilCut
from wetgeo.rules.width import Facts, decide_width, hsg_letter, predominant_group, slope_cut_ft, structure_width

pytest_plugins = ["broken_packs"]

MCWD = load_pack("mcwd-2024")


def decide(pack, given_options=None, **facts):
    facts.setdefault("resource_type", "wetland")
    return decide_width(pack, pack.resolve_options(given_options or {}), Facts(**facts))


@pytest.mark.parametrize(
    ("name", "both", "slope", "soil", "none"),
    [
        ("Preserve", 67, 71, 71, 75),
        ("Manage 1", 34, 36, 36, 40),
        ("Manage 2", 24, 26, 26, 30),
        ("Manage 3", 16, 16, 16, 20),
    ],
)
def test_mcwd_at_nine_percent_on_b(mcwd, name, both, slope, soil, none):
    """Case R01: two steps of slope and two grades of soil, 4 ft each."""
    for option, width in (("both", both), ("slope", slope), ("soil", soil), ("none", none)):
        decision = decide(mcwd, {"reductions": option}, class_name=name, slope_pct=9.0, hsg="B")
        assert decision.width_ft == width, option


@pytest.mark.parametrize(
    ("slope", "cut"),
    [
        (15.0, 2),
        (15.000000000002, 2),
        (15.004, 2),
        (15.006, 0),
        (15.01, 0),
        (14.999999999, 2),
        (20.0, 0),
        (19.99, 0),
        (25.0, 0),
        (400.0, 0),
        (10.0, 4),
        (10.01, 2),
        (5.0, 6),
        (5.01, 4),
        (0.01, 6),
        (0.004, 8),
        (0.0, 8),
    ],
)
def test_slope_steps(mcwd, slope, cut):
    """Case R02: rounded to 0.01 before any step, and never negative."""
    assert slope_cut_ft(mcwd.find(SlopeCut), slope)[0] == cut


@pytest.mark.parametrize(("distance", "name", "width"), [
    (180, "Manage 1", 40), (120, "Manage 1", 30), (60, "Manage 1", 25), (180, "Manage 3", 20), (100, "Preserve", 25),
    (100.4, "Preserve", 25.1), (300, "Preserve", 75), (0, "Preserve", 25),
])  # fmt: skip
def test_new_residence(mcwd, distance, name, width):
    """Case R03, 5(e): neither the cuts nor the floor apply."""
    decision = decide(
        mcwd,
        {"trigger": "new_residence"},
        class_name=name,
        slope_pct=1.0,
        hsg="A",
        new_structure_ft=float(distance),
    )
    assert decision.width_ft == width
    assert (decision.slope_cut_ft, decision.soil_cut_ft, decision.floor_ft) == (0, 0, None)
    assert "5(e)" in decision.citation


def test_new_residence_without_structure(mcwd):
    """Nothing is guessed: the table's width, and a step that says why."""
    decision = decide(mcwd, {"trigger": "new_residence"}, class_name="Manage 1")
    assert decision.width_ft == 40
    assert any(step.what == "left out" and "structure" in step.reason for step in decision.steps)


def test_two_readings_of_base(mcwd):
    """Case R13: 36 ft after the cuts, or the table's 40."""
    reduced = decide(mcwd, {"reductions": "slope"}, class_name="Manage 1", slope_pct=9.0)
    table = decide(mcwd, {"reductions": "slope", "averaging_base": "table"}, class_name="Manage 1", slope_pct=9.0)
    assert (reduced.width_ft, reduced.average_ft, reduced.minimum_ft, reduced.cap_ft) == (36, 36, 18, 72)
    assert (table.width_ft, table.average_ft, table.minimum_ft, table.cap_ft) == (36, 36, 20, 80)


def test_unknown_gives_no_reduction(mcwd):
    for facts in ({}, {"slope_pct": None, "hsg": None}, {"slope_pct": math.nan, "hsg": ""}):
        decision = decide(mcwd, class_name="Preserve", **facts)
        assert (decision.width_ft, decision.slope_cut_ft, decision.soil_cut_ft) == (75, 0, 0)
        assert [step.what for step in decision.steps].count("left out") == 2


def test_steps_tell_inputs_and_sections(mcwd):
    decision = decide(mcwd, class_name="Manage 1", slope_pct=9.0, hsg="B")
    told = {step.what: step for step in decision.steps}
    assert list(told) == ["base", "slope", "soil", "floor", "width", "minimum", "cap"]
    assert "40 ft" in told["base"].reason
    assert "9.00 %" in told["slope"].reason
    assert "group B" in told["soil"].reason
    assert told["floor"].value_ft == 34
    assert {step.citation for step in decision.steps} == {"5(a)", "5(c)"}
    assert decision.citation == "5(a); 5(c)"


def test_rule_m(rcwd):
    decision = decide(rcwd)
    assert (decision.width_ft, decision.average_ft, decision.minimum_ft, decision.cap_ft) == (50, 50, 25, None)
    assert decision.citation == "6; 6(c)"


@pytest.mark.parametrize(
    ("kind", "name", "gdnr", "width", "minimum"),
    [
        ("wetland", "1", False, 100, 100),
        ("wetland", "2", False, 75, 50),
        ("wetland", "3", False, 50, 25),
        ("wetland", "4", False, 50, 25),
        ("wetland", "1", True, 100, 100),
        ("wetland", "2", True, 100, 50),
        ("wetland", "3", True, 100, 50),
        ("wetland", "4", True, 100, 50),
        ("lake", "natural environment", False, 75, 37.5),
        ("lake", "recreational development", False, 50, 25),
        ("lake", "natural environment", True, 100, 50),
        ("lake", "recreational development", True, 100, 50),
    ],
)
def test_cmscwd_lakes_and_wetlands(cmscwd, kind, name, gdnr, width, minimum):
    decision = decide(cmscwd, resource_type=kind, class_name=name, gdnr=gdnr)
    assert (decision.base_ft, decision.width_ft, decision.minimum_ft) == (width, width, minimum)
    assert (decision.average_ft, decision.cap_ft) == (width, 2 * width)


@pytest.mark.parametrize(
    ("gdnr", "setback", "zones", "minima"),
    [
        (False, 150.0, [25, 50, 75], [25, 25, 37.5]),
        (False, 75.0, [25, 50], [25, 25]),
        (False, 90.0, [25, 50, 15], [25, 25, 15]),
        (False, None, [25, 50], [25, 25]),
        (True, 150.0, [50, 100], [25, 50]),
        (True, 200.0, [50, 100, 50], [25, 50, 25]),
    ],
)
def test_cmscwd_streams(cmscwd, gdnr, setback, zones, minima):
    """Case R08; the zones follow each other without a gap."""
    decision = decide(cmscwd, resource_type="stream", gdnr=gdnr, setback_ft=setback)
    assert [zone.width_ft for zone in decision.zones] == zones
    assert [zone.minimum_ft for zone in decision.zones] == minima
    assert [zone.inner_ft for zone in decision.zones] == [0, *[zone.outer_ft for zone in decision.zones[:-1]]]
    assert decision.width_ft == decision.base_ft == sum(zones)
    assert decision.minimum_ft == sum(minima)
    assert decision.cap_ft == 2 * sum(zones)


def test_missing_setback_is_told(cmscwd):
    decision = decide(cmscwd, resource_type="stream", setback_ft=math.nan)
    [step] = [step for step in decision.steps if step.what == "left out"]
    assert "setback" in step.reason
    assert step.citation == "4.3.1(a)(3)"


@pytest.mark.parametrize(("setback", "width"), [(30.0, 16.5), (33.0, 16.5), (34.0, 17), (150.0, 75), (None, 16.5)])
def test_agricultural_strip(cmscwd, setback, width):
    """3.5: one rod, or half the setback where that is more."""
    decision = decide(cmscwd, {"provision": "agricultural"}, resource_type="stream", setback_ft=setback)
    assert (decision.width_ft, decision.zones, decision.citation) == (width, (), "3.5")


def test_existing_structure(cmscwd, mcwd):
    """Case R12: half of 80 is 40, half of 140 is 70; other rules have no such provision."""
    assert structure_width(cmscwd, 80.0) == (40.0, "4.9.4")
    assert structure_width(cmscwd, 140.0) == (70.0, "4.9.4")
    assert structure_width(mcwd, 80.0) is None


@pytest.mark.parametrize(
    ("kind", "name", "width", "minimum"),
    [
        ("stream", "public water", 50, 30),
        ("lake", "public water", 50, 30),
        ("wetland", "public water", 50, 30),
        ("stream", "public drainage ditch", 16.5, 16.5),
    ],
)
def test_buffer_law(law, kind, name, width, minimum):
    decision = decide(law, resource_type=kind, class_name=name)
    assert (decision.width_ft, decision.average_ft, decision.minimum_ft, decision.cap_ft) == (
        *(width, width, minimum),
        None,
    )


def test_no_width_for_what_is_not_regulated(mcwd):
    with pytest.raises(RulePackError, match="no width for a lake"):
        decide(mcwd, resource_type="lake")
    with pytest.raises(RulePackError, match="class 'Utmost'"):
        decide(mcwd, class_name="Utmost")


@given(
    st.sampled_from(MCWD.classes("wetland")),
    st.floats(0, 60),
    st.floats(0, 60),
    st.sampled_from("ABCD"),
    st.sampled_from("ABCD"),
)
def test_steeper_or_tighter_is_never_narrower(name, slope, other, soil, other_soil):
    """The width rises with the slope and from A to D, and stays between floor and base."""
    low = decide(MCWD, class_name=name, slope_pct=min(slope, other), hsg=min(soil, other_soil))
    high = decide(MCWD, class_name=name, slope_pct=max(slope, other), hsg=max(soil, other_soil))
    assert low.floor_ft <= low.width_ft <= high.width_ft <= high.base_ft
    assert 0 < low.minimum_ft <= low.width_ft <= low.cap_ft


@pytest.mark.parametrize(
    ("group", "dual", "letter"),
    [
        ("A", "undrained", "A"),
        ("A/D", "undrained", "D"),
        ("A/D", "drained", "A"),
        (" b/d ", "undrained", "D"),
        ("C/D", "drained", "C"),
        ("d", "drained", "D"),
    ],
)
def test_hsg_letter(group, dual, letter):
    assert hsg_letter(group, dual) == letter


@pytest.mark.parametrize(
    ("areas", "total", "dual", "expected"),
    [
        ({"A": 3, "B": 4, "D": 2}, 9, "undrained", ("B", 4 / 9)),
        ({"A": 4, "C": 4}, 8, "undrained", ("C", 0.5)),
        ({"A": 4, "C": 4 - 1e-12}, 8, "undrained", ("C", 0.5)),
        ({"B/D": 3, "D": 2, "A": 4}, 9, "undrained", ("D", 5 / 9)),
        ({"B/D": 3, "B": 2, "D": 4}, 9, "drained", ("B", 5 / 9)),
        ({"A": 5}, 10, "undrained", ("A", 0.5)),
        ({"A": 4.99}, 10, "undrained", (None, None)),
        ({}, 10, "undrained", (None, None)),
        ({}, 0, "undrained", (None, None)),
    ],
)
def test_predominant_group(mcwd, areas, total, dual, expected):
    """The share is of all ground, rated or not; a tie goes toward D; more than half unrated is unknown."""
    group, share = predominant_group(areas, total, mcwd.find(SoilCut), dual_hsg=dual)
    assert group == expected[0]
    assert share == (None if expected[1] is None else pytest.approx(expected[1]))
