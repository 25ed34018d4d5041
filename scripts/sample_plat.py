"""The plat of the sample site: street, lots, outlots, houses and drives. Coordinates as in `sample_ground`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely
from sample_ground import HEIGHT, WIDTH, line
from shapely import affinity
from shapely.geometry.base import BaseGeometry

FOOT = 0.3048
#: half the width of the right-of-way (66 ft) and of the pavement (26 ft), and the radii of the cul-de-sac
HALF_RIGHT_OF_WAY, HALF_PAVEMENT = 33 * FOOT, 13 * FOOT
BULB_RIGHT_OF_WAY, BULB_PAVEMENT = 66 * FOOT, 45 * FOOT
DRIVE_WIDTH = 14 * FOOT
HOUSE = (17.0, 11.0)
#: from the street's centre line to the middle of a house
FRONT = 31.0

STREET = (
    (345, 881), (345, 820), (338, 740), (352, 665), (395, 612), (470, 594), (560, 604), (640, 612), (715, 636),
    (775, 652),
)  # fmt: skip
COUNTY_ROAD = shapely.box(0, 863, WIDTH, 887)
TRACT = shapely.box(150, 60, 955, 863)
LOTS = shapely.Polygon(
    (
        (150, 863), (150, 395), (300, 370), (431, 382), (500, 438), (600, 480), (700, 512), (800, 558), (880, 612),
        (955, 640), (955, 863), (842, 863), (842, 764), (640, 768), (540, 764), (432, 752), (432, 863),
    )
)  # fmt: skip
#: where lot lines leave the street, metres along it, on its left (north and east) and right (south and west);
#: and at which angles they leave the middle of the cul-de-sac, degrees counter-clockwise from east
LEFT = (82, 340, 402, 464, 526, 588)
RIGHT = (70, 132, 196, 244, 282, 322, 364, 410, 456, 502, 548, 596)
BULB = (-58, -8, 36, 78)
#: farms and cabins around the tract
NEIGHBOURS = {
    "21.0003": shapely.box(0, 887, 552, HEIGHT),
    "12.0001": shapely.box(552, 887, WIDTH, HEIGHT),
    "23.0011": shapely.box(0, 462, 150, 863),
    "32.0002": shapely.box(0, 60, 150, 462),
    "13.0004": shapely.box(955, 462, WIDTH, 863),
    "42.0001": shapely.box(955, 60, WIDTH, 462),
    "34.0007": shapely.box(0, 0, 552, 60),
    "43.0002": shapely.box(552, 0, WIDTH, 60),
}
PARK = shapely.Polygon(((552, 60), (955, 60), (955, 585), (800, 500), (690, 470), (552, 408)))


@dataclass(frozen=True, slots=True)
class Home:
    """A house with its drive, on the lot of that number."""

    lot: int
    house: BaseGeometry
    drive: BaseGeometry


@dataclass(frozen=True, slots=True)
class Plat:
    """Lots in the order of their numbers (from 1), outlots by name, roads, and the homes to be built."""

    lots: list[BaseGeometry]
    outlots: dict[str, BaseGeometry]
    right_of_way: BaseGeometry
    pavement: BaseGeometry
    homes: list[Home]


def rounded(shape: BaseGeometry) -> BaseGeometry:
    """Return a shape on a grid of centimetres, as plats are drawn."""
    return shapely.set_precision(shape, 0.01)


def _beside(street: shapely.LineString, station: float, offset: float) -> tuple[float, float]:
    """Return the point `offset` to the left of the street at a station (to the right where negative)."""
    (x0, y0), (x1, y1) = (street.interpolate(station + step).coords[0] for step in (-0.5, 0.5))
    return (x0 + x1) / 2 - (y1 - y0) * offset, (y0 + y1) / 2 + (x1 - x0) * offset


def _lot_lines(street: shapely.LineString, ground: BaseGeometry) -> Iterator[shapely.LineString]:
    """Yield the lot lines, each from the street to the first edge of the ground that it meets."""
    rays = [
        shapely.LineString([_beside(street, station, 0), _beside(street, station, side * 330)])
        for side, stations in ((1, LEFT), (-1, RIGHT))
        for station in stations
    ]
    end = np.array(street.coords[-1])
    rays += [
        shapely.LineString([end, end + 330 * np.array([np.cos(angle), np.sin(angle)])]) for angle in np.radians(BULB)
    ]
    for ray in rays:
        # half a metre too long at both ends, so that the lines cross and leave no gap
        parts = shapely.get_parts(ray.intersection(ground.buffer(0.5)))
        yield min(parts, key=lambda part: part.distance(shapely.Point(ray.coords[0])))


def _lots(street: shapely.LineString, ground: BaseGeometry) -> list[BaseGeometry]:
    lines = shapely.union_all([ground.boundary, *_lot_lines(street, ground)], grid_size=0.01)
    pieces = [p for p in shapely.get_parts(shapely.polygonize([lines])) if ground.contains(p.representative_point())]
    return sorted(pieces, key=lambda piece: street.project(piece.centroid))


def _home(street: shapely.LineString, station: float, side: int, lots: list[BaseGeometry]) -> Home | None:
    """Return a house and drive that face the street at a station, or None where no lot has room."""
    at = _beside(street, station, side * FRONT)
    kerb = _beside(street, station + 5, side * HALF_PAVEMENT)
    door = _beside(street, station + 5, side * (FRONT - HOUSE[1] / 2 + 0.5))
    (x0, y0), (x1, y1) = (_beside(street, station + step, 0) for step in (-1, 1))
    box = shapely.box(at[0] - HOUSE[0] / 2, at[1] - HOUSE[1] / 2, at[0] + HOUSE[0] / 2, at[1] + HOUSE[1] / 2)
    house = affinity.rotate(box, np.degrees(np.arctan2(y1 - y0, x1 - x0)))
    drive = shapely.LineString([kerb, door]).buffer(DRIVE_WIDTH / 2, cap_style="flat").difference(house)
    for number, lot in enumerate(lots, 1):
        if lot.buffer(-4).contains(house):
            return Home(number, rounded(house), rounded(drive))
    return None


def _homes(street: shapely.LineString, lots: list[BaseGeometry]) -> Iterator[Home]:
    for side, stations in ((1, (20, *LEFT)), (-1, (20, *RIGHT))):
        for start, stop in itertools.pairwise(stations):
            home = _home(street, (start + stop) / 2, side, lots)
            if home is not None:
                yield home


def make_plat(water: BaseGeometry, wet: BaseGeometry) -> Plat:
    """Lay out the plat; its lots end at the shore of `water`, and no house stands on `wet` ground."""
    street = line(STREET)
    end = shapely.Point(street.coords[-1])
    right_of_way = street.buffer(HALF_RIGHT_OF_WAY, cap_style="flat").union(end.buffer(BULB_RIGHT_OF_WAY))
    pavement = street.buffer(HALF_PAVEMENT, cap_style="flat").union(end.buffer(BULB_PAVEMENT))
    lots = _lots(street, LOTS.difference(right_of_way).difference(water))
    rest = TRACT.difference(shapely.union_all([*lots, right_of_way, water, PARK]), grid_size=0.01)
    parts = [part for part in shapely.get_parts(rest) if part.area > 100]
    parts.sort(key=lambda part: part.centroid.y)
    outlots = {f"Outlot {letter}": part for letter, part in zip("ABC", parts, strict=False)}
    park = PARK.difference(shapely.union_all([*lots, water]), grid_size=0.01)
    return Plat(
        lots=lots,
        outlots={**outlots, "Park": park},
        right_of_way=rounded(right_of_way),
        pavement=rounded(pavement.difference(COUNTY_ROAD)),
        homes=[home for home in _homes(street, lots) if home.house.distance(wet) > 9],
    )
