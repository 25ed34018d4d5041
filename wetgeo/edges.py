"""Edges: the upland edge of the buffers, walked with the buffer on the right, and the tract's line through them.

The edge is that of all buffers together: where footprints meet, it goes on from one resource to the next, and what
lies inside another resource's buffer is no edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import geopandas as gpd
import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.findings import Findings
from wetgeo.kernels.lines import (
    Bools,
    Chains,
    Floats,
    GeometryArray,
    Ints,
    clear_of,
    directed,
    lines_only,
    merged_lines,
    outlines,
)
from wetgeo.kernels.near import first_outline
from wetgeo.kernels.unions import union_parts
from wetgeo.site import Site

#: lines within this distance are noded as one, feet
GRID_FT = 1e-4
#: two drawings of one edge may differ by this, feet: each keeps to the true offset within half of it
SAME_FT = 0.1
#: pieces shorter than this come from lines that nearly coincide, feet (0.1 m)
SPLINTER_FT = 0.33


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """Edges of one kind.

    Attributes
    ----------
    chains
        The edge as lines, the buffer to the right of open ones; closed ones run clockwise from the north.
    run_chain, run_start, run_end
        Runs of the chains that belong to one resource each, in order, covering them; stations in CRS units. On a
        closed chain the last run may end past the chain's length, where it goes on to the first run's start.
    run_resource
        The resource's id, shape of the runs.
    """

    chains: Chains
    run_chain: Ints
    run_start: Floats
    run_end: Floats
    run_resource: NDArray[np.object_]


def upland_edges(footprints: gpd.GeoDataFrame, site: Site, findings: Findings) -> Edges:
    """Draw the upland edge: the outline of all footprints together, outside resources and within the tract.

    Each stretch belongs to the resource whose footprint it bounds, the first in the order of the frame where several
    do.

    Parameters
    ----------
    footprints
        resource_id and geometry: resources with all the ground that their buffers take, in the working CRS.
    site
        Resources and tract.
    findings
        Takes the resources that have no edge of their own.
    """
    grid, shapes = _grid(site), footprints.geometry.to_numpy()
    parts = union_parts(shapes)
    rings, part_of, holes = outlines(parts, grid, SAME_FT * site.ft)
    lines = [shapely.LineString(ring) for ring in rings]
    water, tract = site.resources.geometry.to_numpy(), tract_of(site)
    near = _near(lines, water, 2 * grid)
    outside = _reaches_out(lines, tract)
    pieces, hand, part = [], [], []
    for index, ring in enumerate(rings):
        kept = [ring]
        if len(near[index]) or outside[index]:
            kept = clear_of(ring, water[near[index]], tract if outside[index] else None, grid, SPLINTER_FT * site.ft)
        for piece in kept:
            # an island's ring runs clockwise too, and so has the buffer to its left
            turned = holes[index] and (piece[0] == piece[-1]).all()
            pieces.append(piece[::-1] if turned else piece)
            hand.append(-1 if turned else 1)
            part.append(part_of[index])
    chains = Chains.of(pieces, hand)
    owner = _owners(chains, np.array(part, dtype=np.intp), parts, shapes, SAME_FT * site.ft)
    edges = _runs(chains, owner, footprints["resource_id"].to_numpy(dtype=object), SPLINTER_FT * site.ft)
    for name in sorted(set(footprints["resource_id"]) - set(edges.run_resource)):
        findings.info(
            "monument",
            "has no upland edge of its own: all of it lies within other buffers or resources, or off the tract",
            layer="edges",
            feature_id=name,
        )
    return edges


def tract_edges(footprints: gpd.GeoDataFrame, site: Site, upland: Edges) -> Edges:
    """Draw the tract's line where it cuts buffers, the tract to its right.

    A line that cuts several buffers belongs to the first in the order of the frame, so that no length counts twice.
    Where the upland edge itself runs along the tract's line, it is upland.
    """
    tract, shapes, grid = tract_of(site), footprints.geometry.to_numpy(), _grid(site)
    edge = shapely.MultiLineString(_lines(upland.chains))
    shapely.prepare(edge)
    water = site.resources.geometry.to_numpy()
    tree, crossed = shapely.STRtree(shapes), shapely.STRtree(water)
    pieces: list[Floats] = []
    resource: list[int] = []
    rings = [] if tract is None else outlines(np.array([tract], dtype=object), grid, SAME_FT * site.ft)[0]
    for ring in map(shapely.LineString, rings):
        left = _without(ring, water[np.sort(crossed.query(ring, predicate="dwithin", distance=grid))], grid)
        for index in np.sort(tree.query(ring, predicate="intersects")):
            held: Any = lines_only(shapely.intersection(left, shapes[index], grid_size=grid))
            left = _without(left, shapes[index : index + 1], grid)
            if edge.dwithin(held, grid):
                held = shapely.difference(held, edge, grid_size=grid)
            merged = merged_lines(held, SPLINTER_FT * site.ft)
            pieces += [directed(shapely.get_coordinates(line), ring, grid) for line in merged]
            resource += [int(index)] * len(merged)
    chains = Chains.of(pieces, [1] * len(pieces))
    return Edges(
        chains=chains,
        run_chain=np.arange(len(chains)),
        run_start=np.zeros(len(chains)),
        run_end=chains.lengths,
        run_resource=footprints["resource_id"].to_numpy(dtype=object)[np.array(resource, dtype=np.intp)],
    )


def tract_of(site: Site) -> Any | None:  # noqa: ANN401 -- any shapely geometry
    """Unite the tract's polygons; None where no tract was given."""
    frame = site.layers.get("tract")
    return None if frame is None or frame.empty else shapely.union_all(frame.geometry.to_numpy())


