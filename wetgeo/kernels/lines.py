"""Lines by stations: rings that start in the north, lines cut by polygons, points and pieces by their station."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import shapely
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
GeometryArray = NDArray[np.object_]


@dataclass(frozen=True, kw_only=True)
class Chains:
    """Lines with a direction, stored end to end. A station is a distance along a line from its start.

    Attributes
    ----------
    xy
        Vertices, shape (N, 2); a closed line repeats its first vertex.
    offsets
        Where each line begins in `xy`, shape (n + 1,).
    closed
        True for rings, shape (n,).
    hand
        1 where the ground that the line bounds lies to its right, -1 where to its left, shape (n,).
    """

    xy: Floats
    offsets: Ints
    closed: Bools
    hand: Ints

    @classmethod
    def of(cls, lines: Sequence[Floats], hand: Sequence[int]) -> Chains:
        """Store lines given as vertices, each of shape (m, 2) with m > 1."""
        return cls(
            xy=np.concatenate(lines) if lines else np.empty((0, 2)),
            offsets=np.concatenate([[0], np.cumsum([len(line) for line in lines])]).astype(np.intp),
            closed=np.array([bool((line[0] == line[-1]).all()) for line in lines], dtype=bool),
            hand=np.array(hand, dtype=np.intp),
        )

    def __len__(self) -> int:
        return len(self.closed)

    @cached_property
    def stations(self) -> Floats:
        """Station of each vertex, shape (N,)."""
        steps = np.hypot(*np.diff(self.xy, axis=0, prepend=self.xy[:1]).T)
        stations = np.empty(len(self.xy))
        for first, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            stations[first] = 0.0
            np.cumsum(steps[first + 1 : end], out=stations[first + 1 : end])
        return stations

    @cached_property
    def lengths(self) -> Floats:
        """Length of each line, shape (n,)."""
        return self.stations[self.offsets[1:] - 1]

    @cached_property
    def segments(self) -> tuple[Ints, Ints]:
        """The segments: the index of each one's first vertex, and of its line."""
        chain = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        first = np.flatnonzero(chain[:-1] == chain[1:])
        return first, chain[first]

    def vertices(self, chain: int) -> tuple[Floats, Floats]:
        """Return the vertices of one line and their stations."""
        part = slice(self.offsets[chain], self.offsets[chain + 1])
        return self.xy[part], self.stations[part]

    def points(self, chain: int, stations: Floats) -> Floats:
        """Points at stations of one line, shape (k, 2); a ring goes on past its end."""
        xy, at = self.vertices(chain)
        stations = self.wrapped(chain, stations)
        return np.column_stack([np.interp(stations, at, xy[:, 0]), np.interp(stations, at, xy[:, 1])])

    def places(self, chain: Ints, stations: Floats) -> Floats:
        """Points at a station of a line each, shape (k, 2); a ring goes on past its end."""
        places: Floats = _places(self.xy, self.stations, self.offsets, self.closed, chain, stations)
        return places

    def wrapped(self, chain: int, stations: float | Floats) -> Floats:
        """Stations from 0 up to the line's length; on a ring those beyond either end count on from the other."""
        length = self.lengths[chain]
        return np.asarray(stations % length if self.closed[chain] else np.clip(stations, 0, length))

    def cut(self, chain: int, start: float, end: float) -> tuple[Floats, Floats]:
        """Vertices and stations of the piece from `start` to `end`; on a ring `end` may lie past the start again."""
        first, end_of = self.offsets[chain : chain + 2]
        piece: tuple[Floats, Floats] = _cut_out(
            self.xy[first:end_of], self.stations[first:end_of], float(start), float(end), bool(self.closed[chain])
        )
        return piece

    def cuts(self, chain: Ints, start: Floats, end: Floats) -> tuple[Floats, Floats, Ints]:
        """Cut many pieces as `cut` does: vertices, stations, and where those of each begin, shape (k + 1,)."""
        pieces: tuple[Floats, Floats, Ints] = _cut_all(
            self.xy, self.stations, self.offsets, self.closed, chain, start, end
        )
        return pieces

    def beside(self, chain: int, stations: Floats, reach: float) -> Floats:
        """Points at stations of one line, moved by `reach` to the side where the ground lies, shape (k, 2)."""
        xy, at = self.vertices(chain)
        segment = np.searchsorted(at, self.wrapped(chain, stations), side="right") - 1
        segment = np.clip(segment, 0, len(at) - 2)
        along = xy[segment + 1] - xy[segment]
        along /= np.hypot(*along.T)[:, None]
        side = reach * int(self.hand[chain])
        return self.points(chain, stations) + side * np.column_stack([along[:, 1], -along[:, 0]])


