"""A layer on its way into the site: read, its fields understood, not yet in the working CRS."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from wetgeo.errors import InputError, TomlLine
from wetgeo.findings import Findings
from wetgeo.inputs.classes import ClassTable, match_classes
from wetgeo.inputs.crs import Bounds
from wetgeo.inputs.faults import Faults, listed, none_usable
from wetgeo.inputs.notes import Notes
from wetgeo.inputs.repair import GeometryArray, as_allowed, has_ground, kinds, unusable
from wetgeo.inputs.roles import RoleReader, role_fields, texts
from wetgeo.inputs.soils import SoilTable, find_table
from wetgeo.inputs.vector import RawLayer, read_layer
from wetgeo.project import LayerSource
from wetgeo.site import LAYER_GEOMETRY, RATINGS, RESOURCE_LAYERS, roles_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A layer on its way into the site.

    Attributes
    ----------
    source
        Where it comes from.
    crs
        The CRS of `geometry`; None where the file has none and the project states none.
    geometry
        2D geometries of kinds that the layer may hold, shape (n,).
    rows
        Position of each feature among those that were read; notes and `names` refer to it.
    names
        The feature's own id, or layer and number, for every feature that was read.
    roles
        ``id`` (text or None) and the columns of the layer's roles, n rows.
    attributes
        The file's own columns, n rows.
    notes
        Findings that wait for the final ids.
    table
        Soils: the table of groups by map unit, where one is to be joined.
    """

    source: LayerSource
    crs: CRS | None
    geometry: GeometryArray
    rows: NDArray[np.intp]
    names: list[str]
    roles: pd.DataFrame
    attributes: pd.DataFrame
    notes: Notes
    table: SoilTable | None = None

    @property
    def name(self) -> str:
        """The project's name of the layer."""
        return self.source.name

    @property
    def place(self) -> str:
        """The layer and its file, for messages."""
        return f"layer {self.source.name} ({self.source.path})"

    @property
    def bounds(self) -> Bounds:
        """Bounds of all features, units of `crs`."""
        left, bottom, right, top = (float(value) for value in shapely.total_bounds(self.geometry))
        return left, bottom, right, top

    def take(self, chosen: NDArray[Any]) -> Draft:
        """Keep the chosen features (a mask or positions)."""
        places = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        return replace(
            self,
            geometry=self.geometry[places],
            rows=self.rows[places],
            roles=self.roles.iloc[places].reset_index(drop=True),
            attributes=self.attributes.iloc[places].reset_index(drop=True),
        )

    def drop(self, unwanted: NDArray[np.bool_], reason: str) -> Draft:
        """Leave features out, each with a finding that says why."""
        self.notes.add("error", "geometry-dropped", f"left out: {reason}", self.rows[unwanted])
        return self.take(~unwanted) if unwanted.any() else self


def draft_layer(
    source: LayerSource,
    findings: Findings,
    faults: Faults,
    *,
    pack: ClassTable | None = None,
    allowed: tuple[str, ...] | None = None,
) -> Draft | None:
    """Read a layer and understand its fields; what cannot be used goes to `faults`, and None comes back.

    Parameters
    ----------
    source
        Where the layer comes from.
    findings, faults
        Take note of what is doubtful, and of what is wrong.
    pack
        The rule, for the classes of resources.
    allowed
        Geometry kinds that the layer may hold; left out, those of the project's layer of this name.
    """
    raw = None
    with faults.collect():
        raw = read_layer(source)
    if raw is None:
        return None
    tell_reading(raw, int(raw.flattened.sum()), int(raw.curved.sum()), findings)
    return draft_of(raw, findings, faults, pack=pack, allowed=allowed)


