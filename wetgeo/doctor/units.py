"""Vertical units: slopes and elevations that the unit taken would make, and the place to compare with a map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from wetgeo.doctor.elevation import Survey, off_site, survey, survey_middle
from wetgeo.doctor.reading import Reading
from wetgeo.doctor.remarks import Remark
from wetgeo.doctor.told import from_finding
from wetgeo.errors import WetgeoError
from wetgeo.findings import Findings
from wetgeo.inputs.raster import HIGHEST_M, LOWEST_M, open_dem, read_heads
from wetgeo.inputs.vertical import unit_name
from wetgeo.units import FOOT_M, Z_UNITS_M

#: median slopes (percent) of ground that wetlands lie in; what is beyond says more of the unit than of the ground
_TOO_STEEP, _TOO_FLAT = 60.0, 0.02
_USUAL = (0.3, 40.0)


def look(reading: Reading, found: Survey) -> Iterator[Remark]:
    """Look whether the vertical unit can be right."""
    site, dem, source = reading.site, reading.dem, reading.project.dem
    if site is None or dem is None or source is None or not found.slopes.size:
        return
    unit_m = read_heads(source, Findings())[1][0]
    steep = float(np.median(found.slopes))
    x, y = (float(each) for each in np.median(site.resources.geometry.representative_point().get_coordinates(), axis=0))
    yield from _doubt(reading, steep, unit_m)
    height_m = float(np.median(found.heights_m))
    yield Remark(
        severity="info",
        subject="units",
        code="z-unit",
        layer="dem",
        file=reading.file_of("dem"),
        x=x,
        y=y,
        message=f"the ground beside the resources lies at {height_m:,.1f} m ({height_m / FOOT_M:,.0f} ft), if "
        "elevations are "
        f"in {unit_name(unit_m)}; its median slope is {steep:.1f} %. Compare with a map",
    )


def fitting(reading: Reading) -> Iterator[Remark]:
    """Where the unit is not known, or cannot be the one stated, tell what each would make of the ground."""
    site, crs, source = reading.site, reading.crs, reading.project.dem
    unusable = any(remark.code == "z-unit" and remark.severity == "error" for remark in reading.remarks)
    if site is None or crs is None or source is None or not unusable:
        return
    smallest = min(Z_UNITS_M, key=lambda name: Z_UNITS_M[name])
    try:  # in the smallest unit no elevation is too high to be read
        dem = open_dem(replace(source, z_unit=smallest), crs, site.unit_m, Findings())
        off = off_site(site, dem)
        found = survey_middle(site, dem) if off else survey(site, dem)
    except WetgeoError:
        return  # the file is wrong in another way, too
    if off:
        yield from (from_finding(reading, finding) for finding in off)
    if not found.slopes.size:
        return
    fits, said = [], []
    for name, metres in Z_UNITS_M.items():
        times = metres / Z_UNITS_M[smallest]
        low, high = (times * float(each) for each in np.percentile(found.heights_m, [0, 100]))
        steep = times * float(np.median(found.slopes))
        possible = low > LOWEST_M and high < HIGHEST_M and steep <= _TOO_STEEP
        fits += [name] if possible else []
        said.append(
            f"{unit_name(metres)} ({name}): {low:,.0f} to {high:,.0f} m high, median slope {steep:,.3g} %"
            + ("" if possible else "; this cannot be")
        )
    yield Remark(
        severity="info",
        subject="units",
        code="z-unit-fits",
        layer="dem",
        file=reading.file_of("dem"),
        message=f"what the ground {'in the middle of the DEM' if off else 'beside the resources'} would be in each "
        "unit",
        details=tuple(said),
        mend="compare with a map"
        if len(fits) != 1
        else f"of these only {fits[0]} can be; see that the data's own description says so",
        table="dem" if len(fits) == 1 else "",
        line=f'z_unit = "{fits[0]}"' if len(fits) == 1 else "",
    )


def _doubt(reading: Reading, steep: float, unit_m: float) -> Iterator[Remark]:
    """Doubt a unit that makes the ground steeper or flatter than any that wetlands lie in, and name a better one."""
    if _TOO_FLAT <= steep <= _TOO_STEEP or steep == 0:
        return
    fits = [name for name, metres in Z_UNITS_M.items() if _USUAL[0] <= steep * metres / unit_m <= _USUAL[1]]
    better = fits[0] if fits else ""
    how = "steeper" if steep > _TOO_STEEP else "flatter"
    looks = f"; they look like {unit_name(Z_UNITS_M[better])}" if better else ""
    yield Remark(
        severity="warning",
        subject="units",
        code="z-unit-doubtful",
        layer="dem",
        file=reading.file_of("dem"),
        message=f"with elevations in {unit_name(unit_m)} the median slope beside the resources is {steep:,.3g} %, "
        f"{how} than "
        f"the ground that wetlands lie in{looks}",
        mend="find out the vertical unit from the data's own description, and state it",
        table="dem",
        line=f'z_unit = "{better or "..."}"',
    )
