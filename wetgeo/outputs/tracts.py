"""What a declaration describes: the buffer on each lot, tract by tract, and what its lines run along."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from wetgeo.frames import natural_key
from wetgeo.kernels.courses import ROUNDING, Floats, Ints, Traverse, ring_chords, traverse
from wetgeo.outputs.plain import foot_of, one_line, unit_of
from wetgeo.units import FOOT_M

if TYPE_CHECKING:
    from wetgeo.delineation import Delineation

GeometryArray = NDArray[np.object_]

#: overlays round coordinates to a grid of about this, feet
GRID_FT = 1e-4
#: ground narrower than this on average lies between two drawings of one line; it is told, not described, feet
SLIVER_FT = 0.5
#: ground smaller than this is told, not described, square feet
LEAST_SQFT = 1.0
#: vertices nearer than this to the one before are left out of a description, feet
SPACING_FT = 0.02
#: straight lines are described as such where their vertices stray by no more than this, feet
STRAIGHT_FT = 0.01
#: an outline's vertex is a lot corner where it turns by at least this, degrees
CORNER_DEG = 10.0
#: a monument nearer than this to a vertex stands there: edges of all buffers together may differ by as much, feet
_MONUMENT_FT = 0.1
#: decimals of the coordinates of corners, in the unit of the CRS
DECIMALS = 3

_LOT, _RESOURCE, _UPLAND, _TRACT, _OTHER = range(5)
#: how near to a line of each kind a segment that runs along it lies, feet: lot lines and resources bound the ground
#: itself; the upland edge was drawn for all buffers together, which may differ by a tenth of a foot
_REACH_FT = {_LOT: 0.002, _RESOURCE: 0.02, _UPLAND: 0.2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Corner:
    """A known place: the corner of a parcel, None where none is known; coordinates as written, unit of the CRS."""

    of: str | None
    easting: float
    northing: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """One ring as described, in feet.

    Attributes
    ----------
    corner, tie
        The nearest lot corner and the course from there to the point of beginning; where no parcel is known, the point
        of beginning itself.
    courses
        From the point of beginning back to it.
    along
        What each course runs along.
    monuments
        The monument that stands where each course begins, or None.
    """

    corner: Corner
    tie: Traverse
    courses: Traverse
    along: tuple[str, ...]
    monuments: tuple[str | None, ...]

    @property
    def polygon(self) -> shapely.Polygon:
        """The ground inside the ring as described."""
        return shapely.Polygon(self.courses.xy[:-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Tract:
    """One connected part of the buffer on a lot; areas in square feet.

    `rings` are the outline and what is excepted; `tolerance` is what the chords keep to, feet; `sound` is False where
    lines of the tract are nearer to each other than courses can tell apart.
    """

    letter: str
    resources: tuple[str, ...]
    rings: tuple[Ring, ...]
    area: float
    described: float
    tolerance: float
    sound: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LotBuffer:
    """The buffer on one lot; `name` is None for ground on no parcel. Areas in square feet."""

    name: str | None
    tracts: tuple[Tract, ...]
    area: float
    slivers: int
    sliver_area: float


def lot_buffers(delineation: Delineation, tolerance_ft: float) -> list[LotBuffer]:
    """Describe the buffer on each lot, and last that on no parcel.

    Ground that several resources' buffers share is described once. Stacked parcels are one lot.

    Parameters
    ----------
    delineation
        With conformed layers.
    tolerance_ft
        How far the chords of a description may stray from the edge, feet.
    """
    return list(_Describer(delineation, tolerance_ft).lots())


class _Describer:
    """Holds the lines of one delineation, to be asked what runs where."""

    def __init__(self, delineation: Delineation, tolerance_ft: float) -> None:
        layers, unit_m = delineation.layers, unit_of(delineation.crs)[1]
        foot_m = foot_of(delineation.crs)[1]
        self.foot = foot_m / unit_m
        self.grid = float(10.0 ** np.floor(np.log10(GRID_FT * self.foot)))
        self.tolerance = tolerance_ft * FOOT_M / foot_m
        self.ground = _polygons(layers["buffer_union"])[0]
        resources, edges = layers["resources"], layers["edges"]
        buffers = layers["proposed" if delineation.recorded == "proposed" else "buffers"]
        kinds = [
            f"{kind} {one_line(name)}"
            for kind, name in zip(resources["resource_type"], resources["resource_id"], strict=True)
        ]
        full = dict(zip(resources["resource_id"], kinds, strict=True))
        shapes, of_buffer = _polygons(buffers)
        self.buffer_tree = shapely.STRtree(shapes)
        self.buffer_names = [full[name] for name in buffers["resource_id"].iloc[of_buffer]]
        self.lot_names, self.lot_shapes = _lots(layers["parcels"])
        upland = (edges["kind"] == "upland").to_numpy(dtype=bool)
        self.labels = [f"the line of parcel {name}" for name in self.lot_names]
        self.labels += [f"the delineated edge of {name}" for name in kinds]
        self.edge_names = dict(enumerate((full[name] for name in edges["resource_id"]), len(self.labels)))
        self.labels += [
            f"the upland edge of the buffer of {name}" if up else "the tract line"
            for name, up in zip(self.edge_names.values(), upland, strict=True)
        ]
        self.labels += ["ground that does not count as buffer"]
        lots, count = len(self.lot_names), len(kinds)
        self.kind_of = np.concatenate(
            [np.full(lots, _LOT), np.full(count, _RESOURCE), np.where(upland, _UPLAND, _TRACT), [_OTHER]]
        ).astype(np.int64)
        self.sides = [
            (_Sides(self.lot_shapes), 0, _REACH_FT[_LOT]),
            (_Sides(_shapes(resources)), lots, _REACH_FT[_RESOURCE]),
            (_Sides(_shapes(edges)), lots + count, _REACH_FT[_UPLAND]),
        ]
        self.corners = _Corners(self.lot_shapes)
        monuments = layers["monuments"]
        self.monument_ids = [one_line(name) for name in monuments["monument_id"]]
        self.monuments = shapely.STRtree(_shapes(monuments))

    def lots(self) -> Iterator[LotBuffer]:
        held, lot_of = self._pieces()
        bare = self._bare()
        pieces = np.concatenate([held, bare])
        owner = np.concatenate([lot_of, np.full(len(bare), -1)]).astype(np.int64)
        pieces = np.asarray(shapely.orient_polygons(pieces, exterior_cw=True))
        area = shapely.area(pieces) / self.foot**2
        width = 2 * area / (shapely.length(pieces) / self.foot)
        kept = (area >= LEAST_SQFT) & (width >= SLIVER_FT)
        segments = self._segments(pieces, owner)
        for lot in [*range(len(self.lot_names)), -1]:
            mine = np.flatnonzero(owner == lot)
            if not len(mine):
                continue
            bounds = shapely.bounds(pieces[mine])
            mine = mine[np.lexsort((bounds[:, 0], -bounds[:, 3]))]
            described = [index for index in mine if kept[index]]
            left = [index for index in mine if not kept[index]]
            yield LotBuffer(
                name=None if lot < 0 else self.lot_names[lot],
                tracts=tuple(
                    self._tract(_letters(place), pieces[index], segments[index], lot, float(area[index]))
                    for place, index in enumerate(described)
                ),
                area=float(area[mine].sum()),
                slivers=len(left),
                sliver_area=float(area[left].sum()),
            )

    def _pieces(self) -> tuple[GeometryArray, Ints]:
        """The connected parts of the buffer on each lot, and the lot."""
        lot, part = shapely.STRtree(self.ground).query(self.lot_shapes, predicate="intersects")
        shared = shapely.intersection(self.ground[part], self.lot_shapes[lot], grid_size=self.grid)
        pieces, of = _polygonal(shared)
        return pieces, lot[of].astype(np.int64)

    def _bare(self) -> GeometryArray:
        """The connected parts of the buffer on no parcel."""
        part, lot = shapely.STRtree(self.lot_shapes).query(self.ground, predicate="intersects")
        groups = np.split(
            lot[np.argsort(part, kind="stable")], np.cumsum(np.bincount(part, minlength=len(self.ground)))
        )
        left = [
            shapely.difference(ground, shapely.union_all(self.lot_shapes[held]), grid_size=self.grid)
            for ground, held in zip(self.ground, groups[: len(self.ground)], strict=True)
        ]
        return _polygonal(np.array(left, dtype=object))[0]

    def _segments(self, pieces: GeometryArray, owner: Ints) -> list[list[tuple[Floats, Ints]]]:
        """For each piece its rings: vertices, the first not repeated, and the label of each one's segment."""
        rings, piece_of = shapely.get_rings(pieces, return_index=True)
        xy, ring_of = shapely.get_coordinates(rings, return_index=True)
        first = np.flatnonzero(ring_of[:-1] == ring_of[1:])
        middle = np.asarray(shapely.points((xy[first] + xy[first + 1]) / 2), dtype=object)
        label = np.full(len(first), len(self.labels) - 1, dtype=np.int64)
        lot = owner[piece_of[ring_of[first]]]
        for sides, base, reach in reversed(self.sides):
            place, line = sides.beside(middle, reach * self.foot, only=lot if base == 0 else None)
            label[place] = base + line
        found: list[list[tuple[Floats, Ints]]] = [[] for _ in pieces]
        starts = np.searchsorted(ring_of[first], np.arange(len(rings) + 1))
        for ring, piece in enumerate(piece_of):
            part = slice(starts[ring], starts[ring + 1])
            found[piece].append((xy[first[part]], label[part]))
        return found

    def _tract(self, letter: str, piece: Any, segments: list[tuple[Floats, Ints]], lot: int, area: float) -> Tract:  # noqa: ANN401 -- a shapely Polygon
        rolled = [self._rolled(xy, labels, lot) for xy, labels in segments]
        rings, tolerance, fault = self._drawn(rolled)
        upland = {label for _, labels in segments for label in labels.tolist() if self.kind_of[label] == _UPLAND}
        inside = self.buffer_tree.query(shapely.point_on_surface(piece), predicate="intersects")
        named = {self.edge_names[label] for label in upland} | {self.buffer_names[index] for index in inside}
        return Tract(
            letter=letter,
            resources=tuple(sorted(named, key=natural_key)),
            rings=tuple(rings),
            area=area,
            described=float(_described(rings).area),
            tolerance=tolerance + SPACING_FT + ROUNDING,
            sound=fault < LEAST_SQFT,
        )

    def _drawn(self, rolled: list[tuple[Floats, Ints, Corner]]) -> tuple[list[Ring], float, float]:
        """Describe rings by the coarsest chords that neither cross each other nor leave nothing of a ring.

        Where lines of the ground touch, rounding makes them cross by next to nothing, whatever the chords: then the
        coarsest do that are at fault by no more than a sliver. Returns the tolerance and the fault too, square feet.
        """
        most = max(self.tolerance - SPACING_FT - ROUNDING, 0.0)
        drawn: list[tuple[list[Ring], float, float]] = []
        for tolerance in (most, most / 4, most / 16, 0.0):
            rings = [self._ring(*ring, tolerance) for ring in rolled]
            kept = [ring for ring in rings if ring is not None]
            lost = sum(shapely.Polygon(xy).area for (xy, *_), ring in zip(rolled, rings, strict=True) if ring is None)
            fault = lost / self.foot**2 + _crossed(kept)
            drawn.append((kept, tolerance, fault))
            if fault == 0:
                return drawn[-1]
        return next((one for one in drawn if one[2] < LEAST_SQFT), drawn[-1])

    def _rolled(self, xy: Floats, labels: Ints, lot: int) -> tuple[Floats, Ints, Corner]:
        """Let a ring begin where an upland edge begins, or else another line, near a lot corner; and that corner."""
        begins = np.flatnonzero(labels != np.roll(labels, 1))
        upland = begins[self.kind_of[labels[begins]] == _UPLAND]
        if len(upland):
            begins = upland
        if not len(begins):
            begins = np.lexsort((xy[:, 0], -xy[:, 1]))[:1]
        place, corner = self.corners.nearest(xy[begins], lot)
        start = int(begins[place])
        of, at = (None, xy[start]) if corner is None else (self.lot_names[corner[0]], corner[1])
        east, north = np.round(at, DECIMALS).tolist()
        return np.roll(xy, -start, axis=0), np.roll(labels, -start), Corner(of=of, easting=east, northing=north)

    def _ring(self, xy: Floats, labels: Ints, corner: Corner, tolerance: float) -> Ring | None:
        """Describe one ring; None where nothing of it is left."""
        drawn = np.isin(self.kind_of[labels], (_LOT, _TRACT))
        tolerances = np.where(drawn, min(STRAIGHT_FT, tolerance), tolerance)
        vertices, kinds = ring_chords(xy / self.foot, labels, tolerances, least=SPACING_FT)
        if len(vertices) < 3:
            return None
        tie = traverse(np.array([np.array([corner.easting, corner.northing]) / self.foot, vertices[0]]))
        place, monument = self.monuments.query(
            shapely.points(vertices * self.foot), predicate="dwithin", distance=_MONUMENT_FT * self.foot
        )
        at: list[str | None] = [None] * len(vertices)
        for index, number in zip(place.tolist(), monument.tolist(), strict=True):
            at[index] = self.monument_ids[number]
        return Ring(
            corner=corner,
            tie=tie,
            courses=traverse(np.concatenate([vertices, vertices[:1]]), tie.xy[-1]),
            monuments=tuple(at),
            along=tuple(self.labels[kind] for kind in kinds),
        )


