"""B1 by geopandas: each wetland's buffer at its base width."""

from files import read, write

wetlands = read("wetlands")
drawn = wetlands.geometry.copy()
for segments, rows in wetlands.groupby("segs").groups.items():
    drawn[rows] = wetlands.geometry[rows].buffer(wetlands["base_m"][rows], quad_segs=int(segments))
write(wetlands[["WET_ID"]].set_geometry(drawn), "buffers")
