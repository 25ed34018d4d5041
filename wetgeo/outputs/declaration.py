"""declaration.txt: the buffer on each lot as a description by courses, to be recorded with a declaration."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyproj
import shapely

from wetgeo.errors import InputError
from wetgeo.kernels.courses import Traverse, bearing, bearing_seconds, bearing_text, follow
from wetgeo.outputs import figures
from wetgeo.outputs.plain import foot_of, one_line, unit_of
from wetgeo.outputs.tracts import DECIMALS, SLIVER_FT, LotBuffer, Ring, Tract, lot_buffers
from wetgeo.rules.model import RulePack
from wetgeo.rules.provisions import Declaration
from wetgeo.units import SQFT_PER_ACRE

if TYPE_CHECKING:
    from pathlib import Path

    from wetgeo.delineation import Delineation

#: the file's name in the output folder
DECLARATION = "declaration.txt"

#: where a rule has no option ``course_tolerance``, feet
_TOLERANCE_FT = 1.0
_WIDTH = 100
_RULE = "=" * _WIDTH
_BARE = "NO PARCEL"
_END = " to the point of beginning"
_NUMBER = r"(-?[\d,]+(?:\.\d+)?)"
_HEADS = {
    "unit": re.compile(r"Coordinates: .*\((\S+) m\)"),
    "foot": re.compile(r"Distances: .*\((\S+) m\)"),
}
_LOT = re.compile(rf"(?:PARCEL (?P<name>.+)|{_BARE}.*)")
_TRACT = re.compile(r"Tract ([A-Z]+)\b.*")
_PLACE = re.compile(rf"(?:Commencing|Beginning) at .* at northing {_NUMBER}, easting {_NUMBER}(?:, at monument .*)?;")
_COURSE = re.compile(rf"(?:\d+ +)?thence ([NS] .*? [EW]) {_NUMBER} feet(.*)")
_AREA = re.compile(rf"Area described: {_NUMBER} square feet.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A tract as read back from a declaration.

    ``polygon`` is in the unit of the CRS, ``area_sqft`` as stated; ``parcel`` is None for ground on no parcel.
    """

    parcel: str | None
    letter: str
    polygon: shapely.Polygon
    area_sqft: float


def write_declaration(delineation: Delineation, folder: Path) -> None:
    """Write ``declaration.txt`` into `folder`.

    Each connected part of the buffer on a lot is a tract, described clockwise from where its upland edge begins: along
    the upland edge, the lot lines and the delineated edge of the resource, back to the point of beginning. What lies
    inside, such as the wetland itself, is excepted by a description of its own. Arcs are chords within the pack's
    option ``course_tolerance``. Errors of rounding do not add up: a course is reckoned from where the rounded ones
    before it led.

    Parameters
    ----------
    delineation
        With conformed layers.
    folder
        An existing folder.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    lines = declaration_lines(delineation)
    (folder / DECLARATION).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def declaration_lines(delineation: Delineation) -> list[str]:
    """Write the declaration's description, line by line; see `write_declaration`."""
    tolerance = delineation.options.get("course_tolerance") or _TOLERANCE_FT
    lots = lot_buffers(delineation, float(tolerance))
    lines = [*_head(delineation, float(tolerance), lots)]
    widths = _widths(delineation)
    for lot in lots:
        lines += [
            "",
            "",
            _RULE,
            f"{_BARE} (such as a street's right-of-way)" if lot.name is None else f"PARCEL {lot.name}",
        ]
        lines += [_RULE, f"Buffer here: {_area(lot.area)}, in {_count(len(lot.tracts), 'tract')}."]
        if lot.slivers:
            slivers = f"{_count(lot.slivers, 'sliver')} narrower than {SLIVER_FT:g} ft or smaller than a square foot"
            lines.append(f"Of this {_area(lot.sliver_area)} not described: {slivers}.")
        for tract in lot.tracts:
            lines += ["", *_tract(tract, lot, widths)]
    return lines


def read_declaration(text: str) -> list[Described]:
    """Read the description back: follow its bearings and distances to polygons in the unit of the CRS.

    Raises
    ------
    InputError
        The text is no declaration of wetgeo's, or one of its lines cannot be read.
    """
    units: dict[str, float] = {}
    found: list[Described] = []
    parcel: str | None = None
    reader: _TractReader | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        for key, pattern in _HEADS.items():
            if (head := pattern.fullmatch(line)) and key not in units:
                units[key] = float(head[1])
        try:
            if lot := (None if raw.startswith(" ") else _LOT.fullmatch(line)):
                parcel = lot["name"]
            elif (tract := _TRACT.fullmatch(line)) and not raw.startswith(" "):
                reader = _TractReader(parcel, tract[1], units["foot"] / units["unit"])
            elif reader is not None and (area := _AREA.fullmatch(line)):
                found.append(reader.finished(_float(area[1])))
                reader = None
            elif reader is not None:
                reader.take(line)
        except (ValueError, LookupError) as fault:
            raise InputError(f"line {number} of the declaration cannot be read: {line!r} ({fault})") from fault
    if not units:
        raise InputError("the text is no declaration of wetgeo's: it states no unit of distances")
    return found


