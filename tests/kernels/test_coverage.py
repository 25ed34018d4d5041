"""Covered fractions against shapely's intersections and exactextract, means against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from wetgeo.kernels.coverage import BLOCK, covered_fraction, cut, known_share, mean_slope, mean_slopes, part_around
from wetgeo.kernels.grid import Grid


def flat(rows=12, columns=15) -> Grid:
    return Grid(z=np.zeros((rows, columns)), left=100.0, top=218.0, dx=1.5, dy=1.25)


def cells(grid: Grid) -> np.ndarray:
    row, column = np.indices(grid.z.shape)
    left, top = grid.left + column * grid.dx, grid.top - row * grid.dy
    return shapely.box(left, top - grid.dy, left + grid.dx, top)


def star(seed: int) -> shapely.Geometry:
    """A star-shaped polygon, with a hole, a second part or corners on grid lines by turns; may leave the grid."""
    random = np.random.default_rng(seed)
    angle = np.sort(random.uniform(0, 2 * np.pi, random.integers(3, 40)))
    radius = random.uniform(1, 14, len(angle))
    shape = shapely.Polygon(np.column_stack([110 + radius * np.cos(angle), 210 + radius * np.sin(angle)])).buffer(0)
    if seed % 3 == 0:
        shape = shape.difference(shapely.Point(110, 210).buffer(2.3))
    if seed % 4 == 0:
        shape = shape.union(shapely.box(101, 204, 103.5, 206.75))
    return shapely.set_precision(shape, 0.25) if seed % 5 == 0 else shape


@pytest.mark.parametrize("seed", range(40))
def test_fractions_are_exact(seed):
    grid, shape = flat(), star(seed)
    truth = shapely.area(shapely.intersection(cells(grid), shape)) / (grid.dx * grid.dy)
    np.testing.assert_allclose(covered_fraction(grid, shape), truth, atol=1e-9)


def test_agrees_with_exactextract():
    exactextract = pytest.importorskip("exactextract")
    grid, shape = flat(), star(7)
    left, bottom, right, top = grid.bounds
    z = np.random.default_rng(1).normal(size=grid.z.shape)
    source = exactextract.raster.NumPyRasterSource(z, left, bottom, right, top)
    feature = {"type": "Feature", "geometry": shapely.geometry.mapping(shape), "properties": {}}
    told = exactextract.exact_extract(source, feature, ["mean", "count"])[0]["properties"]
    weight = covered_fraction(grid, shape)
    assert weight.sum() == pytest.approx(told["count"], abs=1e-5)
    assert (weight * z).sum() / weight.sum() == pytest.approx(told["mean"], abs=1e-6)


def test_outside_and_empty():
    grid = flat()
    assert covered_fraction(grid, shapely.box(0, 0, 10, 10)).sum() == 0
    assert covered_fraction(grid, shapely.Polygon()).sum() == 0
    assert covered_fraction(grid, shapely.box(-1e6, -1e6, 1e6, 1e6)).min() == pytest.approx(1, abs=1e-9)
    assert mean_slope(grid, shapely.Polygon())[1] == 0
    slope, coverage = mean_slope(grid, shapely.box(0, 0, 10, 10))
    assert np.isnan(slope)
    assert coverage == 0


def ramp(cell: float, *, ratio: float, aspect: float, size: float = 300.0) -> Grid:
    n = round(size / cell)
    row, column = np.mgrid[:n, :n]
    turn = np.radians(aspect)
    z = 300 + ratio * ((column + 0.5) * cell * np.sin(turn) - (row + 0.5) * cell * np.cos(turn))
    return Grid(z=z, left=0.0, top=size, dx=cell, dy=cell)


@pytest.mark.parametrize("aspect", [0, 15, 37, 60])
@pytest.mark.parametrize("cell", [1.0, 3.0, 10.0, 30.0])
def test_mean_slope_of_a_plane_is_its_own_on_cells_of_any_size(aspect, cell):
    ring = shapely.box(100, 100, 103, 103).buffer(6).difference(shapely.box(100, 100, 103, 103))
    slope, coverage = mean_slope(ramp(cell, ratio=0.15, aspect=aspect), ring)
    assert slope == pytest.approx(15, abs=1e-9)
    assert coverage == pytest.approx(1)


def test_coverage_counts_cells_with_an_elevation():
    grid = ramp(2.0, ratio=0.08, aspect=90)
    grid.z[:, 50:60] = np.nan  # 100 to 120 from the left
    slope, coverage = mean_slope(grid, shapely.box(50, 100, 150, 150))
    assert slope == pytest.approx(8, abs=1e-9)
    assert coverage == pytest.approx(0.8)
    slope, coverage = mean_slope(grid, shapely.box(250, 100, 350, 150))  # half of it beyond the border
    assert slope == pytest.approx(8, abs=1e-9)
    assert coverage == pytest.approx(0.5)


def test_each_cell_counts_by_its_part():
    # the left half is level, the right half climbs at 20 %
    column = (np.arange(20) + 0.5) * 10
    grid = Grid(z=np.tile(np.where(column > 100, 0.2 * (column - 100), 0.0), (10, 1)), left=0, top=100, dx=10, dy=10)
    seen = np.gradient(grid.z[0], 10)
    box = shapely.box(75.0, 20, 117.5, 60)
    share = np.clip(np.minimum(117.5, column + 5) - np.maximum(75.0, column - 5), 0, None)
    slope, _ = mean_slope(grid, box)
    assert slope == pytest.approx(100 * (share * seen).sum() / share.sum(), abs=1e-9)


@pytest.mark.parametrize("x", [80.0, 80.1, 83.3])
def test_the_row_beside_a_polygon_holds_none_of_it(x):
    """Not even what rounding leaves, at coordinates of a UTM zone: such cells would count as water."""
    grid = Grid(z=np.zeros((60, 100)), left=455_000.0, top=4_980_300.0, dx=5.0, dy=5.0)
    share = covered_fraction(grid, shapely.box(455_000 + x, 4_980_010.1, 455_140, 4_980_070))
    assert not share[:, 28:].any()
    assert not share[:, :16].any()
    assert share.sum() * 25 == pytest.approx((140 - x) * 59.9)


class Whole:
    """A source of elevations that holds them all."""

    cell = 2.0

    def __init__(self, grid):
        self.grid, self.bounds, self.windows = grid, grid.bounds, []

    def window(self, bounds, *, pad=2):
        """Cut the cells that bounds touch, and some more."""
        self.windows.append(bounds)
        rows, columns = part_around(self.grid, bounds)
        rows = slice(max(rows.start - pad, 0), rows.stop + pad)
        columns = slice(max(columns.start - pad, 0), columns.stop + pad)
        return cut(self.grid, (rows, columns)) if rows.start < rows.stop and columns.start < columns.stop else None


def test_means_from_blocks_are_those_of_the_whole_and_of_any_part_of_the_polygons():
    n = 2 * BLOCK + 100
    row, column = np.mgrid[:n, :n]
    z = 100 + 8 * np.sin(row / 17) * np.cos(column / 23)
    z[300:310, 200:330] = np.nan
    source = Whole(Grid(z=z, left=500.0, top=4000.0, dx=2.0, dy=2.0))
    # small ones, some across the borders of blocks, one greater than a block, one off the elevations, an empty one
    middles = [(550, 3950), (500 + 2 * BLOCK, 3700), (1010, 4000 - 2 * BLOCK), (700, 3400), (900, 3390)]
    rings = [shapely.Point(x, y).buffer(30).difference(shapely.Point(x, y).buffer(11)) for x, y in middles]
    rings += [shapely.Point(1000, 3400).buffer(450), shapely.box(0, 0, 9, 9), shapely.Polygon()]
    polygons = np.array(rings, dtype=object)
    percent, coverage = mean_slopes(source, polygons)
    for index, polygon in enumerate(polygons):
        slope, share = mean_slope(source.grid, polygon)
        assert percent[index] == pytest.approx(slope, rel=1e-12, nan_ok=True)
        assert coverage[index] == pytest.approx(share, rel=1e-12)
    assert len(source.windows) < len(polygons)
    some = mean_slopes(source, polygons[::2])
    assert np.array_equal(some[0], percent[::2], equal_nan=True)
    assert np.array_equal(some[1], coverage[::2])


def test_the_known_share_of_ground_by_hand():
    """Elevations end in the middle of a square of 8 by 8; of what they cover, a void takes a cell of 1.5 by 1.25."""
    grid = flat()
    across = shapely.box(96, 208, 104, 216)
    assert known_share(grid, across) == pytest.approx(0.5)
    grid.z[3, 1] = np.nan
    assert known_share(grid, across) == pytest.approx(0.5 - 1.5 * 1.25 / 64)
    assert known_share(grid, shapely.box(101.5, 213, 103, 214.25)) == pytest.approx(0, abs=1e-12)
    assert known_share(None, across) == 0
    assert known_share(None, shapely.Polygon()) == known_share(grid, shapely.Polygon()) == 1
