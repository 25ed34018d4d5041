"""Impacts and screening of a real city: 20 parcel outlines of Bangor as disturbance, by a second route."""

from __future__ import annotations

import dataclasses
import datetime

import geopandas as gpd
import numpy as np
import pyogrio
import pytest
import rasterio
import richdem
import shapely
from rasterio.features import rasterize

from wetgeo.findings import Findings
from wetgeo.impacts import Disturbance
from wetgeo.inputs.build import build_site
from wetgeo.kernels.unions import union_parts
from wetgeo.permitting import measure_impacts
from wetgeo.project import DemSource, LayerSource, Project
from wetgeo.rules.load import load_pack
from wetgeo.ruling import Ruling
from wetgeo.screening import triggers_layer
from wetgeo.tributary import near_waters, tributary_area

pytestmark = pytest.mark.real

CAUSES = ("fill", "drain", "excavate", "temporary")
#: square feet (international) in a square unit of the CRS, the US survey foot
SQFT = (1200 / 3937 / 0.3048) ** 2


@pytest.fixture(scope="module")
def feet(shared):
    return shared / "data" / "bangor-me" / "stateplane_ft"


@pytest.fixture(scope="module")
def work(feet, tmp_path_factory):
    """Twenty parcels that hold wetland, drawn by lot, each cause five times."""
    parcels = gpd.read_file(f"zip://{feet / 'Parcels.zip'}").geometry.make_valid()
    wetlands = gpd.read_file(feet / "Wetland.shp").geometry.make_valid()
    holding = np.unique(shapely.STRtree(wetlands.to_numpy()).query(parcels.to_numpy(), predicate="intersects")[0])
    drawn = np.sort(np.random.default_rng(9).choice(holding, 20, replace=False))
    path = tmp_path_factory.mktemp("bangor") / "work.gpkg"
    frame = gpd.GeoDataFrame({"cause": CAUSES * 5}, geometry=parcels.iloc[drawn].to_numpy(), crs=parcels.crs)
    frame.to_file(path, layer="work")
    return path


def project(feet, folder, rule, **layers):
    sources = {"wetlands": LayerSource(name="wetlands", path=feet / "Wetland.shp", **layers)}
    sources["streams"] = LayerSource(name="streams", path=feet / "Stream.shp")
    return Project(
        path=folder / "wetgeo.toml",
        name="Bangor",
        rule=rule,
        crs="EPSG:26847",
        date=datetime.date(2026, 6, 1),
        output=folder / "out",
        layers=sources,
        dem=DemSource(paths=(next((feet.parent / "derived").glob("*.tif")),), z_unit="ft"),
    )


#: what is disturbed by some causes, from the layers as the city gives them; 75 ft around all wetlands and streams
GROUNDS = {
    "wetland": "SELECT ST_Union(geom) FROM wetlands",
    "buffer": (
        "SELECT ST_Difference(ST_Buffer(ST_Union(geom), {reach}, 90), ST_Union(geom)) "
        "FROM (SELECT geom FROM wetlands UNION ALL SELECT geom FROM streams)"
    ),
}


def by_sql(path, causes):
    """Buffer and overlay by SpatiaLite: square feet of wetland and of buffer that some causes disturb."""
    listed = ", ".join(f"'{cause}'" for cause in causes)
    areas = {}
    for kind, ground in GROUNDS.items():
        sql = (
            f"SELECT ST_Area(ST_Intersection(({ground.format(reach=75 * 0.3048 * 3937 / 1200)}), "
            f"(SELECT ST_Union(geom) FROM work WHERE cause IN ({listed})))) AS area"
        )
        areas[kind] = pyogrio.read_dataframe(path, sql=sql, sql_dialect="SQLITE")["area"].iloc[0] * SQFT
    return areas


def test_totals_are_those_of_sql(feet, work, tmp_path) -> None:
    site = project(feet, tmp_path, "cmscwd-2009-draft", defaults={"class": "2"})
    found = measure_impacts(dataclasses.replace(site, dem=None), f"{work}|work")
    impacts = found.layers["impacts"]
    disturbed = gpd.read_file(work)
    path = tmp_path / "route.gpkg"
    disturbed.to_file(path, layer="work")
    around = disturbed.union_all().buffer(200)
    for name in ("Wetland", "Stream"):
        shapes = gpd.read_file(feet / f"{name}.shp").geometry.make_valid()
        shapes[shapes.intersects(around)].to_file(path, layer=f"{name.lower()}s")
    # some of the outlines overlap: ground of an earlier cause is not counted for a later one
    ordered = ("drain", "excavate", "fill", "temporary")
    for count in range(1, 5):
        own = impacts[impacts["cause"].isin(ordered[:count])].groupby("kind")["area_sqft"].sum()
        other = by_sql(path, ordered[:count])
        assert own["wetland"] == pytest.approx(other["wetland"], rel=1e-6)
        # both draw arcs by chords, of other lengths
        assert own["buffer"] == pytest.approx(other["buffer"], rel=1e-4)
    owed = impacts.loc[(impacts["kind"] == "wetland") & (impacts["cause"] != "temporary"), "area_sqft"].sum()
    assert impacts.loc[impacts["kind"] == "wetland", "replacement_sqft"].sum() == pytest.approx(4 * owed, rel=1e-9)
    whole = impacts.loc[impacts["kind"] == "wetland", "area_sqft"].sum()
    assert (whole, owed) == pytest.approx((279_244.64, 234_715.03), abs=0.1)  # as PostGIS 3.3 has them


