"""Footprints: each resource together with all the ground that its buffer takes, zone by zone.

A footprint still covers the resource itself, its neighbours and land beyond the tract; `wetgeo.buffers` takes these
away. Edges and monuments stand on the outline of footprints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely

from wetgeo.kernels.offset import CHORD_TOLERANCE_FT, FloatArray, GeometryArray, Shape, grow
from wetgeo.rules.width import WidthDecision, ZoneWidth
from wetgeo.upland import Upland

#: the zone that is measured from the water, not from the zone before it
OUTER = "outer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """Ground that one provision added to a zone: all of it, whether or not another provision added it too.

    ``plain`` is the footprint of the zone without any extension of its own.
    """

    row: int
    zone: str | None
    kind: str
    ground: Shape
    plain: Shape
    citation: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneFootprint:
    """One zone of one stream: the footprint up to its upland edge, and the one where it begins."""

    row: int
    zone: ZoneWidth
    outer: Shape
    inner: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprints:
    """The footprints of all resources that get a buffer.

    Attributes
    ----------
    rows
        Their rows in the site's resources, ascending.
    geometries
        The footprints, shape of `rows`.
    zones
        The zones of streams, from the water outwards.
    extensions
        What provisions added.
    """

    rows: np.ndarray
    geometries: GeometryArray
    zones: tuple[ZoneFootprint, ...] = ()
    extensions: tuple[Extension, ...] = ()


#: gives what provisions add to a footprint: ``extend(row, zone name or None, footprint, whether it is the outermost)``
Extend = Callable[[int, str | None, Shape, bool], list[Extension]]

#: gives footprints widened past surface that does not count: ``widen(rows, widths in feet, footprints)``
Widen = Callable[[np.ndarray, FloatArray, GeometryArray], GeometryArray]


def lay_footprints(
    upland: Upland,
    decisions: Sequence[WidthDecision | None],
    *,
    extend: Extend | None = None,
    widen: Widen | None = None,
) -> Footprints:
    """Lay out the footprint of each resource that has a width.

    Parameters
    ----------
    upland
        The site's upland.
    decisions
        What was decided for each resource; None for those without a buffer.
    extend
        Gives the ground that provisions add to a zone; None where the rule has none.
    widen
        Widens footprints past surface that does not count as vegetated; None where the rule has no such provision.
    """
    rows = np.array([row for row, decision in enumerate(decisions) if decision is not None], dtype=np.intp)
    widths = np.array([decision.width_ft for decision in decisions if decision is not None], dtype=float)
    geometries = upland.offset(rows, widths)
    if widen is not None:
        geometries = widen(rows, widths, geometries)
    zones: list[ZoneFootprint] = []
    extensions: list[Extension] = []
    for index, row in enumerate(rows):
        decision = decisions[row]
        if decision is not None and decision.zones:
            laid, added = _lay_zones(upland, int(row), decision.zones, extend)
            zones += laid
            geometries[index] = laid[-1].outer
        elif extend is not None:
            added = extend(int(row), None, geometries[index], True)
            geometries[index] = _joined(geometries[index], added)
        else:
            continue
        extensions += added
    return Footprints(rows=rows, geometries=geometries, zones=tuple(zones), extensions=tuple(extensions))


def _joined(footprint: Shape, added: Sequence[Extension]) -> Shape:
    return shapely.union_all([footprint, *(extension.ground for extension in added)]) if added else footprint


def _lay_zones(
    upland: Upland, row: int, zones: Sequence[ZoneWidth], extend: Extend | None
) -> tuple[list[ZoneFootprint], list[Extension]]:
    """Lay out a stream's zones in sequence: each begins at the upland edge of the one before, as extended."""
    water = upland.resources[row]
    laid: list[ZoneFootprint] = []
    extensions: list[Extension] = []
    inner, extended = water, False
    for zone in zones:
        outer = upland.offset(np.array([row]), np.array([zone.outer_ft]))[0]
        if extended and zone.zone != OUTER:
            start = np.array([inner], dtype=object)
            beyond = grow(start, np.array([zone.width_ft * upland.ft]), tolerance=CHORD_TOLERANCE_FT * upland.ft)[0]
            outer = shapely.union(outer, beyond)
        added = extend(row, zone.zone, outer, zone is zones[-1]) if extend is not None else []
        outer = _joined(shapely.union(outer, inner) if extended else outer, added)
        extended = extended or bool(added)
        extensions += added
        laid.append(ZoneFootprint(row=row, zone=zone, outer=outer, inner=inner))
        inner = outer
    return laid, extensions


def subject_footprints(upland: Upland, footprints: Footprints) -> Footprints:
    """Reduce footprints to the resources and the ground along their subject edges."""
    geometries = footprints.geometries.copy()
    for index, row in enumerate(footprints.rows):
        if row in upland.subject:
            along = shapely.intersection(geometries[index], upland.subject[row])
            geometries[index] = shapely.union(along, upland.resources[row])
    return replace(footprints, geometries=geometries)
