"""declaration.txt: what is described, in which words, and that following them leads to the ground meant."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recorded import FEET, METRES, at, ready

from wetgeo.errors import InputError
from wetgeo.outputs.declaration import DECLARATION, declaration_lines, read_declaration, write_declaration
from wetgeo.outputs.tracts import lot_buffers
from wetgeo.rules.load import load_pack

WETLAND = {"W1": shapely.box(0, 0, 300, 200)}
#: a buffer with square corners, so that courses are exact
SQUARE = {"W1": shapely.box(-50, -50, 350, 250).difference(WETLAND["W1"])}
LOTS = {
    "A": shapely.box(-500, -500, 100, 700),
    "B": shapely.box(100, -500, 200, 700),
    "C": shapely.box(200, -500, 800, 700),
}
MONUMENTS = [("W1-1", 100, 250), ("W1-2", 200, 250)]


def _text(folder, *args, **changes):
    folder.mkdir(exist_ok=True)
    write_declaration(ready(folder, *args, **changes), folder)
    return (folder / DECLARATION).read_bytes().decode()


def _tract(text, parcel, letter):
    """The lines of one tract."""
    block = text.split(f"\nPARCEL {parcel}\n", 1)[1].split("\n\n\n=")[0]
    return [line.strip() for line in re.search(rf"(?m)^Tract {letter}\b.*(?:\n .*)*", block)[0].splitlines()]


def _far(one, other):
    """The greatest distance between two polygons' outlines."""
    return shapely.hausdorff_distance(shapely.boundary(one), shapely.boundary(other), densify=0.02)


def test_a_rectangle_on_one_lot(tmp_path):
    text = _text(tmp_path, WETLAND, SQUARE, LOTS, MONUMENTS)
    assert _tract(text, "B", "A") == [
        "Tract A of parcel B",
        "Buffer of wetland W1, required width 50 ft (5(a))",
        "That part of parcel B, described as follows:",
        "Commencing at the corner of parcel B at northing 800700.000, easting 2500100.000;",
        "thence S 00°00'00\" E 450.00 feet to the point of beginning, at monument W1-1;",
        "along the upland edge of the buffer of wetland W1:",
        "1  thence N 90°00'00\" E 100.00 feet to monument W1-2;",
        "along the line of parcel B:",
        "2  thence S 00°00'00\" E 50.00 feet;",
        "along the delineated edge of wetland W1:",
        "3  thence N 90°00'00\" W 100.00 feet;",
        "along the line of parcel B:",
        "4  thence N 00°00'00\" E 50.00 feet to the point of beginning.",
        "Perimeter 300.00 feet; closure error less than 0.001 feet",
        "Area described: 5,000 square feet (0.11 acres)",
        "Buffer as delineated: 5,000 square feet (0.11 acres); chords stray from its edge by no more than 1.00 ft",
    ]
    assert "Tract B of parcel B" in text
    assert "Buffer here: 10,000 square feet (0.23 acres), in 2 tracts." in text
    assert "NO PARCEL" not in text


def test_head(tmp_path):
    pack = load_pack("mcwd-2024")
    text = _text(tmp_path, WETLAND, SQUARE, LOTS, pack=pack, options={"course_tolerance": 0.5})
    lines = text.splitlines()
    assert lines[2] == "Project: Łąka"
    assert lines[3] == "Rule: Wetland Protection Rule (mcwd-2024, version 1.0, effective 2024-04-29)"
    assert lines[4] == "Declaration: 4(d)"
    assert lines[5] == "Date: 2026-06-01"
    assert lines[6] == f"Coordinate system: {FEET.name} (EPSG:26850)"
    assert lines[7] == "Coordinates: US survey foot (0.304800609601219 m)"
    assert lines[8] == "Distances: US survey feet (0.304800609601219 m)"
    assert lines[9] == "Bearings: grid bearings of this coordinate system"
    assert "no more than 0.5 ft" in text
    assert re.search(r"scale factor is \d\.\d{6} ", text)


