"""Programs side by side: one run of each for the gate, then the timed runs in turn."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .cluster import Cluster, cluster
from .gate import Answer, Verdict, compare, passed
from .jobs import Job, Program
from .measure import Measured, run

BENCHMARKS = Path(__file__).parents[1]
ROOT = BENCHMARKS.parent


class Side:
    """Runs programs; a database server is started when one first asks for it.

    Parameters
    ----------
    work
        Folder for outputs and logs.
    limit
        Seconds that one run may take.
    """

    def __init__(self, *, work: Path, limit: float) -> None:
        self.work, self.limit = work, limit
        self._stack = ExitStack()
        self._cluster: Cluster | None = None

    def close(self) -> None:
        """Stop the database server, if there is one."""
        self._stack.close()

    def job(self, name: str, job: Job, data: Path, repeats: int, only: Sequence[str] | None = None) -> dict[str, Any]:
        """Run one job: each program once for the gate, then each in turn, `repeats` times."""
        programs = [p for p in job.programs if only is None or p.family in ("wetgeo", *only)]
        rows: dict[str, dict[str, Any]] = {}
        reference: Answer | None = None
        for program in programs:
            out = self._folder(name, program)
            first = self.once(program, data, out)
            rows[program.name] = {"first": asdict(first), "runs": [], "verdicts": [], "equal": False}
            print(f"{name} {program.name}: {first.status}, {first.seconds:.1f} s", file=sys.stderr, flush=True)
            if first.status != "done":
                continue
            answer = job.read(out)
            reference = answer if reference is None and program.family == "wetgeo" else reference
            verdicts = _gate(reference, answer, job, program)
            if (out / "stages.json").exists():
                stages = json.loads((out / "stages.json").read_text(encoding="utf-8"))
                rows[program.name]["stages"] = ", ".join(f"{k} {v:.1f}" for k, v in stages.items())
            rows[program.name].update(verdicts=[asdict(v) for v in verdicts], equal=passed(verdicts))
        for _ in range(repeats):
            for program in programs:
                if rows[program.name]["first"]["status"] == "done":
                    timed = self.once(program, data, self._folder(name, program))
                    rows[program.name]["runs"].append(asdict(timed))
        for row in rows.values():
            _summarise(row)
        return {"job": name, "title": job.title, "target": job.target, "note": job.note, "programs": rows}

    def once(self, program: Program, data: Path, out: Path) -> Measured:
        """Run a program once."""
        command, env, watched = self._command(program, data, out)
        return run(command, log=out.with_suffix(".log"), env=env, limit=self.limit, watched=watched)

    def _folder(self, name: str, program: Program) -> Path:
        out = self.work / "out" / f"{name}-{program.name.replace(' ', '_').replace(',', '')}"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        return out

    def _command(self, program: Program, data: Path, out: Path) -> tuple[list[str], dict[str, str], int | None]:
        script, files = str(BENCHMARKS / program.script), [str(data), str(out)]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        if program.family == "qgis":
            clean = {"HOME": str(out), "PATH": "/usr/bin:/bin", "QT_QPA_PLATFORM": "offscreen"}
            return ["/usr/bin/python3", script, *files], {**clean, "XDG_RUNTIME_DIR": str(out)}, None
        if program.family == "grass":
            clean = {"HOME": str(out), "PATH": "/usr/bin:/bin", "GRASS_OVERWRITE": "1"}
            return ["grass", "--tmp-location", "EPSG:26915", "--exec", "bash", script, *files], clean, None
        if program.family == "postgis":
            server = self._server()
            runner = str(BENCHMARKS / "peers/postgis/run.py")
            return [sys.executable, runner, script, *files], server.env, server.pid
        return [sys.executable, script, *files], env, None

    def _server(self) -> Cluster:
        if self._cluster is None:
            self._cluster = self._stack.enter_context(cluster())
        return self._cluster


def _gate(reference: Answer | None, answer: Answer, job: Job, program: Program) -> list[Verdict]:
    """Compare with wetgeo's answer; where there is none, nothing is equal."""
    if reference is None:
        return [Verdict(quantity="all", difference=float("inf"), allowed=0, verdict="unequal")]
    return compare(reference, answer, job.checks, program.stated)


def _summarise(row: dict[str, Any]) -> None:
    """Add medians over the timed runs, or the first run where there are none."""
    timed = [r for r in row["runs"] if r["status"] == "done"] or [row["first"]]
    row["seconds"] = statistics.median(r["seconds"] for r in timed)
    row["least"] = min(r["seconds"] for r in timed)
    row["cpu"] = statistics.median(r["cpu"] for r in timed)
    row["peak_mb"] = max(r["peak_mb"] for r in timed)
    row["status"] = row["first"]["status"]
