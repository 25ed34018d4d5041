"""The second pass: what is staked and recorded of groups of footprints that meet."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from wetgeo.batch.grouping import Groups, members_by_tile
from wetgeo.batch.laying import save_state
from wetgeo.batch.manifest import MANIFEST, digest_of, read_json
from wetgeo.batch.prepared import Prepared, opened
from wetgeo.batch.results import Result, bisected, joined, load, save, seconds_since
from wetgeo.batch.tables import Ints
from wetgeo.buffers import union_layer
from wetgeo.findings import Findings
from wetgeo.footprints import Footprints
from wetgeo.kernels.shares import shares
from wetgeo.lot_lines import LotLines, lengths_by_lot
from wetgeo.parcels import Lots, lots_of
from wetgeo.pipeline import Inputs
from wetgeo.rules.provisions import Monuments
from wetgeo.ruling import Ruling
from wetgeo.survey import edges_with_lots, staked_layers, with_edge_elsewhere
from wetgeo.units import FOOT_M

_LAYERS = ("parcels", "public_land")
#: what lies further from a footprint than this has no part in its edge, feet
_REACH_FT = 10.0
#: a total this little above a threshold may be below it in another order of adding
_ROUNDING = 1 + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitTask:
    """Groups of footprints to survey.

    Attributes
    ----------
    site, state, ground_rules
        As for `wetgeo.batch.laying.TileTask`.
    tiles, groups
        Folder of the tiles' results, and the file of their groups.
    results, name
        The folder that results go into, and the name of this one.
    members
        The footprints of each group, as numbered in the groups' file.
    """

    site: str
    state: str
    ground_rules: str
    tiles: str
    groups: str
    results: str
    name: str
    members: tuple[tuple[int, ...], ...]


def survey_unit(task: UnitTask) -> str:
    """Survey groups of footprints and write the result; nothing is done where it stands and is of the same data.

    Returns the task's name.
    """
    start = time.perf_counter()
    folder = Path(task.results) / task.name
    surveyor = _Surveyor(opened(task.site, task.state), Path(task.tiles), _groups(task.groups, task.state))
    every = np.array([number for group in task.members for number in group], dtype=np.intp)
    manifest = read_json(folder / MANIFEST)
    besides = surveyor.numbers(manifest.get("besides", ())) if manifest else None
    if besides is not None and manifest.get("digest") == surveyor.digest(every, besides, task.ground_rules):
        save_state(folder, manifest, task.state)
        return task.name
    result = joined(list(bisected(task.members, surveyor.survey, surveyor.left_out)))
    besides = np.array(sorted(surveyor.besides - set(every.tolist())), dtype=np.intp)
    stated = {
        "state": task.state,
        "digest": surveyor.digest(every, besides, task.ground_rules),
        "besides": surveyor.names(besides),
        "groups": len(task.members),
    }
    save(folder, result, {**stated, "seconds": seconds_since(start)})
    return task.name


def leave_unit(task: UnitTask) -> str:
    """Write the result of a single group that ended its worker."""
    surveyor = _Surveyor(opened(task.site, task.state), Path(task.tiles), _groups(task.groups, task.state))
    why = "its worker ended without a word, as for lack of memory"
    results = [surveyor.left_out(group, why) for group in task.members]
    save(Path(task.results) / task.name, joined(results), {"state": task.state})
    return task.name


@lru_cache(maxsize=1)
def _groups(path: str, state: str) -> Groups:  # noqa: ARG001 -- groups of another state are others
    return Groups.read(Path(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """Footprints with what lies around them."""

    inputs: Inputs
    footprints: Footprints
    grounds: NDArray[np.object_]


class _Surveyor:
    """Surveys groups; `besides` gathers the footprints of other groups that had to be looked at."""

    def __init__(self, prepared: Prepared, tiles: Path, groups: Groups) -> None:
        self.prepared, self.tiles, self.groups = prepared, tiles, groups
        self.besides: set[int] = set()
        self._tiles: dict[str, gpd.GeoDataFrame] = {}
        self._last: dict[bytes, _Around] = {}

    def names(self, numbers: Ints) -> list[str]:
        """Name footprints by their resources."""
        return [str(name) for name in self._frame(numbers)["resource_id"]]

    def numbers(self, names: Sequence[str]) -> Ints | None:
        """Find footprints by the names of their resources; None where one is no longer there."""
        if not names:
            return np.zeros(0, dtype=np.intp)
        every = np.arange(len(self.groups.group))
        found = np.flatnonzero(self._frame(every)["resource_id"].isin(set(names)).to_numpy())
        return found if len(found) == len(names) else None

    def _frame(self, numbers: Ints) -> gpd.GeoDataFrame:
        crs = self.prepared.common.crs
        frames = [self._tile(tile).iloc[places] for tile, places in members_by_tile(self.groups, numbers).items()]
        if not frames:
            return gpd.GeoDataFrame({"resource_id": [], "ground": []}, geometry=[], crs=crs)
        return gpd.GeoDataFrame(pd.concat(frames, ignore_index=True), geometry="geometry", crs=crs)

    def _tile(self, tile: str) -> gpd.GeoDataFrame:
        """Read the footprints of a tile with the ground of each, once."""
        if tile not in self._tiles:
            crs = self.prepared.common.crs
            footprints, buffers = load(self.tiles / tile, "footprints", crs), load(self.tiles / tile, "buffers", crs)
            if footprints is None or buffers is None:
                raise FileNotFoundError(self.tiles / tile)
            ground = buffers.set_index("resource_id").geometry.reindex(footprints["resource_id"])
            self._tiles[tile] = gpd.GeoDataFrame(footprints.assign(ground=ground.to_numpy()))
        return self._tiles[tile]

    def around(self, numbers: Ints) -> _Around:
        """Read what lies around footprints; what was read last is kept, and what before that."""
        asked = np.sort(np.asarray(numbers, dtype=np.intp))
        key = asked.tobytes()
        found = self._last.pop(key, None) or self._read(asked)
        self._last = dict([*self._last.items(), (key, found)][-2:])
        return found

    def _read(self, numbers: Ints) -> _Around:
        frame = self._frame(numbers)
        unit = self.prepared.common.unit_m
        reach = _REACH_FT * FOOT_M / unit
        windows = shapely.bounds(frame.geometry.to_numpy()).reshape(-1, 4) + reach * np.array([-1.0, -1.0, 1.0, 1.0])
        inputs, _ = self.prepared.inputs(windows, _LAYERS)
        place = {name: row for row, name in enumerate(inputs.site.resources["resource_id"])}
        rows = np.array([place[name] for name in frame["resource_id"]], dtype=np.intp)
        order = np.argsort(rows)
        grounds = frame["ground"].to_numpy(dtype=object)[order]
        return _Around(
            inputs=inputs,
            footprints=Footprints(rows=rows[order], geometries=frame.geometry.to_numpy()[order]),
            grounds=grounds[~shapely.is_missing(grounds)],
        )

    def digest(self, numbers: Ints, besides: Ints, ground_rules: str) -> str:
        """Hash all that the survey of footprints depends on."""
        parts: list[object] = [ground_rules]
        for some in (numbers, besides) if len(besides) else (numbers,):
            found = self.around(some)
            layers = found.inputs.site.layers
            parts += [sorted(self.names(some)), found.inputs.site.resources]
            parts += [layers[name] for name in (*_LAYERS, "tract") if name in layers]
            parts += [found.footprints.geometries, found.grounds]
        return digest_of(parts)

    def survey(self, members: Sequence[Sequence[int]]) -> Result:
        """Survey groups, with other groups beside them where a lot has too little edge here to tell what counts."""
        numbers = np.array(sorted(number for group in members for number in group), dtype=np.intp)
        own = self.around(numbers)
        findings = Findings()
        site, ruling = own.inputs.site, own.inputs.ruling
        lots = lots_of(site, Findings())
        edges = edges_with_lots(site, ruling, own.footprints, lots, findings)
        few = _lots_with_little_edge(edges[0], ruling, site.ft)
        others = self._beside(lots.geometries[few], numbers) if len(few) else numbers[:0]
        upland, tract = edges
        if len(others):
            upland = with_edge_elsewhere(upland, self._elsewhere(others, lots, few), site, ruling)
        layers = staked_layers(upland, tract, site, ruling, findings)
        union = union_layer(site, own.grounds)
        return Result(layers={**layers, "buffer_union": union, **_held(union, lots)}, findings=findings)

    def _beside(self, lots: NDArray[np.object_], numbers: Ints) -> Ints:
        """Find the footprints of other groups that may have edge on the same lots."""
        found = np.setdiff1d(self.groups.around(shapely.bounds(lots)), numbers)
        self.besides.update(found.tolist())
        return found

    def _elsewhere(self, others: Ints, lots: Lots, few: Ints) -> dict[int, list[float]]:
        """Measure the edge that some lots have in other groups, whole ones: lengths by lot."""
        found = self.around(others)
        site, there = found.inputs.site, lots_of(found.inputs.site, Findings())
        edge, _ = edges_with_lots(site, found.inputs.ruling, found.footprints, there, Findings())
        lengths = lengths_by_lot(edge.pieces)
        place = {_key(lots, lot): lot for lot in few.tolist()}
        known = {place.get(_key(there, lot)): parts for lot, parts in lengths.items()}
        return {lot: parts for lot, parts in known.items() if lot is not None}

    def left_out(self, group: Sequence[int], why: str) -> Result:
        """Tell of a group that could not be surveyed."""
        findings = Findings()
        for name in self.names(np.array(group, dtype=np.intp)):
            findings.error(
                "left-out",
                f"its edge, monuments and share of parcels are not in these outputs: they could not be worked ({why})",
                layer="edges",
                feature_id=name,
            )
        return Result(layers={}, findings=findings)


def _key(lots: Lots, lot: int) -> tuple[str, bytes]:
    """Tell a lot from all others, whatever else was read."""
    return str(lots.labels[lot]), shapely.to_wkb(lots.geometries[lot])


def _lots_with_little_edge(edge: LotLines, ruling: Ruling, ft: float) -> Ints:
    """Find lots whose edge is so short that its lot lines are not marked, unless there is more of it elsewhere."""
    if ruling.find(Monuments) is None:
        return np.zeros(0, dtype=np.intp)
    lengths = lengths_by_lot(edge.pieces)
    token = ruling.length("token_edge_length") * ft * _ROUNDING
    met = {lot for line in edge.lines for lot in line.lots} | lengths.keys()
    return np.array(sorted(lot for lot in met if math.fsum(lengths[lot]) <= token), dtype=np.intp)


def _held(union: gpd.GeoDataFrame, lots: Lots) -> dict[str, pd.DataFrame]:
    """Measure what each lot holds, in CRS units, and what is held in all and on any lot."""
    held = shares(union.geometry.to_numpy(), lots.geometries)
    by_lot = {"label": pd.Series(lots.labels[held.lot], dtype=object), "area": held.area}
    return {
        "held": gpd.GeoDataFrame(by_lot, geometry=lots.geometries[held.lot], crs=union.crs),
        "held_total": pd.DataFrame({"covered": [held.covered], "total": [held.total]}),
    }
