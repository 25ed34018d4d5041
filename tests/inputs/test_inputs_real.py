"""The door on real public data, faults and gaps as they came."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import shapely
from drawn import Rule

from wetgeo.errors import ClassError, CrsError, InputError

pytest_plugins = ["site_fixtures"]
pytestmark = pytest.mark.real


@pytest.fixture
def data(shared: Path) -> Path:
    return shared / "data"


def test_bangor_is_the_same_from_state_plane_and_from_longitude_and_latitude(data: Path, read) -> None:
    feet = data / "bangor-me" / "stateplane_ft"
    here = read(
        wetlands=feet / "Wetland.shp",
        parcels=feet / "Parcels.zip",
        soils=feet / "Soils.shp",
        floodplain=feet / "FloodZone.shp",
        natural_communities=feet / "SigEcosystems.shp",
    )
    there = read(wetlands=data / "bangor-me" / "wgs84" / "wetland.geojson", crs="EPSG:26847")
    one, two = here.site.resources, there.site.resources
    assert len(one) == len(two) == 452
    assert one["resource_id"].tolist() == two["resource_id"].tolist()
    assert np.allclose(one.area, two.area, rtol=1e-5)
    apart = shapely.hausdorff_distance(one.geometry.to_numpy(), two.geometry.to_numpy())
    assert apart.max() < 0.01 / (0.3048 * 3937 / 1200)
    repaired = {feature for _, feature, _ in here.told("geometry-repaired")}
    assert sum(feature.startswith("wetlands-") for feature in repaired) == 3
    parcels = here.site.layers["parcels"]
    assert len(parcels) == parcels["parcel_id"].nunique() + int(parcels["parcel_id"].isna().sum())
    for frame in (one, *here.site.layers.values()):
        assert frame.is_valid.all()
        assert not shapely.has_z(frame.geometry.to_numpy()).any()


def test_mecklenburg_has_no_class(data: Path, read) -> None:
    path = data / "mecklenburg-nc" / "wetlands.geojson"
    with pytest.raises(ClassError, match="2,015 features without a class") as caught:
        read(wetlands=path, crs="auto", pack=Rule())
    assert 'defaults.class = "..."' in str(caught.value)
    done = read(wetlands={"path": path, "defaults": {"class": "low 1"}}, crs="auto", pack=Rule())
    assert set(done.site.resources["class"]) == {"Low 1"}
    assert len(done.told("class-default")) == 2015


def test_ottertail_has_no_crs(data: Path, read) -> None:
    folder = data / "ottertail-mn"
    parcels = folder / "ottertail_parcels_clip_4326.zip"
    with pytest.raises(CrsError, match=r'layer parcels .*no CRS(.|\n)*crs = "EPSG:4326"'):
        read(wetlands=folder / "ottertailboundary.zip", parcels=parcels)
    done = read(wetlands=folder / "ottertailboundary.zip", parcels={"path": parcels, "crs": "EPSG:4326"})
    assert len(done.site.layers["parcels"]) == 1563
    assert any("Minnesota parcel standard" in message for _, _, message in done.told("schema-recognised"))


def test_wimauma(data: Path, read) -> None:
    folder = data / "wimauma-fl"
    done = read(
        wetlands=folder / "Wetlands.geojson",
        parcels=folder / "Project.geojson",
        floodplain=folder / "Floodplain.geojson",
        crs="auto",
    )
    assert done.site.crs.to_epsg() == 26917
    assert done.site.layers["floodplain"]["zone"].tolist() == ["AE"]
    assert len(done.site.layers["parcels"]) == 3


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("test_tin.shp", "3D surface"),
        ("line_zm.gpkg", "holds lines; it must hold polygons"),
        ("curve.gpkg", "holds lines; it must hold polygons"),
    ],
)
def test_odd_files_are_refused_with_the_reason(data: Path, read, name: str, why: str) -> None:
    source = {"path": data / "curves-z-odd" / name, **({"crs": "EPSG:4326"} if name.endswith("shp") else {})}
    with pytest.raises(InputError, match=why):
        read(wetlands=source, crs="auto")
