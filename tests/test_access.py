"""Access corridors and paths: CMSCWD 4.9.2, MCWD 6(d), Rule M 6(f)(iv). All coordinates in feet."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from sites import FEET, make_ruling, make_site

from wetgeo.access import access_layer, access_ways, uncounted_access
from wetgeo.buffers import buffer_grounds
from wetgeo.findings import Findings
from wetgeo.footprints import Footprints
from wetgeo.upland import Upland
from wetgeo.vegetated import UncountedSurface, banned_trails

LAKE = {"resource_type": "lake", "class": "natural environment", "geometry": shapely.box(0, -500, 600, 0)}
CMSCWD, MCWD, RCWD = "cmscwd-2009-draft", "mcwd-2024", "rcwd-rule-m-2004"


def lot(west, east, *, shore=0.0, name="L"):
    """A lot from the shore northwards."""
    return {"parcel_id": name, "feature_id": name, "geometry": shapely.box(west, shore, east, 300)}


def line(x=300.0, width=np.nan, y0=0.0, y1=90.0):
    return {"feature_id": "path", "width_ft": width, "geometry": shapely.LineString([(x, y0), (x, y1)])}


def ways(pack, lines, lots=(), resource=LAKE):
    site, findings = (
        make_site([resource], {"access": lines, **({"parcels": lots} if lots else {})}, crs=FEET),
        Findings(),
    )
    return access_ways(site, make_ruling(pack), findings), findings


@pytest.mark.parametrize(("lot_width", "allowed"), [(80, 40), (99, 49.5), (100, 50), (101, 50), (300, 50)])
def test_a_corridor_is_half_the_lot_at_the_water_and_at_most_50_ft(lot_width, allowed) -> None:
    found, findings = ways(CMSCWD, [line()], [lot(300 - lot_width / 2, 300 + lot_width / 2)])
    assert found[0].lot_width_ft == pytest.approx(lot_width, rel=1e-5)
    assert found[0].allowed_ft == pytest.approx(allowed, rel=1e-5)
    assert found[0].width_ft == found[0].allowed_ft  # drawn as wide as allowed, and that is told
    assert found[0].shape.area == pytest.approx(90 * allowed, rel=1e-5)
    assert [f.severity for f in findings] == ["info"]


@pytest.mark.parametrize(("width", "wide"), [(39.9, False), (40.0, False), (40.1, True)])
def test_a_corridor_at_under_and_over_half_the_lot(width, wide) -> None:
    found, findings = ways(CMSCWD, [line(width=width)], [lot(260, 340)])
    told = [f.message for f in findings if f.code == "access"]
    assert bool(told) is wide
    assert not wide or "(50 % of the lot's 80.00 ft, or less)" in told[0]
    # only what is wider than allowed does not count
    assert found[0].uncounted.area == pytest.approx(90 * (width - 40) if wide else 0, abs=0.02)
    assert found[0].counts


@pytest.mark.parametrize(("second", "wide"), [(19.9, False), (20.0, False), (20.1, True)])
def test_corridors_of_one_lot_are_added_up(second, wide) -> None:
    """Two of a lot of 80 ft, which may have 40 ft; the third is another lot's."""
    lines = [
        {**line(x=x, width=w), "feature_id": n} for n, x, w in (("a", 280, 20), ("b", 320, second), ("c", 400, 40))
    ]
    _, findings = ways(CMSCWD, lines, [lot(260, 340), lot(340, 440, name="M")])
    told = [f.message for f in findings if f.code == "access"]
    assert bool(told) is wide
    assert not wide or "the 2 accesses of lot L (a, b) are 40.1 ft wide together" in told[0]


@pytest.mark.parametrize("shore", [-40.0, -0.4, 0.0, 0.4])
def test_lots_that_end_near_the_shore_or_reach_into_the_water(shore) -> None:
    found, _ = ways(CMSCWD, [line()], [lot(260, 340, shore=shore)])
    assert found[0].lot_width_ft == pytest.approx(80, abs=0.01)


