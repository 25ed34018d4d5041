"""Averaged buffers against closed forms: areas, widths, the narrowest place, the profile."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from averaged import MCWD, SQUARE, Averaged, box, drawn, stepped, straight


def test_straight_edge_is_rectangles():
    one = straight().judge(stepped((200, 400, 25), (600, 800, 75)))[0]
    assert one.verdict == "compliant"
    assert one.minimum_ft == pytest.approx(25, abs=1e-6)
    assert (one.place.x, one.place.y) == pytest.approx((300, 0), abs=1e-6)
    assert (one.lost.area, one.gained.area) == pytest.approx((5000, 5000), abs=1e-6)
    assert one.average_ft == pytest.approx(50, abs=1e-6)


@pytest.mark.parametrize(("deep", "verdict"), [(74.9949, "shortfall"), (74.9976, "compliant")])
def test_area_complies_within_half_a_square_foot(deep, verdict):
    assert straight().judge(stepped((200, 400, 25), (600, 800, deep)))[0].verdict == verdict


@pytest.mark.parametrize(("narrow", "verdict"), [(24.94, "too_narrow"), (24.96, "compliant")])
def test_width_complies_within_five_hundredths_of_a_foot(narrow, verdict):
    assert straight().judge(stepped((200, 400, narrow), (600, 800, 76)))[0].verdict == verdict


@pytest.mark.parametrize("radius", [30.0, 150.0])
def test_circle(radius):
    resource = shapely.Point(0, 0).buffer(radius, quad_segs=512)
    one = Averaged([resource]).judge(drawn(resource, 40))[0]
    assert one.verdict == "shortfall"
    assert one.minimum_ft == pytest.approx(40, abs=0.05)
    # the area of a ring is that of its width: nothing but the width itself has it
    assert one.average_ft == pytest.approx(40, abs=0.02)
    assert one.credited_sqft == pytest.approx(np.pi * ((radius + 40) ** 2 - radius**2), rel=1e-4)


def test_square_with_corners_is_not_area_by_edge_length():
    one = Averaged([SQUARE]).judge(drawn(SQUARE, 60) - box(-300, -300, 500, -30))[0]
    # 800 w + pi w^2 = area of the ring of 60 less what lies further south than 30
    part = 60**2 * np.arccos(30 / 60) - 30 * np.sqrt(60**2 - 30**2)
    area = 800 * 60 + np.pi * 60**2 - 200 * 30 - part
    assert one.credited_sqft == pytest.approx(area, rel=1e-4)
    assert one.average_ft == pytest.approx((-800 + np.sqrt(800**2 + 4 * np.pi * area)) / (2 * np.pi), abs=0.01)
    assert one.minimum_ft == pytest.approx(30, abs=1e-6)
    assert (one.place.x, one.place.y) == pytest.approx((100, 0), abs=1e-6)


def test_ground_that_lies_far_from_all_resources_is_told_and_not_looked_at():
    earth = box(-6e7, -3e7, 6e7, 3e7)
    site = Averaged([SQUARE])
    (one,) = site.judge(earth, box(1e6, 1e6, 1e6 + 10, 1e6 + 10))
    # 200 widths of 50 ft on each side of the square, less the square
    sight = 20_200.0**2
    assert one.verdict == "compliant"
    assert one.credited_sqft == pytest.approx(sight - 200.0**2, rel=1e-9)
    (told,) = [finding for finding in site.findings if "not looked at" in finding.message]
    assert told.severity == "warning"
    assert told.message.startswith(f"{1.2e8 * 6e7 - sight + 100:,.0f} sq ft")
    assert "(features 1, 2)" in told.message
    assert site.laid([one])["averaging_areas"]["maximum_ft"].max() == pytest.approx(10_000 * np.sqrt(2), abs=0.1)


def test_ground_within_sight_is_looked_at_as_it_is():
    site = Averaged([SQUARE])
    site.judge(drawn(SQUARE, 60))
    assert not [finding for finding in site.findings if "not looked at" in finding.message]


SHAPES = {
    "bay": box(0, 0, 300, 200) - box(120, 40, 180, 200),
    "annulus": shapely.Point(0, 0).buffer(260) - shapely.Point(0, 0).buffer(180),
    "island narrower than the width": shapely.Point(0, 0).buffer(260) - shapely.Point(0, 0).buffer(30),
    "comb": shapely.union_all([box(0, 0, 300, 20), *(box(x, 0, x + 20, 150) for x in (0, 70, 140, 210))]),
    "spike": shapely.Polygon([(0, 0), (400, 4), (0, 8)]),
    "two parts": shapely.MultiPolygon([box(0, 0, 50, 50), box(80, 0, 130, 50)]),
}


@pytest.mark.parametrize("rule", ["rcwd-rule-m-2004", "mcwd-2024", "cmscwd-2009-draft"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_uniform_buffer_complies_with_itself(shape, rule):
    classes = {"mcwd-2024": "Preserve", "cmscwd-2009-draft": "1"}
    options = {"reductions": "none"} if rule == MCWD else {}
    place = Averaged([{"geometry": shape, "class": classes.get(rule)}], rule, **options)
    one = place.judge(place.uniform())[0]
    assert one.verdict == "compliant"
    assert one.average_ft == one.decision.width_ft
    assert one.minimum_ft == pytest.approx(one.decision.width_ft, abs=0.03)
    assert one.lost.area + one.gained.area < 0.01
    assert place.layers(place.uniform())["violations"].empty


def test_uniform_buffer_complies_where_the_tract_ends_before_the_least_width():
    place = straight(depth=20.0)
    one = place.judge(place.uniform())[0]
    assert (one.verdict, one.minimum_ft, one.average_ft, one.place) == ("compliant", 50, 50, None)


def test_annulus_from_within():
    """A round island of radius 100 in a wetland, its buffer 30 ft wide all round."""
    island = shapely.Point(0, 0).buffer(100, quad_segs=256)
    resource = box(-500, -500, 500, 500) - island
    tract = {"tract": [{"geometry": box(-400, -400, 400, 400)}]}
    one = Averaged([resource], layers=tract).judge(island - shapely.Point(0, 0).buffer(70, quad_segs=256))[0]
    assert one.required_sqft == pytest.approx(np.pi * (100**2 - 50**2), rel=1e-4)
    assert one.credited_sqft == pytest.approx(np.pi * (100**2 - 70**2), rel=1e-4)
    assert one.average_ft == pytest.approx(30, abs=0.02)
    assert one.verdict == "shortfall"


def test_two_wetlands_whose_buffers_overlap():
    place = Averaged([box(0, 0, 100, 100), box(160, 0, 260, 100)])
    shared = shapely.intersection(place.uniform(row=0), place.uniform(row=1)).area
    both = shapely.union(place.uniform(row=0), place.uniform(row=1))
    judged = place.judge(both)
    assert [one.verdict for one in judged] == ["compliant", "compliant"]
    assert shared > 1000
    assert f"{shared:,.0f} sq ft of the proposal lie within reach of both R1 and R2" in place.told("proposal")[0]
    # one wetland's ring alone leaves the other short of all but what they share
    alone = Averaged([box(0, 0, 100, 100), box(160, 0, 260, 100)]).judge(place.uniform(row=0))
    assert [one.verdict for one in alone] == ["compliant", "too_narrow"]
    assert alone[1].credited_sqft == pytest.approx(shared, abs=0.5)


def test_a_loss_made_up_on_ground_that_another_must_keep_is_a_warning():
    wetlands = [{"geometry": box(x, 0, x + 100, 100), "class": "Manage 1"} for x in (0, 160)]
    place = Averaged(wetlands, MCWD, reductions="none")
    both = shapely.union_all([place.uniform(row=row) for row in (0, 1)])
    house = box(0, -40, 100, -35)
    first, _ = place.judge(shapely.difference(both, house))
    assert first.verdict == "compliant"
    (message,) = place.told("rule-reading")
    # 500 sq ft are lost, and more lie within 80 ft of the first in the second's buffer only
    assert first.lost.area == pytest.approx(500, abs=1)
    assert "a shortfall of 500 sq ft" in message
    place = Averaged(wetlands, MCWD, reductions="none")
    place.judge(both)
    assert place.told("rule-reading") == []


def test_without_a_cap_ground_goes_to_the_nearest_of_the_resources_it_reaches():
    """One polygon for two wetlands 200 ft apart: the ground between them is shared half and half."""
    place = Averaged([box(0, 0, 100, 100), box(300, 0, 400, 100)])
    one, two = place.judge(box(-50, -50, 450, 150))
    assert one.proposed.area == pytest.approx(250 * 200 - 100**2, abs=1)
    assert shapely.intersection(one.proposed, two.proposed).area < 0.01


# ------------------------------------------------------------------------------------- the place, areas, profile


def test_the_narrowest_place_between_vertices_and_stations():
    resource = box(0, 0, 500, 200)
    slot = box(247, -100, 250, -20)
    place = Averaged([resource])
    found = place.layers(place.uniform() - slot)
    row = found["averaging"].iloc[0]
    assert row["minimum_ft"] == pytest.approx(20, abs=1e-6)
    assert 247 <= row["minimum_x"] <= 250
    assert row["verdict"] == "too_narrow"
    violation = found["violations"].iloc[0]
    assert violation["area_sqft"] == pytest.approx(3 * 5, abs=1e-3)
    assert violation.geometry.centroid.distance(shapely.Point(248.5, -22.5)) < 1e-3


def test_a_notch_is_measured_to_its_very_tip():
    notch = shapely.Polygon([(250, -20), (249.5, -60), (250.5, -60)])
    place = Averaged([box(0, 0, 500, 200)])
    assert place.judge(place.uniform() - notch)[0].minimum_ft == pytest.approx(20, abs=1e-6)


def test_labelled_areas_of_the_exhibit():
    found = straight().layers(stepped((200, 300, 25), (350, 400, 30), (600, 800, 75)))
    areas = found["averaging_areas"].set_index("label")
    assert list(areas.index) == ["A-1", "R-1", "R-2"]
    assert areas.loc["R-1", ["area_sqft", "edge_ft", "minimum_ft", "maximum_ft"]].tolist() == pytest.approx(
        [2500, 100, 25, 50], abs=1e-3
    )
    assert areas.loc["A-1", ["area_sqft", "edge_ft", "minimum_ft", "maximum_ft"]].tolist() == pytest.approx(
        [5000, 200, 50, 75], abs=1e-3
    )


def test_areas_begin_and_end_where_no_vertex_stands():
    """A chord through the ring comes nearer between its ends; the middle of an island is further off than its edge."""
    place = Averaged([SQUARE])
    road = shapely.Polygon([(-200, -20), (400, -50), (400, -500), (-200, -500)])
    found = place.layers(place.uniform() - road)["averaging_areas"].iloc[0]
    # at the corner (0, 0), 200 ft along the chord, it lies 30 ft below; straight to the chord a little less
    assert found["minimum_ft"] == pytest.approx(30 / np.hypot(1, 0.05), abs=1e-6)
    assert found["maximum_ft"] == pytest.approx(50, abs=0.02)
    pond = Averaged([box(0, 0, 300, 300) - box(100, 100, 200, 170)])
    island = pond.layers(pond.uniform() - box(90, 90, 210, 180))["averaging_areas"].iloc[0]
    assert (island["minimum_ft"], island["maximum_ft"]) == pytest.approx((0, 35), abs=0.03)


def test_width_profile_stands_every_ten_feet():
    found = straight().layers(stepped((200, 400, 25)))["width_profile"]
    assert found["station_ft"].tolist() == pytest.approx(np.arange(0, 1000, 10).tolist(), abs=1e-6)
    at = found.set_index(found["station_ft"].round())["width_ft"]
    assert (at[300], at[100], at[190]) == pytest.approx((25, 50, np.hypot(10, 25)), abs=1e-6)


def test_profile_never_goes_below_the_least_width():
    place = Averaged([SHAPES["bay"]])
    proposal = place.uniform() - box(-100, 90, 0, 100) | box(300, 0, 380, 100)
    found = place.layers(proposal)
    assert found["width_profile"]["width_ft"].min() >= found["averaging"]["minimum_ft"][0] - 1e-6
