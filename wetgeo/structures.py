"""Widths that structures decide: new principal residences, and existing ones within the setback."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from wetgeo.findings import Findings
from wetgeo.footprints import Footprints
from wetgeo.frames import natural_key
from wetgeo.kernels.offset import FloatArray, GeometryArray, Shape
from wetgeo.rules.permits import AgriculturalStrip
from wetgeo.rules.provisions import ExistingStructure, StreamZones
from wetgeo.ruling import Ruling
from wetgeo.site import Site
from wetgeo.upland import Upland

#: how many resources one finding names
_MOST_NAMES = 100


def structures_of(site: Site, kind: str) -> pd.DataFrame:
    """Select the structures of one kind (``new_principal``, ``existing_primary``), however the kind is spelled."""
    structures = site.layers.get("structures")
    if structures is None or structures.empty:
        return pd.DataFrame({"feature_id": [], "geometry": []})
    kinds = structures["kind"].map(lambda text: re.sub(r"[^a-z]+", "_", str(text).strip().lower()))
    chosen: pd.DataFrame = structures[kinds == kind]
    return chosen


def nearest_structure_ft(site: Site, kind: str) -> FloatArray:
    """Measure from each resource to the nearest structure of a kind, in feet; NaN where there is none."""
    resources = site.resources.geometry.to_numpy()
    structures = structures_of(site, kind)["geometry"].to_numpy()
    if not len(structures):
        return np.full(len(resources), np.nan)
    nearest = shapely.STRtree(structures).nearest(resources)
    return np.asarray(shapely.distance(resources, structures[nearest]) / site.ft)


@dataclass(frozen=True, slots=True, kw_only=True)
class StructureLimit:
    """The width that an existing structure gives a resource's buffer on one parcel."""

    row: int
    parcel_id: str
    parcel: Shape
    width_ft: float
    distance_ft: float
    citation: str


def existing_structure_limits(
    site: Site, ruling: Ruling, rows: NDArray[np.intp], findings: Findings
) -> list[StructureLimit]:
    """Find the parcels whose existing primary structure stands within a resource's structure setback.

    Parameters
    ----------
    site
        With layers ``structures`` and ``parcels``, and ``setback_ft`` on the resources.
    rows
        The resources that have a buffer.
    ruling
        The rule; one without such a provision limits nothing.
    findings
        Each parcel with a width of its own is told; so are structures beside a resource whose setback is not known.

    Returns
    -------
    list
        One for each resource and parcel, narrow ones first.
    """
    provision = ruling.find(ExistingStructure)
    if provision is None:
        return []
    structures = structures_of(site, provision.structures)
    parcels = site.layers.get("parcels")
    if structures.empty or parcels is None or parcels.empty:
        return []
    lots = _lots_of(structures["geometry"].to_numpy(), parcels.geometry.to_numpy())
    limits: dict[tuple[int, int], StructureLimit] = {}
    for row in rows:
        resource = site.resources.iloc[row]
        distances = shapely.distance(structures["geometry"].to_numpy(), resource.geometry) / site.ft
        for number in np.argsort(distances, kind="stable")[::-1]:
            lot, distance = lots[number], float(distances[number])
            if lot is None or not distance < resource["setback_ft"]:
                continue
            parcel = parcels.iloc[lot]
            name = parcel["feature_id"] if pd.isna(parcel["parcel_id"]) else parcel["parcel_id"]
            limits[int(row), lot] = StructureLimit(
                row=int(row),
                parcel_id=str(name),
                parcel=parcel.geometry,
                width_ft=provision.share.value / 100 * distance,
                distance_ft=distance,
                citation=provision.citation,
            )
    _tell(site, limits, findings)
    tell_unknown_setbacks(site, ruling, rows, findings)
    return sorted(limits.values(), key=lambda limit: (limit.row, limit.width_ft, limit.parcel_id))


def _lots_of(structures: GeometryArray, parcels: GeometryArray) -> list[int | None]:
    """Find the parcel that each structure stands on: the one that holds most of it."""
    tree = shapely.STRtree(parcels)
    lots: list[int | None] = []
    for structure in structures:
        found = np.sort(tree.query(structure, predicate="intersects"))
        if not len(found):
            lots.append(None)
            continue
        held = shapely.area(shapely.intersection(parcels[found], structure))
        lots.append(int(found[int(np.argmax(held))]))
    return lots


