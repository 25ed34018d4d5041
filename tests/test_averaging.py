"""Buffer averaging against closed forms, against itself, and against a raster."""

from __future__ import annotations

import numpy as np
import pyproj
import pytest
import shapely
from averaged import CMSCWD, MCWD, Averaged, box, straight
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

SQUARE = box(0, 0, 200, 200)


def drawn(shape, width):
    return shapely.buffer(shape, width, quad_segs=256)


def stepped(*steps, length=1000.0):
    """A proposal along a straight edge: (from, to, width); 50 ft elsewhere."""
    plain = box(0, 0, length, 50)
    for start, end, width in steps:
        plain = plain - box(start, 0, end, 500) | box(start, 0, end, width)
    return plain


# -------------------------------------------------------------------------------------------------- closed forms


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


# ------------------------------------------------------------------------------------------------- what the rule adds


def test_cap_is_credited_no_further():
    wetland = {"geometry": box(-100, -100, 1100, 0), "class": "Manage 1"}
    tract = {"tract": [{"geometry": box(0, -50, 1000, 400)}]}
    place = Averaged([wetland], MCWD, layers=tract, reductions="none")
    plain = box(0, 0, 1000, 40)
    proposal = plain - box(0, 20, 200, 40) | box(600, 0, 700, 100)
    one = place.judge(proposal)[0]
    assert (one.decision.minimum_ft, one.decision.cap_ft) == (20, 80)
    assert one.over_cap.area == pytest.approx(100 * 20, abs=1e-3)
    assert one.gained.area == pytest.approx(100 * 40, abs=1e-3)
    assert one.verdict == "compliant"
    assert place.judge(proposal - box(600, 79, 700, 100))[0].over_cap.area < 1e-3


def test_shortfall_is_stated_in_square_feet():
    place = Averaged([{"geometry": SQUARE, "class": "Manage 1"}], MCWD, reductions="none")
    place.judge(place.uniform() - box(0, -40, 100, -30))
    (message,) = place.told("averaging")
    assert message.startswith("a shortfall of 1,000 sq ft")
    assert "5(d)" in next(finding.citation for finding in place.findings if finding.code == "averaging")


def reading(**options):
    """A wetland of class Manage 1 on a given slope cannot be had without a DEM: soil cuts the width here."""
    soils = {"soils": [{"geometry": box(-500, -500, 1500, 500), "hsg": "B", "mukey": "1"}]}
    tract = {"tract": [{"geometry": box(0, -50, 1000, 400)}]}
    wetland = {"geometry": box(-100, -100, 1100, 0), "class": "Manage 1"}
    return Averaged([wetland], MCWD, layers={**soils, **tract}, reductions="soil", **options)


def test_another_reading_that_turns_the_verdict_is_told():
    proposal = box(0, 0, 1000, 36) - box(0, 19, 200, 40) | box(500, 0, 800, 60)
    place = reading()
    assert place.judge(proposal)[0].verdict == "compliant"
    (message,) = place.told("rule-reading")
    assert 'averaging_base = "table"' in message
    assert "from compliant to too_narrow" in message
    other = reading(averaging_base="table")
    assert other.judge(proposal)[0].verdict == "too_narrow"
    assert "from too_narrow to compliant" in other.told("rule-reading")[0]
    fine = reading()
    fine.judge(box(0, 0, 1000, 36) - box(0, 21, 200, 40) | box(500, 0, 800, 60))
    assert fine.told("rule-reading") == []


