"""The layers beside the resources, as frames of the site."""

from __future__ import annotations

import geopandas as gpd
import pandas as pd
from pyproj import CRS

from wetgeo.findings import Findings
from wetgeo.inputs.draft import Draft
from wetgeo.inputs.ids import canonical_order
from wetgeo.inputs.repeats import one_per_parcel
from wetgeo.inputs.soils import join_groups, map_unit_key


def other_layer(draft: Draft, crs: CRS, ft: float, findings: Findings) -> gpd.GeoDataFrame:
    """Make the frame of one layer, as `wetgeo.site.Site.layers` holds it.

    Parameters
    ----------
    draft
        The layer in the working CRS, repaired.
    crs
        The working CRS.
    ft
        CRS units in a foot.
    findings
        Takes note of what was noted of features, of parcels in several pieces and of map units without a group.
    """
    draft.notes.tell(findings, dict(enumerate(draft.names)))
    if draft.name == "parcels":
        draft = _parcels(draft, findings)
    if draft.name == "soils":
        draft.roles["mukey"] = pd.Series([map_unit_key(key) for key in draft.roles["mukey"]], dtype=object)
        if draft.table is not None:
            groups = join_groups(
                draft.roles["mukey"].tolist(), draft.roles["hsg"].tolist(), draft.geometry, draft.table, findings
            )
            draft.roles["hsg"] = pd.Series(groups, dtype=object)
    names = pd.Series([draft.names[row] for row in draft.rows], dtype=object)
    columns = {"feature_id": names, **{role: draft.roles[role] for role in draft.roles.columns if role != "id"}}
    if draft.name == "parcels":
        columns["parcel_id"] = draft.roles["id"]
    frame = gpd.GeoDataFrame(pd.DataFrame(columns), geometry=draft.geometry, crs=crs)
    order = canonical_order(draft.geometry, names.tolist(), grain=0.01 * ft)
    return frame.iloc[order].reset_index(drop=True)


def _parcels(draft: Draft, findings: Findings) -> Draft:
    missing = int(draft.roles["id"].isna().sum())
    if missing:
        findings.info(
            "id-missing",
            f"{missing:,} of {len(draft.roles):,} parcels have no number; each counts as a parcel of its own",
            layer=draft.name,
        )
    return one_per_parcel(draft, findings)
