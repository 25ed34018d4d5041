"""From the results of tiles and groups to one delineation, the same as if the site had been worked as a whole.

Layers are sorted by way of the disk: only a piece of one of them is in memory at a time, however many rows they have.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely
from pyproj import CRS

from wetgeo.batch.buckets import Buckets, bucketed
from wetgeo.batch.prepared import PIECE, Prepared, opened
from wetgeo.batch.results import findings_of
from wetgeo.batch.tables import Ints
from wetgeo.batch.workers import Workers
from wetgeo.delineation import Delineation
from wetgeo.findings import Findings
from wetgeo.frames import conform, empty, natural_key
from wetgeo.kernels.shares import Shares
from wetgeo.layers import LAYERS
from wetgeo.parcels import Lots, held_layer, tell_held
from wetgeo.pieces import GEOMETRY, Layers, StoredLayer, frame_of
from wetgeo.site import Site
from wetgeo.soil_groups import tell_contested

#: layers of the first pass, and of the second, whose rows are sorted by their resource first
OF_TILES = ("buffers", "zones", "extensions", "access", "reasons")
OF_GROUPS = ("monuments", "edges", "monument_proof")
UNION, PARCELS = "buffer_union", "parcels"
#: bytes of geometry of a piece, as far as it goes
_BYTES = 2**24
#: files that are open at a time, at most; pieces are larger where there would be more
_FILES = 250
_TYPES = {"text": pa.string(), "real": pa.float64(), "int": pa.int64(), "bool": pa.bool_()}
_HELD = pa.schema([("label", pa.string()), ("area", pa.float64()), (GEOMETRY, pa.binary())])

Number = Callable[[pa.Table], Ints]


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Where the results of both passes lie, in the order in which they are read."""

    tiles: Sequence[Path]
    groups: Sequence[Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerTask:
    """One layer to put together.

    Attributes
    ----------
    site, state
        As for `wetgeo.batch.laying.TileTask`.
    results
        Where the results lie.
    folder, name
        The folder that layers go into, and the layer's name.
    """

    site: str
    state: str
    results: Results
    folder: Path
    name: str


def merged(prepared: Prepared, state: str, results: Results, crew: Workers, folder: Path) -> Delineation:
    """Put all results together; layers are laid down in `folder`, made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    common = prepared.common
    # the longest first, so that no worker is left with one of them in the end
    names = (*OF_GROUPS, *OF_TILES, UNION, PARCELS)
    tasks = [
        LayerTask(site=str(prepared.folder), state=state, results=results, folder=folder, name=name) for name in names
    ]
    waiting = [(task, crew.submit(merge_layer, task)) for task in tasks]
    findings = _findings(prepared, results)
    layers: dict[str, pd.DataFrame | StoredLayer] = {"resources": prepared.resources_layer()}
    if (prepared.folder / "flow_paths.pickle").exists():
        layers["flow_paths"] = pd.read_pickle(prepared.folder / "flow_paths.pickle")  # noqa: S301 -- written by us
    for task, future in waiting:
        stored = _layer_of(crew, task, future)
        layers[task.name] = empty(task.name, common.crs) if stored is None else stored
    return Delineation(
        project=common.project,
        pack=prepared.pack,
        options=prepared.ruling.options,
        crs=common.crs,
        layers=Layers(layers),
        findings=findings,
        dem=common.dem,
    )


def _layer_of(crew: Workers, task: LayerTask, future: Future[StoredLayer | None]) -> StoredLayer | None:
    try:
        return future.result()
    except Exception as fault:
        if not crew.is_death(fault):
            raise
    return merge_layer(task)  # the worker died, of this layer or of another: here is more memory than there


def _findings(prepared: Prepared, results: Results) -> Findings:
    """Gather what was found, and tell what only all parts together can."""
    findings = prepared.findings()
    for one in (*results.tiles, *results.groups):
        findings.extend(findings_of(one))
    tell_contested(findings)
    if "parcels" in prepared.common.layers and len(prepared.layers["parcels"].rows) > 0:
        total, covered = (math.fsum(_values(results.groups, "held_total", name)) for name in ("total", "covered"))
        held = math.fsum(_values(results.groups, "held", "area"))
        tell_held(total, covered, held, _site(prepared), findings)
    return findings


def merge_layer(task: LayerTask) -> StoredLayer | None:
    """Sort the rows of one layer; None where it has none."""
    prepared = opened(task.site, task.state)
    folder = task.folder / f"{task.name}.sorting"
    shutil.rmtree(task.folder / task.name, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    groups = task.results.groups
    if task.name == PARCELS:
        with bucketed(folder, _HELD) as buckets:
            _fill(buckets, "held", groups, _by_label(groups))
            pieces = _held(prepared, groups, buckets.read())
            return _stored(task, pieces, prepared.common.crs)
    schema, crs = LAYERS[task.name], prepared.common.crs
    fields = [(field.name, _TYPES[field.kind]) for field in schema.fields]
    arrow = pa.schema([*fields, *([] if schema.geometry is None else [(GEOMETRY, pa.binary())])])
    here = None if schema.geometry is None else crs
    with bucketed(folder, arrow) as buckets:
        number = _by_size(groups) if task.name == UNION else _by_resource(prepared.resources_layer())
        _fill(buckets, task.name, task.results.tiles if task.name in OF_TILES else groups, number)
        return _stored(task, (conform(task.name, frame_of(table, here), crs) for table in buckets.read()), here)


def _stored(task: LayerTask, pieces: Iterator[pd.DataFrame], crs: CRS | None) -> StoredLayer | None:
    stored = StoredLayer.write(task.folder / task.name, pieces, crs)
    return stored if stored.paths else None


def _held(prepared: Prepared, groups: Sequence[Path], tables: Iterator[pa.Table]) -> Iterator[pd.DataFrame]:
    """Add up what each parcel holds; the areas are such that their sums are exact in any order."""
    total = math.fsum(_values(groups, "held_total", "total"))
    for table in tables:
        each = table.group_by(["label", GEOMETRY]).aggregate([("area", "sum")])
        shapes = np.asarray(shapely.from_wkb(each.column(GEOMETRY).to_numpy(zero_copy_only=False)), dtype=object)
        number = np.arange(len(shapes))
        labels = np.array(each.column("label").to_pylist(), dtype=object)
        lots = Lots(labels=labels, geometries=shapes, areas=shapely.area(shapes), outline=number)
        held = Shares(lot=number, area=each.column("area_sum").to_numpy(), covered=math.nan, total=total)
        yield conform(PARCELS, held_layer(held, lots, _site(prepared)), prepared.common.crs)


def _site(prepared: Prepared) -> Site:
    """Make a site without features, for its CRS and units."""
    common = prepared.common
    none = gpd.GeoDataFrame(geometry=[], crs=common.crs)
    return Site(crs=common.crs, unit_m=common.unit_m, resources=none, date=common.project.date)


def _values(folders: Sequence[Path], name: str, column: str) -> Iterator[float]:
    """Give the values of one column of a layer of results, one after the other."""
    for folder in folders:
        table = _table(folder, name, [column])
        if table is not None:
            yield from table.column(column).to_pylist()


def _by_resource(resources: StoredLayer) -> Number:
    """Number rows by where their resource stands in the order of the outputs; those of none come last."""
    ids = pd.Index(
        np.concatenate([table.column(0).to_numpy(zero_copy_only=False) for table in resources.tables(["resource_id"])])
    )
    size = _piece(len(ids))

    def number(table: pa.Table) -> Ints:
        place = ids.get_indexer(table.column("resource_id").to_numpy(zero_copy_only=False))
        return np.where(place < 0, len(ids), place) // size

    return number


def _by_size(folders: Sequence[Path]) -> Number:
    """Number the parts of the union by their area, by which they are sorted first; great ones are fewer to a piece."""
    areas, sizes = [np.empty(0)], [np.empty(0)]
    for folder in folders:
        table = _table(folder, UNION, ["area_sqft", GEOMETRY])
        if table is not None:
            areas.append(table.column("area_sqft").to_numpy())
            sizes.append(pc.binary_length(table.column(GEOMETRY)).to_numpy())
    every, weight = np.concatenate(areas), np.concatenate(sizes)
    order = np.argsort(every, kind="stable")
    share = np.cumsum(weight[order]) / max(_BYTES, weight.sum() / _FILES) + np.arange(len(order)) / _piece(len(order))
    first = np.flatnonzero(np.diff(np.floor(share), prepend=-1.0))
    borders = np.unique(every[order][first])
    return lambda table: np.searchsorted(borders, table.column("area_sqft").to_numpy(), side="right")


def _piece(rows: int) -> int:
    """Say how many rows make a piece."""
    return max(PIECE, math.ceil(rows / _FILES))


def _table(folder: Path, name: str, columns: Sequence[str]) -> Any:  # noqa: ANN401 -- pyarrow has no types
    """Read some columns of one layer of a result; None where it has no such layer, or that no rows."""
    path = folder / f"{name}.parquet"
    if not path.exists():
        return None
    with pq.ParquetFile(path) as file:
        return file.read(columns=list(columns)) if file.metadata.num_rows else None


def _fill(buckets: Buckets, name: str, folders: Sequence[Path], number: Number) -> None:
    names = buckets.schema.names
    for folder in folders:
        table = _table(folder, name, names)
        if table is not None:
            buckets.add(table.select(names).replace_schema_metadata(None).cast(buckets.schema), number(table))


def _by_label(folders: Sequence[Path]) -> Number:
    """Number what parcels hold by the parcel's place in the order of the outputs."""
    tables = (_table(folder, "held", ["label"]) for folder in folders)
    labels = {label for table in tables if table is not None for label in table.column("label").to_pylist()}
    order = pd.Index(sorted(labels, key=natural_key), dtype=object)
    size = _piece(len(order))
    return lambda table: order.get_indexer(table.column("label").to_numpy(zero_copy_only=False)) // size
