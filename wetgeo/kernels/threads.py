"""Work on rows in threads: the geometry engine and the compiled kernels release the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Part = TypeVar("Part")
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


def slices(rows: int, *, at_once: int = AT_ONCE) -> list[slice]:
    """Divide rows into slices of so many."""
    return [slice(first, min(first + at_once, rows)) for first in range(0, rows, at_once)]


def in_threads(work: Callable[[Part], Found], parts: Sequence[Part]) -> list[Found]:
    """Do `work` on each part; the results in the order of the parts, whatever the number of threads."""
    if len(parts) < 2 or threads() == 1:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(threads()) as pool:
        return list(pool.map(work, parts))


def by_rows(work: Callable[..., Any], *arrays: NDArray[Any]) -> NDArray[Any]:
    """Apply a function of whole arrays of one length, such as those of shapely, slice by slice in threads."""
    found = in_threads(lambda part: work(*(array[part] for array in arrays)), slices(len(arrays[0])))
    return np.concatenate(found) if found else np.asarray(work(*arrays))
