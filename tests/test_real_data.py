"""Whole runs on real public data, faults and gaps as they came."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import bangor
import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from worlds import outputs

pytestmark = pytest.mark.real

FORMATS = '\n[outputs]\nformats = ["gpkg", "shp"]\n'


@pytest.fixture
def data(shared: Path) -> Path:
    return shared / "data"


@pytest.fixture
def run(run_wetgeo, tmp_path):
    """Run the text of a project file; the layers that come out."""

    def go(text, *, name="project"):
        folder = tmp_path / name
        folder.mkdir()
        path = folder / "wetgeo.toml"
        path.write_text(text + FORMATS, encoding="utf-8")
        return outputs(run_wetgeo, path)

    return go


def told(layers, code):
    """Findings of a code: feature ids and messages."""
    rows = layers["findings"]
    return rows[rows["code"] == code]


def assert_same(one, other, *, layers=("resources", "buffers", "zones", "parcels", "buffer_union")):
    """Same rows, same widths, areas to 1e-5, whatever CRS the inputs came in."""
    for name in layers:
        mine, theirs = one[name], other[name]
        keys = [key for key in ("resource_id", "zone", "parcel_id") if key in mine]
        assert len(mine) == len(theirs), name
        for key in keys:
            assert mine[key].equals(theirs[key]), name
        for column in ("width_ft", "base_ft", "minimum_ft"):
            if column in mine:
                assert mine[column].equals(theirs[column]), (name, column)
        for column in ("area_sqft", "buffer_sqft"):
            if column in mine:
                assert np.allclose(mine[column], theirs[column], rtol=1e-5, atol=1e-3), (name, column)
        # what they do not share is thinner than a hundredth of a foot all along the outline
        ours, others = mine.geometry.to_numpy(), theirs.geometry.to_numpy()
        unshared = shapely.area(shapely.symmetric_difference(ours, others))
        assert (unshared <= 0.01 * shapely.length(shapely.boundary(ours))).all(), name


class TestBangor:
    """A whole city, from State Plane shapefiles in US survey feet and from longitude and latitude."""

    @pytest.mark.slow
    def test_rule_m_around_452_wetlands(self, data, run):
        degrees = data / "bangor-me" / "wgs84"
        one = run(bangor.rule_m(data), name="feet")
        moved = {"wetlands": degrees / "wetland.geojson", "watercourses": degrees / "streams.geojson"}
        two = run(bangor.rule_m(data, **moved), name="degrees")
        assert_same(one, two)
        assert len(one["resources"]) == 452
        buffers = one["buffers"].set_index("resource_id")
        assert set(buffers["width_ft"]) == {50}
        assert set(buffers["minimum_ft"]) == {25}
        without = set(one["resources"]["resource_id"]) - set(buffers.index)
        assert without == set(told(one, "buffer-none")["feature_id"])
        # the union against one overlay of its own: rings of all wetlands, less all wetlands
        wetlands = one["resources"].geometry.to_numpy()
        feet_50 = 50 * 0.3048 * 3937 / 1200
        water = shapely.union_all(wetlands)
        ground = shapely.difference(shapely.union_all(shapely.buffer(wetlands, feet_50, quad_segs=64)), water)
        assert one["buffer_union"]["area_sqft"].sum() == pytest.approx(
            ground.area / (3937 / 1200 * 0.3048) ** 2, rel=1e-4
        )
        # a lot may come in pieces, which are one parcel: those that a spatial join finds
        lots = gpd.read_file(bangor.feet(data) / "Parcels.zip").to_crs(one["buffer_union"].crs)
        touched = gpd.sjoin(lots, one["buffer_union"][["geometry"]], predicate="intersects")
        named = {name for name in one["parcels"]["parcel_id"] if not name.startswith("parcels-")}
        assert named <= set(touched["MAP_LOT"])
        assert len(named) == pytest.approx(touched["MAP_LOT"].nunique(), rel=0.02)
        assert (one["parcels"]["buffer_share"] <= 1 + 1e-9).all()
        assert len(told(one, "geometry-repaired").query("layer == 'wetlands'")) == 3

    @pytest.mark.slow
    def test_ponds_and_streams_of_the_cmscwd(self, data, run):
        one = run(bangor.cmscwd(data))
        kinds = one["resources"]["resource_type"].value_counts()
        assert kinds.sum() == 281
        buffers = one["buffers"]
        assert len(buffers) == 281
        assert set(buffers.loc[buffers["resource_type"] == "lake", "width_ft"]) == {50}
        assert set(buffers.loc[buffers["resource_type"] == "stream", "width_ft"]) == {75}
        # without a setback no outer zone, and each stream says so
        assert set(one["zones"]["zone"]) == {"streamside", "middle"}
        assert set(one["extensions"]["kind"]) == {"floodplain", "natural_community"}
        # what the provisions add lies beyond the plain zone, and all of it in the stream's or the lake's buffer
        whole = buffers.set_index("resource_id").geometry
        for row in one["extensions"].itertuples():
            assert shapely.difference(row.geometry, whole[row.resource_id]).area < 1


def test_a_site_of_three_ponds_takes_its_utm_zone(data, run):
    folder = data / "wimauma-fl"
    layers = run(f"""[project]
