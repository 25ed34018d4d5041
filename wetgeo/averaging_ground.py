"""The ground of buffer averaging: what is required of each resource, and what of a proposal belongs to which."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import geopandas as gpd
import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.findings import Findings
from wetgeo.footprints import Footprints
from wetgeo.kernels.averaging import nearest_shares, polygonal, without_gaps
from wetgeo.kernels.needles import without_needles
from wetgeo.kernels.offset import GeometryArray, Shape, clip, polygons_only, subtract
from wetgeo.kernels.unions import union_parts
from wetgeo.rules.width import WidthDecision
from wetgeo.site import Site
from wetgeo.structures import StructureLimit, apply_limits
from wetgeo.units import area_text
from wetgeo.upland import NEEDLE_FT, Upland
from wetgeo.vegetated import UncountedSurface, banned_trails
from wetgeo.widths import ResourceWidth

#: lines that fail to meet by less than this are meant to meet: the tolerance with which widths comply
GAP_FT = 0.05
#: ground of less than this, square feet, is the noise of overlays
TOKEN_SQFT = 0.01
#: ground is looked at this far beyond the last that may matter, feet
_MARGIN_FT = 10.0
#: a buffer is hardly anywhere wider than this many required widths
_WIDE = 10.0
#: and ground further than this many from all resources is no buffer
_FAR = 200.0
#: resources' edges are taken as points this far apart where ground is divided among them, feet
_SHARE_SPACING_FT = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragingSite:
    """What averaging is judged by: the required buffers and the ground around them.

    Attributes
    ----------
    site, upland
        The site and its upland.
    rows
        The resources that have a required buffer on the tract.
    decisions
        Row to what was decided for it.
    required
        Row to R, the uniform buffer; where existing structures give a parcel a width of its own, it has that there.
    exempt
        Row to ground on such parcels that is not required at all.
    extended
        Row to what provisions add to the buffer beyond R; averaging does not ask for it.
    past_surface
        Row to what the buffer as delineated holds beyond R, on and behind surface that does not count.
    uncounted
        Surface that is no part of a buffer but does not end one.
    banned
        Trails that may not lie in a buffer: surface, which also ends a buffer that leaves it out; with `banned_ft`,
        their widths.
    """

    site: Site
    upland: Upland
    rows: NDArray[np.intp]
    decisions: Mapping[int, WidthDecision]
    required: Mapping[int, Shape]
    exempt: Mapping[int, Shape]
    extended: Mapping[int, Shape]
    past_surface: Mapping[int, Shape]
    uncounted: UncountedSurface
    banned: gpd.GeoDataFrame

    @classmethod
    def of(
        cls,
        site: Site,
        upland: Upland,
        widths: Sequence[ResourceWidth | None],
        footprints: Footprints,
        limits: list[StructureLimit],
        uncounted: UncountedSurface,
    ) -> AveragingSite:
        """Lay out the uniform buffer of each resource that has a width.

        Parameters
        ----------
        site, upland
            The site and its upland.
        widths
            The width of each resource, None where it gets no buffer.
        footprints
            As delineated; its zones tell which resources are streams with zones.
        limits
            Widths that existing structures give.
        uncounted
            Surface that does not count as vegetated.
        """
        decisions = {row: width.decision for row, width in enumerate(widths) if width is not None}
        rows = np.array(sorted(decisions), dtype=np.intp)
        plain = upland.offset(rows, np.array([decisions[row].average_ft for row in rows]))
        limited = apply_limits(upland, dataclasses.replace(footprints, geometries=plain), limits).geometries
        grounds = upland.clipped(limited, rows)
        held = shapely.area(grounds) > TOKEN_SQFT * site.sqft
        lots: dict[int, list[Shape]] = {}
        for limit in limits:
            lots.setdefault(limit.row, []).append(limit.parcel)
        outlines = dict(zip(rows.tolist(), limited, strict=True))
        added = np.array(sorted({extension.row for extension in footprints.extensions}), dtype=np.intp)
        wider = footprints.geometries[np.searchsorted(footprints.rows, added)]
        beyond = shapely.difference(wider, limited[np.searchsorted(rows, added)])
        return cls(
            site=site,
            upland=upland,
            rows=rows[held],
            decisions=decisions,
            required=dict(zip(rows[held].tolist(), grounds[held], strict=True)),
            exempt={row: shapely.difference(shapely.union_all(lots[row]), outlines[row]) for row in lots},
            extended=dict(zip(added.tolist(), upland.clipped(beyond, added), strict=True)),
            past_surface=_past_surface(upland, footprints, outlines, added),
            uncounted=uncounted,
            banned=banned_trails(site, uncounted.provision),
        )

    def within(self, row: int, width_ft: float) -> Shape:
        """U(w) of one resource."""
        return self.upland.within(np.array([row]), np.array([width_ft]))[0]

    def credit_ft(self, row: int) -> float:
        """How far from the resource ground is its own without question: the cap, or the width where there is none."""
        cap = self.decisions[row].cap_ft
        return self.decisions[row].average_ft if cap is None else cap

    def nearest_of(self, ground: Shape, rows: NDArray[np.intp]) -> GeometryArray:
        """Divide ground among resources: each gets what lies nearest to it."""
        return nearest_shares(ground, self.upland.resources[rows], _SHARE_SPACING_FT * self.site.ft)

    def passable(self, ground: Shape) -> UncountedSurface:
        """Choose the surface near some ground that a buffer may go on behind."""
        ending = shapely.union_all(self.banned.geometry.to_numpy())

        def near(shapes: GeometryArray) -> GeometryArray:
            chosen: GeometryArray = shapes[shapely.intersects(shapes, shapely.box(*ground.bounds))]
            return chosen if ending.is_empty else subtract(chosen, np.array([ending], dtype=object))

        uncounted = self.uncounted
        return dataclasses.replace(uncounted, crossed=near(uncounted.crossed), access=near(uncounted.access))


def _past_surface(
    upland: Upland,
    footprints: Footprints,
    plain: Mapping[int, Shape],
    extended: NDArray[np.intp],
) -> dict[int, Shape]:
    """Find what footprints hold beyond plain ones behind surface; those that provisions extend are left out."""
    own = ~np.isin(footprints.rows, extended)
    rows, wider = footprints.rows[own], footprints.geometries[own]
    outlines = np.array([plain[row] for row in rows.tolist()], dtype=object)
    token = TOKEN_SQFT * upland.ft**2
    more = shapely.area(wider) - shapely.area(outlines) > token
    rows, beyond = rows[more], polygons_only(shapely.difference(wider[more], outlines[more]))
    grounds = upland.clipped(beyond, rows)
    return {row: shape for row, shape in zip(rows.tolist(), grounds, strict=True) if shape.area > token}


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A proposed buffer.

    Attributes
    ----------
    polygons, names
        The polygons as given and the feature of each, shape (n,).
    parts
        The connected parts of its upland within the tract, shape (m,).
    """

    polygons: GeometryArray
    names: NDArray[np.object_]
    parts: GeometryArray

    @cached_property
    def part_tree(self) -> shapely.STRtree:
        """A tree of the parts."""
        return shapely.STRtree(self.parts)

    @cached_property
    def polygon_tree(self) -> shapely.STRtree:
        """A tree of the polygons."""
        return shapely.STRtree(self.polygons)

    @classmethod
    def of(cls, averaging: AveragingSite, frame: gpd.GeoDataFrame, findings: Findings) -> Proposal:
        """Unite the features of a layer and take what is upland within the tract; the rest is told.

        Parameters
        ----------
        averaging
            What it will be judged by.
        frame
            ``feature_id`` and ``geometry`` in the working CRS.
        findings
            Takes note of ground beyond the tract, and of ground that lies far from all resources.
        """
        upland, sqft = averaging.upland, averaging.site.sqft
        polygons, index = shapely.get_parts(frame.geometry.to_numpy(), return_index=True)
        names = frame["feature_id"].to_numpy(dtype=object)[index]
        polygons, names = _within_sight(averaging, polygons, names, findings)
        united = union_parts(polygons)
        if upland.tract is not None:
            inside = clip(united, upland.tract)
            beyond = (shapely.area(united).sum() - shapely.area(inside).sum()) / sqft
            if beyond > 1:
                findings.info(
                    "proposal",
                    f"{beyond:,.0f} sq ft of the proposal lie outside the tract and count nothing",
                    layer="proposed",
                )
            united = inside
        parts = shapely.get_parts(subtract(united, upland.resources, upland.tree))
        return cls(
            polygons=polygons,
            names=names,
            parts=parts[shapely.area(parts) > 0],
        )

    def near(self, ground: Shape) -> Shape:
        """All of it that comes near some ground."""
        found = np.sort(self.part_tree.query(ground))
        return shapely.union_all(self.parts[found])

    def closed(self, gaps: Sequence[GeometryArray], averaging: AveragingSite, findings: Findings) -> Proposal:
        """Add the gaps that were found to be meant as closed, and tell of them."""
        ground = union_parts(np.concatenate(gaps)) if gaps else np.zeros(0, dtype=object)
        area = shapely.area(ground).sum() / averaging.site.sqft
        if area >= TOKEN_SQFT:
            findings.info(
                "proposal",
                f"{len(ground)} gaps under {GAP_FT:g} ft between the proposal's polygons, or between them and a "
                f"resource or the tract's line, were taken as closed; they hold {area:,.2f} sq ft",
                layer="proposed",
            )
        if not len(ground):
            return self
        # a gap beside surface may go on as a hair along its edge
        parts = without_needles(union_parts([*self.parts, *ground]), NEEDLE_FT * averaging.site.ft)
        return dataclasses.replace(self, parts=shapely.get_parts(parts))


