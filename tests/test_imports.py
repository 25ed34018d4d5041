"""What is cheap stays cheap: nothing heavy is loaded before a command needs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "numpy",
    "scipy",
    "shapely",
    "pandas",
    "geopandas",
    "pyproj",
    "rasterio",
    "fiona",
    "pyogrio",
    "pyarrow",
    "numba",
    "richdem",
    "pydantic",
    "rich",
    "matplotlib",
}
_HELP = """
import sys
from wetgeo.cli import main
try:
    main({words!r})
except SystemExit as end:
    assert not end.code, end.code
"""


def _loaded(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after `code`."""
    tail = "\nimport sys\nsys.stdout.flush()\nprint('\\nLOADED', *{name.partition('.')[0] for name in sys.modules})\n"
    result = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.rpartition("LOADED")[2].split())


@pytest.mark.parametrize(
    "code",
    ["import wetgeo", _HELP.format(words=["--help"]), _HELP.format(words=["--version"])],
    ids=["import", "help", "version"],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    assert not _loaded(code) & HEAVY


def test_the_module_runs_as_a_program() -> None:
    result = subprocess.run([sys.executable, "-m", "wetgeo", "--help"], capture_output=True, text=True, check=False)
    assert result.returncode == 0
    assert "Usage" in result.stdout
