"""What each rule adds to the judgement of an averaged buffer."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from averaged import CMSCWD, MCWD, SQUARE, Averaged, box, drawn, stepped, straight


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
