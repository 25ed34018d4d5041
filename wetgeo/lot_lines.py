"""Lot lines along edges: where they cross, which of them must be marked, and the pieces that each lot holds."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from wetgeo.edges import SPLINTER_FT, Edges
from wetgeo.kernels.lines import Chains, Floats, Ints
from wetgeo.kernels.lots import Meetings, joined, meetings
from wetgeo.parcels import Lots
from wetgeo.site import Site

Holders = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of one chain that one resource's footprint bounds and the same lots hold; stations in CRS units.

    On a closed chain `end` may lie past the chain's length.
    """

    chain: int
    start: float
    end: float
    resource_id: str
    holders: Holders


def piece_at(pieces: Sequence[Piece], place: float, length: float) -> Piece:
    """Return the piece of a chain that holds a station; where one ends and the next begins, the next.

    Parameters
    ----------
    pieces
        All pieces of the chain, in order.
    place, length
        The station, and the length of the chain; CRS units.
    """
    # on a closed chain those before the first piece begin after a whole lap
    on_lap = place if place >= pieces[0].start else place + length
    return pieces[bisect_right(pieces, on_lap, key=lambda piece: piece.start) - 1]


@dataclass(frozen=True, slots=True)
class LotLine:
    """A station where lot lines meet a chain; lines that are nearer than the merging distance are one.

    `lots` are those on either side. `marked` is False where none of the lots that change there has more than the token
    length of edge; the ends of a line that runs along the edge always are.
    """

    chain: int
    station: float
    lots: Holders
    marked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LotLines:
    """The edges of one kind with the lots along them; `pieces` cover all chains, in order."""

    edges: Edges
    lots: Lots
    lines: tuple[LotLine, ...]
    pieces: tuple[Piece, ...]

    @property
    def chains(self) -> Chains:
        """The edges' lines."""
        return self.edges.chains


@dataclass(slots=True)
class _Cut:
    """A place where holders may change, before it is known whether they do."""

    station: float
    lots: Holders
    run: bool


def lot_lines(
    edges: Edges,
    lots: Lots,
    *,
    merge_ft: float,
    token_ft: float,
    site: Site,
    elsewhere: Mapping[int, Sequence[float]] | None = None,
) -> LotLines:
    """Find the lot lines along edges.

    Lot lines within `merge_ft` of each other, and such that meet the edge within twice that, are one, midway. A place
    where the same lots hold the edge before and after is none, unless a lot line begins or ceases to run along the edge
    there. Within twice `merge_ft` of the end of an open edge the end itself is the lot line.

    Parameters
    ----------
    edges, lots
        Edges of one kind, and the parcels.
    merge_ft
        Lot lines within this distance are one, feet.
    token_ft
        A line is marked where a lot with more edge than this ends, feet.
    site
        For units.
    elsewhere
        Lengths of further edge that lots have, by lot, CRS units, where `edges` are not all.
    """
    merge = merge_ft * site.ft
    found = meetings(edges.chains, lots.geometries, merge) if len(lots) and len(edges.chains) else None
    cuts = _merged(edges.chains, found, 2 * merge) if found is not None else {}
    stretches: dict[int, list[tuple[float, float, Holders]]] = {}
    kept: dict[int, list[_Cut]] = {}
    raw = _stations_by_chain(edges.chains, found)
    held = _held(edges.chains, lots, raw, merge / 2)
    for chain in range(len(edges.chains)):
        kept[chain], stretches[chain] = _stretches(edges.chains, chain, cuts.get(chain, []), raw[chain], held[chain])
    pieces = _pieces(edges, stretches, SPLINTER_FT * site.ft)
    lengths = lengths_by_lot(pieces)
    for lot, more in (elsewhere or {}).items():
        lengths[lot] += more
    # exact sums, for what is large must not hang on the order in which they are made
    large = {lot for lot, parts in lengths.items() if math.fsum(parts) > token_ft * site.ft}
    lines = [line for chain in kept for line in _lines(edges.chains, chain, kept[chain], stretches[chain], large)]
    return LotLines(edges=edges, lots=lots, lines=tuple(lines), pieces=tuple(pieces))


def lengths_by_lot(pieces: Iterable[Piece]) -> defaultdict[int, list[float]]:
    """List the lengths of the pieces that each lot holds, CRS units."""
    lengths: defaultdict[int, list[float]] = defaultdict(list)
    for piece in pieces:
        for lot in piece.holders:
            lengths[lot].append(piece.end - piece.start)
    return lengths


