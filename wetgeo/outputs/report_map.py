"""The map of report.html: layers as SVG paths in whole numbers, and what the page tells of each feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from wetgeo.frames import SOURCE_PREFIX
from wetgeo.layers import LAYERS
from wetgeo.outputs.plain import one_line, unit_of
from wetgeo.units import FOOT_M

if TYPE_CHECKING:
    from wetgeo.delineation import Delineation

#: how far lines may be simplified, feet: the first at which the map is small enough
TOLERANCES_FT = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0)
MOST_PATH_CHARS = 2_000_000
#: text of a field that is longer is cut
_LONGEST = 300
#: so many fields of features are told in all; beyond, the file's own columns are left out
_MOST_VALUES = 120_000
#: of numbers; a thousandth of anything else is more than was measured
_DECIMALS = {"lon": 7, "lat": 7}
#: room around everything, as a share of its size
_MARGIN = 0.04


#: the work itself, which is no layer of the outputs
DISTURBANCE = "disturbance"


@dataclass(frozen=True, slots=True)
class MapLayer:
    """A layer of the map: its name in the outputs, what the page calls it, whether it shows at first."""

    name: str
    title: str
    shown: bool = True
    kinds: str = ""


#: from the bottom up; ``kinds`` is the field that a feature's look depends on
MAP_LAYERS = (
    MapLayer("buffers", "Required buffer"),
    MapLayer("extensions", "Extensions", kinds="kind"),
    MapLayer("zones", "Zones of streams", shown=False, kinds="zone"),
    MapLayer("proposed", "Proposed buffer"),
    MapLayer("averaging_areas", "Areas reduced, added, not counted", kinds="kind"),
    MapLayer("access", "Access"),
    MapLayer("resources", "Wetlands, lakes, streams", kinds="resource_type"),
    MapLayer(DISTURBANCE, "Ground disturbed"),
    MapLayer("impacts", "Disturbed of wetlands, buffers, communities", kinds="kind"),
    MapLayer("parcels", "Lots that hold buffer"),
    MapLayer("flow_paths", "Paths of water"),
    MapLayer("edges", "Buffer edge", kinds="kind"),
    MapLayer("violations", "Falls short of the rule"),
    MapLayer("monuments", "Monuments", kinds="marker"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A feature on the map: its path, the kind that its look depends on, and its place in its layer's rows."""

    path: str
    kind: str
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A name on the map."""

    text: str
    x: int
    y: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnLayer:
    """A layer with its features' paths."""

    layer: MapLayer
    shapes: list[Shape]


