"""`import wetgeo` as a library: the same numbers as the command line, from frames, and examples that run."""

from __future__ import annotations

import datetime
import doctest
import inspect
import re
import subprocess
import sys

import geopandas as gpd
import numpy as np
import pyogrio
import pytest
import rasterio
import shapely
from places import ROOT

import wetgeo
import wetgeo.api
import wetgeo.given
import wetgeo.result
from wetgeo.errors import OutputError, ProjectError, RasterError
from wetgeo.site import FIELD_ROLES, RATINGS

SAMPLES = ROOT / "data_samples"
SITE = SAMPLES / "site.gpkg"


@pytest.fixture(scope="module")
def frames():
    """The layers of data_samples/mcwd.toml, as frames."""
    names = ("lakes", "streams", "tract", "parcels", "soils", "existing_impervious", "trails", "public_land")
    found = {name: pyogrio.read_dataframe(SITE, layer=name) for name in names}
    found["wetlands"] = pyogrio.read_dataframe(SITE, layer="wetlands", where="STATUS = 'delineated'")
    return found


FIELDS = {
    "wetlands": {"id": "WET_ID", "class": "MGMT_CLASS"},
    "lakes": {"id": "LAKE_ID"},
    "streams": {"id": "STREAM_ID", "bank_width_ft": "BANK_FT"},
    "parcels": {"id": "PIN"},
    "soils": {"hsg": "HYDGRP", "mukey": "MUKEY"},
    "trails": {"width_ft": "WIDTH_FT"},
}


def made(frames, dem=SAMPLES / "dem.tif", **more):
    order = (
        "wetlands",
        "lakes",
        "streams",
        "tract",
        "parcels",
        "soils",
        "existing_impervious",
        "trails",
        "public_land",
    )
    return wetgeo.make_project(
        rule="mcwd-2024",
        crs="EPSG:26915",
        date=datetime.date(2026, 6, 1),
        options={"reductions": "both"},
        fields=FIELDS,
        dem=dem,
        **{name: frames[name] for name in order},
        **more,
    )


def assert_same(one, other, names=("resources", "buffers", "buffer_union", "edges", "monuments", "parcels", "reasons")):
    for name in names:
        mine, theirs = one[name], other[name]
        assert list(mine.columns) == list(theirs.columns), name
        assert len(mine) == len(theirs), name
        for column in mine.columns:
            if column == "geometry":
                assert shapely.equals_exact(mine.geometry.to_numpy(), theirs.geometry.to_numpy(), 0).all(), name
            else:
                assert [str(v) for v in mine[column]] == [str(v) for v in theirs[column]], (name, column)


@pytest.fixture(scope="module")
def command_line():
    return wetgeo.delineate(wetgeo.load_project(SAMPLES / "mcwd.toml"))


def test_frames_give_the_numbers_of_the_command_line(frames, command_line, tmp_path, run_wetgeo):
    before = {name: frame.copy() for name, frame in frames.items()}
    result = wetgeo.delineate(made(frames))
    assert_same(result, command_line)
    for name, frame in frames.items():
        assert frame.equals(before[name]), name
    # and the files of the command line hold the same
    project = tmp_path / "mcwd.toml"
    text = (SAMPLES / "mcwd.toml").read_text().replace('"site.gpkg"', f'"{SITE}"')
    project.write_text(text.replace('"dem.tif"', f'"{SAMPLES / "dem.tif"}"') + '\n[outputs]\nformats = ["gpkg"]\n')
    assert run_wetgeo("run", project, "-o", tmp_path / "out").code == 0
    written = pyogrio.read_dataframe(tmp_path / "out" / "buffers.gpkg", layer="buffers")
    assert np.array_equal(written["width_ft"], result["buffers"]["width_ft"])
    assert np.array_equal(written["area_sqft"], result["buffers"]["area_sqft"])
    assert written["resource_id"].tolist() == result["buffers"]["resource_id"].tolist()
    assert shapely.equals(written.geometry.to_numpy(), result["buffers"].geometry.to_numpy()).all()


def test_elevations_as_an_array(frames, command_line):
    with rasterio.open(SAMPLES / "dem.tif") as file:
        z = np.ma.filled(file.read(1, masked=True).astype(float), np.nan)
        transform = file.transform
    result = wetgeo.delineate(made(frames, dem=(z, transform), z_unit="m"))
    assert_same(result, command_line, ("buffers", "monuments"))


