"""Whether a file is whole and its parts fit each other, where GDAL would read a part of it without a word."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from typing import NamedTuple

_SHAPE_HEADER, _INDEX_RECORD, _TABLE_HEADER = 100, 8, 32
#: bytes at the end of a drawing or an XML file among which its end is looked for
TAIL_BYTES = 4096
_FIRST_ELEMENT = re.compile(rb"<([A-Za-z_][\w.:-]*)")


class Part(NamedTuple):
    """The size of a file, bytes, and how it begins (100 bytes)."""

    size: int
    head: bytes


def shapefile_fault(parts: Mapping[str, Part]) -> str | None:
    """Say what is wrong with the sizes that the parts of a shapefile state; None where all fit.

    Parameters
    ----------
    parts
        The part of each ending: ``.shp``, ``.shx`` and ``.dbf``.

    Notes
    -----
    Source: ESRI Shapefile Technical Description (1998), main file header and index records; dBASE III header.
    """
    for end in (".shp", ".shx"):
        size, head = parts[end]
        if len(head) < _SHAPE_HEADER or head[:4] != b"\0\0\x27\x0a":
            return f"its {end} has no header of a shapefile"
        stated = 2 * struct.unpack(">I", head[24:28])[0]
        if size < stated:
            return f"its {end} is cut short: it has {size:,} of {stated:,} bytes"
    size, head = parts[".dbf"]
    if len(head) < _TABLE_HEADER:
        return "its .dbf has no header of a table"
    rows, before, length = struct.unpack("<IHH", head[4:12])
    if size < before + rows * length:
        return f"its .dbf is cut short: it has {size:,} of {before + rows * length:,} bytes"
    shapes = (parts[".shx"].size - _SHAPE_HEADER) // _INDEX_RECORD
    if shapes != rows:
        return f"its .shx lists {shapes:,} shapes and its .dbf {rows:,} rows: they are not of one shapefile"
    return None


def end_fault(end: str, head: bytes, tail: bytes) -> str | None:
    """Say that a drawing or an XML file has no end; None where it has one.

    Parameters
    ----------
    end
        Ending of the file's name, lower case: ``.dxf``, ``.gml`` or ``.kml``.
    head, tail
        How the file begins and ends, `TAIL_BYTES` each.
    """
    if end == ".dxf":
        return None if head.startswith(b"AutoCAD Binary DXF") or tail.rstrip().endswith(b"EOF") else "it has no EOF"
    first = _FIRST_ELEMENT.search(head)
    if first is None or tail.rstrip().endswith(b"</" + first.group(1) + b">"):
        return None  # what is no XML at all is told by its reader
    return f"its element {first.group(1).decode()} is not closed"
