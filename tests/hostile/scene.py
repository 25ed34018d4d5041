"""A small site in a folder, a command run on it in this process, and what every answer must keep to.

Whatever the input: the exit status is one that SPEC.md knows; an error says what and how to mend it, without a
traceback; nothing is written outside the output folder, and nothing at all where there is an error; each feature that
went in comes out or stands in the findings; time and memory are bounded.
"""

from __future__ import annotations

import contextlib
import resource
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import shapely
from small_site import square, wetlands, write_layer, write_project

from wetgeo.outputs.read import read_layer

#: bounds of one run: seconds of its processor, seconds by the clock (machines are busy, and some waits use no
#: processor), and bytes of address space beyond what the process holds already
SECONDS, WAIT, BYTES = 40, 600, 3 << 30
WETLANDS = 'path = "{file}"\nfields = {{ id = "WET_ID", class = "CLASS" }}'
GPKG = '[outputs]\nformats = ["gpkg"]'


def polygons(*shapes: Any, **columns: Sequence[Any]) -> gpd.GeoDataFrame:
    """Wetlands of these outlines, W-1, W-2 and so on, all Preserve unless told otherwise."""
    names = [f"W-{number}" for number in range(1, len(shapes) + 1)]
    return wetlands(**{"WET_ID": names, "CLASS": ["Preserve"] * len(shapes), "geometry": list(shapes), **columns})


class Scene:
    """A folder with a site to spoil, and the commands on it."""

    def __init__(self, place: Path, run: Callable[..., Any]) -> None:
        self.place, self.folder, self.out = place, place / "site", place / "site" / "out"
        self.folder.mkdir()
        self._run = run
        self.write(wetlands())

    def write(self, frame: gpd.GeoDataFrame, name: str = "wetlands.gpkg", **how: Any) -> Path:
        """Write a layer into the folder."""
        return write_layer(self.folder / name, frame, **how)

    def project(self, *, file: str = "wetlands.gpkg", tail: str = GPKG, **tables: Any) -> Path:
        """Write the project file; `file` is that of the wetlands."""
        return write_project(self.folder, tail=tail, **{"wetlands": WETLANDS.format(file=file), **tables})

    def answer(self, *words: object) -> Any:
        """Run a command; what every answer must keep to is asserted."""
        before = self._files()
        with bounded():
            result = self._run(*words)
        assert result.code in (0, 1, 2, 3), result
        assert "Traceback" not in result.out + result.err
        assert "in a way it should not" not in result.err, result.err
        if result.code in (1, 2):
            self._is_clear(result)
        assert self._files() == before, "files outside of the output folder were changed"
        return result

    def refused(self, *told: str, words: Sequence[object] | None = None, code: int = 1, **project: Any) -> str:
        """Run, expect an error that tells all of `told`, and nothing written; returns the error."""
        result = self.answer(*(words or ("run", self.project(**project))))
        assert result.code == code, result
        for word in told:
            assert word in result.err, result.err
        assert not self.out.exists()
        return str(result.err)

    def done(
        self, *told: str, words: Sequence[object] | None = None, code: int = 0, **project: Any
    ) -> dict[str, pd.DataFrame]:
        """Run, expect outputs and findings of the codes `told`; returns the layers that tests look at."""
        result = self.answer(*(words or ("run", self.project(**project))))
        assert result.code == code, result.err
        layers = {name: read_layer(self.out, name) for name in ("resources", "buffers", "monuments", "findings")}
        codes = set(layers["findings"]["code"])
        assert set(told) <= codes, codes
        for name in ("resources", "buffers"):
            assert shapely.is_valid(layers[name].geometry.to_numpy()).all()
        return layers

    def answered(self, ids: Sequence[str] = (), **project: Any) -> str | None:
        """Run, expect either a clear error, which comes back, or outputs in which every one of `ids` is told of."""
        result = self.answer("run", self.project(**project))
        if result.code:
            assert not self.out.exists()
            return str(result.err)
        findings = read_layer(self.out, "findings")
        told = {*read_layer(self.out, "resources")["resource_id"], *findings["feature_id"].dropna()}
        # where a file tells that it is damaged, all that it holds is in doubt
        assert set(ids) <= told or "layer-read" in set(findings["code"]), (told, findings[["code", "message"]])
        return None

    def _is_clear(self, result: Any) -> None:
        lines = result.err.strip().splitlines()
        assert any(line.startswith(("Error: ", "Usage: ")) for line in lines), result.err
        assert result.code == 2 or any("To mend it: " in line for line in lines), result.err
        assert len(result.err) < 100_000

    def _files(self) -> dict[str, tuple[int, int]]:
        """Size and time of every file and folder but for the output folder."""
        found = {}
        for path in sorted(self.place.rglob("*")):
            if path != self.out and self.out not in path.parents:
                state = path.lstat()
                changed = 0 if path.is_dir() else state.st_mtime_ns  # the output folder's coming and going is fine
                found[path.relative_to(self.place).as_posix()] = (0 if path.is_dir() else state.st_size, changed)
        return found


@contextlib.contextmanager
def bounded(seconds: float = SECONDS, wait: int = WAIT, memory: int = BYTES) -> Iterator[None]:
    """Bound the time and the memory of what the block does."""

    def over(*_: object) -> None:
        raise TimeoutError(f"no answer within {seconds} s of the processor, or {wait} s by the clock")

    with Path("/proc/self/statm").open() as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    usual = {each: signal.signal(each, over) for each in (signal.SIGALRM, signal.SIGPROF)}
    resource.setrlimit(resource.RLIMIT_AS, (held + memory, before[1]))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(wait)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        for each, handler in usual.items():
            signal.signal(each, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


@contextlib.contextmanager
def own_temporary_folder(folder: Path) -> Iterator[None]:
    """Let temporary files go into `folder`, which must be empty in the end."""
    usual, tempfile.tempdir = tempfile.tempdir, str(folder)
    folder.mkdir()
    try:
        yield
        assert not list(folder.iterdir()), "temporary files were left behind"
    finally:
        tempfile.tempdir = usual


def two_wetlands_and(*shapes: Any) -> gpd.GeoDataFrame:
    """The small site's two wetlands as W-1 and W-2, and more after them."""
    return polygons(square(100, 100), square(300, 100), *shapes)