def _tell(site: Site, limits: dict[tuple[int, int], StructureLimit], findings: Findings) -> None:
    ids = site.resources["resource_id"].to_numpy()
    for limit in limits.values():
        findings.info(
            "rule-structure",
            f"on parcel {limit.parcel_id} the width is {limit.width_ft:.2f} ft, "
            f"{limit.width_ft / max(limit.distance_ft, 1e-9):.0%} of the {limit.distance_ft:.2f} ft from the existing "
            "primary structure, which stands within the structure setback",
            layer="buffers",
            feature_id=ids[limit.row],
            citation=limit.citation,
        )


def tell_unknown_setbacks(site: Site, ruling: Ruling, rows: NDArray[np.intp], findings: Findings) -> None:
    """Tell of the resources with a buffer, `rows`, whose setback is lacking where structures may stand within it."""
    provision, parcels = ruling.find(ExistingStructure), site.layers.get("parcels")
    if provision is None or structures_of(site, provision.structures).empty or parcels is None or parcels.empty:
        return
    ids = site.resources["resource_id"].to_numpy()
    unknown = np.isnan(site.resources["setback_ft"].to_numpy(dtype=float)[rows])
    if unknown.any():
        findings.warning(
            "rule-setback",
            "existing primary structures are given, but no structure setback (field role setback_ft) for "
            f"{', '.join(sorted(ids[rows[unknown]]))}: whether a structure stands within it cannot be decided",
            layer="structures",
        )


def tell_lacking_setbacks(site: Site, ruling: Ruling, chosen: NDArray[np.bool_], findings: Findings) -> None:
    """Tell of public waters with a buffer, `chosen`, whose width hangs on a structure setback that is not given."""
    strip, zones = ruling.find(AgriculturalStrip), ruling.find(StreamZones)
    if strip is not None and ruling.options.get("provision") == "agricultural":
        kinds: tuple[str, ...] = ("lake", "stream")
        citation = strip.citation
        effect = f"the shore impact zone is {strip.setback_share} of it, so that the strip may have to be wider"
    else:
        outer = next((row for row in zones.rows if isinstance(row.width, str)), None) if zones is not None else None
        if zones is None or outer is None:
            return
        kinds = ("stream",)
        citation = outer.citation or zones.citation
        effect = f"the {outer.zone} zone reaches to it, and was left out"
    frame = site.resources
    lacking = chosen & np.isin(frame["resource_type"], kinds) & np.isnan(frame["setback_ft"].to_numpy(dtype=float))
    names = sorted(frame["resource_id"][lacking], key=natural_key)
    if not names:
        return
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    findings.warning(
        "rule-setback",
        f"no structure setback (field role setback_ft) is given for {', '.join(names[:_MOST_NAMES])}{more}: {effect}",
        layer="resources",
        citation=citation,
    )


def apply_limits(upland: Upland, footprints: Footprints, limits: list[StructureLimit]) -> Footprints:
    """Give each limited resource its own width on each such parcel; a stream's zones are cut off at that distance."""
    geometries = footprints.geometries.copy()
    zones = list(footprints.zones)
    for limit in limits:
        ring = upland.offset(np.array([limit.row]), np.array([limit.width_ft]))[0]
        inside = shapely.intersection(ring, limit.parcel)
        zoned = [number for number, zone in enumerate(zones) if zone.row == limit.row]
        for number in zoned:
            cut = {
                side: _replaced(getattr(zones[number], side), limit.parcel, inside, cut_only=True)
                for side in ("outer", "inner")
            }
            zones[number] = dataclasses.replace(zones[number], **cut)
        index = int(np.searchsorted(footprints.rows, limit.row))
        geometries[index] = shapely.union(
            _replaced(geometries[index], limit.parcel, inside, cut_only=bool(zoned)), upland.resources[limit.row]
        )
    return dataclasses.replace(footprints, geometries=geometries, zones=tuple(zones))


def _replaced(footprint: Shape, parcel: Shape, inside: Shape, *, cut_only: bool) -> Shape:
    """Put `inside` in the place of the footprint's part on a parcel."""
    own = shapely.intersection(footprint, inside) if cut_only else inside
    return shapely.union(shapely.difference(footprint, parcel), own)
