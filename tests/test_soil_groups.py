"""Areas of hydrologic soil groups: closed forms, and ground claimed twice against a count of points."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from sites import FEET, make_site

from wetgeo.findings import Findings
from wetgeo.soil_groups import group_areas

RANK = ["D", "C", "B", "A", ""]
FIRST = {"A/D": "A", "B/D": "B", "C/D": "C"}


def measure(soils, ground, dual="undrained"):
    """Square feet by group on each piece of ground, and what was found."""
    layer = [{"hsg": hsg, "mukey": None, "geometry": shape} for hsg, shape in soils]
    site = make_site([{"geometry": shapely.box(0, 0, 1, 1)}], {"soils": layer}, crs=FEET)
    findings = Findings()
    pieces = np.array(ground, dtype=object)
    return group_areas(site, pieces, dual_hsg=dual, findings=findings), list(findings)


def test_area_decides_not_the_number_of_polygons():
    soils = [("A", shapely.box(i, 0, i + 1, 10)) for i in range(4)] + [("C", shapely.box(4, 0, 10, 10))]
    (areas,), found = measure(soils, [shapely.box(0, 0, 10, 10)])
    assert areas == pytest.approx({"A": 40, "C": 60})
    assert not found


def test_dual_groups_count_as_d_or_as_their_first_letter():
    soils = [(hsg, shapely.box(10 * i, 0, 10 * i + 10, 10)) for i, hsg in enumerate([*FIRST, "D"])]
    ground = [shapely.box(0, 0, 40, 10)]
    assert measure(soils, ground)[0][0] == pytest.approx({"D": 400})
    assert measure(soils, ground, "drained")[0][0] == pytest.approx({"A": 100, "B": 100, "C": 100, "D": 100})


def test_unrated_and_unmapped_ground():
    soils = [("B", shapely.box(0, 0, 10, 10)), (None, shapely.box(10, 0, 20, 10))]
    areas, _ = measure(soils, [shapely.box(5, 0, 30, 10), shapely.box(50, 0, 60, 10), shapely.Polygon()])
    assert areas == [pytest.approx({"B": 50, "": 100}), {}, {}]


def test_neighbours_that_touch_claim_nothing_twice():
    soils = [("A", shapely.box(0, 0, 10, 10)), ("D", shapely.box(10, 0, 20, 10)), ("B", shapely.box(0, 10, 20, 20))]
    (areas,), found = measure(soils, [shapely.box(0, 0, 20, 20)])
    assert areas == pytest.approx({"A": 100, "D": 100, "B": 200})
    assert not found


def test_contested_ground_counts_once_for_the_group_nearer_to_d():
    soils = [("A", shapely.box(0, 0, 20, 10)), ("C/D", shapely.box(10, 0, 30, 10)), (None, shapely.box(25, 0, 40, 10))]
    ground = [shapely.box(0, 0, 40, 10), shapely.box(0, 0, 9, 10)]
    areas, found = measure(soils, ground)
    assert areas == [pytest.approx({"A": 100, "D": 200, "": 100}), pytest.approx({"A": 90})]
    (told,) = found
    assert (told.severity, told.code, told.layer) == ("warning", "soil-overlap", "soils")
    assert "1 and 2; 2 and 3" in told.message
    assert "150 sq ft" in told.message
    # drained, the dual group counts as C, which still goes before A
    assert measure(soils, ground, "drained")[0][0] == pytest.approx({"A": 100, "C": 200, "": 100})


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12))
def test_contested_ground_against_a_count_of_points(seed, number):
    rng = np.random.default_rng(seed)
    groups = ["A", "B", "C", "D", "A/D", "B/D", "C/D", None]
    soils = []
    for _ in range(number):
        x, y, dx, dy = *rng.uniform(0, 80, 2), *rng.uniform(5, 60, 2)
        turned = shapely.affinity.rotate(shapely.box(x, y, x + dx, y + dy), rng.uniform(0, 90))
        soils.append((groups[rng.integers(len(groups))], turned))
    ground = [shapely.Point(50, 50).buffer(45), shapely.box(0, 0, 30, 100)]
    areas, _ = measure(soils, ground)
    x, y = np.meshgrid(np.arange(-20, 160, 0.5) + 0.25, np.arange(-20, 160, 0.5) + 0.25)
    best = np.full(x.shape, len(RANK))
    for hsg, shape in soils:
        rank = RANK.index("" if hsg is None else "D" if "/" in hsg else hsg)
        best = np.where(shapely.contains_xy(shape, x, y), np.minimum(best, rank), best)
    for piece, found in zip(ground, areas, strict=True):
        inside = shapely.contains_xy(piece, x, y)
        for rank, letter in enumerate(RANK):
            assert found.get(letter, 0.0) == pytest.approx((inside & (best == rank)).sum() * 0.25, abs=25)
        covered = shapely.intersection(piece, shapely.union_all([shape for _, shape in soils])).area
        assert sum(found.values()) == pytest.approx(covered, abs=number**2)  # under 1 sq ft, two may claim it
