"""Spikes and slits that are no ground, and ground that must not be taken for one."""

import numpy as np
import pytest
import shapely
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wetgeo.kernels.needles import without_bands, without_needles, without_slits
from wetgeo.kernels.offset import polygons_only, without_slivers

THIN = 0.001


def array(*geometries):
    return np.array(geometries, dtype=object)


def clean(*geometries):
    return without_needles(array(*geometries), THIN)


SQUARE = [(0, 0), (100, 0), (100, 100), (0, 100)]


@pytest.mark.parametrize("start", range(6))
@pytest.mark.parametrize(
    "needle",
    [
        [(50, 100), (50, 140), (50 - 1e-7, 100)],  # a spike
        [(50, 100), (50, 140), (50, 100)],  # without any width
        [(50, 100), (50 - 1e-7, 60), (49.9999, 100)],  # a slit
        [(50, 100), (50, 120), (40, 130), (49.9999, 120), (49.9999, 100)],  # with a bend, there and back
        [(50, 100), (50, 120), (40, 130), (40, 130.00001), (49.9999, 120.0001), (49.9999, 100)],
    ],
)
def test_needles_go_wherever_the_outline_starts(needle, start):
    outline = [*SQUARE[:3], *needle, SQUARE[3]]
    start %= len(outline)
    polygon = shapely.Polygon(outline[start:] + outline[:start])
    (found,) = clean(polygon)
    assert found.is_valid
    assert shapely.hausdorff_distance(found, shapely.Polygon(SQUARE)) < THIN
    assert found.area == pytest.approx(10_000, abs=0.2)


def test_a_hole_that_is_only_a_slit_is_filled_and_other_parts_stay():
    slit = [(10, 10), (60, 10), (60, 10.0005), (10, 10.0005)]
    hole = [(20, 50), (40, 50), (40, 70), (20, 70)]
    other = shapely.box(200, 0, 210, 10)
    (found,) = clean(shapely.MultiPolygon([shapely.Polygon(SQUARE, [slit, hole]), other]))
    assert found.geom_type == "MultiPolygon"
    assert found.area == pytest.approx(10_000 - 400 + 100)
    (gone,) = clean(shapely.Polygon([(0, 0), (100, 0), (100, 0.0002)]))
    assert gone.is_empty


def test_a_triangle_without_its_needle_and_a_triangular_hole_are_ground():
    hole = [(40, 5), (60, 5), (50, 20)]
    triangle = shapely.Polygon([(0, 0), (100, 0), (50, 80), (50, 160), (50, 80)], [hole])
    (found,) = clean(triangle)
    assert shapely.get_num_coordinates(found) == 8
    assert found.area == pytest.approx(100 * 80 / 2 - 20 * 15 / 2, abs=0.01)


def test_ground_is_left_alone_to_the_object():
    wedge = shapely.Polygon([(0, 0), (100, 0.5), (100, -0.5)])
    disc = shapely.Point(0, 0).buffer(75, quad_segs=200)
    comb = shapely.union_all(
        [shapely.box(0, 0, 100, 10), *(shapely.box(10 * i, 10, 10 * i + 0.01, 90) for i in range(9))]
    )
    shapes = array(wedge, disc, comb, shapely.Polygon(), shapely.MultiPolygon([shapely.Polygon(SQUARE)]))
    assert all(one is other for one, other in zip(without_needles(shapes, THIN), shapes, strict=True))
    assert len(without_needles(array(), THIN)) == 0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
@example(30)  # a hole along the outline, a hair from it
@example(160)
def test_what_shared_outlines_leave_when_they_were_reprojected(seed):
    # two neighbours share a border of many vertices, whose last digits differ
    rng = np.random.default_rng(seed)
    y = np.linspace(0, 100, int(rng.integers(3, 40)))
    border = np.column_stack([rng.uniform(-3, 3, len(y)), y])
    other = border + rng.normal(0, 1e-8, border.shape)
    west = shapely.Polygon([*border, (-80, 100), (-80, 0)])
    east = shapely.Polygon([*other, (80, 100), (80, 0)])
    ground = shapely.difference(shapely.buffer(west, 40, quad_segs=30), west)
    cut = shapely.difference(shapely.difference(ground, east), west)
    (found,) = without_bands(without_needles(without_slivers(polygons_only(array(cut)), 0.01), THIN), THIN / 10)
    assert found.is_valid
    exact = shapely.difference(shapely.buffer(west, 40, quad_segs=30), shapely.box(-80, 0, 80, 100))
    assert shapely.area(found) == pytest.approx(exact.area, abs=0.01)
    big = max(shapely.get_parts(found), key=shapely.area)
    assert shapely.hausdorff_distance(big, exact) < 0.01


def test_a_band_is_opened_and_the_ground_beside_it_stays_to_the_vertex():
    ground = shapely.Point(480_000, 4_980_000).buffer(100, quad_segs=90)
    x = 480_000 + np.linspace(0, 60, 7) + 1 / 3
    band = [*zip(x, 4_980_000 + 0.7 * (x - x[0]), strict=True)]
    pond = shapely.Polygon([*band, (480_020, 4_980_080)])
    beside = shapely.Polygon([*((a, b - 1e-8) for a, b in band), (480_300, 4_979_000), (479_000, 4_979_000)])
    banded = shapely.difference(shapely.difference(ground, pond), beside)
    (found,) = without_bands(array(banded), 1e-4)
    assert len(banded.interiors) == 1
    assert len(found.interiors) == 0
    assert found.area == pytest.approx(banded.area, abs=1e-5)
    own = {tuple(xy) for xy in shapely.get_coordinates(banded)}
    assert sum(tuple(xy) not in own for xy in shapely.get_coordinates(found)) < 20


def test_a_slit_with_a_flat_end_is_filled_and_nothing_else_changes() -> None:
    whole = shapely.Polygon([(0, 0), (20, 0), (20, 10), (10.00001, 10), (10.00001, 3), (10, 3), (10, 10), (0, 10)])
    filled = without_slits(whole, 1e-4)
    assert filled.area == pytest.approx(200, abs=1e-6)
    assert filled.length == pytest.approx(60, abs=1e-6)
    notched = shapely.Polygon([(0, 0), (20, 0), (20, 10), (10.01, 10), (10.01, 3), (10, 3), (10, 10), (0, 10)])
    kept = without_slits(notched, 1e-4)
    assert shapely.hausdorff_distance(kept, notched) < 1e-9
