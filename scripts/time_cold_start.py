#!/usr/bin/env python3
"""Time how long a fresh interpreter takes for `import wetgeo` and `wetgeo --help`, best of several runs.

    python scripts/time_cold_start.py

Python's own start is timed beside them. Which modules are loaded is tested in tests/test_imports.py.
"""

from __future__ import annotations

import subprocess
import sys
import time

RUNS = 7
COMMANDS = {
    "python alone": ["-c", "pass"],
    "import wetgeo": ["-c", "import wetgeo"],
    "wetgeo --help": ["-m", "wetgeo", "--help"],
    "wetgeo rules list": ["-m", "wetgeo", "rules", "list"],
}


def seconds(words: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


for name, words in COMMANDS.items():
    print(f"{name:<18} {min(seconds(words) for _ in range(RUNS)):6.3f} s")
