"""What changed between two runs: widths, areas, monuments, verdicts and lots, resource by resource."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyogrio
import shapely

from wetgeo.errors import OutputError
from wetgeo.frames import natural_key
from wetgeo.outputs.geopackage import GEOPACKAGE
from wetgeo.outputs.provenance import PROVENANCE
from wetgeo.outputs.read import read_layer
from wetgeo.units import FOOT_M

#: differences smaller than these are none: what the outputs promise to keep between runs
_WIDTH_FT = 0.01
_AREA_SQFT = 0.1
#: monuments nearer to each other than this are the same one, feet
_SAME_FT = 0.1

_COMMUNITY = "natural_community"

#: the fields compared: layer, field, and the difference that counts (None: as they are written)
_FIELDS: tuple[tuple[str, str, float | None], ...] = (
    ("resources", "class", None),
    ("resources", "area_sqft", _AREA_SQFT),
    ("buffers", "rule", None),
    ("buffers", "base_ft", _WIDTH_FT),
    ("buffers", "slope_pct", _WIDTH_FT),
    ("buffers", "hsg", None),
    ("buffers", "width_ft", _WIDTH_FT),
    ("buffers", "minimum_ft", _WIDTH_FT),
    ("buffers", "average_ft", _WIDTH_FT),
    ("buffers", "area_sqft", _AREA_SQFT),
    ("averaging", "verdict", None),
    ("averaging", "minimum_ft", _WIDTH_FT),
    ("averaging", "average_ft", _WIDTH_FT),
    ("averaging", "net_sqft", _AREA_SQFT),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that differs: of which resource, what, and its value before and after; None where there is none."""

    resource_id: str
    what: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDifference:
    """What changed between two runs.

    Attributes
    ----------
    facts
        What the runs were made of, where that differs: fact to its value before and after.
    added, removed
        Resources that only the later, and only the earlier run has.
    changes
        By resource in natural order.
    lots
        Parcels of which another area is buffer: number to square feet before and after.
    buffer_union_sqft
        All required buffer, each piece of ground once, square feet before and after; None where a run has none.
    """

    facts: dict[str, tuple[Any, Any]]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changes: tuple[Change, ...]
    lots: dict[str, tuple[Any, Any]]
    buffer_union_sqft: tuple[float | None, float | None]


def compare_runs(earlier: Path, later: Path) -> RunDifference:
    """Compare the outputs of two runs.

    Parameters
    ----------
    earlier, later
        Output folders of finished runs. A layer that one of them has not, such as ``averaging``, is not compared.

    Raises
    ------
    OutputError
        A folder holds no outputs that can be read.
    """
    before, after = _Run(earlier), _Run(later)
    old, new = set(before.ids), set(after.ids)
    changes = [
        Change(resource_id=name, what=what, before=a, after=b)
        for name in sorted((old & new) | before.communities | after.communities, key=natural_key)
        for what, a, b in _changed(before, after, name)
    ]
    return RunDifference(
        facts={name: (before.facts[name], after.facts[name]) for name in _differing(before.facts, after.facts)},
        added=tuple(sorted(new - old, key=natural_key)),
        removed=tuple(sorted(old - new, key=natural_key)),
        changes=tuple(changes),
        lots=_lot_areas(before, after),
        buffer_union_sqft=(before.union_sqft, after.union_sqft),
    )