def test_grid_in_the_head(tmp_path):
    """UTM zone 15 at its central meridian, 93 degrees west: scale 0.9996, true north is the grid's."""
    middle = {"W1": shapely.box(147_600, 0, 147_700, 100)}
    buffer = {"W1": middle["W1"].buffer(50, quad_segs=32).difference(middle["W1"])}
    text = " ".join(_text(tmp_path, middle, buffer, crs=METRES).split())
    assert "Distances: international feet (0.3048 m)" in text
    assert "scale factor is 0.999600" in text
    assert re.search(r"true north bears N 00°00'0\d\" [EW]\.", text)
    # half a degree east of it at 45 degrees north, true north lies 0.5 sin(45) degrees west of the grid's
    text = " ".join(_text(tmp_path, WETLAND, SQUARE, crs=METRES).split())
    found = re.search(r"true north bears N 00°(\d\d)'(\d\d)\" E", text)
    lon = 45_000 / (6378137 / math.sqrt(1 - 0.00669438 * 0.5) * math.cos(math.radians(44.97)) * 0.9996)
    expected = math.degrees(lon) * math.sin(math.radians(44.97)) * 60
    assert int(found[1]) + int(found[2]) / 60 == pytest.approx(expected, abs=0.1)


def test_arcs_as_chords(tmp_path):
    """Around a square corner: a quarter circle of 50 ft needs four chords at 1 ft, 2 r sin(11.25 degrees) each."""
    buffer = {"W1": WETLAND["W1"].buffer(50, quad_segs=64).difference(WETLAND["W1"])}
    text = _text(tmp_path, WETLAND, buffer, LOTS)
    lines = _tract(text, "A", "A")
    edge = lines[
        lines.index("along the upland edge of the buffer of wetland W1:") + 1 : lines.index(
            "along the line of parcel A:"
        )
    ]
    chord = 100 * math.sin(math.radians(11.25))
    lengths = [float(re.search(r"([\d.]+) feet", line)[1]) for line in edge]
    assert lengths == pytest.approx([100, *[chord] * 4, 200, *[chord] * 4, 100], abs=0.011)
    described = 2 * 5000 + 10000 + 4 * 2 * (math.sin(math.radians(22.5)) / 2) * 2500
    true = 2 * 5000 + 10000 + math.pi * 2500 / 2
    areas = [float(re.search(r": ([\d,]+) square", line)[1].replace(",", "")) for line in lines[-2:]]
    # a hundredth of a foot on all of the edge
    assert areas == pytest.approx([described, true], abs=0.01 * 560)


def test_a_ring_without_lots_excepts_its_wetland(tmp_path):
    circle = {"W1": shapely.Point(0, 0).buffer(100, quad_segs=256)}
    buffer = {"W1": shapely.Point(0, 0).buffer(150, quad_segs=256).difference(circle["W1"])}
    text = _text(tmp_path, circle, buffer, monuments=[("W1-1", 0, 150)])
    assert "NO PARCEL" in text
    assert "Beginning at the point at northing 800150.000, easting 2500000.000, at monument W1-1;" in text
    assert "EXCEPT that part, number 1, described as follows:" in text
    assert "Beginning at the point at northing 800100.000, easting 2500000.000;" in text
    assert "No parcels are known here" in text
    (tract,) = read_declaration(text)
    assert tract.parcel is None
    assert _far(tract.polygon, at(buffer["W1"])) <= 1.0
    assert tract.polygon.area == pytest.approx(math.pi * (150**2 - 100**2), rel=0.01)


