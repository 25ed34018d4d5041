"""Fixtures that several test modules share."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings
from places import SHARED

# the same examples each time, so that a run tells of the change that was made; others by --hypothesis-profile=default
settings.register_profile("settled", derandomize=True)
settings.load_profile("settled")


@dataclass(frozen=True, slots=True)
class Result:
    """What a command left behind: exit status, standard output, standard error."""

    code: int
    out: str
    err: str


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slowest first: in the end no processor waits for one that began a slow test late."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> Iterator[None]:
    """Let interrupts through: a shell has what it runs in the background, and all that this starts, ignore them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and worked cases beside the checkout, or where $WETGEO_SHARED says."""
    if not SHARED.is_dir():
        pytest.skip("real data and cases are not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def run_wetgeo() -> Callable[..., Result]:
    """Run the command line in this process: ``run_wetgeo("run", project, "-o", folder)``."""

    def run(*words: object) -> Result:
        from wetgeo.cli import main

        out, err = io.StringIO(), io.StringIO()
        code: object = 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main([str(word) for word in words])
            except SystemExit as end:
                code = end.code
        return Result(int(code or 0), out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def run_kept_out() -> Callable[..., Result]:
    """As `run_wetgeo`, in a process that a folder closed to writing keeps out, though it be the superuser's."""
    if sys.platform == "win32":
        pytest.skip("a folder's mode keeps nobody out on Windows")
    before: list[str] = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("the superuser writes everywhere, and there is no setpriv to take that right from a process")
        before = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]

    def run(*words: object) -> Result:
        command = [*before, sys.executable, "-m", "wetgeo", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return Result(done.returncode, done.stdout, done.stderr)

    return run
