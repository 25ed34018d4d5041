"""The door for elevations: rasters, tiles or a VRT to one `Dem` in the working CRS, read by windows."""

from __future__ import annotations

import math
import os
import threading
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from pyproj import CRS
from pyproj.exceptions import CRSError as PyprojError
from rasterio._err import CPLE_BaseError
from rasterio.enums import ColorInterp
from rasterio.errors import CRSError, NotGeoreferencedWarning

from wetgeo.errors import CrsError, RasterError, UnitError
from wetgeo.inputs.crs import Way, horizontal, label, same, way_between
from wetgeo.inputs.reach import NOT_THERE, shortened, unreachable
from wetgeo.inputs.tiles import (
    ALIGNED,
    NOT_READ,
    Bounds,
    Tile,
    aligned,
    cell,
    elevations,
    log_decoded,
    part,
    unreadable,
)
from wetgeo.inputs.vertical import vertical_units
from wetgeo.kernels.grid import Grid
from wetgeo.kernels.resample import bilinear

if TYPE_CHECKING:
    from wetgeo.findings import Findings
    from wetgeo.project import DemSource

Array = NDArray[np.float64]

#: no dry land lies lower or higher (the Dead Sea's shore is at -440 m, Everest at 8,849 m)
LOWEST_M, HIGHEST_M = -500.0, 9000.0
#: the search for numbers that are no elevations reads this many cells at a time, in so many places at most
SCAN_CELLS, SCAN_PLACES = 1024, 16
#: rasters that a thread keeps open
OPEN_FILES = 32


class Dem:
    """Elevations of one or more tiles on the grid of the finest, in the working CRS; an `ElevationSource`.

    Where tiles overlap, the finest that has an elevation counts, then the northernmost, then the westernmost. It may be
    pickled and used by several threads; each opens the files for itself.
    """

    def __init__(self, tiles: tuple[Tile, ...], size: tuple[float, float], origin: tuple[float, float]) -> None:
        self.tiles = tiles
        self.dx, self.dy = size
        bounds = np.array([tile.bounds for tile in tiles])
        first = np.floor(((bounds[:, 0].min() - origin[0]) / self.dx) + ALIGNED)
        upper = np.floor(((origin[1] - bounds[:, 3].max()) / self.dy) + ALIGNED)
        self.left, self.top = float(origin[0] + first * self.dx), float(origin[1] - upper * self.dy)
        self.columns = int(np.ceil((bounds[:, 2].max() - self.left) / self.dx - ALIGNED))
        self.rows = int(np.ceil((self.top - bounds[:, 1].min()) / self.dy - ALIGNED))
        self._tile_bounds = bounds
        self._handles = _Handles()

    @property
    def cell(self) -> float:
        """The larger side of a cell, CRS units."""
        return max(self.dx, self.dy)

    @property
    def bounds(self) -> Bounds:
        """Outer bounds of all tiles (left, bottom, right, top), CRS units."""
        return self.left, self.top - self.rows * self.dy, self.left + self.columns * self.dx, self.top

    def window(self, bounds: Bounds, *, pad: int = 2) -> Grid | None:
        """Read the cells that `bounds` touches and `pad` cells around; None where there are none.

        Raises
        ------
        RasterError
            Where a file cannot be read.
        """
        first, last = (bounds[0] - self.left) / self.dx, (bounds[2] - self.left) / self.dx
        upper, lower = (self.top - bounds[3]) / self.dy, (self.top - bounds[1]) / self.dy
        if last < 0 or first > self.columns or lower < 0 or upper > self.rows:
            return None
        wanted = np.array([np.floor(upper) - pad, np.ceil(lower) + pad, np.floor(first) - pad, np.ceil(last) + pad])
        r0, r1, c0, c1 = np.clip(wanted, 0, [self.rows, self.rows, self.columns, self.columns]).astype(int)
        if r0 >= r1 or c0 >= c1:
            return None
        grid = Grid(
            z=np.full((r1 - r0, c1 - c0), np.nan),
            left=self.left + c0 * self.dx,
            top=self.top - r0 * self.dy,
            dx=self.dx,
            dy=self.dy,
            touches=bool((np.array([r0, r1, c0, c1]) != wanted).any()),
        )
        return self._filled(grid)

    def sample(self, x: Array, y: Array) -> Array:
        """Elevations at points, bilinear, in the unit of the CRS; NaN where there are none. Reads by blocks."""
        x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        found = np.full(x.shape, np.nan)
        block = SCAN_CELLS * self.cell
        where = np.stack([np.floor((x - self.left) / block), np.floor((y - self.top) / block)], axis=-1)
        for key in np.unique(where[np.isfinite(where).all(axis=-1)], axis=0):
            chosen = (where == key).all(axis=-1)
            px, py = x[chosen], y[chosen]
            grid = self.window((px.min(), py.min(), px.max(), py.max()), pad=3)
            if grid is not None:
                # counted from the corner of the whole DEM: taking a whole number away changes no digit of the rest
                row = (self.top - py) / self.dy - 0.5 - np.rint((self.top - grid.top) / self.dy)
                column = (px - self.left) / self.dx - 0.5 - np.rint((grid.left - self.left) / self.dx)
                found[chosen] = bilinear(grid.z, row, column)
        return found

    def open_file(self, path: Path) -> Any:  # noqa: ANN401 (rasterio has no types)
        """Return a file of this DEM, open for reading in this thread."""
        return self._handles.get(path)

    def _filled(self, grid: Grid) -> Grid:
        left, bottom, right, top = grid.bounds
        mine = self._tile_bounds
        near = (mine[:, 0] < right) & (mine[:, 2] > left) & (mine[:, 1] < top) & (mine[:, 3] > bottom)
        implausible = 0
        for index in np.flatnonzero(near):
            if not np.isnan(grid.z).any():
                break
            ground, odd = part(self.open_file(self.tiles[index].path), self.tiles[index], grid)
            np.copyto(grid.z, ground, where=np.isnan(grid.z))
            implausible += odd
        return replace(grid, implausible=implausible)