class Canvas:
    """Puts coordinates of the working CRS on the map."""

    #: left, top, width and height of everything, in the map's unit
    box: tuple[int, int, int, int]

    def __init__(self, bounds: NDArray[np.float64], unit_ft: float, foot: float) -> None:
        left, bottom, right, top = bounds.tolist()
        self._origin = np.array([left, top])
        self._unit = unit_ft * foot
        width, height = (right - left) / self._unit, (top - bottom) / self._unit
        room = max(width, height, 1.0) * _MARGIN
        self.box = (-round(room), -round(room), round(width + 2 * room), round(height + 2 * room))

    def whole(self, xy: NDArray[np.float64]) -> NDArray[np.int64]:
        """Coordinates, shape (n, 2), as whole numbers on the map."""
        placed = (xy - self._origin) / self._unit * np.array([1.0, -1.0])
        return np.asarray(np.rint(placed), dtype=np.int64)

    def path(self, geometry: Any) -> str:  # noqa: ANN401 -- any shapely geometry
        """Write a geometry as an SVG path; a point is a line without length, which a round end makes a dot."""
        pieces = []
        for part in shapely.get_parts(geometry):
            dimension = shapely.get_dimensions(part)
            rings = shapely.get_parts(shapely.boundary(part)) if dimension == 2 else [part]
            for ring in rings:
                xy = self.whole(shapely.get_coordinates(ring))
                if len(xy):
                    pieces.append(_piece(xy, closed=dimension == 2))
        return "".join(pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMap:
    """All that the page's map shows.

    Attributes
    ----------
    layers, labels
        What is drawn, from the bottom up, in the map's unit, y downward.
    canvas
        What puts coordinates on the map.
    unit_ft, tolerance_ft
        Feet in the map's unit, and how far lines were simplified, feet.
    features
        By layer: the names of the fields, and each row's values.
    """

    layers: list[DrawnLayer]
    labels: list[Label]
    canvas: Canvas
    unit_ft: float
    tolerance_ft: float
    features: dict[str, dict[str, Any]]


def page_map(delineation: Delineation) -> PageMap | None:
    """Draw the map, simplified as much as its size asks for; None where there is nothing to show."""
    layers = delineation.layers
    there = {layer.name: layers[layer.name] for layer in MAP_LAYERS if len(layers.get(layer.name, ()))}
    if not there:
        return None
    if delineation.disturbance is not None and len(delineation.disturbance):
        there[DISTURBANCE] = delineation.disturbance
    foot = FOOT_M / unit_of(delineation.crs)[1]
    reach = _reach(there)
    for tolerance in TOLERANCES_FT:
        unit_ft = max(tolerance, 0.1)
        canvas = Canvas(reach, unit_ft, foot)
        drawn = [
            _drawn(layer, there[layer.name], canvas, tolerance * foot) for layer in MAP_LAYERS if layer.name in there
        ]
        if sum(len(shape.path) for one in drawn for shape in one.shapes) <= MOST_PATH_CHARS:
            break
    return PageMap(
        layers=drawn,
        labels=_labels(layers["resources"], canvas),
        canvas=canvas,
        unit_ft=unit_ft,
        tolerance_ft=tolerance,
        features=_features(there),
    )


def _reach(there: dict[str, pd.DataFrame]) -> NDArray[np.float64]:
    """Bounds of everything; work far from all the rest is left out of them rather than make that small."""
    own = np.array([frame.total_bounds for name, frame in there.items() if name != DISTURBANCE])
    low, high = np.nanmin(own[:, :2], axis=0), np.nanmax(own[:, 2:], axis=0)
    if DISTURBANCE in there:
        left, bottom, right, top = there[DISTURBANCE].total_bounds.tolist()
        room = high - low
        low = np.maximum(np.minimum(low, (left, bottom)), low - room)
        high = np.minimum(np.maximum(high, (right, top)), high + room)
    return np.concatenate([low, high])


def _drawn(layer: MapLayer, frame: pd.DataFrame, canvas: Canvas, tolerance: float) -> DrawnLayer:
    shapes = shapely.simplify(np.array(frame["geometry"], dtype=object), tolerance)
    kinds = frame[layer.kinds].tolist() if layer.kinds else [""] * len(frame)
    found = []
    for row, (shape, kind) in enumerate(zip(shapes, kinds, strict=True)):
        path = "" if shape is None else canvas.path(shape)
        if path:
            found.append(Shape(path=path, kind="" if pd.isna(kind) else str(kind), row=row))
    return DrawnLayer(layer=layer, shapes=found)


def _piece(xy: NDArray[np.int64], *, closed: bool) -> str:
    steps = np.diff(xy, axis=0)
    steps = steps[(steps != 0).any(axis=1)]
    if closed and len(steps):
        steps = steps[:-1]
    start = f"M{xy[0, 0]} {xy[0, 1]}"
    if not len(steps):
        return f"{start}h0"
    words = " ".join(map(str, steps.ravel().tolist())).replace(" -", "-")
    return f"{start}l{words}{'z' if closed else ''}"


def _labels(resources: pd.DataFrame, canvas: Canvas) -> list[Label]:
    """Name resources, the largest first, so that the page may leave out what has no room."""
    shapes = np.array(resources["geometry"], dtype=object)
    places = canvas.whole(shapely.get_coordinates(shapely.point_on_surface(shapes)).reshape(-1, 2))
    order = np.argsort(-shapely.area(shapes), kind="stable")
    names = resources["resource_id"].tolist()
    return [Label(text=one_line(names[row]), x=int(places[row, 0]), y=int(places[row, 1])) for row in order.tolist()]


def _features(there: dict[str, pd.DataFrame]) -> dict[str, dict[str, Any]]:
    total = sum(frame.size for frame in there.values())
    found = {}
    for name, frame in there.items():
        own = [] if total > _MOST_VALUES else [str(c) for c in frame.columns if str(c).startswith(SOURCE_PREFIX)]
        fields = ("cause",) if name == DISTURBANCE else LAYERS[name].names
        names = [field for field in (*fields, *own) if frame[field].notna().any()]
        rows = list(zip(*([_told(one, field) for one in frame[field].tolist()] for field in names), strict=True))
        found[name] = {"fields": names, "rows": rows}
    return found


def _told(value: Any, field: str) -> Any:  # noqa: ANN401 -- a value of any field
    """Turn a value into what JSON has: numbers rounded, text on one line and not too long, null."""
    if not isinstance(value, (list, dict)) and pd.isna(value):
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)) and abs(int(value)) < 2**53:
        return int(value)
    if isinstance(value, (float, np.floating)) and np.isfinite(value):
        return round(float(value), _DECIMALS.get(field, 3))
    text = one_line(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
