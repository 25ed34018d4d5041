"""A layer on disk, in pieces, gives the same files as one in memory."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
from delineated import UTM, delineation

from wetgeo.delineation import Delineation
from wetgeo.outputs import ogr
from wetgeo.outputs.write import WRITERS, prepare
from wetgeo.pieces import Layers, StoredLayer, table_of

FORMATS = ("gpkg", "shp", "qgz", "csv")


def in_pieces(ready: Delineation, folder: Path, rows: int) -> Delineation:
    """Lay all layers down on disk, so many rows to a piece."""
    held: dict[str, pd.DataFrame | StoredLayer] = {}
    for name, frame in ready.layers.items():
        spatial = isinstance(frame, gpd.GeoDataFrame)
        parts = [frame.iloc[start : start + rows] for start in range(0, max(len(frame), 1), rows)]
        held[name] = StoredLayer.write(folder / name, parts, UTM if spatial else None, table_of(frame).schema)
    return dataclasses.replace(ready, layers=Layers(held))


def files(ready: Delineation, folder: Path) -> dict[str, str]:
    folder.mkdir()
    for one in FORMATS:
        WRITERS[one](ready, folder)
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("rows", [1, 2])
def test_pieces_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr(ogr, "_BATCH", 2)
    ready = prepare(delineation(tmp_path), FORMATS)
    stored = in_pieces(ready, tmp_path / "pieces", rows)
    assert files(ready, tmp_path / "whole") == files(stored, tmp_path / "stored")
    assert set(prepare(stored, FORMATS).findings) == set(ready.findings)


def test_what_is_stored_comes_back_as_it_was(tmp_path: Path) -> None:
    ready = prepare(delineation(tmp_path), ("gpkg",))
    stored = in_pieces(ready, tmp_path / "pieces", 1)
    for name, frame in ready.layers.items():
        pd.testing.assert_frame_equal(frame, stored.layers[name], check_exact=True)
        assert Layers.of(ready.layers).kinds(name) == Layers.of(stored.layers).kinds(name)
        assert Layers.of(stored.layers).rows(name) == len(frame)


def test_a_piece_is_let_go_before_the_next_is_read(tmp_path: Path) -> None:
    ready = prepare(delineation(tmp_path), ("gpkg",))
    stored = in_pieces(ready, tmp_path / "pieces", 1)
    held = [len(table) for table in Layers.of(stored.layers).tables("resources")]
    assert held == [1] * len(ready.layers["resources"])
    assert np.array(Layers.of(stored.layers).bounds("resources")) == pytest.approx(
        ready.layers["resources"].total_bounds
    )
