"""Layers that are taken piece by piece: conformed frames, held in memory or laid down on disk as Arrow files.

What is on disk is as large as a state; only a piece of it is ever in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import shapely

from wetgeo.frames import ColumnKind, kind_of

if TYPE_CHECKING:
    from pyproj import CRS

#: the column of geometries, in frames and as well-known binary in tables
GEOMETRY = "geometry"
_ARROW = {"text": pa.string(), "real": pa.float64(), "int": pa.int64(), "bool": pa.bool_(), "date": pa.date32()}
_PACKED = pa.ipc.IpcWriteOptions(compression="lz4")


def table_of(frame: pd.DataFrame, schema: pa.Schema | None = None) -> pa.Table:
    """Turn a conformed frame into an Arrow table; null and NaN are null, geometries are well-known binary.

    The columns are of the types of `schema`, where it is given: a piece without any value does not tell them.
    """
    columns, names = [], []
    for name in (str(column) for column in frame.columns):
        values = frame[name]
        names.append(name)
        if name == GEOMETRY and isinstance(frame, gpd.GeoDataFrame):
            columns.append(pa.array(shapely.to_wkb(frame.geometry.to_numpy()), type=pa.binary()))
        else:
            own = _ARROW.get(kind_of(values)) if schema is None else schema.field(name).type
            columns.append(pa.array(values, type=own, from_pandas=True))
    return pa.table(columns, names=names)


def frame_of(table: pa.Table, crs: CRS | None) -> pd.DataFrame:
    """Turn what `table_of` made back into a frame of the same types; a GeoDataFrame where `crs` is given."""
    columns = {name: _column(table.column(name)) for name in table.schema.names if crs is None or name != GEOMETRY}
    frame = pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))
    if crs is None or GEOMETRY not in table.schema.names:
        return frame
    shapes = shapely.from_wkb(table.column(GEOMETRY).to_numpy(zero_copy_only=False))
    found: pd.DataFrame = gpd.GeoDataFrame(frame, geometry=np.asarray(shapes, dtype=object), crs=crs)
    return found


def _column(values: pa.ChunkedArray) -> pd.Series[Any]:
    kind = _kind(values.type)
    if kind == "real":
        return pd.Series(values.to_numpy(zero_copy_only=False).astype(float))
    if kind in ("int", "bool"):
        dtype = pd.Int64Dtype() if kind == "int" else pd.BooleanDtype()
        column: pd.Series[Any] = values.to_pandas(types_mapper=lambda _: dtype)
        return column
    if kind == "datetime":
        times: pd.Series[Any] = values.to_pandas()
        return times
    return pd.Series(values.to_pylist(), dtype=object)


def _kind(kind: Any) -> ColumnKind:  # noqa: ANN401 -- pyarrow has no types
    if pa.types.is_timestamp(kind):
        return "datetime"
    found: dict[Any, ColumnKind] = {of: name for name, of in _ARROW.items()}  # type: ignore[misc]
    return found.get(kind, "text")


@dataclass(frozen=True)
class StoredLayer:
    """A conformed layer on disk, in files that follow each other in the order of its rows.

    Attributes
    ----------
    paths
        Arrow files, each small enough to be held in memory; one at least.
    rows
        How many rows they have together.
    crs
        Of the geometries; None for a table.
    """

    paths: tuple[Path, ...]
    rows: int
    crs: CRS | None

    @classmethod
    def write(
        cls, folder: Path, frames: Iterable[pd.DataFrame], crs: CRS | None, schema: pa.Schema | None = None
    ) -> StoredLayer:
        """Write conformed frames of one layer, one at least, each into a file in `folder`.

        Their types are those of `schema`, or of the first.
        """
        folder.mkdir(parents=True)
        paths, rows = [], 0
        for number, frame in enumerate(frames):
            table = table_of(frame, schema)
            schema, rows = table.schema, rows + table.num_rows
            paths.append(folder / f"{number:06d}.arrow")
            with pa.OSFile(str(paths[-1]), "wb") as file, pa.ipc.new_file(file, schema, options=_PACKED) as writer:
                writer.write_table(table)
        return cls(tuple(paths), rows, crs)

    @classmethod
    def read(cls, folder: Path, crs: CRS | None) -> StoredLayer:
        """Find again what `write` wrote."""
        paths = tuple(sorted(folder.glob("*.arrow")))
        found = cls(paths, 0, crs)
        return cls(paths, sum(table.num_rows for table in found.tables([found.schema.names[0]])), crs)

    @cached_property
    def schema(self) -> pa.Schema:
        """Names and Arrow types of the columns."""
        with pa.memory_map(str(self.paths[0])) as file, pa.ipc.open_file(file) as reader:
            return reader.schema

    def tables(self, names: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Read piece by piece, all columns or some."""
        wanted = None if names is None else [self.schema.names.index(name) for name in names]
        options = pa.ipc.IpcReadOptions(included_fields=wanted)
        for path in self.paths:
            with pa.OSFile(str(path), "rb") as file, pa.ipc.open_file(file, options=options) as reader:
                table = reader.read_all()
            yield table if names is None else table.select(names)


