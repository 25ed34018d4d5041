"""Extensions: what natural communities, the floodplain, drainageways and steep slopes add to a zone.

Each provision is judged against the plain zone on its own, so that ground that two of them add stands under both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import shapely

from wetgeo.drainage import TracedDrainageways
from wetgeo.findings import Findings
from wetgeo.footprints import Extend, Extension
from wetgeo.kernels.offset import GeometryArray, Shape, union_parts
from wetgeo.rules import provisions as law
from wetgeo.ruling import Ruling
from wetgeo.site import Site
from wetgeo.steep_slopes import SteepSlopes

MapProvision: TypeAlias = law.NaturalCommunity | law.Floodplain | law.Drainageway

_FLOODWAY = re.compile(r"(floodway|fw)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedGround:
    """Connected polygons of one layer that a provision may add, and where the layer ends."""

    kind: str
    provision: MapProvision
    parts: GeometryArray
    names: Sequence[str]
    tree: shapely.STRtree
    frame: Shape = None

    def beside(self, footprint: Shape) -> list[int]:
        """Find the parts that overlap a footprint or border it along a line; a shared point does not connect."""
        near = np.sort(self.tree.query(footprint, predicate="intersects"))
        shared = shapely.intersection(self.parts[near], footprint)
        connected = (shapely.area(shared) > 0) | (shapely.length(shared) > 0)
        return [int(part) for part in near[connected]]


def _ground(kind: str, provision: MapProvision, parts: GeometryArray, names: Sequence[str]) -> MappedGround:
    frame = shapely.box(*shapely.total_bounds(parts)).exterior if len(parts) else None
    return MappedGround(
        kind=kind, provision=provision, parts=parts, names=names, tree=shapely.STRtree(parts), frame=frame
    )


def natural_communities(site: Site, provision: law.NaturalCommunity) -> MappedGround:
    """Take the mapped natural communities, each connected polygon on its own."""
    layer = site.layers["natural_communities"]
    parts, owner = shapely.get_parts(layer.geometry.to_numpy(), return_index=True)
    return _ground("natural_community", provision, parts, list(layer["feature_id"].to_numpy()[owner]))


def floodplain(site: Site, provision: law.Floodplain, findings: Findings) -> MappedGround:
    """Unite the zones of the 100-year floodplain into connected parts; codes that are not known do not count."""
    layer = site.layers["floodplain"]
    counted, known = law.zone_codes(provision.zones), law.zone_codes((*provision.zones, *provision.not_zones))
    codes = np.array([_FLOODWAY.sub("", law.normalise(text)) or law.normalise(text) for text in layer["zone"]])
    for text in sorted({str(zone) for zone, code in zip(layer["zone"], codes, strict=True) if code not in known}):
        findings.warning(
            "extension",
            f"flood zone {text!r} is not known to the rule and was not counted as floodplain; "
            f"known: {', '.join((*provision.zones, *provision.not_zones))}",
            layer="floodplain",
            citation=provision.citation,
        )
    parts = union_parts(layer.geometry.to_numpy()[np.isin(codes, sorted(counted))])
    return _ground("floodplain", provision, parts, ["the floodplain"] * len(parts))


def drainageways(site: Site, ruling: Ruling, provision: law.Drainageway, findings: Findings) -> MappedGround:
    """Take the drainageways at their own width, with flat ends; one without width gets the option's."""
    layer = site.layers["drainageways"]
    widths = layer["width_ft"].to_numpy(dtype=float).copy()
    lines = shapely.get_dimensions(layer.geometry.to_numpy()) == 1
    missing = lines & ~(widths > 0)
    widths[missing] = ruling.length("drainageway_width")
    for name in layer["feature_id"].to_numpy()[missing]:
        findings.warning(
            "value-default",
            f"has no width (field role width_ft); option drainageway_width, {widths[missing][0]:g} ft, was used",
            layer="drainageways",
            feature_id=name,
            citation=provision.citation,
        )
    shapes = layer.geometry.to_numpy().copy()
    shapes[lines] = shapely.buffer(
        shapes[lines], widths[lines] * site.ft / 2, cap_style="flat", join_style="mitre", mitre_limit=2
    )
    return _ground("drainageway", provision, shapes, list(layer["feature_id"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extender:
    """Says which ground each provision adds to a zone of a resource."""

    site: Site
    grounds: Sequence[MappedGround]
    steep: SteepSlopes | None
    traced: TracedDrainageways | None
    findings: Findings

    def __call__(self, row: int, zone: str | None, footprint: Shape, outermost: bool) -> list[Extension]:  # noqa: FBT001
        kind = self.site.resources["resource_type"].iloc[row]
        added: list[Extension] = []
        for ground in self.grounds:
            if self._applies(ground.provision, kind, zone, outermost=outermost):
                added += self._mapped(ground, row, zone, footprint)
        if self.steep is not None and self._applies(self.steep.provision, kind, zone, outermost=outermost):
            added += self.steep.extend(row, zone, footprint)
        if self.traced is not None and outermost:
            added += self.traced.extend(row, zone, footprint)
        return added

    @staticmethod
    def _applies(provision: MapProvision | law.SteepSlope, kind: str, zone: str | None, *, outermost: bool) -> bool:
        if isinstance(provision, law.Drainageway):
            return outermost
        return zone in provision.stream_zones if zone is not None else kind in provision.buffers

    def _mapped(self, ground: MappedGround, row: int, zone: str | None, footprint: Shape) -> list[Extension]:
        found: list[Extension] = []
        name = self.site.resources["resource_id"].iloc[row]
        for part in ground.beside(footprint):
            shape = ground.parts[part]
            if shapely.difference(shape, footprint).area <= self.site.sqft:
                continue
            if ground.frame is not None and shapely.intersection(shape.boundary, ground.frame).length > self.site.ft:
                self.findings.info(
                    "extension-cut-short",
                    f"{ground.names[part]} runs along the edge of its layer, which may have cut it short",
                    layer=ground.kind,
                    feature_id=name,
                    citation=ground.provision.citation,
                )
            found.append(
                Extension(
                    row=row,
                    zone=zone,
                    kind=ground.kind,
                    ground=shape,
                    plain=footprint,
                    citation=ground.provision.citation,
                    reason=f"{ground.names[part]} reaches beyond the {zone + ' zone' if zone else 'buffer'}",
                )
            )
        return found


def extender(site: Site, ruling: Ruling, findings: Findings) -> Extend | None:
    """Prepare what the rule adds to zones; None where it adds nothing.

    Parameters
    ----------
    site
        With the layers ``natural_communities``, ``floodplain``, ``drainageways`` and the DEM, as far as they are given.
    ruling
        The rule as it applies.
    findings
        Takes note of what was assumed and of what may be cut short.
    """
    grounds: list[MappedGround] = []
    community, flood = ruling.find(law.NaturalCommunity), ruling.find(law.Floodplain)
    way = ruling.find(law.Drainageway)
    if community is not None and "natural_communities" in site.layers:
        grounds.append(natural_communities(site, community))
    if flood is not None and "floodplain" in site.layers:
        grounds.append(floodplain(site, flood, findings))
    if way is not None and "drainageways" in site.layers:
        grounds.append(drainageways(site, ruling, way, findings))
    steep = SteepSlopes.of(site, ruling, findings)
    traced = TracedDrainageways.of(site, ruling, findings)
    if not grounds and steep is None and traced is None:
        return None
    return _Extender(site=site, grounds=grounds, steep=steep, traced=traced, findings=findings)
