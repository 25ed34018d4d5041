import numpy as np
import pytest
import shapely
from sites import FEET, make_ruling, make_site

from wetgeo.findings import Findings
from wetgeo.footprints import lay_footprints
from wetgeo.rules.width import Facts, decide_width
from wetgeo.structures import apply_limits, existing_structure_limits, nearest_structure_ft, structures_of
from wetgeo.upland import Upland

LAKE = {"geometry": shapely.box(0, -500, 1000, 0), "resource_type": "lake", "setback_ft": 150.0}
LOTS = [
    {"parcel_id": name, "geometry": shapely.box(x, -50, x + 250, 400)} for name, x in (("A", 0), ("B", 250), ("C", 500))
]


def house(x, y, kind="Existing Primary"):
    return {"kind": kind, "geometry": shapely.box(x, y, x + 40, y + 30)}


def limits_of(structures, resource=LAKE):
    site = make_site([resource], {"structures": structures, "parcels": LOTS}, crs=FEET)
    findings = Findings()
    return existing_structure_limits(site, make_ruling("cmscwd-2009-draft"), np.array([0]), findings), site, findings


def test_the_nearest_structure_within_the_setback_halves_the_distance():
    limits, _, findings = limits_of([house(50, 200), house(300, 80), house(320, 120), house(600, 140)])
    assert [(limit.parcel_id, round(limit.width_ft, 3)) for limit in limits] == [("B", 40), ("C", 70)]
    assert all("4.9.4" in f.citation for f in findings)


def test_a_limit_narrows_and_widens_on_its_own_parcel_only():
    limits, site, _ = limits_of([house(300, 80), house(600, 140)])
    upland = Upland.of(site)
    decision = decide_width(
        make_ruling("cmscwd-2009-draft").pack,
        {},
        Facts(resource_type="lake", class_name="recreational development", setback_ft=150.0),
    )
    footprints = apply_limits(upland, lay_footprints(upland, [decision]), limits)
    for x, width in ((100, 50), (375, 40), (625, 70), (900, 50)):
        across = shapely.intersection(footprints.geometries[0], shapely.LineString([(x, -10), (x, 300)]))
        assert across.bounds[3] == pytest.approx(width, abs=0.01)


def test_an_unknown_setback_is_told():
    limits, _, findings = limits_of([house(300, 80)], {**LAKE, "setback_ft": np.nan})
    assert not limits
    assert [f.code for f in findings] == ["rule-setback"]


def test_kinds_match_however_they_are_spelled():
    site = make_site(
        [LAKE],
        {"structures": [house(0, 10, "new principal"), house(0, 99, "NEW-PRINCIPAL"), house(5, 5, "shed")]},
        crs=FEET,
    )
    assert len(structures_of(site, "new_principal")) == 2
    assert nearest_structure_ft(site, "new_principal")[0] == pytest.approx(10, rel=1e-5)
    assert np.isnan(nearest_structure_ft(site, "existing_primary")[0])
