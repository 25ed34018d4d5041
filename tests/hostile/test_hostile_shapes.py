"""Outlines that no surveyor draws: enormous, tiny, infinite, crossing, nested, with thousands of holes or vertices."""

from __future__ import annotations

import json
import math

import geopandas as gpd
import numpy as np
import pytest
import shapely
from scene import polygons, two_wetlands_and
from small_site import UTM, X, Y, square

FT = 0.3048


def at(*xy):
    """Points in metres from the site's corner."""
    return [(X + x, Y + y) for x, y in xy]


def star(points, x=200.0, y=30.0, size=20.0):
    """A star drawn in one stroke, which crosses itself."""
    angles = np.arange(points) * (2 * np.pi * (points // 2) / points)
    return shapely.Polygon(np.column_stack([X + x + size * np.cos(angles), Y + y + size * np.sin(angles)]))


def ring(count, x=200.0, y=30.0, size=25.0):
    """A round outline of so many vertices, its radius waving by a tenth."""
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    radius = size * (1 + 0.1 * np.sin(9 * angles))
    return shapely.Polygon(np.column_stack([X + x + radius * np.cos(angles), Y + y + radius * np.sin(angles)]))


def holed(count, size=60.0):
    """A square with so many square holes, in rows."""
    side = math.ceil(math.sqrt(count))
    step = size / side
    corner = [(X + 160 + step * (i % side), Y - 100 + step * (i // side)) for i in range(count)]
    holes = [
        shapely.box(x + 0.3 * step, y + 0.3 * step, x + 0.7 * step, y + 0.7 * step).exterior.coords for x, y in corner
    ]
    return shapely.Polygon(square(160, -100, size).exterior.coords, holes)


def nested(depth):
    """A collection in a collection, so deep, around a square."""
    found = square(180, 0, 20)
    for _ in range(depth):
        found = shapely.GeometryCollection([found])
    return found


#: outlines beside the two wetlands of the site that have ground, and so a buffer
SOUND = {
    "bow-tie": shapely.Polygon(at((180, 0), (210, 30), (210, 0), (180, 30))),
    "star-5": star(5),
    "star-101": star(101),
    "spike": shapely.Polygon(at((180, 0), (200, 0), (200, 200), (200, 20), (180, 20))),
    "repeated-points": shapely.Polygon(at(*[(180, 0)] * 50, *[(200, 0)] * 50, *[(200, 20)] * 50)),
    "hole-outside": shapely.Polygon(square(180, 0, 20).exterior.coords, [square(240, 0, 10).exterior.coords]),
    "hole-crosses-shell": shapely.Polygon(square(180, 0, 20).exterior.coords, [square(190, 5, 20).exterior.coords]),
    "holes-overlap": shapely.Polygon(
        square(180, 0, 40).exterior.coords, [square(190, 5, 10).exterior.coords, square(195, 8, 10).exterior.coords]
    ),
    "clockwise": shapely.Polygon(list(square(180, 0, 20).exterior.coords)[::-1]),
    "parts-overlap": shapely.MultiPolygon([square(180, 0, 20), square(190, 0, 20), square(190, 10, 20)]),
    "parts-repeat": shapely.MultiPolygon([square(180, 0, 20)] * 20),
    "three-d": shapely.force_3d(square(180, 0, 20), 300.0),
    "collection": shapely.GeometryCollection([shapely.Point(X, Y), square(180, 0, 20), shapely.LineString(at((0, 0), (9, 9)))]),
    "nested-20": nested(20),
    "comb": shapely.union_all([*(shapely.box(X + 180 + i, Y, X + 180.5 + i, Y + 20) for i in range(30)), square(180, 0, 30)]),
    "touches-at-a-point": shapely.Polygon(at((140, 140), (160, 140), (160, 160))),
    "within-another": square(110, 110, 5),
    "same-as-another-but-for-a-hair": shapely.box(X + 100, Y + 100, X + 140.0001, Y + 140),
    "narrow": shapely.box(X + 180, Y, X + 280, Y + 0.01),
}  # fmt: skip


@pytest.mark.parametrize("name", SOUND)
def test_an_odd_outline_has_its_buffer(scene, name):
    scene.write(two_wetlands_and(SOUND[name]), engine="pyogrio")
    layers = scene.done()
    told = {*layers["resources"]["resource_id"], *layers["findings"]["feature_id"].dropna()}
    assert {"W-1", "W-2", "W-3"} <= told
    assert {"W-1", "W-2"} <= set(layers["buffers"]["resource_id"])
    if name == "bow-tie":
        assert layers["resources"].set_index("resource_id").geometry["W-3"].area == pytest.approx(450)
    if name == "parts-repeat":
        assert layers["resources"].set_index("resource_id").geometry["W-3"].area == pytest.approx(400)


def strange(*xy):
    """A polygon with coordinates that are not numbers; numpy warns of them."""
    with np.errstate(invalid="ignore"):
        return shapely.transform(square(0, 0), lambda _: np.array([*xy, *[xy[0]] * (5 - len(xy))]))


#: what is no ground: the other two are delineated, and a finding names W-3
WITHOUT_GROUND = {
    "nothing": None,
    "empty": shapely.Polygon(),
    "empty-collection": shapely.GeometryCollection(),
    "empty-nested": shapely.GeometryCollection([shapely.GeometryCollection([shapely.Point()])]),
    "flat": shapely.Polygon(at((180, 0), (190, 0), (180, 0))),
    "point-like": shapely.Polygon(at((180, 0), (180, 0), (180, 0), (180, 0))),
    "square-micron": shapely.box(X + 180, Y, X + 180 + 1e-6, Y + 1e-6),
    "nan": strange((X, Y), (X + 9, math.nan), (X + 9, Y + 9)),
    "all-nan": strange((X, Y), *[(math.nan, math.nan)] * 3),
    "inf": strange((X, Y), (math.inf, Y), (X + 9, Y + 9)),
    "minus-inf": strange((X, Y), (X + 9, -math.inf), (X + 9, Y + 9)),
    "line": shapely.LineString(at((180, 0), (190, 5))),
    "point": shapely.Point(X + 180, Y),
    "points-only": shapely.GeometryCollection([shapely.Point(X, Y)]),
    "hole-is-all": shapely.Polygon(square(180, 0, 20).exterior.coords, [square(180, 0, 20).exterior.coords]),
}


@pytest.mark.parametrize("name", WITHOUT_GROUND)
def test_what_has_no_ground_is_told_and_the_rest_is_done(scene, name):
    scene.write(two_wetlands_and(WITHOUT_GROUND[name]), engine="pyogrio")
    layers = scene.done()
    assert {"W-1", "W-2"} <= set(layers["buffers"]["resource_id"])
    assert "W-3" in {*layers["resources"]["resource_id"], *layers["findings"]["feature_id"].dropna()}


#: coordinates that no map has
AWAY = {
    "1e308": shapely.box(1e307, 1e307, 1e308, 1e308),
    "minus-1e308": shapely.box(-1e308, -1e308, 1e308, 1e308),
    "1e30": shapely.box(1e30, 1e30, 2e30, 2e30),
    "1e15": shapely.box(1e15, 1e15, 1e15 + 100, 1e15 + 100),
    "1e9": shapely.box(1e9, 1e9, 1e9 + 100, 1e9 + 100),
    "the-earth": shapely.box(-2e7, -1e7, 2e7, 1e7),
    "origin": shapely.box(0, 0, 30, 30),
    "degrees": shapely.box(-93.6, 44.9, -93.59, 44.91),
    "one-vertex-away": shapely.Polygon([*at((180, 0), (200, 0), (200, 20)), (1e12, 1e12)]),
    "subnormal": shapely.box(5e-324, 5e-324, 1e-300, 1e-300),
}


@pytest.mark.parametrize("name", AWAY)
def test_coordinates_that_no_map_has(scene, name):
    scene.write(two_wetlands_and(AWAY[name]), engine="pyogrio")
    scene.answered(ids=["W-1", "W-2", "W-3"])


@pytest.mark.parametrize("away", [(X + 200, 0.0), (X + 200, Y + 1.6e6), (0.0, 0.0)])
def test_a_vertex_half_a_continent_away_is_named(scene, away):
    scene.write(two_wetlands_and(shapely.Polygon([*at((180, 0), (200, 0), (200, 20)), away])), engine="pyogrio")
    told = scene.refused("wetlands", project='crs = "EPSG:26915"')
    assert "W-3" in told
    assert f"({away[0]:.10g}, {away[1]:.10g})" in told


def test_a_lake_as_wide_as_the_widest_is_one(scene):
    scene.write(two_wetlands_and(shapely.box(X + 160, Y, X + 1000, Y + 560e3)), engine="pyogrio")
    assert "W-3" in set(scene.done()["buffers"]["resource_id"])


@pytest.mark.parametrize("name", ["1e30", "the-earth", "origin", "degrees"])
@pytest.mark.parametrize("layer", ["parcels", "tract", "soils"])
def test_other_layers_where_no_map_is(scene, layer, name):
    frame = gpd.GeoDataFrame({"ID": ["P"], "HSG": ["A"]}, geometry=[AWAY[name]], crs=UTM)
    scene.write(frame, "other.gpkg")
    fields = {"parcels": "id", "tract": "id", "soils": "hsg"}[layer]
    lines = f'path = "other.gpkg"\nfields = {{ {fields} = "{"HSG" if layer == "soils" else "ID"}" }}'
    scene.answered(ids=["W-1", "W-2"], **{layer: lines})


class TestMuch:
    """Very many vertices, holes, parts and features, in bounded time and memory."""

    def test_a_million_vertices(self, scene):
        shape = ring(1_000_000)
        scene.write(polygons(shape), engine="pyogrio")
        layers = scene.done(tail='[outputs]\nformats = ["gpkg"]')
        width = layers["buffers"]["width_ft"].item() * FT
        grown = layers["buffers"].geometry.iloc[0].area
        # Steiner's formula: a convex outline grows by its perimeter times the width and a disc; a wavy one by less
        hull = shapely.convex_hull(shape)
        assert 0 < grown < shapely.length(shape) * width + math.pi * width**2
        assert grown > shapely.area(hull.buffer(width, quad_segs=64)) - shapely.area(hull) - 1

    def test_ten_thousand_holes(self, scene):
        scene.write(polygons(holed(10_000)), engine="pyogrio")
        layers = scene.done()
        outline = square(160, -100, 60)
        width = layers["buffers"]["width_ft"].item() * FT
        around = outline.area + 240 * width + math.pi * width**2
        holes = 10_000 * (0.4 * 0.6) ** 2
        assert layers["buffers"].geometry.iloc[0].area == pytest.approx(around - outline.area + holes, rel=1e-3)

    def test_thousands_of_parts_that_overlap(self, scene):
        parts = [square(160 + 0.02 * number, -100, 10) for number in range(2000)]
        scene.write(polygons(shapely.MultiPolygon(parts)), engine="pyogrio")
        assert scene.done("geometry-repaired")["resources"].geometry.iloc[0].area == pytest.approx(
            10 * (10 + 0.02 * 1999)
        )

    def test_the_same_wetland_three_hundred_times(self, scene):
        scene.write(polygons(*[square(100, 100)] * 300), engine="pyogrio")
        layers = scene.done("duplicate-dropped")
        assert len(layers["resources"]) == 1
        told = {*layers["resources"]["resource_id"], *layers["findings"]["feature_id"].dropna()}
        assert {f"W-{number}" for number in range(1, 301)} <= told

    def test_a_thousand_lots_like_needles(self, scene):
        lots = [shapely.box(X + 90 + 0.06 * i, Y + 50, X + 90 + 0.06 * (i + 1), Y + 200) for i in range(1000)]
        scene.write(gpd.GeoDataFrame({"PIN": range(1000)}, geometry=lots, crs=UTM), "parcels.gpkg")
        assert len(scene.done(parcels='path = "parcels.gpkg"\nfields = { id = "PIN" }')["buffers"]) == 2

    @pytest.mark.parametrize("depth", [30, 120, 5000])
    def test_collections_in_collections(self, scene, depth):
        inner = '{"type":"GeometryCollection","geometries":['
        shape = json.dumps(shapely.geometry.mapping(square(180, 0, 20)))
        text = (
            '{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:26915"}},"features":[{"type":'
            '"Feature","properties":{"WET_ID":"W-1","CLASS":"Preserve"},"geometry":'
        )
        (scene.folder / "deep.geojson").write_text(f"{text}{inner * depth}{shape}{']}' * depth}}}]}}")
        scene.answered(ids=["W-1"], file="deep.geojson")

    def test_no_upland_at_all(self, scene):
        scene.write(polygons(square(0, 0, 40), square(-2000, -2000, 4000), CLASS=["Preserve", "Manage 1"]))
        layers = scene.done("resources-overlap")
        assert set(layers["resources"]["resource_id"]) == {"W-1", "W-2"}


class TestTurnedAxes:
    """Coordinates in another order or system than the file says."""

    def test_latitude_before_longitude(self, scene):
        scene.write(polygons(shapely.box(44.9, -93.6, 44.901, -93.599)).set_crs("EPSG:4326", allow_override=True))
        scene.refused(project='crs = "EPSG:26915"')

    def test_across_the_antimeridian(self, scene):
        shapes = [shapely.box(179.99, 51.0, 179.999, 51.01), shapely.box(-179.999, 51.0, -179.99, 51.01)]
        scene.write(polygons(*shapes).set_crs("EPSG:4326", allow_override=True))
        scene.answered(ids=["W-1", "W-2"], project='crs = "auto"')

    def test_at_the_pole(self, scene):
        scene.write(polygons(shapely.box(-180, 89.9, 180, 90)).set_crs("EPSG:4326", allow_override=True))
        scene.answered(ids=["W-1"], project='crs = "auto"')

    def test_wetlands_on_two_continents(self, scene):
        shapes = [shapely.box(-93.6, 44.9, -93.599, 44.901), shapely.box(151.2, -33.9, 151.201, -33.899)]
        scene.write(polygons(*shapes).set_crs("EPSG:4326", allow_override=True))
        scene.refused("fit", project='crs = "auto"', code=2)


class TestStreams:
    """Lines and widths that cannot be."""

    @pytest.mark.parametrize("width", [0.0, -5.0, math.nan, math.inf, 1e9, 1e-9])
    def test_widths_from_bank_to_bank(self, scene, width):
        line = shapely.LineString(at((0, 0), (50, 0), (100, 20)))
        frame = gpd.GeoDataFrame({"ID": ["S-1"], "W": [width]}, geometry=[line], crs=UTM)
        scene.write(frame, "streams.gpkg", engine="pyogrio")
        lines = 'path = "streams.gpkg"\nfields = { id = "ID", bank_width_ft = "W" }\ndefaults.class = "x"'
        scene.answered(ids=["S-1", "W-1", "W-2"], rule="rcwd-rule-m-2004", streams=lines)

    @pytest.mark.parametrize(
        "line",
        [
            shapely.LineString(at((0, 0), (0, 0))),
            shapely.LineString(at(*[(50 * math.cos(i), 50 * math.sin(i)) for i in range(200)])),
            shapely.MultiLineString([at((i, 0), (i, 50)) for i in range(300)]),
            shapely.LineString([(X, Y), (X + 1e7, Y + 1e7)]),
            shapely.transform(
                shapely.LineString(at((0, 0), (9, 9))), lambda xy: xy * np.array([[1, 1], [1, math.nan]])
            ),
        ],
        ids=["no-length", "crossing", "three-hundred-parts", "across-the-world", "nan"],
    )
    def test_lines(self, scene, line):
        frame = gpd.GeoDataFrame({"ID": ["S-1"], "W": [6.0]}, geometry=[line], crs=UTM)
        scene.write(frame, "streams.gpkg", engine="pyogrio")
        lines = 'path = "streams.gpkg"\nfields = { id = "ID", bank_width_ft = "W" }'
        scene.answered(ids=["S-1", "W-1", "W-2"], rule="rcwd-rule-m-2004", streams=lines)
