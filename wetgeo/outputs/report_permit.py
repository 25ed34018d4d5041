"""What a report says first of work: what it disturbs and what is owed for it, or which provisions it triggers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from wetgeo.outputs.figures import sqft
from wetgeo.outputs.plain import one_line
from wetgeo.outputs.report_words import MOST_WORDS, Item, Tone, Verdict, counts

if TYPE_CHECKING:
    from wetgeo.delineation import Delineation

_KINDS = {"wetland": "wetland", "buffer": "buffer", "natural_community": "natural community"}
_ANSWERS: dict[str, tuple[str, Tone]] = {
    "yes": ("applies", "bad"),
    "undecided": ("undecided", "plain"),
    "no": ("does not apply", "good"),
}


def disturbed(delineation: Delineation) -> Verdict:
    """Say what work disturbs and what is owed for it; conformed layers."""
    impacts = delineation.layers["impacts"]
    findings = delineation.layers["findings"]
    # what may not be disturbed at all
    barred = findings[(findings["severity"] == "error") & (findings["code"] == "impact")]
    owed = float(impacts["replacement_sqft"].sum())
    areas = impacts.groupby("kind", sort=False)["area_sqft"].sum()
    figures = [(f"{_KINDS[kind]} disturbed, sq ft", sqft(areas[kind])) for kind in _KINDS if kind in areas]
    figures += [("replacement owed, sq ft", sqft(owed)), *counts(delineation)]
    tone: Tone = "plain"
    if impacts.empty:
        headline, words, tone = "Nothing is disturbed", "The work stays off all resources and their buffers.", "good"
    elif len(barred):
        headline = "Something is disturbed that may not be"
        words, tone = " ".join(one_line(text) + "." for text in barred["message"].tolist()[:MOST_WORDS]), "bad"
    elif owed > 0:
        headline, words = f"Replacement is owed: {sqft(owed)} sq ft", "The table below tells it by piece and section."
    else:
        headline, words = "No replacement is owed", "What is disturbed stands in the table below."
    items = _pieces(impacts)
    return Verdict(
        headline=headline,
        words=words,
        tone=tone,
        figures=figures,
        items=items[:MOST_WORDS],
        more=max(len(items) - MOST_WORDS, 0),
    )


def _pieces(impacts: pd.DataFrame) -> list[Item]:
    """Sum what is disturbed of each resource by kind and cause, the most replacement first."""
    if impacts.empty:
        return []
    keys = ["resource_id", "kind", "cause"]
    sums = impacts.groupby(keys, sort=True, dropna=False)[["area_sqft", "replacement_sqft"]].sum().reset_index()
    sums = sums.sort_values(["replacement_sqft", "area_sqft"], ascending=False, kind="stable")
    return [
        Item(
            resource_id=one_line(row["resource_id"]),
            verdict=_KINDS[row["kind"]],
            words=f"{sqft(row['area_sqft'])} sq ft, {row['cause']}; replacement {sqft(row['replacement_sqft'])} sq ft",
            tone="bad" if row["replacement_sqft"] > 0 else "plain",
        )
        for row in sums.to_dict("records")
    ]


def screened(delineation: Delineation) -> Verdict:
    """Say which provisions some work triggers; conformed layers."""
    triggers = delineation.layers["triggers"]
    number = triggers["applies"].value_counts()
    applies, open_ = int(number.get("yes", 0)), int(number.get("undecided", 0))
    if triggers.empty:
        headline, words = "Nothing was tested", "The rule has no provisions that work could trigger."
    elif applies:
        headline = f"{applies:,} of {len(triggers):,} provisions {'apply' if applies > 1 else 'applies'}"
        headline += f", {open_:,} {'are' if open_ > 1 else 'is'} undecided" if open_ else ""
        words = "What each asks for, and why it applies or not, stands in the table of provisions."
    elif open_:
        headline = f"No provision is sure to apply, {open_:,} {'are' if open_ > 1 else 'is'} undecided"
        words = "What the layers given cannot decide, and what is to be asked, stands in the table of provisions."
    else:
        headline, words = "No provision applies", "Why not stands in the table of provisions."
    order = {answer: place for place, answer in enumerate(_ANSWERS)}
    fields = ("provision", "applies", "effect", "reason", "citation")
    rows = list(zip(*(triggers[field].tolist() for field in fields), strict=True))
    rows.sort(key=lambda row: order[row[1]])
    items = [
        Item(
            resource_id=one_line(name if pd.isna(citation) else citation),
            verdict=_ANSWERS[answer][0],
            words=": ".join(one_line(one) for one in (effect, reason) if pd.notna(one) and one),
            tone=_ANSWERS[answer][1],
        )
        for name, answer, effect, reason, citation in rows
    ]
    return Verdict(
        headline=headline,
        words=words,
        tone="plain",
        figures=[("provisions that apply", f"{applies:,}"), ("undecided", f"{open_:,}"), *counts(delineation)],
        items=items[:MOST_WORDS],
        more=max(len(items) - MOST_WORDS, 0),
    )
