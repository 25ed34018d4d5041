"""Small sites for tests of the steps: coordinates in feet or metres around an origin in Minnesota."""

from __future__ import annotations

import datetime
from dataclasses import replace

import geopandas as gpd
import numpy as np
import pyproj

from wetgeo.findings import Findings
from wetgeo.kernels.grid import Grid
from wetgeo.kernels.resample import bilinear
from wetgeo.rules.load import load_pack
from wetgeo.ruling import Ruling
from wetgeo.site import Site

#: NAD83 / Minnesota Central (US survey feet) lets tests count in feet
FEET = pyproj.CRS("EPSG:26850")
METRES = pyproj.CRS("EPSG:26915")
DAY = datetime.date(2026, 6, 1)


def make_site(resources, layers=None, *, crs=METRES, dem=None):
    """Build a site from rows of resources (dicts with geometry and what differs from the default)."""
    default = {"resource_type": "wetland", "class": None, "gdnr": False, "central": False, "setback_ft": np.nan}
    rows = [{"resource_id": f"R{number}", **default, **row} for number, row in enumerate(resources, 1)]
    return Site(
        crs=crs,
        unit_m=crs.axis_info[0].unit_conversion_factor,
        resources=gpd.GeoDataFrame(rows, geometry="geometry", crs=crs),
        layers={name: make_layer(features, crs) for name, features in (layers or {}).items()},
        dem=dem,
        date=DAY,
    )


def make_layer(features, crs=METRES):
    rows = [{"feature_id": str(number), **feature} for number, feature in enumerate(features, 1)]
    return gpd.GeoDataFrame(rows, columns=None if rows else ["feature_id", "geometry"], geometry="geometry", crs=crs)


def make_ruling(pack_id, **options):
    return Ruling.of(load_pack(pack_id), options, DAY, Findings())


class Elevations:
    """Elevations of one grid in memory, read by windows as a DEM is."""

    def __init__(self, grid):
        self.grid, self.cell, self.bounds = grid, max(grid.dx, grid.dy), grid.bounds

    @classmethod
    def of(cls, height, *, half=300.0, cell=3.0):
        """Take `height(x, y)` at the cells' centres of a square around the origin."""
        size = round(2 * half / cell)
        row, column = np.mgrid[:size, :size]
        x, y = (column + 0.5) * cell - half, half - (row + 0.5) * cell
        return cls(Grid(z=np.asarray(height(x, y), dtype=float), left=-half, top=half, dx=cell, dy=cell))

    def window(self, bounds, *, pad=2):
        grid = self.grid
        rows, columns = grid.z.shape
        wanted = [
            int(np.floor((grid.top - bounds[3]) / grid.dy)) - pad, int(np.ceil((grid.top - bounds[1]) / grid.dy)) + pad,
            int(np.floor((bounds[0] - grid.left) / grid.dx)) - pad, int(np.ceil((bounds[2] - grid.left) / grid.dx)) + pad,
        ]  # fmt: skip
        r0, r1, c0, c1 = np.clip(wanted, 0, [rows, rows, columns, columns])
        if r0 >= r1 or c0 >= c1:
            return None
        return replace(
            grid,
            z=grid.z[r0:r1, c0:c1],
            left=grid.left + c0 * grid.dx,
            top=grid.top - r0 * grid.dy,
            touches=[r0, r1, c0, c1] != wanted,
        )

    def sample(self, x, y):
        return bilinear(
            self.grid.z, (self.grid.top - y) / self.grid.dy - 0.5, (x - self.grid.left) / self.grid.dx - 0.5
        )
