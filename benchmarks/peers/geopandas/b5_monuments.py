"""B5 by geopandas and shapely: points evenly along the outlines of buffers, in gaps of at most the interval."""

import geopandas as gpd
import numpy as np
import shapely
from files import read, rule, write

buffers = read("buffers").explode(ignore_index=True)
rings, owner = shapely.get_rings(buffers.geometry.to_numpy(), return_index=True)
count = np.ceil(shapely.length(rings) / rule()["interval_m"]).astype(int)
number = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
points = shapely.line_interpolate_point(np.repeat(rings, count), number / np.repeat(count, count), normalized=True)
write(
    gpd.GeoDataFrame(
        {"WET_ID": buffers["WET_ID"].to_numpy()[np.repeat(owner, count)]}, geometry=points, crs=buffers.crs
    ),
    "points",
)
