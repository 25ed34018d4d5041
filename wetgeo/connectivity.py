"""Which wetlands belong to the central, contiguous wetland of Rule M."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.findings import Findings
from wetgeo.kernels.unions import connected_groups
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
    groups = connected_groups(np.concatenate([polygons, lines]), within=tolerance_ft * site.ft)[: len(rows)]
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
