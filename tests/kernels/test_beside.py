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
