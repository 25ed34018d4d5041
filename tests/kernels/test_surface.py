"""Local planes: a plane stays what it is, and any ground agrees with a weighted least-squares fit by numpy."""

from __future__ import annotations

import numpy as np
import pytest

from wetgeo.kernels.grid import Grid
from wetgeo.kernels.slope import gradient
from wetgeo.kernels.surface import fitted, quiet_scale, roughness, step_height

DX, DY = 1.5, 2.0
ROWS, COLUMNS = 17, 23


def ground(z):
    return Grid(z=z, left=0.0, top=0.0, dx=DX, dy=DY)


def centres():
    """Eastward and northward coordinates of the cells."""
    row, column = np.mgrid[:ROWS, :COLUMNS]
    return (column + 0.5) * DX, -(row + 0.5) * DY


def with_voids(z):
    z = z.copy()
    z[3:6, 4:9] = np.nan
    z[12, 0] = z[16, 22] = z[0, 11] = np.nan
    return z


def by_least_squares(z, row, column, scale):
    """Elevation at a cell and gradient of the plane fitted to its neighbours within three deviations."""
    x, y = centres()
    reach_x, reach_y = int(np.ceil(3 * scale / DX)), int(np.ceil(3 * scale / DY))
    rows, columns = np.mgrid[:ROWS, :COLUMNS]
    near = (abs(rows - row) <= reach_y) & (abs(columns - column) <= reach_x) & np.isfinite(z)
    east, north = x[near] - x[row, column], y[near] - y[row, column]
    root = np.exp(-0.25 * (east**2 + north**2) / scale**2)  # the square root of the weight
    matrix = np.column_stack([np.ones_like(east), east, north]) * root[:, None]
    return np.linalg.lstsq(matrix, z[near] * root, rcond=None)[0]


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0, 4.0])
def test_a_plane_stays_a_plane_out_to_borders_and_voids(scale):
    x, y = centres()
    plane = 900.0 + 0.12 * x - 0.07 * y
    z = with_voids(plane)
    elevation, ddx, ddy = fitted(ground(z), scale)
    known = np.isfinite(z)
    for found, expected in ((elevation, plane[known]), (ddx, 0.12), (ddy, -0.07)):
        assert np.isnan(found[~known]).all()
        np.testing.assert_allclose(found[known], expected, atol=1e-8)


@pytest.mark.parametrize("scale", [1.1, 2.5])
def test_rough_ground_agrees_with_least_squares(scale):
    z = with_voids(300 + np.random.default_rng(4).normal(size=(ROWS, COLUMNS)))
    elevation, ddx, ddy = fitted(ground(z), scale)
    for row, column in [(0, 0), (0, 10), (2, 8), (8, 12), (6, 6), (16, 21), (13, 0), (16, 0), (5, 22)]:
        found = elevation[row, column], ddx[row, column], ddy[row, column]
        np.testing.assert_allclose(found, by_least_squares(z, row, column, scale), rtol=1e-9, atol=1e-9)


def test_below_half_a_cell_the_cells_are_taken_as_they_are():
    z = with_voids(np.random.default_rng(5).normal(size=(ROWS, COLUMNS)))
    elevation, ddx, ddy = fitted(ground(z), 0.74)
    horn_x, horn_y = gradient(ground(z))
    np.testing.assert_array_equal(elevation, z)
    np.testing.assert_array_equal(ddx, horn_x)
    np.testing.assert_array_equal(ddy, horn_y)


def test_a_row_of_cells_determines_no_plane_and_keeps_its_elevations():
    z = np.full((ROWS, COLUMNS), np.nan)
    z[8] = np.arange(COLUMNS) * 0.3
    elevation, ddx, ddy = fitted(ground(z), 2.0)
    np.testing.assert_array_equal(elevation, z)
    assert np.isnan(ddy).all()
    np.testing.assert_allclose(ddx[8], 0.3 / DX, atol=1e-12)


def test_nothing_but_void():
    assert all(np.isnan(found).all() for found in fitted(ground(np.full((5, 5), np.nan)), 2.0))
    assert roughness(ground(np.full((5, 5), np.nan)), 2.0) == 0.0


def test_noise_is_measured_and_a_break_of_slope_hardly_counts():
    x = np.arange(120) * DX
    roof = np.broadcast_to(0.2 * np.abs(x - x.mean()), (90, 120)).copy()
    assert roughness(ground(roof), 3.0) < 1e-6
    noisy = roof + np.random.default_rng(6).normal(scale=0.05, size=roof.shape)
    # a plane through many cells takes a little of the noise with it
    assert roughness(ground(noisy), 3.0) == pytest.approx(0.05, rel=0.1)


def test_terraces_are_known_by_their_steps_and_lakes_are_none():
    x = np.arange(120) * 0.04
    terraces = np.broadcast_to(np.floor(x), (30, 120)).copy()
    assert step_height(ground(terraces)) == 1.0
    assert step_height(ground(terraces.T.copy())) == 1.0
    assert step_height(ground(3 * terraces)) == 3.0
    lake = np.random.default_rng(7).normal(size=(60, 60))
    lake[20:30, 20:30] = 0.0
    assert step_height(ground(lake)) == 0.0
    assert step_height(ground(np.zeros((9, 9)))) == 0.0


def test_the_scale_grows_with_noise_and_steps_to_its_bound():
    x = np.arange(240) * 0.02
    wide = Grid(z=np.broadcast_to(np.floor(x), (60, 240)).copy(), left=0, top=0, dx=2.0, dy=2.0)
    how = {"slope": 0.18, "share": 0.05, "noise_scale": 3.0, "most": 100.0}
    scale, noise = quiet_scale(wide, **how)
    # steps of one unit: their standard deviation is 1 / sqrt(12), and each is four fifths of the slope at most
    assert noise == pytest.approx(1 / np.sqrt(12), rel=1e-6)
    by_noise = np.sqrt(noise * 2 / (np.sqrt(8 * np.pi) * 0.18 * 0.05))
    by_steps = 1 / (np.sqrt(2 * np.pi) * 0.18 * 0.8)
    assert scale == pytest.approx(max(by_noise, by_steps), rel=1e-9)
    assert quiet_scale(wide, **{**how, "most": 2.0})[0] == 2.0
    assert quiet_scale(wide, **{**how, "slope": 0.0})[0] == 100.0
    flat = Grid(z=np.zeros((20, 20)), left=0, top=0, dx=2.0, dy=2.0)
    assert quiet_scale(flat, **{**how, "slope": 0.0}) == (0.0, 0.0)
    assert quiet_scale(flat, **how) == (0.0, 0.0)
