"""What a permit asks beside the buffer: the order of the steps of ``wetgeo impacts`` and ``wetgeo screen``."""

from __future__ import annotations

import dataclasses

import geopandas as gpd

from wetgeo.delineation import Delineation
from wetgeo.impacts import Disturbance, impacts_layer
from wetgeo.inputs.build import Source
from wetgeo.inputs.disturbance import CauseReading, probe_disturbance, read_disturbance
from wetgeo.pipeline import LaidOut, Progress, delineation_of, lay_out, with_layers
from wetgeo.project import Project
from wetgeo.screening import triggers_layer


def _silent(_fraction: float, _message: str) -> None:
    """Tell no one."""


def measure_impacts(
    project: Project, disturbance: Source, *, reading: CauseReading | None = None, progress: Progress = _silent
) -> Delineation:
    """Measure what of wetlands, required buffers and natural communities is disturbed, and the replacement owed.

    Parameters
    ----------
    project
        A project file as read.
    disturbance
        The disturbed ground: ``FILE`` or ``FILE|LAYER`` with polygons.
    reading
        How the file tells causes; left out, by a field named ``cause``.
    progress
        Called with a fraction of 1 and what is being done.

    Returns
    -------
    Delineation
        What `wetgeo.pipeline.delineate` finds, and layer ``impacts`` with a column ``class``.

    Raises
    ------
    WetgeoError
        As `wetgeo.pipeline.lay_out`; or the disturbance cannot be used.
    """
    reading = reading or CauseReading()
    probe_disturbance(disturbance, reading)
    laid = lay_out(project, progress=progress)
    disturbed = _disturbed(laid, disturbance, reading)
    found = delineation_of(laid, progress)
    progress(0.9, "measuring impacts")
    impacts = impacts_layer(laid.site, laid.ruling, found.layers["buffers"], disturbed, laid.findings)
    return with_layers(_shown(found, disturbed), "impacts", {"impacts": impacts}, [disturbance])


def screen(
    project: Project, disturbance: Source, *, reading: CauseReading | None = None, progress: Progress = _silent
) -> Delineation:
    """Test which provisions some work triggers.

    Parameters
    ----------
    project, disturbance, progress
        As of `measure_impacts`.
    reading
        How the file tells causes; a disturbance of unknown cause leaves open what depends on it.

    Returns
    -------
    Delineation
        What `wetgeo.pipeline.delineate` finds, and layer ``triggers``.

    Raises
    ------
    WetgeoError
        As `wetgeo.pipeline.lay_out`; or the disturbance cannot be used.
    """
    reading = reading or CauseReading(required=False)
    probe_disturbance(disturbance, reading)
    laid = lay_out(project, progress=progress)
    disturbed = _disturbed(laid, disturbance, reading)
    found = delineation_of(laid, progress)
    progress(0.9, "testing the provisions")
    triggers = triggers_layer(laid.site, laid.ruling, disturbed, laid.findings)
    return with_layers(_shown(found, disturbed), "screen", {"triggers": triggers}, [disturbance])


def _shown(found: Delineation, disturbed: Disturbance) -> Delineation:
    """Add the disturbed ground, for maps."""
    frame = gpd.GeoDataFrame({"cause": disturbed.causes}, geometry=disturbed.parts, crs=found.crs)
    return dataclasses.replace(found, disturbance=frame)


def _disturbed(laid: LaidOut, source: Source, reading: CauseReading) -> Disturbance:
    left, bottom, right, top = (float(value) for value in laid.site.resources.total_bounds)
    frame = read_disturbance(
        source, reading, crs=laid.site.crs, near=(left, bottom, right, top), findings=laid.findings
    )
    return Disturbance.of(frame, laid.site, laid.ruling, laid.findings)
