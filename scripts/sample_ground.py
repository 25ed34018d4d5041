"""The ground of the sample site: an outwash plain and a moraine in Minnesota that do not exist.

Coordinates are metres east and north of the site's south-western corner; elevations metres.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely
from scipy import ndimage

from wetgeo.kernels.grid import Grid
from wetgeo.testing import along, cell_centres, fractal, smooth_line, soft_min

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CELL = 1.5
WIDTH, HEIGHT = 1200.0, 900.0
LAKE_AT, LAKE_LEVEL = (292.0, 318.0), 286.0
#: elevations are kept to this part of a metre, which float32 holds exactly and compresses well
QUANTUM = 1 / 128

BROOK = (
    (1215, 668), (1150, 640), (1090, 655), (1030, 600), (980, 612), (930, 560), (880, 572), (835, 520),
    (790, 528), (750, 478), (700, 492), (660, 446), (615, 462), (575, 418), (530, 428), (490, 392), (430, 378),
    (380, 350),
)  # fmt: skip
OUTLET = ((190, 250), (140, 232), (100, 246), (60, 205), (20, 208), (-15, 190))
ISLAND_AT = (940.0, 750.0)
SWALE = ((893, 738), (884, 700), (890, 660), (866, 620), (862, 585), (850, 548), (843, 523))


@dataclass(frozen=True, slots=True)
class Kettle:
    """A closed depression: where, how large (radii), the level of its wetland, the slope of its sides."""

    x: float
    y: float
    radii: tuple[float, float]
    level: float
    side: float
    lean: float


KETTLES = {
    "W-2": Kettle(612, 692, (46, 29), 295.4, 0.13, 0.4),
    "W-4": Kettle(925, 752, (68, 44), 297.3, 0.09, 1.9),
    "W-5": Kettle(214, 702, (25, 17), 295.2, 0.06, 2.6),
    "P-1": Kettle(408, 668, (15, 11), 294.6, 0.25, 0.0),
    "W-7": Kettle(722, 208, (36, 26), 304.0, 0.15, 0.9),
}


def line(points: tuple[tuple[float, float], ...]) -> shapely.LineString:
    """Return the smooth line through the corners cut off `points`."""
    return shapely.LineString(smooth_line(list(points)))


@dataclass(frozen=True, slots=True)
class Ground:
    """The terrain, and for each cell its height over the brook's nearest place and its distance from the brook."""

    grid: Grid
    over_brook: Floats
    from_brook: Floats


def _upland(x: Floats, y: Floats, rough: Floats) -> Floats:
    moraine = 12 * np.exp(-(((x - 720) / 330) ** 2) - ((y - 215) / 150) ** 2)
    plain = 297.2 + 0.004 * (x - 300) + 0.004 * (y - 500)
    return np.asarray(plain + moraine + rough * (1.0 + 0.13 * moraine))


