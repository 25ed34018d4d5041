"""Reading what an earlier run wrote."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import pyogrio
import pyogrio.errors

from wetgeo.errors import OutputError
from wetgeo.outputs.geopackage import GEOPACKAGE
from wetgeo.outputs.provenance import PROVENANCE

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def read_layer(folder: Path, name: str) -> pd.DataFrame:
    """Read one layer of an output folder's buffers.gpkg; a GeoDataFrame where it has geometries.

    Parameters
    ----------
    folder
        The output folder of a finished run.
    name
        A layer of `wetgeo.layers.LAYERS`.

    Raises
    ------
    OutputError
        The folder is not there or holds no outputs, the run wrote no GeoPackage, or it has no such layer.
    """
    path = folder / GEOPACKAGE
    if not path.is_file():
        raise _nothing_to_read(folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # GDAL's, on files that are no GeoPackage of ours
            layers = [str(row[0]) for row in pyogrio.list_layers(path)]
            if name in layers:
                frame: pd.DataFrame = pyogrio.read_dataframe(path, layer=name)
                return frame
    except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError) as fault:
        raise OutputError(f"{path} cannot be read: {fault}", mend="run the project again with --overwrite") from fault
    raise OutputError(
        f"{path} has no layer {name}; it has {', '.join(layers) or 'none'}",
        mend="name the output folder of a wetgeo run; layers of check and design are written by these commands only",
    )


def _nothing_to_read(folder: Path) -> OutputError:
    if not folder.exists():
        return OutputError(f"{folder} does not exist", mend="name the output folder of a finished run")
    if not folder.is_dir():
        return OutputError(f"{folder} is no folder", mend="name the output folder that holds buffers.gpkg")
    if (folder / PROVENANCE).is_file():
        return OutputError(
            f"the run that wrote {folder} wrote no {GEOPACKAGE}",
            mend='add "gpkg" to formats under [outputs], and run again',
        )
    return OutputError(f"{folder} holds no outputs of wetgeo: no {GEOPACKAGE}", mend="name the output folder of a run")
