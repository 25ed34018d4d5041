"""What communities, floodplains, drainageways and steep slopes add, on layouts whose areas are known; in feet."""

import numpy as np
import pytest
import shapely
from sites import FEET, Elevations, make_ruling, make_site

from wetgeo.buffers import extensions_layer
from wetgeo.extensions import extender
from wetgeo.findings import Findings
from wetgeo.footprints import lay_footprints
from wetgeo.rules.width import Facts, decide_width
from wetgeo.upland import Upland

#: the CRS counts in survey feet, the rule in international feet
FT = 0.3048 / (1200 / 3937)
NOTHING = np.zeros(0, dtype=object)
WETLAND = {"geometry": shapely.box(0, 0, 600, 200), "class": "4"}
LAKE = {"geometry": shapely.box(0, 0, 600, 200), "resource_type": "lake", "class": "recreational development"}
#: 50 ft: the plain buffer ends here to the north
EDGE = 200 + 50 * FT


def lay(resources, layers, *, dem=None, **options):
    """Lay the footprints of a site; return its layer of extensions, the footprints and the findings."""
    site, findings = make_site(resources, layers, crs=FEET, dem=dem), Findings()
    ruling, upland = make_ruling("cmscwd-2009-draft", **options), Upland.of(site)
    frame = site.resources
    decisions = [
        decide_width(
            ruling.pack,
            ruling.options,
            Facts(
                resource_type=one["resource_type"],
                class_name=one["class"],
                setback_ft=None if np.isnan(one["setback_ft"]) else one["setback_ft"],
            ),
        )
        for _, one in frame.iterrows()
    ]
    footprints = lay_footprints(upland, decisions, extend=extender(site, ruling, findings))
    return extensions_layer(site, upland, footprints, NOTHING), footprints, list(findings)


def areas(extensions):
    return {(one.zone or "", one.kind): one.area_sqft for one in extensions.itertuples()}


def flood(*zones):
    return {"floodplain": [{"geometry": shape, "zone": code} for shape, code in zones]}


def messages(findings, code):
    return [found.message for found in findings if found.code == code]


