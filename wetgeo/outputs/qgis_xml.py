"""XML as QGIS 3.22 and newer read it: symbols, text, labels and coordinate systems. Colours are ``#rrggbb[aa]``."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from pyproj import CRS

Element = ET.Element

#: the version that files state: newer ones read them, and it does not warn that they come from a newer one
VERSION = "3.22.0-wetgeo"

#: the first that a machine has is taken; QGIS tells the user where none is there
FONTS = ("Open Sans", "Noto Sans", "Arial", "Helvetica", "DejaVu Sans", "Liberation Sans", "DejaVu LGC Sans")

#: width of a hairline, mm
_HAIRLINE = 0.1

#: QGIS's numbers for where labels may stand
AROUND_POINT, OVER_POINT, ALONG_LINE, HORIZONTAL, FREE = "6", "1", "2", "4", "5"


def node(tag: str, *children: Element, text: object = None, **attributes: object) -> Element:
    """Make an element. Attributes are written as text, true and false as 1 and 0, None not at all."""
    made = ET.Element(tag, {name: _plain(value) for name, value in attributes.items() if value is not None})
    made.extend(children)
    made.text = None if text is None else clean(str(text))
    return made


def clean(text: str) -> str:
    """Leave out the characters that XML cannot hold."""
    return "".join(c for c in text if c in "\t\n" or " " <= c < "\ud800" or "\udfff" < c < "\ufffe" or c > "\uffff")


def texts(values: Mapping[str, str]) -> list[Element]:
    """One element with text for each item."""
    return [node(tag, text=text) for tag, text in values.items()]


def write(root: Element, doctype: str = "") -> str:
    """Write a tree as text, indented."""
    ET.indent(root, " ")
    return f"{doctype}{ET.tostring(root, encoding='unicode')}\n"


def rgba(color: str) -> str:
    """Write ``#rrggbb`` or ``#rrggbbaa`` as QGIS does: r,g,b,a."""
    return ",".join(str(part) for part in bytes.fromhex(color[1:].ljust(8, "f")))


def options(values: Mapping[str, object]) -> Element:
    """A map of options, as properties of symbol layers are stored."""
    rows = [node("Option", type="QString", name=name, value=value) for name, value in values.items()]
    return node("Option", *rows, type="Map")


def symbol(kind: str, *layers: Element, name: str = "0", opacity: float = 1.0) -> Element:
    """A symbol of kind fill, line or marker; its first layer lies lowest. `opacity` is 0 to 1."""
    return node("symbol", *layers, name=name, type=kind, alpha=f"{opacity:g}", clip_to_extent=1, force_rhr=0)


def _by_expression(name: str, expression: str) -> Element:
    """Let an expression decide one property of a symbol layer."""
    value = node(
        "Option",
        node("Option", name="active", type="bool", value="true"),
        node("Option", name="expression", type="QString", value=expression),
        node("Option", name="type", type="int", value=3),
        name=name,
        type="Map",
    )
    return node(
        "data_defined_properties",
        node(
            "Option",
            node("Option", name="name", type="QString", value=""),
            node("Option", value, name="properties", type="Map"),
            node("Option", name="type", type="QString", value="collection"),
            type="Map",
        ),
    )


def _symbol_layer(kind: str, values: Mapping[str, object], *children: Element) -> Element:
    return node("layer", options(values), *children, **{"class": kind}, enabled=1, locked=0, **{"pass": 0})


def simple_fill(
    fill: str | None,
    outline: str | None = None,
    width: float = 0.26,
    *,
    style: str = "solid",
    hairline_beyond: int | None = None,
) -> Element:
    """A layer of a fill symbol: ground and outline, None for none; width in mm.

    At scales smaller than 1:`hairline_beyond`, the outline is a hairline, lest it hide the ground.
    """
    thin = f"if(@map_scale > {hairline_beyond}, {_HAIRLINE}, {width:g})"
    return _symbol_layer(
        "SimpleFill",
        {
            "color": rgba(fill or "#00000000"),
            "style": "solid" if fill else "no",
            "outline_color": rgba(outline or "#00000000"),
            "outline_style": style if outline else "no",
            "outline_width": width,
            "outline_width_unit": "MM",
            "joinstyle": "round",
        },
        *([] if hairline_beyond is None else [_by_expression("outlineWidth", thin)]),
    )


def hatch(color: str, *, angle: float, distance: float = 2.2, width: float = 0.25) -> Element:
    """A layer of a fill symbol: parallel lines at an angle (degrees against the clock), `distance` mm apart."""
    line = symbol("line", simple_line(color, width), name="@0@0")
    values = {"angle": angle, "distance": distance, "distance_unit": "MM", "color": rgba(color), "line_width": width}
    return _symbol_layer("LinePatternFill", values, line)


def dots(color: str, *, distance: float = 2.2, size: float = 0.8) -> Element:
    """A layer of a fill symbol: staggered dots, `distance` mm apart."""
    marker = symbol("marker", simple_marker("circle", color, None, size), name="@0@0")
    values = {f"distance_{axis}": distance for axis in "xy"} | {f"distance_{axis}_unit": "MM" for axis in "xy"}
    values |= {"displacement_x": distance / 2, "displacement_x_unit": "MM"}
    return _symbol_layer("PointPatternFill", values, marker)


