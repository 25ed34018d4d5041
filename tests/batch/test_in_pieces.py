"""However small the pieces in which a project is read and its results are put together: the same comes out."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from tiled import FT, ORIGIN, assert_same, in_tiles, whole
from worlds import UTM, World, random_world, sample

from wetgeo import parcels
from wetgeo.batch import merging, prepared, tables
from wetgeo.errors import InputError
from wetgeo.inputs import blocks
from wetgeo.inputs.heap import Heap, heaps
from wetgeo.outputs.write import prepare


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all pieces small."""
    for module, name, value in (
        (blocks, "BLOCK", 2),
        (prepared, "PIECE", 2),
        (merging, "PIECE", 2),
        (merging, "_BYTES", 2000),
        (tables, "_GROUP", 2),
        (tables, "_BLOCK", 4),
        (parcels, "_BLOCK", 3),
    ):
        monkeypatch.setattr(module, name, value)


def box(left: float, bottom: float, side: float = 100.0) -> shapely.Polygon:
    return shapely.box(*(np.array([left, bottom, left + side, bottom + side]) * FT + ORIGIN))


def untidy() -> World:
    """Give layers whose faults lie in different pieces: repeats, one id twice, bow ties, gaps in every kind of column.

    One layer is filtered, one in another CRS, one has heights here and there.
    """
    tie = np.array([[0, 900], [200, 1000], [200, 900], [0, 1000]]) * FT + ORIGIN[:2]
    wetlands = gpd.GeoDataFrame(
        {
            "ID": ["A", "B", "F", "A", None, "D", "E", "A"],
            "CLASS": ["Preserve", "Manage 1", "?", "Manage 2", "Manage 3", "Preserve", "Manage 3", "Preserve"],
            "VISITS": pd.array([1, None, 9, 3, 4, None, None, 1], dtype="Int64"),
            "SEEN": pd.array([None, None, True, True, False, None, None, None], dtype="boolean"),
            "NOTE": [None, None, None, None, None, "late", None, None],
            "SHARE": [0.5, np.nan, 2.0, 1.0, np.nan, np.nan, np.nan, 0.5],
        },
        geometry=[box(0, 0), box(60, 60), box(0, 0), box(900, 0), box(1800, 0), shapely.Polygon(tie), None, box(0, 0)],
        crs=UTM,
    )
    lots = gpd.GeoDataFrame(
        {"PIN": ["1", "2", None, "1", "3", "4"]},
        geometry=[
            box(-200, -200, 500),
            box(300, -200, 500),
            box(800, -200, 500),
            box(-200, 300, 500),
            *[box(1400, 0, 900)] * 2,
        ],
        crs=UTM,
    )
    soils = gpd.GeoDataFrame(
        {"HSG": ["A", "B/D", "?", None]},
        geometry=[box(-500, -500, 1000), box(500, -500, 1000), box(1500, -500, 1000), box(-500, 500, 1000)],
        crs=UTM,
    )
    lots.geometry = [shapely.force_3d(lot, 7.0) if row in (0, 3, 5) else lot for row, lot in enumerate(lots.geometry)]
    lakes = gpd.GeoDataFrame(
        {"ID": ["L", None, "M"], "VISITS": [0.5, None, 2.5], "Note": [None, "x", "y"]},
        geometry=[box(0, 2000), box(900, 2000), box(1800, 2000)],
        crs=UTM,
    )
    project = """
[layers.wetlands]
path = "wetlands.{end}"
fields = { id = "ID", class = "CLASS" }
where = "ID IS NULL OR ID <> 'F'"
[layers.lakes]
path = "lakes.{end}"
fields = { id = "ID" }
[layers.parcels]
path = "parcels.{end}"
fields = { id = "PIN" }
[layers.soils]
path = "soils.{end}"
fields = { hsg = "HSG" }
"""
    layers = {"wetlands": wetlands, "lakes": lakes, "parcels": lots, "soils": soils.to_crs("EPSG:4326")}
    return World(layers=layers, dem=random_world(1).dem, tables=project, rule="mcwd-2024")


WORLDS = {"untidy": untidy, "random-2": lambda: random_world(2), "mcwd": lambda: sample("mcwd")}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", WORLDS)
def test_small_pieces_give_what_the_whole_gives(name: str, tmp_path: Path) -> None:
    project = WORLDS[name]().write(tmp_path)
    assert_same(whole(project), in_tiles(project, tmp_path / "work", most=2))