class _Handles(threading.local):
    """Files that this thread of this process holds open; pickles as none."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.files: dict[Path, Any] = {}

    def __reduce__(self) -> tuple[type[_Handles], tuple[()]]:
        return _Handles, ()

    def get(self, path: Path) -> Any:  # noqa: ANN401 (rasterio has no types)
        if self.process != os.getpid():  # a forked process must not share file positions
            self.process, self.files = os.getpid(), {}
        if path not in self.files:
            while len(self.files) >= OPEN_FILES:
                self.files.pop(next(iter(self.files))).close()
            self.files[path] = _opened(path)
        return self.files[path]


def open_dem(source: DemSource, crs: CRS, unit_m: float, findings: Findings) -> Dem:
    """Open the elevations of a project.

    Only headers are read, and a bounded part of the cells in search of numbers that are no elevations. Elevations come
    out in the unit of `crs`, whatever the unit of the file.

    Parameters
    ----------
    source
        The rasters, in any order, and their vertical unit where the project states it.
    crs
        The working CRS, projected; rasters in another one are interpolated into it (bilinear), with a finding.
    unit_m
        Metres in one unit of `crs`.
    findings
        Takes what a reviewer should know; its content does not depend on the windows read later.

    Raises
    ------
    RasterError
        Where a file is missing, unreadable, has no CRS, or is no north-up raster with one band of real numbers.
    UnitError
        Where the vertical unit is told by neither the project nor the file, or cannot be right.
    """
    heads, units_m = read_heads(source, findings)
    found = [_tile(head, crs, unit_m, unit) for head, unit in zip(heads, units_m, strict=True)]
    tiles = [tile for tile, _ in found]
    _tell_reprojected(
        [(label(horizontal(head.crs)), way) for head, (_, way) in zip(heads, found, strict=True)], crs, findings
    )
    cells = [cell(tile) for tile in tiles]
    order = sorted(
        range(len(tiles)),
        key=lambda i: (round(cells[i][0] * cells[i][1], 9), -tiles[i].bounds[3], tiles[i].bounds[0], tiles[i].path),
    )
    tiles, cells = [tiles[i] for i in order], [cells[i] for i in order]
    base = tiles[0]
    origin = (base.left, base.top) if base.way is None else (0.0, 0.0)
    dem = Dem(tuple(tiles), cells[0], origin)
    _tell_resampled(dem, findings)
    _tell_implausible(dem, findings)
    return dem


#: the largest states take less at a metre to the cell
_MOST_CELLS = 1e13


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    path: Path
    crs: CRS
    unit: str
    transform: Any
    shape: tuple[int, int]
    scale: float
    offset: float


def read_heads(source: DemSource, findings: Findings) -> tuple[list[_Head], list[float]]:
    """Read the headers of a project's rasters, and find the vertical unit of each (metres); errors as `open_dem`."""
    heads = _heads(sorted(set(source.paths)))
    return heads, vertical_units([(head.path, head.crs, head.unit) for head in heads], source.z_unit, findings)


