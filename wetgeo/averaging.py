"""Buffer averaging: the verdict on a proposed buffer, resource by resource."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import shapely

from wetgeo.averaging_ground import GAP_FT, TOKEN_SQFT, AveragingSite, Proposal, lacking, share_out
from wetgeo.findings import Findings
from wetgeo.kernels.averaging import Narrowest, equivalent_width, narrowest, narrowest_past, polygonal
from wetgeo.kernels.offset import GeometryArray, Shape, subtract
from wetgeo.rules.provisions import Averaging, Shortfall
from wetgeo.rules.width import WidthDecision, decide_width
from wetgeo.ruling import Ruling
from wetgeo.widths import ResourceWidth

Verdict = Literal["compliant", "shortfall", "too_narrow"]

#: widths comply within this, feet; areas within this many square feet or this fraction of what is required
WIDTH_TOLERANCE_FT = GAP_FT
AREA_TOLERANCE_SQFT = 0.5
AREA_TOLERANCE = 1e-6
#: the narrowest place is the stretch where the width is within this of the least, feet
_PLACE_SLACK_FT = 0.01
#: ways across surface are measured from places this far apart, feet
_WAY_SPACING_FT = 1.0
#: uniform buffers wider than this many times the required width are not tried
_MOST_WIDTHS = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a proposal has of one resource's buffer. Lengths in feet, areas in square feet, geometries in CRS units.

    Attributes
    ----------
    row, decision
        The resource, and what was decided for it.
    required
        R, the uniform buffer.
    proposed, credited, over_cap, not_counted
        The proposal's ground at this resource, and its three shares.
    lost, gained
        R outside the proposal, and credited ground outside R.
    lacking
        Ground that is not proposed.
    minimum_ft, place
        The least width, and the point of the resource's edge where it is; None where no ground is lacking: the width
        is then the required one.
    average_ft
        The width of the uniform buffer that has the credited area.
    sqft
        Square units of the CRS in a square foot.
    """

    row: int
    decision: WidthDecision
    required: Shape
    proposed: Shape
    credited: Shape
    over_cap: Shape
    not_counted: Shape
    lost: Shape
    gained: Shape
    lacking: Shape
    minimum_ft: float
    place: Narrowest | None
    average_ft: float
    sqft: float

    @property
    def required_sqft(self) -> float:
        """The area that must be credited."""
        return float(self.required.area / self.sqft)

    @property
    def credited_sqft(self) -> float:
        """The area that is credited."""
        return float(self.credited.area / self.sqft)

    @property
    def verdict(self) -> Verdict:
        """The verdict under the rule as it applies."""
        return self.verdict_for(self.decision.minimum_ft, self.credited_sqft)

    def verdict_for(self, minimum_allowed_ft: float, credited_sqft: float) -> Verdict:
        """Give the verdict for another least width and another credited area."""
        if self.minimum_ft < minimum_allowed_ft - WIDTH_TOLERANCE_FT:
            return "too_narrow"
        return "compliant" if complies_in_area(credited_sqft, self.required_sqft) else "shortfall"


def complies_in_area(credited_sqft: float, required_sqft: float) -> bool:
    """Tell whether a credited area makes up for a required one."""
    return credited_sqft >= required_sqft - max(AREA_TOLERANCE_SQFT, AREA_TOLERANCE * required_sqft)


def judge(averaging: AveragingSite, proposal: Proposal, findings: Findings) -> list[Judgement]:
    """Judge a proposed buffer.

    Parameters
    ----------
    averaging
        What it is judged by.
    proposal
        The proposed buffer.
    findings
        Takes what a reviewer should know of the proposal itself; the verdicts are told by `tell_verdicts`.

    Returns
    -------
    list
        One judgement for each of ``averaging.rows``.
    """
    ground: dict[int, Shape] = {}
    gaps: list[GeometryArray] = []
    for row in averaging.rows.tolist():
        ground[row], thin = lacking(averaging, row, proposal)
        gaps.append(thin)
    closed = proposal.closed(gaps, averaging, findings)
    shares = share_out(averaging, closed, findings)
    judged = [_judgement(averaging, row, closed, shares[row], ground[row]) for row in averaging.rows.tolist()]
    _tell_shared(averaging, judged, findings)
    return judged


