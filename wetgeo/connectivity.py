"""Which wetlands belong to the central, contiguous wetland of Rule M."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from wetgeo.findings import Findings
from wetgeo.kernels.offset import GeometryArray
from wetgeo.site import Site


def connected_to_central(
    site: Site, wetlands: NDArray[np.bool_], *, tolerance_ft: float, citation: str, findings: Findings
) -> NDArray[np.bool_]:
    """Choose the wetlands that are central, touch such a one, or are joined to one by watercourses, step by step.

    Parameters
    ----------
    site
        The site; ``resources.central`` marks the central wetlands. With no mark, the largest wetland is central.
    wetlands
        Which rows of ``site.resources`` the provision is about, shape (n,).
    tolerance_ft
        Gaps of at most this many feet count as touching.
    citation, findings
        Each wetland that is left out is told, and what was taken as central.

    Returns
    -------
    ndarray
        Which rows get a buffer, shape (n,).
    """
    rows = np.flatnonzero(wetlands)
    polygons = site.resources.geometry.to_numpy()[rows]
    ids = site.resources["resource_id"].to_numpy()[rows]
    marked = site.resources["central"].to_numpy(dtype=bool)[rows]
    if not marked.any():
        areas = shapely.area(polygons)
        marked = areas == areas.max()
        findings.warning(
            "rule-central",
            f"no wetland is marked as central; the largest, {', '.join(ids[marked])}, was taken as the central wetland",
            layer="wetlands",
            feature_id=ids[marked][0],
            citation=citation,
        )
    courses = site.layers.get("watercourses")
    lines = np.zeros(0, dtype=object) if courses is None else courses.geometry.to_numpy()
    groups = _groups(np.concatenate([polygons, lines]), tolerance_ft * site.ft)[: len(rows)]
    connected = np.isin(groups, groups[marked])
    for name in ids[~connected]:
        findings.info(
            "rule-central",
            "gets no buffer: it neither touches the central wetland nor is joined to it by watercourses",
            layer="wetlands",
            feature_id=name,
            citation=citation,
        )
    chosen = np.zeros(len(wetlands), dtype=bool)
    chosen[rows[connected]] = True
    return chosen


def _groups(geometries: GeometryArray, tolerance: float) -> NDArray[np.int32]:
    """Number the groups of geometries that are within `tolerance` of each other, step by step."""
    one, two = shapely.STRtree(geometries).query(geometries, predicate="dwithin", distance=tolerance)
    joined = coo_array((np.ones(len(one), dtype=np.int8), (one, two)), shape=(len(geometries),) * 2)
    return np.asarray(connected_components(joined, directed=False)[1])
