"""What a dBASE table can hold: short names, types and widths for the columns of one layer, and texts cut to fit."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from wetgeo.frames import SOURCE_PREFIX, ColumnKind
from wetgeo.layers import LAYERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wetgeo.pieces import Layers

#: bytes that a text may have, and fields that a table may have
TEXT_BYTES = 254
MOST_FIELDS = 255
#: columns and decimals of a real number; digits of a whole number that every reader takes as whole
REAL_WIDTH = 24
REAL_DECIMALS = 15
INT_DIGITS = 18
#: a number of the file that would keep fewer than six digits after the point's place is stored as text
LEAST_DIGITS = 10**6

_WIDTHS = (16, 32, 64, 128, TEXT_BYTES)
_NAME_LENGTH = 10


#: gives the values of a column, piece by piece, as often as they are asked for
Values = Callable[[], "Iterable[pd.Series]"]


class Store(NamedTuple):
    """How values are stored: the type for fiona's schema, the same for people, and what makes them ready."""

    fiona: str
    type: str
    width: str
    ready: Callable[[pd.Series], pd.Series]


@dataclass(frozen=True, slots=True, kw_only=True)
class DbfColumn:
    """One column of one layer as it stands in a dBASE table; ``short`` is empty where the table has no room for it."""

    name: str
    short: str
    about: str
    store: Store


def columns_for(layer: str, layers: Layers) -> list[DbfColumn]:
    """Lay out all columns of a conformed layer; the shorts of those beyond the 255th are empty."""
    known = {field.name: field for field in LAYERS[layer].fields}
    kinds = {
        name: kind for name, kind in layers.kinds(layer).items() if name in known or name.startswith(SOURCE_PREFIX)
    }
    shorts = short_names([name for name in kinds if name not in known])
    shorts |= {name: field.short for name, field in known.items()}
    columns = []
    for number, (name, kind) in enumerate(kinds.items()):
        about = known[name].about if name in known else f"the file's own column {name.removeprefix(SOURCE_PREFIX)}"
        short = shorts[name] if number < MOST_FIELDS else ""
        if not short:
            about += f" (not in the shapefile, which holds {MOST_FIELDS} fields)"
        store = _store(partial(layers.column, layer, name), kind, own=name in known)
        columns.append(DbfColumn(name=name, short=short, about=about, store=store))
    return columns


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Short names for the file's own columns, distinct whatever the case, and the same in any order of the columns.

    ``s_`` and the name where it fits ten characters; else ``s_``, its first letters and three characters of its hash.
    """
    shorts: dict[str, str] = {}
    taken: set[str] = set()
    # names that fit come first, so that no hash takes their place
    for name in sorted(names, key=lambda n: (not _fits(n), n)):
        short, turn = _short(name, 0), 0
        while short.casefold() in taken:
            turn += 1
            short = _short(name, turn)
        taken.add(short.casefold())
        shorts[name] = short
    return shorts


def _fits(name: str) -> bool:
    bare = name.removeprefix(SOURCE_PREFIX)
    return re.fullmatch(r"[A-Za-z0-9_]+", bare) is not None and len(bare) + 2 <= _NAME_LENGTH


def _short(name: str, turn: int) -> str:
    bare = name.removeprefix(SOURCE_PREFIX)
    if _fits(name) and not turn:
        return f"s_{bare}"
    letters = re.sub(r"[^A-Za-z0-9_]", "_", bare)[: _NAME_LENGTH - 5]
    digest = hashlib.sha256(f"{name}{turn or ''}".encode()).hexdigest()
    return f"s_{letters}{digest[:3]}"


def cut(text: str) -> str:
    """Cut a text to 254 bytes of UTF-8, at the border of a character."""
    coded = text.encode()
    return text if len(coded) <= TEXT_BYTES else coded[:TEXT_BYTES].decode(errors="ignore")


def byte_lengths(values: pd.Series) -> np.ndarray:
    """Bytes of UTF-8 in each text, 0 for null."""
    return np.fromiter((0 if v is None else len(v) if v.isascii() else len(v.encode()) for v in values), dtype=np.int64)


def _store(values: Values, kind: ColumnKind, *, own: bool) -> Store:
    if kind == "int":
        return _whole(values)
    if kind == "real":
        return _real(values, own=own)
    if kind == "bool":
        return Store("int32:1", "bool as 1 or 0", "1", lambda part: part.astype("Int32"))
    if kind == "date":
        return Store("date", "date", "8", lambda part: part)
    if kind == "datetime":
        return _as_text(values, "date and time as ISO 8601 text", lambda value: value.isoformat())
    return _as_text(values, "text; null and empty are alike", lambda value: value)


def _as_text(values: Values, kind: str, write: Callable[[Any], str]) -> Store:
    def texts(part: pd.Series) -> pd.Series:
        raw, given = part.to_numpy(dtype=object), part.notna().to_numpy()
        found = [write(value) if there else None for value, there in zip(raw, given, strict=True)]
        return pd.Series(found, index=part.index, dtype=object)

    longest = max((int(byte_lengths(texts(part)).max(initial=0)) for part in values()), default=0)
    width = next((width for width in _WIDTHS if width >= longest), TEXT_BYTES)
    if longest <= TEXT_BYTES:
        return Store(f"str:{width}", kind, str(width), texts)
    return _as_text(values, f"{kind}; cut at {TEXT_BYTES} bytes", lambda value: cut(write(value)))


def _whole(values: Values) -> Store:
    # the sign takes a digit's place
    if not all(part.dropna().between(-(10 ** (INT_DIGITS - 1)) + 1, 10**INT_DIGITS - 1).all() for part in values()):
        return _as_text(values, "whole number as text, for it has more than 18 digits", str)
    return Store(f"int64:{INT_DIGITS}", "whole number", str(INT_DIGITS), lambda part: part)


def _real(values: Values, *, own: bool) -> Store:
    """Decimal digits after the point as many as fit; the file's numbers that no 24 characters hold go as text."""
    largest, smallest = 0.0, 1.0
    for part in values():
        sizes = part.dropna().abs().to_numpy()
        largest = max(largest, float(sizes.max(initial=0)))
        smallest = min(smallest, float(sizes[sizes > 0].min(initial=1)))
    # one place for the sign, one for the point
    decimals = min(REAL_DECIMALS, REAL_WIDTH - 2 - len(f"{largest:.0f}")) if np.isfinite(largest) else -1
    if decimals < 0 or (not own and smallest * 10**decimals < LEAST_DIGITS):
        return _as_text(values, "number as text, for no column of digits holds it", lambda value: repr(float(value)))
    return Store(f"float:{REAL_WIDTH}.{decimals}", "number", f"{REAL_WIDTH}.{decimals}", lambda part: part)
