"""B8 by wetgeo: depressions filled, and the area that drains through each cell."""

import numpy as np
import rasterio
from files import DATA, OUT

from wetgeo.kernels.flow import accumulation
from wetgeo.kernels.grid import Grid

with rasterio.open(DATA / "dem.tif") as source:
    z, profile, (dx, dy), bounds = source.read(1).astype(np.float64), source.profile, source.res, source.bounds
z[z == profile["nodata"]] = np.nan
grid = Grid(z=z, left=bounds.left, top=bounds.top, dx=dx, dy=dy)
profile.update(compress=None, predictor=1, dtype="float64")
with rasterio.open(OUT / "flow.tif", "w", **profile) as file:
    file.write(accumulation(grid), 1)
