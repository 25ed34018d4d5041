"""Wetlands, lakes and streams as one frame: banks drawn, repeats dropped, overlaps told, ids made unique."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from wetgeo.findings import Findings
from wetgeo.inputs.draft import Draft
from wetgeo.inputs.ids import order_of, unique_ids
from wetgeo.inputs.repair import GeometryArray, kinds
from wetgeo.kernels.offset import CHORD_TOLERANCE_FT, quarter_segments, without_excess
from wetgeo.site import RESOURCE_LAYERS
from wetgeo.units import area_text

#: ground that two resources claim is told where it is more, square feet
_OVERLAP_SQFT = 1.0


def draw_banks(draft: Draft, ft: float) -> Draft:
    """Turn streams given as lines into the polygon from bank to bank, with flat ends; `ft` is CRS units in a foot."""
    lines = np.flatnonzero(kinds(draft.geometry) == "line")
    if not len(lines):
        return draft
    geometry = draft.geometry.copy()
    widths = draft.roles["bank_width_ft"].to_numpy(dtype=float)
    merged = shapely.line_merge(geometry)
    for width in np.unique(widths[lines]).tolist():
        rows = lines[widths[lines] == width]
        segments = quarter_segments(width / 2, CHORD_TOLERANCE_FT)
        drawn = shapely.buffer(merged[rows], width / 2 * ft, quad_segs=segments, cap_style="flat")
        tolerance = CHORD_TOLERANCE_FT * ft
        geometry[rows] = without_excess(drawn, merged[rows], width / 2 * ft, tolerance=tolerance)
    return replace(draft, geometry=geometry)


def join(drafts: Sequence[Draft], crs: CRS, ft: float, findings: Findings) -> gpd.GeoDataFrame:
    """Put the resource layers together.

    Parameters
    ----------
    drafts
        The layers in the working CRS, repaired.
    crs
        The working CRS.
    ft
        CRS units in a foot.
    findings
        Takes note of missing and repeated ids and of overlaps; all that was noted of features gets its final id.

    Returns
    -------
    geopandas.GeoDataFrame
        As `wetgeo.site.Site.resources`.
    """
    geometry = np.concatenate([draft.geometry for draft in drafts])
    sizes = shapely.area(geometry) + shapely.length(geometry)
    ordered = partial(order_of, shapely.bounds(geometry), sizes, lambda rows: geometry[rows], grain=0.01 * ft)
    frame, order = named(drafts, ordered, findings)
    whole = gpd.GeoDataFrame(frame, geometry=geometry[order], crs=crs)
    layers = whole["resource_type"].map({kind: layer for layer, kind in RESOURCE_LAYERS.items()}).to_numpy()
    tell_overlaps(whole["resource_id"].tolist(), whole.geometry.to_numpy(), layers, ft**2, findings)
    return whole


def named(
    drafts: Sequence[Draft], ordered: Callable[[Sequence[str]], NDArray[np.intp]], findings: Findings
) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """Give the resources their ids, and put their columns together, without geometry; the order of the rows comes too.

    `ordered` finds the canonical order of all features, one layer after the other, given what decides between equals.
    """
    layers = np.concatenate([np.full(len(draft.geometry), draft.name, dtype=object) for draft in drafts])
    raw = [draft.names[row] for draft in drafts for row in draft.rows]
    order = ordered([f"{layer} {name}" for layer, name in zip(layers, raw, strict=True)])
    ids = np.empty(len(order), dtype=object)
    ids[order] = unique_ids([raw[i] for i in order], list(layers[order]), findings)
    _tell(drafts, ids, findings)
    frame = pd.DataFrame(
        {
            "resource_id": ids,
            "resource_type": [RESOURCE_LAYERS[layer] for layer in layers],
            "class": _column(drafts, "class", None, object),
            "class_reason": _column(drafts, "class_reason", None, object),
            "class_citation": _column(drafts, "class_citation", None, object),
            "gdnr": _column(drafts, "gdnr", False, bool),
            "central": _column(drafts, "central", False, bool),
            "setback_ft": _column(drafts, "setback_ft", np.nan, float),
        }
    )
    frame = pd.concat([frame, own_columns([draft.attributes for draft in drafts], [d.name for d in drafts])], axis=1)
    return frame.iloc[order].reset_index(drop=True), order


def _column(drafts: Sequence[Draft], role: str, missing: object, kind: type) -> pd.Series:
    pieces = [
        draft.roles[role].tolist() if role in draft.roles else [missing] * len(draft.geometry) for draft in drafts
    ]
    return pd.Series([value for piece in pieces for value in piece], dtype=kind)


def _tell(drafts: Sequence[Draft], ids: np.ndarray, findings: Findings) -> None:
    """Tell what waited for the ids, and which features had none."""
    start = 0
    for draft in drafts:
        final = np.array(draft.names, dtype=object)
        final[draft.rows] = ids[start : start + len(draft.rows)]
        start += len(draft.rows)
        draft.notes.tell(findings, final.tolist())
        missing = sum(each is None for each in draft.roles["id"])
        if missing:
            findings.info(
                "id-missing",
                f"{missing:,} of {len(draft.rows):,} features have no id; they are named {draft.name}-N by their "
                "number in the file",
                layer=draft.name,
            )


def own_columns(frames: Sequence[pd.DataFrame], layers: Sequence[str]) -> pd.DataFrame:
    """Join the files' own columns, prefixed ``src_``, one below the other.

    Columns of two layers are one where they are spelled alike but for case and hold the same kind of value; else the
    later bears the layer's name. Columns of one layer that differ but by case get a number, for a GeoPackage takes
    them for one.
    """
    columns: dict[str, list[pd.Series | None]] = {}
    spelled: dict[str, str] = {}
    for at, (frame, layer) in enumerate(zip(frames, layers, strict=True)):
        for place, column in enumerate(frame.columns):
            values = _nullable(frame.iloc[:, place])
            name = f"src_{column}"
            earlier = spelled.get(name.casefold())
            if earlier is not None and columns[earlier][at] is None and _alike(columns[earlier], values):
                name = earlier
            elif earlier is not None:
                name = _free(f"{name}_{layer}" if columns[earlier][at] is None else name, spelled)
            spelled.setdefault(name.casefold(), name)
            columns.setdefault(name, [None] * len(frames))[at] = values
    return pd.DataFrame({name: _stacked(pieces, frames) for name, pieces in columns.items()})


def _free(name: str, spelled: dict[str, str]) -> str:
    number, free = 1, name
    while free.casefold() in spelled:
        number += 1
        free = f"{name}_{number}"
    return free


def _nullable(values: pd.Series) -> pd.Series:
    """Give integers and booleans a type that can have gaps, so that no digit is lost where layers are joined."""
    if pd.api.types.is_bool_dtype(values.dtype):
        return values.astype("boolean")
    if pd.api.types.is_unsigned_integer_dtype(values.dtype):
        return values.astype("UInt64")
    if pd.api.types.is_integer_dtype(values.dtype):
        return values.astype("Int64")
    if pd.api.types.is_float_dtype(values.dtype):
        return values.astype("float64")
    return values if pd.api.types.is_datetime64_any_dtype(values.dtype) else values.astype(object)


def _alike(pieces: Sequence[pd.Series | None], values: pd.Series) -> bool:
    return all(piece is None or piece.dtype == values.dtype for piece in pieces)


def _stacked(pieces: Sequence[pd.Series | None], frames: Sequence[pd.DataFrame]) -> pd.Series:
    kind = next(piece.dtype for piece in pieces if piece is not None)
    full = [
        pd.Series([None] * len(frame), dtype=kind) if piece is None else piece
        for piece, frame in zip(pieces, frames, strict=True)
    ]
    stacked = pd.concat(full, ignore_index=True)
    if pd.api.types.is_object_dtype(kind):
        return stacked.where(stacked.notna(), None)
    whole: dict[str, type] = {"Int64": np.int64, "boolean": np.bool_}
    return stacked.astype(whole[str(kind)]) if str(kind) in whole and not stacked.isna().any() else stacked


def tell_overlaps(
    ids: Sequence[str], geometry: GeometryArray, layers: np.ndarray, sqft: float, findings: Findings
) -> None:
    """Tell of each pair of resources that claim more than a square foot of the same ground.

    Parameters
    ----------
    ids, layers
        Of the resources.
    geometry
        Their polygons, valid.
    sqft
        Square CRS units in a square foot.
    findings
        Gets one finding for each pair.
    """
    one, two = shapely.STRtree(geometry).query(geometry, predicate="intersects")
    pairs = one < two
    one, two = one[pairs], two[pairs]
    # neighbours that only touch are most of the pairs; the predicate is much cheaper than an overlay
    deep = ~shapely.touches(geometry[one], geometry[two])
    one, two = one[deep], two[deep]
    areas = shapely.area(shapely.intersection(geometry[one], geometry[two])) / sqft
    for a, b, area in zip(one, two, areas, strict=True):
        if area > _OVERLAP_SQFT:
            findings.warning(
                "resources-overlap",
                f"{ids[a]} and {ids[b]} overlap: both claim the same {area_text(area)}",
                layer=layers[a],
                feature_id=ids[a],
            )
