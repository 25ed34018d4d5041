"""Output folders that are full, taken, linked elsewhere, or hold what nobody expects."""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import pytest
from places import ROOT

FORMATS = '[outputs]\nformats = ["gpkg", "shp", "html", "csv", "declaration"]'


def kept(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture
def earlier(scene):
    """The outputs of an earlier run."""
    scene.done(tail=FORMATS)
    return kept(scene.out)


@pytest.mark.parametrize("room", [0, 1_000, 40_000, 120_000])
def test_a_disk_with_no_room_leaves_the_earlier_outputs(scene, earlier, room):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    path = scene.project(tail=FORMATS)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        result = scene.answer("run", path, "--overwrite")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert result.code == 1
    assert kept(scene.out) == earlier


def test_two_runs_into_one_folder_at_once(scene):
    command = [sys.executable, "-m", "wetgeo", "run", str(scene.project(tail=FORMATS)), "-q"]
    runs = [subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    told = [run.communicate()[1] for run in runs]
    codes = sorted(run.returncode for run in runs)
    assert codes == [0, 1, 1], told
    assert all(
        "another run" in text or "earlier run" in text for text, run in zip(told, runs, strict=True) if run.returncode
    )
    files = json.loads((scene.out / "provenance.json").read_text())["files"]
    assert all((scene.out / name).exists() for name in files)


class TestLinks:
    """Links in the output folder that lead to the user's own files."""

    @pytest.fixture
    def precious(self, scene):
        file = scene.place / "precious.txt"
        file.write_text("mine")
        return file

    def test_the_lock_is_a_link(self, scene, precious):
        scene.out.mkdir()
        (scene.out / ".wetgeo.lock").symlink_to(precious)
        scene.answer("run", scene.project())
        assert precious.read_text() == "mine"

    @pytest.mark.parametrize("name", ["buffers.gpkg", "provenance.json", "report.html", "monuments.csv"])
    def test_an_output_is_a_link(self, scene, precious, name):
        scene.out.mkdir()
        (scene.out / name).symlink_to(precious)
        scene.answer("run", scene.project(tail=FORMATS), "--overwrite")
        assert precious.read_text() == "mine"

    def test_the_folder_of_shapefiles_is_a_link(self, scene):
        other = scene.place / "other"
        other.mkdir()
        (other / "buffers.shp").write_text("mine")
        scene.out.mkdir()
        (scene.out / "shapefiles").symlink_to(other)
        result = scene.answer("run", scene.project(tail=FORMATS), "--overwrite")
        assert "is a link" in result.err

    def test_the_output_folder_is_a_link(self, scene):
        (scene.place / "elsewhere").mkdir()
        scene.out.symlink_to(scene.place / "elsewhere")
        result = scene._run("run", scene.project())
        assert result.code == 0
        assert (scene.place / "elsewhere" / "buffers.gpkg").exists()

    def test_the_output_folder_is_a_link_to_nothing(self, scene):
        scene.out.symlink_to(scene.place / "gone")
        result = scene._run("run", scene.project())
        assert result.code == 1
        assert "To mend it: " in result.err
        assert not (scene.place / "gone").exists()


@pytest.mark.parametrize(
    "text",
    [
        "", "rubbish", "[]", "{}", '{"files": 5}', '{"files": ["../site.toml", "/etc/passwd", "../wetlands.gpkg"]}', "[" * 9000,
        '{"files": [null, 1, {}]}', "\0",
    ],
)  # fmt: skip
def test_a_provenance_that_leads_out_deletes_nothing(scene, text):
    scene.out.mkdir()
    (scene.out / "provenance.json").write_text(text)
    assert scene.answer("run", scene.project(), "--overwrite").code == 0
    assert (scene.folder / "wetlands.gpkg").exists()


@pytest.mark.parametrize("text", ["", "rubbish", "{}", '["../site.toml"]', "[1]", '["/etc/passwd"]'])
def test_a_journal_that_leads_out_moves_nothing(scene, text):
    stage = scene.out / ".wetgeo-killed"
    (stage / "new").mkdir(parents=True)
    (stage / "exchange.json").write_text(text)
    scene.answer("run", scene.project())


@pytest.mark.parametrize("command", ["explain", "diff"])
@pytest.mark.parametrize("spoil", ["gone", "empty", "cut", "text", "folder", "provenance"])
def test_outputs_that_were_spoilt(scene, earlier, command, spoil):
    package = scene.out / "buffers.gpkg"
    data = package.read_bytes()
    if spoil == "provenance":
        (scene.out / "provenance.json").write_text("[" * 9000)
    else:
        package.unlink()
    if spoil == "folder":
        package.mkdir()
    elif spoil in ("empty", "cut", "text"):
        package.write_bytes({"empty": b"", "cut": data[: len(data) // 2], "text": b"no database"}[spoil])
    words = [command, scene.out, "W-1"] if command == "explain" else [command, scene.out, scene.out]
    result = scene.answer(*words)
    assert result.code in (0, 1, 2)


def test_a_folder_that_is_read_only(scene, run_kept_out):
    scene.out.mkdir(mode=0o500)
    scene._run = run_kept_out
    result = scene.answer("run", scene.project())
    assert result.code == 1
    assert "permission" in result.err


@pytest.mark.parametrize("name", ["o'ut", "o?u#t", "-out", "a" * 200, "x/" * 60 + "y", "<b>"])
def test_names_of_output_folders(scene, name):
    result = scene._run("run", scene.project(), "-o", scene.folder / name)
    assert result.code == 0, result.err
    assert (scene.folder / name / "buffers.gpkg").exists()


@pytest.mark.parametrize("name", ["o\nut", "o\tut", "o\rut", "out!", "a.zip!/out"])
def test_folders_that_gdal_would_take_for_others_are_refused(scene, name):
    result = scene.answer("run", scene.project(), "-o", scene.folder / name)
    assert result.code == 1
    assert "name another folder" in result.err
    assert not (scene.folder / name).exists()


@pytest.mark.parametrize(
    "name", ["a" * 300, "b/" * 3000, "wetlands.gpkg", "site.toml/out", "/proc/out", "/dev/null", "/dev/null/o"]
)
def test_folders_that_cannot_be(scene, name):
    assert scene.answer("run", scene.project(), "-o", scene.folder / name).code == 1
