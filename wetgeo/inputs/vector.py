"""Any vector file that GDAL reads, or GeoParquet, as attributes and 2D geometries."""

from __future__ import annotations

import datetime
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyogrio
import shapely
from numpy.typing import NDArray
from pyproj import CRS
from pyproj.exceptions import ProjError

from wetgeo.errors import InputError
from wetgeo.inputs.crs import from_file, small_length
from wetgeo.inputs.curves import decode
from wetgeo.inputs.files import GEOPARQUET, NOT_READ, DataSet, opened, quiet
from wetgeo.project import LayerSource

#: how far the chord of a true curve may lie from it, feet: small beside the 0.05 ft promised of a buffer's edge
CURVE_TOLERANCE_FT = 0.01
#: what geopandas raises on a GeoParquet file: its metadata are JSON, and any part of them may be missing or another
_NO_GEOPARQUET = (*NOT_READ, ProjError, LookupError, TypeError, AttributeError)
#: degrees of arc for formats whose driver draws curves itself (DXF); GDAL's own step is 4 degrees
_DRIVER_ARC_STEP = "0.5"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawLayer:
    """A layer as its file has it.

    Attributes
    ----------
    source
        Where it comes from.
    attributes
        The file's own columns; integers and booleans with gaps in pandas' nullable types, text as text.
    geometry
        2D shapely geometries or None, shape (n,), in the file's CRS.
    numbers
        Number of each feature in the order of the file, from 1, whatever the filter left out.
    crs
        The file's horizontal CRS, or None.
    curved, flattened, surface
        True where true curves were drawn as chords, where heights or measures were dropped, and where the feature is
        a 3D surface, which has no 2D geometry.
    remarks
        What the format's reader warned of.
    """

    source: LayerSource
    attributes: pd.DataFrame
    geometry: NDArray[np.object_]
    numbers: NDArray[np.int64]
    crs: CRS | None
    curved: NDArray[np.bool_]
    flattened: NDArray[np.bool_]
    surface: NDArray[np.bool_]
    remarks: tuple[str, ...] = field(default=())

    @property
    def where_from(self) -> str:
        """The layer and its file, for messages."""
        return f"layer {self.source.name} ({self.source.path})"


def read_layer(source: LayerSource) -> RawLayer:
    """Read one layer of the project.

    Raises
    ------
    InputError
        The file, its layer or the filter cannot be used; the message says which, and how to mend it.
    """
    if source.frame is not None:
        return from_frame(source, source.frame)
    with opened(source.path, name=source.name, layer=source.layer) as data:
        if source.path.suffix.lower() in GEOPARQUET:
            return _read_geoparquet(source)
        return _read_gdal(source, data, _chosen(source, data))


def layer_blocks(source: LayerSource, rows: int) -> Iterator[RawLayer]:
    """Read one layer of the project, so many features at a time; the remarks come with each block, as far as heard.

    Raises
    ------
    InputError
        As `read_layer`.
    """
    if source.frame is not None or source.path.suffix.lower() in GEOPARQUET:
        yield read_layer(source)
        return
    with opened(source.path, name=source.name, layer=source.layer) as data:
        layer, start = _chosen(source, data), 0
        how = {"layer": layer, "where": source.where, "batch_size": rows, **data.options}
        try:
            number = None if source.where is None else _numbers(data, layer)
            with _fine_arcs(), pyogrio.raw.open_arrow(data.gdal, return_fids=True, use_pyarrow=True, **how) as opening:
                meta, reader = opening
                while True:
                    with quiet() as heard:  # not while a block is worked: what is said then is not the reader's
                        batch = next(reader, None)
                    if batch is None:
                        break
                    table = pa.Table.from_batches([batch])
                    fids = table.column(meta["fid_column"] or "OGC_FID").to_numpy()
                    numbers = np.arange(start + 1, start + 1 + len(fids)) if number is None else number(fids)
                    start += len(fids)
                    yield _raw(source, layer, (meta, table), numbers, heard)
        except NOT_READ as error:
            raise _unreadable(source, error) from error
        if source.where is None and data.gdal.lower().endswith(".fgb"):
            _require_all(source, data, layer, start)


