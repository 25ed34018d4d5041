"""Runs in tiles and as a whole, and whether they are the same."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pandas as pd
import shapely

from wetgeo.batch.delineating import delineate_in_tiles
from wetgeo.outputs.write import prepare
from wetgeo.pipeline import delineate
from wetgeo.project import load_project


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
