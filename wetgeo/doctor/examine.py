"""The order in which a project's inputs are looked at, and the document that tells it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from pyproj import CRS, Transformer

import wetgeo
from wetgeo.doctor import classes, crs, dates, elevation, extents, geometry, ids, parcels, sidecars, soils, told, units
from wetgeo.doctor.reading import Reading, read_inputs
from wetgeo.doctor.remarks import Remark, Remarks
from wetgeo.errors import ProjectError
from wetgeo.findings import SEVERITIES
from wetgeo.inputs.crs import LON_LAT
from wetgeo.inputs.repair import kinds
from wetgeo.project import Project

Progress = Callable[[float, str], None]

#: what looks at one subject
_LOOKS: tuple[Callable[[Reading], Iterator[Remark]], ...] = (
    told.from_findings,
    crs.look,
    geometry.look,
    classes.look,
    ids.look,
    parcels.look,
    soils.look,
    extents.look,
    sidecars.look,
    dates.look,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was found of a project.

    Attributes
    ----------
    path
        The project file.
    project
        What it says, None where it cannot be read at all.
    crs
        The working CRS of the remarks' places, or None.
    inputs
        One entry for each layer and for the DEM, as in the document.
    remarks
        Errors first, then warnings, then infos.
    """

    path: Path
    project: Project | None
    crs: CRS | None
    inputs: tuple[dict[str, Any], ...]
    remarks: tuple[Remark, ...]

    @property
    def exit_code(self) -> int:
        """The exit status: 0 the project runs; 1 its data cannot be used; 2 the project file or rule is wrong."""
        return max((remark.exit_code for remark in self.remarks), default=0)

    def document(self) -> dict[str, Any]:
        """Return the JSON document that `wetgeo.doctor` describes."""
        project = self.project
        counts = {name: sum(remark.severity == name for remark in self.remarks) for name in SEVERITIES}
        return {
            "command": "doctor",
            "wetgeo": wetgeo.__version__,
            "project": "" if project is None else project.name,
            "path": str(self.path),
            "rule": "" if project is None else project.rule,
            "date": "" if project is None else project.date.isoformat(),
            "crs": None if self.crs is None else self.crs.to_string(),
            "runs": self.exit_code == 0,
            "counts": counts,
            "inputs": list(self.inputs),
            "remarks": [remark.as_data() for remark in self.remarks],
        }


def _silent(_fraction: float, _message: str) -> None:
    """Tell no one."""


def examine(path: Path, progress: Progress = _silent) -> Examination:
    """Look at every input of a project; nothing is changed, and no fault ends it.

    Parameters
    ----------
    path
        A wetgeo.toml, or a folder that holds one.
    progress
        Called with a fraction of 1 and what is being done.
    """
    try:
        reading = read_inputs(path, progress)
    except ProjectError as error:
        remarks = Remarks()
        remarks.error_of(error, file=path)
        return Examination(path=path.absolute(), project=None, crs=None, inputs=(), remarks=tuple(remarks))
    for done, look in enumerate(_LOOKS):
        progress(0.5 + 0.3 * done / len(_LOOKS), "looking at each subject")
        reading.remarks.add(look(reading))
    reading.remarks.leave_out(extents.EXPLAINED, where=extents.EXPLAIN)
    progress(0.8, "looking at the elevations")
    _look_at_elevations(reading)
    return Examination(
        path=reading.project.path,
        project=reading.project,
        crs=reading.crs,
        inputs=tuple(_inputs(reading)),
        remarks=tuple(_placed(remark, reading.crs) for remark in reading.remarks),
    )


def _look_at_elevations(reading: Reading) -> None:
    reading.remarks.add([*elevation.missing(reading), *units.fitting(reading)])
    if reading.site is None or reading.dem is None:
        return
    with reading.collect(layer="dem", file=reading.file_of("dem")):
        found = elevation.survey(reading.site, reading.dem)
        reading.remarks.add([*elevation.look(reading, found), *units.look(reading, found)])


def _placed(remark: Remark, crs: CRS | None) -> Remark:
    """Add longitude and latitude to a place in the working CRS."""
    if crs is None or remark.x is None or remark.y is None or remark.lon is not None:
        return remark
    lon, lat = Transformer.from_crs(crs, LON_LAT, always_xy=True).transform(remark.x, remark.y)
    if not np.isfinite([lon, lat]).all():
        return remark
    return replace(remark, lon=round(float(lon), 7), lat=round(float(lat), 7))


def _inputs(reading: Reading) -> Iterator[dict[str, Any]]:
    drafts = {draft.name: draft for draft in reading.drafts}
    ready = {draft.name: draft for draft in reading.ready}
    for name, source in reading.project.layers.items():
        draft, moved = drafts.get(name), ready.get(name)
        known = draft is not None and draft.crs is not None
        yield {
            "layer": name,
            "file": str(source.path),
            "crs": draft.crs.to_string() if draft is not None and draft.crs is not None and known else None,
            "features": None if draft is None else len(draft.geometry),
            "kinds": "" if draft is None else ", ".join(sorted({str(kind) for kind in kinds(draft.geometry)})),
            "bounds": None if moved is None or not len(moved.geometry) else list(moved.bounds),
        }
    if reading.project.dem is not None:
        dem = reading.dem
        yield {
            "layer": "dem",
            "file": ", ".join(str(path) for path in reading.project.dem.paths),
            "crs": None if dem is None or reading.crs is None else reading.crs.to_string(),
            "features": None,
            "kinds": "raster",
            "bounds": None if dem is None else list(dem.bounds),
        }
