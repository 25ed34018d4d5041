"""Lines by stations."""

from __future__ import annotations

import numpy as np
import pytest

from wetgeo.kernels.lines import Chains

#: a square of 10 by 10, clockwise from its north-western corner, and an open line of two sides
SQUARE = np.array([(0, 10), (10, 10), (10, 0), (0, 0), (0, 10)], dtype=float)
ANGLE = np.array([(0, 0), (10, 0), (10, 10)], dtype=float)
CHAINS = Chains.of([SQUARE, ANGLE], [1, 1])


@pytest.mark.parametrize(
    ("chain", "start", "end", "vertices", "stations"),
    [
        (0, 5, 15, [(5, 10), (10, 10), (10, 5)], [5, 10, 15]),
        (0, 0, 40, SQUARE, [0, 10, 20, 30, 40]),
        (0, 35, 45, [(0, 5), (0, 10), (5, 10)], [35, 40, 45]),
        (0, 42, 55, [(2, 10), (10, 10), (10, 5)], [42, 50, 55]),
        (0, 30, 70, [(0, 0), (0, 10), (10, 10), (10, 0), (0, 0)], [30, 40, 50, 60, 70]),
        (0, 12, 13, [(10, 8), (10, 7)], [12, 13]),
        (1, 5, 20, [(5, 0), (10, 0), (10, 10)], [5, 10, 20]),
    ],
)
def test_a_piece_begins_and_ends_at_its_stations_and_a_ring_goes_on(chain, start, end, vertices, stations):
    xy, at = CHAINS.cut(chain, start, end)
    assert xy == pytest.approx(np.array(vertices, dtype=float))
    assert at == pytest.approx(stations)


def test_many_pieces_at_a_time_are_those_cut_singly():
    chain, start, end = np.array([0, 1, 0]), np.array([35.0, 1.0, 0.0]), np.array([75.0, 2.0, 40.0])
    xy, at, first = CHAINS.cuts(chain, start, end)
    for row in range(len(chain)):
        one, stations = CHAINS.cut(int(chain[row]), start[row], end[row])
        assert (xy[first[row] : first[row + 1]] == one).all()
        assert (at[first[row] : first[row + 1]] == stations).all()


def test_points_beside_a_line_lie_to_the_side_of_its_hand():
    away = np.array([300.0, 500.0])
    chains = Chains.of([SQUARE + away, SQUARE + away, ANGLE + away], [1, -1, 1])
    stations = np.array([5.0, 15.0, 25.0, 35.0, 45.0])
    inside = np.array([(5, 9), (9, 5), (5, 1), (1, 5), (5, 9)]) + away
    outside = np.array([(5, 11), (11, 5), (5, -1), (-1, 5), (5, 11)]) + away
    assert chains.beside(0, stations, 1.0) == pytest.approx(inside)
    assert chains.beside(1, stations, 1.0) == pytest.approx(outside)
    assert chains.beside(2, stations[:2], 2.0) == pytest.approx(np.array([(5, -2), (12, 5)]) + away)
