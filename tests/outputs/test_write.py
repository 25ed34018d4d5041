"""Outputs as a whole or not at all: failures, interruptions, locks and what other programs hold."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from delineated import delineation

from wetgeo.delineation import Delineation
from wetgeo.errors import OutputError
from wetgeo.outputs import earlier, staging, write
from wetgeo.outputs.write import check_output, claim, write_outputs

BOTH = ("gpkg", "shp")


def _quick_geopackage(ready: Delineation, folder: Path) -> None:
    with closing(sqlite3.connect(folder / "buffers.gpkg", isolation_level=None)) as base:
        base.execute("PRAGMA synchronous = OFF")
        base.execute(
            "CREATE TABLE gpkg_contents AS SELECT ? AS description", (f"{len(ready.layers['resources'])} rows",)
        )


def _quick_shapefiles(ready: Delineation, folder: Path) -> None:
    (folder / "shapefiles").mkdir()
    for name in earlier._shapefile_names():
        (folder / name).write_text(f"{len(ready.layers['resources'])} rows")


@pytest.fixture(autouse=True)
def _quick_writers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writers that lay the same files, but not their contents: these tests are on what stands where."""
    monkeypatch.setattr(write, "WRITERS", {"gpkg": _quick_geopackage, "shp": _quick_shapefiles})


def _hashes(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in staging.files_in(folder)}


def _clean(folder: Path) -> bool:
    """Tell that no lock and no temporary folder is left."""
    return not list(folder.glob(".wetgeo*"))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An output folder with the outputs of an earlier run, other files of the user's among them."""
    write_outputs(delineation(tmp_path, layers={}), tmp_path / "out", overwrite=False, formats=BOTH)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "out" / "shapefiles" / "plan.shp").write_text("mine too")
    return tmp_path / "out"


def _run(out: Path, formats: tuple[str, ...] = BOTH, *, overwrite: bool = True) -> list[Path]:
    out.parent.mkdir(exist_ok=True)
    return write_outputs(delineation(out.parent), out, overwrite=overwrite, formats=formats)


def test_the_files_written_are_returned_and_listed(tmp_path: Path) -> None:
    files = _run(tmp_path / "a" / "b")
    assert files == sorted(files)
    listed = json.loads((tmp_path / "a" / "b" / "provenance.json").read_text(encoding="utf-8"))["files"]
    assert [path.relative_to(tmp_path / "a" / "b").as_posix() for path in files] == listed == sorted(listed)
    assert set(staging.files_in(tmp_path / "a" / "b")) == set(listed)


def test_earlier_outputs_are_replaced_and_the_users_files_stay(out: Path) -> None:
    before = _hashes(out)
    _run(out)
    after = _hashes(out)
    assert before.keys() == after.keys()
    assert after["buffers.gpkg"] != before["buffers.gpkg"]
    assert {name for name in ("notes.txt", "shapefiles/plan.shp") if before[name] == after[name]} == {
        "notes.txt",
        "shapefiles/plan.shp",
    }
    assert _clean(out)


def test_nothing_is_overwritten_unasked(out: Path) -> None:
    before = _hashes(out)
    for act in (
        lambda: check_output(out, overwrite=False, formats=("gpkg",)),
        lambda: _run(out, ("gpkg",), overwrite=False),
    ):
        with pytest.raises(OutputError, match=r"earlier run stand in .*: buffers\.gpkg") as told:
            act()
        assert "--overwrite" in told.value.mend
    assert _hashes(out) == before
    check_output(out, overwrite=True, formats=BOTH)
    assert _hashes(out) == before


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
    before = _hashes(tmp_path)
    for overwrite in (False, True):
        with pytest.raises(OutputError, match=r"not wetgeo's stand in .*: buffers\.gpkg; ") as told:
            _run(tmp_path, overwrite=overwrite)
        assert "move them" in told.value.mend
        assert "--overwrite" not in told.value.mend
    assert _hashes(tmp_path) == before
    _run(tmp_path, ("shp",))
    assert (tmp_path / "buffers.gpkg").read_text() == "mine"


