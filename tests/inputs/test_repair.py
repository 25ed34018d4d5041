"""Geometries behind the door are valid, of one kind, and each ground stands once."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from drawn import X, Y, box, outline

from wetgeo.errors import InputError

pytest_plugins = ["site_fixtures"]

SQFT = 0.3048**2


def test_a_bow_tie_keeps_both_lobes(write, read) -> None:
    """Two triangles, 67.5 x 120 / 2 and 22.5 x 40 / 2; the shoelace formula takes the second from the first."""
    tie = outline((0, -60), (0, 60), (90, -20), (90, 20), (0, -60))
    done = read(wetlands=write("w.gpkg", [tie], id=["W1"]))
    assert done.site.resources.area[0] == pytest.approx(4050 + 450, rel=1e-9)
    ((severity, feature, message),) = done.told("geometry-repaired")
    assert (severity, feature) == ("warning", "W1")
    assert f"{3600 / SQFT:,.0f} sq ft before" in message
    assert f"{4500 / SQFT:,.0f} sq ft after (+25.00%)" in message


def test_overlapping_parts_are_united(write, read) -> None:
    parts = shapely.MultiPolygon([box(0, 0, 100, 60), box(60, 20, 100, 30)])
    done = read(wetlands=write("w.gpkg", [parts], id=["W1"]))
    ground = done.site.resources.geometry[0]
    assert ground.area == pytest.approx(6000 + 3000 - 40 * 30)
    assert ground.geom_type == "Polygon"
    assert not ground.interiors


@pytest.mark.parametrize(
    ("rings", "area"),
    [
        ([box(0, 0, 10, 10), box(20, 0, 5, 5)], 125.0),  # a hole outside of its shell is ground of its own
        ([box(0, 0, 10, 10), box(2, 2, 4, 4), box(4, 4, 4, 4)], 100.0 - 28),  # holes that overlap
    ],
)
def test_faulty_holes(write, read, rings: list[shapely.Polygon], area: float) -> None:
    polygon = shapely.Polygon(rings[0].exterior, [ring.exterior for ring in rings[1:]])
    done = read(wetlands=write("w.gpkg", [polygon], id=["W1"]))
    assert done.site.resources.area[0] == pytest.approx(area)
    assert done.told("geometry-repaired")


def test_a_small_repair_only_informs(write, read) -> None:
    spike = outline((0, 0), (100, 0), (100, 100), (50, 100), (50, 101), (50, 100), (0, 100))
    done = read(wetlands=write("w.gpkg", [spike], id=["W1"]))
    assert [(s, f) for s, f, _ in done.told("geometry-repaired")] == [("info", "W1")]
    assert done.site.resources.area[0] == pytest.approx(10_000)


def test_what_has_no_ground_is_dropped_by_id_with_the_reason(write, read) -> None:
    with np.errstate(invalid="ignore"):
        strange = shapely.Polygon([(X, Y), (np.nan, Y), (X, Y + 9), (X, Y)])
    shapes = [
        box(0, 0, 10, 10),
        None,
        shapely.Polygon(),
        outline((0, 0), (50, 0), (100, 0)),
        strange,
        shapely.Point(X, Y),
    ]
    done = read(wetlands=write("w.gpkg", shapes, id=["OK", "NOGEOM", "EMPTY", "FLAT", "NAN", "POINT"]))
    assert done.site.resources["resource_id"].tolist() == ["OK"]
    told = {feature: message for severity, feature, message in done.told("geometry-dropped") if severity == "error"}
    assert told.keys() == {"NOGEOM", "EMPTY", "FLAT", "NAN", "POINT"}
    assert "no geometry" in told["NOGEOM"]
    assert "empty" in told["EMPTY"]
    assert "no area" in told["FLAT"]
    assert "not numbers" in told["NAN"]
    assert "is a point" in told["POINT"]


def test_of_a_collection_the_polygons_are_kept(write, read) -> None:
    mixed = shapely.GeometryCollection([box(0, 0, 10, 10), shapely.LineString([(X, Y), (X + 99, Y)])])
    done = read(wetlands=write("w.gpkg", [mixed, box(50, 0, 1, 1)], id=["W1", "W2"]))
    assert done.site.resources.area.tolist() == [100.0, 1.0]
    assert [feature for _, feature, _ in done.told("geometry-repaired")] == ["W1"]


def test_closed_lines_of_a_drawing_are_outlines(write, read) -> None:
    done = read(wetlands=write("w.gpkg", [shapely.LineString(box(0, 0, 10, 10).exterior)], id=["W1"]))
    assert done.site.resources.area[0] == 100
    assert "outline of a polygon" in done.told("geometry-repaired")[0][2]


@pytest.mark.parametrize(
    ("shapes", "why"),
    [
        ([shapely.Point(X, Y)], r"layer wetlands \(.*w\.gpkg\) holds points; it must hold polygons"),
        ([None, None], r"none of its 2 features can be used \(it has no geometry: 2\)"),
        ([None], r"its only feature cannot be used \(it has no geometry: 1\)"),
        ([outline((0, 0), (50, 0), (100, 0))], "none encloses any ground"),
        ([], "no wetland, lake or stream is left"),
    ],
)
def test_resources_of_which_nothing_can_be_used(write, read, shapes: list[object], why: str) -> None:
    with pytest.raises(InputError, match=why):
        read(wetlands=write("w.gpkg", shapes, id=["W"] * len(shapes)))


class TestRepeats:
    """Features that repeat others."""

    def test_a_double_to_the_vertex_is_dropped_wherever_its_ring_starts(self, write, read) -> None:
        turned = outline((10, 0), (10, 10), (0, 10), (0, 0))
        done = read(wetlands=write("w.gpkg", [box(0, 0, 10, 10), turned], id=["B", "A"]))
        assert done.site.resources["resource_id"].tolist() == ["A"]
        assert [feature for _, feature, _ in done.told("duplicate-dropped")] == ["B"]

    def test_the_same_ground_of_another_meaning_is_kept_and_told(self, write, read) -> None:
        done = read(wetlands=write("w.gpkg", [box(0, 0, 10, 10)] * 2, id=["A", "B"], gdnr=[True, False]))
        assert len(done.site.resources) == 2
        assert "A and B overlap" in done.told("resources-overlap")[0][2]

    def test_parcels_of_one_number_are_one_and_those_without_stay_apart(self, write, read) -> None:
        shapes = [box(0, 0, 10, 10), box(10, 0, 10, 10), box(20, 0, 10, 10), box(30, 0, 10, 10), box(30, 0, 10, 10)]
        parcels = write("p.gpkg", shapes, PIN=["1", "1", None, " ", "9"])
        done = read(wetlands=write("w.gpkg", [box(0, 0, 60, 40)]), parcels=parcels)
        frame = done.site.layers["parcels"]
        assert [None if isinstance(p, float) else p for p in frame["parcel_id"]] == ["1", None, "9", None]
        assert frame.area.tolist() == [200, 100, 100, 100]
        assert frame["feature_id"].tolist() == ["1", "parcels-3", "9", "parcels-4"]
        assert [feature for _, feature, _ in done.told("parcel-repeated")] == ["1"]
        assert "2 of 5" in done.told("id-missing")[0][2] or "2 of 5" in done.told("id-missing")[1][2]


def test_overlaps_over_a_square_foot_are_told_with_both_ids(write, read) -> None:
    shapes = [box(0, 0, 100, 60), box(60, 20, 100, 30), box(0, 60, 100, 10), box(0, 69.9999, 100, 10)]
    done = read(wetlands=write("w.gpkg", shapes, id=["W1", "W2", "touches", "sliver"]))
    ((severity, _, message),) = done.told("resources-overlap")
    assert severity == "warning"
    assert "W1 and W2 overlap" in message
    assert f"{1200 / SQFT:,.0f} sq ft" in message


class TestStreamsAsLines:
    """A line with a width is the polygon from bank to bank, ends flat."""

    def test_a_straight_one(self, write, read) -> None:
        line = shapely.LineString([(X, Y), (X + 100, Y)])
        done = read(streams=write("s.gpkg", [line], id=["S1"], bank_width_ft=[20.0]))
        assert done.site.resources.area[0] == pytest.approx(100 * 20 * 0.3048)
        assert done.site.resources["resource_type"].tolist() == ["stream"]

    def test_a_bend_is_round_on_its_outside(self, write, read) -> None:
        """Two arms of 100 m and a right angle: the outer corner is a quarter disc, the inner one counts once."""
        half = 10 * 0.3048
        arms = shapely.MultiLineString([[(X, Y), (X + 100, Y)], [(X + 100, Y), (X + 100, Y + 100)]])
        done = read(streams=write("s.gpkg", [arms], id=["S1"], bank_width_ft=[20.0]))
        expected = 2 * 200 * half - half**2 + math.pi * half**2 / 4
        assert done.site.resources.area[0] == pytest.approx(expected, rel=1e-5)

    def test_missing_widths_are_told_by_id(self, write, read) -> None:
        lines = [shapely.LineString([(X, Y + i), (X + 100, Y + i)]) for i in range(3)]
        with pytest.raises(InputError, match=r"2 streams are given as lines without a width .*: S2, S3"):
            read(streams=write("s.gpkg", lines, id=["S1", "S2", "S3"], bank_width_ft=[20.0, None, 0.0]))

    def test_a_default_width_is_told(self, write, read) -> None:
        line = shapely.LineString([(X, Y), (X + 100, Y)])
        done = read(streams={"path": write("s.gpkg", [line], id=["S1"]), "defaults": {"bank_width_ft": 20}})
        assert done.site.resources.area[0] == pytest.approx(100 * 20 * 0.3048)
        assert [feature for _, feature, _ in done.told("value-default")] == ["S1"]
