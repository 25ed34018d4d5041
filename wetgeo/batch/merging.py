"""From the results of tiles and groups to one delineation, the same as if the site had been worked as a whole.

Layers are sorted by way of the disk: only a piece of one of them is in memory at a time, however many rows they have.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator, Sequence
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

from wetgeo.batch.buckets import Buckets, bucketed
from wetgeo.batch.prepared import PIECE, Prepared
from wetgeo.batch.results import findings_of
from wetgeo.batch.tables import Ints
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
OF_GROUPS = ("edges", "monuments", "monument_proof")
UNION = "buffer_union"
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


def merged(prepared: Prepared, results: Results, files: Sequence[Path], folder: Path) -> Delineation:
    """Put all results together; `files` are the inputs, and the layers are laid down in `folder`, made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    findings = prepared.findings()
    for one in (*results.tiles, *results.groups):
        findings.extend(findings_of(one))
    tell_contested(findings)
    common = prepared.common
    resources = prepared.resources_layer()
    layers: dict[str, pd.DataFrame | StoredLayer] = {"resources": resources}
    if (prepared.folder / "flow_paths.pickle").exists():
        layers["flow_paths"] = pd.read_pickle(prepared.folder / "flow_paths.pickle")  # noqa: S301 -- written by us
    merging = _Merging(prepared, folder)
    by_resource = _by_resource(resources)
    for names, folders in ((OF_TILES, results.tiles), (OF_GROUPS, results.groups)):
        for name in names:
            layers |= merging.layer(name, folders, by_resource)
    layers |= merging.layer(UNION, results.groups, _by_size(results.groups))
    layers |= merging.parcels(results.groups, findings)
    return Delineation(
        project=common.project,
        pack=prepared.pack,
        options=prepared.ruling.options,
        crs=common.crs,
        layers=Layers(layers),
        findings=findings,
        inputs=list(files),
        dem=common.dem,
    )


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


class _Merging:
    """Sorts layers of one site into `folder`."""

    def __init__(self, prepared: Prepared, folder: Path) -> None:
        self.common, self.folder = prepared.common, folder
        self.has_parcels = "parcels" in self.common.layers and len(prepared.layers["parcels"].rows) > 0

    def layer(self, name: str, folders: Sequence[Path], number: Number) -> dict[str, pd.DataFrame | StoredLayer]:
        """Sort the rows of one layer; `number` is one by which pieces may be told apart and put in order."""
        schema, geometry = LAYERS[name], LAYERS[name].geometry
        fields = [(field.name, _TYPES[field.kind]) for field in schema.fields]
        arrow = pa.schema([*fields, *([] if geometry is None else [(GEOMETRY, pa.binary())])])
        crs = None if geometry is None else self.common.crs
        with bucketed(self.folder / "sorting", arrow) as buckets:
            _fill(buckets, name, folders, number)
            pieces = (conform(name, frame_of(table, crs), self.common.crs) for table in buckets.read())
            return self._stored(name, pieces)

    def _stored(self, name: str, pieces: Iterator[pd.DataFrame]) -> dict[str, pd.DataFrame | StoredLayer]:
        crs = None if LAYERS[name].geometry is None else self.common.crs
        stored = StoredLayer.write(self.folder / name, pieces, crs)
        return {name: stored if stored.paths else empty(name, self.common.crs)}

    def parcels(self, folders: Sequence[Path], findings: Findings) -> dict[str, pd.DataFrame | StoredLayer]:
        """Add up what each parcel holds; the areas are such that their sums are exact in any order."""
        found = [_table(folder, "held_total", ["covered", "total"]) for folder in folders]
        covered, total = (
            math.fsum(value for table in found if table is not None for value in table.column(name).to_pylist())
            for name in ("covered", "total")
        )
        if self.has_parcels:
            tell_held(total, covered, math.fsum(_areas(folders)), self._site(), findings)
        with bucketed(self.folder / "sorting", _HELD) as buckets:
            _fill(buckets, "held", folders, _by_label(folders))
            return self._stored("parcels", (self._held(table, covered, total) for table in buckets.read()))

    def _held(self, table: pa.Table, covered: float, total: float) -> pd.DataFrame:
        each = table.group_by(["label", GEOMETRY]).aggregate([("area", "sum")])
        shapes = np.asarray(shapely.from_wkb(each.column(GEOMETRY).to_numpy(zero_copy_only=False)), dtype=object)
        number = np.arange(len(shapes))
        labels = np.array(each.column("label").to_pylist(), dtype=object)
        lots = Lots(labels=labels, geometries=shapes, areas=shapely.area(shapes), outline=number)
        held = Shares(lot=number, area=each.column("area_sum").to_numpy(), covered=covered, total=total)
        return conform("parcels", held_layer(held, lots, self._site()), self.common.crs)

    def _site(self) -> Site:
        common = self.common
        none = gpd.GeoDataFrame(geometry=[], crs=common.crs)
        return Site(crs=common.crs, unit_m=common.unit_m, resources=none, date=common.project.date)


def _fill(buckets: Buckets, name: str, folders: Sequence[Path], number: Number) -> None:
    names = buckets.schema.names
    for folder in folders:
        table = _table(folder, name, names)
        if table is not None:
            buckets.add(table.select(names).replace_schema_metadata(None).cast(buckets.schema), number(table))


def _areas(folders: Sequence[Path]) -> Iterator[float]:
    for folder in folders:
        table = _table(folder, "held", ["area"])
        if table is not None:
            yield from table.column("area").to_pylist()


def _by_label(folders: Sequence[Path]) -> Number:
    """Number what parcels hold by the parcel's place in the order of the outputs."""
    tables = (_table(folder, "held", ["label"]) for folder in folders)
    labels = {label for table in tables if table is not None for label in table.column("label").to_pylist()}
    order = pd.Index(sorted(labels, key=natural_key), dtype=object)
    size = _piece(len(order))
    return lambda table: order.get_indexer(table.column("label").to_numpy(zero_copy_only=False)) // size
