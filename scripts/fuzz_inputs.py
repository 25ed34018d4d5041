"""Fuzz the doors: mutate project files, packs, vector files, rasters and tables, run a command, look at its answer.

    python scripts/fuzz_inputs.py --minutes 15 [--seed N] [--only KIND] [--trials N]

Each trial has a seed of its own, which is printed with every fault: ``--seed N --trials 1`` does it again. A fault is
an exception that is no WetgeoError and no usage error, a crash of the process, an answer that takes too long, or a
file that is written beside the inputs. Exit status 1 where there was one.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import multiprocessing
import os
import random
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "cli")]

#: how long one trial may take, and how much memory its process may reserve
SECONDS, BYTES = 120.0, 4 << 30
#: words that are put into texts
WORDS = (
    "", "\0", "\n", '"', "'", "[", "]]", "{", "}", "=", "nan", "inf", "-inf", "1e999", "-1", "0", "9" * 40, "é",
    "\U0001f427", "../..", "/dev/null", "~nobody-at-all", "null", "true", "<script>", "'; DROP TABLE x; --", "=1+1",
    "EPSG:4326", "EPSG:0", "1979-05-27T07:32:00Z", "0001-01-01", "[" * 300, "a." * 300, "%s", "ft", "75 ft", "\ufeff",
)  # fmt: skip
#: values of TOML and JSON, and words that do not end a quoted text
VALUES = (
    "0",
    "-1",
    "1e308",
    "9223372036854775807",
    "9" * 25,
    "nan",
    "inf",
    "true",
    "[]",
    "{}",
    "1979-05-27",
    "[1, 'a']",
)
PLAIN = tuple(word for word in WORDS if not set(word) & set('"\n\0'))


def mutated_bytes(data: bytes, dice: random.Random) -> bytes:
    """Flip, cut, repeat or overwrite bytes in a few places."""
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 4, 16))):
        if not changed:
            break
        at, length = dice.randrange(len(changed)), dice.choice((1, 1, 2, 4, 8, 64, 512))
        way = dice.randrange(5)
        if way == 0:
            changed[at] ^= 1 << dice.randrange(8)
        elif way == 1:
            changed[at : at + length] = dice.randbytes(length)
        elif way == 2:
            changed[at : at + length] = dice.choice((b"\xff", b"\0", b"\x7f")) * length
        elif way == 3:
            del changed[at : at + dice.choice((length, len(changed)))]
        else:
            changed[at:at] = changed[at : at + length]
    return bytes(changed)


def _other_value(text: str, dice: random.Random) -> str:
    """Put another value in the place of a quoted text or a number, so that the text keeps its form."""
    values = list(re.finditer(r'"[^"\n]*"|\b\d[\d.]*\b|\btrue\b|\bfalse\b', text))
    if not values:
        return text
    found = dice.choice(values)
    other = dice.choice((dice.choice(values).group(), dice.choice(VALUES), f'"{dice.choice(PLAIN)}"'))
    return text[: found.start()] + other + text[found.end() :]


def mutated_text(text: str, dice: random.Random) -> str:
    """Replace, drop, double or swap values, words and lines in a few places."""
    if dice.random() < 0.5:
        for _ in range(dice.choice((1, 1, 2, 4))):
            text = _other_value(text, dice)
        return text
    for _ in range(dice.choice((1, 1, 2, 3, 6))):
        lines = text.split("\n")
        at = dice.randrange(len(lines))
        way = dice.randrange(5)
        if way == 0:
            del lines[at]
        elif way == 1:
            lines.insert(dice.randrange(len(lines) + 1), lines[at])
        else:
            line = lines[at]
            start = dice.randrange(len(line) + 1)
            end = start if way == 2 else min(len(line), start + dice.choice((1, 2, 5, 20)))
            lines[at] = line[:start] + dice.choice(WORDS) + line[end:]
        text = "\n".join(lines)
    return text


def _rewrite(path: Path, dice: random.Random, *, as_text: bool) -> None:
    if as_text:
        text = path.read_bytes().decode("utf-8", "replace")
        path.write_bytes(mutated_text(text, dice).encode("utf-8", "replace"))
    else:
        path.write_bytes(mutated_bytes(path.read_bytes(), dice))


def _project(folder: Path, dice: random.Random) -> list[str]:
    from small_site import WETLANDS, write_dem, write_project

    write_dem(folder / "dem.tif")
    more = 'crs = "EPSG:26915"'
    tail = '[options]\ntrigger = "replacement"\n[outputs]\nformats = ["csv", "gpkg"]\n'
    fields = f'{WETLANDS}\nwhere = "CLASS <> \'x\'"\nvalues.class = {{ P = "Preserve" }}\ndefaults.class = "Manage 2"'
    path = write_project(folder, project=more, tail=tail, wetlands=fields, dem='path = "dem.tif"\nz_unit = "m"')
    _rewrite(path, dice, as_text=dice.random() < 0.8)
    return ["run", str(path), "--dry-run"]


def _pack(folder: Path, dice: random.Random) -> list[str]:
    from small_site import write_project

    packs = sorted((ROOT / "wetgeo" / "rules" / "packs").glob("*.toml"))
    (folder / "own.toml").write_bytes(dice.choice(packs).read_bytes())
    _rewrite(folder / "own.toml", dice, as_text=dice.random() < 0.9)
    if dice.random() < 0.5:
        return ["rules", dice.choice(("test", "show")), str(folder / "own.toml")]
    return ["run", str(write_project(folder, rule="own.toml")), "--dry-run"]


def _vector(folder: Path, dice: random.Random) -> list[str]:
    import geopandas as gpd
    from small_site import square, wetlands, write_layer, write_project

    end = dice.choice(("gpkg", "shp", "geojson", "fgb", "parquet", "kml", "gml", "dxf", "zip"))
    frame = wetlands()
    if end == "parquet":
        frame.to_parquet(folder / "w.parquet")
    elif end == "zip":
        (folder / "parts").mkdir()
        write_layer(folder / "parts" / "w.shp", frame)
        import zipfile

        with zipfile.ZipFile(folder / "w.zip", "w") as archive:
            for part in sorted((folder / "parts").iterdir()):
                archive.write(part, part.name)
    elif end == "dxf":
        write_layer(folder / "w.dxf", gpd.GeoDataFrame(geometry=[square(100, 100), square(300, 100)]))
    else:
        how = {"driver": "KML"} if end == "kml" else {}
        write_layer(folder / f"w.{end}", frame.to_crs("EPSG:4326") if end == "kml" else frame, **how)
    parts = sorted(folder.glob("w.*")) if end == "shp" else [folder / f"w.{end}"]
    _rewrite(dice.choice(parts), dice, as_text=end in ("geojson", "kml", "gml", "dxf") and dice.random() < 0.7)
    lines = f'path = "w.{end}"\ndefaults.class = "Preserve"' + ('\ncrs = "EPSG:26915"' if end == "dxf" else "")
    path = write_project(folder, project='crs = "EPSG:26915"', wetlands=lines)
    return ["run", str(path), "--dry-run"]


def _raster(folder: Path, dice: random.Random) -> list[str]:
    from small_site import write_dem, write_project

    name = "dem.tif"
    write_dem(folder / "dem.tif", columns=dice.choice((40, 100)))
    as_text = dice.random() < 0.4
    if as_text:
        name = _described_raster(folder, dice)
    _rewrite(folder / name, dice, as_text=as_text)
    return ["run", str(write_project(folder, dem=f'path = "{name}"\nz_unit = "m"')), "--dry-run"]


def _described_raster(folder: Path, dice: random.Random) -> str:
    """Write the DEM as a VRT or an ASCII grid, formats that are text."""
    import rasterio.shutil
    from small_site import UTM

    if dice.random() < 0.5:
        rasterio.shutil.copy(folder / "dem.tif", folder / "dem.vrt", driver="VRT")
        return "dem.vrt"
    rasterio.shutil.copy(folder / "dem.tif", folder / "dem.asc", driver="AAIGrid")
    import pyproj

    (folder / "dem.prj").write_text(pyproj.CRS(UTM).to_wkt("WKT1_ESRI"))
    return "dem.asc"


def _table(folder: Path, dice: random.Random) -> list[str]:
    import geopandas as gpd
    from small_site import UTM, square, write_layer, write_project

    soils = gpd.GeoDataFrame({"MUKEY": ["1", "2"]}, geometry=[square(0, 0, 250), square(250, 0, 250)], crs=UTM)
    write_layer(folder / "soils.gpkg", soils)
    rows = dice.choice(
        (
            "mukey,hydgrpdcd\n1,A\n2,B/D\n",
            "mukey|comppct_r|hydgrp\n1|60|A\n1|40|C\n2|100|D\n",
            '"mukey"\t"hydgrp"\n1\tA\n',
        )
    )
    (folder / "soils.csv").write_text(rows)
    _rewrite(folder / "soils.csv", dice, as_text=dice.random() < 0.7)
    path = write_project(folder, soils='path = "soils.gpkg"\nfields = { mukey = "MUKEY" }\ntable = "soils.csv"')
    return ["run", str(path), "--dry-run"]


def _source(folder: Path, dice: random.Random) -> list[str]:
    """A proposal, monuments or disturbance, and the words that name it."""
    from small_site import square, wetlands, write_layer, write_project

    frame = wetlands(geometry=[square(60, 60, 120), square(260, 60, 120)], CLASS=["fill", "drain"])
    frame = frame.rename(columns={"CLASS": "cause"})
    end = dice.choice(("gpkg", "geojson"))
    write_layer(folder / f"p.{end}", frame)
    if dice.random() < 0.6:
        _rewrite(folder / f"p.{end}", dice, as_text=end == "geojson")
        src = f"{folder / 'p'}.{end}"
    else:
        src = mutated_text(f"{folder / 'p'}.{end}|p", dice)
    project = str(write_project(folder))
    command, option = dice.choice(
        (("check", "--proposed"), ("impacts", "--disturbance"), ("screen", "--disturbance"), ("design", "--keep-out"))
    )
    return [command, project, option, src, "--dry-run"]


KINDS: dict[str, Callable[[Path, random.Random], list[str]]] = {
    "project": _project,
    "pack": _pack,
    "vector": _vector,
    "raster": _raster,
    "table": _table,
    "source": _source,
}


def _signature(fault: BaseException) -> str:
    """Say where in wetgeo an exception comes from, so that each fault is told once."""
    ours = [frame for frame in traceback.extract_tb(fault.__traceback__) if f"{os.sep}wetgeo{os.sep}" in frame.filename]
    frame = ours[-1] if ours else traceback.extract_tb(fault.__traceback__)[-1]
    return f"{type(fault).__name__} at {Path(frame.filename).name}:{frame.lineno}: {str(fault)[:160]!r}"


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def trial(seed: int, only: str | None) -> tuple[str, str, str | None]:
    """Run one trial; returns its kind, the exit status, and the fault if there was one."""
    from small_site import wetlands, write_layer

    from wetgeo.cli import main

    dice = random.Random(seed)
    kind = only or dice.choice(list(KINDS))
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        folder = Path(place)
        write_layer(folder / "wetlands.gpkg", wetlands())
        words = KINDS[kind](folder, dice)
        before = _files(folder)
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                main([*words, "-vv"] if words[0] != "rules" else words)
            status = "0"
        except SystemExit as end:
            status = str(end.code or 0)
        except MemoryError as fault:
            return kind, "!", f"out of memory: {_signature(fault)}"
        except Exception as fault:  # noqa: BLE001 -- whatever it is, it is what we look for
            return kind, "!", _signature(fault)
        if "in a way it should not" in said.getvalue():
            return kind, "!", said.getvalue().strip().splitlines()[0]
        new = _files(folder) - before
        return kind, status, f"files written beside the inputs: {sorted(new)}" if new else None


def _work(pipe: Connection, only: str | None) -> None:
    """Answer seeds with what their trial gave, until there is no more."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what C libraries print
    while True:
        pipe.send(trial(pipe.recv(), only))


