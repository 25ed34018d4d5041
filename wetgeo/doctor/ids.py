"""Ids: features that look alike but for case or blanks, and a field that could serve where none is named."""

from __future__ import annotations

from collections.abc import Iterator

from wetgeo.doctor.reading import Reading
from wetgeo.doctor.remarks import Remark, few
from wetgeo.inputs.draft import Draft
from wetgeo.inputs.roles import texts
from wetgeo.site import RESOURCE_LAYERS

#: fields that number rows, or that bear a code that is seldom different
_NO_IDS = {"objectid", "objectid_1", "fid", "fid_1", "gid", "ogc_fid", "rowid", "attribute", "nwicode", "shape_leng"}


def look(reading: Reading) -> Iterator[Remark]:
    """Look at the ids of resources and the numbers of parcels."""
    for draft in reading.drafts:
        if draft.name in RESOURCE_LAYERS or draft.name == "parcels":
            yield from _alike(draft)
            yield from _unnamed(draft)


def _alike(draft: Draft) -> Iterator[Remark]:
    spelled: dict[str, set[str]] = {}
    for name in draft.roles["id"]:
        if name is not None:
            spelled.setdefault("".join(str(name).split()).casefold(), set()).add(str(name))
    pairs = [" and ".join(repr(name) for name in sorted(names)) for names in spelled.values() if len(names) > 1]
    if pairs:
        yield Remark(
            severity="warning",
            subject="ids",
            code="id-alike",
            layer=draft.name,
            file=str(draft.source.path),
            message=f"{len(pairs):,} ids differ but by case or blanks, and count as different: {few(pairs)}",
            mend="give both the same id in the file, or ids that differ",
        )


def _unnamed(draft: Draft) -> Iterator[Remark]:
    """Where no feature has an id, name the fields whose values could be one."""
    if not len(draft.roles) or draft.roles["id"].notna().any():
        return
    fields = [
        name
        for name in draft.attributes.columns
        if name.casefold() not in _NO_IDS and _could_be_id(texts(draft.attributes[name]))
    ]
    if not fields:
        return
    best = next((name for name in fields if "id" in name.casefold() or "pin" in name.casefold()), fields[0])
    yield Remark(
        severity="warning",
        subject="ids",
        code="id-field",
        layer=draft.name,
        file=str(draft.source.path),
        message=f"no field is named for the id, so that features are named by their place in the file, which another "
        f"export may change; these fields have a value of its own for each feature: {few(fields)}",
        mend="name the one that the plans use",
        table=f"layers.{draft.name}",
        line=f'fields = {{ id = "{best}" }}',
    )


def _could_be_id(values: list[str | None]) -> bool:
    if len(values) < 2:
        return False
    whole = all(value is not None and "." not in value and len(value) <= 40 for value in values)
    return whole and len(set(values)) == len(values)
