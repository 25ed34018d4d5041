"""Text and units as surveyors' files want them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wetgeo.units import FOOT_M, US_SURVEY_FOOT_M

if TYPE_CHECKING:
    from pyproj import CRS

#: units that differ by less than this, in metres, are the same; the two feet differ by 6e-7 m
_SAME_M = 1e-9


def one_line(text: object) -> str:
    """Write text on one line: control characters and line ends become blanks, and several blanks one."""
    return " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())


def unit_of(crs: CRS) -> tuple[str, float]:
    """Name of the unit of a CRS's coordinates, and metres in one."""
    axis = crs.axis_info[0]
    return axis.unit_name, axis.unit_conversion_factor


def is_unit(unit_m: float, of_m: float) -> bool:
    """Tell whether a unit is that of `of_m` metres."""
    return abs(unit_m - of_m) < _SAME_M


def foot_of(crs: CRS) -> tuple[str, float]:
    """Name the foot that distances are written in, and metres in one.

    It is the US survey foot where coordinates are in it, so that distances agree with them; else the international.
    """
    if is_unit(unit_of(crs)[1], US_SURVEY_FOOT_M):
        return "US survey", US_SURVEY_FOOT_M
    return "international", FOOT_M
