"""Run one program and measure it: wall time, peak memory, and whether it kept within its time."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]

_MB = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One run of a program.

    Attributes
    ----------
    seconds
        Wall time from start to end of the process, imports and files included.
    peak_mb
        Greatest sum of the resident memory of the process, its children and the processes of `watched` (a database
        server's), sampled 20 times a second; of memory that they share, the greatest share counts once.
    cpu
        Processor time of the same processes, seconds, which other work on the machine disturbs less.
    status
        ``done``, ``late`` (ended at the time limit) or ``failed``.
    said
        The end of what it wrote to stderr.
    """

    seconds: float
    peak_mb: float
    cpu: float
    status: str
    said: str = ""


def run(
    command: Sequence[str],
    *,
    log: Path,
    env: Mapping[str, str] | None = None,
    limit: float | None = None,
    watched: int | None = None,
    fine: Sequence[int] = (0,),
) -> Measured:
    """Run a command in its own process group; a command that exceeds `limit` seconds is ended with its children.

    `fine` are the exit codes of a run that did what was asked.
    """
    served = 0.0 if watched is None else _processor_time(watched)
    started = time.perf_counter()
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=None if env is None else dict(env),
            start_new_session=True,
        )
        watch = _Watch([process.pid, *([watched] if watched else [])])
        try:
            code, cpu = _wait(process, started, limit)
            status = "late" if code is None else "done" if code in fine else "failed"
        finally:
            seconds = time.perf_counter() - started
            peak = watch.stop()
            _end(process)
    if watched is not None:
        cpu += _processor_time(watched) - served
    said = log.read_bytes()[-2000:].decode("utf-8", "replace") if status == "failed" else ""
    return Measured(seconds=seconds, peak_mb=peak, cpu=cpu, status=status, said=said)


def _wait(process: subprocess.Popen[bytes], started: float, limit: float | None) -> tuple[int | None, float]:
    """Wait for a process; return its exit code, None at the time limit, and the processor time it took."""
    while True:
        pid, state, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(state)
            return process.returncode, used.ru_utime + used.ru_stime
        if limit is not None and time.perf_counter() - started > limit:
            return None, 0.0
        time.sleep(0.01)


def _processor_time(root: int) -> float:
    """Return the processor time of a server and of all processes it has ended and awaited, seconds."""
    times = psutil.Process(root).cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a process group of our own."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class _Watch:
    """Samples the memory of process trees in a thread."""

    def __init__(self, roots: Sequence[int]) -> None:
        self._roots, self._peak, self._over = roots, 0, threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """Return the peak in MB."""
        self._over.set()
        self._thread.join()
        return self._peak / _MB

    def _sample(self) -> None:
        while not self._over.wait(0.05):
            self._peak = max(self._peak, sum(_tree_memory(root) for root in self._roots))


def _tree_memory(root: int) -> int:
    try:
        parent = psutil.Process(root)
        tree = [parent, *parent.children(recursive=True)]
    except psutil.Error:
        return 0
    held = [_memory(process) for process in tree]
    return sum(own for own, _ in held) + max(shared for _, shared in held)


def _memory(process: psutil.Process) -> tuple[int, int]:
    """Return the resident memory of a process: its own, and what it may share with its like."""
    try:
        held = process.memory_info()
    except psutil.Error:
        return 0, 0
    shared = int(getattr(held, "shared", 0))
    return int(held.rss) - shared, shared
