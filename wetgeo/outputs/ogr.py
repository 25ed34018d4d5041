"""One layer to one OGR data set: fiona lays out the fields one by one, pyogrio fills in the rows in bulk."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import fiona
import fiona.errors
import geopandas as gpd
import pyogrio
import pyogrio.errors
from fiona._err import CPLE_BaseError  # GDAL's errors on closing a file; fiona names them nowhere else

from wetgeo.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pandas as pd
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
    frame: pd.DataFrame,
    fields: Sequence[tuple[str, str]],
    *,
    driver: str,
    geometry: str | None,
    crs: CRS,
    **options: str,
) -> None:
    """Write a frame as one layer.

    Parameters
    ----------
    path
        The file; a GeoPackage that exists gets one more layer.
    frame
        Columns named as in `fields`, in their order; a GeoDataFrame where `geometry` is given.
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
        if len(frame):
            rows = frame if geometry is None else gpd.GeoDataFrame(frame, crs=crs)
            pyogrio.write_dataframe(rows, path, layer=options.get("layer"), driver=driver, append=True)
