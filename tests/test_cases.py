"""The worked cases beside the checkout, one test a case, judged by their own runner.

Commands run in this process. Most of a run on so small a site would be the drawing of the exhibit, at which no case
looks: it is drawn for the cases of awkward names and attributes (H) only, all other outputs for every case.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from places import SHARED

from wetgeo.project import DEFAULT_FORMATS

QUICK_FORMATS = [name for name in DEFAULT_FORMATS if name != "pdf"]


def _cases() -> list[str]:
    return sorted(path.parent.name for path in (SHARED / "cases").glob("*/expected.json"))


def without_exhibit(project: Path) -> None:
    """Let a copy of a case's project file, if it is one, name its formats, where it leaves them to the default."""
    if project.suffix == ".toml" and project.is_file() and not project.parent.name.startswith("H"):
        text = project.read_bytes()
        if b"[outputs]" not in text:
            project.write_bytes(text + f"\n[outputs]\nformats = {json.dumps(QUICK_FORMATS)}\n".encode())


@pytest.fixture(scope="module")
def runner(shared: Path, run_wetgeo: Callable[..., Any]) -> ModuleType:
    """The runner of the cases, whose commands start no process of their own."""
    spec = importlib.util.spec_from_file_location("cases_runner", shared / "cases" / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def run(words: Sequence[str], *, timeout: float, **_captured: bool) -> subprocess.CompletedProcess[str]:
        without_exhibit(Path(words[1]))
        began = time.monotonic()
        result = run_wetgeo(*words)
        if time.monotonic() - began > timeout:
            raise subprocess.TimeoutExpired(list(words), timeout)
        return subprocess.CompletedProcess(list(words), result.code, result.out, result.err)

    vars(module)["subprocess"] = SimpleNamespace(run=run)
    return module


@pytest.mark.parametrize("name", _cases() or ["none"])
def test_case_holds(name: str, runner: ModuleType, shared: Path, tmp_path: Path) -> None:
    assert runner.run_case(shared / "cases" / name, [], tmp_path) == []
