"""B4 by wetgeo: all buffers as connected parts."""

import geopandas as gpd
from files import read, write

from wetgeo.kernels.unions import union_parts

buffers = read("buffers")
write(gpd.GeoDataFrame(geometry=union_parts(buffers.geometry.to_numpy()), crs=buffers.crs), "parts")
