"""Which provisions some work triggers: measured values against the thresholds of a pack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from wetgeo.rules.model import Condition, PermitTrigger, RulePack
from wetgeo.units import Quantity

Measure = Callable[[PermitTrigger, Condition], "float | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerResult:
    """Whether one provision applies: None where it cannot be decided, with the reason.

    ``measured`` and ``threshold`` are those of the condition that decides, in ``unit`` (sq ft, %, lots, structures).
    """

    provision: str
    effect: str
    applies: bool | None
    measured: float | None
    threshold: float | None
    unit: str
    reason: str
    citation: str


def trigger_applies(
    trigger: PermitTrigger, measured: Sequence[float | None], *, site_sqft: float | None = None
) -> TriggerResult:
    """Judge one trigger.

    Parameters
    ----------
    trigger
        The provision.
    measured
        One value for each of its conditions, in the threshold's unit (square feet, percent or a count); None where it
        could not be measured.
    site_sqft
        Area of the site, for thresholds that are a share of it.

    Raises
    ------
    ValueError
        Where there are more or fewer values than conditions.
    """
    judged = {
        _holds(condition, value, site_sqft): (condition, value)
        for condition, value in reversed(list(zip(trigger.conditions, measured, strict=True)))
    }
    for outcome in (False, None, True):
        if outcome in judged:
            return _result(trigger, *judged[outcome], site_sqft)
    return TriggerResult(
        provision=trigger.id,
        effect=trigger.effect,
        applies=None,
        measured=None,
        threshold=None,
        unit="",
        reason=f"to be asked: {trigger.question}",
        citation=trigger.citation,
    )


def screen(pack: RulePack, measure: Measure, *, site_sqft: float | None = None) -> tuple[TriggerResult, ...]:
    """Judge all triggers of a pack; one that gives way to another (``unless``) is judged after it.

    Parameters
    ----------
    pack
        The rule.
    measure
        Measures one condition of a trigger; returns None where the layers do not tell.
    site_sqft
        Area of the site.
    """
    triggers = pack.all(PermitTrigger)
    first = {
        trigger.id: trigger_applies(trigger, [measure(trigger, c) for c in trigger.conditions], site_sqft=site_sqft)
        for trigger in triggers
    }
    return tuple(_give_way(first[trigger.id], [first[name] for name in trigger.unless]) for trigger in triggers)


def _give_way(own: TriggerResult, others: Sequence[TriggerResult]) -> TriggerResult:
    if own.applies is False:
        return own
    for other in others:
        if other.applies:
            return replace(own, applies=False, reason=f"{other.citation} applies in its place")
    open_ones = [other.citation for other in others if other.applies is None]
    if open_ones:
        reason = f"{own.reason}; whether {', '.join(open_ones)} applies in its place is not decided"
        return replace(own, applies=None, reason=reason)
    return own


def _limit(condition: Condition, site_sqft: float | None) -> float | None:
    """Return the threshold in its unit; None where it depends on a site whose area is not known."""
    if condition.or_share_of_site is None:
        return condition.threshold.value
    if site_sqft is None:
        return None
    return min(condition.threshold.value, condition.or_share_of_site.value * site_sqft / 100)


def _holds(condition: Condition, value: float | None, site_sqft: float | None) -> bool | None:
    if value is None:
        return None
    limit = _limit(condition, site_sqft)
    if limit is None:
        # the share can only lower the threshold, and no share of a site is less than nothing
        return True if _passes(condition, value, condition.threshold.value) else None if value > 0 else False
    return _passes(condition, value, limit)


def _passes(condition: Condition, value: float, limit: float) -> bool:
    return value >= limit if condition.at_least is not None else value > limit


def _unit(threshold: Quantity) -> str:
    if threshold.text.endswith("%"):
        return "%"
    return next((f"{word}s" for word in ("lot", "structure") if word in threshold.text), "sq ft")


def _result(
    trigger: PermitTrigger, condition: Condition, value: float | None, site_sqft: float | None
) -> TriggerResult:
    """Return the result that hangs on one condition."""
    holds = _holds(condition, value, site_sqft)
    limit = _limit(condition, site_sqft)
    unit = _unit(condition.threshold)
    word = "at least" if condition.at_least is not None else "more than"
    asked = f"{condition.measure.replace('_', ' ')} {word} {condition.threshold}"
    if condition.or_share_of_site is not None:
        asked += f" or {condition.or_share_of_site} of the site, whichever is less"
    if condition.within is not None:
        asked += f", within {condition.within}{' and tributary' if condition.tributary else ''}"
    if value is None:
        reason = f"{asked}: not measured"
    elif limit is None and holds is None:
        reason = f"{asked}: {value:g} {unit}, and the area of the site is not known"
    else:
        reason = f"{asked}: {value:.10g} {unit}"
    if holds and trigger.question is not None:
        holds, reason = None, f"{reason}; to be asked: {trigger.question}"
    return TriggerResult(
        provision=trigger.id,
        effect=trigger.effect,
        applies=holds,
        measured=value,
        threshold=condition.threshold.value if limit is None else limit,
        unit=unit,
        reason=reason,
        citation=trigger.citation,
    )