def _heads(paths: list[Path]) -> list[_Head]:
    """Read all headers; all faulty files are told at once."""
    read = [_head_or_fault(path) for path in paths]
    faults = [head for head in read if isinstance(head, RasterError)]
    if len(faults) == 1:
        raise faults[0]
    if faults:
        raise RasterError("Several elevation files cannot be used", faults=[str(fault) for fault in faults])
    return [head for head in read if isinstance(head, _Head)]


def _head_or_fault(path: Path) -> _Head | RasterError:
    try:
        return _head(path)
    except RasterError as error:
        return error
    except NOT_READ as error:
        return unreadable(path, error)


def _opened(path: Path) -> Any:  # noqa: ANN401 (rasterio has no types)
    why = unreachable(path)
    if why is not None:
        what = "there is no such elevation file" if why == NOT_THERE else why
        raise RasterError(f"{shortened(path)}: {what}", mend="correct [dem] path in the project file")
    try:
        with warnings.catch_warnings(), log_decoded():
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            return rasterio.open(path)
    except NOT_READ as error:
        raise unreadable(path, error) from error


def _crs_of(path: Path, file: Any) -> CRS | None:  # noqa: ANN401 -- rasterio has no types
    try:
        return None if file.crs is None else CRS.from_user_input(file.crs.to_wkt())
    except (PyprojError, CRSError, CPLE_BaseError) as error:
        raise RasterError(
            f"{path}: PROJ cannot use this raster's coordinate system: {error}",
            mend=f"assign the one it is in, with its code: rio edit-info --crs EPSG:CODE {path.name}",
        ) from error


def _head(path: Path) -> _Head:
    with _opened(path) as file:
        real = np.dtype(file.dtypes[0]).kind in "iuf" if not file.dtypes[0].startswith("complex") else False
        bands = sum(kind != ColorInterp.alpha for kind in file.colorinterp)
        if bands != 1 or not real:
            raise RasterError(
                f"{path}: a DEM has one band of real numbers, this one has {bands} bands of {file.dtypes[0]}",
                mend="name the raster of elevations in [dem] path, not a picture of it",
            )
        matrix = file.transform
        crs = _crs_of(path, file)
        if crs is None:
            raise RasterError(
                f"{path}: this raster has no coordinate system",
                mend=f"assign the one it is in, with its code: rio edit-info --crs EPSG:CODE {path.name}",
            )
        if not (horizontal(crs).is_projected or horizontal(crs).is_geographic):
            raise RasterError(
                f"{path}: {label(crs)} is no coordinate system of a map",
                mend=f"assign the one it is in, with its code: rio edit-info --crs EPSG:CODE {path.name}",
            )
        if file.width * file.height > _MOST_CELLS:
            raise RasterError(
                f"{path}: it claims {file.width:,} x {file.height:,} cells, more than any land has",
                mend="make the raster anew, of the ground around the site",
            )
        if not np.isfinite(matrix).all() or matrix.b or matrix.d or matrix.a <= 0 or matrix.e >= 0:
            raise RasterError(
                f"{path}: this raster is turned or mirrored, or has no position; its rows must run from north to south",
                mend=f"resample it: rio warp {path.name} north-up.tif",
            )
        return _Head(
            path=path,
            crs=crs,
            unit=file.units[0] or "",
            transform=matrix,
            shape=file.shape,
            scale=file.scales[0],
            offset=file.offsets[0],
        )


