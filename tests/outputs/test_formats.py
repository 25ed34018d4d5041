"""The formats that a project file may ask for."""

from __future__ import annotations

from pathlib import Path

from delineated import delineation

from wetgeo.outputs.write import WRITERS, prepare
from wetgeo.project import FORMATS


def test_every_format_of_a_project_file_has_a_writer_that_writes(tmp_path: Path) -> None:
    assert set(WRITERS) == set(FORMATS)
    ready = prepare(delineation(tmp_path), FORMATS)
    for name in FORMATS:
        folder = tmp_path / name
        folder.mkdir()
        WRITERS[name](ready, folder)
        assert any(path.stat().st_size for path in folder.rglob("*") if path.is_file())
