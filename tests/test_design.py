"""Designs: they comply by the same judgement that `check` gives, keep out of what is barred, and claim nothing else."""

from __future__ import annotations

import re

import numpy as np
import pytest
import shapely
from averaged import MCWD, Averaged, box, straight

SQUARE = box(0, 0, 200, 200)


def ground(judged):
    return shapely.union_all([one.proposed for one in judged])


def necks(judged, place, barred):
    """What of a design is narrower than 10 ft beside what is barred, the resource counted as wide ground."""
    shape = shapely.union_all([ground(judged), *place.upland.resources])
    wide = shape.buffer(-4.9, quad_segs=32).buffer(4.9, quad_segs=32).buffer(0.05)
    left = shapely.get_parts(shapely.difference(shape, wide))
    return shapely.area(left[shapely.dwithin(left, barred, 1.0)]).sum()


def thin(judged, place):
    """What of designs and resources together a disc of 10 ft across does not reach: spikes, necks, sharp corners."""
    shape = shapely.union_all([ground(judged), *place.upland.resources])
    wide = shape.buffer(-4.95, quad_segs=64).buffer(4.95, quad_segs=64)
    return shapely.difference(shape, wide.buffer(0.02)).area


def test_a_straight_edge_gets_back_what_it_loses():
    place, house = straight(), box(400, 25, 600, 425)
    (one,) = place.design(house)
    assert one.verdict == "compliant"
    assert one.minimum_ft == pytest.approx(25, abs=1e-3)
    assert 0 <= one.credited_sqft - one.required_sqft <= 0.5
    assert shapely.intersection(one.proposed, house).area < 1e-6
    assert one.lost.area == pytest.approx(5000, abs=1)
    # all along the rest of the edge, and so parallel to it: 5,000 sq ft on 800 ft
    top = box(0, 0, 380, 50 + 5000 / 800)
    assert shapely.difference(top, one.proposed).area < 5


def test_best_there_is_where_no_shape_complies():
    place = straight()
    (one,) = place.design(box(0, 10, 1000, 400))
    assert (one.verdict, one.minimum_ft) == ("too_narrow", pytest.approx(10, abs=1e-3))
    assert one.required_sqft - one.credited_sqft == pytest.approx(40_000, abs=1)
    (message,) = place.told("design")
    assert "15.00 ft of width" in message
    assert "40,000 sq ft of area" in message


def test_too_near_is_too_narrow_and_the_area_is_still_made_up():
    place = straight()
    (one,) = place.design(box(400, 12, 450, 400))
    assert (one.verdict, one.minimum_ft) == ("too_narrow", pytest.approx(12, abs=1e-3))
    assert one.credited_sqft >= one.required_sqft
    (message,) = place.told("design")
    assert "13.00 ft of width" in message
    assert "of area" not in message


def test_cap_bounds_a_design():
    wetland = {"geometry": box(-100, -100, 1100, 0), "class": "Manage 1"}
    tract = {"tract": [{"geometry": box(0, -50, 1000, 400)}]}
    place = Averaged([wetland], MCWD, layers=tract, reductions="none")
    (one,) = place.design(box(0, 20, 700, 400))
    # 700 ft at 20 and 300 at most at 80 have 38,000 of 40,000 sq ft
    assert one.verdict == "shortfall"
    assert one.required_sqft - one.credited_sqft == pytest.approx(2000, rel=0.05)
    assert one.over_cap.area < 0.01
    assert "the cap of 80 ft" in place.told("design")[0]


def test_nothing_barred_nearby_changes_nothing():
    place = Averaged([SQUARE])
    (one,) = place.design(box(500, 500, 600, 600))
    assert one.proposed.equals_exact(one.required, 1e-6) or one.proposed.symmetric_difference(one.required).area < 0.01


def test_what_must_stay_out_and_touches_no_buffer_is_told():
    place = Averaged([SQUARE])
    place.design(box(240, 50, 300, 100), box(5000, 0, 5010, 10), box(50, 50, 60, 60))
    (message,) = place.told("design")
    assert "2 of the 3 features" in message
    assert "(features 2, 3)" in message
    assert "4,750 ft" in message
    place = Averaged([SQUARE])
    place.design(box(240, 50, 300, 100))
    assert place.told("design") == []


def test_near_gives_back_beside_the_loss():
    place, house = straight(length=3000.0), box(1400, 25, 1600, 425)
    (near,) = place.design(house, near=True)
    assert near.verdict == "compliant"
    assert near.gained.bounds[0] > 1200
    assert near.gained.bounds[2] < 1800
    (even,) = place.design(house)
    assert even.gained.bounds[0] < 1


def test_preferred_ground_is_taken_first():
    place, house, wood = straight(), box(400, 25, 600, 425), box(700, 0, 900, 400)
    (one,) = place.design(house, ground=wood)
    assert one.verdict == "compliant"
    assert shapely.difference(one.gained, wood).area < 1
    (small,) = place.design(house, ground=box(700, 0, 720, 60))
    assert small.verdict == "compliant"
    assert small.gained.area == pytest.approx(5000, abs=60)


def test_no_ground_is_left_behind_a_road_or_in_a_neck():
    place = straight()
    road, house = box(-10, 70, 1010, 90), box(300, 30, 420, 62)
    (one,) = place.design(road, house)
    assert one.verdict == "compliant"
    # between house and road 8 ft are left: no buffer, nor is what lies behind the road
    assert shapely.intersection(one.proposed, box(310, 62, 410, 70)).area < 1
    assert shapely.intersection(one.proposed, box(0, 90, 1000, 400)).area < 1e-6


