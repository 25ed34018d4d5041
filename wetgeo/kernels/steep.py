"""Steep land: ground on straight runs that climb more than a given height, and what of it belongs to a zone.

The lengths, heights and slopes are the rule's and come from outside. Diagonal neighbours count as connected where a
flow path steps from one to the other; in the outlines, patches that meet only at a corner stay apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.ndimage import binary_closing, binary_dilation, distance_transform_edt, label

from wetgeo.kernels.contour import Polygonal, polygonal, smooth_outline
from wetgeo.kernels.coverage import covered_fraction
from wetgeo.kernels.flow import routing
from wetgeo.kernels.grid import Grid
from wetgeo.kernels.surface import fitted, quiet_scale

if TYPE_CHECKING:
    from wetgeo.kernels.grid import ElevationSource

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_AROUND = np.ones((3, 3), dtype=bool)
#: slopes count rounded to 0.01 %, so that 12.004 % is not over 12 %
_ROUNDING = 5e-5
#: a polygon takes a cell from this part of it on
_TOUCHED = 1e-6
#: windows around a zone grow until the steep land ends within, up to this many cells
_MOST_CELLS = 25_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SteepGround:
    """Steep ground that belongs to a zone.

    Attributes
    ----------
    ground
        The steep ground outside the zone and the ground between it and the zone; empty where there is none.
    cut_short
        True where steep ground goes on beyond the end of the elevations.
    voids
        True where water of steep land beside it ends in a void of the elevations.
    """

    ground: Polygonal
    cut_short: bool
    voids: bool


def smoothing_scale(grid: Grid, *, run: float, gain: float, slope: float) -> float:
    """Return the scale of local planes that makes runs and slopes safe from the noise there is, CRS units.

    The ground's roughness about local planes is taken for noise. The scale is the least at which that noise disturbs a
    slope by a sixth of `slope` and a run's gain by a sixtieth of `gain` (standard deviations), and at which a single
    step of whole-unit elevations is no steeper than four fifths of `slope`; and at most a sixth of the run. On clean
    terrain it is near 0: cells are taken as they are.
    """
    cell = float(np.sqrt(grid.dx * grid.dy))
    noise_scale = max(run / 10, 1.1 * cell)
    scale, noise = quiet_scale(grid, slope=slope, share=1 / 6, noise_scale=noise_scale, most=run / 6)
    # the level of a bell-weighted plane deviates by noise x cell / (sqrt(4 pi) s); a gain is the difference of two
    for_gain = np.sqrt(2) * noise * cell / (np.sqrt(4 * np.pi) * gain / 60)
    return float(min(max(scale, for_gain), run / 6))


def steep_land(grid: Grid, *, run: float, gain: float, slope: float) -> Mask:
    """Return the cells of steep land.

    From every cell a straight run goes up the steepest direction, which is away from whatever the cell drains to. It is
    steep where it gains more than `gain`; steep land is the steep runs, trimmed at both ends to the first and last cell
    whose own slope exceeds `slope`. Between cell centres elevations are bilinear.

    Parameters
    ----------
    grid
        The ground.
    run, gain
        Length of a run and the height it must exceed, CRS units.
    slope
        The slope that the cells at a run's ends exceed, as a ratio.

    Returns
    -------
    The mask, shape of ``grid.z``; right to one cell of the grid at breaks of slope on clean terrain.
    """
    scale = smoothing_scale(grid, run=run, gain=gain, slope=slope)
    land, _ = _steep_land(grid, scale, run=run, gain=gain, slope=slope)
    return land


def _steep_land(grid: Grid, scale: float, *, run: float, gain: float, slope: float) -> tuple[Mask, Mask]:
    """Return steep land, and the cells whose own slope exceeds the limit."""
    from wetgeo.kernels import tracing

    z, ddx, ddy = fitted(grid, scale)
    with np.errstate(invalid="ignore"):
        over = np.hypot(ddx, ddy) > slope + _ROUNDING
    if not over.any():
        return over, over
    marked = tracing.steep_runs(z, ddx, ddy, over, (grid.dx, grid.dy), run, gain + _ROUNDING * run)
    # runs from neighbouring cells may pass a cell between them by
    closed = binary_closing(np.pad(marked, 1, mode="edge"), _AROUND)[1:-1, 1:-1]
    return (closed | marked) & np.isfinite(grid.z), over


def steep_extension(
    grid: Grid, zone: Polygonal, resource: Polygonal, *, run: float, gain: float, slope: float
) -> SteepGround:
    """Return the steep ground that a zone gains.

    A steep cell counts where its flow path stays on steep land until it enters the zone and goes on to the resource.

    Parameters
    ----------
    grid
        The ground, reaching as far around the zone as steep land may.
    zone
        The zone, valid; it may hold the resource or not.
    resource
        The resource, valid.
    run, gain, slope
        As for `steep_land`.
    """
    within, water = covered_fraction(grid, zone), covered_fraction(grid, resource)
    inside, sink = (within + water) > _TOUCHED, water > _TOUCHED
    scale = smoothing_scale(grid, run=run, gain=gain, slope=slope)
    land, over = _steep_land(grid, scale, run=run, gain=gain, slope=slope)
    steep = land & ~sink
    kept, voids = _connected(grid, steep, inside, sink, scale)
    if not kept.any():
        return SteepGround(ground=shapely.Polygon(), cut_short=False, voids=voids)
    joint = binary_dilation(kept, _AROUND, iterations=3) & ((within + water > 0.5) | (steep & inside))
    blur = float(np.clip(scale / np.sqrt(grid.dx * grid.dy), 1, 3))  # noise moves the mask's edge by as much
    outline = smooth_outline(grid, kept | joint, fine=run / 16, blur=blur)
    added = polygonal(shapely.difference(outline, shapely.union(zone, resource)))
    cut_short = _goes_on(grid, kept, over, run)
    return SteepGround(ground=_meaningful(grid, added, kept), cut_short=cut_short, voids=voids)


def _goes_on(grid: Grid, kept: Mask, over: Mask, run: float) -> bool:
    """Tell whether ground steeper than the limit leaves the grid within a run of the steep land, where none can end."""
    border = over.copy()
    border[1:-1, 1:-1] = False
    rows, columns = int(run / grid.dy) + 2, int(run / grid.dx) + 2
    inner = kept[rows:-rows, columns:-columns]
    if not border.any() or inner.sum() == kept.sum():
        return False
    away = distance_transform_edt(~kept, sampling=(grid.dy, grid.dx))
    return bool((away[border] <= run + max(grid.dx, grid.dy)).any())


def _connected(grid: Grid, steep: Mask, inside: Mask, sink: Mask, scale: float) -> tuple[Mask, bool]:
    """Return the steep cells outside the zone that belong to it, and whether water of any ends in a void."""
    from wetgeo.kernels import tracing

    nothing = np.zeros(steep.shape, dtype=bool)
    groups, _ = label(steep | inside, _AROUND)
    near = np.unique(groups[inside])
    candidates = steep & ~inside & np.isin(groups, near[near > 0])
    if not candidates.any():
        return nothing, False
    ways = routing(grid, sink, smoothing=scale)
    starts = np.flatnonzero(candidates)
    ends, passed = tracing.follow(starts, ways.grid.z, ways.way, (steep, inside, sink))
    kept = nothing.copy()
    kept.flat[starts[ends == tracing.REACHED]] = True
    return kept | passed, bool((ends == tracing.VOID).any())


def _meaningful(grid: Grid, added: Polygonal, kept: Mask) -> Polygonal:
    """Leave out slivers along the zone's outline, and holes and pieces smaller than a cell."""
    cell = grid.dx * grid.dy
    parts = [
        shapely.Polygon(part.exterior, [ring for ring in part.interiors if shapely.Polygon(ring).area > cell])
        for part in shapely.get_parts(added)
        if part.area > cell and (covered_fraction(grid, part) * kept).sum() > 1
    ]
    return polygonal(shapely.union_all(parts)) if parts else shapely.Polygon()


def steep_around(
    source: ElevationSource, zone: Polygonal, resource: Polygonal, *, run: float, gain: float, slope: float
) -> SteepGround:
    """Return the steep ground that a zone gains, reading as much around it as the steep land reaches.

    Parameters are those of `steep_extension`, with a source of elevations for the grid.
    """
    left, bottom, right, top = shapely.union(zone, resource).bounds
    margin = 4 * run
    while True:
        grid = source.window((left - margin, bottom - margin, right + margin, top + margin))
        if grid is None:
            return SteepGround(ground=shapely.Polygon(), cut_short=False, voids=False)
        found = steep_extension(grid, zone, resource, run=run, gain=gain, slope=slope)
        if not found.cut_short or _whole(source, grid) or 4 * grid.z.size > _MOST_CELLS:
            return found
        margin *= 2


def _whole(source: ElevationSource, grid: Grid) -> bool:
    return bool(np.allclose(source.bounds, grid.bounds, rtol=0, atol=grid.dx / 2))
