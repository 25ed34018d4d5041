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
