"""Where water goes, against ground whose answer is known."""

from __future__ import annotations

import os
import sys
import threading

import numpy as np
import pytest
import richdem

from wetgeo.kernels import tracing
from wetgeo.kernels.drainage import drainage_lines
from wetgeo.kernels.flow import Routing, accumulation, drains_to, filled, quiet, routing, steepest, trace_down
from wetgeo.kernels.grid import Grid

SIZE = 160


def ground(z: np.ndarray) -> Grid:
    return Grid(z=np.asarray(z, dtype=float), left=0.0, top=float(z.shape[0]), dx=1.0, dy=1.0)


def centres(size=SIZE) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of the cells about the middle of the grid."""
    row, column = np.mgrid[:size, :size]
    return column + 0.5 - size / 2, size / 2 - row - 0.5


def tilted(aspect: float, *, ratio=0.15) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A plane that climbs towards an azimuth, and coordinates across and up it."""
    x, y = centres()
    turn = np.radians(aspect)
    across, up = x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)
    return 300 + ratio * up, across, up


def sides_off(found: np.ndarray, truth: np.ndarray, across: np.ndarray, half: float) -> float:
    """How far from the sides of a strip the furthest wrong cell lies, in cells."""
    wrong = found != truth
    return float(np.abs(np.abs(across) - half)[wrong].max(initial=0))


@pytest.mark.parametrize("aspect", [0, 15, 37, 60, 90, 211, 300])
def test_a_plane_drains_through_the_strip_above_the_target(aspect):
    z, across, up = tilted(aspect)
    target = np.hypot(across, up) < 15
    truth = target | ((np.abs(across) < 15) & (up > 0))
    assert sides_off(drains_to(ground(z), target), truth, across, 15) < 1


@pytest.mark.parametrize("aspect", [0, 15, 37, 60])
def test_a_path_on_a_plane_is_straight(aspect):
    z, across, up = tilted(aspect)
    turn = np.radians(aspect)
    start = 60 * np.sin(turn) + SIZE / 2 + 0.3, 60 * np.cos(turn) + SIZE / 2 - 0.2
    ways = routing(ground(z), np.hypot(across, up) < 5)
    (path,) = trace_down(ways, [start[0]], [start[1]])
    assert path is not None
    assert path.end == "target"
    assert (path.x[0], path.y[0]) == start
    side = (path.x - start[0]) * np.cos(turn) - (path.y - start[1]) * np.sin(turn)
    assert np.abs(side).max() < 1e-3


@pytest.mark.parametrize("aspect", [15, 37, 60])
def test_pits_bend_the_strip_by_their_own_width_only(aspect):
    z, across, up = tilted(aspect)
    for row, column in np.random.default_rng(0).integers(10, SIZE - 10, (40, 2)):
        z[row : row + 2, column : column + 2] -= 0.6
    target = np.hypot(across, up) < 15
    truth = target | ((np.abs(across) < 15) & (up > 0))
    assert sides_off(drains_to(ground(z), target), truth, across, 15) < 4


def test_noise_is_smoothed_out():
    z, across, up = tilted(37)
    grid = ground(z + np.random.default_rng(0).normal(scale=0.1, size=z.shape))
    assert quiet(ground(z)) < 0.1
    assert 1 < quiet(grid) < 4
    target = np.hypot(across, up) < 15
    truth = target | ((np.abs(across) < 15) & (up > 0))
    assert sides_off(drains_to(grid, target, smoothing=quiet(grid)), truth, across, 15) < 2


def test_cone_drains_through_a_sector():
    x, y = centres()
    radius, angle = np.hypot(x, y), np.arctan2(y, x)
    target = np.hypot(x - 60, y) < 8
    half = np.arcsin(8 / 60)
    truth = (np.abs(angle) < half) & (radius < 60)
    wrong = (drains_to(ground(300 - 0.2 * radius), target) != truth) & ~target & (radius > 2)
    assert (np.abs(np.abs(angle) - half) * radius)[wrong].max(initial=0) < 1


def test_bowl_drains_to_what_lies_in_it_up_to_its_rim():
    x, y = centres()
    radius = np.hypot(x, y)
    z = 100 + 0.2 * np.minimum(radius, 50) - 0.2 * np.maximum(radius - 50, 0)
    found = drains_to(ground(z), radius < 10)
    assert (found == (radius < 50))[np.abs(radius - 50) > 1].all()


def test_valley_ridge_and_saddle():
    x, y = centres()
    valley = drains_to(ground(300 + 0.1 * np.abs(x) + 0.01 * y), (y < -60) & (np.abs(x) < 3))
    assert valley[y > -50].mean() > 0.99
    ridge = drains_to(ground(300 - 0.1 * np.abs(x)), x < -70)
    assert ridge[x < -1].all()
    assert not ridge[x > 1].any()
    saddle = drains_to(ground(300 + 0.001 * (x**2 - y**2)), y > 70)
    assert saddle[y > 1].all()
    assert not saddle[y < -1].any()


def test_flats_route():
    z = np.zeros((60, 60)) + 300
    z[:, :20] += np.arange(20)[::-1] * 0.1
    ways = routing(ground(z), None)
    ends = {path.end for path in trace_down(ways, np.arange(10, 50.0), np.full(40, 30.5)) if path}
    assert ends == {"edge"}


def test_voids_stop_paths_and_a_path_outside_is_none():
    z, _, _ = tilted(0)  # water runs south
    z[100:110, 60:100] = np.nan
    ways = routing(ground(z), np.zeros(z.shape, dtype=bool))
    void, edge, outside, inside = trace_down(ways, [80.0, 20.5, -5.0, 80.0], [120.0, 120.0, 50.0, 55.0])
    assert void is not None
    assert void.end == "void"
    assert void.y[-1] == pytest.approx(60.5, abs=0.6)
    assert edge is not None
    assert edge.end == "edge"
    assert outside is None
    assert inside is None


