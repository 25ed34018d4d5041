"""Shallow hollows of an outline, which GEOS fills before it buffers: no edge may lie too far out for that."""

import numpy as np
import pytest
import shapely
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wetgeo.kernels.offset import grow, quarter_segments, without_excess

#: the promise, feet
PROMISE = 0.05


def array(*geometries):
    return np.array(geometries, dtype=object)


def shore(x, y, *, turn=0):
    """A wetland whose northern shore runs through (x, y), its outline starting at vertex `turn`."""
    corners = [*zip(x, y, strict=True), (x[-1], -900.0), (x[0], -900.0)]
    turn %= len(corners)
    return shapely.Polygon(corners[turn:] + corners[:turn])


def strays(edge, shape, width):
    """How far an edge lies too far out, and too far in; feet."""
    along = shapely.get_coordinates(shapely.segmentize(edge, max(0.25, edge.length / 8000)))
    distance = shapely.distance(shapely.points(along), shape)
    return distance.max() - width, width - distance.min()


@pytest.mark.parametrize("start", range(7))
@pytest.mark.parametrize("depth", [0.1, 0.4, 0.74, 0.9])
def test_a_long_hollow_is_followed_wherever_the_outline_starts(start, depth):
    # two hollows, 200 ft long each: the true edge dips over each by nearly its depth
    wetland = shore([0.0, 100.0, 200.0, 300.0, 400.0], [0.0, -depth, 0.0, -depth, 0.0], turn=start)
    edge = grow(array(wetland), np.array([75.0]), tolerance=0.01)[0]
    out, back = strays(edge.exterior, wetland, 75.0)
    assert out <= 0.01
    assert back <= PROMISE
    over = shapely.intersection(edge, shapely.LineString([(100, 0), (100, 200)])).bounds[3]
    slope = np.arctan(depth / 100)
    assert over == pytest.approx(-depth + 75 / np.cos(slope), abs=0.01)  # where the two sides' offsets meet


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(2, 60),
    st.floats(5, 600),
    st.sampled_from([0.02, 0.2, 0.5, 1.0, 4.0]),
    st.sampled_from([16.0, 40.0, 75.0, 150.0]),
)
@example(1703, 19, 269.0, 1.0, 150.0)  # the engine alone goes 0.62 ft too far
@example(21, 27, 346.0, 1.0, 75.0)  # 0.43 ft
@example(4, 20, 99.0, 0.5, 75.0)  # 0.11 ft
def test_no_edge_along_a_rough_shore_strays(seed, vertices, span, depth, width):
    rng = np.random.default_rng(seed)
    x = np.concatenate([[0.0], np.sort(rng.uniform(0.01, span - 0.01, vertices)), [span]])
    y = -depth * np.concatenate([[0.0], rng.uniform(0, 1, vertices), [0.0]])
    wetland = shore(x, y, turn=int(rng.integers(vertices)))
    edge = grow(array(wetland), np.array([width]), tolerance=0.01)[0]
    assert edge.geom_type == "Polygon"
    out, back = strays(edge.exterior, wetland, width)
    assert max(out, back) <= PROMISE


def test_islands_and_parts_are_gone_over_too():
    x, y = [0.0, 100.0, 200.0], [0.0, -0.5, 0.0]
    lower = shore(x, y, turn=2)
    # an island whose shore has the same hollow, seen from inside, and another part far away
    island = shapely.Polygon([(50, -300), (100, -300.5), (150, -300), (150, -500), (50, -500)])
    holed = shapely.Polygon(lower.exterior, [island.exterior])
    parts = shapely.MultiPolygon([holed, shapely.transform(lower, lambda xy: xy + np.array([2000.0, 0.0]))])
    grown = grow(array(parts), np.array([75.0]), tolerance=0.01)[0]
    out, back = strays(grown.boundary, parts, 75.0)
    assert out <= 0.01
    assert back <= PROMISE
    assert sum(len(part.interiors) for part in grown.geoms) == 0  # the island is narrower than two widths


def test_banks_of_a_line_do_not_stray_but_its_ends_stay_flat():
    line = shapely.LineString([(0, 0), (300, 0.9), (600, 0), (900, 0.9), (1200, 0)])
    drawn = shapely.buffer(array(line), 100.0, quad_segs=quarter_segments(100.0, 0.01), cap_style="flat")
    bank = without_excess(drawn, array(line), 100.0, tolerance=0.01)[0]
    assert shapely.distance(
        shapely.points(shapely.get_coordinates(shapely.segmentize(bank.exterior, 1))), line
    ).max() <= (100.01)
    assert bank.bounds[0] >= -0.5
    assert bank.area == pytest.approx(line.length * 200, rel=1e-5)


def test_what_has_no_shallow_hollow_stays_as_it_is():
    shapes = array(shapely.box(0, 0, 50, 50), shapely.MultiPolygon(), shore([0.0, 50.0, 100.0], [0.0, -30.0, 0.0]))
    drawn = shapely.buffer(shapes, 20.0, quad_segs=32)
    kept = without_excess(drawn, shapes, 20.0, tolerance=0.01)
    assert all(one is other for one, other in zip(kept, drawn, strict=True))
    assert len(without_excess(array(), array(), 20.0, tolerance=0.01)) == 0
