"""Figures for people: rounded as plans are, and never so that a shortfall looks like what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sheets import judged_site

from wetgeo.outputs.figures import acres, beside, feet, signed, sqft, stated
from wetgeo.outputs.schedules import schedule
from wetgeo.outputs.write import prepare


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (sqft, 34982.709, "34,983"),
        (sqft, -0.4, "0"),
        (acres, 1.7704, "1.77"),
        (feet, 82.513162, "82.5"),
        (feet, -0.04, "0.0"),
        (stated, 38.0, "38"),
        (stated, 18.75, "18.75"),
        (stated, 37.5, "37.5"),
        (stated, 200.0, "200"),
        (stated, -0.0, "0"),
    ],
)
def test_rounded_as_on_plans(write, value: float, text: str) -> None:
    assert write(value) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"), [(0.404936, 1, "+0.4"), (-19.0, 1, "-19.0"), (-0.04, 1, "0.0"), (0.04, 1, "0.0")]
)
def test_differences_have_a_sign_unless_they_are_nothing(value: float, digits: int, text: str) -> None:
    assert signed(value, digits) == text


@given(st.floats(0, 500), st.integers(0, 1000).map(lambda half: half / 2))
def test_a_shortfall_that_counts_is_seen(value: float, limit: float) -> None:
    # 0.05 ft is what the rules' widths are judged to
    if value < limit - 0.05:
        assert float(beside(value, limit)) < limit


def test_a_width_just_below_the_least_allowed_is_told_from_it(tmp_path: Path) -> None:
    found = judged_site(tmp_path)
    found.layers["averaging"]["minimum_ft"] = 24.96
    table = schedule(prepare(found, ()), "averaging")
    assert table is not None
    row = dict(zip((column.field for column in table.columns), table.rows[0], strict=True))
    assert (row["minimum_ft"], row["minimum_allowed_ft"]) == ("24.96", "25")
