"""Tables of soils as text: SSURGO's own exports without a header, and tables with one."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

from wetgeo.errors import InputError
from wetgeo.inputs.faults import listed

#: fields of the headerless tables, counted from 0 (SSURGO table column descriptions: muaggatt 18 hydgrpdcd and 40
#: mukey, comp 2 comppct_r, 80 hydgrp and 108 mukey, counted from 1)
_HEADERLESS = {
    "muaggatt": {"hydgrpdcd": 17, "mukey": 39},
    "component": {"comppct_r": 1, "hydgrp": 79, "mukey": 107},
}
#: bytes of a text table at most; the components of a whole state take a tenth of it
MOST_BYTES = 256 << 20


def text_rows(content: bytes, about: str, *, table: str) -> Iterator[Mapping[str, object]]:
    """Read a text table: with a header where its first line names the map unit key, else as SSURGO exports it.

    Parameters
    ----------
    content
        The file, UTF-8.
    about
        What an error calls it.
    table
        ``muaggatt`` or ``component``, for the places of the fields where there is no header.

    Raises
    ------
    InputError
        It is no text table, or a line has fewer fields than the header.
    """
    text = content.decode("utf-8-sig", errors="replace")
    first = text.partition("\n")[0]
    delimiter = "|" if "|" in first else "," if "," in first else "\t"
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        if "mukey" in first.casefold():
            header = [name.strip().casefold() for name in next(rows)]
            yield from _named(rows, header, about)
            return
        places = _HEADERLESS[table]
        last = max(places.values())
        yield from ({name: row[at] for name, at in places.items()} for row in rows if len(row) > last)
    except csv.Error as error:
        _refuse(about, f"line {rows.line_num:,} cannot be read ({error})")


def _named(rows: Iterator[Sequence[str]], header: Sequence[str], about: str) -> Iterator[Mapping[str, object]]:
    short = []
    for number, row in enumerate(rows, 2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) < len(header) or any(cell.strip() for cell in row[len(header) :]):
            short.append(number)
        else:
            yield dict(zip(header, row, strict=False))
    if short:
        _refuse(about, f"rows {listed(short, 10)} have not the {len(header)} fields of the header")


def component_share(value: str | None, about: str) -> float:
    """Read the share of a component in its map unit, percent; none counts as 0.

    Raises
    ------
    InputError
        It is no number of 0 or more.
    """
    try:
        share = float(value or 0)
    except ValueError:
        share = math.nan
    if not (math.isfinite(share) and share >= 0):
        _refuse(about, f"comppct_r {value!r} is no share in percent")
    return share


def _refuse(about: str, what: str) -> NoReturn:
    raise InputError(f"layer soils: {about} is no table of soils: {what}", mend="export the table anew, as UTF-8 text")
