"""provenance.json: what made the outputs, from which files."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fiona
import pyogrio
import pyproj
import rasterio
import shapely

import wetgeo
from wetgeo.pieces import Layers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wetgeo.delineation import Delineation

#: the file's name in the output folder
PROVENANCE = "provenance.json"

_LIBRARIES = (
    "geopandas",
    "pandas",
    "numpy",
    "scipy",
    "shapely",
    "pyproj",
    "pyogrio",
    "fiona",
    "rasterio",
    "numba",
    "richdem2",
)
_BLOCK = 2**20
#: files that belong to one with another ending: of a shapefile, of a raster, of a GeoPackage that is in use
_SIDECARS = (".shx", ".dbf", ".prj", ".cpg", ".tfw", ".aux.xml")
_WITH_SIDECARS = (".shp", ".dbf", ".tif", ".tiff", ".img", ".asc")
_APPENDED = (".aux.xml", "-wal")


def write_provenance(delineation: Delineation, folder: Path, files: Sequence[str]) -> None:
    """Write ``provenance.json`` into `folder`.

    Parameters
    ----------
    delineation
        With conformed layers.
    folder
        An existing folder.
    files
        The other files written, relative to the output folder.

    Raises
    ------
    OSError
        The file cannot be written, or an input not be read again.
    """
    text = json.dumps(provenance(delineation, files), indent=1, ensure_ascii=False, default=str)
    (folder / PROVENANCE).write_text(text + "\n", encoding="utf-8")


def provenance(delineation: Delineation, files: Sequence[str]) -> dict[str, Any]:
    """Gather what provenance.json holds; see `write_provenance`."""
    project, pack, crs = delineation.project, delineation.pack, delineation.crs
    axis, layers = crs.axis_info[0], Layers.of(delineation.layers)
    return {
        "wetgeo": wetgeo.__version__,
        "command": delineation.command,
        "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "project": {"name": project.name, **_file(project.path, project.path.as_posix())},
        "application_date": project.date.isoformat(),
        "rule": {
            "id": pack.id,
            "title": pack.title,
            "version": pack.version,
            "effective": pack.effective,
            "sha256": pack.sha256,
            "path": Path(pack.path).as_posix(),
        },
        "options": dict(delineation.options),
        "crs": {
            "name": crs.name,
            "unit": axis.unit_name,
            "unit_m": axis.unit_conversion_factor,
            "wkt": crs.to_wkt(),
        },
        "inputs": [_file(path, _relative(path, project.folder)) for path in input_files(delineation.inputs)],
        "layers": {name: layers.rows(name) for name in layers},
        "files": sorted([*files, PROVENANCE]),
        "versions": versions(),
    }


def input_files(inputs: Sequence[Path]) -> list[Path]:
    """All files behind the inputs: the parts of a shapefile, the files of a folder; each once, sorted by path."""
    return sorted({file for path in inputs for file in _parts(Path(path))})


def versions() -> dict[str, str]:
    """Versions of Python, the libraries, and the GEOS, PROJ and GDAL that each of them brings along."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        found[name] = metadata.version(name)
    return found | {
        "GEOS (shapely)": shapely.geos_version_string,
        "PROJ (pyproj)": pyproj.proj_version_str,
        "GDAL (pyogrio)": ".".join(map(str, pyogrio.__gdal_version__)),
        "GDAL (fiona)": fiona.__gdal_version__,
        "GDAL (rasterio)": rasterio.__gdal_version__,
    }


def _parts(path: Path) -> Iterator[Path]:
    if path.is_dir():  # a FileGDB
        yield from (file for file in path.rglob("*") if file.is_file())
        return
    yield path
    ends = _SIDECARS if path.suffix.lower() in _WITH_SIDECARS else ()
    besides = [path.with_suffix(end.upper() if path.suffix.isupper() else end) for end in ends]
    yield from (file for file in (*besides, *(Path(f"{path}{end}") for end in _APPENDED)) if file.is_file())


def _file(path: Path, shown: str) -> dict[str, Any]:
    """Path, size and hash; null for a file that is gone since it was read."""
    if not path.is_file():
        return {"path": shown, "size": None, "sha256": None}
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(_BLOCK):
            digest.update(block)
        return {"path": shown, "size": os.fstat(file.fileno()).st_size, "sha256": digest.hexdigest()}


def _relative(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()
