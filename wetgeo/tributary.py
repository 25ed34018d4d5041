"""Tributary ground: which of some surface sheds its water to a lake, stream or wetland, followed over the DEM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.kernels.coverage import covered_fraction
from wetgeo.kernels.destinations import destinations
from wetgeo.kernels.flow import quiet
from wetgeo.kernels.grid import ElevationSource, Grid
from wetgeo.kernels.offset import CHORD_TOLERANCE_FT, GeometryArray, Shape, quarter_segments
from wetgeo.site import Site

#: water is followed this far around the surface at first, feet, and over at most so many cells
_FIRST_MARGIN_FT = 1000.0
_MOST_CELLS = 36_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TributaryArea:
    """How much of a surface lies near waters and sheds to them, square feet.

    ``tributary`` is known to; of ``open`` it is not known, for the water could not be followed to its end.
    """

    tributary: float
    open: float


def near_waters(
    site: Site, surface: GeometryArray, waters: GeometryArray, within_ft: float | None
) -> list[list[Shape]]:
    """Cut each part of a surface to the ground within a distance of each water; parts that are nowhere near are empty.

    Parameters
    ----------
    site
        For its unit.
    surface
        Polygons that do not overlap, shape (n,).
    waters
        Polygons, shape (m,).
    within_ft
        The distance; None for any.

    Returns
    -------
    list
        For each part, m geometries.
    """
    if within_ft is None:
        return [[part] * len(waters) for part in surface]
    reach = within_ft * site.ft
    segments = quarter_segments(within_ft, CHORD_TOLERANCE_FT)
    return [
        [
            shapely.intersection(part, shapely.buffer(water, reach, quad_segs=segments)) if close else shapely.Polygon()
            for water, close in zip(waters, shapely.dwithin(waters, part, reach), strict=True)
        ]
        for part in surface
    ]


def tributary_area(site: Site, near: Sequence[Sequence[Shape]], waters: GeometryArray) -> TributaryArea:
    """Follow the water of a surface and add up what reaches a water that it is near.

    Depressions are taken as full and spilling; other wetlands and waters on the way hold nothing back.

    Parameters
    ----------
    site
        With a DEM; without one nothing is known of any ground near a water.
    near
        From `near_waters`.
    waters
        The waters, shape (m,).
    """
    known = unknown = 0.0
    for pieces in near:
        held = [(piece, water) for piece, water in zip(pieces, waters, strict=True) if piece.area > 0]
        if not held:
            continue
        if site.dem is None:
            unknown += shapely.union_all([piece for piece, _ in held]).area
            continue
        reached, lost = _followed(site.dem, held, site.ft)
        known, unknown = known + reached, unknown + lost
    return TributaryArea(tributary=known / site.sqft, open=unknown / site.sqft)


def _followed(dem: ElevationSource, held: Sequence[tuple[Shape, Shape]], ft: float) -> tuple[float, float]:
    """Follow the water of one part's pieces, each to its own water; areas that reach it and that are lost sight of."""
    margin = _FIRST_MARGIN_FT * ft
    bounds = np.array(shapely.total_bounds([piece for piece, _ in held]))
    while True:
        grid = dem.window(tuple(bounds + margin * np.array([-1, -1, 1, 1])))
        if grid is None:
            return 0.0, float(shapely.union_all([piece for piece, _ in held]).area)
        reached, lost, left = _over(grid, held)
        if not left or grid.touches or 4 * grid.z.size > _MOST_CELLS:
            return reached, lost
        margin *= 2


def _over(grid: Grid, held: Sequence[tuple[Shape, Shape]]) -> tuple[float, float, bool]:
    """Return the areas that reach a water and that are lost sight of, and whether any path leaves the grid."""
    best = np.zeros(grid.z.shape)
    open_ = np.zeros(grid.z.shape)
    beside, left = 0.0, False
    smoothing = quiet(grid)
    for piece, water in held:
        share = covered_fraction(grid, piece)
        beside = max(beside, piece.area - float(share.sum()) * grid.dx * grid.dy)
        ends = destinations(grid, covered_fraction(grid, _near(water, grid)) > 0, share > 0, smoothing=smoothing)
        best = np.maximum(best, np.where(ends.reached, share, 0.0))
        open_ = np.maximum(open_, np.where(ends.lost, share, 0.0))
        left = left or ends.leaves
    cell = grid.dx * grid.dy
    return _sum(best) * cell, _sum(np.maximum(open_ - best, 0.0)) * cell + max(beside, 0.0), left


def _sum(share: NDArray[np.float64]) -> float:
    return float(share.sum())


def _near(water: Shape, grid: Grid) -> Shape:
    return shapely.intersection(water, shapely.box(*grid.bounds))
