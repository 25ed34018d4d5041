"""Outputs as a whole or not at all: failures, interruptions, full disks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from written import clean, hashes, run

from wetgeo.errors import OutputError
from wetgeo.outputs import staging, write
from wetgeo.outputs.write import claim

pytestmark = pytest.mark.usefixtures("quick_writers")


def _fail(kind: type[BaseException]) -> Callable[..., None]:
    def fail(*_words: object) -> None:
        raise kind("stopped")

    return fail


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, OutputError])
def test_a_writer_that_fails_leaves_all_as_it_was(kind: type, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hashes(out)
    monkeypatch.setitem(write.WRITERS, "shp", _fail(kind))
    with pytest.raises(kind, match="stopped"):
        run(out)
    assert hashes(out) == before
    assert clean(out)
    with pytest.raises(kind, match="stopped"):
        run(out.parent / "new")
    assert not (out.parent / "new").exists()


@pytest.mark.parametrize("kind", [PermissionError, KeyboardInterrupt])
@pytest.mark.parametrize("step", [0, 1, 30, 58, 59, 60, 90, 110])
def test_an_exchange_that_fails_is_undone(kind: type, step: int, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hashes(out)
    real, calls = staging._move, []

    def move(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == step + 1:
            raise kind(13, "in use", str(source))
        real(source, target)

    monkeypatch.setattr(staging, "_move", move)
    with pytest.raises((OutputError, KeyboardInterrupt)):
        run(out)
    assert len(calls) > step
    assert hashes(out) == before
    assert clean(out)


def test_an_exchange_that_cannot_be_undone_keeps_the_earlier_files(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hashes(out)
    real, calls = staging._move, []

    def move(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) > 60:
            raise PermissionError(13, "in use", str(source))
        real(source, target)

    monkeypatch.setattr(staging, "_move", move)
    with pytest.raises(OutputError, match="in use"):
        run(out)
    monkeypatch.undo()
    with claim(out):
        assert hashes(out).items() >= before.items()
    assert clean(out)


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
    before = hashes(out)
    code = _KILLED.format(tests=str(Path(__file__).parent), step=step, out=str(out))
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert not clean(out)
    with claim(out):
        pass
    assert hashes(out) == before
    assert clean(out)


def test_a_full_disk_is_told(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hashes(out)

    def full(*_words: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(write.WRITERS, "shp", full)
    with pytest.raises(OutputError, match="No space left on device") as told:
        run(out)
    assert "free space" in told.value.mend
    assert hashes(out) == before


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
    before = hashes(out)
    code = _LIMITED.format(tests=str(Path(__file__).parent), size=size, out=str(out), format=name)
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 7, result.stderr
    assert "cannot be written" in result.stdout or "could" in result.stdout
    assert hashes(out) == before
    assert clean(out)


def test_temporary_folders_of_dead_runs_are_removed(out: Path) -> None:
    (out / ".wetgeo-abc" / "new").mkdir(parents=True)
    (out / ".wetgeo-abc" / "new" / "buffers.gpkg").write_text("half")
    run(out)
    assert clean(out)