class _Sides:
    """The segments of lines or outlines, to be asked which of them runs along a place."""

    def __init__(self, shapes: GeometryArray) -> None:
        polygons = np.isin(shapely.get_type_id(shapes), (3, 6))
        lines = shapes.copy()
        lines[polygons] = shapely.boundary(shapes[polygons])
        lines, line_of = shapely.get_parts(lines, return_index=True)
        xy, of = shapely.get_coordinates(lines, return_index=True)
        first = np.flatnonzero(of[:-1] == of[1:])
        self.segments = np.asarray(shapely.linestrings(np.stack([xy[first], xy[first + 1]], axis=1)), dtype=object)
        self.shape_of = line_of[of[first]].astype(np.int64)
        self.tree = shapely.STRtree(self.segments)

    def beside(self, places: GeometryArray, reach: float, *, only: Ints | None) -> tuple[Ints, Ints]:
        """Find the nearest shape within `reach` of each place, the first of several: places that have one, and it.

        `only` names the one shape that may be found for a place, or -1 for any.
        """
        place, segment = self.tree.query(places, predicate="dwithin", distance=reach)
        shape = self.shape_of[segment]
        if only is not None:
            fits = (only[place] < 0) | (only[place] == shape)
            place, segment, shape = place[fits], segment[fits], shape[fits]
        distance = shapely.distance(places[place], self.segments[segment])
        order = np.lexsort((shape, distance, place))
        first = order[np.diff(place[order], prepend=-1) != 0]
        return place[first].astype(np.int64), shape[first]


