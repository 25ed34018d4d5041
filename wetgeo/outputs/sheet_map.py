"""The map of a plan sheet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from wetgeo.outputs.schedules import numbered
from wetgeo.outputs.sheet_dimensions import Dimension, dimensions, draw_dimension
from wetgeo.outputs.sheet_labels import Labels, Line
from wetgeo.outputs.sheet_paper import Box, Ink, Paper
from wetgeo.outputs.sheet_plan import PlanSheet, View
from wetgeo.outputs.sheet_relief import Contours, draw_contours, label_contours, trace_contours
from wetgeo.outputs.sheet_style import (
    ACCESS,
    AREAS,
    BUFFER,
    DISTURBANCE,
    EXTENSIONS,
    FLOW,
    IMPACTS,
    LOTS,
    MONUMENTS,
    PROPOSED,
    REQUIRED,
    RESOURCES,
    TRACT,
    VIOLATION,
    ZONES,
    Style,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from wetgeo.delineation import Delineation

Shapes = NDArray[np.object_]

#: what is thinner than a line of this width on the paper is drawn without its bends, points
_THIN_PT = 0.04
#: an edge that lies this near to a resource is the resource's own, feet
_OWN_FT = 0.05
_FRAME = Ink(line="#000000", width=1.2)
_POST_PT, _FLUSH_PT = 2.1, 2.0
#: half of the ground that labels leave to a monument
_MARK_PT = 2.6
#: where more monuments stand on a map, their ids would hide everything else
_MOST_NAMED = 250
#: a hatched piece smaller than this gets no label of its own on the paper, square points
_SMALL_PT2 = 4.0


@dataclass(slots=True, kw_only=True)
class Drawn:
    """What a map shows: styles for its legend, contours; labels without room, and monuments too many to be named."""

    styles: list[Style] = field(default_factory=list)
    contours: Contours | None = None
    left_out: list[str] = field(default_factory=list)
    unnamed: int = 0

    def has(self, style: Style) -> None:
        """Note that a style was drawn."""
        if style not in self.styles:
            self.styles.append(style)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """All that maps show, in the working CRS, with the edges of buffers taken apart from those of resources.

    `buffers` are the required ones, united where they overlap.
    """

    layers: Mapping[str, pd.DataFrame]
    foot: float
    buffers: Shapes
    required: Any
    proposed: Any
    disturbance: Shapes

    @classmethod
    def of(cls, delineation: Delineation, foot: float) -> Ground:
        """Take what is to be drawn out of a delineation; `foot` is units of the CRS in a foot."""
        layers = delineation.layers
        buffers = shapes_of(layers, "buffer_union")
        if delineation.recorded == "proposed":
            buffers = shapely.get_parts(shapely.union_all(shapes_of(layers, "buffers")))
        own = shapely.union_all(shapely.buffer(shapely.boundary(shapes_of(layers, "resources")), _OWN_FT * foot))
        return cls(
            layers=layers,
            foot=foot,
            buffers=buffers,
            required=_edge(buffers, own),
            proposed=_edge(shapes_of(layers, "proposed"), own),
            disturbance=shapes_of({} if delineation.disturbance is None else {"": delineation.disturbance}, ""),
        )

    def seen(self, name: str, view: View) -> pd.DataFrame:
        """The rows of a layer that reach into a view; no rows where the command has no such layer."""
        frame = self.layers.get(name)
        if frame is None or frame.empty:
            return pd.DataFrame()
        if name == "impacts":
            frame = numbered(frame)
        return frame[view.sees(frame.geometry.to_numpy())]


def shapes_of(layers: Mapping[str, pd.DataFrame], name: str) -> Shapes:
    """Return the geometries of a layer; none where the command has no such layer."""
    frame = layers.get(name)
    if frame is None or frame.empty:
        return np.empty(0, dtype=object)
    shapes = np.array(frame.geometry, dtype=object)
    return np.asarray(shapes[~shapely.is_missing(shapes)], dtype=object)


def draw_map(
    paper: Paper, sheet: PlanSheet, ground: Ground, delineation: Delineation, keep_off: Collection[Box]
) -> Drawn:
    """Draw the map of a plan sheet.

    Parameters
    ----------
    paper, sheet
        The paper, what the map's frame on it shows, and the resources it is for: only these get dimensions.
    ground, delineation
        What is drawn, and the elevations.
    keep_off
        Ground that labels must keep off.
    """
    view = sheet.view
    water = shapely.union_all(placed(view, shapes_of(ground.layers, "resources")))
    drawn = Drawn(contours=trace_contours(delineation.dem, view, water))
    required = _edges(view, ground)
    _draw_ground(paper, view, ground, drawn)
    if drawn.contours is not None:
        draw_contours(paper, drawn.contours)
    _draw_hatched(paper, view, ground, drawn)
    _draw_resources(paper, view, ground, drawn)
    _draw_impacts(paper, view, ground, drawn)
    for shapes, style in required:
        if len(shapes):
            paper.draw(shapes, style.ink)
            drawn.has(style)
    lines = [shape for shapes, _ in required for shape in shapes]
    monuments = _draw_monuments(paper, view, ground, drawn)
    labels = Labels(paper, view.frame, lines)
    labels.keep_off(keep_off)
    labels.keep_off(Box(x - _MARK_PT, y - _MARK_PT, x + _MARK_PT, y + _MARK_PT) for x, y in monuments[0].tolist())
    found = dimensions(view, ground.layers, ground.proposed, sheet.resource_ids)
    for one in found:
        draw_dimension(paper, one)
        labels.keep_off_line(one.start, one.end)
    if len(monuments[1]) > _MOST_NAMED:
        drawn.unnamed, monuments = len(monuments[1]), (monuments[0][:0], [])
    _label(labels, view, ground, monuments, found, water)
    if drawn.contours is not None:
        label_contours(labels, drawn.contours)
    drawn.left_out = labels.left_out
    paper.box(view.frame, _FRAME)
    return drawn


def placed(view: View, shapes: Any) -> list[Any]:  # noqa: ANN401 -- an array of geometries
    """Put geometries on the paper, without bends that no eye sees and without what lies outside."""
    thin = shapely.simplify(view.place(shapes), _THIN_PT)
    return [shape for shape in thin if not shapely.is_empty(shape)]


def _edge(grounds: Shapes, own: Any) -> Any:  # noqa: ANN401 -- any shapely geometry
    """Draw the edge of ground towards upland: what is not the edge of a resource."""
    if not len(grounds):
        return shapely.MultiLineString()
    return shapely.line_merge(shapely.difference(shapely.boundary(shapely.union_all(grounds)), own))


def _edges(view: View, ground: Ground) -> list[tuple[list[Any], Style]]:
    edges = ground.seen("edges", view)
    tract = edges[edges["kind"] == "tract"] if len(edges) else edges
    return [
        (placed(view, [ground.required]), REQUIRED),
        (placed(view, tract.geometry.to_numpy()) if len(tract) else [], TRACT),
        (placed(view, [ground.proposed]), PROPOSED),
    ]


def _draw_ground(paper: Paper, view: View, ground: Ground, drawn: Drawn) -> None:
    buffers = placed(view, ground.buffers)
    if buffers:
        paper.draw(buffers, BUFFER.ink)
        drawn.has(BUFFER)
    lots = ground.seen("parcels", view)
    if len(lots):
        # shared lot lines once, else their dashes run into each other
        lines = shapely.line_merge(shapely.union_all(shapely.boundary(lots.geometry.to_numpy())))
        paper.draw(placed(view, [lines]), LOTS.ink)
        drawn.has(LOTS)


def _draw_hatched(paper: Paper, view: View, ground: Ground, drawn: Drawn) -> None:
    for name, styles in (("extensions", EXTENSIONS), ("averaging_areas", AREAS)):
        _draw_kinds(paper, view, ground.seen(name, view), styles, drawn)
    zones = ground.seen("zones", view)
    for kind, style in ZONES.items():
        shapes = placed(view, zones[zones["zone"] == kind].boundary.to_numpy()) if len(zones) else []
        if shapes:
            paper.draw(shapes, style.ink)
            drawn.has(style)
    ways = ground.seen("access", view)
    shapes = placed(view, ways.geometry.to_numpy()) if len(ways) else []
    if shapes:
        paper.draw(shapes, ACCESS.ink)
        drawn.has(ACCESS)
    broken = ground.seen("violations", view)
    shapes = placed(view, broken.geometry.to_numpy()) if len(broken) else []
    if shapes:
        paper.draw([shape.buffer(1.5) for shape in shapes], VIOLATION.ink)
        drawn.has(VIOLATION)


def _draw_impacts(paper: Paper, view: View, ground: Ground, drawn: Drawn) -> None:
    """Draw the work and what of the layers it disturbs, over the resources: some of it lies in them."""
    work = placed(view, ground.disturbance)
    if work:
        paper.draw(work, DISTURBANCE.ink)
        drawn.has(DISTURBANCE)
    _draw_kinds(paper, view, ground.seen("impacts", view), IMPACTS, drawn)


def _draw_kinds(paper: Paper, view: View, rows: pd.DataFrame, styles: Mapping[str, Style], drawn: Drawn) -> None:
    for kind, style in styles.items():
        shapes = placed(view, rows[rows["kind"] == kind].geometry.to_numpy()) if len(rows) else []
        if shapes:
            paper.draw(shapes, style.ink)
            drawn.has(style)


def _draw_resources(paper: Paper, view: View, ground: Ground, drawn: Drawn) -> None:
    rows = ground.seen("resources", view)
    for kind, style in RESOURCES.items():
        shapes = placed(view, rows[rows["resource_type"] == kind].geometry.to_numpy()) if len(rows) else []
        if shapes:
            paper.draw(shapes, style.ink)
            drawn.has(style)
    paths = ground.seen("flow_paths", view)
    if len(paths):
        paper.draw(placed(view, paths.geometry.to_numpy()), FLOW.ink)
        drawn.has(FLOW)


def _draw_monuments(paper: Paper, view: View, ground: Ground, drawn: Drawn) -> tuple[NDArray[np.float64], list[str]]:
    """Draw the monuments; returns where they stand on the paper, and their ids."""
    rows = ground.seen("monuments", view)
    if not len(rows):
        return np.empty((0, 2)), []
    xy = view.xy(shapely.get_coordinates(rows.geometry.to_numpy()))
    for kind, style in MONUMENTS.items():
        chosen = xy[(rows["marker"] == kind).to_numpy(dtype=bool)]
        if len(chosen):
            paper.draw(monument_marks(chosen, kind), style.ink)
            drawn.has(style)
    return xy, rows["monument_id"].tolist()


def monument_marks(xy: NDArray[np.float64], kind: str) -> list[Any]:
    """Marks of monuments at points on the paper: discs for posts, squares for those that are flush."""
    if kind == "post":
        return [shapely.Point(at).buffer(_POST_PT, quad_segs=6) for at in xy.tolist()]
    return [shapely.box(x - _FLUSH_PT, y - _FLUSH_PT, x + _FLUSH_PT, y + _FLUSH_PT) for x, y in xy.tolist()]


def _label(
    labels: Labels,
    view: View,
    ground: Ground,
    monuments: tuple[NDArray[np.float64], list[str]],
    found: list[Dimension],
    water: Any,  # noqa: ANN401 -- any shapely geometry
) -> None:
    """Write all labels, those that matter most first."""
    for one in found:
        labels.at_point(one.middle, [Line(text=text, size=7, face="bold", color="#a50026") for text in one.words])
    resources = ground.seen("resources", view)
    for name, kind, shape in _rows(resources, "resource_id", "class", view=view):
        words = [Line(text=name, size=9.5, face="bold", color="#08306b")]
        if not pd.isna(kind):
            words.append(Line(text=kind, size=6.5, face="oblique", color="#08306b"))
        labels.in_ground(shape, words)
    for name, _, shape in _rows(ground.seen("averaging_areas", view), "label", "kind", view=view):
        if shape.area > _SMALL_PT2:
            labels.in_ground(shape, [Line(text=name, size=7.5, face="bold")])
    for number, _, shape in _rows(ground.seen("impacts", view), "number", "kind", view=view):
        labels.in_ground(shape, [Line(text=str(number), size=7.5, face="bold")])
    for at, name in zip(monuments[0].tolist(), monuments[1], strict=True):
        if Box(*view.frame.polygon.bounds).polygon.contains(shapely.Point(at)):
            labels.at_point((at[0], at[1]), [Line(text=name, size=6.5)], near=_MARK_PT)
    _label_lots(labels, view, ground, water)


def _label_lots(labels: Labels, view: View, ground: Ground, water: Any) -> None:  # noqa: ANN401 -- any shapely geometry
    green = shapely.union_all([water, *placed(view, shapes_of(ground.layers, "buffer_union"))])
    for name, _, shape in _rows(ground.seen("parcels", view), "parcel_id", "parcel_id", view=view):
        # beside the buffer where there is room, else in it
        for taken in (green, water):
            free = shapely.difference(shape, taken)
            if not pd.isna(name) and labels.in_ground(
                free, [Line(text=name, size=6.5, color="#505050")], outside=False
            ):
                break


def _rows(frame: pd.DataFrame, name: str, more: str, *, view: View) -> list[tuple[Any, Any, Any]]:
    if frame.empty:
        return []
    shapes = view.place(frame.geometry.to_numpy())
    kept = [row for row in zip(frame[name], frame[more], shapes, strict=True) if not shapely.is_empty(row[2])]
    return sorted(kept, key=lambda row: -float(shapely.area(row[2])))
