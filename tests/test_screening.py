"""Which provisions work triggers, at, just under and just over each threshold. All coordinates in feet."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from sites import FEET, make_layer, make_ruling, make_site

from wetgeo.findings import Findings
from wetgeo.impacts import Disturbance
from wetgeo.kernels.grid import Grid
from wetgeo.screening import triggers_layer

#: a unit of the CRS is a US survey foot: areas measure 1.000004 times as much in international feet
GROWN = (1200 / 3937 / 0.3048) ** 2
CMSCWD, MCWD, RCWD = "cmscwd-2009-draft", "mcwd-2024", "rcwd-rule-m-2004"


class Slope:
    """Elevations of a plane 4000 ft square that falls 5 % towards the south, in 20-ft cells; source of any window."""

    cell = 20.0
    bounds = (-2000.0, -2000.0, 2000.0, 2000.0)

    def __init__(self, *, void=None):
        count = 200
        y = 2000 - (np.arange(count) + 0.5) * self.cell
        self.z = np.repeat((100 + 0.05 * y)[:, None], count, axis=1)
        if void is not None:
            rows = slice(int((2000 - void[3]) / 20), int((2000 - void[1]) / 20))
            self.z[rows, int((void[0] + 2000) / 20) : int((void[2] + 2000) / 20)] = np.nan

    def window(self, bounds, *, pad=2):
        west, south, east, north = bounds
        c0, c1 = (int(np.clip((value + 2000) // 20, 0, 200)) for value in (west - 20 * pad, east + 20 * pad))
        r0, r1 = (int(np.clip((2000 - value) // 20, 0, 200)) for value in (north + 20 * pad, south - 20 * pad))
        if r1 <= r0 or c1 <= c0:
            return None
        touches = r0 == 0 or c0 == 0 or r1 == 200 or c1 == 200
        return Grid(z=self.z[r0:r1, c0:c1], left=c0 * 20 - 2000, top=2000 - r0 * 20, dx=20, dy=20, touches=touches)


LAKE = {"resource_type": "lake", "class": "natural environment", "geometry": shapely.box(-200, -200, 200, 0)}


def square(area, x=0.0, y=300.0):
    """A square of an area in square feet (international), by its lower left corner."""
    side = (area / GROWN) ** 0.5
    return shapely.box(x, y, x + side, y + side)


def screened(pack, shape, *, cause="fill", resources=(LAKE,), layers=None, dem=None):
    """Give the rows by provision, and the findings."""
    site = make_site(list(resources), layers, crs=FEET, dem=dem)
    ruling, findings = make_ruling(pack), Findings()
    frame = make_layer([{"cause": cause, "geometry": shape}], FEET)
    disturbance = Disturbance.of(frame, site, ruling, findings)
    return triggers_layer(site, ruling, disturbance, findings).set_index("provision"), findings


def new_impervious(area, **at):
    return {"new_impervious": [{"geometry": square(area, **at)}]}


@pytest.mark.parametrize(("area", "applies"), [(43_559.9, "no"), (43_560.0, "yes"), (43_560.1, "yes")])
def test_an_acre_of_land_disturbance(area, applies) -> None:
    row = screened(CMSCWD, square(area))[0].loc["erosion-acre"]
    assert row["applies"] == applies
    # whole square feet, but never an acre where it is less than one
    assert row["reason"].endswith(": 43,559.9 sq ft" if area < 43_560 else ": 43,560 sq ft")
    assert row["measured"] == pytest.approx(area, rel=1e-7)
    assert (row["threshold"], row["unit"], row["citation"], row["effect"]) == (
        43_560, "sq ft", "3.2(a)", "erosion control plan"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("area", "near", "notice"),
    [(10_889.9, "no", "undecided"), (10_890, "yes", "no"), (5_000, "no", "undecided"), (4_999.9, "no", "no")],
)
def test_a_quarter_acre_and_the_notice_of_intent_near_a_public_water(area, near, notice) -> None:
    """Where the notice's own conditions hold, it hangs on whether another rule asks a permit: 3.2(c)."""
    table, _ = screened(CMSCWD, square(area), dem=Slope())
    assert table.loc["erosion-near", "applies"] == near
    assert table.loc["erosion-notice", "applies"] == notice
    assert ("3.2(c)" in table.loc["erosion-notice", "reason"]) == (notice == "undecided")


def test_a_permit_under_another_rule_takes_the_place_of_the_notice() -> None:
    """Rule 2 asks a permit for the surface near the lake, so that 3.2(c) holds, and no notice is due."""
    table, _ = screened(CMSCWD, square(6_000), layers=new_impervious(500), dem=Slope())
    assert table.loc["stormwater-near", "applies"] == "yes"
    assert table.loc["erosion-near", "applies"] == "no"
    assert table.loc["erosion-other-permit", ["applies", "reason"]].tolist() == ["yes", "2.2(c) applies"]
    assert table.loc["erosion-notice", ["applies", "reason"]].tolist() == ["no", "3.2(c) applies in its place"]


