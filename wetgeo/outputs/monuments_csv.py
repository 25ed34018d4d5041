"""monuments.csv for a data collector, and monuments_latlon.csv for whoever looks for them with a phone."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import pandas as pd

from wetgeo.layers import LAYERS
from wetgeo.outputs.plain import one_line, unit_of
from wetgeo.pieces import Layers
from wetgeo.units import FOOT_M

if TYPE_CHECKING:
    from pathlib import Path

    from wetgeo.delineation import Delineation

#: the files' names in the output folder
MONUMENTS_CSV = "monuments.csv"
LATLON_CSV = "monuments_latlon.csv"

#: what a spreadsheet takes for the start of a formula
_FORMULA = tuple("=+-@|%")
_LATLON_FIELDS = ("point", "monument_id", "resource_id", "lat", "lon", "elev_ft", "datum", "grid", "grid_unit")


def write_monuments_csv(delineation: Delineation, folder: Path) -> None:
    """Write ``monuments.csv`` and ``monuments_latlon.csv`` into `folder`.

    ``monuments.csv`` has a row a monument and no header, as data collectors read it: P,N,E,Z,D, that is point number,
    northing, easting, elevation and description, such as ``W1-3 LOT LINE POST``. The first three measures are in the
    unit of the working CRS, elevations too, for a collector's job has one unit; Z is empty where it is unknown. The
    description has no commas or quotes.

    ``monuments_latlon.csv`` has a header, the same point numbers, latitude and longitude to 8 decimals (a millimetre)
    in the CRS's own datum, which it names together with the grid and the unit of the other file.

    In neither does a text begin as a formula does: a spreadsheet would compute it. Such text is led by an apostrophe.

    Parameters
    ----------
    delineation
        With conformed layers.
    folder
        An existing folder.

    Raises
    ------
    OSError
        A file cannot be written.
    """
    unit, unit_m = unit_of(delineation.crs)
    ft = FOOT_M / unit_m
    _write(
        folder / MONUMENTS_CSV,
        (
            [point, f"{one['y']:.3f}", f"{one['x']:.3f}", _number(one["elev_ft"], ft), _description(one)]
            for point, one in enumerate(_monuments(delineation), 1)
        ),
    )
    datum = delineation.crs.geodetic_crs
    constant = [_safe("" if datum is None else datum.name), _safe(delineation.crs.name), _safe(unit)]
    _write(
        folder / LATLON_CSV,
        chain(
            [list(_LATLON_FIELDS)],
            (
                [point, _safe(one["monument_id"]), _safe(one["resource_id"]), *_latlon(one), *constant]
                for point, one in enumerate(_monuments(delineation), 1)
            ),
        ),
    )


def _monuments(delineation: Delineation) -> Iterator[dict[str, Any]]:
    names = LAYERS["monuments"].names
    for frame in Layers.of(delineation.layers).frames("monuments", names):
        yield from (dict(zip(names, row, strict=True)) for row in frame.itertuples(index=False, name=None))


def _latlon(one: dict[str, Any]) -> list[str]:
    return [f"{one['lat']:.8f}", f"{one['lon']:.8f}", _number(one["elev_ft"])]


def _description(one: dict[str, Any]) -> str:
    words = f"{one['monument_id']} {str(one['reason']).replace('_', ' ').upper()} {str(one['marker']).upper()}"
    return _safe("".join(" " if c in ",\"'" else c for c in words))


def _safe(text: object) -> str:
    line = one_line(text)
    return f"'{line}" if line.startswith(_FORMULA) else line


def _number(value: float, factor: float = 1.0) -> str:
    return "" if pd.isna(value) else f"{value * factor:.3f}"


def _write(path: Path, rows: Iterable[Sequence[object]]) -> None:
    # RFC 4180 ends lines with CR LF, which the older data collectors insist on
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\r\n").writerows(rows)
