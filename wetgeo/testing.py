"""Synthetic ground and sites, shared by the tests and by the sample data.

All lengths are in the unit of the grid, the rows of a grid run from north to south.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyogrio
import rasterio
import rasterio.features
import shapely
from rasterio import Affine
from scipy import ndimage
from scipy.spatial import cKDTree

from wetgeo.kernels.grid import Grid

if TYPE_CHECKING:
    import geopandas as gpd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]


def cell_centres(grid: Grid) -> tuple[Floats, Floats]:
    """Return x and y of the cells' centres, each of the grid's shape, CRS units."""
    rows, columns = grid.z.shape
    x = grid.left + (np.arange(columns) + 0.5) * grid.dx
    y = grid.top - (np.arange(rows) + 0.5) * grid.dy
    x, y = np.meshgrid(x, y)
    return x, y


def _transform(grid: Grid) -> Affine:
    return Affine(grid.dx, 0, grid.left, 0, -grid.dy, grid.top)


def fractal(shape: tuple[int, int], cell: float, *, seed: int, exponent: float, smallest: float) -> Floats:
    """Fractal ground of mean 0 and standard deviation 1, by spectral synthesis.

    Parameters
    ----------
    shape, cell
        Rows and columns, and the side of a cell.
    seed
        The same seed gives the same ground.
    exponent
        Power falls with frequency to this exponent; 3 is rough, 5 is smooth. Source: Saupe, "Algorithms for random
        fractals", in: The Science of Fractal Images (1988).
    smallest
        Wavelengths under this length, in the unit of `cell`, are left out.
    """
    # twice the size, cropped: the spectrum is periodic and the ground shall not be
    rows, columns = 2 * shape[0], 2 * shape[1]
    frequency = np.hypot(np.fft.fftfreq(rows, cell)[:, None], np.fft.rfftfreq(columns, cell)[None, :])
    frequency[0, 0] = np.inf
    amplitude = frequency ** (-exponent / 2) * np.exp(-((frequency * smallest) ** 2))
    random = np.random.default_rng(seed)
    phase = np.exp(2j * np.pi * random.random(frequency.shape))
    ground = np.fft.irfft2(amplitude * phase, s=(rows, columns))[: shape[0], : shape[1]]
    return np.asarray((ground - ground.mean()) / ground.std())


def soft_min(a: Floats, b: Floats, softness: float) -> Floats:
    """Return the lesser of two surfaces, rounded off where they meet within about `softness`."""
    return np.asarray(-softness * np.logaddexp(-a / softness, -b / softness))


def along(line: shapely.LineString, x: Floats, y: Floats, *, step: float = 0.5) -> tuple[Floats, Floats]:
    """Return, for points, the distance to a line and the station of the nearest place on it (to `step`)."""
    stations = np.arange(0, line.length, step)
    vertices = shapely.get_coordinates(shapely.line_interpolate_point(line, stations))
    distance, nearest = cKDTree(vertices).query(np.column_stack([x.ravel(), y.ravel()]))
    return distance.reshape(x.shape), stations[nearest].reshape(x.shape)


def smooth_line(points: Sequence[tuple[float, float]], *, rounds: int = 4, closed: bool = False) -> Floats:
    """Cut the corners off a line or ring (Chaikin, Computer Graphics and Image Processing 3, 1974); ends stay."""
    vertices = np.asarray(points, dtype=np.float64)
    for _ in range(rounds):
        following = np.roll(vertices, -1, axis=0) if closed else vertices[1:]
        start = vertices if closed else vertices[:-1]
        cut = np.stack([0.75 * start + 0.25 * following, 0.25 * start + 0.75 * following], axis=1).reshape(-1, 2)
        vertices = cut if closed else np.vstack([vertices[:1], cut, vertices[-1:]])
    return vertices


def staked(ring: shapely.LinearRing, spacing: float) -> Floats:
    """Return the vertices of a ring as a delineator stakes it: straight between flags about `spacing` apart."""
    vertices = shapely.get_coordinates(shapely.simplify(ring, spacing / 12))[:-1]
    smooth = shapely.LinearRing(smooth_line([tuple(vertex) for vertex in vertices], rounds=3, closed=True))
    count = max(8, round(smooth.length / spacing))
    return shapely.get_coordinates(shapely.line_interpolate_point(smooth, np.arange(count) / count, normalized=True))


def outline(grid: Grid, mask: Bools, at: tuple[float, float], *, spacing: float) -> shapely.Polygon:
    """Outline the connected ground of `mask` that holds the point `at`, staked every `spacing`; islands stay.

    Raises ValueError where the point is not on such ground.
    """
    labels, _ = ndimage.label(mask)
    row, column = int((grid.top - at[1]) / grid.dy), int((at[0] - grid.left) / grid.dx)
    if not mask[row, column]:
        raise ValueError(f"{at} is not inside the mask")
    part = (labels == labels[row, column]).astype(np.uint8)
    shape, _ = next(rasterio.features.shapes(part, mask=part.astype(bool), transform=_transform(grid)))
    rings = [shapely.LinearRing(ring) for ring in shape["coordinates"]]
    islands = [staked(ring, spacing) for ring in rings[1:] if ring.length > 8 * spacing]
    return shapely.Polygon(staked(rings[0], spacing), islands)


def classified(grid: Grid, classes: NDArray[np.integer[Any]], *, tolerance: float) -> dict[int, list[shapely.Polygon]]:
    """Return the areas of each class as polygons that cover the grid without gap or overlap, smooth to `tolerance`."""
    found = list(rasterio.features.shapes(classes.astype(np.int16), transform=_transform(grid)))
    shapes = shapely.coverage_simplify(np.array([shapely.geometry.shape(one) for one, _ in found]), tolerance)
    areas: dict[int, list[shapely.Polygon]] = {}
    for polygon, (_, value) in zip(shapes, found, strict=True):
        areas.setdefault(int(value), []).append(polygon)
    return areas


@contextlib.contextmanager
def _fixed_clock() -> Iterator[None]:
    """Let GDAL date what it writes with a fixed day, so that the same content is the same file."""
    option = "OGR_CURRENT_DATE"
    before = pyogrio.get_gdal_config_option(option)
    pyogrio.set_gdal_config_options({option: "2026-01-01T00:00:00.000Z"})
    try:
        yield
    finally:
        pyogrio.set_gdal_config_options({option: before})


def write_geopackage(path: Path, layers: Mapping[str, gpd.GeoDataFrame]) -> None:
    """Write frames as the layers of a new GeoPackage; the same frames give the same file."""
    path.unlink(missing_ok=True)
    with _fixed_clock():
        for name, frame in layers.items():
            pyogrio.write_dataframe(frame, path, layer=name, driver="GPKG", append=path.exists())


def write_dem(path: Path, grid: Grid, *, crs: str, unit: str) -> None:
    """Write elevations as a compressed float32 GeoTIFF whose band says its `unit`; voids become the nodata value."""
    rows, columns = grid.z.shape
    profile = {
        "driver": "GTiff",
        "height": rows,
        "width": columns,
        "count": 1,
        "dtype": "float32",
        "crs": crs,
        "transform": _transform(grid),
        "nodata": -9999.0,
        "compress": "deflate",
        "predictor": 3,
        "zlevel": 9,
        "tiled": True,
    }
    with rasterio.open(path, "w", **profile) as file:
        file.write(np.where(np.isnan(grid.z), -9999.0, grid.z).astype(np.float32), 1)
        file.units = (unit,)
        file.set_band_description(1, "elevation")