def _within_sight(
    averaging: AveragingSite, polygons: GeometryArray, names: NDArray[np.object_], findings: Findings
) -> tuple[GeometryArray, NDArray[np.object_]]:
    """Cut off what lies so far from all resources that it cannot be buffer, however large: that is told."""
    rows, ft, sqft = averaging.rows, averaging.site.ft, averaging.site.sqft
    if not len(rows):
        return polygons, names
    reach_ft = _FAR * max(averaging.decisions[row].average_ft for row in rows)
    left, bottom, right, top = shapely.total_bounds(averaging.upland.resources[rows])
    reach = reach_ft * ft
    sight = shapely.box(left - reach, bottom - reach, right + reach, top + reach)
    beyond = ~shapely.covers(sight, polygons)
    if not beyond.any():
        return polygons, names
    kept = polygons.copy()
    kept[beyond] = polygons_only(shapely.intersection(polygons[beyond], sight))
    area = (shapely.area(polygons) - shapely.area(kept)).sum() / sqft
    findings.warning(
        "proposal",
        f"{area:,.0f} sq ft of the proposal lie more than {reach_ft:,.0f} ft from the resources and were not looked "
        f"at: they count nothing (features {_listed(names[beyond])})",
        layer="proposed",
    )
    parts, index = shapely.get_parts(kept, return_index=True)
    return parts[~shapely.is_empty(parts)], names[index[~shapely.is_empty(parts)]]