class TestFloodplain:
    """4.3.4: the parts of the floodplain that are connected to the zone."""

    def test_connected_zones_are_one_part_and_others_stay(self):
        near, beyond = shapely.box(100, 200, 200, 300), shapely.box(150, 300, 200, 500)
        apart = shapely.box(300, 260, 400, 400)
        found, _, findings = lay([WETLAND], flood((near, "AE"), (beyond, "A"), (apart, "AE"), (near, "X")))
        expected = 100 * (300 - EDGE) + 50 * 200
        assert areas(found) == {("", "floodplain"): pytest.approx(expected / FT**2, rel=1e-6)}
        assert found["reach_ft"].item() == pytest.approx(300 / FT, abs=0.01)
        assert not messages(findings, "extension")

    def test_multipart_feature_counts_part_by_part(self):
        parts = shapely.MultiPolygon([shapely.box(100, 200, 200, 300), shapely.box(100, 600, 200, 700)])
        found, _, _ = lay([WETLAND], flood((parts, "AE")))
        assert found["area_sqft"].sum() == pytest.approx(100 * (300 - EDGE) / FT**2, rel=1e-6)

    @pytest.mark.parametrize(
        ("shape", "connects"),
        [
            (shapely.Polygon([(100, 300), (150, EDGE), (200, 300)]), False),  # at a point of the zone
            (shapely.Polygon([(100, EDGE), (200, EDGE), (200, 300), (100, 300)]), True),  # along its edge
            (shapely.Polygon([(100, EDGE + 1e-5), (200, EDGE + 1e-5), (150, 300)]), True),  # but for rounding
            (shapely.Polygon([(100, EDGE + 0.1), (200, EDGE + 0.1), (150, 300)]), False),
        ],
    )
    def test_a_point_does_not_connect_a_line_does(self, shape, connects):
        assert len(lay([WETLAND], flood((shape, "AE")))[0]) == connects
        community = {"natural_communities": [{"geometry": shape, "rank": "B"}]}
        assert len(lay([LAKE], community)[0]) == connects

    def test_zones_that_meet_at_a_point_are_two_parts(self):
        near, corner = shapely.box(100, 200, 200, 300), shapely.box(200, 300, 300, 400)
        found, _, _ = lay([WETLAND], flood((near, "AE"), (corner, "AE")))
        assert found["area_sqft"].sum() == pytest.approx(100 * (300 - EDGE) / FT**2, rel=1e-6)

    @pytest.mark.parametrize("code", ["AE", "ae", "AEFW", "AE floodway", "A12", "V30", "AR", "A99", "VE", "AO"])
    def test_codes_that_count(self, code):
        found, _, findings = lay([WETLAND], flood((shapely.box(100, 200, 200, 300), code)))
        assert len(found) == 1
        assert not messages(findings, "extension")

    @pytest.mark.parametrize("code", ["X", "B", "C", "D", "AREA NOT INCLUDED"])
    def test_codes_that_do_not(self, code):
        found, _, findings = lay([WETLAND], flood((shapely.box(100, 200, 200, 300), code)))
        assert found.empty
        assert not messages(findings, "extension")

    def test_codes_that_nobody_knows_are_told(self):
        box = shapely.box(100, 200, 200, 300)
        found, _, findings = lay([WETLAND], flood((box, "A31"), (box, "Zone 1"), (box, "Zone 1"), (box, None)))
        assert found.empty
        told = messages(findings, "extension")
        assert len(told) == 3
        assert any("'Zone 1'" in text and "2 of 4 features" in text for text in told)
        assert any(text.startswith("features without a flood zone") for text in told)

    def test_the_edge_of_the_layer_is_told(self):
        inside = shapely.box(100, 200, 200, 300)
        rest = shapely.difference(shapely.box(-100, -100, 700, 300), inside)
        _, _, findings = lay([WETLAND], flood((inside, "AE"), (rest, "X")))
        assert messages(findings, "extension-cut-short") == [
            "the floodplain runs along the edge of its layer for 100 ft, which may have cut it short"
        ]
        around = shapely.difference(shapely.box(-100, -100, 700, 600), inside)
        assert not messages(lay([WETLAND], flood((inside, "AE"), (around, "X")))[2], "extension-cut-short")


class TestNaturalCommunity:
    """4.3.2: for lakes, and for the middle zone of streams."""

    COMMUNITY = shapely.box(100, 200, 200, 400)

    def layer(self):
        return {"natural_communities": [{"geometry": self.COMMUNITY, "rank": "A"}]}

    def test_lakes_gain_it_whole_and_wetlands_do_not(self):
        found, _, _ = lay([LAKE], self.layer())
        assert areas(found) == {("", "natural_community"): pytest.approx(100 * (400 - EDGE) / FT**2, rel=1e-6)}
        assert lay([WETLAND], self.layer())[0].empty

    def test_streams_gain_it_in_the_middle_zone(self):
        stream = {**WETLAND, "resource_type": "stream", "class": None, "setback_ft": 150.0}
        found, footprints, _ = lay([stream], self.layer())
        middle = 200 + 75 * FT
        assert areas(found) == {("middle", "natural_community"): pytest.approx(100 * (400 - middle) / FT**2, rel=1e-6)}
        assert footprints.zones[1].outer.covers(self.COMMUNITY)
        assert not footprints.zones[0].outer.covers(self.COMMUNITY)


