"""Outputs: a `Delineation` to files. `write` decides what stands where; every other module writes one format."""
