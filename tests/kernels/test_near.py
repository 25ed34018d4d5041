"""What is near to each other, against plain distances of shapely."""

import numpy as np
import shapely

from wetgeo.kernels.near import first_outline, near_segments


def test_the_first_outline_that_is_near_enough_counts_and_no_ground_does():
    one, other = shapely.box(0, 0, 10, 10), shapely.box(5, -5, 15, 5)
    polygons = np.array([one, other, shapely.Point(100, 0).buffer(3).difference(shapely.Point(100, 0).buffer(1))])
    points = np.array([(10, 5), (10.05, 0), (15, 0), (7, 4), (99, 0), (50, 50)], dtype=float)
    assert first_outline(points, polygons, 0.1).tolist() == [0, 0, 1, 3, 2, 3]
    distance = shapely.distance(shapely.points(points)[:, None], shapely.boundary(polygons))
    near = distance <= 0.1
    assert first_outline(points, polygons, 0.1).tolist() == np.where(near.any(axis=1), near.argmax(axis=1), 3).tolist()
    assert len(first_outline(points[:0], polygons, 0.1)) == 0


def test_all_segments_within_reach_are_paired():
    rng = np.random.default_rng(7)
    steps = rng.normal(size=(400, 2)) * 3
    walk = np.cumsum(steps, axis=0)
    ends = np.stack([walk[:-1], walk[1:]], axis=1)
    start = rng.uniform(walk.min(axis=0), walk.max(axis=0), size=(150, 2))
    others = np.stack([start, start + rng.normal(size=(150, 2)) * 20], axis=1)
    own, other = near_segments(ends, others, 0.7)
    apart = shapely.distance(shapely.linestrings(ends)[:, None], shapely.linestrings(others))
    wanted = set(zip(*np.nonzero(apart <= 0.7), strict=True))
    found = list(zip(own.tolist(), other.tolist(), strict=True))
    assert found == sorted(set(found))
    assert wanted <= set(found)
    assert len(found) < 2 * len(wanted)
    assert apart[own, other].max() < 20


def test_segments_that_are_just_within_reach_are_paired():
    other = np.array([[(0.0, 0.0), (10.0, 0.0)], [(0.0, 0.0), (0.0, 10.0)], [(0.0, 0.0), (6.0, 8.0)]])
    for away in (0.7, -0.7):
        beside = [other[0] + (0, away), other[1] + (away, 0), other[2] + (-0.8 * away, 0.6 * away)]
        for row, segment in enumerate(beside):
            assert 0 in near_segments(segment[None], other[row : row + 1], 0.7)[0]


def test_nothing_is_near_nothing():
    none, one = np.zeros((0, 2, 2)), np.array([[(0.0, 0.0), (1.0, 0.0)]])
    for pair in ((none, one), (one, none)):
        assert [len(rows) for rows in near_segments(*pair, 1.0)] == [0, 0]
