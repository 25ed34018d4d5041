"""The worked cases beside the checkout, one test a case, judged by their own runner."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from places import SHARED

#: the cases that hold so far, by the beginnings of their names
HOLDING = ("A", "C", "E", "H", "I", "R01", "R02", "R03", "R06", "R08", "R12")


def _cases() -> list[str]:
    names = sorted(path.parent.name for path in (SHARED / "cases").glob("*/expected.json"))
    return [name for name in names if name.startswith(HOLDING)]


@pytest.mark.parametrize("name", _cases() or ["none"])
def test_case_holds(name: str, shared: Path) -> None:
    runner = shared / "cases" / "run.py"
    result = subprocess.run(
        [sys.executable, str(runner), "--wetgeo", f"{sys.executable} -m wetgeo", name],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert result.returncode == 0, result.stdout + result.stderr
