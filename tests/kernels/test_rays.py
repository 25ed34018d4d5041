import numpy as np
import pytest
import shapely

from wetgeo.kernels.rays import limit_to_own, outward_rays, reach_past, strip_polygons, sure_between

SQUARE = shapely.box(0, 0, 100, 100)


def test_rays_leave_a_square_straight_away_from_it():
    strips = outward_rays(SQUARE, np.zeros((0, 2)), spacing=10, step=0.1)
    assert len(strips) == 8  # four sides and four corners
    for origins, directions in strips:
        assert np.hypot(*directions.T) == pytest.approx(1)
        ends = shapely.points(origins + 30 * directions)
        assert shapely.distance(ends, SQUARE) == pytest.approx(30)


def test_rays_go_into_holes_and_none_leave_a_hollow_corner():
    ring = shapely.Polygon(SQUARE.exterior, [shapely.box(40, 40, 60, 60).exterior])
    strips = outward_rays(ring, np.zeros((0, 2)), spacing=100, step=0.1)
    into = [o + 5 * d for o, d in strips if shapely.box(39, 39, 61, 61).contains(shapely.points(o[0]))]
    assert len(into) == 4  # the hole's corners are hollow
    assert shapely.box(40, 40, 60, 60).contains(shapely.multipoints(np.concatenate(into)[1::2] * 0.999 + 0.05))


def test_reach_goes_past_what_does_not_count():
    origins = np.array([[10.0, 100.0], [50.0, 100.0], [90.0, 100.0]])
    directions = np.array([[0.0, 1.0]] * 3)
    surface = shapely.MultiPolygon(
        [shapely.box(40, 120, 60, 130), shapely.box(40, 178, 60, 180), shapely.box(80, 170, 99, 500)]
    )
    reach = reach_past(origins, directions, surface, width=75, most=300)
    assert reach == pytest.approx([75, 87, 300])


def test_a_ray_ends_where_another_side_is_nearer():
    bay = shapely.Polygon([(0, 0), (100, 0), (100, 50), (60, 50), (60, 10), (40, 10), (40, 50), (0, 50)])
    reach = limit_to_own(np.array([[40.0, 30.0]]), np.array([[1.0, 0.0]]), np.array([50.0]), bay)
    assert reach == pytest.approx([10.0], abs=1e-5)  # the bay is 20 wide


def test_strips_fill_the_offset():
    strips = outward_rays(SQUARE, np.zeros((0, 2)), spacing=10, step=0.02)
    quads = [q for o, d in strips for q in strip_polygons(o, d, np.full(len(o), 30.0))]
    offset = shapely.difference(shapely.buffer(SQUARE, 30, quad_segs=200), SQUARE)
    assert shapely.union_all(quads).area == pytest.approx(offset.area, rel=1e-4)


def test_a_corner_that_is_there_twice_is_one():
    corners = [(0, 0), (100, 0), (100, 0), (100, 100), (0, 100), (0, 100)]
    strips = outward_rays(shapely.Polygon(corners), np.zeros((0, 2)), spacing=10, step=0.1)
    assert len(strips) == 8
    for strip, truth in zip(strips, outward_rays(SQUARE, np.zeros((0, 2)), spacing=10, step=0.1), strict=True):
        assert np.hypot(*strip[1].T) == pytest.approx(1)
        assert len(strip[0]) == len(truth[0])


def test_a_surface_that_begins_where_the_width_ends_is_not_passed():
    ray = (np.array([[0.0, 0.0]]), np.array([[0.0, 1.0]]))
    for begins, expected in [(75, 75), (75 - 1e-7, 95), (75 + 1e-7, 75)]:
        surface = shapely.box(-1, begins, 1, begins + 20)
        assert reach_past(*ray, surface, width=75, most=300) == pytest.approx([expected], abs=1e-6)
    assert reach_past(*ray, shapely.Polygon(), width=75, most=300) == pytest.approx([75])


def test_rays_are_laid_where_the_ends_of_others_turn_off():
    # a corner so flat that its middle line runs almost straight out: rays 2 apart miss where it stops them
    flat = shapely.Polygon([(0, 0), (50, 0.0), (100, 1.0), (100, -50), (0, -50)])
    strips = [s for s in outward_rays(flat, np.zeros((0, 2)), spacing=7, step=0.1) if 0 < s[0][:, 0].mean() < 100]
    above = [(o, d) for o, d in strips if (d[:, 1] > 0).all() and len(o) > 2 and o[:, 1].min() >= 0]

    def measure(origins, directions):
        return limit_to_own(origins, directions, np.full(len(origins), 40.0), flat)

    laid = sure_between(above, measure, within=1e-3, finest=1e-4)
    ground = shapely.union_all([q for strip in laid for q in strip_polygons(*strip)])
    truth = shapely.difference(shapely.buffer(flat, 40, quad_segs=300), flat)
    for x in np.arange(42, 58, 0.37):
        line = shapely.intersection(shapely.LineString([(x, 1.2), (x, 39)]), truth)
        assert shapely.difference(line, shapely.buffer(ground, 2e-3)).length == 0
    assert sure_between([], measure, within=1e-3, finest=1e-4) == []