def test_retained_impervious_surface_counts_nothing_and_ends_nothing():
    """A strip of pavement 8 ft wide, 10 ft from the edge: the width is what is left without it."""
    pavement = {"existing_impervious": [{"geometry": box(400, 10, 600, 18)}]}
    tract = {"tract": [{"geometry": box(0, -50, 1000, 400)}]}
    wetland = {"geometry": box(-100, -100, 1100, 0), "class": "Manage 1"}
    place = Averaged([wetland], MCWD, layers={**pavement, **tract}, reductions="none")
    narrow = place.judge(box(0, 0, 1000, 60) - box(400, 25, 600, 60))[0]
    assert narrow.minimum_ft == pytest.approx(17, abs=1e-6)
    assert narrow.not_counted.area == pytest.approx(1600, abs=1e-6)
    assert narrow.verdict == "too_narrow"
    # beside the areas, what the delineated buffer holds behind the pavement is told, and that it is not proposed
    told = place.told("averaging")
    assert any("behind surface that does not count are not proposed" in message for message in told)
    assert any("the required area, 40,000 sq ft, is that of the uniform buffer" in message for message in told)
    wide = place.judge(box(0, 0, 1000, 60) - box(400, 29, 600, 60))[0]
    assert wide.minimum_ft == pytest.approx(21, abs=1e-6)
    # drawn with the pavement left out it is the same buffer
    left_out = place.judge(box(0, 0, 1000, 60) - box(400, 29, 600, 60) - box(400, 10, 600, 18))[0]
    assert left_out.minimum_ft == pytest.approx(21, abs=1e-6)
    assert left_out.credited_sqft == pytest.approx(wide.credited_sqft, abs=1e-3)
    layers = place.layers(box(0, 0, 1000, 60) - box(400, 25, 600, 60))
    # the profile is measured as the least width is
    profile = layers["width_profile"]
    assert profile["width_ft"].min() == pytest.approx(17, abs=1e-6)
    assert (profile["width_ft"] < 20).sum() == 21
    violations = layers["violations"]
    assert violations["measured_ft"].tolist() == pytest.approx([17], abs=1e-6)
    assert violations["area_sqft"].tolist() == pytest.approx([200 * 3], rel=0.01)


@pytest.mark.parametrize(("near", "rows"), [(24.9, 1), (25.0, 0), (40.0, 0)])
def test_infiltration_may_not_lie_near_the_wetland(near, rows):
    basin = {"infiltration": [{"geometry": box(100, near, 140, near + 20)}]}
    found = straight(layers=basin).layers(stepped())["violations"]
    assert len(found) == rows
    if rows:
        assert found["kind"].tolist() == ["excluded_use"]
        assert found["measured_ft"].tolist() == pytest.approx([near], abs=1e-3)
        assert "6(f)" in found["citation"][0]


def trail(width):
    return {"trails": [{"geometry": shapely.LineString([(0, 30), (1000, 30)]), "width_ft": width}]}


def test_a_trail_of_ten_feet_may_lie_in_the_buffer_and_counts_nothing():
    place = straight(layers=trail(10.0))
    found = place.layers(stepped((0, 1000, 50)))
    assert found["violations"].empty
    assert found["averaging"]["minimum_ft"][0] == pytest.approx(40, abs=1e-3)
    assert found["averaging"]["credited_sqft"][0] == pytest.approx(40_000, abs=1)
    assert found["averaging_areas"]["label"].tolist() == ["T-1"]


def test_a_wider_trail_is_a_violation_and_ends_a_buffer_that_leaves_it_out():
    found = straight(layers=trail(12.0)).layers(stepped())
    assert found["violations"]["kind"].tolist() == ["excluded_use"]
    assert found["violations"][["measured_ft", "required_ft"]].iloc[0].tolist() == [12, 10]
    cut = straight(layers=trail(12.0)).layers(stepped() - box(0, 24, 1000, 36))
    assert cut["violations"]["kind"].tolist() == ["too_narrow"]
    assert cut["averaging"]["minimum_ft"][0] == pytest.approx(24, abs=1e-3)


def stream(reach):
    """Stream along y = 0 with zones of 25, 50 and 75 ft; least widths 25, 25 and 37.5."""
    row = {"geometry": box(-100, -20, 1100, 0), "resource_type": "stream", "class": None, "setback_ft": 150.0}
    tract = {"tract": [{"geometry": box(0, -10, 1000, 600)}]}
    place = Averaged([row], CMSCWD, layers=tract)
    return place, place.layers(box(0, 0, 1000, 150) - box(400, reach, 600, 150) | box(0, 0, 390, 300))


@pytest.mark.parametrize(
    ("reach", "measured"),
    [(88.0, []), (70.0, [20.0]), (40.0, [15.0, 0.0]), (20.0, [20.0, 0.0, 0.0])],
)
def test_least_widths_of_stream_zones_add_up(reach, measured):
    _, found = stream(reach)
    row = found["averaging"].iloc[0]
    assert row["verdict"] == ("too_narrow" if measured else "compliant")
    assert (row["required_ft"], row["minimum_allowed_ft"]) == (150, 87.5)
    assert sorted(found["violations"]["measured_ft"]) == pytest.approx(sorted(measured), abs=1e-3)


