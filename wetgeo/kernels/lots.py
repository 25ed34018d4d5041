"""Where lot lines meet an edge: crossings, and stretches where a lot line keeps close to the edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numba import njit

from wetgeo.kernels.lines import Bools, Chains, Floats, GeometryArray, Ints
from wetgeo.kernels.near import near_segments

#: a lot line that keeps within half the merging distance of the edge over this many merging distances runs along it
#: (a straight lot line does so where it meets the edge at less than three degrees)
RUN = 20.0
#: lines that end on each other within this fraction of the merging distance meet
TOUCH = 0.02
#: see `meetings`
TIGHT = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Meetings:
    """Stations where the outline of a lot meets a chain, shape (k,) each.

    `low` and `high` bound the stretch about the station in which the lot line is within half the merging distance.
    `run` is True at the ends of a stretch that runs along the edge.
    """

    chain: Ints
    lot: Ints
    station: Floats
    low: Floats
    high: Floats
    run: Bools


@dataclass(slots=True, kw_only=True)
class _Encounters:
    """Pairs of a chain's and a lot's segment that come close: the stretch, and where they cross or a corner lies."""

    chain: Ints
    lot: Ints
    low: Floats
    high: Floats
    tight_low: Floats
    tight_high: Floats
    crossing: Floats
    corner: Floats


def meetings(chains: Chains, lots: GeometryArray, merge: float) -> Meetings:
    """Find where the outlines of lots meet chains.

    A crossing counts. A lot line that keeps within half of `merge` of the chain over `RUN` times `merge` runs along it:
    it counts where it begins to and where it ends, and not between. A line that crosses once on such a stretch, at a
    small angle, does not run along, unless it keeps within a `TIGHT` part of that distance as long.

    Parameters
    ----------
    chains
        Edges.
    lots
        Polygons, shape (m,).
    merge
        Lot lines within this distance are one, coordinate units.
    """
    near = _encounters(chains, lots, merge / 2)
    zone = _zones(chains, near, slack=TOUCH * merge)
    low, high = _extent(zone, near.low, near.high)
    least, most = _extent(zone, near.crossing, near.crossing)
    tight_low, tight_high = _extent(zone, near.tight_low, near.tight_high)
    once = np.isfinite(least) & (most - least <= 2 * merge) & (tight_high - tight_low <= RUN * merge)
    along = (high - low > RUN * merge) & ~once
    some = np.zeros(len(low), dtype=np.intp)
    some[zone] = np.arange(len(zone))
    crossed = np.flatnonzero(~np.isnan(near.crossing) & ~along[zone])
    runs = np.flatnonzero(along & (high - low < chains.lengths[near.chain[some]] - merge))
    ends = np.concatenate(_run_ends(near, zone, low, high, limit=RUN * merge / 2)).reshape(2, -1)[:, runs].ravel()
    pairs, at = np.concatenate([crossed, some[runs], some[runs]]), near.crossing[crossed]
    return Meetings(
        chain=near.chain[pairs],
        lot=near.lot[pairs],
        station=np.concatenate([at, ends]),
        low=np.concatenate([np.maximum(low[zone[crossed]], at - RUN * merge / 2), ends - merge / 2]),
        high=np.concatenate([np.minimum(high[zone[crossed]], at + RUN * merge / 2), ends + merge / 2]),
        run=np.arange(len(pairs)) >= len(crossed),
    )


def joined(group: Ints, low: Floats, high: Floats) -> Ints:
    """Number the unions of overlapping intervals within each group, ascending by group and place; shape (k,)."""
    order = np.lexsort((low, group))
    labels = np.empty(len(order), dtype=np.intp)
    labels[order] = _joined_sorted(group[order], low[order], high[order])
    return labels


@njit(cache=True)
def _joined_sorted(group: Ints, low: Floats, high: Floats) -> Ints:
    labels = np.empty(len(group), dtype=np.intp)
    label, reach = -1, 0.0
    for i in range(len(group)):
        if i == 0 or group[i] != group[i - 1] or low[i] > reach:
            label, reach = label + 1, high[i]
        reach = max(reach, high[i])
        labels[i] = label
    return labels


def _encounters(chains: Chains, lots: GeometryArray, reach: float) -> _Encounters:
    """Pair all segments of chains and lots that come within `reach` of each other."""
    first, chain_of = chains.segments
    start, end = chains.xy[first], chains.xy[first + 1]
    p, q, lot_of = _lot_segments(lots, chains, reach)
    ours, theirs = near_segments(np.stack([start, end], axis=1), np.stack([p, q], axis=1), reach)
    a, along = start[ours], end[ours] - start[ours]
    length = np.hypot(*along.T)
    low, high = _within(a, along, p[theirs], q[theirs], reach)
    tight_low, tight_high = _within(a, along, p[theirs], q[theirs], TIGHT * reach)
    crossing = _crossing(a, along, p[theirs], q[theirs], touch=reach * 2 * TOUCH)
    corner = np.einsum("ij,ij->i", p[theirs] - a, along) / length**2
    corner = np.where((corner >= 0) & (corner <= 1), corner, np.nan)
    away = np.hypot(*(p[theirs] - a - corner[:, None] * along).T)
    base, meets = chains.stations[first[ours]], low <= high
    return _Encounters(
        chain=chain_of[ours][meets],
        lot=lot_of[theirs][meets],
        low=(base + low * length)[meets],
        high=(base + high * length)[meets],
        tight_low=(base + tight_low * length)[meets],
        tight_high=(base + tight_high * length)[meets],
        crossing=(base + np.clip(crossing, 0, 1) * length)[meets],
        corner=np.where(away <= reach, base + corner * length, np.nan)[meets],
    )


def _lot_segments(lots: GeometryArray, chains: Chains, reach: float) -> tuple[Floats, Floats, Ints]:
    """Ends of all outline segments, and the lot of each, of the lots whose box comes within `reach` of a chain's."""
    low = np.minimum.reduceat(chains.xy, chains.offsets[:-1]) - reach
    high = np.maximum.reduceat(chains.xy, chains.offsets[:-1]) + reach
    chosen = np.unique(shapely.STRtree(lots).query(shapely.box(*low.T, *high.T))[1])
    parts, part_of = shapely.get_parts(lots[chosen], return_index=True)
    rings, ring_of = shapely.get_rings(parts, return_index=True)
    xy, of = shapely.get_coordinates(rings, return_index=True)
    first = np.flatnonzero((of[:-1] == of[1:]) & (np.diff(xy, axis=0) != 0).any(axis=1))
    return xy[first], xy[first + 1], chosen[part_of[ring_of[of[first]]]]


