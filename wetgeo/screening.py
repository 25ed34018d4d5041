"""Screening: which provisions some work triggers, measured on the layers. What they cannot tell is left undecided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import shapely

from wetgeo.findings import Findings
from wetgeo.frames import empty
from wetgeo.impacts import Disturbance
from wetgeo.kernels.offset import GeometryArray
from wetgeo.kernels.unions import union_parts
from wetgeo.rules.model import Condition, PermitTrigger, Replacement
from wetgeo.rules.triggers import TriggerResult, condition_holds
from wetgeo.rules.triggers import screen as judge_triggers
from wetgeo.ruling import Ruling
from wetgeo.site import Site
from wetgeo.structures import structures_of
from wetgeo.tributary import near_waters, tributary_area

#: resources that are public waters: what a project names as lakes and streams
_PUBLIC = ("lake", "stream")
#: a lot is one of the site's where at least this share of it lies in the tract
_LOT_SHARE = 0.5
#: what is measured is rounded to so many decimals, so that ground of exactly the threshold is at it
_DIGITS = 3

_APPLIES = {True: "yes", False: "no", None: "undecided"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Surface:
    """Ground that a provision measures: what is sure to count, and what may (its cause is not known)."""

    sure: GeometryArray
    maybe: GeometryArray = field(default_factory=lambda: np.zeros(0, dtype=object))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """What was measured: at least and at most; ``why`` says what keeps it from being known."""

    low: float
    high: float
    why: str = ""

    @classmethod
    def unknown(cls, why: str) -> _Measured:
        return cls(low=0.0, high=np.inf, why=why)


@dataclass(slots=True, kw_only=True)
class _Measures:
    """Measures the conditions of triggers, each once."""

    site: Site
    ruling: Ruling
    disturbance: Disturbance
    site_sqft: float | None
    done: dict[tuple[object, ...], _Measured] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)

    def __call__(self, trigger: PermitTrigger, condition: Condition) -> float | None:
        """Measure a condition in its threshold's unit; None where the layers do not tell enough to decide it."""
        key = (condition.measure, condition.within and condition.within.value, condition.tributary, condition.of)
        if key not in self.done:
            self.done[key] = self._measured(condition)
        found = self.done[key]
        if found.low == found.high or condition_holds(condition, found.low, self.site_sqft):
            return found.low
        if condition_holds(condition, found.high, self.site_sqft) is False:
            return found.high
        self.notes.setdefault(trigger.id, []).append(found.why)
        return None

    def _measured(self, condition: Condition) -> _Measured:
        counts: dict[str, Callable[[], _Measured]] = {
            "lots": self._lots,
            "new_principal_structures": self._structures,
            "existing_impervious_disturbed": self._existing,
        }
        if condition.measure in counts:
            return counts[condition.measure]()
        surface = self._surface(condition.measure)
        if isinstance(surface, str):
            return _Measured.unknown(surface)
        if condition.of:
            return self._near(condition, surface)
        return self._span(surface)

    def _span(self, surface: _Surface) -> _Measured:
        sure = float(shapely.area(surface.sure).sum()) / self.site.sqft
        maybe = float(shapely.area(surface.maybe).sum()) / self.site.sqft
        why = "the cause of the disturbance is not given"
        return _Measured(low=round(sure, _DIGITS), high=round(sure + maybe, _DIGITS), why=why)

    def _surface(self, measure: str) -> _Surface | str:
        """Return the ground that a measure is about, or why it is not known."""
        if measure == "new_impervious":
            layer = self.site.layers.get("new_impervious")
            return "layer new_impervious is not given" if layer is None else _Surface(sure=union_parts(layer.geometry))
        if measure == "disturbance":
            return _Surface(sure=self.disturbance.parts)
        resources = self.site.resources
        wet = union_parts(resources.geometry.to_numpy()[resources["resource_type"].to_numpy() == "wetland"])
        part, other = shapely.STRtree(wet).query(self.disturbance.parts, predicate="intersects")
        shapes = shapely.intersection(self.disturbance.parts[part], wet[other])
        causes = self.disturbance.causes[part]
        wanted = [cause in self._causes(measure) for cause in causes]
        return _Surface(
            sure=shapes[np.array(wanted, dtype=bool)],
            maybe=shapes[np.array([cause is None for cause in causes], dtype=bool)],
        )

    def _causes(self, measure: str) -> tuple[str, ...]:
        """Say which causes count as wetland disturbed, or excavated: those that the rule asks replacement for."""
        replacement = self.ruling.find(Replacement)
        causes: tuple[str, ...] = ("fill", "drain", "excavate") if replacement is None else replacement.causes
        return ("excavate",) if measure == "wetland_excavated" else causes

    def _near(self, condition: Condition, surface: _Surface) -> _Measured:
        """Measure ground near waters, and tributary to them where the condition asks that."""
        waters, lacking = self._waters(condition)
        within = None if condition.within is None else condition.within.value
        near = near_waters(self.site, surface.sure, waters, within)
        if not condition.tributary:
            around = sum(float(shapely.union_all(pieces).area) for pieces in near) / self.site.sqft
            found = _Measured(low=round(around, _DIGITS), high=round(around, _DIGITS))
        else:
            area = tributary_area(self.site, near, waters)
            why = (
                "no DEM is given to follow the water over"
                if self.site.dem is None
                else f"the water of {area.open:,.0f} sq ft leaves the DEM or ends in a void of it"
            )
            low, high = (round(value, _DIGITS) for value in (area.tributary, area.tributary + area.open))
            found = _Measured(low=low, high=high, why=why)
        return replace(found, high=np.inf, why=lacking) if lacking and len(surface.sure) else found

    def _waters(self, condition: Condition) -> tuple[GeometryArray, str]:
        """Take the waters that a condition names, each that is connected as one, and say what of them is not known."""
        frame = self.site.resources
        kinds, gdnr = frame["resource_type"].to_numpy(), frame["gdnr"].to_numpy(dtype=bool)
        public = np.isin(kinds, _PUBLIC)
        unknown = "public_water" in condition.of and not public.any()
        lacking = "no lakes or streams are given, so that the public waters are not known" if unknown else ""
        chosen = (public & ("public_water" in condition.of)) | (gdnr & ("gdnr" in condition.of))
        shapes = frame.geometry.to_numpy()
        groups = [union_parts(shapes[chosen & (kinds == kind)]) for kind in sorted(set(kinds[chosen]))]
        return np.concatenate([np.zeros(0, dtype=object), *groups]), lacking

    def _lots(self) -> _Measured:
        layer, tract = self.site.layers.get("parcels"), self.site.layers.get("tract")
        if layer is None:
            return _Measured.unknown("layer parcels is not given")
        lots = layer.geometry.to_numpy()
        if tract is not None and not tract.empty:
            held = shapely.area(shapely.intersection(lots, shapely.union_all(tract.geometry.to_numpy())))
            lots = lots[held >= _LOT_SHARE * shapely.area(lots)]
        return _Measured(low=float(len(lots)), high=float(len(lots)))

    def _structures(self) -> _Measured:
        if "structures" not in self.site.layers:
            return _Measured.unknown("layer structures is not given")
        count = float(len(structures_of(self.site, "new_principal")))
        return _Measured(low=count, high=count)

    def _existing(self) -> _Measured:
        """Measure the share of existing impervious surface that is disturbed, percent."""
        layer = self.site.layers.get("existing_impervious")
        if layer is None:
            return _Measured.unknown("layer existing_impervious is not given")
        surface = union_parts(layer.geometry)
        whole = float(shapely.area(surface).sum())
        part, other = shapely.STRtree(surface).query(self.disturbance.parts, predicate="intersects")
        disturbed = float(shapely.area(shapely.intersection(self.disturbance.parts[part], surface[other])).sum())
        percent = round(100 * disturbed / whole, _DIGITS) if whole > 0 else 0.0
        return _Measured(low=percent, high=percent)


