"""Figures as plans write them: whole square feet, acres to a hundredth, feet to a tenth.

Layers and JSON keep full figures; what stands on sheets and pages for people is written here only.
"""

from __future__ import annotations

#: a rule's own figures are written as it states them, to so many decimals at most
_STATED = 2


def feet(value: float) -> str:
    """Write a length in feet, to a tenth."""
    return _fixed(value, 1)


def sqft(value: float) -> str:
    """Write an area in square feet, in whole ones."""
    return _fixed(value, 0)


def acres(value: float) -> str:
    """Write an area in acres, to a hundredth."""
    return _fixed(value, 2)


def stated(value: float) -> str:
    """Write feet that a rule states or that follow from what it states: 75, 37.5 or 18.75, never rounded to a tenth."""
    whole, _, rest = _fixed(value, _STATED).partition(".")
    rest = rest.rstrip("0")
    return f"{whole}.{rest}" if rest else whole


def signed(value: float, digits: int) -> str:
    """Write a difference with its sign; what rounds to nothing has none."""
    text = _fixed(value, digits)
    return f"+{text}" if value > 0 and text != _fixed(0.0, digits) else text


def beside(value: float, limit: float) -> str:
    """Write feet that are compared with a limit: to a hundredth where rounding would make the two look equal.

    So a width of 18.96 ft never reads as the 19.0 ft that it falls short of.
    """
    exact = _fixed(value, _STATED)
    return exact if feet(value) == feet(limit) and exact != _fixed(limit, _STATED) else feet(value)


def _fixed(value: float, digits: int) -> str:
    """Write with separators; what rounds to nothing has no sign."""
    return f"{round(float(value), digits) + 0.0:,.{digits}f}"
