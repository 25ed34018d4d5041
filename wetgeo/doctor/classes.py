"""Classes: how many resources bear which, and what the rule does not know, with the class that was probably meant."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import numpy as np

from wetgeo.doctor.reading import Reading
from wetgeo.doctor.remarks import Remark, few
from wetgeo.errors import closest
from wetgeo.inputs.draft import Draft
from wetgeo.inputs.roles import as_text
from wetgeo.site import RESOURCE_LAYERS


def look(reading: Reading) -> Iterator[Remark]:
    """Look at the classes of each resource layer, where the rule has any."""
    if reading.ruling is None:
        return
    for draft in reading.drafts:
        kind = RESOURCE_LAYERS.get(draft.name)
        known = reading.ruling.pack.classes(kind) if kind and reading.ruling.pack.regulates(kind) else ()
        if known and "class" in draft.roles:
            yield from _counts(draft)
            yield from _silent(draft, known)


def _counts(draft: Draft) -> Iterator[Remark]:
    counts = Counter(str(name) for name in draft.roles["class"] if name is not None)
    if counts:
        yield Remark(
            severity="info",
            subject="classes",
            code="class-counts",
            layer=draft.name,
            file=str(draft.source.path),
            message="resources by class: " + ", ".join(f"{name} {number:,}" for name, number in sorted(counts.items())),
        )


def _silent(draft: Draft, known: tuple[str, ...]) -> Iterator[Remark]:
    """Tell of classes that this rule lets pass, so that the resource gets no buffer, where a class is near."""
    field = draft.source.fields.get("class")
    spelled = {name.casefold(): name for name in draft.attributes.columns}
    column = None if field is None else spelled.get(field.casefold())
    lost = np.flatnonzero([name is None for name in draft.roles["class"]])
    if column is None or not len(lost):
        return
    said = [as_text(draft.attributes[column].iloc[at]) for at in lost]
    near = {text: closest(text, known) for text in said if text is not None}
    pairs = {text: name for text, name in sorted(near.items()) if name is not None}
    if not pairs:
        return
    names = [draft.names[row] for row, text in zip(draft.rows[lost], said, strict=True) if text in pairs]
    words = ", ".join(
        f"{json.dumps(text, ensure_ascii=False)} = {json.dumps(name, ensure_ascii=False)}"
        for text, name in pairs.items()
    )
    yield Remark(
        severity="warning",
        subject="classes",
        code="class-near",
        layer=draft.name,
        file=str(draft.source.path),
        message=f"{len(names):,} resources bear a class that the rule does not know but that is near one it knows; "
        "as it "
        f"is they get no buffer: {few(names)}",
        mend="where that class is meant, translate it",
        table=f"layers.{draft.name}",
        line=f"values.class = {{ {words} }}",
    )
