"""Courses: lines and rings as bearings to whole seconds and distances to hundredths, without errors that add up."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: straight stretches of this many tolerances keep their ends: no chord then runs from them into an arc
LONG = 20.0
#: what counts as straight, as a fraction of the tolerance
STRAIGHT = 0.003
#: halvings by which the straying is spread over the chords
HALVINGS = 6
#: a course as written ends within this of the vertex that it leads to (half a hundredth along it; half a second across,
#: up to half a mile)
ROUNDING = 0.01
_CIRCLE = 360 * 3600
_BEARING = re.compile(r"""([NS])\s*(\d{1,2})°(\d{2})'(\d{2})"\s*([EW])""")


@dataclass(frozen=True, kw_only=True)
class Traverse:
    """Courses one after the other, as written.

    Attributes
    ----------
    seconds
        Azimuth of each course, clockwise from the grid's north, seconds of arc, shape (n,).
    hundredths
        Its length in hundredths of the unit, shape (n,).
    xy
        The start, and where each course leads, shape (n + 1, 2).
    """

    seconds: Ints
    hundredths: Ints
    xy: Floats

    @property
    def length(self) -> float:
        """Length of all courses."""
        return float(self.hundredths.sum()) / 100

    @property
    def closure(self) -> float:
        """Distance from the end to the start: the error of a traverse that should close."""
        return float(np.hypot(*(self.xy[-1] - self.xy[0])))


def bearing(east: float, north: float) -> str:
    """Write a direction as a quadrant bearing from the grid's north, such as N 45°10'20" E."""
    return bearing_text(int(azimuth_seconds(east, north)))


def azimuth_seconds(east: float | Floats, north: float | Floats) -> Ints:
    """Azimuths of directions, clockwise from the north, in whole seconds of arc from 0 up to a full circle."""
    return np.asarray(np.rint(np.degrees(np.arctan2(east, north)) * 3600).astype(np.int64) % _CIRCLE)


def bearing_text(seconds: int) -> str:
    """Write an azimuth in seconds of arc as a quadrant bearing."""
    quarter = _CIRCLE // 4
    north = seconds <= quarter or seconds >= 3 * quarter
    east = seconds <= 2 * quarter
    angle = min(seconds, _CIRCLE - seconds) if north else abs(seconds - 2 * quarter)
    degrees, rest = divmod(angle, 3600)
    return f"{'N' if north else 'S'} {degrees:02d}°{rest // 60:02d}'{rest % 60:02d}\" {'E' if east else 'W'}"


def bearing_seconds(text: str) -> int:
    """Read a quadrant bearing as an azimuth in seconds of arc. Raises ValueError."""
    match = _BEARING.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no bearing such as N 45°10'20\" E")
    angle = int(match[2]) * 3600 + int(match[3]) * 60 + int(match[4])
    if angle > _CIRCLE // 4:
        raise ValueError(f"{text!r} is no bearing: a quadrant ends at 90°")
    from_north = angle if match[1] == "N" else _CIRCLE // 2 - angle
    return (from_north if match[5] == "E" else -from_north) % _CIRCLE


def traverse(vertices: Floats, start: Floats | None = None) -> Traverse:
    """Lead courses along vertices.

    A course has the bearing of its line, to the second, as long as that leads to within `ROUNDING` of the vertex;
    else that from where the rounded courses before it led. So errors do not add up.

    Parameters
    ----------
    vertices
        Where the first course begins and where each leads, shape (n + 1, 2). Where the last is the first again, the
        courses return to their start.
    start
        Where the first vertex was led to by other courses, shape (2,); left out: it is the start.
    """
    targets = np.array(vertices, dtype=float)
    lines = np.diff(targets, axis=0)
    if start is not None:
        closed = bool((targets[0] == targets[-1]).all())
        targets[0] = start
        targets[-1] = start if closed else targets[-1]
    seconds, hundredths, xy = [], [], [targets[0]]
    for line, target in zip(lines, targets[1:], strict=True):
        course = _course(xy[-1], target, line)
        if np.hypot(*(_led(xy[-1], *course) - target)) > ROUNDING:
            course = _course(xy[-1], target, target - xy[-1])
        seconds.append(course[0])
        hundredths.append(course[1])
        xy.append(_led(xy[-1], *course))
    return Traverse(
        seconds=np.array(seconds, dtype=np.int64), hundredths=np.array(hundredths, dtype=np.int64), xy=np.array(xy)
    )


def follow(start: Floats, seconds: Ints, hundredths: Ints) -> Traverse:
    """Follow courses as written from a start of shape (2,)."""
    xy = [np.asarray(start, dtype=float)]
    for azimuth, length in zip(seconds.tolist(), hundredths.tolist(), strict=True):
        xy.append(_led(xy[-1], azimuth, length))
    return Traverse(seconds=seconds, hundredths=hundredths, xy=np.array(xy))


