"""Which resources stand on which sheet, and at what scale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.outputs.plain import unit_of
from wetgeo.outputs.sheet_paper import INCH, Box
from wetgeo.units import FOOT_M

if TYPE_CHECKING:
    import pandas as pd

    from wetgeo.delineation import Delineation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: feet in an inch of an engineer's scale; beyond the last, these times ten, and so on
SCALES = (10, 20, 30, 40, 50, 60, 100, 200, 300, 400, 500, 1000)
#: at most so many plan sheets
MOST_SHEETS = 40
#: plan sheets are drawn at no smaller scale than the last of `SCALES`, unless one resource alone asks for it
_LAST = SCALES[-1]
#: a buffer is legible where it is at least this wide on the paper, inches
_LEGIBLE_IN = 0.125
#: room for labels on each side of what is drawn, inches
_MARGIN_IN = 0.45


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The window of the ground that a map frame shows, north up.

    Attributes
    ----------
    frame
        The frame on the paper.
    feet
        Feet on the ground in an inch on the paper.
    foot
        Units of the CRS in a foot.
    middle
        Coordinates at the middle of the frame.
    """

    frame: Box
    feet: float
    foot: float
    middle: tuple[float, float]

    @property
    def points(self) -> float:
        """Points on the paper in a unit of the CRS."""
        return INCH / (self.feet * self.foot)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """The ground shown: left, bottom, right, top, CRS units."""
        half = self.frame.width / 2 / self.points, self.frame.height / 2 / self.points
        (x, y), (dx, dy) = self.middle, half
        return x - dx, y - dy, x + dx, y + dy

    @property
    def ground(self) -> shapely.Polygon:
        """The ground shown, CRS units."""
        return shapely.box(*self.bounds)

    def xy(self, coordinates: Floats) -> Floats:
        """Coordinates, shape (n, 2), as points on the paper."""
        moved: Floats = (coordinates - np.array(self.middle)) * self.points + np.array(self.frame.center)
        return moved

    def place(self, geometries: Any) -> NDArray[np.object_]:  # noqa: ANN401 -- an array of geometries
        """Geometries as they stand on the paper, cut at the frame; those that lie outside are empty."""
        shapes = np.array(geometries, dtype=object)
        cut = shapely.intersection(shapes, self.ground)
        return np.asarray(shapely.transform(cut, self.xy), dtype=object)

    def sees(self, geometries: Any) -> NDArray[np.bool_]:  # noqa: ANN401 -- an array of geometries
        """Which geometries reach into the frame."""
        return np.asarray(shapely.intersects(np.array(geometries, dtype=object), self.ground), dtype=bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSheet:
    """The resources that a sheet is for, and the view of its map."""

    resource_ids: tuple[str, ...]
    view: View


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPlan:
    """All plan sheets; none where there would be too many. `least_feet` is the scale that all were held to."""

    sheets: tuple[PlanSheet, ...]
    least_feet: float

    @property
    def is_reduced(self) -> bool:
        """Whether sheets are smaller than their resources alone would ask for."""
        return self.least_feet > SCALES[0]


def scales() -> Iterator[float]:
    """All scales from the largest: feet in an inch."""
    decade = 1.0
    while True:
        yield from (one * decade for one in SCALES if decade == 1 or one > 100 or one == 20)
        decade *= 10


def fit_scale(width_ft: float, height_ft: float, frame: Box) -> float:
    """Choose the largest scale at which so much ground, and room for labels, fits into a frame."""
    inches = frame.width / INCH - 2 * _MARGIN_IN, frame.height / INCH - 2 * _MARGIN_IN
    needed = max(width_ft / inches[0], height_ft / inches[1])
    return next(feet for feet in scales() if feet >= needed)


def plan_sheets(delineation: Delineation, frame: Box) -> SheetPlan:
    """Group resources that fit one sheet at the same scale.

    The resource that needs the most room goes first and takes its nearest neighbours along, as long as all fit and
    their buffers stay legible. Where that makes too many sheets, the scale gets smaller until there are few enough.

    Parameters
    ----------
    delineation
        With conformed layers. Sheets are for resources that have a buffer; for all of them where none has.
    frame
        The map frame.
    """
    foot = FOOT_M / unit_of(delineation.crs)[1]
    layers = delineation.layers
    name = "buffers" if len(layers["buffers"]) else "resources"
    ids = layers[name]["resource_id"].to_numpy()
    bounds = ground_bounds(layers[name])
    proposed = layers.get("proposed")
    if proposed is not None and len(proposed):
        bounds = _joined(ids, bounds, proposed)
    widths = layers["buffers"]["width_ft"].to_numpy(dtype=float) if name == "buffers" else np.full(len(ids), np.nan)
    size = (bounds[:, 2:] - bounds[:, :2]) / foot
    own = np.array([fit_scale(width, height, frame) for width, height in size.tolist()], dtype=np.float64)
    for least in SCALES:
        groups = _grouped(bounds, np.maximum(own, least), widths if least == SCALES[0] else None, frame, foot)
        if groups is not None:
            return SheetPlan(
                sheets=tuple(
                    PlanSheet(
                        resource_ids=tuple(ids[list(rows)].tolist()),
                        view=View(frame=frame, feet=feet, foot=foot, middle=middle),
                    )
                    for rows, feet, middle in groups
                ),
                least_feet=least,
            )
    return SheetPlan(sheets=(), least_feet=_LAST)


def ground_bounds(frame: pd.DataFrame) -> Floats:
    """Bounds of a layer's geometries, shape (n, 4)."""
    found: Floats = shapely.bounds(np.array(frame["geometry"], dtype=object)).reshape(-1, 4)
    return found


def _joined(ids: NDArray[np.object_], bounds: Floats, proposed: pd.DataFrame) -> Floats:
    """Bounds of resources' buffers together with what is proposed for them."""
    place = {name: row for row, name in enumerate(ids.tolist())}
    joined = bounds.copy()
    for name, (left, bottom, right, top) in zip(proposed["resource_id"], ground_bounds(proposed).tolist(), strict=True):
        row = joined[place[name]] if name in place else None
        if row is not None:
            row[:2] = np.minimum(row[:2], (left, bottom))
            row[2:] = np.maximum(row[2:], (right, top))
    return joined


Group = tuple[tuple[int, ...], float, tuple[float, float]]


def _grouped(
    bounds: Floats, own: Floats, widths_ft: Floats | None, frame: Box, foot: float
) -> tuple[Group, ...] | None:
    """Group rows: the rows of each sheet, its scale and its middle; None where there are too many."""
    order = np.lexsort((bounds[:, 0], -bounds[:, 3], -own))
    free = np.ones(len(bounds), dtype=bool)
    groups: list[Group] = []
    for seed in order.tolist():
        if not free[seed]:
            continue
        if len(groups) == MOST_SHEETS:
            return None
        feet = float(own[seed])
        may = free & (own <= feet)
        if widths_ft is not None:
            may &= ~(widths_ft < _LEGIBLE_IN * feet)
        rows, reach = _gathered(bounds, seed, may, feet, frame, foot)
        free[rows] = False
        middle = (float(reach[0] + reach[2]) / 2, float(reach[1] + reach[3]) / 2)
        groups.append((tuple(sorted(rows)), feet, middle))
    return tuple(sorted(groups))


def _gathered(
    bounds: Floats, seed: int, may: NDArray[np.bool_], feet: float, frame: Box, foot: float
) -> tuple[list[int], Floats]:
    """Take in neighbours, the nearest first, as long as all fit at a scale."""
    room = np.array([frame.width, frame.height]) / INCH - 2 * _MARGIN_IN
    room = room * feet * foot
    rows, reach = [seed], bounds[seed].copy()
    may = may.copy()
    may[seed] = False
    while may.any():
        joined = np.hstack([np.minimum(bounds[:, :2], reach[:2]), np.maximum(bounds[:, 2:], reach[2:])])
        grown = joined[:, 2:] - joined[:, :2]
        fits = may & (grown <= room).all(axis=1)
        if not fits.any():
            break
        gap = np.maximum(np.maximum(bounds[:, :2] - reach[2:], reach[:2] - bounds[:, 2:]), 0)
        away = np.where(fits, np.hypot(gap[:, 0], gap[:, 1]), np.inf)
        spread = np.where(fits, (grown / room).max(axis=1), np.inf)
        chosen = int(np.lexsort((spread, away))[0])
        rows.append(chosen)
        reach = joined[chosen]
        may = fits
        may[chosen] = False
    return rows, reach
