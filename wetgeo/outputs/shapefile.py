"""The shapefiles, and fields.csv that tells what their short names stand for."""

from __future__ import annotations

import csv
import datetime
import struct
from typing import TYPE_CHECKING

import geopandas as gpd
import numpy as np
import pyarrow as pa
import shapely

from wetgeo.errors import OutputError
from wetgeo.findings import Findings
from wetgeo.layers import LAYERS
from wetgeo.outputs.dbf import MOST_FIELDS, TEXT_BYTES, DbfColumn, byte_lengths, columns_for
from wetgeo.outputs.ogr import write_layer
from wetgeo.pieces import GEOMETRY, Layers

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from wetgeo.delineation import Delineation

#: folder of the shapefiles in the output folder, and the file that tells their field names
FOLDER = "shapefiles"
FIELDS_CSV = "fields.csv"

#: how a shapefile's parts end, as wetgeo writes them, and the indexes that other programs lay beside them
PARTS = (".shp", ".shx", ".dbf", ".prj", ".cpg")
INDEXES = (".qix", ".sbn", ".sbx")

#: above that many cuts in one field they are told together
SINGLE_CUTS = 100

_ARROW = {"str": pa.string(), "int64": pa.int64(), "int32": pa.int32(), "float": pa.float64(), "date": pa.date32()}
_CODE = "shapefile-cut"
_BYTES_LIMIT = 2**31 - 1
_WHOLE = "buffers.gpkg holds texts of any length"


def shapefile_cuts(delineation: Delineation) -> Findings:
    """Tell what the shapefiles cannot hold in full.

    Parameters
    ----------
    delineation
        With conformed layers, but for layer ``findings``, which these findings are yet to join.

    Returns
    -------
    Findings
        One for each feature and field (for each field, where there are more than 100); for layer ``findings`` itself
        one in all.
    """
    cuts = Findings()
    layers = Layers.of(delineation.layers)
    for name in layers:
        if name == "findings":
            continue
        for column in columns_for(name, layers):
            if not column.short:
                words = f"field {column.name} is not in shapefile {name}, which holds {MOST_FIELDS} fields"
                cuts.warning(_CODE, f"{words}; buffers.gpkg holds it", layer=name)
            elif layers.kinds(name)[column.name] in ("text", "date"):
                _add_cuts(cuts, name, column, layers)
    texts = [
        text
        for source in (delineation.findings, cuts)
        for one in source
        for text in (one.message, one.feature_id, one.citation)
    ]
    longest = max((len(text.encode()) for text in texts), default=0)
    if longest > TEXT_BYTES:
        words = f"texts of up to {longest} bytes are cut to {TEXT_BYTES} in shapefiles/findings.dbf; {_WHOLE}"
        cuts.info(_CODE, words, layer="findings")  # nothing of the delineation itself is cut
    return cuts


def write_shapefiles(delineation: Delineation, folder: Path) -> None:
    """Write all layers into ``shapefiles/`` in `folder`; tables without geometry as .dbf only.

    Names of fields have at most 10 characters and are told in ``fields.csv``. Texts are UTF-8 and cut at 254 bytes,
    whole numbers of more than 18 digits and times are text, true and false are 1 and 0.

    Parameters
    ----------
    delineation
        With conformed layers (`wetgeo.outputs.write.prepare`).
    folder
        An existing folder.

    Raises
    ------
    OutputError
        A layer is too large for a shapefile, or a file cannot be written or is not whole afterwards.
    """
    target = folder / FOLDER
    target.mkdir(exist_ok=True)
    rows: list[tuple[str, ...]] = []
    layers = Layers.of(delineation.layers)
    for name in layers:
        columns = columns_for(name, layers)
        _check_size(name, layers, columns)
        _write(target, name, [column for column in columns if column.short], delineation)
        rows += [(name, c.short, c.name, c.store.type, c.store.width, c.about) for c in columns]
    with (target / FIELDS_CSV).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("layer", "short", "full_name", "type", "width", "about"), *rows])


def _texts(values: pd.Series) -> pd.Series:
    return (
        values.map(lambda v: v if isinstance(v, str) else None, na_action="ignore")
        .astype(object)
        .where(values.notna(), None)
    )


