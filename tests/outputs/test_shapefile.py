"""The shapefiles: short names, and what a dBASE table can and cannot hold."""

from __future__ import annotations

import csv
import dataclasses
import itertools
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import pyogrio
import pytest
from delineated import AWKWARD, LONG, PIN, UTM, delineation, resources
from hypothesis import given
from hypothesis import strategies as st

from wetgeo.errors import OutputError
from wetgeo.layers import LAYERS
from wetgeo.outputs import dbf, shapefile
from wetgeo.outputs.dbf import cut, short_names
from wetgeo.outputs.write import prepare, write_outputs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("shp")
    write_outputs(delineation(place), place / "out", overwrite=False, formats=("gpkg", "shp"))
    return place / "out" / "shapefiles"


@pytest.fixture(scope="module")
def fields(folder: Path) -> list[dict[str, str]]:
    with (folder / "fields.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _with(tmp_path: Path, **columns: object) -> gpd.GeoDataFrame:
    """Write the resources with other columns of the file's own, and read the shapefile back."""
    source = resources()
    source = source[[c for c in source.columns if not c.startswith("src_")]]
    source = pd.concat([source, pd.DataFrame(columns, index=source.index)], axis=1)
    ready = prepare(delineation(tmp_path, layers={"resources": source}), ("shp",))
    layers = {name: ready.layers[name] for name in ("resources", "findings")}
    shapefile.write_shapefiles(dataclasses.replace(ready, layers=layers), tmp_path)
    return pyogrio.read_dataframe(tmp_path / "shapefiles" / "resources.shp").set_index("res_id")


def test_every_layer_has_its_files(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    for schema in LAYERS.values():
        if "run" in schema.commands:
            ends = (".dbf", ".cpg") if schema.geometry is None else (".shp", ".shx", ".dbf", ".prj", ".cpg")
            assert {f"{schema.name}{end}" for end in ends} == {n for n in names if n.startswith(f"{schema.name}.")}
            assert (folder / f"{schema.name}.cpg").read_text() == "UTF-8"


def test_fields_csv_names_every_field(folder: Path, fields: list[dict[str, str]]) -> None:
    for schema in LAYERS.values():
        rows = [row for row in fields if row["layer"] == schema.name]
        if "run" in schema.commands:
            file = folder / f"{schema.name}{'.dbf' if schema.geometry is None else '.shp'}"
            assert [row["short"] for row in rows] == list(pyogrio.read_info(file)["fields"])
            assert [r["full_name"] for r in rows if not r["full_name"].startswith("src_")] == list(schema.names)


def test_short_names_are_distinct_whatever_the_case(fields: list[dict[str, str]]) -> None:
    for name in LAYERS:
        shorts = [row["short"].casefold() for row in fields if row["layer"] == name]
        assert len(set(shorts)) == len(shorts)
        assert all(0 < len(short) <= 10 for short in shorts)


@given(st.lists(st.text("abAB_é9", min_size=1, max_size=14), unique_by=str.casefold, max_size=40))
def test_short_names_do_not_depend_on_order(names: list[str]) -> None:
    full = [f"src_{name}" for name in names]
    shorts = short_names(full)
    assert shorts == short_names(reversed(full))
    assert len({short.casefold() for short in shorts.values()}) == len(full)
    assert all(len(short.encode()) <= 10 for short in shorts.values())


def test_many_names_with_one_beginning_stay_distinct() -> None:
    full = [f"src_WETLAND_IDENTIFIER_{''.join(p)}" for p in itertools.product("ABCDEFGHIJ", repeat=3)]
    assert len({short.casefold() for short in short_names(full).values()}) == len(full)


def test_values_survive(folder: Path) -> None:
    rows = pyogrio.read_dataframe(folder / "resources.shp").set_index("res_id")
    assert rows.loc["W10", ["class", "gdnr", "s_VISITS", "s_APPROVED", "s_ZIP"]].to_list() == [
        "Preserve",
        1,
        3,
        1,
        "05501",
    ]
    assert rows.loc["W10", "s_PIN64"] == str(PIN)
    assert rows.loc["W10", "s_Note"] == AWKWARD
    assert str(rows.loc["W10", "s_DATE"])[:10] == "2020-01-02"
    assert rows.loc["W10", "s_SEEN"].startswith("2020-01-02T03:04:05.123")
    assert rows.loc["W10", "area_sqft"] == pytest.approx(1e8 / 3, rel=1e-15)
    assert rows.loc["W10", "s_p"] == "1e-20"
    nulls = ["class", "gdnr", "s_PIN64", "s_VISITS", "s_APPROVED", "s_DATE", "s_SEEN", "s_list"]
    assert rows.loc["W2", nulls].isna().all()
    assert rows.loc[cut(LONG), "edge_ft"] != rows.loc[cut(LONG), "edge_ft"]


@pytest.mark.parametrize("text", [LONG, "ź" * 200, "x" * 253 + "ź", "x" * 252 + "𐍈", "x" * 254, ""])
def test_texts_are_cut_at_the_border_of_a_character(text: str, tmp_path: Path) -> None:
    short = cut(text)
    assert text.startswith(short)
    assert len(short.encode()) <= 254
    assert short == text or len((short + text[len(short)]).encode()) > 254
    rows = _with(tmp_path, src_t=[text, "b", None])
    assert rows["s_t"].fillna("").iloc[1] == short


def test_each_cut_is_a_finding(tmp_path: Path) -> None:
    made = delineation(tmp_path)
    write_outputs(made, tmp_path / "out", overwrite=False, formats=("gpkg", "shp"))
    cuts = [(f.severity, f.layer, f.feature_id) for f in made.findings if f.code == "shapefile-cut"]
    # the long id in resources and buffers, the long note, and the long feature_id of these findings themselves, which
    # is nothing to look at
    assert cuts == [
        *(("warning", *which) for which in [("buffers", LONG), ("resources", "W2"), ("resources", LONG)]),
        ("info", "findings", ""),
    ]
    table = pyogrio.read_dataframe(tmp_path / "out" / "buffers.gpkg", layer="findings")
    told = table[table["code"] == "shapefile-cut"]
    assert len(told) == 4
    assert told["message"].str.contains("254").all()
    note = told[told["feature_id"] == "W2"]["message"].item()
    assert "src_Note (s_Note" in note
    assert f"{len(LONG.encode())} bytes" in note


def test_many_cuts_in_one_field_are_told_together(tmp_path: Path) -> None:
    source = resources().drop(columns=["src_Note"]).iloc[[0] * 101].assign(resource_id=[f"W{i}" for i in range(101)])
    made = delineation(tmp_path, layers={"resources": source.assign(src_t="x" * 300)})
    cuts = list(shapefile.shapefile_cuts(prepare(made, ("gpkg",))))
    assert [(cut.layer, cut.feature_id) for cut in cuts] == [("resources", "")]
    assert "101 texts" in cuts[0].message


def test_without_shapefiles_nothing_is_cut(tmp_path: Path) -> None:
    made = delineation(tmp_path)
    write_outputs(made, tmp_path / "out", overwrite=False, formats=("gpkg",))
    assert not [f for f in made.findings if f.code == "shapefile-cut"]
    assert not (tmp_path / "out" / "shapefiles").exists()


def test_whole_numbers_keep_their_digits(tmp_path: Path) -> None:
    rows = _with(
        tmp_path,
        src_18=pd.array([10**18 - 1, None, -(10**17) + 1], dtype="Int64"),
        src_19=pd.array([10**18, None, 1], dtype="Int64"),
        src_neg=pd.array([-(10**17), None, 1], dtype="Int64"),
        src_far=pd.array([2**63 - 1, None, -(2**63)], dtype="Int64"),
    )
    info = pyogrio.read_info(tmp_path / "shapefiles" / "resources.shp")
    assert dict(zip(info["fields"], info["ogr_types"], strict=True))["s_18"] == "OFTInteger64"
    raw = (tmp_path / "shapefiles" / "resources.dbf").read_bytes()
    assert b"999999999999999999" in raw
    assert b"-99999999999999999" in raw
    assert rows.loc["W10", ["s_19", "s_neg", "s_far"]].to_list() == [str(10**18), str(-(10**17)), str(2**63 - 1)]
    assert rows.iloc[-1]["s_far"] == str(-(2**63))
    assert rows.loc["W2", ["s_18", "s_19", "s_neg", "s_far"]].isna().all()


@given(st.lists(st.floats(-1e21, 1e21), min_size=1, max_size=5))
def test_real_numbers_fit_their_column(values: list[float]) -> None:
    column = pd.Series(values, dtype="float64")
    store = dbf._real(lambda: [column.iloc[:1], column.iloc[1:]], own=False)
    if store.fiona.startswith("float:"):
        width, decimals = map(int, store.fiona.removeprefix("float:").split("."))
        texts = [f"{value:.{decimals}f}" for value in values]
        assert max(map(len, texts)) <= width
        assert [float(text) for text in texts] == pytest.approx(values, rel=1e-6, abs=1e-300)
    else:
        assert [float(text) for text in store.ready(column)] == values


def test_numbers_that_no_column_holds_are_text(tmp_path: Path) -> None:
    rows = _with(tmp_path, src_inf=[np.inf, np.nan, -np.inf], src_big=[1e300, None, 1.5], src_tiny=[1e-300, 0, 1.5])
    assert rows.loc["W10", ["s_inf", "s_big", "s_tiny"]].to_list() == ["inf", "1e+300", "1e-300"]
    assert rows.loc["W2", ["s_inf", "s_big"]].isna().all()


def test_more_columns_than_a_table_has(tmp_path: Path) -> None:
    rows = _with(tmp_path, **{f"src_{i}": i for i in range(300)})
    assert len(rows.columns) == 255  # res_id is the index, and geometry none of the fields
    with (tmp_path / "shapefiles" / "fields.csv").open(encoding="utf-8", newline="") as file:
        left_out = [row["full_name"] for row in csv.DictReader(file) if not row["short"]]
    assert left_out == [f"src_{i}" for i in range(249, 300)]
    found = pyogrio.read_dataframe(tmp_path / "shapefiles" / "findings.dbf")
    assert found["message"].str.contains("not in shapefile resources, which holds 255").sum() == 51


def test_a_layer_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapefile, "_BYTES_LIMIT", 1000)
    with pytest.raises(OutputError, match="more than 2") as told:
        write_outputs(delineation(tmp_path), tmp_path / "out", overwrite=False, formats=("gpkg", "shp"))
    assert '"shp"' in told.value.mend
    assert not (tmp_path / "out").exists()


def test_the_same_input_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    source = resources().iloc[[2, 0, 1]]
    write_outputs(
        delineation(tmp_path, layers={"resources": source}), tmp_path, overwrite=False, formats=("shp", "gpkg")
    )
    for part in ("shp", "shx", "dbf", "prj", "cpg"):
        name = f"resources.{part}"
        assert (tmp_path / "shapefiles" / name).read_bytes() == (folder / name).read_bytes()


def test_the_crs_is_told(folder: Path) -> None:
    assert "NAD_1983_UTM_Zone_15N" in (folder / "buffers.prj").read_text()
    assert gpd.read_file(folder / "buffers.shp").crs == UTM
