"""Required widths: what the rule asks of each resource, from its class, slope, soil and structures."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wetgeo.connectivity import connected_to_central
from wetgeo.errors import InputError, TomlLine
from wetgeo.findings import Findings
from wetgeo.kernels.coverage import mean_slopes
from wetgeo.kernels.offset import FloatArray, GeometryArray
from wetgeo.rules import provisions as law
from wetgeo.rules.width import Facts, WidthDecision, decide_width, has_width, predominant_group
from wetgeo.ruling import Ruling
from wetgeo.site import RESOURCE_LAYERS, Site
from wetgeo.soil_groups import group_areas
from wetgeo.structures import nearest_structure_ft
from wetgeo.upland import Upland

LAYER_OF = {kind: layer for layer, kind in RESOURCE_LAYERS.items()}

Progress = Callable[[float, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceWidth:
    """The width decided for one resource, and what was measured for it."""

    decision: WidthDecision
    hsg_share: float | None = None
    facts: Facts


def buffered(site: Site, ruling: Ruling, findings: Findings) -> NDArray[np.bool_]:
    """Choose the resources that get a buffer, shape of ``site.resources``; those that get none are told."""
    frame = site.resources
    kinds = frame["resource_type"].to_numpy()
    classes = [None if pd.isna(name) else str(name) for name in frame["class"]]
    chosen = np.array(
        [has_width(ruling.pack, ruling.options, *pair) for pair in zip(kinds, classes, strict=True)], dtype=bool
    )
    for kind, name in sorted({(kinds[row], classes[row] or "") for row in np.flatnonzero(~chosen)}):
        of_class = f" of class {name}" if name else " of no class" if ruling.pack.classes(kind) else ""
        findings.info(
            "rule-no-buffer",
            f"{ruling.pack.id} asks for no buffer around a {kind}{of_class}; such features still bound the upland",
            layer=LAYER_OF[kind],
        )
    wetlands = chosen & (kinds == "wetland")
    central = ruling.find(law.CentralWetland)
    if central is None or not wetlands.any():
        return chosen
    connected = connected_to_central(
        site,
        wetlands,
        tolerance_ft=ruling.length("connection_tolerance"),
        citation=central.citation,
        findings=findings,
    )
    return np.asarray(chosen & (~wetlands | connected))


def required_widths(
    site: Site,
    ruling: Ruling,
    upland: Upland,
    findings: Findings,
    *,
    progress: Progress,
    chosen: NDArray[np.bool_] | None = None,
) -> list[ResourceWidth | None]:
    """Decide the required width of each resource.

    Parameters
    ----------
    site, upland
        The site and its upland, which knows the tract and the subject edges.
    ruling
        The rule as it applies.
    findings
        Takes note of what could not be known.
    progress
        Told how far the work has come.
    chosen
        The resources to decide, shape of ``site.resources``; left out, all that get a buffer.

    Returns
    -------
    list
        In the order of ``site.resources``; None for a resource that gets no buffer.

    Raises
    ------
    InputError
        Where the option ``trigger`` asks for a layer that is not given.
    """
    facts = facts_of(site, ruling)
    rows = np.flatnonzero(buffered(site, ruling, findings) if chosen is None else chosen)
    decide = cache(partial(decide_width, ruling.pack, ruling.options))  # many resources have the same facts
    bases = np.array([decide(facts[row]).base_ft for row in rows], dtype=float)
    reduced = rows[[facts[row].new_structure_ft is None for row in rows]] if len(rows) else rows
    shares: dict[int, float | None] = {}
    if len(reduced):
        ground = _Ground(site, ruling, upland, reduced, bases[np.isin(rows, reduced)], findings)
        facts = ground.with_slopes(facts, progress)
        facts, shares = ground.with_soils(facts)
    answer: list[ResourceWidth | None] = [None] * len(facts)
    for row in rows:
        answer[row] = ResourceWidth(decision=decide(facts[row]), hsg_share=shares.get(int(row)), facts=facts[row])
    return answer


def new_structure_distances(site: Site, ruling: Ruling) -> FloatArray | None:
    """Return the distance of each resource to the nearest new structure, feet; None where the rule asks for none.

    Raises
    ------
    InputError
        Where the option ``trigger`` asks for structures that are not given.
    """
    residence = ruling.find(law.NewResidenceWidth)
    if residence is None or ruling.options.get("trigger") != residence.trigger:
        return None
    distances = nearest_structure_ft(site, residence.structures)
    if np.isnan(distances).all():
        raise InputError(
            f'trigger = "{residence.trigger}" needs a feature of kind {residence.structures} in layer structures, '
            "and there is none",
            mend='name the layer in the project file: [layers.structures] path = ..., fields = { kind = "..." }',
            toml=TomlLine("layers.structures", 'fields = { kind = "THE FIELD" }'),
        )
    return distances


def facts_of(site: Site, ruling: Ruling) -> list[Facts]:
    """State what is known of each resource from the layers themselves."""
    distances = new_structure_distances(site, ruling)
    frame = site.resources
    return [
        Facts(
            resource_type=kind,
            class_name=None if pd.isna(name) else name,
            gdnr=bool(gdnr),
            setback_ft=None if np.isnan(setback) else float(setback),
            new_structure_ft=None if distances is None else float(distances[row]),
        )
        for row, (kind, name, gdnr, setback) in enumerate(
            zip(frame["resource_type"], frame["class"], frame["gdnr"], frame["setback_ft"], strict=True)
        )
    ]


class _Ground:
    """U(base width) of the resources whose width slope and soil may cut, and what is measured on it."""

    def __init__(
        self,
        site: Site,
        ruling: Ruling,
        upland: Upland,
        rows: NDArray[np.intp],
        bases: NDArray[np.float64],
        findings: Findings,
    ) -> None:
        self.site, self.ruling, self.rows, self.findings = site, ruling, rows, findings
        self.ids = site.resources["resource_id"].to_numpy()
        reductions = ruling.options.get("reductions", "none")
        self.slope = ruling.find(law.SlopeCut) if reductions in ("both", "slope") else None
        self.soil = ruling.find(law.SoilCut) if reductions in ("both", "soil") else None
        needed = (self.slope and site.dem) or (self.soil and "soils" in site.layers)
        self.ground: GeometryArray = upland.within(rows, bases) if needed else np.zeros(0, dtype=object)

    def with_slopes(self, facts: list[Facts], progress: Progress) -> list[Facts]:
        """Add the average slope, where it can be known."""
        if self.slope is None:
            return facts
        if self.site.dem is None:
            self.findings.warning(
                "dem-missing",
                "no DEM is given, so no width was cut for slope",
                layer="dem",
                citation=self.slope.citation,
            )
            return facts
        facts = list(facts)
        progress(0.4, "slopes")
        measured = zip(*mean_slopes(self.site.dem, self.ground), strict=True)
        for row, ground, (slope, coverage) in zip(self.rows, self.ground, measured, strict=True):
            if not ground.is_empty:
                average = self._average(int(row), float(slope), float(coverage), self.slope)
                facts[row] = dataclasses.replace(facts[row], slope_pct=average)
        return facts

    def _average(self, row: int, slope: float, coverage: float, provision: law.SlopeCut) -> float | None:
        """Average slope in percent; None where the DEM covers too little of the ground."""
        coverage = round(coverage, 9)  # at exactly half, the last digit must not decide
        known = not np.isnan(slope) and coverage * 100 >= provision.coverage_least.value
        if coverage * 100 < provision.coverage_told.value:
            self.findings.warning(
                "dem-coverage",
                f"{coverage:.1%} of the ground within the base width has an elevation ({1 - coverage:.1%} has none); "
                + ("the slope is the average of what is covered" if known else "the slope is unknown and cuts nothing"),
                layer="dem",
                feature_id=self.ids[row],
                citation=provision.citation,
            )
        return round(slope, 2) if known else None

    def with_soils(self, facts: list[Facts]) -> tuple[list[Facts], dict[int, float | None]]:
        """Add the predominant hydrologic soil group, where it can be known, and its share."""
        shares: dict[int, float | None] = {}
        if self.soil is None:
            return facts, shares
        if "soils" not in self.site.layers:
            self.findings.warning(
                "soil-missing",
                "no soils are given, so no width was cut for soil",
                layer="soils",
                citation=self.soil.citation,
            )
            return facts, shares
        facts = list(facts)
        measured = group_areas(
            self.site, self.ground, dual_hsg=str(self.ruling.options["dual_hsg"]), findings=self.findings
        )
        for row, ground, areas in zip(self.rows, self.ground, measured, strict=True):
            group, shares[int(row)] = self._predominant(int(row), ground.area, areas, self.soil)
            facts[row] = dataclasses.replace(facts[row], hsg=group)
        return facts, shares

    def _predominant(
        self, row: int, whole: float, areas: dict[str, float], provision: law.SoilCut
    ) -> tuple[str | None, float | None]:
        if whole <= 0:
            return None, None
        rated = {group: area for group, area in areas.items() if group}
        group, share = predominant_group(rated, whole, provision)
        if group is None:
            self.findings.warning(
                "soil-unrated",
                f"{1 - sum(rated.values()) / whole:.0%} of the ground within the base width has no hydrologic soil "
                "group; the group is unknown and cuts nothing",
                layer="soils",
                feature_id=self.ids[row],
                citation=provision.citation,
            )
        return group, None if share is None else min(share, 1.0)
