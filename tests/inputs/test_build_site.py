"""The whole door: ids, own columns, order, and all faults at once."""

from __future__ import annotations

import itertools
import random

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from drawn import UTM, Rule, X, Y, box
from pyproj import CRS

from wetgeo.errors import ClassError, CrsError, InputError, ProjectError
from wetgeo.findings import Findings
from wetgeo.inputs.build import read_source
from wetgeo.inputs.ids import canonical_order, unique_ids

pytest_plugins = ["site_fixtures"]


def test_ids_to_the_last_digit_and_missing_ones_by_number(write, read) -> None:
    shapes = [box(0, 0, 9, 9), box(20, 0, 9, 9), box(40, 0, 9, 9)]
    ids = pd.array([2711723410012345678, None, 3694063473], dtype="Int64")
    done = read(wetlands=write("w.gpkg", shapes, id=ids))
    assert done.site.resources["resource_id"].tolist() == ["2711723410012345678", "wetlands-2", "3694063473"]
    assert "1 of 3 features have no id" in done.told("id-missing")[0][2]


def test_repeated_ids_do_not_depend_on_the_order_of_the_file(write, read) -> None:
    shapes = [box(0, 0, 9, 9), box(20, 0, 9, 9), box(0, 20, 9, 9), box(60, 0, 9, 9)]
    names = ["A", "A", "A", "A#2"]
    answers = set()
    for number, order in enumerate(itertools.permutations(range(4))):
        if number % 5:
            continue
        path = write(f"w{number}.gpkg", [shapes[i] for i in order], id=[names[i] for i in order])
        done = read(wetlands=path)
        answers.add(tuple(zip(done.site.resources["resource_id"], done.site.resources.geometry.to_wkb(), strict=True)))
        assert [feature for _, feature, _ in done.told("id-repeated")] == ["A"]
    assert len(answers) == 1
    # south-west corner first, then northwards, then eastwards; A#2 is taken
    assert [name for name, _ in answers.pop()] == ["A", "A#3", "A#4", "A#2"]


def test_ids_are_unique_over_all_resource_layers(write, read) -> None:
    done = read(
        wetlands=write("w.gpkg", [box(0, 0, 9, 9)], id=["1"]),
        lakes=write("l.gpkg", [box(20, 0, 9, 9)], id=["1"]),
        streams=write("s.gpkg", [box(40, 0, 9, 9)], id=["1"]),
    )
    frame = done.site.resources
    assert frame["resource_id"].tolist() == ["1", "1#2", "1#3"]
    assert frame["resource_type"].tolist() == ["wetland", "lake", "stream"]


def test_unique_ids_of_none() -> None:
    assert unique_ids([], [], Findings()) == []


def test_canonical_order_is_blind_to_the_noise_of_a_reprojection() -> None:
    rng = random.Random(7)
    shapes = [box(20 * i, 30 * j, 9 + (i + j) % 3, 9) for i in range(6) for j in range(6)]
    noisy = [shapely.transform(s, lambda p: p + rng.uniform(-1e-6, 1e-6)) for s in shapes]
    names = [str(i) for i in range(len(shapes))]
    first = canonical_order(np.array(shapes), names, grain=0.003)
    second = canonical_order(np.array(noisy), names, grain=0.003)
    assert first.tolist() == second.tolist()


def test_own_columns_are_kept_with_their_values(write, read, tmp_path) -> None:
    columns = {
        "BUFFER_WIDTH_MINIMUM": [1.5, 2.5],
        "N": pd.array([2711723410012345678, None], dtype="Int64"),
        "ZIP": ["05501", None],
        "OK": [True, False],
        "WHEN": pd.to_datetime(["2024-05-17 13:45:10", None]),
    }
    frame = gpd.GeoDataFrame({**columns, "Name": ["x", "y"], "NAME": ["X", "Y"], "fid": [7, 8]},
                             geometry=[box(0, 0, 9, 9), box(20, 0, 9, 9)], crs=UTM)  # fmt: skip
    frame.to_parquet(tmp_path / "w.parquet")
    lakes = write("l.gpkg", [box(40, 0, 9, 9)], name=["z"], ZIP=[5], N=[3])
    done = read(wetlands=tmp_path / "w.parquet", lakes=lakes)
    found = done.site.resources
    own = [column for column in found if column.startswith("src_")]
    assert len({column.casefold() for column in own}) == len(own)
    assert set(own) == {
        "src_BUFFER_WIDTH_MINIMUM", "src_N", "src_ZIP", "src_OK", "src_WHEN", "src_Name", "src_NAME_2", "src_fid",
        "src_ZIP_lakes",
    }  # fmt: skip
    assert found["src_N"].tolist()[::2] == [2711723410012345678, 3]
    assert found["src_ZIP"].tolist() == ["05501", None, None]
    assert found["src_Name"].tolist() == ["x", "y", "z"]
    assert found["src_NAME_2"].tolist() == ["X", "Y", None]
    assert found["src_fid"].tolist()[:2] == [7, 8]
    assert found["src_WHEN"][0] == pd.Timestamp("2024-05-17 13:45:10")


