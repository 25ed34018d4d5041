"""Frames in GeoParquet, exact to the bit, and tables of features that are read by windows or by rows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from wetgeo.inputs.heap import Features

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: features that are read at a time, and written
_GROUP = 512
_BLOCK = 8 * _GROUP
#: files are read soon by the same program: quickly written is worth more than small
_PACKING: dict[str, Any] = {"compression": "lz4", "use_dictionary": False, "write_statistics": False}


def write_frame(path: Path, frame: pd.DataFrame) -> None:
    """Write a frame as Parquet, a GeoDataFrame as GeoParquet; it stands as a whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    if isinstance(frame, gpd.GeoDataFrame):
        fields = pd.DataFrame(frame.drop(columns=frame.geometry.name))
        table = _spatial(pa.Table.from_pandas(fields, preserve_index=False), frame.geometry.to_numpy(), frame.crs)
    else:
        table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(table, part, row_group_size=_GROUP, **_PACKING)
    part.replace(path)


def _spatial(table: pa.Table, shapes: NDArray[np.object_], crs: CRS) -> pa.Table:
    """Add geometries to a table as GeoParquet has them; geopandas does it too, and takes several times as long."""
    about = {"encoding": "WKB", "geometry_types": [], "crs": crs.to_json_dict()}
    geo = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": about}}
    table = table.append_column(pa.field("geometry", pa.binary()), pa.array(shapely.to_wkb(shapes), type=pa.binary()))
    return table.replace_schema_metadata({"geo": json.dumps(geo)})


def read_frame(path: Path, crs: CRS) -> pd.DataFrame:
    """Read what `write_frame` wrote; texts come back as str or None."""
    with pq.ParquetFile(path) as file:
        return _frame(file.read(), crs)


def boxes(bounds: Floats) -> NDArray[np.object_]:
    """Draw bounds (left, bottom, right, top), shape (n, 4), as rectangles."""
    return np.asarray(shapely.box(*bounds.T), dtype=object)


def _frame(table: Any, crs: CRS) -> pd.DataFrame:  # noqa: ANN401 -- pyarrow has no types
    """Turn an Arrow table into a frame; a GeoDataFrame where it has geometries."""
    spatial = b"geo" in (table.schema.metadata or {})
    columns = {name: _column(table.column(name)) for name in table.schema.names if not (spatial and name == "geometry")}
    frame = pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))
    if not spatial:
        return frame
    shapes = shapely.from_wkb(table.column("geometry").to_numpy(zero_copy_only=False))
    found: pd.DataFrame = gpd.GeoDataFrame(frame, geometry=np.asarray(shapes, dtype=object), crs=crs)
    return found


def _column(values: pa.ChunkedArray) -> pd.Series[Any]:
    kind = values.type
    if pa.types.is_floating(kind) or (
        not values.null_count and (pa.types.is_integer(kind) or pa.types.is_boolean(kind))
    ):
        return pd.Series(values.to_numpy(zero_copy_only=False).copy())
    return pd.Series(values.to_pylist(), dtype=object)


def spatial_order(bounds: Floats) -> Ints:
    """Order features so that neighbours stand near each other: along a Z-curve of the middles of their bounds."""
    if not len(bounds):
        return np.zeros(0, dtype=np.intp)
    middle = (bounds[:, :2] + bounds[:, 2:]) / 2
    low = middle.min(axis=0)
    span = max(float((middle.max(axis=0) - low).max()), 1e-9)
    cell = np.minimum((middle - low) / span * 2**16, 2**16 - 1).astype(np.int64)
    code = np.zeros(len(bounds), dtype=np.int64)
    for bit in range(16):
        code |= ((cell[:, 0] >> bit) & 1) << (2 * bit) | ((cell[:, 1] >> bit) & 1) << (2 * bit + 1)
    return np.argsort(code, kind="stable")


