"""Who does the tiles: this process, a pool whose processes die, and clusters that cannot be used."""

from __future__ import annotations

import os
import sys
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from types import SimpleNamespace

import pytest

from wetgeo.batch.manifest import code_hash
from wetgeo.batch.workers import Here, do_all, hired, sensible_count
from wetgeo.errors import UsageError


class KilledWorker(Exception):  # noqa: N818 -- as Dask calls it
    """What a cluster answers for a task that killed one worker after the other."""


class Mortal:
    """Workers that answer as a cluster does: numbers are doubled, 13 kills; `refusing` submissions find a dead pool."""

    count = 2

    def __init__(self, *, refusing: int = 0, cancelled: int = 0) -> None:
        self.refusing, self.cancelled, self.deaths = refusing, cancelled, 0

    def submit(self, function, *given):
        if self.refusing:
            self.refusing -= 1
            raise BrokenProcessPool("a process died before")
        future = Future()
        if self.cancelled:
            self.cancelled -= 1
            future.cancel()
            future.set_running_or_notify_cancel()
        elif 13 in given[0]:
            future.set_exception(KilledWorker("lost"))
        else:
            try:
                future.set_result(function(*given))
            except ArithmeticError as fault:
                future.set_exception(fault)
        return future

    def renew(self) -> None:
        self.deaths += 1

    def is_death(self, fault) -> bool:
        return isinstance(fault, KilledWorker | BrokenProcessPool | CancelledError)


def doubled(numbers: tuple[int, ...]) -> str:
    return " ".join(str(2 * 60 // (60 // number)) for number in numbers)


def halves(numbers):
    middle = len(numbers) // 2
    return [numbers[:middle], numbers[middle:]] if middle else []


def done_by(workers, tasks):
    finished = []
    answers = do_all(
        workers, doubled, tasks, halves=halves, give_up=lambda task: f"not {task}", done=lambda: finished.append(1)
    )
    assert len(finished) >= len(tasks)
    return sorted(" ".join(answers).replace("not (13,)", "-").split())


TASKS = [(1, 2, 3), (4, 13, 5, 6), (10, 12), (15,)]
ALL_BUT_13 = sorted(["2", "4", "6", "8", "-", "10", "12", "20", "24", "30"])


def test_a_cluster_narrows_a_deadly_task_down_and_does_all_else() -> None:
    workers = Mortal()
    assert done_by(workers, TASKS) == ALL_BUT_13
    # the whole task, its half (4, 13), and 13 by itself
    assert workers.deaths == 3


@pytest.mark.parametrize("trouble", [{"refusing": 1}, {"refusing": 3}, {"cancelled": 1}, {"cancelled": 3}])
def test_tasks_that_a_dead_pool_refused_or_dropped_are_done_again(trouble) -> None:
    assert done_by(Mortal(**trouble), TASKS) == ALL_BUT_13


@pytest.mark.parametrize("workers", [Here(), Mortal()], ids=["here", "elsewhere"])
@pytest.mark.parametrize("tasks", [[(1,), (0,)], [(0, 13), (13, 0)]], ids=["plain", "after a death"])
def test_a_fault_of_the_work_is_no_death_and_ends_the_run(workers, tasks) -> None:
    """Here nothing dies of 13."""
    with pytest.raises(ZeroDivisionError):
        done_by(workers, tasks)
    with hired(0, None, None) as mine:
        assert not mine.is_death(ZeroDivisionError())


class Library:
    """The part of dask.distributed that is asked about a cluster."""

    def __init__(self, fault: Exception | None = None, **states: tuple[str, bool]) -> None:
        self.fault, self.states, self.is_closed = fault, states, False
        self.library = SimpleNamespace(Client=self._client)

    def _client(self, _address, *, timeout):
        assert timeout <= 10
        if self.fault is not None:
            raise self.fault
        return self

    def wait_for_workers(self, _count, *, timeout):
        assert timeout <= 60

    def run(self, _state, _folder):
        return self.states

    def close(self):
        self.is_closed = True


@pytest.mark.parametrize(
    ("states", "told", "mend"),
    [
        ({"w": ("0" * 64, True)}, "worker w of tcp://host:8786 runs another version", "same version on all machines"),
        ({"v": (code_hash(), True), "w": (code_hash(), False)}, "worker w .* does not see .*place", "at the same path"),
    ],
)
def test_clusters_that_would_do_something_else_are_refused(states, told, mend, monkeypatch, tmp_path) -> None:
    library = Library(**states)
    monkeypatch.setitem(sys.modules, "distributed", library.library)
    with pytest.raises(UsageError, match=told) as caught, hired(2, "tcp://host:8786", tmp_path / "place"):
        pass
    assert mend in caught.value.mend
    assert library.is_closed


@pytest.mark.parametrize("fault", [OSError("timed out"), ValueError("no such scheme"), TimeoutError("no answer")])
def test_a_scheduler_that_does_not_answer_is_told(fault, monkeypatch, tmp_path) -> None:
    monkeypatch.setitem(sys.modules, "distributed", Library(fault).library)
    with (
        pytest.raises(UsageError, match=f"no Dask scheduler answers at x:1 .{fault}") as caught,
        hired(2, "x:1", tmp_path),
    ):
        pass
    assert "dask scheduler" in caught.value.mend


def test_without_dask_its_installation_is_named(monkeypatch, tmp_path) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match="not installed") as caught, hired(2, "tcp://host:8786", tmp_path):
        pass
    assert caught.value.mend == 'pip install "wetgeo[dask]"'


@pytest.mark.parametrize(
    ("processors", "gigabytes", "count"), [(8, 64, 8), (8, 4, 2), (1, 64, 1), (4, 0.5, 1), (6, None, 6)]
)
def test_as_many_processes_as_the_machine_bears(processors, gigabytes, count, monkeypatch) -> None:
    """One a processor, of 1.5 GB each; where the system does not tell its memory, one a processor."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: set(range(processors)), raising=False)

    def tell(name):
        if gigabytes is None:
            raise ValueError("unrecognized configuration name")
        return 4096 if name == "SC_PAGE_SIZE" else round(gigabytes * 2**30 / 4096)

    monkeypatch.setattr(os, "sysconf", tell, raising=False)
    assert sensible_count() == count