@pytest.mark.parametrize("crs", [FEET, METRES])
def test_followed_words_lead_to_the_ground_described(tmp_path, crs):
    """Every vertex within 0.05 ft, whatever the unit of the CRS; the ground of all tracts is the buffer's but for slivers."""
    unit = 1.0 if crs == FEET else 0.3048
    delineation = ready(tmp_path, *_wiggly(7, 400), LOTS, crs=crs)
    text = "\n".join(declaration_lines(delineation))
    read = read_declaration(text)
    described = [(lot, tract) for lot in lot_buffers(delineation, 1.0) for tract in lot.tracts]
    assert len(read) == len(described) > 3
    for one, (lot, tract) in zip(read, described, strict=True):
        assert (one.parcel, one.letter) == (lot.name, tract.letter)
        meant = [shapely.Polygon(ring.courses.xy[:-1] * unit) for ring in tract.rings]
        outer = shapely.Polygon(one.polygon.exterior)
        assert len(outer.exterior.coords) == len(meant[0].exterior.coords)
        assert np.abs(shapely.get_coordinates(outer) - shapely.get_coordinates(meant[0])).max() < 0.05 * unit
        assert one.area_sqft == pytest.approx(tract.described, abs=0.5)
    union = shapely.union_all([one.polygon for one in read])
    true = shapely.union_all(delineation.layers["buffer_union"].geometry.array)
    # an arc of 64 chords to the quarter falls short of the circle by less than a ten-thousandth
    assert true.buffer(1.0001 * unit, quad_segs=64).contains(union)
    slivers = sum(lot.sliver_area for lot in lot_buffers(delineation, 1.0))
    assert true.difference(union.buffer(1.0001 * unit, quad_segs=64)).area <= slivers * unit**2
    assert slivers < 5


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), tolerance=st.sampled_from([0.1, 0.5, 1.0, 3.0]), lots=st.booleans())
def test_chords_keep_to_the_buffer(tmp_path, seed, tolerance, lots):
    delineation = ready(tmp_path, *_wiggly(seed, 60), LOTS if lots else {}, options={"course_tolerance": tolerance})
    read = read_declaration("\n".join(declaration_lines(delineation)))
    true = shapely.union_all(delineation.layers["buffer_union"].geometry.array)
    for one in read:
        assert one.polygon.is_valid
        ground = true if one.parcel is None else true.intersection(at(LOTS[one.parcel]))
        nearest = min((part for part in shapely.get_parts(ground)), key=lambda part: _far(part, one.polygon))
        assert _far(nearest, one.polygon) <= tolerance + 1e-6


def test_no_parcel_after_the_parcels(tmp_path):
    """A street of 66 ft between two lots: its ground is described last, tied to the nearest corner of a lot."""
    lots = {"1": shapely.box(-500, -500, 100, 700), "2": shapely.box(166, -500, 700, 700)}
    text = _text(tmp_path, WETLAND, SQUARE, lots)
    read = read_declaration(text)
    assert [(one.parcel, one.letter) for one in read] == [("1", "A"), ("2", "A"), (None, "A"), (None, "B")]
    assert [one.polygon.area for one in read[2:]] == pytest.approx([3300, 3300])
    bare = text.split("NO PARCEL (such as a street's right-of-way)")[1]
    assert "Commencing at the corner of parcel" in bare
    assert "along the line of parcel 1:" in bare
    assert "along the line of parcel 2:" in bare


def test_ground_that_buffers_share_is_described_once(tmp_path):
    wetlands = {"W1": shapely.box(0, 0, 100, 100), "W2": shapely.box(160, 0, 260, 100)}
    water = shapely.union_all(list(wetlands.values()))
    buffers = {name: shape.buffer(50, join_style="mitre").difference(water) for name, shape in wetlands.items()}
    outline = shapely.box(-50, -50, 310, 150)
    edges = {
        "W1": outline.exterior.intersection(shapely.box(-60, -60, 150, 160)),
        "W2": outline.exterior.intersection(shapely.box(150, -60, 320, 160)),
    }
    edges = {name: shapely.line_merge(line) for name, line in edges.items()}
    text = _text(tmp_path, wetlands, buffers, {"A": shapely.box(-100, -100, 400, 400)}, edges=edges)
    lines = _tract(text, "A", "A")
    assert lines[1:3] == [f"Buffer of wetland {name}, required width 50 ft (5(a))" for name in ("W1", "W2")]
    assert "along the upland edge of the buffer of wetland W1:" in lines
    assert "along the upland edge of the buffer of wetland W2:" in lines
    assert sum(line.startswith("EXCEPT") for line in lines) == 2
    (tract,) = read_declaration(text)
    assert tract.polygon.area == pytest.approx(360 * 200 - 20000)


def test_stacked_parcels_are_one_lot(tmp_path):
    lots = {"101": LOTS["B"], "102": LOTS["B"], "A": LOTS["A"], "C": LOTS["C"]}
    text = _text(tmp_path, WETLAND, SQUARE, lots)
    assert re.findall(r"(?m)^PARCEL (.*)$", text) == ["101; 102", "A", "C"]


def test_overlapping_parcels_each_hold_the_ground(tmp_path):
    lots = {"A": LOTS["A"], "B": shapely.box(90, -500, 200, 700), "C": LOTS["C"]}
    read = read_declaration(_text(tmp_path, WETLAND, SQUARE, lots))
    assert sum(one.polygon.area for one in read) == pytest.approx(60000 - 4 * 0 + 2 * 500, abs=1)


