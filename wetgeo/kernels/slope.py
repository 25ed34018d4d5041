"""Slope by Horn's differences, exact on a plane out to the borders and beside voids."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wetgeo.kernels.grid import Grid

Array = NDArray[np.float64]
Cells = NDArray[np.intp]


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


@njit(cache=True, nogil=True)
def weighted_slopes(
    z: Array, size: tuple[float, float], windows: Cells, weights: Array, offsets: Cells
) -> tuple[Array, Array]:
    """Return means of `slope` over parts of cells, and the sums of the weights of cells that have an elevation.

    Parameters
    ----------
    z, size
        Elevations, and the width and height of a cell, as in a Grid.
    windows
        First and last row, first and last column (one beyond) of each of n parts, shape (n, 4).
    weights, offsets
        The weights of the cells of each part, row by row, and where those of each begin, shape (n + 1,).

    Returns
    -------
    The means, NaN where no cell with a weight has a slope, and the sums, shape (n,) each.
    """
    means, known = np.full(len(windows), np.nan), np.zeros(len(windows))
    for index in range(len(windows)):
        r0, r1, c0, c1 = windows[index]
        total, weight, at = 0.0, 0.0, offsets[index]
        for row in range(r0, r1):
            for column in range(c0, c1):
                if weights[at] > 0 and math.isfinite(z[row, column]):
                    known[index] += weights[at]
                    ddx = _difference(z, row, column, 0, 1) / size[0]
                    ddy = _difference(z, row, column, 1, 0) / size[1]
                    ratio = math.sqrt(ddx * ddx + ddy * ddy)
                    if math.isfinite(ratio):
                        total += weights[at] * ratio
                        weight += weights[at]
                at += 1
        if weight > 0:
            means[index] = total / weight
    return means, known


@njit(cache=True, nogil=True)
def _difference(z: Array, row: int, column: int, down: int, across: int) -> float:
    """Horn's difference at one cell along an axis, given as the step to the next cell; NaN where there is none."""
    total, weight = 0.0, 0.0
    for aside in range(-1, 2):
        r, c = row + aside * across, column + aside * down
        if not (0 <= r < z.shape[0] and 0 <= c < z.shape[1]):
            continue
        here, before, after = z[r, c], math.nan, math.nan
        if r + down < z.shape[0] and c + across < z.shape[1]:
            after = z[r + down, c + across]
        if r - down >= 0 and c - across >= 0:
            before = z[r - down, c - across]
        step = (after - before) / 2
        if not math.isfinite(step):
            step = after - here if math.isfinite(after - here) else here - before
        if math.isfinite(step):
            share = 2.0 if aside == 0 else 1.0
            total += share * step
            weight += share
    return total / weight if weight > 0 else math.nan


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