def test_existing_structure_lowers_what_is_required_on_its_lot():
    layers = {
        "structures": [{"geometry": box(440, 40, 480, 80), "kind": "existing_primary"}],
        "parcels": [{"geometry": box(400, -200, 600, 400), "parcel_id": "7"}],
        "tract": [{"geometry": box(0, -50, 1000, 400)}],
    }
    lake = {
        "geometry": box(-100, -100, 1100, 0),
        "resource_type": "lake",
        "class": "natural environment",
        "setback_ft": 150.0,
    }
    place = Averaged([lake], CMSCWD, layers=layers)
    assert place.uniform().area == pytest.approx(800 * 75 + 200 * 20, abs=1)
    assert place.judge(place.uniform())[0].verdict == "compliant"
    assert place.judge(place.uniform() - box(450, 15, 500, 40))[0].verdict == "too_narrow"


def test_extension_that_is_not_proposed_is_told():
    flood = {"floodplain": [{"geometry": box(200, -10, 300, 120), "zone": "AE"}]}
    tract = {"tract": [{"geometry": box(0, -50, 1000, 400)}]}
    wetland = {"geometry": box(-100, -100, 1100, 0), "class": "3"}
    place = Averaged([wetland], CMSCWD, layers={**flood, **tract})
    assert place.judge(box(0, 0, 1000, 50))[0].verdict == "compliant"
    (message,) = place.told("averaging")
    assert message.startswith("7,000 sq ft that provisions add to its buffer")
    whole = Averaged([wetland], CMSCWD, layers={**flood, **tract})
    whole.judge(box(0, 0, 1000, 50) | box(200, 0, 300, 120))
    assert whole.told("averaging") == []


def test_only_the_subject_edge_counts():
    half = box(-500, -500, 100, 500)
    place = Averaged([{"geometry": SQUARE, "class": "Manage 1"}], MCWD, subject={0: half}, reductions="none")
    one = place.judge(place.uniform())[0]
    assert one.verdict == "compliant"
    assert one.required_sqft == pytest.approx((400 * 40 + np.pi * 40**2 / 2), rel=1e-4)
    row = place.layers(drawn(SQUARE, 60) - SQUARE)["averaging"].iloc[0]
    assert row["edge_ft"] == pytest.approx(400, abs=0.1)
    assert row["proposed_sqft"] == pytest.approx(drawn(SQUARE, 60).area - SQUARE.area, abs=1)
    assert row["credited_sqft"] == pytest.approx((drawn(SQUARE, 60).area - SQUARE.area) / 2, rel=1e-3)


# ------------------------------------------------------------------------------------------- proposals as they come


def test_with_or_without_the_wetland_inside_in_pieces_and_overlapping():
    place = Averaged([SQUARE])
    ring = place.uniform()
    west, east = ring & box(-500, -500, 110, 500), ring & box(90, -500, 700, 500)
    for shapes in ([ring], [ring | SQUARE], [west, east], [SQUARE, east, west, west]):
        one = place.judge(*shapes)[0]
        assert one.verdict == "compliant"
        assert one.credited_sqft == pytest.approx(one.required_sqft, abs=1e-3)
        assert one.minimum_ft == pytest.approx(50, abs=0.03)


@pytest.mark.parametrize("gap", [1e-9, 1e-6, 0.001, 0.03])
def test_gaps_between_polygons_and_along_the_wetland_are_closed_and_told(gap):
    place = Averaged([SQUARE])
    ring = place.uniform()
    pieces = [ring & box(-500, -500, 100, 500), ring & box(100 + gap, -500, 700, 500)]
    pieces = [piece - box(-gap, -gap, 200 + gap, 200 + gap) for piece in pieces]
    one = place.judge(*pieces)[0]
    assert one.minimum_ft == pytest.approx(50, abs=0.04)
    assert one.verdict == "compliant"
    if gap >= 0.001:
        assert "were taken as closed" in place.told("proposal")[0]


def test_a_gap_that_can_be_seen_is_a_gap():
    place = Averaged([SQUARE])
    ring = place.uniform()
    assert place.judge(ring & box(-500, -500, 100, 500), ring & box(100.2, -500, 700, 500))[0].minimum_ft == 0
    assert place.judge(ring - box(-0.2, 50, 0.1, 60))[0].minimum_ft == 0


def test_holes_are_lacking_ground():
    place = Averaged([SQUARE])
    hole = place.judge(place.uniform() - box(50, -35, 60, -30))[0]
    assert (hole.verdict, hole.minimum_ft) == ("shortfall", pytest.approx(30, abs=1e-6))