def _lake(x: Floats, y: Floats) -> Floats:
    """Return the bowl of the lake; its sides are steep in the south-east, where the moraine stands."""
    east, north = x - LAKE_AT[0], y - LAKE_AT[1]
    angle = np.arctan2(north, east)
    radius = 122 + 24 * np.cos(2 * (angle - 0.35)) + 13 * np.cos(3 * angle + 0.8) + 5 * np.cos(5 * angle + 2)
    distance = np.hypot(east, north) - radius
    south_east = np.mod(angle + 0.8 + np.pi, 2 * np.pi) - np.pi
    side = 0.065 + 0.19 * np.exp(-((south_east / 0.8) ** 2))
    return np.asarray(LAKE_LEVEL + np.where(distance > 0, distance * side, np.maximum(0.11 * distance, -6.5)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Valley:
    """A stream's valley: its course from the upper end to the lower, and the levels of its floor at both."""

    course: tuple[tuple[float, float], ...]
    floor: tuple[float, float]

    def level(self, x: Floats, y: Floats) -> Floats:
        """Return the level of the floor: it falls steadily along the valley's axis."""
        (x0, y0), (x1, y1) = self.course[0], self.course[-1]
        share = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / ((x1 - x0) ** 2 + (y1 - y0) ** 2)
        return np.asarray(self.floor[0] + (self.floor[1] - self.floor[0]) * np.clip(share, -0.1, 1.1))

    def surface(self, x: Floats, y: Floats) -> Floats:
        """Return floor and sides: the flat is wide where the marsh lies, the southern side steep."""
        corners = np.array(self.course)
        middles = (corners[:-2] + 2 * corners[1:-1] + corners[2:]) / 4
        axis = shapely.LineString(smooth_line([self.course[0], *map(tuple, middles[1:-1]), self.course[-1]]))
        distance, station = along(axis, x, y)
        share = station / axis.length
        flat = 17 + 24 * np.exp(-(((share - 0.58) / 0.12) ** 2)) + 14 * np.exp(-(((share - 0.33) / 0.06) ** 2))
        vertices = shapely.get_coordinates(axis)
        south = y < np.interp(x, *(vertices[np.argsort(vertices[:, 0])].T))
        side = ndimage.gaussian_filter(np.where(south, 0.25, 0.096), 6)
        away = ndimage.gaussian_filter(np.maximum(distance - flat, 0), 3)
        return np.asarray(self.level(x, y) + 0.2 + 0.010 * np.minimum(distance, flat) + side * (np.hypot(away, 4) - 4))


def _kettle(kettle: Kettle, x: Floats, y: Floats) -> Floats:
    east, north = x - kettle.x, y - kettle.y
    angle = np.arctan2(north, east)
    wide, high = kettle.radii
    radius = wide * high / np.hypot(high * np.cos(angle), wide * np.sin(angle))
    radius *= 1 + 0.16 * np.cos(3 * angle + kettle.lean) + 0.10 * np.cos(4 * angle + 2 * kettle.lean)
    side = kettle.side * (1 + 0.35 * np.cos(angle - kettle.lean))
    distance = np.hypot(east, north) - radius
    return np.asarray(kettle.level + np.where(distance > 0, distance * side, np.maximum(0.05 * distance, -0.7)))


def _swale(z: Floats, x: Floats, y: Floats) -> Floats:
    """Return the drainageway's bed and sides: it leaves W-4 over a low sill and never rises on its way."""
    distance, station = along(line(SWALE), x, y)
    stations = np.arange(0, line(SWALE).length, 3)
    points = shapely.get_coordinates(shapely.line_interpolate_point(line(SWALE), stations))
    ground = z[((HEIGHT - points[:, 1]) / CELL).astype(int), (points[:, 0] / CELL).astype(int)] - 0.35
    sill = KETTLES["W-4"].level + 0.3
    bed = np.minimum.accumulate(np.where(stations < 35, sill, np.minimum(ground, sill)))
    return np.asarray(np.interp(station, stations, bed) + 0.28 * np.maximum(distance - 1.5, 0))


BROOK_VALLEY = Valley(course=BROOK, floor=(294.4, 285.9))
OUTLET_VALLEY = Valley(course=OUTLET, floor=(286.0, 284.9))


def _landforms(x: Floats, y: Floats) -> Floats:
    """Join the landforms, their shapes bent by noise so that none is a figure of geometry."""
    rough, fine, east, north = (
        fractal(x.shape, CELL, seed=seed, exponent=exponent, smallest=smallest)
        for seed, exponent, smallest in ((451, 3.3, 24), (928, 2.6, 6), (33, 3.1, 16), (36, 3.1, 16))
    )
    bent = x + 8 * east, y + 8 * north
    z = soft_min(_upland(x, y, rough), _lake(*bent), 0.5)
    z = soft_min(z, BROOK_VALLEY.surface(*bent), 0.5)
    z = soft_min(z, OUTLET_VALLEY.surface(*bent), 0.3)
    for kettle in KETTLES.values():
        z = soft_min(z, _kettle(kettle, *bent), 0.3)
    return z + 0.07 * fine


def make_ground() -> Ground:
    """Make the terrain."""
    shape = (round(HEIGHT / CELL), round(WIDTH / CELL))
    x, y = cell_centres(Grid(z=np.zeros(shape), left=0.0, top=HEIGHT, dx=CELL, dy=CELL))
    z = _landforms(x, y)
    # an upland island in W-4, and the swale that drains it
    z += 2.2 * np.exp(-(((x - ISLAND_AT[0]) / 14) ** 2) - ((y - ISLAND_AT[1]) / 10) ** 2)
    z = soft_min(z, _swale(z, x, y), 0.1)
    from_brook, _ = along(line(BROOK), x, y)
    from_outlet, _ = along(line(OUTLET), x, y)
    for distance, valley in ((from_brook, BROOK_VALLEY), (from_outlet, OUTLET_VALLEY)):
        z = np.where(distance < 2.6, np.minimum(z, valley.level(x, y) - 0.45), z)
    z += np.random.default_rng(17).normal(0, 0.015, shape)
    z = np.round(z / QUANTUM) * QUANTUM
    over_brook = ndimage.gaussian_filter(z, 1.2) - BROOK_VALLEY.level(x, y)
    return Ground(
        grid=Grid(z=z, left=0.0, top=HEIGHT, dx=CELL, dy=CELL),
        over_brook=over_brook,
        from_brook=from_brook,
    )
