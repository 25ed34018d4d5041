"""What stands in an output folder: which files are wetgeo's own, and whether they may be replaced now."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from typing import TYPE_CHECKING

from wetgeo.errors import OutputError
from wetgeo.layers import LAYERS
from wetgeo.outputs.geopackage import GEOPACKAGE, SIDECARS
from wetgeo.outputs.monuments_csv import LATLON_CSV
from wetgeo.outputs.provenance import PROVENANCE
from wetgeo.outputs.shapefile import FIELDS_CSV, FOLDER, INDEXES, PARTS
from wetgeo.outputs.staging import is_claimed, killed, told
from wetgeo.paths import misread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

#: the file of each format, but for the shapefiles, which are many
FILES = {
    "gpkg": GEOPACKAGE,
    "qgz": "buffers.qgz",
    "html": "report.html",
    "pdf": "exhibit.pdf",
    "csv": "monuments.csv",
    "declaration": "declaration.txt",
    "dxf": "buffers.dxf",
}
#: files that formats write besides
BESIDE = {"csv": LATLON_CSV}
_BUSY_SECONDS = 2.0
_MOST_NAMED = 5
_CLOSE = "close it there (in QGIS: remove its layers, or close the project), or name another folder with -o"


def check_output(folder: Path, *, overwrite: bool, formats: Sequence[str]) -> None:
    """See that outputs can be written into `folder`; changes nothing there, save as `check_closed` says.

    To be called before the computation; `write_outputs` calls it again.

    Raises
    ------
    OutputError
        The folder is a file or cannot be written, another run holds it, outputs stand in it and `overwrite` is False,
        files of the outputs' names stand in it that no run of wetgeo wrote, or the earlier buffers.gpkg is open in
        another program.
    """
    with told(folder):
        check_folder(folder)
    if is_claimed(folder):
        raise OutputError(
            f"another run of wetgeo is writing into {folder}",
            mend="wait until it is done, or name another folder with -o",
        )
    with told(folder):
        check_files(folder, overwrite=overwrite, formats=formats)


def check_folder(folder: Path) -> None:
    """Raise OutputError where `folder` is a file, or it or its nearest parent that exists cannot be written."""
    place = folder
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise OutputError(
            f"the output folder {folder} cannot be made: {place} is no folder", mend="name another folder with -o"
        )
    if mark := misread(folder):
        raise OutputError(
            f"the output folder {folder} cannot be written: its path holds {mark}, with which GDAL does not find it",
            mend="name another folder with -o",
        )
    if not os.access(place, os.W_OK | os.X_OK):
        raise OutputError(
            f"the output folder {folder} cannot be written: no permission to write into {place}",
            mend="change its permissions, or name another folder with -o",
        )


def check_files(folder: Path, *, overwrite: bool, formats: Sequence[str]) -> None:
    """Raise OutputError where files of an earlier run stand in the way; see `check_output`."""
    there = sorted({*_asked(folder, formats), *listed_files(folder)})
    faults = [f"{name} is a folder" for name in there if (folder / name).is_dir()]
    inner = folder / FOLDER
    if "shp" in formats and os.path.lexists(inner) and not inner.is_dir():
        faults.append(f"{FOLDER} is a file, and must be a folder")
    if "shp" in formats and inner.is_symlink():
        faults.append(f"{FOLDER} is a link to {inner.readlink()}; nothing is written outside of the output folder")
    if faults:
        raise OutputError(f"the outputs cannot be written into {folder}", faults=faults, mend="move these away")
    if foreign := _foreign(folder, there):
        raise OutputError(
            f"files of these names that are not wetgeo's stand in {folder}: {', '.join(foreign[:_MOST_NAMED])}"
            f"{f' and {len(foreign) - _MOST_NAMED} more' if len(foreign) > _MOST_NAMED else ''}; "
            f"no {PROVENANCE} of a run lists them",
            mend="move them, or name another folder with -o",
        )
    if there and not overwrite:
        more = f" and {len(there) - 1} more files" if len(there) > 1 else ""
        raise OutputError(
            f"outputs of an earlier run stand in {folder}: {there[0]}{more}",
            mend="add --overwrite to replace them, or name another folder with -o",
        )
    if GEOPACKAGE in there:
        check_closed(folder / GEOPACKAGE)


def check_closed(path: Path) -> None:
    """Raise OutputError where another program has the GeoPackage open, so that it could not be replaced safely.

    Where none has, what stands in its write-ahead log is brought into the file, which is one whole file afterwards.
    """
    if not path.exists():
        return
    if not os.access(path, os.W_OK):
        raise OutputError(f"{path} is read-only", mend="make it writable, or name another folder with -o")
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)) as base:
            # fails while any other connection has the file in WAL mode, as QGIS does
            base.execute("PRAGMA journal_mode = DELETE").fetchone()
            base.execute("BEGIN EXCLUSIVE")
            base.execute("ROLLBACK")
    except sqlite3.OperationalError as fault:
        raise OutputError(
            f"{path.name} is open in another program and cannot be replaced ({fault}): {path}", mend=_CLOSE
        ) from fault
    except sqlite3.DatabaseError:
        return  # no database at all: nobody has it open as one


def earlier_files(folder: Path, formats: Sequence[str]) -> list[str]:
    """List the files that a run with `formats` takes the place of, relative to `folder`.

    These are the files of its own names, those that the earlier run listed in provenance.json, and what other
    programs derived from them and would be wrong beside new ones: spatial indexes, SQLite's logs.
    """
    names = {*_asked(folder, formats), *listed_files(folder)}
    derived = {f"{name}{end}" for name in names if name == GEOPACKAGE for end in SIDECARS}
    stems = {name.removesuffix(".shp") for name in names if name.endswith(".shp")}
    derived |= {f"{stem}{end}" for stem in stems for end in INDEXES}
    return sorted(names | {name for name in derived if (folder / name).exists()})


def listed_files(folder: Path) -> list[str]:
    """List the files that an earlier run's provenance.json lists and that are there, but for names not wetgeo's own."""
    try:
        listed = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))["files"]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return [PROVENANCE]  # it stands in the way, whatever it is
    own = {*FILES.values(), *BESIDE.values(), PROVENANCE, *_shapefile_names()}
    listed = {name for name in listed if isinstance(name, str)} if isinstance(listed, list) else set()
    return sorted(name for name in own & listed if os.path.lexists(folder / name))


def _foreign(folder: Path, there: Sequence[str]) -> list[str]:
    """Pick the files that no run of wetgeo is known to have written; none is told before a killed run was undone."""
    unknown = {*there} - {*listed_files(folder), PROVENANCE} if there else set()
    if not unknown or killed(folder):
        return []
    return sorted(name for name in unknown if not (folder / name).is_dir())


def _asked(folder: Path, formats: Sequence[str]) -> Iterator[str]:
    names = [PROVENANCE, *(of[one] for of in (FILES, BESIDE) for one in formats if one in of)]
    names += _shapefile_names() if "shp" in formats else []
    return (name for name in names if os.path.lexists(folder / name))


def _shapefile_names() -> list[str]:
    return [f"{FOLDER}/{FIELDS_CSV}", *(f"{FOLDER}/{layer}{part}" for layer in LAYERS for part in PARTS)]