def test_covering_the_wetland_only():
    place = Averaged([SQUARE])
    one = place.judge(SQUARE)[0]
    assert (one.verdict, one.minimum_ft, one.average_ft, one.credited_sqft) == ("too_narrow", 0, 0, 0)
    assert "the proposal holds no buffer for it" in place.told("averaging")


def test_ground_that_belongs_to_no_resource_is_told():
    place = Averaged([SQUARE])
    one = place.judge(place.uniform(), box(2000, 0, 2100, 100))[0]
    assert one.verdict == "compliant"
    assert one.proposed.area == pytest.approx(one.required.area, abs=0.01)
    (message,) = place.told("proposal")
    assert "10,000.0 sq ft" in message
    assert "features 2" in message


def test_ground_beyond_the_tract_is_told():
    place = straight()
    place.judge(box(-100, 0, 1000, 50))
    assert place.told("proposal") == ["5,000 sq ft of the proposal lie outside the tract and count nothing"]


def test_ten_thousand_slivers():
    place = Averaged([SQUARE])
    ring = place.uniform()
    x, y = np.meshgrid(np.arange(1000, 1100), np.arange(100))
    slivers = shapely.box(x.ravel(), y.ravel(), x.ravel() + 0.01, y.ravel() + 0.9)
    one = place.judge(ring, *slivers)[0]
    assert one.verdict == "compliant"
    assert "10000 pieces" in place.told("proposal")[0]


# --------------------------------------------------------------------------------------------------------- properties

corner = st.tuples(st.floats(0, 2 * np.pi), st.floats(60, 240))


@st.composite
def wetlands(draw):
    corners = sorted(draw(st.lists(corner, min_size=4, max_size=9, unique_by=lambda c: round(c[0], 1))))
    shape = shapely.Polygon([(r * np.cos(a), r * np.sin(a)) for a, r in corners])
    shape = shapely.make_valid(shape)
    return shape if shape.geom_type == "Polygon" and shape.area > 500 else SQUARE


@st.composite
def proposals(draw):
    wetland = draw(wetlands())
    cuts = draw(st.lists(st.tuples(*[st.integers(-300, 300)] * 2, *[st.integers(5, 80)] * 2), max_size=3))
    adds = draw(st.lists(st.tuples(*[st.integers(-300, 300)] * 2, *[st.integers(5, 80)] * 2), max_size=3))
    width = draw(st.integers(20, 90))
    shape = wetland.buffer(width)
    for x, y, w, h in cuts:
        shape -= box(x, y, x + w, y + h)
    for x, y, w, h in adds:
        shape |= box(x, y, x + w, y + h)
    return wetland, shape


def capped(wetland):
    return Averaged([{"geometry": wetland, "class": "Manage 1"}], MCWD, reductions="none")


@given(wetlands())
@settings(max_examples=30, deadline=None)
def test_any_uniform_buffer_complies_with_itself(wetland):
    place = capped(wetland)
    one = place.judge(place.uniform())[0]
    assert one.verdict == "compliant"
    assert one.minimum_ft <= one.average_ft + 0.05


@given(proposals())
@settings(max_examples=40, deadline=None)
def test_shares_add_up(pair):
    wetland, shape = pair
    place = capped(wetland)
    one = place.judge(shape)[0]
    shares = one.credited.area + one.over_cap.area + one.not_counted.area
    assert shares == pytest.approx(one.proposed.area, rel=1e-9, abs=1e-3)
    kept = shapely.intersection(one.required, one.credited).area
    assert kept + one.lost.area == pytest.approx(one.required_sqft, rel=1e-9, abs=1e-2)
    assert kept + one.gained.area == pytest.approx(one.credited_sqft, rel=1e-9, abs=1e-2)
    # the set that defines the least width: U(w) lies inside the proposal, and a little more does not
    if one.place is not None and one.minimum_ft > 0.1:
        inside = place.uniform(one.minimum_ft - 0.06)
        assert shapely.difference(inside, shape).area < 0.01 * inside.length
        assert shapely.difference(place.uniform(one.minimum_ft + 0.05), shape).area > 0


@given(proposals(), st.integers(-300, 300), st.integers(5, 120))
@settings(max_examples=30, deadline=None)
def test_a_complying_proposal_that_grows_still_complies(pair, at, size):
    wetland, shape = pair
    place = capped(wetland)
    before = place.judge(shape)[0]
    after = place.judge(shape | box(at, at, at + size, at + size))[0]
    assert after.minimum_ft >= before.minimum_ft - 1e-6 or after.place is None
    assert after.credited_sqft >= before.credited_sqft - 1e-3
    if before.verdict == "compliant":
        assert after.verdict == "compliant"


