"""What the readers told, as remarks: with a place, how to mend it, and repeats put together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

import shapely

from wetgeo.doctor.reading import Reading
from wetgeo.doctor.remarks import Remark
from wetgeo.findings import Finding
from wetgeo.rules.model import SoilCut

#: of findings that say the same of several features, so many stand apart; more are put together
_APART = 3
#: features that one remark lists
_LISTED = 200
_AT = re.compile(r"\[(-?[\d.]+(?:e[+-]?\d+)?) (-?[\d.]+(?:e[+-]?\d+)?)\]", re.IGNORECASE)
_IN_GIS = "look at it in a GIS; mend it there where it is not as meant"

#: subject of a finding, by the beginning of its code
_SUBJECTS = {
    "crs": "crs",
    "z-unit": "units",
    "layer-far": "extents",
    "layer": "files",
    "schema": "files",
    "geometry": "geometry",
    "duplicate": "geometry",
    "resources": "geometry",
    "id": "ids",
    "class": "classes",
    "value": "classes",
    "soil": "soils",
    "dem": "elevation",
    "parcel": "parcels",
    "rule": "rule",
}
#: how to mend what a finding tells; the key to write, where there is one, with ... for what only the user knows
_MENDS: dict[str, tuple[str, str]] = {
    "crs-reprojected": (
        "where its datum differs and no grid is installed, reproject the file in a GIS that has it",
        "",
    ),
    "z-unit": ("find out the vertical unit from the data's own description, and correct z_unit or the file", ""),
    "layer-empty": ("check the file, its layer and the filter; or take the layer out of the project file", ""),
    "layer-far": ("check the CRS of the file and that it is of this site; or take the layer out", 'crs = "EPSG:..."'),
    "layer-read": ("the reader could go on; look whether all features came through", ""),
    "layer-ignored": ("name the field where it should count", 'fields = { ... = "..." }'),
    "geometry-repaired": (_IN_GIS, ""),
    "geometry-dropped": ("give the feature an outline, or delete it from the file", ""),
    "duplicate-dropped": ("delete the copy from the file", ""),
    "resources-overlap": ("cut one of the two outlines back to the common edge", ""),
    "id-repeated": ("give each feature an id of its own in the file, or name another field", 'fields = { id = "..." }'),
    "id-missing": ("fill the ids in the file, or name the field that holds them", 'fields = { id = "..." }'),
    "class-unknown": ("translate it into a class of the rule", 'values.class = { "..." = "..." }'),
    "value-unreadable": ("correct the value in the file, or translate it", 'values.ROLE = { "..." = "..." }'),
    "soil-unmatched": ("take the table of the same survey and year as the map units", 'table = "..."'),
    "soil-contradicted": ("delete the wrong rows from the table: each map unit has one group", ""),
    "soil-missing": ("name the table of hydrologic groups", 'table = "..."'),
    "dem-nodata": ("tell the file its nodata value: gdal_edit.py -a_nodata VALUE FILE", ""),
    "dem-tiles": ("take tiles of one resolution and grid, where there are", ""),
    "rule-draft": ("ask the district which text was in force on the date of the application; name its pack", ""),
    "rule-date": (
        "ask the district which text was in force on the date of the application; name its pack, or correct the date",
        "",
    ),
    "parcel-repeated": ("see whether these features are one parcel", ""),
}


def from_findings(reading: Reading) -> Iterator[Remark]:
    """Turn the readers' findings into remarks. What a run leaves out, and goes on, is an error as there."""
    places = _places(reading)
    key = _same
    found = [finding for finding in reading.findings if finding.code != "crs-area"]  # told with its place, by `crs`
    for _, group in groupby(sorted(found, key=key), key=key):
        alike = list(group)
        if len(alike) <= _APART:
            for finding in alike:
                yield from_finding(reading, finding, places.get((finding.layer, finding.feature_id)))
            continue
        first = from_finding(reading, alike[0], places.get((alike[0].layer, alike[0].feature_id)))
        single = len({finding.message for finding in alike}) == 1
        names = [finding.feature_id if single else f"{finding.feature_id}: {finding.message}" for finding in alike]
        yield replace(
            first,
            feature_id="",
            message=f"{len(alike):,} features: {first.message}"
            if single
            else f"{first.message}; and {len(alike) - 1:,} others like it",
            details=(*names[:_LISTED], *([f"and {len(names) - _LISTED:,} more"] if len(names) > _LISTED else [])),
        )


def _same(finding: Finding) -> tuple[str, str, str, str]:
    """Findings that only inform are alike where their code is; others where they differ but in names with figures."""
    words = "" if finding.severity == "info" and finding.feature_id else re.sub(r"\S*\d\S*", "", finding.message)
    return finding.severity, finding.code, finding.layer, words


def from_finding(reading: Reading, finding: Finding, place: tuple[float, float] | None = None) -> Remark:
    """Turn one finding into a remark; `place` is in the working CRS."""
    mend, line = _MENDS.get(finding.code, ("", ""))
    severity, message = finding.severity, finding.message
    if finding.layer == "soils" and reading.ruling is not None and reading.ruling.find(SoilCut) is None:
        severity, message = "info", f"{message}; this rule asks nothing of soils"
    if severity == "info":
        mend = line = ""
    if finding.code == "layer-far" and finding.layer == "dem":  # a raster's CRS is not the project file's to state
        mend, line = "check the raster's CRS and that it is of this site; until then no slope is known", ""
    table = "dem" if finding.layer == "dem" else f"layers.{finding.layer}"
    at = _AT.search(finding.message)
    if at is not None:
        place = float(at[1]), float(at[2])
    x, y = place or (None, None)
    return Remark(
        severity=severity,
        subject=next(word for start, word in _SUBJECTS.items() if finding.code.startswith(start)),
        code=finding.code,
        message=message,
        layer=finding.layer,
        file=reading.file_of(finding.layer),
        feature_id=finding.feature_id,
        x=x,
        y=y,
        mend=mend,
        table=table if line else "",
        line=line,
    )


def _places(reading: Reading) -> dict[tuple[str, str], tuple[float, float]]:
    """Return a point of each feature that a finding names, in the working CRS."""
    wanted = {(finding.layer, finding.feature_id) for finding in reading.findings if finding.feature_id}
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for draft in reading.ready:
        rows = [(at, draft.names[row]) for at, row in enumerate(draft.rows) if (draft.name, draft.names[row]) in wanted]
        found |= {(draft.name, name): point_of(draft.geometry[at]) for at, name in rows}
    if reading.site is not None:
        frame = reading.site.resources
        layer_of = {"wetland": "wetlands", "lake": "lakes", "stream": "streams"}
        for name, kind, shape in zip(frame["resource_id"], frame["resource_type"], frame.geometry, strict=True):
            if (layer_of[kind], name) in wanted:
                found[layer_of[kind], name] = point_of(shape)
    return found


def point_of(shape: Any) -> tuple[float, float]:  # noqa: ANN401 -- a shapely geometry
    """Return a point on a geometry."""
    point = shapely.point_on_surface(shape)
    return float(point.x), float(point.y)