def _chosen(source: LayerSource, data: DataSet) -> str:
    # in a zip of several files, `layer` has named the file already
    named = source.layer and source.layer.casefold() == Path(data.gdal).stem.casefold() and len(data.layers) == 1
    return data.choose(None if named else source.layer, name=source.name)


@contextmanager
def _fine_arcs() -> Iterator[None]:
    before = pyogrio.get_gdal_config_option("OGR_ARC_STEPSIZE")
    pyogrio.set_gdal_config_options({"OGR_ARC_STEPSIZE": _DRIVER_ARC_STEP})
    try:
        yield
    finally:
        pyogrio.set_gdal_config_options({"OGR_ARC_STEPSIZE": before})


def _read_gdal(source: LayerSource, data: DataSet, layer: str) -> RawLayer:
    try:
        with quiet() as heard, _fine_arcs():
            meta, table = pyogrio.raw.read_arrow(
                data.gdal, layer=layer, where=source.where, return_fids=True, **data.options
            )
            fids = table.column(meta["fid_column"] or "OGC_FID").to_numpy()
            numbers = np.arange(1, len(fids) + 1) if source.where is None else _numbers(data, layer)(fids)
    except NOT_READ as error:
        raise _unreadable(source, error) from error
    if source.where is None and data.gdal.lower().endswith(".fgb"):
        _require_all(source, data, layer, len(numbers))
    return _raw(source, layer, (meta, table), numbers, heard)


def _raw(
    source: LayerSource,
    layer: str,
    read: tuple[dict[str, Any], pa.Table],
    numbers: NDArray[np.int64],
    heard: list[warnings.WarningMessage],
) -> RawLayer:
    """Decode what GDAL read: the layer's description, and a table of all or some of its features."""
    meta, table = read
    name = meta["geometry_name"] or "wkb_geometry"
    if name not in table.schema.names:
        raise InputError(
            f"layer {source.name}: {layer!r} of {source.path} is a table without geometry",
            mend="give a file with geometry",
        )
    crs = from_file(meta["crs"])
    try:
        decoded = decode(table.column(name).to_pylist(), tolerance=small_length(crs, CURVE_TOLERANCE_FT))
    except (ValueError, IndexError, shapely.errors.ShapelyError) as error:
        raise _unreadable(source, error) from error
    return RawLayer(
        source=source,
        attributes=_attributes(table.drop_columns([name, meta["fid_column"] or "OGC_FID"]), source),
        geometry=decoded.geometry,
        numbers=numbers,
        crs=crs,
        curved=decoded.curved,
        flattened=decoded.flattened,
        surface=decoded.surface,
        remarks=tuple(sorted({str(w.message) for w in heard if not str(w.message).startswith("Measured (M)")})),
    )


def _require_all(source: LayerSource, data: DataSet, layer: str, count: int) -> None:
    """Raise InputError where a FlatGeobuf states more features than could be read: GDAL ends without a word."""
    with quiet():
        stated = pyogrio.read_info(data.gdal, layer=layer)["features"]
    if count < stated:
        raise InputError(
            f"layer {source.name}: {source.path} is cut short: it states {stated:,} features and holds {count:,}",
            mend="copy or export the file anew",
        )


def _attributes(table: pa.Table, source: LayerSource) -> pd.DataFrame:
    try:
        table.validate(full=True)
    except pa.ArrowException as error:
        names = [name for name in table.schema.names if not _is_readable(table.column(name))]
        raise InputError(
            f"layer {source.name}: {source.path} holds text that is not in the encoding that it states, in "
            f"{', '.join(names)}",
            mend="correct its encoding (of a shapefile: the .cpg), or export it anew as UTF-8",
        ) from error
    return _frame(table)


def _is_readable(values: pa.ChunkedArray) -> bool:
    try:
        values.validate(full=True)
    except pa.ArrowException:
        return False
    return True


