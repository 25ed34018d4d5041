"""The sample site is what its script makes, and each provision of the rules has something to bite on."""

from __future__ import annotations

import sys
from pathlib import Path

import geopandas as gpd
import numpy as np
import pyogrio
import pytest
import rasterio
import shapely
from places import ROOT

from wetgeo.kernels.grid import Grid
from wetgeo.testing import cell_centres, classified, fractal, outline, smooth_line, soft_min

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SAMPLES = ROOT / "data_samples"
FT = 0.3048
DISTRICTS = ("mcwd", "rcwd", "cmscwd")


def read_layers(path: Path) -> dict[str, gpd.GeoDataFrame]:
    return {name: pyogrio.read_dataframe(path, layer=name) for name, _ in pyogrio.list_layers(path)}


@pytest.fixture(scope="module")
def site() -> dict[str, gpd.GeoDataFrame]:
    return read_layers(SAMPLES / "site.gpkg")


@pytest.fixture(scope="module")
def elevations() -> Grid:
    with rasterio.open(SAMPLES / "dem.tif") as file:
        assert file.crs == "EPSG:26915"
        assert file.units == ("metre",)
        transform = file.transform
        z = file.read(1).astype(np.float64)
    return Grid(z=z, left=transform.c, top=transform.f, dx=transform.a, dy=-transform.e)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    scripts = str(ROOT / "scripts")
    sys.path.insert(0, scripts)
    try:
        from make_samples import make_samples

        make_samples(folder)
        first = (folder / "site.gpkg").read_bytes(), (folder / "dem.tif").read_bytes()
        make_samples(folder)
        assert first == ((folder / "site.gpkg").read_bytes(), (folder / "dem.tif").read_bytes())
    finally:
        sys.path.remove(scripts)
    return folder


def heights(grid: Grid, geometry: shapely.Geometry) -> np.ndarray:
    x, y = cell_centres(grid)
    return grid.z[shapely.contains_xy(geometry, x, y)]


def test_the_script_makes_these_layers(made: Path, site: dict[str, gpd.GeoDataFrame]) -> None:
    again = read_layers(made / "site.gpkg")
    assert list(again) == list(site)
    for name, frame in site.items():
        assert again[name].drop(columns="geometry").equals(frame.drop(columns="geometry")), name
        # other releases of GEOS may round otherwise
        assert (shapely.hausdorff_distance(again[name].geometry.values, frame.geometry.values) < 0.02).all(), name


def test_the_script_makes_this_ground(made: Path, elevations: Grid) -> None:
    with rasterio.open(made / "dem.tif") as file:
        apart = np.abs(file.read(1) - elevations.z)
    assert apart.max() <= 1 / 128
    assert (apart > 0).mean() < 1e-3


def test_the_samples_are_small() -> None:
    tracked = [path for path in SAMPLES.iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in tracked) < 3e6


def test_every_layer_is_valid_and_on_the_ground(site: dict[str, gpd.GeoDataFrame], elevations: Grid) -> None:
    ground = shapely.box(*elevations.bounds).buffer(0.01)
    for name, frame in site.items():
        assert frame.crs == "EPSG:26915", name
        assert frame.geometry.is_valid.all(), name
        assert not frame.geometry.is_empty.any(), name
        assert frame.geometry.within(ground).all(), name


@pytest.mark.parametrize("district", DISTRICTS)
def test_project_files_name_what_the_site_holds(district: str, site: dict[str, gpd.GeoDataFrame]) -> None:
    project = tomllib.loads((SAMPLES / f"{district}.toml").read_text(encoding="utf-8"))
    for layer in project["layers"].values():
        assert (SAMPLES / layer["path"]).is_file()
        assert set(layer.get("fields", {}).values()) <= set(site[layer["layer"]].columns)
    assert (SAMPLES / project["dem"]["path"]).is_file()


def test_water_lies_low_and_runs_downhill(site: dict[str, gpd.GeoDataFrame], elevations: Grid) -> None:
    for row in site["wetlands"].itertuples():
        around = (
            row.geometry.buffer(12)
            .difference(site["wetlands"].union_all())
            .difference(site["streams"].buffer(4).union_all())
        )
        assert np.median(heights(elevations, row.geometry)) < np.median(heights(elevations, around)) - 0.2, row.WET_ID
    swale = site["drainageways"].geometry[0].difference(site["wetlands"].union_all())
    for line in [*site["streams"].geometry, swale]:
        points = shapely.get_coordinates(shapely.line_interpolate_point(line, np.arange(3, line.length - 3, 20)))
        z = [heights(elevations, shapely.Point(point).buffer(3)).min() for point in points]
        assert np.diff(z).max() < 0.15
        assert z[0] > z[-1]


def test_wetlands_of_all_classes(site: dict[str, gpd.GeoDataFrame]) -> None:
    wetlands = site["wetlands"][site["wetlands"].STATUS == "delineated"].set_index("WET_ID")
    assert set(wetlands.MGMT_CLASS) == {"Preserve", "Manage 1", "Manage 2", "Manage 3"}
    assert set(wetlands.CATEGORY) == {"1", "2", "3", "4"}
    assert list(wetlands.index[wetlands.CENTRAL]) == ["W-1"]
    assert list(wetlands.index[wetlands.GDNR]) == ["W-6"]
    shape = wetlands.geometry
    assert shape["W-1"].intersection(shape["W-3"]).length > 20
    assert shape["W-1"].intersection(shape["W-3"]).area == 0
    assert len(shape["W-4"].interiors) == 1
    brook = site["streams"].geometry[0]
    assert brook.intersects(shape["W-1"])
    assert brook.intersects(shape["W-6"])