def credit(averaging: AveragingSite, row: int, share: Shape, cap_ft: float | None) -> tuple[Shape, Shape, Shape]:
    """Divide a resource's share of a proposal into what is credited, what lies over the cap and what does not count."""
    surface = averaging.uncounted.shapes
    counted = subtract(np.array([share], dtype=object), surface)[0]
    if row in averaging.upland.subject:
        counted = polygonal(shapely.intersection(counted, averaging.upland.subject[row]))
    not_counted = polygonal(shapely.difference(share, counted))
    if cap_ft is None:
        return counted, shapely.Polygon(), not_counted
    capped = averaging.upland.offset(np.array([row]), np.array([cap_ft]))[0]
    within, over = shapely.intersection(counted, capped), shapely.difference(counted, capped)
    return polygonal(within), polygonal(over), not_counted


def _judgement(averaging: AveragingSite, row: int, proposal: Proposal, share: Shape, lack: Shape) -> Judgement:
    decision, required, sqft = averaging.decisions[row], averaging.required[row], averaging.site.sqft
    credited, over_cap, not_counted = credit(averaging, row, share, decision.cap_ft)
    place = least_width(averaging, row, lack)
    return Judgement(
        row=row,
        decision=decision,
        required=required,
        proposed=share,
        credited=credited,
        over_cap=over_cap,
        not_counted=not_counted,
        lost=polygonal(shapely.difference(required, proposal.near(required))),
        gained=polygonal(shapely.difference(credited, required)),
        lacking=lack,
        minimum_ft=decision.average_ft if place is None else place.width / averaging.site.ft,
        place=place,
        average_ft=equivalent_width(
            lambda width: averaging.within(row, width).area,
            credited.area,
            expected=decision.average_ft,
            most=_MOST_WIDTHS * decision.average_ft,
        ),
        sqft=sqft,
    )


def least_width(averaging: AveragingSite, row: int, lack: Shape) -> Narrowest | None:
    """Measure the least width to lacking ground, surface that does not count left out; None where nothing lacks."""
    if lack.is_empty:
        return None
    site, resource = averaging.site, averaging.upland.resources[row]
    straight = narrowest(resource, lack, _PLACE_SLACK_FT * site.ft)
    reach = averaging.decisions[row].average_ft * site.ft
    surface = averaging.passable(shapely.buffer(resource, reach)).crossed
    surface = surface[shapely.dwithin(surface, resource, reach)]
    if not len(surface):
        return straight
    past = narrowest_past(
        resource,
        lack,
        shapely.union_all(surface),
        most=_MOST_WIDTHS * reach,
        spacing=_WAY_SPACING_FT * site.ft,
    )
    return straight if past is None or past.width >= straight.width else past


def _tell_shared(averaging: AveragingSite, judged: list[Judgement], findings: Findings) -> None:
    """Tell of ground that is credited to two resources; a warning where one of them would fall short without it."""
    shapes = np.array([one.credited for one in judged], dtype=object)
    ids = averaging.site.resources["resource_id"].to_numpy()
    first, second = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    for one, other in zip(first[first < second], second[first < second], strict=True):
        shared = polygonal(shapely.intersection(shapes[one], shapes[other]))
        if shared.area <= averaging.site.sqft:
            continue
        findings.info(
            "proposal",
            f"{shared.area / averaging.site.sqft:,.0f} sq ft of the proposal lie within reach of both "
            f"{ids[judged[one].row]} and {ids[judged[other].row]} and were credited to both",
            layer="proposed",
            feature_id=ids[judged[one].row],
        )
        for mine, theirs in ((judged[one], judged[other]), (judged[other], judged[one])):
            # what both must keep is no making up: only ground beyond a resource's own required buffer can be
            extra = shapely.difference(shapely.intersection(shared, theirs.required), mine.required).area / mine.sqft
            left = mine.credited_sqft - extra
            if complies_in_area(mine.credited_sqft, mine.required_sqft) > complies_in_area(left, mine.required_sqft):
                findings.warning(
                    "rule-reading",
                    f"it has its area only by {extra:,.0f} sq ft that {ids[theirs.row]} must keep as its own required "
                    f"buffer: without them {left:,.0f} sq ft are credited, {mine.required_sqft:,.0f} sq ft required, "
                    f"a shortfall of {mine.required_sqft - left:,.0f} sq ft. The rule does not say whether ground "
                    "within reach of two resources makes up for a loss at either",
                    layer="averaging",
                    feature_id=ids[mine.row],
                )


def averaging_citation(ruling: Ruling, decision: WidthDecision) -> str:
    """Cite what decided the terms of averaging for a resource."""
    provision = ruling.find(Averaging)
    if provision is None:
        return decision.citation
    steps = [step.citation for step in decision.steps if step.what in ("minimum", "cap")]
    extra = [provision.area_citation] if provision.area_citation else []
    return "; ".join(dict.fromkeys([provision.citation, *extra, *steps]))


