"""Geometries from well-known binary (ISO 13249-3), true curves drawn as chords within a stated distance.

GEOS reads no curves, and GDAL draws them by a fixed angle, which on a large circle strays further than a buffer's
edge may.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

Point = tuple[float, float]

_POINT, _LINE, _POLYGON, _COLLECTION = 1, 2, 3, 7
_ARCS, _COMPOUND, _CURVE_POLYGON, _MULTI_CURVE, _MULTI_SURFACE = 8, 9, 10, 11, 12
_MULTI_POINT, _MULTI_LINE, _MULTI_POLYGON = 4, 5, 6
#: polyhedral surface, TIN, triangle
SURFACES = (15, 16, 17)
_MANY: dict[int, Callable[[list[Any]], Any]] = {
    _MULTI_POINT: shapely.MultiPoint,
    _MULTI_LINE: shapely.MultiLineString,
    _MULTI_CURVE: shapely.MultiLineString,
    _MULTI_POLYGON: shapely.MultiPolygon,
    _MULTI_SURFACE: shapely.MultiPolygon,
    _COLLECTION: shapely.GeometryCollection,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """Geometries as read: 2D shapely geometries or None, shape (n,), and what was done to them, by position."""

    geometry: NDArray[np.object_]
    curved: NDArray[np.bool_]
    flattened: NDArray[np.bool_]
    surface: NDArray[np.bool_]


def decode(wkb: Sequence[bytes | None], *, tolerance: float) -> Decoded:
    """Read well-known binary.

    Parameters
    ----------
    wkb
        ISO or extended WKB, None for a feature without geometry.
    tolerance
        Greatest distance of a chord from its arc, coordinate units.

    Returns
    -------
    Decoded
        3D surfaces (TIN and their kind) come back as None and are flagged.
    """
    present = np.array([each is not None for each in wkb], dtype=bool)
    kind, higher = np.zeros(len(wkb), dtype=np.int64), np.zeros(len(wkb), dtype=bool)
    kind[present], higher[present] = _headers([each for each in wkb if each is not None])
    surface = np.isin(kind, SURFACES)
    by_hand = np.isin(kind, (_ARCS, _COMPOUND, _CURVE_POLYGON, _MULTI_CURVE, _MULTI_SURFACE, _COLLECTION))
    geometry = np.full(len(wkb), None, dtype=object)
    plain = present & ~surface & ~by_hand
    with np.errstate(invalid="ignore"):  # coordinates that are no numbers are told of later
        geometry[plain] = shapely.from_wkb(np.array([*wkb, None], dtype=object)[:-1][plain], on_invalid="fix")
        geometry[plain & higher] = shapely.force_2d(geometry[plain & higher])
    curved = np.zeros(len(wkb), dtype=bool)
    for index in np.flatnonzero(by_hand).tolist():
        reader = _Reader(data=wkb[index] or b"", tolerance=tolerance)
        geometry[index] = reader.geometry()
        curved[index] = reader.curved
    return Decoded(geometry=geometry, curved=curved, flattened=higher & ~surface, surface=surface)


def _headers(wkb: list[bytes]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the kind of each geometry without its dimensions, and whether it has heights or measures."""
    head = np.frombuffer(b"".join(each[:5] for each in wkb), dtype=np.uint8).reshape(-1, 5)
    little = head[:, 0] == 1
    codes = np.where(little, head[:, 1:].copy().view("<u4")[:, 0], head[:, 1:].copy().view(">u4")[:, 0])
    codes = codes.astype(np.int64)
    base = codes & 0x1FFFFFFF
    return base % 1000, (codes & 0xC0000000 != 0) | (base >= 1000)


