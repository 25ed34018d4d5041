"""What a piece of work was done from, so that it is done again when that has changed, and only then."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import shapely

import wetgeo
from wetgeo.project import Project
from wetgeo.rules.load import load_pack

MANIFEST = "manifest.json"
_BLOCK = 2**20
_LIBRARIES = ("shapely", "numpy", "scipy", "pyproj", "rasterio", "numba")
#: files that belong to one with another ending
_BESIDE = (".shx", ".dbf", ".prj", ".cpg", ".aux.xml", ".tfw")


def write_json(path: Path, content: object) -> None:
    """Write a JSON file as a whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    part.replace(path)


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file; nothing where there is none, or none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def fingerprint(project: Project, known: Mapping[str, Any]) -> dict[str, Any]:
    """State all that the results of a project depend on: rule, options, sources, files, code and libraries.

    Parameters
    ----------
    project
        The project.
    known
        The fingerprint of an earlier run: the hash of a file whose size and time are as they were is taken from it,
        and ``found``, the files that were read though the project does not name them.
    """
    pack = load_pack(project.rule, project.folder)
    sources = {name: repr(source) for name, source in sorted(project.layers.items())}
    before = known.get("files", {})
    return {
        "rule": pack.sha256,
        "options": {name: repr(value) for name, value in sorted(project.options.items())},
        "date": project.date.isoformat(),
        "crs": project.crs,
        "sources": sources,
        "dem": repr(project.dem),
        "code": code_hash(),
        "versions": {name: metadata.version(name) for name in _LIBRARIES} | {"geos": shapely.geos_version_string},
        "files": {
            str(path): _file(path, before.get(str(path), {}))
            for path in sorted({*_files(project), *map(Path, known.get("found", ()))})
        },
        "found": sorted(known.get("found", ())),
    }


def ground_rules(found: Mapping[str, Any], project: Project) -> str:
    """Hash what all tiles depend on alike: everything but the vector files, whose features each tile knows itself."""
    rasters = {str(path) for path in (project.dem.paths if project.dem else ())}
    part = {key: value for key, value in found.items() if key not in ("files", "found", "sources")}
    part["rasters"] = {name: value["sha256"] for name, value in found["files"].items() if name in rasters}
    return hashlib.sha256(json.dumps(part, sort_keys=True).encode()).hexdigest()


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two fingerprints say the same; times of files do not count."""
    return _comparable(one) == _comparable(other)


def _comparable(found: Mapping[str, Any]) -> dict[str, Any]:
    return {**found, "files": {name: file["sha256"] for name, file in found.get("files", {}).items()}}


@lru_cache(maxsize=1)
def code_hash() -> str:
    """Hash the code of wetgeo."""
    digest = hashlib.sha256()
    folder = Path(wetgeo.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _files(project: Project) -> list[Path]:
    found: list[Path] = []
    for path in project.files:
        if path.is_dir():  # a FileGDB, or a folder of tables
            found += [file for file in path.rglob("*") if file.is_file()]
            continue
        found.append(path)
        beside = [path.with_suffix(end) for end in _BESIDE] + [Path(f"{path}-wal")]
        found += [file for file in beside if file.is_file()]
    return sorted(set(found))


def _file(path: Path, before: Mapping[str, Any]) -> dict[str, Any]:
    try:
        state = path.stat()
        if before.get("size") == state.st_size and before.get("time") == state.st_mtime_ns:
            return dict(before)
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError:  # the reader says what is wrong with it
        return {"size": None, "time": None, "sha256": None}
    return {"size": state.st_size, "time": state.st_mtime_ns, "sha256": digest.hexdigest()}


def digest_of(parts: Iterable[object]) -> str:
    """Hash frames, arrays of geometries, bytes and whatever has a repr that tells all of it."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, pd.DataFrame):
            plain = pd.DataFrame(part.drop(columns="geometry", errors="ignore"))
            digest.update(plain.to_csv(index=False).encode())
            if "geometry" in part:
                _shapes(digest, part["geometry"].to_numpy())
        elif isinstance(part, np.ndarray) and part.dtype == object:
            _shapes(digest, part)
        else:
            digest.update(part if isinstance(part, bytes) else repr(part).encode())
        digest.update(b"\0")
    return digest.hexdigest()


def _shapes(digest: Any, shapes: np.ndarray) -> None:  # noqa: ANN401 -- hashlib names no type
    for wkb in shapely.to_wkb(shapes):
        digest.update(wkb)
