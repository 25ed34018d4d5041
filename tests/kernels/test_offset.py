import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from wetgeo.kernels.offset import (
    clip,
    grow,
    polygons_only,
    quarter_segments,
    subtract,
    without_slivers,
)


def array(*geometries):
    return np.array(geometries, dtype=object)


@pytest.mark.parametrize(("radius", "tolerance", "segments"), [(100, 0.01, 56), (75, 0.01, 49), (0.005, 0.01, 1)])
def test_quarter_segments_follow_from_the_chord_error(radius, tolerance, segments):
    assert quarter_segments(radius, tolerance) == segments
    if segments > 1:
        assert radius * (1 - math.cos(math.pi / 4 / segments)) <= tolerance


@pytest.mark.parametrize("width", [16.0, 50.0, 75.0, 150.0])
def test_a_convex_polygon_grows_by_steiners_formula(width):
    square = shapely.box(0, 0, 200, 120)
    grown = grow(array(square), np.array([width]), tolerance=0.01)[0]
    assert grown.area == pytest.approx(square.area + square.length * width + math.pi * width**2, rel=2e-4)


def _blob(seed, vertices, waves):
    rng = np.random.default_rng(seed)
    angles = np.linspace(0, 2 * np.pi, vertices, endpoint=False)
    radius = rng.uniform(50, 500) * (
        1 + 0.25 * sum(np.cos(k * angles + rng.uniform(0, 6)) / k for k in range(1, waves))
    )
    radius = np.abs(radius) + 5 + rng.normal(size=vertices) * rng.choice([0, 0.1])
    return shapely.make_valid(shapely.Polygon(np.column_stack([radius * np.cos(angles), radius * np.sin(angles)])))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(8, 600), st.integers(2, 25), st.sampled_from([16.0, 40.0, 75.0, 150.0]))
def test_no_edge_is_further_than_the_promise_from_the_true_offset(seed, vertices, waves, width):
    blob = _blob(seed, vertices, waves)
    edge = grow(array(blob), np.array([width]), tolerance=0.01)[0].boundary
    along = shapely.points(shapely.get_coordinates(shapely.segmentize(edge, max(1.0, edge.length / 5000))))
    distance = shapely.distance(along, blob)
    assert distance.max() <= width + 0.05
    assert distance.min() >= width - 0.05


def test_each_polygon_grows_by_its_own_distance():
    squares = array(shapely.box(0, 0, 1, 1), shapely.box(100, 0, 101, 1), shapely.box(200, 0, 201, 1))
    grown = grow(squares, np.array([10.0, 0.0, 20.0]), tolerance=0.01)
    assert [round(g.bounds[2] - g.bounds[0]) for g in grown] == [21, 1, 41]
    assert len(grow(array(), np.zeros(0), tolerance=0.01)) == 0


def test_subtract_takes_all_neighbours_away_whatever_their_order():
    ground = array(shapely.box(0, 0, 10, 10), shapely.box(100, 0, 110, 10))
    others = [shapely.box(2, 2, 4, 4), shapely.box(3, 3, 6, 6), shapely.box(-5, -5, 1, 20)]
    union = shapely.union_all(others)
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        left = subtract(ground, array(*(others[i] for i in order)))
        assert left[0].equals(shapely.difference(ground[0], union))
        assert left[1].equals(ground[1])
    assert subtract(ground, array())[0].equals(ground[0])


def test_subtract_takes_away_many_neighbours_as_it_does_few():
    """Twelve ponds, each overlapping the next, and ground with two ponds or none."""
    ponds = [shapely.Point(8 * i, 5).buffer(3.5 if i % 2 else 4.6) for i in range(12)]
    ground = array(shapely.box(-10, 0, 100, 10), shapely.box(80, 4, 95, 30), shapely.box(200, 0, 210, 10))
    for others in (ponds, ponds[::-1]):
        left = subtract(ground, array(*others))
        for before, after in zip(ground, left, strict=True):
            exact = shapely.difference(before, shapely.union_all(ponds))
            assert shapely.hausdorff_distance(after, exact) < 1e-5  # many are united on a grid, which is finer
            assert after.area == pytest.approx(exact.area, abs=1e-5 * exact.length)
    # radii of 4.6 and 3.5 by turns, 8 apart: the ponds overlap, and leave nothing of the line through their centres
    middle = shapely.intersection(subtract(ground, array(*ponds))[0], shapely.LineString([(0, 5), (88, 5)]))
    assert middle.length == pytest.approx(0, abs=1e-5)


def test_only_polygons_stay():
    mixed = shapely.GeometryCollection([shapely.box(0, 0, 1, 1), shapely.LineString([(2, 0), (3, 0)])])
    kept = polygons_only(array(mixed, shapely.LineString([(0, 0), (1, 1)]), shapely.box(0, 0, 1, 1)))
    assert kept[0].equals(shapely.box(0, 0, 1, 1))
    assert kept[1].is_empty
    assert kept[1].geom_type == "MultiPolygon"


def test_clip_leaves_what_is_inside_as_it_is():
    inside, across = shapely.box(1, 1, 2, 2), shapely.box(8, 8, 12, 12)
    clipped = clip(array(inside, across, shapely.box(20, 20, 21, 21)), shapely.box(0, 0, 10, 10))
    assert clipped[0] is inside
    assert clipped[1].area == pytest.approx(4)
    assert clipped[2].is_empty


def test_slivers_are_left_out_part_by_part():
    big, other, small = shapely.box(0, 0, 5, 5), shapely.box(20, 0, 25, 5), shapely.box(10, 0, 10.001, 1)
    kept = without_slivers(
        array(shapely.MultiPolygon([big, small]), small, shapely.MultiPolygon([big, small, other]), big), 0.01
    )
    assert kept[0].equals(big)
    assert kept[1].is_empty
    assert kept[2].area == 50
    assert kept[3] is big


def test_polygons_stay_the_same_objects_and_of_what_is_none_nothing_stays():
    square = shapely.box(0, 0, 1, 1)
    ground = array(square, shapely.MultiPolygon([square, shapely.box(2, 0, 3, 1)]), shapely.Polygon())
    assert all(kept is one for kept, one in zip(polygons_only(ground), ground, strict=True))
    line, points = square.exterior, shapely.MultiPoint([(0, 0), (1, 1)])
    none = array(
        points.centroid, points, line, shapely.MultiLineString([line]), line | points, points | square.centroid
    )
    assert {(kept.geom_type, kept.is_empty) for kept in polygons_only(none)} == {("MultiPolygon", True)}
