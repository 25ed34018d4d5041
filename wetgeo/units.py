"""Units: the only place with conversion factors.

A foot in a rule is the international foot, 0.3048 m exactly. The CRS's own unit decides coordinates.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: metres in an international foot, and in a US survey foot (NIST Handbook 44, appendix C)
FOOT_M = 0.3048
US_SURVEY_FOOT_M = 1200 / 3937
SQFT_PER_ACRE = 43560.0

#: vertical units that a project file may state, in metres
Z_UNITS_M = {"m": 1.0, "ft": FOOT_M, "us-ft": US_SURVEY_FOOT_M, "cm": 0.01}

_LENGTH_FT = {"ft": 1.0, "feet": 1.0, "m": 1 / FOOT_M, "rod": 16.5, "yd": 3.0, "mi": 5280.0}
_AREA_SQFT = {"sq ft": 1.0, "acre": SQFT_PER_ACRE, "acres": SQFT_PER_ACRE, "m2": 1 / FOOT_M**2}
#: nine digits and six decimals are more than any rule writes, and keep every sum finite
_QUANTITY = re.compile(r"\s*(\d{1,9}(?:\.\d{1,6})?)\s*([A-Za-z%][A-Za-z0-9 ]*?)\s*")


#: areas from here on are written in whole square feet, smaller ones to a tenth
_WHOLE_SQFT = 10.0


def area_text(sqft: float) -> str:
    """Write an area in square feet for people, as plans do; the figures of layers are never rounded."""
    return f"{sqft:,.0f} sq ft" if sqft >= _WHOLE_SQFT or sqft == 0 else f"{sqft:,.1f} sq ft"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with the unit in which it was written; ``text`` is as written, ``value`` in feet, sq ft or percent."""

    value: float
    text: str

    def __str__(self) -> str:
        return self.text


def _parse(text: object, units: dict[str, float], kind: str) -> Quantity:
    match = _QUANTITY.fullmatch(text) if isinstance(text, str) else None
    if match is None or match[2] not in units:
        words = ", ".join(f'"1 {unit}"' for unit in units)
        raise ValueError(f"{text!r} is no {kind}: write a number and its unit as text, such as {words}")
    return Quantity(float(match[1]) * units[match[2]], " ".join(str(text).split()))


def parse_length(text: object) -> Quantity:
    """Read a length such as ``"75 ft"``; ``value`` is in international feet. Raises ValueError."""
    return _parse(text, _LENGTH_FT, "length")


def parse_area(text: object) -> Quantity:
    """Read an area such as ``"20 sq ft"`` or ``"1 acre"``; ``value`` is in square feet. Raises ValueError."""
    return _parse(text, _AREA_SQFT, "area")


def parse_percent(text: object) -> Quantity:
    """Read a percentage such as ``"50 %"``; ``value`` is in percent. Raises ValueError."""
    return _parse(text, {"%": 1.0}, "percentage")
