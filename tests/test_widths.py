"""Required widths on planes and halves of soil, whose slopes and shares are known in closed form."""

from dataclasses import dataclass

import numpy as np
import pytest
import shapely
from sites import FEET, METRES, make_ruling, make_site

from wetgeo.errors import InputError
from wetgeo.findings import Findings
from wetgeo.kernels.grid import Grid
from wetgeo.upland import Upland
from wetgeo.widths import buffered, required_widths


@dataclass
class Plane:
    """Elevations that climb to the north by `slope` percent, known for `left` <= x <= `right`."""

    slope: float
    left: float = -1000.0
    right: float = 1000.0
    cell: float = 5.0
    bounds = (-1000.0, -1000.0, 1000.0, 1000.0)

    def window(self, bounds, *, pad=2):
        c0, c1 = np.floor(bounds[0] / self.cell) - pad, np.ceil(bounds[2] / self.cell) + pad
        r0, r1 = np.floor(bounds[1] / self.cell) - pad, np.ceil(bounds[3] / self.cell) + pad
        x, y = np.meshgrid(np.arange(c0, c1) + 0.5, np.arange(r1, r0, -1) - 0.5)
        z = np.where(
            (x * self.cell > self.left) & (x * self.cell < self.right), 300 + y * self.cell * self.slope / 100, np.nan
        )
        return Grid(z=z, left=c0 * self.cell, top=r1 * self.cell, dx=self.cell, dy=self.cell)


def decide(resources, *, layers=None, dem=None, pack="mcwd-2024", crs=FEET, **options):
    """Widths by resource id, and what was found."""
    site = make_site(resources, layers, dem=dem, crs=crs)
    ruling, findings = make_ruling(pack, **options), Findings()
    seen = []
    widths = required_widths(
        site, ruling, Upland.of(site), findings, progress=lambda done, what: seen.append((done, what))
    )
    assert all(0.3 <= done <= 0.7 for done, _ in seen)
    return dict(zip(site.resources["resource_id"], widths, strict=True)), list(findings)


def square(x=0, y=0, size=100, name="Preserve", **columns):
    return {"geometry": shapely.box(x, y, x + size, y + size), "class": name, **columns}


def soils(*groups):
    """Soil in columns of equal width across a wetland at (0, 0) of 100 ft."""
    edges = np.linspace(-400, 500, len(groups) + 1)
    return [
        {"hsg": hsg, "mukey": None, "geometry": shapely.box(edges[i], -900, edges[i + 1], 900)}
        for i, hsg in enumerate(groups)
    ]


def codes(found):
    return sorted((f.code, f.feature_id) for f in found)


@pytest.mark.parametrize(
    ("slope", "cut"), [(0, 8), (4.99, 6), (5, 6), (5.01, 4), (10, 4), (12.5, 2), (15, 2), (15.01, 0), (20, 0), (45, 0)]
)
def test_the_slope_of_a_plane(slope, cut):
    widths, _ = decide([square()], dem=Plane(slope), reductions="slope")
    found = widths["R1"]
    assert found.facts.slope_pct == slope
    assert (found.decision.slope_cut_ft, found.decision.soil_cut_ft) == (cut, 0)
    assert found.decision.width_ft == max(67, 75 - cut)


def test_metres_and_feet_have_the_same_slope_in_percent():
    widths, _ = decide([square()], dem=Plane(12.5), crs=METRES, reductions="slope")
    assert widths["R1"].facts.slope_pct == 12.5


@pytest.mark.parametrize(("hsg", "cut"), [("A", 6), ("B", 4), ("C", 2), ("D", 0), ("A/D", 0)])
def test_the_soil_group_and_the_floor(hsg, cut):
    widths, _ = decide([square(name="Manage 1")], layers={"soils": soils(hsg)}, dem=Plane(0))
    found = widths["R1"]
    assert (found.facts.hsg, found.hsg_share) == (hsg[-1], pytest.approx(1))
    assert found.decision.soil_cut_ft == cut
    assert found.decision.width_ft == max(34, 40 - 8 - cut)
    assert found.decision.floor_ft == 34
    assert found.decision.minimum_ft == found.decision.width_ft / 2
    assert {step.what for step in found.decision.steps} >= {"base", "slope", "soil", "width", "minimum", "cap"}
    assert all(step.citation for step in found.decision.steps)


def test_the_drained_reading_of_a_dual_group():
    widths, _ = decide([square()], layers={"soils": soils("B/D")}, reductions="soil", dual_hsg="drained")
    assert widths["R1"].facts.hsg == "B"


def test_a_tie_goes_to_the_group_nearer_to_d():
    # the wetland lies across the middle of two equal halves
    widths, found = decide([square()], layers={"soils": soils("A", "C")}, reductions="soil")
    assert (widths["R1"].facts.hsg, widths["R1"].hsg_share) == ("C", pytest.approx(0.5))
    assert "soil-unrated" not in {f.code for f in found}


