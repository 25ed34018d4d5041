"""Drainageways traced from the ground on request; in feet."""

import numpy as np
import pytest
import shapely
from sites import FEET, Elevations, make_ruling, make_site

from wetgeo.drainage import TracedDrainageways
from wetgeo.findings import Findings

FT = 0.3048 / (1200 / 3937)
WETLAND = shapely.box(-60, -300, 60, -200)
FOOTPRINT = shapely.buffer(WETLAND, 50, quad_segs=56)
#: the thalweg of the valley, a bent line that runs south into the wetland
THALWEG = shapely.LineString([(152.5, 700), (152.5, 250), (2.5, 0), (2.5, -700)])


def valley(x, y):
    """A V-valley: 10 % to both sides of the thalweg, 2 % along it."""
    points = shapely.points(x, y)
    return 950 + 0.1 * shapely.distance(THALWEG, points) - 0.02 * shapely.line_locate_point(THALWEG, points)


def trace(dem, *, acres=1.0, footprint=FOOTPRINT, **options):
    findings = Findings()
    site = make_site([{"geometry": WETLAND}], crs=FEET, dem=dem)
    ruling = make_ruling("cmscwd-2009-draft", **({} if acres is None else {"drainageway_acres": acres}), **options)
    traced = TracedDrainageways.of(site, ruling, findings)
    return ([] if traced is None else traced.extend(0, None, footprint)), list(findings)


def test_follows_the_thalweg():
    found, _ = trace(Elevations.of(valley, half=600, cell=5.0))
    strip = shapely.union_all([extension.ground for extension in found])
    assert {extension.kind for extension in found} == {"drainageway"}
    # up the valley, from the buffer to where an acre drains to it
    upper = shapely.intersection(strip, shapely.box(-600, -150, 600, 550))
    assert shapely.buffer(THALWEG, 5 * FT + 1.5 * 5).covers(upper)
    along = shapely.intersection(THALWEG, shapely.box(-600, -150, 600, 550)).length
    assert upper.area == pytest.approx(10 * FT * along, rel=0.12)


def test_starts_where_enough_ground_drains_to_it():
    # 200 ft of both sides drain into a straight valley: an acre is gathered over 43,560 / 400 ft of it
    dem = Elevations.of(lambda x, y: 920 + 0.02 * y - 0.1 * np.abs(np.abs(x - 2.5) - 200), half=600, cell=5.0)
    for acres in (1.0, 2.0):
        found, _ = trace(dem, acres=acres)
        head = max(e.ground.bounds[3] for e in found if np.abs(np.array(e.ground.bounds[::2]) - 2.5).max() < 10)
        assert head == pytest.approx(600 - acres * 43560 / 400, abs=10)


def test_width_is_the_option_and_nothing_is_traced_unasked():
    dem = Elevations.of(valley, half=600, cell=5.0)
    narrow, wide = (trace(dem, drainageway_width=width)[0] for width in (10.0, 30.0))
    area = [sum(extension.ground.area for extension in found) for found in (narrow, wide)]
    assert area[1] == pytest.approx(3 * area[0], rel=0.1)
    assert "30 ft wide" in wide[0].reason
    assert trace(dem, acres=None) == ([], [])


def test_a_line_that_ends_in_the_zone_is_none():
    # a bowl: all water ends in the wetland, and no 5 acres drain to any point outside of the zone
    assert trace(Elevations.of(lambda x, y: 900 + 0.1 * np.hypot(x, y + 250), half=600), acres=5.0)[0] == []


def test_the_end_of_the_elevations_is_told():
    found, findings = trace(Elevations.of(valley, half=600, cell=5.0))
    assert found
    (told,) = findings
    assert (told.code, told.feature_id, told.layer) == ("extension-cut-short", "R1", "dem")


def test_no_elevations_are_told():
    found, (told,) = trace(None)
    assert not found
    assert told.code == "dem-missing"
    away = shapely.transform(FOOTPRINT, lambda xy: xy + 10_000)
    found, (told,) = trace(Elevations.of(valley), footprint=away)
    assert not found
    assert told.code == "dem-coverage"


def test_a_void_ends_it_and_is_told():
    dem = Elevations.of(valley, half=600, cell=5.0)
    dem.grid.z[115:120] = np.nan  # across the valley, between the wetland and the bend
    _, findings = trace(dem, footprint=shapely.buffer(shapely.box(60, 120, 120, 180), 50))
    assert any(found.code == "flow-void" and "ends in a void" in found.message for found in findings)
