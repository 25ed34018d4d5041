"""The zones of a stream, and the strip that agriculture keeps."""

from __future__ import annotations

from decimal import Decimal

from wetgeo.rules.decision import Case, WidthDecision, ZoneWidth, feet, share_of
from wetgeo.rules.model import AgriculturalStrip, StreamZones
from wetgeo.rules.provisions import ZoneRow
from wetgeo.rules.quantities import exact


def decide_zones(case: Case, provision: StreamZones) -> WidthDecision:
    """Decide a stream's zones; its width is the outermost distance, its least width the sum of the zones'."""
    is_gdnr = case.facts.gdnr and bool(provision.gdnr)
    if is_gdnr:
        reason = "groundwater-dependent natural resource: its own streamside and middle zones"
        case.add(provision, "gdnr", None, reason, provision.gdnr_citation)
    zones: list[ZoneWidth] = []
    for row in provision.gdnr if is_gdnr else provision.rows:
        zone = _zone(case, provision, row, zones[-1].outer_ft if zones else 0.0)
        if zone is not None:
            zones.append(zone)
    width = zones[-1].outer_ft if zones else 0.0
    case.add(provision, "width", width, f"required width, all zones: {feet(width)}")
    minimum = float(sum((exact(zone.minimum_ft) for zone in zones), Decimal(0)))
    if case.averaging is not None:
        reason = f"averaged, the zones' least widths add up to {feet(minimum)}"
        case.add(case.averaging, "minimum", minimum, reason, case.averaging.minimum_citation)
    cap = case.cap(width)
    return case.close(base=width, width=width, minimum=minimum, cap=cap, zones=tuple(zones))


def _zone(case: Case, provision: StreamZones, row: ZoneRow, inner: float) -> ZoneWidth | None:
    citation = row.citation or provision.citation
    reach = _reach(case, row, inner)
    if isinstance(reach, str):
        case.add(provision, "left out", None, f"{row.zone} zone {reach}", citation)
        return None
    width = float(exact(reach) - exact(inner))
    told = "to the structure setback" if isinstance(row.width, str) else f"{row.width} wide"
    case.add(provision, "zone", width, f"{row.zone} zone {told}: from {feet(inner)} to {feet(reach)}", citation)
    least = 0.0 if row.minimum_least is None else row.minimum_least.value
    cap_share = None if case.averaging is None else case.averaging.cap_share
    return ZoneWidth(
        zone=row.zone,
        inner_ft=inner,
        outer_ft=reach,
        width_ft=width,
        minimum_ft=min(width, max(share_of(row.minimum_share.value, width), least)),
        cap_ft=None if cap_share is None else share_of(cap_share.value, width),
        citation=citation,
    )


def _reach(case: Case, row: ZoneRow, inner: float) -> float | str:
    """Return how far a zone reaches from the bank, or why there is none."""
    if not isinstance(row.width, str):
        return float(exact(inner) + exact(row.width.value))
    setback = case.facts.setback_ft
    if setback is None:
        return "left out: it reaches to the structure setback, and none is given"
    if setback <= inner:
        return f"empty: the structure setback of {feet(setback)} lies within {feet(inner)}"
    return setback


def decide_strip(case: Case, provision: AgriculturalStrip) -> WidthDecision:
    """Decide the agricultural strip: its own width or a share of the structure setback, whichever is wider."""
    width = provision.least.value
    setback = case.facts.setback_ft
    case.add(provision, "base", width, f"agricultural strip: {provision.least}")
    if setback is None:
        case.add(provision, "left out", None, "no structure setback is given: the shore impact zone is unknown")
    else:
        impact = share_of(provision.setback_share.value, setback)
        reason = f"shore impact zone, {provision.setback_share} of the setback of {feet(setback)}: {feet(impact)}"
        case.add(provision, "setback", impact, reason)
        width = max(width, impact)
    case.add(provision, "width", width, f"required width, the wider of both: {feet(width)}")
    return case.close(base=width, width=width, minimum=width)