class _TractReader:
    """Takes the lines of one tract."""

    def __init__(self, parcel: str | None, letter: str, foot: float) -> None:
        self.parcel, self.letter, self.foot = parcel, letter, foot
        self.rings: list[np.ndarray] = []
        self.start: np.ndarray | None = None
        self.courses: list[tuple[int, int]] = []

    def take(self, line: str) -> None:
        """Take a line of a description: a known place, a course, or the end of a tie or a ring."""
        if place := _PLACE.fullmatch(line):
            self.start, self.courses = np.array([_float(place[2]), _float(place[1])]) / self.foot, []
        if course := _COURSE.fullmatch(line):
            self.courses.append((bearing_seconds(course[1]), round(_float(course[2]) * 100)))
            if course[3] == f"{_END}.":
                self.rings.append(self._followed().xy[:-1] * self.foot)
            elif course[3].startswith(_END):
                self.start, self.courses = self._followed().xy[-1], []

    def finished(self, area: float) -> Described:
        """Build the tract from its rings."""
        polygon = shapely.Polygon(self.rings[0], self.rings[1:])
        return Described(parcel=self.parcel, letter=self.letter, polygon=polygon, area_sqft=area)

    def _followed(self) -> Traverse:
        if self.start is None:
            raise ValueError("courses without a known place to begin at")
        seconds, hundredths = np.array(self.courses, dtype=np.int64).reshape(-1, 2).T
        return follow(self.start, seconds, hundredths)


def _head(delineation: Delineation, tolerance: float, lots: list[LotBuffer]) -> Iterator[str]:
    project, pack, crs = delineation.project, delineation.pack, delineation.crs
    provision = pack.find(Declaration, on=project.date) if isinstance(pack, RulePack) else None
    unit, unit_m = unit_of(crs)
    foot, foot_m = foot_of(crs)
    code = crs.to_authority()
    total = _area(sum(lot.area for lot in lots))
    force = "a draft" if pack.effective is None else f"effective {pack.effective}"
    yield from ("WETLAND BUFFERS: DESCRIPTION BY COURSES", "")
    yield f"Project: {one_line(project.name)}"
    yield f"Rule: {one_line(pack.title)} ({pack.id}, version {pack.version}, {force})"
    if provision is not None:
        yield f"Declaration: {provision.citation}"
    yield f"Date: {project.date}"
    yield from _which(delineation)
    yield f"Coordinate system: {crs.name}{f' ({code[0]}:{code[1]})' if code else ''}"
    yield f"Coordinates: {unit} ({unit_m:.15g} m)"
    yield f"Distances: {foot} feet ({foot_m:.15g} m)"
    yield from ("Bearings: grid bearings of this coordinate system", "")
    parcels = _count(sum(lot.name is not None for lot in lots), "parcel")
    chords = (
        f"Arcs and other bends are described as chords, which stray by no more than {tolerance:g} ft from the edge as "
        "delineated. Both areas of a tract are stated: that inside the courses, and that of the buffer as delineated."
    )
    shared = (
        f"Buffer in all: {total} on {parcels} and on ground without a parcel. Parcels that overlap hold the whole of "
        "the ground they share."
    )
    notes = [
        "Bearings and distances are on the grid, not on the ground. Areas are in square feet of this foot.",
        _grid_note(delineation),
        chords,
        "A course starts where the rounded courses before it ended, so that rounding does not add up.",
        shared,
    ]
    if not len(delineation.layers["parcels"]):
        notes.append("No parcels are known here: points of beginning are given by their coordinates.")
    for note in filter(None, notes):
        yield from textwrap.wrap(note, _WIDTH)


def _which(delineation: Delineation) -> Iterator[str]:
    """Say which buffer is described, where one was judged."""
    if delineation.recorded == "proposed":
        cited = "; ".join(dict.fromkeys(one_line(one) for one in delineation.layers["averaging"]["citation"].dropna()))
        how = "as designed" if delineation.command == "design" else "as proposed"
        by = f" ({cited})" if cited else ""
        yield f"Buffer described: the averaged buffer {how}, which complies with the rule{by}"
    elif delineation.command in ("check", "design"):
        yield ""
        yield "NOT THE PROPOSED BUFFER: this describes the buffer that the rule requires without averaging."
        yield "No averaged buffer was found to comply; none is described."
        yield ""


