"""buffers.gpkg: all layers with their full names, readable by GDAL 3.4 and QGIS 3.22 and newer."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

from wetgeo.errors import OutputError
from wetgeo.layers import LAYERS
from wetgeo.outputs.ogr import unsynced, write_layer
from wetgeo.outputs.qgis_styles import layer_styles, qml
from wetgeo.pieces import Layers

if TYPE_CHECKING:
    from pathlib import Path

    from wetgeo.delineation import Delineation

#: the GeoPackage's name in the output folder
GEOPACKAGE = "buffers.gpkg"

#: what SQLite lays beside a database that is in use
SIDECARS = ("-wal", "-shm", "-journal")

#: the table in which QGIS looks for the styles of a GeoPackage's layers, with the columns that it gives it
STYLES = "layer_styles"
_TABLE = f"""\
CREATE TABLE "{STYLES}" (
 "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
 "f_table_catalog" TEXT(256), "f_table_schema" TEXT(256), "f_table_name" TEXT(256), "f_geometry_column" TEXT(256),
 "styleName" TEXT(30), "styleQML" TEXT, "styleSLD" TEXT, "useAsDefault" BOOLEAN,
 "description" TEXT, "owner" TEXT(30), "ui" TEXT(30),
 "update_time" DATETIME DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')))"""
_ROW = f"""\
INSERT INTO "{STYLES}" (f_table_catalog, f_table_schema, f_table_name, f_geometry_column, styleName, styleQML, styleSLD,
 useAsDefault, description, owner, update_time)
VALUES ('', '', ?1, ?2, 'wetgeo', ?3, '', 1, ?4, '', ?5)"""  # noqa: S608 -- no name from outside

_TYPES = {"text": "str", "real": "float", "int": "int64", "bool": "bool", "date": "date", "datetime": "datetime"}


def write_geopackage(delineation: Delineation, folder: Path) -> None:
    """Write all layers into ``buffers.gpkg`` in `folder`, where none may stand yet.

    The same delineation gives the same bytes: gpkg_contents.last_change, which would be the time of the run, is the
    application date at midnight (the time of the run stands in provenance.json).

    Parameters
    ----------
    delineation
        With conformed layers (`wetgeo.outputs.write.prepare`).
    folder
        An existing folder.

    Raises
    ------
    OutputError
        The file cannot be written, or does not hold all rows afterwards.
    """
    path = folder / GEOPACKAGE
    layers = Layers.of(delineation.layers)
    with unsynced():
        for name in layers:
            schema = LAYERS[name]
            fields = [(column, _TYPES[kind]) for column, kind in layers.kinds(name).items()]
            # version 1.2 is what GDAL 3.4 writes and reads
            write_layer(
                path,
                layers.tables(name),
                fields,
                driver="GPKG",
                geometry=schema.geometry,
                crs=delineation.crs,
                layer=name,
                VERSION="1.2",
                DESCRIPTION=schema.row,
            )
    _finish(path, delineation)


def _finish(path: Path, delineation: Delineation) -> None:
    """Fix the time stamps, see that all rows stand in the file, and that the file stands on the disk."""
    try:
        with contextlib.closing(sqlite3.connect(path)) as base, base:
            _store_styles(base, delineation)
            base.execute("UPDATE gpkg_contents SET last_change = ?", (f"{delineation.project.date}T00:00:00.000Z",))
            layers = Layers.of(delineation.layers)
            for name in layers:
                (rows,) = base.execute(f'SELECT count(*) FROM "{name}"').fetchone()  # noqa: S608 - a name of LAYERS
                wanted = layers.rows(name)
                if rows != wanted:
                    raise OutputError(f"{path.name}, layer {name}: only {rows} of {wanted} rows could be written")
    except sqlite3.Error as fault:
        raise OutputError(f"{path.name} cannot be written: {fault}", mend="see that the disk has room") from fault


def _store_styles(base: sqlite3.Connection, delineation: Delineation) -> None:
    """Store the styles as QGIS does, so that each layer opens with its own; the caller commits."""
    base.execute(_TABLE)
    base.execute(
        "INSERT INTO gpkg_contents (table_name, data_type, identifier, description) VALUES (?1, 'attributes', ?1, ?2)",
        (STYLES, "how QGIS draws the layers"),
    )
    time = f"{delineation.project.date}T00:00:00.000Z"
    rows = [
        (name, "" if LAYERS[name].geometry is None else "geom", qml(style), style.title, time)
        for name, style in layer_styles(delineation).items()
    ]
    base.executemany(_ROW, rows)
