"""The jobs: what each asks, which programs do it, and what makes their answers equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import answers
from .gate import Answer, Check, Stated
from .inputs import prepared, prepared_checks

FILLED = (
    "GEOS fills shallow hollows of an outline before it buffers it and so reaches too far by inches; wetgeo takes that "
    "ground away again to keep its 0.05 ft"
)
CENTRES = (
    "it counts cells by their centres, wetgeo (as exactextract) by the part inside; the rule says nothing, so a width "
    "near a step of the slope may fall on its other side"
)
GRASS_ARCS = "its buffers by GEOS take no tolerance: a quarter circle has the chords it has"
D8 = "richdem's D8 does not weigh that diagonals are longer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program that does a job.

    Attributes
    ----------
    name
        As the table says it.
    family
        How it is run: wetgeo, python, postgis, qgis or grass.
    script
        Path below ``benchmarks/``.
    stated
        Differences of its answers that are known.
    """

    name: str
    family: str
    script: str
    stated: Sequence[Stated] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job: the first program is wetgeo, and the reference of the answers.

    `data` makes its inputs for so many wetlands. `target` is how many times as fast as the best peer wetgeo must be.
    """

    title: str
    read: Callable[[Path], Answer]
    checks: Sequence[Check]
    programs: Sequence[Program]
    target: float | None = None
    note: str = ""
    data: Callable[[Path, int], Path] = prepared


def _programs(script: str, stated: Sequence[Stated] = (), *, without: str = "") -> tuple[Program, ...]:
    """Return wetgeo and its peers where each has one script of the same name."""
    found = [
        Program(name="wetgeo", family="wetgeo", script=f"wetgeo_side/{script}.py"),
        Program(name="geopandas", family="python", script=f"peers/geopandas/{script}.py", stated=stated),
        Program(name="PostGIS", family="postgis", script=f"peers/postgis/{script}.sql", stated=stated),
        Program(name="QGIS Processing", family="qgis", script=f"peers/qgis/{script}.py", stated=stated),
        Program(name="GRASS", family="grass", script=f"peers/grass/{script}.sh", stated=stated),
    ]
    return tuple(program for program in found if program.family not in without.split())


#: what follows from slopes that count cells by their centres
_BY_CENTRES = tuple(
    Stated(quantity=quantity, allowed=allowed, reason=CENTRES)
    for quantity, allowed in {
        "slope": 1.5,
        "width": 0.15,
        "area by wetland": 0.2,
        "area": 2e-4,
        "ground counted once": 2e-4,
        "parcels": 2e-3,
        "buffer on parcels": 2e-4,
    }.items()
)
_LOT_LINES = Stated(
    quantity="monuments",
    allowed=0.01,
    reason="wetgeo marks no lot, and no gap between buffers, that holds less than about a foot of edge",
)

_AREAS = (
    Check(quantity="count", allowed=0),
    Check(quantity="area", allowed=1e-6),
    Check(quantity="area by wetland", allowed=1e-6),
)
_BUFFER = (
    Stated(quantity="area", allowed=2e-5, reason=FILLED),
    Stated(quantity="area by wetland", allowed=5e-3, reason=FILLED),
)

JOBS: dict[str, Job] = {
    "B1": Job(
        title="buffer by class, quarter circles in 25 to 49 chords",
        read=answers.areas_of("buffers"),
        checks=_AREAS,
        programs=(
            *_programs("b1_buffer", _BUFFER, without="grass"),
            Program(
                name="GRASS",
                family="grass",
                script="peers/grass/b1_buffer.sh",
                stated=tuple(
                    Stated(quantity=quantity, allowed=allowed, reason=GRASS_ARCS)
                    for quantity, allowed in (("area", 1e-2), ("area by wetland", 5e-2))
                ),
            ),
        ),
        target=1.5,
    ),
    "B2": Job(
        title="ring: buffers less all wetlands",
        read=answers.areas_of("rings"),
        checks=_AREAS,
        programs=_programs("b2_ring", without="grass"),
        target=1.5,
        note="GRASS: its overlays take layers without overlaps, and these buffers overlap.",
    ),
    "B3": Job(
        title="buffers x parcels, pieces as polygons",
        read=answers.pieces,
        checks=(
            Check(quantity="count", allowed=0),
            Check(quantity="area", allowed=1e-6),
            Check(quantity="area by parcel", allowed=1e-6),
        ),
        programs=_programs(
            "b3_parcels",
            (
                Stated(quantity="count", allowed=1e-4, reason="pieces about as small as rounding"),
                Stated(quantity="area by parcel", allowed=1e-3, reason="pieces under 0.01 m2 are left out, one by one"),
            ),
            without="grass",
        ),
        target=1.5,
        note="GRASS: as B2.",
    ),
    "B4": Job(
        title="dissolve all buffers into connected parts",
        read=answers.parts,
        checks=(
            Check(quantity="count", allowed=0),
            Check(quantity="area", allowed=1e-6),
            Check(quantity="largest", allowed=1e-6),
        ),
        programs=(
            *_programs("b4_dissolve"),
            Program(name="geopandas, disjoint subsets", family="python", script="peers/geopandas/b4_subsets.py"),
        ),
        target=5,
    ),
    "B5": Job(
        title="points evenly along outlines, at most 200 ft apart",
        read=answers.points,
        checks=(Check(quantity="count", allowed=0), Check(quantity="count by wetland", allowed=0, relative=False)),
        programs=(
            *_programs("b5_monuments", without="grass"),
            Program(
                name="GRASS",
                family="grass",
                script="peers/grass/b5_monuments.sh",
                stated=(
                    Stated(
                        quantity="count by wetland", allowed=math.inf, reason="outlines as lines lose their wetland"
                    ),
                ),
            ),
        ),
        target=1.5,
    ),
    "B7": Job(
        title="(with B6) mean slope of each ring, from the DEM",
        read=answers.slopes,
        checks=(Check(quantity="count", allowed=0), Check(quantity="slope", allowed=1e-3, relative=False)),
        programs=(
            Program(name="wetgeo", family="wetgeo", script="wetgeo_side/b7_slope.py"),
            Program(name="rasterio + exactextract", family="python", script="peers/geopandas/b7_slope.py"),
            *(
                Program(
                    name=name,
                    family=family,
                    script=script,
                    stated=(Stated(quantity="slope", allowed=1.5, reason=CENTRES),),
                )
                for name, family, script in (
                    ("PostGIS", "postgis", "peers/postgis/b7_slope.sql"),
                    ("QGIS Processing", "qgis", "peers/qgis/b7_slope.py"),
                )
            ),
        ),
        target=4,
        note="GRASS: v.rast.stats gives a cell to one ring, and these rings overlap.",
    ),
    "B8": Job(
        title="depressions filled and contributing area",
        read=answers.flow,
        checks=(
            Check(quantity="cells", allowed=0),
            Check(quantity="mean area", allowed=1e-6),
        ),
        programs=(
            Program(name="wetgeo", family="wetgeo", script="wetgeo_side/b8_flow.py"),
            Program(
                name="richdem alone",
                family="python",
                script="peers/geopandas/b8_flow.py",
                stated=(Stated(quantity="mean area", allowed=0.05, reason=D8),),
            ),
        ),
        target=1 / 1.15,
    ),
    "B9": Job(
        title="the whole rule mcwd-2024, file to file",
        read=answers.whole_rule,
        checks=(
            Check(quantity="buffers", allowed=0),
            Check(quantity="slope", allowed=0.0101, relative=False),
            Check(quantity="soil group", allowed=0, relative=False),
            Check(quantity="width", allowed=1e-6),
            Check(quantity="area by wetland", allowed=1e-6),
            Check(quantity="area", allowed=1e-6),
            Check(quantity="ground counted once", allowed=1e-6),
            Check(quantity="parcels", allowed=0),
            Check(quantity="buffer on parcels", allowed=1e-6),
            Check(quantity="monuments", allowed=0),
        ),
        programs=(
            Program(name="wetgeo", family="wetgeo", script="wetgeo_side/b9_rule.py"),
            Program(
                name="geopandas + rasterio + exactextract",
                family="python",
                script="peers/geopandas/b9_rule.py",
                stated=(Stated(quantity="area by wetland", allowed=1e-3, reason=FILLED), _LOT_LINES),
            ),
            *(
                Program(name=name, family=family, script=script, stated=(*_BY_CENTRES, _LOT_LINES))
                for name, family, script in (
                    ("PostGIS", "postgis", "peers/postgis/b9_rule.sql"),
                    ("QGIS Processing", "qgis", "peers/qgis/b9_rule.py"),
                )
            ),
        ),
        target=5,
        note="Monuments at bends and the leave for token edges are switched off by the project's options, as no peer "
        "has them. wetgeo also writes edges, the proof of spacing, reasons, findings and provenance; the peers do not. "
        "GRASS: its overlays and zonal statistics take layers without overlaps, and these buffers overlap.",
    ),
    "B10": Job(
        title="1,000 averaging checks",
        read=answers.averaging,
        checks=(
            Check(quantity="checks", allowed=0),
            Check(quantity="required", allowed=1e-5),
            Check(quantity="credited", allowed=1e-5),
            Check(quantity="lost", allowed=0.5, relative=False),
            Check(quantity="gained", allowed=0.5, relative=False),
            Check(quantity="minimum", allowed=0.01, relative=False),
        ),
        programs=(
            Program(name="wetgeo", family="wetgeo", script="wetgeo_side/b10_averaging.py"),
            Program(name="geopandas", family="python", script="peers/geopandas/b10_averaging.py"),
        ),
        note="wetgeo also delineates the required buffers, and writes labelled areas, width profile and violations.",
        data=lambda work, _wetlands: prepared_checks(work),
    ),
}
