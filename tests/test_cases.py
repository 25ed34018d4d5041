"""The worked cases beside the checkout, one test a case, judged by their own runner."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from places import SHARED


def _cases() -> list[str]:
    return sorted(path.parent.name for path in (SHARED / "cases").glob("*/expected.json"))


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
