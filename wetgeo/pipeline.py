"""The order of the steps, nothing else."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import geopandas as gpd
import pandas as pd

from wetgeo.access import AccessWay, access_layer
from wetgeo.averaging import Judgement, judge, tell_verdicts
from wetgeo.averaging_ground import AveragingSite, Proposal
from wetgeo.averaging_layers import averaging_layers
from wetgeo.buffers import (
    buffer_grounds,
    buffers_layer,
    extensions_layer,
    resources_layer,
    union_layer,
    zones_layer,
)
from wetgeo.delineation import Delineation, complies
from wetgeo.design import Preference, design_buffer
from wetgeo.errors import UsageError
from wetgeo.extensions import extender
from wetgeo.findings import Findings
from wetgeo.footprints import Footprints, lay_footprints, subject_footprints
from wetgeo.inputs.build import Source, build_site, read_source
from wetgeo.kernels.offset import GeometryArray
from wetgeo.project import Project, close_match
from wetgeo.reasons import reasons_layer
from wetgeo.rules.load import load_pack
from wetgeo.rules.model import RulePack
from wetgeo.ruling import Ruling
from wetgeo.site import Site
from wetgeo.sitewide import SiteWide
from wetgeo.structures import StructureLimit, apply_limits, existing_structure_limits
from wetgeo.subject import SubjectEdges
from wetgeo.survey import judge_staked, proposed_survey, survey_layers
from wetgeo.upland import Upland
from wetgeo.vegetated import UncountedSurface, widen_past
from wetgeo.widths import ResourceWidth, required_widths

Progress = Callable[[float, str], None]


def _silent(_fraction: float, _message: str) -> None:
    """Tell no one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidOut:
    """What the steps up to the footprints found: all that the layers are made of, and that averaging is judged by."""

    project: Project
    pack: RulePack
    ruling: Ruling
    site: Site
    subject: SubjectEdges
    upland: Upland
    widths: list[ResourceWidth | None]
    uncounted: UncountedSurface
    ways: Sequence[AccessWay]
    limits: list[StructureLimit]
    footprints: Footprints
    findings: Findings


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """A project with its rule and all its inputs, read."""

    project: Project
    pack: RulePack
    ruling: Ruling
    site: Site


def read_project(project: Project, findings: Findings, *, progress: Progress = _silent) -> Inputs:
    """Read a project's rule and inputs; `findings` take note of what was assumed, repaired or dropped.

    Raises
    ------
    WetgeoError
        Where the project, its rule or its data cannot be used.
    """
    pack = load_pack(project.rule, project.folder)
    ruling = Ruling.of(pack, project.options, project.date, findings)
    progress(0.05, "reading the layers")
    site = build_site(project, ruling.pack, findings, progress=lambda done, what: progress(0.05 + 0.25 * done, what))
    return Inputs(project=project, pack=pack, ruling=ruling, site=site)