class _Run:
    """The layers of one run that are compared, rows by resource."""

    def __init__(self, folder: Path) -> None:
        resources = read_layer(folder, "resources")
        names = {str(row[0]) for row in pyogrio.list_layers(folder / GEOPACKAGE)}
        self.ids = [str(name) for name in resources["resource_id"]]
        self.tables = {"resources": resources} | {
            name: read_layer(folder, name)
            for name in ("buffers", "averaging", "violations", "monuments", "monument_proof", "parcels", "impacts")
            if name in names
        }
        self.rows = {
            name: {str(key): rows for key, rows in table.groupby("resource_id")}
            for name, table in self.tables.items()
            if "resource_id" in table
        }
        impacts = self.tables.get("impacts", pd.DataFrame({"kind": [], "resource_id": []}))
        self.communities = {str(name) for name in impacts.loc[impacts["kind"] == _COMMUNITY, "resource_id"]}
        union = read_layer(folder, "buffer_union") if "buffer_union" in names else None
        self.union_sqft = None if union is None else float(union["area_sqft"].sum())
        self.facts = _facts(folder)
        if "triggers" in names:
            triggers = read_layer(folder, "triggers")
            verdicts = zip(triggers["provision"], triggers["applies"], strict=True)
            self.facts |= {f"provision {provision}": applies for provision, applies in verdicts}

    def value(self, layer: str, name: str, field: str) -> Any:  # noqa: ANN401 -- what the layer holds
        """Return a field of a resource's row; None where there is none."""
        rows = self.rows[layer].get(name)
        return None if rows is None or pd.isna(rows[field].iloc[0]) else rows[field].iloc[0]


def _facts(folder: Path) -> dict[str, Any]:
    """Read what a run was made of; a folder without provenance tells nothing."""
    path = folder / PROVENANCE
    if not path.is_file():
        return {}
    try:
        return _facts_of(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError, AttributeError, LookupError, TypeError) as fault:
        raise OutputError(
            f"{path} is not as wetgeo writes it", mend="run the project anew, or take the file out of the folder"
        ) from fault


def _facts_of(said: Any) -> dict[str, Any]:  # noqa: ANN401 -- what the file holds
    facts: dict[str, Any] = {"wetgeo": said.get("wetgeo"), "command": said.get("command")}
    facts["rule"] = " ".join(str(said.get("rule", {}).get(key)) for key in ("id", "version", "sha256"))
    facts["application_date"] = said.get("application_date")
    facts["crs"] = said.get("crs", {}).get("name")
    # which layers of the inputs were read, and how, stands in the project file alone
    facts["project file"] = said.get("project", {}).get("sha256")
    facts |= {f"option {name}": value for name, value in said.get("options", {}).items()}
    for entry in said.get("inputs", ()):  # by name and content: where a file lies does not matter
        name = f"input {Path(entry['path']).name}"
        facts[name] = ", ".join(sorted({*str(facts.get(name, "")).split(", "), str(entry["sha256"])} - {""}))
    return facts


def _differing(before: dict[str, Any], after: dict[str, Any]) -> Iterable[str]:
    for name in dict.fromkeys([*before, *after]):
        before.setdefault(name, None)
        after.setdefault(name, None)
        if before[name] != after[name]:
            yield name


def _changed(before: _Run, after: _Run, name: str) -> Iterable[tuple[str, Any, Any]]:
    for layer, field, least in _FIELDS:
        if layer in before.tables and layer in after.tables:
            a, b = before.value(layer, name, field), after.value(layer, name, field)
            if _differ(a, b, least):
                yield f"{layer}.{field}", _plain(a), _plain(b)
    for layer, compared in _COMPARED.items():
        if layer in before.tables and layer in after.tables:
            yield from compared(before, after, name)


def _differ(a: object, b: object, least: float | None) -> bool:
    if a is None or b is None:
        return a is not b
    return a != b if least is None else abs(float(a) - float(b)) > least  # type: ignore[arg-type] # numbers by the schema


def _plain(value: Any) -> Any:  # noqa: ANN401 -- what the layer holds
    return value.item() if isinstance(value, np.generic) else value


def _violations(before: _Run, after: _Run, name: str) -> Iterable[tuple[str, Any, Any]]:
    """Count a resource's violations by kind."""
    counts = []
    for run in (before, after):
        rows = run.rows["violations"].get(name)
        counts.append({} if rows is None else rows["kind"].value_counts().to_dict())
    for kind in sorted({str(kind) for count in counts for kind in count}):
        old, new = (int(count.get(kind, 0)) for count in counts)
        if old != new:
            yield f"violations.{kind}", old, new


