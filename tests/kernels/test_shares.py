"""Which ground must be united to be counted once, and which can be summed."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from wetgeo.kernels.shares import _shared

HOME = shapely.box(0, 0, 4, 4)
#: another lot, and whether it has ground in common with the first
OTHERS = [
    (shapely.box(4, 0, 8, 4), False),  # along a side
    (shapely.box(4, 4, 8, 8), False),  # at a corner
    (shapely.box(9, 0, 12, 4), False),
    (shapely.box(3.9, 0, 8, 4), True),
    (shapely.box(1, 1, 2, 2), True),
    (HOME, True),
]


@pytest.mark.parametrize("home", range(len(OTHERS) + 1))
def test_only_ground_on_lots_that_overlap_is_shared(home):
    # piece by piece: ground on the first lot, wherever it stands among the lots, and on one other
    lots = [other for other, _ in OTHERS]
    lots.insert(home, HOME)
    other = np.delete(np.arange(len(lots)), home)
    lot = np.column_stack([np.full(len(other), home), other]).ravel()
    piece = np.repeat(np.arange(len(other)), 2)
    for order in (np.arange(len(lot)), np.arange(len(lot))[::-1]):
        found = _shared(lot[order], piece[order], np.array(lots, dtype=object))
        assert found.tolist() == [number for number, (_, overlaps) in enumerate(OTHERS) if overlaps]


def test_of_many_lots_on_a_piece_any_two_may_overlap():
    lots = np.array([shapely.box(x, 0, x + 1, 4) for x in range(6)] + [shapely.box(0.5, 0, 0.6, 4)], dtype=object)
    piece = np.repeat([0, 1], [6, 7])  # the last lot lies in the first, and on the second piece only
    lot = np.concatenate([np.arange(6), np.arange(7)])
    assert _shared(lot, piece, lots).tolist() == [1]
    assert len(_shared(lot[:0], piece[:0], lots)) == 0
