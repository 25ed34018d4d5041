"""Widths by distances alone: of the buffers' outlines, of points strewn beside the edges, and of cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import shapely
from rasterio import Affine
from rasterio.features import rasterize
from scipy import ndimage
from verify_points import along, distances, inside, near
from verify_read import LINE_FT, Array, Row, Run, Shape, Verdict, within

#: points strewn beside all edges, and stations on the outlines of all buffers, about
POINTS, STATIONS = 300_000, 60_000
#: at least so many of either for each resource, and no denser than this: feet of line
LEAST, DENSEST_FT = 60, 0.25
#: the points reach so far, times the width, and stand so much aside of the edge's normal: radians
REACH, ASIDE = 1.3, np.pi / 4
#: cells of the distance transforms together, and of one; cells in a width, and in a resource from bank to bank
CELLS, MOST_CELLS, FINE, THIN = 9_000_000, 400_000, 15, 4
#: the area of a plain buffer by cells may differ by this share of outline times width; where it differs by more, it is
#: reckoned again in smaller cells, so that what differs because cells are coarse differs less
SHARE, SMALLER = 0.02, (1, 2, 4)
#: where a part of the edge is subject: how far out the ground beside it is asked for, of the way to a point; and how
#: near to the outline, in widths, a point is not asked
STEP, BOUND = 0.05, 0.06
#: a buffer's edge is nowhere further from the true offset: feet
OFFSET_FT = 0.05


@dataclass
class Found:
    """What the points, stations and cells told so far."""

    points: int = 0
    points_wrong: list[str] = field(default_factory=list)
    #: the greatest error of the stations of each buffer: feet
    stations: dict[str, float] = field(default_factory=dict)
    asked: int = 0
    stations_wrong: list[str] = field(default_factory=list)
    shares: dict[str, float] = field(default_factory=dict)
    cells: int = 0
    #: points and stations that another rule than plain distance decides
    odd: int = 0


def verdicts(run: Run) -> Iterator[Verdict]:
    """Judge the buffers by distance: within the width is buffer, beyond it is none, and the outline is at the width."""
    left_out = run.limited()
    frame = run.layers["buffers"]
    rows = [row for row in frame.itertuples() if row.resource_id not in left_out and row.width_ft > 0]
    waters = run.layers["resources"].set_index("resource_id").geometry
    edges = sum(waters[row.resource_id].length for row in rows)
    outlines = sum(row.geometry.length for row in rows)
    found = Found()
    for row in rows:
        judge(run, row, POINTS / max(edges, DENSEST_FT), STATIONS / max(outlines, DENSEST_FT), found)
    beside, on = (
        f"one in {max(total / number / run.ft, DENSEST_FT):.2g} ft"
        for total, number in ((edges, POINTS), (outlines, STATIONS))
    )
    yield Verdict(
        "widths of buffers, by points beside the edge",
        not found.points_wrong,
        f"{len(found.points_wrong):,} of {found.points:,} points ({beside} of edge) are on the wrong side"
        + "".join(f"; {place}" for place in found.points_wrong[:5]),
    )
    if found.stations:
        worst = max(found.stations, key=lambda name: found.stations[name])
        yield Verdict(
            "widths of buffers, by their outlines",
            not found.stations_wrong,
            f"{len(found.stations_wrong):,} of {found.asked:,} stations ({on} of outline, but for those on another "
            f"line) are off the width; greatest difference {found.stations[worst]:.4f} ft ({worst}), allowed "
            f"{OFFSET_FT:g}" + "".join(f"; {place}" for place in found.stations_wrong[:5]),
        )
    if not run.in_part:
        yield cells(found, rows)
    yield from unjudged(found, left_out)


def cells(found: Found, rows: list[Row]) -> Verdict:
    """Say how the areas agree with those by cells."""
    shares = within(
        "areas of plain buffers, by a distance transform", list(found.shares.values()), SHARE, "of outline times width",
        found.shares,
    )  # fmt: skip
    others = len(rows) - len(found.shares)
    why = f"{others:,} not asked: not plain, too large for fine cells, or more than there are cells for"
    return Verdict(shares.quantity, shares.agrees, f"{shares.words}; {why}")


def unjudged(found: Found, left_out: set[str]) -> Iterator[Verdict]:
    """Say what the distances could not judge."""
    if found.odd:
        yield Verdict(
            "ground that provisions add, and ground beside surfaces that do not count",
            None,
            f"{found.odd:,} points and stations there are not judged: more than the distance decides there",
        )
    if left_out:
        yield Verdict("buffers that structures limit", None, "not judged: " + ", ".join(sorted(left_out)))
    yield Verdict(
        "the required width itself",
        None,
        "width_ft is taken as given: class, slope, soil and floor are not decided anew",
    )


def judge(run: Run, row: Row, points_in_unit: float, stations_in_unit: float, found: Found) -> None:
    """Judge one buffer."""
    name, buffer, width = row.resource_id, row.geometry, row.width_ft * run.ft
    resource = run.resource(name)
    waters, tract = run.close(resource, REACH * width)
    lines = np.concatenate([waters, tract])
    for shape in (resource, buffer):
        shapely.prepare(shape)
    points = strewn(resource, width, numbers(resource.length, points_in_unit, run.ft))
    odd = is_odd(run, name, points, width)
    found.odd, found.points = found.odd + int(odd.sum()), found.points + int((~odd).sum())
    points = points[~odd]
    judged = in_part if run.in_part else on_the_wrong_side
    bad = judged(points, resource, buffer, width, LINE_FT * run.ft)
    bad = bad[~near(bad, shapely.boundary(lines), LINE_FT * run.ft)]
    # ground within the width that is no buffer must be water, or off the tract
    excused = ~inside(bad, np.array([buffer])) & (inside(bad, waters) | run.off_tract(bad, tract))
    found.points_wrong += [f"{name} at ({x:.1f}, {y:.1f})" for x, y in bad[~excused]]
    any_odd = bool(odd.any()) | outline(run, row, numbers(buffer.length, stations_in_unit, run.ft), lines, found)
    if not any_odd and buffer.area > 0 and not run.in_part:
        by_cells(run, row, waters, tract if "tract" in run.inputs else None, found)


def numbers(length: float, in_unit: float, ft: float) -> int:
    """How many points a line gets."""
    return int(min(max(length * in_unit, LEAST), max(length / (DENSEST_FT * ft), LEAST)))


def is_odd(run: Run, name: str, points: Array, width: float) -> Array:
    """Points near ground that provisions add, or near surfaces that do not count."""
    # where an inner zone is extended, the next one is measured from there
    behind = width if name in run.zoned else LINE_FT * run.ft
    return np.asarray(near(points, run.added(name), behind) | near(points, run.uncounted, 2 * width))


def strewn(resource: Shape, width: float, count: int) -> Array:
    """Points outward from stations of the edge, up to `REACH` widths off; evenly strewn, and always the same."""
    at, way = along(shapely.orient_polygons(resource), count)
    turn = np.arange(len(at))
    reach = REACH * width * ((turn * 0.7548776662) % 1)  # the plastic number's sequence fills the plane evenly
    aside = ASIDE * (2 * ((turn * 0.5698402910) % 1) - 1) - np.pi / 2  # the ground is to the right of an outline
    cos, sin = np.cos(aside), np.sin(aside)
    outward = np.column_stack([cos * way[:, 0] - sin * way[:, 1], sin * way[:, 0] + cos * way[:, 1]])
    return np.asarray(at + reach[:, None] * outward)


def on_the_wrong_side(points: Array, resource: Shape, buffer: Shape, width: float, slack: float) -> Array:
    """Points surely within the width and not in the buffer, or surely beyond it and in the buffer."""
    asked = shapely.points(points)
    mine = shapely.intersects(buffer, asked)
    lacking = ~mine & shapely.dwithin(resource, asked, width - slack) & ~shapely.intersects(resource, asked)
    return points[lacking | (mine & ~shapely.dwithin(resource, asked, width + slack))]


def in_part(points: Array, resource: Shape, buffer: Shape, width: float, slack: float) -> Array:
    """As `on_the_wrong_side`, where only a part of the edge is subject.

    Ground within the width is buffer where, and only where, the ground next to the edge is that lies straight below it.
    """
    asked, edge = shapely.points(points), shapely.boundary(resource)
    foot = shapely.get_coordinates(shapely.shortest_line(edge, asked)).reshape(-1, 2, 2)[:, 0]
    beside = shapely.points(foot + STEP * (points - foot))
    mine, subject = shapely.intersects(buffer, asked), shapely.intersects(buffer, beside)
    reached = shapely.dwithin(resource, asked, width - slack) & ~shapely.intersects(resource, asked)
    # a part ends between two rays, which stand apart by more the further out
    bound = near(points, np.array([shapely.boundary(buffer)]), BOUND * width)
    beyond = mine & ~shapely.dwithin(resource, asked, width + slack)
    return points[(reached & (mine != subject) & ~bound) | beyond]


def outline(run: Run, row: Row, count: int, lines: Array, found: Found) -> bool:
    """Judge stations of a buffer's outline: at the width from the resource, or on a line that bounds it elsewhere."""
    width, slack = row.width_ft * run.ft, LINE_FT * run.ft
    stations, _ = along(row.geometry, count)
    odd = is_odd(run, row.resource_id, stations, width)
    found.odd += int(odd.sum())
    stations = stations[~odd & ~near(stations, shapely.boundary(lines), slack)]
    found.asked += len(stations)
    error = (distances(stations, np.array([run.resource(row.resource_id)])) - width) / run.ft
    # where the edge ceases to be subject, the outline comes back to it
    error = np.maximum(error, 0) if run.in_part else np.abs(error)
    if len(error):
        found.stations[row.resource_id] = float(error.max())
    bad = error > OFFSET_FT
    found.stations_wrong += [f"{row.resource_id} at ({x:.1f}, {y:.1f})" for x, y in stations[bad]]
    return bool(odd.any())


