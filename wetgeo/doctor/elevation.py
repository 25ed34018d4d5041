"""Elevations: coverage and voids beside the resources, cells, and buildings and trees that a DTM does not have.

Only windows beside a bounded number of resources are read, so that neither time nor memory grows with the DEM.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import rasterio
import shapely
from numpy.typing import NDArray
from scipy import ndimage

from wetgeo.doctor.reading import Reading
from wetgeo.doctor.remarks import Remark, few
from wetgeo.doctor.soils import BESIDE_FT
from wetgeo.findings import Finding, Findings
from wetgeo.inputs.raster import Dem
from wetgeo.inputs.working import tell_far_dem
from wetgeo.kernels.grid import Grid
from wetgeo.kernels.slope import slope
from wetgeo.rules.provisions import SlopeCut, SteepSlope
from wetgeo.site import Site

Floats = NDArray[np.float64]

#: resources whose coverage is looked at, and beside which windows are read; spread over all of them
MOST_SAMPLED, MOST_WINDOWS = 300, 24
#: a window has no more cells than this on a side
MOST_CELLS = 600
#: points that are sampled on each of the two outlines of the ground beside a resource
_POINTS = 48
#: a cell that stands so much above or below all its neighbours is no ground: feet
_SPIKE_FT, _MOST_SPIKES = 10.0, 200
#: what stands so high over the ground around, with sides steeper than 100 %, and no wider than this, is a house or tree
_OBJECT_FT, _OBJECT_WIDTH_FT, _OBJECT_SHARE = 6.0, 60.0, 0.01
_WALL = 1.0
#: cells wider than this tell little of the ground under a buffer
_COARSE_FT = 33.0
#: whole-number elevations make steps; a step of so many percent between neighbours is too rough for slopes
_STEP_PERCENT = 5.0


@dataclass(slots=True, kw_only=True)
class Survey:
    """What the windows beside the resources hold.

    Attributes
    ----------
    ft
        CRS units in a foot.
    slopes, heights_m
        Of all cells: percent, and metres.
    spikes
        Cells that stick out: x, y, and feet above (negative: below) all neighbours.
    objects, cells
        Cells of what stands on the ground with steep sides, and all cells with an elevation.
    place
        Where such an object is.
    """

    ft: float
    slopes: Floats = field(default_factory=lambda: np.empty(0))
    heights_m: Floats = field(default_factory=lambda: np.empty(0))
    spikes: list[tuple[float, float, float]] = field(default_factory=list)
    objects: int = 0
    cells: int = 0
    place: tuple[float, float] | None = None


def spread(count: int, most: int) -> NDArray[np.intp]:
    """Choose at most `most` of `count` places, evenly."""
    return (
        np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.intp)) if count else np.empty(0, dtype=np.intp)
    )


def survey(site: Site, dem: Dem) -> Survey:
    """Read windows beside resources that are spread over the site.

    Raises
    ------
    RasterError
        A file cannot be read there.
    """
    found = Survey(ft=site.ft)
    slopes, heights = [], []
    shapes = site.resources.geometry.to_numpy()
    for at in spread(len(shapes), MOST_WINDOWS):
        grid = dem.window(_window(shapes[at], site, dem))
        if grid is None or min(grid.z.shape) < 5 or np.isnan(grid.z).all():
            continue
        of_window = slope(grid)
        slopes.append(100 * of_window[np.isfinite(of_window)])
        heights.append(grid.z[np.isfinite(grid.z)] * site.unit_m)
        _look_at_window(grid, of_window, site, found)
    if slopes:
        found.slopes, found.heights_m = np.concatenate(slopes), np.concatenate(heights)
    return found


def off_site(site: Site, dem: Dem) -> list[Finding]:
    """Tell of a DEM that lies off the resources, as the reader does; nothing where it does not."""
    told = Findings()
    left, bottom, right, top = site.resources.total_bounds.tolist()
    tell_far_dem([tile.bounds for tile in dem.tiles], (left, bottom, right, top), site.ft, told)
    return list(told)


def survey_middle(site: Site, dem: Dem) -> Survey:
    """Read one window in the middle of a DEM that lies off the site. Raises RasterError as `survey`."""
    found = Survey(ft=site.ft)
    left, bottom, right, top = dem.bounds
    half_x, half_y = (
        min(MOST_CELLS * size, span) / 2 for size, span in ((dem.dx, right - left), (dem.dy, top - bottom))
    )
    x, y = (left + right) / 2, (bottom + top) / 2
    grid = dem.window((x - half_x, y - half_y, x + half_x, y + half_y), pad=0)
    if grid is not None and min(grid.z.shape) >= 5:
        of_window = slope(grid)
        found.slopes = 100 * of_window[np.isfinite(of_window)]
        found.heights_m = grid.z[np.isfinite(grid.z)] * site.unit_m
    return found


def _window(shape: shapely.Geometry, site: Site, dem: Dem) -> tuple[float, float, float, float]:
    """Bounds of the ground beside a resource; around a point of its edge where the whole is too large."""
    margin = BESIDE_FT * site.ft
    left, bottom, right, top = shapely.bounds(shape) + margin * np.array([-1, -1, 1, 1])
    half = MOST_CELLS * min(dem.dx, dem.dy) / 2
    if right - left > 2 * half or top - bottom > 2 * half:
        x, y = shapely.get_coordinates(shape)[0]
        left, bottom, right, top = max(left, x - half), max(bottom, y - half), min(right, x + half), min(top, y + half)
    return float(left), float(bottom), float(right), float(top)


def _look_at_window(grid: Grid, slopes: Floats, site: Site, found: Survey) -> None:
    void = np.isnan(grid.z)
    z = np.where(void, np.nanmedian(grid.z), grid.z)
    clear = ~ndimage.binary_dilation(void, structure=np.ones((3, 3)))
    found.cells += int((~void).sum())
    _spikes(grid, z, clear, site.ft, found)
    if max(grid.dx, grid.dy) <= _OBJECT_WIDTH_FT * site.ft / 3:  # fine enough to show a house
        _objects(grid, z, clear & (slopes > 0), slopes, found)


def _spikes(grid: Grid, z: Floats, clear: NDArray[np.bool_], ft: float, found: Survey) -> None:
    """Gather single cells that stand far above, or below, all their neighbours."""
    ring = np.ones((3, 3), dtype=bool)
    ring[1, 1] = False
    above = (z - ndimage.maximum_filter(z, footprint=ring)) / ft
    below = (ndimage.minimum_filter(z, footprint=ring) - z) / ft
    for row, column in np.argwhere((np.maximum(above, below) > _SPIKE_FT) & clear)[:_MOST_SPIKES].tolist():
        out = above[row, column] if above[row, column] > 0 else -below[row, column]
        found.spikes.append((*_centre(grid, row, column), float(out)))


def _objects(grid: Grid, z: Floats, clear: NDArray[np.bool_], slopes: Floats, found: Survey) -> None:
    """Count the cells of what stands on the ground with steep sides: houses and trees."""
    ft = found.ft
    size = [max(3, int(_OBJECT_WIDTH_FT * ft / side) | 1) for side in (grid.dy, grid.dx)]
    high = (z - ndimage.grey_opening(z, size=size)) / ft > _OBJECT_FT
    labels, count = ndimage.label(high & clear)
    if not count:
        return
    steepest = ndimage.maximum(np.nan_to_num(slopes), labels, np.arange(1, count + 1))
    objects = np.isin(labels, 1 + np.flatnonzero(steepest > _WALL))
    found.objects += int(objects.sum())
    if found.place is None and objects.any():
        found.place = _centre(grid, *np.argwhere(objects)[0].tolist())


def _centre(grid: Grid, row: int, column: int) -> tuple[float, float]:
    return float(grid.left + (column + 0.5) * grid.dx), float(grid.top - (row + 0.5) * grid.dy)


def missing(reading: Reading) -> Iterator[Remark]:
    """Tell where no DEM is given and the rule asks for slopes."""
    ruling = reading.ruling
    if reading.project.dem is not None or ruling is None:
        return
    asked = [
        words
        for kind, words in (
            (SlopeCut, "narrows a buffer by the slope"),
            (SteepSlope, "extends buffers up steep slopes"),
        )
        if ruling.find(kind) is not None
    ]
    if asked:
        yield Remark(
            severity="warning",
            subject="elevation",
            code="dem-missing",
            layer="dem",
            message=f"no DEM is given: this rule {' and '.join(asked)}, which is left out without one",
            mend="give the state's DEM from LiDAR, with its vertical unit",
            table="dem",
            line='path = "..."',
        )


def look(reading: Reading, found: Survey) -> Iterator[Remark]:
    """Look at the DEM.

    Raises
    ------
    RasterError
        A file cannot be read beside a resource.
    """
    site, dem = reading.site, reading.dem
    if site is None or dem is None:
        return
    yield from _cells(reading, dem, site)
    yield from _coverage(site, dem, reading.file_of("dem"))
    yield from _sticking_out(found, reading.file_of("dem"))


def _sticking_out(found: Survey, file: str) -> Iterator[Remark]:
    if found.spikes:
        x, y, out = max(found.spikes, key=lambda spike: abs(spike[2]))
        yield Remark(
            severity="warning",
            subject="elevation",
            code="dem-spikes",
            layer="dem",
            file=file,
            x=x,
            y=y,
            message=f"{len(found.spikes):,} of {found.cells:,} cells beside the resources stand more than "
            f"{_SPIKE_FT:g} ft "
            f"above or below all their neighbours, by up to {abs(out):,.0f} ft",
            details=tuple(f"({x:.1f}, {y:.1f}): {out:+,.1f} ft" for x, y, out in found.spikes[:50]),
            mend="they are faults of the data: set them to nodata, or take a corrected DEM",
        )
    if found.objects > _OBJECT_SHARE * found.cells and found.place is not None:
        x, y = found.place
        yield Remark(
            severity="warning",
            subject="elevation",
            code="dem-surface",
            layer="dem",
            file=file,
            x=x,
            y=y,
            message=f"{found.objects / found.cells:.1%} of the cells beside the resources stand more than "
            f"{_OBJECT_FT:g} ft "
            f"over the ground around, on a base less than {_OBJECT_WIDTH_FT:g} ft wide and with sides steeper than "
            "100 %: "
            "this looks like a surface model (DSM) with its trees and houses, whose slopes are not those of the ground",
            mend="take the terrain model (DTM, bare earth) of the same survey",
        )


def _cells(reading: Reading, dem: Dem, site: Site) -> Iterator[Remark]:
    cell_ft = dem.cell / site.ft
    coarse = cell_ft > _COARSE_FT
    left, bottom, right, top = dem.bounds
    yield Remark(
        severity="warning" if coarse else "info",
        subject="elevation",
        code="dem-cells",
        layer="dem",
        file=reading.file_of("dem"),
        message=f"{dem.rows:,} x {dem.columns:,} cells of {cell_ft:,.1f} ft in {len(dem.tiles)} file(s), from "
        f"({left:.0f}, {bottom:.0f}) to ({right:.0f}, {top:.0f})"
        + ("; such cells are wider than many a buffer, and slopes are smoothed away" if coarse else ""),
        mend="take the state's 1-m DEM from LiDAR, where there is one" if coarse else "",
    )
    with rasterio.open(dem.tiles[0].path) as raster:
        whole = np.dtype(raster.dtypes[0]).kind in "iu" and raster.scales[0] == 1
    step = 100 * dem.tiles[0].scale / dem.cell
    if whole and step > _STEP_PERCENT:
        yield Remark(
            severity="warning",
            subject="elevation",
            code="dem-steps",
            layer="dem",
            file=str(dem.tiles[0].path),
            message=f"elevations are whole numbers: one step between neighbouring cells is a slope of {step:,.0f} %, "
            "so "
            "that gentle ground reads as flats and steps",
            mend="take the DEM with decimals from its source",
        )


def _coverage(site: Site, dem: Dem, file: str) -> Iterator[Remark]:
    """Sample two outlines of the ground beside each resource, its edge and that 100 ft away."""
    shapes = site.resources.geometry.to_numpy()
    chosen = spread(len(shapes), MOST_SAMPLED)
    some = shapes[chosen]
    outer = shapely.buffer(some, BESIDE_FT * site.ft, quad_segs=4)
    stations = (np.arange(_POINTS) + 0.5) / _POINTS
    lines = np.concatenate([shapely.boundary(some), shapely.boundary(outer)])
    points = shapely.line_interpolate_point(lines[:, None], stations[None, :], normalized=True)
    x, y = shapely.get_x(points), shapely.get_y(points)
    bare = np.isnan(dem.sample(x, y))
    left, bottom, right, top = dem.bounds
    outside = (x < left) | (x > right) | (y < bottom) | (y > top)
    voids = (bare & ~outside).reshape(2, len(some), _POINTS)
    bare = bare.reshape(2, len(some), _POINTS)
    share = bare.mean(axis=(0, 2))
    poor = np.flatnonzero(share > 0)
    names = site.resources["resource_id"].to_numpy()[chosen]
    some_only = len(chosen) < len(shapes)
    if outside.all() and off_site(site, dem):
        return  # told by the reader
    if not len(poor):
        yield Remark(
            severity="info",
            subject="elevation",
            code="dem-coverage",
            layer="dem",
            file=file,
            message=f"the ground within {BESIDE_FT:g} ft of "
            + (f"all {len(chosen):,} resources that were looked at" if some_only else "all resources")
            + " has elevations",
        )
        return
    worst = poor[np.argmax(share[poor])]
    at = np.argwhere(bare[:, worst, :])[0]
    place = points.reshape(2, len(some), _POINTS)[at[0], worst, at[1]]
    whole, holes = int((share >= 1).sum()), int(voids.any(axis=(0, 2)).sum())
    many = "resource" if len(poor) == 1 else "resources"
    beyond = bool((bare & outside.reshape(bare.shape)).any())
    yield Remark(
        severity="warning",
        subject="elevation",
        code="dem-coverage",
        layer="dem",
        file=file,
        feature_id=str(names[poor[0]]) if len(poor) == 1 else "",
        x=float(place.x),
        y=float(place.y),
        message=f"no elevations for a part of the ground within {BESIDE_FT:g} ft of {len(poor):,} {many}"
        + (f" of {len(chosen):,} that were looked at" if some_only else "")
        + (f", for all of it at {whole:,}" if whole else "")
        + (f"; voids inside the DEM at {holes:,} of them" if holes else "")
        + f": {few(names[poor].tolist())}",
        details=tuple(f"{names[i]}: {share[i]:.0%} without" for i in poor[:100]),
        mend=("add the neighbouring tiles to [dem] path" if beyond else "fill the voids, or take a DEM without")
        + "; where less than half has elevations the slope is unknown and cuts nothing",
        table="dem" if beyond else "",
        line='path = ["...", "..."]' if beyond else "",
    )
