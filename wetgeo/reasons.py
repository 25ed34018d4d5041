"""Reasons: each step by which a resource's width was decided, for ``wetgeo explain``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from wetgeo.footprints import Footprints
from wetgeo.site import Site
from wetgeo.structures import StructureLimit
from wetgeo.widths import ResourceWidth


def reasons_layer(
    site: Site, widths: Sequence[ResourceWidth | None], footprints: Footprints, limits: Sequence[StructureLimit]
) -> pd.DataFrame:
    """List the steps of each resource that has a width.

    First how its class was decided, where its ratings decided it; then the decision's own steps, then structures, then
    extensions.
    """
    ids = site.resources["resource_id"].to_numpy()
    steps: dict[int, list[tuple[str, str, float | None, str, str]]] = {}
    by_class = _class_steps(site)
    for row, width in enumerate(widths):
        if width is not None:
            decided = [(s.provision, s.what, s.value_ft, s.reason, s.citation) for s in width.decision.steps]
            steps[row] = [*by_class.get(row, []), *decided]
    for limit in limits:
        reason = (
            f"on parcel {limit.parcel_id}: existing primary structure {limit.distance_ft:.2f} ft from the edge, within "
            f"the setback; width there {limit.width_ft:.2f} ft"
        )
        steps[limit.row].append(("existing_structure", "structure", limit.width_ft, reason, limit.citation))
    for extension in footprints.extensions:
        steps[extension.row].append((extension.kind, "extension", None, extension.reason, extension.citation))
    columns: list[str] = ["resource_id", "step", "provision", "what", "value_ft", "reason", "citation"]
    rows: list[list[Any]] = [
        [ids[row], number, *step] for row, listed in steps.items() for number, step in enumerate(listed, 1)
    ]
    return pd.DataFrame(rows, columns=columns)


def _class_steps(site: Site) -> dict[int, list[tuple[str, str, float | None, str, str]]]:
    """Say by what classes were decided, where the file did not state them."""
    frame = site.resources
    if "class_reason" not in frame:
        return {}
    rows = np.flatnonzero(frame["class_reason"].notna())
    texts = frame[["class_reason", "class_citation"]].to_numpy(dtype=object)
    return {int(row): [("management-category", "class", None, str(texts[row, 0]), str(texts[row, 1]))] for row in rows}