def _grid_note(delineation: Delineation) -> str:
    """State the grid's scale and where true north lies, at the middle of the buffers."""
    ground, crs = delineation.layers["buffer_union"], delineation.crs
    if not len(ground):
        return ""
    west, south, east, north = ground.total_bounds
    to_globe = pyproj.Transformer.from_crs(crs, crs.geodetic_crs, always_xy=True)
    lon, lat = to_globe.transform((west + east) / 2, (south + north) / 2)
    scale = pyproj.Proj(crs).get_factors(lon, lat).areal_scale ** 0.5
    x, y = to_globe.transform([lon, lon], [lat - 0.001, lat + 0.001], direction="INVERSE")
    return (
        f"At the middle of the buffers the grid's scale factor is {scale:.6f} (a distance on the grid is the distance "
        f"on the ellipsoid times this), and true north bears {bearing(x[1] - x[0], y[1] - y[0])}."
    )


def _widths(delineation: Delineation) -> dict[str, str]:
    """Say for each resource how wide its buffer is, and by which provision."""
    resources, buffers = delineation.layers["resources"], delineation.layers["buffers"]
    kind = dict(zip(resources["resource_id"], resources["resource_type"], strict=True))
    if delineation.recorded == "proposed":
        return _averages(delineation.layers["averaging"], kind)
    words = {}
    for name, width, citation in zip(buffers["resource_id"], buffers["width_ft"], buffers["citation"], strict=True):
        cited = "" if pd.isna(citation) else f" ({one_line(citation)})"
        if not pd.isna(width):
            words[f"{kind[name]} {one_line(name)}"] = f"required width {figures.stated(width)} ft{cited}"
    return words


def _averages(averaging: pd.DataFrame, kind: Mapping[str, str]) -> dict[str, str]:
    """Say for each resource how wide its averaged buffer is."""
    fields = ("resource_id", "average_ft", "required_ft", "minimum_ft", "minimum_allowed_ft", "citation")
    return {
        f"{kind[name]} {one_line(name)}": (
            f"average width {figures.beside(average, required)} ft ({figures.stated(required)} required), "
            f"least width {figures.beside(least, allowed)} ft ({figures.stated(allowed)} allowed)"
            f"{'' if pd.isna(citation) else f' ({one_line(citation)})'}"
        )
        for name, average, required, least, allowed, citation in zip(*(averaging[f] for f in fields), strict=True)
    }


def _tract(tract: Tract, lot: LotBuffer, widths: dict[str, str]) -> Iterator[str]:
    of = [f"{name}, {widths[name]}" if name in widths else name for name in tract.resources]
    yield f"Tract {tract.letter}{' of parcel ' + lot.name if lot.name else ''}"
    for words in of:
        yield f"  Buffer of {words}"
    where = f"That part of parcel {lot.name}" if lot.name else "That ground on no parcel"
    yield f"  {where}, described as follows:"
    for number, ring in enumerate(tract.rings):
        if number:
            yield f"  EXCEPT that part, number {number}, described as follows:"
        yield from (f"    {line}" for line in _ring(ring))
    if not tract.sound:
        yield "  Lines of this tract come nearer to each other than courses to a hundredth of a foot can tell apart."
    yield f"  Area described: {_area(tract.described)}"
    strays = f"chords stray from its edge by no more than {tract.tolerance:.2f} ft"
    yield f"  Buffer as delineated: {_area(tract.area)}; {strays}"


def _ring(ring: Ring) -> Iterator[str]:
    corner = "the point" if ring.corner.of is None else f"the corner of parcel {ring.corner.of}"
    place = f"at northing {ring.corner.northing:.{DECIMALS}f}, easting {ring.corner.easting:.{DECIMALS}f}"
    at = f", at monument {ring.monuments[0]}" if ring.monuments[0] else ""
    if ring.tie.hundredths[0]:
        yield f"Commencing at {corner} {place};"
        yield f"thence {_course(ring.tie, 0)}{_END}{at};"
    else:
        yield f"Beginning at {corner} {place}{at};"
    count = len(ring.along)
    for along, places in groupby(range(count), key=lambda place: ring.along[place]):
        yield f"along {along}:"
        for number in places:
            monument = ring.monuments[(number + 1) % count]
            end = f"{_END}." if number + 1 == count else f" to monument {monument};" if monument else ";"
            yield f"{number + 1:4d}  thence {_course(ring.courses, number)}{end}"
    yield f"Perimeter {ring.courses.length:,.2f} feet; closure error {_closure(ring.courses)}"


def _course(courses: Traverse, place: int) -> str:
    return f"{bearing_text(int(courses.seconds[place]))} {courses.hundredths[place] / 100:.2f} feet"


def _closure(courses: Traverse) -> str:
    """State the closure error, and the perimeter over it to three figures."""
    if courses.closure < 0.0005:
        return "less than 0.001 feet"
    ratio = courses.length / courses.closure
    step = 10 ** max(int(np.log10(ratio)) - 2, 0)
    return f"{courses.closure:.3f} feet (1 in {int(ratio // step) * step:,})"


def _area(sqft: float) -> str:
    return f"{figures.sqft(sqft)} square feet ({figures.acres(sqft / SQFT_PER_ACRE)} acres)"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _float(text: str) -> float:
    return float(text.replace(",", ""))