def chords(line: Floats, tolerance: float) -> Floats:
    """Replace a line by chords between some of its vertices, each as long as it can be, then as even as they can be.

    Every point of the line is within `tolerance` of the chords, and every point of these within it of the line. Long
    straight stretches stay as they are.

    Parameters
    ----------
    line
        Vertices, shape (n, 2); the first and the last are kept. A closed line repeats its first.
    tolerance
        In the unit of the coordinates, at least 0.
    """
    line = _simplified(line, STRAIGHT * tolerance)
    long = np.flatnonzero(np.hypot(*np.diff(line, axis=0).T) >= LONG * tolerance) if tolerance else np.arange(0)
    bounds = sorted({0, len(line) - 1, *long.tolist(), *(long + 1).tolist()})
    rest = (1 - STRAIGHT) * tolerance
    parts = [_even_chords(line[first : last + 1], rest)[:-1] for first, last in pairwise(bounds)]
    return np.concatenate([*parts, line[-1:]])


def ring_chords(ring: Floats, kinds: Ints, tolerances: Floats, *, least: float) -> tuple[Floats, Ints]:
    """Replace a ring by chords, stretch by stretch.

    Parameters
    ----------
    ring
        Vertices, shape (n, 2), the first not repeated. It should be one where the kind of segment changes, unless all
        are of one kind.
    kinds
        What the segment from each vertex to the next runs along, shape (n,); vertices where that changes are kept.
    tolerances
        By how much the chords of each segment's stretch may stray, shape (n,).
    least
        Vertices nearer than this to the one before them are left out, so that chords may stray by this more.

    Returns
    -------
    The vertices kept and the kind of segment that begins at each; fewer than three where the ring collapses.
    """
    around = np.concatenate([ring, ring[:1]])
    bounds = [0, *(np.flatnonzero(np.diff(kinds)) + 1).tolist(), len(ring)]
    vertices, along = [], []
    for first, last in pairwise(bounds):
        kept = chords(around[first : last + 1], float(tolerances[first]))[:-1]
        vertices.append(kept)
        along.append(np.full(len(kept), kinds[first]))
    return _spaced(np.concatenate(vertices), np.concatenate(along), least)


def _course(place: Floats, target: Floats, along: Floats) -> tuple[int, int]:
    """Azimuth of a direction, and how far to go that way to come nearest to a target."""
    seconds = int(azimuth_seconds(*along))
    angle = np.radians(seconds / 3600)
    return seconds, max(round(float((target - place) @ np.array([np.sin(angle), np.cos(angle)])) * 100), 0)


def _led(place: Floats, seconds: int, hundredths: int) -> Floats:
    angle = np.radians(seconds / 3600)
    return place + hundredths / 100 * np.array([np.sin(angle), np.cos(angle)])


def _simplified(line: Floats, tolerance: float) -> Floats:
    simple = shapely.simplify(shapely.linestrings(line), tolerance, preserve_topology=False)
    return np.asarray(shapely.get_coordinates(simple))


def _even_chords(line: Floats, tolerance: float) -> Floats:
    """Take chords that keep to the tolerance, and lower it as long as they get no more."""
    kept = _reached(line, tolerance)
    low, high = 0.0, tolerance
    for _ in range(HALVINGS if len(kept) > 2 else 0):
        middle = (low + high) / 2
        found = _reached(line, middle)
        if len(found) == len(kept):
            kept, high = found, middle
        else:
            low = middle
    return line[kept]


@njit(cache=True)
def _reached(line: Floats, tolerance: float) -> NDArray[np.intp]:
    """Vertices from each of which a chord reaches the next, as far as it can before it first strays."""
    last = len(line) - 1
    kept = [0]
    while kept[-1] < last:
        first, end = kept[-1], kept[-1] + 1
        while end < last and _keeps(line, first, end + 1, tolerance):
            end += 1
        kept.append(end)
    return np.array(kept)


@njit(cache=True)
def _keeps(line: Floats, first: int, end: int, tolerance: float) -> bool:
    """Tell whether the vertices between two lie within a distance of the segment that joins these."""
    ax, ay = line[first]
    dx, dy = line[end, 0] - ax, line[end, 1] - ay
    square = dx * dx + dy * dy
    for k in range(first + 1, end):
        px, py = line[k, 0] - ax, line[k, 1] - ay
        t = 0.0 if square == 0 else min(max((px * dx + py * dy) / square, 0.0), 1.0)
        if math.hypot(px - t * dx, py - t * dy) > tolerance:
            return False
    return True


def _spaced(vertices: Floats, kinds: Ints, least: float) -> tuple[Floats, Ints]:
    """Leave out vertices too near to the one before; the course that goes on takes the later one's kind."""
    kept, along = [0], [kinds[0]]
    for index in range(1, len(vertices)):
        if np.hypot(*(vertices[index] - vertices[kept[-1]])) < least:
            along[-1] = kinds[index]
        else:
            kept.append(index)
            along.append(kinds[index])
    if len(kept) > 1 and np.hypot(*(vertices[kept[-1]] - vertices[0])) < least:
        kept.pop()
        along.pop()
    return vertices[kept], np.array(along, dtype=np.int64)
