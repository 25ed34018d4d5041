"""Labels that do not lie on each other: each stands at the best of its places that are free, or is left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.outputs.sheet_paper import ASCENT, DESCENT, Align, Box, Face, Ink, Paper, text_width

Floats = NDArray[np.float64]

#: what a label is written on, so that lines below it do not cross its letters
_GROUND = Ink(fill="#ffffff", alpha=0.8)
_LEADER = Ink(line="#404040", width=0.35)
#: labels keep this far from each other and from the border, points
_APART, _BORDER = 1.2, 3.0
#: a label further from its point than this gets a line that leads there, points
_LEADS = 7.5
#: slanting things are taken as boxes of this size, points
_PIECE = 4.0
#: so many free places are compared
_COMPARED = 16
#: what a point of distance from the best place costs, in points of line that a label would hide
_AWAY = 0.35

#: how far from its point a label may stand (points), and in which directions: the upper right first, then by turns
_REACHES = np.array([4.0, 9.0, 16.0, 26.0, 40.0, 58.0])
_STEPS = np.arange(16)
_TURNS = np.pi / 4 + (_STEPS + 1) // 2 * np.where(_STEPS % 2, 1, -1) * np.pi / 8
#: places that are tried inside a polygon, as shares of its width and height
_SHARES = np.stack(np.meshgrid(np.linspace(0.08, 0.92, 11), np.linspace(0.08, 0.92, 11)), axis=-1).reshape(-1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a label."""

    text: str
    size: float
    face: Face = "regular"
    color: str = "#000000"

    @property
    def width(self) -> float:
        """How wide it is, points."""
        return text_width(self.text, self.size, self.face)

    @property
    def height(self) -> float:
        """How high it is, points."""
        return self.size * (ASCENT + DESCENT)


@dataclass(frozen=True, slots=True)
class Turned:
    """Where a line may stand that is turned against the clock, degrees: the middle of its baseline."""

    x: float
    y: float
    turn: float