@njit(cache=True, nogil=True)
def _cut_out(xy: Floats, at: Floats, start: float, end: float, closed: bool) -> tuple[Floats, Floats]:  # noqa: FBT001 -- compiled
    length, count = at[-1], len(at)
    inner = np.searchsorted(at, start, side="right")
    if closed and start > length:
        inner = count + np.searchsorted(at[1:], start - length, side="right")
    if closed and end > length:
        stop = count + np.searchsorted(at[1:], end - length, side="left")
    else:
        stop = np.searchsorted(at, end, side="left")
    size = max(stop - inner, 0) + 2
    places, stations = np.empty((size, 2)), np.empty(size)
    for k in range(inner, stop):
        turned = k >= count
        places[k - inner + 1] = xy[k - count + 1 if turned else k]
        stations[k - inner + 1] = at[k - count + 1] + length if turned else at[k]
    for row, station in ((0, start), (size - 1, end)):
        places[row] = _place_at(xy, at, station - length if closed and station > length else station)
        stations[row] = station
    return places, stations


@njit(cache=True, nogil=True)
def _place_at(xy: Floats, at: Floats, station: float) -> Floats:
    first = min(max(int(np.searchsorted(at, station, side="right")) - 1, 0), len(at) - 2)
    place: Floats = (xy[first + 1] - xy[first]) / (at[first + 1] - at[first]) * (station - at[first]) + xy[first]
    if station <= at[0]:
        place = xy[0].copy()
    elif station >= at[-1]:
        place = xy[-1].copy()
    return place


@njit(cache=True, nogil=True)
def _places(xy: Floats, stations: Floats, offsets: Ints, closed: Bools, chain: Ints, at: Floats) -> Floats:
    places = np.empty((len(chain), 2))
    for row in range(len(chain)):
        part = slice(offsets[chain[row]], offsets[chain[row] + 1])
        length = stations[part][-1]
        station = at[row] % length if closed[chain[row]] and not 0 <= at[row] <= length else at[row]
        places[row] = _place_at(xy[part], stations[part], station)
    return places


@njit(cache=True, nogil=True)
def _cut_all(
    xy: Floats, stations: Floats, offsets: Ints, closed: Bools, chain: Ints, start: Floats, end: Floats
) -> tuple[Floats, Floats, Ints]:
    bounds = np.zeros(len(chain) + 1, dtype=np.intp)
    places, at = np.empty((max(len(xy), 2), 2)), np.empty(max(len(xy), 2))
    for row in range(len(chain)):
        first, last = offsets[chain[row]], offsets[chain[row] + 1]
        piece, along = _cut_out(xy[first:last], stations[first:last], start[row], end[row], closed[chain[row]])
        bounds[row + 1] = bounds[row] + len(along)
        while bounds[row + 1] > len(at):
            places, at = np.concatenate((places, np.empty_like(places))), np.concatenate((at, np.empty_like(at)))
        places[bounds[row] : bounds[row + 1]] = piece
        at[bounds[row] : bounds[row + 1]] = along
    return places[: bounds[-1]].copy(), at[: bounds[-1]].copy(), bounds


def northern_start(ring: Floats) -> Floats:
    """Let a closed ring start at its northernmost vertex, the westernmost of several; shape (m, 2) in and out."""
    open_ring = ring[:-1]
    first = np.lexsort((open_ring[:, 0], -open_ring[:, 1]))[0]
    rolled = np.roll(open_ring, -first, axis=0)
    return np.concatenate([rolled, rolled[:1]])


