"""Extensions: what natural communities, the floodplain, drainageways and steep slopes add to a zone.

Each provision is judged against the plain zone on its own, so that ground that two of them add stands under both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
import shapely

from wetgeo.drainage import TracedDrainageways
from wetgeo.findings import Findings
from wetgeo.footprints import Extend, Extension
from wetgeo.kernels.offset import GeometryArray, Shape
from wetgeo.kernels.unions import union_parts
from wetgeo.rules import provisions as law
from wetgeo.ruling import Ruling
from wetgeo.site import Site
from wetgeo.steep_slopes import SteepSlopes

MapProvision: TypeAlias = law.NaturalCommunity | law.Floodplain | law.Drainageway

_FLOODWAY = re.compile(r"(floodway|fw)$")
#: gaps up to this count as none: coordinates that were reprojected differ by as much
_GAP_FT = 0.001
#: what borders a zone for less than this meets it at a point
_BORDER_FT = 1.0
#: a map without gaps covers more than this part of its hull
_FULL = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedGround:
    """Connected polygons of one layer that a provision may add.

    Attributes
    ----------
    kind, layer
        What it adds, as layer ``extensions`` calls it, and where it comes from.
    parts, names
        The polygons, and what the file calls each.
    tree
        A tree of them.
    edge
        Where the layer ends, as a line; None where its features do not tell, as lines never do.
    """

    kind: str
    layer: str
    provision: MapProvision
    parts: GeometryArray
    names: Sequence[str]
    tree: shapely.STRtree
    edge: Shape | None = None

    def connected(self, footprint: Shape, ft: float) -> list[int]:
        """Find the parts that overlap a footprint or border it along a line; a shared point does not connect.

        A drainageway must overlap it: beside the zone it does not cross it.
        """
        borders = not isinstance(self.provision, law.Drainageway)
        gap = _GAP_FT * ft if borders else 0.0
        near = np.sort(self.tree.query(footprint, predicate="dwithin", distance=gap))
        if not len(near):
            return []
        reach = shapely.buffer(footprint, gap, join_style="mitre") if borders else footprint
        shared = shapely.area(shapely.intersection(self.parts[near], reach))
        return [int(part) for part in near[shared > _GAP_FT * _BORDER_FT * ft**2]]

    def along_edge(self, part: int, ft: float) -> float:
        """Measure how far a part runs along the edge of its layer, feet."""
        if self.edge is None:
            return 0.0
        outline = shapely.boundary(self.parts[part])
        near = shapely.intersection(self.edge, shapely.box(*shapely.bounds(outline)))
        along = shapely.intersection(outline, shapely.buffer(near, _GAP_FT * ft, cap_style="flat"))
        return float(shapely.length(along)) / ft


def _edge(shapes: GeometryArray, *, others: bool = False) -> Shape | None:
    """Tell where a layer of polygons ends: at its bounding box, or at its outline where it is a map without gaps.

    Such a map holds ground that does not count too (`others`), and covers most of its hull.
    """
    if not len(shapes):
        return None
    if others:
        whole = union_parts(shapes)
        hull = shapely.convex_hull(shapely.geometrycollections(whole))
        if shapely.area(whole).sum() > _FULL * shapely.area(hull):
            return shapely.union_all(shapely.get_exterior_ring(whole))
    return shapely.box(*shapely.total_bounds(shapes)).exterior


def natural_communities(site: Site, provision: law.NaturalCommunity) -> MappedGround:
    """Take the mapped natural communities, each connected polygon on its own."""
    layer = site.layers["natural_communities"]
    parts, owner = shapely.get_parts(layer.geometry.to_numpy(), return_index=True)
    return MappedGround(
        kind="natural_community",
        layer="natural_communities",
        provision=provision,
        parts=parts,
        names=list(layer["feature_id"].to_numpy()[owner]),
        tree=shapely.STRtree(parts),
        edge=_edge(parts),
    )


def floodplain(site: Site, provision: law.Floodplain, findings: Findings) -> MappedGround:
    """Unite the zones of the 100-year floodplain into connected parts; codes that are not known do not count."""
    layer = site.layers["floodplain"]
    shapes = layer.geometry.to_numpy()
    counted, known = law.zone_codes(provision.zones), law.zone_codes((*provision.zones, *provision.not_zones))
    texts = ["" if pd.isna(zone) else str(zone) for zone in layer["zone"]]
    codes = np.array([_FLOODWAY.sub("", law.normalise(text)) or law.normalise(text) for text in texts], dtype=object)
    unknown = Counter(text for text, code in zip(texts, codes, strict=True) if code not in known)
    for text, features in sorted(unknown.items()):
        findings.warning(
            "extension",
            (
                f"flood zone {text!r} is not known to the rule and was"
                if text
                else "features without a flood zone (field role zone) were"
            )
            + f" not counted as floodplain ({features} of {len(layer)} features); "
            f"known: {', '.join((*provision.zones, *provision.not_zones))}",
            layer="floodplain",
            citation=provision.citation,
        )
    counts = np.isin(codes, sorted(counted))
    parts = union_parts(shapes[counts])
    return MappedGround(
        kind="floodplain",
        layer="floodplain",
        provision=provision,
        parts=parts,
        names=["the floodplain"] * len(parts),
        tree=shapely.STRtree(parts),
        edge=_edge(shapes, others=not counts.all()),
    )


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
    parts, owner = shapely.get_parts(shapes, return_index=True)
    return MappedGround(
        kind="drainageway",
        layer="drainageways",
        provision=provision,
        parts=parts,
        names=list(layer["feature_id"].to_numpy()[owner]),
        tree=shapely.STRtree(parts),
    )


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
        for part in ground.connected(footprint, self.site.ft):
            shape = ground.parts[part]
            if shapely.difference(shape, footprint).area <= self.site.sqft:
                continue
            along = ground.along_edge(part, self.site.ft)
            if along > _BORDER_FT:
                self.findings.info(
                    "extension-cut-short",
                    f"{ground.names[part]} runs along the edge of its layer for {along:,.0f} ft, which may have cut it "
                    "short",
                    layer=ground.layer,
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


def mapped_grounds(site: Site, ruling: Ruling, findings: Findings) -> list[MappedGround]:
    """Take the mapped ground that the rule may add to zones, from the layers that are given; as `extender`."""
    grounds: list[MappedGround] = []
    community, flood = ruling.find(law.NaturalCommunity), ruling.find(law.Floodplain)
    way = ruling.find(law.Drainageway)
    if community is not None and "natural_communities" in site.layers:
        grounds.append(natural_communities(site, community))
    if flood is not None and "floodplain" in site.layers:
        grounds.append(floodplain(site, flood, findings))
    if way is not None and "drainageways" in site.layers:
        grounds.append(drainageways(site, ruling, way, findings))
    return grounds


def extender(
    site: Site, ruling: Ruling, findings: Findings, *, mapped: Sequence[MappedGround] | None = None
) -> Extend | None:
    """Prepare what the rule adds to zones; None where it adds nothing.

    Parameters
    ----------
    site
        With the layers ``natural_communities``, ``floodplain``, ``drainageways`` and the DEM, as far as they are given.
    ruling
        The rule as it applies.
    findings
        Takes note of what was assumed and of what may be cut short.
    mapped
        The mapped ground, where it is at hand; left out, `mapped_grounds` of the site.
    """
    grounds = mapped_grounds(site, ruling, findings) if mapped is None else mapped
    steep = SteepSlopes.of(site, ruling, findings)
    traced = TracedDrainageways.of(site, ruling, findings)
    if not grounds and steep is None and traced is None:
        return None
    return _Extender(site=site, grounds=grounds, steep=steep, traced=traced, findings=findings)
