"""A project whose large layers are read a block of features at a time; their geometries stay on disk.

The steps are those of `wetgeo.inputs.build`, and so are the findings. What is wrong with a layer as a whole shows only
when it is seen as a whole: where a block has a fault, the project is to be read by `build_site`, which tells them all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from wetgeo.errors import InputError
from wetgeo.findings import Findings
from wetgeo.inputs.build import opened_dem, repaired
from wetgeo.inputs.classes import ClassTable
from wetgeo.inputs.crs import unit_m
from wetgeo.inputs.draft import Draft, draft_of, tell_reading
from wetgeo.inputs.faults import Faults
from wetgeo.inputs.heap import Features, Heap, Ints, NewHeap
from wetgeo.inputs.ids import order_of
from wetgeo.inputs.notes import Notes
from wetgeo.inputs.others import columns_of, one_each
from wetgeo.inputs.repeats import without_repeats
from wetgeo.inputs.resources import named
from wetgeo.inputs.vector import layer_blocks
from wetgeo.inputs.working import settle, tell_far_bounds, working_crs
from wetgeo.kernels.grid import ElevationSource
from wetgeo.project import LayerSource, Project
from wetgeo.site import RESOURCE_LAYERS
from wetgeo.units import FOOT_M

#: features that are read at a time
BLOCK = 2_500
#: what a block may tell of that concerns the layer as a whole
_OF_LAYERS = frozenset({"layer-empty"})


class Undivided(Exception):  # noqa: N818 -- no error: the project is to be read as a whole
    """Something that only a look at the whole layer can tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSite:
    """All inputs of one project, as `wetgeo.site.Site`, the geometries of its layers on disk."""

    crs: CRS
    resources: Features
    layers: Mapping[str, Features]
    dem: ElevationSource | None
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    """One layer: the geometries of `draft` are missing and lie in `heap`, at `places`; of each its measures."""

    draft: Draft
    heap: Heap
    places: Ints
    bounds: NDArray[np.float64]
    areas: NDArray[np.float64]
    sizes: NDArray[np.float64]

    @classmethod
    def of(cls, draft: Draft, heap: Heap, start: int) -> _Layer:
        """Lay the geometries of a draft into a heap; its rows and notes are to count from `start`."""
        shapes = draft.geometry
        areas, places = shapely.area(shapes), len(heap) + np.arange(len(shapes))
        heap.add(shapes)
        notes = Notes(layer=draft.name)
        for severity, code, message, rows in draft.notes.kept:
            notes.add(severity, code, message, (row + start for row in rows))
        light = replace(
            draft,
            geometry=np.full(len(shapes), None, dtype=object),
            rows=draft.rows + start,
            # only resources go on with the columns of their file
            attributes=draft.attributes if draft.name in RESOURCE_LAYERS else draft.attributes.iloc[:, :0],
            notes=notes,
        )
        bounds = shapely.bounds(shapes).reshape(-1, 4)
        return cls(
            draft=light, heap=heap, places=places, bounds=bounds, areas=areas, sizes=areas + shapely.length(shapes)
        )

    def chosen(self, rows: Ints) -> _Layer:
        return _Layer(
            draft=self.draft.take(rows),
            heap=self.heap,
            places=self.places[rows],
            bounds=self.bounds[rows],
            areas=self.areas[rows],
            sizes=self.sizes[rows],
        )

    def with_shapes(self, rows: Ints) -> Draft:
        """Give the draft of some features, with their geometries."""
        return replace(self.draft.take(rows), geometry=self.heap.take(self.places[rows]))

    def changed(self, rows: Ints, shapes: NDArray[np.object_]) -> None:
        """Give some features other geometries."""
        self.places[rows] = len(self.heap) + np.arange(len(rows))
        self.heap.add(shapes)
        self.bounds[rows], self.areas[rows] = shapely.bounds(shapes), shapely.area(shapes)
        self.sizes[rows] = self.areas[rows] + shapely.length(shapes)


