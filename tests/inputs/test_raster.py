"""Elevations from files of all kinds: units, CRS, tiles, voids, faults."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path

import numpy as np
import pytest
import rasterio
import shapely
from pyproj import CRS, Transformer

from wetgeo.errors import ProjectError, RasterError, UnitError
from wetgeo.findings import Findings
from wetgeo.inputs.raster import Dem, open_dem
from wetgeo.kernels.coverage import mean_slope
from wetgeo.project import DemSource, load_project
from wetgeo.units import FOOT_M, US_SURVEY_FOOT_M

UTM = CRS.from_epsg(26915)
LEFT, TOP = 455000.0, 4980200.0


def ramp(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A plane of 10 %, metres."""
    return 300 + 0.06 * (x - LEFT) + 0.08 * (y - TOP)


def write(path: Path, *, left=LEFT, top=TOP, cell=2.0, shape=(100, 100), z=None, unit=None, crs="EPSG:26915", **more):
    row, column = np.mgrid[: shape[0], : shape[1]]
    values = ramp(left + (column + 0.5) * cell, top - (row + 0.5) * cell) if z is None else z
    profile = {
        "driver": "GTiff",
        "height": shape[0],
        "width": shape[1],
        "count": 1,
        "dtype": values.dtype,
        "crs": crs,
        "transform": rasterio.Affine(cell, 0, left, 0, -cell, top),
        "nodata": -9999.0,
    }
    with rasterio.open(path, "w", **{**profile, **more}) as file:
        file.write(values, 1)
        if unit:
            file.set_band_unit(1, unit)
    return path


def load(*paths: Path, z_unit=None, crs=UTM, unit_m=1.0) -> tuple[Dem, list[str], Findings]:
    findings = Findings()
    dem = open_dem(DemSource(paths=paths, z_unit=z_unit), crs, unit_m, findings)
    return dem, [f"{f.severity} {f.code}" for f in findings], findings


@pytest.mark.parametrize(
    ("said", "meant"),
    [("feet", "ft"), ("FT", "ft"), ("meter", "m"), ("Metres", "m"), ("US-FT", "us-ft"), ("furlong", "")],
)
def test_a_unit_that_is_not_known_is_told_as_for_the_project_file(tmp_path, said: str, meant: str) -> None:
    with pytest.raises(ProjectError, match=f"unknown unit '{said}'") as caught:
        load(write(tmp_path / "dem.tif"), z_unit=said)
    (tmp_path / "wetgeo.toml").write_text(
        f'[project]\nname = "a"\nrule = "mcwd-2024"\n[layers.wetlands]\npath = "w.gpkg"\n'
        f'[dem]\npath = "dem.tif"\nz_unit = "{said}"\n'
    )
    with pytest.raises(ProjectError) as of_file:
        load_project(tmp_path / "wetgeo.toml")
    assert caught.value.message.partition(": ")[2] in str(of_file.value)
    assert ("did you mean" in str(caught.value)) == bool(meant)
    assert not meant or f"(did you mean {meant}?)" in str(caught.value)


def assert_ramp(dem: Dem, *, tolerance=1e-6, scale=1.0) -> None:
    grid = dem.window(dem.bounds)
    row, column = np.indices(grid.z.shape)
    x, y = grid.left + (column + 0.5) * grid.dx, grid.top - (row + 0.5) * grid.dy
    known = np.isfinite(grid.z)
    assert known.any()
    np.testing.assert_allclose(grid.z[known], ramp(x, y)[known] * scale, atol=tolerance)


@pytest.mark.parametrize(
    ("unit", "metres"),
    [
        ("m", 1.0),
        ("metre", 1.0),
        ("Meters", 1.0),
        ("ft", FOOT_M),
        ("foot", FOOT_M),
        ("feet", FOOT_M),
        ("US survey foot", US_SURVEY_FOOT_M),
        ("us-ft", US_SURVEY_FOOT_M),
        ("foot_us", US_SURVEY_FOOT_M),
        ("centimetre", 0.01),
    ],
)
def test_band_unit_is_understood(tmp_path, unit, metres):
    row, column = np.mgrid[:100, :100]
    z = ramp(LEFT + (column + 0.5) * 2, TOP - (row + 0.5) * 2) / metres
    dem, codes, _ = load(write(tmp_path / "dem.tif", z=z, unit=unit))
    assert codes == ["info z-unit"]
    assert_ramp(dem)


