"""Outputs that another run or another program holds."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from delineated import delineation
from written import BOTH, clean, hashes, run

from wetgeo.errors import OutputError
from wetgeo.outputs import earlier, write
from wetgeo.outputs.write import check_output, claim, write_outputs

pytestmark = pytest.mark.usefixtures("quick_writers")


def test_a_geopackage_held_by_another_program_is_left_alone(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "_BUSY_SECONDS", 0.2)
    before = hashes(out)
    with closing(sqlite3.connect(out / "buffers.gpkg", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for act in (lambda: check_output(out, overwrite=True, formats=BOTH), lambda: run(out)):
            began = time.monotonic()
            with pytest.raises(OutputError, match=r"buffers\.gpkg is open in another program"):
                act()
            assert time.monotonic() - began < 5
        other.execute("ROLLBACK")
    assert hashes(out) == before
    run(out)
    assert hashes(out)["buffers.gpkg"] != before["buffers.gpkg"]


def test_a_geopackage_open_in_wal_mode_is_left_alone(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "_BUSY_SECONDS", 0.2)
    with closing(sqlite3.connect(out / "buffers.gpkg", isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("UPDATE gpkg_contents SET description = 'edited'")
        assert (out / "buffers.gpkg-wal").exists()
        before = hashes(out)
        with pytest.raises(OutputError, match=r"buffers\.gpkg is open in another program"):
            run(out)
        # the shared-memory index holds no data
        assert {**hashes(out), "buffers.gpkg-shm": ""} == {**before, "buffers.gpkg-shm": ""}
        assert other.execute("SELECT description FROM gpkg_contents LIMIT 1").fetchone() == ("edited",)
    # the other program is gone
    run(out)
    assert not list(out.glob("buffers.gpkg?*"))


def test_a_geopackage_opened_while_a_run_reckons_is_left_alone(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "_BUSY_SECONDS", 0.2)
    before = hashes(out)
    others = []

    def open_it(*_words: object) -> None:
        others.append(sqlite3.connect(out / "buffers.gpkg", isolation_level=None))
        others[0].execute("BEGIN EXCLUSIVE")

    monkeypatch.setitem(write.WRITERS, "shp", open_it)
    with pytest.raises(OutputError, match=r"buffers\.gpkg is open in another program"):
        run(out)
    others[0].close()
    assert hashes(out) == before
    assert clean(out)


def test_a_log_that_a_dead_program_left_does_not_stay_beside_the_new_file(out: Path) -> None:
    code = (
        "import os, sqlite3, sys\nbase = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "base.execute('PRAGMA journal_mode = WAL')\nbase.execute(\"UPDATE gpkg_contents SET description = 'lost'\")\n"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(out / "buffers.gpkg")], check=True)
    assert (out / "buffers.gpkg-wal").exists()
    run(out)
    assert not list(out.glob("buffers.gpkg?*"))
    with closing(sqlite3.connect(out / "buffers.gpkg")) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert not base.execute("SELECT 1 FROM gpkg_contents WHERE description = 'lost'").fetchall()


_HOLDER = """
import sys, time
from pathlib import Path
from wetgeo.outputs.staging import claim
with claim(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_two_runs_do_not_write_into_one_folder(out: Path) -> None:
    before = hashes(out)
    with subprocess.Popen([sys.executable, "-c", _HOLDER, str(out)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(OutputError, match="another run of wetgeo"):
            check_output(out, overwrite=True, formats=BOTH)
        with pytest.raises(OutputError, match=rf"another run of wetgeo \(process {holder.pid}\)"):
            run(out)
        assert {**hashes(out), ".wetgeo.lock": ""} == {**before, ".wetgeo.lock": ""}
        os.kill(holder.pid, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    # the lock of a dead process is none
    assert (out / ".wetgeo.lock").exists()
    check_output(out, overwrite=True, formats=BOTH)
    run(out)
    assert clean(out)


def test_a_caller_may_hold_the_folder_for_the_whole_run(out: Path) -> None:
    with claim(out):
        with pytest.raises(OutputError, match="another run"):
            run(out)
        write_outputs(delineation(out.parent), out, overwrite=True, formats=BOTH, claimed=True)
    assert clean(out)
