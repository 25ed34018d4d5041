"""The options of a pack: readings that a rule leaves open, and what the applicant may choose.

Which options there are is closed, for each must have an effect; which of them a pack offers, and the values by
default, stand in the pack.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from pydantic import model_validator

from wetgeo.errors import ProjectError
from wetgeo.rules.provisions import normalise
from wetgeo.rules.quantities import Entry, Text
from wetgeo.units import SQFT_PER_ACRE, parse_area, parse_length

Unit = Literal["ft", "sq ft", "acre"]

#: the words that a choice may offer, and the unit in which the value of any other option is returned
CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "reductions": ("none", "slope", "soil", "both"),
        "dual_hsg": ("undrained", "drained"),
        "averaging_base": ("reduced", "table"),
        "trigger": ("replacement", "crossing", "stormwater", "new_residence"),
        "provision": ("buffer", "agricultural"),
        "buffer_replacement": ("with_wetland", "all"),
    }
)
UNITS: Mapping[str, Unit] = MappingProxyType(
    {
        "bend_tolerance": "ft",
        "drainageway_acres": "acre",
        "drainageway_width": "ft",
        "de_minimis_sqft": "sq ft",
        "token_edge_length": "ft",
        "course_tolerance": "ft",
        "connection_tolerance": "ft",
    }
)
#: options for which nothing is a value too
ZERO_ALLOWED = frozenset({"de_minimis_sqft", "token_edge_length", "connection_tolerance"})
#: options that may be left without a value, which then means: the provision does not ask
NOT_SET_ALLOWED = frozenset({"trigger", "drainageway_acres"})


def known_words(given: object, allowed: Iterable[str]) -> str:
    """Return the allowed words as a phrase, led by the one that comes closest to what was given."""
    words = tuple(allowed)
    by_norm = {normalise(word): word for word in words}
    close = difflib.get_close_matches(normalise(given), by_norm, n=1, cutoff=0.6)
    hint = f"did you mean {by_norm[close[0]]!r}? " if close else ""
    return f"{hint}allowed: {', '.join(words) if words else 'none'}"


class Option(Entry):
    """One option of a pack: its values (of a choice), its default (none: not set) and what its readings mean."""

    id: Text
    values: tuple[Text, ...] = ()
    default: Text | None = None
    meaning: Text
    citation: Text

    @model_validator(mode="after")
    def _known(self) -> Option:
        if self.id in CHOICES:
            if not self.values:
                raise ValueError(f"a choice lists its values; {known_words('', CHOICES[self.id])}")
            for value in self.values:
                if value not in CHOICES[self.id]:
                    raise ValueError(f"unknown value {value!r}; {known_words(value, CHOICES[self.id])}")
        elif self.id not in UNITS:
            raise ValueError(f"unknown option {self.id!r}; {known_words(self.id, (*CHOICES, *UNITS))}")
        elif self.values:
            raise ValueError("this option is a quantity and has no list of values")
        if self.default is not None:
            self.read(self.default)
        elif self.id not in NOT_SET_ALLOWED:
            raise ValueError(f"its default is missing; allowed: {self.allowed}")
        return self

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.id in CHOICES:
            return ", ".join(f'"{value}"' for value in self.values)
        unit = UNITS[self.id]
        return f'a quantity such as "1 {unit}", or a number in {unit}'

    def read(self, given: object) -> str | float:
        """Return a checked value: the word of a choice, or a number in the option's unit. Raises ValueError."""
        if self.id in CHOICES:
            for value in self.values:
                if isinstance(given, str) and normalise(value) == normalise(given):
                    return value
            raise ValueError(f"{given!r} is no value of it; {known_words(given, self.values)}")
        number = self._number(given)
        if not math.isfinite(number) or number < 0 or (number == 0 and self.id not in ZERO_ALLOWED):
            raise ValueError(f"{given!r} is out of range; allowed: {self.allowed}, above zero")
        return number

    def _number(self, given: object) -> float:
        if isinstance(given, int | float) and not isinstance(given, bool):
            return float(given)
        unit = UNITS[self.id]
        if unit == "ft":
            return parse_length(given).value
        return parse_area(given).value / (SQFT_PER_ACRE if unit == "acre" else 1.0)


def resolve(options: Iterable[Option], given: Mapping[str, object], rule: str) -> Mapping[str, str | float | None]:
    """Check the options of a project against those of a pack and fill in the defaults.

    Raises
    ------
    ProjectError
        With every unknown option and every value that is not allowed.
    """
    offered = {option.id: option for option in options}
    result: dict[str, str | float | None] = {
        name: None if option.default is None else option.read(option.default) for name, option in offered.items()
    }
    faults = []
    for name, value in given.items():
        if name not in offered:
            faults.append(f"options.{name}: rule {rule} has no such option; {known_words(name, offered)}")
            continue
        try:
            result[name] = offered[name].read(value)
        except ValueError as error:
            faults.append(f"options.{name}: {error}")
    if faults:
        raise ProjectError(f"{len(faults)} of the rule's options cannot be used.", faults=faults)
    return MappingProxyType(result)