def test_elevations_come_in_the_unit_of_the_crs(tmp_path):
    dem, _, _ = load(write(tmp_path / "dem.tif"), z_unit="m", unit_m=FOOT_M)
    assert_ramp(dem, scale=1 / FOOT_M)


def test_vertical_axis_of_a_compound_crs_tells_the_unit(tmp_path):
    row, column = np.mgrid[:100, :100]
    z = ramp(LEFT + (column + 0.5) * 2, TOP - (row + 0.5) * 2) / US_SURVEY_FOOT_M
    path = write(tmp_path / "dem.tif", z=z, crs="EPSG:26915+6360")
    dem, codes, _ = load(path)
    assert codes == ["info z-unit"]
    assert_ramp(dem)


def test_project_wins_over_the_file_and_says_so(tmp_path):
    path = write(tmp_path / "dem.tif", unit="ft")
    dem, codes, findings = load(path, z_unit="m")
    assert codes == ["warning z-unit", "info z-unit"]
    assert "dem.tif" in next(iter(findings)).message
    assert_ramp(dem)


def test_band_and_vertical_crs_that_differ_are_told(tmp_path):
    path = write(tmp_path / "dem.tif", unit="m", crs="EPSG:26915+6360")
    _, codes, findings = load(path)
    assert codes == ["warning z-unit", "info z-unit"]
    assert "US survey feet" in next(iter(findings)).message


def test_unknown_unit_stops_and_names_every_file(tmp_path):
    one, other = write(tmp_path / "one.tif"), write(tmp_path / "two.tif", left=LEFT + 200, unit="fathom")
    with pytest.raises(UnitError, match=r"one\.tif.*\n.*z_unit = \"m\", \"ft\""):
        load(one)
    with pytest.raises(UnitError, match=r"z_unit(.|\n)*one\.tif(.|\n)*two\.tif.*fathom"):
        load(one, other)


def test_a_unit_that_cannot_be_right_stops(tmp_path):
    z = np.full((100, 100), 31000, dtype=np.uint16)
    path = write(tmp_path / "dem.tif", z=z, nodata=None)
    with pytest.raises(UnitError, match=r"dem\.tif.*31000"):
        load(path, z_unit="m")
    dem, _, _ = load(path, z_unit="cm")
    assert dem.window(dem.bounds).z.mean() == pytest.approx(310)


def test_tiles_in_any_order_give_the_same(tmp_path):
    west = ramp(LEFT + (np.arange(60) + 0.5) * 2, TOP - (np.arange(100)[:, None] + 0.5) * 2)
    west[:, -2:] = -9999
    east = ramp(LEFT + 112 + (np.arange(50) + 0.5) * 2, TOP - (np.arange(100)[:, None] + 0.5) * 2)
    east[:, :2] = np.nan
    one = write(tmp_path / "one.tif", z=west, shape=(100, 60))
    two = write(tmp_path / "two.tif", z=east.astype(np.float32), shape=(100, 50), left=LEFT + 112, nodata=np.nan)
    answers = [load(*order, z_unit="m") for order in itertools.permutations([one, two])]
    assert answers[0][1] == answers[1][1] == ["info z-unit"]
    grids = [dem.window(dem.bounds).z for dem, _, _ in answers]
    np.testing.assert_array_equal(*grids)
    assert np.isfinite(grids[0]).all()
    assert_ramp(answers[0][0], tolerance=1e-4)
    slope, coverage = mean_slope(
        answers[0][0].window(answers[0][0].bounds), shapely.box(455050, 4980050, 455150, 4980150)
    )
    assert slope == pytest.approx(10, abs=1e-3)
    assert coverage == pytest.approx(1)


def test_tiles_of_other_grids_are_interpolated_exactly_on_a_plane(tmp_path):
    fine = write(tmp_path / "fine.tif", shape=(100, 50))
    coarse = write(tmp_path / "coarse.tif", left=LEFT + 95, top=TOP + 3, cell=10.0, shape=(20, 12))
    dem, codes, findings = load(coarse, fine, z_unit="m")
    assert codes == ["info dem-tiles", "info z-unit"]
    assert "coarse.tif" in next(iter(findings)).message
    assert dem.cell == 2
    assert_ramp(dem)


