"""Monuments: at lot lines and ends, evenly between, at bends; and the proof of it for every lot."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from plats import ORIGIN, at_origin, box, lay_out, lot
from pyproj import Transformer

from wetgeo.kernels.courses import bearing
from wetgeo.kernels.stations import strays

RING_300_200 = 1000 + 2 * math.pi * 50


def reasons(plat):
    return plat.monuments.reason.value_counts().to_dict()


def near(places, *wanted, within=0.01):
    """Each wanted place has one of the places within a hundredth of a foot."""
    return all(np.hypot(*(places - place).T).min() <= within for place in wanted)


def strips(*x, south=-1000, north=1000, names="ABCDEFGH"):
    """Lots side by side whose lines run from south to north at the given x."""
    return [lot(name, box(one, south, other, north)) for name, one, other in zip(names, x[:-1], x[1:], strict=False)]


def straight(length, **options):
    """Lay out M03: one straight edge of a length between two tract lines, 50 ft north of the wetland."""
    return lay_out([box(-200, -400, length + 200, 0)], tract=box(0, -100, length, 500), **options)


# ------------------------------------------------------------------------------------------ rings, lines, closed forms


def test_a_ring_without_lots_has_equal_gaps_across_its_start():
    # M01: 1,314.16 ft are 6.57 intervals
    plat = lay_out([box(0, 0, 300, 200)])
    assert reasons(plat) == {"interval": 7}
    assert plat.monuments.gap_ft.tolist() == pytest.approx([RING_300_200 / 7] * 7, abs=0.02)
    assert near(plat.at()[:1], (0, 250))
    assert plat.monuments.station_ft.tolist() == pytest.approx(np.arange(7) * RING_300_200 / 7, abs=0.1)
    assert list(plat.monuments.monument_id) == [f"R1-{n}" for n in range(1, 8)]
    assert set(plat.monuments.marker) == {"post"}


def test_a_ring_of_five_intervals_drawn_in_chords_has_five():
    side = (1000 - 2 * math.pi * 50) / 4
    plat = lay_out([box(0, 0, side, side)])
    assert reasons(plat) == {"interval": 5}
    assert plat.monuments.gap_ft.max() <= 200.01


def test_a_square_ring():
    # an island of 350 ft has an edge of 4 x 250 ft inside it
    island = at_origin(shapely.box(-600, -600, 950, 950).difference(shapely.box(0, 0, 350, 350)))
    places = lay_out([island]).at()
    assert near(places, (50, 300), (250, 300), (300, 150), (200, 50), (50, 100))
    assert (np.abs(places - 175).max(axis=1) < 200).sum() == 5


def test_a_width_of_nothing_leaves_no_edge():
    plat = lay_out([box(0, 0, 250, 250)], 0)
    assert plat.monuments.empty
    assert plat.edges.empty
    assert plat.proof.empty


def test_an_island_shorter_than_the_interval_has_one():
    island = at_origin(shapely.box(-600, -600, 750, 750).difference(shapely.box(0, 0, 130, 130)))
    inner = [one for one in lay_out([island]).monuments.itertuples() if one.gap_ft == pytest.approx(120, abs=0.1)]
    assert len(inner) == 1
    assert inner[0].bearing is None


@pytest.mark.parametrize(
    ("middle", "between"), [(400, 1), (400.01, 1), (399.99, 1), (400.03, 2), (200, 0), (200.012, 1), (3.0, 0)]
)
def test_a_stretch_between_two_lot_lines(middle, between):
    plat = straight(600 + middle, lots=strips(0, 300, 300 + middle, 600 + middle))
    assert reasons(plat).get("interval", 0) == between + 2
    assert near(plat.at("lot_line"), (300, 50), (300 + middle, 50), (0, 50), (600 + middle, 50))
    proof = plat.proof.set_index("parcel_id")
    assert proof.edge_ft["B"] == pytest.approx(middle, rel=1e-5)
    assert proof.monuments["B"] == between + 2
    assert proof.largest_gap_ft["B"] == pytest.approx(middle / (between + 1), rel=1e-5)
    assert set(proof.verdict) == {"ok"}


def test_an_open_edge_ends_with_monuments():
    # M03 without parcels: 1,000 ft, five gaps, two ends
    plat = straight(1000)
    assert reasons(plat) == {"end": 2, "interval": 4}
    assert near(plat.at("end"), (0, 50), (1000, 50))
    assert plat.monuments.gap_ft.isna().tolist() == [False] * 5 + [True]
    assert plat.monuments.bearing.tolist() == ["N 90°00'00\" E"] * 5 + [None]


def test_five_lots_in_a_row():
    plat = straight(1000, lots=strips(0, 150, 370, 500, 740, 1000))
    assert near(plat.at("lot_line"), *[(x, 50) for x in (0, 150, 370, 500, 740, 1000)])
    assert near(plat.at("interval"), (260, 50), (620, 50), (870, 50))
    assert len(plat.monuments) == 9
    assert plat.proof.monuments.tolist() == [2, 3, 2, 3, 3]
    assert plat.proof.parcel_id.tolist() == list("ABCDE")


def test_a_cul_de_sac_of_pie_lots():
    # a round pond of 50 ft radius: an edge of 100 ft radius, six lots whose lines are spokes
    pond = at_origin(shapely.Point(0, 0).buffer(50, quad_segs=90))
    spokes = [(900 * math.cos(a), 900 * math.sin(a)) for a in np.radians(np.arange(10, 371, 60))]
    lots = [
        lot(f"{n}", at_origin(shapely.Polygon([(0, 0), one, other]))) for n, (one, other) in enumerate(pairwise(spokes))
    ]
    plat = lay_out([pond], lots=lots)
    assert reasons(plat) == {"lot_line": 6}
    assert near(plat.at(), *[(100 * math.cos(a), 100 * math.sin(a)) for a in np.radians(np.arange(10, 370, 60))])
    assert plat.monuments.gap_ft.tolist() == pytest.approx([100 * math.pi / 3] * 6, abs=0.05)


# ------------------------------------------------------------------------------------------------------------ lot lines


def test_near_lot_lines_are_one_midway():
    # G03: a gap and an overlap of an inch; G07: lines that wobble
    plat = lay_out([box(0, 0, 300, 200)], lots=[*strips(-900, 99.9, names="A"), *strips(100.1, 200.1, names="B"), *strips(199.9, 900, names="C")])  # fmt: skip
    assert near(plat.at("lot_line"), (100, 250), (100, -50), (200, 250), (200, -50))
    assert reasons(plat)["lot_line"] == 4
    assert set(plat.edges.parcel_id) == {"A", "B", "C"}


def test_an_inch_between_all_lots():
    edges = [-900.0, 40.0, 95.0, 150.0, 205.0, 900.0]
    lots = [lot(name, box(one + 1 / 12, -900, other - 1 / 12, 900)) for name, (one, other) in zip("ABCDE", pairwise(edges), strict=True)]  # fmt: skip
    plat = lay_out([box(0, 0, 300, 200)], lots=lots)
    assert near(plat.at("lot_line"), *[(x, y) for x in edges[1:-1] for y in (250, -50)])
    assert reasons(plat)["lot_line"] == 8
    assert plat.edges.length_ft.min() > 50


def test_a_street_without_a_parcel_has_two_lot_lines():
    # G05
    parts = shapely.union_all([box(-900, -900, 130, 900), box(190, -900, 900, 900)])
    plat = lay_out([box(0, 0, 300, 200)], lots=[lot("P1", parts)])
    assert near(plat.at("lot_line"), (130, 250), (190, 250), (130, -50), (190, -50))
    assert reasons(plat)["lot_line"] == 4
    assert plat.proof.parcel_id.isna().sum() == 1
    assert plat.proof.edge_ft[plat.proof.parcel_id.isna()].tolist() == pytest.approx([120], abs=0.01)


def test_four_lots_that_meet_on_the_edge_have_one_monument_there():
    # G08: spokes at 45 degrees through (150, 250)
    c = (150, 250)
    n, e, s, w = ([(150 + 900 * x, 250 + 900 * y) for x, y in pair] for pair in (((-1, 1), (1, 1)), ((1, 1), (1, -1)), ((1, -1), (-1, -1)), ((-1, -1), (-1, 1))))  # fmt: skip
    lots = [lot(name, at_origin(shapely.Polygon([c, *side]))) for name, side in zip("NESW", (n, e, s, w), strict=True)]
    plat = lay_out([box(0, 0, 300, 200)], lots=lots)
    assert reasons(plat)["lot_line"] == 3
    top = plat.monuments[np.hypot(*(plat.at() - c).T) < 0.01]
    assert len(top) == 1
    assert sorted(top.parcel_ids.iloc[0].split("; ")) == ["E", "N", "S", "W"]


def test_a_corner_that_touches_the_edge_from_outside_is_no_crossing():
    peak = at_origin(shapely.Polygon([(150, 250), (250, 900), (50, 900)]))
    rest = at_origin(shapely.box(-900, -900, 900, 900)).difference(peak)
    plat = lay_out([box(0, 0, 300, 200)], lots=[lot("peak", peak), lot("rest", rest)])
    assert reasons(plat) == {"interval": 7}


def test_a_lot_line_along_the_edge_counts_at_its_ends():
    # C11: the line runs along the edge from x = 60 to 120 and 180 to 240, and dips into the buffer between
    dips = [(60, 250), (120, 250), (150, 220), (180, 250), (240, 250), (240, 600), (60, 600)]
    north = at_origin(shapely.Polygon(dips))
    south = at_origin(shapely.box(-900, -900, 900, 900)).difference(north)
    plat = lay_out([box(0, 0, 300, 200)], lots=[lot("N", north), lot("S", south)])
    assert near(plat.at("lot_line"), (60, 250), (120, 250), (180, 250), (240, 250))
    assert reasons(plat)["lot_line"] == 4
    assert plat.proof.set_index("parcel_id").edge_ft["N"] == pytest.approx(60, abs=0.01)


def test_an_outlot_drawn_along_the_whole_edge_leaves_the_lots_around_it():
    # the buffer is an outlot whose outline is drawn in coarser chords; A and B abut it
    outlot = at_origin(shapely.box(0, 0, 300, 200).buffer(50, quad_segs=12))
    around = [box(-900, -900, 150, 900).difference(outlot), box(150, -900, 900, 900).difference(outlot)]
    plat = lay_out([box(0, 0, 300, 200)], lots=[lot("O", outlot), lot("A", around[0]), lot("B", around[1])])
    assert near(plat.at("lot_line"), (150, 250), (150, -50), within=0.3)
    assert reasons(plat)["lot_line"] == 2


def test_a_lot_line_at_a_small_angle_crosses_where_it_crosses():
    # falls by 1 in 40 across the edge's straight northern side, through (150, 250)
    line = [(-900, 250 + 1050 / 40), (900, 250 - 750 / 40)]
    north = at_origin(shapely.Polygon([*line, (900, 900), (-900, 900)]))
    south = at_origin(shapely.Polygon([*line, (900, -900), (-900, -900)]))
    plat = lay_out([box(0, 0, 300, 200)], lots=[lot("N", north), lot("S", south)])
    assert near(plat.at("lot_line"), (150, 250))
    assert reasons(plat)["lot_line"] == 2


def test_a_line_between_lots_with_a_token_of_edge_is_not_marked():
    lots = strips(-900, 100, 106, 112, 900)
    plat = lay_out([box(0, 0, 300, 200)], lots=lots, token=13)
    assert near(plat.at("lot_line"), (100, 250), (112, 250), (100, -50), (112, -50))
    assert reasons(plat)["lot_line"] == 4
    assert len(plat.edges) == 6
    assert reasons(lay_out([box(0, 0, 300, 200)], lots=lots, token=10))["lot_line"] == 6


def test_stacked_parcels_are_one_lot():
    lots = [*strips(-900, 100, names="A"), *[lot(f"B-{n}", box(100, -900, 900, 900)) for n in range(3)]]
    plat = lay_out([box(0, 0, 300, 200)], lots=lots)
    assert reasons(plat)["lot_line"] == 2
    assert plat.proof.parcel_id.tolist() == ["A", "B-0; B-1; B-2"]
    assert plat.monuments.parcel_ids[plat.monuments.reason == "lot_line"].iloc[0] == "A; B-0; B-1; B-2"


def test_two_lot_lines_a_foot_or_less_from_each_other_share_a_monument():
    plat = straight(400, lots=strips(0, 200, 200.8, 400))
    assert near(plat.at("lot_line"), (200.4, 50))
    assert reasons(plat) == {"lot_line": 3, "interval": 1}


# --------------------------------------------------------------------------------------------- seams, bends, attributes


def test_where_two_buffers_meet_the_edge_goes_on():
    plat = lay_out([box(0, 0, 200, 100), box(250, 0, 450, 100)])
    length = plat.edges.length_ft.sum()
    assert len(plat.monuments) == math.ceil(length / 200.01)
    assert plat.monuments.gap_ft.tolist() == pytest.approx([length / len(plat.monuments)] * len(plat.monuments))
    assert set(plat.monuments.resource_id) == {"R1", "R2"}
    assert set(plat.proof.verdict) == {"ok"}


def stand_on_their_own_edge(plat):
    """Each monument is named for the resource on whose edge it stands."""
    edges = plat.edges[plat.edges.kind == "upland"]
    own = {name: shapely.union_all(pieces.to_numpy()) for name, pieces in edges.groupby("resource_id").geometry}
    away = [
        place.distance(own[name])
        for place, name in zip(plat.monuments.geometry, plat.monuments.resource_id, strict=True)
    ]
    return max(away, default=0) < 1e-3


def test_between_two_lot_lines_the_start_of_a_ring_and_three_resources():
    # the ring starts above R1; the stretch around it goes from the lot line under R3 past R2, R1 and the start
    plat = lay_out([box(0, 0, 300, 110), box(350, 0, 650, 100), box(700, 0, 1000, 100)], lots=strips(-9000, 900, 9000))
    assert reasons(plat)["lot_line"] == 2
    assert set(plat.monuments.resource_id) == {"R1", "R2", "R3"}
    assert stand_on_their_own_edge(plat)


@pytest.mark.parametrize(("stray", "least", "most"), [(5.0, 13, 16), (2.0, 20, 24)])
def test_a_round_edge_has_as_many_bends_as_its_sagitta_asks(stray, least, most):
    # M04: R = 150 ft; the longest gap is 2R acos(1 - s/R)
    pond = at_origin(shapely.Point(0, 0).buffer(75, quad_segs=180))
    plat = lay_out([pond], 75, bend=stray)
    assert least <= len(plat.monuments) <= most
    assert plat.monuments.gap_ft.max() <= 2 * 150 * math.acos(1 - (stray + 0.1) / 150)
    assert reasons(plat) == {"bend": len(plat.monuments)}


def test_bends_that_would_stand_too_near_are_told():
    # on an arc of 50 ft radius a chord of 1 ft strays by 0.0025 ft
    plat = lay_out([box(0, 0, 30, 20)], bend=0.001)
    assert plat.monuments.gap_ft.min() >= 1 - 1e-6
    (told,) = plat.messages("monument")
    assert "within 0.001 ft would stand less than 1 ft apart" in told


def test_public_land_has_flush_markers_its_boundary_included():
    plat = straight(600, lots=strips(0, 300, 600), layers={"public_land": [{"geometry": box(300, -900, 900, 900)}]})
    assert plat.monuments.marker.tolist() == ["post", "post", "flush", "flush", "flush"]


class Plane:
    """A DEM that is a plane: elevation is a thousandth of the easting from the origin, in the CRS's feet."""

    def sample(self, x, y):
        return (x - ORIGIN[0]) / 1000 + 0 * y