class _Worker:
    """A process that does trials, and is replaced where it crashes or hangs."""

    def __init__(self, only: str | None) -> None:
        self.only = only
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=_work, args=(other, only), daemon=True)
        self.process.start()
        other.close()

    def do(self, seed: int) -> tuple[str, str, str | None]:
        """Run a trial in the process."""
        self.pipe.send(seed)
        try:
            if self.pipe.poll(SECONDS):
                answer: tuple[str, str, str | None] = self.pipe.recv()
                return answer
            fault = f"no answer within {SECONDS:g} s"
        except EOFError:
            self.process.join(5)
            fault = f"the process died ({self.process.exitcode})"
        self.process.kill()
        self.__init__(self.only)  # type: ignore[misc]
        return "?", "!", fault


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="seed of the first trial [by the clock]")
    parser.add_argument("--trials", type=int, default=None, help="stop after so many")
    parser.add_argument("--only", choices=KINDS)
    asked = parser.parse_args()
    first = int(time.time()) if asked.seed is None else asked.seed
    print(f"first seed {first}", flush=True)
    worker, until = _Worker(asked.only), time.monotonic() + 60 * asked.minutes
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    faults: dict[str, list[int]] = {}
    seed = first
    while time.monotonic() < until and (asked.trials is None or seed < first + asked.trials):
        kind, status, fault = worker.do(seed)
        counts[kind, status] += 1
        if fault is not None:
            # what hangs or dies says nothing of where: each of them is told
            if fault not in faults or kind == "?":
                print(f"seed {seed} ({kind}): {fault}", flush=True)
            faults.setdefault(fault, []).append(seed)
        seed += 1
    for (kind, status), count in sorted(counts.items()):
        print(f"{kind:8} {'fault' if status == '!' else f'exit {status}':7} {count:6,}")
    print(f"{seed - first:,} trials, {sum(map(len, faults.values())):,} faults of {len(faults)} kinds")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