def test_the_nearest_of_two_stretches_of_shore_counts() -> None:
    bay = {**LAKE, "geometry": shapely.union(shapely.box(0, -500, 600, 0), shapely.box(330, -1, 345, 500))}
    found, _ = ways(CMSCWD, [line(x=280)], [lot(260, 400)], bay)
    assert found[0].lot_width_ft == pytest.approx(np.hypot(70, 300), rel=1e-4)  # from the side line to the lot's rear


@pytest.mark.parametrize(
    "lots",
    [(), [lot(0, 100)], [lot(260, 340, shore=20)], [lot(-100, 700, shore=-600)]],
    ids=["no parcels", "the line is on no lot", "the lot is off the shore", "the lake is within the lot"],
)
def test_a_lot_without_a_width_at_the_water_is_told(lots) -> None:
    found, findings = ways(CMSCWD, [line(width=45)], lots)
    assert found[0].lot_width_ft is None
    assert found[0].allowed_ft == 50
    assert "could not be compared" in next(f.message for f in findings if f.severity == "warning")


@pytest.mark.parametrize(("width", "counts"), [(3.9, True), (4.0, True), (4.1, False)])
def test_a_path_up_to_four_feet_is_buffer(width, counts) -> None:
    wetland = {"class": "Preserve", "geometry": LAKE["geometry"]}
    found, findings = ways(MCWD, [line(width=width)], resource=wetland)
    assert found[0].counts is counts
    assert found[0].uncounted.area == pytest.approx(0 if counts else 90 * width * 1.0, rel=1e-5)
    assert bool(len(findings)) is not counts


@pytest.mark.parametrize(("width", "wide"), [(9.9, False), (10.0, False), (10.1, True)])
def test_a_surface_under_rule_m_never_counts_and_may_be_ten_feet(width, wide) -> None:
    wetland = {"geometry": LAKE["geometry"]}
    found, findings = ways(RCWD, [line(width=width)], resource=wetland)
    assert not found[0].counts
    assert found[0].uncounted.area == pytest.approx(90 * width, rel=1e-5)
    assert bool([f for f in findings if f.severity == "warning"]) is wide
    site = make_site([wetland], {"access": [line(width=width)]}, crs=FEET)
    surface = UncountedSurface.of(site, make_ruling(RCWD), Findings())
    assert len(banned_trails(site, surface.provision)) == wide


def laid(pack, lines, resource):
    site, ruling, findings = make_site([resource], {"access": lines}, crs=FEET), make_ruling(pack), Findings()
    upland = Upland.of(site)
    rows = np.array([0])
    footprints = Footprints(rows=rows, geometries=upland.offset(rows, np.array([50.0])))
    surface = UncountedSurface.of(site, ruling, findings)
    return access_layer(site, ruling, upland, footprints, findings), buffer_grounds(upland, footprints, surface.shapes)


def test_access_is_drawn_within_the_buffer_and_taken_out_where_it_does_not_count() -> None:
    layer, grounds = laid(RCWD, [line(width=10)], {"geometry": LAKE["geometry"]})
    assert layer["area_sqft"].tolist() == pytest.approx([500], rel=1e-5)
    assert layer[["access_id", "resource_id", "citation"]].to_numpy().tolist() == [["path", "R1", "6(f)(iv)"]]
    whole = laid(RCWD, [], {"geometry": LAKE["geometry"]})[1][0].area
    assert whole - grounds[0].area == pytest.approx(500, rel=1e-4)


def test_access_that_counts_leaves_the_buffer_whole() -> None:
    wetland = {"class": "Preserve", "geometry": LAKE["geometry"]}
    layer, grounds = laid(MCWD, [line(width=4)], wetland)
    assert layer["counts"].tolist() == [True]
    assert layer["area_sqft"].tolist() == pytest.approx([200], rel=1e-5)
    assert grounds[0].area == laid(MCWD, [], wetland)[1][0].area


def test_no_access_no_rows() -> None:
    assert laid(CMSCWD, [], LAKE)[0].empty
    site = make_site([LAKE], crs=FEET)
    assert len(uncounted_access(site, make_ruling(CMSCWD), Findings())) == 0
    assert not access_ways(make_site([LAKE], {"access": [line()]}, crs=FEET), make_ruling("mn-buffer-law"), Findings())
