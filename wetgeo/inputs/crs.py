"""Coordinate systems: which is stated, which is fit for measuring, and the way from one to the other."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import CRS, Proj, Transformer
from pyproj.aoi import AreaOfInterest
from pyproj.database import query_utm_crs_info
from pyproj.exceptions import CRSError as PyprojError
from pyproj.exceptions import ProjError

from wetgeo.errors import CrsError, ProjectError
from wetgeo.units import FOOT_M

Bounds = tuple[float, float, float, float]

#: how far the grid scale of a working CRS may be from 1 (STYLE: the 0.1 % that State Plane and UTM keep)
MOST_SCALE_ERROR = 0.001
#: EPSG gives NAD83 and WGS 84, which practice takes for the same, 4 m; a mean shift from NAD27 has 10 m and more
_ROUGH_M = 5.0
#: degrees by which a layer may stand out of its CRS's area of use: EPSG's boxes are rough
_ROUGH_DEGREES = 0.5
#: units that coordinates may be in without their CRS saying so, in metres
_UNITS_M = {"metres": 1.0, "feet": FOOT_M, "centimetres": 0.01, "millimetres": 0.001, "inches": FOOT_M / 12}
#: metres in a degree of latitude, for tolerances only
_DEGREE_M = 111_320.0
LON_LAT = CRS("EPSG:4326")


def parse(text: str, *, place: str) -> CRS:
    """Read a CRS that a project file states; `place` says where. Raises ProjectError."""
    try:
        return horizontal(CRS.from_user_input(text))
    except PyprojError as error:
        raise ProjectError(
            f"{place}: {text!r} is no coordinate system that PROJ knows",
            mend='write an EPSG code such as "EPSG:26915"',
        ) from error


def from_file(stated: Any) -> CRS | None:  # noqa: ANN401 -- text, a CRS or None, as readers give it
    """Return the horizontal CRS that a file states, None where it states none that PROJ knows."""
    if not stated:
        return None
    try:
        return horizontal(CRS.from_user_input(stated))
    except PyprojError:
        return None


def horizontal(crs: CRS) -> CRS:
    """Return the horizontal part of a compound, bound or 3D CRS."""
    if crs.is_compound:
        return horizontal(crs.sub_crs_list[0])
    if crs.is_bound and crs.source_crs is not None:
        return horizontal(crs.source_crs)
    return crs.to_2d()


def same(one: CRS, other: CRS) -> bool:
    """Tell whether two CRS mean the same, however they are written."""
    if one.equals(other, ignore_axis_order=True):
        return True
    codes = (one.to_epsg(min_confidence=70), other.to_epsg(min_confidence=70))
    return codes[0] is not None and codes[0] == codes[1]


def label(crs: CRS) -> str:
    """Name a CRS, with its code where it has one."""
    code = crs.to_epsg(min_confidence=70)
    return f"EPSG:{code} ({crs.name})" if code else str(crs.name)


def unit_m(crs: CRS) -> float:
    """Return the metres in one unit of a projected CRS."""
    return float(crs.axis_info[0].unit_conversion_factor)


def small_length(crs: CRS | None, feet: float) -> float:
    """Return a small length in coordinate units, about; metres where there is no CRS."""
    if crs is None or not crs.axis_info:
        return feet * FOOT_M
    return feet * FOOT_M / (_DEGREE_M if crs.is_geographic else unit_m(crs))


def why_not_lon_lat(geometry: NDArray[np.object_], crs: CRS) -> NDArray[np.bool_]:
    """Flag geometries that no longitude and latitude can have, where `crs` is geographic and in degrees."""
    if not crs.is_geographic or abs(crs.axis_info[0].unit_conversion_factor - np.pi / 180) > 1e-9:
        return np.zeros(len(geometry), dtype=bool)
    left, bottom, right, top = shapely.bounds(geometry).T
    return np.asarray((left < -360) | (right > 360) | (bottom < -90) | (top > 90))


def looks_like_lon_lat(bounds: Bounds) -> bool:
    """Tell whether coordinates could be degrees."""
    return -180 <= bounds[0] <= bounds[2] <= 180 and -90 <= bounds[1] <= bounds[3] <= 90


def bounds_lon_lat(bounds: Bounds, crs: CRS) -> Bounds:
    """Return bounds in longitude and latitude of the CRS's own datum. Values are infinite where it cannot be."""
    if crs.is_geographic:
        return bounds
    x, y = _grid(bounds)
    lon, lat = _projection(crs)(x, y, inverse=True)
    return float(np.min(lon)), float(np.min(lat)), float(np.max(lon)), float(np.max(lat))


