"""What a report says first: what is required, or whether a proposal complies and by what margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from wetgeo.outputs.figures import acres, beside, feet, signed, sqft, stated
from wetgeo.outputs.plain import one_line
from wetgeo.outputs.report_permit import disturbed, screened
from wetgeo.outputs.report_words import MOST_WORDS, Item, Verdict, counts
from wetgeo.units import SQFT_PER_ACRE

if TYPE_CHECKING:
    from wetgeo.delineation import Delineation

_ORDER = {"too_narrow": 0, "shortfall": 1, "compliant": 2}
_NAMES = {"too_narrow": "too narrow", "shortfall": "shortfall", "compliant": "complies"}


def verdict(delineation: Delineation) -> Verdict:
    """Say what a delineation comes to; conformed layers."""
    told = {"check": _judged, "design": _judged, "impacts": disturbed, "screen": screened}
    return told.get(delineation.command, _required)(delineation)


def _required(delineation: Delineation) -> Verdict:
    layers = delineation.layers
    buffers, resources = layers["buffers"], layers["resources"]
    if buffers.empty:
        words = "The findings say why each of the resources has none."
        return Verdict(headline="No buffer is required here", words=words, tone="plain", figures=[], items=[])
    widths = buffers["width_ft"].dropna()
    spread = _spread(float(widths.min()), float(widths.max())) if len(widths) else "of various widths"
    area = float(layers["buffer_union"]["area_sqft"].sum())
    figures = [
        ("resources with a buffer", f"{len(buffers):,} of {len(resources):,}"),
        ("acres of buffer", acres(area / SQFT_PER_ACRE)),
        ("square feet", sqft(area)),
    ]
    figures += counts(delineation)
    plural = "Buffers are" if len(buffers) > 1 else "A buffer is"
    return Verdict(
        headline=f"{plural} required, {spread} wide",
        words="What each resource asks for, and by which section, stands in the table of required buffers.",
        tone="plain",
        figures=figures,
        items=_asked(buffers)[:MOST_WORDS],
        more=max(len(buffers) - MOST_WORDS, 0),
    )


def _asked(buffers: pd.DataFrame) -> list[Item]:
    """Say what each resource asks for, the widest first."""
    fields = ("resource_id", "resource_type", "class", "width_ft", "area_sqft", "citation")
    rows = list(zip(*(buffers[field].tolist() for field in fields), strict=True))
    rows.sort(key=lambda row: -row[3] if pd.notna(row[3]) else 0.0)
    return [
        Item(
            resource_id=one_line(name),
            verdict="width unknown" if pd.isna(width) else f"{stated(width)} ft",
            words="; ".join(
                [
                    f"{kind}{'' if pd.isna(cls) else ', ' + one_line(cls)}",
                    f"{sqft(area)} sq ft",
                    *([] if pd.isna(citation) else [f"section {one_line(citation).split(';')[0]}"]),
                ]
            ),
            tone="plain",
        )
        for name, kind, cls, width, area, citation in rows
    ]


def _judged(delineation: Delineation) -> Verdict:
    layers = delineation.layers
    averaging, violations = layers["averaging"], layers["violations"]
    bad = averaging[averaging["verdict"] != "compliant"]
    complies = delineation.complies
    what = "The designed buffer" if delineation.command == "design" else "The proposed buffer"
    headline = f"{what} complies" if complies else f"{what} does not comply"
    if complies is None:
        headline = "Nothing was judged"
        words = "No resource here has a required buffer on the tract, so nothing can be said to comply."
    elif complies:
        words = f"{_all(len(averaging))} the area and the least width that the rule asks for."
    else:
        words = f"{len(bad):,} of {len(averaging):,} resources fall{'s' if len(bad) == 1 else ''} short"
        words += f"; {len(violations):,} violation{'s' if len(violations) > 1 else ''}." if len(violations) else "."
    figures = [
        ("required, sq ft", sqft(averaging["required_sqft"].sum())),
        ("credited, sq ft", sqft(averaging["credited_sqft"].sum())),
        *_least(averaging),
    ]
    items = _items(averaging)
    return Verdict(
        headline=headline,
        words=words,
        tone="good" if complies else "bad",
        figures=[*figures, *counts(delineation)],
        items=items[:MOST_WORDS],
        more=max(len(items) - MOST_WORDS, 0),
    )


def _all(number: int) -> str:
    return "Its one resource keeps" if number == 1 else f"All {number:,} resources keep"


def _least(averaging: pd.DataFrame) -> list[tuple[str, str]]:
    """Name the least margin of all, and where it is."""
    known = averaging.dropna(subset="margin_ft").sort_values("margin_ft", kind="stable")
    if known.empty:
        return []
    name, margin = known["resource_id"].iloc[0], known["margin_ft"].iloc[0]
    return [(f"least margin, ft, at {one_line(name)}", signed(margin, 1))]


def _items(averaging: pd.DataFrame) -> list[Item]:
    fields = ("resource_id", "verdict", "margin_ft", "minimum_ft", "minimum_allowed_ft", "net_sqft")
    rows = list(zip(*(averaging[field].tolist() for field in fields), strict=True))
    rows.sort(key=lambda row: (_ORDER.get(row[1], 0), row[2]))
    return [
        Item(
            resource_id=one_line(name),
            verdict=_NAMES.get(found, one_line(found)),
            words=f"{_width(margin, least, allowed)}; {_area(net)}",
            tone="good" if found == "compliant" else "bad",
        )
        for name, found, margin, least, allowed, net in rows
    ]


def _width(margin: float, least: float, allowed: float) -> str:
    if pd.isna(margin):
        return "its least width is not known"
    way = "more" if margin >= 0 else "less"
    words = f"least width {beside(least, allowed)} ft"
    if feet(margin) == "0.0":
        return f"{words}, {stated(allowed)} ft allowed"
    return f"{words}, {feet(abs(margin))} ft {way} than the {stated(allowed)} ft allowed"


def _area(net: float) -> str:
    if pd.isna(net):
        return "its area is not known"
    if abs(net) < 0.5:
        return "as much area as required"
    way = "more" if net >= 0 else "less"
    return f"{sqft(abs(net))} sq ft {way} than required"


def _spread(low: float, high: float) -> str:
    low_text, high_text = (stated(one) for one in (low, high))
    return f"{low_text} ft" if low_text == high_text else f"{low_text} to {high_text} ft"
