"""Proposals as they are drawn: in pieces, with gaps, holes, slivers and ground that counts nothing."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from averaged import SQUARE, Averaged, box, straight


def test_with_or_without_the_wetland_inside_in_pieces_and_overlapping():
    place = Averaged([SQUARE])
    ring = place.uniform()
    west, east = ring & box(-500, -500, 110, 500), ring & box(90, -500, 700, 500)
    for shapes in ([ring], [ring | SQUARE], [west, east], [SQUARE, east, west, west]):
        one = place.judge(*shapes)[0]
        assert one.verdict == "compliant"
        assert one.credited_sqft == pytest.approx(one.required_sqft, abs=1e-3)
        assert one.minimum_ft == pytest.approx(50, abs=0.03)


@pytest.mark.parametrize("gap", [1e-9, 1e-6, 0.001, 0.03])
def test_gaps_between_polygons_and_along_the_wetland_are_closed_and_told(gap):
    place = Averaged([SQUARE])
    ring = place.uniform()
    pieces = [ring & box(-500, -500, 100, 500), ring & box(100 + gap, -500, 700, 500)]
    pieces = [piece - box(-gap, -gap, 200 + gap, 200 + gap) for piece in pieces]
    one = place.judge(*pieces)[0]
    assert one.minimum_ft == pytest.approx(50, abs=0.04)
    assert one.verdict == "compliant"
    if gap >= 0.001:
        assert "were taken as closed" in place.told("proposal")[0]


def test_a_gap_that_can_be_seen_is_a_gap():
    place = Averaged([SQUARE])
    ring = place.uniform()
    assert place.judge(ring & box(-500, -500, 100, 500), ring & box(100.2, -500, 700, 500))[0].minimum_ft == 0
    assert place.judge(ring - box(-0.2, 50, 0.1, 60))[0].minimum_ft == 0


def test_holes_are_lacking_ground():
    place = Averaged([SQUARE])
    hole = place.judge(place.uniform() - box(50, -35, 60, -30))[0]
    assert (hole.verdict, hole.minimum_ft) == ("shortfall", pytest.approx(30, abs=1e-6))


def test_covering_the_wetland_only():
    place = Averaged([SQUARE])
    one = place.judge(SQUARE)[0]
    assert (one.verdict, one.minimum_ft, one.average_ft, one.credited_sqft) == ("too_narrow", 0, 0, 0)
    assert "the proposal holds no buffer for it" in place.told("averaging")


def test_ground_that_belongs_to_no_resource_is_told():
    place = Averaged([SQUARE])
    one = place.judge(place.uniform(), box(2000, 0, 2100, 100))[0]
    assert one.verdict == "compliant"
    assert one.proposed.area == pytest.approx(one.required.area, abs=0.01)
    (message,) = place.told("proposal")
    assert "10,000 sq ft" in message
    assert "features 2" in message


def test_ground_beyond_the_tract_is_told():
    place = straight()
    place.judge(box(-100, 0, 1000, 50))
    assert place.told("proposal") == ["5,000 sq ft of the proposal lie outside the tract and count nothing"]


def test_ten_thousand_slivers():
    place = Averaged([SQUARE])
    ring = place.uniform()
    x, y = np.meshgrid(np.arange(1000, 1100), np.arange(100))
    slivers = shapely.box(x.ravel(), y.ravel(), x.ravel() + 0.01, y.ravel() + 0.9)
    one = place.judge(ring, *slivers)[0]
    assert one.verdict == "compliant"
    assert "10000 pieces" in place.told("proposal")[0]
