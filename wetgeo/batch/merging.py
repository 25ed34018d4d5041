"""From the results of tiles and groups to one delineation, the same as if the site had been worked as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from wetgeo.batch.prepared import Prepared
from wetgeo.batch.results import findings_of, load, stacked
from wetgeo.delineation import Delineation
from wetgeo.findings import Findings
from wetgeo.kernels.shares import Shares
from wetgeo.parcels import Lots, held_layer
from wetgeo.site import Site
from wetgeo.soil_groups import tell_contested

#: layers of the first pass, and of the second
OF_TILES = ("buffers", "zones", "extensions", "access", "reasons")
OF_GROUPS = ("edges", "monuments", "monument_proof", "buffer_union")


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Where the results of both passes lie, in the order in which they are read."""

    tiles: Sequence[Path]
    groups: Sequence[Path]


def merged(prepared: Prepared, results: Results, files: Sequence[Path]) -> Delineation:
    """Put all results together; `files` are the inputs."""
    findings = prepared.findings()
    for folder in (*results.tiles, *results.groups):
        findings.extend(findings_of(folder))
    tell_contested(findings)
    common = prepared.common
    layers: dict[str, pd.DataFrame] = {"resources": pd.read_pickle(prepared.folder / "resources.pickle")}  # noqa: S301 -- written by us
    if (prepared.folder / "flow_paths.pickle").exists():
        layers["flow_paths"] = pd.read_pickle(prepared.folder / "flow_paths.pickle")  # noqa: S301 -- written by us
    for names, folders in ((OF_TILES, results.tiles), (OF_GROUPS, results.groups)):
        for name in names:
            frames = list(_frames(prepared, folders, name))
            if frames:
                layers[name] = stacked(frames)
    layers["parcels"] = _parcels(prepared, results.groups, findings)
    return Delineation(
        project=common.project,
        pack=prepared.pack,
        options=prepared.ruling.options,
        crs=common.crs,
        layers=layers,
        findings=findings,
        inputs=list(files),
        dem=common.dem,
    )


def _frames(prepared: Prepared, folders: Sequence[Path], name: str) -> Iterator[pd.DataFrame]:
    for folder in folders:
        frame = load(folder, name, prepared.common.crs)
        if frame is not None:
            yield frame


def _parcels(prepared: Prepared, folders: Sequence[Path], findings: Findings) -> gpd.GeoDataFrame:
    """Add up what each parcel holds; the areas are such that their sums are exact in any order."""
    common = prepared.common
    areas: dict[tuple[str, bytes], float] = {}
    for frame in _frames(prepared, folders, "held"):
        for label, shape, area in zip(
            frame["label"], shapely.to_wkb(frame["geometry"].to_numpy()), frame["area"], strict=True
        ):
            areas[label, shape] = areas.get((label, shape), 0.0) + area
    totals = list(_frames(prepared, folders, "held_total"))
    shapes = np.asarray(shapely.from_wkb([shape for _, shape in areas]), dtype=object)
    lots = Lots(
        labels=np.array([label for label, _ in areas], dtype=object),
        geometries=shapes,
        areas=shapely.area(shapes),
        outline=np.arange(len(shapes)),
    )
    held = Shares(
        lot=np.arange(len(shapes)),
        area=np.array(list(areas.values()), dtype=float),
        covered=math.fsum(total for frame in totals for total in frame["covered"]),
        total=math.fsum(total for frame in totals for total in frame["total"]),
    )
    given = "parcels" in common.layers and len(prepared.layers["parcels"].rows) > 0
    site = Site(
        crs=common.crs,
        unit_m=common.unit_m,
        resources=gpd.GeoDataFrame(geometry=[], crs=common.crs),
        date=common.project.date,
    )
    return held_layer(held, lots, site, findings, given=given)
