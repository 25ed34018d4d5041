"""Workers: this process, others on this machine, or those of a Dask cluster; a task that kills its worker is halved."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Protocol, TypeVar

from wetgeo import interrupts
from wetgeo.batch.manifest import code_hash
from wetgeo.errors import UsageError
from wetgeo.kernels.threads import VARIABLE

T = TypeVar("T")
Answer = TypeVar("Answer")
#: tasks that wait at each worker, so that none idles
_AHEAD = 2
_RETRIES = 3


#: GDAL's own name for the memory in which it keeps what it read of rasters; it would take a twentieth of the machine's
_RASTER_CACHE, _RASTER_CACHE_MB = "GDAL_CACHEMAX", "64"
#: memory that a worker may need, bytes
_MEMORY = 1.5 * 2**30


def sensible_count() -> int:
    """Say how many processes suit this machine: one a processor that this program may use, as far as memory goes."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows does not tell
        return processors
    return max(1, min(processors, int(memory // _MEMORY)))


class Workers(Protocol):
    """Whoever does tasks."""

    count: int

    def submit(self, function: Callable[..., Answer], *given: object) -> Future[Answer]:
        """Start a task."""

    def renew(self) -> None:
        """Be ready again after a worker died."""

    def is_death(self, fault: BaseException) -> bool:
        """Tell whether a task failed because its worker died."""


class Here:
    """The process itself, one task after the other."""

    count = 1

    def submit(self, function: Callable[..., Answer], *given: object) -> Future[Answer]:
        """Do a task."""
        future: Future[Answer] = Future()
        try:
            future.set_result(function(*given))
        except Exception as fault:  # noqa: BLE001 -- whoever asks for the result gets it
            future.set_exception(fault)
        return future

    def renew(self) -> None:
        """Do nothing: no worker can die."""

    def is_death(self, _fault: BaseException) -> bool:
        """Say no."""
        return False


class Processes:
    """Processes on this machine."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: Executor = self._new()

    def _new(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(
            self.count, mp_context=context, initializer=_begin, initargs=(os.getpid(), self.count)
        )

    def submit(self, function: Callable[..., Answer], *given: object) -> Future[Answer]:
        """Start a task."""
        return self._pool.submit(function, *given)

    def renew(self) -> None:
        """Start new processes."""
        self.close()
        self._pool = self._new()

    def is_death(self, fault: BaseException) -> bool:
        """Tell whether a process died."""
        return isinstance(fault, BrokenProcessPool)

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _begin(parent: int, count: int) -> None:
    """Let a process end when its parent has, for a kill tells nobody; and leave the others their processors.

    An interrupt ends it at once: it reaches the parent too, and what a tile had not saved is done anew.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ.setdefault(VARIABLE, str(max(1, sensible_count() // count)))
    os.environ.setdefault(_RASTER_CACHE, _RASTER_CACHE_MB)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class Cluster:
    """Workers of a Dask scheduler that is running; they see the same files under the same paths."""

    def __init__(self, address: str, folder: Path) -> None:
        try:
            import distributed
        except ImportError as fault:
            raise UsageError(
                "--scheduler needs dask.distributed, which is not installed", mend='pip install "wetgeo[dask]"'
            ) from fault
        try:
            self._client = self._connected(distributed, address)
        except (OSError, ValueError, TimeoutError) as fault:
            raise UsageError(
                f"no Dask scheduler answers at {address} ({fault})",
                mend="start one with `dask scheduler`, and give the address that it prints, such as tcp://host:8786",
            ) from fault
        try:
            self._check(address, folder)
        except BaseException:
            self.close()
            raise
        self._executor: Executor = self._client.get_executor(retries=_RETRIES, pure=False)
        self.count = max(1, sum(self._client.nthreads().values()))

    @staticmethod
    def _connected(library: Any, address: str) -> Any:  # noqa: ANN401 -- distributed has no types
        return library.Client(address, timeout=10)

    def _check(self, address: str, folder: Path) -> None:
        self._client.wait_for_workers(1, timeout=60)
        states = self._client.run(_worker_state, str(folder))
        for worker, (code, sees) in states.items():
            if code != code_hash():
                raise UsageError(
                    f"worker {worker} of {address} runs another version of wetgeo",
                    mend="install the same version on all machines of the cluster",
                )
            if not sees:
                raise UsageError(
                    f"worker {worker} of {address} does not see {folder}",
                    mend="inputs and outputs must lie on a file system that all machines mount at the same path",
                )

    def submit(self, function: Callable[..., Answer], *given: object) -> Future[Answer]:
        """Start a task; Dask does it again where its worker is lost."""
        return self._executor.submit(function, *given)

    def renew(self) -> None:
        """Do nothing: the cluster starts its own workers anew."""

    def is_death(self, fault: BaseException) -> bool:
        """Tell whether workers died of a task, one after the other."""
        return type(fault).__name__ == "KilledWorker"

    def close(self) -> None:
        """Leave the cluster; it goes on."""
        self._client.close()


def _worker_state(folder: str) -> tuple[str, bool]:
    return code_hash(), Path(folder).is_dir()


@contextlib.contextmanager
def hired(count: int, scheduler: str | None, folder: Path) -> Iterator[Workers]:
    """Give workers: those of a scheduler, or `count` processes, or this one where that is 0.

    Raises
    ------
    UsageError
        The scheduler does not answer, or its workers cannot do the work.
    """
    if scheduler is None and count == 0:
        yield Here()
        return
    workers = Processes(count) if scheduler is None else Cluster(scheduler, folder)
    try:
        yield workers
    finally:
        workers.close()


def do_all(
    workers: Workers,
    function: Callable[[T], str],
    tasks: Sequence[T],
    *,
    halves: Callable[[T], Sequence[T]],
    give_up: Callable[[T], str],
    done: Callable[[], None],
) -> list[str]:
    """Do all tasks and return what the function gave, in no order.

    Parameters
    ----------
    workers
        Who does them.
    function
        What is done with a task.
    tasks
        The tasks.
    halves
        Divides a task that killed its worker; none where it cannot be divided.
    give_up
        Does what is to be done with a task that killed its worker and cannot be divided.
    done
        Called after each task.
    """
    answers: list[str] = []
    waiting, alone = deque(tasks), deque[T]()
    running: dict[Future[str], T] = {}
    while waiting or alone or running:
        interrupts.check()
        while waiting and not alone and len(running) < _AHEAD * workers.count:
            task = waiting.popleft()
            running[_submitted(workers, function, task)] = task
        if alone and not running:
            answers += _alone(workers, function, alone, halves, give_up)
            done()
            continue
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        dead = False
        for future in finished:
            task = running.pop(future)
            fault = _fault(future)
            if fault is None:
                answers.append(future.result())
                done()
            elif workers.is_death(fault):
                dead = True
                alone.append(task)
            else:
                raise fault
        if dead and isinstance(workers, Processes):
            # all that ran are suspected: which of them killed its process is found by running them one by one
            alone.extend(running.values())
            running.clear()
            workers.renew()
    return answers


def _submitted(workers: Workers, function: Callable[[T], str], task: T) -> Future[str]:
    try:
        return workers.submit(function, task)
    except BrokenProcessPool as fault:
        future: Future[str] = Future()
        future.set_exception(fault)
        return future


def _fault(future: Future[str]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError as fault:
        return fault


def _alone(
    workers: Workers,
    function: Callable[[T], str],
    tasks: deque[T],
    halves: Callable[[T], Sequence[T]],
    give_up: Callable[[T], str],
) -> list[str]:
    """Do one suspected task by itself; where it kills its worker again, its halves are suspected."""
    task = tasks.popleft()
    future = _submitted(workers, function, task)
    fault = _fault(future)
    if fault is None:
        return [future.result()]
    if not workers.is_death(fault):
        raise fault
    workers.renew()
    parts = halves(task)
    if not parts:
        return [give_up(task)]
    tasks.extendleft(reversed(parts))
    return []
