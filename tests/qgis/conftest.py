"""Fixtures for tests in a real QGIS, and the outputs that it opens."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import qgis_program
from places import ROOT

FORMATS = '\n[outputs]\nformats = ["gpkg", "shp", "qgz"]\n'


@pytest.fixture(scope="session")
def qgis_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder without a QGIS profile; the test is skipped where there is no QGIS."""
    if not os.environ.get("WETGEO_TEST_QGIS"):
        pytest.skip("opening the outputs in a real QGIS takes minutes: set WETGEO_TEST_QGIS=1")
    home = tmp_path_factory.mktemp("qgis-home")
    if qgis_program.version(home) is None:
        pytest.skip(qgis_program.ABSENT)
    return home


@pytest.fixture(scope="session")
def qgis(qgis_home: Path) -> Callable[..., dict[str, Any]]:
    """Run a script inside QGIS: ``qgis("open_project.py", path, ...)``."""
    return partial(qgis_program.run_inside, qgis_home)


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample site, for QGIS writes into what it opens."""
    return Path(shutil.copytree(ROOT / "data_samples", tmp_path_factory.mktemp("samples") / "site"))


@pytest.fixture(scope="session")
def sample_project(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The sample site's project under a rule, with the formats that QGIS opens."""

    def write(name: str) -> Path:
        text = (samples / f"{name}.toml").read_text(encoding="utf-8")
        for file in ("site.gpkg", "dem.tif"):
            text = text.replace(f'"{file}"', f"'{samples / file}'")
        path = tmp_path_factory.mktemp(name) / "wetgeo.toml"
        path.write_text(text + FORMATS, encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def delineated(qgis_home, sample_project, run_wetgeo) -> Path:
    """Outputs of the sample site under the rule with most kinds of layers: zones and extensions."""
    project = sample_project("cmscwd")
    result = run_wetgeo("run", project, "-o", project.parent / "out")
    assert result.code == 0, result.err
    return project.parent / "out"


@pytest.fixture(scope="session")
def judged(qgis_home, samples: Path, sample_project, run_wetgeo) -> Path:
    """Outputs of the sample site with a proposed buffer that does not comply."""
    project = sample_project("mcwd")
    proposed = f"{samples / 'site.gpkg'}|proposed_buffer"
    result = run_wetgeo("check", project, "--proposed", proposed, "-o", project.parent / "out")
    assert result.code == 3, result.err
    return project.parent / "out"