rule = "mcwd-2024"
crs = "auto"
date = 2026-06-01
[layers.wetlands]
path = "{folder}/Wetlands.geojson"
defaults.class = "Manage 1"
[layers.tract]
path = "{folder}/Project.geojson"
[layers.parcels]
path = "{folder}/Project.geojson"
[layers.floodplain]
path = "{folder}/Floodplain.geojson"
""")
    assert layers["resources"].crs.to_epsg() == 26917
    assert "EPSG:26917" in told(layers, "crs-auto")["message"].iloc[0]
    assert len(layers["resources"]) == 3
    assert set(layers["buffers"]["width_ft"]) == {40}
    assert len(told(layers, "class-default")) == 3
    # one of the wetlands is cut by the site's line: its buffer ends there

    tract = shapely.union_all(gpd.read_file(folder / "Project.geojson").to_crs(26917).geometry.to_numpy())
    ponds = layers["resources"].geometry.to_numpy()
    rings = shapely.difference(shapely.buffer(ponds, 40 * 0.3048, quad_segs=64), shapely.union_all(ponds))
    inside = shapely.area(shapely.intersection(rings, tract)) / 0.3048**2
    order = layers["resources"]["resource_id"].tolist()
    for row in layers["buffers"].itertuples():
        assert row.area_sqft == pytest.approx(inside[order.index(row.resource_id)], rel=1e-3)
    assert (inside < shapely.area(rings) / 0.3048**2 - 1).any()
    assert "tract" in set(layers["edges"]["kind"])


class TestSsurgo:
    """A county's soil survey: groups by the join of map units to their table, through a whole run."""

    #: wetlands drawn by hand in the middle of a map unit, EPSG:26915, and the group of the unit read off muaggatt.txt by
    #: eye: Robinsonville, Gullied land, Bowdre, Gallion, Levee
    DRAWN: ClassVar = {
        "robinsonville": ((658_262, 3_703_281), "A"),
        "gullied land": ((660_265, 3_657_520), "D"),
        "bowdre": ((665_087, 3_682_258), "C/D"),
        "gallion": ((645_343, 3_711_098), "B"),
        "levee": ((667_904, 3_662_927), None),
    }

    @pytest.mark.parametrize(("dual", "bowdre"), [("undrained", "D"), ("drained", "C")])
    def test_groups_of_wetlands_drawn_by_hand(self, data, run, tmp_path, dual, bowdre):

        spots = [spot for spot, _ in self.DRAWN.values()]
        drawn = [shapely.box(x - 15, y - 15, x + 15, y + 15) for x, y in spots]
        frame = gpd.GeoDataFrame({"ID": list(self.DRAWN)}, geometry=drawn, crs="EPSG:26915")
        frame.to_file(tmp_path / "drawn.gpkg")
        layers = run(f"""[project]
rule = "mcwd-2024"
crs = "EPSG:26915"
date = 2026-06-01
[layers.wetlands]
path = "{tmp_path}/drawn.gpkg"
fields = {{ id = "ID" }}
defaults.class = "Preserve"
[layers.soils]
path = "{data}/ssurgo-ar017/spatial/soilmu_a_ar017.shp"
[options]
reductions = "soil"
dual_hsg = "{dual}"
""")
        rows = layers["buffers"].set_index("resource_id")
        cuts = {"A": 6, "B": 4, "C": 2, "D": 0}
        for name, (_, hsg) in self.DRAWN.items():
            group = bowdre if hsg == "C/D" else hsg
            assert (rows.loc[name, "hsg"] if group else None) == group
            if group is None:
                assert pd.isna(rows.loc[name, "hsg"])
                assert rows.loc[name, "width_ft"] == 75
            else:
                assert rows.loc[name, "hsg_share"] == pytest.approx(1)
                assert rows.loc[name, "soil_cut_ft"] == cuts[group]
                assert rows.loc[name, "width_ft"] == max(67, 75 - cuts[group])
        assert told(layers, "soil-unrated")["feature_id"].tolist() == ["levee"]
        assert "muaggatt" in " ".join(told(layers, "schema-recognised")["message"])


class TestMecklenburg:
    """2,015 wetlands without a class."""

    TEXT = """[project]
rule = "mcwd-2024"
crs = "auto"
date = 2026-06-01
[layers.wetlands]
path = "{}/mecklenburg-nc/wetlands.geojson"
"""

    def test_without_a_class(self, data, run_wetgeo, tmp_path):
        path = tmp_path / "wetgeo.toml"
        path.write_text(self.TEXT.format(data))
        result = run_wetgeo("run", path)
        assert (result.code, result.out) == (1, "")
        assert f"layer wetlands ({data}/mecklenburg-nc/wetlands.geojson): 2,015 features without a class" in result.err
        assert 'defaults.class = "..."' in result.err
        assert "Preserve, Manage 1, Manage 2, Manage 3" in result.err
        assert len(result.err) < 5000
        assert not (tmp_path / "out").exists()

    def test_with_a_default_class(self, data, run):
        layers = run(self.TEXT.format(data) + 'defaults.class = "Manage 2"\n')
        assert len(layers["resources"]) == 2015
        buffers = layers["buffers"]
        assert set(buffers["width_ft"]) == {30}
        without = set(layers["resources"]["resource_id"]) - set(buffers["resource_id"])
        assert without == set(told(layers, "buffer-none")["feature_id"])
        assert set(told(layers, "class-default")["feature_id"]) == set(layers["resources"]["resource_id"])
        # no ground counts twice, and none is water: the union is one overlay of all rings less all wetlands
        wetlands = layers["resources"].geometry.to_numpy()
        rings = shapely.union_all(shapely.buffer(wetlands, 30 * 0.3048, quad_segs=64))
        ground = shapely.difference(rings, shapely.union_all(wetlands)).area / 0.3048**2
        assert layers["buffer_union"]["area_sqft"].sum() == pytest.approx(ground, rel=1e-4)
        assert buffers["area_sqft"].sum() >= ground
