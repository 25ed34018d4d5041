"""The decisions other than widths, at, just under and just over each threshold."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ratings import PLAIN

from wetgeo.rules import model as m
from wetgeo.rules.evaluate import (
    access_most_ft,
    community_protected,
    de_minimis_limit,
    flood_zone_counts,
    infiltration_allowed,
    management_category,
    monument_gaps,
    replacement_ratio,
    steep_gain_ft,
    trail_verdict,
)
from wetgeo.rules.load import load_pack
from wetgeo.rules.triggers import screen, trigger_applies

pytest_plugins = ["broken_packs"]

ACRE = 43560.0
CMSCWD = load_pack("cmscwd-2009-draft")


@pytest.mark.parametrize(
    ("name", "ratio", "cited"),
    [("1", 6, "8.5.4(a)"), ("2", 4, "8.5.4(b)"), ("3", 3, "8.5.4(c)"), ("4", 2, "8.5.4(d)")],
)
def test_replacement_by_category(cmscwd, name, ratio, cited):
    for cause in ("fill", "drain", "excavate"):
        assert replacement_ratio(cmscwd, name, cause) == (ratio, cited)
    assert replacement_ratio(cmscwd, name, "temporary") is None
    assert replacement_ratio(cmscwd, name, "fill", of="buffer") == (1, "8.5.4")


def test_replacement_elsewhere(mcwd, rcwd, law):
    assert replacement_ratio(mcwd, "Manage 2", "excavate") == (2, "3(b)")
    assert replacement_ratio(rcwd, None, "drain") == (1, "7(b)")
    assert replacement_ratio(rcwd, None, "fill", of="buffer") is None
    assert replacement_ratio(law, "public water", "fill") is None


def test_de_minimis(cmscwd, mcwd, rcwd):
    given = {"de_minimis_sqft": 400.0}
    assert de_minimis_limit(cmscwd, given, "1") == (20, "8.5.2(a)")
    assert de_minimis_limit(cmscwd, given, "3") == (400, "8.5.2")
    assert de_minimis_limit(cmscwd, cmscwd.resolve_options({}), "3") is None
    assert de_minimis_limit(mcwd, given, "Manage 1") == (400, "3(b)")
    assert de_minimis_limit(rcwd, {}, None) is None


@pytest.mark.parametrize(
    ("rank", "protected"),
    [
        ("A", True),
        ("AB", True),
        ("a/b", True),
        ("B", True),
        ("BC", True),
        ("C", False),
        ("D", False),
        ("", None),
        ("NR", None),
    ],
)
def test_communities(rcwd, rank, protected):
    assert community_protected(rcwd.find(m.CommunityProtection), rank) is protected


def test_flood_zones(cmscwd):
    """RULES: A, AE, AH, AO, AR, A1-A30, A99, V, VE, V1-V30; not X, B, C, D nor AREA NOT INCLUDED."""
    floodplain = cmscwd.find(m.Floodplain)
    in_it = ["A", "AE", "AH", "AO", "AR", "A99", "V", "VE", *(f"{c}{n}" for c in "AV" for n in range(1, 31)), " ae "]
    assert all(flood_zone_counts(floodplain, code) is True for code in in_it)
    out = ["X", "B", "C", "D", "AREA NOT INCLUDED", "area not included", "OPEN WATER"]
    assert all(flood_zone_counts(floodplain, code) is False for code in out)
    assert all(flood_zone_counts(floodplain, code) is None for code in ["A31", "A0", "V31", "AREA", "", "Q"])


def test_access(cmscwd, mcwd, rcwd):
    access = cmscwd.find(m.Access)
    assert [access_most_ft(access, lot) for lot in (200.0, 100.0, 99.0, 90.0, None)] == [50, 50, 49.5, 45, 50]
    assert access_most_ft(mcwd.find(m.Access), 30.0) == 4
    assert access_most_ft(rcwd.find(m.Access)) == 10


def test_trails(mcwd, rcwd):
    surface, trails = mcwd.find(m.VegetatedDistance), rcwd.find(m.VegetatedDistance)
    assert [trail_verdict(surface, w) for w in (3.9, 4.0, 4.1)] == ["counts", "counts", "does not count"]
    assert [trail_verdict(trails, w) for w in (9.9, 10.0, 10.1)] == ["does not count", "does not count", "violation"]


def test_steep_and_infiltration(cmscwd, rcwd):
    assert steep_gain_ft(cmscwd.find(m.SteepSlope)) == 6
    assert [infiltration_allowed(rcwd.find(m.Infiltration), d) for d in (24.99, 25.0, 25.01)] == [False, True, True]


@pytest.mark.parametrize(
    ("stretch", "gaps"),
    [
        (0.5, 1),
        (199.99, 1),
        (200, 1),
        (200.01, 1),
        (200.02, 2),
        (399.99, 2),
        (400, 2),
        (400.01, 2),
        (400.03, 3),
        (1000, 5),
    ],
)
def test_gaps_between_monuments(rcwd, stretch, gaps):
    assert monument_gaps(rcwd.find(m.Monuments), stretch) == gaps


class TestTriggers:
    def test_impervious_surface(self, rcwd):
        trigger = rcwd.provision("trigger-impervious")
        assert [trigger_applies(trigger, [v]).applies for v in (9999.9, 10000, 10000.1, None)] == [
            False,
            False,
            True,
            None,
        ]
        told = trigger_applies(trigger, [12000.0])
        assert (told.measured, told.threshold, told.unit, told.citation) == (12000, 10000, "sq ft", "2(a)(ii)")

    def test_share_of_the_site(self, cmscwd):
        """2.2(b): more than an acre or five percent of the site, whichever is less."""
        trigger = cmscwd.provision("stormwater-impervious")
        small, large = 10 * ACRE, 100 * ACRE
        assert [trigger_applies(trigger, [v], site_sqft=small).applies for v in (21780, 21780.1)] == [False, True]
        assert [trigger_applies(trigger, [v], site_sqft=large).applies for v in (ACRE, ACRE + 0.1)] == [False, True]
        assert [trigger_applies(trigger, [v]).applies for v in (0, 1, ACRE, ACRE + 0.1)] == [False, None, None, True]
        assert trigger_applies(trigger, [1.0], site_sqft=small).threshold == 21780

    def test_all_conditions_must_hold(self, cmscwd):
        trigger = cmscwd.provision("erosion-near")
        for one, two in itertools.product((False, None, True), repeat=2):
            values = [{False: 10889.9, None: None, True: 10890.0}[one], {False: 0.0, None: None, True: 1.0}[two]]
            wanted = False if False in (one, two) else None if None in (one, two) else True
            assert trigger_applies(trigger, values).applies is wanted

    def test_what_must_be_asked(self, cmscwd):
        assert trigger_applies(cmscwd.provision("stormwater-mining"), []).applies is None
        lots = cmscwd.provision("stormwater-lots")
        assert [trigger_applies(lots, [n]).applies for n in (3, 4)] == [False, None]
        assert "residential" in trigger_applies(lots, [4]).reason
        assert trigger_applies(lots, [4]).unit == "lots"

    def test_values_fit_conditions(self, cmscwd):
        with pytest.raises(ValueError, match=r"shorter|longer"):
            trigger_applies(cmscwd.provision("erosion-near"), [1.0])

    @pytest.mark.parametrize(
        ("area", "near", "notice", "permit"),
        [
            (4999.9, 1.0, False, False),
            (5000.0, 1.0, None, False),
            (5000.0, 0.0, False, False),
            (5000.0, None, None, False),
            (10890.0, 1.0, False, True),
            (10890.0, None, None, None),
            (ACRE, 1.0, False, True),
        ],
    )
    def test_notice_gives_way_to_a_permit(self, cmscwd, area, near, notice, permit):
        """3.2: the notice of intent is for what needs no permit by (a), (b) or (c), which must be asked."""

        def measure(_trigger, condition):
            if condition.measure != "disturbance":
                return 0.0
            return near if condition.within else area

        results = {result.provision: result for result in screen(cmscwd, measure, site_sqft=100 * ACRE)}
        assert len(results) == len(cmscwd.all(m.PermitTrigger))
        assert results["erosion-notice"].applies is notice
        assert results["erosion-near"].applies is permit
        assert results["erosion-acre"].applies is (area >= ACRE)
        assert results["erosion-other-permit"].applies is None


class TestManagementCategory:
    """Appendix 0.2, read line by line from the text."""

    def decide(self, pack, **ratings):
        return management_category(pack.find(m.ManagementCategory), PLAIN | ratings)

    @pytest.mark.parametrize(
        ("ratings", "category"),
        [
            ({"vegetative_diversity": "exceptional"}, "1"),
            ({"groundwater_dependent_community": True, "vegetative_diversity": "Medium"}, "1"),
            ({"groundwater_dependent_community": "yes", "vegetative_diversity": "high"}, "1"),
            ({"groundwater_dependent_community": "yes"}, "3"),
            ({"vegetative_diversity": "high", "hydrologic_regime": "high"}, "1"),
            ({"vegetative_diversity": "high", "wetland_water_quality": "high"}, "1"),
            ({"vegetative_diversity": "high", "downstream_water_quality": "high"}, "1"),
            ({"wildlife_habitat": "exceptional"}, "1"),
            ({"wildlife_habitat": "high"}, "3"),
            ({"setting": "shoreland"}, "2"),
            ({"setting": "Stream Corridor"}, "2"),
            ({"amphibian_habitat": "high"}, "2"),
            ({"fish_habitat": "high"}, "2"),
            ({"fish_habitat": "exceptional"}, "2"),
            ({"fish_habitat": "N/A"}, "3"),
            ({"vegetative_diversity": "medium", "hydrologic_regime": "high"}, "2"),
            ({"vegetative_diversity": "moderate", "stormwater_sensitivity": "high"}, "2"),
            ({"vegetative_diversity": "high", "stormwater_sensitivity": "high"}, "2"),
            ({"stormwater_sensitivity": "high"}, "3"),
            ({"vegetative_diversity": "medium", "wetland_water_quality": "high"}, "2"),
            ({"vegetative_diversity": "medium", "downstream_water_quality": "high"}, "3"),
            ({}, "3"),
            ({"use": "livestock watering"}, "4"),
            ({"use": "stormwater pond"}, "4"),
            ({"use": "severely degraded"}, "4"),
            ({"use": "severely degraded", "setting": "shoreland"}, "2"),
            ({"use": "severely degraded", "wildlife_habitat": "exceptional"}, "1"),
        ],
    )
    def test_rows(self, cmscwd, ratings, category):
        result = self.decide(cmscwd, **ratings)
        assert result.category == category
        assert result.criterion
        assert result.citation == "appendix 0.2"

    @given(st.data())
    def test_missing_is_never_low(self, data):
        """Whatever ratings are taken away, the category stays or is undecided; it never falls to another."""
        table = CMSCWD.find(m.ManagementCategory)
        ratings = {name: data.draw(st.sampled_from(values), label=name) for name, values in table.ratings.items()}
        missing = data.draw(st.sets(st.sampled_from(sorted(ratings))), label="missing")
        full = management_category(table, ratings)
        less = management_category(table, {name: value for name, value in ratings.items() if name not in missing})
        assert full.category is not None
        assert less.category in {full.category, None}
        assert set(less.missing) <= missing

    def test_what_is_missing_is_told(self, cmscwd):
        result = self.decide(cmscwd, wildlife_habitat=None, use="")
        assert (result.category, result.missing) == (None, ("wildlife_habitat", "use"))
        result = self.decide(cmscwd, wildlife_habitat=float("nan"), vegetative_diversity="exceptional")
        assert result.category == "1"

    def test_unknown_words_are_told_and_not_read(self, cmscwd):
        result = self.decide(cmscwd, wildlife_habitat="poor", soil="good")
        assert result.category is None
        assert len(result.unreadable) == 2
        assert "exceptional, high, medium, low" in result.unreadable[0]
