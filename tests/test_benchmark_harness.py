"""The benchmarks' harness: the gate lets no unequal answer through, late programs are ended, the table tells it all."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pytest
import shapely

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.append(str(BENCHMARKS))

from harness import table  # noqa: E402 -- a script's own modules, found beside it
from harness.gate import Check, Stated, compare, passed  # noqa: E402
from harness.jobs import JOBS  # noqa: E402
from harness.measure import run  # noqa: E402
from harness.solo import answer_hash  # noqa: E402

REFERENCE = {"count": 2.0, "area": pd.Series({"a": 100.0, "b": 50.0})}
CHECKS = (Check(quantity="count", allowed=0), Check(quantity="area", allowed=1e-6))


@pytest.mark.parametrize(
    "area",
    [
        {"a": 100.0, "b": 50.001},  # one of them off
        {"a": 100.0},  # one missing
        {"a": 100.0, "c": 50.0},  # another in its place
        {"a": 100.0, "b": float("nan")},  # unknown
    ],
)
def test_an_answer_that_differs_does_not_pass(area):
    verdicts = compare(REFERENCE, {"count": 2.0, "area": pd.Series(area)}, CHECKS)
    assert [v.verdict for v in verdicts] == ["equal", "unequal"]
    assert not passed(verdicts)


def test_a_missing_quantity_does_not_pass():
    assert not passed(compare(REFERENCE, {"count": 2.0}, CHECKS))


def test_order_and_rounding_do_not_matter():
    assert passed(compare(REFERENCE, {"count": 2.0, "area": pd.Series({"b": 50.00001, "a": 100.0})}, CHECKS))


def test_a_stated_difference_passes_up_to_its_bound_only():
    stated = (Stated(quantity="area", allowed=1e-3, reason="cells by their centres"),)
    near = compare(REFERENCE, {"count": 2.0, "area": pd.Series({"a": 100.05, "b": 50.0})}, CHECKS, stated)
    far = compare(REFERENCE, {"count": 2.0, "area": pd.Series({"a": 100.5, "b": 50.0})}, CHECKS, stated)
    assert near[1].verdict == "stated"
    assert near[1].reason == "cells by their centres"
    assert near[1].difference == pytest.approx(5e-4)
    assert passed(near)
    assert not passed(far)


def test_a_program_that_takes_too_long_is_ended(tmp_path):
    late = run([sys.executable, "-c", "import time; time.sleep(60)"], log=tmp_path / "log", limit=0.3)
    assert late.status == "late"
    assert late.seconds < 30


def test_what_a_failed_program_said_is_kept(tmp_path):
    failed = run([sys.executable, "-c", "raise SystemExit('no such layer')"], log=tmp_path / "log")
    assert (failed.status, failed.said.strip()) == ("failed", "no such layer")


def test_memory_and_processor_time_are_those_of_the_program(tmp_path):
    words = "import time; held = bytearray(200 * 2**20); sum(range(10**6)); time.sleep(0.5)"
    done = run([sys.executable, "-c", words], log=tmp_path / "log")
    assert done.status == "done"
    assert 200 < done.peak_mb < 400
    assert 0 < done.cpu <= done.seconds * 4


def _row(seconds, *, equal=True, status="done", verdicts=()):
    runs = {"seconds": seconds, "least": seconds, "cpu": seconds, "peak_mb": 10.0, "status": status}
    return {**runs, "equal": equal, "first": {"seconds": seconds}, "verdicts": list(verdicts)}


def test_the_table_gives_a_ratio_to_equal_answers_only(tmp_path):
    wrong = {"quantity": "area", "difference": 0.5, "allowed": 1e-6, "verdict": "unequal", "reason": ""}
    programs = {
        "wetgeo": _row(2.0),
        "right": _row(6.0),
        "quick and wrong": _row(1.0, equal=False, verdicts=[wrong]),
        "slow": _row(60.0, equal=False, status="late"),
    }
    result = {"job": "B4", "title": "dissolve", "target": 5, "note": "", "programs": programs}
    assert table.best_peer(result) == ("right", 3.0)
    table.keep(result, 1_000, {"wetgeo": "0.1"}, tmp_path)
    assert json.loads((tmp_path / "B4-1000.json").read_text())["wetlands"] == 1_000
    table.write(tmp_path, tmp_path / "page.md")
    lines = (tmp_path / "page.md").read_text().splitlines()
    assert "| B4 | 1,000 | 2.00 | right | 3.00 | 5.00: not met |" in lines
    assert "| right | 6.00 | 6.00 | 3.00 | 6.00 | 10 | equal |" in lines
    assert "| quick and wrong | 1.00 | 1.00 |  | 1.00 | 10 | NOT EQUAL: area |" in lines
    assert any(line.startswith("| slow | > 60 |") for line in lines)


def test_every_program_of_every_job_has_its_script():
    missing = [p.script for job in JOBS.values() for p in job.programs if not (BENCHMARKS / p.script).is_file()]
    assert not missing
    assert all(job.programs[0].name == "wetgeo" for job in JOBS.values())


def test_the_hash_of_outputs_knows_no_order_but_every_digit(tmp_path):
    def written(name, values, shapes):
        frame = gpd.GeoDataFrame({"resource_id": values}, geometry=shapes, crs="EPSG:26915")
        frame.to_file(tmp_path / name, layer="buffers", engine="pyogrio")
        return answer_hash(tmp_path / name)

    one, two = shapely.Point(1, 2).buffer(1), shapely.Point(9, 9).buffer(1)
    nudged = shapely.Point(1 + 1e-9, 2).buffer(1)
    assert written("a.gpkg", ["a", None], [one, two]) == written("b.gpkg", [None, "a"], [two, one])
    assert written("c.gpkg", ["a", None], [nudged, two]) != written("d.gpkg", ["a", None], [one, two])
    assert written("e.gpkg", ["b", None], [one, two]) != written("f.gpkg", ["a", None], [one, two])
