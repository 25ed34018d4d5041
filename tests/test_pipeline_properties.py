"""What must hold of the whole pipeline on any site: sites at random, in memory, through the public functions.

tests/test_promises.py has the same promises on a few sites through files, to the byte; here hypothesis looks for the
site that breaks them, with arbitrary turns, cuts and classes.
"""

from __future__ import annotations

import dataclasses
import datetime
import math

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from worlds import UTM, blob

import wetgeo

FT = 0.3048
DAY = datetime.date(2026, 6, 1)
LEFT, BOTTOM, SIZE = 455_000.0, 4_980_000.0, 400.0
CLASSES = ["Manage 3", "Manage 2", "Manage 1", "Preserve"]
#: a chord of a round edge strays by 0.01 ft at most: an area may differ by its edge's length times that
STRAY = 0.02 * FT
few = settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
seeds = st.integers(0, 10_000)


@dataclasses.dataclass(frozen=True)
class Ground:
    """Wetlands, lots and a tract in EPSG:26915, metres."""

    wetlands: gpd.GeoDataFrame
    parcels: gpd.GeoDataFrame
    tract: gpd.GeoDataFrame

    @classmethod
    def of(cls, seed: int) -> Ground:
        """Three to six wetlands that do not overlap, four by four lots, and a tract that cuts some buffers."""
        rng = np.random.default_rng(seed)
        shapes: list[shapely.Polygon] = []
        for spot in rng.uniform(60, SIZE - 60, (int(rng.integers(3, 7)), 2)):
            shape = blob(rng, LEFT + spot[0], BOTTOM + spot[1], rng.uniform(6, 40))
            rest = shapely.difference(shape, shapely.union_all(shapes)) if shapes else shape
            shapes += [part for part in shapely.get_parts(rest) if part.area > 50][:1]
        names = [f"W-{number}" for number in range(1, len(shapes) + 1)]
        cuts = [np.sort([0, SIZE, *rng.uniform(40, SIZE - 40, 3)]) for _ in range(2)]
        lots = [
            shapely.box(LEFT + x0, BOTTOM + y0, LEFT + x1, BOTTOM + y1)
            for x0, x1 in zip(cuts[0][:-1], cuts[0][1:], strict=True)
            for y0, y1 in zip(cuts[1][:-1], cuts[1][1:], strict=True)
        ]
        tract = shapely.box(LEFT + 30, BOTTOM + 30, LEFT + SIZE - 30, BOTTOM + SIZE - 30)
        return cls(
            wetlands=frame(shapes, id=names, **{"class": rng.choice(CLASSES, len(shapes))}),
            parcels=frame(lots, id=[f"P-{number}" for number in range(len(lots))]),
            tract=frame([tract], id=["T"]),
        )

    def transformed(self, matrix: list[float]) -> Ground:
        """Move everything by an affine matrix, as shapely writes it."""
        return Ground(*(layer.set_geometry(layer.affine_transform(matrix)) for layer in vars(self).values()))


def frame(shapes, **columns):
    return gpd.GeoDataFrame(columns, geometry=list(shapes), crs=UTM)


def run(ground, *, tract=True, **changes):
    """Delineate; `changes` take the place of layers and arguments."""
    given = {"wetlands": ground.wetlands, "parcels": ground.parcels, "rule": "mcwd-2024", "date": DAY}
    if tract:
        given["tract"] = ground.tract
    return wetgeo.required_buffers(**{**given, **changes})


def by_id(result, layer="buffers"):
    return result[layer].set_index("resource_id").sort_index()


def assert_same_areas(one, other, *, scale=1.0):
    """Widths are equal, areas agree to what chords may stray; `scale`: units of `other` in a metre."""
    mine, theirs = by_id(one), by_id(other)
    assert list(mine.index) == list(theirs.index)
    assert (mine["width_ft"] == theirs["width_ft"]).all()
    apart = np.abs(mine.geometry.area - theirs.geometry.area / scale**2)
    assert (apart <= mine.geometry.length * STRAY).all(), apart
    assert mine["area_sqft"].to_numpy() == pytest.approx(theirs["area_sqft"].to_numpy(), rel=1e-3)


@few
@given(seed=seeds, angle=st.floats(-math.pi, math.pi), x=st.floats(-5_000, 5_000), y=st.floats(-5_000, 5_000))
def test_rigid_motion(seed, angle, x, y):
    ground = Ground.of(seed)
    cos, sin = math.cos(angle), math.sin(angle)
    turn = [cos, -sin, sin, cos, LEFT - cos * LEFT + sin * BOTTOM + x, BOTTOM - sin * LEFT - cos * BOTTOM + y]
    moved = ground.transformed(turn)
    one, other = run(ground), run(moved)
    assert_same_areas(one, other)
    back = shapely.affinity.affine_transform
    inverse = [cos, sin, -sin, cos, -(cos * turn[4] + sin * turn[5]), sin * turn[4] - cos * turn[5]]
    for mine, theirs in zip(by_id(one).geometry, by_id(other).geometry, strict=True):
        assert shapely.hausdorff_distance(mine, back(theirs, inverse)) <= 0.05 * FT


@few
@given(seed=seeds)
def test_feet_and_metres(seed):
    ground = Ground.of(seed)
    tmerc = "+proj=tmerc +lat_0=44.9 +lon_0=-93.6 +k=1 +x_0=600000 +y_0=600000 +datum=NAD83 +units={} +no_defs"
    metres, feet = (run(ground, crs=tmerc.format(unit)) for unit in ("m", "us-ft"))
    assert_same_areas(metres, feet, scale=3937 / 1200)
    for layer in ("monuments", "monument_proof", "parcels"):
        assert len(metres[layer]) == len(feet[layer])


