"""Slope by Horn's differences, exact on a plane out to the borders and beside voids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wetgeo.kernels.grid import Grid

Array = NDArray[np.float64]


def gradient(grid: Grid) -> tuple[Array, Array]:
    """Return dz/dx (eastward) and dz/dy (northward) of each cell, as ratios.

    Horn (1981): differences over three rows, or columns, weighted 1, 2, 1. Where a neighbour is missing, a row's
    difference is taken between the two cells there are, and the weights of the rows without any are left out, so that a
    plane has one gradient everywhere. NaN in voids, and where an axis has no difference at all.
    """
    ddx = _horn(grid.z) / grid.dx
    ddy = -_horn(grid.z.T).T / grid.dy  # row 0 lies in the north
    void = ~np.isfinite(grid.z)
    ddx[void] = np.nan
    ddy[void] = np.nan
    return ddx, ddy


def slope(grid: Grid) -> Array:
    """Return the slope of each cell as a ratio (rise over run); NaN where it is unknown."""
    ddx, ddy = gradient(grid)
    return np.hypot(ddx, ddy)


def _horn(z: Array) -> Array:
    """Return the difference along columns, per cell, weighted 1, 2, 1 over the row above, the row, the row below."""
    difference = _along_rows(z)
    known = np.isfinite(difference)
    if known.all():
        return _smoothed(difference) / _smoothed(np.ones_like(difference))
    weight = _smoothed(known.astype(np.float64))
    total = _smoothed(np.where(known, difference, 0.0))
    return np.divide(total, weight, out=np.full_like(total, np.nan), where=weight > 0)


def _smoothed(values: Array) -> Array:
    """Weigh each row 2 and its neighbours 1."""
    total = 2 * values
    total[1:] += values[:-1]
    total[:-1] += values[1:]
    return total


def _along_rows(z: Array) -> Array:
    """Return the difference along a row, per cell: between both neighbours, else to the one there is, else NaN.

    A void cell between two ground cells has one too: its neighbours above and below use it.
    """
    difference = np.full_like(z, np.nan)
    if z.shape[1] < 2:
        return difference
    step = np.diff(z, axis=1)
    difference[:, :-1], difference[:, -1] = step, step[:, -1]
    difference[:, 1:-1] = (z[:, 2:] - z[:, :-2]) / 2
    unknown = ~np.isfinite(difference)
    if unknown.any():
        forward, backward = np.full_like(z, np.nan), np.full_like(z, np.nan)
        forward[:, :-1], backward[:, 1:] = step, step
        difference = np.where(unknown, np.where(np.isfinite(forward), forward, backward), difference)
    return difference
