"""One layer to one OGR data set: fiona lays out the fields one by one, pyogrio streams the rows in."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING

import fiona
import fiona.errors
import pyarrow as pa
import pyogrio
import pyogrio.errors
import pyogrio.raw
from fiona._err import CPLE_BaseError  # GDAL's errors on closing a file; fiona names them nowhere else

from wetgeo.errors import OutputError
from wetgeo.pieces import GEOMETRY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from pyproj import CRS

_GDAL_ERRORS = (
    CPLE_BaseError,
    fiona.errors.FionaError,
    fiona.errors.DriverIOError,
    fiona.errors.DataIOError,
    fiona.errors.TransactionError,
    pyogrio.errors.DataSourceError,
    pyogrio.errors.DataLayerError,
    pyogrio.errors.FieldError,
    pyogrio.errors.CRSError,
)

#: rows that GDAL is given at a time
_BATCH = 1000

_UNSYNCED = "OGR_SQLITE_SYNCHRONOUS"


@contextmanager
def unsynced() -> Iterator[None]:
    """Let SQLite not wait for the disk after each layer; who writes last into the file must."""
    before = pyogrio.get_gdal_config_option(_UNSYNCED)
    pyogrio.set_gdal_config_options({_UNSYNCED: "OFF"})
    try:
        with fiona.Env(**{_UNSYNCED: "OFF"}):
            yield
    finally:
        pyogrio.set_gdal_config_options({_UNSYNCED: before})


@contextmanager
def gdal_errors(path: Path) -> Iterator[None]:
    """Turn what GDAL raises while `path` is written into an OutputError."""
    try:
        yield
    except _GDAL_ERRORS as fault:
        words = " ".join(str(fault).split()) or type(fault).__name__
        raise OutputError(
            f"{path.name} cannot be written: {words}", mend="see that the disk has room and the folder may be written"
        ) from fault


def write_layer(
    path: Path,
    tables: Iterable[pa.Table],
    fields: Sequence[tuple[str, str]],
    *,
    driver: str,
    geometry: str | None,
    crs: CRS,
    **options: str,
) -> None:
    """Write tables as one layer, one after the other; each is let go before the next is asked for.

    Parameters
    ----------
    path
        The file; a GeoPackage that exists gets one more layer.
    tables
        Arrow tables of one schema: columns named as in `fields`, and ``geometry`` as well-known binary where
        `geometry` is given.
    fields
        Name and fiona type of each field, such as ``("class", "str:16")``.
    driver, geometry, crs
        GDAL's name of the format; the geometry type, None for a table; the CRS that the file shall state.
    options
        Creation options of the driver, and fiona's ``layer`` and ``encoding``.

    Raises
    ------
    OutputError
        GDAL cannot write it.
    """
    schema = {"geometry": geometry or "None", "properties": list(fields)}
    place = {} if geometry is None else {"crs_wkt": crs.to_wkt()}
    with gdal_errors(path):
        with fiona.open(path, "w", driver=driver, schema=schema, **place, **options):
            pass  # the layer with its fields; no rows yet
        remaining = iter(tables)
        first = next(remaining, None)
        if first is None:
            return
        pyogrio.raw.write_arrow(
            pa.RecordBatchReader.from_batches(first.schema, _batches(chain([first], remaining))),
            path,
            layer=options.get("layer"),
            driver=driver,
            geometry_name=None if geometry is None else GEOMETRY,
            geometry_type=geometry,
            crs=place.get("crs_wkt"),
            append=True,
        )


def _batches(tables: Iterable[pa.Table]) -> Iterator[pa.RecordBatch]:
    """Divide tables into batches of one size: what GDAL takes at a time shows in the bytes of a GeoPackage."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(map(len, waiting)) >= _BATCH:
            joined = pa.concat_tables(waiting)
            whole = len(joined) - len(joined) % _BATCH
            waiting = [joined.slice(whole)]
            for start in range(0, whole, _BATCH):
                yield from joined.slice(start, _BATCH).combine_chunks().to_batches()
    yield from pa.concat_tables(waiting).combine_chunks().to_batches()
