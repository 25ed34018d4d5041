"""The hydrologic soil groups of the ground beside each resource, by area."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from wetgeo.findings import Findings
from wetgeo.kernels.offset import GeometryArray, Shape
from wetgeo.kernels.threads import by_rows
from wetgeo.rules.width import hsg_letter
from wetgeo.site import Site

#: order in which groups take ground that several soil polygons claim: the group nearer to D first
_CLAIM_ORDER = {"D": 0, "C": 1, "B": 2, "A": 3, "": 4}


def group_areas(site: Site, ground: GeometryArray, *, dual_hsg: str, findings: Findings) -> list[dict[str, float]]:
    """Measure how much of each piece of ground lies on each hydrologic soil group.

    Parameters
    ----------
    site
        With layer ``soils``.
    ground
        Polygons, shape (n,), such as U(base width).
    dual_hsg
        How a dual group such as B/D counts: ``"undrained"`` as D, ``"drained"`` as its first letter.
    findings
        Takes note of soil polygons that claim the same ground; that ground counts once, for the group nearer to D.

    Returns
    -------
    list
        For each piece of ground {group: area in square CRS units}; unrated soil counts under ``""``.
    """
    soils = site.layers["soils"]
    polygons = soils.geometry.to_numpy()
    letters = np.array(["" if pd.isna(h) else hsg_letter(str(h), dual_hsg) for h in soils["hsg"]], dtype=object)
    rows, columns = shapely.STRtree(polygons).query(ground, predicate="intersects")
    order = np.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    starts = np.searchsorted(rows, np.arange(len(ground) + 1))
    contested = _contested(site, [columns[first:last] for first, last in itertools.pairwise(starts)], findings)
    holder, held = shapely.STRtree(ground).query(polygons, predicate="contains_properly")
    across = np.flatnonzero(~np.isin(rows * len(polygons) + columns, held * len(polygons) + holder))
    pieces = ground[rows]
    pieces[across] = by_rows(shapely.intersection, pieces[across], polygons[columns[across]])
    areas = shapely.area(pieces)
    answer: list[dict[str, float]] = []
    for (first, last), shared in zip(itertools.pairwise(starts), contested, strict=True):
        own = areas[first:last]
        if shared:
            own = _areas_once(pieces[first:last], letters[columns[first:last]])
        totals: dict[str, float] = {}
        for letter, area in zip(letters[columns[first:last]], own, strict=True):
            totals[letter] = totals.get(letter, 0.0) + float(area)
        answer.append(totals)
    return answer


def _contested(site: Site, held: list[NDArray[np.intp]], findings: Findings) -> list[bool]:
    """Tell for each piece of ground whether two of the soil polygons it lies on overlap by more than a square foot.

    `held` has the polygons of each piece. The pairs are noted in the findings.
    """
    soils = site.layers["soils"]
    used = np.unique(np.concatenate([np.zeros(0, dtype=np.intp), *held]))
    near = soils.geometry.to_numpy()[used]
    one, two = shapely.STRtree(near).query(near, predicate="intersects")
    pairs = one < two
    one, two = one[pairs], two[pairs]
    # neighbours that only touch are most of the pairs; the predicate is much cheaper than an overlay
    deep = ~shapely.touches(near[one], near[two])
    one, two = one[deep], two[deep]
    areas = shapely.area(shapely.intersection(near[one], near[two]))
    claimed = {
        (int(used[a]), int(used[b])): float(area)
        for a, b, area in zip(one, two, areas, strict=True)
        if area > site.sqft
    }
    if not claimed:
        return [False] * len(held)
    shared = [
        [pair for pair in itertools.combinations(sorted(polygons.tolist()), 2) if pair in claimed] for polygons in held
    ]
    ids = soils["feature_id"].to_numpy()
    for pair in {pair for pairs in shared for pair in pairs}:
        findings.note("soil-overlap", f"{ids[pair[0]]} and {ids[pair[1]]}", claimed[pair] / site.sqft)
    tell_contested(findings)
    return [bool(pairs) for pairs in shared]


def tell_contested(findings: Findings) -> None:
    """Tell of all the pairs of soil polygons that were noted as claiming the same ground beside a resource."""
    noted = findings.noted("soil-overlap")
    if noted:
        names = sorted(noted)
        findings.warning(
            "soil-overlap",
            f"soil polygons overlap: {math.fsum(noted.values()):,.0f} sq ft near the resources are "
            f"claimed twice ({'; '.join(names[:5])}{' ...' if len(names) > 5 else ''}); that ground counts once, for "
            "the group nearer to D",
            layer="soils",
        )


def _areas_once(pieces: GeometryArray, letters: NDArray[np.object_]) -> NDArray[np.float64]:
    """Measure pieces of ground that may overlap so that no ground counts twice."""
    areas = np.zeros(len(pieces))
    taken: Shape = shapely.Polygon()
    for index in sorted(range(len(pieces)), key=lambda i: (_CLAIM_ORDER[str(letters[i])], i)):
        areas[index] = shapely.difference(pieces[index], taken).area
        taken = shapely.union(taken, pieces[index])
    return areas
