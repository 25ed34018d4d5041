"""Dimensions of buffers: where the width is what the rule asks, or where a proposal is narrowest."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import shapely

from wetgeo.outputs.figures import beside, stated
from wetgeo.outputs.sheet_paper import Ink, Paper
from wetgeo.outputs.sheet_plan import View
from wetgeo.outputs.sheet_style import DIMENSION

#: a dimension drawn may differ from the width found by this much, feet; else only the place is marked
_AGREE_FT = 0.3
#: how far from a true offset a buffer's edge may lie, and a little more, feet
_OFFSET_FT = 0.08
#: so many places on each side of the middle of an edge are tried
_TRIES = 24
_ARROW_PT = 5.0
#: shorter dimensions get their arrows from outside
_SHORT_PT = 16.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """A dimension on the paper: from the resource to the edge, points, and what it says."""

    start: tuple[float, float]
    end: tuple[float, float]
    words: tuple[str, ...]

    @property
    def middle(self) -> tuple[float, float]:
        """Where its label leads to."""
        return (self.start[0] + self.end[0]) / 2, (self.start[1] + self.end[1]) / 2


def dimensions(
    view: View,
    layers: Mapping[str, pd.DataFrame],
    proposed: Any,  # noqa: ANN401 -- any shapely geometry
    resource_ids: Collection[str],
) -> list[Dimension]:
    """Find one dimension for each resource of a sheet.

    Where a proposal was judged it stands where this is narrowest; else where the buffer is as wide as required.
    """
    mine = {
        name: layers[name][layers[name]["resource_id"].isin(list(resource_ids))]
        for name in ("averaging", "buffers", "resources", "edges")
        if name in layers
    }
    averaging = mine.get("averaging")
    found = _required(mine, view.foot) if averaging is None else _narrowest(averaging, proposed, view.foot)
    return [
        Dimension(start=tuple(xy[0]), end=tuple(xy[1]), words=words)
        for line, words in found
        if shapely.covers(view.ground, line)
        for xy in [view.xy(shapely.get_coordinates(line)).tolist()]
    ]


def draw_dimension(paper: Paper, one: Dimension) -> None:
    """Draw a dimension: a line with an arrow at each end, from outside where it is short."""
    (x0, y0), (x1, y1) = one.start, one.end
    length = float(np.hypot(x1 - x0, y1 - y0))
    ink, head = DIMENSION.ink, Ink(fill=DIMENSION.ink.line)
    if length < 0.5:
        paper.draw([shapely.Point(one.start).buffer(3).boundary], ink)
        return
    along = np.array([x1 - x0, y1 - y0]) / length
    outside = length < _SHORT_PT
    paper.line([one.start, one.end], ink)
    for tip, way in ((np.array(one.start), along), (np.array(one.end), -along)):
        inward = -way if outside else way
        foot = tip + inward * _ARROW_PT
        side = np.array([-inward[1], inward[0]]) * _ARROW_PT * 0.28
        paper.draw([shapely.Polygon([tip, foot + side, foot - side])], head)
        if outside:
            paper.line([tuple(foot), tuple(foot + inward * _ARROW_PT)], ink)


def _narrowest(averaging: pd.DataFrame, proposed: Any, foot: float) -> Iterator[tuple[Any, tuple[str, ...]]]:  # noqa: ANN401 -- any shapely geometry
    fields = ("minimum_x", "minimum_y", "minimum_ft", "minimum_allowed_ft")
    for x, y, least, allowed in zip(*(averaging[field].tolist() for field in fields), strict=True):
        if pd.isna(x):
            continue
        place = shapely.Point(x, y)
        line = None if shapely.is_empty(proposed) else shapely.shortest_line(place, proposed)
        if line is None or abs(line.length / foot - least) > _AGREE_FT:
            line = shapely.LineString([place, place])
        yield line, (f"least width {beside(least, allowed)} ft", f"allowed {stated(allowed)} ft")


def _required(layers: Mapping[str, pd.DataFrame], foot: float) -> Iterator[tuple[Any, tuple[str, ...]]]:
    buffers, resources, edges = (layers[name] for name in ("buffers", "resources", "edges"))
    shapes = dict(zip(resources["resource_id"], resources["geometry"], strict=True))
    for name, width in zip(buffers["resource_id"].tolist(), buffers["width_ft"].tolist(), strict=True):
        mine = edges[(edges["resource_id"] == name) & (edges["kind"] == "upland")]
        line = None if pd.isna(width) else _across(shapes[name], mine, width * foot, foot)
        if line is not None:
            yield line, (f"{stated(width)} ft",)


def _across(resource: Any, edges: pd.DataFrame, width: float, foot: float) -> Any:  # noqa: ANN401 -- shapely geometries
    """Draw a line of a width from the resource to its buffer's edge, far from the ends of the edge; None for none."""
    lines = sorted(edges["geometry"], key=lambda line: -float(line.length))
    for line in lines:
        shares = np.arange(1, 2 * _TRIES) / (2 * _TRIES)
        points = shapely.line_interpolate_point(
            line, shares[np.argsort(np.abs(shares - 0.5), kind="stable")], normalized=True
        )
        good = np.abs(shapely.distance(points, resource) - width) <= _OFFSET_FT * foot
        if good.any():
            return shapely.shortest_line(resource, points[int(np.argmax(good))])
    return None
