"""Which provisions some work triggers: measured values against the thresholds of a pack."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    pairs = list(zip(trigger.conditions, measured, strict=True))
    judged = {condition_holds(*pair, site_sqft): pair for pair in reversed(pairs)}
    for outcome in (False, None, True):
        if outcome in judged:
            told = pairs if outcome else [judged[outcome]]
            reason = "; ".join(_reason(*pair, site_sqft) for pair in told)
            return _result(trigger, *judged[outcome], site_sqft, reason)
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
    """Judge all triggers of a pack; what others decide (``entailed_by``, ``unless``) is judged after them.

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
    second = {
        trigger.id: _entailed(first[trigger.id], [first[name] for name in trigger.entailed_by]) for trigger in triggers
    }
    return tuple(beside(trigger, first[trigger.id], second) for trigger in triggers)


def beside(trigger: PermitTrigger, own: TriggerResult, others: Mapping[str, TriggerResult]) -> TriggerResult:
    """Weigh a trigger's own result beside those of the others that it names.

    Parameters
    ----------
    trigger
        The provision.
    own
        Its result from its own conditions.
    others
        Results by provision: at least those in its ``entailed_by`` and ``unless``.
    """
    entailed = _entailed(own, [others[name] for name in trigger.entailed_by])
    return _give_way(entailed, [others[name] for name in trigger.unless])


def _entailed(own: TriggerResult, others: Sequence[TriggerResult]) -> TriggerResult:
    applying = list(dict.fromkeys(other.citation for other in others if other.applies))
    if own.applies is not None or not applying:
        return own
    return replace(own, applies=True, reason=f"{', '.join(applying)} {'applies' if len(applying) == 1 else 'apply'}")


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


def condition_holds(condition: Condition, value: float | None, site_sqft: float | None) -> bool | None:
    """Whether a condition holds; None where its value is not known, or the site's area that its threshold is of.

    Parameters
    ----------
    condition
        The condition.
    value
        What was measured, in the threshold's unit; None where it could not be.
    site_sqft
        Area of the site, square feet; None where not known.
    """
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


def _reason(condition: Condition, value: float | None, site_sqft: float | None) -> str:
    """Say what a condition asks and what was measured."""
    unit = _unit(condition.threshold)
    word = "at least" if condition.at_least is not None else "more than"
    asked = f"{condition.measure.replace('_', ' ')} {word} {condition.threshold}"
    if condition.or_share_of_site is not None:
        asked += f" or {condition.or_share_of_site} of the site, whichever is less"
    if condition.within is not None:
        asked += f", within {condition.within}{' and tributary' if condition.tributary else ''}"
    if value is None:
        return f"{asked}: not measured"
    limit = _limit(condition, site_sqft)
    if limit is None and condition_holds(condition, value, site_sqft) is None:
        return f"{asked}: {_figure(condition, value, 0.0, unit)} {unit}, and the area of the site is not known"
    return f"{asked}: {_figure(condition, value, limit, unit)} {unit}"


def _figure(condition: Condition, value: float, limit: float | None, unit: str) -> str:
    """Write what was measured: whole square feet, and all digits where whole ones would tell another answer."""
    whole = float(round(value))
    limit = condition.threshold.value if limit is None else limit
    tells = unit == "sq ft" and _passes(condition, whole, limit) == _passes(condition, value, limit)
    return f"{whole:,.0f}" if tells else f"{value:,.10g}"


def _result(
    trigger: PermitTrigger, condition: Condition, value: float | None, site_sqft: float | None, reason: str
) -> TriggerResult:
    """Return the result that hangs on one condition."""
    holds = condition_holds(condition, value, site_sqft)
    limit = _limit(condition, site_sqft)
    if holds and trigger.question is not None:
        holds, reason = None, f"{reason}; to be asked: {trigger.question}"
    return TriggerResult(
        provision=trigger.id,
        effect=trigger.effect,
        applies=holds,
        measured=value,
        threshold=condition.threshold.value if limit is None else limit,
        unit=_unit(condition.threshold),
        reason=reason,
        citation=trigger.citation,
    )
