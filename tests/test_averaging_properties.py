"""What holds for the judgement of any proposal: by properties, and by a raster as a second route."""

from __future__ import annotations

import numpy as np
import pyproj
import pytest
import shapely
from averaged import MCWD, SQUARE, Averaged, box, capped
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

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