def _listed(names: NDArray[np.object_]) -> str:
    different = sorted({str(name) for name in names})
    return ", ".join(different[:10]) + (f" and {len(different) - 10} more" if len(different) > 10 else "")


def lacking(averaging: AveragingSite, row: int, proposal: Proposal) -> tuple[Shape, GeometryArray]:
    """Find the ground around a resource that is not proposed, and gaps that are too thin to be meant.

    Parameters
    ----------
    averaging, row
        The resource.
    proposal
        The proposed buffer.

    Returns
    -------
    tuple
        The ground beside the resource's subject edge that is neither proposed nor surface that a buffer may go on
        behind; it may reach further than any width that matters. And the gaps.
    """
    site, upland = averaging.site, averaging.upland
    for reach_ft in _reaches_ft(averaging, row, proposal):
        around = averaging.within(row, reach_ft)
        surface = averaging.passable(around).shapes
        left = shapely.difference(around, proposal.near(around))
        left = subtract(np.array([left], dtype=object), surface)[0]
        if row in averaging.exempt:
            left = polygonal(shapely.difference(left, averaging.exempt[row]))
        if not left.is_empty:
            break
    bounds = [upland.tract] if upland.tract is not None else []
    bounds += [upland.subject[row]] if row in upland.subject else []
    solids = [
        proposal.polygons[np.sort(proposal.polygon_tree.query(around))],
        upland.resources[np.sort(upland.tree.query(around))],
        shapely.boundary(np.array(bounds, dtype=object)),
        surface,
    ]
    return without_gaps(left, GAP_FT * site.ft, np.concatenate(solids))