def by_cells(run: Run, row: Row, waters: Array, tract: Array | None, found: Found) -> None:
    """Compare the area of a plain buffer with that of its cells."""
    resource, width = run.resource(row.resource_id), row.width_ft * run.ft
    for smaller in SMALLER:
        cells = transformed(resource, width, waters, tract, CELLS - found.cells, smaller)
        if cells is None:
            return
        found.cells += cells[1]
        share = abs(cells[0] - row.geometry.area) / ((resource.length + 2 * np.pi * width) * width)
        found.shares[row.resource_id] = share
        if share <= SHARE:
            return


def transformed(
    resource: Shape, width: float, waters: Array, tract: Array | None, most: int, smaller: int = 1
) -> tuple[float, int] | None:
    """Area of the upland within a width from cells and their distance to the nearest cell of the resource; the cells.

    None where cells that are small beside the width would be too many.
    """
    left, bottom, right, top = resource.bounds
    # small beside the width and beside the resource itself
    step = min(width / FINE, 2 * resource.area / max(resource.length, 1e-9) / THIN) / smaller
    if not step > 0:
        return None
    columns, rows = (int(np.ceil((size + 2.2 * width) / step)) for size in (right - left, top - bottom))
    if rows * columns > min(MOST_CELLS, most):
        return None
    grid = Affine(step, 0, left - 1.1 * width, 0, -step, top + 1.1 * width)

    def burnt(shapes: Array) -> Array:
        if not len(shapes):
            return np.zeros((rows, columns), dtype=bool)
        return np.asarray(rasterize(shapes, (rows, columns), transform=grid, dtype="uint8"), dtype=bool)

    # cells stand for their middle: the edge lies half a cell nearer on average
    water = burnt(np.array([resource]))
    if not water.any():
        return None
    reach = ndimage.distance_transform_edt(~water, sampling=step) - step / 2
    upland = ~burnt(waters) & (True if tract is None else burnt(tract))
    return float(((reach <= width) & upland).sum() * step**2), rows * columns
