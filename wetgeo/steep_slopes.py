"""Steep slopes: the ground up to the top of a slope that a zone holds part of."""

from __future__ import annotations

from dataclasses import dataclass

import shapely

from wetgeo.findings import Findings
from wetgeo.footprints import Extension
from wetgeo.kernels.coverage import known_share
from wetgeo.kernels.grid import ElevationSource
from wetgeo.kernels.offset import Shape
from wetgeo.kernels.steep import SteepGround, steep_around
from wetgeo.rules.provisions import SteepSlope
from wetgeo.ruling import Ruling
from wetgeo.site import Site

#: a smaller share of a zone without elevations, such as a cell at its corner, is not told
_TOLD = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class SteepSlopes:
    """What the rule calls steep, and the ground to look for it."""

    site: Site
    dem: ElevationSource
    tract: Shape | None
    provision: SteepSlope
    findings: Findings

    @classmethod
    def of(cls, site: Site, ruling: Ruling, findings: Findings) -> SteepSlopes | None:
        """Prepare the search; None where the rule has no such provision, or no DEM is given, which is told."""
        provision = ruling.find(SteepSlope)
        if provision is None:
            return None
        if site.dem is None:
            findings.warning(
                "dem-missing",
                "no DEM is given, so steep slopes were not looked for",
                layer="dem",
                citation=provision.citation,
            )
            return None
        tract = site.layers.get("tract")
        whole = None if tract is None or tract.empty else shapely.union_all(tract.geometry.to_numpy())
        return cls(site=site, dem=site.dem, tract=whole, provision=provision, findings=findings)

    def extend(self, row: int, zone: str | None, footprint: Shape) -> list[Extension]:
        """Find the steep ground that drains through a zone to its resource.

        Parameters
        ----------
        row
            The resource.
        zone, footprint
            The zone's name, and the footprint up to its upland edge.
        """
        resource = self.site.resources.geometry.iloc[row]
        run = self.provision.run.value * self.site.ft
        slope = self.provision.over.value / 100
        ground = shapely.difference(footprint, resource)
        found = steep_around(self.dem, ground, resource, run=run, gain=slope * run, slope=slope)
        self._tell(row, zone, found, self._unknown(ground))
        if found.ground.is_empty:
            return []
        return [
            Extension(
                row=row,
                zone=zone,
                kind="steep_slope",
                ground=found.ground,
                plain=footprint,
                citation=self.provision.citation,
                reason=f"the {zone + ' zone' if zone else 'buffer'} holds part of a steep slope (average over "
                f"{self.provision.over} over {self.provision.run}), whose top lies beyond it",
            )
        ]

    def _unknown(self, ground: Shape) -> float:
        """Measure the share of a zone, within the tract where there is one, that has no elevation."""
        if self.tract is not None:
            ground = shapely.intersection(ground, self.tract)
        if ground.is_empty:
            return 0.0
        left, bottom, right, top = shapely.bounds(ground)
        return 1 - known_share(self.dem.window((left, bottom, right, top)), ground)

    def _tell(self, row: int, zone: str | None, found: SteepGround, unknown: float) -> None:
        name = self.site.resources["resource_id"].iloc[row]
        ground = f"{zone} zone" if zone else "buffer"
        told: list[tuple[bool, str, str]] = [
            (
                found.cut_short,
                "extension-cut-short",
                "steep land reaches the edge of the DEM; the extension may be cut short",
            ),
            (
                found.voids,
                "flow-void",
                "water from steep land beside it ends in a void of the DEM; that land was not added",
            ),
            (
                unknown > _TOLD,
                "dem-coverage",
                f"{unknown:.1%} of its {ground} has no elevation; steep slopes there are not known",
            ),
        ]
        for applies, code, message in told:
            if applies:
                self.findings.warning(code, message, layer="dem", feature_id=name, citation=self.provision.citation)
