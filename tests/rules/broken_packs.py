"""A small pack to break, and the packs that come with wetgeo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wetgeo.errors import RulePackError
from wetgeo.rules.load import load_pack
from wetgeo.rules.model import RulePack

SMALL = """\
[pack]
id = "small"
title = "Small"
authority = "Somewhere"
document = "Rule 1"
status = "in force"
effective = 2020-01-01
version = "1"
source = "made for the tests"

[[option]]
id = "trigger"
values = ["crossing", "stormwater"]
meaning = "what calls for the buffer"
citation = "1"

[[provision]]
kind = "class_width"
id = "width"
citation = "2"
text = "Widths by class."
rows = [
  { resource = "wetland", class = "High", aliases = ["H"], base = "60 ft", floor = "50 ft" },
  { resource = "wetland", class = "Low", base = "30 ft" },
]

[[provision]]
kind = "monuments"
id = "monuments"
citation = "3"
text = "Monuments."
interval = "100 ft"
interval_tolerance = "0.01 ft"
lot_lines = true
bends = false
merge = "0.5 ft"
off_edge = "2 ft"
marker = "post"
public_land_marker = "flush"

[[provision]]
kind = "subject_edge"
id = "edge"
citation = "4"
text = "Edges."
whole = ["crossing"]
downgradient = ["stormwater"]
of = "new_impervious"

[[option]]
id = "token_edge_length"
default = "10 ft"
meaning = "what is a token"
citation = "3"
"""


@pytest.fixture
def small() -> str:
    """The text of a small pack that is right."""
    return SMALL


@pytest.fixture
def faults_of(tmp_path: Path) -> Callable[[str], RulePackError]:
    """Load a text as pack ``bad.toml`` and return the error that it must raise."""

    def load(text: str) -> RulePackError:
        (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
        with pytest.raises(RulePackError) as caught:
            load_pack("bad.toml", tmp_path)
        return caught.value

    return load


@pytest.fixture(scope="session")
def mcwd() -> RulePack:
    return load_pack("mcwd-2024")


@pytest.fixture(scope="session")
def rcwd() -> RulePack:
    return load_pack("rcwd-rule-m-2004")


@pytest.fixture(scope="session")
def cmscwd() -> RulePack:
    return load_pack("cmscwd-2009-draft")


@pytest.fixture(scope="session")
def law() -> RulePack:
    return load_pack("mn-buffer-law")
