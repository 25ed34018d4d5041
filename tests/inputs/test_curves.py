"""True curves become chords that stray from the circle by no more than asked."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
import shapely

from wetgeo.inputs.curves import decode, draw_arc


def _points(*xy: tuple[float, float]) -> bytes:
    return struct.pack("<I", len(xy)) + b"".join(struct.pack("<2d", *p) for p in xy)


def _head(kind: int) -> bytes:
    return b"\x01" + struct.pack("<I", kind)


def _arcs(*xy: tuple[float, float]) -> bytes:
    return _head(8) + _points(*xy)


@pytest.mark.parametrize("radius", [1.0, 100.0, 50_000.0])
def test_chords_stay_within_the_tolerance_of_the_circle(radius: float) -> None:
    turns = (0.1, 1.3, 2.9)
    arc = [(7 + radius * math.cos(t), -3 + radius * math.sin(t)) for t in turns]
    drawn = draw_arc(arc[0], arc[1], arc[2], tolerance=0.003)
    assert drawn[0] == arc[0]
    assert drawn[-1] == arc[2]
    distances = np.hypot(*(np.array(drawn) - (7, -3)).T)
    assert np.allclose(distances, radius, rtol=1e-9)
    middles = (np.array(drawn[1:]) + np.array(drawn[:-1])) / 2
    assert (radius - np.hypot(*(middles - (7, -3)).T)).max() <= 0.003 * 1.001
    # the length of the true arc, less what chords cut off
    length = shapely.LineString(drawn).length
    assert length == pytest.approx(radius * 2.8, rel=0.003 / radius)


def test_both_directions_give_the_same_points() -> None:
    there = draw_arc((0.0, 0.0), (3.0, 4.0), (9.0, 5.0), tolerance=0.01)
    back = draw_arc((9.0, 5.0), (3.0, 4.0), (0.0, 0.0), tolerance=0.01)
    assert there == back[::-1]


def test_an_arc_that_ends_where_it_begins_is_a_full_circle() -> None:
    ring = draw_arc((0.0, 0.0), (20.0, 0.0), (0.0, 0.0), tolerance=0.001)
    assert shapely.Polygon(ring).area == pytest.approx(math.pi * 100, rel=2e-4)


def test_points_on_a_line_are_kept_as_they_are() -> None:
    assert draw_arc((0.0, 0.0), (1.0, 1.0), (2.0, 2.0), tolerance=0.01) == [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]


def test_curve_polygon_of_a_half_disc_with_a_round_hole() -> None:
    """Area: half of pi 10^2 less pi 2^2."""
    rim = _head(9) + struct.pack("<I", 2) + _arcs((10, 0), (0, 10), (-10, 0)) + _head(2) + _points((-10, 0), (10, 0))
    hole = _arcs((-2, 4), (2, 4), (-2, 4))
    wkb = _head(10) + struct.pack("<I", 2) + rim + hole
    multi = _head(12) + struct.pack("<I", 1) + wkb
    decoded = decode([wkb, multi, None, shapely.Point(1, 2).wkb], tolerance=0.0001)
    assert decoded.curved.tolist() == [True, True, False, False]
    assert decoded.geometry[0].area == pytest.approx(math.pi * 46, rel=1e-4)
    assert decoded.geometry[1].geom_type == "MultiPolygon"
    assert decoded.geometry[2] is None
    assert decoded.geometry[3] == shapely.Point(1, 2)


def test_heights_and_measures_are_dropped_and_told() -> None:
    line = shapely.from_wkt("LINESTRING ZM (0 0 1 2, 1 1 3 4)")
    collection = shapely.from_wkt("GEOMETRYCOLLECTION Z (POINT Z (1 2 3), LINESTRING Z (0 0 1, 4 4 1))")
    decoded = decode([shapely.to_wkb(line, flavor="iso"), shapely.to_wkb(collection, flavor="iso")], tolerance=1.0)
    assert decoded.flattened.all()
    assert not shapely.has_z(decoded.geometry).any()
    assert shapely.to_wkt(decoded.geometry[1]) == "GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (0 0, 4 4))"


def test_a_surface_is_flagged() -> None:
    tin = _head(1016) + struct.pack("<I", 0)
    decoded = decode([tin], tolerance=1.0)
    assert decoded.surface.tolist() == [True]
    assert decoded.geometry[0] is None
