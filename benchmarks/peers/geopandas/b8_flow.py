"""B8 by richdem alone: depressions filled, and the area that drains through each cell (D8)."""

import numpy as np
import rasterio
import richdem
from files import DATA, OUT

with rasterio.open(DATA / "dem.tif") as source:
    profile, cell = source.profile, source.res[0] * source.res[1]
    z = richdem.rdarray(source.read(1).astype(np.float64), no_data=profile["nodata"])
    z.geotransform = source.transform.to_gdal()
full = richdem.FillDepressions(z, epsilon=True)
flow = richdem.FlowAccumulation(full, method="D8")
profile.update(compress=None, predictor=1, dtype="float64")
with rasterio.open(OUT / "flow.tif", "w", **profile) as file:
    file.write(np.asarray(flow) * cell, 1)