def test_each_condition_that_holds_is_told() -> None:
    reason = screened(CMSCWD, square(20_000), dem=Slope())[0].loc["erosion-near", "reason"]
    assert reason.startswith(
        "disturbance at least 0.25 acre: 20,000 sq ft; disturbance more than 0 sq ft, within 1000 "
    )


def test_a_groundwater_dependent_wetland_decides_where_public_waters_are_not_known() -> None:
    seep = {"class": "3", "gdnr": True, "geometry": LAKE["geometry"]}
    above, findings = screened(CMSCWD, square(20_000), resources=(seep,), dem=Slope())
    assert above.loc["erosion-near", "applies"] == "yes"
    far = screened(CMSCWD, square(20_000, y=1500), resources=(seep,), dem=Slope())[0].loc["erosion-near"]
    assert far["applies"] == "undecided"
    assert "public waters are not known" in far["reason"]
    assert not [f for f in findings if "groundwater-dependent" in f.message]


def test_that_no_resource_is_marked_groundwater_dependent_is_told() -> None:
    _, findings = screened(CMSCWD, square(500))
    assert [f.severity for f in findings if "groundwater-dependent" in f.message] == ["warning"]


def test_no_wetland_disturbed_and_wetland_disturbed_under_rule_8() -> None:
    wetland = {"class": "3", "geometry": shapely.box(600, 300, 700, 400)}
    dry = screened(CMSCWD, square(500), resources=(LAKE, wetland))[0]
    assert dry.loc["wetland-work", "applies"] == "no"
    wet = screened(CMSCWD, square(500, x=600), resources=(LAKE, wetland))[0].loc["wetland-work"]
    assert (wet["applies"], wet["measured"]) == ("undecided", pytest.approx(500))


@pytest.mark.parametrize(("y", "applies"), [(999.0, "yes"), (1001.0, "no")])
def test_within_a_thousand_feet(y, applies) -> None:
    """1,000 ft are 999.998 US survey feet."""
    table, _ = screened(CMSCWD, square(20_000, y=y), dem=Slope())
    assert table.loc["erosion-near", "applies"] == applies


@pytest.mark.parametrize(
    ("x", "y", "applies"),
    [(-50, 300, "yes"), (400, 300, "undecided"), (-50, -700, "undecided"), (-260, 300, "yes")],
    ids=["above", "beside", "below", "partly above"],
)
def test_tributary_is_what_sheds_its_water_to_it(x, y, applies) -> None:
    """Beside and below the lake the water leaves the DEM in the south, and what becomes of it there is not known."""
    table, findings = screened(CMSCWD, square(20_000, x=x, y=y), dem=Slope())
    row = table.loc["erosion-near"]
    assert row["applies"] == applies
    assert ("leaves the DEM" in row["reason"]) == (applies == "undecided")
    told = [f for f in findings if f.feature_id == "erosion-near"]
    assert len(told) == (applies == "undecided")


def test_what_is_tributary_is_measured() -> None:
    """New impervious surface of which the western half lies above the lake."""
    layers = new_impervious(20_000, x=200 - 50 * 2**0.5)
    table, _ = screened(CMSCWD, square(20_000), layers=layers, dem=Slope())
    row = table.loc["stormwater-near"]
    assert row["applies"] == "yes"


def test_water_that_ends_in_another_water_below_is_not_its_own() -> None:
    ditch = {"resource_type": "stream", "geometry": shapely.box(-2000, 150, 2000, 180)}
    pond = {"class": "3", "gdnr": True, "geometry": shapely.box(1000, -1900, 1100, -1800)}
    # near the pond only, but sheds to the ditch
    far = square(20_000, x=1000, y=-1700)
    table, _ = screened(CMSCWD, far, resources=(ditch, pond), dem=Slope())
    assert table.loc["erosion-near", "applies"] == "yes"  # straight above the pond
    beside = screened(CMSCWD, square(20_000, x=1300, y=-1700), resources=(ditch, pond), dem=Slope())[0]
    assert beside.loc["erosion-near", "applies"] == "undecided"


def test_no_dem_and_voids_leave_it_undecided_unless_nothing_is_near() -> None:
    assert screened(CMSCWD, square(20_000))[0].loc["erosion-near", "applies"] == "undecided"
    assert screened(CMSCWD, square(20_000, y=1500))[0].loc["erosion-near", "applies"] == "no"
    void = Slope(void=(-300, 100, 500, 200))
    row = screened(CMSCWD, square(20_000), dem=void)[0].loc["erosion-near"]
    assert row["applies"] == "undecided"


def test_without_lakes_or_streams_public_waters_are_not_known() -> None:
    wetland = {"class": "3", "geometry": LAKE["geometry"]}
    row = screened(CMSCWD, square(20_000), resources=(wetland,), dem=Slope())[0].loc["erosion-near"]
    assert row["applies"] == "undecided"
    assert "public waters are not known" in row["reason"]


