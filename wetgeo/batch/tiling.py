"""Tiles: squares of ground that hold few enough resources, and stay as they are when others change."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

#: a square is not divided further than to this side, CRS units
_LEAST_SIDE = 64.0


def tile_names(bounds: NDArray[np.float64], most: int) -> NDArray[np.object_]:
    """Name the tile of each resource: the square that the middle of its bounds lies in.

    Squares are halves of halves of one whose corners are multiples of a power of two, so that a resource that is added
    or changed elsewhere moves no tile.

    Parameters
    ----------
    bounds
        Of the resources, shape (n, 4), CRS units.
    most
        A square with more resources is divided in four.
    """
    names = np.empty(len(bounds), dtype=object)
    middle = (bounds[:, :2] + bounds[:, 2:]) / 2
    side = 2.0 ** math.ceil(math.log2(max(float(np.ptp(middle, axis=0).max(initial=1.0)), _LEAST_SIDE)))
    squares = [(np.arange(len(bounds)), side)]
    while squares:
        rows, side = squares.pop()
        cell = np.floor(middle[rows] / side).astype(np.int64)
        for x, y in np.unique(cell, axis=0).tolist():
            mine = rows[(cell == [x, y]).all(axis=1)]
            if len(mine) > most and side > _LEAST_SIDE:
                squares.append((mine, side / 2))
            else:
                names[mine] = f"{side:.0f}_{x}_{y}"
    return names