def test_coordinates_elevation_and_bearing():
    plat = straight(400, dem=Plane())
    assert plat.monuments.x.tolist() == pytest.approx([ORIGIN[0], ORIGIN[0] + 200, ORIGIN[0] + 400], abs=1e-3)
    assert plat.monuments.elev_ft.tolist() == pytest.approx([0, 0.2, 0.4], abs=1e-4)
    back = Transformer.from_crs("EPSG:4269", plat.site.crs, always_xy=True)
    x, y = back.transform(plat.monuments.lon, plat.monuments.lat)
    assert x == pytest.approx(plat.monuments.x.to_numpy(), abs=1e-4)
    assert y == pytest.approx(plat.monuments.y.to_numpy(), abs=1e-4)
    assert lay_out([box(0, 0, 300, 200)]).monuments.elev_ft.isna().all()


@pytest.mark.parametrize(
    ("east", "north", "text"),
    [
        (0, 1, "N 00°00'00\" E"),
        (1, 1, "N 45°00'00\" E"),
        (1, -1, "S 45°00'00\" E"),
        (-1, -1, "S 45°00'00\" W"),
        (-1, 1, "N 45°00'00\" W"),
        (1, 0, "N 90°00'00\" E"),
        (math.tan(math.radians(45 + 10 / 60 + 20 / 3600)), 1, "N 45°10'20\" E"),
        (1e-7, 1, "N 00°00'00\" E"),
        (1, 1e-7, "N 90°00'00\" E"),
    ],
)
def test_bearings(east, north, text):
    assert bearing(east, north) == text