def _tile(head: _Head, crs: CRS, unit_m: float, z_m: float) -> tuple[Tile, Way | None]:
    matrix, (rows, columns) = head.transform, head.shape
    bounds = own = (matrix.c, matrix.f + rows * matrix.e, matrix.c + columns * matrix.a, matrix.f)
    source, target = horizontal(head.crs), horizontal(crs)
    try:
        way = None if same(source, target) else way_between(source, target, own)
    except CrsError as error:
        raise RasterError(f"{head.path}: {error.message}", mend=error.mend) from error
    if way is not None:
        bounds = way.transformer.transform_bounds(*own, densify_pts=21)
    factor = z_m / unit_m
    tile = Tile(
        path=head.path,
        way=None if way is None else way.transformer,
        left=matrix.c,
        top=matrix.f,
        dx=matrix.a,
        dy=-matrix.e,
        shape=head.shape,
        scale=head.scale * factor,
        shift=head.offset * factor,
        low=LOWEST_M / unit_m,
        high=HIGHEST_M / unit_m,
        bounds=bounds,
    )
    # where its coordinates are no map's, its extent or the size of its cells there is no number
    if way is not None and not (np.isfinite(bounds).all() and all(0 < size < math.inf for size in cell(tile))):
        raise RasterError(
            f"{head.path}: its extent cannot be expressed in the working CRS, {label(target)}",
            mend="correct the file's coordinate system or the project's crs",
        )
    return tile, way


def _tell_reprojected(ways: list[tuple[str, Way | None]], crs: CRS, findings: Findings) -> None:
    for source, doubtful in sorted({(source, way.doubtful) for source, way in ways if way is not None}):
        findings.add(
            "warning" if doubtful else "info",
            "crs-reprojected",
            f"Elevations were interpolated (bilinear) from {source} to {label(horizontal(crs))}"
            + ("; the datums differ, and no grid that gives the shift between them is installed" if doubtful else ""),
            layer="dem",
        )


def _tell_resampled(dem: Dem, findings: Findings) -> None:
    others = [
        tile.path.name
        for tile in dem.tiles
        if tile.way is None and aligned(tile, dem.left, dem.top, dem.dx, dem.dy) is None
    ]
    if others:
        findings.info(
            "dem-tiles",
            f"{_listed(others)} lie on another grid than {dem.tiles[0].path.name} and were interpolated to its "
            f"cells of {dem.dx:g} x {dem.dy:g}",
            layer="dem",
        )


def _listed(names: Iterable[str]) -> str:
    names = sorted(names)
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _tell_implausible(dem: Dem, findings: Findings) -> None:
    """Look for numbers that are no elevations: in all cells of a small DEM, in places spread over a large one."""
    places = [
        (tile, (r, min(r + SCAN_CELLS, tile.shape[0]), c, min(c + SCAN_CELLS, tile.shape[1])))
        for tile in dem.tiles
        for r in range(0, tile.shape[0], SCAN_CELLS)
        for c in range(0, tile.shape[1], SCAN_CELLS)
    ]
    chosen = np.unique(np.linspace(0, len(places) - 1, min(len(places), SCAN_PLACES)).astype(int))
    found: dict[Path, list[Array]] = {}
    for tile, span in (places[i] for i in chosen):
        z, odd = elevations(dem.open_file(tile.path), tile, span)
        if (odd * tile.scale + tile.shift > tile.high).sum() > z.size / 2:
            raise UnitError(
                f"{tile.path}: its elevations (up to {odd.max():g}) cannot be in the vertical unit that was taken",
                mend="correct z_unit under [dem] in the project file (m, ft, us-ft or cm)",
            )
        if odd.size:
            found.setdefault(tile.path, []).append(odd)
    part_only = " of those looked at" if len(chosen) < len(places) else ""
    for path, parts in found.items():
        numbers = np.concatenate(parts)
        low, high = numbers.min(), numbers.max()
        span_text = f"{low:g}" if low == high else f"between {low:g} and {high:g}"
        findings.warning(
            "dem-nodata",
            f"{path.name}: {numbers.size} cells{part_only} hold {span_text}, which no land has as its elevation; they "
            "were taken as nodata",
            layer="dem",
        )


def files_of(source: DemSource) -> list[Path]:
    """List the rasters of a DEM, with the parts of a VRT."""
    found: list[Path] = []
    for path in source.paths:
        with rasterio.open(path) as raster:
            found += [Path(name) for name in raster.files if not name.startswith("/vsi")]
    return found
