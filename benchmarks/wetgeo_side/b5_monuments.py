"""B5 by wetgeo: monuments evenly along the outlines of buffers, in gaps of at most the interval."""

import geopandas as gpd
import numpy as np
import shapely
from files import read, rule, write

from wetgeo.kernels.stations import even_stations

buffers, interval = read("buffers"), rule()["interval_m"]
parts, row = shapely.get_parts(buffers.geometry.to_numpy(), return_index=True)
rings, part = shapely.get_rings(parts, return_index=True)
# inner stations, and the start of the ring
stations = [np.append(0.0, even_stations(0.0, length, interval, 0.0)) for length in shapely.length(rings).tolist()]
count = np.array([len(s) for s in stations])
points = shapely.line_interpolate_point(np.repeat(rings, count), np.concatenate(stations))
table = {"WET_ID": buffers["WET_ID"].to_numpy()[np.repeat(row[part], count)]}
write(gpd.GeoDataFrame(table, geometry=points, crs=buffers.crs), "points")
