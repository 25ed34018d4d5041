"""Features that repeat others: doubles to the vertex, and parcels in several features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import shapely

from wetgeo.findings import Findings
from wetgeo.inputs.draft import Draft
from wetgeo.inputs.ids import vertices
from wetgeo.site import RESOURCE_LAYERS


def without_repeats(draft: Draft) -> Draft:
    """Drop features that repeat another to the vertex and play the same roles, each with a finding.

    Of resources the ids do not count: the same ground of the same class is one resource, and the smaller id stays.
    Of other layers they do: stacked parcels have one outline and different numbers.
    """
    alike = np.flatnonzero(pd.DataFrame(shapely.bounds(draft.geometry)).duplicated(keep=False))
    if not len(alike):
        return draft
    resource = draft.name in RESOURCE_LAYERS
    roles = draft.roles.drop(columns="id") if resource else draft.roles
    said = [repr(row) for row in roles.iloc[alike].itertuples(index=False, name=None)]
    same = pd.DataFrame({"at": alike, "shape": vertices(draft.geometry[alike]), "said": said})
    same["name"] = [draft.names[row] for row in draft.rows[alike]]
    same = same.sort_values(["name", "at"], kind="stable")
    kept = same.groupby(["shape", "said"])["name"].transform("first")
    repeats = same[same.duplicated(["shape", "said"])]
    for (first, name), several in repeats.groupby([kept[repeats.index], "name"]):
        one = "it repeats" if name != first else "one more feature of this id repeats"
        who = one if len(several) == 1 else f"{len(several)} features of this id repeat"
        draft.notes.add(
            "warning" if resource else "info",
            "duplicate-dropped",
            f"left out: {who} {first} to the vertex, in outline and in what its fields say",
            draft.rows[several["at"].to_numpy()[:1]],
        )
    chosen = np.ones(len(draft.geometry), dtype=bool)
    chosen[repeats["at"].to_numpy()] = False
    return draft.take(chosen)


def one_per_parcel(draft: Draft, findings: Findings) -> Draft:
    """Unite parcel features that bear one number; those without a number stay apart."""
    numbers = draft.roles["id"].astype(object)
    several = numbers[numbers.notna() & numbers.duplicated(keep=False)]
    if several.empty:
        return draft
    geometry = draft.geometry.copy()
    chosen = np.ones(len(geometry), dtype=bool)
    for number, places in several.groupby(several).groups.items():
        rows = np.asarray(places, dtype=np.intp)
        # normalised, so that the order of the features does not show
        geometry[rows[0]] = shapely.normalize(shapely.union_all(shapely.normalize(geometry[rows])))
        chosen[rows[1:]] = False
        findings.info(
            "parcel-repeated",
            f"{len(rows)} features bear the parcel number {number} and were taken as one parcel",
            layer=draft.name,
            feature_id=number,
        )
    return replace(draft, geometry=geometry).take(chosen)
