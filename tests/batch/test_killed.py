"""A run that is killed goes on where it was; a worker that dies loses nothing; what has changed is done anew."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import geopandas as gpd
import pyogrio
import pytest
import shapely
from places import ROOT
from tiled import assert_same, hashes, in_tiles, ponds_on_lots, whole
from worlds import sample

from wetgeo.batch.manifest import MANIFEST
from wetgeo.batch.workers import Processes, do_all
from wetgeo.cli.run import WORK
from wetgeo.outputs.read import read_layer

posix = pytest.mark.skipif(sys.platform == "win32", reason="kills a process group")


def read_outputs(folder: Path):
    names = [name for name, _ in pyogrio.list_layers(folder / "buffers.gpkg") if name != "layer_styles"]
    return {name: read_layer(folder, name) for name in names}


def command(project: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "wetgeo", "run", str(project), "-q", "--workers", "2", *more]


def done_tiles(folder: Path) -> dict[str, int]:
    return {path.parent.name: path.stat().st_mtime_ns for path in folder.glob(f"tiles/*/{MANIFEST}")}


def worked_tiles(folder: Path) -> dict[str, int]:
    """Give when the result of each tile was written; the manifest alone is renewed where the result holds."""
    return {path.parent.name: path.stat().st_mtime_ns for path in folder.glob("tiles/*/findings.json")}


@posix
def test_a_run_killed_twice_ends_as_one_that_was_not(tmp_path, run_wetgeo):
    project = sample("rcwd").write(tmp_path / "site")
    usual = run_wetgeo("run", project, "-q", "-o", tmp_path / "usual")
    assert usual.code == 0, usual.err
    work = project.parent / "out" / WORK
    for wanted in (1, 2):
        process = subprocess.Popen(command(project), start_new_session=True)
        give_up = time.monotonic() + 180
        while len(done_tiles(work)) < wanted and process.poll() is None and time.monotonic() < give_up:
            time.sleep(0.01)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert not (project.parent / "out" / "buffers.gpkg").exists()
    before = done_tiles(work)
    assert subprocess.run(command(project), check=False, timeout=300).returncode == 0
    assert before
    assert not work.exists()
    assert hashes(read_outputs(project.parent / "out")) == hashes(read_outputs(tmp_path / "usual"))


def test_inputs_that_cannot_be_read_leave_no_work_behind_but_keep_what_was_done(tmp_path, run_wetgeo):
    project = ponds_on_lots(5.0).write(tmp_path)
    path, out = tmp_path / "wetlands.gpkg", tmp_path / "out"
    sound = path.read_bytes()
    path.write_bytes(sound[:5000])
    assert run_wetgeo("run", project, "-q", "--workers", "2").code == 1
    assert not out.exists()
    path.write_bytes(sound)
    in_tiles(project, out / WORK, most=1)
    before = done_tiles(out / WORK)
    path.write_bytes(sound[:5000])
    assert run_wetgeo("run", project, "-q", "--workers", "2").code == 1
    assert done_tiles(out / WORK) == before


def test_only_what_has_changed_is_done_anew(tmp_path):
    project = ponds_on_lots(5.0).write(tmp_path)
    work = tmp_path / "work"
    in_tiles(project, work, most=1)
    before, worked = done_tiles(work), worked_tiles(work)
    assert len(before) == 2
    in_tiles(project, work, most=1)
    assert done_tiles(work) == before
    path = tmp_path / "wetlands.gpkg"
    wetlands = gpd.read_file(path)
    wetlands["geometry"] = [wetlands.geometry[0], shapely.buffer(wetlands.geometry[1], -0.5)]
    path.unlink()
    pyogrio.write_dataframe(wetlands, path, layer="wetlands")
    assert_same(whole(project), in_tiles(project, work, most=1))
    assert sum(worked_tiles(work).get(name) == written for name, written in worked.items()) == 1


@pytest.mark.parametrize("change", ["rule", "option", "date"])
def test_another_rule_option_or_day_does_everything_anew(tmp_path, change):
    project = sample("rcwd").write(tmp_path)
    in_tiles(project, tmp_path / "work", most=100)
    text = project.read_text()
    pack = (ROOT / "wetgeo" / "rules" / "packs" / "rcwd-rule-m-2004.toml").read_text(encoding="utf-8")
    (tmp_path / "pack.toml").write_text(pack.replace("200 ft", "150 ft"), encoding="utf-8")
    new = {
        "rule": text.replace("rcwd-rule-m-2004", "pack.toml"),
        "option": f'{text}\n[options]\ntoken_edge_length = "40 ft"\n',
        "date": text.replace("2026-06-01", "2026-06-02"),
    }[change]
    assert new != text
    project.write_text(new)
    assert_same(whole(project), in_tiles(project, tmp_path / "work", most=100))


def double(folder: str, numbers: tuple[int, ...]) -> str:
    """Write down numbers; 13 kills the process that it meets."""
    if 13 in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    for number in numbers:
        (Path(folder) / str(number)).touch()
    return ",".join(map(str, numbers))


class _Task:
    """Numbers to write down."""

    def __init__(self, folder: Path, numbers: tuple[int, ...]) -> None:
        self.folder, self.numbers = str(folder), numbers


def work_on(task: _Task) -> str:
    return double(task.folder, task.numbers)


@posix
def test_a_task_that_kills_its_worker_is_narrowed_down(tmp_path):
    tasks = [_Task(tmp_path, tuple(range(start, start + 4))) for start in range(0, 24, 4)]
    given_up = []

    def halves(task):
        middle = len(task.numbers) // 2
        return [_Task(tmp_path, part) for part in (task.numbers[:middle], task.numbers[middle:])] if middle else []

    def give_up(task):
        given_up.append(task.numbers)
        return "given up"

    crew = Processes(2)
    try:
        do_all(crew, work_on, tasks, halves=halves, give_up=give_up, done=lambda: None)
    finally:
        crew.close()
    assert given_up == [(13,)]
    assert {int(path.name) for path in tmp_path.iterdir()} == set(range(24)) - {13}
