"""A site that was read once and laid down on disk, from which each tile reads what lies around it."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray
from pyproj import CRS
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from wetgeo.access import AccessWay
from wetgeo.batch.manifest import read_json, write_json
from wetgeo.batch.reading import Read, read_features
from wetgeo.batch.tables import FeatureTable, Floats, Ints
from wetgeo.batch.tiling import tile_names
from wetgeo.buffers import resources_layer
from wetgeo.extensions import MappedGround
from wetgeo.findings import Findings
from wetgeo.frames import SOURCE_PREFIX, conform
from wetgeo.inputs.heap import Features, heaps
from wetgeo.inputs.resources import tell_overlaps
from wetgeo.kernels.offset import Shape
from wetgeo.parcels import tell_lots
from wetgeo.pieces import StoredLayer, table_of
from wetgeo.pipeline import Inputs
from wetgeo.project import Project
from wetgeo.rules import provisions as law
from wetgeo.rules.load import load_pack
from wetgeo.rules.width import decide_width
from wetgeo.ruling import Ruling
from wetgeo.site import RESOURCE_LAYERS, Site
from wetgeo.sitewide import SiteWide
from wetgeo.structures import tell_unknown_setbacks
from wetgeo.subject import SubjectEdges
from wetgeo.vegetated import MOST_WIDTHS, UncountedSurface
from wetgeo.widths import facts_of

#: rows of an output layer that are held in memory at a time, as far as it goes
PIECE = 2_500
#: layers that are read whole: small, and united as a whole by the steps
_WHOLE = ("tract",)
#: columns of the resources that the steps ask for
_COLUMNS = ("resource_id", "resource_type", "class", "class_reason", "class_citation", "gdnr", "central", "setback_ft")


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What all tiles share, small enough to be read by each."""

    project: Project
    crs: CRS
    unit_m: float
    dem: Any
    layers: tuple[str, ...]
    subject: dict[str, Shape]
    provision: law.VegetatedDistance | None
    access: NDArray[np.object_]
    ways: Sequence[AccessWay]
    mapped: tuple[MappedGround, ...]
    reach: float


def prepare_site(project: Project, folder: Path, most: int) -> None:
    """Read a project and lay its site down in `folder`, in the place of one that was there.

    Parameters
    ----------
    project
        The project.
    folder
        The folder of the prepared site.
    most
        Resources that a tile holds at most.

    Raises
    ------
    WetgeoError
        As `wetgeo.pipeline.lay_out`.
    """
    with heaps(folder.with_name(f"{folder.name}.reading")) as new_heap:
        _lay_down(read_features(project, new_heap), folder, most)


def _lay_down(read: Read, folder: Path, most: int) -> None:
    findings, inputs = read.findings, read.inputs
    site, ruling = inputs.site, inputs.ruling
    sitewide = SiteWide.of(site, ruling, findings)
    tell_unknown_setbacks(site, ruling, np.flatnonzero(sitewide.chosen), findings)
    if "parcels" in read.layers:
        parcels = read.layers["parcels"]
        tell_lots(parcels.frame, parcels.shapes, site.ft, findings)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _write_layers(folder, read, sitewide, most)
    _write_common(folder, inputs, sitewide)
    _write_resources(folder / "resources", read.resources, site)
    paths = sitewide.subject.flow_paths
    if paths is not None:
        paths.to_pickle(folder / "flow_paths.pickle")
    (folder / "findings.pickle").write_bytes(pickle.dumps(findings))
    write_json(folder / "site.json", {"files": [str(path) for path in site.files]})


def _write_resources(folder: Path, features: Features, site: Site) -> None:
    """Lay down the layer of resources piece by piece, as it goes into the outputs: in the natural order of the ids."""
    bare = features.bare(site.crs)
    # the kinds of the file's own columns show in all rows together
    listed = conform("resources", bare.assign(area_sqft=np.nan, edge_ft=np.nan), site.crs)
    rows = pd.Index(features.frame["resource_id"]).get_indexer(listed["resource_id"])
    own = [name for name in listed.columns if str(name).startswith(SOURCE_PREFIX)]

    def piece(start: int) -> pd.DataFrame:
        mine = rows[start : start + PIECE]
        frame = gpd.GeoDataFrame(features.frame.iloc[mine], geometry=features.shapes(mine), crs=site.crs)
        known = frame.drop(columns=[name for name in frame.columns if str(name).startswith(SOURCE_PREFIX)])
        made = conform("resources", resources_layer(replace(site, resources=known)), site.crs)
        for name in own:
            made[name] = listed[name].iloc[start : start + PIECE].array
        return made[listed.columns]

    schema = table_of(listed).schema
    StoredLayer.write(folder, map(piece, range(0, len(rows), PIECE)), site.crs, schema)


