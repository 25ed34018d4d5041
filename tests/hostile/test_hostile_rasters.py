"""Elevation files that are cut short, empty, endless, turned, or no rasters."""

from __future__ import annotations

import itertools
import math
import os
import warnings

import numpy as np
import pytest
import rasterio
from rasterio._err import CPLE_AppDefinedError
from rasterio.errors import CRSError, NotGeoreferencedWarning
from small_site import UTM, X, Y, wetlands, write_dem, write_layer

DEM = 'path = "{}"\nz_unit = "m"'


def lay(folder, name="dem.tif", *, z=None, left=X, top=Y + 300, dx=5.0, dy=5.0, **more):
    """Write a raster of any profile."""
    z = np.full((60, 100), 300, dtype="float32") if z is None else z
    profile = {"driver": "GTiff", "height": z.shape[-2], "width": z.shape[-1], "count": 1, "dtype": z.dtype, "crs": UTM}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(
            folder / name, "w", transform=rasterio.Affine(dx, 0, left, 0, -dy, top), **{**profile, **more}
        ) as file:
            file.write(z if z.ndim == 3 else z[None])
    return name


def vrt(folder, source, *, size=(100, 60), inner="", crs=UTM):
    """Write a VRT by hand."""
    (folder / "dem.vrt").write_text(
        f'<VRTDataset rasterXSize="{size[0]}" rasterYSize="{size[1]}"><SRS>{crs}</SRS>'
        f'<GeoTransform>{X}, 5, 0, {Y + 300}, 0, -5</GeoTransform><VRTRasterBand dataType="Float32" band="1">{inner}'
        f'<SimpleSource><SourceFilename relativeToVRT="1">{source}</SourceFilename><SourceBand>1</SourceBand>'
        f"</SimpleSource></VRTRasterBand></VRTDataset>"
    )
    return "dem.vrt"


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_cut_short(scene, share):
    data = write_dem(scene.folder / "dem.tif").read_bytes()
    (scene.folder / "dem.tif").write_bytes(data[: int(len(data) * share)])
    scene.answered(ids=["W-1", "W-2"], dem=DEM.format("dem.tif"))


def _text(folder):
    (folder / "dem.tif").write_text("elevations")


def _vector(folder):
    write_layer(folder / "w.geojson", wetlands()).rename(folder / "dem.tif")


def _picture(folder):
    (folder / "dem.tif").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))


def _folder(folder):
    (folder / "dem.tif").mkdir()


def _pipe(folder):
    os.mkfifo(folder / "dem.tif")


def _zero(folder):
    (folder / "dem.tif").symlink_to("/dev/zero")


def _circle(folder):
    (folder / "dem.tif").symlink_to("dem.tif")


def _colours(folder):
    lay(folder, z=np.zeros((3, 60, 100), dtype="uint8"), count=3)


def _complex(folder):
    lay(folder, z=np.zeros((60, 100), dtype="complex64"))


def _without_crs(folder):
    lay(folder, crs=None)


def _upside_down(folder):
    lay(folder, dy=-5.0, top=Y)


def _mirrored(folder):
    lay(folder, dx=-5.0, left=X + 500)


def _turned(folder):
    lay(folder)
    with rasterio.open(folder / "dem.tif", "r+") as file:
        file.transform = rasterio.Affine(4, 1, X, 1, -4, Y + 300)


