"""The errors that wetgeo raises.

Each says what is wrong, where (file, layer, feature) and how to mend it, and gathers all faults of one layer or
file. The command line turns one into its sentences on standard error and its exit status.

::

    WetgeoError
    ├── UsageError              2  the command line, the project file or a rule pack is wrong
    │   ├── ProjectError
    │   └── RulePackError
    └── DataError               1  the data cannot be used or the result not be written
        ├── InputError             a vector layer or its features
        │   ├── CrsError           a coordinate system that is missing, unfit or belied by the coordinates
        │   └── ClassError         classes or other values that the rule does not know
        ├── RasterError            a DEM
        │   └── UnitError          a unit that is not known
        └── OutputError            the output folder
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import NamedTuple


def closest(word: str, known: Iterable[str]) -> str | None:
    """Find the known word that was probably meant, whatever its case; None where none comes close."""
    spellings = {each.casefold(): each for each in sorted(known)}
    near = difflib.get_close_matches(word.casefold(), spellings, n=1)
    return spellings[near[0]] if near else None


class TomlLine(NamedTuple):
    """A line to write in the project file, and the table that it belongs in, such as ``layers.wetlands``."""

    table: str
    line: str


class WetgeoError(Exception):
    """Root of all errors that wetgeo raises on purpose.

    Parameters
    ----------
    message
        What is wrong and where, as one sentence.
    faults
        All single faults, where there are several; each is printed on a line of its own.
    mend
        How to mend it.
    toml
        The line of the project file that would mend it, where one would.
    """

    exit_code = 1

    def __init__(
        self, message: str, *, faults: Iterable[str] = (), mend: str = "", toml: TomlLine | None = None
    ) -> None:
        self.message = message
        self.faults = tuple(faults)
        self.mend = mend
        self.toml = toml
        super().__init__(str(self))

    def __str__(self) -> str:
        lines = [self.message, *(f"  - {fault}" for fault in self.faults)]
        if self.mend:
            lines.append(f"To mend it: {self.mend}")
        return "\n".join(lines)


class UsageError(WetgeoError):
    """The command line, the project file or a rule pack is wrong."""

    exit_code = 2


class ProjectError(UsageError):
    """The project file (wetgeo.toml) is wrong."""


class RulePackError(UsageError):
    """A rule pack is wrong."""


class DataError(WetgeoError):
    """The data cannot be used, or the result cannot be written."""


class InputError(DataError):
    """A vector layer, or some of its features, cannot be used."""


class CrsError(InputError):
    """A coordinate system is missing, unfit for measuring, or belied by the coordinates."""


class ClassError(InputError):
    """A layer holds classes that the rule does not know."""


class RasterError(DataError):
    """A DEM cannot be used."""


class UnitError(RasterError):
    """A unit is not known or cannot be right."""


class OutputError(DataError):
    """The outputs cannot be written."""