def _monuments(before: _Run, after: _Run, name: str) -> Iterable[tuple[str, Any, Any]]:
    """Count a resource's monuments, and those that stand where there was none before."""
    old, new = before.rows["monuments"].get(name), after.rows["monuments"].get(name)
    count = [0 if rows is None else len(rows) for rows in (old, new)]
    if count[0] != count[1]:
        yield "monuments", count[0], count[1]
    if old is not None and new is not None:
        moved = int((_away_ft(new, old) > _SAME_FT).sum())
        if moved:
            yield "monuments.new places", 0, moved


def _away_ft(points: gpd.GeoDataFrame, others: gpd.GeoDataFrame) -> np.ndarray:
    """Measure from each monument to the nearest of the others, feet."""
    there = others.to_crs(points.crs).geometry.to_numpy()
    here = points.geometry.to_numpy()
    nearest = shapely.STRtree(there).nearest(here)
    unit_m = points.crs.axis_info[0].unit_conversion_factor
    return np.asarray(shapely.distance(here, there[nearest]) * unit_m / FOOT_M)


def _impacts(before: _Run, after: _Run, name: str) -> Iterable[tuple[str, Any, Any]]:
    """Compare what is disturbed, and the replacement owed for it, by kind and cause."""
    sums = []
    for run in (before, after):
        rows = run.rows["impacts"].get(name)
        keys = ["kind", "cause"]
        added = None if rows is None else rows.groupby(keys, dropna=False)[["area_sqft", "replacement_sqft"]].sum()
        totals: dict[Any, Any] = {} if added is None else added.to_dict("index")
        sums.append(totals)
    for key in sorted({*sums[0], *sums[1]}, key=str):
        for field in ("area_sqft", "replacement_sqft"):
            a, b = (found.get(key, {}).get(field, 0.0) for found in sums)
            if _differ(a, b, _AREA_SQFT):
                yield f"impacts.{' '.join(map(str, key))}.{field}", a, b


def _lots(before: _Run, after: _Run, name: str) -> Iterable[tuple[str, Any, Any]]:
    """Compare the lots on which a resource's edge lies, and the proof for each."""
    old, new = (_by_lot(run, name) for run in (before, after))
    for lot in sorted(old.keys() | new.keys(), key=natural_key):
        a, b = old.get(lot), new.get(lot)
        if a != b:
            yield f"lot {lot or '(no parcel)'}", a, b


def _by_lot(run: _Run, name: str) -> dict[str, str]:
    rows = run.rows["monument_proof"].get(name)
    if rows is None:
        return {}
    return {
        "" if pd.isna(lot) else str(lot): f"{edge:.1f} ft of edge, {int(count)} monument{'s' * (count != 1)}, {verdict}"
        for lot, edge, count, verdict in zip(
            rows["parcel_id"], rows["edge_ft"], rows["monuments"], rows["verdict"], strict=True
        )
    }


_COMPARED = {"violations": _violations, "monuments": _monuments, "monument_proof": _lots, "impacts": _impacts}


def _lot_areas(before: _Run, after: _Run) -> dict[str, tuple[Any, Any]]:
    """Compare how much of each parcel is buffer; parcels without a number are one."""
    areas = []
    for run in (before, after):
        table = run.tables.get("parcels")
        if table is None:
            return {}
        numbers = table["parcel_id"].fillna("")
        areas.append(table["buffer_sqft"].groupby(numbers).sum().to_dict())
    return {
        str(lot): (areas[0].get(lot), areas[1].get(lot))
        for lot in sorted({*areas[0], *areas[1]}, key=lambda lot: natural_key(str(lot)))
        if _differ(areas[0].get(lot), areas[1].get(lot), _AREA_SQFT)
    }