@pytest.mark.parametrize(("area", "applies"), [(9_999, "no"), (10_000, "no"), (10_000.1, "yes")])
def test_rule_m_more_than_ten_thousand_square_feet_of_impervious_surface(area, applies) -> None:
    wetland = {"geometry": LAKE["geometry"]}
    table, _ = screened(RCWD, square(500), resources=(wetland,), layers=new_impervious(area))
    assert table.loc["trigger-impervious", "applies"] == applies


@pytest.mark.parametrize(("site_acres", "area", "applies"), [(10, 21_780, "no"), (10, 21_780.1, "yes"), (40, 43_560, "no"), (40, 43_560.1, "yes")])  # fmt: skip
def test_an_acre_or_five_percent_of_the_site(site_acres, area, applies) -> None:
    layers = {**new_impervious(area), "tract": [{"geometry": square(site_acres * 43_560, x=-600, y=-600)}]}
    row = screened(CMSCWD, square(500), layers=layers)[0].loc["stormwater-impervious"]
    assert row["applies"] == applies
    assert row["threshold"] == pytest.approx(min(43_560, 0.05 * site_acres * 43_560), rel=1e-6)


def test_a_share_of_a_site_that_is_not_known() -> None:
    assert screened(CMSCWD, square(500), layers=new_impervious(30_000))[0].loc[
        "stormwater-impervious", "applies"
    ] == "undecided"  # fmt: skip
    assert screened(CMSCWD, square(500), layers=new_impervious(50_000))[0].loc[
        "stormwater-impervious", "applies"
    ] == "yes"  # fmt: skip


@pytest.mark.parametrize(("width", "applies"), [(49.9, "no"), (50.0, "no"), (50.1, "undecided")])
def test_half_of_the_existing_impervious_surface(width, applies) -> None:
    layers = {"existing_impervious": [{"geometry": shapely.box(0, 300, 100, 400)}]}
    row = screened(CMSCWD, shapely.box(0, 250, width, 450), layers=layers)[0].loc["stormwater-redevelopment"]
    assert row["applies"] == applies  # over it, what the work is must be asked
    assert row["measured"] == pytest.approx(width, rel=1e-9)
    assert row["unit"] == "%"


@pytest.mark.parametrize(("count", "applies"), [(3, "no"), (4, "undecided")])
def test_lots_of_the_tract_are_counted(count, applies) -> None:
    lots = [{"parcel_id": str(n), "geometry": shapely.box(100 * n, 300, 100 * n + 100, 500)} for n in range(9)]
    layers = {"parcels": lots, "tract": [{"geometry": shapely.box(0, 0, 100 * count + 20, 500)}]}
    row = screened(CMSCWD, square(500), layers=layers)[0].loc["stormwater-lots"]
    assert (row["measured"], row["unit"], row["applies"]) == (count, "lots", applies)


def test_wetland_filled_and_excavated_by_cause() -> None:
    wetland = {"class": "Preserve", "geometry": shapely.box(0, 300, 100, 400)}
    answers = {
        cause: screened(MCWD, shapely.box(0, 300, 20, 320), cause=cause, resources=(wetland,))[0]["applies"]
        for cause in ("fill", "excavate", "temporary", None)
    }
    # where it applies, what the layers cannot tell is asked
    assert {cause: (a["trigger-excavation"], a["trigger-replacement"]) for cause, a in answers.items()} == {
        "fill": ("no", "undecided"),
        "excavate": ("undecided", "undecided"),
        "temporary": ("no", "no"),
        None: ("undecided", "undecided"),
    }
    row = screened(MCWD, shapely.box(0, 300, 20, 320), cause=None, resources=(wetland,))[0].loc["trigger-excavation"]
    assert "the cause of the disturbance is not given" in row["reason"]
    dry = screened(MCWD, shapely.box(0, 900, 20, 920), cause=None, resources=(wetland,))[0]
    assert dry.loc["trigger-excavation", "applies"] == "no"


def test_a_new_residence_that_adds_impervious_surface() -> None:
    wetland = {"class": "Preserve", "geometry": LAKE["geometry"]}
    layers = {**new_impervious(3_000), "structures": [{"kind": "new_principal", "geometry": square(2_000)}]}
    assert screened(MCWD, square(500), resources=(wetland,), layers=layers)[0].loc[
        "trigger-new-residence", "applies"
    ] == "yes"  # fmt: skip
    layers["structures"] = [{"kind": "existing_primary", "geometry": square(2_000)}]
    assert screened(MCWD, square(500), resources=(wetland,), layers=layers)[0].loc[
        "trigger-new-residence", "applies"
    ] == "no"  # fmt: skip


def test_rebuilt_surface_is_told() -> None:
    layers = {**new_impervious(3_000), "existing_impervious": [{"geometry": square(1_000)}]}
    _, findings = screened(CMSCWD, square(500), layers=layers)
    assert [f.message for f in findings if f.layer == "new_impervious"] == [
        "1,000 sq ft of it lie on existing_impervious; they were measured as new"
    ]


def test_a_rule_without_triggers_has_no_rows() -> None:
    lake = {**LAKE, "class": "public water"}
    assert screened("mn-buffer-law", square(500), resources=(lake,))[0].empty
