"""Footprints: zones in sequence, extensions between them, and lakes beside streams."""

import math

import numpy as np
import pytest
import shapely
from sites import FEET, make_ruling, make_site

from wetgeo.buffers import buffer_grounds, zones_layer
from wetgeo.footprints import Extension, lay_footprints, subject_footprints
from wetgeo.rules.width import Facts, decide_width
from wetgeo.upland import Upland

NOTHING = np.zeros(0, dtype=object)
#: a straight stream, 20 ft from bank to bank; far from its ends every zone is a strip on either side
STREAM = shapely.box(0, 0, 2000, 20)
WINDOW = shapely.box(900, -1000, 1000, 1000)


def decide(kind, name=None, *, gdnr=False, setback=None):
    ruling = make_ruling("cmscwd-2009-draft")
    facts = Facts(resource_type=kind, class_name=name, gdnr=gdnr, setback_ft=setback)
    return decide_width(ruling.pack, ruling.options, facts)


def lay(shapes, decisions, *, extend=None, subject=None):
    """Footprints of resources (all streams, but for what a decision says) and the site's zones layer."""
    rows = [
        {"geometry": shape, "resource_type": "stream" if decision and decision.zones else "lake"}
        for shape, decision in zip(shapes, decisions, strict=True)
    ]
    site = make_site(rows, crs=FEET)
    upland = Upland.of(site, subject)
    footprints = lay_footprints(upland, decisions, extend=extend)
    return footprints, zones_layer(site, upland, footprints, NOTHING), upland


def widths(zones):
    """Width of each zone on one side of the straight stream, seen through a window of 100 ft."""
    seen = shapely.intersection(zones.geometry.to_numpy(), WINDOW)
    return dict(zip(zones["zone"], (shapely.area(seen) / 200).round(3), strict=True))


@pytest.mark.parametrize(
    ("gdnr", "setback", "expected"),
    [
        (False, 150.0, {"streamside": 25, "middle": 50, "outer": 75}),
        (False, 75.0, {"streamside": 25, "middle": 50}),  # the outer zone is empty
        (False, None, {"streamside": 25, "middle": 50}),
        (True, 200.0, {"streamside": 50, "middle": 100, "outer": 50}),
        (True, 100.0, {"streamside": 50, "middle": 100}),
    ],
)
def test_three_zones_beside_a_straight_stream(gdnr, setback, expected):
    footprints, zones, upland = lay([STREAM], [decide("stream", gdnr=gdnr, setback=setback)])
    assert widths(zones) == pytest.approx(expected, abs=0.01)
    assert zones["width_ft"].tolist() == list(expected.values())
    assert zones["citation"].str.contains("4.3.1").all()
    # zones partition the buffer
    (ground,) = buffer_grounds(upland, footprints, NOTHING)
    parts = zones.geometry.to_numpy()
    assert shapely.area(parts).sum() == pytest.approx(ground.area, rel=1e-9)
    assert shapely.symmetric_difference(shapely.union_all(parts), ground).area < 0.01


def adds(zone, reach):
    """Give an `extend` that adds a strip as far as y = `reach` to one zone, over part of the stream's length."""

    def extend(row, name, footprint, is_last):
        asked.append((row, name, is_last))
        if name != zone:
            return []
        strip = shapely.box(500, 20, 1500, reach)
        return [
            Extension(
                row=row, zone=name, kind="floodplain", ground=strip, plain=footprint, citation="4.3.4", reason="test"
            )
        ]

    asked = []
    extend.asked = asked
    return extend


def test_middle_runs_from_streamside_as_extended_and_outer_from_the_bank():
    extend = adds("streamside", 20 + 60)
    footprints, zones, _ = lay([STREAM], [decide("stream", setback=150.0)], extend=extend)
    assert extend.asked == [(0, "streamside", False), (0, "middle", False), (0, "outer", True)]
    # north: streamside to 60, middle 50 more to 110, outer to the setback of 150 from the bank; south as ever
    north = shapely.intersection(zones.geometry.to_numpy(), shapely.box(900, 20, 1000, 1000))
    south = shapely.intersection(zones.geometry.to_numpy(), shapely.box(900, -1000, 1000, 0))
    assert shapely.area(north) / 100 == pytest.approx([60, 50, 40], abs=0.01)
    assert shapely.area(south) / 100 == pytest.approx([25, 50, 75], abs=0.01)
    assert [e.zone for e in footprints.extensions] == ["streamside"]


