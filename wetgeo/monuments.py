"""Monuments along the upland edge, and the proof that every lot has them."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from pyproj import CRS, Transformer

from wetgeo.findings import Findings
from wetgeo.kernels.courses import azimuth_seconds, bearing_text
from wetgeo.kernels.lines import Chains
from wetgeo.kernels.stations import even_stations, fill_stretches, strays
from wetgeo.lot_lines import Holders, LotLine, LotLines, Piece, piece_at
from wetgeo.site import Site

#: places nearer than this are the same, feet
SAME_FT = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class MonumentRule:
    """What a rule asks of monuments; lengths in feet.

    Attributes
    ----------
    interval_ft, tolerance_ft
        Largest gap along the edge, and by how much a gap may exceed it before it counts as longer.
    bend_ft
        How far the straight line between neighbours may stray from the edge; None where the rule does not ask.
    apart_ft
        Monuments never stand nearer to each other along an edge.
    off_edge_ft
        How far from the edge a staked monument may stand.
    marker, public_marker
        The kind of marker, and that on public land.
    citation
        The provision.
    """

    interval_ft: float
    tolerance_ft: float
    bend_ft: float | None
    apart_ft: float
    off_edge_ft: float
    marker: str
    public_marker: str
    citation: str = ""


@dataclass(slots=True)
class Stake:
    """A monument by its place on a chain, in CRS units; `gap` is NaN at the end of an open edge."""

    chain: int
    station: float
    reason: str
    lots: Holders
    resource_id: str
    gap: float = math.nan
    seq: int = 0


def place_monuments(
    edge: LotLines, rule: MonumentRule, site: Site, findings: Findings
) -> tuple[gpd.GeoDataFrame, pd.DataFrame]:
    """Place the monuments of all buffers.

    Lot lines that must be marked and the ends of open edges are fixed. Between them stand the fewest monuments whose
    gaps are at most the interval, evenly; where the rule asks for bends, the fewest that keep both the interval and the
    straying. A closed edge without a lot line has its first monument at its northernmost point, and that one alone
    where the edge is no longer than the interval. Numbers go by resource, along the chains from their starts.

    Parameters
    ----------
    edge
        The upland edges with their lot lines.
    rule
        What the rule asks.
    site
        CRS, units, elevations and public land.
    findings
        Takes straying that cannot be kept.

    Returns
    -------
    Layers ``monuments`` and ``monument_proof``.
    """
    stakes = place_stakes(edge, rule, site.ft)
    for resource_id, kept in sorted(_astray(edge, stakes, rule, site.ft).items()):
        findings.warning(
            "monument",
            f"the line between monuments strays from the edge by up to {kept:.2f} ft, for monuments that keep it "
            f"within {rule.bend_ft:g} ft would stand less than {rule.apart_ft:g} ft apart",
            layer="monuments",
            feature_id=resource_id,
            citation=rule.citation,
        )
    return _monuments_layer(edge, stakes, rule, site), _proof_layer(edge, stakes, rule, site.ft)


def place_stakes(edge: LotLines, rule: MonumentRule, ft: float) -> list[Stake]:
    """Place monuments by chain and station, in that order; `ft` is the length of a foot in CRS units."""
    lines: dict[int, list[LotLine]] = defaultdict(list)
    for line in edge.lines:
        if line.marked:
            lines[line.chain].append(line)
    pieces: dict[int, list[Piece]] = defaultdict(list)
    for piece in edge.pieces:
        pieces[piece.chain].append(piece)
    courses = [_Course(edge.chains, chain, pieces[chain]) for chain in range(len(edge.chains))]
    fixed = [course.fixed(lines[course.chain], rule.apart_ft * ft) for course in courses]
    stops = [course.stops(on_it) for course, on_it in zip(courses, fixed, strict=True)]
    filling = iter(_between(edge.chains, stops, rule, ft))
    stakes = [
        stake
        for course, on_it, at in zip(courses, fixed, stops, strict=True)
        for stake in course.filled(on_it, at, list(islice(filling, len(at) - 1)), rule, ft)
    ]
    numbers: dict[str, int] = defaultdict(int)
    for stake in stakes:
        numbers[stake.resource_id] += 1
        stake.seq = numbers[stake.resource_id]
    return stakes


class _Course:
    """One chain, on its way to bear monuments."""

    def __init__(self, chains: Chains, chain: int, pieces: list[Piece]) -> None:
        self.chains, self.chain, self.pieces = chains, chain, pieces
        self.length, self.closed = float(chains.lengths[chain]), bool(chains.closed[chain])

    def stake(self, station: float, reason: str, lots: Sequence[int] | None = None) -> Stake:
        """Make a stake: on the lots given and on those of the piece that begins there or holds the place."""
        place = station % self.length if self.closed else min(max(station, 0.0), self.length)
        piece = piece_at(self.pieces, place, self.length)
        held = piece.holders if lots is None else tuple(dict.fromkeys([*lots, *piece.holders]))
        return Stake(self.chain, place, reason, held, piece.resource_id)

    def fixed(self, lines: list[LotLine], apart: float) -> list[Stake]:
        """Lot lines and the ends of an open edge; the start of a closed edge without lot lines."""
        lots: dict[float, list[int]] = defaultdict(list)
        for line in lines:
            lots[line.station] += line.lots
        stakes = {station: self.stake(station, "lot_line", held) for station, held in lots.items()}
        if self.closed and not stakes:
            stakes[0.0] = self.stake(0.0, "interval")
        if not self.closed:
            # an edge shorter than the least distance has one monument
            for station in [0.0, self.length] if self.length >= apart else [0.0]:
                stakes.setdefault(station, self.stake(station, "end"))
        return [stakes[station] for station in sorted(stakes)]

    def stops(self, fixed: list[Stake]) -> list[float]:
        """Stations that bound the stretches between fixed points; on a closed edge the first comes again at the end."""
        stops = [stake.station for stake in fixed]
        return stops + ([stops[0] + self.length] if self.closed else [])

    def filled(
        self, fixed: list[Stake], stops: list[float], filling: list[list[float]], rule: MonumentRule, ft: float
    ) -> list[Stake]:
        """Fill the stretches between fixed points, and measure the gaps."""
        longest = (rule.interval_ft + rule.tolerance_ft) * ft
        stakes, at = [], []
        for index, stake in enumerate(fixed):
            stakes.append(stake)
            at.append(stops[index])
            if index + 1 < len(stops):
                around = [stops[index], *filling[index], stops[index + 1]]
                reasons = ["interval" if b - a > longest else "bend" for a, b in zip(around, around[2:], strict=False)]
                stakes += [self.stake(s, reason) for s, reason in zip(around[1:-1], reasons, strict=True)]
                at += around[1:-1]
        gaps = np.diff([*at, stops[-1]]) if self.closed else np.append(np.diff(at), np.nan)
        for stake, gap in zip(stakes, gaps.tolist(), strict=True):
            stake.gap = gap
        if stakes[0].reason == "interval" and len(stakes) > 1 and gaps[0] + gaps[-1] <= longest:
            stakes[0].reason = "bend"
        return sorted(stakes, key=lambda stake: stake.station)


def _between(chains: Chains, stops: list[list[float]], rule: MonumentRule, ft: float) -> list[list[float]]:
    """The stations of monuments on each stretch between fixed points, chain by chain."""
    rows = [(chain, one, other) for chain, at in enumerate(stops) for one, other in pairwise(at)]
    if rule.bend_ft is None:
        even = partial(even_stations, interval=rule.interval_ft * ft, tolerance=rule.tolerance_ft * ft)
        return [even(start, end).tolist() for _, start, end in rows]
    chain, start, end = zip(*rows, strict=True) if rows else ((), (), ())
    found = fill_stretches(
        *chains.cuts(np.array(chain, dtype=np.intp), np.array(start, dtype=float), np.array(end, dtype=float)),
        largest=(rule.interval_ft + rule.tolerance_ft) * ft,
        smallest=rule.apart_ft * ft,
        stray=rule.bend_ft * ft,
    )
    return [inner.tolist() for inner in found]


def _monuments_layer(edge: LotLines, stakes: list[Stake], rule: MonumentRule, site: Site) -> gpd.GeoDataFrame:
    chain, station = [stake.chain for stake in stakes], [stake.station for stake in stakes]
    x, y = edge.chains.places(np.array(chain, dtype=np.intp), np.array(station, dtype=float)).T
    geometry = np.asarray(shapely.points(x, y), dtype=object)
    lon, lat = Transformer.from_crs(site.crs, CRS(site.crs).geodetic_crs, always_xy=True).transform(x, y)
    labels = edge.lots.labels.tolist()
    names = [dict.fromkeys(str(labels[lot]) for lot in stake.lots) for stake in stakes]
    following = _following(stakes, edge.chains)
    other = np.array([one if after is None else after for one, after in enumerate(following)], dtype=np.intp)
    seconds = azimuth_seconds(x[other] - x, y[other] - y).tolist()
    bearings = [None if after is None else bearing_text(angle) for after, angle in zip(following, seconds, strict=True)]
    return gpd.GeoDataFrame(
        {
            "monument_id": [f"{stake.resource_id}-{stake.seq}" for stake in stakes],
            "resource_id": [stake.resource_id for stake in stakes],
            "seq": [stake.seq for stake in stakes],
            "reason": [stake.reason for stake in stakes],
            "station_ft": np.array([stake.station for stake in stakes]) / site.ft,
            "gap_ft": np.array([stake.gap for stake in stakes]) / site.ft,
            "marker": np.where(_on_public_land(geometry, site), rule.public_marker, rule.marker),
            "parcel_ids": ["; ".join(held) or None for held in names],
            "bearing": bearings,
            "x": x,
            "y": y,
            "lon": lon,
            "lat": lat,
            "elev_ft": np.full(len(x), np.nan) if site.dem is None else site.dem.sample(x, y) / site.ft,
        },
        geometry=geometry,
        crs=site.crs,
    )


def _following(stakes: list[Stake], chains: Chains) -> list[int | None]:
    """Index of each stake's next along its chain; None at the end of an open edge, and for a ring's only stake."""
    following: list[int | None] = []
    first = 0
    for index, stake in enumerate(stakes):
        if index and stakes[index - 1].chain != stake.chain:
            first = index
        last = index + 1 == len(stakes) or stakes[index + 1].chain != stake.chain
        after = (first if chains.closed[stake.chain] and first != index else None) if last else index + 1
        following.append(after)
    return following


def _on_public_land(points: np.ndarray, site: Site) -> np.ndarray:
    """Tell the points on public land; its boundary belongs to it."""
    on = np.zeros(len(points), dtype=bool)
    frame = site.layers.get("public_land")
    if frame is not None and len(frame) and len(points):
        tree = shapely.STRtree(frame.geometry.to_numpy())
        on[tree.query(points, predicate="dwithin", distance=SAME_FT * site.ft)[0]] = True
    return on


def _by_chain(stakes: list[Stake], chains: Chains) -> list[list[int]]:
    of_chain: list[list[int]] = [[] for _ in range(len(chains))]
    for index, stake in enumerate(stakes):
        of_chain[stake.chain].append(index)
    return of_chain


def _astray(edge: LotLines, stakes: list[Stake], rule: MonumentRule, ft: float) -> dict[str, float]:
    """The resources where the line between monuments strays too far, with the greatest straying in feet."""
    found: dict[str, float] = {}
    if rule.bend_ft is None:
        return found
    for chain, indices in enumerate(_by_chain(stakes, edge.chains)):
        at = [stakes[index].station for index in indices]
        at += [at[0] + edge.chains.lengths[chain]] if edge.chains.closed[chain] else []
        distances = strays(*edge.chains.cut(chain, at[0], at[-1]), np.array(at)) / ft
        for index, distance in zip(indices, distances, strict=False):
            if distance > rule.bend_ft + SAME_FT:
                name = stakes[index].resource_id
                found[name] = max(found.get(name, 0.0), float(distance))
    return found


def _proof_layer(edge: LotLines, stakes: list[Stake], rule: MonumentRule, ft: float) -> pd.DataFrame:
    """Count the monuments and find the largest gap of each resource's edge on each lot.

    A gap counts on all lots it lies on. Ground without a parcel counts as one lot, without a number.
    """
    of_chain = _by_chain(stakes, edge.chains)
    length: dict[tuple[str, str | None], float] = defaultdict(float)
    counted: dict[tuple[str, str | None], set[int]] = defaultdict(set)
    largest: dict[tuple[str, str | None], float] = defaultdict(float)
    laps = [_laps(stakes, indices, edge.chains, chain) for chain, indices in enumerate(of_chain)]
    same = SAME_FT * ft
    for piece in edge.pieces:
        at, gaps, on_it = laps[piece.chain]
        first, last = bisect_left(at, piece.start - same), bisect_right(at, piece.end + same)
        # the gap that begins before the piece may reach over its start
        begins = max(bisect_right(at, piece.start + same) - 1, 0)
        spanned = 0.0
        for index in range(begins, bisect_left(at, piece.end - same)):
            if at[index] + gaps[index] > piece.start + same:
                spanned = max(spanned, gaps[index])
        for name in _lot_names(edge, piece.holders):
            key = piece.resource_id, name
            length[key] += piece.end - piece.start
            counted[key].update(on_it[first:last])
            largest[key] = max(largest[key], spanned)
    allowed = (rule.interval_ft + rule.tolerance_ft) * ft * (1 + 1e-12)
    return pd.DataFrame(
        {
            "resource_id": [key[0] for key in length],
            "parcel_id": [key[1] for key in length],
            "edge_ft": [value / ft for value in length.values()],
            "monuments": [len(counted[key]) for key in length],
            "largest_gap_ft": [largest[key] / ft for key in length],
            "allowed_gap_ft": [rule.interval_ft for _ in length],
            "verdict": ["ok" if largest[key] <= allowed else "gap" for key in length],
        }
    )


def _laps(
    stakes: list[Stake], indices: list[int], chains: Chains, chain: int
) -> tuple[list[float], list[float], list[int]]:
    """Stations, gaps and numbers of a chain's stakes, ascending; on a ring also a lap before and two laps on."""
    total = float(chains.lengths[chain])
    shifts = (-total, 0.0, total, 2 * total) if chains.closed[chain] else (0.0,)
    return (
        [stakes[index].station + shift for shift in shifts for index in indices],
        [stakes[index].gap for _ in shifts for index in indices],
        [index for _ in shifts for index in indices],
    )


def _lot_names(edge: LotLines, holders: Holders) -> list[str | None]:
    """The lots that hold a piece, each outline once; None for ground without a parcel."""
    if len(holders) < 2:
        return [edge.lots.name(holders)]
    outlines: dict[int, list[int]] = defaultdict(list)
    for lot in holders:
        outlines[int(edge.lots.outline[lot])].append(lot)
    return [edge.lots.name(lots) for lots in outlines.values()]
