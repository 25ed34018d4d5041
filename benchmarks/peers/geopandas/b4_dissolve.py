"""B4 by geopandas, as most write it: all buffers dissolved and taken apart."""

from files import read, write

write(read("buffers")[["geometry"]].dissolve().explode(ignore_index=True), "parts")
