import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from wetgeo.kernels import unions
from wetgeo.kernels.unions import union_parts

#: somewhere in UTM zone 15, metres
FAR = np.array([480_000.0, 4_980_000.0])


def test_union_counts_shared_ground_once():
    parts = union_parts(
        [shapely.box(0, 0, 2, 2), shapely.box(1, 0, 3, 2), shapely.box(10, 0, 11, 1), shapely.Polygon()]
    )
    assert sorted(round(p.area, 9) for p in parts) == [1, 6]
    assert len(union_parts([])) == 0


def test_union_keeps_all_ground_across_hair_cracks():
    rng = np.random.default_rng(5)
    x = np.linspace(0, 500, 400)
    shore = np.column_stack([x, 20 * np.sin(x / 40)])
    for crack in (0.0, 1e-9, 1e-8, 1e-7):
        moved = shore + rng.normal(scale=crack or 1e-12, size=shore.shape)
        above = shapely.Polygon([*shore, (500, 200), (0, 200)])
        below = shapely.Polygon([*moved, (500, -200), (0, -200)])
        middle = shapely.buffer(shapely.LineString(shore), 30, cap_style="flat")
        united = shapely.union_all(union_parts([above, below, middle]))
        beyond = shapely.difference(middle, shapely.box(0, -200, 500, 200)).area
        assert united.area == pytest.approx(500 * 400 + beyond, abs=0.01)
        assert united.area >= max(above.area, below.area) + 1
        for shape in (above, below, middle):
            assert shapely.difference(shape, united).area < 1e-3


@st.composite
def heaps(draw):
    """Polygons in a heap: random outlines, rings around them, hair-breadth copies, a coverage, boxes on a grid."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["outlines", "rings", "copies", "coverage", "boxes"]))
    corner = draw(st.sampled_from([np.zeros(2), FAR]))
    if kind == "coverage":
        seeds = shapely.multipoints(corner + rng.uniform(-100, 100, (20, 2)))
        return list(
            shapely.clip_by_rect(shapely.get_parts(shapely.voronoi_polygons(seeds)), *(corner - 80), *(corner + 80))
        )
    if kind == "boxes":
        return [
            shapely.box(*(corner + at), *(corner + at + rng.integers(1, 4, 2))) for at in rng.integers(0, 8, (20, 2))
        ]
    shapes = [_outline(rng, corner + rng.uniform(-300, 300, 2)) for _ in range(rng.integers(2, 10))]
    if kind == "rings":
        shapes = [shapely.difference(shapely.buffer(shape, 30), shape) for shape in shapes]
    if kind == "copies":
        by = 10.0 ** rng.integers(-9, -2)
        shapes += [shapely.transform(shape, lambda xy: xy + by * np.sin(7 * xy[:, ::-1])) for shape in shapes]
    return [shape for shape in shapes if shape.is_valid and not shape.is_empty]


def _outline(rng, middle):
    angles = np.linspace(0, 2 * np.pi, rng.integers(5, 120), endpoint=False)
    waves = 0.3 * np.cos(rng.integers(1, 9) * angles + rng.uniform(0, 6)) + rng.normal(scale=0.1, size=len(angles))
    radius = np.abs(rng.uniform(20, 150) * (1 + waves)) + 1
    ring = middle + radius[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return shapely.make_valid(shapely.Polygon(ring), method="structure")


@given(heaps())
@settings(max_examples=150)
def test_what_clipper_unites_is_what_geos_unites(shapes):
    parts, expected = union_parts(shapes), shapely.union_all(shapes, grid_size=1e-6)
    assert shapely.is_valid(parts).all()
    length = sum(shape.length for shape in shapes)
    assert shapely.area(parts).sum() == pytest.approx(expected.area, abs=3e-6 * length)
    assert shapely.symmetric_difference(shapely.union_all(parts), expected).area < 1e-5 * length


def test_a_pond_in_an_island_and_two_polygons_that_touch_at_a_corner():
    frame = shapely.box(0, 0, 10, 10).difference(shapely.box(2, 2, 8, 8))
    pond = shapely.box(4, 4, 6, 6)
    bridge = shapely.box(1, 4.5, 4.5, 5)
    (whole,) = union_parts([frame, pond, bridge])
    assert whole.area == pytest.approx(100 - 36 + 4 + 2 * 0.5, abs=1e-9)
    assert len(whole.interiors) == 1
    corner = union_parts([shapely.box(0, 0, 1, 1), shapely.box(1, 1, 2, 2)])
    assert sorted(corner, key=lambda part: part.bounds)[1].equals(shapely.box(1, 1, 2, 2))
    assert len(corner) == 2


def test_united_vertices_lie_on_a_grid_and_a_lone_polygon_keeps_its_own():
    lone = shapely.Polygon(FAR + np.array([[1000.123456789, 0], [1010, 0], [1000, 10]]))
    two = [shapely.Point(FAR).buffer(10), shapely.Point(FAR + 7).buffer(10)]
    parts = sorted(union_parts([*two, lone]), key=lambda part: part.bounds)
    assert parts[1].equals_exact(lone, 0)
    xy = shapely.get_coordinates(parts[0])
    assert np.array_equal(xy, np.round(xy, 6))


@pytest.mark.parametrize(
    "torn", [[[0, 0], [0, 2], [2, 2], [2, 0]], [[0, 0], [2, 0], [2, 2], [1, -1]]], ids=["only a hole", "crosses itself"]
)
def test_geos_unites_where_clipper_leaves_no_valid_polygon(monkeypatch, torn):
    class Torn(unions.CrossSection):
        def to_polygons(self):
            return [np.array(torn) * 0.01 for _ in super().to_polygons()]

    monkeypatch.setattr(unions, "CrossSection", Torn)
    (whole,) = union_parts([shapely.box(0, 0, 2, 2), shapely.box(1, 1, 3, 3)])
    assert whole.area == pytest.approx(7)


def test_polygons_below_the_grid_leave_nothing_behind():
    thin = [shapely.box(0, 0, 1e-7, 1e-7), shapely.box(0, 0, 2e-7, 1e-7)]
    assert len(union_parts([*thin, shapely.box(5, 5, 6, 6)])) == 1


@pytest.mark.parametrize("at", [(0, 0), FAR])
def test_what_clipper_unites_is_left_to_it(monkeypatch, at):
    x, y = at

    def asked(*_, **__):
        pytest.fail("GEOS unites it once more, at ten times the time")

    monkeypatch.setattr(shapely, "union_all", asked)
    (whole,) = union_parts([shapely.box(x, y, x + 2, y + 2), shapely.box(x + 1, y + 1, x + 3, y + 3)])
    assert whole.area == pytest.approx(7)
    frame = shapely.box(x, y, x + 10, y + 10).difference(shapely.box(x + 2, y + 2, x + 8, y + 8))
    (whole,) = union_parts([frame, shapely.box(x + 9, y, x + 12, y + 1)])
    assert whole.area == pytest.approx(64 + 2)
