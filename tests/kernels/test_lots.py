"""Where lot lines meet an edge, on straight edges and lines whose crossing is known."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from wetgeo.kernels.lines import Chains
from wetgeo.kernels.lots import RUN, meetings

MERGE = 0.5


@pytest.mark.parametrize(("run", "reach"), [(1, 0.5), (10, 5), (30, RUN / 2)])
def test_a_line_that_crosses_is_near_for_so_long_and_at_most_half_the_run_that_goes_along(run, reach):
    # the lot's side rises by one over `run` and crosses the edge at 50; within half a merging distance for run / 2 of it
    edge = np.array([(0, 0), (100, 0)], dtype=float)
    lot = shapely.Polygon([(50 - 3 * run, -3), (50 + 3 * run, 3), (50 + 3 * run, 200), (50 - 3 * run, 200)])
    found = meetings(Chains.of([edge], [1]), np.array([lot]), MERGE)
    at = [each for each in range(len(found.station)) if abs(found.station[each] - 50) < 1e-6]
    assert len(at) == 1
    assert not found.run[at[0]]
    slant = np.hypot(run, 1) / run  # the distance is that from the line, not straight up
    longest = min(reach * slant, RUN / 2) * MERGE
    assert found.high[at[0]] - 50 == pytest.approx(longest, rel=1e-3)
    assert 50 - found.low[at[0]] == pytest.approx(longest, rel=1e-3)