def _numbers(data: DataSet, layer: str) -> Callable[[NDArray[Any]], NDArray[np.int64]]:
    """Tell the place of filtered features in the whole file, so that a name such as wetlands-7 stays its own."""
    meta, table = pyogrio.raw.read_arrow(
        data.gdal, layer=layer, columns=[], read_geometry=False, return_fids=True, **data.options
    )
    every = table.column(meta["fid_column"] or "OGC_FID").to_numpy()
    order = np.argsort(every, kind="stable")
    ordered = every[order]
    return lambda fids: np.asarray(order[np.searchsorted(ordered, fids)] + 1, dtype=np.int64)


def _unreadable(source: LayerSource, error: Exception) -> InputError:
    reason = str(error).replace("b'", "'").strip().rstrip(".")
    if isinstance(error, UnboundLocalError):
        reason = "GDAL cannot make sense of its coordinate system"
    if source.where is not None:
        return InputError(
            f"layer {source.name}: {source.path} cannot be read with the filter {source.where!r}: {reason}",
            mend=f"where under [layers.{source.name}] is an SQL condition such as \"STATUS = 'delineated'\"",
        )
    return InputError(f"layer {source.name}: {source.path} cannot be read: {reason}", mend="export the file anew")


def _read_geoparquet(source: LayerSource) -> RawLayer:
    try:
        frame = gpd.read_parquet(source.path)
    except _NO_GEOPARQUET as error:
        raise _unreadable(source, error) from error
    if source.where is not None:
        # the filter's language is SQL: let GDAL apply it to a copy that it can read
        with tempfile.TemporaryDirectory(prefix="wetgeo-") as folder:
            copy = Path(folder) / "copy.gpkg"
            pyogrio.write_dataframe(frame, copy, layer="layer")
            data = DataSet(path=source.path, gdal=str(copy), options={"IMMUTABLE": "YES"})
            return _read_gdal(source, data, "layer")
    return from_frame(source, frame)


def from_frame(source: LayerSource, frame: gpd.GeoDataFrame) -> RawLayer:
    """Take a GeoDataFrame as a layer; it is not changed."""
    geometry = frame.geometry.to_numpy()
    higher = shapely.has_z(geometry) | shapely.has_m(geometry)
    nothing = np.zeros(len(frame), dtype=bool)
    table = pa.Table.from_pandas(pd.DataFrame(frame.drop(columns=frame.geometry.name)), preserve_index=False)
    return RawLayer(
        source=source,
        # a table without columns has no rows
        attributes=_attributes(table, source).reindex(pd.RangeIndex(len(frame))),
        geometry=shapely.force_2d(geometry),
        numbers=np.arange(1, len(frame) + 1),
        crs=from_file(frame.crs),
        curved=nothing,
        flattened=higher,
        surface=nothing,
    )


def _frame(table: pa.Table) -> pd.DataFrame:
    """Turn a table into a frame that keeps every digit: no integer becomes a float because a row has none."""
    columns: dict[str, pd.Series[Any]] = {}
    for number, name in enumerate(table.schema.names):
        # damaged files may bear one name twice
        columns[f"{name}_{number + 1}" if name in columns else name] = _column(table.column(number))
    return pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))


def _column(values: pa.ChunkedArray) -> pd.Series[Any]:
    kind = values.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_time(kind):
        return pd.Series([_as_text(value) for value in values.to_pylist()], dtype=object)
    how: dict[str, Any] = {}
    if values.null_count and pa.types.is_boolean(kind):
        how = {"types_mapper": lambda _: pd.BooleanDtype()}
    elif values.null_count and pa.types.is_integer(kind):
        values, how = values.cast(pa.int64()), {"types_mapper": lambda _: pd.Int64Dtype()}
    elif pa.types.is_date(kind):
        how = {"date_as_object": False}
    column: pd.Series[Any] = values.to_pandas(**how)
    return column


def _as_text(value: object) -> str | None:
    """Write a list, a time or bytes as text: no output format holds them as they are."""
    if value is None:
        return None
    if isinstance(value, bytes):
        return value.hex()
    return value.isoformat() if isinstance(value, datetime.time) else json.dumps(value, default=str)
