"""How the layers look in QGIS: the palette, and the styles that buffers.gpkg and buffers.qgz hold.

Colours of one family differ in lightness and hatches in their direction, so that colour-blind readers and grey copies
tell them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wetgeo.outputs import qgis_xml as q
from wetgeo.outputs.qgis_places import label_ground
from wetgeo.outputs.qgis_xml import Element
from wetgeo.pieces import Layers

if TYPE_CHECKING:
    from wetgeo.delineation import Delineation, PackIdentity

#: waters, from light to dark
WATERS = {"wetland": "#c6dfee", "lake": "#7fb4d9", "stream": "#4a8fc2"}
WATER_INK = "#1f5582"
#: buffers of the rule's classes, from the first (the strictest) to the last, and of resources without a class
BUFFERS = {
    "wetland": ("#2f8f4e", "#6fbf6b", "#a9d98a", "#dcefb4"),
    "lake": ("#1f8a83", "#a8dcc9"),
    "stream": ("#b3a3d6",),
}
BUFFER_INK = "#1d5b33"
ZONES = {"streamside": "#8f7cc0", "middle": "#b9abda", "outer": "#d6cdea"}
ZONE_INK = "#5b4a8a"
#: colour, direction in degrees; None for dots
HATCHES: dict[str, tuple[str, float | None]] = {
    "steep_slope": ("#7a3e12", 45),
    "floodplain": ("#0b4f9e", 0),
    "natural_community": ("#12521f", None),
    "drainageway": ("#222222", 90),
    "reduced": ("#c44e00", 45),
    "added": ("#0060a8", 135),
    "over_cap": ("#6a3d9a", 90),
    "not_counted": ("#555555", 0),
    "fill": ("#a50f15", 45),
    "drain": ("#08306b", 0),
    "excavate": ("#54278f", 90),
    "temporary": ("#555555", 135),
}
PROPOSED_INK, VIOLATION, VIOLATION_FILL, DOUBTFUL = "#111111", "#d7191c", "#f7bcb8e0", "#e08214"
ACCESS_INK, TRACT_INK, PARCEL_INK, PARCEL_TEXT, FLOW_INK = "#8c510a", "#444444", "#9a9a9a", "#6b6b6b", "#3a7ca5"

#: a width that is short by less than this, feet, is short by the drawing of curves only
_DRAWN_FT = 0.05
#: scales (1 to so many) up to which these show
MONUMENT_LABELS, MONUMENTS, LABELS, PARCEL_LABELS, STATIONS = 1500, 25000, 12000, 4000, 5000
#: from this scale on, a map is an overview: outlines are hairlines, and edges do not show
OVERVIEW = 25000


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerStyle:
    """How a layer is drawn.

    Attributes
    ----------
    title
        What maps call the layer.
    renderer, labeling
        Elements ``renderer-v2`` and ``labeling``; None for a table, and where there are no labels.
    below
        The layer shows at scales larger than 1:`below` only; None for all.
    tip
        What a row is called in lists and tips, as an expression.
    """

    title: str
    renderer: Element | None = None
    labeling: Element | None = None
    below: int | None = None
    tip: str = '"resource_id"'


def qml(style: LayerStyle) -> str:
    """Write a style as the text of a .qml file."""
    root = q.node("qgis", *style_elements(style), **style_attributes(style), version=q.VERSION)
    return q.write(root, "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n")


def style_attributes(style: LayerStyle) -> dict[str, object]:
    """Attributes of a style, which stand on the element above the others."""
    return {
        "styleCategories": "AllStyleCategories" if style.renderer is not None else "Fields|MapTips",
        "labelsEnabled": style.labeling is not None,
        "hasScaleBasedVisibilityFlag": style.below is not None,
        "minScale": style.below or 100000000,
        "maxScale": 0,
    }


def style_elements(style: LayerStyle) -> list[Element]:
    """Elements of a style; each call makes new ones, for they stand in one tree only."""
    found = [] if style.renderer is None else [_copy(style.renderer)]
    found += [] if style.labeling is None else [_copy(style.labeling)]
    found += [] if style.renderer is None else q.texts({"blendMode": "0", "featureBlendMode": "0", "layerOpacity": "1"})
    return [*found, q.node("previewExpression", text=style.tip), q.node("mapTip", text=f"<b>[% {style.tip} %]</b>")]


def layer_styles(delineation: Delineation) -> dict[str, LayerStyle]:
    """Make the style of every layer of a delineation.

    Categories are those that the rows have, in the rule's order; a class keeps its colour whatever else there is.

    Parameters
    ----------
    delineation
        With conformed layers.
    """
    return {name: _STYLES[name](delineation) for name in delineation.layers}


def _copy(element: Element) -> Element:
    made = q.node(element.tag, *map(_copy, element), text=element.text, **element.attrib)
    made.tail = element.tail
    return made


def _categories(attribute: str, rows: Sequence[tuple[str, str, Sequence[Element]]], kind: str) -> Element:
    """Draw by the value of a field or expression: value, what the legend says, and the layers of its symbol."""
    found = [
        q.node("category", value=value, label=label, symbol=number, render="true")
        for number, (value, label, _) in enumerate(rows)
    ]
    symbols = [q.symbol(kind, *layers, name=str(number)) for number, (_, _, layers) in enumerate(rows)]
    return q.node(
        "renderer-v2",
        q.node("categories", *found),
        q.node("symbols", *symbols),
        type="categorizedSymbol",
        attr=attribute,
        symbollevels=0,
        forceraster=0,
        enableorderby=0,
    )


def _single(kind: str, *layers: Element) -> Element:
    symbols = q.node("symbols", q.symbol(kind, *layers))
    return q.node("renderer-v2", symbols, type="singleSymbol", symbollevels=0, forceraster=0, enableorderby=0)


def _present(delineation: Delineation, layer: str, field: str, known: Sequence[str]) -> list[str]:
    """Values of a field that rows have: those known first and in their order; all known where there is no row."""
    values = {value for (value,) in Layers.of(delineation.layers).distinct(layer, field) if value is not None}
    if not values:
        return list(known)
    return [value for value in known if value in values] + sorted(values - set(known))


def _words(value: str) -> str:
    return value.replace("_", " ").capitalize()


def _resources(delineation: Delineation) -> LayerStyle:
    rows = [
        (kind, _words(kind), [q.simple_fill(WATERS.get(kind, "#dddddd"), WATER_INK, 0.3, hairline_beyond=OVERVIEW)])
        for kind in _present(delineation, "resources", "resource_type", tuple(WATERS))
    ]
    text = q.text_style(8, WATER_INK, bold=True, italic=True, halo=0.8)
    return LayerStyle(
        title="Wetlands, lakes and streams",
        renderer=_categories("resource_type", rows, "fill"),
        labeling=q.labels('"resource_id"', text, place=q.HORIZONTAL, below=LABELS, priority=8),
        tip="\"resource_id\" || coalesce(', ' || \"class\", '')",
    )


def _buffers(delineation: Delineation) -> LayerStyle:
    found = Layers.of(delineation.layers).distinct("buffers", "resource_type", "class")
    pairs = {(str(kind), name or "") for kind, name in found}
    rows = []
    for kind in [*WATERS, *sorted({kind for kind, _ in pairs} - set(WATERS))]:
        colors = _class_colors(delineation.pack, kind)
        known = [name for name in colors if (kind, name) in pairs]
        for name in [*known, *sorted({name for k, name in pairs if k == kind} - set(known))]:
            label = f"{_words(kind)}{f', {name}' if name else ''}"
            fill = q.simple_fill(f"{colors.get(name, colors[''])}c8", BUFFER_INK, 0.2, hairline_beyond=OVERVIEW)
            rows.append((f"{kind}|{name}", label, [fill]))
    rows = rows or [("", "Buffer", [q.simple_fill(BUFFERS["wetland"][1], BUFFER_INK, 0.2)])]
    text, within = q.text_style(7, BUFFER_INK, bold=True, halo=0.7), label_ground(delineation)
    return LayerStyle(
        title="Required buffers",
        renderer=_categories("\"resource_type\" || '|' || coalesce(\"class\", '')", rows, "fill"),
        labeling=q.labels(
            "\"resource_id\" || ', ' || round(\"width_ft\", 1) || ' ft'",
            text,
            place=q.OVER_POINT if within else q.FREE,
            below=PARCEL_LABELS,
            priority=4,
            within=within,
        ),
        tip='"resource_id" || \': \' || round("width_ft", 1) || \' ft, \' || "citation"',
    )


def _class_colors(pack: PackIdentity, kind: str) -> dict[str, str]:
    """Colour of each of the rule's classes, spread over the family where there are fewer; key '' for no class."""
    family = BUFFERS.get(kind, BUFFERS["wetland"])
    classes = pack.classes(kind)
    last = max(len(classes) - 1, 1)
    colors = {name: family[min(round(i * (len(family) - 1) / last), i)] for i, name in enumerate(classes)}
    return {**colors, "": family[len(family) // 3]}


def _zones(delineation: Delineation) -> LayerStyle:
    rows = [
        (zone, _words(zone), [q.simple_fill(f"{ZONES.get(zone, '#dddddd')}d0", ZONE_INK, 0.15)])
        for zone in _present(delineation, "zones", "zone", tuple(ZONES))
    ]
    return LayerStyle(
        title="Stream zones",
        renderer=_categories("zone", rows, "fill"),
        tip="\"resource_id\" || ', ' || \"zone\" || ': ' || round(\"width_ft\", 1) || ' ft'",
    )


def _hatched(delineation: Delineation, layer: str, known: Sequence[str], field: str = "kind") -> Element:
    rows = []
    for kind in _present(delineation, layer, field, known):
        color, angle = HATCHES.get(kind, ("#333333", 20.0))
        pattern = q.dots(color) if angle is None else q.hatch(color, angle=angle)
        # no ground of its own: several rows may cover the same ground
        rows.append((kind, _words(kind), [q.simple_fill(None, color, 0.25), pattern]))
    return _categories(field, rows, "fill")


def _extensions(delineation: Delineation) -> LayerStyle:
    known = ("steep_slope", "floodplain", "natural_community", "drainageway")
    return LayerStyle(
        title="Extensions",
        renderer=_hatched(delineation, "extensions", known),
        tip="\"resource_id\" || ': ' || replace(\"kind\", '_', ' ') || ', ' || \"citation\"",
    )


def _averaging_areas(delineation: Delineation) -> LayerStyle:
    text = q.text_style(7, bold=True, halo=0.9)
    return LayerStyle(
        title="Averaging areas",
        renderer=_hatched(delineation, "averaging_areas", ("reduced", "added", "over_cap", "not_counted")),
        labeling=q.labels(
            # slivers stand in the table only
            'if("area_sqft" < 0.5, NULL, "label" || \'\\n\' || format_number("area_sqft", 0) || \' sq ft\')',
            text,
            place=q.HORIZONTAL,
            below=LABELS,
            priority=9,
        ),
        tip="\"label\" || ': ' || replace(\"kind\", '_', ' ') || ', ' || format_number(\"area_sqft\", 0) || ' sq ft'",
    )


def _impacts(delineation: Delineation) -> LayerStyle:
    causes = ("fill", "drain", "excavate", "temporary")
    return LayerStyle(
        title="Impacts",
        renderer=_hatched(delineation, "impacts", causes, "cause"),
        labeling=q.labels(
            "format_number(\"area_sqft\", 0) || ' sq ft'",
            q.text_style(7, bold=True, halo=0.9),
            place=q.HORIZONTAL,
            below=LABELS,
            priority=9,
        ),
        tip="\"resource_id\" || ': ' || \"cause\" || ', ' || format_number(\"area_sqft\", 0) || ' sq ft'",
    )


def _access(_delineation: Delineation) -> LayerStyle:
    fill = q.simple_fill(None, ACCESS_INK, 0.4, style="dash")
    return LayerStyle(title="Access", renderer=_single("fill", fill), tip='"access_id"')


def _violations(_delineation: Delineation) -> LayerStyle:
    text = q.text_style(7, VIOLATION, bold=True, halo=0.9)
    expression = (
        "replace(\"kind\", '_', ' ') || coalesce('\\n' || format_number(\"measured_ft\", 1) || ' of ' "
        "|| format_number(\"required_ft\", 1) || ' ft', '')"
    )
    return LayerStyle(
        title="Violations",
        renderer=_single("fill", q.simple_fill(VIOLATION_FILL, VIOLATION, 0.6)),
        labeling=q.labels(expression, text, place=q.HORIZONTAL, below=LABELS, priority=10),
        tip="\"resource_id\" || ': ' || replace(\"kind\", '_', ' ') || ', ' || \"citation\"",
    )


def _proposed(_delineation: Delineation) -> LayerStyle:
    outline = q.simple_fill(None, PROPOSED_INK, 0.5, style="dash")
    return LayerStyle(title="Proposed buffer", renderer=_single("fill", outline))


def _edges(delineation: Delineation) -> LayerStyle:
    lines = {
        "upland": ("Upland edge of buffers", q.simple_line(BUFFER_INK, 0.5)),
        "tract": ("Edge along the tract's line", q.simple_line(TRACT_INK, 0.4, (3, 1, 0.6, 1))),
    }
    rows = [(kind, *_labelled(lines, kind)) for kind in _present(delineation, "edges", "kind", tuple(lines))]
    return LayerStyle(
        title="Edges",
        renderer=_categories("kind", rows, "line"),
        below=OVERVIEW,
        tip="\"resource_id\" || ', ' || round(\"length_ft\", 1) || ' ft'",
    )


def _labelled(known: Mapping[str, tuple[str, Element]], kind: str) -> tuple[str, list[Element]]:
    label, layer = known.get(kind, (_words(kind), q.simple_line(TRACT_INK, 0.3)))
    return label, [layer]


def _monuments(delineation: Delineation) -> LayerStyle:
    shapes = {"post": ("Monument, post", "circle", "#ffffff"), "flush": ("Monument, flush", "square", "#ffd54f")}
    rows = []
    for marker in _present(delineation, "monuments", "marker", tuple(shapes)):
        label, shape, color = shapes.get(marker, (f"Monument, {marker}", "triangle", "#ffffff"))
        rows.append((marker, label, [q.simple_marker(shape, color, "#111111", 1.7)]))
    return LayerStyle(
        title="Monuments",
        renderer=_categories("marker", rows, "marker"),
        labeling=q.labels(
            '"monument_id"', q.text_style(6.5, halo=0.7), place=q.AROUND_POINT, below=MONUMENT_LABELS, priority=6
        ),
        below=MONUMENTS,
        tip='"monument_id" || \', \' || "reason"',
    )


def _width_profile(_delineation: Delineation) -> LayerStyle:
    rows = [
        ("narrow", "Narrower than the least width", [q.simple_marker("circle", VIOLATION, "#ffffff", 1.8, 0.15)]),
        ("below", "Narrower than the average required", [q.simple_marker("circle", DOUBTFUL, "#ffffff", 1.4, 0.15)]),
        (
            "wide",
            "At least the average required",
            [q.simple_marker("circle", BUFFERS["lake"][0], "#ffffff", 1.1, 0.15)],
        ),
    ]
    # a width of 37.99 for 38 stands within the tolerance of the drawing
    how = (
        'CASE WHEN "width_ft" < "minimum_allowed_ft" - 0.05 THEN \'narrow\' '
        "WHEN \"width_ft\" < \"required_ft\" - 0.05 THEN 'below' ELSE 'wide' END"
    )
    return LayerStyle(
        title="Width, every 10 ft of the edge",
        renderer=_categories(how, rows, "marker"),
        below=STATIONS,
        tip="\"resource_id\" || ': ' || round(\"width_ft\", 1) || ' ft'",
    )


def _parcels(_delineation: Delineation) -> LayerStyle:
    text = q.text_style(6.5, PARCEL_TEXT, halo=0.5)
    return LayerStyle(
        title="Parcels with buffer",
        renderer=_single("fill", q.simple_fill(None, PARCEL_INK, 0.2, hairline_beyond=OVERVIEW)),
        labeling=q.labels('"parcel_id"', text, place=q.HORIZONTAL, below=PARCEL_LABELS, priority=2),
        tip="\"parcel_id\" || ': ' || format_number(\"buffer_sqft\", 0) || ' sq ft of buffer'",
    )


def _buffer_union(_delineation: Delineation) -> LayerStyle:
    fill = q.simple_fill(f"{BUFFERS['wetland'][1]}80", BUFFER_INK, 0.3)
    return LayerStyle(
        title="All buffers as one", renderer=_single("fill", fill), tip="format_number(\"area_sqft\", 0) || ' sq ft'"
    )


def _flow_paths(_delineation: Delineation) -> LayerStyle:
    return LayerStyle(
        title="Flow paths", renderer=_single("line", q.simple_line(FLOW_INK, 0.3, (2, 1))), tip='"source_id"'
    )


def _plain_table(title: str, tip: str = '"resource_id"') -> Callable[[Delineation], LayerStyle]:
    return lambda _delineation: LayerStyle(title=title, tip=tip)


_STYLES: dict[str, Callable[[Delineation], LayerStyle]] = {
    "resources": _resources,
    "buffers": _buffers,
    "zones": _zones,
    "extensions": _extensions,
    "flow_paths": _flow_paths,
    "edges": _edges,
    "monuments": _monuments,
    "monument_proof": _plain_table("Monuments by lot"),
    "parcels": _parcels,
    "buffer_union": _buffer_union,
    "averaging": _plain_table("Averaging: verdicts"),
    "averaging_areas": _averaging_areas,
    "width_profile": _width_profile,
    "violations": _violations,
    "proposed": _proposed,
    "impacts": _impacts,
    "triggers": _plain_table("Provisions tested", '"reason"'),
    "access": _access,
    "findings": _plain_table("Findings", '"message"'),
    "reasons": _plain_table("Reasons for the widths", '"reason"'),
}
