"""Coordinate systems: the scale error at the site, places where a CRS is not meant for, and two kinds of feet."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pyproj import Proj

from wetgeo.doctor.reading import Reading
from wetgeo.doctor.remarks import Remark
from wetgeo.inputs import crs as systems
from wetgeo.inputs.draft import Draft
from wetgeo.units import FOOT_M, SQFT_PER_ACRE, US_SURVEY_FOOT_M

#: a grid scale further from 1 than half of what a run takes is worth a look
_WORTH_A_LOOK = systems.MOST_SCALE_ERROR / 2


def look(reading: Reading) -> Iterator[Remark]:
    """Look at the CRS of the site and of each layer."""
    yield from _scale(reading)
    for draft in reading.drafts:
        yield from _area_of_use(draft)
    yield from _feet(reading)


def _scale(reading: Reading) -> Iterator[Remark]:
    site = reading.site
    if site is None:
        return
    left, bottom, right, top = site.resources.total_bounds
    x, y = (each.ravel() for each in np.meshgrid(np.linspace(left, right, 5), np.linspace(bottom, top, 5)))
    projection = Proj(site.crs)
    factors = projection.get_factors(*projection(x, y, inverse=True))
    scales = np.array([factors.meridional_scale, factors.parallel_scale]).ravel()
    worst = float(scales[np.argmax(np.abs(scales - 1))])
    areal = float(np.asarray(factors.areal_scale)[np.argmax(np.abs(np.asarray(factors.areal_scale) - 1))])
    far = abs(worst - 1) > _WORTH_A_LOOK
    yield Remark(
        severity="warning" if far else "info",
        subject="crs",
        code="crs-scale",
        x=float((left + right) / 2),
        y=float((bottom + top) / 2),
        message=f"grid scale at the site {scales.min():.6f} to {scales.max():.6f}: a grid length of 100 ft is "
        f"{100 / worst - 100:+.3f} ft longer on the ellipsoid; an acre on the grid is {SQFT_PER_ACRE / areal:,.1f} "
        f"sq ft there ({100 * (1 / areal - 1):+.3f} %); what the ground's height adds is not in it",
        mend="for figures that must agree with a survey on the ground, take a State Plane or county CRS" if far else "",
        table="project" if far else "",
        line='crs = "EPSG:..."' if far else "",
    )


def _area_of_use(draft: Draft) -> Iterator[Remark]:
    if draft.crs is None or not len(draft.geometry) or not np.isfinite(draft.bounds).all():
        return
    words = systems.out_of_area(draft.bounds, draft.crs)
    if not words:
        return
    west, south, east, north = systems.bounds_lon_lat(draft.bounds, draft.crs)
    yield Remark(
        severity="warning",
        subject="crs",
        code="crs-area",
        layer=draft.name,
        file=str(draft.source.path),
        lon=(west + east) / 2 if np.isfinite([west, east]).all() else None,
        lat=(south + north) / 2 if np.isfinite([south, north]).all() else None,
        message=words,
        mend="find out which CRS the coordinates are really in, and assign that to the file",
    )


def _feet(reading: Reading) -> Iterator[Remark]:
    """Tell of layers in US survey feet beside layers in international feet: one of them is often mislabelled."""
    feet: dict[str, list[Draft]] = {"US survey": [], "international": []}
    for draft in reading.drafts:
        if draft.crs is None or not draft.crs.is_projected:
            continue
        unit = systems.unit_m(draft.crs)
        if abs(unit - US_SURVEY_FOOT_M) < 1e-9:
            feet["US survey"].append(draft)
        elif abs(unit - FOOT_M) < 1e-9:
            feet["international"].append(draft)
    if not all(feet.values()):
        return
    for draft in min(feet.values(), key=len):
        east = abs(draft.bounds[2])
        yield Remark(
            severity="warning",
            subject="crs",
            code="crs-feet",
            layer=draft.name,
            file=str(draft.source.path),
            message="some layers are in US survey feet and others in international feet "
            f"({'; '.join(f'{kind}: ' + ', '.join(d.name for d in found) for kind, found in feet.items())}); where one "
            f"is mislabelled, it lies {east * 2e-6:,.1f} ft off to the east or west",
            mend="see which foot the state's law and the file's own description name",
        )
