"""What a program answered, read from its files after the clock has stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import pyogrio
import rasterio
import shapely

from .gate import Answer

SQFT = 0.3048**2
#: overlays leave pieces of which only rounding is known; they are not counted, square metres
LEAST = 0.01


def _read(out: Path, layer: str) -> gpd.GeoDataFrame:
    """Read a layer; names of fields as the inputs have them, for databases fold case and GIS add their own."""
    files = sorted(out.glob("*.gpkg"))
    for file in files:
        if layer in [name for name, _ in pyogrio.list_layers(file)]:
            frame = gpd.read_file(file, layer=layer)
            return frame.rename(columns={"wet_id": "WET_ID", "pin": "PIN", "resource_id": "WET_ID", "parcel_id": "PIN"})
    raise FileNotFoundError(f"no layer {layer} in {[f.name for f in files]}")


def areas_of(layer: str) -> Callable[[Path], Answer]:
    """Return a reader of a polygon layer: how many, area in all, and by WET_ID."""

    def read(out: Path) -> Answer:
        frame = _read(out, layer)
        area = frame.geometry.area
        by_id = area.groupby(frame["WET_ID"]).sum()
        return {"count": float(len(by_id)), "area": float(area.sum()), "area by wetland": by_id}

    return read


def pieces(out: Path) -> Answer:
    """Read pieces of buffers on parcels."""
    frame = _read(out, "pieces")
    area = frame.geometry.area
    frame, area = frame[area > LEAST], area[area > LEAST]
    return {
        "count": float(len(frame.groupby(["WET_ID", "PIN"]).size())),
        "area": float(area.sum()),
        "area by parcel": area.groupby(frame["PIN"]).sum(),
    }


def parts(out: Path) -> Answer:
    """Read the connected parts of a union."""
    area = _read(out, "parts").geometry.area
    area = area[area > LEAST]
    return {"count": float(len(area)), "area": float(area.sum()), "largest": float(area.max())}


def points(out: Path) -> Answer:
    """Read points along outlines."""
    frame = _read(out, "points")
    places = np.round(shapely.get_coordinates(frame.geometry.to_numpy()), 3)
    if "WET_ID" not in frame:
        frame["WET_ID"] = frame["cat"].astype(str)
    # the end of a ring is its start again
    frame = frame.assign(x=places[:, 0], y=places[:, 1]).drop_duplicates(["WET_ID", "x", "y"])
    return {"count": float(len(frame)), "count by wetland": frame.groupby("WET_ID").size().astype(float)}


def slopes(out: Path) -> Answer:
    """Read mean slopes by ring."""
    table = pd.read_csv(out / "out.csv").rename(columns={"wet_id": "WET_ID"})
    return {"count": float(len(table)), "slope": table.set_index("WET_ID")["slope_pct"].astype(float)}


def flow(out: Path) -> Answer:
    """Read contributing area."""
    with rasterio.open(out / "flow.tif") as file:
        area = file.read(1).astype(float)
    return {"cells": float(area.size), "mean area": float(area.mean())}


def whole_rule(out: Path) -> Answer:
    """Read buffers, the ground of all, parcels and monuments."""
    buffers = _read(out, "buffers").set_index("WET_ID")
    held = _read(out, "parcels").set_index("PIN")["buffer_sqft"].astype(float)
    union = _read(out, "buffer_union").geometry.area
    places = shapely.get_coordinates(_read(out, "monuments").geometry.to_numpy())
    hsg = buffers["hsg"].map({"D": 0.0, "C": 1.0, "B": 2.0, "A": 3.0})
    return {
        "buffers": float(len(buffers)),
        "slope": buffers["slope_pct"].astype(float),
        "soil group": hsg,
        "width": buffers["width_ft"].astype(float),
        "area by wetland": buffers.geometry.area / SQFT,
        "area": float(buffers.geometry.area.sum() / SQFT),
        "ground counted once": float(union.sum() / SQFT),
        "parcels": float(len(held)),
        "buffer on parcels": float(held.sum()),
        "monuments": float(len(np.unique(np.round(places, 2), axis=0))),
    }


def averaging(out: Path) -> Answer:
    """Read verdicts' figures, square feet and feet."""
    file = next(iter(sorted(out.glob("*.gpkg"))))
    table = pyogrio.read_dataframe(file, layer="averaging", read_geometry=False)
    table = table.rename(columns={"resource_id": "WET_ID"}).set_index("WET_ID")
    columns = {
        "required": "required_sqft",
        "credited": "credited_sqft",
        "lost": "lost_sqft",
        "gained": "gained_sqft",
        "minimum": "minimum_ft",
    }
    return {"checks": float(len(table)), **{name: table[column].astype(float) for name, column in columns.items()}}
