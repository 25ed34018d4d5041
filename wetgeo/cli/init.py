"""``wetgeo init``: start a project folder."""

from __future__ import annotations

import os
from pathlib import Path

import click

from wetgeo.cli.options import say
from wetgeo.errors import OutputError, ProjectError

_TEMPLATE = """\
# A wetgeo project. Paths are relative to this file. Lines that begin with # are off.

[project]
name = "{name}"
rule = "{rule}"                # a pack's id (wetgeo rules list), or a path to a pack file
# crs = "EPSG:26915"           # the CRS to work in; left out: the wetlands' own. "auto" takes the site's UTM zone
# date = 2026-06-01            # date of the application; left out: today
output = "out"

# At least one of wetlands, lakes and streams. Any format that GDAL reads; a field's role = its name in the file.
[layers.wetlands]
path = "wetlands.gpkg"
# layer = "wetlands"           # where the file holds several
# where = "STATUS = 'delineated'"
fields = {{ id = "WETLAND_ID", class = "CLASS" }}
# values.class = {{ P = "Preserve", M1 = "Manage 1" }}   # what the file says = what the rule calls it
# defaults.class = "Manage 2"  # for features with no value; each use is told

# [layers.lakes]
# path = "lakes.shp"
# fields = {{ id = "DOWLKNUM", class = "CLASS", setback_ft = "SETBACK" }}

# [layers.streams]             # polygons, or lines with the full width from bank to bank
# path = "streams.shp"
# fields = {{ id = "KITTLE_NBR", bank_width_ft = "WIDTH", setback_ft = "SETBACK" }}

# [layers.parcels]
# path = "parcels.gpkg"
# fields = {{ id = "PIN" }}

# [layers.tract]               # the land the applicant controls; buffers are clipped to it
# path = "parcels.gpkg"
# where = "OWNER_ID = 17"

# [layers.soils]               # SSURGO map units; hydrologic groups by their own field or a table
# path = "soilmu_a.shp"
# table = "tabular/muaggatt.txt"

# Others: floodplain, natural_communities, drainageways, new_impervious, existing_impervious, trails, structures,
# public_land, watercourses, infiltration, access

# [dem]
# path = "dem.tif"             # a raster, a list of tiles, or a VRT
# z_unit = "ft"                # m, ft, us-ft or cm; left out: the file's own

# [options]                    # the pack's options (wetgeo rules show {rule})
# [outputs]
# formats = ["gpkg", "shp"]
"""


def _seen_from(folder: Path, rule: str) -> str:
    """Name a rule as the project file in `folder` does: an id as it is, a file by its path from there."""
    if not rule.endswith(".toml") or Path(rule).is_absolute():
        return Path(rule).as_posix()
    try:
        return Path(os.path.relpath(rule, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(rule).absolute().as_posix()


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--rule", default="mcwd-2024", show_default=True, help="The rule pack to name in the file.")
def init(folder: Path, rule: str) -> None:
    """Start a project folder: a commented wetgeo.toml, nothing overwritten."""
    from wetgeo.project import PROJECT_FILE
    from wetgeo.rules.load import load_pack

    path = folder / PROJECT_FILE
    if path.exists():
        raise ProjectError(f"{path} exists already and is left as it is", mend="name another folder, or edit that file")
    load_pack(rule, Path.cwd())
    named = _seen_from(folder, rule)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        name = folder.resolve().name.replace("\\", "").replace('"', "")
        with path.open("x", encoding="utf-8") as file:
            file.write(_TEMPLATE.format(name=name, rule=named))
    except OSError as fault:
        raise OutputError(
            f"{path} cannot be written: {fault.strerror or fault}",
            mend="name another folder, or see to its permissions",
        ) from fault
    say(f"Wrote {path}. Put your layers beside it, name them in it, then: wetgeo run {folder}")
