"""Project files for the public data of Bangor, Maine: State Plane in US survey feet, or longitude and latitude."""

from __future__ import annotations

from pathlib import Path

CRS = "EPSG:26847"


def feet(data: Path) -> Path:
    """The folder of the layers in State Plane."""
    return data / "bangor-me" / "stateplane_ft"


def rule_m(data: Path, *, wetlands: Path | None = None, watercourses: Path | None = None) -> str:
    """Rule M around all wetlands, which count as central, with the city's lots; other files of the same layers."""
    folder = feet(data)
    return f"""[project]
rule = "rcwd-rule-m-2004"
crs = "{CRS}"
date = 2026-06-01
[layers.wetlands]
path = '{wetlands or folder / "Wetland.shp"}'
defaults.central = true
[layers.parcels]
path = '{folder / "Parcels.zip"}'
fields = {{ id = "MAP_LOT" }}
[layers.watercourses]
path = '{watercourses or folder / "Stream.shp"}'
"""


def cmscwd(data: Path) -> str:
    """The draft rule around ponds and streams, with flood zones and ecosystems."""
    folder = feet(data)
    return f"""[project]
rule = "cmscwd-2009-draft"
crs = "{CRS}"
date = 2026-06-01
[layers.lakes]
path = '{folder / "Pond.shp"}'
defaults.class = "recreational development"
[layers.streams]
path = '{folder / "Stream.shp"}'
[layers.floodplain]
path = '{folder / "FloodZone.shp"}'
fields = {{ zone = "ZONE" }}
[layers.natural_communities]
path = '{folder / "SigEcosystems.shp"}'
fields = {{ rank = "SRANK" }}
"""