@pytest.mark.parametrize(
    ("groups", "hsg", "share"),
    [
        (("A", None), "A", 0.5),  # half is unrated, which is not more than half
        (("D", None), "D", 0.5),
        ((*[None] * 4, "A", *[None] * 4), None, None),  # 31 % is rated
        ((None,), None, None),
    ],
)
def test_unrated_soil(groups, hsg, share):
    widths, found = decide([square()], layers={"soils": soils(*groups)}, reductions="soil")
    assert widths["R1"].facts.hsg == hsg
    assert widths["R1"].hsg_share == (share if share is None else pytest.approx(share))
    told = [f for f in found if f.code == "soil-unrated"]
    assert [f.feature_id for f in told] == ([] if hsg else ["R1"])
    if hsg is None:
        assert widths["R1"].decision.width_ft == 75
        assert told[0].citation


def test_ground_without_soil_polygons_is_unrated_too():
    layer = [{"hsg": "A", "mukey": None, "geometry": shapely.box(-500, -500, -40, 500)}]
    widths, found = decide([square()], layers={"soils": layer}, reductions="soil")
    assert widths["R1"].facts.hsg is None
    assert ("soil-unrated", "R1") in codes(found)


def test_what_is_not_given_cuts_nothing_and_is_told():
    widths, found = decide([square(), square(x=500, name="Manage 3")])
    assert [w.decision.width_ft for w in widths.values()] == [75, 20]
    assert codes(found) == [("dem-missing", ""), ("soil-missing", "")]
    assert decide([square()], reductions="none")[1] == []


@pytest.mark.parametrize(
    ("left", "known", "told"),
    [
        (-1000, True, False),
        (-70, True, False),  # 99 %
        (0, True, True),  # 66 %
        (50, True, True),  # half
        (55, False, True),
        (900, False, True),
    ],
)
def test_coverage_of_the_dem(left, known, told):
    widths, found = decide([square()], dem=Plane(10, left=left), reductions="slope")
    assert (widths["R1"].facts.slope_pct == 10) == known
    assert widths["R1"].decision.slope_cut_ft == (4 if known else 0)
    assert (("dem-coverage", "R1") in codes(found)) == told


def test_classes_of_the_buffer_law_and_what_it_leaves_alone():
    resources = [
        {**square(), "resource_type": "lake", "class": "public water"},
        {**square(x=500), "resource_type": "stream", "class": "public water"},
        {**square(x=1000), "resource_type": "stream", "class": "public drainage ditch"},
        {**square(x=1500), "resource_type": "wetland", "class": "public water"},
        {**square(x=2000), "resource_type": "wetland", "class": None},
    ]
    widths, found = decide(resources, pack="mn-buffer-law")
    got = [None if w is None else (w.decision.width_ft, w.decision.minimum_ft) for w in widths.values()]
    assert got == [(50, 30), (50, 30), (16.5, 16.5), (50, 30), None]
    assert codes(found) == [("rule-no-buffer", "")]
    assert "a wetland of no class" in found[0].message


def test_lakes_and_streams_bound_the_upland_but_get_no_buffer():
    resources = [square(), {**square(x=500), "resource_type": "lake"}, {**square(x=900), "resource_type": "stream"}]
    widths, found = decide(resources, reductions="none")
    assert [w is None for w in widths.values()] == [False, True, True]
    assert sorted(f.layer for f in found if f.code == "rule-no-buffer") == ["lakes", "streams"]


def test_only_the_central_contiguous_wetland_under_rule_m():
    resources = [square(name=None, central=True), square(x=100, name=None), square(x=400, name=None)]
    site, findings = make_site(resources, crs=FEET), Findings()
    assert buffered(site, make_ruling("rcwd-rule-m-2004"), findings).tolist() == [True, True, False]
    assert codes(findings) == [("rule-central", "R3")]
    widths, _ = decide(resources, pack="rcwd-rule-m-2004")
    assert [None if w is None else w.decision.width_ft for w in widths.values()] == [50, 50, None]


class TestNewResidence:
    """5(e): widths by the distance to the new principal structure."""

    @pytest.mark.parametrize(("distance", "width"), [(40, 25), (100, 25), (120, 30), (200, 50), (400, 75)])
    def test_a_quarter_of_the_distance(self, distance, width):
        house = {"kind": "new_principal", "geometry": shapely.box(0, 100 + distance, 40, 140 + distance)}
        shed = {"kind": "shed", "geometry": shapely.box(0, 105, 10, 115)}
        further = {"kind": "new_principal", "geometry": shapely.box(0, 900, 40, 940)}
        widths, _ = decide(
            [square()], layers={"structures": [further, house, shed]}, dem=Plane(0), trigger="new_residence"
        )
        found = widths["R1"]
        assert found.decision.width_ft == pytest.approx(width, rel=1e-5)
        assert (found.decision.slope_cut_ft, found.decision.soil_cut_ft, found.decision.floor_ft) == (0, 0, None)
        assert found.facts.slope_pct is None

    def test_without_a_house(self):
        with pytest.raises(InputError, match="needs a feature of kind new_principal") as caught:
            decide([square()], layers={"structures": []}, trigger="new_residence")
        assert "[layers.structures]" in str(caught.value)