def read_in_blocks(project: Project, pack: ClassTable, findings: Findings, new_heap: NewHeap) -> BlockSite:
    """Read all inputs of a project.

    Parameters
    ----------
    project
        The project.
    pack
        The rule, for its classes.
    findings
        Takes note of all that was assumed, repaired, dropped or left undecided, but for overlaps of resources.
    new_heap
        Makes the heaps for the geometries; they must stay as long as the result.

    Raises
    ------
    Undivided
        A layer has a fault or is otherwise to be looked at as a whole; then `findings` are worth nothing.
    WetgeoError
        As `wetgeo.inputs.build.build_site`.
    """
    if not RESOURCE_LAYERS.keys() & project.layers.keys():
        raise Undivided
    try:
        raw = [_read(source, pack, findings, new_heap) for source in project.layers.values()]
    except InputError as fault:
        raise Undivided from fault
    crs = working_crs(project.crs, [_stand_in(layer) for layer in raw], findings)
    ready = [_without_repeats(_ready(raw.pop(0), crs, findings, new_heap)) for _ in range(len(raw))]
    tables = [layer.draft.table.path for layer in ready if layer.draft.table is not None and layer.draft.table.path]
    ft = FOOT_M / unit_m(crs)
    resources = _resources([layer for layer in ready if layer.draft.name in RESOURCE_LAYERS], ft, findings)
    left, bottom = resources.bounds[:, :2].min(axis=0).tolist()
    right, top = resources.bounds[:, 2:].max(axis=0).tolist()
    layers = {}
    while ready:
        layer = ready.pop(0)
        if layer.draft.name not in RESOURCE_LAYERS:
            tell_far_bounds(layer.draft.name, layer.bounds, (left, bottom, right, top), ft, findings)
            layers[layer.draft.name] = _other(layer, ft, findings)
    dem, rasters = opened_dem(project, crs, findings, site=(left, bottom, right, top))
    files = tuple(dict.fromkeys([*project.files, *tables, *rasters]))
    return BlockSite(crs=crs, resources=resources, layers=layers, dem=dem, files=files)


def _read(source: LayerSource, pack: ClassTable, findings: Findings, new_heap: NewHeap) -> _Layer:
    """Read one layer, its geometries as the file has them."""
    parts: list[_Layer] = []
    heap, read, flattened, curved = new_heap(f"{source.name}.read"), 0, 0, 0
    raw = None
    for raw in layer_blocks(source, BLOCK):
        told, faults = Findings(), Faults()
        draft = draft_of(raw, told, faults, pack=pack, table=parts[0].draft.table if parts else None)
        settled = settle([draft], told, faults)
        if faults.errors or any(one.code in _OF_LAYERS for one in told):
            raise Undivided
        findings.extend(told)
        tell_reading(raw, 0, 0, findings)
        parts.append(_Layer.of(settled[0], heap, read))
        read, flattened, curved = (
            read + len(raw.geometry),
            flattened + int(raw.flattened.sum()),
            curved + int(raw.curved.sum()),
        )
    if raw is None or not read:
        raise Undivided
    tell_reading(raw, flattened, curved, findings)
    return _joined(parts)


def _joined(parts: Sequence[_Layer]) -> _Layer:
    """Join the parts of one layer; their rows and notes count on from one to the next."""
    drafts = [part.draft for part in parts]
    notes = Notes(layer=drafts[0].name)
    for draft in drafts:
        notes.kept += draft.notes.kept
    draft = replace(
        drafts[0],
        geometry=np.concatenate([draft.geometry for draft in drafts]),
        rows=np.concatenate([draft.rows for draft in drafts]),
        names=[name for draft in drafts for name in draft.names],
        roles=pd.concat([draft.roles for draft in drafts], ignore_index=True),
        attributes=pd.concat([draft.attributes for draft in drafts], ignore_index=True),
        notes=notes,
    )
    return _Layer(
        draft=draft,
        heap=parts[0].heap,
        places=np.concatenate([part.places for part in parts]),
        bounds=np.concatenate([part.bounds for part in parts]),
        areas=np.concatenate([part.areas for part in parts]),
        sizes=np.concatenate([part.sizes for part in parts]),
    )


