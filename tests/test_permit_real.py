"""Impacts and screening of a real city: 20 parcel outlines of Bangor as disturbance, by a second route."""

from __future__ import annotations

import dataclasses
import datetime

import geopandas as gpd
import numpy as np
import pyogrio
import pytest
import shapely

from wetgeo.findings import Findings
from wetgeo.impacts import Disturbance
from wetgeo.inputs.build import build_site
from wetgeo.permitting import measure_impacts
from wetgeo.project import DemSource, LayerSource, Project
from wetgeo.rules.load import load_pack
from wetgeo.ruling import Ruling
from wetgeo.screening import triggers_layer

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


def by_sql(path, causes):
    """Add up by SpatiaLite's own overlay: wetland and buffer under the disturbance of some causes, square units."""
    areas = []
    listed = ", ".join(f"'{cause}'" for cause in causes)
    for layer in ("wetlands", "buffers"):
        sql = (
            f"SELECT ST_Area(ST_Intersection((SELECT ST_Union(geom) FROM {layer}), "
            f"(SELECT ST_Union(geom) FROM work WHERE cause IN ({listed})))) AS area"
        )
        areas.append(pyogrio.read_dataframe(path, sql=sql, sql_dialect="SQLITE")["area"].iloc[0])
    return areas


def test_totals_are_those_of_sql(feet, work, tmp_path) -> None:
    site = project(feet, tmp_path, "cmscwd-2009-draft", defaults={"class": "2"})
    found = measure_impacts(dataclasses.replace(site, dem=None), f"{work}|work")
    impacts = found.layers["impacts"]
    wetlands = gpd.read_file(feet / "Wetland.shp")
    wetlands = wetlands.set_geometry(wetlands.geometry.make_valid())[["geometry"]]
    path = tmp_path / "route.gpkg"
    wetlands.to_file(path, layer="wetlands")
    gpd.GeoDataFrame(found.layers["buffers"][["resource_id", "geometry"]]).to_file(path, layer="buffers")
    gpd.read_file(work).to_file(path, layer="work")
    # some of the outlines overlap: ground of an earlier cause is not counted for a later one
    ordered = ("drain", "excavate", "fill", "temporary")
    for count in range(1, 5):
        own = impacts[impacts["cause"].isin(ordered[:count])].groupby("kind")["area_sqft"].sum()
        wet, upland = by_sql(path, ordered[:count])
        assert own["wetland"] == pytest.approx(wet * SQFT, rel=1e-6)
        assert own["buffer"] == pytest.approx(upland * SQFT, rel=1e-6)
    owed = impacts.loc[(impacts["kind"] == "wetland") & (impacts["cause"] != "temporary"), "area_sqft"].sum()
    assert impacts.loc[impacts["kind"] == "wetland", "replacement_sqft"].sum() == pytest.approx(4 * owed, rel=1e-9)


def test_streams_as_public_waters(feet, work, tmp_path) -> None:
    findings = Findings()
    given = project(feet, tmp_path, "cmscwd-2009-draft", defaults={"class": "2"})
    ruling = Ruling.of(load_pack(given.rule), {}, given.date, findings)
    site = build_site(given, ruling.pack, findings)
    frame = gpd.read_file(work)[["cause", "geometry"]]
    disturbance = Disturbance.of(frame.assign(feature_id="w"), site, ruling, findings)
    rows = triggers_layer(site, ruling, disturbance, findings).set_index("provision")
    assert rows.loc["erosion-acre", "measured"] == pytest.approx(frame.union_all().area * SQFT, rel=1e-9)
    assert rows.loc["erosion-near", "applies"] == "yes"
    assert rows.loc["erosion-notice", "applies"] == "no"