def _add_cuts(cuts: Findings, layer: str, column: DbfColumn, layers: Layers) -> None:
    label = "resource_id" if "resource_id" in LAYERS[layer].names else LAYERS[layer].names[0]
    count, longest = 0, 0
    single: list[tuple[int, object]] = []
    for frame in layers.frames(layer, list(dict.fromkeys([label, column.name]))):
        lengths = byte_lengths(_texts(frame[column.name]))
        long = np.flatnonzero(lengths > TEXT_BYTES)
        count, longest = count + len(long), max(longest, int(lengths.max(initial=0)))
        single += [(int(lengths[i]), frame[label].iloc[i]) for i in long[: SINGLE_CUTS + 1]]
    where = f"field {column.name} ({column.short} in the shapefile)"
    if count > SINGLE_CUTS:
        words = f"{where}: {count} texts of up to {longest} bytes are cut to {TEXT_BYTES}; {_WHOLE}"
        cuts.warning(_CODE, words, layer=layer)
        return
    for length, feature in single:
        words = f"{where}: the text of {length} bytes is cut to {TEXT_BYTES}; {_WHOLE}"
        cuts.warning(_CODE, words, layer=layer, feature_id=feature)


def _check_size(name: str, layers: Layers, columns: list[DbfColumn]) -> None:
    """Refuse what no shapefile holds, before it is written."""
    rows = layers.rows(name)
    table = rows * (1 + sum(int(c.store.width.partition(".")[0]) for c in columns if c.short))
    shapes = 0
    if LAYERS[name].geometry is not None:
        held = (frame.geometry.array for frame in layers.frames(name) if isinstance(frame, gpd.GeoDataFrame))
        # 16 bytes a vertex, 4 a ring (of four vertices at least), and 52 of each record's own
        shapes = 17 * sum(int(shapely.get_num_coordinates(part).sum()) for part in held) + 52 * rows
    if max(table, shapes) > _BYTES_LIMIT:
        raise OutputError(
            f"layer {name} needs {max(table, shapes) / 1e9:.1f} GB, and no part of a shapefile may have more than 2",
            mend='leave "shp" out of formats under [outputs]; buffers.gpkg holds it',
        )


def _write(target: Path, name: str, columns: list[DbfColumn], delineation: Delineation) -> None:
    geometry, layers = LAYERS[name].geometry, Layers.of(delineation.layers)
    path = target / f"{name}{'.dbf' if geometry is None else '.shp'}"
    fields = [(c.short, c.store.fiona) for c in columns]
    write_layer(
        path,
        (_ready(frame, columns) for frame in layers.frames(name)),
        fields,
        driver="ESRI Shapefile",
        geometry=geometry,
        crs=delineation.crs,
        encoding="UTF-8",
    )
    _date_table(path.with_suffix(".dbf"), delineation.project.date)
    _check_whole(path, layers.rows(name))


def _ready(frame: pd.DataFrame, columns: list[DbfColumn]) -> pa.Table:
    """Make the columns of a piece ready to be written, in types that do not hang on what is in it."""
    names = [c.short for c in columns]
    values = [
        pa.array(c.store.ready(frame[c.name]), type=_ARROW[c.store.fiona.partition(":")[0]], from_pandas=True)
        for c in columns
    ]
    if isinstance(frame, gpd.GeoDataFrame):
        names.append(GEOMETRY)
        values.append(pa.array(shapely.to_wkb(frame.geometry.to_numpy()), type=pa.binary()))
    return pa.table(values, names=names)


def _date_table(path: Path, date: datetime.date) -> None:
    """Set the table's date of last change, the day of the run, to the application date: same input, same bytes."""
    with path.open("r+b") as file:
        file.seek(1)
        file.write(bytes(((date.year - 1900) % 256, date.month, date.day)))


def _check_whole(path: Path, rows: int) -> None:
    """See that the files are as long as their headers say; GDAL may lose the last block of a full disk silently."""
    with path.with_suffix(".dbf").open("rb") as file:
        count, head, record = struct.unpack("<4xIHH", file.read(12))
    whole = count == rows and path.with_suffix(".dbf").stat().st_size >= head + count * record
    for part in (".shp", ".shx") if path.suffix == ".shp" else ():
        file_path = path.with_suffix(part)
        with file_path.open("rb") as file:
            (words,) = struct.unpack(">24xi", file.read(28))
        whole = whole and file_path.stat().st_size == 2 * words
    if not whole:
        raise OutputError(f"{path.name} could not be written as a whole", mend="see that the disk has room")