def draft_of(
    raw: RawLayer,
    findings: Findings,
    faults: Faults,
    *,
    pack: ClassTable | None = None,
    allowed: tuple[str, ...] | None = None,
    table: SoilTable | None = None,
) -> Draft:
    """Understand the fields of a layer that was read, or of a part of it; else as `draft_layer`.

    `table` is the table of groups that was found for an earlier part.
    """
    source = raw.source
    before = len(faults.errors)
    fields: dict[str, str] = {}
    with faults.collect():
        rated = pack is not None and pack.category_table() is not None
        fields = role_fields(source, list(raw.attributes.columns), findings, rated=rated)
    notes = Notes(layer=source.name)
    ids = texts(raw.attributes[fields["id"]]) if "id" in fields else [None] * len(raw.geometry)
    geometry, kept = raw.geometry, np.ones(len(ids), dtype=bool)
    with faults.collect():
        geometry, kept = _usable(raw, allowed or LAYER_GEOMETRY[source.name], notes, findings)
    draft = Draft(
        source=source,
        crs=raw.crs,
        geometry=geometry,
        rows=np.arange(len(ids)),
        names=[id_ or f"{source.name}-{number}" for id_, number in zip(ids, raw.numbers, strict=True)],
        roles=pd.DataFrame({"id": ids}, dtype=object),
        attributes=raw.attributes,
        notes=notes,
    )
    if len(faults.errors) == before:
        reader = RoleReader(source=source, attributes=raw.attributes, fields=fields, notes=notes)
        draft = _understood(replace(draft, table=table), reader, kept, pack, findings, faults)
    return draft.take(kept)


def _understood(
    draft: Draft,
    reader: RoleReader,
    kept: NDArray[np.bool_],
    pack: ClassTable | None,
    findings: Findings,
    faults: Faults,
) -> Draft:
    """Read the values of all roles; what is wrong with any of them goes to `faults`."""
    with faults.collect():
        draft = replace(draft, roles=_roles(reader, list(draft.roles["id"])))
    if draft.name in RESOURCE_LAYERS and pack is not None:
        counted = kept & has_ground(draft.geometry)
        with faults.collect():
            matched = match_classes(reader, pack, RESOURCE_LAYERS[draft.name], ids=draft.names, counted=counted)
            for name, values in matched.items():
                draft.roles[name] = pd.Series(values, dtype=object)
    with faults.collect():
        _require_bank_widths(draft, kept)
    if draft.name == "floodplain":
        _tell_missing_zone(reader, findings)
    if draft.name == "soils":
        with faults.collect():
            draft = replace(draft, table=draft.table or _soil_table(reader, findings))
    return draft


def tell_reading(raw: RawLayer, flattened: int, curved: int, findings: Findings) -> None:
    """Tell what the reader remarked, and of how many features heights were dropped and curves drawn as chords."""
    layer = raw.source.name
    for remark in raw.remarks:
        findings.info("layer-read", f"the reader of {raw.source.path.name} remarks: {remark}", layer=layer)
    if flattened:
        findings.info(
            "geometry-flattened",
            f"heights or measures of {flattened:,} features were dropped; all is measured in plan",
            layer=layer,
        )
    if curved:
        findings.info(
            "geometry-linearised",
            f"true curves of {curved:,} features were drawn as chords, at most 0.01 ft from the curve",
            layer=layer,
        )


def _usable(
    raw: RawLayer, allowed: tuple[str, ...], notes: Notes, findings: Findings
) -> tuple[GeometryArray, NDArray[np.bool_]]:
    """Return geometries of allowed kinds, and which features are usable; the others are noted."""
    reasons = unusable(raw.geometry, raw.surface)
    kept = np.ones(len(raw.geometry), dtype=bool)
    for reason, rows in reasons.items():
        notes.add("error", "geometry-dropped", f"left out: {reason}", rows)
        kept[rows] = False
    geometry = as_allowed(_only(raw.geometry, kept), allowed, notes)
    found = kinds(geometry)
    wrong = kept & ~np.isin(found, allowed)
    wanted = " or ".join(f"{kind}s" for kind in allowed)
    if wrong.any() and (wrong == kept).all():
        seen = listed(f"{kind}s" for kind in sorted(set(found[wrong])))
        raise InputError(f"{raw.where_from} holds {seen}; it must hold {wanted}", mend="give another file or layer")
    for kind in sorted(set(found[wrong])):
        rows = np.flatnonzero(wrong & (found == kind))
        notes.add("error", "geometry-dropped", f"left out: it is a {kind}, and this layer holds {wanted}", rows)
    kept &= ~wrong
    if not kept.any():
        if len(kept) and raw.source.name in RESOURCE_LAYERS:
            why = "; ".join(f"{reason}: {len(rows):,}" for reason, rows in reasons.items())
            raise InputError(
                f"{raw.where_from}: {none_usable(len(kept))} ({why})",
                mend="export the layer anew, with its geometry",
            )
        findings.warning("layer-empty", _why_empty(raw), layer=raw.source.name)
    return geometry, kept


