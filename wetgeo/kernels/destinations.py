"""Where the water of chosen cells ends: in a target, or out of sight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wetgeo.kernels.flow import REASONS, routing
from wetgeo.kernels.grid import Grid

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Destinations:
    """Where the water of some cells ends; masks have the grid's shape.

    Attributes
    ----------
    reached
        Cells whose water reaches the target, those in it included.
    lost
        Cells whose water leaves the grid or ends in a void, or that have no elevation.
    leaves
        Whether the water of any cell leaves the grid.
    """

    reached: Mask
    lost: Mask
    leaves: bool


def destinations(grid: Grid, target: Mask, cells: Mask, *, smoothing: float = 0.0) -> Destinations:
    """Follow the water of cells down to where it ends; the ground is taken as `routing` prepares it.

    Parameters
    ----------
    grid
        The ground.
    target
        Where the water is to arrive.
    cells
        The cells to follow it from.
    smoothing
        As of `routing`.
    """
    from wetgeo.kernels import tracing

    ways = routing(grid, target, smoothing=smoothing)
    z = ways.grid.z
    starts = np.flatnonzero(cells & ~np.isnan(z))
    upward = np.argsort(z, axis=None)[: np.isfinite(z).sum()]
    _, sure = tracing.prospects(upward, ways.way, target)
    reached = cells & (sure | target)
    # the others are followed to their ends, where the two neighbours disagree as well as where none leads to the target
    starts = starts[~reached.flat[starts]]
    everywhere, nowhere = np.ones(z.shape, dtype=bool), np.zeros(z.shape, dtype=bool)
    ends, _ = tracing.follow(starts, z, ways.way, (everywhere, nowhere, target | sure))
    words = np.array([REASONS[end] for end in ends], dtype=object)
    reached.flat[starts[words == "target"]] = True
    lost = cells & np.isnan(grid.z) & ~target
    lost.flat[starts[np.isin(words, ("edge", "void"))]] = True
    return Destinations(reached=reached, lost=lost, leaves=bool((words == "edge").any()))
