"""Terrain and maps with faults, through the command line: exit status, and the error or the finding."""

from __future__ import annotations

import warnings

import geopandas as gpd
import numpy as np
import pyproj
import pytest
import rasterio
import shapely
from rasterio.errors import NotGeoreferencedWarning
from small_site import UTM, X, Y, square, wetlands, write_layer, write_project

from wetgeo.outputs.read import read_layer

#: a plane that climbs 4 % to the north, 5-m cells from (X, Y)
ROWS, COLUMNS, CELL = 60, 100, 5.0
DRAFT = "cmscwd-2009-draft"


def plane(x, y):
    """Elevations at UTM coordinates."""
    return 300 + 0.04 * (y - Y) + 0 * x


def write_raster(path, z, *, crs=UTM, left=X, top=Y + ROWS * CELL, cell=CELL, nodata=None, unit="metre"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(
            path, "w", driver="GTiff", width=z.shape[1], height=z.shape[0], count=1, dtype="float32", crs=crs,
            nodata=nodata, transform=rasterio.Affine(cell, 0, left, 0, -cell, top),
        ) as file:  # fmt: skip
            file.write(z.astype(np.float32), 1)
            if unit:
                file.units = (unit,)
    return path


def centres():
    row, column = np.mgrid[:ROWS, :COLUMNS]
    return X + (column + 0.5) * CELL, Y + (ROWS - row - 0.5) * CELL


def in_other_crs(path, crs, cell, **how):
    """Write the plane as a raster of another CRS that covers the site."""
    way = pyproj.Transformer.from_crs(UTM, crs, always_xy=True)
    left, bottom, right, top = way.transform_bounds(X - 50, Y - 50, X + 550, Y + 350)
    shape = int(np.ceil((top - bottom) / cell)), int(np.ceil((right - left) / cell))
    row, column = np.mgrid[: shape[0], : shape[1]]
    x, y = way.transform(left + (column + 0.5) * cell, top - (row + 0.5) * cell, direction="INVERSE")
    return write_raster(path, plane(x, y), crs=crs, left=left, top=top, cell=cell, **how)


@pytest.fixture
def folder(tmp_path):
    write_layer(tmp_path / "wetlands.gpkg", wetlands())
    return tmp_path


@pytest.fixture
def run(folder, run_wetgeo):
    """Run the project and return layers buffers and extensions, and the findings by code."""

    def run(dem='path = "dem.tif"', rule="mcwd-2024", **tables):
        project = write_project(folder, rule=rule, dem=dem, tail='[outputs]\nformats = ["gpkg"]', **tables)
        result = run_wetgeo("run", project)
        assert result.code == 0, result.err
        findings = read_layer(folder / "out", "findings")
        told = {code: list(rows["message"]) for code, rows in findings.groupby("code")}
        return read_layer(folder / "out", "buffers"), read_layer(folder / "out", "extensions"), told

    return run


@pytest.fixture
def refused(folder, run_wetgeo):
    def refuse(*words, dem='path = "dem.tif"'):
        result = run_wetgeo("run", write_project(folder, dem=dem))
        assert result.code == 1, result.err
        assert "Traceback" not in result.err
        assert "To mend it: " in result.err
        assert not (folder / "out").exists()
        for word in words:
            assert word in result.err

    return refuse


class TestElevations:
    """A DEM that is elsewhere, in other units, or has holes."""

    @pytest.mark.parametrize(
        ("crs", "cell", "name"), [("EPSG:4326", 4e-5, "WGS 84"), ("EPSG:26914", 5.0, "UTM zone 14N")]
    )
    def test_other_coordinates_are_reprojected_and_told(self, folder, run, crs, cell, name):
        in_other_crs(folder / "dem.tif", crs, cell)
        buffers, _, told = run()
        assert buffers["slope_pct"].tolist() == pytest.approx([4.0, 4.0], abs=0.02)
        assert any("interpolated (bilinear)" in text and name in text for text in told["crs-reprojected"])

    def test_no_coordinate_system(self, folder, refused):
        write_raster(folder / "dem.tif", plane(*centres()), crs=None)
        refused("dem.tif", "no coordinate system", "rio edit-info --crs")

    @pytest.mark.parametrize("unit", ["", "fathom"])
    def test_unknown_vertical_unit(self, folder, refused, unit):
        write_raster(folder / "dem.tif", plane(*centres()), unit=unit)
        refused("dem.tif", "vertical unit", 'z_unit = "m", "ft", "us-ft" or "cm"')

    def test_a_unit_that_cannot_be_right(self, folder, refused):
        write_raster(folder / "dem.tif", 100 * plane(*centres()), unit="")
        refused("cannot be in the vertical unit", dem='path = "dem.tif"\nz_unit = "m"')

    def test_nodata_that_nobody_declared(self, folder, run):
        z = plane(*centres())
        z[20:24, 30:34] = -9999  # beside W-1
        write_raster(folder / "dem.tif", z)
        buffers, _, told = run()
        assert buffers["slope_pct"].tolist() == pytest.approx([4.0, 4.0], abs=0.01)
        assert told["dem-nodata"] == [
            "dem.tif: 16 cells hold -9999, which no land has as its elevation; they were taken as nodata"
        ]

    @pytest.mark.parametrize("order", [("west.tif", "east.tif"), ("east.tif", "west.tif")])
    def test_two_tiles_with_different_nodata(self, folder, run, order):
        z = plane(*centres())
        west, east = z[:, :24].copy(), z[:, 22:].copy()
        west[:, -2:], east[:2] = -9999, -32768  # void where they overlap, and in the north
        write_raster(folder / "west.tif", west, nodata=-9999)
        write_raster(folder / "east.tif", east, left=X + 22 * CELL, nodata=-32768)
        buffers, _, told = run(dem=f'path = ["{order[0]}", "{order[1]}"]')
        assert buffers["slope_pct"].tolist() == pytest.approx([4.0, 4.0], abs=0.01)
        assert not {"dem-coverage", "dem-nodata", "dem-tiles"} & set(told)

    def test_elevations_that_end_inside_a_buffer(self, folder, run):
        columns = 24  # to 120 m: through W-1, which reaches from 100 to 140 m
        write_raster(folder / "dem.tif", plane(*centres())[:, :columns])
        buffers, _, told = run()
        ring = shapely.difference(square(100, 100).buffer(75 * 0.3048, quad_segs=64), square(100, 100))
        share = shapely.intersection(ring, shapely.box(X, Y, X + 120, Y + 300)).area / ring.area
        assert any(
            f"{share:.1%} of the ground within the base width has an elevation" in text for text in told["dem-coverage"]
        )
        assert any("0.0% of the ground" in text and "unknown" in text for text in told["dem-coverage"])
        assert buffers.set_index("resource_id")["slope_cut_ft"].to_dict() == {"W-1": 6.0, "W-2": 0.0}

    def test_zones_without_elevations_are_told_where_slopes_are_looked_for(self, folder, run):
        write_layer(folder / "wetlands.gpkg", wetlands(CLASS=["2", "2"]))
        write_raster(folder / "dem.tif", plane(*centres())[:, :24])
        _, extensions, told = run(rule=DRAFT)
        assert extensions.empty
        assert any(text.startswith("100.0% of its buffer has no elevation") for text in told["dem-coverage"])
        assert len(told["dem-coverage"]) == 2


class TestMaps:
    """Floodplains, drainageways and communities with faults."""

    NORTH = shapely.box(X + 110, Y + 140, X + 120, Y + 200)

    @pytest.fixture(autouse=True)
    def classes(self, folder):
        write_layer(folder / "wetlands.gpkg", wetlands(CLASS=["4", "4"]))

    def test_flood_zones_that_nobody_knows(self, folder, run):
        zones = gpd.GeoDataFrame({"FLD_ZONE": ["AE", "100-YR", None]}, geometry=[self.NORTH] * 3, crs=UTM)
        write_layer(folder / "flood.gpkg", zones)
        _, extensions, told = run(dem=None, rule=DRAFT, floodplain='path = "flood.gpkg"')
        assert extensions["kind"].tolist() == ["floodplain"]
        assert any("flood zone '100-YR' is not known" in text and "known: A, AE" in text for text in told["extension"])
        assert any(text.startswith("features without a flood zone") for text in told["extension"])

    def test_flood_zones_without_their_field(self, folder, run):
        write_layer(folder / "flood.gpkg", gpd.GeoDataFrame({"KIND": ["AE"]}, geometry=[self.NORTH], crs=UTM))
        _, extensions, told = run(dem=None, rule=DRAFT, floodplain='path = "flood.gpkg"')
        assert extensions.empty
        assert any(
            "(field role zone) were not counted as floodplain (1 of 1 features)" in text for text in told["extension"]
        )

    def test_a_drainageway_without_width(self, folder, run):
        line = shapely.LineString([(X + 120, Y + 140), (X + 120, Y + 200)])
        ways = gpd.GeoDataFrame({"NAME": ["D-1", "D-2"], "WIDTH_FT": [20.0, None]}, geometry=[line, line], crs=UTM)
        write_layer(folder / "ways.gpkg", ways)
        _, extensions, told = run(
            dem=None,
            rule=DRAFT,
            drainageways='path = "ways.gpkg"\nfields = { id = "NAME", width_ft = "WIDTH_FT" }',
        )
        assert extensions["area_sqft"].item() == pytest.approx(20 * (60 / 0.3048 - 50), rel=1e-3)
        (text,) = told["value-default"]
        assert "no width" in text
        assert "drainageway_width, 10 ft" in text

    def test_maps_without_features(self, folder, run):
        empty = gpd.GeoDataFrame({"zone": [], "rank": [], "width_ft": []}, geometry=[], crs=UTM)
        write_layer(folder / "none.gpkg", empty)
        names = ("floodplain", "natural_communities", "drainageways")
        buffers, extensions, told = run(dem=None, rule=DRAFT, **dict.fromkeys(names, 'path = "none.gpkg"'))
        assert len(buffers) == 2
        assert extensions.empty
        assert len(told["layer-empty"]) == 3
