"""Slopes against planes, and against Horn's formula where all neighbours exist."""

from __future__ import annotations

import numpy as np
import pytest

from wetgeo.kernels.grid import Grid
from wetgeo.kernels.slope import gradient, slope, weighted_slopes


def plane(aspect: float, ratio: float, *, cell=(2.0, 3.0), shape=(30, 40)) -> Grid:
    """A plane that climbs towards an azimuth."""
    row, column = np.mgrid[: shape[0], : shape[1]]
    turn = np.radians(aspect)
    x, y = (column + 0.5) * cell[0], -(row + 0.5) * cell[1]
    return Grid(z=300 + ratio * (x * np.sin(turn) + y * np.cos(turn)), left=0, top=0, dx=cell[0], dy=cell[1])


@pytest.mark.parametrize("aspect", [0, 15, 37, 60, 200])
def test_plane_has_one_gradient_up_to_borders_and_voids(aspect):
    grid = plane(aspect, 0.15)
    grid.z[5:9, 5:9] = np.nan
    grid.z[20, 3] = np.nan
    ddx, ddy = gradient(grid)
    ground = np.isfinite(grid.z)
    assert np.isnan(ddx[~ground]).all()
    np.testing.assert_allclose(ddx[ground], 0.15 * np.sin(np.radians(aspect)), atol=1e-12)
    np.testing.assert_allclose(ddy[ground], 0.15 * np.cos(np.radians(aspect)), atol=1e-12)
    np.testing.assert_allclose(slope(grid)[ground], 0.15, atol=1e-12)


def test_inner_cells_follow_horn():
    z = np.random.default_rng(3).normal(size=(25, 31))
    dx, dy = 1.5, 2.0
    a, b, c = z[:-2, :-2], z[:-2, 1:-1], z[:-2, 2:]
    d, f = z[1:-1, :-2], z[1:-1, 2:]
    g, h, i = z[2:, :-2], z[2:, 1:-1], z[2:, 2:]
    east = ((c + 2 * f + i) - (a + 2 * d + g)) / (8 * dx)
    south = ((g + 2 * h + i) - (a + 2 * b + c)) / (8 * dy)
    inner = slope(Grid(z=z, left=0, top=0, dx=dx, dy=dy))[1:-1, 1:-1]
    np.testing.assert_allclose(inner, np.hypot(east, south), atol=1e-12)


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (6, 1)])
def test_a_single_row_or_column_tells_no_slope(shape):
    assert np.isnan(slope(Grid(z=np.zeros(shape), left=0, top=0, dx=1, dy=1))).all()


def test_a_cell_alone_among_voids_has_no_slope():
    z = np.full((5, 5), np.nan)
    z[2, 2] = 300.0
    assert np.isnan(slope(Grid(z=z, left=0, top=0, dx=1, dy=1))).all()


def test_weighted_means_are_those_of_the_slopes_out_to_borders_and_voids():
    rng = np.random.default_rng(9)
    grid = Grid(z=rng.normal(size=(12, 15)), left=0, top=0, dx=1.5, dy=2.0)
    grid.z[4:6, 7], grid.z[0, 3], grid.z[11, 14] = np.nan, np.nan, np.nan
    windows = np.array([[0, 3, 0, 4], [1, 2, 1, 2], [3, 8, 5, 9], [9, 12, 11, 15], [0, 12, 0, 15], [4, 6, 7, 8]])
    weights = [rng.uniform(0, 1, (r1 - r0, c1 - c0)) for r0, r1, c0, c1 in windows]
    weights[0][0, 0] = 0.0
    offsets = np.cumsum([0, *(each.size for each in weights)])
    means, known = weighted_slopes(
        grid.z, (grid.dx, grid.dy), windows, np.concatenate([each.ravel() for each in weights]), offsets
    )
    slopes = slope(grid)
    for index, (r0, r1, c0, c1) in enumerate(windows):
        part, weight = slopes[r0:r1, c0:c1], weights[index]
        sloping = np.isfinite(part)
        total = weight[np.isfinite(grid.z[r0:r1, c0:c1])].sum()
        expected = (part[sloping] * weight[sloping]).sum() / weight[sloping].sum() if sloping.any() else np.nan
        np.testing.assert_allclose(means[index], expected, rtol=1e-12)
        np.testing.assert_allclose(known[index], total, rtol=1e-12)
