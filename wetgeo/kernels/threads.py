"""Work on rows in threads: the geometry engine and the compiled kernels release the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Found = TypeVar("Found")

#: threads that one process may use; where it is not set, as many as there are processors for it
VARIABLE = "WETGEO_THREADS"
#: rows that a thread takes at a time: enough that handing them out costs nothing, few enough to share the work evenly
AT_ONCE = 256


def threads() -> int:
    """Count the threads to use."""
    asked = os.environ.get(VARIABLE, "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(work: Callable[[slice], Found], rows: int, *, at_once: int = AT_ONCE) -> list[Found]:
    """Do `work` on slices of so many rows; the results in the order of the rows, whatever the number of threads."""
    parts = [slice(first, min(first + at_once, rows)) for first in range(0, rows, at_once)]
    if len(parts) < 2 or threads() == 1:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(threads()) as pool:
        return list(pool.map(work, parts))