def test_the_story_of_a_width_and_the_files(command_line, tmp_path, run_wetgeo):
    files = command_line.write(tmp_path / "out", ["gpkg", "csv"])
    assert {"buffers.gpkg", "monuments.csv", "provenance.json"} <= {path.name for path in files}
    assert run_wetgeo("explain", tmp_path / "out", "W-2").out.strip() == command_line.explain("W-2")
    with pytest.raises(OutputError, match="overwrite"):
        command_line.write(tmp_path / "out", ["gpkg"])
    with pytest.raises(OutputError, match="no resource 'W-99'"):
        command_line.explain("W-99")
    with pytest.raises(ValueError, match="'gpgk'"):
        command_line.write(tmp_path / "out", ["gpgk"])
    with pytest.raises(KeyError, match="did you mean 'buffers'"):
        command_line["bufers"]


@pytest.fixture(scope="module")
def pond():
    return gpd.GeoDataFrame(
        {"id": ["W-1"], "class": ["Manage 1"]}, geometry=[shapely.box(500000, 4980000, 500060, 4980040)], crs=26915
    )


class TestPermits:
    """Averaging, impacts and screening on one wetland; the figures are closed forms."""

    FT = 0.3048

    def test_check_and_design(self, pond, tmp_path):
        project = wetgeo.make_project(wetlands=pond, rule="mcwd-2024")
        wide = gpd.GeoDataFrame(geometry=pond.buffer(40 * self.FT + 1), crs=26915)
        narrow = gpd.GeoDataFrame(geometry=pond.buffer(19 * self.FT), crs=26915)
        assert wetgeo.check_averaging(project, wide).complies is True
        judged = wetgeo.check_averaging(project, narrow)
        assert judged.complies is False
        # base 40 ft, minimum 50 % of it
        assert judged["averaging"]["verdict"].tolist() == ["too_narrow"]
        assert judged["averaging"]["minimum_ft"].iloc[0] == pytest.approx(19, abs=0.05)
        house = gpd.GeoDataFrame(geometry=[shapely.box(500065, 4980000, 500100, 4980040)], crs=26915)
        designed = wetgeo.design_averaging(project, house)
        assert not shapely.intersects(designed["proposed"].geometry.to_numpy(), house.geometry[0].buffer(-0.01)).any()
        narrow.to_file(tmp_path / "narrow.gpkg")
        from_file = wetgeo.check_averaging(project, str(tmp_path / "narrow.gpkg"))
        assert_same(judged, from_file, ("averaging", "violations"))

    def test_impacts_and_screening(self, pond):
        project = wetgeo.make_project(wetlands=pond, rule="mcwd-2024")
        fill = gpd.GeoDataFrame(geometry=[shapely.box(500000, 4980000, 500010, 4980010)], crs=26915)
        found = wetgeo.measure_impacts(project, fill, cause="fill")["impacts"]
        wetland = found[found["kind"] == "wetland"].iloc[0]
        assert wetland["area_sqft"] == pytest.approx(100 / self.FT**2)
        # 3(b): two to one
        assert wetland["replacement_sqft"] == pytest.approx(200 / self.FT**2)
        triggers = wetgeo.screen(project, fill, cause="fill")["triggers"]
        assert set(triggers["applies"]) <= {"yes", "no", "undecided"}
        assert len(triggers)