def _within(a: Floats, along: Floats, p: Floats, q: Floats, reach: float) -> tuple[Floats, Floats]:
    """Stretch of each segment a + t * along within `reach` of segment pq, as t from 0 to 1; low > high where none.

    Ground within a distance of a segment is convex, so that the stretch is one: the hull of the stretches within two
    discs and a rectangle.
    """
    axis = q - p
    size = np.hypot(*axis.T)
    axis = axis / size[:, None]
    across = np.column_stack([-axis[:, 1], axis[:, 0]])
    lengthwise = _between(_dot(a - p, axis), _dot(along, axis), np.zeros_like(size), size)
    crosswise = _between(
        _dot(a - p, across), _dot(along, across), np.full_like(size, -reach), np.full_like(size, reach)
    )
    stretches = [
        (np.maximum(lengthwise[0], crosswise[0]), np.minimum(lengthwise[1], crosswise[1])),
        _in_disc(a - p, along, reach),
        _in_disc(a - q, along, reach),
    ]
    low, high = np.full(len(size), np.inf), np.full(len(size), -np.inf)
    for one, other in stretches:
        one_in, other_in = np.maximum(one, 0), np.minimum(other, 1)
        meets = one_in <= other_in
        low = np.where(meets, np.minimum(low, one_in), low)
        high = np.where(meets, np.maximum(high, other_in), high)
    return low, high


