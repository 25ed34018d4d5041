"""The required width of one resource, decided from facts; each step says its inputs and its citation.

Pure: no geometry, no frames. All lengths in international feet, slopes in percent.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from wetgeo.errors import RulePackError
from wetgeo.rules.decision import Case, Facts, Options, Step, WidthDecision, ZoneWidth, feet, share_of
from wetgeo.rules.model import (
    AgriculturalStrip,
    ClassWidth,
    ExistingStructure,
    GdnrWidth,
    NewResidenceWidth,
    RulePack,
    SlopeCut,
    SoilCut,
    StreamZones,
    WidthRow,
)
from wetgeo.rules.quantities import exact
from wetgeo.rules.soils import hsg_letter, predominant_group
from wetgeo.rules.zones import decide_strip, decide_zones

__all__ = [
    "Facts",
    "Step",
    "WidthDecision",
    "ZoneWidth",
    "decide_width",
    "has_width",
    "hsg_letter",
    "predominant_group",
    "slope_cut_ft",
    "soil_cut_ft",
    "structure_width",
]


def decide_width(pack: RulePack, options: Options, facts: Facts) -> WidthDecision:
    """Decide the required width of a resource.

    Parameters
    ----------
    pack
        The rule as it stands on the date of the application (`RulePack.at`).
    options
        The options as `RulePack.resolve_options` returns them.
    facts
        What is known of the resource.

    Raises
    ------
    RulePackError
        Where the rule has no width for the resource; ask `has_width` first.
    """
    case = Case.of(pack, options, facts)
    strip = _strip(pack, options, facts.resource_type)
    if strip is not None:
        return decide_strip(case, strip)
    zones = _zones(pack, facts.resource_type)
    if zones is not None:
        return decide_zones(case, zones)
    found = pack.find_width(facts.resource_type, facts.class_name)
    if found is None:
        what = f"{facts.resource_type} of class {facts.class_name!r}" if facts.class_name else facts.resource_type
        raise RulePackError(f"Rule {pack.id} has no width for a {what}.")
    gdnr = pack.find(GdnrWidth)
    if gdnr is not None and facts.gdnr:
        return _gdnr(case, gdnr, *found)
    return _by_class(case, *found)


def has_width(pack: RulePack, options: Options, resource_type: str, class_name: str | None) -> bool:
    """Whether the rule has a width for a resource of a class, or of no class; parameters as of `decide_width`."""
    of_type = _strip(pack, options, resource_type) or _zones(pack, resource_type)
    return of_type is not None or pack.find_width(resource_type, class_name) is not None


def _strip(pack: RulePack, options: Options, resource_type: str) -> AgriculturalStrip | None:
    strip = pack.find(AgriculturalStrip)
    asked = strip is not None and options.get("provision") == "agricultural" and resource_type in strip.resources
    return strip if asked else None


def _zones(pack: RulePack, resource_type: str) -> StreamZones | None:
    return pack.find(StreamZones) if resource_type == "stream" else None


def slope_cut_ft(provision: SlopeCut, slope_pct: float) -> tuple[float, Decimal, int]:
    """Return the cut for an average slope in feet, the slope as rounded, and the number of full steps.

    Reckoned in decimals, so that 15.00 % is one step below 20 % and 15.01 % is none.
    """
    grain = exact(provision.rounding.value)
    rounded = (exact(slope_pct) / grain).quantize(Decimal(1), ROUND_HALF_UP) * grain
    steps = max(0, int((exact(provision.below.value) - rounded) // exact(provision.step.value)))
    return float(steps * exact(provision.cut.value)), rounded, steps


def soil_cut_ft(provision: SoilCut, hsg: str) -> tuple[float, int]:
    """Return the cut for a predominant soil group in feet, and its grades above the first. Raises ValueError."""
    grades = [str(grade) for grade in provision.grades].index(hsg)
    return float(grades * exact(provision.cut.value)), grades


def structure_width(pack: RulePack, distance_ft: float) -> tuple[float, str] | None:
    """Return the width on a parcel whose existing primary structure stands within the setback, and its citation.

    Parameters
    ----------
    pack
        The rule.
    distance_ft
        Distance from the nearest such structure to the resource, feet.

    Returns
    -------
    tuple or None
        None where the rule has no such provision.
    """
    provision = pack.find(ExistingStructure)
    return None if provision is None else (share_of(provision.share.value, distance_ft), provision.citation)


def _by_class(case: Case, table: ClassWidth, row: WidthRow) -> WidthDecision:
    base = row.base.value
    _tell_base(case, table, row)
    residence = case.pack.find(NewResidenceWidth)
    if residence is not None and case.options.get("trigger") == residence.trigger:
        if case.facts.new_structure_ft is not None:
            return _by_structure(case, residence, row, case.facts.new_structure_ft)
        case.add(residence, "left out", None, "no new principal structure is given: the width is the table's")
    slope, soil = _slope_step(case), _soil_step(case)
    width = float(exact(base) - exact(slope) - exact(soil))
    floor = None if row.floor is None else row.floor.value
    if floor is not None and width < floor:
        case.add(table, "floor", floor, f"not below the base width minimum of {row.floor}", row.citation)
        width = floor
    case.add(table, "width", width, f"required width: {feet(width)}", row.citation)
    return _averaged(case, row, width=width, slope=slope, soil=soil, floor=floor)


def _tell_base(case: Case, table: ClassWidth, row: WidthRow) -> None:
    which = f"{row.resource}, class {row.class_name}" if row.class_name else f"every {row.resource}"
    case.add(table, "base", row.base.value, f"{which}: base width {row.base}", row.citation)


def _by_structure(case: Case, provision: NewResidenceWidth, row: WidthRow, distance: float) -> WidthDecision:
    share = share_of(provision.share.value, distance)
    width = min(row.base.value, max(provision.least.value, share))
    reason = (
        f"{provision.share} of the {feet(distance)} to the new principal structure is {feet(share)}; "
        f"at least {provision.least}, at most the base width of {row.base}: {feet(width)}"
    )
    case.add(provision, "structure", width, reason)
    case.add(provision, "width", width, f"required width: {feet(width)}; no reduction for slope or soil, no floor")
    return _averaged(case, row, width=width)


def _slope_step(case: Case) -> float:
    provision = case.pack.find(SlopeCut)
    if provision is None:
        return 0.0
    if case.options.get("reductions", "both") not in {"slope", "both"}:
        case.add(provision, "left out", 0.0, "no reduction for slope: option reductions")
        return 0.0
    if case.facts.slope_pct is None:
        case.add(provision, "left out", 0.0, "no reduction for slope: the average slope is unknown")
        return 0.0
    cut, rounded, steps = slope_cut_ft(provision, case.facts.slope_pct)
    reason = (
        f"average slope {rounded} %: full steps of {provision.step} below {provision.below}: {steps}, "
        f"{provision.cut} each: {feet(cut)} less"
    )
    case.add(provision, "slope", cut, reason)
    return cut


def _soil_step(case: Case) -> float:
    provision = case.pack.find(SoilCut)
    if provision is None:
        return 0.0
    if case.options.get("reductions", "both") not in {"soil", "both"}:
        case.add(provision, "left out", 0.0, "no reduction for soil: option reductions")
        return 0.0
    if case.facts.hsg is None:
        case.add(provision, "left out", 0.0, "no reduction for soil: the predominant soil group is unknown")
        return 0.0
    cut, grades = soil_cut_ft(provision, case.facts.hsg)
    reason = (
        f"predominant soil group {case.facts.hsg}: grades above {provision.grades[0]}: {grades}, "
        f"{provision.cut} each: {feet(cut)} less"
    )
    case.add(provision, "soil", cut, reason)
    return cut


def _averaged(
    case: Case, row: WidthRow, *, width: float, slope: float = 0.0, soil: float = 0.0, floor: float | None = None
) -> WidthDecision:
    """Close a case with what an averaged buffer may have."""
    base = row.base.value
    basis = base if case.options.get("averaging_base") == "table" else width
    minimum = _minimum_step(case, row, basis, width)
    average = None if row.average is None else row.average.value
    cap = case.cap(basis)
    return case.close(
        base=base, width=width, minimum=minimum, average=average, cap=cap, slope=slope, soil=soil, floor=floor
    )


def _minimum_step(case: Case, row: WidthRow, basis: float, width: float) -> float:
    averaging = case.averaging
    if averaging is None:
        return width
    if row.minimum is not None:
        minimum, reason = row.minimum.value, f"averaged, at least {row.minimum} at every point"
    elif averaging.minimum is not None:
        minimum, reason = averaging.minimum.value, f"averaged, at least {averaging.minimum} at every point"
    elif averaging.minimum_share is not None:
        minimum = share_of(averaging.minimum_share.value, basis)
        reason = f"averaged, at least {averaging.minimum_share} of {feet(basis)} at every point: {feet(minimum)}"
    else:
        return width
    minimum = min(minimum, width)  # a uniform buffer of the required width always complies
    case.add(averaging, "minimum", minimum, reason, row.minimum_citation or averaging.minimum_citation)
    return minimum


def _gdnr(case: Case, provision: GdnrWidth, table: ClassWidth, row: WidthRow) -> WidthDecision:
    mine = [r for r in provision.rows if r.resource == row.resource and (not r.classes or row.class_name in r.classes)]
    if not mine:
        return _by_class(case, table, row)
    wet = mine[0]
    _tell_base(case, table, row)
    case.add(provision, "gdnr", wet.width.value, f"groundwater-dependent natural resource: {wet.width}", wet.citation)
    case.add(provision, "width", wet.width.value, f"required width: {wet.width}", wet.citation)
    widened = row.model_copy(update={"base": wet.width, "minimum": wet.minimum, "average": None})
    return _averaged(case, widened, width=wet.width.value)
