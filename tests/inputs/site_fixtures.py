"""Small sites on disk and a small rule, for the tests of the door."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import geopandas as gpd
import pytest
from drawn import UTM, Rule

from wetgeo.findings import Findings
from wetgeo.inputs.build import build_site
from wetgeo.project import LayerSource, Project
from wetgeo.site import Site


@dataclass
class Read:
    """A site with what was found on the way."""

    site: Site
    findings: Findings
    seen: list[tuple[str, str]] = field(default_factory=list)

    def told(self, code: str) -> list[tuple[str, str, str]]:
        return [(f.severity, f.feature_id, f.message) for f in self.findings if f.code == code]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a layer: ``write("wetlands.gpkg", [shape, ...], ID=[...])``; the CRS is UTM unless said."""

    def _write(name: str, shapes: list[Any], /, *, crs: str | None = UTM, **columns: list[Any]) -> Path:
        path = tmp_path / name
        frame = gpd.GeoDataFrame(columns, geometry=shapes, crs=crs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # GDAL's own, on odd geometries and on layers without CRS
            frame.to_file(path)
        return path

    return _write


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Read]:
    """Build a site: ``read(wetlands=path or dict of a layer's keys, crs=..., pack=...)``."""

    def _read(*, crs: str | None = None, pack: Rule | None = None, **layers: Any) -> Read:
        sources = {}
        for name, given in layers.items():
            keys = given if isinstance(given, dict) else {"path": given}
            sources[name] = LayerSource(name=name, **keys)
        project = Project(
            path=tmp_path / "wetgeo.toml",
            name="test",
            rule="test-rule",
            crs=crs,
            date=datetime.date(2026, 6, 1),
            output=tmp_path / "out",
            layers=sources,
        )
        result = Read(None, Findings())  # type: ignore[arg-type]
        result.site = build_site(
            project,
            pack or Rule(known=()),
            result.findings,
            progress=lambda done, what: result.seen.append((f"{done:.2f}", what)),
        )
        return result

    return _read