def test_outer_is_empty_where_middle_reaches_further():
    _, zones, _ = lay([STREAM], [decide("stream", setback=150.0)], extend=adds("middle", 20 + 170))
    north = shapely.intersection(zones.geometry.to_numpy(), shapely.box(900, 20, 1000, 1000))
    assert shapely.area(north) / 100 == pytest.approx([25, 145, 0], abs=0.01)
    beyond = shapely.intersection(zones.geometry.to_numpy(), shapely.box(100, 20, 200, 1000))
    assert shapely.area(beyond) / 100 == pytest.approx([25, 50, 75], abs=0.01)


def test_a_lake_takes_what_a_provision_adds():
    lake = shapely.box(0, 0, 1000, 20)
    extend = adds(None, 300)
    footprints, zones, upland = lay([lake], [decide("lake", "natural environment")], extend=extend)
    assert extend.asked == [(0, None, True)]
    assert zones.empty
    (ground,) = buffer_grounds(upland, footprints, NOTHING)
    plain = upland.within(np.array([0]), np.array([75.0]))[0]
    strip = shapely.box(500, 20, 1500, 300)
    assert ground.area == pytest.approx(shapely.union(plain, shapely.difference(strip, lake)).area)


def test_both_buffers_apply_where_a_lake_touches_a_stream():
    # 4.3.6: each keeps its own, the lake's over the stream's zones and the other way round; water is upland of neither
    lake = shapely.box(400, 20, 600, 220)
    decisions = [decide("stream", setback=150.0), decide("lake", "natural environment", setback=150.0)]
    footprints, zones, upland = lay([STREAM, lake], decisions)
    stream_ground, lake_ground = buffer_grounds(upland, footprints, NOTHING)
    water = shapely.union(STREAM, lake)
    for ground, shape, width in ((stream_ground, STREAM, 150), (lake_ground, lake, 75)):
        alone = shapely.difference(shapely.buffer(shape, width, quad_segs=500), water)
        assert shapely.intersection(ground, water).area == 0
        assert ground.area == pytest.approx(alone.area, rel=2e-4)
    # beside the lake strips of 75 ft by 150 ft; across the stream 55 ft, and what the quarter circles have beyond 20 ft
    cut = (20 * math.sqrt(75**2 - 20**2) + 75**2 * math.asin(20 / 75)) / 2
    shared = 2 * 75 * 150 + 200 * 55 + 2 * (math.pi * 75**2 / 4 - cut)
    assert shapely.intersection(stream_ground, lake_ground).area == pytest.approx(shared, rel=2e-4)
    assert set(zones["zone"]) == {"streamside", "middle", "outer"}


def test_a_resource_without_a_width_has_no_footprint():
    footprints, _, _ = lay([STREAM, shapely.box(0, 500, 100, 600)], [None, decide("lake", "natural environment")])
    assert footprints.rows.tolist() == [1]
    empty, zones, _ = lay([STREAM], [None])
    assert len(empty.rows) == len(empty.geometries) == len(zones) == 0


def test_a_footprint_keeps_its_resource_and_the_ground_along_its_subject_edge():
    lake = shapely.box(0, 0, 1000, 20)
    footprints, _, upland = lay(
        [lake], [decide("lake", "natural environment")], subject={0: shapely.box(-1000, 20, 2000, 1000)}
    )
    (shape,) = subject_footprints(upland, footprints).geometries
    assert shape.bounds == pytest.approx((-75, 0, 1075, 95), abs=0.001)
    assert shapely.covers(shape, lake)