def _without_place(folder):
    lay(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(folder / "dem.tif", "r+") as file:
            file.transform = rasterio.Affine.identity()


def _not_measuring(folder):
    lay(folder, z=np.full((60, 100), 1e7, dtype="float32"))


def _nowhere(folder):
    lay(folder, crs="+proj=tmerc +lat_0=0 +lon_0=-93 +k=1 +datum=NAD83 +units=m", left=1e30)


def _nowhere_north(folder):
    lay(folder, crs="+proj=tmerc +lat_0=0 +lon_0=0 +k=0.9996 +x_0=500000 +datum=NAD83 +units=m", top=9e40)


REFUSED = [
    _text, _vector, _picture, _folder, _pipe, _zero, _circle, _colours, _complex, _without_crs, _upside_down, _mirrored,
    _turned, _without_place, _not_measuring, _nowhere, _nowhere_north,
]  # fmt: skip


@pytest.mark.parametrize("make", REFUSED, ids=lambda make: make.__name__.strip("_"))
def test_what_is_no_dem_is_refused(scene, make):
    make(scene.folder)
    scene.refused("dem.tif", dem=DEM.format("dem.tif"))


VALUES = {
    "nan": np.full((60, 100), np.nan, dtype="float32"),
    "infinite": np.full((60, 100), np.inf, dtype="float32"),
    "float-limits": np.full((60, 100), -3.4e38, dtype="float32"),
    "half-infinite": np.where(np.arange(100) % 2, np.inf, 300 + np.zeros((60, 100))).astype("float32"),
    "one-cell": np.full((1, 1), 300, dtype="float32"),
    "one-row": np.full((1, 100), 300, dtype="float32"),
    "bytes": np.full((60, 100), 200, dtype="uint8"),
    "integers": np.full((60, 100), -32768, dtype="int16"),
    "doubles": np.full((60, 100), 300.123456789, dtype="float64"),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_that_are_odd(scene, name):
    lay(scene.folder, z=VALUES[name])
    scene.answered(ids=["W-1", "W-2"], dem=DEM.format("dem.tif"))


@pytest.mark.parametrize(
    ("scale", "offset"), [(0.0, 0.0), (math.nan, 0.0), (math.inf, 1.0), (1.0, math.nan), (-1.0, 600.0)]
)
def test_scales_that_are_odd(scene, scale, offset):
    lay(scene.folder)
    with rasterio.open(scene.folder / "dem.tif", "r+") as file:
        file.scales, file.offsets = (scale,), (offset,)
    scene.answered(ids=["W-1", "W-2"], dem=DEM.format("dem.tif"))


@pytest.mark.parametrize("cell", [1e-9, 1e-4, 1e5, 1e12])
def test_cells_of_odd_sizes(scene, cell):
    lay(scene.folder, dx=cell, dy=cell, left=X + 120, top=Y + 120 + 60 * cell)
    scene.answered(ids=["W-1", "W-2"], dem=DEM.format("dem.tif"))


def test_a_place_that_is_no_number(scene):
    lay(scene.folder)
    with rasterio.open(scene.folder / "dem.tif", "r+") as file:
        file.transform = rasterio.Affine(math.nan, 0, X, 0, -5, math.inf)
    scene.answered(ids=["W-1", "W-2"], dem=DEM.format("dem.tif"))


class TestVirtualRasters:
    """VRTs that point to nothing, to themselves, or to very much."""

    @pytest.mark.parametrize("source", ["gone.tif", "dem.vrt", "", "../../../../etc/passwd", "/dev/zero", "x" * 5000])
    def test_sources(self, scene, source):
        scene.answered(ids=["W-1", "W-2"], dem=DEM.format(vrt(scene.folder, source)))

    def test_a_source_in_the_net_is_not_fetched(self, scene):
        scene.answered(ids=["W-1", "W-2"], dem=DEM.format(vrt(scene.folder, "/vsicurl/http://127.0.0.1:9/dem.tif")))

    def test_two_that_point_to_each_other(self, scene):
        text = (scene.folder / vrt(scene.folder, "other.vrt")).read_text()
        (scene.folder / "other.vrt").write_text(text.replace("other.vrt", "dem.vrt"))
        scene.answered(ids=["W-1", "W-2"], dem=DEM.format("dem.vrt"))

    @pytest.mark.parametrize("size", [(0, 0), (-5, 60), (2_000_000_000, 2_000_000_000), (100_000, 100_000)])
    def test_sizes(self, scene, size):
        write_dem(scene.folder / "dem.tif")
        scene.answered(ids=["W-1", "W-2"], dem=DEM.format(vrt(scene.folder, "dem.tif", size=size)))

    @pytest.mark.parametrize("crs", ["rubbish", "EPSG:0", "EPSG:5703", "LOCAL_CS[&quot;x&quot;]", "EPSG:4978", "{"])
    def test_systems(self, scene, crs):
        write_dem(scene.folder / "dem.tif")
        scene.refused("dem.vrt", dem=DEM.format(vrt(scene.folder, "dem.tif", crs=crs)))

    def test_tags_that_gdal_quotes_in_half(self, scene):
        # GDAL cuts its complaint amid a character, and rasterio cannot decode what is left of it
        text = (scene.folder / vrt(scene.folder, "dem.tif")).read_text()
        for tag in ("\U0001f427Sour{d", "aa\U0001f427Sour{d", "é" * 40, "x" * 40 + "\U0001f427" * 9):
            (scene.folder / "dem.vrt").write_text(text.replace("<SourceBand>", f"<{tag}>"), encoding="utf-8")
            scene.refused("dem.vrt", dem=DEM.format("dem.vrt"))

    def test_entities_that_multiply(self, scene):
        names = [f"e{number}" for number in range(12)]
        lines = [f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in itertools.pairwise(names)]
        text = (scene.folder / vrt(scene.folder, "&e11;")).read_text()
        (scene.folder / "dem.vrt").write_text(f'<!DOCTYPE x [<!ENTITY e0 "lol">{"".join(lines)}]>{text}')
        scene.answered(ids=["W-1", "W-2"], dem=DEM.format("dem.vrt"))


class TestTiles:
    """Several files that do not fit each other."""

    def test_the_same_file_many_times(self, scene):
        write_dem(scene.folder / "dem.tif")
        listed = ", ".join(['"dem.tif"'] * 200)
        scene.done(dem=f'path = [{listed}]\nz_unit = "m"')

    def test_all_faults_at_once(self, scene):
        _text(scene.folder)
        write_dem(scene.folder / "good.tif")
        scene.refused("dem.tif", "gone.tif", dem='path = ["good.tif", "dem.tif", "gone.tif"]\nz_unit = "m"')

    def test_one_of_them_on_the_other_side_of_the_earth(self, scene):
        write_dem(scene.folder / "dem.tif")
        lay(scene.folder, "far.tif", left=-1e7, top=-4e6)
        scene.answered(ids=["W-1", "W-2"], dem='path = ["dem.tif", "far.tif"]\nz_unit = "m"')

    @pytest.mark.parametrize(
        "line", ["ncols 99999999\nnrows 99999999", "ncols -1\nnrows x", "ncols 2\nnrows 2\ncellsize nan"]
    )
    def test_text_grids(self, scene, line):
        (scene.folder / "dem.asc").write_text(f"{line}\nxllcorner 0\nyllcorner 0\n1 2 3\n")
        scene.refused("dem.asc", dem=DEM.format("dem.asc"))


@pytest.mark.parametrize(
    "complaint",
    [CRSError("The WKT could not be parsed"), CPLE_AppDefinedError(3, 1, "PROJ: cannot convert value to target unit")],
    ids=["rasterio", "GDAL"],
)
@pytest.mark.parametrize("when", ["opened", "asked"])
def test_a_coordinate_system_that_gdal_chokes_on(scene, monkeypatch, complaint, when):
    lay(scene.folder)

    class Choking:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def __getattr__(self, name):
            if name == "crs":
                raise complaint
            return getattr(self.file, name)

    real = rasterio.open

    def choking(path, *words, **more):
        if when == "opened":
            raise complaint
        return Choking(real(path, *words, **more))

    monkeypatch.setattr(rasterio, "open", choking)
    scene.refused("dem.tif", str(complaint), dem=DEM.format("dem.tif"))
