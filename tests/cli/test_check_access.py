"""Access under ``wetgeo check``: Rule M 6(f)(iv), a path of up to 10 ft lies in the buffer and does not count."""

from __future__ import annotations

import json

import geopandas as gpd
import pytest
import shapely
from small_site import UTM, X, Y, square, wetlands, write_layer, write_project

FT = 0.3048


@pytest.fixture
def judged(tmp_path, run_wetgeo):
    """Judge a uniform buffer of 50 ft, with a path of a width straight away from the wetland's northern side."""

    def _judged(width):
        write_layer(tmp_path / "wetlands.gpkg", wetlands().iloc[:1])
        line = shapely.LineString([(X + 120, Y + 140), (X + 120, Y + 200)])
        path = gpd.GeoDataFrame({"width_ft": [width]}, geometry=[line], crs=UTM)
        write_layer(tmp_path / "access.gpkg", path)
        shape = square(100, 100).buffer(50 * FT, quad_segs=60)
        source = write_layer(tmp_path / "p.gpkg", gpd.GeoDataFrame(geometry=[shape], crs=UTM))
        site = write_project(tmp_path, rule="rcwd-rule-m-2004", access='path = "access.gpkg"')
        result = run_wetgeo("check", site, "--proposed", source, "--dry-run", "--json")
        return result.code, json.loads(result.out)

    return _judged


def test_a_path_does_not_count_toward_the_area(judged) -> None:
    code, found = judged(8.0)
    verdict = found["averaging"][0]
    assert code == 3
    assert verdict["verdict"] == "shortfall"
    assert -verdict["net_sqft"] == pytest.approx(8 * 50, abs=2)  # the two drawings of the corners
    assert not found["violations"]
    assert [a["kind"] for a in found["averaging_areas"] if a["area_sqft"] > 100] == ["not_counted"]


def test_a_path_wider_than_ten_feet_is_a_violation(judged) -> None:
    code, found = judged(12.0)
    assert code == 3
    violation = found["violations"][0]
    assert (violation["kind"], violation["measured_ft"], violation["required_ft"]) == ("excluded_use", 12, 10)
    assert violation["area_sqft"] == pytest.approx(12 * 50, rel=1e-2)
    assert [f["feature_id"] for f in found["findings"] if f["code"] == "access" and f["severity"] == "warning"]


@pytest.fixture
def judged_by(tmp_path, run_wetgeo):
    """Judge a uniform buffer of one wetland, 40 m square, with access straight away from it on a lot of 80 ft."""

    def _judged(rule, names, buffer_ft, width):
        write_layer(tmp_path / "wetlands.gpkg", wetlands().iloc[:1])
        line = shapely.LineString([(X + 120, Y + 140), (X + 120, Y + 200)])
        way = gpd.GeoDataFrame({"width_ft": [width]}, geometry=[line], crs=UTM)
        write_layer(tmp_path / "access.gpkg", way)
        lot = shapely.box(X + 120 - 40 * FT, Y + 140, X + 120 + 40 * FT, Y + 250)
        write_layer(tmp_path / "lots.gpkg", gpd.GeoDataFrame({"PIN": ["A"]}, geometry=[lot], crs=UTM))
        shape = square(100, 100).buffer(buffer_ft * FT, quad_segs=90)
        source = write_layer(tmp_path / "p.gpkg", gpd.GeoDataFrame(geometry=[shape], crs=UTM))
        layers = {
            "wetlands": f'path = "wetlands.gpkg"\nfields = {{ id = "WET_ID", class = "CLASS" }}\n{names}',
            "access": 'path = "access.gpkg"',
            "parcels": 'path = "lots.gpkg"\nfields = { id = "PIN" }',
        }
        site = write_project(tmp_path, rule=rule, **layers)
        result = run_wetgeo("check", site, "--proposed", source, "--dry-run", "--json")
        return json.loads(result.out)["averaging"][0]

    return _judged


@pytest.mark.parametrize(("width", "lost"), [(3.9, 0), (4.0, 0), (4.1, 4.1 * 75)])
def test_a_path_up_to_four_feet_counts(judged_by, width, lost) -> None:
    """MCWD 6(d): a Preserve wetland has 75 ft; a path that is too wide does not count at all."""
    verdict = judged_by("mcwd-2024", "", 75.0, width)
    assert -verdict["net_sqft"] == pytest.approx(lost, abs=3)  # the two drawings of the corners
    assert verdict["verdict"] == ("shortfall" if lost else "compliant")


@pytest.mark.parametrize(("width", "lost"), [(39.9, 0), (40.0, 0), (41.0, 1 * 50), (50.0, 10 * 50)])
def test_a_corridor_counts_up_to_half_the_lot(judged_by, width, lost) -> None:
    """CMSCWD 4.9.2: half of 80 ft; category 3 has 50 ft; what is wider does not count."""
    verdict = judged_by("cmscwd-2009-draft", 'values.class = { Preserve = "3" }', 50.0, width)
    assert -verdict["net_sqft"] == pytest.approx(lost, abs=2)
    assert verdict["verdict"] == ("shortfall" if lost else "compliant")
