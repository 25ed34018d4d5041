"""The pieces of what a report says first: a headline, its figures, and items one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from wetgeo.delineation import Delineation

Tone = Literal["good", "bad", "plain"]

#: so many items are told in words, those that matter most first
MOST_WORDS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One resource's verdict, or one provision's, in words."""

    resource_id: str
    verdict: str
    words: str
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer first: a headline, what it rests on, figures, and items; `more` of them stand in the tables."""

    headline: str
    words: str
    tone: Tone
    figures: list[tuple[str, str]]
    items: list[Item]
    more: int = 0


def counts(delineation: Delineation) -> list[tuple[str, str]]:
    """Count monuments, parcels, and the findings that a reviewer should look at; conformed layers."""
    layers, findings = delineation.layers, delineation.layers["findings"]
    doubts = int((findings["severity"] != "info").sum())
    found = []
    if len(layers.get("monuments", ())):
        found.append(("monuments", f"{len(layers['monuments']):,}"))
    if len(layers.get("parcels", ())):
        found.append(("parcels that hold buffer", f"{len(layers['parcels']):,}"))
    return [*found, ("findings to look at", f"{doubts:,}")]