class _Corners:
    """The corners of lots."""

    def __init__(self, lots: GeometryArray) -> None:
        self.xy, self.lot = _corners(lots)
        self.bounds = np.searchsorted(self.lot, np.arange(len(lots) + 1))
        self.all = shapely.STRtree(np.asarray(shapely.points(self.xy), dtype=object))

    def nearest(self, places: Floats, lot: int) -> tuple[int, tuple[int, Floats] | None]:
        """Find which place has the nearest corner, of one lot or (-1) of any: the place; the corner's lot and xy."""
        if not len(self.xy):
            return int(np.lexsort((places[:, 0], -places[:, 1]))[0]), None
        if lot >= 0:
            part = slice(self.bounds[lot], self.bounds[lot + 1])
            away = np.hypot(*(places[:, None] - self.xy[None, part]).transpose(2, 0, 1))
            place, corner = np.unravel_index(int(np.argmin(away)), away.shape)
            return int(place), (lot, self.xy[part][corner])
        pairs, away = self.all.query_nearest(shapely.points(places), return_distance=True)
        best = np.lexsort((pairs[1], pairs[0], away))[0]
        corner = pairs[1][best]
        return int(pairs[0][best]), (int(self.lot[corner]), self.xy[corner])


def _corners(lots: GeometryArray) -> tuple[Floats, Ints]:
    """Vertices of the outer outlines that are corners, in order of the lots; all of them for a lot without any."""
    parts, lot_of = shapely.get_parts(lots, return_index=True)
    corners, owners = [np.empty((0, 2))], [np.empty(0, dtype=np.int64)]
    found = np.zeros(len(lots), dtype=bool)
    outlines = [shapely.get_coordinates(ring)[:-1] for ring in shapely.get_exterior_ring(parts)]
    turned = [_turns(xy) >= np.radians(CORNER_DEG) for xy in outlines]
    for lot, turns in zip(lot_of, turned, strict=True):
        found[lot] |= turns.any()
    for lot, xy, turns in zip(lot_of, outlines, turned, strict=True):
        chosen = xy[turns] if found[lot] else xy
        corners.append(chosen)
        owners.append(np.full(len(chosen), lot, dtype=np.int64))
    return np.concatenate(corners), np.concatenate(owners)


