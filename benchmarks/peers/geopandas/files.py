"""The files of a job, as all scripts of this peer read and write them."""

import json
import sys
from pathlib import Path
from typing import Any

import geopandas as gpd

DATA, OUT = Path(sys.argv[1]), Path(sys.argv[2])


def read(layer: str) -> gpd.GeoDataFrame:
    """Read an input layer."""
    return gpd.read_file(DATA / "inputs.gpkg", layer=layer, use_arrow=True)


def rule() -> Any:  # noqa: ANN401 -- JSON
    """Read what the rule asks, lengths in metres."""
    return json.loads((DATA / "rule.json").read_text(encoding="utf-8"))


def write(frame: gpd.GeoDataFrame, layer: str) -> None:
    """Write the answer."""
    frame.to_file(OUT / "out.gpkg", layer=layer, engine="pyogrio")
