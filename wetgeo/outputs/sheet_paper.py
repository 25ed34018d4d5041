"""A sheet of paper, 11 x 17 in, to draw on: in points, 72 an inch, from its lower left corner."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
import shapely
from matplotlib.artist import Artist
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, get_font
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from matplotlib.textpath import text_to_path
from matplotlib.transforms import IdentityTransform
from numpy.typing import NDArray

from wetgeo.outputs.plain import one_line

INCH = 72.0
WIDTH, HEIGHT = 17 * INCH, 11 * INCH

Geometries = Sequence[Any] | NDArray[np.object_]
Face = Literal["regular", "bold", "oblique"]
Align = Literal["left", "center", "right"]

#: share of the size of a font that its letters reach above and below the line they stand on
ASCENT, DESCENT = 0.80, 0.24

#: of coordinates on the paper, in points: a hundredth is far less than a line's width
_DECIMALS = 2

_FILES = {"regular": "DejaVuSans.ttf", "bold": "DejaVuSans-Bold.ttf", "oblique": "DejaVuSans-Oblique.ttf"}
#: what stands for a character that the font does not have
_UNKNOWN = "\ufffd"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the paper, points."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        """Its width, points."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Its height, points."""
        return self.top - self.bottom

    @property
    def center(self) -> tuple[float, float]:
        """Its middle."""
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2

    @property
    def polygon(self) -> shapely.Polygon:
        """The same as a polygon."""
        return shapely.box(self.left, self.bottom, self.right, self.top)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """How something is drawn. Colours as ``#rrggbb``, None for none; line width in points; dashes in points."""

    line: str | None = None
    width: float = 0.5
    dash: tuple[float, ...] = ()
    fill: str | None = None
    hatch: str | None = None
    hatch_color: str | None = None
    alpha: float = 1.0

    @property
    def style(self) -> dict[str, Any]:
        """What matplotlib calls it."""
        style: dict[str, Any] = {
            "edgecolor": self.line or "none",
            "facecolor": self.fill or "none",
            "linewidth": self.width if self.line else 0.0,
            "linestyle": (0, self.dash) if self.dash else "solid",
            "alpha": None if self.alpha == 1.0 else self.alpha,
            "joinstyle": "round",
            "capstyle": "butt",
        }
        if self.hatch:
            # a hatch is drawn in the colour of the edge, also where the edge itself has no width
            style |= {"hatch": self.hatch, "edgecolor": self.hatch_color or self.line or "#000000"}
        return style


@functools.cache
def _font(face: Face) -> FontProperties:
    # the fonts that come with matplotlib, so that a sheet looks the same everywhere
    return FontProperties(fname=str(Path(mpl.get_data_path()) / "fonts" / "ttf" / _FILES[face]))


@functools.cache
def _letters(face: Face) -> frozenset[int]:
    return frozenset(get_font(str(_font(face).get_file())).get_charmap())


def writable(text: object, face: Face = "regular") -> str:
    """Write text on one line, in characters that the font has."""
    return "".join(c if ord(c) in _letters(face) else _UNKNOWN for c in one_line(text))


@functools.lru_cache(maxsize=4096)
def _advance(letter: str, face: Face) -> float:
    """Width of a letter in a font of size 1; between stops, for a blank at an end has no width of its own."""
    font = _font(face).copy()
    font.set_size(100)
    wide, bare = (
        text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] for text in (f"|{letter}|", "||")
    )
    return float(wide - bare) / 100


def text_width(text: str, size: float, face: Face = "regular") -> float:
    """Width of a line of text, points; pairs that the font moves together count in full."""
    return _unit_width(text, face) * size


@functools.lru_cache(maxsize=65536)
def _unit_width(text: str, face: Face) -> float:
    return sum(_advance(letter, face) for letter in writable(text, face))


def fitted(text: str, size: float, width: float, face: Face = "regular") -> str:
    """Cut text to a width in points, with three dots where something was cut."""
    text = writable(text, face)
    if text_width(text, size, face) <= width:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if text_width(text[:middle] + "…", size, face) <= width else (low, middle - 1)
    return text[:low].rstrip() + "…"


def wrapped(text: str, size: float, width: float, face: Face = "regular") -> list[str]:
    """Break text into lines of a width in points, at blanks; a word that is too long is cut into pieces."""
    lines, line = [], ""
    for word in writable(text, face).split():
        joined = f"{line} {word}".strip()
        if text_width(joined, size, face) <= width:
            line = joined
            continue
        lines += [line] if line else []
        line = word
        while text_width(line, size, face) > width and len(line) > 1:
            part = len(fitted(line, size, width, face)) - 1
            lines.append(line[: max(part, 1)])
            line = line[max(part, 1) :]
    return [*lines, line] if line else lines


