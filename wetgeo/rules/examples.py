"""The worked examples of a pack, reckoned anew; and a sweep over all its classes that shows gaps and overlaps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from wetgeo.errors import UsageError
from wetgeo.rules import worked
from wetgeo.rules.decision import Facts, WidthDecision, feet
from wetgeo.rules.evaluate import (
    access_most_ft,
    community_protected,
    de_minimis_limit,
    flood_zone_counts,
    infiltration_allowed,
    management_category,
    monument_gaps,
    replacement_ratio,
    steep_gain_ft,
    trail_verdict,
)
from wetgeo.rules.model import (
    Access,
    CommunityProtection,
    Floodplain,
    Infiltration,
    ManagementCategory,
    Monuments,
    PermitTrigger,
    Provision,
    Replacement,
    RulePack,
    SlopeCut,
    SoilCut,
    SteepSlope,
    VegetatedDistance,
)
from wetgeo.rules.soils import predominant_group
from wetgeo.rules.triggers import beside, trigger_applies
from wetgeo.rules.width import decide_width, structure_width

P = TypeVar("P", bound=Provision)
Pairs = dict[str, tuple[str, str]]

_WORD = {True: "yes", False: "no", None: "unknown"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleResult:
    """One worked example: what the pack says should come out, and what does."""

    kind: str
    about: str
    ok: bool
    expected: str
    got: str


def run_examples(pack: RulePack) -> list[ExampleResult]:
    """Reckon every worked example of a pack, in its order."""
    return [_run(pack, example) for example in pack.examples]


def _run(pack: RulePack, example: worked.Example) -> ExampleResult:
    try:
        pairs = _RUNNERS[type(example)](pack, example)
    except (UsageError, LookupError, ValueError) as error:
        return ExampleResult(kind=example.kind, about=example.about, ok=False, expected="a result", got=str(error))
    return ExampleResult(
        kind=example.kind,
        about=example.about,
        ok=all(wanted == got for wanted, got in pairs.values()),
        expected=", ".join(f"{name} {wanted}" for name, (wanted, _) in pairs.items()),
        got=", ".join(f"{name} {got}" for name, (_, got) in pairs.items()),
    )


def _need(pack: RulePack, cls: type[P]) -> P:
    provision = pack.find(cls)
    if provision is None:
        raise LookupError(f"the pack has no provision of kind {cls.model_fields['kind'].annotation}")
    return provision


def _ft(value: float | None) -> str:
    return "none" if value is None else f"{value:.6g} ft"


def _area(value: float) -> str:
    return f"{value:.10g} sq ft"


def _width(pack: RulePack, example: worked.WidthExample) -> Pairs:
    facts = Facts(
        resource_type=example.resource,
        class_name=example.class_name,
        gdnr=example.gdnr,
        slope_pct=example.slope.value if example.slope else None,
        hsg=example.hsg,
        setback_ft=example.setback.value if example.setback else None,
        new_structure_ft=example.new_structure.value if example.new_structure else None,
    )
    decision = decide_width(pack, pack.resolve_options(example.options), facts)
    pairs: Pairs = {}
    for name in ("width", "base", "slope_cut", "soil_cut", "floor", "minimum", "average", "cap"):
        wanted = getattr(example, name)
        if wanted is not None:
            pairs[name] = (_ft(wanted.value), _ft(getattr(decision, f"{name}_ft")))
    if example.zones is not None:
        wanted_zones = {name: width.value for name, width in example.zones.items()}
        pairs["zones"] = _zone_pair(wanted_zones, {zone.zone: zone.width_ft for zone in decision.zones})
    if example.zone_minima is not None:
        wanted_zones = {name: width.value for name, width in example.zone_minima.items()}
        got = {zone.zone: zone.minimum_ft for zone in decision.zones if zone.zone in wanted_zones}
        pairs["zone minima"] = _zone_pair(wanted_zones, got)
    if example.cites is not None:
        found = example.cites in decision.citation.split("; ")
        pairs["citation"] = (example.cites, example.cites if found else decision.citation)
    return pairs


def _zone_pair(wanted: Mapping[str, float], got: Mapping[str, float]) -> tuple[str, str]:
    wanted_text = " ".join(f"{name} {_ft(wanted[name])}" for name in sorted(wanted))
    return wanted_text, " ".join(f"{name} {_ft(got[name])}" for name in sorted(got))


def _structure(pack: RulePack, example: worked.StructureExample) -> Pairs:
    found = structure_width(pack, example.distance.value)
    return {"width": (_ft(example.width.value), _ft(found[0] if found else None))}


def _replacement(pack: RulePack, example: worked.ReplacementExample) -> Pairs:
    found = replacement_ratio(pack, example.class_name, example.cause, of=example.of)
    ratio = "none" if found is None else f"{found[0]:g}:1"
    wanted = example.ratio if isinstance(example.ratio, str) else f"{example.ratio.value:g}:1"
    owed = 0.0 if found is None else found[0] * example.area.value
    return {"ratio": (wanted, ratio), "replacement": (_area(example.replacement.value), _area(owed))}


def _de_minimis(pack: RulePack, example: worked.DeMinimisExample) -> Pairs:
    limit = de_minimis_limit(pack, pack.resolve_options(example.options), example.class_name)
    exempt = limit is not None and sum(area.value for area in example.areas) <= limit[0]
    return {"exempt": (_WORD[example.exempt], _WORD[exempt])}


def _trigger(pack: RulePack, example: worked.TriggerExample) -> Pairs:
    trigger = next(trigger for trigger in pack.all(PermitTrigger) if trigger.id == example.provision)
    measured = [None if isinstance(value, str) else value.value for value in example.measured]
    own = trigger_applies(trigger, measured, site_sqft=example.site.value if example.site else None)
    others = {
        other.id: replace(own, applies=other.id in example.applying, citation=other.citation)
        for other in pack.all(PermitTrigger)
    }
    result = beside(trigger, own, others)
    return {"applies": (example.applies, {True: "yes", False: "no", None: "undecided"}[result.applies])}


def _category(pack: RulePack, example: worked.CategoryExample) -> Pairs:
    result = management_category(_need(pack, ManagementCategory), example.ratings)
    if result.unreadable:
        raise ValueError("; ".join(result.unreadable))
    return {"category": (example.category, result.category or "undecided")}


def _flood_zone(pack: RulePack, example: worked.FloodZoneExample) -> Pairs:
    return {"counts": (example.counts, _WORD[flood_zone_counts(_need(pack, Floodplain), example.zone)])}


def _community(pack: RulePack, example: worked.CommunityExample) -> Pairs:
    return {
        "protected": (example.protected, _WORD[community_protected(_need(pack, CommunityProtection), example.rank)])
    }


def _access(pack: RulePack, example: worked.AccessExample) -> Pairs:
    lot = example.lot_width.value if example.lot_width else None
    return {"most": (_ft(example.most.value), _ft(access_most_ft(_need(pack, Access), lot)))}


def _trail(pack: RulePack, example: worked.TrailExample) -> Pairs:
    return {"trail": (example.counts, trail_verdict(_need(pack, VegetatedDistance), example.trail.value))}


def _steep(pack: RulePack, example: worked.SteepExample) -> Pairs:
    return {"steep": (_WORD[example.steep], _WORD[example.gain.value > steep_gain_ft(_need(pack, SteepSlope))])}


def _infiltration(pack: RulePack, example: worked.InfiltrationExample) -> Pairs:
    got = infiltration_allowed(_need(pack, Infiltration), example.distance.value)
    return {"allowed": (_WORD[example.allowed], _WORD[got])}


def _monuments(pack: RulePack, example: worked.MonumentExample) -> Pairs:
    return {"gaps": (str(example.gaps), str(monument_gaps(_need(pack, Monuments), example.stretch.value)))}


def _soil(pack: RulePack, example: worked.SoilExample) -> Pairs:
    areas: dict[str, float] = {group: area.value for group, area in example.areas.items()}
    total = sum(areas.values()) + (example.unrated.value if example.unrated else 0.0)
    group, _ = predominant_group(areas, total, _need(pack, SoilCut), dual_hsg=example.dual)
    return {"group": (example.group, group or "unknown")}


_RUNNERS: Mapping[type, Callable[[RulePack, Any], Pairs]] = {
    worked.WidthExample: _width,
    worked.StructureExample: _structure,
    worked.ReplacementExample: _replacement,
    worked.DeMinimisExample: _de_minimis,
    worked.TriggerExample: _trigger,
    worked.CategoryExample: _category,
    worked.FloodZoneExample: _flood_zone,
    worked.CommunityExample: _community,
    worked.AccessExample: _access,
    worked.TrailExample: _trail,
    worked.SteepExample: _steep,
    worked.InfiltrationExample: _infiltration,
    worked.MonumentExample: _monuments,
    worked.SoilExample: _soil,
}


def sweep(pack: RulePack) -> tuple[str, ...]:
    """Decide the width of every class at every step of slope and soil, and return what is wrong, as sentences.

    Wrong are: a class without a width or without a replacement ratio, a width below the floor, above the base or
    below the least averaged one, and a width that falls as the slope rises or the soil goes toward the last grade.
    """
    return tuple(dict.fromkeys(itertools.chain(_width_gaps(pack), _ratio_gaps(pack))))


def uncovered(pack: RulePack) -> tuple[str, ...]:
    """Return the classes and the kinds of provision that no worked example of the pack touches, as sentences."""
    shown = {(e.resource, e.class_name) for e in pack.examples if isinstance(e, worked.WidthExample)}
    told = [
        f"no worked example for {resource} of class {name}"
        for resource in ("wetland", "lake", "stream")
        for name in pack.classes(resource)
        if (resource, name) not in shown
    ]
    kinds = {example.kind for example in pack.examples}
    runnable = {cls.model_fields["kind"].annotation.__args__[0] for cls in _RUNNERS}  # type: ignore[attr-defined]
    missing = dict.fromkeys(p.kind for p in pack.provisions if p.kind in runnable - kinds)
    return (*told, *(f"no worked example for kind {kind}" for kind in missing))


def _slopes(pack: RulePack) -> list[float | None]:
    provision = pack.find(SlopeCut)
    if provision is None:
        return [None]
    below, step, grain = provision.below.value, provision.step.value, provision.rounding.value
    edges = [below - step * number for number in range(int(below / step) + 1)]
    near = {round(edge + shift, 6) for edge in edges for shift in (-grain, 0.0, grain)}
    return [slope for slope in sorted(near) if slope >= 0]


def _soils(pack: RulePack) -> list[str | None]:
    provision = pack.find(SoilCut)
    return [None] if provision is None else list(reversed(provision.grades))


def _width_gaps(pack: RulePack) -> Iterator[str]:
    for resource in ("wetland", "lake", "stream"):
        if not pack.regulates(resource):
            continue
        for name, gdnr in itertools.product(pack.classes(resource) or (None,), (False, True)):
            about = f"{resource}{f' of class {name}' if name else ''}{', groundwater-dependent' if gdnr else ''}"
            yield from _class_gaps(pack, Facts(resource_type=resource, class_name=name, gdnr=gdnr), about)


def _class_gaps(pack: RulePack, facts: Facts, about: str) -> Iterator[str]:
    options = pack.resolve_options({})
    table: dict[tuple[int, int], float] = {}
    slopes, soils = _slopes(pack), _soils(pack)
    for (i, slope), (j, soil) in itertools.product(enumerate(slopes), enumerate(soils)):
        at = Facts(
            resource_type=facts.resource_type, class_name=facts.class_name, gdnr=facts.gdnr, slope_pct=slope, hsg=soil
        )
        try:
            decision = decide_width(pack, options, at)
        except UsageError as error:
            yield f"{about}: {error}"
            return
        yield from (f"{about}: {fault}" for fault in _bounds(decision))
        table[i, j] = decision.width_ft
    for (i, j), width in table.items():
        if width > table.get((i + 1, j), width) or width > table.get((i, j + 1), width):
            yield f"{about}: {feet(width)} at {slopes[i]} %, soil {soils[j]}, is more than at the next step"


def _bounds(decision: WidthDecision) -> Iterator[str]:
    width = decision.width_ft
    if not 0 < width <= decision.base_ft:
        yield f"width {feet(width)} does not lie between 0 and the base of {feet(decision.base_ft)}"
    if decision.floor_ft is not None and width < decision.floor_ft:
        yield f"width {feet(width)} is below the floor of {feet(decision.floor_ft)}"
    if not 0 < decision.minimum_ft <= width:
        yield f"least averaged width {feet(decision.minimum_ft)} does not lie between 0 and {feet(width)}"
    if decision.cap_ft is not None and decision.cap_ft < width:
        yield f"credit ends at {feet(decision.cap_ft)}, within the width of {feet(width)}"


def _ratio_gaps(pack: RulePack) -> Iterator[str]:
    provision = pack.find(Replacement)
    if provision is None:
        return
    for name, cause in itertools.product(pack.classes("wetland") or (None,), provision.causes):
        if replacement_ratio(pack, name, cause) is None:
            yield f"wetland of class {name}: no replacement ratio"
