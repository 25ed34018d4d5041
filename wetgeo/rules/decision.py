"""Facts, steps and the decision: the values that pass between the widths' reckoning and its callers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from wetgeo.rules.model import Averaging, Provision, RulePack
from wetgeo.rules.quantities import exact

Options = Mapping[str, str | float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a resource.

    Attributes
    ----------
    resource_type
        wetland, lake or stream.
    class_name
        The class in the rule's own spelling, None where the rule has none.
    gdnr
        Whether it is a groundwater-dependent natural resource.
    slope_pct
        Average slope of the buffer, percent; None where unknown.
    hsg
        Predominant hydrologic soil group, one letter; None where unknown.
    setback_ft
        Structure setback, feet; None where not given.
    new_structure_ft
        Distance from the nearest new principal structure, feet; None where there is none.
    """

    resource_type: str
    class_name: str | None = None
    gdnr: bool = False
    slope_pct: float | None = None
    hsg: str | None = None
    setback_ft: float | None = None
    new_structure_ft: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a decision; the fields are those of layer ``reasons``."""

    provision: str
    what: str
    value_ft: float | None
    reason: str
    citation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneWidth:
    """One zone of a stream, from ``inner_ft`` to ``outer_ft`` from the bank before any extension."""

    zone: str
    inner_ft: float
    outer_ft: float
    width_ft: float
    minimum_ft: float
    cap_ft: float | None
    citation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WidthDecision:
    """The required width of one resource and what an averaged buffer may have, in feet."""

    base_ft: float
    slope_cut_ft: float
    soil_cut_ft: float
    floor_ft: float | None
    width_ft: float
    minimum_ft: float
    average_ft: float
    cap_ft: float | None
    zones: tuple[ZoneWidth, ...]
    citation: str
    steps: tuple[Step, ...]


def known(value: float | None) -> float | None:
    """Return a number, or None where it is none."""
    return None if value is None or math.isnan(value) else float(value)


def feet(value: float) -> str:
    """Return a length in feet as a reader expects it: no more than two decimals, none that are zero."""
    return f"{value:.2f}".rstrip("0").rstrip(".") + " ft"


def share_of(percent: float, of: float) -> float:
    """Return a percentage of a length, reckoned in decimals."""
    return float(exact(percent) * exact(of) / 100)


@dataclass(slots=True)
class Case:
    """One decision in the making: the rule, the options, what is known, and the steps so far."""

    pack: RulePack
    options: Options
    facts: Facts
    averaging: Averaging | None
    steps: list[Step] = field(default_factory=list)

    @classmethod
    def of(cls, pack: RulePack, options: Options, facts: Facts) -> Case:
        """Open a case; numbers that are NaN count as not known."""
        checked = replace(
            facts,
            slope_pct=known(facts.slope_pct),
            setback_ft=known(facts.setback_ft),
            new_structure_ft=known(facts.new_structure_ft),
            hsg=facts.hsg or None,
        )
        return cls(pack, options, checked, pack.find(Averaging))

    def add(
        self, provision: Provision, what: str, value: float | None, reason: str, citation: str | None = None
    ) -> None:
        """Add a step, cited as its provision is unless a row of it has a citation of its own."""
        cited = citation or provision.citation
        self.steps.append(Step(provision=provision.id, what=what, value_ft=value, reason=reason, citation=cited))

    def cap(self, basis: float) -> float | None:
        """Add the step that caps the credited width, and return the cap; None where the rule has none."""
        if self.averaging is None or self.averaging.cap_share is None:
            return None
        cap = share_of(self.averaging.cap_share.value, basis)
        reason = f"averaged, no credit beyond {self.averaging.cap_share} of {feet(basis)}: {feet(cap)}"
        self.add(self.averaging, "cap", cap, reason, self.averaging.cap_citation)
        return cap

    @property
    def citation(self) -> str:
        """The sections that decided, in order; what was left out decided nothing."""
        return "; ".join(dict.fromkeys(step.citation for step in self.steps if step.what != "left out"))

    def close(  # noqa: PLR0913 # the numbers of one decision, by keyword
        self,
        *,
        base: float,
        width: float,
        minimum: float,
        average: float | None = None,
        cap: float | None = None,
        slope: float = 0.0,
        soil: float = 0.0,
        floor: float | None = None,
        zones: tuple[ZoneWidth, ...] = (),
    ) -> WidthDecision:
        """Return the decision with its steps."""
        return WidthDecision(
            base_ft=base,
            slope_cut_ft=slope,
            soil_cut_ft=soil,
            floor_ft=floor,
            width_ft=width,
            minimum_ft=minimum,
            average_ft=width if average is None else average,
            cap_ft=cap,
            zones=zones,
            citation=self.citation,
            steps=tuple(self.steps),
        )