@dataclass(slots=True)
class _Reader:
    """Reads one geometry; `curved` tells whether it held an arc."""

    data: bytes
    tolerance: float
    curved: bool = False
    at: int = 0
    order: str = field(default="<", init=False)

    def geometry(self) -> Any:  # noqa: ANN401 -- any shapely geometry
        """Read a geometry and all that it holds."""
        kind, size = self._header()
        if kind == _POINT:
            return shapely.Point(self._points(1, size)[0])
        if kind in (_LINE, _ARCS, _COMPOUND):
            return shapely.LineString(self._curve(kind, size))
        if kind == _POLYGON:
            rings = [self._points(self._count(), size) for _ in range(self._count())]
            return shapely.Polygon(rings[0], rings[1:]) if rings else shapely.Polygon()
        if kind == _CURVE_POLYGON:
            rings = [self._curve(*self._header()) for _ in range(self._count())]
            return shapely.Polygon(rings[0], rings[1:]) if rings else shapely.Polygon()
        if kind in _MANY:
            return _MANY[kind]([self.geometry() for _ in range(self._count())])
        raise ValueError(f"geometry of kind {kind}")

    def _header(self) -> tuple[int, int]:
        self.order = "<" if self.data[self.at] else ">"
        code: int = struct.unpack_from(self.order + "I", self.data, self.at + 1)[0]
        self.at += 5
        base = code & 0x1FFFFFFF
        size = 2 + bool(code & 0x80000000) + bool(code & 0x40000000) + (0, 1, 1, 2)[base // 1000]
        if code & 0x20000000:  # extended WKB carries an SRID
            self.at += 4
        return base % 1000, size

    def _count(self) -> int:
        count: int = struct.unpack_from(self.order + "I", self.data, self.at)[0]
        self.at += 4
        return count

    def _points(self, count: int, size: int) -> list[Point]:
        flat = struct.unpack_from(f"{self.order}{count * size}d", self.data, self.at)
        self.at += 8 * count * size
        return [(flat[i], flat[i + 1]) for i in range(0, count * size, size)]

    def _curve(self, kind: int, size: int) -> list[Point]:
        if kind == _COMPOUND:
            pieces = [self._curve(*self._header()) for _ in range(self._count())]
            return [point for i, piece in enumerate(pieces) for point in piece[(i > 0) :]]
        points = self._points(self._count(), size)
        if kind != _ARCS or len(points) < 3:
            return points
        self.curved = True
        drawn = points[:1]
        for i in range(0, len(points) - 2, 2):
            drawn += draw_arc(points[i], points[i + 1], points[i + 2], tolerance=self.tolerance)[1:]
        return drawn


def draw_arc(start: Point, middle: Point, end: Point, *, tolerance: float) -> list[Point]:
    """Draw the arc through three points as chords; its ends stay as they are.

    Both directions give the same points, so that neighbours that share an arc still share it. An arc whose ends are
    one point is a full circle with `middle` opposite (ISO 13249-3).

    Parameters
    ----------
    start, middle, end
        Points of the arc.
    tolerance
        Greatest distance of a chord from the arc, the unit of the points.
    """
    if end < start:
        return draw_arc(end, middle, start, tolerance=tolerance)[::-1]
    circle = _circle(start, middle, end)
    if circle is None:
        return [start, middle, end]
    (x, y), radius = circle
    first = math.atan2(start[1] - y, start[0] - x)
    to_middle = (math.atan2(middle[1] - y, middle[0] - x) - first) % math.tau
    to_end = (math.atan2(end[1] - y, end[0] - x) - first) % math.tau or math.tau
    sweep = to_end if to_middle <= to_end else to_end - math.tau
    step = 2 * math.acos(max(1 - tolerance / radius, 0.0))
    count = max(2, math.ceil(abs(sweep) / step))
    turns = [first + sweep * i / count for i in range(1, count)]
    return [start, *((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns), end]


def _circle(start: Point, middle: Point, end: Point) -> tuple[Point, float] | None:
    """Return centre and radius of the circle through three points, None where they lie on a line."""
    if start == end:
        centre = ((start[0] + middle[0]) / 2, (start[1] + middle[1]) / 2)
        return (centre, math.dist(start, centre)) if start != middle else None
    bx, by = middle[0] - start[0], middle[1] - start[1]
    cx, cy = end[0] - start[0], end[1] - start[1]
    cross = 2 * (bx * cy - by * cx)
    if abs(cross) <= 1e-12 * (bx * bx + by * by + cx * cx + cy * cy):
        return None
    b, c = bx * bx + by * by, cx * cx + cy * cy
    x, y = (cy * b - by * c) / cross, (bx * c - cx * b) / cross
    return (start[0] + x, start[1] + y), math.hypot(x, y)
