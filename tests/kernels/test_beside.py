"""How near and how far from an outline ground reaches, where it can be told beforehand."""

import numpy as np
import pytest
import shapely

from wetgeo.kernels.averaging import Sides
from wetgeo.kernels.beside import reach

FRAME = shapely.difference(shapely.box(-20, -20, 220, 220), shapely.box(0, 0, 200, 200))


@pytest.mark.parametrize("within", [0.1, 2.0])
def test_ground_all_over_an_island_reaches_to_its_middle(within):
    # the island's own outline is the water's: only the halving finds the place 100 units away
    least, most = reach(Sides(FRAME), shapely.box(0, 0, 200, 200), spacing=5.0, within=within)
    assert least == 0
    assert most == pytest.approx(100, abs=within)


def test_ground_beside_a_bank_reaches_as_far_as_its_own_outline():
    bank = shapely.box(0, -50, 300, 0)
    strip = shapely.box(100, 10, 160, 35)
    assert np.allclose(reach(Sides(bank), strip, spacing=1.0, within=0.1), (10, 35), atol=0.1)


def test_a_bay_deeper_than_its_ground_is_searched_for_its_middle():
    # in the pocket behind the mouth the middle lies further from the banks than any place on the ground's own outline
    bank = shapely.box(-60, -60, 160, 0) | shapely.box(-60, 0, 0, 160) | shapely.box(100, 0, 160, 160)
    bank = bank | shapely.box(-60, 100, 45, 160) | shapely.box(55, 100, 160, 160)
    pocket = shapely.box(0, 0, 100, 100)
    _, most = reach(Sides(bank), pocket, spacing=1.0, within=0.1)
    assert most == pytest.approx(50, abs=0.2)


def test_a_wide_strip_beside_shallow_bays_reaches_as_far_as_its_own_outline():
    x = np.linspace(0, 300, 61)
    shore = np.column_stack([x, 3 * np.sin(x)])
    bank = shapely.Polygon([*shore, (300, -80), (0, -80)])
    strip = shapely.difference(shapely.box(50, -10, 250, 90), bank)
    by_points = max(shapely.distance(bank, shapely.points(px, 90.0)) for px in np.linspace(50, 250, 400))
    assert reach(Sides(bank), strip, spacing=0.5, within=0.1)[1] == pytest.approx(by_points, abs=0.1)
