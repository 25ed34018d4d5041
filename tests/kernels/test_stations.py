"""Stations of monuments: closed forms on lines and circles, and what holds on any edge."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wetgeo.kernels.stations import bend_stations, even_stations, strays


def stationed(xy):
    xy = np.asarray(xy, dtype=float)
    return xy, np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(xy, axis=0).T))])


def circle(radius, chords=720, turn=2 * math.pi):
    angle = np.linspace(0, turn, chords + 1)
    xy = radius * np.column_stack([np.sin(angle), np.cos(angle)])
    if turn == 2 * math.pi:
        xy[-1] = xy[0]
    return stationed(xy)


@pytest.mark.parametrize(
    ("length", "gaps"),
    [(400, 2), (400.01, 2), (400.02, 2), (400.03, 3), (399.99, 2), (200, 1), (200.011, 2), (0.5, 1), (1000, 5)],
)
def test_exact_multiples_neither_gain_nor_lose_a_point(length, gaps):
    inner = even_stations(100.0, 100.0 + length, 200.0, 0.01)
    assert len(inner) == gaps - 1
    assert np.diff([100.0, *inner, 100.0 + length]) == pytest.approx(length / gaps)


@given(st.floats(0.01, 1e5), st.floats(1, 1000), st.floats(-1e6, 1e6))
def test_even_gaps_are_the_fewest_that_are_short_enough(length, interval, start):
    gaps = len(even_stations(start, start + length, interval, 0.01)) + 1
    assert length / gaps <= (interval + 0.01) * (1 + 1e-6)
    assert gaps == 1 or length / (gaps - 1) > interval


@pytest.mark.parametrize("stray", [0.5, 2, 5, 20])
def test_a_circle_needs_as_many_points_as_its_sagitta_says(stray):
    # s = R (1 - cos(a / 2R)): the longest gap that strays by s
    radius = 150.0
    longest = 2 * radius * math.acos(1 - stray / radius)
    xy, stations = circle(radius)
    inner = bend_stations(xy, stations, largest=200.01, smallest=1, stray=stray)
    assert len(inner) + 1 == math.ceil(stations[-1] / min(longest, 200.01))
    points = np.concatenate([[0.0], inner, stations[-1:]])
    assert np.diff(points) == pytest.approx(stations[-1] / (len(inner) + 1))
    assert strays(xy, stations, points).max() <= stray


def test_a_straight_edge_has_no_bends():
    xy, stations = stationed([(0, 0), (130, 0), (500, 0)])
    assert bend_stations(xy, stations, largest=200.01, smallest=1, stray=5) == pytest.approx([500 / 3, 1000 / 3])


def test_a_corner_is_marked_at_the_corner():
    xy, stations = stationed([(0, 0), (150, 0), (150, 150)])
    inner = bend_stations(xy, stations, largest=200.01, smallest=1, stray=0.3)
    assert inner == pytest.approx([150])


def test_a_detour_that_comes_back_does_not_mislead():
    # the chord from 0 to 60 keeps to the edge, that to 40 does not: reaching farthest must look past what fails
    xy, stations = stationed([(0, 0), (20, 0), (40, 9), (60, 0), (100, 0)])
    assert len(bend_stations(xy, stations, largest=200, smallest=1, stray=10)) == 0
    assert len(bend_stations(xy, stations, largest=200, smallest=1, stray=8)) == 1


def test_strays_by_hand():
    xy, stations = stationed([(0, 0), (10, 0), (10, 10)])
    assert strays(xy, stations, np.array([0.0, 20.0])) == pytest.approx([10 / math.sqrt(2)])
    assert strays(xy, stations, np.array([0.0, 10.0, 20.0])) == pytest.approx([0, 0], abs=1e-12)
    # out and back: the farthest place counts, not the distance from the line's prolongation
    xy, stations = stationed([(0, 0), (30, 0), (10, 0)])
    assert strays(xy, stations, np.array([0.0, 50.0])) == pytest.approx([20])


def test_a_tolerance_that_cannot_be_kept_is_kept_as_well_as_can_be():
    # a zigzag of teeth of half a foot: points a foot apart cannot keep within a twentieth of a foot
    xy, stations = stationed([(i * 0.3, 0.4 * (i % 2)) for i in range(12)])
    points = np.concatenate([[0], bend_stations(xy, stations, largest=200, smallest=1, stray=0.05), stations[-1:]])
    assert np.diff(points).min() >= 1 - 1e-9
    assert 0.05 < strays(xy, stations, points).max() <= 0.4


@pytest.mark.parametrize(("stray", "smallest"), [(0, 1), (-1, 1), (5, 101)])
def test_what_no_points_can_keep_is_refused(stray, smallest):
    with pytest.raises(ValueError, match="no points keep"):
        bend_stations(*circle(50), largest=200, smallest=smallest, stray=stray)


@st.composite
def edges(draw):
    """Draw a wandering line of chords between 5 and 60 long that turns by up to 80 degrees at each vertex."""
    count = draw(st.integers(2, 25))
    lengths = draw(st.lists(st.floats(5, 60), min_size=count, max_size=count))
    turns = draw(st.lists(st.floats(-1.4, 1.4), min_size=count, max_size=count))
    heading = np.cumsum(turns)
    steps = np.array(lengths)[:, None] * np.column_stack([np.cos(heading), np.sin(heading)])
    return stationed(np.concatenate([[[0, 0]], np.cumsum(steps, axis=0)]))


@settings(max_examples=60, deadline=None)
@given(edges(), st.floats(1, 10))
def test_on_any_edge_gaps_and_strays_keep_their_bounds_and_no_point_is_superfluous(edge, stray):
    xy, stations = edge
    inner = bend_stations(xy, stations, largest=200, smallest=1, stray=stray)
    points = np.concatenate([[0.0], inner, stations[-1:]])
    assert np.diff(points).max() <= 200 + 1e-9
    assert strays(xy, stations, points).max() <= stray + 1e-9
    for left_out in range(1, len(points) - 1):
        rest = np.delete(points, left_out)
        # places are a step apart, so that a point may be needed by less than the step only
        assert np.diff(rest).max() > 200 - 1 or strays(xy, stations, rest).max() > stray - 1


@settings(max_examples=30, deadline=None)
@given(edges(), st.floats(2, 10))
def test_no_choice_of_fewer_vertices_does(edge, stray):
    """Any two points at vertices that keep the bounds: then no more than two were placed."""
    xy, stations = edge
    placed = len(bend_stations(xy, stations, largest=200, smallest=1, stray=stray))
    for count in range(min(placed, 3)):
        for chosen in itertools.combinations(stations[1:-1], count):
            points = np.array([0.0, *chosen, stations[-1]])
            near = np.diff(points).min() < 1
            # the kernel stands at corners and a step apart; vertices of slight turns lie within a step of a place
            assert near or np.diff(points).max() > 199 or strays(xy, stations, points).max() > stray - 0.5
