"""The layers beside the resources, as frames of the site."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray
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
    draft = one_each(draft, findings)
    frame = columns_of(draft, shapely.area(draft.geometry), findings)
    order = canonical_order(draft.geometry, frame["feature_id"].tolist(), grain=0.01 * ft)
    return gpd.GeoDataFrame(frame, geometry=draft.geometry, crs=crs).iloc[order].reset_index(drop=True)


def one_each(draft: Draft, findings: Findings) -> Draft:
    """Tell what was noted of features, and unite the features of one parcel."""
    draft.notes.tell(findings, draft.names)
    return _parcels(draft, findings) if draft.name == "parcels" else draft


def columns_of(draft: Draft, areas: NDArray[np.float64], findings: Findings) -> pd.DataFrame:
    """Make the columns of the frame of one layer, without geometry; `areas` are those of the features."""
    if draft.name == "soils":
        draft.roles["mukey"] = pd.Series([map_unit_key(key) for key in draft.roles["mukey"]], dtype=object)
        if draft.table is not None:
            groups = join_groups(
                draft.roles["mukey"].tolist(), draft.roles["hsg"].tolist(), areas, draft.table, findings
            )
            draft.roles["hsg"] = pd.Series(groups, dtype=object)
    names = pd.Series([draft.names[row] for row in draft.rows], dtype=object)
    columns = {"feature_id": names, **{role: draft.roles[role] for role in draft.roles.columns if role != "id"}}
    if draft.name == "parcels":
        columns["parcel_id"] = draft.roles["id"]
    return pd.DataFrame(columns)


def _parcels(draft: Draft, findings: Findings) -> Draft:
    missing = int(draft.roles["id"].isna().sum())
    if missing:
        findings.info(
            "id-missing",
            f"{missing:,} of {len(draft.roles):,} parcels have no number; each counts as a parcel of its own",
            layer=draft.name,
        )
    return one_per_parcel(draft, findings)
