"""A site in tiles gives what it gives as a whole: the same values, geometries and findings, to the bit."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from tiled import FT, ORIGIN, assert_same, hashes, in_tiles, ponds_on_lots, whole
from worlds import UTM, World, random_world, sample

from wetgeo.batch import laying, surveying
from wetgeo.batch.tiling import tile_names

WORLDS = {
    "random-1": lambda: random_world(1),
    "rcwd": lambda: sample("rcwd"),
    "mcwd": lambda: sample("mcwd"),
    "cmscwd": lambda: sample("cmscwd"),
}


@pytest.mark.parametrize("name", ["random-1", "rcwd", "mcwd", pytest.param("cmscwd", marks=pytest.mark.slow)])
def test_small_tiles_give_what_the_whole_gives(name, tmp_path):
    project = WORLDS[name]().write(tmp_path)
    assert_same(whole(project), in_tiles(project, tmp_path / "work", most=2))


def test_the_size_of_tiles_does_not_matter(tmp_path):
    project = sample("rcwd").write(tmp_path)
    found = [in_tiles(project, tmp_path / f"work{most}", most=most) for most in (1, 3, 100)]
    assert hashes(found[0]) == hashes(found[1]) == hashes(found[2])


@pytest.mark.parametrize("strip_ft", [5.0, 30.0])
def test_a_lot_with_little_edge_here_and_more_of_it_beyond_the_tile(tmp_path, strip_ft):
    """Whether the lot's lines at the first pond are marked hangs on how much edge it has, all ponds taken together."""
    project = ponds_on_lots(strip_ft).write(tmp_path)
    found = in_tiles(project, tmp_path / "work", most=1)
    assert_same(whole(project), found)
    assert (found["monuments"].query("resource_id == 'A'")["reason"] == "lot_line").sum() == 2


def test_an_extension_that_leaves_the_window_of_its_tile(tmp_path):
    """A community a mile long is added whole, less the wetlands it holds, the last of them far beyond the window."""
    wetlands = gpd.GeoDataFrame(
        {"ID": [f"W{x}" for x in range(0, 6000, 750)]},
        geometry=[shapely.box(*(np.array([x, 0, x + 300, 200]) * FT + ORIGIN)) for x in range(0, 6000, 750)],
        crs=UTM,
    )
    lakes = gpd.GeoDataFrame(
        {"ID": ["L"]}, geometry=[shapely.box(*(np.array([-900, 0, -400, 400]) * FT + ORIGIN))], crs=UTM
    )
    strip = shapely.box(*(np.array([-450, 50, 5900, 150]) * FT + ORIGIN))
    communities = gpd.GeoDataFrame({"ID": ["C"], "RANK": ["B"]}, geometry=[strip], crs=UTM)
    tables = """
[layers.lakes]
path = "lakes.{end}"
fields = { id = "ID" }
defaults.class = "natural environment"
[layers.wetlands]
path = "wetlands.{end}"
fields = { id = "ID" }
defaults.class = "2"
[layers.natural_communities]
path = "natural_communities.{end}"
fields = { id = "ID", rank = "RANK" }
"""
    layers = {"lakes": lakes, "wetlands": wetlands, "natural_communities": communities}
    world = World(layers=layers, dem=random_world(1).dem, tables=tables, rule="cmscwd-2009-draft")
    project = world.write(tmp_path)
    found = in_tiles(project, tmp_path / "work", most=1)
    assert_same(whole(project), found)
    lake = found["buffers"].set_index("resource_id").geometry["L"]
    assert not any(shapely.area(shapely.intersection(lake, wetlands.geometry.to_numpy())) > 1e-6)
    assert lake.bounds[2] == pytest.approx(strip.bounds[2])


def test_one_poisoned_resource_is_a_finding(tmp_path, monkeypatch):
    project = sample("rcwd").write(tmp_path)
    usual = in_tiles(project, tmp_path / "one", most=100)
    lost = usual["buffers"]["resource_id"].iloc[-1]
    lay = laying.lay_site

    def poisoned(inputs, sitewide, findings):
        if lost in set(inputs.site.resources["resource_id"][sitewide.chosen]):
            raise ZeroDivisionError("an angle of nothing")
        return lay(inputs, sitewide, findings)

    monkeypatch.setattr(laying, "lay_site", poisoned)
    found = in_tiles(project, tmp_path / "two", most=100)
    told = found["findings"].query("code == 'left-out'")
    assert told["feature_id"].tolist() == [lost]
    assert "ZeroDivisionError: an angle of nothing" in told["message"].iloc[0]
    kept = usual["buffers"][usual["buffers"]["resource_id"] != lost].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, found["buffers"], check_exact=True)


def test_a_group_that_cannot_be_surveyed_keeps_its_buffers(tmp_path, monkeypatch):
    project = sample("rcwd").write(tmp_path)
    usual = in_tiles(project, tmp_path / "one", most=100)
    lost = usual["edges"]["resource_id"].iloc[0]
    draw = surveying.edges_with_lots

    def poisoned(site, ruling, footprints, lots, findings):
        if lost in set(site.resources["resource_id"].to_numpy()[footprints.rows]):
            raise RuntimeError("no way round")
        return draw(site, ruling, footprints, lots, findings)

    monkeypatch.setattr(surveying, "edges_with_lots", poisoned)
    found = in_tiles(project, tmp_path / "two", most=100)
    assert hashes(usual)["buffers"] == hashes(found)["buffers"]
    told = set(found["findings"].query("code == 'left-out'")["feature_id"])
    assert lost in told
    assert set(usual["monuments"]["resource_id"]) - told == set(found["monuments"]["resource_id"])


class TestTiling:
    def test_no_tile_holds_more_than_it_may(self):
        spots = np.random.default_rng(1).uniform(0, 30000, (5000, 2))
        names = tile_names(np.concatenate([spots, spots + 10], axis=1), 100)
        assert pd.Series(names).value_counts().max() <= 100

    def test_a_resource_more_moves_only_those_of_its_square(self):
        spots = np.random.default_rng(2).uniform(0, 30000, (2000, 2))
        bounds = np.concatenate([spots, spots + 10], axis=1)
        one, two = tile_names(bounds, 100), tile_names(np.concatenate([bounds, [[5.0, 5, 9, 9]]]), 100)[:-1]
        assert (one != two).sum() <= 100

    def test_many_in_one_place_end_in_one_tile(self):
        assert len(set(tile_names(np.tile([5.0, 5.0, 6.0, 6.0], (300, 1)), 100))) == 1