def test_a_hundred_thousand_vertices():
    angle = np.linspace(0, 2 * np.pi, 100_000, endpoint=False)
    radius = 1000 + 60 * np.sin(40 * angle)
    wetland = at_origin(shapely.Polygon(radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])))
    plat = lay_out([wetland], 75, lots=strips(*range(-1600, 1601, 400)))
    assert plat.monuments.gap_ft.max() <= 200.01
    assert set(plat.proof.verdict) == {"ok"}


# ------------------------------------------------------------------------------------------- whatever the site looks like


@st.composite
def sites(draw):
    """Draw one to four wetlands, and lots that cover some of the ground: strips cut by a cross line, at an angle."""
    number = st.floats(0, 600)
    wetlands = draw(st.lists(st.tuples(number, number, st.floats(20, 300), st.floats(20, 300)), min_size=1, max_size=4))
    cuts = sorted(draw(st.lists(st.floats(-100, 900), min_size=0, max_size=5)))
    angle, across = draw(st.floats(0.2, 1.3)), draw(st.floats(0, 700))
    lots = []
    for number_, (one, other) in enumerate(zip([-3000, *cuts], [*cuts, 3000], strict=True)):
        for half, (south, north) in enumerate(((-3000, across), (across, 3000))):
            if other - one > 2:
                shape = shapely.affinity.rotate(shapely.box(one, south, other, north), angle, (0, 0), use_radians=True)
                lots.append(lot(f"{number_}-{half}", at_origin(shape)))
    return [box(x, y, x + dx, y + dy) for x, y, dx, dy in wetlands], lots


