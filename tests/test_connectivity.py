import numpy as np
import shapely
from sites import make_site

from wetgeo.connectivity import connected_to_central
from wetgeo.findings import Findings


def run(resources, layers=None, tolerance_ft=0.5):
    site, findings = make_site(resources, layers), Findings()
    wetlands = (site.resources["resource_type"] == "wetland").to_numpy()
    chosen = connected_to_central(site, wetlands, tolerance_ft=tolerance_ft, citation="6(a)", findings=findings)
    return set(site.resources["resource_id"][chosen]), list(findings)


def square(x, y, size=10.0):
    return {"geometry": shapely.box(x, y, x + size, y + size)}


def test_wetlands_are_joined_step_by_step_by_touch_and_watercourses():
    resources = [square(0, 0, 50), square(50, 0), square(80, 0), square(120, 0), square(300, 0)]
    ditches = [
        {"geometry": shapely.LineString([(60, 5), (70, 5)])},
        {"geometry": shapely.LineString([(70, 5), (80, 5)])},
        {"geometry": shapely.LineString([(90, 5), (110, 5)])},  # ends 10 m short of the fourth
    ]
    chosen, findings = run(resources, {"watercourses": ditches})
    assert chosen == {"R1", "R2", "R3"}
    assert {f.feature_id for f in findings if f.severity == "info"} == {"R4", "R5"}


def test_the_largest_is_central_where_none_is_marked_and_that_is_told():
    chosen, findings = run([square(0, 0, 20), square(100, 0, 30)])
    assert chosen == {"R2"}
    told = next(f for f in findings if f.severity == "warning")
    assert "largest" in told.message
    assert told.feature_id == "R2"
    assert told.citation == "6(a)"


def test_marks_decide():
    chosen, findings = run([square(0, 0, 50), {**square(100, 0), "central": True}, {**square(200, 0), "central": True}])
    assert chosen == {"R2", "R3"}
    assert not [f for f in findings if f.severity == "warning"]


def test_gaps_within_the_tolerance_count_as_touching():
    resources = [square(0, 0, 20), square(20.1, 0)]  # 0.33 ft apart
    assert run(resources)[0] == {"R1", "R2"}
    assert run(resources, tolerance_ft=0.3)[0] == {"R1"}


def test_other_resources_neither_join_nor_count():
    lake = {"geometry": shapely.box(20, 0, 40, 20), "resource_type": "lake"}
    chosen, _ = run([square(0, 0, 20), lake, square(40, 0)])
    assert chosen == {"R1"}
    assert np.all([len(chosen) == 1])