def outlines(polygons: GeometryArray, grid: float, narrowest: float) -> tuple[list[Floats], Ints, Bools]:
    """Take the rings of polygons, the ground to the right of each, from their northernmost point on.

    Parameters
    ----------
    polygons
        Polygons or MultiPolygons, shape (n,).
    grid
        Coordinates are rounded to multiples of this; points that fall together become one.
    narrowest
        Rings around ground that is narrower than this throughout (area over half the length) are left out.

    Returns
    -------
    The rings' vertices, the index of each ring's polygon, and True for holes.
    """
    parts, part_of = shapely.get_parts(polygons, return_index=True)
    rings, polygon_of = shapely.get_rings(shapely.orient_polygons(parts, exterior_cw=True), return_index=True)
    holes = np.concatenate([[False], polygon_of[1:] == polygon_of[:-1]]) if len(rings) else np.zeros(0, dtype=bool)
    lines, kept = [], []
    for index, ring in enumerate(rings):
        xy = np.round(shapely.get_coordinates(ring) / grid) * grid
        moved = np.concatenate([[True], (np.diff(xy, axis=0) != 0).any(axis=1)])
        xy = xy[moved]
        width = 2 * shapely.Polygon(xy).area / shapely.length(ring) if len(xy) > 3 else 0.0
        if width > narrowest:
            lines.append(northern_start(xy))
            kept.append(index)
    order = np.array(kept, dtype=np.intp)
    return lines, part_of[polygon_of[order]], holes[order]


def clear_of(ring: Floats, obstacles: GeometryArray, region: Any | None, grid: float, shortest: float) -> list[Floats]:  # noqa: ANN401 -- any shapely geometry
    """Cut a ring: keep what lies outside all obstacles and within a region, in the ring's direction and order.

    Parameters
    ----------
    ring
        Vertices of a closed ring.
    obstacles
        Polygons; what runs along their outline is not kept.
    region
        A polygonal geometry, or None; what runs along its outline is kept.
    grid
        Lines within this distance are noded as one (snap rounding), so that coinciding lines leave no splinters.
    shortest
        Pieces shorter than this are left out: they are the noise of lines that nearly coincide.

    Returns
    -------
    Vertices of the pieces, ordered by where they start on the ring; the whole ring comes back closed.
    """
    whole = shapely.LineString(ring)
    line: Any = whole
    if len(obstacles):
        line = shapely.difference(line, shapely.union_all(obstacles), grid_size=grid)
    if region is not None:
        line = shapely.intersection(line, region, grid_size=grid)
    pieces = [directed(shapely.get_coordinates(part), whole, grid) for part in merged_lines(line, shortest)]
    starts = [shapely.line_locate_point(whole, shapely.Point(piece[0])) for piece in pieces]
    return [pieces[i] for i in np.argsort(starts, kind="stable")]


def directed(piece: Floats, line: shapely.LineString, grid: float) -> Floats:
    """Let a piece of a line run in the line's direction; a closed piece starts in the north."""
    longest = int(np.argmax(np.hypot(*np.diff(piece, axis=0).T)))
    station = shapely.line_locate_point(line, shapely.Point(piece[longest : longest + 2].mean(axis=0)))
    around = shapely.line_interpolate_point(line, np.clip([station - 10 * grid, station + 10 * grid], 0, line.length))
    towards = np.subtract(*shapely.get_coordinates(around)[::-1])
    piece = piece if towards @ (piece[longest + 1] - piece[longest]) > 0 else piece[::-1]
    return northern_start(piece) if (piece[0] == piece[-1]).all() else piece


def lines_only(geometry: Any) -> shapely.MultiLineString:  # noqa: ANN401 -- any shapely geometry
    """Keep the lines of what an overlay left: where outlines only touch, there are points beside them."""
    parts = shapely.get_parts(geometry)
    return shapely.MultiLineString(list(parts[(shapely.get_dimensions(parts) == 1) & ~shapely.is_empty(parts)]))


def merged_lines(geometry: Any, shortest: float) -> GeometryArray:  # noqa: ANN401 -- any shapely geometry
    """Join the lines of what an overlay left; points, and lines shorter than `shortest`, are dropped."""
    lines = shapely.get_parts(shapely.line_merge(lines_only(geometry)))
    return np.asarray(lines[shapely.length(lines) >= shortest], dtype=object)
