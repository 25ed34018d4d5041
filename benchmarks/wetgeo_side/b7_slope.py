"""B6 and B7 by wetgeo: mean slope of each ring, straight from the DEM."""

import pandas as pd
from files import DATA, OUT, read

from wetgeo.findings import Findings
from wetgeo.inputs.raster import open_dem
from wetgeo.kernels.coverage import mean_slope
from wetgeo.project import DemSource

rings = read("rings")
dem = open_dem(DemSource(paths=(DATA / "dem.tif",), z_unit="m"), rings.crs, 1.0, Findings())
means = []
for ring in rings.geometry.to_numpy():
    window = dem.window(ring.bounds)
    means.append(float("nan") if window is None else mean_slope(window, ring)[0])
pd.DataFrame({"WET_ID": rings["WET_ID"], "slope_pct": means}).to_csv(OUT / "out.csv", index=False)