def test_the_untidy_world_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its faults are those of features, which no look at a whole layer is needed for."""
    project = untidy().write(tmp_path)
    monkeypatch.setattr("wetgeo.batch.reading.read_project", lambda *_: pytest.fail("it was read as a whole"))
    found = in_tiles(project, tmp_path / "work")
    codes = set(found["findings"]["code"])
    assert {"duplicate-dropped", "id-repeated", "geometry-repaired", "geometry-dropped", "parcel-repeated"} <= codes
    assert {"resources-overlap", "id-missing", "value-unreadable", "parcel-overlap"} <= codes
    assert {"geometry-flattened", "crs-reprojected"} <= codes


@pytest.mark.usefixtures("small")
def test_faults_of_several_layers_are_told_at_once_as_ever(tmp_path: Path) -> None:
    world = untidy()
    world.layers["wetlands"].loc[6, "geometry"] = box(3000, 0)
    world.layers["wetlands"].loc[6, "CLASS"] = "Manage 9"
    world.layers["wetlands"].loc[1, "CLASS"] = "Manage 8"
    world.layers["soils"] = world.layers["soils"].rename(columns={"HSG": "GROUP"})
    project = world.write(tmp_path)
    with pytest.raises(InputError) as usual:
        whole(project)
    with pytest.raises(InputError) as found:
        in_tiles(project, tmp_path / "work")
    assert str(found.value) == str(usual.value)
    assert "Manage 8" in str(usual.value)
    assert "GROUP" in str(usual.value)


def test_what_is_in_memory_at_a_time_does_not_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: geometries that one step takes from disk, and rows of an output layer, at most."""
    taken: list[int] = []
    take = Heap.take
    monkeypatch.setattr(Heap, "take", lambda heap, rows: taken.append(len(rows)) or take(heap, rows))
    rows: list[int] = []
    conform = merging.conform
    monkeypatch.setattr(merging, "conform", lambda *given: rows.append(len(given[1])) or conform(*given))
    for module, name in ((blocks, "BLOCK"), (prepared, "PIECE"), (merging, "PIECE"), (parcels, "_BLOCK")):
        monkeypatch.setattr(module, name, 5)
    monkeypatch.setattr(tables, "_GROUP", 5)
    monkeypatch.setattr(tables, "_BLOCK", 5)
    most = []
    for count in (20, 80):
        corners = [(500.0 * (place % 10), 500.0 * (place // 10)) for place in range(count)]
        ponds = gpd.GeoDataFrame(
            {"ID": [f"W{n}" for n in range(count)]}, geometry=[box(*at) for at in corners], crs=UTM
        )
        lots = gpd.GeoDataFrame(
            {"PIN": [f"{n}" for n in range(count)]}, geometry=[box(*at, 500) for at in corners], crs=UTM
        )
        text = """
[layers.wetlands]
path = "wetlands.{end}"
fields = { id = "ID" }
defaults.class = "Manage 1"
[layers.parcels]
path = "parcels.{end}"
fields = { id = "PIN" }
"""
        layers = {"wetlands": ponds, "parcels": lots}
        folder = tmp_path / str(count)
        folder.mkdir()
        project = World(layers=layers, dem=random_world(1).dem, tables=text, rule="mcwd-2024").write(folder)
        taken.clear()
        rows.clear()
        found = in_tiles(project, folder / "work", most=20)
        assert len(found["buffers"]) == count
        most.append((max(taken), max(rows)))
    assert most[1][0] <= 2 * most[0][0]
    assert max(taken) < 80 / 2
    assert most[1][1] == most[0][1]


def test_a_heap_gives_geometries_in_any_order(tmp_path: Path) -> None:
    shapes = np.array([box(n, n, n + 1) for n in range(9)], dtype=object)
    with heaps(tmp_path / "heaps") as new_heap:
        heap = new_heap("one")
        heap.add(shapes[:4])
        heap.add(shapes[:0])
        heap.add(shapes[4:])
        for rows in ([8, 0, 1, 2, 5], [], [3, 3]):
            assert heap.take(np.array(rows, dtype=np.intp)).tolist() == shapes[rows].tolist()
        assert len(heap) == 9
    assert not (tmp_path / "heaps").exists()


def test_layers_of_the_result_are_on_disk(tmp_path: Path) -> None:
    from wetgeo.batch.delineating import delineate_in_tiles
    from wetgeo.pieces import Layers, StoredLayer
    from wetgeo.project import load_project

    found = delineate_in_tiles(load_project(untidy().write(tmp_path)), tmp_path / "work", workers=0, most=2)
    ready = Layers.of(prepare(found, ("gpkg",)).layers)
    assert isinstance(ready.held("buffers"), StoredLayer)
    assert isinstance(ready.held("resources"), StoredLayer)


@pytest.mark.usefixtures("small")
def test_soil_groups_from_a_table_by_map_unit(tmp_path: Path) -> None:
    world = untidy()
    world.layers["soils"] = (
        world.layers["soils"].rename(columns={"HSG": "MUKEY"}).assign(MUKEY=["11", "12", "13", None])
    )
    lines = 'fields = { mukey = "MUKEY" }\ntable = "groups.csv"'
    world = dataclasses.replace(world, tables=world.tables.replace('fields = { hsg = "HSG" }', lines))
    project = world.write(tmp_path)
    (tmp_path / "groups.csv").write_text("mukey,hydgrpdcd\n11,A\n12,B/D\n", encoding="utf-8")
    found = in_tiles(project, tmp_path / "work")
    assert_same(whole(project), found)
    assert "soil-unmatched" in set(found["findings"]["code"])
