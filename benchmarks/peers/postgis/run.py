"""Run one job in PostGIS, file to file: load what its script names, run it, export its tables.

The head of each SQL script names its inputs and outputs::

    -- load: wetlands parcels slope
    -- export: buffers parcels

Stages are written to ``stages.json``: load, sql (table to table) and export, seconds.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

SCRIPT, DATA, OUT = map(Path, sys.argv[1:4])
DATABASE = "PG:dbname=postgres"
QUIET = {**os.environ, "PGOPTIONS": "-c client_min_messages=warning"}


def main() -> None:
    """Load, run, export."""
    head = dict(re.findall(r"^-- (load|export): (.*)$", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE))
    rule = json.loads((DATA / "rule.json").read_text(encoding="utf-8"))
    psql(
        "-c",
        "DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE EXTENSION postgis; CREATE EXTENSION postgis_raster",
    )
    stages, begun = {}, time.perf_counter()
    for name in head["load"].split():
        load_slope() if name == "slope" else load(name)
    psql("-c", "VACUUM ANALYZE")
    begun = stage(stages, "load", begun)
    values = [f"{name}={value}" for name, value in rule.items() if not isinstance(value, dict)]
    psql(*(part for value in values for part in ("-v", value)), "-f", str(SCRIPT))
    begun = stage(stages, "sql", begun)
    for name in head["export"].split():
        export(name)
    stage(stages, "export", begun)
    (OUT / "stages.json").write_text(json.dumps(stages), encoding="utf-8")


def stage(stages: dict[str, float], name: str, begun: float) -> float:
    """Note how long a stage took."""
    now = time.perf_counter()
    stages[name] = now - begun
    return now


def psql(*arguments: str) -> None:
    """Run psql."""
    subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", *arguments], check=True, env=QUIET)


def load(layer: str) -> None:
    """Load a layer by COPY, with a spatial index."""
    options = ["-lco", "GEOMETRY_NAME=geom", "-lco", "FID=fid", "-nlt", "PROMOTE_TO_MULTI", "-a_srs", "EPSG:26915"]
    source = [str(DATA / "inputs.gpkg"), layer]
    env = {**os.environ, "PG_USE_COPY": "YES"}
    subprocess.run(["ogr2ogr", "-f", "PostgreSQL", DATABASE, *source, *options], check=True, env=env)


def load_slope() -> None:
    """Make the slope raster with GDAL, as ST_Slope runs a callback for each cell, and load it in small tiles."""
    slope = OUT / "slope.tif"
    subprocess.run(["gdaldem", "slope", "-q", "-p", "-compute_edges", str(DATA / "dem.tif"), str(slope)], check=True)
    loader = ["raster2pgsql", "-s", "26915", "-t", "32x32", "-I", "-Y", str(slope), "slope"]
    with subprocess.Popen(loader, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as rows:
        subprocess.run(
            ["psql", "-q", "-v", "ON_ERROR_STOP=1"], stdin=rows.stdout, stdout=subprocess.DEVNULL, check=True
        )


def export(table: str) -> None:
    """Export a table: to CSV where it has no geometry."""
    if table == "slopes":
        text = f"\\copy {table} TO '{OUT / 'out.csv'}' CSV HEADER"
        psql("-c", text)
        return
    target = OUT / "out.gpkg"
    update = ["-update"] if target.exists() else []
    subprocess.run(["ogr2ogr", "-f", "GPKG", *update, str(target), DATABASE, table, "-nln", table], check=True)


if __name__ == "__main__":
    main()
