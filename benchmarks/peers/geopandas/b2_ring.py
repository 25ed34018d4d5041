"""B2 by geopandas: buffers less all wetlands."""

import geopandas as gpd
from files import read, write

rings = gpd.overlay(read("buffers")[["WET_ID", "geometry"]], read("wetlands")[["geometry"]], how="difference")
write(rings, "rings")
