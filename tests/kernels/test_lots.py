"""Where lot lines meet an edge, on straight edges and lines whose crossing is known."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely.affinity import rotate

from wetgeo.kernels.lines import Chains
from wetgeo.kernels.lots import RUN, TOUCH, meetings

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


@pytest.mark.parametrize(("gap", "meets"), [(0.9, True), (1.1, False), (20, False)])
@pytest.mark.parametrize("short", ["lot line", "edge"])
def test_lines_that_fall_short_of_each_other_meet_within_a_touch(gap, meets, short):
    edge, gap = np.array([(0, 0), (100, 0)], dtype=float), gap * TOUCH * MERGE
    if short == "lot line":
        lot, at = shapely.Polygon([(50, gap), (55, 80), (45, 80)]), 50
    else:
        lot, at = shapely.box(100 + gap, -40, 180, 40), 100
    found = meetings(Chains.of([edge], [1]), np.array([lot]), MERGE)
    assert (len(found.station) > 0) == meets
    assert found.station == pytest.approx(at, abs=1e-3)


@pytest.mark.parametrize("turn", [0, 30, 90])
@pytest.mark.parametrize(("gap", "ends"), [(0.2, [20, 60]), (0.3, [])])
def test_a_lot_beside_an_edge_runs_along_it_whichever_way_the_edge_lies(turn, gap, ends):
    # half a merging distance away it runs along; it lies beyond the edge, whose box it does not meet where that is flat
    def turned(shape):
        return rotate(shape, turn, origin=(0, 0))

    edge = shapely.get_coordinates(turned(shapely.LineString([(0, 0), (100, 0)])))
    found = meetings(Chains.of([edge], [1]), np.array([turned(shapely.box(20, gap, 60, 50))]), MERGE)
    assert np.sort(found.station) == pytest.approx(ends, abs=1e-6)
    assert found.run.all()