def test_a_vrt_is_read_like_a_raster(tmp_path):
    write(tmp_path / "dem.tif")
    vrt = tmp_path / "all.vrt"
    vrt.write_text(
        f"""<VRTDataset rasterXSize="100" rasterYSize="100"><SRS>EPSG:26915</SRS>
        <GeoTransform>{LEFT}, 2, 0, {TOP}, 0, -2</GeoTransform>
        <VRTRasterBand dataType="Float64" band="1"><SimpleSource>
        <SourceFilename relativeToVRT="1">dem.tif</SourceFilename><SourceBand>1</SourceBand>
        </SimpleSource></VRTRasterBand></VRTDataset>"""
    )
    dem, _, _ = load(vrt, z_unit="m")
    assert_ramp(dem)
    (tmp_path / "dem.tif").unlink()
    with pytest.raises(RasterError, match=r"all\.vrt.*cannot be read"):
        load(vrt, z_unit="m")


def test_undeclared_nodata_is_void_and_told(tmp_path):
    z = np.full((100, 100), 300.0)
    z[40:50, 40:55] = -9999
    z[0, 0], z[0, 1], z[0, 2] = np.inf, 1e20, np.nan
    dem, codes, findings = load(write(tmp_path / "dem.tif", z=z, nodata=None), z_unit="m")
    assert codes == ["warning dem-nodata", "info z-unit"]
    assert "151 cells" in next(iter(findings)).message
    assert "-9999" in next(iter(findings)).message
    grid = dem.window(dem.bounds)
    assert np.isnan(grid.z).sum() == 153
    assert grid.implausible == 151
    assert np.nanmax(grid.z) == 300


def test_undeclared_nodata_does_not_bleed_where_it_is_reprojected(tmp_path):
    z = np.full((100, 100), 300.0)
    z[40:50, 40:55] = -9999
    dem, _, _ = load(write(tmp_path / "dem.tif", z=z, nodata=None), z_unit="m", crs=CRS.from_epsg(26914))
    ground = dem.window(dem.bounds).z
    np.testing.assert_allclose(ground[np.isfinite(ground)], 300)


@pytest.mark.parametrize("code", [26914, 3745, 26851])
def test_another_crs_is_interpolated_and_told(tmp_path, code):
    crs = CRS.from_epsg(code)
    dem, codes, findings = load(write(tmp_path / "dem.tif"), z_unit="m", crs=crs)
    assert [code.split()[1] for code in codes] == ["crs-reprojected", "z-unit"]
    assert "26915" in next(iter(findings)).message
    grid = dem.window(dem.bounds)
    row, column = np.indices(grid.z.shape)
    back = Transformer.from_crs(crs, UTM, always_xy=True)
    x, y = back.transform(grid.left + (column + 0.5) * grid.dx, grid.top - (row + 0.5) * grid.dy)
    known = np.isfinite(grid.z)
    assert known.mean() > 0.8
    np.testing.assert_allclose(grid.z[known], ramp(x, y)[known], atol=1e-4)


def test_degrees_are_interpolated(tmp_path):
    there = Transformer.from_crs(UTM, CRS.from_epsg(4269), always_xy=True)
    (left, right), (top, bottom) = there.transform([LEFT, LEFT + 200], [TOP, TOP - 200])
    cell = (right - left) / 100
    rows = int((top - bottom) / cell)
    row, column = np.mgrid[:rows, :100]
    x, y = Transformer.from_crs(CRS.from_epsg(4269), UTM, always_xy=True).transform(
        left + (column + 0.5) * cell, top - (row + 0.5) * cell
    )
    path = write(tmp_path / "dem.tif", left=left, top=top, cell=cell, shape=(rows, 100), z=ramp(x, y), crs="EPSG:4269")
    dem, codes, _ = load(path, z_unit="m")
    assert codes == ["info crs-reprojected", "info z-unit"]
    assert 1.9 < dem.cell < 3
    assert_ramp(dem, tolerance=1e-3)


