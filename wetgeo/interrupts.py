"""Interrupts that cannot be swallowed: an interrupt is remembered, however the library it hits takes it.

Compiled libraries may turn the KeyboardInterrupt that hits them into an error of their own, or only print it.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_seen = threading.Event()


@contextlib.contextmanager
def remembered() -> Iterator[None]:
    """Remember interrupts (SIGINT) within; they raise KeyboardInterrupt as ever.

    Where the program that runs wetgeo handles them itself, or in another thread than the main one, nothing changes.
    """
    of_main = threading.current_thread() is threading.main_thread()
    if not of_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def remember(_number: int, _frame: object) -> None:
        _seen.set()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _seen.clear()


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Let interrupts wait until the end of a few steps that belong together."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    # to block the signal is not enough: libraries have threads of their own, which take it
    waiting: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: waiting.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if waiting:
            handler(*waiting[0])


def check() -> None:
    """Raise KeyboardInterrupt where there was an interrupt within `remembered`."""
    if _seen.is_set():
        raise KeyboardInterrupt


def is_interrupt(fault: BaseException) -> bool:
    """Tell whether an interrupt is behind an error: an earlier one, or one among its causes."""
    if _seen.is_set():
        return True
    behind, waiting = set[int](), [fault]
    while waiting:
        one = waiting.pop()
        if isinstance(one, KeyboardInterrupt):
            return True
        if id(one) not in behind:
            behind.add(id(one))
            waiting += [other for other in (one.__cause__, one.__context__) if other is not None]
    return False