def _reaches_ft(averaging: AveragingSite, row: int, proposal: Proposal) -> list[float]:
    """How far to look: as far as a buffer may be wide, then as far as the proposal's parts at the resource reach."""
    own, ft = averaging.credit_ft(row), averaging.site.ft
    limit = averaging.upland.offset(np.array([row]), np.array([own]))[0]
    parts = proposal.parts[np.sort(proposal.part_tree.query(limit, predicate="intersects"))]
    # how far exactly does not matter, and outlines may have very many vertices
    rough = shapely.simplify(np.append(parts, averaging.upland.resources[row]), _MARGIN_FT / 2 * ft)
    away = shapely.distance(shapely.points(shapely.get_coordinates(rough[:-1])), rough[-1])
    whole = max(own, float(away.max(initial=0.0)) / ft) + 2 * _MARGIN_FT
    # parts that hang together may go on and on, from one resource to the next
    return [min(whole, max(own, _WIDE * averaging.decisions[row].average_ft) + _MARGIN_FT), whole]


def share_out(averaging: AveragingSite, proposal: Proposal, findings: Findings) -> dict[int, Shape]:
    """Say which ground of a proposal belongs to which resource; what belongs to none is told.

    Ground within a resource's cap is its own, whether or not it is another's too. What lies further out belongs to the
    resource that the connected part around it reaches; where that reaches several, to the nearest.

    Parameters
    ----------
    averaging
        The resources.
    proposal
        The proposed buffer.
    findings
        Takes the ground that belongs to no resource.

    Returns
    -------
    dict
        Row to ground, for each of ``averaging.rows``.
    """
    sqft, rows = averaging.site.sqft, averaging.rows
    limits = averaging.upland.within(rows, np.array([averaging.credit_ft(row) for row in rows]))
    claimant, part = proposal.part_tree.query(limits, predicate="intersects")
    own = polygons_only(shapely.intersection(limits[claimant], proposal.parts[part]))
    claims = shapely.area(own) > TOKEN_SQFT * sqft
    claimant, part, own = claimant[claims], part[claims], own[claims]
    pieces: dict[int, list[Shape]] = {int(row): [] for row in rows}
    for number in np.unique(part):
        mine = np.flatnonzero(part == number)
        for row, ground in zip(rows[claimant[mine]], own[mine], strict=True):
            pieces[int(row)].append(ground)
        rest = polygonal(shapely.difference(proposal.parts[number], shapely.union_all(limits[claimant[mine]])))
        if rest.area <= TOKEN_SQFT * sqft:
            continue
        owners = rows[claimant[mine]]
        shares = averaging.nearest_of(rest, owners) if len(owners) > 1 else [rest]
        for row, share in zip(owners, shares, strict=True):
            pieces[int(row)].append(share)
    _tell_unclaimed(proposal, np.setdiff1d(np.arange(len(proposal.parts)), part), averaging, findings)
    return {row: polygonal(shapely.union_all(shapes)) for row, shapes in pieces.items()}


def _tell_unclaimed(
    proposal: Proposal, unclaimed: NDArray[np.intp], averaging: AveragingSite, findings: Findings
) -> None:
    area = shapely.area(proposal.parts[unclaimed]).sum() / averaging.site.sqft
    if area <= TOKEN_SQFT:
        return
    touched = proposal.polygon_tree.query(proposal.parts[unclaimed], predicate="intersects")[1]
    findings.warning(
        "proposal",
        f"{len(unclaimed)} pieces of the proposal, {area_text(area)} in all, lie too far from every resource to be "
        f"part of its buffer and count nothing (features {_listed(proposal.names[touched])})",
        layer="proposed",
    )