class TestDrainageway:
    """4.3.5: what crosses the buffer and goes on, at its own width."""

    def lines(self, *ends, width=10.0):
        """Drainageways that run north from the wetland's edge, or from where a pair says."""
        pairs = [end if isinstance(end, tuple) else (200.0, end) for end in ends]
        return {
            "drainageways": [
                {"geometry": shapely.LineString([(300 + 50 * n, a), (300 + 50 * n, b)]), "width_ft": width}
                for n, (a, b) in enumerate(pairs)
            ]
        }

    def test_crossing_ending_inside_and_not_reaching(self):
        found, _, findings = lay([WETLAND], self.lines(600.0, 240.0, (EDGE + 20, 600.0)))
        assert areas(found) == {("", "drainageway"): pytest.approx(10 * FT * (600 - EDGE) / FT**2, rel=1e-6)}
        assert not findings[1:]  # the draft, nothing else

    def test_beside_the_zone_is_not_across(self):
        strip = shapely.box(100, EDGE, 200, EDGE + 30)
        assert lay([WETLAND], {"drainageways": [{"geometry": strip, "width_ft": np.nan}]})[0].empty

    def test_parts_of_one_feature_count_each_on_its_own(self):
        both = shapely.MultiLineString([[(300, 200), (300, 400)], [(300, 700), (300, 900)]])
        found, _, _ = lay([WETLAND], {"drainageways": [{"geometry": both, "width_ft": 10.0}]})
        assert found["area_sqft"].sum() == pytest.approx(10 * FT * (400 - EDGE) / FT**2, rel=1e-6)

    def test_without_a_width_the_option_counts_and_is_told(self):
        found, _, findings = lay([WETLAND], self.lines(600.0, width=np.nan), drainageway_width=20.0)
        assert found["area_sqft"].item() == pytest.approx(20 * FT * (600 - EDGE) / FT**2, rel=1e-6)
        (told,) = messages(findings, "value-default")
        assert "width_ft" in told
        assert "20 ft" in told

    def test_a_stream_gains_it_in_its_outermost_zone(self):
        stream = {**WETLAND, "resource_type": "stream", "class": None, "setback_ft": 150.0}
        found, _, _ = lay([stream], self.lines(600.0))
        assert areas(found) == {
            ("outer", "drainageway"): pytest.approx(10 * FT * (600 - 200 - 150 * FT) / FT**2, rel=1e-6)
        }


def test_middle_starts_where_streamside_as_extended_ends():
    # the ground climbs to the north at 20 %, up to 125 ft from the bank, and at 1 % from there
    dem = Elevations.of(lambda _, y: 900 + 0.19 * np.minimum(y - 10, 125) + 0.01 * y, half=600, cell=5.0)
    stream = {"geometry": shapely.box(-150, -10, 150, 10), "resource_type": "stream", "setback_ft": 150.0}
    found, footprints, _ = lay([stream], {}, dem=dem)
    streamside, middle, outer = (zone.outer for zone in footprints.zones)
    across = [
        shapely.intersection(zone, shapely.LineString([(0, 10), (0, 500)])) for zone in (streamside, middle, outer)
    ]
    reach = [line.bounds[3] for line in across]
    assert reach[0] == pytest.approx(135, abs=7.5)  # the top of the slope, to 1.5 cells
    assert reach[1] == pytest.approx(reach[0] + 50 * FT, abs=0.05)
    assert reach[2] == pytest.approx(max(10 + 150 * FT, reach[1]), abs=0.05)
    # streamside gains 300 ft x 100 ft, which the middle zone, 50 ft further, holds already
    assert areas(found)[("streamside", "steep_slope")] == pytest.approx(300 * 100, rel=0.05)
    assert ("middle", "steep_slope") not in areas(found)
    south = shapely.intersection(middle, shapely.LineString([(0, -10), (0, -500)]))
    assert south.length == pytest.approx(75 * FT, abs=0.05)
    # exactly, in the terms of the extended zone: middle is what lies within 50 ft of it, or 75 ft of the water
    wide = shapely.union(
        shapely.buffer(streamside, 50 * FT, quad_segs=64), shapely.buffer(stream["geometry"], 75 * FT, quad_segs=64)
    )
    assert shapely.symmetric_difference(middle, wide).area < 1e-3 * wide.area


def test_provisions_are_judged_one_by_one():
    box = shapely.box(100, 200, 200, 300)
    layers = {**flood((box, "AE")), "natural_communities": [{"geometry": box, "rank": "A"}]}
    found, footprints, _ = lay([LAKE], layers)
    assert sorted(found["kind"]) == ["floodplain", "natural_community"]
    assert found["area_sqft"].nunique() == 1
    assert footprints.geometries[0].area == pytest.approx(
        shapely.buffer(LAKE["geometry"], 50 * FT, quad_segs=64).area + 100 * (300 - EDGE), rel=1e-4
    )