class _Written(Artist):
    """A line of text that stands where it is put: matplotlib's own would measure it several times over."""

    def __init__(self, start: tuple[float, float], text: str, font: FontProperties, color: str, turn: float) -> None:
        super().__init__()
        self._start, self._line, self._font, self._color, self._turn = start, text, font, color, turn

    def draw(self, renderer: RendererBase) -> None:
        """Draw it; points of the paper are the renderer's own."""
        context = renderer.new_gc()
        context.set_foreground(self._color)
        renderer.draw_text(context, *self._start, self._line, self._font, self._turn)
        context.restore()


def outline(geometry: Any) -> Outline | None:  # noqa: ANN401 -- any shapely geometry
    """Turn a polygon, line or a collection of them into a path; None where nothing is left."""
    vertices, codes = [], []
    for part in shapely.get_parts(geometry):
        dimension = shapely.get_dimensions(part)
        if dimension < 1:
            continue
        for ring in shapely.get_parts(shapely.boundary(part)) if dimension == 2 else [part]:
            xy = shapely.get_coordinates(ring)
            vertices.append(xy)
            code = np.full(len(xy), Outline.LINETO, dtype=np.uint8)
            code[0] = Outline.MOVETO
            if dimension == 2:
                code[-1] = Outline.CLOSEPOLY
            codes.append(code)
    if not vertices:
        return None
    return Outline(np.concatenate(vertices).round(_DECIMALS), np.concatenate(codes))


class Paper:
    """One sheet; what is drawn later lies on top."""

    def __init__(self) -> None:
        self.figure = Figure(figsize=(WIDTH / INCH, HEIGHT / INCH), dpi=INCH)
        self._order = 1.0
        #: all text, with the ground on the paper that each line of it covers
        self.written: list[tuple[str, Any]] = []

    def draw(self, geometries: Geometries, ink: Ink) -> None:
        """Draw shapely geometries that stand in points; polygons are filled, lines are not."""
        for geometry in geometries:
            path = outline(geometry)
            if path is not None:
                self._add(PathPatch(path, clip_on=False, **ink.style))

    def line(self, points: Iterable[tuple[float, float]], ink: Ink) -> None:
        """Draw a line through points."""
        self.draw([shapely.LineString(list(points))], ink)

    def box(self, box: Box, ink: Ink) -> None:
        """Draw a rectangle."""
        self.draw([box.polygon], ink)

    def text(
        self,
        at: tuple[float, float],
        text: object,
        *,
        size: float,
        face: Face = "regular",
        align: Align = "left",
        turn: float = 0.0,
        color: str = "#000000",
    ) -> float:
        """Write a line of text, `at` being where it stands on its line; returns its width, points.

        `turn` is an angle against the clock, degrees.
        """
        text = writable(text, face)
        if not text:
            return 0.0
        width = text_width(text, size, face)
        back = {"left": 0.0, "center": width / 2, "right": width}[align]
        start = (at[0] - back * np.cos(np.radians(turn)), at[1] - back * np.sin(np.radians(turn)))
        font = _font(face).copy()
        font.set_size(size)
        self._add(_Written(start, text, font, color, turn))
        self.written.append((text, text_box(at, text, size=size, face=face, align=align, turn=turn)))
        return width

    def paragraph(self, box: Box, text: str, *, size: float, face: Face = "regular", color: str = "#000000") -> float:
        """Write lines from the top of a box downward, as many as it holds; returns where they end."""
        step, top = size * 1.25, box.top
        for line in wrapped(text, size, box.width, face):
            if top - step < box.bottom:
                break
            self.text((box.left, top - size * ASCENT), line, size=size, face=face, color=color)
            top -= step
        return top

    def _add(self, artist: Artist) -> None:
        self._order += 1
        artist.set_zorder(self._order)
        # the figure has 72 dots an inch, as the PDF has: its pixels are points
        artist.set_transform(IdentityTransform())
        self.figure.add_artist(artist)


def text_box(
    at: tuple[float, float],
    text: str,
    *,
    size: float,
    face: Face = "regular",
    align: Align = "left",
    turn: float = 0.0,
) -> shapely.Polygon:
    """Return the ground on the paper that a line of text covers."""
    width = text_width(text, size, face)
    start = {"left": 0.0, "center": -width / 2, "right": -width}[align]
    low, high = -DESCENT * size, ASCENT * size
    corners = np.array([(start, low), (start + width, low), (start + width, high), (start, high)])
    sin, cos = np.sin(np.radians(turn)), np.cos(np.radians(turn))
    return shapely.Polygon(corners @ np.array([(cos, sin), (-sin, cos)]) + np.array(at))
