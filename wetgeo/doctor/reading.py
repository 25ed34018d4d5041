"""All inputs of a project as far as they can be read, through the same door as a run; no fault stops it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyproj import CRS

from wetgeo.doctor.remarks import Remark, Remarks
from wetgeo.errors import RulePackError, WetgeoError
from wetgeo.findings import Findings
from wetgeo.inputs.build import repaired, site_frames
from wetgeo.inputs.crs import parse, unit_m
from wetgeo.inputs.draft import Draft, draft_layer
from wetgeo.inputs.faults import Faults
from wetgeo.inputs.raster import Dem, open_dem, read_heads
from wetgeo.inputs.repair import kinds
from wetgeo.inputs.repeats import without_repeats
from wetgeo.inputs.working import tell_far_dem, with_crs, working_crs
from wetgeo.outputs.earlier import check_files, check_folder
from wetgeo.outputs.staging import told
from wetgeo.project import Project, read_project
from wetgeo.rules.load import load_pack
from wetgeo.ruling import Ruling
from wetgeo.site import RESOURCE_LAYERS, Site
from wetgeo.subject import require_inputs
from wetgeo.widths import new_structure_distances

Progress = Callable[[float, str], None]


@dataclass(slots=True, kw_only=True)
class Reading:
    """What could be read of a project.

    Attributes
    ----------
    project
        The project file; what is wrong in it is left out.
    remarks
        What was found so far.
    findings
        What the readers told.
    ruling
        The rule as it applies; None where its pack or an option cannot be used.
    drafts
        The layers as read, each in its own CRS.
    crs
        The working CRS; where that of the project is not fit, the site's UTM zone; None where there is neither.
    ready
        The layers in the working CRS, repaired.
    site
        The site, of all layers that could be read; None where there is no resource.
    dem
        The elevations; None where there are none that can be used.
    """

    project: Project
    remarks: Remarks = field(default_factory=Remarks)
    findings: Findings = field(default_factory=Findings)
    ruling: Ruling | None = None
    drafts: list[Draft] = field(default_factory=list)
    crs: CRS | None = None
    ready: list[Draft] = field(default_factory=list)
    site: Site | None = None
    dem: Dem | None = None

    @contextmanager
    def collect(self, *, layer: str = "", file: object = "") -> Iterator[None]:
        """Keep an error that the block raises as a remark; the block is left."""
        try:
            yield
        except WetgeoError as error:
            self.remarks.error_of(error, layer=layer, file=file)

    def file_of(self, layer: str) -> str:
        """Return the file that a layer comes from, as text; nothing where the project names none."""
        if layer == "dem":
            return "" if self.project.dem is None else str(self.project.dem.paths[0])
        return str(self.project.layers[layer].path) if layer in self.project.layers else ""


def read_inputs(path: Path, progress: Progress) -> Reading:
    """Read all that a project names.

    Raises
    ------
    ProjectError
        The project file is missing or no TOML: there is nothing to look at.
    """
    project, faults = read_project(path)
    reading = Reading(project=_without_faulty(project, faults))
    reading.remarks.add(_of_project(project, fault) for fault in faults)
    _read_rule(reading)
    _look_at_output(reading)
    _read_layers(reading, progress)
    progress(0.4, "checking geometries")
    _settle(reading)
    progress(0.5, "opening the DEM")
    _open_dem(reading)
    _require_inputs(reading)
    return reading


def _of_project(project: Project, fault: str) -> Remark:
    return Remark(
        severity="error",
        subject="project",
        code="project-wrong",
        message=fault,
        file=str(project.path),
        mend="correct that line of the project file",
        exit_code=2,
    )


def _without_faulty(project: Project, faults: tuple[str, ...]) -> Project:
    """Leave out the layers and the DEM that the project file states wrongly."""
    wrong = {fault.partition(":")[0].partition(" ")[0] for fault in faults}
    layers = {
        name: source
        for name, source in project.layers.items()
        if not any(f"{place}.".startswith(f"layers.{name}.") for place in wrong)
    }
    dem = None if any(f"{place}.".startswith("dem.") for place in wrong) else project.dem
    return replace(project, layers=layers, dem=dem)


def _read_rule(reading: Reading) -> None:
    project = reading.project
    if not project.rule:
        return
    with reading.collect(file=project.path):
        pack = load_pack(project.rule, project.folder)
        reading.ruling = Ruling.of(pack, project.options, project.date, reading.findings)
    if reading.ruling is None:
        try:  # an option is wrong: the classes can still be looked at
            reading.ruling = Ruling.of(load_pack(project.rule, project.folder), {}, project.date, Findings())
        except RulePackError:
            return


def _look_at_output(reading: Reading) -> None:
    project = reading.project
    with reading.collect(file=project.output), told(project.output):
        check_folder(project.output)
    if any(remark.subject == "output" for remark in reading.remarks):
        return
    try:
        check_files(project.output, overwrite=False, formats=project.formats)
    except WetgeoError as error:
        reading.remarks.add(
            [
                Remark(
                    severity="info",
                    subject="output",
                    code="output-there",
                    message=error.message,
                    file=str(project.output),
                    mend=error.mend,
                )
            ]
        )


def _read_layers(reading: Reading, progress: Progress) -> None:
    layers = reading.project.layers
    read = []
    for done, source in enumerate(layers.values()):
        progress(0.4 * done / len(layers), f"reading {source.name}")
        faults = Faults()
        pack = None if reading.ruling is None else reading.ruling.pack
        with reading.collect(layer=source.name, file=source.path):
            draft = draft_layer(source, reading.findings, faults, pack=pack)
            read += [] if draft is None else [draft]
        for error in faults.errors:
            reading.remarks.error_of(error, layer=source.name, file=source.path)
    for draft in read:
        with reading.collect(layer=draft.name, file=draft.source.path):
            reading.drafts.append(with_crs(draft, read, reading.findings))


def _settle(reading: Reading) -> None:
    """Choose the working CRS, bring the layers into it, and make the site."""
    stated = reading.project.crs
    waters = [draft for draft in reading.drafts if draft.name in RESOURCE_LAYERS and len(draft.geometry)]
    with reading.collect(file=waters[0].source.path if waters and stated is None else reading.project.path):
        if waters or not reading.remarks.faulty():
            reading.crs = working_crs(stated, reading.drafts, reading.findings)
        elif stated not in (None, "auto"):  # there is no resource for a reason that is told already
            parse(str(stated), place="[project] crs")
    reading.crs = reading.crs or _fallback(reading)
    if reading.crs is None:
        return
    for draft in reading.drafts:
        if reading.remarks.faulty(draft.name) and not _usable(draft):
            continue
        with reading.collect(layer=draft.name, file=draft.source.path):
            reading.ready.append(without_repeats(repaired(draft, reading.crs, reading.findings)))
    try:
        resources, layers = site_frames(reading.ready, reading.crs, reading.findings)
    except WetgeoError as error:
        if not reading.remarks.faulty(*RESOURCE_LAYERS):
            reading.remarks.error_of(error)
        return
    reading.site = Site(
        crs=reading.crs,
        unit_m=unit_m(reading.crs),
        resources=resources,
        layers=layers,
        date=reading.project.date,
    )


def _usable(draft: Draft) -> bool:
    """Tell whether a layer with a fault, whose roles may be lacking, has ground all the same."""
    return draft.name in RESOURCE_LAYERS and not (kinds(draft.geometry) == "line").any()


def _fallback(reading: Reading) -> CRS | None:
    """Take the site's UTM zone where the project's CRS cannot be used, to look at the rest all the same."""
    try:
        return working_crs("auto", reading.drafts, Findings())
    except WetgeoError:
        return None


def _open_dem(reading: Reading) -> None:
    source = reading.project.dem
    if source is None:
        return
    with reading.collect(layer="dem", file=source.paths[0] if len(source.paths) == 1 else ""):
        if reading.crs is None:
            read_heads(source, reading.findings)
            return
        reading.dem = open_dem(source, reading.crs, unit_m(reading.crs), reading.findings)
        if reading.site is not None:
            reading.site = replace(reading.site, dem=reading.dem)
            left, bottom, right, top = reading.site.resources.total_bounds.tolist()
            tiles = [tile.bounds for tile in reading.dem.tiles]
            tell_far_dem(tiles, (left, bottom, right, top), reading.site.ft, reading.findings)


def _require_inputs(reading: Reading) -> None:
    """See that the layers are there which the rule's options ask for, where all that was named could be read."""
    site, ruling = reading.site, reading.ruling
    if site is None or ruling is None or reading.remarks.faulty():
        return
    with reading.collect(file=reading.project.path):
        require_inputs(site, ruling)
    with reading.collect(file=reading.project.path):
        new_structure_distances(site, ruling)
