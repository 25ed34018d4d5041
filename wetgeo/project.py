"""The project file, wetgeo.toml: read, checked, all faults told at once."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FORMATS = ("gpkg", "shp", "qgz", "html", "pdf", "csv", "declaration", "dxf")


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSource:
    """Where one layer comes from.

    ``fields`` maps a role to the file's field; ``values`` a role to {what the file says: what the rule calls it};
    ``defaults`` a role to the value of features that have none. ``crs`` is stated only where the file has none.
    """

    name: str
    path: Path
    layer: str | None = None
    where: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    crs: str | None = None
    table: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DemSource:
    """Where elevations come from: rasters (a tile each, or a VRT) and their vertical unit, None where the file tells."""

    paths: tuple[Path, ...]
    z_unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project file as read. Paths are absolute; ``options`` are the pack's and not yet checked."""

    path: Path
    name: str
    rule: str
    crs: str | None
    date: datetime.date
    output: Path
    layers: Mapping[str, LayerSource]
    dem: DemSource | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    formats: tuple[str, ...] = tuple(f for f in FORMATS if f != "dxf")

    @property
    def folder(self) -> Path:
        """The folder that relative paths refer to."""
        return self.path.parent
