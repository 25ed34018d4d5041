"""Reading a project for tiles: large layers a block at a time, their geometries on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wetgeo.findings import Findings
from wetgeo.inputs.blocks import BlockSite, Undivided, read_in_blocks
from wetgeo.inputs.crs import unit_m
from wetgeo.inputs.heap import Features, NewHeap
from wetgeo.pipeline import Inputs, read_project
from wetgeo.project import Project
from wetgeo.rules import provisions as law
from wetgeo.rules.load import load_pack
from wetgeo.ruling import Ruling
from wetgeo.site import RESOURCE_LAYERS, Site

#: layers of whose geometries no step that looks at the whole site asks anything
_BESIDE = frozenset({"parcels", "soils", "public_land"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A project, read.

    Attributes
    ----------
    inputs
        The project, its rule and the site; geometries that no step asks of a whole site are missing there.
    resources, layers
        All features.
    findings
        What was found on the way; of blocks, overlaps of resources are yet to be found.
    """

    inputs: Inputs
    resources: Features
    layers: Mapping[str, Features]
    findings: Findings


def read_features(project: Project, new_heap: NewHeap) -> Read:
    """Read a project; geometries lie in heaps that `new_heap` makes.

    Raises
    ------
    WetgeoError
        As `wetgeo.pipeline.read_project`.
    """
    findings = Findings()
    pack = load_pack(project.rule, project.folder)
    ruling = Ruling.of(pack, project.options, project.date, findings)
    try:
        blocks = read_in_blocks(project, ruling.pack, findings, new_heap)
    except Undivided:
        return _as_a_whole(project)
    inputs = Inputs(project=project, pack=pack, ruling=ruling, site=_site(project, ruling, blocks))
    return Read(inputs=inputs, resources=blocks.resources, layers=blocks.layers, findings=findings)


def _as_a_whole(project: Project) -> Read:
    findings = Findings()
    inputs = read_project(project, findings)
    layers = {name: Features.of(frame) for name, frame in inputs.site.layers.items()}
    return Read(inputs=inputs, resources=Features.of(inputs.site.resources), layers=layers, findings=findings)


def _site(project: Project, ruling: Ruling, blocks: BlockSite) -> Site:
    """Make the site, with those geometries that the steps ask for that look at a site as a whole."""
    plain = project.layers.keys() <= {*RESOURCE_LAYERS, *_BESIDE, "tract"}
    chain = ruling.find(law.CentralWetland) is not None
    edge = ruling.find(law.SubjectEdge)
    grounds = chain or not plain or not (edge is None or edge.is_whole(ruling.options.get("trigger")))
    crs = blocks.crs
    return Site(
        crs=crs,
        unit_m=unit_m(crs),
        resources=blocks.resources.whole(crs) if grounds else blocks.resources.bare(crs),
        layers={
            name: layer.bare(crs) if name in _BESIDE and plain else layer.whole(crs)
            for name, layer in blocks.layers.items()
        },
        dem=blocks.dem,
        date=project.date,
        files=blocks.files,
    )
