"""U(w), the upland within a width, against closed forms."""

import math

import numpy as np
import pytest
import shapely
from sites import FEET, METRES, make_site

from wetgeo.upland import Upland

ALL = np.array([0])


def within(shapes, widths, *, tract=None, subject=None, crs=FEET):
    """U(width) of each shape, and the site."""
    layers = {} if tract is None else {"tract": [{"geometry": one} for one in tract]}
    site = make_site([{"geometry": shape} for shape in shapes], layers, crs=crs)
    upland = Upland.of(site, subject)
    rows = np.arange(len(shapes))
    return upland.within(rows, np.broadcast_to(np.asarray(widths, dtype=float), len(shapes))), site


def disc(x, y, radius):
    return shapely.Point(x, y).buffer(radius, quad_segs=2000)


@pytest.mark.parametrize("crs", [FEET, METRES])
def test_a_rectangle_in_feet_and_in_metres(crs):
    ft = 0.3048 / crs.axis_info[0].unit_conversion_factor
    (ground,), site = within([shapely.box(0, 0, 300 * ft, 200 * ft)], 50.0, crs=crs)
    assert ground.area / site.sqft == pytest.approx(1000 * 50 + math.pi * 50**2, rel=2e-4)
    assert ground.bounds == pytest.approx(np.array([-50, -50, 350, 250]) * ft)


def test_a_disc_and_its_island():
    # an island of radius 30 ft is all buffer; one of radius 200 ft has a ring of 50 ft inside
    for island, inner in ((30.0, 0.0), (200.0, 150.0)):
        wetland = shapely.Polygon(disc(0, 0, 400).exterior, [disc(0, 0, island).exterior])
        (ground,), site = within([wetland], 50.0)
        rings = math.pi * (450**2 - 400**2 + island**2 - inner**2)
        assert ground.area / site.sqft == pytest.approx(rings, rel=3e-4)
        assert len(shapely.get_parts(ground)) == 2


def test_touching_wetlands_share_no_ground_with_each_other():
    one, two = shapely.box(0, 0, 100, 100), shapely.box(100, 0, 200, 100)
    (first, second), site = within([one, two], 50.0)
    # three sides and two quarter circles; beside the joint, both buffers reach 50 ft past it along the neighbour
    alone = 300 * 50 + math.pi * 50**2
    assert first.area / site.sqft == pytest.approx(alone, rel=3e-4)
    assert second.area == pytest.approx(first.area)
    assert shapely.intersection(first, two).area == 0
    both = shapely.union(first, second).area / site.sqft
    assert both == pytest.approx(600 * 50 + math.pi * 50**2, rel=2e-4)


def test_a_wetland_nested_in_another():
    # wholly inside: no upland, no buffer; in an island: the buffer ends at the wetland around it
    (outer, inner), _ = within([shapely.box(0, 0, 400, 400), shapely.box(100, 100, 200, 200)], 50.0)
    assert inner.is_empty
    assert outer.area == pytest.approx(1600 * 50 + math.pi * 50**2, rel=2e-4)
    around = shapely.Polygon(disc(0, 0, 400).exterior, [disc(0, 0, 120).exterior])
    (outer, inner), site = within([around, disc(0, 0, 40)], [50.0, 100.0])
    assert inner.area / site.sqft == pytest.approx(math.pi * (120**2 - 40**2), rel=3e-4)
    assert outer.area / site.sqft == pytest.approx(math.pi * (450**2 - 400**2 + 120**2 - 70**2), rel=3e-4)


def test_a_neighbour_hides_nothing_behind_it():
    # width is distance over the ground plan: ground beyond a narrow stream still lies within it
    stream = shapely.box(110, -500, 120, 500)
    (ground, _), _ = within([shapely.box(0, 0, 100, 100), stream], 50.0)
    assert shapely.covers(ground, shapely.box(121, 10, 149, 90))
    assert shapely.intersection(ground, stream).area == 0


def test_the_tract_only_takes_away():
    wetland = shapely.box(0, 0, 100, 100)
    (free,), _ = within([wetland], 50.0)
    (held,), site = within([wetland], 50.0, tract=[shapely.box(-20, -500, 50, 500), shapely.box(50, -500, 130, 500)])
    assert shapely.difference(held, free).area == 0
    assert held.bounds == pytest.approx((-20, -50, 130, 150), abs=0.001)
    # the quarter circles at the corners end at 20 and at 30 ft
    strips = 2 * 100 * 50 + 100 * 20 + 100 * 30
    quarter = {cut: (cut * math.sqrt(50**2 - cut**2) + 50**2 * math.asin(cut / 50)) / 2 for cut in (20, 30)}
    assert held.area / site.sqft == pytest.approx(strips + 2 * (quarter[20] + quarter[30]), rel=3e-4)
    (none,), _ = within([wetland], 50.0, tract=[shapely.box(10, 10, 90, 90)])
    assert none.is_empty


def test_only_ground_of_the_subject_edge():
    wetland = shapely.box(0, 0, 100, 100)
    (ground,), _ = within([wetland], 50.0, subject={0: shapely.box(-500, 100, 500, 500)})
    assert ground.bounds == pytest.approx((-50, 100, 150, 150), abs=0.001)


def test_slivers_between_outlines_that_nearly_coincide_are_no_ground():
    one = shapely.box(0, 0, 100, 100)
    # its neighbour is drawn 0.00001 ft off the common side
    two = shapely.box(100.00001, 0, 200, 100)
    (first, second), _ = within([one, two], 50.0)
    for ground in (first, second):
        assert min(part.area for part in shapely.get_parts(ground)) > 0.01


def test_a_wider_width_contains_a_narrower_one():
    wetland = shapely.union(disc(0, 0, 100), disc(130, 40, 60))
    (narrow,), _ = within([wetland], 30.0)
    (wide,), _ = within([wetland], 75.0)
    assert shapely.difference(narrow, wide).area < 1e-6
