"""What is staked and recorded of a design, on the sample site: where nothing is lost, it is what `run` stakes."""

from __future__ import annotations

from pathlib import Path

import pytest
import shapely

from wetgeo.pipeline import delineate, design
from wetgeo.project import load_project

SAMPLES = Path(__file__).parent.parent / "data_samples"
FOOT = 0.3048
#: W-2 gives way to a house; the others stay. W-1 and W-3 lie within each other's cap: an edge between them may be named
#: after either
UNTOUCHED = (("W-1", "W-3"), ("W-4",), ("W-5",), ("W-6",), ("W-7",))
#: how far their monuments may move, feet: the proposal's outline is drawn anew
WITHIN_FT = 0.02


@pytest.fixture(scope="module")
def required():
    return delineate(load_project(SAMPLES / "mcwd.toml"))


@pytest.fixture(scope="module")
def designed():
    return design(load_project(SAMPLES / "mcwd.toml"), f"{SAMPLES / 'site.gpkg'}|keep_out")


@pytest.mark.parametrize("names", UNTOUCHED)
def test_an_untouched_buffer_has_the_monuments_of_run(required, designed, names):
    layers = [found.layers["monuments"] for found in (required, designed)]
    old, new = (layer[layer["resource_id"].isin(names)] for layer in layers)
    assert len(new) == len(old) > 0
    assert new.geometry.distance(shapely.union_all(old.geometry.to_numpy())).max() < WITHIN_FT * FOOT


def test_no_edge_runs_along_a_bank_or_the_tract(required, designed):
    def along(found):
        water = found.layers["resources"].query("resource_id == 'S-1'").geometry.union_all()
        edges = found.layers["edges"].query("kind == 'upland'").geometry
        return edges.intersection(water.boundary.buffer(0.1 * FOOT)).length.sum() / FOOT

    assert along(designed) == pytest.approx(along(required), abs=0.1)


def test_a_loss_is_not_made_up_on_ground_that_others_must_keep(required, designed):
    before, after = (found.layers["buffer_union"].geometry.area.sum() / FOOT**2 for found in (required, designed))
    assert after >= before - 1
    changed = designed.layers["averaging"].set_index("resource_id")["lost_sqft"]
    assert changed.drop("W-2").max() < 0.01
    assert set(designed.layers["averaging"]["verdict"]) == {"compliant"}
