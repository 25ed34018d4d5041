"""The hydrologic soil groups of the ground beside each resource, by area."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from wetgeo.findings import Findings
from wetgeo.kernels.offset import GeometryArray, Shape
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
    contested = _contested(site, np.unique(columns), findings)
    pieces = shapely.intersection(ground[rows], polygons[columns])
    areas = shapely.area(pieces)
    answer: list[dict[str, float]] = []
    starts = np.searchsorted(rows, np.arange(len(ground) + 1))
    for first, last in itertools.pairwise(starts):
        own = areas[first:last]
        if contested[columns[first:last]].sum() > 1:
            own = _areas_once(pieces[first:last], letters[columns[first:last]])
        totals: dict[str, float] = {}
        for letter, area in zip(letters[columns[first:last]], own, strict=True):
            totals[letter] = totals.get(letter, 0.0) + float(area)
        answer.append(totals)
    return answer


def _contested(site: Site, used: NDArray[np.intp], findings: Findings) -> NDArray[np.bool_]:
    """Find the used soil polygons that overlap another used one by more than a square foot; tell of them."""
    soils = site.layers["soils"]
    polygons = soils.geometry.to_numpy()
    flags = np.zeros(len(polygons), dtype=bool)
    near = polygons[used]
    one, two = shapely.STRtree(near).query(near, predicate="intersects")
    pairs = one < two
    one, two = one[pairs], two[pairs]
    # neighbours that only touch are most of the pairs; the predicate is much cheaper than an overlay
    deep = ~shapely.touches(near[one], near[two])
    one, two = one[deep], two[deep]
    areas = shapely.area(shapely.intersection(near[one], near[two]))
    claimed = areas > site.sqft
    if claimed.any():
        flags[used[one[claimed]]] = flags[used[two[claimed]]] = True
        ids = soils["feature_id"].to_numpy()
        names = sorted(f"{ids[used[a]]} and {ids[used[b]]}" for a, b in zip(one[claimed], two[claimed], strict=True))
        findings.warning(
            "soil-overlap",
            f"soil polygons overlap: {float(areas[claimed].sum()) / site.sqft:,.0f} sq ft near the resources are "
            f"claimed twice ({'; '.join(names[:5])}{' ...' if len(names) > 5 else ''}); that ground counts once, for "
            "the group nearer to D",
            layer="soils",
        )
    return flags


def _areas_once(pieces: GeometryArray, letters: NDArray[np.object_]) -> NDArray[np.float64]:
    """Measure pieces of ground that may overlap so that no ground counts twice."""
    areas = np.zeros(len(pieces))
    taken: Shape = shapely.Polygon()
    for index in sorted(range(len(pieces)), key=lambda i: (_CLAIM_ORDER[str(letters[i])], i)):
        areas[index] = shapely.difference(pieces[index], taken).area
        taken = shapely.union(taken, pieces[index])
    return areas
