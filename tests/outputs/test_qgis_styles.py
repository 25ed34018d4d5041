"""Styles as text, without QGIS: that all layers have one, that they fit the rows, that their colours can be told apart."""

from __future__ import annotations

import itertools
import sqlite3
import xml.etree.ElementTree as ET
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from delineated import AWKWARD, LONG, Pack, buffers, delineation, resources

from wetgeo.layers import LAYERS
from wetgeo.outputs import qgis_styles
from wetgeo.outputs.qgis_styles import layer_styles, qml
from wetgeo.outputs.write import prepare, write_outputs

COMMANDS = sorted({command for schema in LAYERS.values() for command in schema.commands})

# Machado, Oliveira and Fernandes (2009), table of the matrices for severity 1.0, on linear RGB
DEFECTS = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# sRGB to CIE XYZ at D65, IEC 61966-2-1
_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(color: str, defect: str = "normal") -> np.ndarray:
    """CIE L*a*b* of a colour as an eye sees it."""
    rgb = np.frombuffer(bytes.fromhex(color[1:7]), dtype=np.uint8) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = _XYZ @ np.clip(np.array(DEFECTS[defect]) @ linear, 0, 1) / _XYZ.sum(axis=1)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.fixture
def ready(tmp_path: Path):
    return {command: prepare(delineation(tmp_path, command=command), ()) for command in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_layer_has_a_style_that_is_xml(ready, command: str) -> None:
    styles = layer_styles(ready[command])
    assert set(styles) == {name for name, schema in LAYERS.items() if command in schema.commands}
    for name, style in styles.items():
        root = ET.fromstring(qml(style))
        assert root.tag == "qgis"
        drawn = root.find("renderer-v2")
        assert (drawn is None) == (LAYERS[name].geometry is None), name
        if drawn is None:
            continue
        kind = {"MultiPolygon": "fill", "LineString": "line", "Point": "marker"}[LAYERS[name].geometry]
        symbols = {symbol.get("name"): symbol.get("type") for symbol in drawn.findall("symbols/symbol")}
        assert set(symbols.values()) == {kind}
        assert {row.get("symbol") for row in drawn.findall("categories/category")} <= set(symbols)


def test_labels_name_fields_that_there_are(ready) -> None:
    import re

    labelled = set()
    for name, style in {**layer_styles(ready["impacts"]), **layer_styles(ready["check"])}.items():
        root = ET.fromstring(qml(style))
        expressions = [text.get("fieldName") for text in root.iter("text-style")]
        expressions += [root.findtext("previewExpression"), root.findtext("mapTip")]
        expressions += [one.get("attr", "") for one in root.iter("renderer-v2")]
        for expression in expressions:
            named = re.findall(r'"(\w+)"', expression) or [expression] * expression.isidentifier()
            assert set(named) <= set(LAYERS[name].names), (name, expression)
        if root.find("labeling") is not None:
            labelled.add(name)
            assert root.get("labelsEnabled") == "1"
    assert labelled == {"resources", "buffers", "parcels", "monuments", "averaging_areas", "violations", "impacts"}


def test_monuments_are_labelled_at_large_scales_only(ready) -> None:
    root = ET.fromstring(qml(layer_styles(ready["run"])["monuments"]))
    rendering = root.find("labeling/settings/rendering")
    assert (rendering.get("scaleVisibility"), rendering.get("scaleMax")) == ("1", str(qgis_styles.MONUMENT_LABELS))
    assert (root.get("hasScaleBasedVisibilityFlag"), root.get("minScale")) == ("1", str(qgis_styles.MONUMENTS))


def test_categories_are_those_of_the_rows_and_every_row_has_one(ready) -> None:
    root = ET.fromstring(qml(layer_styles(ready["run"])["buffers"]))
    found = {row.get("value"): row.get("label") for row in root.iter("category")}
    assert found == {
        "wetland|Preserve": "Wetland, Preserve",
        f"wetland|{AWKWARD}": f"Wetland, {AWKWARD}",
        "wetland|": "Wetland",
    }


def test_a_class_has_the_same_colour_whatever_else_there_is(tmp_path: Path) -> None:
    def colors(*classes: str) -> dict[str, str]:
        source = resources().iloc[: len(classes)].assign(**{"class": list(classes)})
        ready = prepare(delineation(tmp_path, layers={"resources": source, "buffers": buffers(source)}), ())
        root = ET.fromstring(qml(layer_styles(ready)["buffers"]))
        fills = [symbol.find("layer/Option/Option[@name='color']") for symbol in root.iter("symbol")]
        return {row.get("value"): fill.get("value") for row, fill in zip(root.iter("category"), fills, strict=True)}

    all_three = colors("Manage 3", "Preserve", "Manage 1")
    assert list(all_three) == ["wetland|Preserve", "wetland|Manage 1", "wetland|Manage 3"]
    assert len(set(all_three.values())) == 3
    assert colors("Manage 1") == {"wetland|Manage 1": all_three["wetland|Manage 1"]}


@pytest.mark.parametrize("count", range(9))
def test_any_number_of_classes_has_colours(count: int) -> None:
    class Classes(Pack):
        def classes(self, _resource_type: str) -> tuple[str, ...]:
            return tuple(map(str, range(count)))

    for kind in ("wetland", "lake", "stream"):
        family = qgis_styles.BUFFERS[kind]
        colors = qgis_styles._class_colors(Classes(), kind)
        assert set(colors) == {"", *map(str, range(count))}
        assert set(colors.values()) <= set(family)
        assert len(set(colors.values()) - {colors[""]} | {colors.get("0", colors[""])}) >= min(count, len(family)) - 1


def test_styles_stand_in_the_geopackage_as_defaults(tmp_path: Path) -> None:
    write_outputs(delineation(tmp_path), tmp_path / "out", overwrite=False, formats=("gpkg",))
    with closing(sqlite3.connect(tmp_path / "out" / "buffers.gpkg")) as base:
        rows = base.execute(
            "SELECT f_table_name, f_geometry_column, f_table_catalog || f_table_schema, useAsDefault, update_time, "
            "styleQML FROM layer_styles ORDER BY id"
        ).fetchall()
        geometries = dict(base.execute("SELECT table_name, column_name FROM gpkg_geometry_columns"))
        kind = base.execute("SELECT data_type FROM gpkg_contents WHERE table_name = 'layer_styles'").fetchone()
    assert [row[0] for row in rows] == [name for name, schema in LAYERS.items() if "run" in schema.commands]
    assert kind == ("attributes",)
    for name, geometry, place, default, time, text in rows:
        assert geometry == geometries.get(name, "")
        assert (place, default, time) == ("", 1, "2026-06-01T00:00:00.000Z")
        assert ET.fromstring(text).tag == "qgis"


def test_text_that_xml_cannot_hold_is_left_out(tmp_path: Path) -> None:
    source = resources().assign(**{"class": ["a\x00b\x1f", LONG, "\ufffe<&>\"'"]})
    ready = prepare(delineation(tmp_path, layers={"resources": source, "buffers": buffers(source)}), ())
    root = ET.fromstring(qml(layer_styles(ready)["buffers"]))
    assert {row.get("value") for row in root.iter("category")} == {"wetland|ab", f"wetland|{LONG}", "wetland|<&>\"'"}


@pytest.mark.parametrize("defect", DEFECTS)
def test_colours_beside_each_other_differ_to_all_eyes(defect: str) -> None:
    waters, wetland = tuple(qgis_styles.WATERS.values()), qgis_styles.BUFFERS["wetland"]
    zones = tuple(qgis_styles.ZONES.values())
    groups = [waters, wetland, zones, qgis_styles.BUFFERS["lake"]]
    pairs = [pair for group in groups for pair in itertools.combinations(group, 2)]
    # what lies side by side on the ground: buffers on waters, on each other's, and on zones
    pairs += itertools.product(wetland, (*zones, waters[0]))
    pairs += itertools.product(qgis_styles.BUFFERS["lake"], waters[1:2])
    for one, other in pairs:
        # 2.3 is what an eye just tells apart when it sees both at once
        assert np.linalg.norm(lab(one, defect) - lab(other, defect)) > 4 * 2.3, (one, other)


def test_hatches_of_one_layer_differ_without_colour() -> None:
    kinds = list(qgis_styles.HATCHES.items())
    for group in (kinds[:4], kinds[4:8], kinds[8:]):
        directions = [angle for _, (_, angle) in group]
        assert len(set(directions)) == len(directions)
