"""Access through a buffer: corridors and paths along the lines of layer ``access``, how wide they are and may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from wetgeo.findings import Findings
from wetgeo.footprints import Footprints
from wetgeo.frames import empty
from wetgeo.kernels.offset import GeometryArray, Shape, polygons_only
from wetgeo.rules.evaluate import access_most_ft
from wetgeo.rules.permits import Access
from wetgeo.ruling import Ruling
from wetgeo.site import Site
from wetgeo.upland import Upland

#: access is too wide where it is wider than allowed by more than this, feet
_TOLERANCE_FT = 0.01
#: lots whose line follows a resource's edge reach it within this, feet
_MEETS_FT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessWay:
    """Access along one line.

    Attributes
    ----------
    name
        The line's id.
    shape, uncounted
        The access as drawn, and what of it does not count as buffer; CRS units.
    width_ft, allowed_ft
        Its width, and the greatest that the rule allows.
    lot_width_ft, parcel_id
        The lot that it lies on, and that lot's width at the resource; None where not known.
    counts
        Whether what is allowed of it counts as buffer.
    """

    name: str
    shape: Shape
    uncounted: Shape
    width_ft: float
    allowed_ft: float
    lot_width_ft: float | None
    parcel_id: str | None
    counts: bool


def access_ways(site: Site, ruling: Ruling, findings: Findings) -> list[AccessWay]:
    """Draw the access of a site, each line at its width; one without a width at the greatest that is allowed.

    Parameters
    ----------
    site
        With layer ``access``; ``parcels`` tell the width of lots.
    ruling
        The rule; one without a provision on access draws none.
    findings
        Takes note of access that is too wide, alone or with other access of the same lot, of widths that were taken,
        and of lots whose width is not known.
    """
    provision, layer = ruling.find(Access), site.layers.get("access")
    if provision is None or layer is None:
        return []
    widths = layer["width_ft"] if "width_ft" in layer else pd.Series(np.nan, index=layer.index)
    ways = []
    for name, line, width in zip(layer["feature_id"], layer.geometry, widths, strict=True):
        way = _way(site, provision, str(name), line, float(width), findings)
        if way is not None:
            ways.append(way)
    if provision.corridor_most is not None:
        _tell_lots(provision, ways, findings)
    return ways


def _tell_lots(provision: Access, ways: Sequence[AccessWay], findings: Findings) -> None:
    """Tell of lots whose corridors, each narrow enough, are together wider than a lot's access may be."""
    by_lot: dict[str, list[AccessWay]] = {}
    for way in ways:
        if way.parcel_id is not None:
            by_lot.setdefault(way.parcel_id, []).append(way)
    for lot, own in by_lot.items():
        width, allowed = sum(way.width_ft for way in own), max(way.allowed_ft for way in own)
        if len(own) > 1 and width > allowed + _TOLERANCE_FT:
            findings.warning(
                "access",
                f"the {len(own)} accesses of lot {lot} ({', '.join(way.name for way in own)}) are {width:g} ft wide "
                f"together, wider than the {allowed:.2f} ft that the access of a lot may be; each was judged alone",
                layer="access",
                feature_id=own[0].name,
                citation=provision.citation,
            )


def uncounted_access(site: Site, ruling: Ruling, findings: Findings) -> GeometryArray:
    """Collect the access that is no part of a buffer: all of it, or what is too wide, as the rule says."""
    shapes = [way.uncounted for way in access_ways(site, ruling, findings) if not way.uncounted.is_empty]
    collected = np.empty(len(shapes), dtype=object)
    collected[:] = shapes
    return collected


def access_layer(
    site: Site,
    ruling: Ruling,
    upland: Upland,
    footprints: Footprints,
    findings: Findings,
    *,
    ways: Sequence[AccessWay] | None = None,
) -> gpd.GeoDataFrame:
    """Describe access through each resource's buffer, cut to it.

    Parameters
    ----------
    site, ruling, upland
        The site, the rule as it applies, and the upland.
    footprints
        Of the buffers.
    findings
        As of `access_ways`.
    ways
        The access as drawn, where it is at hand; left out, `access_ways` of the site.
    """
    provision = ruling.find(Access)
    ids = site.resources["resource_id"].to_numpy()
    rows: list[dict[str, Any]] = []
    for way in access_ways(site, ruling, findings) if ways is None else ways:
        crossed = np.flatnonzero(shapely.intersects(footprints.geometries, way.shape))
        held = upland.clipped(footprints.geometries[crossed], footprints.rows[crossed])
        grounds = polygons_only(shapely.intersection(held, way.shape))
        for row, ground in zip(footprints.rows[crossed], grounds, strict=True):
            if ground.is_empty or provision is None:
                continue
            rows.append(
                {
                    "access_id": way.name,
                    "resource_id": ids[row],
                    "parcel_id": way.parcel_id,
                    "width_ft": way.width_ft,
                    "lot_width_ft": way.lot_width_ft,
                    "allowed_ft": way.allowed_ft,
                    "counts": way.counts,
                    "area_sqft": ground.area / site.sqft,
                    "citation": provision.citation,
                    "geometry": ground,
                }
            )
    return gpd.GeoDataFrame(rows, geometry="geometry", crs=site.crs) if rows else empty("access", site.crs)


