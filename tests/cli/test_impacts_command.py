"""``wetgeo impacts`` from the command line: outputs, JSON, and what it says of bad input."""

from __future__ import annotations

import json

import geopandas as gpd
import pyogrio
import pytest
import shapely
from small_site import UTM, X, Y, square, wetlands, write_layer, write_project

SQFT = 0.3048**2


@pytest.fixture
def site(tmp_path):
    """A project of two wetlands, 40 m square, Preserve and Manage 1."""
    write_layer(tmp_path / "wetlands.gpkg", wetlands())
    return write_project(tmp_path, tail='[outputs]\nformats = ["gpkg"]')


@pytest.fixture
def work(tmp_path):
    """Write disturbance: polygons and their columns."""

    def _work(*shapes, name="work.gpkg", crs=UTM, **columns):
        return write_layer(tmp_path / name, gpd.GeoDataFrame(columns, geometry=list(shapes), crs=crs))

    return _work


def test_layer_summary_and_json(site, work, run_wetgeo) -> None:
    source = work(square(100, 100, 20), square(500, 500), cause=["fill", "drain"])
    result = run_wetgeo("impacts", site, "--disturbance", source, "--json")
    assert result.code == 0, result.err
    found = json.loads(result.out)
    assert found["command"] == "impacts"
    assert found["replacement_sqft"] == pytest.approx(2 * 400 / SQFT, rel=1e-6)
    assert [(row["kind"], row["class"], row["cause"]) for row in found["summary"]] == [("wetland", "Preserve", "fill")]
    assert found["impacts"][0]["resource_id"] == "W-1"
    assert "wetland of class Preserve, fill: 4,306 sq ft; replacement 2:1, 8,611 sq ft" in result.err
    layer = pyogrio.read_dataframe(site.parent / "out" / "buffers.gpkg", layer="impacts")
    assert layer["area_sqft"].tolist() == pytest.approx([400 / SQFT], rel=1e-6)
    assert layer.columns.tolist() == [
        "resource_id", "kind", "cause", "area_sqft", "exempt", "ratio", "replacement_sqft", "citation", "geometry"
    ]  # fmt: skip
    provenance = json.loads((site.parent / "out" / "provenance.json").read_text(encoding="utf-8"))
    assert "work.gpkg" in [entry["path"] for entry in provenance["inputs"]]


def test_other_commands_write_no_such_layer(site, run_wetgeo) -> None:
    assert run_wetgeo("run", site).code == 0
    names = {name for name, _ in pyogrio.list_layers(site.parent / "out" / "buffers.gpkg")}
    assert not names & {"impacts", "triggers"}


def test_causes_by_another_field_words_and_default(site, work, run_wetgeo) -> None:
    source = work(square(100, 100, 20), square(300, 100, 20), WHAT=["Grading", None])
    words = ["--cause-field", "WHAT", "--cause-value", "grading=Fill", "--cause", "temporary"]
    result = run_wetgeo("impacts", site, "--disturbance", source, "--dry-run", "--json", *words)
    assert result.code == 0, result.err
    found = json.loads(result.out)
    assert {row["resource_id"]: row["cause"] for row in found["impacts"]} == {"W-1": "fill", "W-2": "temporary"}
    assert [f["feature_id"] for f in found["findings"] if f["code"] == "value-default"] == ["disturbance-2"]
    assert not (site.parent / "out").exists()


def test_another_crs_is_brought_over(site, work, run_wetgeo) -> None:
    shapes = gpd.GeoSeries([square(100, 100, 20)], crs=UTM).to_crs("EPSG:4326").tolist()
    source = work(*shapes, crs="EPSG:4326", cause=["fill"])
    result = run_wetgeo("impacts", site, "--disturbance", source, "--dry-run", "--json")
    found = json.loads(result.out)
    assert found["impacts"][0]["area_sqft"] == pytest.approx(400 / SQFT, rel=1e-4)
    assert [f["layer"] for f in found["findings"] if f["code"] == "crs-reprojected"] == ["disturbance"]


