"""wetgeo doctor says error where a run would stop, and only there; it changes nothing and tells all at once."""

from __future__ import annotations

import pytest
from faulty_projects import PROJECTS, site
from small_site import WETLANDS, snapshot, wetlands

from wetgeo.doctor.remarks import SUBJECTS

FIELDS = {
    "severity", "subject", "code", "layer", "file", "feature_id", "x", "y", "lon", "lat", "message", "details", "mend",
    "table", "line",
}  # fmt: skip


@pytest.mark.parametrize("name", PROJECTS)
def test_an_error_is_what_stops_a_run(name, tmp_path, doctor, run_wetgeo):
    path = PROJECTS[name](tmp_path)
    before = snapshot(tmp_path)
    told = doctor(path)
    assert snapshot(tmp_path) == before
    run = run_wetgeo("run", path, "--overwrite", "--dry-run" if name != "output_is_a_file" else "--overwrite")
    errors = [remark for remark in told["remarks"] if remark["severity"] == "error"]
    left_out = [remark for remark in errors if remark["code"] == "geometry-dropped"]
    assert bool(left_out) == (name in ("dropped_feature", "flat_outlines"))
    errors = [remark for remark in errors if remark not in left_out]
    assert bool(errors) == (run.code != 0), (run.err, errors)
    assert told["runs"] == (run.code == 0)
    assert told["code"] == (run.code if name != "many_faults" else 2)
    for remark in errors:  # what the run says stands in one of the errors
        assert remark["mend"] or remark["details"], remark
    if len(errors) == 1:
        assert errors[0]["message"] in run.err


@pytest.mark.parametrize("name", ["sound", "many_faults", "dropped_feature", "no_toml"])
def test_the_document_is_as_described(name, tmp_path, doctor):
    told = doctor(PROJECTS[name](tmp_path))
    assert set(told) == {
        "command", "wetgeo", "project", "path", "rule", "date", "crs", "runs", "counts", "inputs", "remarks", "code",
    }  # fmt: skip
    assert told["counts"] == {
        name: sum(remark["severity"] == name for remark in told["remarks"]) for name in ("error", "warning", "info")
    }
    for remark in told["remarks"]:
        assert set(remark) == FIELDS
        assert remark["subject"] in SUBJECTS
        assert bool(remark["line"]) == bool(remark["table"])
        assert (remark["lon"] is None) == (remark["x"] is None)
    order = [("error", "warning", "info").index(remark["severity"]) for remark in told["remarks"]]
    assert order == sorted(order)


def test_all_faults_at_once(tmp_path, doctor):
    told = doctor(PROJECTS["many_faults"](tmp_path))
    found = {(remark["subject"], remark["layer"]) for remark in told["remarks"] if remark["severity"] == "error"}
    assert found == {
        ("classes", "wetlands"), ("files", "parcels"), ("files", "soils"), ("units", "dem"), ("project", ""),
    }  # fmt: skip


def test_the_line_that_it_names_mends_the_fault(tmp_path, doctor):
    path = site(tmp_path, wetlands(CLASS=["Mange 1", "preserv"]))
    told = doctor(path)
    remark = next(remark for remark in told["remarks"] if remark["code"] == "class-unknown")
    assert (remark["table"], remark["line"]) == (
        "layers.wetlands",
        'values.class = { "Mange 1" = "Manage 1", "preserv" = "Preserve" }',
    )
    path = site(tmp_path, wetlands(CLASS=["Mange 1", "preserv"]), wetlands=f"{WETLANDS}\n{remark['line']}")
    assert doctor(path)["runs"]


@pytest.mark.parametrize("name", ["degrees", "no_crs", "no_vertical_unit", "unfit_project_crs"])
def test_lines_that_name_a_crs_or_unit_mend_the_fault(name, tmp_path, doctor):
    path = PROJECTS[name](tmp_path)
    remark = next(remark for remark in doctor(path)["remarks"] if remark["severity"] == "error")
    line = remark["line"].replace("EPSG:...", "EPSG:26915").replace('z_unit = "..."', 'z_unit = "m"')
    text = path.read_text()
    if name == "unfit_project_crs":
        text = text.replace('crs = "EPSG:26911"', line)
    else:
        text = text.replace(f"[{remark['table']}]", f"[{remark['table']}]\n{line}")
    path.write_text(text)
    assert doctor(path)["runs"]


def test_text_for_people(tmp_path, run_wetgeo):
    result = run_wetgeo("doctor", PROJECTS["unknown_class"](tmp_path))
    assert result.code == 1
    assert "error: wetlands: layer wetlands" in result.out
    assert '[layers.wetlands] values.class = { "Preserv" = "Preserve" }' in result.out
    assert result.out.rstrip().endswith("wetgeo run would stop at the errors.")
    quiet = run_wetgeo("doctor", tmp_path / "site.toml", "-q")
    assert "info:" in result.out
    assert "info:" not in quiet.out


def test_no_project(tmp_path, doctor):
    told = doctor(tmp_path / "none.toml")
    assert told["code"] == 2
    assert [remark["subject"] for remark in told["remarks"]] == ["project"]


def test_earlier_outputs_are_told_and_left(tmp_path, doctor, run_wetgeo):
    path = site(tmp_path, tail='[outputs]\nformats = ["gpkg"]')
    assert run_wetgeo("run", path).code == 0
    before = snapshot(tmp_path)
    told = doctor(path)
    assert told["code"] == 0
    assert any(remark["code"] == "output-there" for remark in told["remarks"])
    assert snapshot(tmp_path) == before


class TestPage:
    """The page."""

    def test_text_of_users_is_never_markup(self, tmp_path, run_wetgeo):
        evil = "<script>alert(1)</script>\"'&"
        path = site(tmp_path, wetlands(CLASS=[evil, "Preserve"], WET_ID=[evil, "W-2"]))
        result = run_wetgeo("doctor", path, "--html", tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert result.code == 1
        assert "<script" not in page
        assert "&lt;script&gt;alert(1)" in page
        assert "http" not in page.replace("http-equiv", "")

    def test_it_tells_all_remarks(self, tmp_path, run_wetgeo, doctor):
        path = PROJECTS["many_faults"](tmp_path)
        run_wetgeo("doctor", path, "--html", tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        for number in range(1, len(doctor(path)["remarks"]) + 1):
            assert page.count(f'id="remark-{number}"') == 1

    def test_a_page_that_cannot_be_written(self, tmp_path, run_wetgeo):
        result = run_wetgeo("doctor", PROJECTS["sound"](tmp_path), "--html", tmp_path / "none" / "page.html")
        assert result.code == 1
        assert "--html" in result.err


def test_a_feature_that_a_run_leaves_out_is_an_error_in_both(tmp_path, doctor, run_wetgeo):
    path = PROJECTS["dropped_feature"](tmp_path)
    (remark,) = [remark for remark in doctor(path)["remarks"] if remark["severity"] == "error"]
    assert remark["code"] == "geometry-dropped"
    assert remark["mend"]
    words = run_wetgeo("doctor", path)
    assert words.code == 0
    assert "1 error, " in words.out
    assert "wetgeo run would get through, and leave out what the errors name" in words.out
    run = run_wetgeo("run", path, "--dry-run")
    assert run.code == 0
    assert f"error: {remark['layer']} {remark['feature_id']}: {remark['message']}" in run.err
    assert "(1 left out, see the errors)" in run.err
