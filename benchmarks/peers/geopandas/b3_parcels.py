"""B3 by geopandas: the pieces of buffers on parcels."""

import geopandas as gpd
from files import read, write

write(gpd.overlay(read("buffers")[["WET_ID", "geometry"]], read("parcels")[["PIN", "geometry"]]), "pieces")