@dataclass(frozen=True)
class FeatureTable:
    """Features of one layer on disk, read by windows or by rows; frames come in the order in which they were given.

    `path` is the Parquet file; beside it stand the features' bounds and rows, in the order of the file.
    """

    path: Path
    crs: CRS

    @classmethod
    def write(cls, path: Path, features: Features, crs: CRS) -> FeatureTable:
        """Write features, some at a time; their geometries are none of them missing."""
        order = spatial_order(features.bounds)
        np.save(path.with_suffix(".bounds.npy"), features.bounds[order])
        np.save(path.with_suffix(".rows.npy"), order)
        fields = pa.Schema.from_pandas(features.frame, preserve_index=False).remove_metadata()
        schema = _spatial(fields.empty_table(), order[:0].astype(object), crs).schema
        with pq.ParquetWriter(path, schema, **_PACKING) as file:
            for start in range(0, len(order), _BLOCK):
                rows = order[start : start + _BLOCK]
                table = pa.Table.from_pandas(features.frame.iloc[rows], schema=fields, preserve_index=False)
                file.write_table(_spatial(table, features.shapes(rows), crs), row_group_size=_GROUP)
        return cls(path, crs)

    def blocks(self) -> Iterator[Ints]:
        """Give the rows of all features, some that lie near each other at a time, each ascending."""
        for start in range(0, len(self.rows), _BLOCK):
            yield np.sort(np.asarray(self.rows[start : start + _BLOCK], dtype=np.intp))

    @cached_property
    def bounds(self) -> Floats:
        """Bounds of the features, in the order of the file."""
        found: Floats = np.load(self.path.with_suffix(".bounds.npy"), mmap_mode="r")
        return found

    @cached_property
    def rows(self) -> Ints:
        """The row of each feature in the frame that was written."""
        found: Ints = np.load(self.path.with_suffix(".rows.npy"), mmap_mode="r")
        return found

    @cached_property
    def _places(self) -> Ints:
        """Place in the file of each row of the frame."""
        places = np.empty(len(self.rows), dtype=np.intp)
        places[self.rows] = np.arange(len(self.rows))
        return places

    @cached_property
    def _group_bounds(self) -> Floats:
        starts = np.arange(0, len(self.bounds), _GROUP)
        low = np.minimum.reduceat(self.bounds[:, :2], starts) if len(starts) else np.empty((0, 2))
        high = np.maximum.reduceat(self.bounds[:, 2:], starts) if len(starts) else np.empty((0, 2))
        return np.concatenate([low, high], axis=1)

    def near(self, windows: Floats) -> Ints:
        """Find the rows whose bounds meet one of the windows (left, bottom, right, top), ascending."""
        if not len(self.bounds) or not len(windows):
            return np.zeros(0, dtype=np.intp)
        tree = shapely.STRtree(boxes(windows))
        groups = np.unique(tree.query(boxes(self._group_bounds))[0])
        places = np.concatenate(
            [np.arange(g * _GROUP, min((g + 1) * _GROUP, len(self.bounds))) for g in groups] or [np.zeros(0, dtype=int)]
        )
        found = np.unique(tree.query(boxes(self.bounds[places]))[0]) if len(places) else places
        return np.sort(np.asarray(self.rows[places[found]], dtype=np.intp))

    def take(self, rows: Ints) -> gpd.GeoDataFrame:
        """Read rows, in the order given, which is ascending; without their index."""
        places = self._places[rows]
        groups, inverse = np.unique(places // _GROUP, return_inverse=True)
        with pq.ParquetFile(self.path) as file:
            table = file.read_row_groups(groups.tolist()) if len(groups) else file.schema_arrow.empty_table()
        starts = np.cumsum(np.append(0, np.minimum(_GROUP, len(self.rows) - groups * _GROUP)))
        frame = _frame(table.take(pa.array(starts[inverse] + places % _GROUP)) if len(groups) else table, self.crs)
        return gpd.GeoDataFrame(frame, geometry="geometry", crs=self.crs)

    def within(self, windows: Floats) -> gpd.GeoDataFrame:
        """Read the features whose bounds meet one of the windows."""
        return self.take(self.near(windows))

    def whole(self) -> gpd.GeoDataFrame:
        """Read all features."""
        return self.take(np.arange(len(self.rows)))
