"""Appendix 0.2 of the CMSCWD rules, characteristic by characteristic, in a table made from its text alone.

The lines are those of pages 7 and 8 of the draft. Each characteristic is tried on a wetland that has it and nothing
else, and again with each of its ratings one step lower, where it must fall to what is left: category 3.
"""

from __future__ import annotations

import pytest
from ratings import PLAIN

from wetgeo.rules.evaluate import management_category
from wetgeo.rules.permits import ManagementCategory

VEGETATION, HYDROLOGY, DOWNSTREAM = "vegetative_diversity", "hydrologic_regime", "downstream_water_quality"
QUALITY, COMMUNITY, SENSITIVE = "wetland_water_quality", "groundwater_dependent_community", "stormwater_sensitivity"
AMPHIBIANS, FISH, WILDLIFE = "amphibian_habitat", "fish_habitat", "wildlife_habitat"

#: (page.line, what the wetland has, the category): each bullet of the appendix
CHARACTERISTICS = [
    ("7.9", {VEGETATION: "exceptional"}, "1"),
    ("7.14", {COMMUNITY: "yes", VEGETATION: "medium"}, "1"),
    ("7.14", {COMMUNITY: "yes", VEGETATION: "high"}, "1"),
    ("7.18", {VEGETATION: "high", HYDROLOGY: "high"}, "1"),
    ("7.22", {VEGETATION: "high", QUALITY: "high"}, "1"),
    ("7.23", {VEGETATION: "high", DOWNSTREAM: "high"}, "1"),
    ("7.28", {WILDLIFE: "exceptional"}, "1"),
    ("7.39", {"setting": "stream corridor"}, "2"),
    ("7.39", {"setting": "shoreland"}, "2"),
    ("7.41", {AMPHIBIANS: "high"}, "2"),
    ("7.42", {FISH: "exceptional"}, "2"),
    ("7.42", {FISH: "high"}, "2"),
    ("7.45", {VEGETATION: "medium", HYDROLOGY: "high"}, "2"),
    ("8.1", {SENSITIVE: "high", VEGETATION: "medium"}, "2"),
    ("8.1", {SENSITIVE: "high", VEGETATION: "high"}, "2"),
    ("8.3", {VEGETATION: "medium", QUALITY: "high"}, "2"),
    ("8.8", {}, "3"),
    ("8.15", {"use": "livestock watering"}, "4"),
    ("8.16", {"use": "stormwater pond"}, "4"),
    ("8.17", {"use": "severely degraded"}, "4"),
]

#: what one step less of a rating makes of a characteristic: the lines that the appendix does not draw
NEAR_MISSES = [
    ({VEGETATION: "high"}, "3"),
    ({COMMUNITY: "yes"}, "3"),
    ({COMMUNITY: "no", VEGETATION: "medium"}, "3"),
    ({VEGETATION: "high", HYDROLOGY: "medium"}, "3"),
    ({VEGETATION: "high", QUALITY: "medium"}, "3"),
    ({VEGETATION: "high", DOWNSTREAM: "medium"}, "3"),
    ({WILDLIFE: "high"}, "3"),
    ({AMPHIBIANS: "medium"}, "3"),
    ({FISH: "medium"}, "3"),
    ({VEGETATION: "medium", HYDROLOGY: "medium"}, "3"),
    ({VEGETATION: "low", HYDROLOGY: "high"}, "3"),
    ({SENSITIVE: "high"}, "3"),
    ({SENSITIVE: "medium", VEGETATION: "medium"}, "3"),
    ({VEGETATION: "medium", QUALITY: "medium"}, "3"),
    ({VEGETATION: "low", QUALITY: "high"}, "3"),
    # downstream water quality counts with high vegetation only
    ({VEGETATION: "medium", DOWNSTREAM: "high"}, "3"),
]

#: where several characteristics meet: 2 and 3 are what is not 1 (7.34, 8.8), and 2 takes all of corridor and shore (7.39)
TOGETHER = [
    ({VEGETATION: "exceptional", "use": "severely degraded"}, "1"),
    ({WILDLIFE: "exceptional", "setting": "shoreland"}, "1"),
    ({"setting": "shoreland", "use": "stormwater pond"}, "2"),
    ({AMPHIBIANS: "high", "use": "livestock watering"}, "2"),
    ({COMMUNITY: "yes", VEGETATION: "medium", HYDROLOGY: "high"}, "1"),
]


def category(pack, ratings):
    return management_category(pack.find(ManagementCategory), ratings)


@pytest.mark.parametrize(("line", "has", "wanted"), CHARACTERISTICS)
def test_each_characteristic(cmscwd, line, has, wanted):
    result = category(cmscwd, {**PLAIN, **has})
    assert (result.category, result.citation) == (wanted, "appendix 0.2"), line


@pytest.mark.parametrize(("has", "wanted"), NEAR_MISSES + TOGETHER)
def test_just_under_and_together(cmscwd, has, wanted):
    assert category(cmscwd, {**PLAIN, **has}).category == wanted


def test_the_pack_has_a_row_for_each_and_no_other(cmscwd):
    """Each criterion of the pack is the sole one that decides for some characteristic of the table."""
    deciding = {category(cmscwd, {**PLAIN, **has}).criterion for _, has, _ in CHARACTERISTICS}
    assert deciding == {row.about for row in cmscwd.find(ManagementCategory).criteria}


@pytest.mark.parametrize(("has", "wanted"), [row[1:] for row in CHARACTERISTICS])
def test_a_missing_rating_never_turns_the_answer_down(cmscwd, has, wanted):
    """Whatever ratings are taken away, the answer stays or is not given: it is never a lesser category."""
    whole = {**PLAIN, **has}
    for left_out in whole:
        found = category(cmscwd, {name: value for name, value in whole.items() if name != left_out}).category
        assert found in (wanted, None)
    assert category(cmscwd, {}).category is None
