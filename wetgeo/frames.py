"""Frames that keep to the output schema: fields in order, right types, valid geometries, rows in a fixed order."""

from __future__ import annotations

import datetime
import json
import re
from typing import TYPE_CHECKING, Any, Literal

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from shapely import GeometryType

from wetgeo.errors import OutputError
from wetgeo.findings import SEVERITIES, Findings
from wetgeo.layers import LAYERS, LayerSchema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray
    from pyproj import CRS

#: the kinds of the schema's fields, and two more that a file's own columns may have
ColumnKind = Literal["text", "real", "int", "bool", "date", "datetime"]

#: prefix of the columns that come from the user's file, and the layer that has them
SOURCE_PREFIX = "src_"
SOURCE_LAYER = "resources"

_FIRST_KEYS = ("resource_id", "seq", "station_ft", "step")
_RANKS: dict[str, Sequence[str]] = {"severity": SEVERITIES, "zone": ("streamside", "middle", "outer")}
_DIGITS = re.compile("([0-9]+)")
_ONE_NUMBER = re.compile("([^0-9]*)([0-9]{1,18})([^0-9]*)")
_TYPES = {
    "MultiPolygon": GeometryType.MULTIPOLYGON,
    "LineString": GeometryType.LINESTRING,
    "Point": GeometryType.POINT,
}
_INT64 = 2**63


def empty(name: str, crs: CRS) -> pd.DataFrame:
    """Layer `name` with no rows; a GeoDataFrame in `crs` where the layer has geometries."""
    columns = {field.name: pd.Series(dtype=object) for field in LAYERS[name].fields}
    return conform(name, pd.DataFrame(columns), crs)


def conform(name: str, frame: pd.DataFrame, crs: CRS) -> pd.DataFrame:
    """Bring a frame to the schema of layer `name`.

    Fields come in the schema's order and types (text: str or None; real: float64; int: Int64; bool: boolean); the
    resources' ``src_`` columns follow; other columns are left out. Polygons become MultiPolygons in GEOS's normal form;
    lines and points stay vertex by vertex as they are; an empty geometry becomes null. Rows are sorted by resource_id
    in natural order (W2 before W10), then by the other fields and the geometry, so that their order does not depend
    on the order of the features. The frame given is not changed.

    Parameters
    ----------
    name
        A layer of `wetgeo.layers.LAYERS`.
    frame
        All fields of the schema, in any order; a GeoDataFrame in `crs` where the layer has geometries.
    crs
        The working CRS.

    Raises
    ------
    OutputError
        A field is missing or cannot be read as its kind, the CRS is another one, or geometries are of another type,
        invalid or 3D. All faults are told at once.
    """
    schema = LAYERS[name]
    missing = [field for field in schema.names if field not in frame]
    if missing:
        raise OutputError(f"layer {name} lacks the fields {', '.join(missing)}", mend=_REPORT)
    frame = frame.reset_index(drop=True)
    columns = {field.name: _typed(name, frame[field.name], field.kind) for field in schema.fields}
    if name == SOURCE_LAYER:
        columns |= _source_columns(frame)
    table = pd.DataFrame(columns)
    shapes = None
    if schema.geometry is not None:
        shapes = _shapes(schema, frame, crs)
        table = gpd.GeoDataFrame(table, geometry=shapes, crs=crs)
    return table.iloc[_order(schema, table, shapes)].reset_index(drop=True)


def findings_frame(findings: Findings) -> pd.DataFrame:
    """Layer ``findings`` as a frame, still to be conformed."""
    names = LAYERS["findings"].names
    return pd.DataFrame({name: pd.Series([getattr(one, name) for one in findings], dtype=object) for name in names})


