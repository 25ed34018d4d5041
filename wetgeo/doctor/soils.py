"""Soils: how much of the ground beside the resources has a hydrologic group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import shapely

from wetgeo.doctor.reading import Reading
from wetgeo.doctor.remarks import Remark, few
from wetgeo.doctor.told import from_finding, point_of
from wetgeo.findings import Findings
from wetgeo.kernels.offset import GeometryArray
from wetgeo.rules.model import SoilCut
from wetgeo.site import Site
from wetgeo.soil_groups import group_areas

#: ground beside a resource that is looked at, feet
BESIDE_FT = 100.0
#: where less of that ground has a group, it is told
_ENOUGH = 0.5


def _reach(site: Site, soils: GeometryArray) -> bool:
    """Tell whether the soils' bounds meet those of the resources."""
    one, two = site.resources.total_bounds, shapely.total_bounds(soils)
    return bool(one[0] <= two[2] and two[0] <= one[2] and one[1] <= two[3] and two[1] <= one[3])


def look(reading: Reading) -> Iterator[Remark]:
    """Look whether the soils tell the group of the ground beside the resources, where the rule asks for it."""
    site, ruling = reading.site, reading.ruling
    if site is None or ruling is None or ruling.find(SoilCut) is None:
        return
    soils = site.layers.get("soils")
    if soils is None:
        if "soils" not in reading.project.layers:
            yield Remark(
                severity="warning",
                subject="soils",
                code="soil-missing",
                message="no soils are given, and this rule narrows a buffer by the hydrologic soil group: no cut is "
                "made",
                mend="give the county's soil survey (SSURGO), or state reductions without soils among the options",
                table="layers.soils",
                line='path = "..."',
            )
        return
    if soils["hsg"].isna().all() or not _reach(site, soils.geometry.to_numpy()):
        return  # told by the reader: no table of groups, or a layer of another place
    shapes = site.resources.geometry.to_numpy()
    beside = shapely.difference(shapely.buffer(shapes, BESIDE_FT * site.ft, quad_segs=4), shapes)
    told = Findings()
    groups = group_areas(site, beside, dual_hsg="undrained", findings=told)
    yield from (from_finding(reading, finding) for finding in told)
    whole = shapely.area(beside)
    rated = np.array([sum(area for name, area in found.items() if name) for found in groups])
    mapped = np.array([sum(found.values()) for found in groups])
    share = rated / np.maximum(whole, np.finfo(float).tiny)
    poor = np.flatnonzero(share < _ENOUGH)
    names = site.resources["resource_id"].to_numpy()
    words = (
        f"within {BESIDE_FT:g} ft of the resources {rated.sum() / whole.sum():.1%} of the ground have a hydrologic "
        "group, "
        f"{max(mapped.sum() - rated.sum(), 0) / whole.sum():.1%} are mapped without one (water, pits, made land), "
        f"{max(whole.sum() - mapped.sum(), 0) / whole.sum():.1%} are not mapped"
    )
    x, y = point_of(shapes[poor[0]]) if len(poor) else (None, None)
    yield Remark(
        severity="warning" if len(poor) else "info",
        subject="soils",
        code="soil-unrated" if len(poor) else "soil-coverage",
        layer="soils",
        file=reading.file_of("soils"),
        feature_id=str(names[poor[0]]) if len(poor) == 1 else "",
        x=x,
        y=y,
        message=words
        + (f"; less than half at {len(poor):,} resources: {few(names[poor].tolist())}" if len(poor) else ""),
        details=tuple(f"{names[at]}: {share[at]:.0%} with a group" for at in poor[:100]),
        mend="take the survey of the whole site, with its table of groups (muaggatt); where the survey has none, the "
        "rule "
        "makes no cut"
        if len(poor)
        else "",
    )
