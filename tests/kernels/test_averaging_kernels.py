"""The geometry of averaging against closed forms and brute force."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from wetgeo.kernels import averaging as kernel
from wetgeo.kernels import beside
from wetgeo.kernels.averaging import Sides

box = shapely.box


@pytest.mark.parametrize("seed", range(20))
def test_narrowest_is_the_distance_that_brute_force_finds(seed):
    random = np.random.default_rng(seed)
    pond = shapely.union_all(shapely.points(random.uniform(0, 50, (3, 2))).tolist()).convex_hull.buffer(
        random.uniform(3, 9)
    )
    lacking = shapely.union_all([box(x, y, x + 9, y + 5) for x, y in random.uniform(-100, 150, (9, 2))]) - pond.buffer(
        4
    )
    found = kernel.narrowest(pond, lacking, 0.01)
    assert found.width == pytest.approx(shapely.distance(pond, lacking), abs=1e-12)
    place = shapely.Point(found.x, found.y)
    assert place.distance(pond.boundary) < 1e-9
    assert place.distance(lacking) == pytest.approx(found.width, abs=0.011)


def test_place_is_the_middle_of_the_longest_level_stretch():
    lacking = shapely.union_all([box(10, 5, 20, 9), box(40, 5, 80, 9), box(0, 8, 100, 20)])
    found = kernel.narrowest(box(0, -10, 100, 0), lacking, 0.01)
    assert (found.width, found.x, found.y) == pytest.approx((5, 60, 0))


def test_place_of_two_alike_is_the_northern_then_the_western():
    pond = box(0, 0, 100, 100)
    lacking = shapely.union_all([box(20, -30, 40, -5), box(60, 105, 80, 130), box(20, 105, 40, 130)])
    found = kernel.narrowest(pond, lacking, 0.01)
    assert (found.x, found.y) == pytest.approx((30, 100))


def test_surface_crossed_counts_nothing():
    pond, lacking = box(0, -10, 100, 0), box(0, 30, 100, 60)
    found = kernel.narrowest_past(pond, lacking, box(40, 5, 60, 17), most=500, spacing=1)
    assert found is not None
    assert found.width == pytest.approx(18, abs=1e-6)
    assert 40 <= found.x <= 60
    assert kernel.narrowest_past(pond, lacking, box(300, 5, 320, 17), most=500, spacing=1) is None


def test_a_surface_narrower_than_the_spacing_is_not_missed():
    pond, lacking = box(0, -10, 100, 0), box(0, 30, 100, 60)
    found = kernel.narrowest_past(pond, lacking, box(40.31, 5, 40.32, 17), most=500, spacing=5)
    assert found is not None
    assert found.width == pytest.approx(18, abs=1e-3)


@pytest.mark.parametrize("root", [0.0, 0.31, 5.0, 9.999, 10.0])
def test_least_root(root):
    found = kernel.least_root(lambda x: x**3 - root**3, 0.0, 10.0, within=1e-9, step=1e-12)
    assert found**3 - root**3 >= 0
    assert found == pytest.approx(root, abs=1e-3 if root == 0 else 1e-6)


def test_least_root_of_a_jump_lies_on_its_upper_side():
    calls = []

    def jump(x):
        calls.append(x)
        return 1.0 if x >= np.pi else -1.0

    found = kernel.least_root(jump, 0.0, 10.0, within=1e-6, step=1e-6)
    assert 0 <= found - np.pi <= 1e-6
    assert len(calls) < 60


@pytest.mark.parametrize("width", [0.0, 3.0, 50.0, 170.0])
def test_equivalent_width_of_a_circle(width):
    def ring(w):
        return np.pi * ((40 + w) ** 2 - 40**2)

    assert kernel.equivalent_width(ring, ring(width), expected=50, most=1e4) == pytest.approx(width, abs=1e-4)


def test_equivalent_width_where_all_ground_is_taken_is_the_expected_one():
    assert kernel.equivalent_width(lambda w: min(w, 20.0), 20.0, expected=50, most=1e4) == 50
    assert kernel.equivalent_width(lambda w: min(w, 20.0), 12.0, expected=50, most=1e4) == pytest.approx(12)


def test_opened_keeps_right_angles_and_loses_what_is_thin():
    shape = box(0, 0, 10, 10) | box(10, 4, 30, 4.01)
    assert shapely.symmetric_difference(kernel.opened(shape, 0.02), box(0, 0, 10, 10)).area < 1e-9
    assert kernel.opened(box(0, 0, 10, 0.01), 0.02).is_empty


def test_gaps_between_solids_go_and_tips_stay():
    notch = shapely.Polygon([(2, 10), (2.05, 0), (2.1, 10)])
    ground = box(5, 0, 5.01, 10) | notch | box(0, 10, 10, 20)
    solids = np.array([box(0, 0, 5, 10) - notch, box(5.01, 0, 10, 10)], dtype=object)
    left, gaps = kernel.without_gaps(ground, 0.05, solids)
    assert shapely.area(gaps).sum() == pytest.approx(0.1, abs=0.01)
    assert left.bounds[1] == pytest.approx(0)
    assert shapely.intersects_xy(left, 2.05, 0.5)
    assert not shapely.intersects_xy(left, 5.005, 5)


def test_necks_beside_what_is_barred_go_and_corners_come_out_round():
    ground, body = box(0, 0, 100, 50), box(0, -20, 100, 0)
    left = kernel.without_necks(ground, box(40, 10, 60, 45), body, 5.0, 32)
    assert shapely.intersection(left, box(42, 45, 58, 50)).area < 0.5
    assert shapely.difference(box(0, 0, 100, 9.9), left).area < 0.1
    assert shapely.difference(box(0, 0, 33, 50), left).area < 1e-9
    assert kernel.without_necks(ground, box(40, 60, 60, 70), body, 5.0, 32).equals(ground)


def test_stations_run_on_from_line_to_line():
    lines = [shapely.LineString([(0, 0), (25, 0)]), shapely.LineString([(0, 9), (15, 9)])]
    points, stations = beside.stations_along(lines, 10)
    assert stations.tolist() == [0, 10, 20, 25, 35]
    assert points[4].equals(shapely.Point(10, 9))
    assert len(beside.stations_along([], 10)[0]) == 0


def test_stretch_along_counts_what_lies_before_a_piece_once():
    line = shapely.LineString([(0, 0), (100, 0)])
    assert beside.stretch_along(Sides(np.array([line])), box(20, 5, 50, 9) | box(40, 20, 70, 30), 0.5) == pytest.approx(
        50
    )
    ring = shapely.Point(0, 0).buffer(50, quad_segs=64).exterior
    quarter = shapely.Polygon([(0, 0), (200, 0), (200, 200), (0, 200)])
    piece = (shapely.Point(0, 0).buffer(80) - shapely.Point(0, 0).buffer(60)) & quarter
    assert beside.stretch_along(Sides(np.array([ring])), piece, 0.5) == pytest.approx(25 * np.pi, abs=1)
    assert beside.stretch_along(Sides(np.zeros(0, dtype=object)), piece, 0.5) == 0


def test_nearest_shares_halve_the_ground_between_two():
    left, right = kernel.nearest_shares(
        box(0, 0, 100, 50), np.array([box(-10, 0, 0, 50), box(100, 0, 110, 50)], dtype=object), 2.0
    )
    assert (left.area, right.area) == pytest.approx((2500, 2500), abs=1)
    assert left.bounds[2] == pytest.approx(50, abs=0.1)


def test_rings_run_clockwise_from_the_north_and_lines_from_the_west():
    ring = shapely.LineString([(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)])
    (found,) = kernel.clockwise_lines(ring)
    assert found.coords[:2] == [(0, 10), (10, 10)]
    lines = kernel.clockwise_lines(shapely.MultiLineString([[(5, 0), (0, 0)], [(9, 7), (5, 7)]]))
    assert [line.coords[0] for line in lines] == [(5, 7), (0, 0)]
    assert kernel.clockwise_lines(shapely.LineString()) == []


@pytest.mark.parametrize("seed", range(10))
def test_reach_is_what_a_fine_grid_finds(seed):
    random = np.random.default_rng(seed)
    corners = random.uniform(0, 60, (12, 2))
    pond = shapely.convex_hull(shapely.MultiPoint(corners)) - shapely.Point(random.uniform(20, 40, 2)).buffer(
        random.uniform(4, 9)
    )
    piece = random.uniform(-20, 60, 2)
    piece = box(*piece, *(piece + random.uniform(8, 40, 2))) - pond
    piece = max(shapely.get_parts(piece), key=shapely.area)
    least, greatest = beside.reach(kernel.Sides(pond), piece, spacing=1.0, within=0.02)
    assert least == pytest.approx(shapely.distance(pond, piece), abs=1e-9)
    left, bottom, right, top = piece.bounds
    x, y = np.meshgrid(np.linspace(left, right, 300), np.linspace(bottom, top, 300))
    inside = shapely.points(x.ravel(), y.ravel())[shapely.intersects_xy(piece, x.ravel(), y.ravel())]
    far = shapely.distance(pond, np.append(inside, shapely.points(shapely.get_coordinates(piece)))).max()
    assert far - 0.02 < greatest < far + 0.2


def test_least_root_of_a_straight_line_is_found_at_once():
    calls = []

    def line(x):
        calls.append(x)
        return 3 * (x - 7)

    found = kernel.least_root(line, 0.0, 10.0, within=1e-6, step=1e-12)
    # between both ends false position aims at half of what is near enough
    assert calls == [0, 10, pytest.approx(7 + 0.5e-6 / 3, abs=1e-9)]
    assert found == calls[-1]
