"""Marks in a path that keep GDAL from finding the file."""

from __future__ import annotations

from pathlib import Path

#: what GDAL's bindings for Python take out of a path, or take for the end of an archive's name: another file would be
#: read or written, or none
_MARKS = {"!": "an exclamation mark", "\n": "a line break", "\r": "a line break", "\t": "a tab"}


def misread(path: Path) -> str | None:
    """Say which mark in a path keeps GDAL from finding it; None where there is none."""
    return next((what for mark, what in _MARKS.items() if mark in str(path)), None)
