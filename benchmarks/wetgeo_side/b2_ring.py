"""B2 by wetgeo: buffers less all wetlands."""

from files import read, write

from wetgeo.kernels.offset import subtract

buffers = read("buffers")
rings = subtract(buffers.geometry.to_numpy(), read("wetlands").geometry.to_numpy())
write(buffers[["WET_ID"]].set_geometry(rings, crs=buffers.crs), "rings")
