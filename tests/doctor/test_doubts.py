"""Each thing that the doctor doubts: told of the project that has it, and not of the one that has not."""

from __future__ import annotations

import re
import sqlite3

import pytest
import rasterio
from doubtful_inputs import DOUBTS, centimetres_that_nobody_declared, parcels, with_ground
from faulty_projects import site, soils_without_table
from places import ROOT
from small_site import X, Y, snapshot, square


def told(document, code, severity):
    return [remark for remark in document["remarks"] if (remark["code"], remark["severity"]) == (code, severity)]


@pytest.mark.parametrize("name", DOUBTS)
def test_told_where_it_is_and_only_there(name, tmp_path, doctor):
    code, subject, severity, faulty, sound = DOUBTS[name]
    for folder in ("faulty", "sound"):
        (tmp_path / folder).mkdir()
    path = faulty(tmp_path / "faulty")
    before = snapshot(tmp_path)
    document = doctor(path)
    assert snapshot(tmp_path) == before
    found = told(document, code, severity)
    assert len(found) == 1, document["remarks"]
    assert found[0]["subject"] == subject
    assert found[0]["mend"] or severity == "info"
    assert not told(doctor(sound(tmp_path / "sound")), code, severity)


@pytest.mark.parametrize("crs", ["EPSG:26916", "EPSG:26851"])
def test_a_wrong_label_is_one_warning(crs, tmp_path, doctor):
    document = doctor(parcels(tmp_path, [square(0, 0, 500)], crs=crs))
    (remark,) = [one for one in document["remarks"] if one["layer"] == "parcels" and one["severity"] == "warning"]
    assert "EPSG:26915" in remark["message"]
    assert "the CRS of layer wetlands, they would lie on the site" in remark["message"]
    assert crs in remark["message"]


def test_each_doubt_of_the_doctor_is_among_them():
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "wetgeo" / "doctor").glob("*.py"))
    # of the document's description, and what tests of their own ask
    others = {"class-unknown", "project-wrong", "output-there", "z-unit", "file-unsaved"}
    codes = set(re.findall(r'code="([a-z-]+)"', source))
    codes |= set(re.findall(r'"((?:date|file|sidecar|layer|tract|feature|crs|soil)-[a-z-]+)"', source))
    told_by_reader = {"soil-unmatched", "soil-contradicted", "layer-empty", "layer-far", "layer-read", "layer-ignored", "layer-unusable",
                      "crs-reprojected", "crs-unusable"}  # fmt: skip
    assert codes - others - told_by_reader <= {code for code, *_ in DOUBTS.values()}


def test_soils_without_a_group_are_no_doubt_where_the_rule_asks_nothing_of_soils(tmp_path, doctor):
    for rule, severity in (("mcwd-2024", "warning"), ("rcwd-rule-m-2004", "info")):
        (tmp_path / rule).mkdir()
        path = soils_without_table(tmp_path / rule)
        path.write_text(path.read_text(encoding="utf-8").replace("mcwd-2024", rule), encoding="utf-8")
        about = [one for one in doctor(path)["remarks"] if one["code"] == "soil-missing" and one["layer"] == "soils"]
        assert [one["severity"] for one in about] == [severity]
        assert ("this rule asks nothing of soils" in about[0]["message"]) == (severity == "info")


def test_a_spike_is_told_with_its_place_and_height(tmp_path, doctor):
    path = with_ground(tmp_path, lambda z, x, y: z + 20 * ((abs(x - 151) < 1) & (abs(y - 121) < 1)))
    (remark,) = told(doctor(path), "dem-spikes", "warning")
    assert (remark["x"], remark["y"]) == pytest.approx((X + 151, Y + 121), abs=1.1)
    assert re.search(r"1 of [\d,]+ cells .* by up to 65 ft", remark["message"])  # 20 m less a step of the plane


def test_an_overlap_of_parcels_is_told_with_its_area_and_place(tmp_path, doctor):
    foot = 0.3048
    lots = [square(0, 0, 200), square(200 - foot, 0, 200)]
    (remark,) = told(doctor(parcels(tmp_path, lots)), "parcel-overlap", "warning")
    assert remark["details"] == [f"P-0 and P-1: {200 / foot:,.0f} sq ft"]
    assert (remark["x"], remark["y"]) == pytest.approx((X + 200 - foot / 2, Y + 100), abs=foot)


def test_the_only_unit_that_can_be_mends_the_fault(tmp_path, doctor):
    path = centimetres_that_nobody_declared(tmp_path)
    document = doctor(path)
    assert not document["runs"]
    (remark,) = told(document, "z-unit-fits", "info")
    assert remark["line"] == 'z_unit = "cm"'
    path.write_text(path.read_text().replace("[dem]", f"[dem]\n{remark['line']}"))
    after = doctor(path)
    assert after["runs"]
    assert not told(after, "z-unit-doubtful", "warning")


def test_where_several_units_can_be_none_is_chosen(tmp_path, doctor):
    (remark,) = told(doctor(with_ground(tmp_path, unit=None)), "z-unit-fits", "info")
    assert (remark["line"], remark["table"]) == ("", "")
    # a plane of 4 % from 300 m up, if it is in metres; 13.1 % times 0.3048 if in feet
    assert any(re.search(r"\(m\): 30\d to 30\d m high, median slope 4 %$", line) for line in remark["details"])
    assert any(re.search(r"\(ft\): 9\d to 9\d m high, median slope 1.22 %$", line) for line in remark["details"])


def test_edits_that_are_not_in_the_file_yet(tmp_path, doctor):
    path = site(tmp_path)
    assert not told(doctor(path), "file-unsaved", "warning")
    base = sqlite3.connect(tmp_path / "wetlands.gpkg")
    try:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("CREATE TABLE edits (at TEXT)")
        base.commit()
        assert (tmp_path / "wetlands.gpkg-wal").stat().st_size
        assert len(told(doctor(path), "file-unsaved", "warning")) == 1
    finally:
        base.close()


@pytest.mark.parametrize("unit", ["metre", None])
def test_a_dem_off_the_site_is_told_once_with_its_distance(tmp_path, doctor, run_wetgeo, unit):
    """Thirty miles east of the corner, the wetlands reaching 340 m that way; an unknown unit is told beside it."""
    with_ground(tmp_path, unit=unit)
    with rasterio.open(tmp_path / "ground.tif", "r+") as file:
        file.transform = rasterio.Affine(2, 0, X + 48_280.32, 0, -2, Y + 300)
    path = tmp_path / "site.toml"
    document = doctor(path)
    (remark,) = [one for one in told(document, "layer-far", "warning") if one["layer"] == "dem"]
    assert "it lies nowhere near the resources: 29.8 miles" in remark["message"]
    assert "is its CRS right" in remark["message"]
    assert not remark["line"]
    assert not told(document, "dem-coverage", "warning")
    assert document["runs"] == (unit is not None)
    if unit is None:
        (fits,) = told(document, "z-unit-fits", "info")
        assert "in the middle of the DEM" in fits["message"]
        assert any("metres (m): 300 to 312 m high, median slope 4 %" in line for line in fits["details"])
        return
    run = run_wetgeo("run", path, "--dry-run")
    assert run.code == 0
    assert run.err.count("it lies nowhere near the resources: 29.8 miles") == 1
    assert run.err.count("0.0% of the ground within the base width") == 1
    assert "dem W-1, W-2: 0.0%" in run.err