def test_slivers_are_told_and_not_described(tmp_path):
    """A gap of two inches between lots: 2 x 50 ft x 1/6 ft."""
    lots = {"A": LOTS["A"], "B": shapely.box(100 + 1 / 6, -500, 800, 700)}
    text = _text(tmp_path, WETLAND, SQUARE, lots)
    bare = text.split("NO PARCEL")[1]
    assert "Of this 17 square feet (0.00 acres) not described: 2 slivers narrower than 0.5 ft" in bare
    assert {one.parcel for one in read_declaration(text)} == {"A", "B"}


def test_a_wetland_that_touches_a_lot_line_at_a_point(tmp_path):
    wetland = {"W1": shapely.Polygon([(0, 0), (100, 100), (0, 200), (-100, 100)])}
    buffer = {"W1": shapely.box(-150, -50, 100, 250).difference(wetland["W1"])}
    text = _text(tmp_path, wetland, buffer, {"A": shapely.box(-500, -500, 100, 700)})
    assert "nearer to each other" not in text
    (tract,) = read_declaration(text)
    assert tract.polygon.area == pytest.approx(250 * 300 - 20000, abs=5)


@pytest.mark.parametrize(
    "name", ["Łąka “3” – ź", "a\nthence N 00°00'00\" E 5.00 feet;", "x at northing 1, easting 2;", "PARCEL 9", "=1+1"]
)
def test_awkward_names(tmp_path, name):
    wetland, buffer = {name: WETLAND["W1"]}, {name: SQUARE["W1"]}
    lots = {name: LOTS["B"], "A": LOTS["A"], "C": LOTS["C"]}
    text = _text(
        tmp_path, wetland, buffer, lots, [(f"{name}-1", 100, 250), (f"{name} to the point of beginning.", 200, 250)]
    )
    read = read_declaration(text)
    assert {one.parcel for one in read} == {" ".join(name.split()), "A", "C"}
    assert sum(one.polygon.area for one in read) == pytest.approx(60000, abs=1)


def test_many_tracts_have_letters_enough(tmp_path):
    lots = {"A": shapely.union_all([shapely.box(10 * i, -500, 10 * i + 5, 700) for i in range(30)])}
    read = read_declaration(_text(tmp_path, WETLAND, SQUARE, lots))
    letters = [one.letter for one in read if one.parcel == "A"]
    assert len(letters) == 60
    assert letters[:2] + letters[25:28] + letters[51:53] == ["A", "B", "Z", "AA", "AB", "AZ", "BA"]


def test_same_delineation_same_text(tmp_path):
    assert _text(tmp_path / "a", *_wiggly(1, 60), LOTS) == _text(tmp_path / "b", *_wiggly(1, 60), LOTS)


def test_nothing_to_describe(tmp_path):
    assert read_declaration(_text(tmp_path, {}, {})) == []


def test_a_fine_tolerance_follows_the_edge(tmp_path):
    delineation = ready(tmp_path, *_wiggly(3, 80), {}, options={"course_tolerance": 0.01})
    (one, *_) = read_declaration("\n".join(declaration_lines(delineation)))
    assert _far(one.polygon, shapely.union_all(delineation.layers["buffer_union"].geometry.array)) <= 0.03


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda _: "", "no declaration"),
        (lambda text: text.replace("N 90°00'00\" E", "N 91°00'00\" E"), r"line \d+ of the declaration cannot be read"),
        (lambda text: re.sub(r"(?m)^ *(Commencing|Beginning).*\n", "", text), "without a known place"),
        (lambda text: re.sub(r"(?m)^Distances.*\n", "", text), "cannot be read"),
    ],
)
def test_what_cannot_be_read(tmp_path, change, words):
    with pytest.raises(InputError, match=words):
        read_declaration(change(_text(tmp_path, WETLAND, SQUARE, LOTS)))


def _wiggly(seed, count):
    """A wetland with a rough outline across the three lots, and its buffer of 50 ft."""
    random = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    radius = 150 + 50 * np.sin(3 * angle + seed) + random.uniform(-4, 4, count)
    wetland = shapely.Polygon(np.column_stack([150 + radius * np.sin(angle), 100 + radius * np.cos(angle)]))
    buffer = wetland.buffer(50, quad_segs=40).difference(wetland)
    return {"W1": wetland}, {"W1": buffer}
