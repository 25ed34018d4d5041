"""Versions of all programs, and the machine."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

PACKAGES = ("geopandas", "shapely", "pyogrio", "rasterio", "exactextract", "richdem2", "numba", "numpy", "pandas")
PROGRAMS = {
    "QGIS": ["/usr/bin/qgis_process.bin", "--version"],
    "GRASS": ["grass", "--version"],
    "PostgreSQL": ["psql", "--version"],
    "GDAL (QGIS, GRASS, ogr2ogr)": ["ogr2ogr", "--version"],
}


def all_versions() -> dict[str, str]:
    """Return name to version of wetgeo, the libraries and the programs that are installed."""
    import shapely

    import wetgeo

    found = {"wetgeo": wetgeo.__version__, "Python": platform.python_version()}
    for name in PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    found["GEOS (shapely)"] = shapely.geos_version_string
    for name, command in PROGRAMS.items():
        if shutil.which(command[0]):
            found[name] = _version(command)
    return found


def machine() -> str:
    """Describe the machine: processor, cores, memory."""
    cpu = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.*)", cpu.read_text()) if cpu.exists() else []
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()}"
    )


def _version(command: list[str]) -> str:
    env = {"PATH": "/usr/bin:/bin", "QT_QPA_PLATFORM": "offscreen", "HOME": "/tmp"}
    said = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    number = re.search(r"\d+\.\d+(\.\d+)?", said.stdout + said.stderr)
    return number.group() if number else "unknown"
