"""Key sheets: where the plan sheets lie, or the whole site where there would be too many of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from wetgeo.outputs.plain import unit_of
from wetgeo.outputs.schedules import Column, Schedule
from wetgeo.outputs.sheet_labels import Labels, Line
from wetgeo.outputs.sheet_map import Drawn, Ground, placed, shapes_of
from wetgeo.outputs.sheet_paper import INCH, Box, Ink, Paper
from wetgeo.outputs.sheet_plan import PlanSheet, SheetPlan, View, fit_scale, ground_bounds, scales
from wetgeo.outputs.sheet_style import BUFFER, PROPOSED, REQUIRED, RESOURCES, Style
from wetgeo.outputs.sheet_verdict import WORDS, is_judged, verdict_color
from wetgeo.units import FOOT_M

if TYPE_CHECKING:
    from collections.abc import Collection

    from wetgeo.delineation import Delineation

#: at most so many key sheets where there are no plan sheets
MOST_KEYS = 12

_SHEET = Style(ink=Ink(line="#a50026", width=1.1), name="Plan sheet, its number")
_BUFFER = Style(ink=Ink(line="#3a6b1c", width=0.6, fill="#cfe3b4"), name=BUFFER.name)
_REQUIRED = Style(ink=Ink(line=REQUIRED.ink.line, width=0.7, dash=(4, 2)), name=REQUIRED.name, swatch="line")
_PROPOSED = Style(ink=Ink(line=PROPOSED.ink.line, width=1.3), name=PROPOSED.name, swatch="line")
_FRAME = Ink(line="#000000", width=1.2)
#: parts of the map of a key sheet that stay free of what is to be labelled, on each side, points
_MARGIN = 0.45 * INCH


def plan_keys(delineation: Delineation, plan: SheetPlan, frame: Box) -> list[View]:
    """Choose the views of the key sheets: one of everything, and where there are no plan sheets, parts of it."""
    foot = FOOT_M / unit_of(delineation.crs)[1]
    name = "buffers" if len(delineation.layers["buffers"]) else "resources"
    bounds = ground_bounds(delineation.layers[name])
    if plan.sheets:
        bounds = np.array([sheet.view.bounds for sheet in plan.sheets])
    left, bottom, right, top = (float(one) for one in (*bounds[:, :2].min(axis=0), *bounds[:, 2:].max(axis=0)))
    middle = ((left + right) / 2, (bottom + top) / 2)
    feet = fit_scale((right - left) / foot, (top - bottom) / foot, frame)
    whole = View(frame=frame, feet=feet, foot=foot, middle=middle)
    return [whole] if plan.sheets else [whole, *_parts(whole, bounds)]


def _parts(whole: View, bounds: Any) -> list[View]:  # noqa: ANN401 -- an array of bounds
    """Divide a view into views of a larger scale that hold something, as many as there may be."""
    best: list[View] = []
    for feet in reversed(_below(whole.feet)):
        views = _tiled(whole, feet, bounds)
        if len(views) >= MOST_KEYS:
            break
        best = views
    return best


def _below(feet: float) -> list[float]:
    found: list[float] = []
    for one in scales():
        if one >= feet:
            break
        found.append(one)
    return found


def _tiled(whole: View, feet: float, bounds: Any) -> list[View]:  # noqa: ANN401 -- an array of bounds
    width = (whole.frame.width - 2 * _MARGIN) / INCH * feet * whole.foot
    height = (whole.frame.height - 2 * _MARGIN) / INCH * feet * whole.foot
    left, top = bounds[:, 0].min(), bounds[:, 3].max()
    column = ((bounds[:, 0] + bounds[:, 2]) / 2 - left) // width
    row = (top - (bounds[:, 1] + bounds[:, 3]) / 2) // height
    tiles = np.unique(np.stack([row, column], axis=1), axis=0)
    return [
        View(
            frame=whole.frame,
            feet=feet,
            foot=whole.foot,
            middle=(float(left + (c + 0.5) * width), float(top - (r + 0.5) * height)),
        )
        for r, c in tiles.tolist()
    ]


def draw_key(
    paper: Paper,
    view: View,
    delineation: Delineation,
    sheets: Collection[PlanSheet],
    ground: Ground | None,
    *,
    first: int,
    keep_off: Collection[Box],
) -> Drawn:
    """Draw the map of a key sheet; the plan sheets are numbered from `first`.

    `ground` gives the edges of what is required and what is proposed, where a buffer was judged.
    """
    drawn = Drawn()
    layers = delineation.layers
    judged = ground if is_judged(delineation) else None
    buffers = placed(view, shapes_of(layers, "buffer_union") if judged is None else judged.buffers)
    if buffers:
        paper.draw(buffers, _BUFFER.ink)
        drawn.has(_BUFFER)
    rows = layers["resources"]
    for kind, style in RESOURCES.items():
        shapes = placed(view, rows[rows["resource_type"] == kind].geometry.to_numpy())
        if shapes:
            thin = Style(ink=Ink(line=style.ink.line, width=0.5, fill=style.ink.fill), name=style.name)
            paper.draw(shapes, thin.ink)
            drawn.has(thin)
    for edge, style in () if judged is None else ((judged.required, _REQUIRED), (judged.proposed, _PROPOSED)):
        lines = placed(view, [edge])
        if lines:
            paper.draw(lines, style.ink)
            drawn.has(style)
    frames = placed(view, [sheet.view.ground for sheet in sheets])
    labels = Labels(paper, view.frame, [frame.boundary for frame in frames])
    labels.keep_off(keep_off)
    if frames:
        paper.draw(frames, _SHEET.ink)
        drawn.has(_SHEET)
    for number, frame in enumerate(frames, first):
        left, _, _, top = frame.bounds
        labels.at_point((left, top), [Line(text=f"Sheet {number}", size=8, face="bold", color="#a50026")])
    _name_resources(labels, view, delineation, outside=not sheets)
    paper.box(view.frame, _FRAME)
    drawn.left_out = labels.left_out
    return drawn


def sheet_list(sheets: Collection[PlanSheet], *, first: int) -> Schedule:
    """List the plan sheets, their scales and resources."""
    return Schedule(
        name="sheets",
        title="Plan sheets",
        columns=(Column("sheet", "Sheet", "count"), Column("scale", "Scale", "ft"), Column("resources", "Resources")),
        rows=[
            (str(number), f'1" = {sheet.view.feet:,.0f} ft', ", ".join(sheet.resource_ids))
            for number, sheet in enumerate(sheets, first)
        ],
    )


def _name_resources(labels: Labels, view: View, delineation: Delineation, *, outside: bool) -> None:
    """Write ids of resources with a buffer, the largest first, as long as there is room in them, or also beside."""
    resources = delineation.layers["resources"]
    named = set(delineation.layers["buffers"]["resource_id"])
    rows = resources[resources["resource_id"].isin(named)] if named else resources
    averaging = delineation.layers.get("averaging")
    found = {} if averaging is None else dict(zip(averaging["resource_id"], averaging["verdict"], strict=True))
    shapes = view.place(rows.geometry.to_numpy())
    sized = sorted(zip(rows["resource_id"], shapes, strict=True), key=lambda row: -float(shapely.area(row[1])))
    for name, shape in sized:
        if not shapely.is_empty(shape):
            words = [Line(text=name, size=7, face="bold", color="#08306b")]
            if name in found:
                words.append(Line(text=WORDS[found[name]], size=6.5, face="bold", color=verdict_color(found[name])))
            labels.in_ground(shape, words, outside=outside or name in found)