def _grid(site: Site) -> float:
    """The grid of coordinates: a power of ten, so that they print as what they are."""
    return float(10.0 ** np.floor(np.log10(GRID_FT * site.ft)))


def _near(lines: list[Any], water: GeometryArray, reach: float) -> list[Ints]:
    """Resources that come to each outline."""
    candidates, index = shapely.STRtree(np.array(lines, dtype=object)).query(water, predicate="dwithin", distance=reach)
    order = np.lexsort((candidates, index))
    return np.split(candidates[order], np.searchsorted(index[order], np.arange(1, len(lines)))) if lines else []


def _reaches_out(lines: list[Any], tract: Any | None) -> Bools:  # noqa: ANN401 -- any shapely geometry
    if tract is None:
        return np.zeros(len(lines), dtype=bool)
    shapely.prepare(tract)
    return ~shapely.contains_properly(tract, lines)


def _owners(chains: Chains, part: Ints, parts: GeometryArray, shapes: GeometryArray, reach: float) -> Ints:
    """The footprint that each segment of the chains bounds: the first of those whose outline is within `reach`."""
    first, chain_of = chains.segments
    shape, held_by = shapely.STRtree(parts).query(shapes, predicate="intersects")
    sole = np.full(len(parts), len(shapes))
    np.minimum.at(sole, held_by, shape)
    owner = sole[part[chain_of]]
    several = np.bincount(held_by, minlength=len(parts))[part] > 1 if len(part) else np.zeros(0, dtype=bool)
    asked = np.flatnonzero(several[chain_of])
    if not len(asked):
        return owner
    middle = (chains.xy[first[asked]] + chains.xy[first[asked] + 1]) / 2
    found = first_outline(middle, shapes, reach)
    owner[asked] = np.where(found < len(shapes), found, owner[asked])
    return owner


def _runs(chains: Chains, owner: Ints, names: NDArray[np.object_], shortest: float) -> Edges:
    """Gather segments of one owner into runs; runs shorter than `shortest` go to the run before them."""
    first, _ = chains.segments
    rows: list[tuple[int, float, float, int]] = []
    for chain in range(len(chains)):
        segment = np.arange(chains.offsets[chain] - chain, chains.offsets[chain + 1] - chain - 1)
        begins = segment[np.concatenate([[True], owner[segment][1:] != owner[segment][:-1]])]
        starts = np.append(chains.stations[first[begins]], chains.lengths[chain])
        runs: list[list[float]] = []
        for who, start, end in zip(owner[begins], starts[:-1], starts[1:], strict=True):
            if runs and (end - start < shortest or runs[-1][2] == who):
                runs[-1][1] = end
            else:
                runs.append([start, end, who])
        if len(runs) > 1 and runs[0][1] < shortest:
            begin = runs.pop(0)[0]
            runs[0][0] = begin
        if chains.closed[chain] and len(runs) > 1 and runs[0][2] == runs[-1][2]:
            runs[-1][1] += runs.pop(0)[1]
        rows += [(chain, start, end, int(who)) for start, end, who in runs]
    chain_column, start_column, end_column, who_column = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Edges(
        chains=chains,
        run_chain=np.array(chain_column, dtype=np.intp),
        run_start=np.array(start_column, dtype=float),
        run_end=np.array(end_column, dtype=float),
        run_resource=names[np.array(who_column, dtype=np.intp)],
    )


def _lines(chains: Chains) -> list[Any]:
    return [shapely.LineString(chains.vertices(chain)[0]) for chain in range(len(chains))]


def _without(line: Any, polygons: GeometryArray, grid: float) -> Any:  # noqa: ANN401 -- any shapely geometry
    return shapely.difference(line, shapely.union_all(polygons), grid_size=grid) if len(polygons) else line
