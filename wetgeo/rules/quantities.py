"""Values of a pack that carry a unit: lengths, areas, percentages, ratios and counts, each written as text.

A bare number is refused, so that a reader of a pack never has to guess a unit.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, PlainSerializer, PlainValidator, StringConstraints

from wetgeo.units import Quantity, parse_area, parse_length, parse_percent

_RATIO = re.compile(r"\s*(\d+(?:\.\d+)?)\s*:\s*1\s*")
_COUNT = re.compile(r"\s*(\d+)\s+(lots?|structures?)\s*")


def _refuse_bare(value: object, sample: str) -> None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise ValueError(f"{value} is a bare number: write it as text with its unit, {sample.format(value)}")  # noqa: TRY004 # pydantic gathers ValueErrors


def _reader(parse: Callable[[object], Quantity], sample: str) -> PlainValidator:
    """Read a quantity; a bare number is refused with a sample of how to write it."""

    def read(value: object) -> Quantity:
        _refuse_bare(value, sample)
        return parse(value)

    return PlainValidator(read)


def parse_ratio(text: object) -> Quantity:
    """Read a ratio such as ``"2:1"``; ``value`` is its first number. Raises ValueError."""
    match = _RATIO.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f'{text!r} is no ratio: write it as text, such as "2:1"')
    return Quantity(float(match[1]), " ".join(str(text).split()))


def _parse_count(text: object) -> Quantity:
    match = _COUNT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f'{text!r} is no count: write it as text, such as "4 lots"')
    return Quantity(float(match[1]), " ".join(str(text).split()))


def parse_measure(text: object) -> Quantity:
    """Read an area, a percentage or a count (``"4 lots"``, ``"1 structure"``). Raises ValueError."""
    for parse in (parse_area, parse_percent, _parse_count):
        with contextlib.suppress(ValueError):
            return parse(text)
    raise ValueError(
        f'{text!r} is no threshold: write a number and its unit as text, such as "1 acre", "5 %", "4 lots"'
    )


def exact(value: float) -> Decimal:
    """Return a number as the decimal that its shortest text says, so that 0.1 is a tenth."""
    return Decimal(repr(float(value)))


_AS_WRITTEN = PlainSerializer(str, return_type=str)

Length = Annotated[Quantity, _reader(parse_length, 'e.g. "{} ft"'), _AS_WRITTEN]
Area = Annotated[Quantity, _reader(parse_area, 'e.g. "{} sq ft"'), _AS_WRITTEN]
Percent = Annotated[Quantity, _reader(parse_percent, 'e.g. "{} %"'), _AS_WRITTEN]
Ratio = Annotated[Quantity, _reader(parse_ratio, 'e.g. "{}:1"'), _AS_WRITTEN]
Measure = Annotated[Quantity, _reader(parse_measure, 'e.g. "{0} sq ft", "{0} %" or "{0} lots"'), _AS_WRITTEN]

#: text that says something
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, strict=True)]


class Entry(BaseModel):
    """One table of a pack: frozen, and with no key that is not listed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
