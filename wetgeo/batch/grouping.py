"""Groups of footprints that meet, over the borders of tiles: edges and monuments run along a group as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import CRS
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from wetgeo.batch.results import load
from wetgeo.batch.tables import Floats, Ints, boxes

#: footprints nearer than this are worked together: further than any step looks from one outline to another, feet
APART_FT = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """All footprints, by tile and then as their tile has them.

    Attributes
    ----------
    tiles
        Names of the tiles.
    tile, place
        The number of each footprint's tile, and its place there, shape (n,).
    bounds
        Of the footprints, shape (n, 4).
    group
        Footprints of one number are worked together, shape (n,).
    """

    tiles: tuple[str, ...]
    tile: Ints
    place: Ints
    bounds: Floats
    group: Ints

    @classmethod
    def of(cls, folder: Path, tiles: Sequence[str], crs: CRS, ft: float) -> Groups:
        """Find the groups of the footprints that the tiles' results in `folder` hold."""
        bounds = [shapely.bounds(_footprints(folder, name, crs)).reshape(-1, 4) for name in tiles]
        count = [len(part) for part in bounds]
        whole = np.concatenate([np.empty((0, 4)), *bounds])
        starts = np.concatenate([[0], np.cumsum(count)])
        tile = np.repeat(np.arange(len(tiles)), count)
        one, two = _near(whole, APART_FT * ft)
        met = _met(folder, tiles, crs, (one, two), (tile, starts), APART_FT * ft)
        graph = coo_array((np.ones(len(met), dtype=np.int8), (one[met], two[met])), shape=(len(whole),) * 2)
        return cls(
            tiles=tuple(tiles),
            tile=tile,
            place=np.arange(len(whole)) - starts[tile],
            bounds=whole,
            group=np.asarray(connected_components(graph, directed=False)[1], dtype=np.intp),
        )

    def save(self, path: Path) -> None:
        """Write them."""
        np.savez(
            path, tiles=np.array(self.tiles), tile=self.tile, place=self.place, bounds=self.bounds, group=self.group
        )

    @classmethod
    def read(cls, path: Path) -> Groups:
        """Read what `save` wrote."""
        with np.load(path) as file:
            return cls(
                tiles=tuple(str(name) for name in file["tiles"]),
                tile=file["tile"],
                place=file["place"],
                bounds=file["bounds"],
                group=file["group"],
            )

    def units(self) -> dict[str, list[list[int]]]:
        """List the groups, as numbers of footprints, by the tile that the first footprint of each lies in."""
        order = np.argsort(self.group, kind="stable")
        units: dict[str, list[list[int]]] = {}
        starts = np.flatnonzero(np.diff(self.group[order], prepend=-1))
        for members in np.split(order, starts[1:]) if len(order) else []:
            units.setdefault(self.tiles[self.tile[members[0]]], []).append(members.tolist())
        return units

    def around(self, windows: Floats) -> Ints:
        """Find all footprints of the groups that have one whose bounds meet a window."""
        tree = shapely.STRtree(boxes(windows))
        left, bottom, right, top = windows[:, 0].min(), windows[:, 1].min(), windows[:, 2].max(), windows[:, 3].max()
        mine = self.bounds
        near = np.flatnonzero(
            (mine[:, 0] <= right) & (mine[:, 2] >= left) & (mine[:, 1] <= top) & (mine[:, 3] >= bottom)
        )
        found = near[np.unique(tree.query(boxes(mine[near]))[0])]
        return np.flatnonzero(np.isin(self.group, self.group[found]))


def _near(bounds: Floats, reach: float) -> tuple[Ints, Ints]:
    """Pairs whose bounds come within a distance of each other, each pair once."""
    around = boxes(bounds + reach / 2 * np.array([-1.0, -1.0, 1.0, 1.0]))
    one, two = shapely.STRtree(around).query(around)
    once = one < two
    return one[once], two[once]


def _met(
    folder: Path,
    tiles: Sequence[str],
    crs: CRS,
    pairs: tuple[Ints, Ints],
    where: tuple[Ints, Ints],
    reach: float,
) -> Ints:
    """Find the pairs that come within a distance of each other, two tiles at a time."""
    (one, two), (tile, starts) = pairs, where

    @lru_cache(maxsize=8)
    def shapes(number: int) -> NDArray[np.object_]:
        found = _footprints(folder, tiles[number], crs)
        shapely.prepare(found)  # most have several others near
        return found

    found: list[Ints] = []
    for mine, (a, b) in _by_tiles(tile[one], tile[two]):
        left, right = shapes(a)[one[mine] - starts[a]], shapes(b)[two[mine] - starts[b]]
        found.append(mine[shapely.dwithin(left, right, reach)])
    return np.concatenate([np.zeros(0, dtype=np.intp), *found])


def _by_tiles(one: Ints, two: Ints) -> Iterator[tuple[Ints, tuple[int, int]]]:
    order = np.lexsort((two, one))
    keys = np.column_stack([one, two])[order]
    starts = np.flatnonzero((np.diff(keys, axis=0, prepend=-1) != 0).any(axis=1))
    for mine in np.split(order, starts[1:]) if len(order) else []:
        yield mine, (int(one[mine[0]]), int(two[mine[0]]))


def _footprints(folder: Path, tile: str, crs: CRS) -> NDArray[np.object_]:
    frame = load(folder / tile, "footprints", crs)
    return np.zeros(0, dtype=object) if frame is None else np.asarray(frame.geometry.to_numpy(), dtype=object)


def members_by_tile(groups: Groups, numbers: Ints) -> Mapping[str, Ints]:
    """Sort footprints by tile: their places in each."""
    return {
        groups.tiles[number]: groups.place[numbers[groups.tile[numbers] == number]]
        for number in np.unique(groups.tile[numbers]).tolist()
    }
