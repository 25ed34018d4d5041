"""Small sites for tests of the steps: coordinates in feet or metres around an origin in Minnesota."""

from __future__ import annotations

import datetime

import geopandas as gpd
import numpy as np
import pyproj

from wetgeo.findings import Findings
from wetgeo.rules.load import load_pack
from wetgeo.ruling import Ruling
from wetgeo.site import Site

#: NAD83 / Minnesota Central (US survey feet) lets tests count in feet
FEET = pyproj.CRS("EPSG:26850")
METRES = pyproj.CRS("EPSG:26915")
DAY = datetime.date(2026, 6, 1)


def make_site(resources, layers=None, *, crs=METRES, dem=None):
    """Build a site from rows of resources (dicts with geometry and what differs from the default)."""
    default = {"resource_type": "wetland", "class": None, "gdnr": False, "central": False, "setback_ft": np.nan}
    rows = [{"resource_id": f"R{number}", **default, **row} for number, row in enumerate(resources, 1)]
    return Site(
        crs=crs,
        unit_m=crs.axis_info[0].unit_conversion_factor,
        resources=gpd.GeoDataFrame(rows, geometry="geometry", crs=crs),
        layers={name: make_layer(features, crs) for name, features in (layers or {}).items()},
        dem=dem,
        date=DAY,
    )


def make_layer(features, crs=METRES):
    rows = [{"feature_id": str(number), **feature} for number, feature in enumerate(features, 1)]
    return gpd.GeoDataFrame(rows, columns=None if rows else ["feature_id", "geometry"], geometry="geometry", crs=crs)


def make_ruling(pack_id, **options):
    return Ruling.of(load_pack(pack_id), options, DAY, Findings())
