"""Bad input through the command line: exit status, what, where and the mend; earlier outputs stay as they were."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pyogrio
import pytest
from small_site import WETLANDS, snapshot, square, wetlands, write_dem, write_layer, write_project

from wetgeo.outputs.read import read_layer


def elsewhere(name):
    """Lines of layer wetlands that name another file."""
    return WETLANDS.replace("wetlands.gpkg", name)


@pytest.fixture
def folder(tmp_path):
    """A folder with the layer of wetlands that the project file names."""
    write_layer(tmp_path / "wetlands.gpkg", wetlands())
    return tmp_path


@pytest.fixture(scope="module")
def earlier(tmp_path_factory, run_wetgeo):
    """The outputs of a run that went well."""
    folder = tmp_path_factory.mktemp("earlier")
    write_layer(folder / "wetlands.gpkg", wetlands())
    result = run_wetgeo("run", write_project(folder))
    assert result.code == 0, result.err
    assert result.out == ""
    assert {"buffers.gpkg", "provenance.json"} <= set(snapshot(folder / "out"))
    return folder / "out"


@pytest.fixture
def refused(folder, earlier, run_wetgeo):
    """Run a project over earlier outputs; it must fail with the words and leave the outputs to the byte."""

    def refuse(project, *words, code=1, also=()):
        shutil.copytree(earlier, folder / "out")
        before = snapshot(folder)
        result = run_wetgeo("run", project, "--overwrite", *also)
        assert result.code == code, result.err
        assert result.out == ""
        assert "Traceback" not in result.err
        assert "in a way it should not" not in result.err
        for word in words:
            assert str(word) in result.err
        assert snapshot(folder) == before
        return result.err

    return refuse


def cut_off(folder, part):
    """A shapefile of wetlands that lacks one of its files."""
    write_layer(folder / "cut.shp", wetlands())
    (folder / f"cut.{part}").unlink()
    return write_project(folder, wetlands=elsewhere("cut.shp"))


class TestLayers:
    """Files, layers, fields and features."""

    def test_missing_file(self, folder, refused):
        project = write_project(folder, wetlands=elsewhere("wetland.gpkg"))
        refused(project, "layer wetlands", folder / "wetland.gpkg", "is not there", "Did you mean 'wetlands.gpkg'?")

    def test_wrong_layer_name(self, folder, refused):
        project = write_project(folder, wetlands=WETLANDS + '\nlayer = "wetland"')
        refused(project, folder / "wetlands.gpkg", "no layer 'wetland'", "its layers are wetlands")

    def test_unknown_field(self, folder, refused):
        project = write_project(folder, wetlands=WETLANDS.replace("WET_ID", "WETID").replace("CLASS", "MGMT"))
        err = refused(project, folder / "wetlands.gpkg", "id = 'WETID'", "Did you mean 'WET_ID'?", "class = 'MGMT'")
        assert "its fields are WET_ID, CLASS; mend fields under [layers.wetlands]" in err

    def test_unknown_class(self, folder, refused):
        write_layer(folder / "wetlands.gpkg", wetlands(CLASS=["Preserve", "Manage 7"]))
        err = refused(write_project(folder), folder / "wetlands.gpkg", "class 'Manage 7': W-2", "field CLASS")
        assert 'under [layers.wetlands] write values.class = { "Manage 7" = "..." }' in err
        assert "Preserve, Manage 1, Manage 2, Manage 3" in err

    def test_no_class_at_all(self, folder, refused):
        write_layer(folder / "wetlands.gpkg", wetlands(CLASS=["Preserve", None]))
        refused(write_project(folder), "no class: W-2", 'defaults.class = "..."')

    def test_all_null_geometries(self, folder, refused):
        write_layer(folder / "wetlands.gpkg", wetlands(geometry=gpd.GeoSeries([None, None])))
        refused(write_project(folder), "layer wetlands", folder / "wetlands.gpkg", "none of its 2 features", "export")

    @pytest.mark.parametrize("name", ["table.csv", "table.gpkg"])
    def test_table_without_geometry(self, folder, refused, name):
        table = pd.DataFrame({"WET_ID": ["W-1"], "CLASS": ["Preserve"]})
        pyogrio.write_dataframe(table, folder / name)
        refused(write_project(folder, wetlands=elsewhere(name)), folder / name, "a table without geometry", "give a")

    @pytest.mark.parametrize("part", ["shx", "dbf"])
    def test_shapefile_that_lacks_a_part(self, folder, refused, part):
        refused(cut_off(folder, part), folder / "cut.shp", f"cut.{part}", "is missing", "copy all files")

    @pytest.mark.parametrize(("name", "size"), [("w.shp", 40), ("w.shp", 0), ("w.gpkg", 5000), ("w.geojson", 300)])
    def test_file_that_was_cut_short(self, folder, refused, name, size):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            write_layer(folder / name, wetlands())
        (folder / name).write_bytes((folder / name).read_bytes()[:size])
        refused(write_project(folder, wetlands=elsewhere(name)), "layer wetlands", folder / name, "To mend it:")

    def test_faults_of_several_layers_at_once(self, folder, refused):
        project = write_project(
            folder, wetlands=WETLANDS.replace("CLASS", "KLASS"), parcels='path = "no.shp"', soils='path = "no.zip"'
        )
        refused(project, "class = 'KLASS'", folder / "no.shp", folder / "no.zip")


class TestCoordinateSystems:
    """A CRS that is missing or unfit."""

    def test_no_crs(self, folder, refused):
        write_layer(folder / "bare.shp", wetlands().set_crs(None, allow_override=True))
        project = write_project(folder, wetlands=elsewhere("bare.shp"))
        refused(project, f"layer wetlands ({folder / 'bare.shp'}) has no CRS", 'crs = "EPSG:...', ".prj")

    @pytest.mark.parametrize(
        ("code", "why"),
        [(4326, "it is geographic"), (4269, "it is geographic"), (3857, "grid scale at the site is 1.4")],
    )
    def test_unfit_crs_of_the_file(self, folder, refused, code, why):
        write_layer(folder / "away.gpkg", wetlands().to_crs(code))
        project = write_project(folder, wetlands=elsewhere("away.gpkg"))
        refused(project, "layer wetlands", folder / "away.gpkg", f"EPSG:{code}", why, 'crs = "EPSG:26915"', "[project]")

    @pytest.mark.parametrize("code", ["EPSG:4326", "EPSG:3857", "EPSG:26911"])
    def test_unfit_crs_of_the_project(self, folder, refused, code):
        project = write_project(folder, project=f'crs = "{code}"')
        refused(project, "[project] crs", code, "not fit for measuring", 'crs = "EPSG:26915"', code=2)

    def test_unknown_crs(self, folder, refused):
        project = write_project(folder, project='crs = "EPSG:269150"')
        refused(project, "[project] crs", "'EPSG:269150'", "an EPSG code such as", code=2)


class TestElevations:
    """Rasters."""

    @pytest.mark.parametrize("size", [0, 200, 3000])
    def test_unreadable_raster(self, folder, refused, size):
        path = write_dem(folder / "dem.tif")
        path.write_bytes(path.read_bytes()[:size])
        refused(write_project(folder, dem='path = "dem.tif"'), path, "cannot be read", "fetch or copy the file again")

    def test_raster_whose_cells_are_lost(self, folder, refused):
        path = write_dem(folder / "dem.tif")
        content = bytearray(path.read_bytes())
        with path.open("wb") as file:
            file.write(content[: len(content) // 2] + b"\0" * 10)
        refused(write_project(folder, dem='path = "dem.tif"'), path, "To mend it:")

    def test_missing_raster(self, folder, refused):
        refused(write_project(folder, dem='path = "dem.tif"'), folder / "dem.tif", "no such", "[dem] path")

    def test_no_vertical_unit(self, folder, refused):
        path = write_dem(folder / "dem.tif", unit=None)
        refused(write_project(folder, dem='path = "dem.tif"'), path, "vertical unit", "[dem]", 'z_unit = "m", "ft"')

    def test_unknown_vertical_unit(self, folder, refused):
        write_dem(folder / "dem.tif")
        project = write_project(folder, dem='path = "dem.tif"\nz_unit = "furlong"')
        refused(project, "dem.z_unit", "'furlong'", "m, ft, us-ft, cm", code=2)

    def test_dem_of_a_tenth_of_the_site(self, folder, run_wetgeo):
        write_dem(folder / "dem.tif", columns=20)  # as far as x = 100 m: beside W-1, far from W-2
        project = write_project(folder, dem='path = "dem.tif"', tail='[outputs]\nformats = ["gpkg"]')
        result = run_wetgeo("run", project)
        assert result.code == 0, result.err
        told = result.err.splitlines()
        for name in ("W-1", "W-2"):
            assert any(f"warning: dem {name}:" in line and "slope is unknown and cuts nothing" in line for line in told)
        buffers = read_layer(folder / "out", "buffers").set_index("resource_id")
        assert buffers["slope_pct"].isna().all()
        assert buffers["width_ft"].to_dict() == {"W-1": 75, "W-2": 40}
        assert (buffers["slope_cut_ft"] == 0).all()


class TestProjectFile:
    """The project file."""

    def test_typo_in_a_key(self, folder, refused):
        project = write_project(folder, project="ouput = 'x'", wetlands=WETLANDS.replace("path", "paht"))
        err = refused(project, project, "did you mean output?", "did you mean path?", code=2)
        assert "project.ouput (line 6)" in err
        assert "layers.wetlands.path" in err

    def test_text_that_is_no_toml(self, folder, refused):
        project = write_project(folder, wetlands=WETLANDS.replace("}", ""))
        refused(project, project, "not valid TOML", "line", "correct that line", code=2)

    def test_duplicate_key(self, folder, refused):
        refused(write_project(folder, project='rule = "x"'), "site.toml", "line 6", "a key only once", code=2)

    def test_duplicate_table(self, folder, refused):
        refused(write_project(folder, tail='[layers.wetlands]\npath = "w"'), "site.toml", "line 1", code=2)

    def test_unknown_rule(self, folder, refused):
        refused(write_project(folder, rule="mcwd-2042"), "'mcwd-2042'", "mcwd-2024", "rcwd-rule-m-2004", code=2)

    @pytest.mark.parametrize("line", ['triger = "stormwater"', 'trigger = "storm"'])
    def test_unknown_option(self, folder, refused, line):
        refused(write_project(folder, tail=f"[options]\n{line}"), "options.trig", "did you mean", "allowed", code=2)

    def test_no_project_file(self, folder, refused):
        refused(folder / "none.toml", folder / "none.toml", "wetgeo init", code=2)
        shutil.rmtree(folder / "out")
        refused(folder, folder / "wetgeo.toml", "wetgeo init", code=2)

    def test_file_of_another_encoding(self, folder, refused):
        path = write_project(folder)
        path.write_bytes(path.read_bytes() + "# Müller\n".encode("latin-1"))
        refused(path, path, "line 12 is not UTF-8", "save the file as UTF-8", code=2)


class TestOutputs:
    """Where the outputs go."""

    def test_existing_outputs_need_overwrite(self, folder, earlier, run_wetgeo):
        shutil.copytree(earlier, folder / "out")
        before = snapshot(folder)
        result = run_wetgeo("run", write_project(folder, name="wetgeo.toml").parent)
        (folder / "wetgeo.toml").unlink()
        assert result.code == 1
        assert str(folder / "out") in result.err
        assert "--overwrite" in result.err
        assert snapshot(folder) == before

    def test_output_onto_a_file(self, folder, refused):
        err = refused(write_project(folder), folder / "wetlands.gpkg", also=("-o", folder / "wetlands.gpkg"))
        assert "is no folder" in err
        assert "-o" in err

    def test_output_below_a_file(self, folder, refused):
        refused(write_project(folder), "wetlands.gpkg is no folder", also=("-o", folder / "wetlands.gpkg" / "deep"))

    def test_folder_without_permission(self, folder, run_kept_out):
        (folder / "closed").mkdir(mode=0o555)
        result = run_kept_out("run", write_project(folder), "-o", folder / "closed")
        assert result.code == 1
        assert "no permission" in result.err

    @pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a file system that takes no folders")
    def test_folder_that_no_file_can_be_written_to(self, folder, refused):
        refused(
            write_project(folder),
            "/proc/wetgeo",
            "To mend it: name another folder with -o",
            also=("-o", "/proc/wetgeo"),
        )

    def test_a_disk_that_is_full(self, folder, refused, monkeypatch):
        def full(*words, **how):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("wetgeo.outputs.provenance.json.dumps", full)
        refused(write_project(folder), folder / "out", "No space left on device", "To mend it:")

    def test_an_interrupted_run(self, folder, earlier, run_wetgeo, monkeypatch):
        def interrupt(*words, **how):
            raise KeyboardInterrupt

        shutil.copytree(earlier, folder / "out")
        project = write_project(folder)
        before = snapshot(folder)
        monkeypatch.setattr("wetgeo.outputs.write.exchange", interrupt)
        result = run_wetgeo("run", project, "--overwrite")
        assert result.code == 130
        assert "earlier outputs are as they were" in result.err
        assert snapshot(folder) == before

    @pytest.mark.parametrize("kind", [SystemError, RuntimeError])
    def test_an_interrupt_that_a_library_turned_into_an_error(self, folder, earlier, run_wetgeo, monkeypatch, kind):
        def unpickle(*words, **how):
            raise kind("returned a result with an exception set") from KeyboardInterrupt()

        shutil.copytree(earlier, folder / "out")
        project = write_project(folder)
        before = snapshot(folder)
        monkeypatch.setattr("wetgeo.pipeline.delineate", unpickle)
        result = run_wetgeo("run", project, "--overwrite")
        assert (result.code, result.out) == (130, "")
        assert result.err.splitlines()[-1] == "Interrupted; earlier outputs are as they were."
        assert "tiles" not in result.err
        assert snapshot(folder) == before

    @pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
    def test_an_interrupt_that_a_library_swallows(self, folder, earlier, run_wetgeo, monkeypatch):
        from wetgeo.pipeline import delineate

        def swallow(*words, **how):
            with contextlib.suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            return delineate(*words, **how)

        shutil.copytree(earlier, folder / "out")
        project = write_project(folder)
        before = snapshot(folder)
        monkeypatch.setattr("wetgeo.pipeline.delineate", swallow)
        result = run_wetgeo("run", project, "--overwrite")
        assert result.code == 130
        assert result.err.splitlines()[-1] == "Interrupted; earlier outputs are as they were."
        assert snapshot(folder) == before
        monkeypatch.undo()
        assert run_wetgeo("run", project, "--overwrite").code == 0

    @pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
    def test_ctrl_c(self, folder, earlier):
        shutil.copytree(earlier, folder / "out")
        project = write_project(folder)
        before = snapshot(folder)
        command = [sys.executable, "-m", "wetgeo", "run", str(project), "--overwrite"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None and not (folder / "out" / ".wetgeo.lock").exists():
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
            told = process.communicate(timeout=60)[1]
        assert process.returncode == 130
        assert told.splitlines()[-1] == "Interrupted; earlier outputs are as they were."
        assert "Traceback" not in told
        assert snapshot(folder) == before

    def test_what_one_feature_can_cause_is_worked_in_tiles_and_told(self, folder, run_wetgeo, monkeypatch):
        from wetgeo.batch import laying

        lay = laying.lay_site

        def poisoned(inputs, sitewide, findings):
            if "W-2" in set(inputs.site.resources["resource_id"][sitewide.chosen]):
                raise ZeroDivisionError("an angle of nothing")
            return lay(inputs, sitewide, findings)

        def fail(*words, **how):
            raise ZeroDivisionError("an angle of nothing")

        monkeypatch.setattr(laying, "lay_site", poisoned)
        monkeypatch.setattr("wetgeo.pipeline.union_layer", fail)
        result = run_wetgeo("run", write_project(folder))
        assert result.code == 0
        assert "error: resources W-2: has no buffer in these outputs: it could not be worked" in result.err
        assert "Traceback" not in result.err

    def test_a_mistake_of_our_own_shows_no_traceback(self, folder, earlier, run_wetgeo, monkeypatch):
        def fail(*words, **how):
            raise AttributeError("no such thing")

        shutil.copytree(earlier, folder / "out")
        project = write_project(folder)
        before = snapshot(folder)
        monkeypatch.setattr("wetgeo.pipeline.union_layer", fail)
        result = run_wetgeo("run", project, "--overwrite")
        assert result.code == 1
        assert "AttributeError: no such thing" in result.err
        assert "tiles" not in result.err
        assert "Traceback" not in result.err
        assert "-vv" in result.err
        assert snapshot(folder) == before


class TestUsage:
    """The command line itself."""

    def test_a_preference_that_is_no_word_and_no_file(self, folder, run_wetgeo):
        result = run_wetgeo("design", write_project(folder), "--keep-out", "house.gpkg", "--prefer", "middle")
        assert result.code == 2
        assert "--prefer 'middle' is none of the words uniform and near, nor a file" in result.err
        assert "Traceback" not in result.err

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            ((), "Missing argument"),
            (("--overwrit", "x.toml"), "--overwrite"),
            (("x.toml", "-o"), "requires an argument"),
        ],
    )
    def test_wrong_usage(self, run_wetgeo, words, told):
        result = run_wetgeo("run", *words)
        assert result.code == 2
        assert told in result.err
        assert result.out == ""

    def test_unknown_command(self, run_wetgeo):
        result = run_wetgeo("rum")
        assert result.code == 2
        assert "'rum'" in result.err

    def test_several_projects_of_which_one_is_bad(self, folder, run_wetgeo):
        write_layer(folder / "other.gpkg", wetlands(geometry=[square(0, 0), square(100, 0)]))
        good = write_project(folder, tail='[outputs]\nformats = ["gpkg"]')
        bad = write_project(folder, name="bad.toml", wetlands=elsewhere("none.gpkg"))
        good.write_text(good.read_text().replace("Small site", "Good site"))
        result = run_wetgeo("run", bad, good, "-o", folder / "all")
        assert result.code == 1
        assert f"Error: {bad}: layer wetlands" in result.err
        assert f"failed  {bad}" in result.out
        assert f"done    {good}" in result.out
        assert [path.name for path in (folder / "all").iterdir()] == ["Good site"]
        assert len(read_layer(folder / "all" / "Good site", "buffers")) == 2

    def test_two_projects_of_one_name_do_not_overwrite_each_other(self, folder, run_wetgeo):
        one = write_project(folder, tail='[outputs]\nformats = ["gpkg"]')
        two = write_project(folder, tail='[outputs]\nformats = ["gpkg"]', name="two.toml")
        result = run_wetgeo("run", one, two, "-o", folder / "all")
        assert result.code == 1
        assert "--overwrite" in result.err

    def test_dry_run_writes_nothing(self, folder, run_wetgeo):
        project = write_project(folder)
        before = snapshot(folder)
        result = run_wetgeo("run", project, "--dry-run")
        assert result.code == 0, result.err
        assert "2 of 2 resources have a buffer" in result.err
        assert "Nothing was written" in result.err
        assert snapshot(folder) == before
        assert not (folder / "out").exists()