def off_area(bounds: Bounds, crs: CRS) -> float:
    """Return the degrees between bounds (in the CRS's own units) and its area of use.

    0 where they meet, or no area is known. Infinite where the coordinates are no place at all.
    """
    west, south, east, north = bounds_lon_lat(bounds, crs)
    if not np.isfinite([west, south, east, north]).all():
        return float("inf")
    area = crs.area_of_use
    if area is None or area.west > area.east:  # across the 180th meridian
        return 0.0
    return max(area.west - east, west - area.east, area.south - north, south - area.north, 0.0)


def out_of_area(bounds: Bounds, crs: CRS) -> str:
    """Say that bounds (in the CRS's own units) reach out of its area of use, and where they lie; empty where not."""
    area = crs.area_of_use
    west, south, east, north = bounds_lon_lat(bounds, crs)
    if not np.isfinite([west, south, east, north]).all():
        return f"it is in {label(crs)}, but its coordinates lie outside what that can hold"
    wide = _ROUGH_DEGREES
    if area is None or area.west > area.east:
        return ""
    across = area.west - wide <= west and east <= area.east + wide
    if across and area.south - wide <= south <= north <= area.north + wide:
        return ""
    return (
        f"it is in {label(crs)}, which is meant for {area.name} (longitude {area.west:g} to {area.east:g}, latitude "
        f"{area.south:g} to {area.north:g}), but lies at longitude {west:.3f} to {east:.3f}, latitude {south:.3f} to "
        f"{north:.3f}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """What coordinates look like that are not in their CRS: the unit, and the factor that brings them into it."""

    unit: str
    factor: float = float("nan")

    @property
    def is_degrees(self) -> bool:
        """True for longitude and latitude."""
        return not np.isfinite(self.factor)


def likeness(bounds: Bounds, crs: CRS) -> Likeness | None:
    """Find what else the coordinates of a layer off the area of use of its projected CRS may be; None: nothing known.

    Degrees are told within the area of use, too: there, nothing but its origin has so small coordinates.
    """
    area = crs.area_of_use
    if not crs.is_projected or area is None:
        return None
    off = off_area(bounds, crs) > _ROUGH_DEGREES
    west, south, east, north = bounds
    within = area.west <= west <= east <= area.east and area.south <= south <= north <= area.north
    if looks_like_lon_lat(bounds) and (off or within):
        return Likeness(unit="longitude and latitude")
    if not off:
        return None
    for unit, metres in _UNITS_M.items():
        factor = metres / unit_m(crs)
        left, bottom, right, top = (side * factor for side in bounds)
        if abs(factor - 1) > MOST_SCALE_ERROR and off_area((left, bottom, right, top), crs) == 0:
            return Likeness(unit=unit, factor=factor)
    return None


def _projection(crs: CRS) -> Proj:
    """Return PROJ's projection of a CRS. Raises CrsError where it has none, or one with numbers that cannot be."""
    try:
        return Proj(crs)
    except (PyprojError, ProjError) as error:
        raise _not_usable(crs) from error


def _not_usable(crs: CRS) -> CrsError:
    return CrsError(
        f"the coordinate system {str(crs.name)!r} cannot be reckoned with: PROJ knows no such projection",
        mend="see what the file or the project states as its coordinate system; assign the right one",
    )


def _grid(bounds: Bounds) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.meshgrid(np.linspace(bounds[0], bounds[2], 3), np.linspace(bounds[1], bounds[3], 3))
    return x.ravel(), y.ravel()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitness:
    """Whether a CRS is fit for measuring at a site.

    `reason` says why not, empty where it is; `scale` is the grid scale in the middle of the site, grid length over
    length on the ellipsoid.
    """

    reason: str = ""
    scale: float = float("nan")


def fitness(crs: CRS, bounds: Bounds) -> Fitness:
    """Judge a CRS: projected, and its grid scale within 0.1 % of 1 over the bounds (in its own units)."""
    if crs.is_geographic:
        return Fitness(reason="it is geographic: its unit is the degree, in which nothing can be measured")
    if not crs.is_projected:
        return Fitness(reason="it is not projected")
    x, y = _grid(bounds)
    projection = _projection(crs)
    lon, lat = projection(x, y, inverse=True)
    hint = "; the coordinates look like longitude and latitude" if looks_like_lon_lat(bounds) else ""
    if not (np.isfinite(lon).all() and np.isfinite(lat).all()):
        return Fitness(reason=f"its coordinates cannot be turned into longitude and latitude{hint}")
    factors = projection.get_factors(lon, lat)
    scales = np.array([factors.meridional_scale, factors.parallel_scale])
    worst = float(scales.ravel()[np.argmax(np.abs(scales - 1))])
    if not abs(worst - 1) <= MOST_SCALE_ERROR:
        return Fitness(reason=f"its grid scale at the site is {worst:.4f}, more than 0.1 % from 1{hint}")
    return Fitness(scale=float(scales[:, 4].mean()))


def utm(lon: float, lat: float) -> CRS:
    """Return the UTM zone of a place: NAD83 where EPSG has its zones (the US and Canada), else WGS 84.

    Raises
    ------
    CrsError
        The longitude or latitude is no finite number.
    """
    if not np.isfinite([lon, lat]).all():
        raise CrsError(
            "the coordinates have no place in longitude and latitude, so that there is no UTM zone for them",
            mend="the file's CRS is wrong: assign the one that its coordinates are in",
        )
    zone = min(int((lon + 180) // 6) + 1, 60)
    area = AreaOfInterest(lon, lat, lon, lat)
    codes = {int(info.code) for info in query_utm_crs_info(datum_name="NAD83", area_of_interest=area)}
    if 26900 + zone in codes:
        return CRS.from_epsg(26900 + zone)
    return CRS.from_epsg((32600 if lat >= 0 else 32700) + zone)


def line_to_write(crs: CRS, *, key: str = "crs") -> str:
    """Return the line of a project file that states a CRS."""
    return f'{key} = "EPSG:{crs.to_epsg(min_confidence=70)}"  # {crs.name}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """The way from one CRS to another: PROJ's transformer, what it does and how well (metres; negative: unknown)."""

    transformer: Transformer
    about: str
    accuracy_m: float

    @property
    def doubtful(self) -> bool:
        """True where the datums differ and the shift between them is not known here, or but roughly."""
        return not 0 <= self.accuracy_m <= _ROUGH_M or "ballpark" in self.about.casefold()


def way_between(source: CRS, target: CRS, bounds: Bounds) -> Way:
    """Find PROJ's best way for a site that lies within `bounds` of the source CRS."""
    west, south, east, north = bounds_lon_lat(bounds, source)
    area: Any = None
    if np.isfinite([west, south, east, north]).all() and west >= -180 and east <= 180:
        area = AreaOfInterest(west, max(south, -90), east, min(north, 90))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a missing grid is told by `doubtful`
        try:
            transformer = Transformer.from_crs(source, target, always_xy=True, area_of_interest=area)
        except ProjError as error:
            raise _not_usable(source) from error
        try:
            transformer.transform((bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2)
            used = transformer.get_last_used_operation()
        except ProjError:
            used = transformer
    return Way(transformer=transformer, about=str(used.description), accuracy_m=float(used.accuracy))


def reproject(geometry: NDArray[np.object_], way: Way) -> NDArray[np.object_]:
    """Move every vertex, adding none. Coordinates that cannot be transformed become infinite."""

    def move(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.column_stack(way.transformer.transform(points[:, 0], points[:, 1]))

    return np.asarray(shapely.transform(geometry, move), dtype=object)
