"""The scene of hostile input, for every module of this folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "cli"))  # small_site

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]  # memory and files are bounded and watched by Linux's own means
else:
    from scene import Scene, own_temporary_folder

    @pytest.fixture
    def scene(tmp_path: Path, run_wetgeo) -> Iterator[Scene]:
        """A small site in a folder of its own."""
        with own_temporary_folder(tmp_path.parent / f"{tmp_path.name}-temporary"):
            yield Scene(tmp_path, run_wetgeo)