def test_two_wetlands_side_by_side():
    place = Averaged([box(0, 0, 100, 100), box(160, 0, 260, 100)])
    house = box(40, -80, 90, -28)
    judged = place.design(house)
    assert [one.verdict for one in judged] == ["compliant", "compliant"]
    assert shapely.intersection(ground(judged), house).area < 1e-6


def test_check_of_a_design_gives_the_same_numbers():
    place = Averaged([{"geometry": SQUARE, "class": "Manage 1"}], MCWD, reductions="none")
    designed = place.design(box(40, -70, 90, -22), box(230, 50, 300, 140))
    judged = place.judge(*[one.proposed for one in designed])
    for one, other in zip(designed, judged, strict=True):
        assert one.verdict == other.verdict == "compliant"
        assert other.minimum_ft == pytest.approx(one.minimum_ft, abs=1e-6)
        assert other.credited_sqft == pytest.approx(one.credited_sqft, abs=1e-3)
        assert other.average_ft == pytest.approx(one.average_ft, abs=1e-6)


def random_site(seed, nearest):
    """A wetland of random outline and two to four houses and drives, none nearer to it than `nearest`."""
    random = np.random.default_rng(seed)
    angles = np.sort(random.uniform(0, 2 * np.pi, 12))
    radii = random.uniform(120, 260, 12)
    wetland = shapely.Polygon(np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])).buffer(15)
    if random.random() < 0.5:
        place = Averaged([{"geometry": wetland, "class": "Manage 1"}], MCWD, reductions="none")
    else:
        place = Averaged([wetland])
    barred = []
    for _ in range(random.integers(2, 5)):
        at = wetland.exterior.interpolate(random.uniform(0, wetland.exterior.length))
        w, h = random.uniform(15, 60, 2)
        house = shapely.affinity.rotate(box(at.x - w, at.y - h, at.x + w, at.y + h), random.uniform(0, 90))
        barred.append(house)
    return place, shapely.difference(shapely.union_all(barred), wetland.buffer(nearest, quad_segs=64))


def feasible(seed):
    place, barred = random_site(seed, 26.0)
    judged = place.design(barred)
    assert [one.verdict for one in judged] == ["compliant"]
    (again,) = place.judge(*[one.proposed for one in judged])
    assert again.verdict == "compliant"
    assert again.credited_sqft == pytest.approx(judged[0].credited_sqft, abs=0.01)
    assert shapely.intersection(ground(judged), barred).area < 1e-3
    assert judged[0].over_cap.area < 0.01
    assert necks(judged, place, barred) < 2
    assert thin(judged, place) < 2


def infeasible(seed):
    place, barred = random_site(seed, 14.0)
    judged = place.design(barred | place.upland.resources[0].buffer(14.5) - place.upland.resources[0].buffer(14.2))
    assert [one.verdict for one in judged] == ["too_narrow"]
    assert judged[0].minimum_ft <= 14.3
    assert place.told("design")


def too_little_ground(seed):
    """All ground beyond some distance is barred but for one side: no shape has the area, and some not the width."""
    random = np.random.default_rng(seed)
    place, _ = random_site(seed, 26.0)
    (wetland,), (decision,) = place.upland.resources, place.averaging.decisions.values()
    most = decision.cap_ft or 10 * decision.average_ft
    reach = random.uniform(0.3, 0.8) * decision.average_ft
    around = wetland.buffer(most + 300, quad_segs=128)
    free = wetland.buffer(reach, quad_segs=128)
    side = random.uniform(0, 2 * np.pi)
    away = np.array([np.cos(side), np.sin(side)])
    # on this side ground is to be had up to so far
    corner = shapely.get_coordinates(wetland) @ away
    beyond = shapely.affinity.rotate(box(corner.max() - 25, -999, 999, 999), side, origin=(0, 0), use_radians=True)
    most_held = free | (beyond & wetland.buffer(decision.average_ft, quad_segs=128))
    barred = around - most_held
    (one,) = place.design(barred)
    # second route: plain buffers; ground that a disc of 10 ft does not reach may be left, and no other
    required = wetland.buffer(decision.average_ft, quad_segs=128).area - wetland.area
    held = most_held.area - wetland.area
    wide = most_held.buffer(-5, quad_segs=128).buffer(5, quad_segs=128).area - wetland.area
    assert held < required
    assert one.verdict == ("too_narrow" if reach < decision.minimum_ft - 0.05 else "shortfall")
    assert one.required_sqft == pytest.approx(required, rel=1e-4)
    assert wide - 1 - 1e-4 * held < one.credited_sqft < held + 1
    if reach < decision.minimum_ft:
        assert one.minimum_ft == pytest.approx(reach, abs=0.05)
    (message,) = place.told("design")
    lacks = re.search(r"([\d,]+) sq ft of area", message)
    assert float(lacks[1].replace(",", "")) == pytest.approx(one.required_sqft - one.credited_sqft, abs=1)
    narrow = re.search(r"([\d.]+) ft of width", message)
    assert (narrow is not None) is (one.verdict == "too_narrow")
    if narrow:
        assert float(narrow[1]) == pytest.approx(decision.minimum_ft - reach, abs=0.06)


@pytest.mark.parametrize("seed", range(5))
def test_random_sites_with_too_little_ground(seed):
    too_little_ground(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(400, 450))
def test_fifty_sites_with_too_little_ground(seed):
    too_little_ground(seed)


@pytest.mark.parametrize("seed", range(8))
def test_random_feasible_sites(seed):
    feasible(seed)


@pytest.mark.parametrize("seed", range(3))
def test_random_infeasible_sites(seed):
    infeasible(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 300))
def test_two_hundred_feasible_sites(seed):
    feasible(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300, 350))
def test_fifty_infeasible_sites(seed):
    infeasible(seed)
