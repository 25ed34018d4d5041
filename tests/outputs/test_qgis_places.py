"""Where labels of buffers stand: beside their own resource, on ground that no other buffer shares."""

from __future__ import annotations

import re
from types import SimpleNamespace

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from pyproj import CRS

from wetgeo.outputs.qgis_places import label_ground
from wetgeo.units import FOOT_M

CIRCLE = re.compile(
    r"""WHEN "resource_id" = '((?:[^'\\]|\\.)*)' THEN buffer\(make_point\(([-\d.]+), ([-\d.]+)\), ([\d.]+)\)"""
)


def outputs(ids, waters, buffers, width_ft, extended=(), crs="EPSG:26915"):
    extensions = pd.DataFrame({"resource_id": list(extended)})
    layers = {
        "resources": gpd.GeoDataFrame({"resource_id": ids}, geometry=waters, crs=crs),
        "buffers": gpd.GeoDataFrame({"resource_id": ids, "width_ft": width_ft}, geometry=buffers, crs=crs),
        "extensions": extensions,
    }
    return SimpleNamespace(layers=layers, crs=CRS(crs))


def circles(expression: str) -> dict[str, shapely.Geometry]:
    return {name: shapely.Point(float(x), float(y)).buffer(float(r)) for name, x, y, r in CIRCLE.findall(expression)}


def test_a_label_stands_near_its_own_resource_and_not_on_shared_ground() -> None:
    width = 3 / FOOT_M
    pond, other = shapely.box(0, 0, 10, 10), shapely.box(40, 0, 50, 10)
    plain = [water.buffer(3).difference(water) for water in (pond, other)]
    # the pond's buffer reaches around the other
    reached = shapely.box(-3, -3, 60, 13).difference(shapely.union_all([pond, other]))
    found = circles(label_ground(outputs(["A", "B"], [pond, other], [reached, plain[1]], [width] * 2, ["A"])))
    assert set(found) == {"A", "B"}
    assert found["A"].within(pond.buffer(3.01))
    assert found["B"].within(other.buffer(3.01))
    for name, water in (("A", pond), ("B", other)):
        # the widest circle in a strip of 3 m is 3 m across; the rounded corners leave no more
        assert found[name].area == pytest.approx(shapely.Point(0, 0).buffer(1.5).area, rel=0.15)
        assert not found[name].intersects(water.buffer(-0.05))


def test_shared_ground_is_left_to_the_other_where_there_is_other_ground() -> None:
    pond, other = shapely.box(0, 0, 10, 10), shapely.box(12, 0, 22, 10)
    land = [water.buffer(3).difference(shapely.union_all([pond, other])) for water in (pond, other)]
    found = circles(label_ground(outputs(["A", "B"], [pond, other], land, [3 / FOOT_M] * 2, ["A"])))
    assert not found["A"].intersects(land[1].buffer(-0.05))
    assert not found["B"].intersects(land[0].buffer(-0.05))


def test_without_extensions_qgis_finds_the_places_itself() -> None:
    pond = shapely.box(0, 0, 10, 10)
    assert label_ground(outputs(["A"], [pond], [pond.buffer(3).difference(pond)], [10.0])) is None


def test_names_are_quoted_and_nothing_is_no_place() -> None:
    pond = shapely.box(0, 0, 10, 10)
    ids = ["O'Brien\\west", "none"]
    text = label_ground(
        outputs(ids, [pond, pond], [pond.buffer(3).difference(pond), shapely.Polygon()], [10.0] * 2, ids)
    )
    assert [name for name, *_ in CIRCLE.findall(text)] == [r"O\'Brien\\west"]
    assert text.endswith(" ELSE $geometry END")
