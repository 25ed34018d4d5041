"""Elevations between cell centres: bilinear, and exact on a plane out to the outer edge of the cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def bilinear(z: Array, row: Array, column: Array) -> Array:
    """Interpolate between cell centres.

    Parameters
    ----------
    z
        Values by cell, shape (rows, columns); NaN is void.
    row, column
        Positions in cells, 0 at the centre of the first; any one shape.

    Returns
    -------
    Values of the shape of `row`; NaN where the cell that holds the position is void or there is none. In the outer half
    of a cell beside a void or a border the surface goes on straight, so that a plane stays a plane.
    """
    ground = _extended(z)
    rows, columns = z.shape
    inside = (row >= -0.5) & (row <= rows - 0.5) & (column >= -0.5) & (column <= columns - 0.5)
    row, column = np.where(inside, row, 0.0), np.where(inside, column, 0.0)
    holder = z[_nearest(row, rows), _nearest(column, columns)]
    i, j = np.floor(row).astype(np.intp), np.floor(column).astype(np.intp)
    v, u = row - i, column - j
    i, j = i + 1, j + 1  # the extended ground has one more cell on each side
    north = _mix(ground[i, j], ground[i, j + 1], u)
    south = _mix(ground[i + 1, j], ground[i + 1, j + 1], u)
    return np.where(inside & np.isfinite(holder), _mix(north, south, v), np.nan)


def _mix(first: Array, second: Array, share: Array) -> Array:
    """Weigh two values; one that has no weight may be void."""
    mixed = first * (1 - share) + second * share
    return np.where(share == 0, first, mixed)


def _nearest(position: Array, size: int) -> NDArray[np.intp]:
    return np.clip(np.floor(position + 0.5), 0, size - 1).astype(np.intp)


def _extended(z: Array) -> Array:
    """Surround with a cell of NaN and let the ground go on straight into voids, two cells far at most."""
    ground = np.pad(z.astype(np.float64), 1, constant_values=np.nan)
    for _ in range(2):  # the second pass reaches the corners
        ground = _grown(ground)
    return ground


def _grown(ground: Array) -> Array:
    """Fill the voids beside ground from the two cells next to them in a row or column, else from one."""
    void = np.isnan(ground)
    if not void.any():
        return ground
    rows, columns = np.nonzero(void)
    wide = np.pad(ground, 2, constant_values=np.nan)
    ahead = np.array([(0, 1), (0, -1), (1, 0), (-1, 0)])
    near = wide[rows[:, None] + 2 + ahead[:, 0], columns[:, None] + 2 + ahead[:, 1]]
    far = wide[rows[:, None] + 2 + 2 * ahead[:, 0], columns[:, None] + 2 + 2 * ahead[:, 1]]
    filled = ground.copy()
    straight, level = _mean(2 * near - far), _mean(near)
    filled[rows, columns] = np.where(np.isnan(straight), level, straight)
    return filled


def _mean(values: Array) -> Array:
    """Mean of each row without its NaN; NaN where it has nothing else."""
    count = np.isfinite(values).sum(axis=1)
    return np.where(count > 0, np.nansum(values, axis=1) / np.maximum(count, 1), np.nan)
