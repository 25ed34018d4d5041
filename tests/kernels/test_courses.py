"""Courses: bearings, traverses whose rounding does not add up, and chords that keep to a line."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from wetgeo.kernels.courses import (
    ROUNDING,
    azimuth_seconds,
    bearing,
    bearing_seconds,
    bearing_text,
    chords,
    follow,
    ring_chords,
    traverse,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "N 00°00'00\" E"),
        (45 * 3600 + 10 * 60 + 20, "N 45°10'20\" E"),
        (90 * 3600, "N 90°00'00\" E"),
        (90 * 3600 + 1, "S 89°59'59\" E"),
        (180 * 3600, "S 00°00'00\" E"),
        (180 * 3600 + 1, "S 00°00'01\" W"),
        (270 * 3600 - 1, "S 89°59'59\" W"),
        (270 * 3600, "N 90°00'00\" W"),
        (360 * 3600 - 61, "N 00°01'01\" W"),
    ],
)
def test_bearings(seconds, text):
    assert bearing_text(seconds) == text
    assert bearing_seconds(text) == seconds


@given(st.integers(0, 360 * 3600 - 1))
def test_a_bearing_reads_back_to_the_second(seconds):
    assert bearing_seconds(bearing_text(seconds)) == seconds
    angle = math.radians(seconds / 3600)
    assert azimuth_seconds(math.sin(angle), math.cos(angle)) == seconds


def test_rounding_up_to_the_north():
    assert bearing(-1e-9, 1.0) == "N 00°00'00\" E"


@pytest.mark.parametrize("text", ["", "N 45 E", "N 91°00'00\" E", "N 90°00'01\" E", "X 45°00'00\" E", "N 45°0'00\" E"])
def test_what_is_no_bearing(text):
    with pytest.raises(ValueError, match="is no bearing"):
        bearing_seconds(text)


def test_rectangle_exactly():
    ring = np.add([[0, 0], [0, 200], [100, 200], [100, 0], [0, 0]], [2_500_000.0, 800_000.0])
    found = traverse(ring)
    assert [bearing_text(int(one)) for one in found.seconds] == [
        "N 00°00'00\" E",
        "N 90°00'00\" E",
        "S 00°00'00\" E",
        "N 90°00'00\" W",
    ]
    assert found.hundredths.tolist() == [20000, 10000, 20000, 10000]
    assert found.length == 600
    assert found.closure == pytest.approx(0, abs=1e-9)
    assert found.xy == pytest.approx(ring, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(2, 600), longest=st.floats(0.1, 2000))
def test_rounding_never_adds_up(seed, count, longest):
    random = np.random.default_rng(seed)
    steps = random.uniform(0.05, longest, count)[:, None] * _unit(random.uniform(0, 2 * np.pi, count))
    ring = np.add(np.cumsum(steps, axis=0), [1e6, 5e6])
    ring = np.concatenate([ring, ring[:1]])
    found = traverse(ring[: len(ring) if np.hypot(*(ring[-2] - ring[0])) < 2640 else -1])
    # half a second across half a mile and half a hundredth along, or what is let pass
    assert np.hypot(*(found.xy - ring[: len(found.xy)]).T).max() <= ROUNDING * 1.0001
    again = follow(found.xy[0], found.seconds, found.hundredths)
    assert (again.xy == found.xy).all()


def test_a_start_that_was_led_to_is_returned_to():
    ring = np.array([[0, 0], [0, 50.0], [60, 0], [0, 0]])
    found = traverse(ring, np.array([0.004, -0.003]))
    assert found.xy[0].tolist() == [0.004, -0.003]
    assert found.closure <= ROUNDING
    assert np.hypot(*(found.xy[1:-1] - ring[1:-1]).T).max() <= ROUNDING


@pytest.mark.parametrize(("radius", "tolerance"), [(50, 1.0), (75, 1.0), (100, 0.5), (1000, 1.0), (20, 0.1)])
def test_a_circle_has_as_many_chords_as_it_must(radius, tolerance):
    """A chord of a circle strays by r (1 - cos(pi / n)) from it, where n of them go around."""
    circle = radius * _unit(np.linspace(0, 2 * np.pi, 20001))
    found = chords(circle, tolerance)
    fewest = math.ceil(math.pi / math.acos(1 - tolerance / radius))
    assert fewest <= len(found) - 1 <= 1.03 * fewest + 1
    lengths = np.hypot(*np.diff(found, axis=0).T)
    assert (lengths[:-1] > 0.9 * lengths.max()).all()
    sagitta = radius - np.sqrt(radius**2 - (lengths / 2) ** 2)
    assert sagitta.max() <= tolerance


def test_straight_lines_keep_their_ends():
    """The outline of a rectangle's buffer: four straight lines, and quarter circles of four chords each at 1 ft."""
    outline = shapely.box(0, 0, 300, 200).buffer(50, quad_segs=64)
    found = chords(shapely.get_coordinates(outline), 1.0)
    lengths = np.round(np.hypot(*np.diff(found, axis=0).T), 6)
    assert (lengths == 300).sum() == 2
    assert (lengths == 200).sum() == 2
    assert len(lengths) == 4 + 4 * 4


def test_no_tolerance_drops_only_what_is_straight():
    line = np.array([[0, 0], [5, 0], [10, 0], [10.1, 0.05], [20, 0]])
    assert chords(line, 0.0).tolist() == line[[0, 2, 3, 4]].tolist()


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 200), tolerance=st.floats(0, 5), closed=st.booleans())
def test_chords_keep_to_the_line_and_the_line_to_them(seed, count, tolerance, closed):
    line = np.cumsum(np.random.default_rng(seed).normal(0, 1, (count + 1, 2)), axis=0)
    line = np.concatenate([line, line[:1]]) if closed else line
    found = chords(line, tolerance)
    assert (found[0] == line[0]).all()
    assert (found[-1] == line[-1]).all()
    assert {tuple(one) for one in found} <= {tuple(one) for one in line}
    one, other = shapely.LineString(line), shapely.LineString(found)
    assert shapely.hausdorff_distance(one, other, densify=0.02) <= tolerance + 1e-9


def test_ring_keeps_where_its_lines_change():
    """A square's side in two kinds; the vertex between them stays though it is straight."""
    ring = np.array([[0, 0], [0, 10], [0, 20], [20, 20], [20, 0]], dtype=float)
    vertices, kinds = ring_chords(ring, np.array([7, 8, 8, 8, 8]), np.full(5, 0.5), least=0.05)
    assert vertices.tolist() == ring.tolist()
    assert kinds.tolist() == [7, 8, 8, 8, 8]
    vertices, kinds = ring_chords(ring, np.full(5, 8), np.full(5, 0.5), least=0.05)
    assert vertices.tolist() == ring[[0, 2, 3, 4]].tolist()


def test_vertices_too_near_are_left_out():
    ring = np.array([[0, 0], [0, 10], [0.02, 10], [10, 10], [10, 0], [0.03, 0]], dtype=float)
    vertices, kinds = ring_chords(ring, np.array([1, 2, 3, 4, 5, 6]), np.full(6, 0.0), least=0.05)
    assert vertices.tolist() == ring[[0, 1, 3, 4]].tolist()
    assert kinds.tolist() == [1, 3, 4, 5]


def test_a_ring_may_collapse():
    ring = np.array([[0, 0], [10, 0.1], [20, 0], [10, -0.1]])
    vertices, _ = ring_chords(ring, np.zeros(4, dtype=int), np.full(4, 1.0), least=0.05)
    assert len(vertices) < 3


def _unit(angles):
    return np.column_stack([np.sin(angles), np.cos(angles)])
