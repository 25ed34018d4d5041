"""Design of an averaged buffer: as wide as can be beside what must stay out of it, wider elsewhere to make up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import geopandas as gpd
import numpy as np
import shapely

from wetgeo.averaging import Judgement, credit, judge
from wetgeo.averaging_ground import TOKEN_SQFT, AveragingSite, Proposal
from wetgeo.findings import Findings
from wetgeo.kernels.averaging import least_root, parts_of, polygonal, without_necks
from wetgeo.kernels.offset import CHORD_TOLERANCE_FT, Shape, quarter_segments

#: a designed buffer is nowhere narrower than this beside what stays out of it, feet
NECK_FT = 10.0
#: where the rule has no cap, a designed buffer is at most this many required widths wide
_MOST_WIDTHS = 10.0
#: a design holds this much more than is required, square feet, and at most this much more again
_SPARE_SQFT = 0.1
_WITHIN_SQFT = 0.3
#: widths are told apart down to this, feet
_STEP_FT = 1e-5
#: "near" means within this many required widths of the loss; where that is too little, the next
_NEAR_WIDTHS = (2.0, 4.0, 8.0, 16.0)
#: a design is looked over this often where resources' buffers take from each other
_ROUNDS = 4

#: ground that may be taken in addition where the buffer is as wide as this
Zone = Callable[[float], Shape]


@dataclass(frozen=True, slots=True)
class Preference:
    """Where to give back what is lost: near the loss, on certain ground first, or all along the edge."""

    near: bool = False
    ground: Shape | None = None

    @classmethod
    def of(
        cls, prefer: str | gpd.GeoDataFrame, read: Callable[[str | gpd.GeoDataFrame], gpd.GeoDataFrame]
    ) -> Preference:
        """Understand ``uniform``, ``near``, or a layer, which `read` reads."""
        if isinstance(prefer, str) and prefer in ("uniform", "near"):
            return cls(near=prefer == "near")
        return cls(ground=shapely.union_all(read(prefer).geometry.to_numpy()))


def design_buffer(
    averaging: AveragingSite, barred: gpd.GeoDataFrame, where: Preference, findings: Findings
) -> list[Judgement]:
    """Design an averaged buffer for each resource.

    Parameters
    ----------
    averaging
        The required buffers.
    barred
        ``feature_id`` and polygons that must stay out of the buffer.
    where
        Where to give back what is lost.
    findings
        Says why, where no shape complies.

    Returns
    -------
    list
        The design as `wetgeo.averaging.judge` judges it, in the order of ``averaging.rows``. Where no shape complies,
        it is the best there is: all that can be had of the least width, and of the area.
    """
    ground = shapely.union_all(barred.geometry.to_numpy())
    _tell_idle(averaging, barred, findings)
    spare = dict.fromkeys(averaging.rows.tolist(), _SPARE_SQFT)
    ids = averaging.site.resources["resource_id"].to_numpy()
    for round_ in range(_ROUNDS):
        drawn = _draw(averaging, ground, where, spare)
        frame = gpd.GeoDataFrame(
            {"feature_id": [ids[row] for row in drawn]}, geometry=list(drawn.values()), crs=averaging.site.crs
        )
        told = Findings()
        judged = judge(averaging, Proposal.of(averaging, frame, told), told)
        short = [one for one in judged if one.verdict_for(0.0, one.credited_sqft) == "shortfall"]
        if not short or round_ == _ROUNDS - 1:
            break
        for one in short:
            spare[one.row] += one.required_sqft - one.credited_sqft
    findings.extend(told)
    _tell(averaging, ground, judged, findings)
    return judged


def _draw(averaging: AveragingSite, barred: Shape, where: Preference, spare: dict[int, float]) -> dict[int, Shape]:
    """Draw the buffer of each resource, so that its credited area is the required one and `spare`."""
    plans = {row: _Plan.of(averaging, row, barred) for row in averaging.rows.tolist()}
    drawn = {row: plan.trimmed(plan.whole) for row, plan in plans.items()}
    for row, plan in plans.items():
        others = {other: shape for other, shape in drawn.items() if other != row}
        drawn[row] = plan.widened(drawn[row], others, where, spare[row])
    return drawn


def _own(averaging: AveragingSite, row: int, within: Shape) -> Shape:
    """Choose the ground that `share_out` gives to a resource where the rule has no cap."""
    required = averaging.required
    near = [other for other in required if other != row and shapely.intersects(required[other], within)]
    if not near:
        return within
    rest = polygonal(shapely.difference(within, shapely.union_all([required[other] for other in [row, *near]])))
    return shapely.union(required[row], averaging.nearest_of(rest, np.array([row, *near]))[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """One resource's buffer in the making.

    Attributes
    ----------
    averaging, row
        The resource.
    barred
        What must stay out.
    required
        R.
    whole
        R, and what the buffer as delineated holds behind surface that does not count.
    core
        The ground within the least width that is not barred: no smoothing takes from it.
    most_ft
        The greatest width that helps.
    own
        The ground that is credited to this resource wherever it is buffer.
    """

    averaging: AveragingSite
    row: int
    barred: Shape
    required: Shape
    whole: Shape
    core: Shape
    most_ft: float
    own: Shape

    @classmethod
    def of(cls, averaging: AveragingSite, row: int, barred: Shape) -> _Plan:
        decision = averaging.decisions[row]
        most = _MOST_WIDTHS * decision.average_ft if decision.cap_ft is None else decision.cap_ft
        within = averaging.within(row, most)
        near = polygonal(shapely.intersection(barred, within))
        required = averaging.required[row]
        least = polygonal(shapely.intersection(averaging.within(row, decision.minimum_ft), required))
        past = averaging.past_surface.get(row)
        return cls(
            averaging=averaging,
            row=row,
            barred=near,
            required=required,
            whole=required if past is None else polygonal(shapely.union(required, past)),
            core=polygonal(shapely.difference(least, near)),
            most_ft=most,
            own=within if decision.cap_ft is not None else _own(averaging, row, within),
        )

    @property
    def _resource(self) -> Shape:
        return self.averaging.upland.resources[self.row]

    def trimmed(self, ground: Shape, *, detached: bool = False) -> Shape:
        """Take what is barred out of ground, and with it necks and what is cut off (but where `detached` allows it)."""
        ft = self.averaging.site.ft
        if not shapely.intersects(ground, self.barred):
            return ground
        segments = quarter_segments(NECK_FT / 2, CHORD_TOLERANCE_FT)
        free = without_necks(ground, self.barred, self._resource, NECK_FT * ft / 2, segments)
        parts = parts_of(free)
        if not detached:
            beside = shapely.dwithin(parts, self._resource, 0.01 * ft)
            parts = parts[beside | ~shapely.dwithin(parts, self.barred, NECK_FT * ft)]
        return polygonal(shapely.union_all([*parts, self.core]))

    def widened(self, start: Shape, others: dict[int, Shape], where: Preference, spare: float) -> Shape:
        """Widen a buffer until enough is credited; the widest there is where that is too little.

        Ground that is buffer of `others` anyway makes up for nothing, unless there is too little without it. Where
        nothing is lost, the buffer as delineated stays, if that is enough.
        """
        untouched = not shapely.intersects(self.whole, self.barred)
        if untouched and self._short_by(start, shapely.Polygon()) >= -TOKEN_SQFT:
            return start
        required = [shape for row, shape in self.averaging.required.items() if row != self.row]
        theirs = shapely.union_all([*required, *others.values()])
        theirs = polygonal(shapely.difference(theirs, self.required))
        alone, enough = self._widest(start, where, spare, lambda ground: self._short_by(ground, theirs))
        if enough:
            return alone
        held = shapely.union_all(list(others.values()))
        shared, _ = self._widest(
            start, where, spare, lambda ground: self._short_by(shapely.union(ground, held), shapely.Polygon())
        )
        return shared

    def _short_by(self, ground: Shape, theirs: Shape) -> float:
        """Say how much more than required is credited for ground, `theirs` left out, square feet."""
        averaging, cap = self.averaging, self.averaging.decisions[self.row].cap_ft
        held = polygonal(shapely.difference(shapely.intersection(ground, self.own), theirs))
        return float((credit(averaging, self.row, held, cap)[0].area - self.required.area) / averaging.site.sqft)

    def _widest(
        self, start: Shape, where: Preference, spare: float, excess: Callable[[Shape], float]
    ) -> tuple[Shape, bool]:
        """Widen until `excess` is `spare`; False with the widest there is where it never is."""
        if excess(start) >= -TOKEN_SQFT:
            return start, True
        best = start
        for detached in (False, True):
            for keep, zone in self._zones(start, where):
                trial = partial(self._trial, best, zone, detached=detached)
                widest = trial(self.most_ft)
                if excess(widest) >= spare:
                    return trial(self._least_width(lambda shape: excess(shape) - spare, trial)), True
                best = widest if keep else best
        return best, False

    def _trial(self, base: Shape, zone: Zone, width_ft: float, *, detached: bool) -> Shape:
        return self.trimmed(polygonal(shapely.union(base, zone(width_ft))), detached=detached)

    def _least_width(self, excess: Callable[[Shape], float], trial: Zone) -> float:
        least = self.averaging.decisions[self.row].average_ft
        return least_root(lambda width: excess(trial(width)), least, self.most_ft, within=_WITHIN_SQFT, step=_STEP_FT)

    def _zones(self, start: Shape, where: Preference) -> Iterator[tuple[bool, Zone]]:
        """Give the zones in which to widen, one after the other; True where a zone is kept when it is too little."""

        def within(width_ft: float) -> Shape:
            return self.averaging.within(self.row, width_ft)

        if where.near:
            lost = shapely.difference(self.required, start)
            for widths in _NEAR_WIDTHS:
                yield False, self._strip(shapely.buffer(lost, widths * self._width))
        if where.ground is not None:
            preferred = where.ground
            yield True, lambda width_ft: polygonal(shapely.intersection(within(width_ft), preferred))
        yield True, within

    @property
    def _width(self) -> float:
        return self.averaging.decisions[self.row].average_ft * self.averaging.site.ft

    def _strip(self, near: Shape) -> Zone:
        """Draw U(w) straight out from the part of the edge that lies near."""
        edge = shapely.intersection(self._resource.boundary, near)
        ft = self.averaging.site.ft

        def zone(width_ft: float) -> Shape:
            segments = quarter_segments(width_ft, CHORD_TOLERANCE_FT)
            strip = shapely.buffer(edge, width_ft * ft, cap_style="flat", quad_segs=segments)
            return polygonal(shapely.intersection(strip, self.averaging.within(self.row, width_ft)))

        return zone


def _tell_idle(averaging: AveragingSite, barred: gpd.GeoDataFrame, findings: Findings) -> None:
    """Tell of features that must stay out and touch no required buffer: perhaps they are not where they are meant."""
    required = [*averaging.required.values(), *averaging.past_surface.values()]
    touching, _ = shapely.STRtree(required).query(barred.geometry.to_numpy(), predicate="intersects")
    idle = np.setdiff1d(np.arange(len(barred)), touching)
    if not len(idle) or not required:
        return
    away = shapely.distance(barred.geometry.to_numpy()[idle], shapely.union_all(required)) / averaging.site.ft
    names = barred["feature_id"].astype(str).to_numpy()[idle]
    listed = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    findings.warning(
        "design",
        f"{len(idle)} of the {len(barred)} features that must stay out touch no required buffer and take nothing from "
        f"it (features {listed}); the furthest lies {np.nanmax(away):,.0f} ft from it. Where they should, see that the "
        "coordinate system and the place are right",
        layer="keep_out",
    )


def _tell(averaging: AveragingSite, barred: Shape, judged: list[Judgement], findings: Findings) -> None:
    """Say of each resource without a compliant shape what the best one lacks, and why."""
    ids = averaging.site.resources["resource_id"].to_numpy()
    for one in judged:
        if one.verdict == "compliant":
            continue
        decision, lacks = one.decision, []
        if one.verdict == "too_narrow":
            away = shapely.distance(barred, averaging.upland.resources[one.row]) / averaging.site.ft
            lacks.append(
                f"{decision.minimum_ft - one.minimum_ft:.2f} ft of width: what must stay out of it comes within "
                f"{away:.2f} ft of the resource, and at least {decision.minimum_ft:g} ft are asked"
            )
        if one.credited_sqft < one.required_sqft - 1:
            bound = "ten required widths" if decision.cap_ft is None else f"the cap of {decision.cap_ft:g} ft"
            lacks.append(
                f"{one.required_sqft - one.credited_sqft:,.0f} sq ft of area: no more ground is to be had within "
                f"{bound}, the tract and what may lie in the buffer"
            )
        findings.warning(
            "design",
            "no shape complies; the best there is lacks " + ", and ".join(lacks),
            layer="averaging",
            feature_id=ids[one.row],
        )
