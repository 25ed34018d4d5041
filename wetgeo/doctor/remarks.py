"""Remarks: what is wrong or doubtful in the inputs, where, and how to mend it."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from wetgeo.errors import (
    ClassError,
    CrsError,
    OutputError,
    ProjectError,
    RasterError,
    RulePackError,
    UnitError,
    WetgeoError,
)
from wetgeo.findings import SEVERITIES

SUBJECTS = (
    "project", "rule", "output", "files", "crs", "units", "geometry", "classes", "ids", "parcels", "soils",
    "elevation", "extents", "sidecars", "dates",
)  # fmt: skip

#: subject and code of an error, by its kind; the first that fits
_OF_ERROR: tuple[tuple[type[WetgeoError], str, str], ...] = (
    (CrsError, "crs", "crs-unusable"),
    (ClassError, "classes", "class-unknown"),
    (UnitError, "units", "z-unit"),
    (RasterError, "elevation", "dem-unusable"),
    (OutputError, "output", "output-unusable"),
    (RulePackError, "rule", "rule-unusable"),
    (ProjectError, "project", "project-wrong"),
    (WetgeoError, "files", "layer-unusable"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing that is wrong or doubtful; see `wetgeo.doctor` for the fields.

    ``exit_code`` is that of ``wetgeo run`` where the remark is an error that stops it; 0 where a run leaves the feature
    out and goes on.
    """

    severity: str
    subject: str
    code: str
    message: str
    layer: str = ""
    file: str = ""
    feature_id: str = ""
    x: float | None = None
    y: float | None = None
    lon: float | None = None
    lat: float | None = None
    details: tuple[str, ...] = ()
    mend: str = ""
    table: str = ""
    line: str = ""
    exit_code: int = 0

    def as_data(self) -> dict[str, Any]:
        """Return the remark as the JSON document holds it."""
        data = dataclasses.asdict(self)
        del data["exit_code"]
        return {**data, "details": list(self.details)}


@dataclass(slots=True)
class Remarks:
    """Collects remarks; a remark that says the same of the same thing counts once."""

    kept: list[Remark] = field(default_factory=list)

    def add(self, remarks: Iterable[Remark]) -> None:
        """Take over remarks."""
        for remark in remarks:
            if remark not in self.kept:
                self.kept.append(remark)

    def error_of(self, error: WetgeoError, *, layer: str = "", file: object = "") -> None:
        """Note an error that stops a run."""
        subject, code = next((subject, code) for kind, subject, code in _OF_ERROR if isinstance(error, kind))
        self.add(
            [
                Remark(
                    severity="error",
                    subject=subject,
                    code=code,
                    message=error.message,
                    layer=layer,
                    file=str(file),
                    details=error.faults,
                    mend=error.mend,
                    table=error.toml.table if error.toml else "",
                    line=error.toml.line if error.toml else "",
                    exit_code=error.exit_code,
                )
            ]
        )

    def leave_out(self, codes: Collection[str], *, where: Collection[str]) -> None:
        """Leave out the remarks of these codes on layers that have one of the codes `where`: one fault is told once."""
        layers = {remark.layer for remark in self.kept if remark.code in where}
        self.kept = [remark for remark in self.kept if remark.code not in codes or remark.layer not in layers]

    def faulty(self, *layers: str) -> bool:
        """Tell whether any of these layers, or anything where none is named, has an error that stops a run."""
        return any(remark.exit_code and (not layers or remark.layer in layers) for remark in self.kept)

    def __iter__(self) -> Iterator[Remark]:
        return iter(
            sorted(self.kept, key=lambda r: (SEVERITIES.index(r.severity), SUBJECTS.index(r.subject), r.layer, r.code))
        )


def few(names: Sequence[object], most: int = 10) -> str:
    """List names, separated by commas; what is over `most` is counted."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(str(name) for name in names[:most]) + more