@given(proposals(), st.floats(0, 6), st.sampled_from([0.0, 4_000_000.0]))
@settings(max_examples=20, deadline=None)
def test_moving_and_turning_the_site_changes_no_verdict(pair, angle, shift):
    wetland, shape = pair
    matrix = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])

    def moved(one):
        return shapely.transform(one, lambda xy: xy @ matrix.T + shift)

    here, there = capped(wetland).judge(shape)[0], capped(moved(wetland)).judge(moved(shape))[0]
    assert there.minimum_ft == pytest.approx(here.minimum_ft, abs=0.02)
    assert there.credited_sqft == pytest.approx(here.credited_sqft, rel=1e-5, abs=1)
    margins = here.minimum_ft - here.decision.minimum_ft + 0.05, here.credited_sqft - here.required_sqft + 0.5
    if min(map(abs, margins)) > 2:
        assert there.verdict == here.verdict


@given(proposals(), st.sampled_from([("EPSG:26915", 0.3048), ("EPSG:26847", 0.3048 * 3937 / 1200)]))
@settings(max_examples=20, deadline=None)
def test_the_unit_of_the_coordinates_changes_no_verdict(pair, grid):
    """The same site in metres, and in US survey feet: scaled by the unit, it is judged the same."""
    wetland, shape = pair
    crs, scale = grid

    def scaled(one):
        return shapely.transform(one, lambda xy: xy * scale)

    here = capped(wetland).judge(shape)[0]
    wetland = {"geometry": scaled(wetland), "class": "Manage 1"}
    there = Averaged([wetland], MCWD, crs=pyproj.CRS(crs), reductions="none").judge(scaled(shape))[0]
    assert there.minimum_ft == pytest.approx(here.minimum_ft, abs=0.02)
    assert there.credited_sqft == pytest.approx(here.credited_sqft, rel=1e-5, abs=1)
    assert there.average_ft == pytest.approx(here.average_ft, abs=0.02)
    margins = here.minimum_ft - here.decision.minimum_ft + 0.05, here.credited_sqft - here.required_sqft + 0.5
    if min(map(abs, margins)) > 2:
        assert there.verdict == here.verdict


# ------------------------------------------------------------------------------------------------------- second route


@pytest.mark.parametrize("seed", range(6))
def test_against_a_raster(seed):
    compare_with_raster(seed, cell=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_against_a_fine_raster(seed):
    compare_with_raster(seed, cell=0.25)


def compare_with_raster(seed, cell):
    random = np.random.default_rng(seed)
    angles = np.sort(random.uniform(0, 2 * np.pi, 8))
    radii = random.uniform(40, 120, 8)
    wetland = shapely.make_valid(shapely.Polygon(np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])))
    shape = wetland.buffer(random.uniform(30, 55))
    for _ in range(3):
        x, y = random.uniform(-180, 180, 2)
        shape -= box(x, y, x + random.uniform(5, 50), y + random.uniform(5, 50))
    x, y = random.uniform(-180, 100, 2)
    shape |= box(x, y, x + 90, y + 60)
    place = capped(wetland)
    one = place.judge(shape)[0]
    axis = np.arange(-240, 240, cell) + cell / 2
    east, north = np.meshgrid(axis, axis)
    shapely.prepare(wetland), shapely.prepare(shape)
    wet = shapely.contains_xy(wetland, east, north)
    held = shapely.contains_xy(shape, east, north) & ~wet
    away = ndimage.distance_transform_edt(~wet) * cell
    # a cell's centre lies up to 0.7 cells from the edge, on both sides; the tip of a wedge holds no centre for longer
    assert -1.5 * cell < away[~held & ~wet].min() - one.minimum_ft < 3 * cell
    lacking = shapely.difference(box(-400, -400, 400, 400), shapely.union(shape, wetland))
    assert one.minimum_ft == pytest.approx(shapely.distance(lacking, wetland), abs=1e-6)
    width, cap = one.decision.width_ft, one.decision.cap_ft
    for area, mask in (
        (one.required_sqft, ~wet & (away <= width)),
        (one.lost.area, ~wet & (away <= width) & ~held),
        (one.credited_sqft, held & (away <= cap)),
    ):
        outline = 2000.0
        assert area == pytest.approx(mask.sum() * cell**2, abs=0.5 * cell * outline)
