"""Small sites with proposed buffers, in feet: the judgement of a proposal by its geometry alone."""

from __future__ import annotations

from functools import partial

import geopandas as gpd
import numpy as np
import pyproj
import shapely
from sites import make_ruling, make_site

from wetgeo.averaging import judge, tell_verdicts
from wetgeo.averaging_ground import AveragingSite, Proposal
from wetgeo.averaging_layers import averaging_layers
from wetgeo.design import Preference, design_buffer
from wetgeo.extensions import extender
from wetgeo.findings import Findings
from wetgeo.footprints import lay_footprints
from wetgeo.structures import existing_structure_limits
from wetgeo.upland import Upland
from wetgeo.vegetated import UncountedSurface, widen_past
from wetgeo.widths import required_widths

#: NAD83 / Arizona Central, whose unit is the international foot: coordinates are feet
FOOT = pyproj.CRS("EPSG:2223")

RULE_M = "rcwd-rule-m-2004"
MCWD = "mcwd-2024"
CMSCWD = "cmscwd-2009-draft"


class Averaged:
    """A site laid out for averaging under a rule."""

    def __init__(self, resources, rule=RULE_M, layers=None, subject=None, crs=FOOT, **options):
        resources = [row if isinstance(row, dict) else {"geometry": row} for row in resources]
        if rule == RULE_M:
            resources = [{"central": True, **row} for row in resources]
        self.site = make_site(resources, layers, crs=crs)
        self.ruling = make_ruling(rule, **options)
        self.findings = Findings()
        self.upland = Upland.of(self.site, subject)
        self.widths = required_widths(self.site, self.ruling, self.upland, self.findings, progress=lambda *_: None)
        uncounted = UncountedSurface.of(self.site, self.ruling, self.findings)
        footprints = lay_footprints(
            self.upland,
            [None if width is None else width.decision for width in self.widths],
            extend=extender(self.site, self.ruling, self.findings),
            widen=partial(widen_past, self.site, self.upland, uncounted, self.findings),
        )
        limits = existing_structure_limits(self.site, self.ruling, footprints.rows, self.findings)
        self.averaging = AveragingSite.of(self.site, self.upland, self.widths, footprints, limits, uncounted)

    def uniform(self, width_ft=None, row=0):
        """U(w), or R."""
        return self.averaging.required[row] if width_ft is None else self.averaging.within(row, width_ft)

    def frame(self, shapes):
        shapes = list(np.atleast_1d(shapes))
        names = [str(number) for number in range(1, len(shapes) + 1)]
        return gpd.GeoDataFrame({"feature_id": names}, geometry=shapes, crs=self.site.crs)

    def judge(self, *shapes):
        """The judgements of a proposal."""
        proposal = Proposal.of(self.averaging, self.frame(shapes), self.findings)
        judged = judge(self.averaging, proposal, self.findings)
        tell_verdicts(self.averaging, self.ruling, self.widths, judged, self.findings)
        return judged

    def layers(self, *shapes):
        """The layers of a proposal, conformed."""
        return self.laid(self.judge(*shapes))

    def laid(self, judged):
        from wetgeo.frames import conform

        found = averaging_layers(self.averaging, self.ruling, judged, self.findings)
        return {name: conform(name, frame, self.site.crs) for name, frame in found.items()}

    def design(self, *barred, near=False, ground=None):
        """The judgements of a design."""
        return design_buffer(self.averaging, self.frame(barred), Preference(near=near, ground=ground), self.findings)

    def told(self, code):
        return [finding.message for finding in self.findings if finding.code == code]


def box(x0, y0, x1, y1):
    return shapely.box(x0, y0, x1, y1)


SQUARE = box(0, 0, 200, 200)


def straight(length=1000.0, depth=400.0, **options):
    """A wetland whose edge within the tract is one straight line, y = 0, with upland above."""
    tract = {"tract": [{"geometry": box(0, -50, length, depth)}]}
    layers = {**tract, **options.pop("layers", {})}
    return Averaged([box(-100, -100, length + 100, 0)], layers=layers, **options)


def drawn(shape, width):
    return shapely.buffer(shape, width, quad_segs=256)


def stepped(*steps, length=1000.0):
    """A proposal along a straight edge: (from, to, width); 50 ft elsewhere."""
    plain = box(0, 0, length, 50)
    for start, end, width in steps:
        plain = plain - box(start, 0, end, 500) | box(start, 0, end, width)
    return plain


def capped(wetland):
    return Averaged([{"geometry": wetland, "class": "Manage 1"}], MCWD, reductions="none")
