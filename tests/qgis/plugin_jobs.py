"""Jobs for the plugin, made from project files, so that both say the same."""

from __future__ import annotations

import json
import shutil
import stat
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import qgis_program
from places import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROFILE = ".local/share/QGIS/QGIS3/profiles/default/python/plugins"


def package() -> Callable[[Path], Path]:
    """The function of scripts/package_plugin, which bears no ending."""
    import importlib.machinery
    import importlib.util

    loader = importlib.machinery.SourceFileLoader("package_plugin", str(ROOT / "scripts" / "package_plugin"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module.package


def install(home: Path, dist: Path) -> Path:
    """Unpack the plugin's zip into a profile; returns the profile's folder of plugins."""
    folder = home / PROFILE
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(package()(dist)) as packed:
        packed.extractall(folder)
    return folder


def program(folder: Path) -> Path:
    """A program `wetgeo` that runs this checkout in the Python of the tests."""
    path = folder / "wetgeo"
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m wetgeo "$@"\n', encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def parameters(project: Path) -> dict[str, Any]:
    """Parameters that say what a project file says."""
    document = tomllib.loads(project.read_text(encoding="utf-8"))
    head = document["project"]
    found: dict[str, Any] = {"RULE": head["rule"], "NAME": head["name"], "DATE": str(head["date"])}
    if "crs" in head:
        found["CRS"] = head["crs"]
    for name, layer in document["layers"].items():
        path = (project.parent / layer["path"]).resolve()
        inner = f"|layername={layer['layer']}" if "layer" in layer else ""
        found[name.upper()] = {"source": f"{path}{inner}", "subset": layer.get("where")}
        found |= {f"{name.upper()}_{role.upper()}": field for role, field in layer.get("fields", {}).items()}
    defaults = [
        (name, role, str(value))
        for name, layer in document["layers"].items()
        for role, value in layer.get("defaults", {}).items()
    ]
    if defaults:
        found["DEFAULTS"] = [cell for row in defaults for cell in row]
    if "dem" in document:
        found["DEM"] = {"raster": str((project.parent / document["dem"]["path"]).resolve())}
        found["DEM_UNIT"] = document["dem"].get("z_unit", "as the file says")
    if "options" in document:
        found["OPTIONS"] = [cell for pair in document["options"].items() for cell in map(str, pair)]
    return found


def run_jobs(home: Path, plugins: Path, jobs: Sequence[dict[str, Any]], folder: Path, **more: str) -> dict[str, Any]:
    """Run jobs in one QGIS, each on files of its own: QGIS 3.22 loses hold of a GeoPackage that it opens anew."""
    path = folder / "jobs.json"
    own = [{**job, "parameters": _on_copies(job["parameters"], folder / f"layers{i}")} for i, job in enumerate(jobs)]
    path.write_text(json.dumps(own), encoding="utf-8")
    return qgis_program.run_inside(home, "run_algorithms.py", path, plugins, **more)


def _on_copies(given: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Let parameters name copies of the GeoPackages that they name."""
    folder.mkdir(exist_ok=True)
    return {name: _on_copy(one, folder) if isinstance(one, dict) else one for name, one in given.items()}


def _on_copy(layer: dict[str, Any], folder: Path) -> dict[str, Any]:
    copied = {}
    for key in layer.keys() & {"source", "copy_of"}:
        path, bar, inner = layer[key].partition("|")
        if path.endswith(".gpkg"):
            copy = folder / f"{key}-{Path(path).name}"
            if not copy.exists():
                shutil.copyfile(path, copy)
            copied[key] = f"{copy}{bar}{inner}"
    return {**layer, **copied}
