"""Ground smoothed by local planes: a plane stays the same plane, out to the borders and beside voids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import correlate1d

from wetgeo.kernels.grid import Grid
from wetgeo.kernels.slope import gradient

Array = NDArray[np.float64]


def fitted(grid: Grid, scale: float) -> tuple[Array, Array, Array]:
    """Fit a plane around each cell, neighbours weighted by a bell curve.

    Parameters
    ----------
    grid
        The ground.
    scale
        Standard deviation of the bell curve, CRS units; under half a cell the cells are taken as they are, with Horn's
        gradient.

    Returns
    -------
    The plane's elevation at the cell, dz/dx (eastward) and dz/dy (northward); NaN in voids.
    """
    if scale < 0.5 * min(grid.dx, grid.dy):
        return (grid.z, *gradient(grid))
    known = np.isfinite(grid.z)
    base = float(grid.z[known].mean()) if known.any() else 0.0  # keeps the sums small
    across, down = _bell(scale, grid.dx), _bell(scale, grid.dy)
    weight = known.astype(np.float64)
    w, wx, wy, wxx, wxy, wyy = (
        _sums(weight, across, down, i, j) for i, j in ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
    )
    level = np.where(known, grid.z - base, 0.0)
    z, zx, zy = (_sums(level, across, down, i, j) for i, j in ((0, 0), (1, 0), (0, 1)))
    # the normal equations of z = a + b x + c y, solved by their determinants
    cxx, cxy, cyy = w * wxx - wx * wx, w * wxy - wx * wy, w * wyy - wy * wy
    czx, czy = w * zx - wx * z, w * zy - wy * z
    with np.errstate(divide="ignore", invalid="ignore"):
        determinant = cxx * cyy - cxy * cxy
        ddx, ddy = (czx * cyy - czy * cxy) / determinant, (czy * cxx - czx * cxy) / determinant
        elevation = (z - ddx * wx - ddy * wy) / w + base
    thin = known & ~(np.isfinite(ddx) & np.isfinite(ddy) & (determinant > 1e-12 * w**4 * scale**4))
    if thin.any():  # a row of single cells determines no plane
        horn_x, horn_y = gradient(grid)
        elevation = np.where(thin, grid.z, elevation)
        ddx, ddy = np.where(thin, horn_x, ddx), np.where(thin, horn_y, ddy)
    fit = np.stack([elevation, ddx, ddy]).astype(np.float64)
    fit[:, ~known] = np.nan
    return fit[0], fit[1], fit[2]


def roughness(grid: Grid, scale: float) -> float:
    """Return the standard deviation of the ground about local planes, CRS units.

    It is estimated from the median of the deviations, so that breaks of slope, which are lines, hardly count; noise and
    whole-unit steps, which are everywhere, do.
    """
    elevation, _, _ = fitted(grid, scale)
    deviation = np.abs(grid.z - elevation)
    deviation = deviation[np.isfinite(deviation)]
    return float(np.median(deviation)) / 0.6745 if deviation.size else 0.0


def step_height(grid: Grid) -> float:
    """Return the height of the steps where the ground is stored in whole units (terraces), CRS units; else 0.

    Along a row or column, a terrace ends where one of two neighbouring differences is 0 and the other is not. On ground
    of fine numbers that happens only around lakes.
    """
    edges, uneven, heights = 0, 0, []
    for z in (grid.z, grid.z.T):
        rise = np.abs(np.diff(z, axis=1))
        before, after = rise[:, :-1], rise[:, 1:]
        known = np.isfinite(before) & np.isfinite(after)
        edge = known & ((before == 0) != (after == 0))
        edges += int(edge.sum())
        uneven += int((known & (before + after > 0)).sum())
        heights.append((before + after)[edge])
    return float(np.median(np.concatenate(heights))) if edges > 0.2 * uneven else 0.0


def quiet_scale(grid: Grid, *, slope: float, share: float, noise_scale: float, most: float) -> tuple[float, float]:
    """Return the scale of local planes whose slopes are safe from the noise there is, and that noise; CRS units.

    Parameters
    ----------
    grid
        The ground.
    slope
        The slope that matters, as a ratio.
    share
        The standard deviation that noise may give a slope, as a share of it. A single step of whole-unit elevations may
        be as steep as four fifths of it.
    noise_scale
        Scale of the local planes about which the ground's roughness counts as noise.
    most
        The scale is not larger.
    """
    cell = float(np.sqrt(grid.dx * grid.dy))
    step = step_height(grid)
    noise = max(roughness(grid, noise_scale), step / np.sqrt(12))
    if slope <= 0:
        return most if noise > 0 else 0.0, noise
    # a bell-weighted plane's slope deviates by noise x cell / (sqrt(8 pi) s^2), and is h / (sqrt(2 pi) s) at a step
    for_noise = np.sqrt(noise * cell / (np.sqrt(8 * np.pi) * slope * share))
    for_steps = step / (np.sqrt(2 * np.pi) * slope * 4 / 5)
    return float(min(max(for_noise, for_steps), most)), noise


def _bell(scale: float, cell: float) -> tuple[Array, Array]:
    """Return offsets and weights of a bell curve on cells."""
    reach = max(int(np.ceil(3 * scale / cell)), 1)
    offset = np.arange(-reach, reach + 1) * cell
    weight: Array = np.exp(-0.5 * (offset / scale) ** 2)
    return offset.astype(np.float64), weight


def _sums(values: Array, across: tuple[Array, Array], down: tuple[Array, Array], i: int, j: int) -> Array:
    """Return the weighted sums of values times x**i (eastward) and y**j (northward) around each cell."""
    offset_x, weight_x = across
    offset_y, weight_y = down
    rows = correlate1d(values, weight_x * offset_x**i, axis=1, mode="constant")
    total: Array = correlate1d(rows, weight_y * (-offset_y) ** j, axis=0, mode="constant")
    return total
