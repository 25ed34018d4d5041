"""The vertical unit of a DEM: what the project says, else the band, else the vertical axis of the CRS."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wetgeo.errors import ProjectError, TomlLine, UnitError
from wetgeo.project import unit_fault
from wetgeo.units import FOOT_M, US_SURVEY_FOOT_M, Z_UNITS_M

if TYPE_CHECKING:
    from pyproj import CRS

    from wetgeo.findings import Findings

_FEET = ("foot", "feet", "ft", "internationalfoot", "internationalfeet", "footinternational", "ftint", "intft")
_SURVEY_FEET = (
    "ussurveyfoot",
    "ussurveyfeet",
    "surveyfoot",
    "surveyfeet",
    "footus",
    "feetus",
    "ftus",
    "usft",
    "usfoot",
    "usfeet",
    "footussurvey",
)
#: units as bands name them (letters only, lower case), in metres
_BAND_UNITS_M = {
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(_FEET, FOOT_M),
    **dict.fromkeys(_SURVEY_FEET, US_SURVEY_FOOT_M),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), 0.01),
}
_NAMES = {1.0: "metres", FOOT_M: "international feet", US_SURVEY_FOOT_M: "US survey feet", 0.01: "centimetres"}


def vertical_units(files: Sequence[tuple[Path, CRS, str]], z_unit: str | None, findings: Findings) -> list[float]:
    """Return the vertical unit of each file, in metres.

    Parameters
    ----------
    files
        Path, CRS as stored (with its vertical part) and band unit of each raster.
    z_unit
        The unit that the project states, a key of `units.Z_UNITS_M`; it wins over the files.
    findings
        Is told what was taken, and where the statements differ.

    Raises
    ------
    ProjectError
        Where the project states a unit that is not known.
    UnitError
        Where neither the project nor a file tells the unit; names all such files.
    """
    wrong = unit_fault(z_unit)
    if wrong:
        raise ProjectError(f"dem.z_unit: {wrong}", mend='give z_unit as one of these, such as z_unit = "ft"')
    told = [_told(crs, band) for _, crs, band in files]
    names = [path.name for path, _, _ in files]
    for name, (unit, source, other) in zip(names, told, strict=True):
        if z_unit is not None and unit is not None and not _equal(unit, Z_UNITS_M[z_unit]):
            findings.warning(
                "z-unit",
                f"{name}: {source} says {unit_name(unit)}, the project says "
                f'z_unit = "{z_unit}"; the project was followed',
                layer="dem",
            )
        elif z_unit is None and other is not None:
            findings.warning("z-unit", f"{name}: {source} says {unit_name(unit)}, but {other}", layer="dem")
    if z_unit is not None:
        findings.info(
            "z-unit", f'Elevations are in {unit_name(Z_UNITS_M[z_unit])}, as z_unit = "{z_unit}" says', layer="dem"
        )
        return [Z_UNITS_M[z_unit]] * len(files)
    unknown = [index for index, (unit, _, _) in enumerate(told) if unit is None]
    if unknown:
        raise _unknown([files[index] for index in unknown])
    for unit, source in sorted({(unit or math.nan, source) for unit, source, _ in told}):
        findings.info("z-unit", f"Elevations are in {unit_name(unit)}, as {source} says", layer="dem")
    return [unit or math.nan for unit, _, _ in told]


def unit_name(unit_m: float | None) -> str:
    """Return the name of a vertical unit given in metres."""
    for known, name in _NAMES.items():
        if unit_m is not None and _equal(unit_m, known):
            return name
    return f"units of {unit_m:g} m" if unit_m is not None else "no unit"


def _told(crs: CRS, band: str) -> tuple[float | None, str, str | None]:
    """Return the unit that a file tells, in metres, who tells it, and what else it says that differs."""
    axis = next((a for a in crs.axis_info if a.direction.lower() == "up" and a.unit_conversion_factor), None)
    by_axis = axis.unit_conversion_factor if axis else None
    by_band = _BAND_UNITS_M.get(re.sub(r"[^a-z]", "", band.lower()))
    if by_band is None:
        return by_axis, "the file's vertical CRS", None
    other = None
    if by_axis is not None and not _equal(by_axis, by_band):
        other = f"its vertical CRS says {unit_name(by_axis)}; the band was followed"
    return by_band, "the file's band unit", other


def _equal(one: float, other: float) -> bool:
    # the two feet differ by 2 parts in a million
    return math.isclose(one, other, rel_tol=1e-7)


def _unknown(files: Sequence[tuple[Path, CRS, str]]) -> UnitError:
    words = [f'{path} (its band says "{band}")' if band else str(path) for path, _, band in files]
    mend = (
        'write the unit under [dem] in the project file, as the description of the data has it: z_unit = "m", "ft", '
        '"us-ft" or "cm"; wetgeo doctor tells what each would make of the ground'
    )
    toml = TomlLine("dem", 'z_unit = "..."  # m, ft, us-ft or cm')
    if len(words) == 1:
        return UnitError(f"{words[0]}: the vertical unit of this DEM (z_unit) is not known", mend=mend, toml=toml)
    return UnitError("The vertical unit (z_unit) of several DEM files is not known", faults=words, mend=mend, toml=toml)