def test_flood_agrees_with_richdem():
    z = np.round(np.random.default_rng(0).normal(size=(150, 160)).cumsum(0).cumsum(1) * 0.05 + 300, 1)
    border = np.zeros(z.shape, dtype=bool)
    border[[0, -1]] = border[:, [0, -1]] = True
    np.testing.assert_allclose(tracing.flood(z, border), filled(ground(z)).z, atol=1e-9)


def test_contributing_area_of_a_plane_grows_by_a_cell_a_row():
    z, _, _ = tilted(0)
    z[3, 3] = np.nan
    area = accumulation(Grid(z=z, left=0, top=0, dx=2.0, dy=2.0))
    assert np.isnan(area[3, 3])
    np.testing.assert_allclose(area[:, 80], 4.0 * np.arange(1, SIZE + 1))


@pytest.mark.parametrize("seed", range(5))
def test_all_water_comes_to_the_outlets_along_the_border_too(seed):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(70, 90)).cumsum(0).cumsum(1) * 0.05 + 300
    z[rng.random(z.shape) < 0.01] = np.nan
    area = accumulation(Grid(z=z, left=0, top=0, dx=2.0, dy=3.0))
    outlets = steepest(filled(Grid(z=z, left=0, top=0, dx=2.0, dy=3.0))) < 0
    assert np.nansum(area[outlets]) == 6.0 * np.isfinite(z).sum()
    np.testing.assert_array_equal(np.isnan(area), np.isnan(z))


def test_contributing_area_agrees_with_richdem_inside():
    """On a rough dome, for RichDEM's accumulation loses what runs along the border."""
    x, y = centres()
    noise = np.random.default_rng(0).normal(0, 0.3, x.shape)
    level = filled(ground(400 - 0.01 * (x**2 + y**2) + noise))
    falls = steepest(level)
    shares = np.full((*falls.shape, 9), -1.0, dtype=np.float32)
    shares[..., 0] = np.where(falls < 0, -1, 0)
    for k, place in enumerate((5, 4, 3, 2, 1, 8, 7, 6)):
        shares[falls == k, place] = 1.0
    given = richdem.rd3array(shares, no_data=-2)
    given.geotransform = (0, 1, 0, 0, 0, -1)
    told = np.asarray(richdem.FlowAccumFromProps(given))
    assert told.max() > 200
    np.testing.assert_array_equal(accumulation(level)[1:-1, 1:-1], told[1:-1, 1:-1])


def test_drainage_line_is_the_floor_of_a_valley():
    x, y = centres()
    (line,) = drainage_lines(ground(300 + 0.1 * np.abs(x - 0.5) + 0.01 * y), 3000.0)
    points = np.array(line.coords)
    np.testing.assert_allclose(points[:, 0], SIZE / 2 + 0.5, atol=1e-9)
    assert points[0, 1] > points[-1, 1] == 0.5
    assert drainage_lines(ground(np.zeros((5, 5))), 1e9) == []


def test_richdem_prints_nothing(capfd):
    sys.stdout.write("before\n")
    sys.stderr.write("before\n")
    accumulation(ground(tilted(0)[0]))
    os.write(2, b"after\n")
    told = capfd.readouterr()
    assert told.out == "before\n"
    assert told.err == "before\nafter\n"


def test_threads_get_their_terminal_back():
    z = tilted(15)[0]
    before = os.fstat(2).st_ino
    workers = [threading.Thread(target=accumulation, args=(ground(z),)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert os.fstat(2).st_ino == before


def unfilled(z: np.ndarray) -> Routing:
    """The ways of water on ground whose hollows are as they are."""
    nowhere = np.zeros(z.shape, dtype=bool)
    return Routing(grid=ground(z), sink=nowhere, way=tracing.headings(z, nowhere, 1.0, 1.0))


def test_in_a_hollow_that_is_not_filled_water_ends_at_its_bottom():
    x, y = centres(41)
    ways = unfilled(x**2 + y**2)
    for path in trace_down(ways, np.array([3.5, 20.5, 33.5]), np.array([5.5, 38.5, 21.5])):
        assert path is not None
        assert path.end == "pit"
        assert np.hypot(path.x[-1] - 20.5, path.y[-1] - 20.5) < 1


@pytest.mark.parametrize(
    ("x", "y", "end"), [(10.5, 10.5, "pit"), (0.5, 10.5, "edge"), (10.5, 20.5, "edge"), (15.5, 4.5, "void")]
)
def test_on_level_ground_water_stays_where_it_is(x, y, end):
    z = np.full((21, 21), 7.0)
    z[17:19, 15:17] = np.nan  # a void whose upper row is y = 3 to 4
    (path,) = trace_down(unfilled(z), np.array([x]), np.array([y]))
    assert path is not None
    assert (path.end, path.x.tolist(), path.y.tolist()) == (end, [x], [y])


@pytest.mark.parametrize("datum", [-3, 0, 5])
def test_water_falls_across_corners_wherever_elevations_count_from(datum):
    row, column = np.mgrid[:9, :9]
    z = datum + (row - column).astype(float)  # falls to the north-east
    first, _, beside, _, angle = tracing.headings(z, np.zeros(z.shape, dtype=bool), 1.0, 1.0)
    inner = np.s_[1:-1, 1:-1]  # of the cells in two corners nothing lies before or behind
    assert angle[inner] == pytest.approx(np.pi / 4)
    assert (first[inner] == 1).all()
    assert not beside[inner].any()