def triggers_layer(site: Site, ruling: Ruling, disturbance: Disturbance, findings: Findings) -> pd.DataFrame:
    """Test each provision of the rule that work may trigger.

    Parameters
    ----------
    site
        Lakes and streams are its public waters; resources marked ``gdnr`` its groundwater-dependent natural resources;
        the tract is the site whose share a threshold may be; the DEM tells where water goes.
    ruling
        The rule as it applies.
    disturbance
        The disturbed ground.
    findings
        Takes each provision that could not be decided, with what is lacking.

    Returns
    -------
    pandas.DataFrame
        Layer ``triggers``.
    """
    tract = site.layers.get("tract")
    whole = None if tract is None or tract.empty else shapely.union_all(tract.geometry.to_numpy()).area / site.sqft
    whole = None if whole is None else round(whole, _DIGITS)
    measures = _Measures(site=site, ruling=ruling, disturbance=disturbance, site_sqft=whole)
    results = judge_triggers(ruling.pack, measures, site_sqft=whole)
    _tell_readings(site, ruling, findings)
    if not results:
        return empty("triggers", site.crs)
    return pd.DataFrame([_row(result, measures.notes.get(result.provision, ()), findings) for result in results])


def _row(result: TriggerResult, notes: list[str] | tuple[str, ...], findings: Findings) -> dict[str, Any]:
    reason = result.reason
    if result.applies is None and notes:
        reason += f" ({'; '.join(dict.fromkeys(notes))})"
    if result.applies is None:
        tell = findings.warning if notes else findings.info
        tell(
            "trigger", f"not decided: {reason}", layer="triggers", feature_id=result.provision, citation=result.citation
        )
    return {
        "provision": result.provision,
        "applies": _APPLIES[result.applies],
        "measured": result.measured,
        "threshold": result.threshold,
        "unit": result.unit or None,
        "effect": result.effect,
        "reason": reason,
        "citation": result.citation,
    }


def _tell_readings(site: Site, ruling: Ruling, findings: Findings) -> None:
    """Tell how measures were read that a reviewer may read otherwise."""
    conditions = [condition for trigger in ruling.pack.all(PermitTrigger) for condition in trigger.conditions]
    if any("public_water" in condition.of for condition in conditions):
        findings.info("trigger", "the lakes and streams of the project were taken as public waters", layer="triggers")
    if any("gdnr" in condition.of for condition in conditions) and not site.resources["gdnr"].any():
        findings.warning(
            "trigger",
            "no resource is marked as groundwater-dependent (field role gdnr), so that only the public waters count as "
            "waters that ground is near and tributary to",
            layer="triggers",
        )
    if any(condition.tributary for condition in conditions) and site.dem is not None:
        findings.info(
            "trigger",
            "water was followed over the DEM with depressions taken as full and spilling; culverts and storm sewers "
            "are not known",
            layer="triggers",
        )
    new, old = site.layers.get("new_impervious"), site.layers.get("existing_impervious")
    if new is None or old is None:
        return
    rebuilt = shapely.intersection(
        shapely.union_all(new.geometry.to_numpy()), shapely.union_all(old.geometry.to_numpy())
    )
    if rebuilt.area > site.sqft:
        findings.info(
            "trigger",
            f"{rebuilt.area / site.sqft:,.0f} sq ft of it lie on existing_impervious; they were measured as new",
            layer="new_impervious",
        )
