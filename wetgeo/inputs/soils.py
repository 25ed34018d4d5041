"""Hydrologic soil groups of map units, from the tables of SSURGO and gSSURGO."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

import numpy as np
import pyogrio
from numpy.typing import NDArray

from wetgeo.errors import InputError
from wetgeo.findings import Findings
from wetgeo.inputs.faults import listed
from wetgeo.inputs.files import opened, quiet, require, unzipped
from wetgeo.inputs.roles import as_text, soil_group
from wetgeo.inputs.soil_text import MOST_BYTES, component_share, text_rows
from wetgeo.project import LayerSource

#: where two groups share a map unit evenly the one nearer to D counts (RULES: a tie goes to the group nearer to D)
_NEARER_TO_D = ("D", "C/D", "B/D", "A/D", "C", "B", "A")
#: the group by map unit goes before the group by component
_TABLES = ("muaggatt", "component")
_FILE_STEMS = {"muaggatt": ("muaggatt",), "component": ("component", "comp")}
_TEXT = (".txt", ".csv")
#: components whose shares add up to more than this, percent, stand in the table twice; shares are whole numbers
_MOST_PERCENT = 101.0

Rows = Iterable[Mapping[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SoilTable:
    """The hydrologic group of each map unit, by its key as text; None where it has none.

    `about` names the table, `path` is the file that holds it; `contradicted` are map units whose rows contradict each
    other, each with what they say.
    """

    groups: Mapping[str, str | None]
    about: str
    unreadable: tuple[str, ...] = ()
    contradicted: Mapping[str, str] = field(default_factory=dict)
    path: Path | None = None


def map_unit_key(value: object) -> str | None:
    """Return a map unit key as the text of an integer, whatever type it came in."""
    text = as_text(value)
    try:
        return None if text is None else str(int(text) if text.isdigit() else int(float(text)))
    except (ValueError, OverflowError):
        return text


def find_table(source: LayerSource) -> SoilTable | None:
    """Find the table that gives the group by map unit.

    It is the one that the project states, else one in the same container (GeoPackage, FileGDB, zip), else one in the
    same folder or in ``tabular`` beside or above it. Returns None where there is none.

    Raises
    ------
    InputError
        A stated table is missing or holds no group.
    """
    if source.table is not None:
        require(source.table, name=source.name)
        stated = _from_folder(source.table) if _is_folder(source.table) else _from_file(source.table, source.name)
        if stated is None:
            raise InputError(
                f"layer {source.name}: {source.table} holds no table of hydrologic groups",
                mend="give muaggatt (mukey, hydgrpdcd) or component (mukey, comppct_r, hydgrp), as text with or "
                "without a header, DBF, or in a GeoPackage or FileGDB",
            )
        return stated
    if source.frame is not None:
        return None  # a frame lies in no folder
    found = None
    if source.path.is_dir() or source.path.suffix.lower() in (".gpkg", ".gdb", ".sqlite", ".zip"):
        found = _from_file(source.path, source.name, layer=source.layer)
    folder = source.path.parent
    for place in (folder, folder / "tabular", folder.parent / "tabular"):
        found = found or _from_folder(place)
    return found


def _is_folder(path: Path) -> bool:
    return path.is_dir() and path.suffix.lower() != ".gdb"


def _from_folder(folder: Path) -> SoilTable | None:
    if not folder.is_dir():
        return None
    files = {path.name.casefold(): path for path in sorted(folder.iterdir())}
    for table in _TABLES:
        for stem in _FILE_STEMS[table]:
            for suffix in (*_TEXT, ".dbf"):
                path = files.get(stem + suffix)
                found = _from_file(path, "soils") if path else None
                if found:
                    return found
    return None


def _from_file(path: Path, name: str, *, layer: str | None = None) -> SoilTable | None:
    found = _read_file(path, name, layer=layer)
    return None if found is None else replace(found, path=path)


def _read_file(path: Path, name: str, *, layer: str | None) -> SoilTable | None:
    if path.suffix.lower() in _TEXT:
        return _table(text_rows(_content(path), str(path), table=_table_of(path.stem)), str(path))
    if path.suffix.lower() == ".zip":
        found = _from_zip(path)
        if found:
            return found
    with opened(path, name=name, layer=layer) as data:
        tables = sorted((each for each in data.layers if each.casefold() in _TABLES), key=_rank)
        lone = [each for each, kind in data.layers.items() if kind is None and len(data.layers) == 1]
        for each in tables or lone:
            with quiet():
                _, table = pyogrio.raw.read_arrow(data.gdal, layer=each, read_geometry=False, **data.options)
            found = _table(table.to_pylist(), f"{path}|{each}" if len(data.layers) > 1 else str(path))
            if found:
                return found
    return None


def _content(path: Path) -> bytes:
    if path.stat().st_size > MOST_BYTES:
        raise InputError(f"layer soils: {path} is too large for a table of soils", mend="give muaggatt or component")
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"layer soils: {path} cannot be read: {error.strerror or error}", mend="see to its permissions"
        ) from error


def _from_zip(path: Path) -> SoilTable | None:
    with unzipped(path, name="soils") as archive:
        for table in _TABLES:
            for member in sorted(archive.namelist()):
                inside = PurePosixPath(member)
                if inside.suffix.lower() in _TEXT and inside.stem.casefold() in _FILE_STEMS[table]:
                    about = f"{path}/{member}"
                    return _table(text_rows(_member(archive, member, about), about, table=table), about)
    return None


def _member(archive: zipfile.ZipFile, member: str, about: str) -> bytes:
    if archive.getinfo(member).file_size > MOST_BYTES:
        raise InputError(f"layer soils: {about} is too large for a table of soils", mend="give muaggatt or component")
    return archive.read(member)


def _table_of(stem: str) -> str:
    return "component" if stem.casefold() in _FILE_STEMS["component"] else "muaggatt"


def _rank(layer: str) -> int:
    return _TABLES.index(layer.casefold())


def _table(rows: Rows, about: str) -> SoilTable | None:
    """Read the groups from rows with or without the group by component; None where they hold neither."""
    rows = [{key.casefold(): value for key, value in row.items()} for row in rows]
    if not rows or "mukey" not in rows[0]:
        return None
    if "hydgrpdcd" in rows[0]:
        groups, contradicted = _stated(rows)
        texts, about = {as_text(row["hydgrpdcd"]) for row in rows}, f"{about} (hydgrpdcd)"
    elif "hydgrp" in rows[0]:
        groups, contradicted = _dominant(rows, about)
        texts = {as_text(row["hydgrp"]) for row in rows}
        about = f"{about} (hydgrp of the components, by their share)"
    else:
        return None
    odd = sorted(text for text in texts if text is not None and soil_group(text) is None)
    return SoilTable(groups=groups, about=about, unreadable=tuple(odd), contradicted=contradicted)


def _stated(rows: Rows) -> tuple[dict[str, str | None], dict[str, str]]:
    """Return the group that the row of each map unit states; of several rows, the one nearer to D."""
    found: dict[str, set[str | None]] = {}
    for row in rows:
        key = map_unit_key(row["mukey"])
        if key is not None:
            found.setdefault(key, set()).add(soil_group(as_text(row["hydgrpdcd"])))
    ranked = {key: sorted(groups - {None}, key=_NEARER_TO_D.index) for key, groups in found.items()}
    contradicted = {
        key: " and ".join([*map(str, ranked[key]), *(["none"] if None in groups else [])])
        for key, groups in found.items()
        if len(groups) > 1
    }
    return {key: groups[0] if groups else None for key, groups in ranked.items()}, contradicted


def _dominant(rows: Rows, about: str) -> tuple[dict[str, str | None], dict[str, str]]:
    """Return the group with the largest share of each map unit; components without a group have no say."""
    shares: dict[str, dict[str, float]] = {}
    for row in rows:
        key, group = map_unit_key(row["mukey"]), soil_group(as_text(row["hydgrp"]))
        if key is None:
            continue
        of_unit = shares.setdefault(key, {})
        if group is not None:
            of_unit[group] = of_unit.get(group, 0.0) + component_share(as_text(row.get("comppct_r")), about)
    groups = {
        key: min(of_unit, key=lambda group: (-of_unit[group], _NEARER_TO_D.index(group))) if of_unit else None
        for key, of_unit in shares.items()
    }
    totals = {key: sum(of_unit.values()) for key, of_unit in shares.items()}
    return groups, {key: f"components of {total:g} %" for key, total in totals.items() if total > _MOST_PERCENT}


def join_groups(
    keys: Sequence[str | None],
    known: Sequence[str | None],
    areas: NDArray[np.float64],
    table: SoilTable,
    findings: Findings,
) -> list[str | None]:
    """Give each soil polygon the group of its map unit.

    Parameters
    ----------
    keys
        Map unit key of each polygon, as text of an integer.
    known
        Groups that the layer itself has, which go before the table's.
    areas
        Of the polygons, for the share that joins nothing.
    table
        The groups by map unit.
    findings
        Says which table was used, and what it does not know.
    """
    findings.info("schema-recognised", f"hydrologic groups by map unit from {table.about}", layer="soils")
    if table.unreadable:
        findings.warning(
            "value-unreadable",
            f"hydrologic groups {listed(map(repr, table.unreadable), 20)} of {table.about} are unknown; taken "
            "as missing",
            layer="soils",
        )
    if contradicted := sorted({key for key in keys if key is not None} & table.contradicted.keys()):
        findings.warning(
            "soil-contradicted",
            f"{table.about} contradicts itself on {len(contradicted):,} map units of the layer; the group nearer to D "
            f"was taken, or the one of the larger share: "
            f"{listed((f'{key} ({table.contradicted[key]})' for key in contradicted), 20)}",
            layer="soils",
        )
    missing = np.array([key not in table.groups for key in keys], dtype=bool)
    if missing.any():
        share = areas[missing].sum() / max(areas.sum(), np.finfo(float).tiny)
        names = sorted({key or "(none)" for key, lost in zip(keys, missing, strict=True) if lost})
        findings.warning(
            "soil-unmatched",
            f"{int(missing.sum()):,} of {len(keys):,} soil polygons, {share:.1%} of their area, bear map unit keys "
            f"that match nothing in {table.about}: {listed(names, 20)}",
            layer="soils",
        )
    return [own if own is not None else table.groups.get(key or "") for own, key in zip(known, keys, strict=True)]