def _stand_in(layer: _Layer) -> Draft:
    """Give a draft with one feature, of the bounds of all, for what asks for no more."""
    low, high = layer.bounds[:, :2].min(axis=0), layer.bounds[:, 2:].max(axis=0)
    ring = shapely.linestrings([[low, high]])
    return replace(layer.draft, geometry=np.asarray(ring, dtype=object))


def _ready(layer: _Layer, crs: CRS, findings: Findings, new_heap: NewHeap) -> _Layer:
    """Bring a layer into the working CRS, repaired."""
    bounds = _stand_in(layer).bounds
    heap = new_heap(f"{layer.draft.name}.ready")
    parts = []
    for start in range(0, len(layer.places), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(layer.places)))
        try:
            ready = repaired(layer.with_shapes(rows), crs, findings, bounds=bounds)
        except InputError as fault:
            raise Undivided from fault
        parts.append(_Layer.of(replace(ready, names=[], notes=Notes(layer=ready.name)), heap, 0))
    layer.heap.close()
    found = _joined(parts)
    if not len(found.places):
        raise Undivided
    return replace(found, draft=replace(found.draft, names=layer.draft.names, notes=layer.draft.notes))


def _without_repeats(layer: _Layer) -> _Layer:
    alike = np.flatnonzero(pd.DataFrame(layer.bounds).duplicated(keep=False).to_numpy())
    if not len(alike):
        return layer
    kept = np.ones(len(layer.places), dtype=bool)
    kept[alike] = np.isin(layer.draft.rows[alike], without_repeats(layer.with_shapes(alike)).rows)
    return layer.chosen(np.flatnonzero(kept))


def _resources(layers: Sequence[_Layer], ft: float, findings: Findings) -> Features:
    """Put the resource layers together; they are of several heaps, which become one."""
    heap = layers[0].heap
    places = [layers[0].places]
    for layer in layers[1:]:
        places.append(len(heap) + np.arange(len(layer.places)))
        for start in range(0, len(layer.places), BLOCK):
            heap.add(layer.heap.take(layer.places[start : start + BLOCK]))
        layer.heap.close()
    whole = np.concatenate(places)
    bounds = np.concatenate([layer.bounds for layer in layers])
    ordered = partial(
        order_of,
        bounds,
        np.concatenate([layer.sizes for layer in layers]),
        lambda rows: heap.take(whole[rows]),
        grain=0.01 * ft,
    )
    frame, order = named([layer.draft for layer in layers], ordered, findings)
    return Features(frame=frame, heap=heap, places=whole[order], bounds=bounds[order])


def _other(layer: _Layer, ft: float, findings: Findings) -> Features:
    """Make the frame of a layer beside the resources."""
    if layer.draft.name == "parcels":
        numbers = layer.draft.roles["id"].astype(object)
        rows = np.flatnonzero((numbers.notna() & numbers.duplicated(keep=False)).to_numpy())
        geometry = layer.draft.geometry.copy()
        geometry[rows] = layer.heap.take(layer.places[rows])
        draft = one_each(replace(layer.draft, geometry=geometry), findings)
        layer = layer.chosen(np.flatnonzero(np.isin(layer.draft.rows, draft.rows)))
        united = np.flatnonzero(~shapely.is_missing(draft.geometry))
        layer.changed(united, draft.geometry[united])
    else:
        one_each(layer.draft, findings)
    frame = columns_of(layer.draft, layer.areas, findings)
    take = partial(_taken, layer)
    order = order_of(layer.bounds, layer.sizes, take, frame["feature_id"].tolist(), grain=0.01 * ft)
    return Features(
        frame=frame.iloc[order].reset_index(drop=True),
        heap=layer.heap,
        places=layer.places[order],
        bounds=layer.bounds[order],
    )


def _taken(layer: _Layer, rows: Ints) -> NDArray[np.object_]:
    return layer.heap.take(layer.places[rows])
