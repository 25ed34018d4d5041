"""The upland edge: one line around all buffers, outside resources, within the tract."""

from __future__ import annotations

import math

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from plats import ORIGIN, at_origin, box, lay_out, lot
from sites import FEET, make_site

from wetgeo.edges import _runs, tract_edges, upland_edges
from wetgeo.findings import Findings
from wetgeo.kernels.lines import Chains


def upland(plat):
    return plat.edges[plat.edges.kind == "upland"]


def tract(plat):
    return plat.edges[plat.edges.kind == "tract"]


def is_ccw(line):
    return shapely.LinearRing(line.coords).is_ccw


def test_a_ring_is_walked_clockwise_from_its_northernmost_point():
    plat = lay_out([box(0, 0, 300, 200)])
    (row,) = plat.edges.itertuples()
    assert row.length_ft == pytest.approx(1000 + 2 * math.pi * 50, abs=0.1)
    assert np.subtract(row.geometry.coords[0], ORIGIN) == pytest.approx([0, 250], abs=1e-3)
    assert not is_ccw(row.geometry)
    assert row.parcel_id is None


def test_an_island_has_an_edge_and_is_walked_clockwise_too():
    lake = at_origin(shapely.box(0, 0, 600, 600).difference(shapely.box(200, 200, 400, 400)))
    plat = lay_out([lake])
    outer, island = sorted(upland(plat).itertuples(), key=lambda row: -row.length_ft)
    assert island.length_ft == pytest.approx(4 * 100, abs=0.1)
    assert not is_ccw(island.geometry)
    assert not is_ccw(outer.geometry)
    assert sorted(plat.monuments.seq) == list(range(1, len(plat.monuments) + 1))


def test_resources_that_overlap_have_one_edge_between_them_and_no_length_twice():
    # two 100-ft squares side by side with the same top and bottom lines
    plat = lay_out([box(0, 0, 100, 100), box(100, 0, 200, 100)])
    assert upland(plat).length_ft.sum() == pytest.approx(600 + 2 * math.pi * 50, abs=0.1)
    whole = shapely.line_merge(shapely.union_all(upland(plat).geometry.to_numpy()))
    assert whole.geom_type == "LineString"
    assert len(upland(plat)) == 2
    assert set(upland(plat).resource_id) == {"R1", "R2"}


def test_a_corner_that_two_resources_share_leaves_no_alternating_splinters():
    # both buffers round the shared corner by the same arc, drawn by different chords
    one = at_origin(shapely.Polygon([(0, 0), (100, 30), (100, -100), (0, -100)]))
    other = at_origin(shapely.Polygon([(100, 30), (200, -17.3), (200, -100), (100, -100)]))
    pieces = upland(lay_out([one, other], 75))
    assert len(pieces) == 2
    assert pieces.length_ft.min() > 100


def test_the_edge_inside_another_buffer_or_resource_is_none():
    plat = lay_out([box(0, 0, 300, 200), box(120, 80, 180, 120).buffer(0), box(320, 80, 330, 90)], [50, 10, 5])
    # the second lies in the first, the third in the first's buffer
    assert set(upland(plat).resource_id) == {"R1"}
    assert [one.feature_id for one in plat.findings if one.code == "monument"] == ["R2", "R3"]


def test_an_edge_ends_at_a_resource_without_buffer():
    plat = lay_out([box(0, 0, 300, 200), box(340, 0, 400, 200)], [50, 0])
    (row,) = upland(plat).itertuples()
    assert not row.geometry.is_closed
    assert row.geometry.distance(box(340, 0, 400, 200)) < 1e-3
    assert row.geometry.intersection(box(340.01, 0.01, 399.99, 199.99)).is_empty


def test_the_tract_line_is_an_edge_of_its_own_kind():
    # M03: the wetland runs on beyond the tract on three sides
    plat = lay_out([box(-200, -400, 1200, 0)], tract=box(0, -100, 1000, 500))
    assert upland(plat).length_ft.sum() == pytest.approx(1000, abs=0.01)
    assert tract(plat).length_ft.tolist() == pytest.approx([50, 50], abs=0.01)
    start, end = np.subtract(upland(plat).geometry.iloc[0].coords, ORIGIN)[[0, -1]]
    assert start == pytest.approx([0, 50], abs=1e-3)
    assert end == pytest.approx([1000, 50], abs=1e-3)


def test_a_wetland_whose_side_is_the_tract_line():
    plat = lay_out([box(0, 0, 300, 200)], tract=box(0, -300, 600, 500))
    # no tract edge along the wetland's side, 50 ft of it on either side
    assert tract(plat).length_ft.tolist() == pytest.approx([50, 50], abs=0.01)
    assert upland(plat).length_ft.sum() == pytest.approx(300 + 200 + 300 + math.pi * 50, abs=0.1)


def test_an_edge_that_lies_on_the_tract_line_is_upland():
    plat = lay_out([box(0, 0, 300, 200)], tract=box(-50, -300, 600, 500))
    assert tract(plat).empty
    assert upland(plat).length_ft.sum() == pytest.approx(1000 + 2 * math.pi * 50, abs=0.1)


def test_a_tract_line_in_two_buffers_counts_once():
    plat = lay_out([box(0, 0, 100, 100), box(0, 150, 100, 250)], tract=box(-300, -300, 80, 600))
    # 50 ft above, 50 ft below, and the 50 ft between the two, where both buffers reach
    assert tract(plat).length_ft.sum() == pytest.approx(150, abs=0.01)