class TestWhatIsWrong:
    """What a program gives wrongly is told as the command line would."""

    def test_layers_and_roles(self, pond):
        with pytest.raises(ProjectError, match=r"'wetland' is no layer of a project \(did you mean wetlands\?\)"):
            wetgeo.required_buffers(wetland=pond, rule="mcwd-2024")
        with pytest.raises(ProjectError, match=r"'clas' is no role of it \(did you mean class\?\)"):
            wetgeo.required_buffers(wetlands=pond, rule="mcwd-2024", fields={"wetlands": {"clas": "class"}})
        with pytest.raises(ProjectError, match="parcels is no GeoDataFrame, but a list"):
            wetgeo.required_buffers(wetlands=pond, parcels=[], rule="mcwd-2024")
        project = wetgeo.make_project(wetlands=pond, rule="mcwd-2024", date="2026-06-01")
        assert project.date == datetime.date(2026, 6, 1)
        with pytest.raises(ProjectError, match="date '1 June' is no date"):
            wetgeo.make_project(wetlands=pond, rule="mcwd-2024", date="1 June")
        with pytest.raises(ProjectError, match="which is not given"):
            wetgeo.make_project(wetlands=pond, rule="mcwd-2024", defaults={"soils": {"hsg": "D"}})

    def test_a_frame_without_crs(self, pond):
        with pytest.raises(wetgeo.errors.CrsError, match="has no CRS"):
            wetgeo.required_buffers(wetlands=pond.set_crs(None, allow_override=True), rule="mcwd-2024")

    def test_elevations(self, pond):
        with pytest.raises(RasterError, match="3 dimensions"):
            wetgeo.make_project(wetlands=pond, rule="mcwd-2024", dem=(np.zeros((2, 2, 2)), (1, 0, 0, 0, -1, 0)))
        with pytest.raises(RasterError, match=r"give \(array, transform\)"):
            wetgeo.make_project(wetlands=pond, rule="mcwd-2024", dem=np.zeros((9, 9)))
        with pytest.raises(RasterError, match="array, which does not tell its vertical unit"):
            wetgeo.required_buffers(
                wetlands=pond, rule="mcwd-2024", dem=(np.zeros((9, 9)), (10, 0, 5e5, 0, -10, 4980060))
            )

    @pytest.mark.parametrize(
        ("change", "mend"),
        [
            ({"zunit": "m"}, "did you mean z_unit"),
            ({"lakes": "lakes.gpkg"}, r"geopandas\.read_file\('lakes\.gpkg'\)"),
            ({"crs": "EPSG:4326"}, 'give crs="EPSG:26915"'),
            ({"dem": "nosuch.tif"}, "correct dem$"),
            ({"fields": {"wetlands": {"class": "KLASS"}}}, r'mend fields\["wetlands"\]'),
            ({"values": {"wetlands": {"class": {"Manage 1": "M"}}}}, r'values=\{"wetlands": \{"class": \{"'),
        ],
    )
    def test_mends_are_in_pythons_terms(self, pond, change, mend):
        with pytest.raises(wetgeo.errors.WetgeoError, match=mend) as told:
            wetgeo.required_buffers(wetlands=pond, rule="mcwd-2024", **change)
        assert not any(word in str(told.value) for word in ("[layers", "[project]", "[dem]", "--", "project file"))

    def test_sources_and_options(self, pond, tmp_path):
        project = wetgeo.make_project(wetlands=pond, rule="mcwd-2024")
        with pytest.raises(wetgeo.errors.UsageError, match='"uniform", "near", or polygons'):
            wetgeo.design_averaging(project, pond, prefer="far")
        with pytest.raises(wetgeo.errors.InputError, match='give field="FIELD", or cause="CAUSE"'):
            wetgeo.measure_impacts(project, pond[["geometry"]])
        with pytest.raises(wetgeo.errors.CrsError, match=r'`proposed\.set_crs\("EPSG:'):
            wetgeo.check_averaging(project, pond.set_crs(None, allow_override=True))
        with pytest.raises(TypeError, match="make_project"):
            wetgeo.delineate("x")
        with pytest.raises(TypeError, match="proposed is a list"):
            wetgeo.check_averaging(project, [1])
        wide = gpd.GeoDataFrame(geometry=pond.buffer(15), crs=26915)
        one = wetgeo.check_averaging(project, wide, resources="W-1")
        assert one["averaging"]["resource_id"].tolist() == ["W-1"]
        one.write(tmp_path / "out", "gpkg")
        with pytest.raises(OutputError, match="overwrite=True"):
            one.write(tmp_path / "out", "gpkg")


def test_help_tells_every_layer_and_its_roles():
    table = inspect.getdoc(wetgeo.required_buffers)
    for layer, roles in FIELD_ROLES.items():
        line = next(line for line in table.splitlines() if line.strip().startswith(f"``{layer}``"))
        told = set(re.findall(r"[a-z_]+", line))
        assert set(roles) - set(RATINGS) <= told, layer


def test_the_public_names():
    assert set(wetgeo.api.__all__) == set(wetgeo.__all__) - {"__version__"}
    assert set(wetgeo.__all__) <= set(dir(wetgeo))
    for name in wetgeo.__all__:
        assert getattr(wetgeo, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'required_bufers'"):
        _ = wetgeo.required_bufers


def test_examples_in_the_docstrings_run():
    of_steps, of_layers = doctest.testmod(wetgeo.api), doctest.testmod(wetgeo.given)
    of_results = doctest.testmod(wetgeo.result)
    assert of_steps.attempted > 10
    assert of_layers.attempted >= 4
    assert of_results.attempted >= 4
    assert (of_steps.failed, of_layers.failed, of_results.failed) == (0, 0, 0)


def test_import_stays_light():
    code = "import sys, wetgeo; dir(wetgeo); print(*{name.partition('.')[0] for name in sys.modules})"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"numpy", "geopandas", "shapely", "rasterio", "pydantic"} & set(out.split())
