"""The packs prove themselves, and a wrong figure is found; the printed form tells every section."""

from __future__ import annotations

import re

import pytest

from wetgeo.rules import worked
from wetgeo.rules.examples import run_examples, sweep, uncovered
from wetgeo.rules.load import EXAMPLE_KINDS, builtin_ids, load_pack
from wetgeo.rules.show import show

pytest_plugins = ["broken_packs"]


@pytest.mark.parametrize("pack_id", builtin_ids())
def test_worked_examples_hold(pack_id):
    pack = load_pack(pack_id)
    results = run_examples(pack)
    assert [result for result in results if not result.ok] == []
    assert len(results) == len(pack.examples) > 0
    assert sweep(pack) == ()
    assert uncovered(pack) == ()


def test_every_kind_of_example_is_used():
    used = {example.kind for pack_id in builtin_ids() for example in load_pack(pack_id).examples}
    assert used == set(EXAMPLE_KINDS)


def test_every_trigger_has_an_example():
    for pack_id in builtin_ids():
        pack = load_pack(pack_id)
        shown = {example.provision for example in pack.examples if isinstance(example, worked.TriggerExample)}
        assert shown == {provision.id for provision in pack.provisions if provision.kind == "permit_trigger"}


@pytest.mark.parametrize(
    ("pack_id", "old", "new"),
    [
        ("mcwd-2024", 'base = "75 ft", floor', 'base = "74 ft", floor'),
        ("mcwd-2024", 'floor = "34 ft" }', 'floor = "33 ft" }'),
        ("mcwd-2024", 'step = "5 %"', 'step = "4 %"'),
        ("mcwd-2024", 'minimum_share = "50 %"', 'minimum_share = "49 %"'),
        ("mcwd-2024", 'least = "25 ft"', 'least = "26 ft"'),
        ("rcwd-rule-m-2004", 'minimum = "25 ft"\n', 'minimum = "24 ft"\n'),
        ("rcwd-rule-m-2004", 'more_than = "10000 sq ft"', 'more_than = "9999 sq ft"'),
        ("cmscwd-2009-draft", 'ratio = "6:1", citation', 'ratio = "5:1", citation'),
        ("cmscwd-2009-draft", 'over = "12 %"', 'over = "11 %"'),
        ("cmscwd-2009-draft", 'area = "20 sq ft"', 'area = "21 sq ft"'),
        ("cmscwd-2009-draft", 'least = "16.5 ft"', 'least = "16 ft"'),
        ("cmscwd-2009-draft", 'lot_share = "50 %"', 'lot_share = "40 %"'),
        ("mn-buffer-law", 'base = "16.5 ft"', 'base = "17 ft"'),
    ],
)
def test_a_wrong_figure_is_found(tmp_path, pack_id, old, new):
    """The examples are more than the table said twice: each figure that is changed makes one fail."""
    text = load_pack(pack_id).path.read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "changed.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    failed = [result for result in run_examples(load_pack("changed.toml", tmp_path)) if not result.ok]
    assert failed
    assert all(result.expected != result.got for result in failed)


def test_example_without_its_provision(small, tmp_path):
    text = f'{small}\n[[example]]\nkind = "floodplain"\nabout = "zone"\nzone = "A"\ncounts = "yes"\n'
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    pack = load_pack("own.toml", tmp_path)
    [result] = run_examples(pack)
    assert not result.ok
    assert "floodplain" in result.got
    assert any("wetland of class Low" in sentence for sentence in uncovered(pack))


def test_sweep_finds_gaps(small, tmp_path):
    """A class without a replacement ratio, and cuts that leave no width."""
    text = small + (
        '\n[[provision]]\nkind = "replacement"\nid = "r"\ncitation = "4"\ntext = "R."\ncauses = ["fill"]\n'
        'rows = [{ classes = ["High"], ratio = "2:1" }]\n'
        '\n[[provision]]\nkind = "soil_cut"\nid = "s"\ncitation = "5"\ntext = "S."\n'
        'grades = ["D", "C", "B", "A"]\ncut = "10 ft"\nunrated_most = "50 %"\n'
        '\n[[option]]\nid = "reductions"\nvalues = ["both"]\ndefault = "both"\nmeaning = "M"\ncitation = "5"\n'
        '\n[[option]]\nid = "dual_hsg"\nvalues = ["drained"]\ndefault = "drained"\nmeaning = "M"\ncitation = "5"\n'
    )
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    told = sweep(load_pack("own.toml", tmp_path))
    assert any("class Low: no replacement ratio" in sentence for sentence in told)
    assert any("class Low" in sentence and "does not lie between 0" in sentence for sentence in told)
    assert not any("class High" in sentence for sentence in told)


@pytest.mark.parametrize("pack_id", builtin_ids())
def test_show_tells_everything(pack_id):
    """Every provision, section, option and class stands in the printed form, and no raw object does."""
    pack = load_pack(pack_id)
    text = show(pack)
    words = {p.id for p in pack.provisions} | set(pack.all_citations) | {option.id for option in pack.options}
    words |= {name for kind in ("wetland", "lake", "stream") for name in pack.classes(kind)}
    assert all(word in text for word in words)
    assert pack.sha256 in text
    assert not re.search(r"Quantity\(|object at|None|\('", text)


def test_show_prints_the_table(mcwd):
    assert re.search(r"Preserve +75 ft +67 ft +5\(a\)", show(mcwd))
    assert "15.00" not in show(mcwd)
