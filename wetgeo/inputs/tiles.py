"""One raster of a DEM: where it lies, and its elevations on another grid."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pyproj import Transformer
from rasterio._err import CPLE_BaseError
from rasterio.errors import CRSError, RasterioError
from rasterio.windows import Window

from wetgeo.errors import RasterError
from wetgeo.kernels.resample import bilinear

if TYPE_CHECKING:
    from wetgeo.kernels.grid import Grid

Array = NDArray[np.float64]
Bounds = tuple[float, float, float, float]

#: what rasterio raises on a file that GDAL cannot read, GDAL's own complaints among it; the last where GDAL quotes
#: bytes that are no text
NOT_READ = (RasterioError, CRSError, OSError, CPLE_BaseError, UnicodeDecodeError)
#: tiles whose cells meet within this part of a cell lie on one grid
ALIGNED = 1e-3


#: the interpreter has one hook, and threads open files
_HOOKING = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One raster as it lies: its own grid in its own CRS, and how its numbers become elevations.

    ``scale`` and ``shift`` turn a stored number into an elevation in CRS units; ``low`` and ``high`` bound what is
    taken for one. ``way`` leads to the working CRS, None where it is in that. ``bounds`` are in the working CRS.
    """

    path: Path
    way: Transformer | None
    left: float
    top: float
    dx: float
    dy: float
    shape: tuple[int, int]
    scale: float
    shift: float
    low: float
    high: float
    bounds: Bounds


def cell(tile: Tile) -> tuple[float, float]:
    """Return the cell of a tile in the working CRS; square, and as fine as the finer side, where it is reprojected."""
    if tile.way is None:
        return tile.dx, tile.dy
    x, y = tile.left + tile.dx * tile.shape[1] / 2, tile.top - tile.dy * tile.shape[0] / 2
    px, py = tile.way.transform([x, x + tile.dx, x], [y, y, y - tile.dy])
    side = min(np.hypot(px[1] - px[0], py[1] - py[0]), np.hypot(px[2] - px[0], py[2] - py[0]))
    return float(side), float(side)


def aligned(tile: Tile, left: float, top: float, dx: float, dy: float) -> tuple[int, int] | None:
    """Return the row and column of the tile at (left, top) where both lie on one grid, else None."""
    rows, columns = tile.shape
    if tile.way is not None or abs(tile.dx - dx) * columns > ALIGNED * dx or abs(tile.dy - dy) * rows > ALIGNED * dy:
        return None
    row, column = (tile.top - top) / dy, (left - tile.left) / dx
    if abs(row - round(row)) > ALIGNED or abs(column - round(column)) > ALIGNED:
        return None
    return round(row), round(column)


def part(file: Any, tile: Tile, grid: Grid) -> tuple[Array, int]:  # noqa: ANN401 (rasterio has no types)
    """Read the elevations of one tile onto a grid; NaN where it has none. Also the number of implausible cells."""
    rows, columns = grid.z.shape
    start = aligned(tile, grid.left, grid.top, grid.dx, grid.dy)
    if start is not None:
        part = np.full((rows, columns), np.nan)
        r0, c0 = max(start[0], 0), max(start[1], 0)
        r1, c1 = min(start[0] + rows, tile.shape[0]), min(start[1] + columns, tile.shape[1])
        if r0 >= r1 or c0 >= c1:
            return part, 0
        z, odd = elevations(file, tile, (r0, r1, c0, c1))
        part[r0 - start[0] : r1 - start[0], c0 - start[1] : c1 - start[1]] = z
        return part, len(odd)
    x, y = _positions(tile, grid)
    row, column = (tile.top - y) / tile.dy - 0.5, (x - tile.left) / tile.dx - 0.5
    low = np.maximum(np.floor([row.min(), column.min()]) - 3, 0).astype(int)
    high = np.minimum(np.ceil([row.max(), column.max()]) + 4, tile.shape).astype(int)
    if (low >= high).any():
        return np.full((rows, columns), np.nan), 0
    z, odd = elevations(file, tile, (low[0], high[0], low[1], high[1]))
    return bilinear(z, row - low[0], column - low[1]), len(odd)


def _positions(tile: Tile, grid: Grid) -> tuple[Array, Array]:
    """Return the centres of the grid's cells in the CRS of the tile.

    Every 16th is transformed and those between are interpolated: over 16 cells of 30 m the error is under 0.0001 m.
    """
    rows, columns = grid.z.shape
    i, j = np.meshgrid(np.arange(rows, dtype=float), np.arange(columns, dtype=float), indexing="ij")
    if tile.way is None:
        return grid.left + (j + 0.5) * grid.dx, grid.top - (i + 0.5) * grid.dy
    step = 16.0
    nodes_j, nodes_i = np.meshgrid(np.arange(-1, columns // step + 3), np.arange(-1, rows // step + 3))
    nodes_x, nodes_y = grid.left + (nodes_j * step + 0.5) * grid.dx, grid.top - (nodes_i * step + 0.5) * grid.dy
    x, y = tile.way.transform(nodes_x, nodes_y, direction="INVERSE")
    return bilinear(np.asarray(x), i / step + 1, j / step + 1), bilinear(np.asarray(y), i / step + 1, j / step + 1)


def elevations(file: Any, tile: Tile, span: tuple[int, int, int, int]) -> tuple[Array, Array]:  # noqa: ANN401
    """Read rows and columns of a file as elevations in CRS units, and the stored numbers that cannot be elevations."""
    r0, r1, c0, c1 = (int(value) for value in span)
    try:
        stored = file.read(1, window=Window(c0, r0, c1 - c0, r1 - r0), masked=True)
    except NOT_READ as error:
        raise unreadable(tile.path, error) from error
    numbers = np.ma.filled(stored.astype(np.float64), np.nan)
    z = numbers * tile.scale + tile.shift
    z[np.isinf(z)] = np.nan
    with np.errstate(invalid="ignore"):
        odd = (z < tile.low) | (z > tile.high)
    z[odd] = np.nan
    return z, numbers[odd]


@contextlib.contextmanager
def log_decoded() -> Iterator[None]:
    """Let rasterio's log fail silently within: what it cannot decode of GDAL's messages it would print as traceback."""
    with _HOOKING:
        usual = sys.unraisablehook

        def hook(what: sys.UnraisableHookArgs, /) -> None:
            if not isinstance(what.exc_value, UnicodeDecodeError):
                usual(what)

        sys.unraisablehook = hook
        try:
            yield
        finally:
            sys.unraisablehook = usual


def unreadable(path: Path, error: Exception) -> RasterError:
    """Return the error for a raster that GDAL cannot read."""
    said = str(error.__cause__ or error).strip().rstrip(".")
    return RasterError(
        f"{path}: this raster of elevations cannot be read ({said})",
        mend="fetch or copy the file again; it must be a whole raster that GDAL reads",
    )
