"""From a project to its site, and from any other file to polygons, lines or points in the site's CRS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import geopandas as gpd
from pyproj import CRS

from wetgeo.errors import InputError, ProjectError
from wetgeo.findings import Findings
from wetgeo.inputs.classes import ClassTable
from wetgeo.inputs.crs import Bounds, unit_m
from wetgeo.inputs.draft import Draft, draft_layer
from wetgeo.inputs.faults import Faults
from wetgeo.inputs.others import other_layer
from wetgeo.inputs.repair import make_valid, without_extent
from wetgeo.inputs.repeats import without_repeats
from wetgeo.inputs.resources import draw_banks, join
from wetgeo.inputs.working import into, refuse_too_wide, settle, tell_far, tell_far_dem, working_crs
from wetgeo.kernels.grid import ElevationSource
from wetgeo.project import LayerSource, Project
from wetgeo.site import RESOURCE_LAYERS, Site
from wetgeo.units import FOOT_M

Progress = Callable[[float, str], None]
#: what a command judges: ``FILE``, ``FILE|LAYER`` or, from a program, a frame
Source: TypeAlias = "str | gpd.GeoDataFrame"


def build_site(project: Project, pack: ClassTable, findings: Findings, *, progress: Progress | None = None) -> Site:
    """Read all inputs of a project.

    Parameters
    ----------
    project
        The project.
    pack
        The rule, for its classes.
    findings
        Takes note of all that was assumed, repaired, dropped or left undecided.
    progress
        Called with the fraction that is done and what comes next.

    Raises
    ------
    InputError
        Layers that cannot be used: all faults of all layers at once (CrsError and ClassError where all are of that
        kind).
    ProjectError
        The working CRS that the project states is not fit, or no resource layer is given.
    RasterError
        The DEM cannot be used.
    """
    tell = progress or (lambda _fraction, _message: None)
    if not RESOURCE_LAYERS.keys() & project.layers.keys():
        raise ProjectError(
            f"{project.path} names no layer of resources",
            mend="give [layers.wetlands], [layers.lakes] or [layers.streams]",
        )
    faults = Faults()
    drafts = []
    for done, source in enumerate(project.layers.values()):
        tell(0.5 * done / len(project.layers), f"reading {source.name}")
        draft = draft_layer(source, findings, faults, pack=pack)
        drafts += [] if draft is None else [draft]
    drafts = settle(drafts, findings, faults)
    faults.raise_any()
    crs = working_crs(project.crs, drafts, findings)
    tell(0.5, "checking geometries")
    ready = _all_ready(drafts, crs, findings)
    tell(0.8, "naming features")
    resources, layers = site_frames(ready, crs, findings)
    tables = [draft.table.path for draft in ready if draft.table is not None and draft.table.path is not None]
    files = [*project.files, *tables]
    if project.dem is not None:
        tell(0.9, "opening the DEM")
    left, bottom, right, top = (float(value) for value in resources.total_bounds)
    dem, rasters = opened_dem(project, crs, findings, site=(left, bottom, right, top))
    files += rasters
    return Site(
        crs=crs,
        unit_m=unit_m(crs),
        resources=resources,
        layers=layers,
        dem=dem,
        date=project.date,
        files=tuple(dict.fromkeys(files)),
    )


def opened_dem(
    project: Project, crs: CRS, findings: Findings, *, site: Bounds
) -> tuple[ElevationSource | None, list[Path]]:
    """Open the project's DEM, where it has one, and name its files.

    `site` are the bounds of the resources: a DEM that lies off them is told.

    Raises
    ------
    RasterError
        It cannot be used.
    """
    if project.dem is None:
        return None, []
    from wetgeo.inputs.raster import files_of, open_dem  # rasterio is loaded where there is a DEM

    dem = open_dem(project.dem, crs, unit_m(crs), findings)
    tell_far_dem([tile.bounds for tile in dem.tiles], site, FOOT_M / unit_m(crs), findings)
    return dem, list(files_of(project.dem))


def _all_ready(drafts: Sequence[Draft], crs: CRS, findings: Findings) -> list[Draft]:
    """Bring all layers into the working CRS, repaired; faults of all layers are told at once."""
    faults = Faults()
    ready = []
    for draft in drafts:
        with faults.collect():
            ready.append(without_repeats(repaired(draft, crs, findings)))
    faults.raise_any()
    return ready


def repaired(draft: Draft, crs: CRS, findings: Findings, *, bounds: Bounds | None = None) -> Draft:
    """Bring a layer into the working CRS, with its geometries repaired and the banks of its streams drawn.

    `bounds` are those of the whole layer where `draft` is a part of it.

    Raises
    ------
    CrsError
        Some coordinates have no place in the working CRS.
    InputError
        A wetland, lake or stream reaches over half a continent.
    """
    ft = FOOT_M / unit_m(crs)
    draft = into(crs, draft, findings, bounds=bounds)
    refuse_too_wide(draft)
    geometry = make_valid(draft.geometry, sqft=ft**2, notes=draft.notes, features=draft.rows)
    draft = replace(draft, geometry=geometry)
    draft = draft.drop(without_extent(geometry, ft=ft), "its outline encloses no area, or its line has no length")
    return draw_banks(draft, ft) if draft.name == "streams" else draft


def site_frames(
    drafts: Sequence[Draft], crs: CRS, findings: Findings
) -> tuple[gpd.GeoDataFrame, dict[str, gpd.GeoDataFrame]]:
    """Make the frames of a site, `Site.resources` and `Site.layers`, of layers that are ready.

    Raises
    ------
    InputError
        No resource is left.
    """
    ft = FOOT_M / unit_m(crs)
    waters = [draft for draft in drafts if draft.name in RESOURCE_LAYERS]
    if not any(len(draft.geometry) for draft in waters):
        for draft in waters:
            draft.notes.tell(findings, draft.names)
        raise InputError(
            "no wetland, lake or stream is left: none encloses any ground",
            mend="export the layer anew, with its outlines as polygons",
        )
    resources = join(waters, crs, ft, findings)
    left, bottom, right, top = (float(value) for value in resources.total_bounds)
    layers = {}
    for draft in drafts:
        if draft.name not in RESOURCE_LAYERS:
            tell_far(draft, (left, bottom, right, top), ft, findings)
            layers[draft.name] = other_layer(draft, crs, ft, findings)
    return resources, layers


def read_source(
    src: Source, *, name: str, crs: CRS, findings: Findings, kinds: tuple[str, ...] = ("polygon",)
) -> gpd.GeoDataFrame:
    """Read a file that a command names, such as a proposal, as it comes into the site.

    Parameters
    ----------
    src
        ``FILE``, ``FILE|LAYER`` or, as QGIS writes it, ``FILE|layername=LAYER``; or a frame.
    name
        What the findings and errors call it, such as ``proposed``.
    crs
        The working CRS, to which it is brought.
    findings
        Takes note of what was repaired, dropped or reprojected.
    kinds
        Kinds of geometry that it may hold: polygon, line, point.

    Returns
    -------
    geopandas.GeoDataFrame
        ``feature_id`` (text) and ``geometry`` (valid, 2D), sorted by geometry.

    Raises
    ------
    InputError
        The file cannot be used, or holds no usable feature.
    """
    return read_named(source_of(src, name), crs=crs, findings=findings, kinds=kinds)[["feature_id", "geometry"]]


def source_of(src: Source, name: str) -> LayerSource:
    """Take apart the SRC of a command line, or take a frame; `name` is what findings and errors call it."""
    if not isinstance(src, str):
        return LayerSource(name=name, path=Path(f"{name}, as given"), frame=src)
    file, _, layer = src.partition("|")
    layer = layer.removeprefix("layername=")
    return LayerSource(name=name, path=Path(file).absolute(), layer=layer or None)


def read_named(
    source: LayerSource,
    *,
    crs: CRS,
    findings: Findings,
    kinds: tuple[str, ...] = ("polygon",),
    near: tuple[float, float, float, float] | None = None,
) -> gpd.GeoDataFrame:
    """Read a source with the columns of its roles; else as `read_source`.

    Where it lies far from the bounds `near` (left, bottom, right, top, CRS units), that is told.
    """
    faults = Faults()
    draft = draft_layer(source, findings, faults, allowed=kinds)
    settled = settle([] if draft is None else [draft], findings, faults)
    faults.raise_any()
    ft = FOOT_M / unit_m(crs)
    ready = repaired(settled[0], crs, findings)
    if near is not None:
        tell_far(ready, near, ft, findings)
    frame = other_layer(ready, crs, ft, findings)
    if frame.empty:
        raise InputError(f"{ready.place} holds no feature that can be used", mend="give another file or layer")
    return frame
