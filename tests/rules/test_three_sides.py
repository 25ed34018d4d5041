"""Each threshold of the rules has worked examples at it, just under and just over: the list is made from the texts."""

from __future__ import annotations

import pytest

from wetgeo.rules import worked
from wetgeo.rules.load import load_pack

#: an example is just beside a threshold when it is within this share of it
BESIDE = 0.05
CMSCWD, MCWD, RULE_M = "cmscwd-2009-draft", "mcwd-2024", "rcwd-rule-m-2004"


def measured(provision, place=0, site=None):
    """Values of one condition of a trigger."""

    def values(example):
        if not isinstance(example, worked.TriggerExample) or example.provision != provision:
            return None
        given = example.measured[place]
        same_site = site is None or (example.site is not None and example.site.text == site)
        return given.value if same_site and not isinstance(given, str) else None

    return values


def added_up(name, **options):
    """Areas of a class, added up, under the options."""

    def values(example):
        fits = isinstance(example, worked.DeMinimisExample) and example.class_name == name
        return sum(a.value for a in example.areas) if fits and set(example.options) == set(options) else None

    return values


def attribute(kind, name, **given):
    """An attribute of examples of a kind."""

    def values(example):
        fits = isinstance(example, kind) and all(getattr(example, key) == value for key, value in given.items())
        held = getattr(example, name) if fits else None
        return held if held is None or isinstance(held, (int, float)) else held.value

    return values


FARM, HOUSE = {"provision": "agricultural"}, {"trigger": "new_residence"}
#: (pack, section, threshold in feet, square feet, percent or count, where examples hold the value)
THRESHOLDS = [
    (CMSCWD, "2.2(a)", 4, measured("stormwater-lots")),
    (CMSCWD, "2.2(b) one acre", 43_560, measured("stormwater-impervious", site="100 acre")),
    (CMSCWD, "2.2(b) five percent of ten acres", 21_780, measured("stormwater-impervious", site="10 acre")),
    (CMSCWD, "2.2(c)", 5_000, measured("stormwater-near")),
    (CMSCWD, "2.2(f)", 50, measured("stormwater-redevelopment")),
    (CMSCWD, "3.2(a)", 43_560, measured("erosion-acre")),
    (CMSCWD, "3.2(b)", 10_890, measured("erosion-near")),
    (CMSCWD, "3.2 notice", 5_000, measured("erosion-notice")),
    (CMSCWD, "3.5", 33, attribute(worked.WidthExample, "setback", options=FARM)),
    (CMSCWD, "4.3.3", 6, attribute(worked.SteepExample, "gain")),
    (CMSCWD, "4.4.2", 200, attribute(worked.MonumentExample, "stretch")),
    (CMSCWD, "4.9.2", 100, attribute(worked.AccessExample, "lot_width")),
    (CMSCWD, "8.5.2(a) category 1", 20, added_up("1")),
    (CMSCWD, "8.5.2(a) category 2", 20, added_up("2")),
    (MCWD, "4(c)", 200, attribute(worked.MonumentExample, "stretch")),
    *[(MCWD, f"5(a) {step} %", step, attribute(worked.WidthExample, "slope")) for step in (20, 15, 10, 5)],
    (MCWD, "5(e) at least 25 ft", 100, attribute(worked.WidthExample, "new_structure", options=HOUSE)),
    (MCWD, "5(e) at most the base", 300, attribute(worked.WidthExample, "new_structure", options=HOUSE)),
    (MCWD, "6(d)", 4, attribute(worked.TrailExample, "trail")),
    (MCWD, "3(b)", 400, added_up("Manage 3", de_minimis_sqft="400 sq ft")),
    (RULE_M, "2(a)(ii)", 10_000, measured("trigger-impervious")),
    (RULE_M, "6(b)", 200, attribute(worked.MonumentExample, "stretch")),
    (RULE_M, "6(f)(iii)", 25, attribute(worked.InfiltrationExample, "distance")),
    (RULE_M, "6(f)(iv)", 10, attribute(worked.TrailExample, "trail")),
]
#: thresholds of nothing at all: at it and over it
NOTHING = [
    (CMSCWD, "2.2(c) near", measured("stormwater-near", 1)),
    (CMSCWD, "3.2(b) near", measured("erosion-near", 1)),
    (CMSCWD, "3.2 near", measured("erosion-notice", 1)),
    (CMSCWD, "8.2", measured("wetland-work")),
    (MCWD, "3(a)", measured("trigger-excavation")),
    (MCWD, "4(a) replacement", measured("trigger-replacement")),
    (MCWD, "4(a) stormwater", measured("trigger-stormwater")),
    (MCWD, "4(a) residence", measured("trigger-new-residence")),
    (MCWD, "4(a) residence, surface", measured("trigger-new-residence", 1)),
    (RULE_M, "2(a)(i)", measured("trigger-wetland")),
    (RULE_M, "2(a)(iii)", measured("trigger-grading")),
]


def values_of(pack_id, read):
    return [value for value in map(read, load_pack(pack_id).examples) if value is not None]


@pytest.mark.parametrize(("pack_id", "section", "at", "read"), THRESHOLDS, ids=[f"{row[0]} {row[1]}" for row in THRESHOLDS])  # fmt: skip
def test_at_just_under_and_just_over(pack_id, section, at, read):
    values = values_of(pack_id, read)
    beside = 1 if section == "2.2(a)" else BESIDE * at  # lots come whole
    missing = {
        "at": at not in values,
        "just under": not any(at - beside <= value < at for value in values),
        "just over": not any(at < value <= at + beside for value in values),
    }
    assert [side for side, lacks in missing.items() if lacks] == []


@pytest.mark.parametrize(("pack_id", "_section", "read"), NOTHING, ids=[f"{row[0]} {row[1]}" for row in NOTHING])
def test_nothing_and_just_over(pack_id, _section, read):
    values = values_of(pack_id, read)
    assert 0 in values
    assert any(0 < value <= 1 for value in values)