def _way(site: Site, provision: Access, name: str, line: Shape, width: float, findings: Findings) -> AccessWay | None:
    """Draw one access; None where the rule sets no width and the line has none."""
    parcel, lot_width = _lot(site, line) if provision.lot_share is not None else (None, None)
    if provision.lot_share is not None and lot_width is None:
        findings.warning(
            "access",
            f"the width of its lot at the resource is not known, so that {provision.lot_share} of it could not be "
            f"compared; it may be at most {provision.corridor_most}, or less",
            layer="access",
            feature_id=name,
            citation=provision.citation,
        )
    allowed = access_most_ft(provision, lot_width)
    if allowed is None:
        return None
    known = width > 0
    if not known:
        findings.info(
            "access",
            f"has no width (field role width_ft); it was drawn as wide as is allowed, {allowed:.2f} ft",
            layer="access",
            feature_id=name,
            citation=provision.citation,
        )
    wide = known and width > allowed + _TOLERANCE_FT
    if wide:
        _tell_wide(provision, name, width, allowed, lot_width, findings)
    shape = _drawn(line, width if known else allowed, site.ft)
    return AccessWay(
        name=name,
        shape=shape,
        uncounted=_uncounted(provision, line, shape, allowed * site.ft if wide else None),
        width_ft=width if known else allowed,
        allowed_ft=allowed,
        lot_width_ft=lot_width,
        parcel_id=parcel,
        counts=provision.counts_as_buffer and not (wide and provision.corridor_most is None),
    )


def _drawn(line: Shape, width_ft: float, ft: float) -> Shape:
    return shapely.buffer(line, width_ft * ft / 2, cap_style="flat", join_style="mitre", mitre_limit=2)


def _uncounted(provision: Access, line: Shape, shape: Shape, allowed: float | None) -> Shape:
    """Say what is no buffer; `allowed` is the width allowed, CRS units, where the access is wider than that.

    Of a corridor that is too wide, what lies beyond the width allowed; of a path, all of it.
    """
    if not provision.counts_as_buffer:
        return shape
    if allowed is None:
        return shapely.Polygon()
    if provision.corridor_most is None:
        return shape
    return shapely.difference(shape, _drawn(line, allowed, 1.0))


def _tell_wide(
    provision: Access, name: str, width: float, allowed: float, lot_width: float | None, findings: Findings
) -> None:
    why = "" if lot_width is None else f" ({provision.lot_share} of the lot's {lot_width:.2f} ft, or less)"
    what = "what is wider does not count as buffer" if provision.corridor_most else "it does not count as buffer"
    findings.warning(
        "access",
        f"is {width:g} ft wide, wider than the {allowed:.2f} ft that are allowed{why}; {what}",
        layer="access",
        feature_id=name,
        citation=provision.citation,
    )


def _lot(site: Site, line: Shape) -> tuple[str | None, float | None]:
    """Find the lot that an access line lies on, and its width at the resource, feet.

    The width is the straight distance between the two places where the lot's lines meet the resource's edge, on the
    stretch of edge that the line comes nearest to.
    """
    parcels = site.layers.get("parcels")
    if parcels is None or parcels.empty:
        return None, None
    shapes = parcels.geometry.to_numpy()
    held = shapely.length(shapely.intersection(shapes, line))
    best = int(np.argmax(held))
    if held[best] <= 0:
        return None, None
    parcel, lot = parcels.iloc[best], shapes[best]
    name = parcel["feature_id"] if pd.isna(parcel["parcel_id"]) else parcel["parcel_id"]
    resources = site.resources.geometry.to_numpy()
    resource = resources[int(np.argmin(shapely.distance(resources, line)))]
    around = shapely.buffer(lot, _MEETS_FT * site.ft, join_style="mitre")
    stretches = shapely.get_parts(shapely.line_merge(shapely.intersection(shapely.boundary(resource), around)))
    stretches = stretches[shapely.length(stretches) > 2 * _MEETS_FT * site.ft]
    if not len(stretches):
        return str(name), None
    stretch = stretches[int(np.argmin(shapely.distance(stretches, line)))]
    ends = shapely.get_coordinates(stretch)[[0, -1]]
    if (ends[0] == ends[1]).all():
        return str(name), None
    # the edge was followed a little beyond the lot's lines: back onto them
    first, last = (shapely.get_coordinates(shapely.shortest_line(lot, shapely.Point(end)))[0] for end in ends)
    return str(name), float(np.hypot(*(last - first))) / site.ft
