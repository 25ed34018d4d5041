"""Decisions other than a width, each pure: facts in, answer and citation out. None stands for *cannot be decided*.

Lengths in feet, areas in square feet.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from wetgeo.rules.model import (
    Access,
    CommunityProtection,
    DeMinimis,
    Floodplain,
    Infiltration,
    ManagementCategory,
    Monuments,
    Replacement,
    RulePack,
    SteepSlope,
    VegetatedDistance,
    normalise,
)
from wetgeo.rules.permits import Criterion
from wetgeo.rules.provisions import zone_codes
from wetgeo.rules.quantities import exact

TrailVerdict = Literal["counts", "does not count", "violation"]

#: keeps a quotient that is a whole number but for rounding from counting as the next one
_FUZZ = 1e-9


def replacement_ratio(
    pack: RulePack, class_name: str | None, cause: str, *, of: str = "wetland"
) -> tuple[float, str] | None:
    """Return how many square feet are owed for one that is lost, and the citation.

    Parameters
    ----------
    pack
        The rule.
    class_name
        The wetland's class in the rule's spelling; not used for upland buffer.
    cause
        fill, drain, excavate or temporary.
    of
        ``wetland``, or ``buffer`` for upland buffer that is lost with it.

    Returns
    -------
    tuple or None
        None where the rule asks no replacement.
    """
    provision = pack.find(Replacement)
    if provision is None or cause not in provision.causes:
        return None
    if of == "buffer":
        if provision.buffer_ratio is None:
            return None
        return provision.buffer_ratio.value, provision.buffer_citation or provision.citation
    for row in provision.rows:
        if not row.classes or class_name in row.classes:
            return row.ratio.value, row.citation or provision.citation
    return None


def de_minimis_limit(
    pack: RulePack, options: Mapping[str, str | float | None], class_name: str | None
) -> tuple[float, str] | None:
    """Return the area of impact, added up over the project, up to which wetland of a class is exempt.

    Returns
    -------
    tuple or None
        Square feet and the citation; None where the rule knows no such exemption.
    """
    provision = pack.find(DeMinimis)
    if provision is None:
        return None
    for row in provision.rows:
        if class_name in row.classes:
            return row.area.value, provision.citation
    given = options.get("de_minimis_sqft")
    cited = next((option.citation for option in pack.options if option.id == "de_minimis_sqft"), provision.citation)
    return (float(given), cited) if given else None


def community_protected(provision: CommunityProtection, rank: str) -> bool | None:
    """Whether a community of a rank may not be disturbed; None where the rank is not known."""
    order = [normalise(name) for name in provision.ranks]
    if normalise(rank) not in order:
        return None
    return order.index(normalise(rank)) <= order.index(normalise(provision.protected))


def flood_zone_counts(provision: Floodplain, code: str) -> bool | None:
    """Whether a flood zone is the 100-year floodplain; None where the code is not known."""
    wanted = normalise(code)
    if wanted in zone_codes(provision.zones):
        return True
    return False if wanted in zone_codes(provision.not_zones) else None


def access_most_ft(provision: Access, lot_width_ft: float | None = None) -> float | None:
    """Return how wide access may be, on a lot of a width where that is known; None where the rule has no figure."""
    most = [width.value for width in (provision.corridor_most, provision.surface_most) if width is not None]
    if provision.lot_share is not None and lot_width_ft is not None:
        most.append(float(exact(provision.lot_share.value) * exact(lot_width_ft) / 100))
    return min(most, default=None)


def trail_verdict(provision: VegetatedDistance, width_ft: float) -> TrailVerdict:
    """Return whether a trail of a width counts as buffer, does not count, or may not lie in it."""
    if width_ft > provision.trail_most.value + _FUZZ:
        return provision.wider_trail
    return "counts" if provision.trail_counts else "does not count"


def steep_gain_ft(provision: SteepSlope) -> float:
    """Return the height above which the gain of one run is steep."""
    return float(exact(provision.over.value) * exact(provision.run.value) / 100)


def infiltration_allowed(provision: Infiltration, distance_ft: float) -> bool:
    """Whether an infiltration feature may lie at a distance from the resource."""
    return distance_ft >= provision.not_within.value - _FUZZ


def monument_gaps(provision: Monuments, stretch_ft: float) -> int:
    """Return into how many even gaps a stretch between two fixed points is divided: the fewest that are allowed."""
    most = provision.interval.value + provision.interval_tolerance.value
    return max(1, math.ceil(stretch_ft / most - _FUZZ))


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryResult:
    """A wetland's category, or None with the ratings that are missing; ``criterion`` says what decided."""

    category: str | None
    criterion: str
    missing: tuple[str, ...]
    unreadable: tuple[str, ...]
    citation: str


def management_category(provision: ManagementCategory, ratings: Mapping[str, object]) -> CategoryResult:
    """Decide a wetland's management category from its ratings.

    A missing rating is never read as low: a category is only passed over where each of its criteria is known to fail.

    Parameters
    ----------
    provision
        The decision table.
    ratings
        Values by rating; None, NaN or empty text where missing. A word that the table does not know counts as missing
        and is told in ``unreadable``.
    """
    known, unreadable = _readable(provision, ratings)
    missing: list[str] = []
    for category in provision.precedence:
        rows = [row for row in provision.criteria if row.category == category]
        met = [row.about for row in rows if _open(row, known) == ()]
        if met and not missing:
            return CategoryResult(
                category=category,
                criterion="; ".join(met),
                missing=(),
                unreadable=unreadable,
                citation=provision.citation,
            )
        missing += [name for row in rows for name in _open(row, known) or ()]
        if met:
            break
    told = ", ".join(dict.fromkeys(missing))
    return CategoryResult(
        category=None,
        criterion=f"cannot be decided without {told}" if told else "no criterion holds",
        missing=tuple(dict.fromkeys(missing)),
        unreadable=unreadable,
        citation=provision.citation,
    )


def _readable(provision: ManagementCategory, ratings: Mapping[str, object]) -> tuple[dict[str, str], tuple[str, ...]]:
    synonyms = {normalise(word): normalise(value) for word, value in provision.synonyms.items()}
    known: dict[str, str] = {}
    unreadable = []
    for name, raw in ratings.items():
        if raw is None or raw != raw or not str(raw).strip():  # noqa: PLR0124 # NaN is not itself
            continue
        words = {normalise(value): value for value in provision.ratings.get(name, ())}
        word = synonyms.get(normalise(raw), normalise(raw))
        if word in words:
            known[name] = words[word]
        elif name in provision.ratings:
            unreadable.append(f"{name} = {raw!r}; allowed: {', '.join(provision.ratings[name])}")
        else:
            unreadable.append(f"{name} is no rating; ratings: {', '.join(provision.ratings)}")
    return known, tuple(unreadable)


def _open(row: Criterion, known: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the ratings on which a criterion still depends: none where it holds, None where it fails."""
    missing = []
    for name, values in row.when.items():
        if name not in known:
            missing.append(name)
        elif known[name] not in values:
            return None
    return tuple(missing)
