"""The commands besides what bad input does: init, rules, explain, and what a run says and where."""

from __future__ import annotations

import io
import json
import sys

import pytest
from places import ROOT
from small_site import snapshot, wetlands, write_layer, write_project

from wetgeo.project import load_project
from wetgeo.rules.load import builtin_ids, load_pack

FORMATS = '[outputs]\nformats = ["gpkg"]'


@pytest.fixture
def project(tmp_path):
    write_layer(tmp_path / "wetlands.gpkg", wetlands())
    return write_project(tmp_path, tail=FORMATS)


class TestInit:
    """``wetgeo init``."""

    def test_a_new_folder_holds_a_project_that_can_be_read(self, tmp_path, run_wetgeo):
        folder = tmp_path / "Lake view"
        result = run_wetgeo("init", folder, "--rule", "rcwd-rule-m-2004")
        assert result.code == 0
        assert result.out == ""
        assert str(folder / "wetgeo.toml") in result.err
        project = load_project(folder)
        assert (project.name, project.rule) == ("Lake view", "rcwd-rule-m-2004")
        again = run_wetgeo("run", folder)
        assert again.code == 1
        assert "wetlands.gpkg is not there" in again.err

    def test_nothing_is_overwritten(self, tmp_path, run_wetgeo):
        (tmp_path / "wetgeo.toml").write_text("mine")
        result = run_wetgeo("init", tmp_path)
        assert result.code == 2
        assert "exists already and is left as it is" in result.err
        assert (tmp_path / "wetgeo.toml").read_text() == "mine"

    def test_a_rule_that_does_not_exist(self, tmp_path, run_wetgeo):
        result = run_wetgeo("init", tmp_path / "new", "--rule", "mcwd-2042")
        assert result.code == 2
        assert "mcwd-2024" in result.err
        assert not (tmp_path / "new").exists()

    @pytest.mark.parametrize("folder", ["site", "sites/lake", "."])
    def test_a_pack_beside_the_current_folder(self, tmp_path, run_wetgeo, monkeypatch, folder):
        text = (ROOT / "wetgeo" / "rules" / "packs" / "mcwd-2024.toml").read_text(encoding="utf-8")
        (tmp_path / "lakeside.toml").write_text(text, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        result = run_wetgeo("init", folder, "--rule", "lakeside.toml")
        assert result.code == 0, result.err
        project = load_project(tmp_path / folder)
        assert load_pack(project.rule, project.folder).id == "mcwd-2024"

    def test_onto_a_file(self, tmp_path, run_wetgeo):
        (tmp_path / "file").write_text("mine")
        result = run_wetgeo("init", tmp_path / "file")
        assert result.code == 1
        assert str(tmp_path / "file") in result.err
        assert "To mend it:" in result.err
        assert (tmp_path / "file").read_text() == "mine"


class TestRules:
    """``wetgeo rules``."""

    def test_list(self, run_wetgeo):
        result = run_wetgeo("rules", "list")
        assert result.code == 0
        assert [line.split()[0] for line in result.out.splitlines()] == list(builtin_ids())
        rows = json.loads(run_wetgeo("rules", "list", "--json").out)
        assert [row["id"] for row in rows] == list(builtin_ids())

    @pytest.mark.parametrize("name", builtin_ids())
    def test_show(self, run_wetgeo, name):
        result = run_wetgeo("rules", "show", name)
        assert result.code == 0
        for provision in load_pack(name).provisions:
            assert provision.citation in result.out
        assert json.loads(run_wetgeo("rules", "show", name, "--json").out)["pack"]["id"] == name

    def test_show_of_a_file_ends_with_the_path_to_test(self, tmp_path, run_wetgeo):
        path = tmp_path / "lakeside.toml"
        path.write_bytes((ROOT / "wetgeo" / "rules" / "packs" / "mcwd-2024.toml").read_bytes())
        assert run_wetgeo("rules", "show", path).out.rstrip().endswith(f"wetgeo rules test {path}")

    @pytest.mark.parametrize("command", ["show", "test"])
    def test_unknown_pack(self, run_wetgeo, command, tmp_path):
        result = run_wetgeo("rules", command, "mcwd-2042")
        assert (result.code, result.out) == (2, "")
        assert "Did you mean 'mcwd-2024'?" in result.err
        result = run_wetgeo("rules", command, tmp_path / "none.toml")
        assert (result.code, result.out) == (2, "")
        assert str(tmp_path / "none.toml") in result.err

    def test_all_packs_hold(self, run_wetgeo):
        result = run_wetgeo("rules", "test")
        assert result.code == 0, result.out
        assert len(result.out.splitlines()) == len(builtin_ids())

    def test_a_pack_of_ones_own_by_path(self, run_wetgeo, tmp_path):
        text = load_pack("mn-buffer-law").path.read_text(encoding="utf-8")
        path = tmp_path / "county.toml"
        path.write_text(text, encoding="utf-8")
        assert run_wetgeo("rules", "test", path).out == "mn-buffer-law: 4 of 4 examples hold\n"
        path.write_text(text.replace('base = "16.5 ft"', 'base = "18 ft"'), encoding="utf-8")
        failed = run_wetgeo("rules", "test", path)
        assert failed.code == 1
        assert "3 of 4 examples hold" in failed.out
        assert "expected width 16.5 ft" in failed.out
        assert "got width 18 ft" in failed.out
        assert [row["ok"] for row in json.loads(run_wetgeo("rules", "test", path, "--json").out)].count(False) == 1
        path.write_text(text.replace('base = "16.5 ft"', "base = 16.5"), encoding="utf-8")
        broken = run_wetgeo("rules", "test", path)
        assert (broken.code, broken.out) == (2, "")
        assert "county.toml:35:" in broken.err
        assert "bare number" in broken.err


class TestExplain:
    """``wetgeo explain``."""

    def test_each_step_and_its_citation(self, project, run_wetgeo):
        run_wetgeo("run", project)
        told = run_wetgeo("explain", project.parent / "out", "W-2")
        assert told.code == 0
        assert told.err == ""
        assert told.out.startswith("W-2: wetland, Manage 1\nRequired width 40 ft under mcwd-2024")
        assert "base: wetland, class Manage 1: base width 40 ft [5(a)]" in told.out

    def test_an_unknown_resource(self, project, run_wetgeo):
        run_wetgeo("run", project)
        told = run_wetgeo("explain", project.parent / "out", "W2")
        assert (told.code, told.out) == (1, "")
        assert "holds no resource 'W2'" in told.err
        assert "such as W-2" in told.err

    @pytest.mark.parametrize(("name", "why"), [(".", "no outputs of wetgeo"), ("none", "does not exist")])
    def test_a_folder_without_outputs(self, project, run_wetgeo, name, why):
        told = run_wetgeo("explain", project.parent / name, "W-1")
        assert (told.code, told.out) == (1, "")
        assert why in told.err
        assert "To mend it:" in told.err


class TestVoice:
    """What a run says, where, and how loud."""

    def test_a_run_says_what_it_did_on_standard_error(self, project, run_wetgeo):
        result = run_wetgeo("run", project)
        assert (result.code, result.out) == (0, "")
        assert "Small site: 2 of 2 resources have a buffer" in result.err
        assert "warning: dem: no DEM is given" in result.err
        assert f"Outputs are in {project.parent / 'out'}" in result.err
        assert "\x1b" not in result.err
        assert "\r" not in result.err

    def test_quiet(self, project, run_wetgeo):
        result = run_wetgeo("run", project, "-q")
        assert (result.code, result.out, result.err) == (0, "", "")
        again = run_wetgeo("run", project, "-q")
        assert again.code == 1
        assert "--overwrite" in again.err

    @pytest.mark.parametrize("flag", ["-v", "-vv"])
    def test_verbose_changes_no_output(self, project, run_wetgeo, flag):
        result = run_wetgeo("run", project, flag)
        assert (result.code, result.out) == (0, "")
        assert "2 of 2 resources have a buffer" in result.err

    def test_progress_is_drawn_on_a_terminal_only(self, monkeypatch):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        from wetgeo.cli.options import progress_bar

        monkeypatch.setenv("TERM", "xterm")
        for stream, drawn in ((Terminal(), True), (io.StringIO(), False)):
            with monkeypatch.context() as patch:
                patch.setattr(sys, "stderr", stream)
                with progress_bar(quiet=False) as progress:
                    progress(0.5, "reading the layers")
            assert ("reading the layers" in stream.getvalue()) == drawn

    def test_a_folder_is_a_project_where_it_holds_one(self, project, run_wetgeo):
        project.rename(project.with_name("wetgeo.toml"))
        result = run_wetgeo("run", project.parent, "-o", project.parent / "there")
        assert result.code == 0, result.err
        assert "buffers.gpkg" in snapshot(project.parent / "there")
        assert not (project.parent / "out").exists()

    def test_a_pack_of_ones_own_runs_by_path(self, project, run_wetgeo, tmp_path):
        text = load_pack("mcwd-2024").path.read_text(encoding="utf-8").replace('base = "75 ft"', 'base = "80 ft"')
        (tmp_path / "district.toml").write_text(text, encoding="utf-8")
        project.write_text(project.read_text().replace('"mcwd-2024"', '"district.toml"'))
        assert run_wetgeo("run", project, "-q").code == 0
        assert "Required width 80 ft" in run_wetgeo("explain", project.parent / "out", "W-1").out