def _write_layers(folder: Path, read: Read, sitewide: SiteWide, most: int) -> None:
    features, crs = read.resources, read.inputs.site.crs
    frame = features.frame[list(_COLUMNS)].copy()
    frame["tile"] = tile_names(features.bounds, most)
    frame["buffered"] = sitewide.chosen
    tiles = frame[frame["buffered"]].groupby("tile").groups
    write_json(folder / "tiles.json", {str(name): rows.tolist() for name, rows in sorted(tiles.items())})
    table = FeatureTable.write(folder / "resources.parquet", replace(features, frame=frame), crs)
    np.save(folder / "group.npy", _touching(table, read))
    for name, layer in read.layers.items():
        FeatureTable.write(folder / f"layer-{name}.parquet", layer, crs)
    _write_shapes(folder / "crossed.parquet", sitewide.uncounted.crossed, crs)
    for number, mapped in enumerate(sitewide.mapped):
        _write_shapes(folder / f"mapped-{number}.parquet", mapped.parts, crs, names=list(mapped.names))


def _touching(table: FeatureTable, read: Read) -> Ints:
    """Number the groups of resources that touch, step by step; resources that overlap are told."""
    frame, sqft = read.resources.frame, read.inputs.site.sqft
    layer_of = {kind: name for name, kind in RESOURCE_LAYERS.items()}
    layers = frame["resource_type"].map(layer_of).to_numpy(dtype=object)
    ids = frame["resource_id"].to_numpy(dtype=object)
    one, two = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
    for rows in table.blocks():
        near = table.near(read.resources.bounds[rows])
        shapes = read.resources.shapes(near)
        tell_overlaps(ids[near].tolist(), shapes, layers[near], sqft, read.findings)
        first, second = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=0.0)
        apart = first < second
        one.append(near[first[apart]])
        two.append(near[second[apart]])
    pairs = np.concatenate(one), np.concatenate(two)
    met = coo_array((np.ones(len(pairs[0]), dtype=np.int8), pairs), shape=(len(ids),) * 2)
    return np.asarray(connected_components(met, directed=False)[1], dtype=np.intp)


def _write_shapes(path: Path, shapes: NDArray[np.object_], crs: CRS, names: Sequence[str] | None = None) -> None:
    columns = {"name": pd.Series(range(len(shapes)) if names is None else list(names), dtype=object).astype(str)}
    FeatureTable.write(path, Features.of(gpd.GeoDataFrame(pd.DataFrame(columns), geometry=shapes, crs=crs)), crs)


def _write_common(folder: Path, inputs: Inputs, sitewide: SiteWide) -> None:
    site = inputs.site
    ids = site.resources["resource_id"].to_numpy()
    none = np.zeros(0, dtype=object)
    common = Common(
        project=inputs.project,
        crs=site.crs,
        unit_m=site.unit_m,
        dem=site.dem,
        layers=tuple(site.layers),
        subject={str(ids[row]): ground for row, ground in sitewide.subject.ground.items()},
        provision=sitewide.uncounted.provision,
        access=sitewide.uncounted.access,
        ways=tuple(sitewide.ways),
        mapped=tuple(replace(one, parts=none, names=(), tree=shapely.STRtree(none)) for one in sitewide.mapped),
        reach=_reach(inputs, sitewide),
    )
    (folder / "common.pickle").write_bytes(pickle.dumps(common))


def _reach(inputs: Inputs, sitewide: SiteWide) -> float:
    """How far around a resource the steps may look before extensions, CRS units."""
    site, ruling = inputs.site, inputs.ruling
    facts = facts_of(site, ruling)
    decided = {facts[row] for row in np.flatnonzero(sitewide.chosen)}
    decisions = [decide_width(ruling.pack, ruling.options, one) for one in decided]
    widest = max([0.0, *(max(d.base_ft, d.width_ft, *(z.outer_ft for z in d.zones), 0.0) for d in decisions)])
    crossed = len(sitewide.uncounted.crossed) > 0
    setbacks = site.resources["setback_ft"].to_numpy(dtype=float)
    setback = float(np.nan_to_num(setbacks, nan=0.0).max(initial=0.0)) if ruling.find(law.ExistingStructure) else 0.0
    return max(widest * (MOST_WIDTHS if crossed else 1.0), 2 * widest, setback) * 1.05 * site.ft + 10 * site.ft


