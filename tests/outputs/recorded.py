"""Delineations for the tests of the surveyor's and the recorder's files: laid out by the steps, or drawn by hand."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from delineated import delineation
from pyproj import CRS

from wetgeo.delineation import Delineation
from wetgeo.outputs.write import prepare

#: US survey feet; and the same place in metres
FEET = CRS("EPSG:26850")
METRES = CRS("EPSG:26915")
ORIGIN = {FEET: (2_500_000.0, 800_000.0), METRES: (455_000.0, 4_980_000.0)}


def at(shape, crs=FEET):
    """Move a shape drawn in feet from the origin to its place in a CRS."""
    unit = 1.0 if crs == FEET else 0.3048 / crs.axis_info[0].unit_conversion_factor
    return shapely.transform(shape, lambda xy: xy * unit + ORIGIN.get(crs, (0.0, 0.0)))


def ready(folder: Path, resources, buffers, lots=None, monuments=(), *, crs=FEET, edges=None, **changes) -> Delineation:
    """Conform a delineation from shapes in feet from the origin.

    Resources, buffers and lots are by name; monuments are (id, x, y). The upland edge of a buffer is its outer outline
    unless `edges` has lines by name.
    """
    union = shapely.get_parts(shapely.union_all(list(buffers.values())))
    if edges is None:
        edges = {name: shape.exterior for name, shape in buffers.items()}
    lines = [(name, shapely.LineString(part)) for name, line in edges.items() for part in shapely.get_parts(line)]
    layers = {
        "resources": _frame(
            crs, resources, resource_type="wetland", **{"class": None}, gdnr=False, area_sqft=1.0, edge_ft=1.0
        ),
        "buffers": _buffers(crs, buffers),
        "buffer_union": _frame(crs, dict(enumerate(union)), area_sqft=1.0),
        "parcels": _frame(crs, lots or {}, "parcel_id", buffer_sqft=1.0, buffer_share=0.5),
        "edges": gpd.GeoDataFrame(
            {"resource_id": [name for name, _ in lines], "parcel_id": None, "kind": "upland", "length_ft": 1.0},
            geometry=[at(line, crs) for _, line in lines],
            crs=crs,
        ),
        "monuments": _monuments(crs, monuments),
    }
    return prepare(delineation(folder, layers=layers, crs=crs, **changes), ())


def _frame(crs, shapes, key="resource_id", **columns):
    frame = pd.DataFrame({key: list(shapes), **columns}, index=range(len(shapes)))
    return gpd.GeoDataFrame(frame, geometry=[at(shape, crs) for shape in shapes.values()], crs=crs)


def _buffers(crs, shapes):
    columns = dict.fromkeys(("base_ft", "slope_cut_ft", "soil_cut_ft", "floor_ft", "minimum_ft", "average_ft"), 50.0)
    columns |= {"resource_type": "wetland", "class": None, "rule": "r", "slope_pct": np.nan, "hsg": None}
    columns |= {"hsg_share": np.nan, "width_ft": 50.0, "area_sqft": 1.0, "area_ac": 1.0, "citation": "5(a)"}
    return _frame(crs, shapes, **columns)


def _monuments(crs, monuments):
    points = [at(shapely.Point(x, y), crs) for _, x, y in monuments]
    frame = pd.DataFrame(
        {
            "monument_id": [name for name, _, _ in monuments],
            "resource_id": [name.rpartition("-")[0] for name, _, _ in monuments],
            "seq": range(1, len(monuments) + 1),
            "reason": "lot_line",
            "station_ft": 0.0,
            "gap_ft": 100.0,
            "marker": ["flush" if i % 2 else "post" for i in range(len(monuments))],
            "parcel_ids": "A; B",
            "bearing": None,
            "x": [point.x for point in points],
            "y": [point.y for point in points],
            "lon": [-93.123456789 for _ in monuments],
            "lat": [44.987654321 for _ in monuments],
            "elev_ft": [None if i % 2 else 1000.5 for i in range(len(monuments))],
        }
    )
    return gpd.GeoDataFrame(frame, geometry=points, crs=crs)
