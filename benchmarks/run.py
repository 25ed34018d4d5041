#!/usr/bin/env python3
"""Run wetgeo and its peers side by side, hold their answers against each other, and write the table.

    python benchmarks/run.py B1 B4 B9 --wetlands 10000 --repeats 3

Without jobs, all are run. Answers are compared first, on a run of its own that also warms caches; only programs whose
answers are equal, or differ as stated, get a ratio. Results are kept by job and size in ``benchmarks/results/``, and
``benchmarks/RESULTS.md`` is written from all that are there.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # wetgeo's own checkout

from harness import table, versions
from harness.jobs import JOBS
from harness.side import Side
from harness.solo import SOLO


def main() -> None:
    """Run the jobs that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=f"{', '.join([*JOBS, *SOLO])}; all if left out")
    parser.add_argument("--wetlands", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=3, help="timed runs of each program, after one that is checked")
    parser.add_argument("--limit", type=float, default=600, help="seconds that a run may take; longer is told as > N s")
    parser.add_argument("--work", type=Path, help="folder for landscapes and outputs; left out: a temporary one")
    parser.add_argument("--only", help="families of peers, comma-separated: python, postgis, qgis, grass")
    given = parser.parse_args()
    wanted = [job.upper() for job in given.jobs] or [*JOBS, *SOLO]
    unknown = sorted(set(wanted) - set(JOBS) - set(SOLO))
    if unknown:
        parser.error(f"no such job: {', '.join(unknown)}")
    # ended from outside, it still stops the database server
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with ExitStack() as stack:
        work = given.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wetgeo-bench-")))
        work.mkdir(parents=True, exist_ok=True)
        side = stack.enter_context(closing(Side(work=work.absolute(), limit=given.limit)))
        for name in wanted:
            if name in SOLO:
                result = SOLO[name](side, given.wetlands, given.repeats)
            else:
                only = given.only.split(",") if given.only else None
                data = JOBS[name].data(work.absolute(), given.wetlands)
                result = side.job(name, JOBS[name], data, given.repeats, only)
            table.keep(result, given.wetlands, versions.all_versions())
            print(table.of_result(result), flush=True)
    table.write()


if __name__ == "__main__":
    main()