@few
@given(seed=seeds, order=st.randoms(use_true_random=False))
def test_order_of_features(seed, order):
    ground = Ground.of(seed)
    layers = []
    for layer in vars(ground).values():
        rows = list(range(len(layer)))
        order.shuffle(rows)
        layers.append(layer.iloc[rows].reset_index(drop=True))
    one, other = run(ground), run(Ground(*layers))
    for name in ("buffers", "monuments", "monument_proof", "parcels", "edges", "buffer_union"):
        pd.testing.assert_frame_equal(pd.DataFrame(one[name]), pd.DataFrame(other[name]), check_exact=True)


@few
@given(seed=seeds, share=st.floats(0.2, 0.8), across=st.booleans())
def test_a_lot_that_is_split_leaves_the_buffers_and_the_sum_of_its_shares(seed, share, across):
    ground = Ground.of(seed)
    halves = []
    for lot in ground.parcels.geometry:
        left, bottom, right, top = lot.bounds
        x, y = left + share * (right - left), bottom + share * (top - bottom)
        first = shapely.box(left, bottom, x, top) if across else shapely.box(left, bottom, right, y)
        halves += [first, shapely.difference(lot, first)]
    split = frame(halves, id=[f"P-{number // 2}{'ab'[number % 2]}" for number in range(len(halves))])
    one, other = run(ground), run(ground, parcels=split)
    assert (shapely.to_wkb(one["buffers"].geometry) == shapely.to_wkb(other["buffers"].geometry)).all()
    of_lot = other["parcels"]["parcel_id"].str[:-1]
    sums = other["parcels"]["buffer_sqft"].groupby(of_lot).sum()
    whole = one["parcels"].set_index("parcel_id")["buffer_sqft"]
    assert sums.reindex(whole.index).to_numpy() == pytest.approx(whole.to_numpy(), abs=0.01)
    assert set(other["monument_proof"]["verdict"]) <= {"ok"}
    assert other["monument_proof"]["edge_ft"].sum() == pytest.approx(one["monument_proof"]["edge_ft"].sum(), abs=0.05)


@few
@given(seed=seeds, share=st.floats(0.3, 0.7))
def test_a_wetland_drawn_in_two_pieces_has_the_same_ground(seed, share):
    ground = Ground.of(seed)
    whole = ground.wetlands.iloc[[0]]
    left, bottom, right, top = whole.total_bounds
    knife = shapely.box(left - 1, bottom - 1, left + share * (right - left), top + 1)
    pieces = [shapely.intersection(whole.geometry.iloc[0], knife), shapely.difference(whole.geometry.iloc[0], knife)]
    names = frame(pieces, id=["W-1a", "W-1b"], **{"class": [whole["class"].iloc[0]] * 2})
    rest = ground.wetlands.iloc[1:]
    one = run(ground)
    other = run(ground, wetlands=gpd.GeoDataFrame(pd.concat([names, rest], ignore_index=True), crs=UTM))
    mine, theirs = (shapely.union_all(result["buffer_union"].geometry.to_numpy()) for result in (one, other))
    assert shapely.symmetric_difference(mine, theirs).area <= mine.length * STRAY


@few
@given(seed=seeds)
def test_two_groups_far_apart_are_the_same_in_one_file_and_in_two(seed):
    here, there = Ground.of(seed), Ground.of(seed + 1).transformed([1, 0, 0, 1, 8_000, 3_000])
    names = [f"far {name}" for name in there.wetlands["id"]]
    there = dataclasses.replace(there, wetlands=there.wetlands.assign(id=names))
    both = Ground(
        *(
            gpd.GeoDataFrame(pd.concat(pair, ignore_index=True), crs=UTM)
            for pair in zip(vars(here).values(), vars(there).values(), strict=True)
        )
    )
    alone, other, together = run(here), run(there), run(both)
    merged = by_id(together)
    for result in (alone, other):
        rows = by_id(result)
        assert (shapely.to_wkb(rows.geometry) == shapely.to_wkb(merged.loc[rows.index].geometry)).all()
        assert (rows["width_ft"] == merged.loc[rows.index, "width_ft"]).all()
    assert len(alone["monuments"]) + len(other["monuments"]) == len(together["monuments"])


@few
@given(seed=seeds)
def test_a_class_with_a_wider_buffer_contains_that_with_a_narrower(seed):
    ground = Ground.of(seed)
    higher = [CLASSES[min(CLASSES.index(each) + 1, 3)] for each in ground.wetlands["class"]]
    narrow, wide = by_id(run(ground)), by_id(run(ground, wetlands=ground.wetlands.assign(**{"class": higher})))
    assert (wide["width_ft"] >= narrow["width_ft"]).all()
    assert set(narrow.index) <= set(wide.index)
    for name in narrow.index:
        outside = shapely.difference(narrow.geometry[name], wide.geometry[name]).area
        assert outside <= narrow.geometry[name].length * STRAY


@few
@given(seed=seeds)
def test_the_tract_only_takes_away(seed):
    ground = Ground.of(seed)
    held, free = by_id(run(ground)), by_id(run(ground, tract=False))
    tract = ground.tract.geometry.iloc[0]
    assert set(held.index) <= set(free.index)
    for name in free.index:
        clipped = shapely.intersection(free.geometry[name], tract)
        kept = held.geometry[name] if name in held.index else shapely.Polygon()
        assert shapely.symmetric_difference(clipped, kept).area < 0.01
