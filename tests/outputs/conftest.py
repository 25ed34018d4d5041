"""Fixtures of the tests on what stands in an output folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from delineated import delineation
from written import BOTH, quick_geopackage, quick_shapefiles

from wetgeo.outputs import write


@pytest.fixture
def quick_writers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writers that lay the same files, but not their contents."""
    monkeypatch.setattr(write, "WRITERS", {"gpkg": quick_geopackage, "shp": quick_shapefiles})


@pytest.fixture
def out(tmp_path: Path, quick_writers: None) -> Path:
    """An output folder with the outputs of an earlier run, other files of the user's among them."""
    write.write_outputs(delineation(tmp_path, layers={}), tmp_path / "out", overwrite=False, formats=BOTH)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "out" / "shapefiles" / "plan.shp").write_text("mine too")
    return tmp_path / "out"