def edges_layer(upland: LotLines, tract: LotLines, site: Site) -> gpd.GeoDataFrame:
    """List the pieces of all edges between lot lines: resource_id, parcel_id, kind, length_ft, and the line.

    Parameters
    ----------
    upland, tract
        The edges of either kind with their lot lines.
    site
        For CRS and units.
    """
    frames = [_edge_rows(kind, found, site) for kind, found in (("upland", upland), ("tract", tract))]
    return pd.concat(frames, ignore_index=True)


def _edge_rows(kind: str, found: LotLines, site: Site) -> gpd.GeoDataFrame:
    pieces = found.pieces
    start = np.array([piece.start for piece in pieces], dtype=float)
    end = np.array([piece.end for piece in pieces], dtype=float)
    xy, _, first = found.chains.cuts(np.array([piece.chain for piece in pieces], dtype=np.intp), start, end)
    lines = shapely.linestrings(xy, indices=np.repeat(np.arange(len(pieces)), np.diff(first)))
    return gpd.GeoDataFrame(
        {
            "resource_id": np.array([piece.resource_id for piece in pieces], dtype=object),
            "parcel_id": np.array([found.lots.name(piece.holders) for piece in pieces], dtype=object),
            "kind": np.full(len(pieces), kind, dtype=object),
            "length_ft": (end - start) / site.ft,
        },
        geometry=lines,
        crs=site.crs,
    )


def _merged(chains: Chains, found: Meetings, apart: float) -> dict[int, list[_Cut]]:
    """Merge meetings that are close, chain by chain, across the start of rings too."""
    low = np.minimum(found.low, found.station - apart / 2)
    high = np.maximum(found.high, found.station + apart / 2)
    label = joined(found.chain, low, high)
    station = found.station.copy()
    count = int(label.max(initial=-1)) + 1
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, label, low)
    np.maximum.at(most, label, high)
    chain_of = np.zeros(count, dtype=np.intp)
    chain_of[label] = found.chain
    for first in np.flatnonzero(np.diff(chain_of, prepend=-1) != 0):
        last = int(np.searchsorted(chain_of, chain_of[first], side="right")) - 1
        length = chains.lengths[chain_of[first]]
        if chains.closed[chain_of[first]] and last > first and most[last] - length >= least[first]:
            station[label == last] -= length
            label[label == last] = first
    order = np.argsort(label, kind="stable")
    cuts: dict[int, list[_Cut]] = defaultdict(list)
    for members in np.split(order, np.flatnonzero(np.diff(label[order])) + 1) if len(order) else []:
        chain = int(found.chain[members[0]])
        middle = (station[members].min() + station[members].max()) / 2
        lots = tuple(sorted({int(lot) for lot in found.lot[members]}))
        where = float(chains.wrapped(chain, middle))
        if not chains.closed[chain] and (where < apart or where > chains.lengths[chain] - apart):
            where = 0.0 if where < chains.lengths[chain] / 2 else float(chains.lengths[chain])
        cuts[chain].append(_Cut(where, lots, bool(found.run[members].any())))
    return {chain: sorted(of_chain, key=lambda cut: cut.station) for chain, of_chain in cuts.items()}


def _stations_by_chain(chains: Chains, found: Meetings | None) -> list[Floats]:
    """Bounds of the shortest stretches with the same holders: all meetings, the ends, and a ring's start."""
    ends = [np.array([0.0, length]) for length in chains.lengths]
    if found is None:
        return ends
    order = np.argsort(found.chain, kind="stable")
    groups = np.split(found.station[order], np.searchsorted(found.chain[order], np.arange(1, len(chains))))
    return [
        np.unique(np.concatenate([end, chains.wrapped(chain, group)]))
        for chain, (end, group) in enumerate(zip(ends, groups, strict=True))
    ]


def _held(chains: Chains, lots: Lots, raw: list[Floats], reach: float) -> list[list[Holders]]:
    """The lots that hold each shortest stretch, looked up just inside the buffer."""
    if not len(lots):
        return [[()] * (len(bounds) - 1) for bounds in raw]
    tree = shapely.STRtree(lots.geometries)
    probes = [chains.beside(chain, (bounds[:-1] + bounds[1:]) / 2, reach) for chain, bounds in enumerate(raw)]
    points = np.asarray(shapely.points(np.concatenate([np.empty((0, 2)), *probes])), dtype=object)
    point, lot = tree.query(points, predicate="intersects")
    order = np.lexsort((lot, point))
    groups = np.split(lot[order], np.searchsorted(point[order], np.arange(1, len(points))))
    flat = iter(groups)
    return [[tuple(int(one) for one in next(flat)) for _ in bounds[1:]] for bounds in raw]


