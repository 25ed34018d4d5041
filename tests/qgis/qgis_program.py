"""The QGIS of this machine, run as a program of its own: with the system's Python and a clean environment."""

from __future__ import annotations

import functools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

INSIDE = Path(__file__).parent / "inside"

#: programs that come with QGIS, as the environment says or as Debian has them; its wrapper of qgis_process passes a flag
#: that the program refuses
PYTHON = os.environ.get("WETGEO_QGIS_PYTHON", "/usr/bin/python3")
PROCESS = os.environ.get("WETGEO_QGIS_PROCESS", "/usr/bin/qgis_process.bin")
ABSENT = f"no QGIS here: {PYTHON} cannot import qgis (Debian: apt-get install qgis python3-qgis qgis-providers)"
SECONDS = 900


def environment(home: Path, **more: str) -> dict[str, str]:
    """Nothing of the environment that wetgeo runs in: QGIS has libraries of its own."""
    (home / "run").mkdir(mode=0o700, exist_ok=True)
    return {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "QT_QPA_PLATFORM": "offscreen",
        **more,
    }


@functools.cache
def version(home: Path) -> str | None:
    """QGIS's version; None where there is none."""
    code = "from qgis.core import Qgis; print(Qgis.QGIS_VERSION)"
    try:
        result = subprocess.run(
            [PYTHON, "-c", code], env=environment(home), capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except OSError:
        return None
    return result.stdout.strip() or None if result.returncode == 0 else None


def run_inside(home: Path, script: str, *words: object, **more: str) -> dict[str, Any]:
    """Run a script of ``inside`` and return what it tells as JSON on its last line."""
    result = subprocess.run(
        [PYTHON, str(INSIDE / script), *map(str, words)],
        env=environment(home, **more),
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    lines = result.stdout.splitlines()
    assert lines, f"{script} said nothing (exit status {result.returncode}): {result.stderr}"
    told: dict[str, Any] = json.loads(lines[-1])
    return told
