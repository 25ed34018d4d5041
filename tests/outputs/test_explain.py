"""Reading outputs back, and explaining one resource from them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pytest
from delineated import AWKWARD, UTM, buffers, delineation, resources

from wetgeo.errors import OutputError
from wetgeo.outputs.explain import explain_resource
from wetgeo.outputs.read import read_layer
from wetgeo.outputs.write import write_outputs


@pytest.fixture
def out(tmp_path: Path) -> Path:
    source = resources()
    steps = [
        ("W10", 1, "wetland.preserve", "base", 75.0, "Preserve: 75 ft", "5(a)"),
        ("W10", 2, "cut", "slope", -2.0, AWKWARD, None),
    ]
    columns = ["resource_id", "step", "provision", "what", "value_ft", "reason", "citation"]
    zones = pd.DataFrame(
        {"resource_id": ["W10"], "zone": "streamside", "width_ft": 25.0, "area_sqft": 1e4, "citation": "4.3.1"}
    )
    added = pd.DataFrame(
        {"resource_id": ["W10"], "zone": None, "kind": "steep_slope", "reach_ft": 130.26, "area_sqft": 12345.0}
    )
    shapes = source.geometry.iloc[:1].to_list()
    layers = {
        "resources": source,
        "buffers": buffers(source).iloc[:2],
        "reasons": pd.DataFrame(steps[::-1], columns=columns),
        "zones": gpd.GeoDataFrame(zones, geometry=shapes, crs=UTM),
        "extensions": gpd.GeoDataFrame(added.assign(citation="4.3.3"), geometry=shapes, crs=UTM),
    }
    made = delineation(tmp_path, layers=layers)
    made.findings.warning("dem-coverage", "the DEM covers 80 %", layer="wetlands", feature_id="W10")
    made.findings.warning("rule-no-buffer", "not connected", layer="wetlands", feature_id=source["resource_id"][2])
    write_outputs(made, tmp_path / "out", overwrite=False, formats=("gpkg", "shp"))
    return tmp_path / "out"


def test_a_resource_is_explained_with_its_citations(out: Path) -> None:
    lines = explain_resource(out, "W10").splitlines()
    assert lines[0] == "W10: wetland, Preserve, groundwater-dependent"
    assert lines[1].startswith("Required width 75 ft under mcwd-2024")
    assert lines[3] == "  1. base: Preserve: 75 ft [5(a)]"
    assert lines[4].startswith("  2. slope: O'Brien")
    text = " ".join(" ".join(lines).split())
    assert "streamside zone: 25 ft wide, 10,000 sq ft [4.3.1]" in text
    assert "added for steep slope: 12,345 sq ft, up to 130.3 ft from the resource [4.3.3]" in text
    assert "warning: the DEM covers 80 %" in text


def test_a_resource_without_a_buffer_has_its_reason(out: Path) -> None:
    text = explain_resource(out, resources()["resource_id"][2])
    assert "No buffer is required" in text
    assert "not connected" in text


def test_a_resource_that_is_not_there_is_told_with_those_that_are(out: Path) -> None:
    with pytest.raises(OutputError, match="no resource 'W11'") as told:
        explain_resource(out, "W11")
    assert "W10" in told.value.mend


def test_tables_and_layers_are_read(out: Path) -> None:
    assert isinstance(read_layer(out, "buffers"), gpd.GeoDataFrame)
    assert list(read_layer(out, "reasons")["step"]) == [1, 2]
    assert len(read_layer(out, "edges")) == 0


def test_what_cannot_be_read_is_told(out: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="has no layer averaging; it has resources"):
        read_layer(out, "averaging")
    with pytest.raises(OutputError, match="does not exist"):
        read_layer(tmp_path / "nowhere", "buffers")
    with pytest.raises(OutputError, match="is no folder"):
        read_layer(out / "buffers.gpkg", "buffers")
    (tmp_path / "empty").mkdir()
    with pytest.raises(OutputError, match="holds no outputs of wetgeo"):
        read_layer(tmp_path / "empty", "buffers")
    (out / "buffers.gpkg").write_text("torn")
    with pytest.raises(OutputError, match="cannot be read"):
        read_layer(out, "buffers")
    (out / "buffers.gpkg").unlink()
    with pytest.raises(OutputError, match=r"wrote no buffers\.gpkg"):
        read_layer(out, "buffers")


def test_another_programs_database_is_told(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "buffers.gpkg")) as base:
        base.execute("CREATE TABLE a (b)")
        base.commit()
    with pytest.raises(OutputError, match=r"cannot be read: .*gpkg_contents"):
        read_layer(tmp_path, "buffers")