def simple_line(color: str, width: float, dash: Sequence[float] = ()) -> Element:
    """A layer of a line symbol; width and dashes in mm."""
    return _symbol_layer(
        "SimpleLine",
        {
            "line_color": rgba(color),
            "line_style": "solid",
            "line_width": width,
            "line_width_unit": "MM",
            "capstyle": "flat" if dash else "round",
            "joinstyle": "round",
            "use_custom_dash": bool(dash),
            "customdash": ";".join(f"{part:g}" for part in dash) or "5;2",
            "customdash_unit": "MM",
        },
    )


def simple_marker(shape: str, fill: str, outline: str | None, size: float, width: float = 0.3) -> Element:
    """A layer of a marker symbol: circle, square, triangle, ...; size and outline width in mm."""
    return _symbol_layer(
        "SimpleMarker",
        {
            "name": shape,
            "color": rgba(fill),
            "outline_color": rgba(outline or "#00000000"),
            "outline_style": "solid" if outline else "no",
            "outline_width": width,
            "outline_width_unit": "MM",
            "size": size,
            "size_unit": "MM",
            "scale_method": "diameter",
        },
    )


def text_style(
    size: float, color: str = "#000000", *, bold: bool = False, italic: bool = False, halo: float = 0.0, **more: object
) -> Element:
    """A text format: size in points, a white halo around the letters in mm."""
    return node(
        "text-style",
        node("families", *(node("family", name=name) for name in FONTS)),
        node(
            "text-buffer",
            bufferDraw=halo > 0,
            bufferSize=halo,
            bufferSizeUnits="MM",
            bufferColor=rgba("#ffffff"),
            bufferOpacity="0.85",
            bufferNoFill=1,
            bufferJoinStyle=128,
            bufferBlendMode=0,
        ),
        fontFamily=FONTS[0],
        fontSize=size,
        fontSizeUnit="Point",
        fontWeight=75 if bold else 50,
        fontItalic=italic,
        namedStyle="",
        textColor=rgba(color),
        textOpacity=1,
        textOrientation="horizontal",
        multilineHeight="0.9",
        blendMode=0,
        **more,
    )


def labels(
    expression: str,
    style: Element,
    *,
    place: str,
    below: int | None = None,
    priority: int = 5,
    within: str | None = None,
) -> Element:
    """Labels of a layer.

    Parameters
    ----------
    expression
        What they say, as a QGIS expression.
    style
        From `text_style`; changed.
    place
        One of the numbers above.
    below
        They show at scales larger than 1:`below` only.
    priority
        0 to 10: which labels give way where there is not room for all.
    within
        An expression that gives the polygon to label instead of the feature's own.
    """
    style.set("fieldName", expression)
    style.set("isExpression", "1")
    settings = node(
        "settings",
        style,
        node("text-format", multilineAlign=1, wrapChar="", autoWrapLength=0),
        node(
            "placement",
            placement=place,
            priority=priority,
            dist="0.8" if place == AROUND_POINT else "0",
            distUnits="MM",
            # on the line itself or above it; for polygons, inside and not across the outline where there is room
            placementFlags=9 if place == ALONG_LINE else 10,
            polygonPlacementFlags=2,
            predefinedPositionOrder="TR,TL,BR,BL,R,L,TSR,BSR",
            quadOffset=4,
            offsetUnits="MM",
            repeatDistance=0,
            repeatDistanceUnits="MM",
            geometryGeneratorEnabled=within is not None,
            geometryGenerator=within,
            geometryGeneratorType=None if within is None else "PolygonGeometry",
        ),
        node(
            "rendering",
            drawLabels=1,
            scaleVisibility=below is not None,
            scaleMin=0,
            scaleMax=below or 0,
            obstacle=1,
            obstacleFactor=1,
            obstacleType=1,
            displayAll=0,
            mergeLines=0,
            fontMinPixelSize=0,
            fontMaxPixelSize=10000,
            limitNumLabels=0,
            maxNumLabels=2000,
        ),
        calloutType="simple",
    )
    return node("labeling", settings, type="simple")


def spatial_reference(crs: CRS | None) -> Element:
    """The whole description of a CRS, so that QGIS asks nobody; None for a table."""
    if crs is None:
        return node("spatialrefsys", *texts({"wkt": "", "proj4": "", "srsid": "0", "srid": "0", "authid": ""}))
    known = crs.to_authority(min_confidence=100)
    operation = crs.coordinate_operation
    return node(
        "spatialrefsys",
        *texts(
            {
                "wkt": crs.to_wkt("WKT2_2019"),
                "proj4": _proj4(crs),
                "srsid": "0",
                "srid": known[1] if known and known[1].isdecimal() else "0",
                "authid": ":".join(known) if known else "",
                "description": crs.name,
                "projectionacronym": _acronym(crs) if operation else "",
                "ellipsoidacronym": "",
                "geographicflag": "true" if crs.is_geographic else "false",
            }
        ),
    )


def extent(tag: str, bounds: Iterable[float]) -> Element:
    """An extent with an element for each side; bounds are left, bottom, right, top."""
    return node(tag, *texts({name: repr(float(value)) for name, value in zip(_SIDES, bounds, strict=True)}))


_SIDES = ("xmin", "ymin", "xmax", "ymax")


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:g}" if isinstance(value, float) else clean(str(value))


def _proj4(crs: CRS) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that the WKT says more, which stands beside it
        return str(crs.to_proj4())


def _acronym(crs: CRS) -> str:
    return next((part[6:] for part in _proj4(crs).split() if part.startswith("+proj=")), "")
