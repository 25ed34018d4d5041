"""Charts of a buffer's width along a resource's edge."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from wetgeo.outputs.figures import beside, stated
from wetgeo.outputs.plain import one_line

if TYPE_CHECKING:
    from wetgeo.outputs.report_map import Canvas

#: size of a chart, and the room for its axes, in its own unit
WIDTH, HEIGHT = 720, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 10, 12, 28
#: stations further apart than this belong to different pieces of an edge, feet
_APART_FT = 15.0
#: at most so many charts, those with the least margin first
MOST_CHARTS = 24
_TICKS_X, _TICKS_Y = 8, 4
#: beyond this share of the axis, figures would stand out of the chart
_LAST_TICK = 0.97

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Least:
    """The mark where the width is least: its place in the chart, its figure, on which side that stands, and words."""

    x: float
    y: float
    text: str
    side: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One resource's chart: lines as SVG points, ticks, the least width, and stations for whoever points at it."""

    resource_id: str
    width: str
    required: str
    allowed: str
    short: str
    ticks_x: list[tuple[float, str]]
    ticks_y: list[tuple[float, str]]
    floor: float
    ceiling: float
    least: Least | None
    data: list[list[float]]


def charts(profile: pd.DataFrame, averaging: pd.DataFrame, canvas: Canvas) -> list[Chart]:
    """Draw a chart for each resource, those with the least margin first, `MOST_CHARTS` at most."""
    groups = dict(iter(profile.groupby("resource_id", sort=False)))
    judged = averaging.sort_values("margin_ft", kind="stable").to_dict("records")
    return [_chart(groups[one["resource_id"]], one, canvas) for one in judged if one["resource_id"] in groups][
        :MOST_CHARTS
    ]


def _chart(rows: pd.DataFrame, judged: dict[Hashable, Any], canvas: Canvas) -> Chart:
    fields = ("station_ft", "width_ft", "required_ft", "minimum_allowed_ft")
    station, width, required, allowed = (rows[field].to_numpy(dtype=float) for field in fields)
    high_x, high_y = max(float(station.max()), 1.0), max(float(np.nanmax([width.max(), required.max()])) * 1.08, 1.0)
    along = (WIDTH - _LEFT - _RIGHT) / high_x
    x = _LEFT + station * along
    floor = HEIGHT - _BOTTOM

    def up(values: Floats) -> Floats:
        scaled: Floats = floor - values / high_y * (floor - _TOP)
        return scaled

    points = np.array(rows["geometry"], dtype=object)
    nearest = _nearest(points, judged)
    places = canvas.whole(shapely.get_coordinates(points))
    data = np.column_stack([x, station, width, required, allowed, places]).round(2)
    return Chart(
        resource_id=one_line(judged["resource_id"]),
        width=_line(x, up(width), station),
        required=_line(x, up(required), station),
        allowed=_line(x, up(allowed), station),
        short=_short(x, up(width), up(allowed), width < allowed - 0.05),
        ticks_x=[
            (round(_LEFT + tick / high_x * (WIDTH - _LEFT - _RIGHT), 1), f"{tick:,.0f}")
            for tick in _ticks(high_x * _LAST_TICK, _TICKS_X)
        ],
        ticks_y=[(round(float(up(np.array(tick))), 1), f"{tick:,.0f}") for tick in _ticks(high_y, _TICKS_Y)],
        floor=floor,
        ceiling=_TOP,
        least=None
        if nearest is None
        else _least(float(x[nearest]), float(up(np.array(judged["minimum_ft"]))), float(station[nearest]), judged),
        data=data.tolist(),
    )


def _nearest(points: NDArray[np.object_], judged: dict[Hashable, Any]) -> int | None:
    """Find the station beside the place where a width is least; None where that is not known."""
    known = not any(pd.isna(judged[field]) for field in ("minimum_x", "minimum_y", "minimum_ft"))
    if not known:
        return None
    return int(np.argmin(shapely.distance(points, shapely.Point(judged["minimum_x"], judged["minimum_y"]))))


def _least(x: float, y: float, station: float, judged: dict[Hashable, Any]) -> Least:
    text = f"{beside(judged['minimum_ft'], judged['minimum_allowed_ft'])} ft"
    return Least(
        x=round(x, 1),
        y=round(y, 1),
        text=text,
        side="end" if x > WIDTH / 2 else "start",
        words=f"least width {text} at station {station:,.0f} ft; {stated(judged['minimum_allowed_ft'])} ft allowed",
    )


def _pieces(station: Floats) -> Iterator[slice]:
    """Pieces of the edge: stations that follow each other."""
    steps = np.diff(station)
    cuts = [0, *(np.flatnonzero((steps > _APART_FT) | (steps < 0)) + 1).tolist(), len(station)]
    yield from (slice(start, end) for start, end in itertools.pairwise(cuts))


def _line(x: Floats, y: Floats, station: Floats) -> str:
    return "".join(_path(x[piece], y[piece]) for piece in _pieces(station))


def _path(x: Floats, y: Floats) -> str:
    known = np.isfinite(y)
    points = [f"{a:.1f} {b:.1f}" for a, b in zip(x[known].tolist(), y[known].tolist(), strict=True)]
    if not points:
        return ""
    return f"M{points[0]}h.1" if len(points) == 1 else "M" + "L".join(points)


def _short(x: Floats, y: Floats, allowed: Floats, is_short: NDArray[np.bool_]) -> str:
    """Bars over the stations where the width is less than allowed."""
    half = max(abs(float(np.median(np.diff(x)))) / 2 if len(x) > 1 else 0.0, 1.0)
    left, right = np.maximum(x - half, _LEFT), np.minimum(x + half, WIDTH - _RIGHT)
    bars = zip(*(values[is_short].tolist() for values in (left, right, y, allowed)), strict=True)
    return "".join(f"M{a:.1f} {low:.1f}H{b:.1f}V{high:.1f}H{a:.1f}z" for a, b, low, high in bars)


def _ticks(high: float, count: int) -> list[float]:
    """Round figures from 0 up to `high`."""
    rough = high / count
    decade = 10.0 ** np.floor(np.log10(rough))
    step = next(one * decade for one in (1, 2, 5, 10) if one * decade >= rough)
    ticks: list[float] = np.arange(0, high + 1e-9, step).tolist()
    return ticks


def profile_data(found: list[Chart]) -> list[dict[str, Any]]:
    """What the page's script needs of the charts."""
    return [{"id": chart.resource_id, "rows": chart.data} for chart in found]
