"""Geometries: faults by kind, outlines that are mere slivers, and outlines that cost more than they tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import shapely

from wetgeo.doctor.reading import Reading
from wetgeo.doctor.remarks import Remark, few
from wetgeo.doctor.told import point_of
from wetgeo.inputs.draft import Draft
from wetgeo.inputs.repair import kinds
from wetgeo.site import RESOURCE_LAYERS
from wetgeo.units import FOOT_M

#: what is narrower than this on average, or smaller, is seldom a wetland of its own: feet, square feet
_NARROW_FT, _SMALL_SQFT = 3.0, 25.0
#: an outline of so many vertices, or whose vertices stand so close, was traced from cells
_MANY_VERTICES, _CLOSE_FT = 100_000, 0.1
_REASON = re.compile(r"repaired \((.*?)\[")


def look(reading: Reading) -> Iterator[Remark]:
    """Look at the outlines of each layer."""
    yield from _kinds_of_fault(reading)
    if reading.crs is None:
        return
    ft = FOOT_M / float(reading.crs.axis_info[0].unit_conversion_factor)
    for draft in reading.ready:
        if _has_buffers(reading, draft.name):
            yield from _slivers(draft, ft)
        yield from _dense(draft, ft)


def _has_buffers(reading: Reading, layer: str) -> bool:
    kind = RESOURCE_LAYERS.get(layer)
    return kind is not None and (reading.ruling is None or reading.ruling.pack.regulates(kind))


def _kinds_of_fault(reading: Reading) -> Iterator[Remark]:
    """Count the invalid outlines of each layer by kind; each stands in a remark of its own too."""
    counts: dict[str, Counter[str]] = {}
    for finding in reading.findings:
        if finding.code == "geometry-repaired":
            reason = _REASON.search(finding.message)
            counts.setdefault(finding.layer, Counter())[reason[1] if reason else "other"] += 1
    for layer, kinds_found in counts.items():
        if kinds_found.total() > 1:
            yield Remark(
                severity="info",
                subject="geometry",
                code="geometry-kinds",
                layer=layer,
                file=reading.file_of(layer),
                message=f"{kinds_found.total():,} outlines were repaired, by kind of fault",
                details=tuple(f"{kind}: {number:,}" for kind, number in kinds_found.most_common()),
            )


def _slivers(draft: Draft, ft: float) -> Iterator[Remark]:
    shapes = draft.geometry
    areas, lengths = shapely.area(shapes) / ft**2, shapely.length(shapes) / ft
    wide = 2 * areas / np.maximum(lengths, np.finfo(float).tiny)
    thin = np.flatnonzero((kinds(shapes) == "polygon") & ((areas < _SMALL_SQFT) | (wide < _NARROW_FT)))
    if not len(thin):
        return
    names = [draft.names[row] for row in draft.rows[thin]]
    first = thin[np.argmin(areas[thin])]
    x, y = point_of(shapes[first])
    yield Remark(
        severity="warning",
        subject="geometry",
        code="geometry-sliver",
        layer=draft.name,
        file=str(draft.source.path),
        feature_id=names[0] if len(thin) == 1 else "",
        x=x,
        y=y,
        message=f"{len(thin):,} outlines are under {_SMALL_SQFT:g} sq ft or less than {_NARROW_FT:g} ft wide on "
        "average, "
        f"the smallest {areas[first]:,.2f} sq ft: {few(names)}; each gets a whole buffer",
        mend="delete what is left over from an overlay, or merge it with its neighbour",
        details=tuple(f"{name}: {areas[at]:,.2f} sq ft" for name, at in list(zip(names, thin, strict=True))[:100]),
    )


def _dense(draft: Draft, ft: float) -> Iterator[Remark]:
    counts = shapely.get_num_coordinates(draft.geometry)
    if not len(counts):
        return
    most = int(np.argmax(counts))
    spacing = shapely.length(draft.geometry[most]) / ft / max(int(counts[most]), 1)
    if counts[most] < _MANY_VERTICES and not (spacing < _CLOSE_FT and counts[most] > 1000):
        return
    x, y = point_of(draft.geometry[most])
    yield Remark(
        severity="info",
        subject="geometry",
        code="geometry-dense",
        layer=draft.name,
        file=str(draft.source.path),
        feature_id=draft.names[draft.rows[most]],
        x=x,
        y=y,
        message=f"an outline has {int(counts[most]):,} vertices, {spacing:.2f} ft apart: the run will be slow there",
    )
