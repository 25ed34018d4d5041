"""Files that a command names: proposals, monuments, disturbance and what must stay out of a buffer."""

from __future__ import annotations

import json
import math

import geopandas as gpd
import numpy as np
import pytest
import shapely
from small_site import UTM, X, Y, square

COMMANDS = {
    "check": ("check", "--proposed"),
    "design": ("design", "--keep-out"),
    "impacts": ("impacts", "--disturbance"),
    "screen": ("screen", "--disturbance"),
}


def frame(*shapes, **columns):
    return gpd.GeoDataFrame({"cause": ["fill"] * len(shapes), **columns}, geometry=list(shapes), crs=UTM)


def around(*shapes):
    """What a proposal mostly is: the ground within 80 ft of two wetlands."""
    return [square(*place).buffer(24.5).difference(square(*place)) for place in shapes or ((100, 100), (300, 100))]


def for_commands(cases):
    """All of them for check, and some for the other commands, which read their files by the same door."""
    return [("check", case) for case in cases] + [
        (command, case)
        for at, command in enumerate(COMMANDS)
        if command != "check"
        for case in list(cases)[at - 1 :: 5]
    ]


SRC = [
    "", "|", "|x", "gone.gpkg", "p.gpkg|", "p.gpkg|no such", "p.gpkg|layername=", "p.gpkg|p|p", "wetlands.gpkg|'; DROP",
    "site.toml", "..", "/dev/zero", "x" * 5000, "http://127.0.0.1:9/p.json", "p.gpkg|layerid=0",
]  # fmt: skip


@pytest.mark.parametrize(("command", "src"), for_commands(SRC))
def test_names_that_lead_nowhere(scene, command, src):
    scene.write(frame(*around()), "p.gpkg")
    word, option = COMMANDS[command]
    result = scene.answer(word, scene.project(), option, scene.folder / src if src[:1] in "pwsg" else src)
    assert result.code in (0, 1, 2, 3)
    if not src.startswith("p.gpkg"):
        assert result.code in (1, 2)


#: what is no proposal, no disturbance and nothing to keep out of a buffer
NONE = {
    "empty": [],
    "null": [None],
    "points": [shapely.Point(X, Y)],
    "lines": [shapely.LineString([(X, Y), (X + 9, Y)])],
    "flat": [shapely.Polygon([(X, Y), (X + 9, Y), (X, Y)])],
}


@pytest.mark.parametrize(("command", "name"), for_commands(NONE))
def test_what_holds_no_ground(scene, command, name):
    scene.write(frame(*NONE[name]), "p.gpkg", engine="pyogrio")
    word, option = COMMANDS[command]
    scene.refused(words=[word, scene.project(), option, scene.folder / "p.gpkg"])


ODD = {
    "the-earth": lambda: [shapely.box(-2e7, -1e7, 2e7, 1e7)],
    "far-away": lambda: [shapely.box(1e6, 1e6, 1e6 + 9, 1e6 + 9)],
    "huge": lambda: [shapely.box(1e300, 1e300, 1e301, 1e301)],
    "bow-tie": lambda: [shapely.Polygon([(X + 90, Y + 90), (X + 160, Y + 160), (X + 160, Y + 90), (X + 90, Y + 160)])],
    "slivers": lambda: [shapely.box(X + 80 + 0.4 * i, Y + 80, X + 80 + 0.4 * i + 0.2, Y + 160) for i in range(200)],
    "dust": lambda: list(shapely.buffer(shapely.points(X + np.linspace(80, 160, 60), Y + 90), 0.01)),
    "on-the-water": lambda: [square(100, 100)],
    "ring-with-many-vertices": lambda: [shapely.segmentize(shape, 0.05) for shape in around()],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ODD)
def test_odd_ground(scene, command, name):
    scene.write(frame(*ODD[name]()), "p.gpkg", engine="pyogrio")
    word, option = COMMANDS[command]
    result = scene.answer(word, scene.project(), option, scene.folder / "p.gpkg", "--dry-run")
    if command == "check" and name not in ("the-earth", "ring-with-many-vertices"):
        assert result.code in (1, 3)


@pytest.mark.parametrize("command", ["impacts", "screen"])
@pytest.mark.parametrize("cause", ["", "<script>", "FILL ", "fill; drain", "=1+1", "\U0001f427", None, 5, math.nan])
def test_causes(scene, command, cause):
    scene.write(frame(square(90, 90), cause=[cause]), "d.gpkg", engine="pyogrio")
    result = scene.answer(command, scene.project(), "--disturbance", scene.folder / "d.gpkg", "--dry-run")
    if command == "impacts":
        assert result.code == (0 if cause == "FILL " else 1)


@pytest.mark.parametrize(
    "stakes",
    [
        [], [None], [shapely.Point()], [shapely.Point(math.nan, Y)], [shapely.Point(1e300, 1e300)], [square(0, 0)],
        [shapely.Point(X + 100, Y + 100)] * 3000, [shapely.MultiPoint([(X, Y), (X + 1, Y)])],
    ],
    ids=["empty", "null", "no-point", "nan", "huge", "polygon", "thousands", "multipoint"],
)  # fmt: skip
def test_monuments(scene, stakes):
    scene.write(frame(*around()), "p.gpkg")
    scene.write(frame(*stakes), "m.gpkg", engine="pyogrio")
    words = ["check", scene.project(), "--proposed", scene.folder / "p.gpkg", "--monuments", scene.folder / "m.gpkg"]
    assert scene.answer(*words, "--dry-run").code in (1, 3)


def test_the_document_is_json_whatever_the_words(scene):
    scene.write(frame(square(90, 90), NAME=['"</script>\n\x01']), "p.gpkg")
    result = scene.answer("check", scene.project(), "--proposed", scene.folder / "p.gpkg", "--json", "--dry-run")
    assert json.loads(result.out)["compliant"] is False
