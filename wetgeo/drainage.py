"""Drainageways that are traced from the ground, on request, around one resource at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from scipy.ndimage import binary_dilation

from wetgeo.findings import Findings
from wetgeo.footprints import Extension
from wetgeo.kernels.drainage import drainage_lines
from wetgeo.kernels.grid import ElevationSource, Grid
from wetgeo.kernels.offset import Shape
from wetgeo.rules.provisions import Drainageway
from wetgeo.ruling import Ruling
from wetgeo.site import Site
from wetgeo.units import SQFT_PER_ACRE

#: ground is read this many times the root of the contributing area around a zone at first, and this many cells at most
_MARGIN = 4.0
_MOST_CELLS = 9_000_000
#: lines that leave the zone by less than this many cells end inside it
_LEAVES_CELLS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Traced:
    """Lines found, whether any leaves the elevations that were read, and whether any ends beside a void."""

    lines: list[shapely.LineString]
    cut: bool
    voids: bool


def _any_ends_in_void(grid: Grid, lines: list[shapely.LineString]) -> bool:
    beside = binary_dilation(np.isnan(grid.z), np.ones((3, 3), dtype=bool))
    if not lines or not beside.any():
        return False
    ends = np.array([line.coords[-1] for line in lines])
    row, column = (grid.top - ends[:, 1]) / grid.dy, (ends[:, 0] - grid.left) / grid.dx
    return bool(beside[np.floor(row).astype(int), np.floor(column).astype(int)].any())


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedDrainageways:
    """Drainageways where enough ground drains to a point, at the width that the options give."""

    site: Site
    dem: ElevationSource
    provision: Drainageway
    acres: float
    width_ft: float
    findings: Findings

    @classmethod
    def of(cls, site: Site, ruling: Ruling, findings: Findings) -> TracedDrainageways | None:
        """Prepare the tracing; None where it was not asked for, or no DEM is given, which is told."""
        provision, acres = ruling.find(Drainageway), ruling.options.get("drainageway_acres")
        if provision is None or acres is None:
            return None
        if site.dem is None:
            findings.warning(
                "dem-missing",
                "option drainageway_acres asks for drainageways from the ground, and no DEM is given",
                layer="dem",
                citation=provision.citation,
            )
            return None
        return cls(
            site=site,
            dem=site.dem,
            provision=provision,
            acres=float(acres),
            width_ft=ruling.length("drainageway_width"),
            findings=findings,
        )

    def extend(self, row: int, zone: str | None, footprint: Shape) -> list[Extension]:
        """Trace the drainageways that cross a footprint and go on outside it."""
        traced = self._trace(footprint)
        self._tell(row, traced)
        if traced is None or not traced.lines:
            return []
        width = self.width_ft * self.site.ft
        strips = shapely.buffer(np.array(traced.lines, dtype=object), width / 2, cap_style="flat", join_style="mitre")
        return [
            Extension(
                row=row,
                zone=zone,
                kind="drainageway",
                ground=strip,
                plain=footprint,
                citation=self.provision.citation,
                reason=f"a drainageway traced from the DEM (at least {self.acres:g} acres drain to it), drawn "
                f"{self.width_ft:g} ft wide, goes on beyond the {zone + ' zone' if zone else 'buffer'}",
            )
            for strip in strips
        ]

    def _tell(self, row: int, traced: _Traced | None) -> None:
        told = [
            (
                traced is None,
                "dem-coverage",
                "lies where the DEM has no elevations; no drainageway could be traced",
            ),
            (
                traced is not None and traced.cut,
                "extension-cut-short",
                "a traced drainageway reaches the edge of the ground read; it may go on, and more may drain to it",
            ),
            (
                traced is not None and traced.voids,
                "flow-void",
                "a traced drainageway ends in a void of the DEM",
            ),
        ]
        for applies, code, message in told:
            if applies:
                self.findings.warning(
                    code,
                    message,
                    layer="dem",
                    feature_id=self.site.resources["resource_id"].iloc[row],
                    citation=self.provision.citation,
                )

    def _trace(self, footprint: Shape) -> _Traced | None:
        """Trace the lines that cross the outline of a footprint; None where there are no elevations."""
        area = self.acres * SQFT_PER_ACRE * self.site.sqft
        margin = _MARGIN * np.sqrt(area)
        before = -1.0
        while True:
            window = np.array(footprint.bounds) + margin * np.array([-1.0, -1.0, 1.0, 1.0])
            grid = self.dem.window((window[0], window[1], window[2], window[3]))
            if grid is None or np.isnan(grid.z).all():
                return None
            found = [line for line in drainage_lines(grid, area) if self._crosses(line, footprint)]
            length = float(sum(line.length for line in found))
            # more ground may make more lines; once it no longer does, all is seen
            if abs(length - before) <= self.dem.cell or grid.touches or 4 * grid.z.size > _MOST_CELLS:
                inner = shapely.box(*(np.array(grid.bounds) + 2 * self.dem.cell * np.array([1.0, 1.0, -1.0, -1.0])))
                cut = any(not inner.contains(line) for line in found)
                return _Traced(lines=found, cut=cut, voids=_any_ends_in_void(grid, found))
            before, margin = length, 2 * margin

    def _crosses(self, line: shapely.LineString, footprint: Shape) -> bool:
        if not line.intersects(footprint):
            return False
        return bool(shapely.difference(line, footprint).length > _LEAVES_CELLS * self.dem.cell)