def kind_of(column: pd.Series) -> ColumnKind:
    """Tell the kind of a column of a conformed frame."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return "bool"
    if pd.api.types.is_integer_dtype(column.dtype):
        return "int"
    if pd.api.types.is_float_dtype(column.dtype):
        return "real"
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "datetime"
    return "date" if pd.api.types.infer_dtype(column, skipna=True) == "date" else "text"


def natural_key(text: str) -> tuple[Any, ...]:
    """Key that sorts text as people do: case counts last, and runs of digits count as numbers."""
    parts = _DIGITS.split(text.casefold())
    # digits stand at the odd places; their length comes first, so that no number is too long to compare
    key = tuple((len(p.lstrip("0")), p.lstrip("0")) if i % 2 else p for i, p in enumerate(parts))
    return (key, text)


_REPORT = "this is a fault of wetgeo itself; please report it together with the project"


def _typed(layer: str, column: pd.Series, kind: str) -> pd.Series:
    try:
        if kind == "text":
            return _text(column)
        if kind == "real":
            numbers = column.astype("Float64").to_numpy(dtype="float64", na_value=np.nan)
            return pd.Series(numbers, index=column.index)
        return column.astype("Int64" if kind == "int" else "boolean")
    except (ValueError, TypeError) as fault:
        raise OutputError(f"layer {layer}, field {column.name}: not all values are {kind} ({fault})") from fault


def _text(column: pd.Series) -> pd.Series:
    if pd.api.types.infer_dtype(column, skipna=True) == "string":
        values = np.array(column, dtype=object)
        values[column.isna().to_numpy(dtype=bool)] = None
        return pd.Series(values, index=column.index, dtype=object)
    return _mapped(column, lambda value: value if isinstance(value, str) else str(value))


def _mapped(column: pd.Series, change: Callable[[Any], object]) -> pd.Series:
    null = column.isna().to_numpy(dtype=bool)
    values = np.empty(len(column), dtype=object)
    raw = column.to_numpy(dtype=object)
    for i in np.flatnonzero(~null):
        values[i] = change(raw[i])
    return pd.Series(values, index=column.index, dtype=object)


def _source_columns(frame: pd.DataFrame) -> dict[str, pd.Series]:
    """The file's own columns; names that differ by case only get a number, for no database keeps them apart."""
    columns: dict[str, pd.Series] = {}
    taken: set[str] = set()
    for name in (str(c) for c in frame.columns if str(c).startswith(SOURCE_PREFIX)):
        distinct, number = name, 2
        while distinct.casefold() in taken:
            distinct, number = f"{name}_{number}", number + 1
        taken.add(distinct.casefold())
        columns[distinct] = _source_column(frame[name])
    return columns


def _source_column(column: pd.Series) -> pd.Series:
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred in ("datetime", "datetime64"):
        return (
            column if pd.api.types.is_datetime64_any_dtype(column.dtype) else _mapped(column, lambda v: v.isoformat())
        )
    if inferred == "boolean":
        return column.astype("boolean")
    if inferred == "integer":
        whole = _mapped(column, int)
        fits = all(-_INT64 <= value < _INT64 for value in whole if value is not None)
        return whole.astype("Int64") if fits else _text(whole)
    if inferred in ("floating", "mixed-integer-float"):
        return column.astype("Float64").astype("float64") if column.dtype == object else column.astype("float64")
    if inferred == "date":
        return _mapped(column, lambda value: value)
    return _mapped(column, _as_text)


def _as_text(value: object) -> str:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, dict | list | tuple | np.ndarray):
        plain = value.tolist() if isinstance(value, np.ndarray) else value
        return json.dumps(plain, ensure_ascii=False, default=str)
    return str(value)


def _shapes(schema: LayerSchema, frame: pd.DataFrame, crs: CRS) -> NDArray[np.object_]:
    if not isinstance(frame, gpd.GeoDataFrame):
        if len(frame):
            raise OutputError(f"layer {schema.name} has no geometries", mend=_REPORT)
        return np.empty(0, dtype=object)
    if frame.crs is not None and frame.crs != crs:
        raise OutputError(f"layer {schema.name} is in {frame.crs.name}, not in {crs.name}", mend=_REPORT)
    shapes = np.array(frame.geometry.array, dtype=object)
    shapes[shapely.is_empty(shapes)] = None
    if schema.geometry == "MultiPolygon":
        single = np.flatnonzero(shapely.get_type_id(shapes) == GeometryType.POLYGON)
        shapes[single] = shapely.multipolygons(shapes[single], indices=np.arange(len(single)))
    _check_shapes(schema, frame, shapes)
    return shapely.normalize(shapes) if schema.geometry == "MultiPolygon" else shapes


