"""What a piece of work leaves behind: a folder with a GeoParquet file a layer, its findings and its manifest."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from pyproj import CRS
from shapely.errors import ShapelyError

from wetgeo.batch.manifest import MANIFEST, read_json, write_json
from wetgeo.batch.tables import read_frame, write_frame
from wetgeo.errors import WetgeoError
from wetgeo.findings import Finding, Findings
from wetgeo.interrupts import is_interrupt

#: findings about a whole that a part cannot tell; they are told when all parts are there
WHOLE = frozenset({"soil-overlap", "rule-setback"})
#: what one feature's shape or values can cause in the libraries that work them; other errors are faults of the program
OF_FEATURES = (ShapelyError, ValueError, ArithmeticError, IndexError, RuntimeError, MemoryError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Layers and findings of one piece of work, and the features that were left out, with the reason."""

    layers: Mapping[str, pd.DataFrame]
    findings: Findings


def save(folder: Path, result: Result, manifest: Mapping[str, Any]) -> None:
    """Write a result; the manifest comes last, so that there is none beside half a result."""
    part = folder.with_name(f"{folder.name}.part{os.getpid()}")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name, frame in result.layers.items():
        write_frame(part / f"{name}.parquet", frame)
    told = [asdict(one) for one in result.findings if one.code not in WHOLE]
    noted = {code: result.findings.noted(code) for code in sorted(WHOLE)}
    write_json(part / "findings.json", {"findings": told, "noted": noted})
    write_json(part / MANIFEST, {**manifest, "status": "done", "peak_mb": round(_peak_mb())})
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(FileExistsError, OSError):  # another worker was faster with the same result
        part.rename(folder)
    shutil.rmtree(part, ignore_errors=True)


def load(folder: Path, layer: str, crs: CRS) -> pd.DataFrame | None:
    """Read one layer of a result; None where it has no such layer."""
    path = folder / f"{layer}.parquet"
    return read_frame(path, crs) if path.exists() else None


def findings_of(folder: Path) -> Findings:
    """Read the findings of a result, and what it noted."""
    told = read_json(folder / "findings.json")
    findings = Findings()
    for one in told.get("findings", ()):
        finding = Finding(**one)
        findings.add(
            finding.severity,
            finding.code,
            finding.message,
            layer=finding.layer,
            feature_id=finding.feature_id,
            citation=finding.citation,
        )
    for code, parts in told.get("noted", {}).items():
        for part, amount in parts.items():
            findings.note(code, part, amount)
    return findings


def bisected(
    members: Sequence[Any], work: Callable[[Sequence[Any]], Result], left_out: Callable[[Any, str], Result]
) -> Iterator[Result]:
    """Do work on all members; where it fails, on halves of them, down to the one that it fails for.

    Errors that wetgeo raises on purpose go on: they are about the data as a whole. So do interrupts, and errors that
    no feature causes.
    """
    try:
        yield work(members)
    except WetgeoError:
        raise
    except OF_FEATURES as fault:
        if is_interrupt(fault):
            raise KeyboardInterrupt from fault
        if len(members) == 1:
            yield left_out(members[0], f"{type(fault).__name__}: {fault}")
            return
        middle = len(members) // 2
        yield from bisected(members[:middle], work, left_out)
        yield from bisected(members[middle:], work, left_out)


def joined(results: Sequence[Result]) -> Result:
    """Join the results of parts of one piece of work."""
    findings = Findings()
    names: dict[str, list[pd.DataFrame]] = {}
    for result in results:
        findings.extend(result.findings)
        for name, frame in result.layers.items():
            names.setdefault(name, []).append(frame)
    return Result(layers={name: stacked(frames) for name, frames in names.items()}, findings=findings)


def stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put frames of one layer below each other; those without rows say nothing of its types."""
    full = [frame for frame in frames if len(frame)] or list(frames[:1])
    return full[0].reset_index(drop=True) if len(full) == 1 else pd.concat(full, ignore_index=True)


def seconds_since(start: float) -> float:
    """Seconds of wall time since `start`, of `time.perf_counter`."""
    return round(time.perf_counter() - start, 3)


def _peak_mb() -> float:
    """Greatest memory that this process has held; 0 where the operating system does not tell."""
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10
