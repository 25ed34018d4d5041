"""The buffer that each parcel holds: ground counted once, areas only, overlaps and bare ground told."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from plats import at_origin, box, lot, measure
from sites import FEET, make_site

from wetgeo.findings import Findings
from wetgeo.kernels.shares import VERTICES, shares, subdivide
from wetgeo.parcels import lots_of


def codes(findings):
    return [(one.severity, one.code) for one in findings]


def held(frame):
    return dict(zip(frame.parcel_id, frame.buffer_sqft, strict=True))


def test_ground_that_buffers_share_counts_once():
    frame, findings = measure([box(0, 0, 100, 100), box(50, 0, 150, 100)], [lot("A", box(-10, -10, 500, 500))])
    assert held(frame) == pytest.approx({"A": 15000}, rel=1e-5)
    assert frame.buffer_share.tolist() == pytest.approx([1])
    assert codes(findings) == []


def test_a_line_and_a_point_that_both_have_are_no_area():
    # C11: the lot's border runs along the buffer's edge and dips into it by a triangle
    dips = at_origin(shapely.Polygon([(0, 100), (40, 100), (50, 90), (60, 100), (100, 100), (100, 300), (0, 300)]))
    frame, _ = measure([box(0, 0, 100, 100)], [lot("N", dips), lot("beside", box(100, 0, 200, 100))])
    assert held(frame) == pytest.approx({"N": 100}, rel=1e-5)


def test_a_parcel_of_several_parts_is_one_row_and_the_street_between_is_told():
    parts = shapely.union_all([box(-500, -500, 40, 500), box(60, -500, 500, 500)])
    frame, findings = measure([box(0, 0, 100, 50)], [lot("P1", parts)])
    assert held(frame) == pytest.approx({"P1": 4000}, rel=1e-5)
    assert frame.buffer_share.tolist() == pytest.approx([0.8])
    (told,) = findings
    assert (told.severity, told.code) == ("warning", "parcel-none")
    assert told.message.startswith("1,000 sq ft (0.02 ac, 20.0 % of the buffer) lie on no parcel")


def test_features_that_bear_one_number_are_one_parcel():
    lots = [lot("P1", box(-500, -500, 40, 500)), lot("P1", box(60, -500, 500, 500)), lot(None, box(40, -9, 60, 99))]
    frame, findings = measure([box(0, 0, 100, 50)], lots)
    assert held(frame) == pytest.approx({"P1": 4000, "3": 1000}, rel=1e-5)
    assert codes(findings) == [("info", "parcel-repeated")]


def test_features_without_a_number_are_parcels_of_their_own():
    frame, _ = measure([box(0, 0, 100, 50)], [lot(None, box(-9, -9, 50, 99)), lot(None, box(50, -9, 109, 99))])
    assert held(frame) == pytest.approx({"1": 2500, "2": 2500}, rel=1e-5)


def test_stacked_parcels_each_hold_the_whole_and_overlaps_are_told():
    lots = [lot("1-1", box(-9, -9, 109, 59)), lot("1-2", box(-9, -9, 109, 59)), lot("B", box(80, -9, 200, 59))]
    frame, findings = measure([box(0, 0, 100, 50)], lots)
    assert held(frame) == pytest.approx({"1-1": 5000, "1-2": 5000, "B": 1000}, rel=1e-5)
    messages = [one.message for one in findings if one.code == "parcel-overlap"]
    assert any("6,000 sq ft of buffer" in message for message in messages)
    assert any("(1-1, 1-2)" in message for message in messages)


def test_less_than_a_square_foot_is_no_buffer():
    frame, _ = measure([box(0, 0, 100, 50)], [lot("A", box(-9, -9, 99.99, 59)), lot("B", box(99.99, -9, 200, 59))])
    assert list(frame.parcel_id) == ["A"]


def test_without_parcels_there_is_nothing_to_tell():
    site = make_site([{"geometry": box(0, 0, 1, 1)}], crs=FEET)
    assert len(lots_of(site, Findings())) == 0
    frame, findings = measure([], [lot("A", box(0, 0, 1, 1))])
    assert frame.empty
    assert codes(findings) == []


def test_a_large_polygon_is_cut_into_pieces_that_make_the_whole():
    angle = np.linspace(0, 2 * np.pi, 5000, endpoint=False)
    star = shapely.Polygon(np.column_stack([np.cos(angle), np.sin(angle)]) * (100 + 20 * np.sin(40 * angle))[:, None])
    ring = star.difference(shapely.Point(0, 0).buffer(50, quad_segs=200))
    pieces = subdivide(np.array([ring], dtype=object))
    assert shapely.get_num_coordinates(pieces).max() <= VERTICES
    assert shapely.area(pieces).sum() == pytest.approx(ring.area, rel=1e-9)
    assert shapely.union_all(pieces).symmetric_difference(ring).area < 1e-6


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(1, 30), st.integers(1, 30)), max_size=8),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(1, 30), st.integers(1, 30)), max_size=3),
)
def test_areas_as_counted_on_squares(lots, ground):
    """By another route: every rectangle has whole coordinates, so that unit squares can be counted."""
    lots = [(x, y, x + w, y + h) for x, y, w, h in lots]
    cover = np.zeros((80, 80), dtype=int)
    buffer = np.zeros((80, 80), dtype=bool)
    for west, south, east, north in ((x, y, x + w, y + h) for x, y, w, h in ground):
        buffer[south:north, west:east] = True
    for west, south, east, north in lots:
        cover[south:north, west:east] += 1
    squares = [shapely.box(c, r, c + 1, r + 1) for r, c in np.argwhere(buffer)]
    parts = shapely.get_parts(shapely.union_all(squares)) if squares else np.empty(0, dtype=object)
    found = shares(parts, np.array([shapely.box(*bounds) for bounds in lots], dtype=object))
    assert found.total == pytest.approx(buffer.sum())
    assert found.covered == pytest.approx((buffer & (cover > 0)).sum())
    areas = dict(zip(found.lot, found.area, strict=True))
    for index, (west, south, east, north) in enumerate(lots):
        assert areas.get(index, 0) == pytest.approx(buffer[south:north, west:east].sum())