class TestBadInput:
    """Each says what, where and how to mend it; the exit status is 1."""

    @pytest.fixture
    def refused(self, site, run_wetgeo):
        def _refused(source, *words, code=1):
            result = run_wetgeo("impacts", site, "--disturbance", source, *words)
            assert result.code == code, result.err
            assert "Traceback" not in result.err
            assert "To mend it" in result.err
            assert not (site.parent / "out" / "buffers.gpkg").exists()
            return result.err

        return _refused

    def test_no_cause(self, work, refused) -> None:
        said = refused(work(square(100, 100, 20), square(300, 100, 20), id=["a", "b"]))
        assert "2 features whose cause is not one of fill, drain, excavate, temporary" in said
        assert "no cause: a, b" in said
        assert "--cause-field FIELD" in said

    def test_all_unknown_causes_at_once(self, work, refused) -> None:
        shapes = [square(100 + 20 * n, 100, 20) for n in range(3)]
        said = refused(work(*shapes, id=["a", "b", "c"], cause=["grading", "fill", None]))
        assert "cause 'grading': a" in said
        assert "no cause: c" in said
        assert '--cause-value "grading=fill"' in said

    def test_no_such_field(self, work, refused) -> None:
        said = refused(work(square(100, 100, 20), cause=["fill"]), "--cause-field", "Kause")
        assert "lacks fields that the command line names" in said
        assert "its fields are cause; name one of them" in said
        assert "[layers." not in said

    def test_lines(self, work, refused) -> None:
        said = refused(work(shapely.LineString([(X, Y), (X + 9, Y)]), cause=["fill"]))
        assert "holds lines; it must hold polygons" in said

    def test_no_file(self, tmp_path, refused) -> None:
        said = refused(tmp_path / "absent.gpkg")
        assert "absent.gpkg is not there" in said
        assert "mend the path in --disturbance" in said

    def test_several_layers(self, work, refused) -> None:
        source = work(square(100, 100, 20), cause=["fill"])
        gpd.GeoDataFrame(geometry=[square(300, 100, 20)], crs=UTM).to_file(source, layer="other")
        said = refused(source)
        assert 'write --disturbance "FILE|LAYER"; its layers are' in said
        assert "[layers." not in said

    def test_no_crs(self, work, refused) -> None:
        assert "has no CRS" in refused(work(square(100, 100, 20), crs=None, name="w.shp", cause=["fill"]))

    @pytest.mark.parametrize("words", [("--cause", "filling"), ("--cause-value", "x=fil"), ("--cause-value", "x")])
    def test_words_that_are_no_cause(self, work, refused, words) -> None:
        refused(work(square(100, 100, 20), cause=["fill"]), *words, code=2)


def test_off_the_site_is_a_warning(site, work, run_wetgeo) -> None:
    result = run_wetgeo("impacts", site, "--disturbance", work(square(90_000, 100, 20), cause=["fill"]), "--dry-run")
    assert result.code == 0, result.err
    assert "it lies nowhere near the resources" in result.err
    assert "is it of this site?" in result.err
    assert "Replacement owed in all: 0 sq ft" in result.err


def test_overlapping_itself_is_counted_once_and_told(site, work, run_wetgeo) -> None:
    source = work(square(100, 100, 20), square(110, 100, 20), square(100, 100, 20), cause=["fill"] * 3)
    found = json.loads(run_wetgeo("impacts", site, "--disturbance", source, "--dry-run", "--json").out)
    assert sum(row["area_sqft"] for row in found["impacts"]) == pytest.approx(600 / SQFT, rel=1e-6)
    assert [f["code"] for f in found["findings"] if f["layer"] == "disturbance"] == ["disturbance", "schema-recognised"]


def test_a_polygon_that_crosses_itself_is_repaired_and_told(site, work, run_wetgeo) -> None:
    bow = shapely.Polygon([(X + 100, Y + 100), (X + 120, Y + 120), (X + 120, Y + 100), (X + 100, Y + 120)])
    found = json.loads(
        run_wetgeo("impacts", site, "--disturbance", work(bow, cause=["fill"]), "--dry-run", "--json").out
    )
    assert sum(row["area_sqft"] for row in found["impacts"]) == pytest.approx(200 / SQFT, rel=1e-6)
    assert "geometry-repaired" in {f["code"] for f in found["findings"]}