def _only(geometry: GeometryArray, kept: NDArray[np.bool_]) -> GeometryArray:
    some = geometry.copy()
    some[~kept] = None
    return some


def _why_empty(raw: RawLayer) -> str:
    if len(raw.geometry):
        return f"{raw.source.path.name}: {none_usable(len(raw.geometry))}"
    chosen = "" if raw.source.where is None else f" that meet the filter {raw.source.where!r}"
    return f"{raw.source.path.name} holds no features{chosen}"


def _roles(reader: RoleReader, ids: list[str | None]) -> pd.DataFrame:
    """Return the columns of all roles but the class and the ratings it may be decided from."""
    columns: dict[str, list[Any]] = {"id": ids}
    for role in roles_of(reader.source.name):
        if role not in ("id", "class", *RATINGS):
            columns[role] = reader.column(role)
    if reader.faults:
        raise InputError(
            f"layer {reader.source.name}: values that its roles cannot have",
            faults=reader.faults,
            mend=f"mend defaults under [layers.{reader.source.name}]",
        )
    numbers = ("setback_ft", "bank_width_ft", "width_ft")
    kind_of = {
        role: "bool" if role in ("central", "gdnr") else "float64" if role in numbers else object for role in columns
    }
    return pd.DataFrame({role: pd.Series(values, dtype=kind_of[role]) for role, values in columns.items()})


def _require_bank_widths(draft: Draft, kept: NDArray[np.bool_]) -> None:
    if "bank_width_ft" not in draft.roles:
        return
    widths = draft.roles["bank_width_ft"].to_numpy()
    lost = np.flatnonzero(kept & (kinds(draft.geometry) == "line") & ~(widths > 0))
    if len(lost):
        raise InputError(
            f"{draft.place}: {len(lost):,} streams are given as lines without a width from bank to bank: "
            f"{listed(draft.names[row] for row in lost)}",
            mend=f'under [layers.{draft.name}] write fields = {{ bank_width_ft = "THE FIELD" }} or '
            "defaults.bank_width_ft = 20, in feet; or give the streams as polygons",
            toml=TomlLine(f"layers.{draft.name}", 'fields = { bank_width_ft = "THE FIELD" }'),
        )


def _tell_missing_zone(reader: RoleReader, findings: Findings) -> None:
    if "zone" not in reader.fields and "zone" not in reader.source.defaults:
        findings.warning(
            "layer-ignored",
            'no field tells the flood zone, so that nothing of it counts: write fields = { zone = "THE FIELD" } or '
            'defaults.zone = "AE" under [layers.floodplain]',
            layer="floodplain",
        )


def _soil_table(reader: RoleReader, findings: Findings) -> SoilTable | None:
    """Find the table of groups where the layer itself does not tell them. Raises InputError where nothing can."""
    source, fields = reader.source, reader.fields
    if not ({"hsg", "mukey"} & fields.keys()) and "hsg" not in source.defaults:
        raise InputError(
            f"layer soils ({source.path}) has neither a hydrologic soil group nor a map unit key",
            mend='under [layers.soils] write fields = { hsg = "..." } or { mukey = "..." }; its fields are '
            f"{listed(reader.attributes.columns)}",
            toml=TomlLine("layers.soils", 'fields = { hsg = "THE FIELD" }'),
        )
    if "mukey" not in fields or ("hsg" in fields and source.table is None):
        return None
    table = find_table(source)
    if table is None:
        findings.warning(
            "soil-missing",
            f"{source.path.name} holds map unit keys but no hydrologic groups, and no table of them was found beside "
            "it: write table = PATH (muaggatt or component) under [layers.soils]; until then the group is unknown",
            layer="soils",
        )
    return table
