"""What no test foresaw is told in one sentence; progress as lines for programs."""

from __future__ import annotations

import re

import pytest
from small_site import WETLANDS, wetlands, write_layer, write_project

import wetgeo.project


@pytest.fixture
def project(tmp_path):
    write_layer(tmp_path / "wetlands.gpkg", wetlands())
    return write_project(tmp_path, wetlands=WETLANDS, tail='[outputs]\nformats = ["gpkg"]')


def fail_with(fault, monkeypatch):
    def fail(*_given, **_more):
        raise fault

    monkeypatch.setattr(wetgeo.project, "load_project", fail)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (MemoryError(), ("Error: this machine has not the memory", "To mend it: see whether a geometry or a raster")),
        (ZeroDivisionError("by 0"), ("Error: wetgeo failed in a way it should not: ZeroDivisionError: by 0", "-vv")),
    ],
    ids=["memory", "unforeseen"],
)
def test_faults_that_nobody_foresaw_leave_earlier_outputs_and_no_traceback(
    fault, told, project, run_wetgeo, monkeypatch
):
    assert run_wetgeo("run", project).code == 0
    before = (project.parent / "out" / "buffers.gpkg").read_bytes()
    fail_with(fault, monkeypatch)
    result = run_wetgeo("run", project, "--overwrite")
    assert result.code == 1
    assert all(words in result.err for words in told)
    assert "arlier outputs are as they were" in result.err
    assert "Traceback" not in result.err
    assert (project.parent / "out" / "buffers.gpkg").read_bytes() == before


def test_with_vv_an_unforeseen_fault_shows_where(project, run_wetgeo, monkeypatch):
    fail_with(ZeroDivisionError("by 0"), monkeypatch)
    with pytest.raises(ZeroDivisionError, match="by 0"):
        run_wetgeo("run", project, "-vv")


def test_a_program_gets_progress_as_lines_that_never_go_back(project, run_wetgeo, monkeypatch):
    monkeypatch.setenv("WETGEO_PROGRESS", "lines")
    result = run_wetgeo("run", project)
    assert result.code == 0
    shares = [int(share) for share in re.findall(r"^\[ *(\d+)%\] \S", result.err, re.MULTILINE)]
    assert len(shares) > 5
    assert shares == sorted(shares)
    assert shares[-1] <= 100