def test_lots_stay_out_of_lake_and_street(site: dict[str, gpd.GeoDataFrame]) -> None:
    lots = site["parcels"][site["parcels"].LOT.str.startswith("Lot", na=False)]
    assert len(lots) >= 20
    assert lots.PIN.is_unique
    assert lots.intersection(site["lakes"].union_all()).area.sum() < 1
    street = site["new_impervious"].set_index("NAME").geometry["street"]
    assert site["parcels"].intersection(street).area.sum() < 1
    houses = site["structures"].set_index("KIND").geometry
    water = shapely.union_all([site["wetlands"].union_all(), site["lakes"].union_all()])
    assert (houses.distance(water) > 3).all()
    assert (lots.geometry.apply(lambda lot: houses.within(lot).sum()) <= 1).all()


def test_steep_slopes_stand_above_the_water(site: dict[str, gpd.GeoDataFrame], elevations: Grid) -> None:
    # rises of more than 12 percent over 50 ft, seen along the grid's rows and columns
    run = round(50 * FT / elevations.dx)
    rise = np.maximum(*(np.abs(elevations.z - np.roll(elevations.z, run, axis=axis)) for axis in (0, 1)))
    steep = rise > 0.12 * run * elevations.dx
    x, y = cell_centres(elevations)
    for name, reach in (("lakes", 75), ("streams", 75 + 7), ("wetlands", 50)):
        shapes = site[name].union_all()
        near = shapes.buffer(reach * FT).difference(site["lakes"].union_all())
        assert (steep & shapely.contains_xy(near, x, y)).sum() > 50, name


def test_each_map_provision_has_its_case(site: dict[str, gpd.GeoDataFrame]) -> None:
    lake = site["lakes"].geometry[0]
    wetlands = site["wetlands"].set_index("WET_ID").geometry
    woods = site["natural_communities"].set_index("NAME").geometry["Maple-basswood forest"]
    assert woods.intersection(lake.boundary).length > 50
    assert woods.area > woods.intersection(lake.buffer(75 * FT)).area > 0
    flooded = site["floodplain"][site["floodplain"].FLD_ZONE == "AE"].union_all()
    brook = site["streams"].geometry[0]
    assert flooded.difference(brook.buffer((75 + 7) * FT)).difference(lake.buffer(75 * FT)).area > 100
    swale = site["drainageways"].geometry[0]
    assert swale.intersects(wetlands["W-4"])
    assert swale.length > swale.intersection(wetlands["W-4"].buffer(50 * FT)).length
    homestead = site["structures"].set_index("KIND").geometry["existing_primary"]
    assert homestead.distance(lake) < site["lakes"].SETBACK_FT[0] * FT
    assert {"A/D", "B/D", "C/D"} <= set(site["soils"].HYDGRP.dropna())
    assert set(site["soils"].MUSYM[site["soils"].HYDGRP.isna()]) == {"W"}
    assert site["existing_impervious"].distance(wetlands["W-5"]).min() < 12 * FT
    trails = site["trails"].set_index("WIDTH_FT").geometry
    assert trails[8.0].distance(wetlands["W-1"]) < 50 * FT
    assert trails[4.0].distance(wetlands["W-7"]) < 40 * FT
    assert 25 * FT < site["infiltration"].geometry[0].distance(wetlands["W-1"]) < 50 * FT
    assert site["keep_out"].distance(wetlands["W-2"]).min() < 75 * FT
    assert site["public_land"].intersects(wetlands["W-7"]).all()


def test_fractal_ground_is_seeded_and_standard() -> None:
    one, two, other = (fractal((40, 60), 1.0, seed=seed, exponent=3, smallest=4) for seed in (1, 1, 2))
    assert one.shape == (40, 60)
    assert (one == two).all()
    assert not np.allclose(one, other)
    assert one.mean() == pytest.approx(0, abs=1e-12)
    assert one.std() == pytest.approx(1)


def test_soft_minimum_is_the_minimum_where_surfaces_are_apart() -> None:
    assert soft_min(np.array([0.0]), np.array([9.0]), 0.5)[0] == pytest.approx(0, abs=1e-6)
    assert soft_min(np.array([3.0]), np.array([3.0]), 0.5)[0] == pytest.approx(3 - 0.5 * np.log(2))


def test_smooth_lines_keep_their_ends() -> None:
    corners = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)]
    line = shapely.LineString(smooth_line(corners))
    assert line.coords[0] == (0, 0)
    assert line.coords[-1] == (10, 10)
    assert 200**0.5 < line.length < 20
    assert shapely.Polygon(smooth_line(corners, closed=True)).within(shapely.Polygon(corners).buffer(1e-9))


def test_a_bowl_is_outlined_as_its_circle() -> None:
    blank = Grid(z=np.zeros((200, 200)), left=0.0, top=200.0, dx=1.0, dy=1.0)
    x, y = cell_centres(blank)
    distance = np.hypot(x - 100, y - 100)
    ring = outline(blank, (distance < 60) & (distance > 20), (150, 100), spacing=5)
    assert ring.area == pytest.approx(np.pi * (60**2 - 20**2), rel=0.02)
    assert len(ring.interiors) == 1
    with pytest.raises(ValueError, match="not inside"):
        outline(blank, distance < 60, (5, 5), spacing=5)


def test_classes_cover_the_ground_once() -> None:
    blank = Grid(z=np.zeros((50, 80)), left=0.0, top=50.0, dx=1.0, dy=1.0)
    x, y = cell_centres(blank)
    areas = classified(blank, (x + 5 * np.sin(y / 4) > 40).astype(np.int16), tolerance=2)
    shapes = [shape for group in areas.values() for shape in group]
    assert sorted(areas) == [0, 1]
    assert shapely.coverage_is_valid(np.array(shapes))
    assert sum(shape.area for shape in shapes) == pytest.approx(50 * 80)
