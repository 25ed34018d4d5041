"""Runs in tiles and as a whole, and whether they are the same."""

from __future__ import annotations

import hashlib
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from worlds import UTM, World, random_world

from wetgeo.batch.delineating import delineate_in_tiles
from wetgeo.outputs.write import prepare
from wetgeo.pipeline import delineate
from wetgeo.project import load_project

FT = 0.3048
ORIGIN = np.array([460_000, 4_980_000] * 2)


def whole(project: Path) -> dict[str, pd.DataFrame]:
    """The layers of a project that is worked as a whole."""
    return dict(prepare(delineate(load_project(project)), ("gpkg",)).layers)


def in_tiles(project: Path, folder: Path, *, workers: int = 0, most: int = 2, **how) -> dict[str, pd.DataFrame]:
    """The layers of a project that is worked in tiles."""
    found = delineate_in_tiles(load_project(project), folder, workers=workers, most=most, **how)
    return dict(prepare(found, ("gpkg",)).layers)


def hashes(layers: dict[str, pd.DataFrame]) -> dict[str, str]:
    """A hash of each layer: all values and, to the byte, all geometries, in order."""
    found = {}
    for name, frame in layers.items():
        digest = hashlib.sha256(pd.DataFrame(frame.drop(columns="geometry", errors="ignore")).to_csv().encode())
        if "geometry" in frame:
            for shape in shapely.to_wkb(frame["geometry"].to_numpy()):
                digest.update(shape)
        found[name] = digest.hexdigest()
    return found


def assert_same(one: dict[str, pd.DataFrame], other: dict[str, pd.DataFrame]) -> None:
    """Every value and geometry is the same."""
    assert {name: len(frame) for name, frame in one.items()} == {name: len(frame) for name, frame in other.items()}
    assert hashes(one) == hashes(other)


def ponds_on_lots(strip_ft: float) -> World:
    """Two ponds far from each other, and one lot: it surrounds the second, and comes to the first as a strip."""
    ponds, lots = [(0, 0, 200, 200), (6000, 0, 6200, 200)], [(240, 100, 5900, 100 + strip_ft), (5900, -500, 7000, 700)]
    ponds, lots = ([shapely.box(*(np.array(box) * FT + ORIGIN)) for box in some] for some in (ponds, lots))
    wetlands = gpd.GeoDataFrame({"ID": ["A", "B"]}, geometry=ponds, crs=UTM)
    parcels = gpd.GeoDataFrame({"PIN": ["1"]}, geometry=[shapely.union_all(lots)], crs=UTM)
    tables = """
[layers.wetlands]
path = "wetlands.{end}"
fields = { id = "ID" }
defaults.central = true
[layers.parcels]
path = "parcels.{end}"
fields = { id = "PIN" }
"""
    dem = random_world(1).dem
    return World(layers={"wetlands": wetlands, "parcels": parcels}, dem=dem, tables=tables, rule="rcwd-rule-m-2004")