class Prepared:
    """A prepared site, opened."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.common: Common = pickle.loads((folder / "common.pickle").read_bytes())  # noqa: S301 -- written by us
        project = self.common.project
        self.pack = load_pack(project.rule, project.folder)
        self.ruling = Ruling.of(self.pack, project.options, project.date, Findings())

    @cached_property
    def tiles(self) -> dict[str, list[int]]:
        """The rows of the resources with a buffer, by tile."""
        return {str(name): rows for name, rows in read_json(self.folder / "tiles.json").items()}

    @cached_property
    def resources(self) -> FeatureTable:
        """The resources, with ``tile`` and ``buffered``."""
        return self._table("resources")

    @cached_property
    def layers(self) -> dict[str, FeatureTable]:
        """The other layers."""
        return {name: self._table(f"layer-{name}") for name in self.common.layers}

    def resources_layer(self) -> StoredLayer:
        """Give the layer of resources as it goes into the outputs."""
        return StoredLayer.read(self.folder / "resources", self.common.crs)

    def findings(self) -> Findings:
        """What was found when the site was read."""
        found: Findings = pickle.loads((self.folder / "findings.pickle").read_bytes())  # noqa: S301 -- written by us
        return found

    def _table(self, name: str) -> FeatureTable:
        return FeatureTable(self.folder / f"{name}.parquet", self.common.crs)

    def around(self, windows: Floats) -> gpd.GeoDataFrame:
        """Read the resources within windows, and all that they touch, step by step: these are united as a whole."""
        rows = self.resources.near(windows)
        members, starts, group = self._members
        found = [members[starts[g] : starts[g + 1]] for g in np.unique(group[rows])]
        rows = np.unique(np.concatenate([np.zeros(0, dtype=np.intp), *found]))
        frame = self.resources.take(rows)
        frame["row"] = rows
        return frame

    @cached_property
    def _members(self) -> tuple[Ints, Ints, Ints]:
        group = np.load(self.folder / "group.npy")
        starts = np.concatenate([[0], np.cumsum(np.bincount(group))])
        return np.argsort(group, kind="stable"), starts, group

    def inputs(self, windows: Floats, layers: Sequence[str]) -> tuple[Inputs, Ints]:
        """Read the part of the site within windows, with the features of some layers; and the rows of its resources.

        The other layers that the project has are there without features.
        """
        frame = self.around(windows)
        common = self.common
        found = {
            name: table.whole() if name in self._whole else table.within(windows if name in layers else windows[:0])
            for name, table in self.layers.items()
        }
        if "structures" in layers and "parcels" in layers and {"structures", "parcels"} <= found.keys():
            # a structure at the edge of a window may stand on a parcel beyond it
            stand = shapely.bounds(found["structures"].geometry.to_numpy()).reshape(-1, 4)
            found["parcels"] = self.layers["parcels"].within(np.concatenate([windows, stand]))
        site = Site(
            crs=common.crs,
            unit_m=common.unit_m,
            resources=gpd.GeoDataFrame(frame[[*_COLUMNS, "geometry"]], geometry="geometry", crs=common.crs),
            layers=found,
            dem=common.dem,
            date=common.project.date,
        )
        inputs = Inputs(project=common.project, pack=self.pack, ruling=self.ruling, site=site)
        return inputs, frame["row"].to_numpy()

    @cached_property
    def _whole(self) -> frozenset[str]:
        """The layers that are read whole; the nearest new structure may stand anywhere."""
        residence = self.ruling.find(law.NewResidenceWidth)
        anywhere = residence is not None and self.ruling.options.get("trigger") == residence.trigger
        return frozenset({*_WHOLE, *(["structures"] if anywhere else [])})

    def sitewide(self, windows: Floats, resource_ids: NDArray[np.object_], chosen: NDArray[np.bool_]) -> SiteWide:
        """Take from what is known of the whole site what concerns resources within windows."""
        common = self.common
        subject = {row: common.subject[name] for row, name in enumerate(resource_ids) if name in common.subject}
        crossed = self._table("crossed").within(windows).geometry.to_numpy()
        return SiteWide(
            chosen=chosen,
            subject=SubjectEdges(ground=subject),
            uncounted=UncountedSurface(crossed=crossed, access=common.access, provision=common.provision),
            mapped=[self._mapped(number, one, windows) for number, one in enumerate(common.mapped)],
            ways=common.ways,
        )

    def _mapped(self, number: int, mapped: MappedGround, windows: Floats) -> MappedGround:
        frame = self._table(f"mapped-{number}").within(windows)
        parts = frame.geometry.to_numpy()
        return replace(mapped, parts=parts, names=frame["name"].tolist(), tree=shapely.STRtree(parts))


@lru_cache(maxsize=2)
def opened(folder: str, state: str) -> Prepared:  # noqa: ARG001 -- a prepared site that was made anew is another
    """Open a prepared site once in this process; `state` tells it from one that stood in the same folder before."""
    return Prepared(Path(folder))


def site_state(folder: Path) -> str:
    """Tell one prepared site from another in the same folder; empty where none stands there."""
    path = folder / "site.json"
    return f"{path.stat().st_mtime_ns}-{json.dumps(read_json(path))}" if path.exists() else ""