def _check_shapes(schema: LayerSchema, frame: pd.DataFrame, shapes: NDArray[np.object_]) -> None:
    given = ~shapely.is_missing(shapes)
    wanted = _TYPES[str(schema.geometry)]
    wrong = given & ((shapely.get_type_id(shapes) != wanted) | shapely.has_z(shapes) | ~shapely.is_valid(shapes))
    label = "resource_id" if "resource_id" in schema.names else schema.names[0]
    faults = []
    for i in np.flatnonzero(wrong):
        shape = shapes[i]
        what = f"{'3D ' if shape.has_z else ''}{shape.geom_type}, {shapely.is_valid_reason(shape)}"
        faults.append(f"{label} {frame[label].iloc[i]}: {what}")
    if faults:
        words = f"layer {schema.name} must hold valid 2D {schema.geometry} geometries"
        raise OutputError(words, faults=faults, mend=_REPORT)


def _order(schema: LayerSchema, table: pd.DataFrame, shapes: NDArray[np.object_] | None) -> NDArray[np.intp]:
    keys: list[NDArray[Any]] = []
    order = np.arange(len(table))
    for key in _keys(schema, table, shapes):
        keys.append(key)
        order = np.lexsort(keys[::-1])
        if not _has_ties(keys, order):
            break  # the keys that are left would change nothing
    return order


def _keys(schema: LayerSchema, table: pd.DataFrame, shapes: NDArray[np.object_] | None) -> Iterator[NDArray[Any]]:
    """Numbers to sort rows by, the first that count first, each made when it is asked for."""
    names = sorted(schema.names, key=lambda n: _FIRST_KEYS.index(n) if n in _FIRST_KEYS else len(_FIRST_KEYS))
    yield from (_codes(table[name]) for name in names)
    if shapes is not None:
        yield from shapely.bounds(shapes).T
        wkb = pd.Series(shapely.to_wkb(shapes, output_dimension=2, byte_order=1), dtype=object)
        yield pd.factorize(wkb, sort=True)[0]


def _has_ties(keys: list[NDArray[Any]], order: NDArray[np.intp]) -> bool:
    same = np.ones(max(len(order) - 1, 0), dtype=bool)
    for key in keys:
        one, two = key[order[:-1]], key[order[1:]]
        same &= (one == two) | (np.isnan(one) & np.isnan(two))
    return bool(same.any())


def _codes(column: pd.Series) -> NDArray[Any]:
    """Numbers that sort as the column does, nulls last."""
    if column.dtype != object:
        return column.astype("Float64").to_numpy(dtype="float64", na_value=np.nan)
    codes, values = pd.factorize(column)
    ranks = _RANKS.get(str(column.name), ())
    texts = [str(value) for value in values]
    place = np.empty(len(texts) + 1, dtype=float)
    if ranks:
        by_rank = sorted(range(len(texts)), key=lambda i: (_rank(texts[i], ranks), natural_key(texts[i])))
    else:
        by_rank = _natural_order(texts)
    place[by_rank] = np.arange(len(texts))
    place[-1] = np.nan  # factorize gives nulls -1
    sorted_codes: NDArray[Any] = place[codes]
    return sorted_codes


def _natural_order(texts: list[str]) -> list[int]:
    """Order by `natural_key`.

    Texts that differ in one number only, such as the ids of a layer, are ordered by it without a key each.
    """
    match = _ONE_NUMBER.fullmatch
    parts = [match(text) for text in texts]
    plain = [part for part in parts if part is not None]
    if len(plain) == len(texts) and len({part.group(1, 3) for part in plain}) == 1:
        numbers = np.array([part.group(2) for part in plain])
        return [int(i) for i in np.lexsort((numbers, numbers.astype(np.int64)))]
    return sorted(range(len(texts)), key=lambda i: natural_key(texts[i]))


def _rank(text: str, ranks: Sequence[str]) -> int:
    return ranks.index(text) if text in ranks else len(ranks)