def check_everywhere(plat, bend=None):
    """Check what must hold on any site."""
    edges = plat.edges[plat.edges.kind == "upland"]
    assert set(plat.proof.verdict) <= {"ok"}
    assert not (plat.monuments.gap_ft > 200.01 + 1e-6).any()
    assert plat.proof.edge_ft.sum() == pytest.approx(edges.length_ft.sum(), rel=1e-6)
    assert (shapely.distance(shapely.union_all(edges.geometry.to_numpy()), plat.monuments.geometry) < 1e-3).all()
    assert stand_on_their_own_edge(plat)
    for chain in range(len(plat.upland.chains)):
        on = plat.monuments[
            plat.monuments.geometry.distance(shapely.LineString(plat.upland.chains.vertices(chain)[0])) < 1e-3
        ]
        check_chain(plat, chain, on.sort_values("station_ft"), bend)


def check_chain(plat, chain, on, bend):
    """Check one chain (a ring, for want of a tract): gaps make the whole, and no monument is superfluous."""
    at, length = on.station_ft.to_numpy() * plat.site.ft, plat.upland.chains.lengths[chain]
    before, after = np.array([at[-1] - length, *at[:-1]]), np.array([*at[1:], at[0] + length])
    assert (after - at).sum() == pytest.approx(length)
    assert len(at) < 2 or (after - at).min() >= 1 - 1e-6
    for reason, station, start, end in zip(on.reason, at, before, after, strict=True):
        # a ring's start is fixed where there is no lot line, and two monuments are each other's only neighbours
        if station == 0 or len(at) < 3:
            continue
        if reason == "interval":
            assert end - start > 200
        if reason == "bend":
            turn = start % length
            reached = np.array([turn, turn + end - start])
            # monuments stand a step (up to a foot) apart, so that one may be needed by less than that
            assert strays(*plat.upland.chains.cut(chain, *reached), reached).max() > bend - 1


