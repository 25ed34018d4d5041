"""An interrupt is not lost, whatever a library makes of it."""

from __future__ import annotations

import contextlib
import signal
import threading

import pytest

from wetgeo import interrupts
from wetgeo.outputs import staging


def swallowed() -> None:
    """A library that prints the interrupt that hits it, or nothing."""
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_swallowed_interrupt_is_raised_at_the_next_check() -> None:
    with interrupts.remembered():
        interrupts.check()
        assert not interrupts.is_interrupt(RuntimeError("of another kind"))
        swallowed()
        assert interrupts.is_interrupt(RuntimeError("what the library made of it"))
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
    interrupts.check()  # it is over with what it interrupted
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_among_the_causes_of_an_error_is_found() -> None:
    outer, inner = RuntimeError("a tile failed"), OSError("could not read")
    outer.__context__, inner.__cause__ = inner, KeyboardInterrupt()
    assert interrupts.is_interrupt(outer)
    # causes that lead in a circle end
    one, other = RuntimeError("one"), RuntimeError("other")
    one.__cause__, other.__cause__ = other, one
    assert not interrupts.is_interrupt(one)


def test_programs_that_handle_interrupts_keep_doing_so() -> None:
    heard = []

    def own(number: int, _frame: object) -> None:
        heard.append(number)

    before = signal.signal(signal.SIGINT, own)
    try:
        with interrupts.remembered():
            signal.raise_signal(signal.SIGINT)
            interrupts.check()
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


def test_in_another_thread_nothing_changes() -> None:
    handlers = []

    def work() -> None:
        with interrupts.remembered():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]


def test_an_interrupt_as_a_folder_is_locked_leaves_no_lock_behind(tmp_path, monkeypatch) -> None:
    taken = staging._take

    def interrupted(path):
        handle = taken(path)
        signal.raise_signal(signal.SIGINT)
        return handle

    monkeypatch.setattr(staging, "_take", interrupted)
    with pytest.raises(KeyboardInterrupt), staging.claim(tmp_path / "out"):
        pytest.fail("the interrupt was lost")
    assert not (tmp_path / "out").exists()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
