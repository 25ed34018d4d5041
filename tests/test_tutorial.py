"""Pages that show commands, word for word: every command runs, and prints the lines that are shown."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r'^```toml title="(.+?)"\n(.*?)^```', re.MULTILINE | re.DOTALL)
#: commands that end with a status other than 0, as the text says
STATUS = {'wetgeo check data_samples/mcwd.toml --proposed "data_samples/site.gpkg|proposed_buffer" -o out/checked': 3}


def steps(text: str) -> list[tuple[str, list[str]]]:
    """Commands of the console blocks in order, each with the lines that it should print."""
    found: list[tuple[str, list[str]]] = []
    for block in CONSOLE.findall(text):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def assert_shown(shown: list[str], printed: list[str], command: str) -> None:
    """Each shown line was printed, in order; without dots between them they follow on each other."""
    place, loose = 0, False
    for line in shown:
        if line == "...":
            loose = True
            continue
        rest = printed[place:]
        assert line in (rest if loose else rest[:1]), f"{command} prints no line {line!r} there, but:\n" + "\n".join(
            rest
        )
        place += rest.index(line) + 1
        loose = False
    assert loose or place == len(printed), f"{command} prints more than is shown:\n" + "\n".join(printed[place:])


@pytest.mark.slow
@pytest.mark.parametrize(("page", "least"), [("tutorial.md", 8), ("howto/rule-pack.md", 1)])
def test_every_command_prints_what_is_shown(page: str, least: int, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "data_samples", tmp_path / "data_samples", ignore=shutil.ignore_patterns("out*"))
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    wrapper = bin_folder / "wetgeo"
    wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m wetgeo "$@"\n')
    wrapper.chmod(0o755)
    path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    found = steps(text)
    assert len(found) >= least
    for command, shown in found:
        ended = subprocess.run(  # the documentation's own commands
            ["sh", "-c", command],
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ended.returncode == STATUS.get(command, 0), ended.stderr
        assert_shown(shown, ended.stdout.splitlines(), command)