def _fail(kind: type[BaseException]) -> Callable[..., None]:
    def fail(*_words: object) -> None:
        raise kind("stopped")

    return fail


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, OutputError])
def test_a_writer_that_fails_leaves_all_as_it_was(kind: type, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _hashes(out)
    monkeypatch.setitem(write.WRITERS, "shp", _fail(kind))
    with pytest.raises(kind, match="stopped"):
        _run(out)
    assert _hashes(out) == before
    assert _clean(out)
    with pytest.raises(kind, match="stopped"):
        _run(out.parent / "new")
    assert not (out.parent / "new").exists()


@pytest.mark.parametrize("kind", [PermissionError, KeyboardInterrupt])
@pytest.mark.parametrize("step", [0, 1, 30, 58, 59, 60, 90, 110])
def test_an_exchange_that_fails_is_undone(kind: type, step: int, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _hashes(out)
    real, calls = staging._move, []

    def move(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == step + 1:
            raise kind(13, "in use", str(source))
        real(source, target)

    monkeypatch.setattr(staging, "_move", move)
    with pytest.raises((OutputError, KeyboardInterrupt)):
        _run(out)
    assert len(calls) > step
    assert _hashes(out) == before
    assert _clean(out)


def test_an_exchange_that_cannot_be_undone_keeps_the_earlier_files(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _hashes(out)
    real, calls = staging._move, []

    def move(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) > 60:
            raise PermissionError(13, "in use", str(source))
        real(source, target)

    monkeypatch.setattr(staging, "_move", move)
    with pytest.raises(OutputError, match="in use"):
        _run(out)
    monkeypatch.undo()
    with claim(out):
        assert _hashes(out).items() >= before.items()
    assert _clean(out)


_KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from delineated import delineation
from wetgeo.outputs import staging, write
real, calls = staging._move, []
def move(source, target):
    calls.append(target)
    if len(calls) == {step}:
        os._exit(9)
    real(source, target)
staging._move = move
out = Path({out!r})
write.write_outputs(delineation(out.parent), out, overwrite=True, formats=("gpkg", "shp"))
"""


@pytest.mark.parametrize("step", [1, 40, 70, 97])
def test_a_run_killed_amid_the_exchange_is_undone_by_the_next(step: int, out: Path) -> None:
    before = _hashes(out)
    code = _KILLED.format(tests=str(Path(__file__).parent), step=step, out=str(out))
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert not _clean(out)
    with claim(out):
        pass
    assert _hashes(out) == before
    assert _clean(out)


def test_what_this_run_does_not_write_is_removed_and_said(out: Path, caplog: pytest.LogCaptureFixture) -> None:
    (out / "report.html").write_text("mine, for no run listed it")
    with caplog.at_level(logging.INFO, "wetgeo"):
        _run(out, ("gpkg",))
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
    _run(out, BOTH)
    _run(out, ("gpkg",))
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
    before = _hashes(out)
    _run(out, ("gpkg",))
    assert (out.parent / "precious").exists()
    assert _hashes(out)["notes.txt"] == before["notes.txt"]
    assert (out / "shapefiles" / "plan.shp").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": 3}', '{"files": null}', "\xff"])
def test_a_provenance_that_says_nothing_is_only_in_the_way(text: str, tmp_path: Path) -> None:
    (tmp_path / "provenance.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(OutputError, match=r"provenance\.json"):
        check_output(tmp_path, overwrite=False, formats=())
    assert _run(tmp_path, ("gpkg",))


def test_indexes_of_the_earlier_shapefiles_go(out: Path) -> None:
    for name in ("buffers.qix", "buffers.sbn", "plan.qix", "buffers.qml"):
        (out / "shapefiles" / name).write_text("?")
    _run(out)
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


def test_a_full_disk_is_told(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _hashes(out)

    def full(*_words: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(write.WRITERS, "shp", full)
    with pytest.raises(OutputError, match="No space left on device") as told:
        _run(out)
    assert "free space" in told.value.mend
    assert _hashes(out) == before


_LIMITED = """
import resource, signal, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from delineated import delineation
from wetgeo.delineation import Delineation
from wetgeo.errors import OutputError
from wetgeo.outputs.write import write_outputs
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({size},) * 2)
out = Path({out!r})
try:
    write_outputs(delineation(out.parent), out, overwrite=True, formats=({format!r},))
except OutputError as fault:
    print(fault)
    sys.exit(7)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs the limits of POSIX")
@pytest.mark.parametrize(
    ("name", "size"), [("gpkg", 1000), ("gpkg", 100_000), ("gpkg", 150_000), ("shp", 60), ("shp", 900)]
)
def test_a_file_that_cannot_grow_is_told(name: str, size: int, out: Path) -> None:
    before = _hashes(out)
    code = _LIMITED.format(tests=str(Path(__file__).parent), size=size, out=str(out), format=name)
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 7, result.stderr
    assert "cannot be written" in result.stdout or "could" in result.stdout
    assert _hashes(out) == before
    assert _clean(out)


def test_a_geopackage_held_by_another_program_is_left_alone(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "_BUSY_SECONDS", 0.2)
    before = _hashes(out)
    with closing(sqlite3.connect(out / "buffers.gpkg", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for act in (lambda: check_output(out, overwrite=True, formats=BOTH), lambda: _run(out)):
            began = time.monotonic()
            with pytest.raises(OutputError, match=r"buffers\.gpkg is open in another program"):
                act()
            assert time.monotonic() - began < 5
        other.execute("ROLLBACK")
    assert _hashes(out) == before
    _run(out)
    assert _hashes(out)["buffers.gpkg"] != before["buffers.gpkg"]


def test_a_geopackage_open_in_wal_mode_is_left_alone(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "_BUSY_SECONDS", 0.2)
    with closing(sqlite3.connect(out / "buffers.gpkg", isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("UPDATE gpkg_contents SET description = 'edited'")
        assert (out / "buffers.gpkg-wal").exists()
        before = _hashes(out)
        with pytest.raises(OutputError, match=r"buffers\.gpkg is open in another program"):
            _run(out)
        # the shared-memory index holds no data
        assert {**_hashes(out), "buffers.gpkg-shm": ""} == {**before, "buffers.gpkg-shm": ""}
        assert other.execute("SELECT description FROM gpkg_contents LIMIT 1").fetchone() == ("edited",)
    # the other program is gone
    _run(out)
    assert not list(out.glob("buffers.gpkg?*"))


def test_a_geopackage_opened_while_a_run_reckons_is_left_alone(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "_BUSY_SECONDS", 0.2)
    before = _hashes(out)
    others = []

    def open_it(*_words: object) -> None:
        others.append(sqlite3.connect(out / "buffers.gpkg", isolation_level=None))
        others[0].execute("BEGIN EXCLUSIVE")

    monkeypatch.setitem(write.WRITERS, "shp", open_it)
    with pytest.raises(OutputError, match=r"buffers\.gpkg is open in another program"):
        _run(out)
    others[0].close()
    assert _hashes(out) == before
    assert _clean(out)


def test_a_log_that_a_dead_program_left_does_not_stay_beside_the_new_file(out: Path) -> None:
    code = (
        "import os, sqlite3, sys\nbase = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "base.execute('PRAGMA journal_mode = WAL')\nbase.execute(\"UPDATE gpkg_contents SET description = 'lost'\")\n"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(out / "buffers.gpkg")], check=True)
    assert (out / "buffers.gpkg-wal").exists()
    _run(out)
    assert not list(out.glob("buffers.gpkg?*"))
    with closing(sqlite3.connect(out / "buffers.gpkg")) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert not base.execute("SELECT 1 FROM gpkg_contents WHERE description = 'lost'").fetchall()


def test_a_file_that_is_no_geopackage_is_replaced_when_asked(tmp_path: Path) -> None:
    (tmp_path / "buffers.gpkg").write_text("no database " * 100)
    (tmp_path / "provenance.json").write_text('{"files": ["buffers.gpkg"]}')
    _run(tmp_path, ("gpkg",))
    assert (tmp_path / "buffers.gpkg").read_bytes().startswith(b"SQLite format 3")


_HOLDER = """
import sys, time
from pathlib import Path
from wetgeo.outputs.staging import claim
with claim(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_two_runs_do_not_write_into_one_folder(out: Path) -> None:
    before = _hashes(out)
    with subprocess.Popen([sys.executable, "-c", _HOLDER, str(out)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(OutputError, match="another run of wetgeo"):
            check_output(out, overwrite=True, formats=BOTH)
        with pytest.raises(OutputError, match=rf"another run of wetgeo \(process {holder.pid}\)"):
            _run(out)
        assert {**_hashes(out), ".wetgeo.lock": ""} == {**before, ".wetgeo.lock": ""}
        os.kill(holder.pid, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    # the lock of a dead process is none
    assert (out / ".wetgeo.lock").exists()
    check_output(out, overwrite=True, formats=BOTH)
    _run(out)
    assert _clean(out)


def test_a_caller_may_hold_the_folder_for_the_whole_run(out: Path) -> None:
    with claim(out):
        with pytest.raises(OutputError, match="another run"):
            _run(out)
        write_outputs(delineation(out.parent), out, overwrite=True, formats=BOTH, claimed=True)
    assert _clean(out)


def test_temporary_folders_of_dead_runs_are_removed(out: Path) -> None:
    (out / ".wetgeo-abc" / "new").mkdir(parents=True)
    (out / ".wetgeo-abc" / "new" / "buffers.gpkg").write_text("half")
    _run(out)
    assert _clean(out)


def test_a_layer_that_the_schema_does_not_know_is_refused(tmp_path: Path) -> None:
    made = delineation(tmp_path)
    with pytest.raises(ValueError, match="bufers"):
        write_outputs(
            delineation(tmp_path, layers={"bufers": made.layers["buffers"]}),
            tmp_path / "out",
            overwrite=False,
            formats=(),
        )
