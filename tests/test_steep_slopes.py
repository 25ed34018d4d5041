"""Steep slopes beside zones: what is told where elevations end or are missing; in feet."""

import numpy as np
import pytest
import shapely
from sites import FEET, Elevations, make_ruling, make_site

from wetgeo.findings import Findings
from wetgeo.steep_slopes import SteepSlopes

WETLAND = shapely.box(-150, -60, 150, 0)
FOOTPRINT = shapely.buffer(WETLAND, 50, quad_segs=56)


def extend(dem, layers=None, footprint=FOOTPRINT):
    findings = Findings()
    site = make_site([{"geometry": WETLAND}], layers, crs=FEET, dem=dem)
    steep = SteepSlopes.of(site, make_ruling("cmscwd-2009-draft"), findings)
    return steep.extend(0, None, footprint), list(findings)


def slope(top, ratio=0.2):
    """Ground that climbs to the north at a ratio up to `top` ft from the wetland."""
    return lambda _, y: 900 + ratio * np.minimum(y, top) + 0.01 * np.maximum(y - top, 0)


def test_to_the_top_of_the_slope():
    (found,), findings = extend(Elevations.of(slope(120)))
    assert found.kind == "steep_slope"
    assert found.ground.bounds[3] == pytest.approx(120, abs=4.5)
    assert "average over 12 % over 50 ft" in found.reason
    assert found.citation == "4.3.3"
    assert not findings


def test_gentle_ground_adds_nothing_and_tells_nothing():
    assert extend(Elevations.of(slope(120, 0.115))) == ([], [])


def test_without_elevations_it_is_told_once():
    findings = Findings()
    site = make_site([{"geometry": WETLAND}], crs=FEET)
    assert SteepSlopes.of(site, make_ruling("cmscwd-2009-draft"), findings) is None
    (told,) = findings
    assert (told.code, told.severity, told.layer) == ("dem-missing", "warning", "dem")
    assert "steep slopes were not looked for" in told.message


def test_rules_without_the_provision_look_for_nothing():
    findings = Findings()
    site = make_site([{"geometry": WETLAND}], crs=FEET)
    assert SteepSlopes.of(site, make_ruling("mcwd-2024"), findings) is None
    assert not len(findings)


def cut(dem, *, north):
    """Take the elevations north of a line away."""
    rows = int((dem.grid.top - north) / dem.grid.dy)
    dem.grid.z[:rows] = np.nan
    return dem


def test_elevations_that_end_on_the_slope_are_told():
    whole = Elevations.of(slope(120))
    rows = int((whole.grid.top - 80) / whole.grid.dy)
    from dataclasses import replace

    short = Elevations(replace(whole.grid, z=whole.grid.z[rows:], top=whole.grid.top - rows * whole.grid.dy))
    (found,), findings = extend(short)
    assert found.ground.bounds[3] == pytest.approx(80, abs=4.5)
    (told,) = findings
    assert (told.code, told.feature_id) == ("extension-cut-short", "R1")


def test_a_zone_without_elevations_is_told():
    found, findings = extend(cut(Elevations.of(slope(120)), north=24))
    told = {finding.code: finding.message for finding in findings}
    zone = shapely.difference(FOOTPRINT, WETLAND)
    share = shapely.intersection(zone, shapely.box(-999, 24, 999, 999)).area / zone.area
    assert f"{share:.1%} of its buffer has no elevation" in told["dem-coverage"]
    assert all(extension.ground.bounds[3] < 30 for extension in found)


def test_a_resource_off_the_elevations_is_told():
    dem = Elevations.of(slope(120))
    dem.grid.z[:] = np.nan
    found, (told,) = extend(dem)
    assert not found
    assert told.message.startswith("100.0% of its buffer")


def test_ground_beyond_the_tract_is_not_missed():
    tract = {"tract": [{"geometry": shapely.box(-400, -400, 400, 20)}]}
    _, findings = extend(cut(Elevations.of(slope(120)), north=24), tract)
    assert "dem-coverage" not in {finding.code for finding in findings}
