"""The order of the steps, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from wetgeo.buffers import (
    buffer_grounds,
    buffers_layer,
    extensions_layer,
    resources_layer,
    union_layer,
    zones_layer,
)
from wetgeo.delineation import Delineation
from wetgeo.extensions import extender
from wetgeo.findings import Findings
from wetgeo.footprints import lay_footprints, subject_footprints
from wetgeo.inputs.build import build_site
from wetgeo.project import Project
from wetgeo.reasons import reasons_layer
from wetgeo.rules.load import load_pack
from wetgeo.ruling import Ruling
from wetgeo.structures import apply_limits, existing_structure_limits
from wetgeo.subject import subject_edges
from wetgeo.survey import survey_layers
from wetgeo.upland import Upland
from wetgeo.vegetated import UncountedSurface, widen_past
from wetgeo.widths import required_widths

Progress = Callable[[float, str], None]


def delineate(project: Project, *, progress: Progress = lambda _fraction, _message: None) -> Delineation:
    """Delineate the required buffers of a project.

    Parameters
    ----------
    project
        A project file as read.
    progress
        Called with a fraction of 1 and what is being done.

    Raises
    ------
    WetgeoError
        Where the project, its rule or its data cannot be used.
    """
    findings = Findings()
    pack = load_pack(project.rule, project.folder)
    ruling = Ruling.of(pack, project.options, project.date, findings)
    progress(0.05, "reading the layers")
    site = build_site(project, pack, findings, progress=progress)
    subject = subject_edges(site, ruling, findings)
    upland = Upland.of(site, subject.ground)
    progress(0.3, "deciding the widths")
    widths = required_widths(site, ruling, upland, findings, progress=progress)
    progress(0.7, "laying out the buffers")
    surface = UncountedSurface.of(site, ruling, findings)
    footprints = lay_footprints(
        upland,
        [None if width is None else width.decision for width in widths],
        extend=extender(site, ruling, findings),
        widen=partial(widen_past, site, upland, surface, findings),
    )
    limits = existing_structure_limits(site, ruling, footprints.rows, findings)
    footprints = apply_limits(upland, footprints, limits)
    footprints = subject_footprints(upland, footprints)
    grounds = buffer_grounds(upland, footprints, surface.shapes)
    union = union_layer(site, grounds)
    progress(0.85, "laying out edges and monuments")
    return Delineation(
        project=project,
        pack=pack,
        options=ruling.options,
        crs=site.crs,
        layers={
            "resources": resources_layer(site),
            "buffers": buffers_layer(site, pack.id, widths, footprints, grounds, findings),
            "zones": zones_layer(site, upland, footprints, surface.shapes),
            "extensions": extensions_layer(site, upland, footprints, surface.shapes),
            **({} if subject.flow_paths is None else {"flow_paths": subject.flow_paths}),
            **survey_layers(site, ruling, footprints, union, findings),
            "buffer_union": union,
            "reasons": reasons_layer(site, widths, footprints, limits),
        },
        findings=findings,
        inputs=project.files,
    )
