"""Where the water of cells ends, on planes."""

from __future__ import annotations

import numpy as np
import pytest

from wetgeo.kernels.destinations import destinations
from wetgeo.kernels.grid import Grid


def plane(rows=40, columns=60, fall=0.02):
    """Ground that falls to the south."""
    z = np.repeat((100 - fall * np.arange(rows))[:, None], columns, axis=1)
    return Grid(z=z, left=0, top=rows, dx=1, dy=1)


def mask(grid, rows, columns):
    chosen = np.zeros(grid.z.shape, dtype=bool)
    chosen[rows, columns] = True
    return chosen


def test_what_lies_straight_above_reaches_the_target_and_what_lies_beside_leaves() -> None:
    grid = plane()
    target, cells = mask(grid, slice(25, 30), slice(20, 40)), mask(grid, slice(5, 10), slice(10, 50))
    found = destinations(grid, target, cells)
    expected = mask(grid, slice(5, 10), slice(20, 40))
    assert (found.reached ^ expected)[:, 19:41].sum() <= 2 * 5  # a cell on either side
    assert not (found.reached & ~cells).any()
    assert (found.reached ^ found.lost == cells).all()
    assert found.leaves


def test_cells_in_the_target_and_below_it() -> None:
    grid = plane()
    target, cells = mask(grid, slice(25, 30), slice(20, 40)), mask(grid, slice(27, 35), slice(25, 30))
    found = destinations(grid, target, cells)
    assert found.reached.sum() == 3 * 5
    assert found.lost.sum() == 5 * 5


@pytest.mark.parametrize("void", [slice(15, 18), slice(5, 8)], ids=["on the way", "under the cells"])
def test_voids_lose_the_water(void) -> None:
    grid = plane()
    grid.z[void, 10:50] = np.nan
    target, cells = mask(grid, slice(25, 30), slice(20, 40)), mask(grid, slice(5, 8), slice(25, 30))
    found = destinations(grid, target, cells)
    assert not found.reached.any()
    assert (found.lost == cells).all()


def test_no_cells() -> None:
    grid = plane()
    found = destinations(grid, mask(grid, slice(25, 30), slice(20, 40)), np.zeros(grid.z.shape, dtype=bool))
    assert not found.reached.any()
    assert not found.leaves
