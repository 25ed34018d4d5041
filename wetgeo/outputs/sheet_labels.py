"""Labels that do not lie on each other: each takes the first of its places that is free, or the least bad."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from wetgeo.outputs.sheet_paper import ASCENT, DESCENT, Align, Box, Face, Ink, Paper, text_box

#: what a label is written on, so that lines below it do not cross its letters
_GROUND = Ink(fill="#ffffff", alpha=0.8)
_LEADER = Ink(line="#404040", width=0.35)
#: labels keep this far from each other, points
_APART = 1.2
#: a label further from its place than this gets a line that leads there, points
_LEADS = 9.0
#: how far from its place a label of a point may stand, points
_REACHES = (4.0, 9.0, 16.0, 26.0, 40.0, 58.0)
_TURNS = 16
#: what a point of distance from the best place costs, in points of line that a label would hide
_AWAY = 0.35


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a label."""

    text: str
    size: float
    face: Face = "regular"
    color: str = "#000000"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a label may stand: the middle of its lower edge's baseline, what it costs there, and its turn."""

    x: float
    y: float
    cost: float = 0.0
    turn: float = 0.0
    align: Align = "center"


class Labels:
    """All labels of one map."""

    def __init__(self, paper: Paper, frame: Box, lines: Sequence[Any]) -> None:
        self._paper = paper
        self._frame = shapely.box(frame.left + 3, frame.bottom + 3, frame.right - 3, frame.top - 3)
        self._taken: list[Any] = []
        self._leaders: list[Any] = []
        self._lines = shapely.STRtree(list(lines))
        #: labels for which there was no room
        self.left_out: list[str] = []

    def keep_off(self, shapes: Iterable[Any]) -> None:
        """Let no label lie on these."""
        self._taken += list(shapes)

    def at_point(self, at: tuple[float, float], lines: Sequence[Line], *, near: float = 0.0) -> bool:
        """Label a point: beside it, or further away with a line that leads to it."""
        height = _height(lines)
        spots = []
        for reach in _REACHES:
            for step in range(_TURNS):
                # the upper right first, then to both sides by turns
                turn = np.pi / 4 + (step + 1) // 2 * (1 if step % 2 else -1) * 2 * np.pi / _TURNS
                x, y = at[0] + (reach + near) * np.cos(turn), at[1] + (reach + near) * np.sin(turn)
                align: Align = "left" if np.cos(turn) > 0.3 else "right" if np.cos(turn) < -0.3 else "center"
                low = y - height / 2 * (1 - np.sin(turn))
                spots.append(Spot(x, low, reach * _AWAY + step * 0.05, 0.0, align))
        return self._write(lines, spots, lead_to=at, leads=_LEADS + near)

    def in_ground(self, ground: Any, lines: Sequence[Line], *, outside: bool = True) -> bool:  # noqa: ANN401 -- any shapely geometry
        """Label a polygon: inside where it has room, else beside it with a line that leads into it."""
        if shapely.is_empty(ground):
            return False
        parts = shapely.get_parts(ground)
        part = parts[int(np.argmax(shapely.area(parts)))]
        circle = shapely.maximum_inscribed_circle(part, tolerance=max(part.length / 1000, 0.2))
        x, y = shapely.get_coordinates(circle)[0]
        height = _height(lines)
        spots = [Spot(x, y - height / 2, 0.5)]
        if shapely.contains(part, part.centroid):
            spots.insert(0, Spot(part.centroid.x, part.centroid.y - height / 2, 0.0))
        inner = part.buffer(-height / 2)
        left, bottom, right, top = part.bounds
        for fx in np.linspace(0.1, 0.9, 9):
            for fy in np.linspace(0.1, 0.9, 9):
                px, py = left + fx * (right - left), bottom + fy * (top - bottom)
                if shapely.intersects_xy(inner, px, py):
                    spots.append(Spot(px, py - height / 2, 1 + np.hypot(px - x, py - y) * 0.02))
        if self._write(lines, [spot for spot in spots if self._holds(part, lines, spot)] if outside else spots):
            return True
        return outside and self.at_point((x, y), lines)

    def along(self, spots: Sequence[Spot], lines: Sequence[Line]) -> bool:
        """Label a line at one of some places, turned; what has no room there is left out without a word."""
        return self._write(lines, spots, told=False)

    def _holds(self, part: Any, lines: Sequence[Line], spot: Spot) -> bool:  # noqa: ANN401 -- a shapely polygon
        return all(shapely.contains(part, box) for box in _boxes(lines, spot))

    def _write(
        self,
        lines: Sequence[Line],
        spots: Sequence[Spot],
        *,
        lead_to: tuple[float, float] | None = None,
        leads: float = 0.0,
        told: bool = True,
    ) -> bool:
        """Write at the spot that costs least among those that are free."""
        best: tuple[float, Spot, Any] | None = None
        for spot in sorted(spots, key=lambda one: one.cost):
            if best is not None and spot.cost >= best[0]:
                break
            ground = shapely.union_all(_boxes(lines, spot))
            if self._is_taken(ground):
                continue
            leader = _leader(ground, lead_to, leads)
            if leader is not None and self._is_crossed(leader):
                continue
            cost = spot.cost + self._hidden(ground)
            if best is None or cost < best[0]:
                best = (cost, spot, leader)
        if best is None:
            if told and lead_to is not None:
                self.left_out.append(" ".join(line.text for line in lines))
            return False
        self._put(lines, best[1], best[2])
        return True

    def _put(self, lines: Sequence[Line], spot: Spot, leader: Any) -> None:  # noqa: ANN401 -- a shapely line or None
        boxes = _boxes(lines, spot)
        if leader is not None:
            self._paper.draw([leader], _LEADER)
            self._leaders.append(leader)
        self._paper.draw(boxes, _GROUND)
        for line, base in _baselines(lines, spot):
            self._paper.text(
                base, line.text, size=line.size, face=line.face, align=spot.align, turn=spot.turn, color=line.color
            )
        self._taken += boxes

    def _is_taken(self, ground: Any) -> bool:  # noqa: ANN401 -- any shapely geometry
        if not shapely.contains(self._frame, ground):
            return True
        taken = bool(self._taken) and bool(shapely.dwithin(np.array(self._taken), ground, _APART).any())
        return taken or (bool(self._leaders) and bool(shapely.intersects(np.array(self._leaders), ground).any()))

    def _is_crossed(self, leader: Any) -> bool:  # noqa: ANN401 -- a shapely line
        others = [*self._taken, *self._leaders]
        return bool(others) and bool(shapely.intersects(np.array(others), leader).any())

    def _hidden(self, ground: Any) -> float:  # noqa: ANN401 -- any shapely geometry
        near = self._lines.query(ground, predicate="intersects")
        if not len(near):
            return 0.0
        return float(shapely.length(shapely.intersection(self._lines.geometries[near], ground)).sum())


def _leader(ground: Any, at: tuple[float, float] | None, leads: float) -> Any:  # noqa: ANN401 -- any shapely geometry
    if at is None:
        return None
    way = shapely.shortest_line(shapely.Point(at), ground)
    return way if way.length > leads else None


def _height(lines: Sequence[Line]) -> float:
    return sum(line.size * (ASCENT + DESCENT) for line in lines)


def _baselines(lines: Sequence[Line], spot: Spot) -> list[tuple[Line, tuple[float, float]]]:
    """Where each line stands, the last one lowest; a label of several lines is never turned."""
    found, low = [], spot.y
    for line in reversed(lines):
        found.append((line, (spot.x, low + line.size * DESCENT)))
        low += line.size * (ASCENT + DESCENT)
    if spot.turn:
        found = [(line, (spot.x, spot.y)) for line, _ in found]
    return found


def _boxes(lines: Sequence[Line], spot: Spot) -> list[Any]:
    return [
        text_box(base, line.text, size=line.size, face=line.face, align=spot.align, turn=spot.turn)
        for line, base in _baselines(lines, spot)
    ]
