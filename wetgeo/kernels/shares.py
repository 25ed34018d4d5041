"""Areas that polygons share, in pieces: many small overlays instead of a few great ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import shapely

from wetgeo.kernels.lines import Floats, GeometryArray, Ints
from wetgeo.kernels.threads import by_rows

#: a piece has at most this many vertices; overlays of larger polygons take longer than cutting them up
VERTICES = 256
#: two halves are all of a polygon where their areas differ from its by at most this part
_SAME = 1e-12
#: areas of pieces are rounded to multiples of this part of a square unit: sums of them are exact, and so the same in
#: whatever order, and on however many parts of the ground, they are made
_GRAIN = 2.0**-20


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """How polygons ("lots") share the ground of others.

    Attributes
    ----------
    lot, area
        A lot that holds some of the ground, and how much; shape (k,) each.
    covered
        Ground that lies on any lot, counted once.
    total
        All ground.
    """

    lot: Ints
    area: Floats
    covered: float
    total: float


def shares(ground: GeometryArray, lots: GeometryArray) -> Shares:
    """Measure how much of the ground lies on each lot; only areas count, not lines or points that both have.

    Parameters
    ----------
    ground
        Polygons that do not overlap each other, shape (n,).
    lots
        Polygons, which may overlap, shape (m,).
    """
    pieces = subdivide(ground)
    tree = shapely.STRtree(pieces)
    whole_lot, whole = tree.query(lots, predicate="contains")
    lot, piece = tree.query(lots, predicate="intersects")
    partly = ~np.isin(lot * len(pieces) + piece, whole_lot * len(pieces) + whole)
    lot, piece = lot[partly], piece[partly]
    overlap = by_rows(shapely.intersection, pieces[piece], lots[lot])
    sizes, held_by_lot = _area(pieces), _area(overlap)
    area = np.bincount(whole_lot, sizes[whole], len(lots)) + np.bincount(lot, held_by_lot, len(lots))
    some = held_by_lot > 0
    lot, piece, overlap, held_by_lot = lot[some], piece[some], overlap[some], held_by_lot[some]
    # where lots are clear of each other, as mostly, the ground on any of them is the sum of what each holds
    covered = np.asarray(np.bincount(piece, held_by_lot, len(pieces)), dtype=np.float64)
    shared = np.isin(piece, _shared(lot, piece, lots))
    _unite(covered, piece[shared], overlap[shared])
    covered[whole] = sizes[whole]
    held = np.flatnonzero(area > 0)
    return Shares(
        lot=held, area=np.asarray(area[held], dtype=np.float64), covered=math.fsum(covered), total=math.fsum(sizes)
    )


def _area(polygons: GeometryArray) -> Floats:
    return np.asarray(np.round(shapely.area(polygons) / _GRAIN) * _GRAIN, dtype=np.float64)


def subdivide(polygons: GeometryArray) -> GeometryArray:
    """Cut polygons in halves until none has more than `VERTICES` vertices; their parts come out singly."""
    done: list[GeometryArray] = []
    left = _polygons(polygons)
    while len(left):
        small = shapely.get_num_coordinates(left) <= VERTICES
        done.append(left[small])
        left = _polygons(_halves(left[~small]))
    return np.concatenate(done) if done else np.empty(0, dtype=object)


def _halves(polygons: GeometryArray) -> GeometryArray:
    west, south, east, north = shapely.bounds(polygons).T
    wide = east - west > north - south
    x, y = (west + east) / 2, (south + north) / 2
    one = np.column_stack([west, south, np.where(wide, x, east), np.where(wide, north, y)])
    other = np.column_stack([np.where(wide, x, west), np.where(wide, south, y), east, north])
    pairs = [
        [shapely.clip_by_rect(polygon, *first), shapely.clip_by_rect(polygon, *second)]
        for polygon, first, second in zip(polygons, one.tolist(), other.tolist(), strict=True)
    ]
    halves = np.array(pairs, dtype=object).reshape(-1, 2)
    # clipping is much faster than an overlay, but promises nothing where an outline runs along the cut
    sizes = shapely.area(polygons)
    whole = shapely.is_valid(halves).all(axis=1) & (np.abs(shapely.area(halves).sum(axis=1) - sizes) <= _SAME * sizes)
    for index in np.flatnonzero(~whole):
        halves[index] = shapely.intersection(polygons[index], [shapely.box(*one[index]), shapely.box(*other[index])])
    return np.concatenate([halves[:, 0], halves[:, 1]])


def _polygons(geometries: GeometryArray) -> GeometryArray:
    parts = shapely.get_parts(shapely.get_parts(geometries))
    return np.asarray(parts[shapely.get_type_id(parts) == 3], dtype=object)


def _shared(lot: Ints, piece: Ints, lots: GeometryArray) -> Ints:
    """Find the pieces on which lots may overlap each other."""
    order = np.lexsort((lot, piece))
    lot, piece = lot[order], piece[order]
    one, two = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
    for apart in range(1, int(np.bincount(piece).max(initial=0))):
        first = np.flatnonzero(piece[apart:] == piece[:-apart])
        one.append(first)
        two.append(first + apart)
    first, second = np.concatenate(one), np.concatenate(two)
    pairs, of = np.unique(np.column_stack([lot[first], lot[second]]), axis=0, return_inverse=True)
    clear = shapely.touches(lots[pairs[:, 0]], lots[pairs[:, 1]]) | shapely.disjoint(
        lots[pairs[:, 0]], lots[pairs[:, 1]]
    )
    return np.unique(piece[first[~clear[of.ravel()]]])


def _unite(covered: Floats, piece: Ints, overlap: GeometryArray) -> None:
    """Write the area of the union of the overlaps of each piece."""
    order = np.argsort(piece, kind="stable")
    piece, overlap = piece[order], overlap[order]
    starts = np.flatnonzero(np.diff(piece, prepend=-1))
    single = np.diff(starts, append=len(piece)) == 1
    covered[piece[starts[single]]] = _area(overlap[starts[single]])
    for first, end in zip(starts[~single], np.append(starts, len(piece))[1:][~single], strict=True):
        covered[piece[first]] = _area(np.array([shapely.union_all(overlap[first:end])], dtype=object))[0]
