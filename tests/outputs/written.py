"""Output folders for the tests on what stands where, with writers that lay files but no contents."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

from delineated import delineation

from wetgeo.delineation import Delineation
from wetgeo.outputs import earlier, staging
from wetgeo.outputs.write import write_outputs

BOTH = ("gpkg", "shp")


def quick_geopackage(ready: Delineation, folder: Path) -> None:
    """Lay a database that says how many resources there are."""
    with closing(sqlite3.connect(folder / "buffers.gpkg", isolation_level=None)) as base:
        base.execute("PRAGMA synchronous = OFF")
        base.execute(
            "CREATE TABLE gpkg_contents AS SELECT ? AS description", (f"{len(ready.layers['resources'])} rows",)
        )


def quick_shapefiles(ready: Delineation, folder: Path) -> None:
    """Lay the files of all layers, of the number of resources."""
    (folder / "shapefiles").mkdir()
    for name in earlier._shapefile_names():
        (folder / name).write_text(f"{len(ready.layers['resources'])} rows")


def hashes(folder: Path) -> dict[str, str]:
    """Tell the contents of all files."""
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in staging.files_in(folder)}


def clean(folder: Path) -> bool:
    """Tell that no lock and no temporary folder is left."""
    return not list(folder.glob(".wetgeo*"))


def run(out: Path, formats: tuple[str, ...] = BOTH, *, overwrite: bool = True) -> list[Path]:
    """Write a delineation of three wetlands."""
    out.parent.mkdir(exist_ok=True)
    return write_outputs(delineation(out.parent), out, overwrite=overwrite, formats=formats)
