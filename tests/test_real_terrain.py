"""Terrain and maps on real public data, against facts found by other means."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pyogrio
import pytest
import rasterio
import shapely

from wetgeo.outputs.read import read_layer

pytestmark = pytest.mark.real

FT = 0.3048
US_FT = 1200 / 3937


def cells(dem, unit):
    """Centres, elevations and slopes of a DEM's cells, by plain differences."""
    with rasterio.open(dem) as file:
        z = file.read(1, masked=True).astype(float).filled(np.nan) * unit
        matrix = file.transform
    dy, dx = np.gradient(z, matrix.a)
    row, column = np.mgrid[: z.shape[0], : z.shape[1]]
    points = shapely.points(matrix.c + (column + 0.5) * matrix.a, matrix.f + (row + 0.5) * matrix.e)
    return points.ravel(), z.ravel(), np.hypot(dx, dy).ravel()


@pytest.fixture(scope="module")
def bangor(shared, tmp_path_factory, run_wetgeo):
    """A part of Bangor under the draft rule: waters, flood zones, ecosystems, and the ground in feet over feet."""
    folder = tmp_path_factory.mktemp("bangor")
    city = shared / "data" / "bangor-me"
    feet = city / "stateplane_ft"
    dem = city / "derived" / "bangor_dem_50ft_TIN_DERIVED.tif"
    project = folder / "wetgeo.toml"
    project.write_text(
        f"""
[project]
rule = "cmscwd-2009-draft"
crs = "EPSG:26847"
date = 2026-06-01
output = "out"
[layers.wetlands]
path = '{feet / "Wetland.shp"}'
where = "Quad = 3"
defaults.class = "2"
[layers.lakes]
path = '{feet / "Pond.shp"}'
where = "Quad = 3"
defaults.class = "natural environment"
[layers.floodplain]
path = '{feet / "FloodZone.shp"}'
[layers.natural_communities]
path = '{feet / "SigEcosystems.shp"}'
fields = {{ rank = "SRANK" }}
[dem]
path = '{dem}'
z_unit = "ft"
[outputs]
formats = ["gpkg"]
""",
        encoding="utf-8",
    )
    result = run_wetgeo("run", project)
    assert result.code == 0, result.err
    points, _, slopes = cells(dem, 1.0)
    return folder / "out", feet, points, slopes


def plain(out):
    """The plain buffers of 75 ft, by the resource's id, and all resources."""
    resources = read_layer(out, "resources").set_index("resource_id").geometry
    return resources.buffer(75 * FT / US_FT, quad_segs=64), resources


def parts_beside(parts, zone):
    return [part for part in parts if shapely.intersection(part, zone).area > 0]


def expected_areas(out, parts, ids):
    """Area of the parts that overlap each plain buffer, outside of it and of all resources, square feet."""
    zones, resources = plain(out)
    water = shapely.union_all(resources.to_numpy())
    found = {}
    for name in ids:
        beside = shapely.union_all(parts_beside(parts, zones[name]))
        area = shapely.difference(shapely.difference(beside, zones[name]), water).area * (US_FT / FT) ** 2
        if area > 1:
            found[name] = area
    return found


def areas(out, kind):
    rows = read_layer(out, "extensions").query("kind == @kind")
    return dict(zip(rows["resource_id"], rows["area_sqft"], strict=True))


def test_floodplain_is_the_connected_part_outside_the_buffer(bangor):
    out, feet, _, _ = bangor
    flood = pyogrio.read_dataframe(feet / "FloodZone.shp")
    counted = flood[flood["ZONE"].isin(["A", "AE"])].make_valid()
    parts = shapely.get_parts(shapely.union_all(counted.to_numpy()))
    expected = expected_areas(out, parts, read_layer(out, "resources")["resource_id"])
    assert len(expected) > 5
    assert areas(out, "floodplain") == pytest.approx(expected, rel=1e-3)


def test_communities_go_to_lakes(bangor):
    out, feet, _, _ = bangor
    parts = shapely.get_parts(pyogrio.read_dataframe(feet / "SigEcosystems.shp").make_valid().to_numpy())
    resources = read_layer(out, "resources")
    lakes = resources.loc[resources["resource_type"] == "lake", "resource_id"]
    assert areas(out, "natural_community") == pytest.approx(expected_areas(out, parts, lakes), rel=1e-3)


def test_steep_slopes_are_where_the_ground_is_steep(bangor):
    out, _, points, slopes = bangor
    _, resources = plain(out)
    tree = shapely.STRtree(points)
    steep = read_layer(out, "extensions").query("kind == 'steep_slope'").set_index("resource_id").geometry
    assert len(steep)
    for name, resource in resources.items():
        near = tree.query(resource, predicate="dwithin", distance=75 + 100)
        if not (slopes[near] > 0.11).any():  # by other differences than Horn's
            assert name not in steep.index
    for ground in steep:
        inside = slopes[tree.query(ground, predicate="intersects")]
        if len(inside) > 5:
            assert np.nanmean(inside) > 0.12
            assert np.nanquantile(inside, 0.2) > 0.08


@pytest.fixture
def farm(shared, tmp_path):
    """Three wetlands drawn on the farm's ground: two at the foot of banks, one on a flat; and the DEM."""
    dem = shared / "data" / "dem-ia-3m" / "small_dem_3m_merged.tif"
    drawn = {
        "bank": shapely.box(425225, 4615757, 425265, 4615770),
        "slope": shapely.box(425272, 4615738, 425310, 4615750),
        "flat": shapely.box(425600, 4615430, 425640, 4615460),
    }
    frame = gpd.GeoDataFrame({"ID": list(drawn), "CLASS": "4"}, geometry=list(drawn.values()), crs="EPSG:26915")
    frame.to_file(tmp_path / "drawn.gpkg")

    def write(unit):
        project = tmp_path / "wetgeo.toml"
        project.write_text(
            f"""
[project]
rule = "cmscwd-2009-draft"
date = 2026-06-01
output = "out"
[layers.wetlands]
path = "drawn.gpkg"
fields = {{ id = "ID", class = "CLASS" }}
[dem]
path = '{dem}'
{unit}
[outputs]
formats = ["gpkg"]
""",
            encoding="utf-8",
        )
        return project

    return write, tmp_path / "out", drawn, dem


def test_the_farm_is_refused_until_its_unit_is_told(farm, run_wetgeo):
    write, out, _, dem = farm
    result = run_wetgeo("run", write(""))
    assert result.code == 1
    assert f"{dem}: the vertical unit of this DEM (z_unit) is not known" in result.err
    assert 'z_unit = "m", "ft", "us-ft" or "cm"' in result.err
    assert not out.exists()
    result = run_wetgeo("run", write('z_unit = "m"'))
    assert result.code == 1
    assert "cannot be in the vertical unit" in result.err


def test_the_farm_in_centimetres(farm, run_wetgeo):
    write, out, drawn, dem = farm
    result = run_wetgeo("run", write('z_unit = "cm"'))
    assert result.code == 0, result.err
    found = read_layer(out, "extensions").set_index("resource_id")
    assert sorted(found.index) == ["bank", "slope"]
    assert set(found["kind"]) == {"steep_slope"}
    points, z, slopes = cells(dem, 0.01)
    for name, one in found.iterrows():
        inside = shapely.intersects(one.geometry, points)
        # above the water, over 12 % on the whole, and no further than the bank goes
        assert z[inside].min() > z[shapely.intersects(drawn[name], points)].max()
        assert slopes[inside].mean() > 0.115
        assert 50 < one["reach_ft"] < 150
