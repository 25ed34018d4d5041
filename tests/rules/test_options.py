"""A project's options against those of its rule."""

from __future__ import annotations

import pytest

from wetgeo.errors import ProjectError

pytest_plugins = ["broken_packs"]


def test_defaults(mcwd, rcwd, cmscwd):
    options = mcwd.resolve_options({})
    assert dict(options) == {
        "trigger": None,
        "reductions": "both",
        "dual_hsg": "undrained",
        "averaging_base": "reduced",
        "bend_tolerance": 5.0,
        "token_edge_length": 10.0,
        "course_tolerance": 1.0,
        "de_minimis_sqft": 0.0,
    }
    assert rcwd.resolve_options({})["connection_tolerance"] == 0.5
    options = cmscwd.resolve_options({})
    assert (options["drainageway_width"], options["drainageway_acres"], options["provision"]) == (10.0, None, "buffer")


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("bend_tolerance", 2.0, 2.0),
        ("bend_tolerance", 2, 2.0),
        ("bend_tolerance", "2 ft", 2.0),
        ("bend_tolerance", "1 m", pytest.approx(3.28084, abs=1e-5)),
        ("reductions", "SLOPE", "slope"),
        ("trigger", "new residence", "new_residence"),
        ("de_minimis_sqft", 400, 400.0),
        ("de_minimis_sqft", "400 sq ft", 400.0),
        ("token_edge_length", 0, 0.0),
    ],
)
def test_values(mcwd, name, given, value):
    assert mcwd.resolve_options({name: given})[name] == value


@pytest.mark.parametrize(("given", "acres"), [(5, 5.0), ("5 acres", 5.0), ("43560 sq ft", 1.0)])
def test_acres_by_name(cmscwd, given, acres):
    assert cmscwd.resolve_options({"drainageway_acres": given})["drainageway_acres"] == pytest.approx(acres)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("reductions", "steep", ["'steep' is no value", "none, slope, soil, both"]),
        ("reductions", True, ["True is no value"]),
        ("bend_tolerance", 0, ["out of range", "above zero"]),
        ("bend_tolerance", -1.0, ["out of range"]),
        ("bend_tolerance", float("nan"), ["out of range"]),
        ("bend_tolerance", float("inf"), ["out of range"]),
        ("bend_tolerance", "2", ["is no length"]),
        ("bend_tolerance", True, ["is no length"]),
        ("triger", "crossing", ["no such option", "did you mean 'trigger'", "averaging_base"]),
    ],
)
def test_faults(mcwd, name, given, words):
    with pytest.raises(ProjectError) as caught:
        mcwd.resolve_options({name: given})
    assert all(word in str(caught.value) for word in [f"options.{name}", *words]), str(caught.value)


def test_all_faults_at_once(mcwd):
    with pytest.raises(ProjectError) as caught:
        mcwd.resolve_options({"reductions": "x", "trigger": "y", "nothing": 1})
    assert len(caught.value.faults) == 3