def _stretches(
    chains: Chains, chain: int, cuts: list[_Cut], raw: Floats, held: list[Holders]
) -> tuple[list[_Cut], list[tuple[float, float, Holders]]]:
    """Drop the cuts where holders stay the same; between those left, the lots that hold the longest share."""
    length, closed = float(chains.lengths[chain]), bool(chains.closed[chain])
    middle, size = (raw[:-1] + raw[1:]) / 2, np.diff(raw)
    inner = [cut for cut in cuts if closed or 0 < cut.station < length]
    ends = [cut for cut in cuts if cut not in inner]
    while True:
        at = np.array([cut.station for cut in inner])
        count = max(len(inner), 1) if closed else len(inner) + 1
        owner = (np.searchsorted(at, middle, side="right") - (1 if closed else 0)) % count
        holders = _longest(owner, size, held, count)
        before = [holders[index - 1 if closed else index] for index in range(len(inner))]
        after = [holders[index if closed else index + 1] for index in range(len(inner))]
        changed = [cut.run or one != other for cut, one, other in zip(inner, before, after, strict=True)]
        if all(changed):
            break
        inner = [cut for cut, stays in zip(inner, changed, strict=True) if stays]
    bounds = [cut.station for cut in inner]
    if closed and bounds:
        bounds.append(bounds[0] + length)
    else:
        bounds = [0.0, *bounds, length]
    stretches = [(bounds[i], bounds[i + 1], holders[i]) for i in range(count)]
    return sorted(inner + ends, key=lambda cut: cut.station), stretches


def _longest(owner: Ints, sizes: Floats, held: list[Holders], count: int) -> list[Holders]:
    """For each stretch, the holders of the greatest part of it."""
    totals: list[dict[Holders, float]] = [defaultdict(float) for _ in range(count)]
    for index, size, holders in zip(owner.tolist(), sizes.tolist(), held, strict=True):
        totals[index][holders] += size
    return [max(total, key=lambda holders: (total[holders], holders)) if total else () for total in totals]


def _pieces(edges: Edges, stretches: dict[int, list[tuple[float, float, Holders]]], shortest: float) -> list[Piece]:
    """Cut stretches where another resource's footprint takes over."""
    pieces = []
    for chain, held in stretches.items():
        of_chain = held
        runs = slice(*np.searchsorted(edges.run_chain, [chain, chain + 1]))
        starts, ids = edges.run_start[runs], edges.run_resource[runs]
        length = edges.chains.lengths[chain]
        turns = np.concatenate([starts, starts + length])
        if len(starts) > 1 and edges.chains.closed[chain] and of_chain[0][:2] == (0.0, length):
            # nothing is cut where a ring without lot lines happens to start
            of_chain = [(starts[0], starts[0] + length, of_chain[0][2])]
        for start, end, holders in of_chain:
            inner = turns[(turns > start + shortest) & (turns < end - shortest)] if len(starts) > 1 else turns[:0]
            bounds = [start, *inner.tolist(), end]
            for one, other in pairwise(bounds):
                middle = edges.chains.wrapped(chain, (one + other) / 2)
                run = int(np.searchsorted(starts, middle, side="right")) - 1
                pieces.append(Piece(chain, one, other, str(ids[run]), holders))
    return pieces


def _lines(
    chains: Chains, chain: int, cuts: list[_Cut], stretches: list[tuple[float, float, Holders]], large: set[int]
) -> list[LotLine]:
    """Tell which lots change at each cut, and whether one of them is large enough to be marked."""
    starts = {start: index for index, (start, _, _) in enumerate(stretches)}
    lines = []
    for cut in cuts:
        index = starts.get(cut.station, len(stretches))
        sides = [stretches[index - 1][2]] if index or chains.closed[chain] else []
        sides += [stretches[index][2]] if index < len(stretches) else []
        at_end = len(sides) < 2
        turned = set(cut.lots) if cut.run or at_end else set(sides[0]) ^ set(sides[1])
        beside = [lot for held in sides for lot in held]
        lots = tuple(dict.fromkeys([*beside, *cut.lots]))
        lines.append(LotLine(chain, cut.station, lots, cut.run or bool(turned & large)))
    return lines
