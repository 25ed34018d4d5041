"""Work in threads: what comes out does not depend on how many there are."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
import shapely

from wetgeo.kernels.threads import VARIABLE, by_rows, in_threads, slices, threads


@pytest.mark.parametrize(("rows", "sizes"), [(0, []), (1, [1]), (256, [256]), (600, [256, 256, 88])])
def test_slices_cover_all_rows_once(rows, sizes):
    parts = slices(rows)
    assert [part.stop - part.start for part in parts] == sizes
    assert [i for part in parts for i in range(rows)[part]] == list(range(rows))


@pytest.mark.parametrize("count", [1, 3])
def test_results_come_in_the_order_of_the_rows(monkeypatch, count):
    monkeypatch.setenv(VARIABLE, str(count))
    assert threads() == count
    assert in_threads(lambda part: part * 2, range(50)) == [2 * i for i in range(50)]
    points = np.asarray(shapely.points(np.arange(1000.0), 0.0), dtype=object)
    assert by_rows(shapely.distance, points, points[::-1]) == pytest.approx(np.abs(np.arange(1000) * 2.0 - 999))
    assert len(by_rows(shapely.distance, points[:0], points[:0])) == 0


@pytest.mark.parametrize("asked", ["", "0", "many"])
def test_what_is_no_number_of_threads_is_left_aside(monkeypatch, asked):
    monkeypatch.setenv(VARIABLE, asked)
    assert threads() >= 1


def test_an_error_in_a_thread_is_raised():
    def fail(part):
        raise ValueError(part)

    with pytest.raises(ValueError, match="0"):
        in_threads(fail, range(3))


@pytest.mark.parametrize(("count", "threads_used"), [(6, 6), (None, 1)])
def test_where_the_system_does_not_say_which_processors_are_for_it_all_are(monkeypatch, count, threads_used):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: count)
    assert threads() == threads_used


@pytest.mark.parametrize("count", [2, 3])
def test_parts_are_worked_at_the_same_time(monkeypatch, count):
    monkeypatch.setenv(VARIABLE, str(count))
    together = threading.Barrier(count)
    found = in_threads(lambda _: together.wait(timeout=20), range(count))  # each waits for all others
    assert sorted(found) == list(range(count))


def test_one_thread_is_the_callers_own(monkeypatch):
    monkeypatch.setenv(VARIABLE, "1")
    assert in_threads(lambda _: threading.get_ident(), range(3)) == [threading.get_ident()] * 3