@pytest.fixture(scope="module")
def built(feet, tmp_path_factory):
    """The site, the rule and the findings."""
    findings = Findings()
    given = project(feet, tmp_path_factory.mktemp("built"), "cmscwd-2009-draft", defaults={"class": "2"})
    ruling = Ruling.of(load_pack(given.rule), {}, given.date, findings)
    return build_site(given, ruling.pack, findings), ruling, findings


class Descent:
    """Steepest descent from cell to neighbouring cell over a DEM that richdem has filled; waters by their number."""

    def __init__(self, path, waters):
        with rasterio.open(path) as dem:
            self.transform, z, void = dem.transform, dem.read(1).astype(float), dem.nodata
            self.cell = abs(dem.res[0] * dem.res[1])
        self.shape = z.shape
        self.z = np.asarray(richdem.FillDepressions(richdem.rdarray(z, no_data=void), epsilon=True))
        self.z[z == void] = -np.inf
        self.water = self.drawn([(shape, number + 1) for number, shape in enumerate(waters)], all_touched=True)

    def drawn(self, shapes, **how):
        return rasterize(shapes, out_shape=self.shape, transform=self.transform, fill=0, dtype="int32", **how)

    def reaches(self, row, column, number):
        while self.water[row, column] != number:
            around = self.z[row - 1 : row + 2, column - 1 : column + 2]
            if around.shape != (3, 3) or np.isinf(around).any():
                return False
            fall = (self.z[row, column] - around) / np.hypot(*np.mgrid[-1:2, -1:2]).clip(0.1)
            if fall.max() <= 0:
                return False
            down = np.unravel_index(fall.argmax(), (3, 3))
            row, column = row + down[0] - 1, column + down[1] - 1
        return True


def test_the_same_ground_is_tributary_by_another_flow_routing(feet, work, built) -> None:
    """Of the outlines, the same are within 1,000 ft of streams and tributary to them; areas are in whole cells."""
    site, _, _ = built
    waters = union_parts(site.resources.geometry[site.resources["resource_type"] == "stream"])
    descent = Descent(next((feet.parent / "derived").glob("*.tif")), waters)
    parts = [part for part in gpd.read_file(work).geometry.explode() if part.geom_type == "Polygon"]
    ours, theirs = [], []
    for part in parts:
        near = near_waters(site, [part], waters, 1000.0)
        ours.append(tributary_area(site, near, waters).tributary)
        shed = np.zeros(descent.shape, dtype=bool)
        for number, piece in enumerate(near[0], 1):
            if not piece.is_empty:
                cells = np.argwhere(descent.drawn([(piece, 1)]))
                shed[tuple(np.array([c for c in cells if descent.reaches(*c, number)], dtype=int).reshape(-1, 2).T)] = 1
        theirs.append(shed.sum() * descent.cell * SQFT)
    assert [area > 0 for area in ours] == [area > 0 for area in theirs]
    assert sum(ours) == pytest.approx(sum(theirs), rel=0.02)
    assert sum(ours) == pytest.approx(707_707, rel=1e-3)


def test_streams_as_public_waters(work, built) -> None:
    site, ruling, findings = built
    frame = gpd.read_file(work)[["cause", "geometry"]]
    disturbance = Disturbance.of(frame.assign(feature_id="w"), site, ruling, findings)
    rows = triggers_layer(site, ruling, disturbance, findings).set_index("provision")
    sql = "SELECT ST_Area(ST_Union(geom)) AS area FROM work"
    area = pyogrio.read_dataframe(work, sql=sql, sql_dialect="SQLITE")["area"].iloc[0] * SQFT
    assert rows.loc["erosion-acre", "measured"] == pytest.approx(area, rel=1e-9)
    assert area == pytest.approx(7_218_238.0, abs=0.1)  # as PostGIS 3.3 has it
    assert rows.loc["erosion-near", "applies"] == "yes"
    assert rows.loc["erosion-notice", "applies"] == "no"
