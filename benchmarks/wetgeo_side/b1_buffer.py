"""B1 by wetgeo: each wetland's buffer at its base width."""

from files import read, rule, write

from wetgeo.kernels.offset import grow

wetlands = read("wetlands")
drawn = grow(wetlands.geometry.to_numpy(), wetlands["base_m"].to_numpy(), tolerance=rule()["chord_m"])
write(wetlands[["WET_ID"]].set_geometry(drawn, crs=wetlands.crs), "buffers")
