"""Ground behind surfaces that do not count: the shortest straight way to the water, less what it crosses of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import shapely
from verify_points import inside, near
from verify_read import LINE_FT, Array, Row, Run, Shape, Verdict
from verify_widths import REACH, strewn

#: points strewn beside all edges that such surface lies near, about, and most beside one; they reach so many widths
POINTS, MOST, WIDTHS = 150_000, 25_000, 2.0
QUANTITY = "vegetated distance behind surfaces that do not count"


def verdicts(run: Run) -> Iterator[Verdict]:
    """Check that ground is buffer where, and only where, the way to it crosses the width of ground that counts."""
    if not len(run.crossed):
        return
    if run.in_part:
        yield Verdict(QUANTITY, None, "not judged where a part of the edge is subject")
        return
    left_out = run.limited() | run.zoned
    rows = [row for row in run.layers["buffers"].itertuples() if row.resource_id not in left_out and row.width_ft > 0]
    tree = shapely.STRtree(run.crossed)
    beside = {
        row: tree.query(run.resource(row.resource_id), predicate="dwithin", distance=WIDTHS * row.width_ft * run.ft)
        for row in rows
    }
    beside = {row: found for row, found in beside.items() if len(found)}
    wrong, count = [], 0
    for row, found in beside.items():
        points, bad = judge(run, row, shapely.union_all(run.crossed[found]), min(POINTS // len(beside), MOST))
        count += len(points)
        wrong += [f"{row.resource_id} at ({x:.1f}, {y:.1f})" for x, y in points[bad]]
    words = f"{len(wrong):,} of {count:,} points behind them are on the wrong side of the width"
    yield Verdict(QUANTITY, not wrong, words + "".join(f"; {place}" for place in wrong[:5]))


def judge(run: Run, row: Row, surface: Shape, count: int) -> tuple[Array, Array]:
    """Points whose way to the water crosses the surface, and which of them are surely on the wrong side."""
    resource, width, slack = run.resource(row.resource_id), row.width_ft * run.ft, LINE_FT * run.ft
    points = strewn(resource, WIDTHS / REACH * width, count)
    points = points[~near(points, run.added(row.resource_id), slack)]
    ways = shapely.shortest_line(resource, shapely.points(points))
    crossed = shapely.length(shapely.intersection(ways, surface))
    behind = crossed > slack
    points, counts = points[behind], (shapely.length(ways) - crossed)[behind]
    waters, tract = run.close(resource, WIDTHS * width)
    mine = inside(points, np.array([row.geometry]))
    bad = np.where(mine, counts > width + slack, counts <= width - slack)
    bad[bad] &= ~near(points[bad], shapely.boundary(np.concatenate([waters, tract, [row.geometry]])), slack)
    # ground within the width that is no buffer is water, surface itself, or off the tract
    lacking = bad & ~mine
    excused = inside(points[lacking], waters) | near(points[lacking], run.bare, slack)
    bad[lacking] = ~excused & ~run.off_tract(points[lacking], tract)
    return points, bad