@settings(max_examples=40, deadline=None)
@given(sites())
def test_on_any_site_every_lot_has_its_monuments(drawn):
    wetlands, lots = drawn
    plat = lay_out(wetlands, lots=lots)
    check_everywhere(plat)
    # by another route: each crossing of an edge and a lot line, as the geometry engine has it
    edge = shapely.union_all(plat.edges.geometry.to_numpy())
    crossings = shapely.get_parts(shapely.intersection(edge, [shapely.boundary(one["geometry"]) for one in lots]))
    crossings = shapely.get_coordinates(crossings[shapely.get_dimensions(crossings) == 0]) - ORIGIN
    for crossing in crossings:
        apart = np.hypot(*(crossings - crossing).T)
        alone = not ((apart > 0.01) & (apart < 12)).any()
        assert not alone or near(plat.at(), crossing)


@settings(max_examples=15, deadline=None)
@given(sites(), st.floats(2, 8))
def test_on_any_site_the_line_between_monuments_keeps_to_the_edge(drawn, bend):
    wetlands, lots = drawn
    plat = lay_out(wetlands, lots=lots, bend=bend)
    check_everywhere(plat, bend)
    assert plat.messages("monument") == [] or all("strays" not in one for one in plat.messages("monument"))


def test_the_order_of_lots_changes_nothing():
    lots = strips(-900, 40, 99.9, 180, 900)
    one, other = (lay_out([box(0, 0, 300, 200)], lots=some) for some in (lots, lots[::-1]))
    assert one.at().tolist() == other.at().tolist()
    assert one.monuments.parcel_ids.tolist() == other.monuments.parcel_ids.tolist()