class Layers(Mapping[str, pd.DataFrame]):
    """Layers by name, each a conformed frame, in memory or on disk; taken as a whole by its name, or in pieces."""

    def __init__(self, held: Mapping[str, pd.DataFrame | StoredLayer]) -> None:
        self._held = held

    @classmethod
    def of(cls, layers: Mapping[str, pd.DataFrame]) -> Layers:
        """Take layers of any kind."""
        return layers if isinstance(layers, cls) else cls(layers)

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Give a layer as a whole."""
        held = self._held[name]
        return frame_of(pa.concat_tables(held.tables()), held.crs) if isinstance(held, StoredLayer) else held

    def __iter__(self) -> Iterator[str]:
        """List the names."""
        return iter(self._held)

    def __len__(self) -> int:
        """Count the layers."""
        return len(self._held)

    def held(self, name: str) -> pd.DataFrame | StoredLayer | None:
        """Give a layer as it is held; None where there is none of the name."""
        return self._held.get(name)

    def rows(self, name: str) -> int:
        """Count the rows of a layer."""
        held = self._held[name]
        return held.rows if isinstance(held, StoredLayer) else len(held)

    def kinds(self, name: str) -> dict[str, ColumnKind]:
        """Tell the kind of each column but the geometry, in order."""
        held = self._held[name]
        if isinstance(held, StoredLayer):
            return {field.name: _kind(field.type) for field in held.schema if not pa.types.is_binary(field.type)}
        return {str(column): kind_of(held[column]) for column in held.columns if column != GEOMETRY}

    def tables(self, name: str) -> Iterator[pa.Table]:
        """Give a layer piece by piece, as Arrow tables (see `table_of`)."""
        held = self._held[name]
        if isinstance(held, StoredLayer):
            yield from held.tables()
        else:
            yield table_of(held)

    def frames(self, name: str, fields: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """Give a layer piece by piece, as frames: all columns, or some without geometry."""
        held = self._held[name]
        if isinstance(held, StoredLayer):
            yield from (frame_of(table, held.crs if fields is None else None) for table in held.tables(fields))
        else:
            yield held if fields is None else pd.DataFrame(held[list(fields)])

    def column(self, name: str, field: str) -> Iterator[pd.Series]:
        """Give one column piece by piece."""
        return (frame[field] for frame in self.frames(name, [field]))

    def distinct(self, name: str, *fields: str) -> set[tuple[Any, ...]]:
        """Find the different values of some columns together."""
        found: set[tuple[Any, ...]] = set()
        for frame in self.frames(name, fields):
            found.update(frame.drop_duplicates().itertuples(index=False, name=None))
        return found

    def bounds(self, name: str) -> tuple[float, float, float, float]:
        """Give the bounds of all geometries of a layer; NaN where it has none."""
        each = [frame.total_bounds for frame in self.frames(name) if isinstance(frame, gpd.GeoDataFrame)]
        bounds = np.array(each).reshape(-1, 4)
        bounds = bounds[~np.isnan(bounds).any(axis=1)]
        if not len(bounds):
            return (np.nan,) * 4
        left, bottom = bounds[:, :2].min(axis=0).tolist()
        right, top = bounds[:, 2:].max(axis=0).tolist()
        return left, bottom, right, top