def test_all_faults_of_all_layers_are_told_at_once(write, read, tmp_path) -> None:
    with pytest.raises(InputError) as caught:
        read(
            wetlands={"path": write("w.gpkg", [box(0, 0, 9, 9)], ID=["W1"]), "fields": {"id": "NOPE"}},
            lakes=write("l.shp", [box(20, 0, 9, 9)], crs=None),
            parcels=tmp_path / "missing.gpkg",
            soils=write("soils.gpkg", [box(0, 0, 9, 9)], NOTHING=["x"]),
            floodplain={"path": write("f.gpkg", [box(0, 0, 9, 9)], ZONE=["A"]), "where": "NOPE = 1"},
            pack=Rule(),
        )
    text = str(caught.value)
    assert text.startswith("5 faults in the input data")
    for each in ("'NOPE' is no field", "layer lakes", "missing.gpkg is not there", "neither a hydrologic", "NOPE = 1"):
        assert each in text


def test_faults_of_one_kind_keep_their_kind(write, read) -> None:
    with pytest.raises(ClassError, match="W1"):
        read(wetlands=write("w.gpkg", [box(0, 0, 9, 9)], id=["W1"]), pack=Rule())
    with pytest.raises(CrsError, match="2 faults"):
        read(
            wetlands=write("w.shp", [box(0, 0, 9, 9)], crs=None),
            lakes=write("l.shp", [box(20, 0, 9, 9)], crs=None),
        )


def test_a_project_without_resources(write, read) -> None:
    with pytest.raises(ProjectError, match="names no layer of resources"):
        read(parcels=write("p.gpkg", [box(0, 0, 9, 9)], PIN=["1"]))


def test_progress_is_told(write, read) -> None:
    done = read(wetlands=write("w.gpkg", [box(0, 0, 9, 9)]))
    assert [what for _, what in done.seen] == ["reading wetlands", "checking geometries", "naming features"]


def test_layers_have_their_columns_even_where_they_are_empty(write, read) -> None:
    done = read(
        wetlands=write("w.gpkg", [box(0, 0, 9, 9)]),
        natural_communities=write("n.gpkg", [], RANK=[]),
        floodplain=write("f.gpkg", [box(0, 0, 9, 9)], other=["x"]),
    )
    assert list(done.site.layers["natural_communities"]) == ["feature_id", "rank", "geometry"]
    assert done.site.layers["natural_communities"].crs == done.site.crs
    assert "no field tells the flood zone" in done.told("layer-ignored")[0][2]


class TestReadSource:
    """Files that commands name."""

    @pytest.mark.parametrize("form", ["{}|proposal", "{}|layername=proposal", "{}"])
    def test_file_and_layer(self, tmp_path, form: str) -> None:
        path = tmp_path / "p.gpkg"
        frame = gpd.GeoDataFrame({"id": ["P1"]}, geometry=[box(0, 0, 60, 40)], crs=UTM).to_crs(4269)
        frame.to_file(path, layer="proposal")
        findings = Findings()
        read = read_source(form.format(path), name="proposed", crs=CRS(UTM), findings=findings)
        assert read["feature_id"].tolist() == ["P1"]
        assert read.area[0] == pytest.approx(2400, rel=1e-6)
        assert [finding.layer for finding in findings if finding.code == "crs-reprojected"] == ["proposed"]

    def test_points_where_points_are_asked(self, tmp_path) -> None:
        path = tmp_path / "m.geojson"
        points = [shapely.Point(X + i, Y, 300) for i in range(3)]
        gpd.GeoDataFrame(geometry=points, crs=UTM).to_file(path)
        read = read_source(str(path), name="monuments", crs=CRS(UTM), findings=Findings(), kinds=("point",))
        assert shapely.get_x(read.geometry).tolist() == [X, X + 1, X + 2]
        with pytest.raises(InputError, match=r"layer monuments .* holds points; it must hold polygons"):
            read_source(str(path), name="monuments", crs=CRS(UTM), findings=Findings())

    def test_without_a_crs(self, write) -> None:
        path = write("p.shp", [box(0, 0, 9, 9)], crs=None)
        with pytest.raises(CrsError, match=r"layer proposed .* has no CRS(.|\n)*restore its .prj"):
            read_source(str(path), name="proposed", crs=CRS(UTM), findings=Findings())

    def test_without_features(self, write) -> None:
        with pytest.raises(InputError, match="holds no feature that can be used"):
            read_source(str(write("p.gpkg", [], id=[])), name="proposed", crs=CRS(UTM), findings=Findings())
