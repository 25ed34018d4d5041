"""Steep land on terrain whose top of slope is known, at several aspects, cell sizes and units, clean and noisy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely import affinity

from wetgeo.kernels.contour import contour, smooth_outline
from wetgeo.kernels.grid import Grid
from wetgeo.kernels.steep import (
    SteepGround,
    _goes_on,
    _meaningful,
    smoothing_scale,
    steep_around,
    steep_extension,
    steep_land,
)
from wetgeo.kernels.surface import fitted

RUN, GAIN, SLOPE = 50.0, 6.0, 0.12
FOOT_M = 0.3048
HALF = 330.0

#: distance up from the wetland and elevation, feet
PROFILES = {
    "slope": ([-1e4, 0, 120, 1e4], [-50, 0, 24, 24 + 0.02 * 9880]),
    "bench": ([-1e4, 0, 60, 80, 140, 1e4], [-50, 0, 12, 12.4, 24.4, 24.4 + 0.02 * 9860]),
    "gentle": ([-1e4, 0, 120, 1e4], [-50, 0, 13.8, 13.8 + 0.02 * 9880]),
    "ridge": ([-1e4, 0, 100, 1e4], [-50, 0, 20, 20 - 0.2 * 9900]),
    "four": ([-1e4, 1e4], [-400, 400]),
}
REACH = {"slope": 120, "bench": 140, "ridge": 100}


def terrain(kind: str, aspect: float, cell: float) -> tuple[Grid, shapely.Polygon]:
    """Ground that changes towards one azimuth only, and a wetland of 300 ft x 60 ft across it; feet."""
    n = int(np.ceil(2 * HALF / cell))
    row, column = np.mgrid[:n, :n]
    x, y = (column + 0.5) * cell - HALF, HALF - (row + 0.5) * cell
    turn = np.radians(aspect)
    z = 900 + np.interp(x * np.sin(turn) + y * np.cos(turn), *PROFILES[kind])
    wetland = affinity.rotate(shapely.box(-150, -60, 150, 0), -aspect, origin=(0, 0))
    return Grid(z=z, left=-HALF, top=HALF, dx=cell, dy=cell), wetland


def extend(grid: Grid, wetland: shapely.Polygon, unit: float = 1.0) -> SteepGround:
    zone = wetland.buffer(30 * unit, 56).difference(wetland)
    return steep_extension(grid, zone, wetland, run=RUN * unit, gain=GAIN * unit, slope=SLOPE)


def reaches(found: SteepGround, wetland: shapely.Polygon, aspect: float) -> np.ndarray:
    """Distances from the wetland to the end of the steep ground, along lines up the slope, feet."""
    whole = shapely.union_all([found.ground, wetland.buffer(30, 56)])
    lines = [shapely.LineString([(p, -1), (p, 300)]) for p in np.linspace(-120, 120, 25)]
    turned = [affinity.rotate(line, -aspect, origin=(0, 0)) for line in lines]
    return np.array([shapely.get_parts(shapely.intersection(line, whole))[0].length - 1 for line in turned])


@pytest.mark.parametrize("kind", ["slope", "bench", "ridge"])
@pytest.mark.parametrize(
    ("cell", "aspect"),
    [(1.0, 37), *((metres / FOOT_M, aspect) for metres in (1, 3, 10) for aspect in (0, 15, 37, 60))],
)
def test_reaches_the_top_of_the_slope(kind, cell, aspect):
    grid, wetland = terrain(kind, aspect, cell)
    found = extend(grid, wetland)
    assert found.ground.is_valid
    assert not found.cut_short
    assert np.abs(reaches(found, wetland, aspect) - REACH[kind]).max() < 1.5 * cell
    # only the strip as long as the wetland drains to it
    width = found.ground.area / (REACH[kind] - 30)
    assert width == pytest.approx(300, abs=3 * cell + 12)


@pytest.mark.parametrize("cell", [1 / FOOT_M, 10 / FOOT_M])
@pytest.mark.parametrize("aspect", [0, 37])
@pytest.mark.parametrize("kind", ["gentle", "four"])
def test_gentle_ground_gains_nothing(kind, cell, aspect):
    grid, wetland = terrain(kind, aspect, cell)
    assert extend(grid, wetland).ground.is_empty
    assert not steep_land(grid, run=RUN, gain=GAIN, slope=SLOPE).any()


def test_the_rule_counts_more_than_not_as_much():
    column = np.mgrid[:60, :60][1]
    for percent, steep in ((12.0, False), (12.004, False), (12.02, True)):
        z = (900 + percent / 100 * 3 * column).astype(np.float32).astype(float)
        found = steep_land(Grid(z=z, left=0, top=180, dx=3, dy=3), run=RUN, gain=GAIN, slope=SLOPE)
        assert found[30, 20] == steep


def test_metres_give_what_feet_give():
    grid, wetland = terrain("bench", 37, 1 / FOOT_M)
    metres = Grid(z=grid.z * FOOT_M, left=-HALF * FOOT_M, top=HALF * FOOT_M, dx=1.0, dy=1.0)
    found = extend(metres, affinity.scale(wetland, FOOT_M, FOOT_M, origin=(0, 0)), FOOT_M)
    there = affinity.scale(found.ground, 1 / FOOT_M, 1 / FOOT_M, origin=(0, 0))
    assert shapely.symmetric_difference(there, extend(grid, wetland).ground).area < 1


@pytest.mark.parametrize("kind", ["slope", "bench", "ridge"])
@pytest.mark.parametrize("cell", [1 / FOOT_M, 3 / FOOT_M])
@pytest.mark.parametrize("seed", [0, 1])
def test_lidar_noise_moves_the_top_by_little(kind, cell, seed):
    grid, wetland = terrain(kind, 37, cell)
    noise = np.random.default_rng(seed).normal(scale=0.1 / FOOT_M, size=grid.z.shape)
    found = extend(replace(grid, z=grid.z + noise), wetland)
    assert np.abs(reaches(found, wetland, 37) - REACH[kind]).max() < 1.5 * cell


@pytest.mark.parametrize("cell", [1 / FOOT_M, 3 / FOOT_M])
@pytest.mark.parametrize("seed", [0, 1])
def test_lidar_noise_makes_no_steep_slope(cell, seed):
    noise = np.random.default_rng(seed).normal(scale=0.1 / FOOT_M, size=terrain("four", 37, cell)[0].z.shape)
    grid, wetland = terrain("four", 37, cell)
    assert extend(replace(grid, z=grid.z + noise), wetland).ground.is_empty
    # 11.5 % is within 0.5 % of the limit: patches may come up, no more
    grid, wetland = terrain("gentle", 37, cell)
    assert extend(replace(grid, z=grid.z + noise), wetland).ground.area < 0.02 * 300 * 90


@pytest.mark.parametrize("aspect", [0, 37])
@pytest.mark.parametrize("cell", [1 / FOOT_M])
def test_whole_feet_hide_nothing_and_make_up_nothing(aspect, cell):
    for kind in ("four", "gentle"):
        grid, wetland = terrain(kind, aspect, cell)
        assert extend(replace(grid, z=np.round(grid.z)), wetland).ground.is_empty
    for kind, reach in REACH.items():
        grid, wetland = terrain(kind, aspect, cell)
        found = extend(replace(grid, z=np.round(grid.z)), wetland)
        assert np.abs(reaches(found, wetland, aspect) - reach).max() < 1.5 * cell


def test_clean_ground_is_not_smoothed():
    grid, _ = terrain("bench", 37, 1 / FOOT_M)
    assert smoothing_scale(grid, run=RUN, gain=GAIN, slope=SLOPE) < 0.1


def test_steep_land_beyond_gentle_ground_is_not_connected():
    grid, wetland = terrain("four", 0, 1 / FOOT_M)
    north = HALF - (np.arange(grid.z.shape[0]) + 0.5) * grid.dy
    z = 900 + np.interp(north, [-1e4, 60, 160, 1e4], [-500, 0, 25, 25])
    far = replace(grid, z=np.repeat(z[:, None], grid.z.shape[1], axis=1))
    assert steep_land(far, run=RUN, gain=GAIN, slope=SLOPE).any()
    assert extend(far, wetland).ground.is_empty


def test_a_void_is_no_cliff_and_is_told():
    grid, wetland = terrain("slope", 0, 1 / FOOT_M)
    level = replace(grid, z=np.full_like(grid.z, 900.0))
    level.z[60:70, 90:100] = np.nan
    assert not steep_land(level, run=RUN, gain=GAIN, slope=SLOPE).any()
    holed = replace(grid, z=grid.z.copy())
    middle = grid.z.shape[0] // 2
    holed.z[middle - 22 : middle - 16, middle - 8 : middle + 8] = np.nan
    found = extend(holed, wetland)
    assert found.voids
    assert not found.ground.is_empty


def test_tells_where_the_elevations_end():
    grid, wetland = terrain("slope", 0, 1 / FOOT_M)
    rows = int((HALF - 80) / grid.dy)  # the elevations end 80 ft up the slope
    cut = replace(grid, z=grid.z[rows:], top=grid.top - rows * grid.dy)
    assert extend(cut, wetland).cut_short


class Source:
    """Elevations of one grid, cut to windows."""

    def __init__(self, grid: Grid) -> None:
        self.grid, self.asked = grid, []
        self.cell, self.bounds = grid.dx, grid.bounds

    def window(self, bounds, *, pad=2):
        del pad
        grid = self.grid
        c0, c1 = (int(np.clip((v - grid.left) // grid.dx, 0, grid.z.shape[1])) for v in (bounds[0], bounds[2]))
        r0, r1 = (int(np.clip((grid.top - v) // grid.dy, 0, grid.z.shape[0])) for v in (bounds[3], bounds[1]))
        self.asked.append((r0, r1, c0, c1))
        if r0 == r1 or c0 == c1:
            return None
        return replace(grid, z=grid.z[r0:r1, c0:c1], left=grid.left + c0 * grid.dx, top=grid.top - r0 * grid.dy)

    def sample(self, x, y):
        pytest.fail(f"steep land is found in windows, not at single points: {x}, {y}")


def test_reads_as_far_as_the_steep_land_goes():
    row, _ = np.mgrid[:700, :300]
    up = 1000 - (row + 0.5) * 3  # the wetland's upper edge is at 0
    z = 900 + np.interp(up, [-1e4, 0, 640, 1e4], [-50, 0, 128, 130])
    source = Source(Grid(z=z, left=-450.0, top=1000.0, dx=3.0, dy=3.0))
    wetland = shapely.box(-150, -60, 150, 0)
    zone = wetland.buffer(30, 56).difference(wetland)
    found = steep_around(source, zone, wetland, run=RUN, gain=GAIN, slope=SLOPE)
    assert len(source.asked) == 3
    assert not found.cut_short
    assert found.ground.bounds[3] == pytest.approx(640, abs=4.5)
    away = affinity.translate(wetland, 1e6), affinity.translate(zone, 1e6)
    assert steep_around(source, away[1], away[0], run=RUN, gain=GAIN, slope=SLOPE).ground.is_empty


def test_outlines_have_no_steps():
    size = 100
    row, column = np.mgrid[:size, :size]
    grid = Grid(z=np.zeros((size, size)), left=0, top=size, dx=1, dy=1)
    for degrees in (7, 30, 45, 81):
        normal = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        mask = (column + 0.5) * normal[0] + (size - row - 0.5) * normal[1] < 60
        edge = shapely.get_coordinates(smooth_outline(grid, mask, fine=1.0))
        inner = edge[(edge > 5).all(axis=1) & (edge < size - 5).all(axis=1)]
        assert np.abs(inner @ normal - 60).max() < 0.5
    disc = np.hypot(column + 0.5 - 50, row + 0.5 - 50) < 30
    assert smooth_outline(grid, disc, fine=1.0).area == pytest.approx(np.pi * 900, rel=0.01)


def test_outline_follows_the_border_keeps_holes_and_parts():
    grid = Grid(z=np.zeros((20, 30)), left=0, top=20, dx=1, dy=1)
    assert smooth_outline(grid, np.ones((20, 30), dtype=bool), fine=1.0).area == pytest.approx(600)
    assert smooth_outline(grid, np.zeros((20, 30), dtype=bool), fine=1.0).is_empty
    mask = np.zeros((20, 30), dtype=bool)
    mask[2:18, 2:18] = True
    mask[7:13, 7:13] = False
    mask[2:10, 20:28] = True
    found = smooth_outline(grid, mask, fine=0.5)
    assert found.geom_type == "MultiPolygon"
    assert found.area == pytest.approx(256 - 36 + 64, abs=4)
    assert sum(len(part.interiors) for part in found.geoms) == 1


def test_corners_that_touch_stay_apart():
    field = np.array([[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]], dtype=float)
    found = contour(field, 0.5, left=0, top=4, cell=(1, 1))
    assert found.is_valid
    assert len(shapely.get_parts(found)) == 2
    assert found.area == pytest.approx(2 * 0.5)


@pytest.mark.parametrize(("end", "goes_on"), [(160, False), (170, True), (180, False)])
def test_ground_that_climbs_again_within_a_run_of_the_border_is_told(end, goes_on):
    # steep up to 120 ft, a bench, and steep again from 162 ft: the elevations end before, a run away, and beyond it
    grid, wetland = terrain("slope", 0, 1 / FOOT_M)
    up = HALF - (np.arange(grid.z.shape[0]) + 0.5) * grid.dy
    z = np.repeat(
        900 + np.interp(up, [-1e4, 0, 120, 162, 1e4], [-50, 0, 24, 24, 1992])[:, None], grid.z.shape[1], axis=1
    )
    rows = int((HALF - end) / grid.dy)
    assert extend(replace(grid, z=z[rows:], top=grid.top - rows * grid.dy), wetland).cut_short == goes_on


@pytest.mark.parametrize(
    ("size", "steep", "stays"), [(1.5, 9, True), (0.9, 9, False), (3, 1, False), (3, 2, True), (1.5, 1, False)]
)
def test_ground_is_added_in_pieces_of_more_than_a_cell_with_more_than_a_cell_of_steep_land(size, steep, stays):
    grid = Grid(z=np.zeros((4, 20)), left=0.0, top=8.0, dx=2.0, dy=2.0)
    kept = np.zeros(grid.z.shape, dtype=bool)
    kept[3, :steep] = True
    piece = shapely.box(0, 0, 2 * size, 2)
    assert shapely.equals(_meaningful(grid, piece, kept), piece if stays else shapely.Polygon())


@pytest.mark.parametrize(("width", "height"), [(2.0, 2.0), (0.5, 4.0), (4.0, 0.25)])
def test_holes_smaller_than_a_cell_are_filled(width, height):
    grid = Grid(z=np.zeros((8, 20)), left=0.0, top=8 * height, dx=width, dy=height)
    small, large = shapely.box(2.1, 2, 2.9, 3), shapely.box(6, 2, 7.1, 3)  # in cells
    piece = affinity.scale(shapely.box(1, 1, 9, 6) - small - large, width, height, origin=(0, 0))
    found = _meaningful(grid, piece, np.ones(grid.z.shape, dtype=bool))
    wanted = affinity.scale(shapely.box(1, 1, 9, 6) - large, width, height, origin=(0, 0))
    assert shapely.equals(found, wanted)


def test_noise_disturbs_a_gain_by_a_sixtieth_and_a_slope_by_a_sixth():
    grid = Grid(z=np.random.default_rng(3).normal(scale=0.1, size=(400, 400)), left=0.0, top=400.0, dx=1.0, dy=1.0)
    scale = smoothing_scale(grid, run=50, gain=1.0, slope=0.5)  # the gain asks for more
    level, _, _ = fitted(grid, scale)
    assert np.std(level[:, 50:] - level[:, :-50]) == pytest.approx(1 / 60, rel=0.05)
    scale = smoothing_scale(grid, run=50, gain=9.0, slope=0.02)
    _, ddx, ddy = fitted(grid, scale)
    assert [np.std(ddx), np.std(ddy)] == pytest.approx([0.02 / 6] * 2, rel=0.05)


@pytest.mark.parametrize(
    ("row", "column", "told"),
    [
        *((row, column, True) for row, column in ((0, 10), (20, 10), (10, 0), (10, 20), (5, 0))),
        *((row, column, False) for row, column in ((1, 10), (19, 10), (10, 1), (10, 19))),  # not at the border
        *((row, column, False) for row, column in ((0, 0), (4, 0), (20, 16))),  # further than a run and a cell
    ],
)
def test_only_ground_at_the_border_within_a_run_goes_on(row, column, told):
    grid = Grid(z=np.zeros((21, 21)), left=0.0, top=21.0, dx=1.0, dy=1.0)
    kept, over = np.zeros((2, 21, 21), dtype=bool)
    kept[10, 10] = over[row, column] = True
    assert _goes_on(grid, kept, over, 10.2) == told
