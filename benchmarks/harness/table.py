"""The table: results by job and size as JSON files, and RESULTS.md made of all of them."""

from __future__ import annotations

import datetime
import json
import math
import os
from pathlib import Path
from typing import Any

from . import versions

FOLDER = Path(__file__).parents[1] / "results"
PAGE = FOLDER.parent / "RESULTS.md"
HEAD = """\
# Benchmarks

Written by `benchmarks/run.py`; how to run it, and what each job is, stands in [README.md](README.md). Times are wall
times from file to file, imports and start of the program included, medians of runs in turn on one machine. Ratio: how
many times as long as wetgeo. Only programs whose answers are equal to wetgeo's, or differ as stated, have one. `> N`:
ended at its time limit.

"""


def keep(result: dict[str, Any], wetlands: int, found: dict[str, str], folder: Path = FOLDER) -> None:
    """Keep the result of one job at one size; programs left out this time lose their earlier figures."""
    folder.mkdir(parents=True, exist_ok=True)
    day = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
    kept = {**result, "wetlands": wetlands, "date": day, "versions": found, "machine": versions.machine()}
    kept["load"], kept["cores"] = os.getloadavg()[1], os.cpu_count()
    path = folder / f"{result['job']}-{wetlands}.json"
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def write(folder: Path = FOLDER, page: Path = PAGE) -> None:
    """Write the page from all results that are kept."""
    results = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    results.sort(key=lambda r: (int(r["job"][1:]), r["wetlands"]))
    text = HEAD + _summary(results) + "\n".join(of_result(result) for result in results) + _end(results)
    page.write_text(text, encoding="utf-8")


def best_peer(result: dict[str, Any]) -> tuple[str, float] | None:
    """Return the fastest peer whose answer counts, and how many times as long as wetgeo it takes."""
    own = result["programs"].get("wetgeo")
    if own is None or own["status"] != "done":
        return None
    peers = {
        name: row["seconds"] / own["seconds"]
        for name, row in result["programs"].items()
        if name != "wetgeo" and row["status"] == "done" and row["equal"]
    }
    return min(peers.items(), key=lambda item: item[1]) if peers else None


def of_result(result: dict[str, Any]) -> str:
    """Write one job's table."""
    size = f", {result['wetlands']:,} wetlands" if "wetlands" in result else ""
    lines = [f"## {result['job']}{size}: {result['title']}", ""]
    if "programs" in result:
        lines += [
            "| program | median s | least s | ratio | CPU s | peak MB | answers |",
            "|---|---|---|---|---|---|---|",
        ]
        own = result["programs"].get("wetgeo", {}).get("seconds", math.nan)
        lines += [_row(name, row, own) for name, row in result["programs"].items()]
        lines += ["", *_differences(result)]
    else:
        lines += ["| what | measured | asked |", "|---|---|---|"]
        lines += [f"| {row['what']} | {row['measured']} | {row['asked']} |" for row in result["rows"]]
        lines += [""]
    if result.get("load", 0) > result.get("cores", 1) + 1:
        busy = f"load {result['load']:.0f} on {result['cores']} cores"
        lines += [f"Measured beside other work ({busy}): compare processor times, not wall times.", ""]
    if result.get("note"):
        lines += [result["note"], ""]
    return "\n".join(lines) + "\n"


def _row(name: str, row: dict[str, Any], own: float) -> str:
    peak = f"{row['peak_mb']:,.0f}"
    if row["status"] == "late":
        seconds = row["first"]["seconds"]
        return f"| {name} | > {seconds:.0f} | | > {seconds / own:.1f} | | {peak} | not awaited |"
    if row["status"] != "done":
        return f"| {name} | failed | | | | | |"
    unequal = [v["quantity"] for v in row["verdicts"] if v["verdict"] == "unequal"]
    stated = [v["quantity"] for v in row["verdicts"] if v["verdict"] == "stated"]
    said = "NOT EQUAL: " + ", ".join(unequal) if unequal else "as stated: " + ", ".join(stated) if stated else "equal"
    ratio = f"{row['seconds'] / own:.2f}" if row["equal"] else ""
    stages = f" ({row['stages']})" if row.get("stages") else ""
    figures = f"{row['seconds']:.2f}{stages} | {row['least']:.2f} | {ratio} | {row['cpu']:.2f} | {peak}"
    return f"| {name} | {figures} | {said} |"


def _differences(result: dict[str, Any]) -> list[str]:
    """List what differs, by how much, and why."""
    lines = []
    for name, row in result["programs"].items():
        for v in row["verdicts"]:
            if v["verdict"] != "equal":
                why = v["reason"] or "not expected"
                lines.append(f"- {name}, {v['quantity']}: {v['difference']:.3g} (allowed {v['allowed']:.3g}); {why}.")
    return [*lines, ""] if lines else []


def _summary(results: list[dict[str, Any]]) -> str:
    """List all jobs with the best peer and the target."""
    lines = ["| job | wetlands | wetgeo s | best peer | times as fast | target |", "|---|---|---|---|---|---|"]
    for result in results:
        if "programs" not in result:
            continue
        best, own = best_peer(result), result["programs"].get("wetgeo", {}).get("seconds", math.nan)
        target = result["target"]
        peer, ratio, met = "", "", ""
        if best is not None:
            peer, ratio = best[0], f"{best[1]:.2f}"
            met = "" if target is None else f"{target:.2f}: {'met' if best[1] >= target else 'not met'}"
        lines.append(f"| {result['job']} | {result['wetlands']:,} | {own:.2f} | {peer} | {ratio} | {met} |")
    return "\n".join(lines) + "\n\n"


def _end(results: list[dict[str, Any]]) -> str:
    """Tell machine and versions, of the latest of the results."""
    if not results:
        return ""
    last = max(results, key=lambda r: r["date"])
    found = "; ".join(f"{name} {number}" for name, number in last["versions"].items())
    return f"\nMachine: {last['machine']}. Versions on {last['date']}: {found}.\n"