class Labels:
    """All labels of one map."""

    def __init__(self, paper: Paper, frame: Box, lines: Sequence[Any]) -> None:
        self._paper = paper
        self._frame = frame
        self._taken = np.empty((0, 4))
        self._lines = shapely.STRtree(list(lines))
        #: labels for which there was no room
        self.left_out: list[str] = []

    def keep_off(self, boxes: Iterable[Box]) -> None:
        """Let no label lie on these."""
        self._take(np.array([(box.left, box.bottom, box.right, box.top) for box in boxes]).reshape(-1, 4))

    def keep_off_line(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Let no label lie on a line."""
        self._take(_pieces(np.array(start), np.array(end)))

    def at_point(self, at: tuple[float, float], lines: Sequence[Line], *, near: float = 0.0) -> bool:
        """Label a point: beside it, or further away with a line that leads to it; `near` is the size of its mark."""
        width, height = _size(lines)
        reach, turn = (values.ravel() for values in np.meshgrid(_REACHES, _TURNS, indexing="ij"))
        sin, cos = np.sin(turn), np.cos(turn)
        x, y = at[0] + (reach + near) * cos, at[1] + (reach + near) * sin
        left = x - width * np.where(cos > 0.3, 0.0, np.where(cos < -0.3, 1.0, 0.5))
        bottom = y - height / 2 * (1 - sin)
        cost = reach * _AWAY + np.tile(_STEPS, len(_REACHES)) * 0.05
        if self._write(lines, np.column_stack([left, bottom]), cost, lead_to=(*at, near)):
            return True
        self.left_out.append(" ".join(line.text for line in lines))
        return False

    def in_ground(self, ground: Any, lines: Sequence[Line], *, outside: bool = True) -> bool:  # noqa: ANN401 -- any shapely geometry
        """Label a polygon: inside where it has room, else beside it with a line that leads into it."""
        parts = shapely.get_parts(ground)
        parts = parts[shapely.area(parts) > 0]
        if not len(parts):
            return False
        part = parts[int(np.argmax(shapely.area(parts)))]
        size = np.array(_size(lines))
        circle = shapely.maximum_inscribed_circle(part, tolerance=max(part.length / 1000, 0.2))
        best = shapely.get_coordinates([part.centroid, shapely.Point(circle.coords[0])])
        left, bottom, right, top = part.bounds
        spots = np.vstack([best, (left, bottom) + _SHARES * (right - left, top - bottom)])
        cost = np.hypot(*(spots - best[1]).T) * 0.02 + 1
        cost[:2] = 0.0, 0.5
        corners = spots - size / 2
        shapely.prepare(part)
        inside = shapely.contains(part, shapely.box(*corners.T, *(corners + size).T))
        if not outside:
            # a number of a lot may stand out of it where it is narrow, not its middle
            inside = shapely.contains_xy(part, *spots.T)
        if self._write(lines, corners[inside], cost[inside]):
            return True
        at = shapely.get_coordinates(circle)[0]
        return outside and self.at_point((float(at[0]), float(at[1])), lines)

    def along(self, spots: Sequence[Turned], line: Line) -> bool:
        """Label a line at the first of some places that is free; what has no room there is left out without a word."""
        for spot in spots:
            pieces = _turned_pieces(line, spot)
            if self._is_inside(pieces).all() and not self._hits(pieces).any():
                self._paper.draw([_turned_ground(line, spot)], _GROUND)
                self._text(line, (spot.x, spot.y), align="center", turn=spot.turn)
                self._take(pieces)
                return True
        return False

    def _write(
        self,
        lines: Sequence[Line],
        corners: Floats,
        cost: Floats,
        *,
        lead_to: tuple[float, float, float] | None = None,
    ) -> bool:
        """Write where it costs least among the places that are free; `corners` are left and lower."""
        bounds = np.hstack([corners, corners + _size(lines)])
        free = np.flatnonzero(self._is_inside(bounds) & ~self._hits(bounds))
        best: tuple[float, int, Floats] | None = None
        compared = 0
        for place in free[np.argsort(cost[free], kind="stable")].tolist():
            if compared == _COMPARED or (best is not None and cost[place] >= best[0]):
                break
            leader = _leader(bounds[place], lead_to)
            if len(leader) and self._hits(_pieces(*leader)).any():
                continue
            compared += 1
            total = float(cost[place]) + self._hidden(bounds[place])
            if best is None or total < best[0]:
                best = (total, place, leader)
        if best is None:
            return False
        self._put(lines, bounds[best[1]], best[2])
        return True

    def _put(self, lines: Sequence[Line], bounds: Floats, leader: Floats) -> None:
        if len(leader):
            self._paper.draw([shapely.LineString(leader)], _LEADER)
            self._take(_pieces(*leader))
        left, top = float(bounds[0]), float(bounds[3])
        middle = (left + float(bounds[2])) / 2
        for line in lines:
            half = line.width / 2
            self._paper.box(Box(middle - half, top - line.height, middle + half, top), _GROUND)
            self._text(line, (middle, top - line.size * ASCENT), align="center")
            top -= line.height
        self._take(bounds[None])

    def _text(self, line: Line, at: tuple[float, float], *, align: Align, turn: float = 0.0) -> None:
        self._paper.text(at, line.text, size=line.size, face=line.face, align=align, turn=turn, color=line.color)

    def _take(self, bounds: Floats) -> None:
        self._taken = np.vstack([self._taken, bounds])

    def _is_inside(self, bounds: Floats) -> NDArray[np.bool_]:
        frame = self._frame
        low = np.array([frame.left, frame.bottom]) + _BORDER
        high = np.array([frame.right, frame.top]) - _BORDER
        return np.asarray((bounds[:, :2] >= low).all(axis=1) & (bounds[:, 2:] <= high).all(axis=1))

    def _hits(self, bounds: Floats) -> NDArray[np.bool_]:
        """Which boxes come too near to what is taken."""
        if not len(bounds):
            return np.zeros(0, dtype=bool)
        low, high = bounds[:, :2] - _APART, bounds[:, 2:] + _APART
        taken = self._taken
        near = taken[(taken[:, :2] < high.max(axis=0)).all(axis=1) & (taken[:, 2:] > low.min(axis=0)).all(axis=1)]
        across = (near[None, :, :2] < high[:, None]).all(axis=2) & (near[None, :, 2:] > low[:, None]).all(axis=2)
        return np.asarray(across.any(axis=1))

    def _hidden(self, bounds: Floats) -> float:
        """How much line a label would hide, points."""
        ground = shapely.box(*bounds)
        near = self._lines.query(ground, predicate="intersects")
        if not len(near):
            return 0.0
        return float(shapely.length(shapely.intersection(self._lines.geometries[near], ground)).sum())


def _size(lines: Sequence[Line]) -> tuple[float, float]:
    return max(line.width for line in lines), sum(line.height for line in lines)


def _leader(bounds: Floats, lead_to: tuple[float, float, float] | None) -> Floats:
    """Return the ends of the line that leads from a point's mark to a label, none where the label is near."""
    if lead_to is None:
        return np.empty((0, 2))
    at, near = np.array(lead_to[:2]), lead_to[2]
    end = np.clip(at, bounds[:2], bounds[2:])
    way = end - at
    length = float(np.hypot(*way))
    if length <= _LEADS + near:
        return np.empty((0, 2))
    start = at + way / length * (near + 2 * _APART if near else 0.0)
    return np.array([start, end - way / length * (2 * _APART)])


def _pieces(start: Floats, end: Floats) -> Floats:
    """Boxes along a line, shape (n, 4), so small that they take little more than the line does."""
    count = max(int(np.hypot(*(end - start)) / _PIECE), 1)
    at = start + np.linspace(0, 1, count + 1)[:, None] * (end - start)
    return np.hstack([np.minimum(at[:-1], at[1:]), np.maximum(at[:-1], at[1:])])


def _turned_ground(line: Line, spot: Turned) -> shapely.Polygon:
    half, sin, cos = line.width / 2, np.sin(np.radians(spot.turn)), np.cos(np.radians(spot.turn))
    low, high = -DESCENT * line.size, ASCENT * line.size
    corners = np.array([(-half, low), (half, low), (half, high), (-half, high)])
    return shapely.Polygon(corners @ np.array([(cos, sin), (-sin, cos)]) + (spot.x, spot.y))


def _turned_pieces(line: Line, spot: Turned) -> Floats:
    """Boxes that a turned line of text takes, one for each piece about as wide as it is high."""
    count = max(round(line.width / line.height), 1)
    ground = shapely.get_coordinates(_turned_ground(line, spot))
    ends = np.linspace(0, 1, count + 1)[:, None]
    low, high = ground[0] + ends * (ground[1] - ground[0]), ground[3] + ends * (ground[2] - ground[3])
    corners = np.stack([low[:-1], low[1:], high[:-1], high[1:]])
    return np.hstack([corners.min(axis=0), corners.max(axis=0)])