def test_the_same_crs_written_otherwise_is_the_same(tmp_path):
    path = write(tmp_path / "dem.tif", crs=UTM.to_wkt("WKT1_ESRI"))
    _, codes, _ = load(path, z_unit="m")
    assert codes == ["info z-unit"]


def test_windows_are_the_cells_touched_and_a_pad(tmp_path):
    dem, _, _ = load(write(tmp_path / "dem.tif"), z_unit="m")
    grid = dem.window((LEFT + 51, TOP - 61, LEFT + 55, TOP - 53), pad=2)
    assert grid.z.shape == (5 + 4, 3 + 4)
    assert (grid.left, grid.top, grid.touches) == (LEFT + 46, TOP - 48, False)
    whole = dem.window(dem.bounds, pad=0).z
    np.testing.assert_array_equal(grid.z, whole[24:33, 23:30])
    assert dem.window((LEFT + 2, TOP - 61, LEFT + 55, TOP - 53)).touches
    assert dem.window((0, 0, 10, 10)) is None


def test_samples_are_bilinear_up_to_the_border(tmp_path):
    dem, _, _ = load(write(tmp_path / "dem.tif"), z_unit="m")
    random = np.random.default_rng(0)
    x, y = LEFT + random.uniform(0, 200, 50), TOP - random.uniform(0, 200, 50)
    np.testing.assert_allclose(dem.sample(x, y), ramp(x, y), atol=1e-9)
    assert np.isnan(dem.sample(np.array([LEFT - 1, np.nan]), np.array([TOP - 5, 0.0]))).all()


def test_scaled_integers_and_pickles(tmp_path):
    row, column = np.mgrid[:100, :100]
    z = np.round(ramp(LEFT + (column + 0.5) * 2, TOP - (row + 0.5) * 2) * 100 - 30000).astype(np.int16)
    path = write(tmp_path / "dem.tif", z=z, nodata=-32768)
    with rasterio.open(path, "r+") as file:
        file.scales, file.offsets = (0.01,), (300.0,)
    dem, _, _ = load(path, z_unit="m")
    dem.window(dem.bounds)
    assert_ramp(pickle.loads(pickle.dumps(dem)), tolerance=0.006)


def test_faults_name_the_file_and_come_together(tmp_path):
    with pytest.raises(RasterError, match=r"none\.tif: there is no"):
        load(tmp_path / "none.tif", z_unit="m")
    (tmp_path / "broken.tif").write_bytes(b"II*\0 not a raster")
    with pytest.raises(RasterError, match=r"broken\.tif.*cannot be read"):
        load(tmp_path / "broken.tif", z_unit="m")
    with pytest.raises(RasterError, match=r"(none|broken)\.tif(.|\n)*(none|broken)\.tif"):
        load(tmp_path / "none.tif", tmp_path / "broken.tif", z_unit="m")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"crs": None}, r"no coordinate system(.|\n)*edit-info"),
        ({"transform": rasterio.Affine(2, 0.1, LEFT, 0.1, -2, TOP)}, "turned or mirrored"),
        ({"transform": rasterio.Affine(2, 0, LEFT, 0, 2, TOP)}, "turned or mirrored"),
    ],
)
def test_unfit_rasters_are_refused(tmp_path, more, words):
    path = write(tmp_path / "dem.tif", **more)
    with pytest.raises(RasterError, match=words):
        load(path, z_unit="m")


def test_a_picture_is_no_dem(tmp_path):
    with rasterio.open(
        tmp_path / "rgb.tif",
        "w",
        driver="GTiff",
        height=4,
        width=4,
        count=3,
        dtype="uint8",
        crs="EPSG:26915",
        transform=rasterio.Affine(2, 0, LEFT, 0, -2, TOP),
    ) as file:
        file.write(np.zeros((3, 4, 4), dtype=np.uint8))
    with pytest.raises(RasterError, match=r"rgb\.tif.*3 bands"):
        load(tmp_path / "rgb.tif", z_unit="m")


def test_real_dems(shared):
    iowa = shared / "data" / "dem-ia-3m" / "small_dem_3m_merged.tif"
    with pytest.raises(UnitError, match="z_unit"):
        load(iowa)
    dem, _, _ = load(iowa, z_unit="cm")
    assert 200 < np.nanmean(dem.window(dem.bounds).z) < 400
