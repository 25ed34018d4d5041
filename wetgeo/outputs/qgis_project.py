"""buffers.qgz: a QGIS project beside buffers.gpkg that opens styled; written without QGIS."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import wetgeo
from wetgeo.layers import LAYERS
from wetgeo.outputs import qgis_xml as q
from wetgeo.outputs.geopackage import GEOPACKAGE
from wetgeo.outputs.plain import one_line
from wetgeo.outputs.qgis_layout import Sheet, layout
from wetgeo.outputs.qgis_styles import LayerStyle, layer_styles, style_attributes, style_elements
from wetgeo.outputs.qgis_table import TABLES, Table
from wetgeo.outputs.qgis_xml import Element
from wetgeo.pieces import Layers

if TYPE_CHECKING:
    from pathlib import Path

    from wetgeo.delineation import Delineation

#: the project's name in the output folder, and of the document in it
QGIS_PROJECT = "buffers.qgz"
_DOCUMENT = "buffers.qgs"

#: groups of layers, from the top of the map down
GROUPS = {
    "Impacts": ("impacts",),
    "Averaging": ("violations", "averaging_areas", "width_profile", "proposed"),
    "Monuments and edges": ("monuments", "edges"),
    "Buffers": ("access", "extensions", "zones", "buffers", "buffer_union"),
    "Site": ("flow_paths", "resources", "parcels"),
    "Tables": ("averaging", "triggers", "monument_proof", "findings", "reasons"),
}
#: layers that repeat what others show, and are off at first
_OFF = ("buffer_union", "width_profile")
#: layers that say where the site is, those that come first before the others
_SITES = (("buffers", "proposed"), ("resources",))
_MARGIN = 0.06
#: half the side of the window on a site that has no extent, units of the CRS
_NOWHERE = 500.0
_GEOMETRIES = {"MultiPolygon": "Polygon", "LineString": "Line", "Point": "Point", None: "No geometry"}
#: the earliest time that a zip file can state
_ZIP_YEAR = 1980


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    """A layer of the project: its name in the GeoPackage, its style, and whether it shows at first."""

    name: str
    style: LayerStyle
    shown: bool

    @property
    def id(self) -> str:
        return f"wetgeo_{self.name}"

    @property
    def source(self) -> str:
        return f"./{GEOPACKAGE}|layername={self.name}"


def write_qgis_project(delineation: Delineation, folder: Path) -> None:
    """Write ``buffers.qgz`` into `folder`; its layers are those of ``buffers.gpkg`` beside it.

    The same delineation gives the same bytes: the file's times are the application date.

    Parameters
    ----------
    delineation
        With conformed layers (`wetgeo.outputs.write.prepare`).
    folder
        An existing folder.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    text = project_document(delineation)
    date = delineation.project.date
    info = zipfile.ZipInfo(_DOCUMENT, (max(date.year, _ZIP_YEAR), date.month, date.day, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    with zipfile.ZipFile(folder / QGIS_PROJECT, "w") as file:
        file.writestr(info, text.encode())


def project_document(delineation: Delineation) -> str:
    """Write the project as the text of a .qgs file, version 3.22."""
    styles = layer_styles(delineation)
    held = Layers.of(delineation.layers)
    layers = {
        name: _Layer(name=name, style=style, shown=name not in _OFF and held.rows(name) > 0)
        for name, style in styles.items()
    }
    bounds = site_bounds(delineation)
    title = one_line(delineation.project.name)
    root = q.node(
        "qgis",
        q.node("homePath", path=""),
        q.node("title", text=title),
        q.node("projectCrs", q.spatial_reference(delineation.crs)),
        _tree(layers),
        _canvas(delineation, bounds),
        q.node("projectlayers", *(_map_layer(delineation, layer) for layer in layers.values())),
        _properties(),
        _metadata(delineation, "projectMetadata", title, about(delineation), "project"),
        q.node("Layouts", layout(delineation, _sheet(delineation, layers, bounds, title))),
        _view(delineation, bounds),
        projectname=title,
        version=q.VERSION,
    )
    return q.write(root, "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n")


def about(delineation: Delineation) -> str:
    """Say in a line which rule, as of which day, and what made it."""
    pack, project = delineation.pack, delineation.project
    since = f", {pack.effective.isoformat()}" if pack.effective else ""
    return (
        f"Rule: {one_line(pack.title)} ({pack.id}, version {pack.version}{since}). "
        f"Application date: {project.date.isoformat()}. Made by wetgeo {wetgeo.__version__} ({delineation.command})."
    )


def site_bounds(delineation: Delineation) -> tuple[float, float, float, float]:
    """Return what a map of the site shows, CRS units: the buffers and a margin; where there are none, the resources."""
    layers = Layers.of(delineation.layers)
    for names in _SITES:
        found = np.array([layers.bounds(name) for name in names if name in layers]).reshape(-1, 4)
        found = found[np.isfinite(found).all(axis=1)]
        if len(found):
            low, high = found[:, :2].min(axis=0), found[:, 2:].max(axis=0)
            margin = _MARGIN * max((high - low).max(), 1.0)
            left, bottom, right, top = map(float, (*(low - margin), *(high + margin)))
            return left, bottom, right, top
    return -_NOWHERE, -_NOWHERE, _NOWHERE, _NOWHERE


def _sheet(
    delineation: Delineation,
    layers: dict[str, _Layer],
    bounds: tuple[float, float, float, float],
    title: str,
) -> Sheet:
    shown = [layers[name] for names in GROUPS.values() for name in names if name in layers and layers[name].shown]
    table = next(name for name in TABLES if name in layers)
    rows = Layers.of(delineation.layers).rows(table)
    return Sheet(
        title=title,
        about=about(delineation),
        bounds=bounds,
        legend=[_tree_layer(layer) for layer in shown if layer.style.renderer is not None],
        table=Table(name=table, id=layers[table].id, source=layers[table].source, rows=rows),
    )


def _tree(layers: dict[str, _Layer]) -> Element:
    groups = []
    for title, names in GROUPS.items():
        found = [layers[name] for name in names if name in layers]
        if found:
            shown = any(layer.shown for layer in found)
            groups.append(
                q.node(
                    "layer-tree-group",
                    *map(_tree_layer, found),
                    name=title,
                    checked="Qt::Checked",
                    expanded=shown and title != "Tables",
                )
            )
    return q.node("layer-tree-group", *groups)


def _tree_layer(layer: _Layer) -> Element:
    return q.node(
        "layer-tree-layer",
        id=layer.id,
        name=layer.style.title,
        source=layer.source,
        providerKey="ogr",
        checked="Qt::Checked" if layer.shown else "Qt::Unchecked",
        expanded=layer.shown and layer.style.renderer is not None,
    )


def _map_layer(delineation: Delineation, layer: _Layer) -> Element:
    schema, style = LAYERS[layer.name], layer.style
    row = f"One row is {schema.row}."
    crs = None if schema.geometry is None else delineation.crs
    return q.node(
        "maplayer",
        *q.texts({"id": layer.id, "datasource": layer.source, "shortname": layer.name, "layername": style.title}),
        q.node("srs", q.spatial_reference(crs)),
        _metadata(delineation, "resourceMetadata", style.title, f"{row} {about(delineation)}", "dataset", crs=True),
        q.node("provider", text="ogr", encoding="UTF-8"),
        *style_elements(style),
        **style_attributes(style),
        type="vector",
        geometry=_GEOMETRIES[schema.geometry],
        wkbType=schema.geometry or "NoGeometry",
    )


def _metadata(
    delineation: Delineation, tag: str, title: str, abstract: str, kind: str, *, crs: bool = False
) -> Element:
    pack = delineation.pack
    found = [
        *q.texts({"identifier": f"{pack.id} {delineation.project.date.isoformat()}", "type": kind, "language": "ENG"}),
        *q.texts({"title": title, "abstract": abstract}),
        q.node("keywords", q.node("keyword", text=pack.id), vocabulary="rule"),
    ]
    if crs:
        return q.node(tag, *found, q.node("crs", q.spatial_reference(delineation.crs)))
    created = q.texts({"author": f"wetgeo {wetgeo.__version__}", "creation": f"{delineation.project.date}T00:00:00"})
    return q.node(tag, *found, *created)


def _canvas(delineation: Delineation, bounds: tuple[float, float, float, float]) -> Element:
    return q.node(
        "mapcanvas",
        q.node("units", text="meters"),
        q.extent("extent", bounds),
        q.node("rotation", text="0"),
        q.node("destinationsrs", q.spatial_reference(delineation.crs)),
        name="theMapCanvas",
        annotationsVisible=1,
    )


def _view(delineation: Delineation, bounds: tuple[float, float, float, float]) -> Element:
    sides = dict(zip(("xmin", "ymin", "xmax", "ymax"), map(repr, bounds), strict=True))
    window = q.node("DefaultViewExtent", q.spatial_reference(delineation.crs), **sides)
    return q.node("ProjectViewSettings", q.node("Scales"), window, UseProjectScales=0, rotation=0)


def _properties() -> Element:
    """Settings of the project: relative paths, and measures in feet in the plane of the CRS, as wetgeo measures."""

    def setting(tag: str, kind: str, value: str) -> Element:
        return q.node(tag, type=kind, text=value)

    return q.node(
        "properties",
        q.node("Measure", setting("Ellipsoid", "QString", "NONE")),
        q.node("Measurement", setting("DistanceUnits", "QString", "feet"), setting("AreaUnits", "QString", "ft2")),
        q.node("Paths", setting("Absolute", "bool", "false")),
        q.node("SpatialRefSys", setting("ProjectionsEnabled", "int", "1")),
    )
