"""B3 by wetgeo: the pieces of buffers on parcels."""

import geopandas as gpd
import shapely
from files import read, write

from wetgeo.kernels.offset import polygons_only
from wetgeo.kernels.threads import by_rows

buffers, parcels = read("buffers"), read("parcels")
ground, lots = buffers.geometry.to_numpy(), parcels.geometry.to_numpy()
row, lot = shapely.STRtree(lots).query(ground, predicate="intersects")
shapely.prepare(ground)
pieces = polygons_only(by_rows(shapely.intersection, ground[row], lots[lot]))
kept = shapely.area(pieces) > 0
table = {"WET_ID": buffers["WET_ID"].to_numpy()[row[kept]], "PIN": parcels["PIN"].to_numpy()[lot[kept]]}
write(gpd.GeoDataFrame(table, geometry=pieces[kept], crs=buffers.crs), "pieces")
