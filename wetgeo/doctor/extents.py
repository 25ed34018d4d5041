"""Extents: layers that miss each other, features that lie far from the rest, and units that would explain it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import shapely

from wetgeo.doctor.reading import Reading
from wetgeo.doctor.remarks import Remark, few
from wetgeo.doctor.told import point_of
from wetgeo.inputs import crs as systems
from wetgeo.inputs.draft import Draft
from wetgeo.inputs.working import FAR_FT
from wetgeo.site import RESOURCE_LAYERS
from wetgeo.units import FOOT_M

#: further from every resource no rule's buffer reaches, feet
NEAR_FT = 500.0
#: features that are looked at in one go
_AT_ONCE = 200
#: features further from the middle of their layer than this, and than most others many times, are strays: degrees
_STRAY_DEGREES = 1.0
#: what coordinates may have been multiplied by, and what that means
_FACTORS = {
    FOOT_M: "they are in feet and were labelled as metres",
    1 / FOOT_M: "they are in metres and were labelled as feet",
}
#: remarks that explain why a layer misses the site, with their subjects, and remarks that then say the same once more
EXPLAIN = {"layer-scaled": "units", "layer-mislabelled": "crs"}
EXPLAINED = frozenset({"layer-far", "crs-area", "crs-feet"})


def look(reading: Reading) -> Iterator[Remark]:
    """Look whether the layers lie on one another."""
    for draft in reading.drafts:
        yield from _strays(draft)
    if reading.site is None:
        return
    shapes = reading.site.resources.geometry.to_numpy()
    tree = shapely.STRtree(shapes)
    for draft in reading.ready:
        if draft.name not in RESOURCE_LAYERS and len(draft.geometry):
            yield from _miss(draft, reading, tree)
    yield from _tract(reading)


def _strays(draft: Draft) -> Iterator[Remark]:
    """Name features that lie a degree or more from the middle of their layer, as one at (0, 0) does."""
    if draft.crs is None or len(draft.geometry) < 2:
        return
    bounds = shapely.bounds(draft.geometry)
    centres = (bounds[:, :2] + bounds[:, 2:]) / 2
    degree = 1.0 if draft.crs.is_geographic else systems.small_length(draft.crs, 111_320.0 / FOOT_M)
    away = np.abs(centres - np.median(centres, axis=0)).max(axis=1) / degree
    strays = np.flatnonzero((away > _STRAY_DEGREES) & (away > 10 * np.quantile(away, 0.75)))
    if not len(strays):
        return
    x, y = centres[strays[0]]
    yield Remark(
        severity="warning",
        subject="extents",
        code="feature-far",
        layer=draft.name,
        file=str(draft.source.path),
        feature_id=draft.names[draft.rows[strays[0]]] if len(strays) == 1 else "",
        message=f"{len(strays):,} of its features lie far from the others (about {away[strays].max():,.0f} degrees), "
        "the "
        f"first at ({x:.10g}, {y:.10g}): {few([draft.names[row] for row in draft.rows[strays]])}",
        mend="delete them, move them to where they belong, or leave them out with a filter",
        table=f"layers.{draft.name}",
        line='where = "..."',
    )


def _miss(draft: Draft, reading: Reading, tree: shapely.STRtree) -> Iterator[Remark]:
    site = reading.site
    if site is None:
        return
    for start in range(0, len(draft.geometry), _AT_ONCE):  # most layers are found near with the first few features
        some = draft.geometry[start : start + _AT_ONCE]
        if tree.query(some, predicate="dwithin", distance=NEAR_FT * site.ft).size:
            return
    nearest = float(tree.query_nearest(draft.geometry, return_distance=True, all_matches=False)[1].min()) / site.ft
    x, y = point_of(draft.geometry[0])
    count = len(draft.geometry)
    which = "its only feature does not lie" if count == 1 else f"none of its {count:,} features lies"
    code, because = _explained(draft, reading)
    if not code and nearest > FAR_FT:
        return  # told by the reader
    yield Remark(
        severity="warning",
        subject=EXPLAIN.get(code, "extents"),
        code=code or "layer-misses",
        layer=draft.name,
        file=str(draft.source.path),
        x=x,
        y=y,
        message=f"{which} within {NEAR_FT:g} ft of a wetland, lake or "
        "stream; "
        f"the nearest is {nearest:,.0f} ft away{because}",
        mend="assign the CRS that the coordinates are really in"
        if code
        else "check the file and its CRS; or take the layer out of the project file",
    )


def _explained(draft: Draft, reading: Reading) -> tuple[str, str]:
    """Find what would bring a layer's own coordinates onto the site: another layer's CRS, or else a factor.

    Returns the code of the remark and the words; both empty where nothing does.
    """
    by_name = {each.name: each for each in reading.drafts}
    own = by_name[draft.name]
    if own.crs is None:
        return "", ""
    waters = [by_name[name] for name in RESOURCE_LAYERS if name in by_name and len(by_name[name].geometry)]
    for water in waters:
        if water.crs is not None and not systems.same(own.crs, water.crs) and _meet(own.bounds, water.bounds):
            return "layer-mislabelled", (
                f"; as coordinates in {systems.label(water.crs)}, the CRS of layer {water.name}, they would lie on the "
                f"site: they may have been labelled as {systems.label(own.crs)} by mistake"
            )
    for factor, words in _FACTORS.items() if own.crs.is_projected else ():
        left, bottom, right, top = (side * factor for side in own.bounds)
        if any(_meet((left, bottom, right, top), water.bounds) for water in waters):
            return "layer-scaled", f"; its coordinates times {factor:.6g} would lie on the site: {words}"
    return "", ""


def _meet(one: systems.Bounds, other: systems.Bounds) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def _tract(reading: Reading) -> Iterator[Remark]:
    site = reading.site
    tract = None if site is None else site.layers.get("tract")
    if site is None or tract is None or tract.empty:
        return
    shapes = site.resources.geometry.to_numpy()
    ground = shapely.union_all(tract.geometry.to_numpy())
    shapely.prepare(ground)
    off = np.flatnonzero(~shapely.dwithin(shapes, ground, NEAR_FT * site.ft))
    if not len(off):
        return
    x, y = point_of(shapes[off[0]])
    names = site.resources["resource_id"].to_numpy()[off]
    every = len(off) == len(shapes)
    yield Remark(
        severity="warning" if every else "info",
        subject="extents",
        code="tract-misses",
        layer="tract",
        file=reading.file_of("tract"),
        feature_id=str(names[0]) if len(off) == 1 else "",
        x=x,
        y=y,
        message=f"{len(off):,} of {len(shapes):,} resources lie more than {NEAR_FT:g} ft off the tract and will get no "
        f"buffer on it: {few(names.tolist())}",
        mend="check that tract and resources are of one site" if every else "",
    )