def test_a_tract_of_several_polygons_is_their_union():
    site_lots = [{"geometry": box(-300, -300, 100, 600)}, {"geometry": box(100, -300, 700, 600)}]
    plat = lay_out([box(0, 0, 300, 200)], layers={"tract": site_lots})
    assert tract(plat).empty
    assert len(upland(plat)) == 1


def test_pieces_end_at_lot_lines_and_bear_the_parcel():
    plat = lay_out(
        [box(0, 0, 300, 200)], lots=[lot("A", box(-500, -500, 100, 700)), lot("B", box(100, -500, 800, 700))]
    )
    pieces = upland(plat).set_index("parcel_id").length_ft
    west = 100 + 200 + 100 + math.pi * 50
    assert pieces["A"] == pytest.approx(west, abs=0.1)
    assert pieces["B"] == pytest.approx(1000 + 2 * math.pi * 50 - west, abs=0.1)


def test_of_overlapping_parcels_the_smallest_holds_the_edge_and_stacked_ones_are_named_together():
    lots = [
        lot("big", box(-500, -500, 800, 700)),
        lot("1-1", box(-500, -500, 100, 700)),
        lot("1-2", box(-500, -500, 100, 700)),
    ]
    plat = lay_out([box(0, 0, 300, 200)], lots=lots)
    assert set(upland(plat).parcel_id) == {"big", "1-1; 1-2"}
    assert any("1-1" in message for message in plat.messages("parcel-overlap"))


@pytest.mark.parametrize(
    ("owner", "runs"),
    [
        ([0, 0, 1, 1, 1], [(0, 20, "A"), (20, 40.2, "B")]),
        ([0, 1, 0, 0, 0], [(0, 10, "A"), (10, 20, "B"), (20, 40.2, "A")]),
        ([0, 0, 1, 0, 0], [(0, 40.2, "A")]),
        ([1, 1, 1, 1, 0], [(0, 30.2, "B"), (30.2, 40.2, "A")]),
    ],
)
def test_a_splinter_of_an_edge_goes_to_the_run_before_it(owner, runs):
    # segments of 10, 10, 0.2, 10 and 10 ft
    line = np.array([(0, 0), (10, 0), (20, 0), (20.2, 0), (30.2, 0), (40.2, 0)], dtype=float)
    found = _runs(Chains.of([line], [1]), np.array(owner), np.array(["A", "B"], dtype=object), 0.33)
    assert list(zip(found.run_start, found.run_end, found.run_resource, strict=True)) == [
        (pytest.approx(start), pytest.approx(end), name) for start, end, name in runs
    ]


def test_no_rows_where_there_are_no_footprints():
    site = make_site([{"geometry": box(0, 0, 1, 1)}], crs=FEET)
    none = gpd.GeoDataFrame({"resource_id": []}, geometry=[], crs=FEET)
    assert len(upland_edges(none, site, Findings()).chains) == 0


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0, 500), st.floats(0, 500), st.floats(5, 200), st.floats(5, 200)), min_size=1, max_size=6
    ),
    st.floats(10, 80),
)
def test_the_edge_is_the_outline_of_all_buffers_together(squares, width):
    """By another route: the outline of the union of footprints, less what lies in resources."""
    shapes = [box(x, y, x + dx, y + dy) for x, y, dx, dy in squares]
    plat = lay_out(shapes, width)
    union = shapely.union_all(shapely.buffer(np.array(shapes), width, quad_segs=200))
    rings = [ring for part in shapely.get_parts(union) for ring in (part.exterior, *part.interiors)]
    wide = [ring for ring in rings if 2 * shapely.Polygon(ring).area / ring.length > 0.2]
    assert upland(plat).length_ft.sum() == pytest.approx(sum(ring.length for ring in wide), rel=2e-3, abs=1.0)
    assert (upland(plat).geometry.distance(union.boundary) < 0.05).all()


def test_a_buffer_that_touches_the_tract_line_elsewhere_at_one_point_is_cut_as_any_other():
    # the footprint crosses the tract's north side and touches its east side at a corner: a point and a line
    tract = shapely.Polygon([(0, 0), (100, 0), (100, 100), (0, 100)])
    footprint = shapely.Polygon([(40, 80), (60, 80), (60, 120), (40, 120), (40, 100.0)])
    touching = shapely.union(footprint, shapely.Polygon([(60, 85), (100, 90), (60, 95)]))
    water = shapely.box(48, 85, 52, 90)
    site = make_site([{"geometry": water}], {"tract": [{"geometry": tract}]})
    frame = gpd.GeoDataFrame({"resource_id": ["R1"]}, geometry=[touching], crs=site.crs)
    findings = Findings()
    cut = tract_edges(frame, site, upland_edges(frame, site, findings))
    assert cut.chains.lengths.sum() == pytest.approx(20)


def test_a_splinter_where_a_ring_starts_goes_to_the_run_after_it():
    # a square whose first 0.2 ft bound another footprint than the two that have the rest
    ring = np.array([(0, 0), (0.2, 0), (20, 0), (20, -20), (0, -20), (0, 0)], dtype=float)
    found = _runs(Chains.of([ring], [1]), np.array([2, 0, 0, 1, 1]), np.array(["A", "B", "C"], dtype=object), 0.33)
    assert list(zip(found.run_start, found.run_end, found.run_resource, strict=True)) == [(0, 40, "A"), (40, 80, "B")]
