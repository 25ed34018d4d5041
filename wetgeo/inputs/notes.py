"""Findings about features whose final ids are not known yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wetgeo.findings import Findings


@dataclass(slots=True, kw_only=True)
class Notes:
    """Keeps findings by row of one layer until its features have their ids."""

    layer: str
    kept: list[tuple[str, str, str, tuple[int, ...]]] = field(default_factory=list)

    def add(self, severity: str, code: str, message: str, rows: Iterable[int]) -> None:
        """Note the same about some rows; nothing where there are none."""
        rows = tuple(int(row) for row in rows)
        if rows:
            self.kept.append((severity, code, message, rows))

    def tell(self, findings: Findings, ids: Sequence[str]) -> None:
        """Turn all notes into findings, one a feature."""
        for severity, code, message, rows in self.kept:
            for row in rows:
                findings.add(severity, code, message, layer=self.layer, feature_id=ids[row])