def tell_verdicts(
    averaging: AveragingSite,
    ruling: Ruling,
    widths: list[ResourceWidth | None],
    judged: list[Judgement],
    findings: Findings,
) -> None:
    """Tell why a proposal does not comply, and where another reading of the rule would turn a verdict.

    Parameters
    ----------
    averaging, judged
        What was judged, and how.
    ruling, widths
        The rule as it applies, and the facts by which widths were decided.
    findings
        Takes a warning for each resource that does not comply.
    """
    ids = averaging.site.resources["resource_id"].to_numpy()
    for one in judged:
        tell = partial(findings.warning, layer="averaging", feature_id=ids[one.row])
        citation = averaging_citation(ruling, one.decision)
        if one.proposed.area <= TOKEN_SQFT * one.sqft:
            tell("averaging", "the proposal holds no buffer for it", citation=citation)
        if one.verdict_for(one.decision.minimum_ft, np.inf) == "too_narrow" and one.place is not None:
            tell(
                "averaging",
                f"too narrow: {one.minimum_ft:.2f} ft at ({one.place.x:.2f}, {one.place.y:.2f}), where at least "
                f"{one.decision.minimum_ft:g} ft are allowed",
                citation=citation,
            )
        if not complies_in_area(one.credited_sqft, one.required_sqft):
            stated = ruling.find(Shortfall)
            tell(
                "averaging",
                f"a shortfall of {one.required_sqft - one.credited_sqft:,.0f} sq ft: {one.credited_sqft:,.0f} sq ft "
                f"are credited, {one.required_sqft:,.0f} sq ft required",
                citation=citation if stated is None else f"{citation}; {stated.citation}",
            )
        _tell_left_out(averaging, one, partial(tell, citation=citation))
        if one.row in averaging.past_surface:
            findings.info(
                "averaging",
                f"the required area, {one.required_sqft:,.0f} sq ft, is that of the uniform buffer with the surface in "
                "it that does not count; layer buffers leaves that surface out and holds the ground behind it instead, "
                "and so has another area",
                layer="averaging",
                feature_id=ids[one.row],
                citation=citation,
            )
        _tell_reading(averaging, ruling, widths[one.row], one, tell)


def _tell_left_out(averaging: AveragingSite, one: Judgement, tell: Callable[[str, str], object]) -> None:
    """Tell of ground that provisions add to the buffer and that is not proposed."""
    added = {
        "provisions add to its buffer (layer extensions)": averaging.extended,
        "its buffer as delineated holds behind surface that does not count": averaging.past_surface,
    }
    for what, grounds in added.items():
        missing = shapely.difference(grounds.get(one.row, shapely.Polygon()), one.proposed)
        left_out = subtract(np.array([missing], dtype=object), averaging.uncounted.shapes)[0].area / one.sqft
        if left_out > 1:
            tell(
                "averaging",
                f"{left_out:,.0f} sq ft that {what} are not proposed; averaging compares with the uniform buffer of "
                "the required width and does not ask for them",
            )


def _tell_reading(
    averaging: AveragingSite,
    ruling: Ruling,
    width: ResourceWidth | None,
    one: Judgement,
    tell: Callable[..., None],
) -> None:
    """Try the other values of option averaging_base; one that turns the verdict is told."""
    given = ruling.options.get("averaging_base")
    if given is None or width is None:
        return
    options = next(option.values for option in ruling.pack.options if option.id == "averaging_base")
    for value in options:
        other = decide_width(ruling.pack, _with(ruling.options, averaging_base=value), width.facts)
        if value == given or (other.minimum_ft, other.cap_ft) == (one.decision.minimum_ft, one.decision.cap_ft):
            continue
        credited = credit(averaging, one.row, one.proposed, other.cap_ft)[0].area / one.sqft
        verdict = one.verdict_for(other.minimum_ft, credited)
        if verdict != one.verdict:
            cap = "" if other.cap_ft is None else f", area is credited up to {other.cap_ft:g} ft"
            tell(
                "rule-reading",
                f'another reading of the base width, option averaging_base = "{value}", would turn the verdict from '
                f"{one.verdict} to {verdict}: the least width allowed is then {other.minimum_ft:g} ft instead of "
                f"{one.decision.minimum_ft:g}{cap}, and {credited:,.0f} sq ft are credited",
                citation=averaging_citation(ruling, other),
            )


def _with(options: Mapping[str, str | float | None], **changed: str) -> dict[str, str | float | None]:
    return {**options, **changed}
