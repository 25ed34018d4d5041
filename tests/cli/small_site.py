"""A site of two wetlands on disk and its project file, for tests of the command line."""

from __future__ import annotations

import warnings
from pathlib import Path

import geopandas as gpd
import numpy as np
import rasterio
import shapely

#: a corner of UTM zone 15 north, metres
X, Y = 455_000.0, 4_980_000.0
UTM = "EPSG:26915"
WETLANDS = 'path = "wetlands.gpkg"\nfields = { id = "WET_ID", class = "CLASS" }'


def square(x, y, size=40.0):
    """Draw a square by its lower left corner, metres from (X, Y)."""
    return shapely.box(X + x, Y + y, X + x + size, Y + y + size)


def wetlands(**changes):
    """Two wetlands, 160 m apart; `changes` replace columns (``geometry`` too)."""
    columns = {
        "WET_ID": ["W-1", "W-2"],
        "CLASS": ["Preserve", "Manage 1"],
        "geometry": [square(100, 100), square(300, 100)],
        **changes,
    }
    return gpd.GeoDataFrame({name: column for name, column in columns.items() if column is not None}, crs=UTM)


def write_layer(path, frame, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # GDAL's own, on null geometries and on layers without a CRS
        frame.to_file(path, **how)
    return path


def write_dem(path, *, unit="metre", columns=100):
    """Write a plane that climbs 4 % to the north, 5-m cells from the corner (X, Y); `columns` cells wide."""
    rows = 60
    z = np.repeat(np.linspace(300 + 0.2 * rows, 300, rows, dtype=np.float32)[:, None], columns, axis=1)
    with rasterio.open(
        path, "w", driver="GTiff", width=columns, height=rows, count=1, dtype="float32", crs=UTM, nodata=-9999,
        transform=rasterio.Affine(5, 0, X, 0, -5, Y + 5 * rows),
    ) as file:  # fmt: skip
        file.write(z, 1)
        if unit:
            file.units = (unit,)
    return path


def write_project(folder: Path, *, project="", tail="", rule="mcwd-2024", name="site.toml", **tables):
    """Write a project file; `tables` are the lines of layers (and of ``dem``), wetlands standing if not given."""
    tables = {"wetlands": WETLANDS, **tables}
    parts = [f'[project]\nname = "Small site"\nrule = "{rule}"\ndate = 2026-06-01\noutput = "out"\n{project}\n']
    parts += [
        f"[{key if key == 'dem' else f'layers.{key}'}]\n{lines}\n" for key, lines in tables.items() if lines is not None
    ]
    path = folder / name
    path.write_text("\n".join([*parts, tail]), encoding="utf-8")
    return path


def snapshot(folder: Path):
    """All files below a folder, with their content."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
