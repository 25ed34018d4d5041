"""Schemas that are recognised without a mapping: national and state data sets, and the roles that their fields play."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A known schema of one layer.

    Attributes
    ----------
    title
        Its name, for the finding that says it was recognised.
    layers
        The project's layers it may appear as.
    has
        Fields that tell it by: all of them must be there. Lower case.
    roles
        What role each field plays. Empty where the schema holds nothing that a rule asks.
    note
        What the schema does not tell.
    """

    title: str
    layers: tuple[str, ...]
    has: tuple[str, ...]
    roles: tuple[tuple[str, str], ...] = ()
    note: str = ""


_NWI_NOTE = "it holds no management class"
_WATERS = ("wetlands", "lakes", "streams")
_RANKED = ("rank", "eorank", "eo_rank", "cond_rank", "condrank")
_PARCEL_NUMBERS = (
    "pin", "parcel_id", "parcelid", "parcel_no", "parcelno", "parcel_num", "parcelnumb", "parcelnumber",
    "parcel_number", "pid", "pid_no", "pidn", "parid", "apn", "folio", "map_lot", "maplot",
)  # fmt: skip

#: in order of precedence: for each role the first schema that holds it decides
SCHEMAS: tuple[Schema, ...] = (
    Schema(title="National Wetlands Inventory", layers=_WATERS, has=("attribute",), note=_NWI_NOTE),
    Schema(title="National Wetlands Inventory", layers=_WATERS, has=("nwicode",), note=_NWI_NOTE),
    Schema(title="Minnesota parcel standard", layers=("parcels",), has=("county_pin",), roles=(("id", "county_pin"),)),
    *(Schema(title="parcel number", layers=("parcels",), has=(n,), roles=(("id", n),)) for n in _PARCEL_NUMBERS),
    Schema(title="gSSURGO map units", layers=("soils",), has=("mukey", "hydgrpdcd"),
           roles=(("mukey", "mukey"), ("hsg", "hydgrpdcd"))),
    Schema(title="SSURGO map units", layers=("soils",), has=("mukey",), roles=(("mukey", "mukey"),)),
    *(
        Schema(title="hydrologic soil group", layers=("soils",), has=(name,), roles=(("hsg", name),))
        for name in ("hydgrp", "hydgrpdcd", "hydrolgrp", "hydrologic", "hsg")
    ),
    Schema(title="FEMA National Flood Hazard Layer", layers=("floodplain",), has=("fld_zone",),
           roles=(("zone", "fld_zone"),)),
    Schema(title="FEMA Q3", layers=("floodplain",), has=("zone", "sfha"), roles=(("zone", "zone"),)),
    *(
        Schema(title="flood zone", layers=("floodplain",), has=(name,), roles=(("zone", name),))
        for name in ("zone", "fema_zone", "floodzone", "flood_zone", "fldzone")
    ),
    *(
        Schema(title="natural community rank", layers=("natural_communities",), has=(name,), roles=(("rank", name),))
        for name in _RANKED
    ),
)  # fmt: skip


def recognise(layer: str, fields: Iterable[str]) -> tuple[dict[str, str], list[tuple[Schema, dict[str, str]]]]:
    """Recognise the schemas of one layer.

    Parameters
    ----------
    layer
        The project's name of the layer.
    fields
        The file's fields, matched without regard to case.

    Returns
    -------
    roles
        {role: the file's field}.
    schemas
        The schemas that were recognised, each with the roles that it decided.
    """
    spelled = {field.casefold(): field for field in reversed(list(fields))}
    roles: dict[str, str] = {}
    seen: list[tuple[Schema, dict[str, str]]] = []
    for schema in SCHEMAS:
        if layer not in schema.layers or not all(field in spelled for field in schema.has):
            continue
        new = {role: spelled[field] for role, field in schema.roles if role not in roles}
        told = any(schema.title == known.title for known, _ in seen)
        if new or (not schema.roles and not told):
            roles |= new
            seen.append((schema, new))
    return roles, seen
