"""Whatever stands in a pack, the answer is a pack or a RulePackError; never another exception."""

from __future__ import annotations

import contextlib
import copy
import random
from pathlib import Path

import pytest

from wetgeo.errors import RulePackError
from wetgeo.rules import load
from wetgeo.rules.examples import run_examples, sweep, uncovered
from wetgeo.rules.faults import Faults
from wetgeo.rules.show import show

JUNK = (5, -1, 1.5, True, "", [], ["a"], [1], {}, {"a": 1}, "x", "9 ft", "0 %", float("nan"))


def _paths(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from _paths(inner, (*path, key))


@pytest.mark.parametrize("pack_id", load.builtin_ids())
def test_junk_in_any_place(pack_id):
    data = load.tomllib.loads(load.load_pack(pack_id).path.read_text(encoding="utf-8"))
    dice = random.Random(pack_id)
    for path in dice.choices(list(_paths(data)), k=150):
        changed = copy.deepcopy(data)
        table = changed
        for key in path[:-1]:
            table = table[key]
        table[path[-1]] = dice.choice(JUNK)
        faults = Faults("changed.toml", {})
        with contextlib.suppress(RulePackError):
            pack = load._read(changed, Path("changed.toml"), "", faults)
            assert all(fault.startswith("changed.toml: ") for fault in faults)
            if pack is not None and not faults:
                run_examples(pack), sweep(pack), uncovered(pack)
                assert show(pack)
