"""The first pass: the required buffers of the resources of one tile."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from wetgeo.batch.manifest import MANIFEST, digest_of, read_json, write_json
from wetgeo.batch.prepared import Prepared, opened
from wetgeo.batch.results import Result, bisected, joined, save, seconds_since
from wetgeo.batch.tables import Floats, Ints
from wetgeo.buffers import buffer_grounds
from wetgeo.findings import Findings
from wetgeo.pipeline import Inputs, LaidOut, buffer_layers, lay_site
from wetgeo.sitewide import SiteWide

#: layers that this pass asks for; mapped ground and surface come otherwise
_LAYERS = ("soils", "structures", "parcels")
#: what lies nearer to the edge of a window than this, in feet, may touch what lies beyond
_MARGIN_FT = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TileTask:
    """One tile to do.

    Attributes
    ----------
    site, state
        Folder of the prepared site, and what tells it from another one there.
    ground_rules
        Hash of all that every tile depends on.
    results
        Folder that the result goes into, by `name`.
    tile, rows
        The tile's name, and which of its resources; all where None.
    """

    site: str
    state: str
    ground_rules: str
    results: str
    name: str
    rows: tuple[int, ...]


def lay_tile(task: TileTask) -> str:
    """Lay out the buffers of one tile and write the result; nothing is done where it stands and is of the same data.

    Returns the tile's name.
    """
    start = time.perf_counter()
    prepared, folder = opened(task.site, task.state), Path(task.results) / task.name
    rows = np.array(task.rows, dtype=np.intp)
    manifest = read_json(folder / MANIFEST)
    whole = _windows(prepared, rows)
    before = np.array(manifest.get("windows", whole.tolist()), dtype=float).reshape(-1, 4)
    part = _Part.of(prepared, before, rows)
    if manifest and manifest.get("digest") == part.digest(task.ground_rules):
        save_state(folder, manifest, task.state)
        return task.name
    if not np.array_equal(before, whole):
        part = _Part.of(prepared, whole, rows)
    grown: dict[int, Floats] = {}
    work = partial(_lay, prepared, grown, part)
    result = joined(list(bisected(rows.tolist(), work, partial(_left_out, prepared))))
    windows = np.array([grown.get(row, window) for row, window in zip(rows.tolist(), whole, strict=True)])
    digest = (_Part.of(prepared, windows, rows) if grown else part).digest(task.ground_rules)
    stated = {"state": task.state, "digest": digest, "windows": windows.tolist(), "resources": len(rows)}
    save(folder, result, {**stated, "seconds": seconds_since(start)})
    return task.name


def save_state(folder: Path, manifest: dict[str, Any], state: str) -> None:
    """Say in a manifest that the result is good for another state of the prepared site."""
    write_json(folder / MANIFEST, {**manifest, "state": state})


def _windows(prepared: Prepared, rows: Ints) -> Floats:
    """Windows around resources within which all lies that their buffers may depend on, shape (n, 4)."""
    shapes = prepared.resources.take(rows).geometry.to_numpy()
    return shapely.bounds(shapes) + prepared.common.reach * np.array([-1.0, -1.0, 1.0, 1.0])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """The part of the site around some resources."""

    inputs: Inputs
    sitewide: SiteWide
    rows: Ints
    owned: Ints

    @classmethod
    def of(cls, prepared: Prepared, windows: Floats, owned: Ints) -> _Part:
        inputs, rows = prepared.inputs(windows, _LAYERS)
        ids = inputs.site.resources["resource_id"].to_numpy()
        sitewide = prepared.sitewide(windows, ids, np.isin(rows, owned))
        return cls(inputs=inputs, sitewide=sitewide, rows=rows, owned=owned)

    def digest(self, ground_rules: str) -> str:
        site, wide = self.inputs.site, self.sitewide
        frames = [site.resources, *(layer for _, layer in sorted(site.layers.items()))]
        mapped = [part for one in wide.mapped for part in (one.parts, list(one.names), one.edge)]
        subject = [
            part for row, ground in sorted(wide.subject.ground.items()) for part in (row, shapely.to_wkb(ground))
        ]
        surface = [wide.uncounted.crossed, wide.uncounted.access, wide.ways]
        chosen = np.flatnonzero(wide.chosen).tolist()
        return digest_of([ground_rules, chosen, *frames, *mapped, *subject, *surface])


def _lay(prepared: Prepared, grown: dict[int, Floats], whole: _Part, rows: Sequence[int]) -> Result:
    """Lay out the buffers of resources; those that reach beyond their window are laid out anew in a larger one.

    `whole` is the part of the site around all resources of the tile, each in its own window.
    """
    left, results = np.array(rows, dtype=np.intp), []
    windows = _windows(prepared, left)
    known: _Part | None = whole if np.array_equal(left, whole.owned) else None
    while len(left):
        part, known = known or _Part.of(prepared, windows, left), None
        laid = lay_site(part.inputs, part.sitewide, Findings())
        bounds = _extent(laid, part.rows, left)
        margin = _MARGIN_FT * laid.site.ft * np.array([1.0, 1.0, -1.0, -1.0])
        inside = np.isnan(bounds).any(axis=1) | ((bounds >= windows + margin) == [True, True, False, False]).all(axis=1)
        results.append(_of_rows(laid, part.rows, left[inside]))
        reach = prepared.common.reach * np.array([-1.0, -1.0, 1.0, 1.0])
        left, wanted = left[~inside], bounds[~inside] + reach
        low = np.minimum(windows[~inside][:, :2], wanted[:, :2])
        windows = np.concatenate([low, np.maximum(windows[~inside][:, 2:], wanted[:, 2:])], axis=1)
        grown.update(zip(left.tolist(), windows, strict=True))
    return joined(results)


def _extent(laid: LaidOut, rows: Ints, owned: Ints) -> Floats:
    """Bounds of all ground that the buffers of resources take, zone by zone, shape of `owned`."""
    bounds = np.full((len(rows), 4), np.nan)
    footprints = laid.footprints
    every = [*zip(footprints.rows, footprints.geometries, strict=True)]
    every += [(zone.row, zone.outer) for zone in footprints.zones]
    every += [(extension.row, extension.ground) for extension in footprints.extensions]
    at = np.array([row for row, _ in every], dtype=np.intp)
    found = shapely.bounds(np.array([shape for _, shape in every], dtype=object)).reshape(-1, 4)
    for side, pick in ((0, np.fmin), (1, np.fmin), (2, np.fmax), (3, np.fmax)):
        pick.at(bounds[:, side], at, found[:, side])
    return bounds[np.searchsorted(rows, owned)]


def _of_rows(laid: LaidOut, rows: Ints, kept: Ints) -> Result:
    """Make the layers, and keep what is about some resources."""
    site = laid.site
    ids = site.resources["resource_id"].to_numpy()
    names = set(ids[np.searchsorted(rows, kept)])
    others = set(ids[laid.footprints.rows]) - names
    layers = buffer_layers(laid, buffer_grounds(laid.upland, laid.footprints, laid.uncounted.shapes))
    layers["footprints"] = gpd.GeoDataFrame(
        {"resource_id": ids[laid.footprints.rows]}, geometry=laid.footprints.geometries, crs=site.crs
    )
    findings = Findings()
    findings.extend(laid.findings)
    findings.forget(others)
    return Result(layers={name: _rows_of(frame, names) for name, frame in layers.items()}, findings=findings)


def _rows_of(frame: pd.DataFrame, names: set[str]) -> pd.DataFrame:
    mine: NDArray[np.bool_] = frame["resource_id"].isin(names).to_numpy(dtype=bool)
    kept: pd.DataFrame = frame[mine].reset_index(drop=True)
    return kept


def _left_out(prepared: Prepared, row: int, why: str) -> Result:
    name = prepared.resources.take(np.array([row]))["resource_id"].iloc[0]
    findings = Findings()
    findings.error(
        "left-out",
        f"has no buffer in these outputs: it could not be worked ({why})",
        layer="resources",
        feature_id=name,
    )
    return Result(layers={}, findings=findings)


def leave_tile(task: TileTask) -> str:
    """Write the result of a tile whose only resource ended its worker."""
    prepared = opened(task.site, task.state)
    results = [_left_out(prepared, row, "its worker ended without a word, as for lack of memory") for row in task.rows]
    save(Path(task.results) / task.name, joined(results), {"state": task.state})
    return task.name
