"""Which files of an output folder a run replaces, keeps, removes and refuses."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from delineated import delineation
from written import BOTH, clean, hashes, run

from wetgeo.errors import OutputError
from wetgeo.outputs import earlier, staging
from wetgeo.outputs.write import check_output, write_outputs

pytestmark = pytest.mark.usefixtures("quick_writers")


def test_the_files_written_are_returned_and_listed(tmp_path: Path) -> None:
    files = run(tmp_path / "a" / "b")
    assert files == sorted(files)
    listed = json.loads((tmp_path / "a" / "b" / "provenance.json").read_text(encoding="utf-8"))["files"]
    assert [path.relative_to(tmp_path / "a" / "b").as_posix() for path in files] == listed == sorted(listed)
    assert set(staging.files_in(tmp_path / "a" / "b")) == set(listed)


def test_earlier_outputs_are_replaced_and_the_users_files_stay(out: Path) -> None:
    before = hashes(out)
    run(out)
    after = hashes(out)
    assert before.keys() == after.keys()
    assert after["buffers.gpkg"] != before["buffers.gpkg"]
    assert {name for name in ("notes.txt", "shapefiles/plan.shp") if before[name] == after[name]} == {
        "notes.txt",
        "shapefiles/plan.shp",
    }
    assert clean(out)


def test_nothing_is_overwritten_unasked(out: Path) -> None:
    before = hashes(out)
    for act in (
        lambda: check_output(out, overwrite=False, formats=("gpkg",)),
        lambda: run(out, ("gpkg",), overwrite=False),
    ):
        with pytest.raises(OutputError, match=r"earlier run stand in .*: buffers\.gpkg") as told:
            act()
        assert "--overwrite" in told.value.mend
    assert hashes(out) == before
    check_output(out, overwrite=True, formats=BOTH)
    assert hashes(out) == before


@pytest.mark.parametrize("name", ["buffers.gpkg", "shapefiles/zones.dbf", "shapefiles/fields.csv", "provenance.json"])
def test_a_single_file_in_the_way_is_enough(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("?")
    with pytest.raises(OutputError, match=name):
        check_output(tmp_path, overwrite=False, formats=BOTH)


@pytest.mark.parametrize("provenance", [None, "{}", '{"files": ["shapefiles/zones.dbf"]}'])
def test_files_that_no_run_wrote_are_never_replaced(provenance: str | None, tmp_path: Path) -> None:
    (tmp_path / "buffers.gpkg").write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    if provenance is not None:
        (tmp_path / "provenance.json").write_text(provenance)
    before = hashes(tmp_path)
    for overwrite in (False, True):
        with pytest.raises(OutputError, match=r"not wetgeo's stand in .*: buffers\.gpkg; ") as told:
            run(tmp_path, overwrite=overwrite)
        assert "move them" in told.value.mend
        assert "--overwrite" not in told.value.mend
    assert hashes(tmp_path) == before
    run(tmp_path, ("shp",))
    assert (tmp_path / "buffers.gpkg").read_text() == "mine"


def test_what_this_run_does_not_write_is_removed_and_said(out: Path, caplog: pytest.LogCaptureFixture) -> None:
    (out / "report.html").write_text("mine, for no run listed it")
    with caplog.at_level(logging.INFO, "wetgeo"):
        run(out, ("gpkg",))
    assert set(staging.files_in(out)) == {
        "buffers.gpkg",
        "provenance.json",
        "notes.txt",
        "shapefiles/plan.shp",
        "report.html",
    }
    assert "removed" in caplog.text
    assert "fields.csv" in caplog.text
    (out / "shapefiles" / "plan.shp").unlink()
    run(out, BOTH)
    run(out, ("gpkg",))
    assert not (out / "shapefiles").exists()


def test_a_list_that_names_foreign_files_is_not_believed(out: Path) -> None:
    (out.parent / "precious").write_text("mine")
    listed = [
        "../precious",
        "buffers.gpkg",
        "notes.txt",
        "shapefiles/../notes.txt",
        "/etc/hostname",
        None,
        {"a": 1},
        "shapefiles/plan.shp",
    ]
    (out / "provenance.json").write_text(json.dumps({"files": listed}))
    before = hashes(out)
    run(out, ("gpkg",))
    assert (out.parent / "precious").exists()
    assert hashes(out)["notes.txt"] == before["notes.txt"]
    assert (out / "shapefiles" / "plan.shp").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": 3}', '{"files": null}', "\xff"])
def test_a_provenance_that_says_nothing_is_only_in_the_way(text: str, tmp_path: Path) -> None:
    (tmp_path / "provenance.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(OutputError, match=r"provenance\.json"):
        check_output(tmp_path, overwrite=False, formats=())
    assert run(tmp_path, ("gpkg",))


def test_indexes_of_the_earlier_shapefiles_go(out: Path) -> None:
    for name in ("buffers.qix", "buffers.sbn", "plan.qix", "buffers.qml"):
        (out / "shapefiles" / name).write_text("?")
    run(out)
    left = {path.name for path in (out / "shapefiles").iterdir()}
    assert left & {"buffers.qix", "buffers.sbn", "plan.qix", "buffers.qml"} == {"plan.qix", "buffers.qml"}


def test_folders_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("?")
    for folder in (tmp_path / "file", tmp_path / "file" / "out"):
        for act in (check_output, lambda f, **k: write_outputs(delineation(tmp_path), f, **k)):
            with pytest.raises(OutputError, match=r"file is no folder"):
                act(folder, overwrite=True, formats=BOTH)
    monkeypatch.setattr(earlier.os, "access", lambda path, _mode: Path(path) != tmp_path)
    with pytest.raises(OutputError, match="no permission to write"):
        check_output(tmp_path / "a" / "b", overwrite=False, formats=BOTH)


def test_things_in_the_way_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "buffers.gpkg").mkdir()
    (tmp_path / "shapefiles").write_text("?")
    with pytest.raises(OutputError) as told:
        check_output(tmp_path, overwrite=True, formats=BOTH)
    assert told.value.faults == ("buffers.gpkg is a folder", "shapefiles is a file, and must be a folder")


def test_a_file_that_is_no_geopackage_is_replaced_when_asked(tmp_path: Path) -> None:
    (tmp_path / "buffers.gpkg").write_text("no database " * 100)
    (tmp_path / "provenance.json").write_text('{"files": ["buffers.gpkg"]}')
    run(tmp_path, ("gpkg",))
    assert (tmp_path / "buffers.gpkg").read_bytes().startswith(b"SQLite format 3")


def test_a_layer_that_the_schema_does_not_know_is_refused(tmp_path: Path) -> None:
    made = delineation(tmp_path)
    with pytest.raises(ValueError, match="bufers"):
        write_outputs(
            delineation(tmp_path, layers={"bufers": made.layers["buffers"]}),
            tmp_path / "out",
            overwrite=False,
            formats=(),
        )
