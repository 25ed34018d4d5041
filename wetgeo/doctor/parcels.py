"""Parcels: overlaps, gaps, slivers and stacked lots, where they lie near a resource and so may hold buffer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import shapely

from wetgeo.doctor.reading import Reading
from wetgeo.doctor.remarks import Remark, few
from wetgeo.doctor.told import from_finding, point_of
from wetgeo.findings import Findings
from wetgeo.kernels.offset import GeometryArray
from wetgeo.parcels import Lots, lots_of
from wetgeo.site import Site
from wetgeo.units import area_text

#: parcels no further from a resource are looked at: twice the widest of the usual buffers, feet
NEAR_FT = 200.0
#: overlaps and gaps over this are told, square feet; lines drawn twice differ by less
_LEAST_SQFT = 1.0
#: a gap between lots that is narrower is no street: feet
_GAP_FT = 3.0
#: a lot that is narrower on average, or smaller, is left over from an overlay: feet, square feet
_NARROW_FT, _SMALL_SQFT = 3.0, 100.0
_MOST = 50


def look(reading: Reading) -> Iterator[Remark]:
    """Look at the parcels near the resources."""
    site = reading.site
    if site is None or "parcels" not in site.layers or site.layers["parcels"].empty:
        return
    told = Findings()
    lots = lots_of(site, told)
    yield from (from_finding(reading, finding) for finding in told)
    near = _near(site, lots)
    yield from _overlaps(site, lots, near, reading.file_of("parcels"))
    yield from _gaps(site, lots.geometries[near], reading.file_of("parcels"))
    yield from _slivers(site, lots, near, reading.file_of("parcels"))


def _near(site: Site, lots: Lots) -> np.ndarray:
    shapes = site.resources.geometry.to_numpy()
    found = shapely.STRtree(lots.geometries).query(shapes, predicate="dwithin", distance=NEAR_FT * site.ft)
    return np.unique(found[1])


def _overlaps(site: Site, lots: Lots, near: np.ndarray, file: str) -> Iterator[Remark]:
    shapes = lots.geometries[near]
    one, two = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    chosen = (one < two) & (lots.outline[near][one] != lots.outline[near][two])
    one, two = one[chosen], two[chosen]
    deep = ~shapely.touches(shapes[one], shapes[two])
    one, two = one[deep], two[deep]
    common = shapely.intersection(shapes[one], shapes[two])
    areas = shapely.area(common) / site.sqft
    order = [at for at in np.argsort(-areas, kind="stable").tolist() if areas[at] > _LEAST_SQFT]
    names = lots.labels[near]
    said = [f"{names[one[at]]} and {names[two[at]]}: {area_text(areas[at])}" for at in order]
    if not order:
        return
    x, y = point_of(common[order[0]])
    yield Remark(
        severity="warning",
        subject="parcels",
        code="parcel-overlap",
        layer="parcels",
        file=file,
        feature_id=str(names[one[order[0]]]) if len(order) == 1 else "",
        x=x,
        y=y,
        message=f"{len(order):,} pairs of parcels within {NEAR_FT:g} ft of a resource overlap, on "
        f"{areas[order].sum():,.0f} sq ft in all; each holds the whole, and monuments stand on both lot lines. The "
        f"greatest: {said[0]}",
        details=(*said[:_MOST], *([f"and {len(said) - _MOST:,} more"] if len(said) > _MOST else [])),
        mend="cut one of each pair back to the common lot line, by the plat",
    )


def _gaps(site: Site, shapes: GeometryArray, file: str) -> Iterator[Remark]:
    """Tell of gaps narrower than any street: the ground that closing the parcels by half a gap's width would add."""
    half = _GAP_FT / 2 * site.ft
    ground = shapely.union_all(shapes)
    grown = shapely.buffer(ground, half, join_style="mitre", cap_style="square")
    filled = shapely.difference(shapely.buffer(grown, -half, join_style="mitre"), ground)
    pieces = shapely.get_parts(filled)
    areas = shapely.area(pieces) / site.sqft
    order = [at for at in np.argsort(-areas, kind="stable").tolist() if areas[at] > _LEAST_SQFT]
    if not order:
        return
    x, y = point_of(pieces[order[0]])
    places = [
        f"{area_text(areas[at])} at ({point_of(pieces[at])[0]:.1f}, {point_of(pieces[at])[1]:.1f})"
        for at in order[:_MOST]
    ]
    yield Remark(
        severity="warning",
        subject="parcels",
        code="parcel-gap",
        layer="parcels",
        file=file,
        x=x,
        y=y,
        message=f"{len(order):,} gaps narrower than {_GAP_FT:g} ft between parcels within {NEAR_FT:g} ft of a "
        "resource, "
        f"{areas[order].sum():,.0f} sq ft in all: buffer in them belongs to no parcel. The greatest: {places[0]}",
        details=(*places, *([f"and {len(order) - _MOST:,} more"] if len(order) > _MOST else [])),
        mend="snap the neighbours to one lot line, by the plat",
    )


def _slivers(site: Site, lots: Lots, near: np.ndarray, file: str) -> Iterator[Remark]:
    shapes = lots.geometries[near]
    areas, lengths = shapely.area(shapes) / site.sqft, shapely.length(shapes) / site.ft
    thin = np.flatnonzero((areas < _SMALL_SQFT) | (2 * areas / lengths < _NARROW_FT))
    if not len(thin):
        return
    names = [f"{lots.labels[near[at]]} ({area_text(areas[at])})" for at in thin]
    x, y = point_of(shapes[thin[0]])
    yield Remark(
        severity="warning",
        subject="parcels",
        code="parcel-sliver",
        layer="parcels",
        file=file,
        feature_id=str(lots.labels[near[thin[0]]]) if len(thin) == 1 else "",
        x=x,
        y=y,
        message=f"{len(thin):,} parcels near a resource are under {_SMALL_SQFT:g} sq ft or less than {_NARROW_FT:g} ft "
        f"wide on average: {few(names)}; each makes lot lines, and so monuments",
        details=tuple(names[:_MOST]),
        mend="delete what is left over from an overlay",
    )
