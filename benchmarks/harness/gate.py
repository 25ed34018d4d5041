"""The gate: answers must be equal before times are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

#: what one program answers, by quantity: a number, or numbers by the id of the feature they are of
Answer = Mapping[str, "float | pd.Series"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """How one quantity is compared with the reference's.

    Attributes
    ----------
    quantity
        Its name in the answers.
    allowed
        Greatest difference: of the reference's number (``relative``), or as it is (``absolute``); of numbers by id, the
        greatest of all ids. An id that only one of them has is an infinite difference.
    relative
        See `allowed`.
    """

    quantity: str
    allowed: float
    relative: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A difference that is known, with its bound and the reason for it."""

    quantity: str
    allowed: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The comparison of one quantity: ``equal``, ``stated`` (differs as stated) or ``unequal``."""

    quantity: str
    difference: float
    allowed: float
    verdict: str
    reason: str = ""


def compare(reference: Answer, other: Answer, checks: Sequence[Check], stated: Sequence[Stated] = ()) -> list[Verdict]:
    """Compare one program's answer with the reference's, check by check."""
    known = {s.quantity: s for s in stated}
    verdicts = []
    for check in checks:
        apart = difference(reference[check.quantity], other.get(check.quantity), relative=check.relative)
        known_one = known.get(check.quantity)
        if apart <= check.allowed:
            verdicts.append(Verdict(quantity=check.quantity, difference=apart, allowed=check.allowed, verdict="equal"))
        elif known_one is not None and apart <= known_one.allowed:
            verdicts.append(
                Verdict(
                    quantity=check.quantity,
                    difference=apart,
                    allowed=known_one.allowed,
                    verdict="stated",
                    reason=known_one.reason,
                )
            )
        else:
            allowed = check.allowed if known_one is None else known_one.allowed
            verdicts.append(Verdict(quantity=check.quantity, difference=apart, allowed=allowed, verdict="unequal"))
    return verdicts


def difference(one: float | pd.Series, other: float | pd.Series | None, *, relative: bool) -> float:
    """Return the greatest difference of two quantities; infinite where one of them, or one of its ids, is missing."""
    if isinstance(one, pd.Series) and isinstance(other, pd.Series):
        return _greatest(one, other, relative=relative)
    if isinstance(one, pd.Series) or isinstance(other, pd.Series) or other is None:
        return float("inf")
    apart = abs(one - other)
    return apart / abs(one) if relative and one else apart


def _greatest(one: pd.Series, other: pd.Series, *, relative: bool) -> float:
    """Return the greatest difference of numbers by id."""
    if len(one) != len(other) or set(one.index) != set(other.index):
        return float("inf")
    other = other.reindex(one.index)
    if not one.isna().equals(other.isna()):
        return float("inf")
    gaps = (one - other).abs()
    if relative:
        gaps = gaps / one.abs().where(one != 0, 1.0)
    return float(gaps.max(skipna=True)) if gaps.notna().any() else 0.0


def passed(verdicts: Sequence[Verdict]) -> bool:
    """Tell whether times may be compared: all equal, or different as stated."""
    return all(verdict.verdict != "unequal" for verdict in verdicts)