def lay_out(project: Project, *, progress: Progress = _silent) -> LaidOut:
    """Read a project's inputs, decide the widths and lay out the footprints of the required buffers.

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
    inputs = read_project(project, findings, progress=progress)
    return lay_site(inputs, SiteWide.of(inputs.site, inputs.ruling, findings), findings, progress=progress)


def lay_site(inputs: Inputs, sitewide: SiteWide, findings: Findings, *, progress: Progress = _silent) -> LaidOut:
    """Decide the widths and lay out the footprints of the resources that `sitewide` chooses."""
    site, ruling, uncounted = inputs.site, inputs.ruling, sitewide.uncounted
    upland = Upland.of(site, sitewide.subject.ground)
    progress(0.3, "deciding the widths")
    widths = required_widths(site, ruling, upland, findings, progress=progress, chosen=sitewide.chosen)
    progress(0.7, "laying out the buffers")
    footprints = lay_footprints(
        upland,
        [None if width is None else width.decision for width in widths],
        extend=extender(site, ruling, findings, mapped=sitewide.mapped),
        widen=partial(widen_past, site, upland, uncounted, findings),
    )
    limits = existing_structure_limits(site, ruling, footprints.rows, findings)
    footprints = apply_limits(upland, footprints, limits)
    return LaidOut(
        project=inputs.project,
        pack=inputs.pack,
        ruling=ruling,
        site=site,
        subject=sitewide.subject,
        upland=upland,
        widths=widths,
        uncounted=uncounted,
        ways=sitewide.ways,
        limits=limits,
        footprints=subject_footprints(upland, footprints),
        findings=findings,
    )


def delineate(project: Project, *, progress: Progress = _silent) -> Delineation:
    """Delineate the required buffers of a project; parameters and errors as `lay_out`."""
    return delineation_of(lay_out(project, progress=progress), progress)


def delineation_of(laid: LaidOut, progress: Progress, *, proposed: gpd.GeoDataFrame | None = None) -> Delineation:
    """Make the delineation of what was laid out; where `proposed` is given, that is what is staked and recorded."""
    site, findings = laid.site, laid.findings
    grounds = buffer_grounds(laid.upland, laid.footprints, laid.uncounted.shapes)
    progress(0.85, "laying out edges and monuments")
    if proposed is None:
        union = union_layer(site, grounds)
        surveyed = {**survey_layers(site, laid.ruling, laid.footprints, union, findings), "buffer_union": union}
    else:
        surveyed = proposed_survey(proposed, laid.uncounted.shapes, site, laid.ruling, findings)
    return Delineation(
        project=laid.project,
        pack=laid.pack,
        options=laid.ruling.options,
        crs=site.crs,
        layers={
            "resources": resources_layer(site),
            **buffer_layers(laid, grounds),
            **({} if laid.subject.flow_paths is None else {"flow_paths": laid.subject.flow_paths}),
            **surveyed,
        },
        findings=findings,
        inputs=laid.project.files,
        dem=site.dem,
        recorded="required" if proposed is None else "proposed",
    )


def buffer_layers(laid: LaidOut, grounds: GeometryArray) -> dict[str, pd.DataFrame]:
    """Make the layers whose rows belong to one resource each: buffers, zones, extensions, access and reasons."""
    site, upland, footprints = laid.site, laid.upland, laid.footprints
    excluded = laid.uncounted.shapes
    return {
        "buffers": buffers_layer(site, laid.pack.id, laid.widths, footprints, grounds, laid.findings),
        "zones": zones_layer(site, upland, footprints, excluded),
        "extensions": extensions_layer(site, upland, footprints, excluded),
        "access": access_layer(site, laid.ruling, upland, footprints, laid.findings, ways=laid.ways),
        "reasons": reasons_layer(site, laid.widths, footprints, laid.limits),
    }


def check(
    project: Project,
    proposed: Source,
    *,
    monuments: Source | None = None,
    resources: Sequence[str] = (),
    progress: Progress = _silent,
) -> Delineation:
    """Judge a proposed buffer; what `delineate` finds is part of the answer.

    Parameters
    ----------
    project
        A project file as read.
    proposed
        The proposal: ``FILE`` or ``FILE|LAYER`` with polygons, or a frame.
    monuments
        Staked monuments, as a file or layer of points, or None.
    resources
        Ids of the resources to judge; none for all. Where others are left out, the required buffer is what is staked
        and recorded.
    progress
        Called with a fraction of 1 and what is being done.

    Raises
    ------
    WetgeoError
        As `lay_out`; or the proposal or the monuments cannot be used, or there is no resource of such an id.
    """
    laid = lay_out(project, progress=progress)
    frame = read_source(proposed, name="proposed", crs=laid.site.crs, findings=laid.findings)
    progress(0.8, "judging the proposal")
    averaging = averaging_site(laid)
    everything = judge(averaging, Proposal.of(averaging, frame, laid.findings), laid.findings)
    judged = _chosen(averaging, everything, resources, laid.findings) if resources else everything
    layers = _averaging(laid, averaging, judged)
    whole = len(judged) == len(everything)
    found = delineation_of(laid, progress, proposed=_to_record(layers, laid.findings) if whole else None)
    sources: list[Source] = [proposed]
    if monuments is not None:
        sources.append(monuments)
        points = read_source(monuments, name="monuments", crs=laid.site.crs, findings=laid.findings, kinds=("point",))
        found_there = judge_staked(points, layers["proposed"], laid.site, laid.ruling, laid.findings)
        layers["violations"] = pd.concat([layers["violations"], found_there], ignore_index=True)
    return with_layers(found, "check", layers, sources)


def design(
    project: Project, keep_out: Source, *, prefer: Source = "uniform", progress: Progress = _silent
) -> Delineation:
    """Find a buffer that complies around what must stay out of it, and judge it as `check` would.

    Parameters
    ----------
    project
        A project file as read.
    keep_out
        What must stay out: ``FILE`` or ``FILE|LAYER`` with polygons.
    prefer
        Where to give back what is lost: ``uniform`` (all along the edge), ``near`` (next to the loss), or a file or
        layer of polygons.
    progress
        Called with a fraction of 1 and what is being done.

    Raises
    ------
    WetgeoError
        As `lay_out`; or one of the files cannot be used.
    """
    laid = lay_out(project, progress=progress)
    read = partial(read_source, crs=laid.site.crs, findings=laid.findings)
    barred = read(keep_out, name="keep_out")
    where = Preference.of(prefer, lambda source: read(source, name="prefer"))
    progress(0.8, "designing the buffer")
    averaging = averaging_site(laid)
    layers = _averaging(laid, averaging, design_buffer(averaging, barred, where, laid.findings))
    found = delineation_of(laid, progress, proposed=_to_record(layers, laid.findings))
    sources = [keep_out] if where.ground is None else [keep_out, prefer]
    return with_layers(found, "design", layers, sources)


def averaging_site(laid: LaidOut) -> AveragingSite:
    """Take what averaging is judged by."""
    return AveragingSite.of(laid.site, laid.upland, laid.widths, laid.footprints, laid.limits, laid.uncounted)


def _averaging(laid: LaidOut, averaging: AveragingSite, judged: list[Judgement]) -> dict[str, pd.DataFrame]:
    tell_verdicts(averaging, laid.ruling, laid.widths, judged, laid.findings)
    return averaging_layers(averaging, laid.ruling, judged, laid.findings)


def _chosen(
    averaging: AveragingSite, judged: list[Judgement], resources: Sequence[str], findings: Findings
) -> list[Judgement]:
    """Keep the judgements of some resources, and say that the others are not judged."""
    ids = averaging.site.resources["resource_id"].tolist()
    unknown = [f"there is no resource {name!r}{close_match(name, ids)}" for name in resources if name not in ids]
    if unknown:
        raise UsageError("resources to judge that the project does not have:", faults=unknown)
    kept = [one for one in judged if ids[one.row] in resources]
    if len(kept) < len(judged):
        findings.info(
            "recorded",
            f"only {', '.join(sorted(ids[one.row] for one in kept)) or 'none'} of the {len(judged)} resources with a "
            "required buffer were judged, as asked; edges, monuments, parcels and the declaration are those of the "
            "required buffer",
            layer="proposed",
        )
    return kept


def _to_record(layers: dict[str, pd.DataFrame], findings: Findings) -> gpd.GeoDataFrame | None:
    """Choose the buffer that is staked and recorded: the proposed one where it complies; None for the required one."""
    what = "edges, monuments, parcels and the declaration are those of the "
    if not complies(layers):
        findings.info("recorded", f"{what}required buffer: no other was found to comply", layer="proposed")
        return None
    findings.info("recorded", f"{what}proposed buffer, which complies", layer="proposed")
    return gpd.GeoDataFrame(layers["proposed"])


def with_layers(
    found: Delineation, command: str, layers: dict[str, pd.DataFrame], sources: Sequence[Source]
) -> Delineation:
    """Add the layers of a command, and the files that it was given."""
    files = [Path(source.partition("|")[0]).absolute() for source in sources if isinstance(source, str)]
    return dataclasses.replace(
        found, command=command, layers={**found.layers, **layers}, inputs=[*found.inputs, *files]
    )