def _dot(u: Floats, v: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", u, v))


def _between(value: Floats, slope: Floats, least: Floats, most: Floats) -> tuple[Floats, Floats]:
    """Range of t in which value + slope * t lies between two bounds."""
    level = np.abs(slope) < np.finfo(float).tiny
    inside = (value >= least) & (value <= most)
    safe = np.where(level, 1.0, slope)
    one, other = (least - value) / safe, (most - value) / safe
    low = np.where(level, np.where(inside, -np.inf, np.inf), np.minimum(one, other))
    high = np.where(level, np.where(inside, np.inf, -np.inf), np.maximum(one, other))
    return low, high


def _in_disc(offset: Floats, along: Floats, radius: float) -> tuple[Floats, Floats]:
    """Range of t in which offset + t * along lies within `radius` of the origin."""
    square, half = _dot(along, along), _dot(offset, along)
    rest = half**2 - square * (_dot(offset, offset) - radius**2)
    root = np.sqrt(np.maximum(rest, 0))
    return np.where(rest >= 0, (-half - root) / square, np.inf), np.where(rest >= 0, (-half + root) / square, -np.inf)


def _crossing(a: Floats, along: Floats, p: Floats, q: Floats, touch: float) -> Floats:
    """Where segment pq crosses a + t * along, as t; NaN where it does not. Ends may fall short by `touch`."""
    other = q - p
    cross = along[:, 0] * other[:, 1] - along[:, 1] * other[:, 0]
    level = np.abs(cross) <= 1e-12 * np.hypot(*along.T) * np.hypot(*other.T)
    safe = np.where(level, 1.0, cross)
    gap = p - a
    t = (gap[:, 0] * other[:, 1] - gap[:, 1] * other[:, 0]) / safe
    u = (gap[:, 0] * along[:, 1] - gap[:, 1] * along[:, 0]) / safe
    spare_t, spare_u = touch / np.hypot(*along.T), touch / np.hypot(*other.T)
    meets = (t >= -spare_t) & (t <= 1 + spare_t) & (u >= -spare_u) & (u <= 1 + spare_u) & ~level
    return np.where(meets, t, np.nan)


def _zones(chains: Chains, near: _Encounters, slack: float) -> Ints:
    """Number the stretches in which one lot's outline is close to one chain, across the start of rings too."""
    lots = int(near.lot.max(initial=0)) + 1
    group = near.chain * lots + near.lot
    zone = joined(group, near.low - slack / 2, near.high + slack / 2)
    length = chains.lengths[near.chain]
    at_start = chains.closed[near.chain] & (near.low <= slack)
    at_end = chains.closed[near.chain] & (near.high >= length - slack)
    first = dict(zip(group[at_start].tolist(), zone[at_start].tolist(), strict=True))
    last = dict(zip(group[at_end].tolist(), zone[at_end].tolist(), strict=True))
    moved = np.array([last[g] for g in first if g in last and last[g] != first[g]], dtype=np.intp)
    over = np.isin(zone, moved)
    for stations in (near.low, near.high, near.tight_low, near.tight_high, near.crossing, near.corner):
        stations[over] -= length[over]
    into = {last[g]: first[g] for g in first if g in last}
    zone[over] = [into[z] for z in zone[over].tolist()]
    return np.unique(zone, return_inverse=True)[1]


def _extent(zone: Ints, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Least `low` and greatest `high` in each zone, NaN left out; inf and -inf where there is none."""
    count = int(zone.max(initial=-1)) + 1
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    np.fmin.at(least, zone, low)
    np.fmax.at(most, zone, high)
    return least, most


def _run_ends(near: _Encounters, zone: Ints, low: Floats, high: Floats, limit: float) -> tuple[Floats, Floats]:
    """Where lot lines begin and cease to run along the chain, for each zone.

    The zone itself goes on past a corner until the line is too far away; the corner is what counts, where there is one.
    """
    first, last = _extent(zone, np.fmin(near.crossing, near.corner), np.fmax(near.crossing, near.corner))
    return np.where(first - low <= limit, first, low), np.where(high - last <= limit, last, high)
