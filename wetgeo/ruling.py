"""The rule as it applies to one project: a pack, its options as resolved, and the day."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from wetgeo.findings import Findings
from wetgeo.rules.model import RulePack
from wetgeo.rules.provisions import Provision

P = TypeVar("P", bound=Provision)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A pack with the provisions that apply on the day, its options as resolved, and the application date."""

    pack: RulePack
    options: Mapping[str, Any]
    date: datetime.date

    @classmethod
    def of(cls, pack: RulePack, given: Mapping[str, Any], date: datetime.date, findings: Findings) -> Ruling:
        """Resolve a project's options; tells where the pack was not in force on the day.

        Raises
        ------
        ProjectError
            Where an option is unknown or has a value that it may not have.
        """
        options = pack.resolve_options(given)
        ruling = cls(pack=pack.at(date).under(options), options=options, date=date)
        if pack.status != "in force":
            findings.warning("rule-draft", f"{pack.id} is a {pack.status}: {pack.title}")
        if date < pack.effective:
            findings.warning("rule-date", f"{pack.id} took effect on {pack.effective}, after the application of {date}")
        for name in given:
            findings.info("rule-option", f"option {name} = {ruling.options[name]!r}")
        return ruling

    def find(self, kind: type[P]) -> P | None:
        """Find the pack's provision of a kind that applies on the day."""
        return self.pack.find(kind)

    def length(self, option: str) -> float:
        """Give the value of an option that is a length (feet), an area or another number."""
        value = self.options[option]
        if not isinstance(value, float | int):
            raise TypeError(f"option {option} is no number: {value!r}")
        return float(value)