def _turns(xy: Floats) -> Floats:
    """By how much a ring turns at each vertex, radians."""
    into, out = xy - np.roll(xy, 1, axis=0), np.roll(xy, -1, axis=0) - xy
    cross = into[:, 0] * out[:, 1] - into[:, 1] * out[:, 0]
    return np.asarray(np.abs(np.arctan2(cross, (into * out).sum(axis=1))))


def _lots(parcels: pd.DataFrame) -> tuple[list[str], GeometryArray]:
    """Lots by outline: the numbers of all parcels that share it."""
    shapes = _shapes(parcels)
    names: dict[bytes, list[str]] = {}
    first: dict[bytes, int] = {}
    for index, (outline, name) in enumerate(zip(shapely.to_wkb(shapes), parcels["parcel_id"], strict=True)):
        names.setdefault(outline, []).append(one_line(name))
        first.setdefault(outline, index)
    return ["; ".join(held) for held in names.values()], shapes[list(first.values())]


def _shapes(frame: pd.DataFrame) -> GeometryArray:
    """The geometries of a layer; a layer with no rows may have none."""
    return np.array(frame["geometry"], dtype=object) if len(frame) else np.empty(0, dtype=object)


def _polygons(frame: pd.DataFrame) -> tuple[GeometryArray, Ints]:
    parts, of = shapely.get_parts(_shapes(frame), return_index=True)
    return np.asarray(parts, dtype=object), of.astype(np.int64)


def _polygonal(geometries: GeometryArray) -> tuple[GeometryArray, Ints]:
    """The polygons among the parts of what an overlay left, and the geometry of each."""
    parts, of = shapely.get_parts(geometries, return_index=True)
    polygonal = (shapely.get_dimensions(parts) == 2) & ~shapely.is_empty(parts)
    return np.asarray(parts[polygonal], dtype=object), of[polygonal].astype(np.int64)


def _described(rings: list[Ring]) -> shapely.Polygon:
    return shapely.Polygon(rings[0].courses.xy[:-1], [ring.courses.xy[:-1] for ring in rings[1:]])


def _crossed(rings: list[Ring]) -> float:
    """By how much the area changes where lines that cross are sorted out; 0 where none do."""
    whole = _described(rings) if rings else shapely.Polygon()
    if shapely.is_valid(whole):
        return 0.0
    return max(abs(shapely.make_valid(whole).area - whole.area), ROUNDING**2)


def _letters(place: int) -> str:
    """A, B, ... Z, AA, AB, ..."""
    text = ""
    place += 1
    while place:
        place, digit = divmod(place - 1, 26)
        text = chr(ord("A") + digit) + text
    return text
