"""The print layout of buffers.qgz: one 11 x 17 in sheet with map, legend, scale bar, north arrow, title and table."""

from __future__ import annotations

import base64
import itertools
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wetgeo.outputs import qgis_xml as q
from wetgeo.outputs.plain import unit_of
from wetgeo.outputs.qgis_xml import Element
from wetgeo.units import FOOT_M

if TYPE_CHECKING:
    from wetgeo.delineation import Delineation

#: millimetres in an inch
_INCH = 25.4
WIDTH, HEIGHT = 17 * _INCH, 11 * _INCH
#: left, top, width and height of the items, mm
_MAP = (10.0, 10.0, 300.0, HEIGHT - 20.0)
_LEFT, _COLUMN = 316.0, WIDTH - 316.0 - 10.0
#: feet in an inch: engineers' scales, times ten and so on
_SCALES = (10, 20, 30, 40, 50, 60, 100)
#: a table of so many rows goes on on further pages, and stops then
_MOST_ROWS = 400

_PAGE, _MAP_ITEM, _PICTURE, _LABEL, _LEGEND, _SCALE_BAR, _FRAME, _TABLE = (
    65638,
    65639,
    65640,
    65641,
    65642,
    65646,
    65647,
    65649,
)
_RIGHT, _LEFT_ALIGNED, _CENTERED, _TOP, _MIDDLE = 2, 1, 4, 32, 128

_ARROW = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 60" width="40" height="60">
<path d="M20 2 L32 44 L20 36 Z" fill="#000000" stroke="#000000"/>
<path d="M20 2 L8 44 L20 36 Z" fill="#ffffff" stroke="#000000"/>
<path d="M15 58 V48 L25 58 V48" fill="none" stroke="#000000" stroke-width="2.2"/>
</svg>"""

#: columns of the tables: heading, QGIS expression, whether it is a number; the first that a run has is shown
TABLES: dict[str, tuple[tuple[str, str, bool], ...]] = {
    "averaging": (
        ("Resource", '"resource_id"', False),
        ("Required", 'format_number("required_sqft", 0)', True),
        ("Credited", 'format_number("credited_sqft", 0)', True),
        ("Net", 'format_number("net_sqft", 0)', True),
        ("Average", 'format_number("average_ft", 1)', True),
        ("Least", 'format_number("minimum_ft", 2)', True),
        ("Allowed", 'format_number("minimum_allowed_ft", 1)', True),
        ("Verdict", "replace(\"verdict\", '_', ' ')", False),
    ),
    "impacts": (
        ("Resource", '"resource_id"', False),
        ("What", "replace(\"kind\", '_', ' ')", False),
        ("Cause", '"cause"', False),
        ("Disturbed", 'format_number("area_sqft", 1)', True),
        ("Ratio", "coalesce(format_number(\"ratio\", 1), '')", True),
        ("Owed", 'format_number("replacement_sqft", 1)', True),
    ),
    "triggers": (
        ("Provision", '"citation"', False),
        ("Applies", '"applies"', False),
        ("Measured", "coalesce(format_number(\"measured\", 1), '')", True),
        ("Threshold", "coalesce(format_number(\"threshold\", 1), '')", True),
        ("Unit", "coalesce(\"unit\", '')", False),
    ),
    "buffers": (
        ("Resource", '"resource_id"', False),
        ("Class", "coalesce(\"class\", '')", False),
        ("Base, ft", "coalesce(format_number(\"base_ft\", 1), '')", True),
        ("Width, ft", "coalesce(format_number(\"width_ft\", 1), '')", True),
        ("Area, sq ft", 'format_number("area_sqft", 0)', True),
        ("Acres", 'format_number("area_ac", 2)', True),
    ),
}
_TITLES = {
    "averaging": "Buffer averaging: areas in sq ft, widths in ft",
    "impacts": "Impacts and replacement owed, sq ft",
    "triggers": "Provisions tested",
    "buffers": "Required buffers",
}
_SUBJECTS = {
    "run": "Required buffers",
    "check": "Proposed buffer as judged",
    "design": "Averaged buffer as designed",
    "impacts": "Impacts",
    "screen": "Provisions tested",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What the sheet is about.

    Attributes
    ----------
    title, about
        The project's name; rule, date and program.
    bounds
        What the map is to show: left, bottom, right, top, CRS units.
    legend
        Layers in the legend, as elements ``layer-tree-layer``.
    table, table_id, table_source
        The layer that the table lists: its name, id in the project, and source.
    """

    title: str
    about: str
    bounds: tuple[float, float, float, float]
    legend: Sequence[Element]
    table: str
    table_id: str
    table_source: str


@dataclass(slots=True)
class _Items:
    """Makes the sheet's items, each with a place in the stack and an id that depends on nothing else."""

    made: list[Element] = field(default_factory=list)

    def add(self, kind: int, name: str, box: Sequence[float], *children: Element, **attributes: object) -> Element:
        x, y, width, height = box
        key = _key(name)
        item = q.node(
            "LayoutItem",
            *children,
            type=kind,
            id=name,
            uuid=key,
            templateUuid=key,
            position=f"{x:g},{y:g},mm",
            positionOnPage=f"{x:g},{y:g},mm",
            size=f"{width:g},{height:g},mm",
            referencePoint=0,
            itemRotation=0,
            zValue=len(self.made) + 1,
            visibility=1,
            opacity=1,
            blendMode=0,
            excludeFromExports=0,
            outlineWidthM="0.3,mm",
            **{"frame": "false", "background": "false", "positionLock": "false", **attributes},
        )
        self.made.append(item)
        return item

    def text(self, name: str, box: Sequence[float], text: str, size: float, *, bold: bool = False) -> None:
        self.add(
            _LABEL,
            name,
            box,
            q.node("LabelFont", description=_font(size, bold=bold), style=""),
            q.text_style(size, bold=bold),
            labelText=text,
            halign=_LEFT_ALIGNED,
            valign=_TOP,
            marginX=0,
            marginY=0,
            htmlState=0,
        )


def layout(delineation: Delineation, sheet: Sheet) -> Element:
    """Make the element ``Layout``."""
    items = _Items()
    feet, window = _window(delineation, sheet.bounds)
    shown = dict(zip(("xmin", "ymin", "xmax", "ymax"), map(repr, window), strict=True))
    items.add(
        _MAP_ITEM,
        "Map",
        _MAP,
        q.node("Extent", **shown),
        frame="true",
        background="true",
        followPreset="false",
        keepLayerSet="false",
        mapRotation=0,
        mapFlags=0,
        drawCanvasItems="true",
    )
    subject = f"{_SUBJECTS.get(delineation.command, '')}\n1 inch = {feet:,g} feet on 11 x 17 in"
    items.text("Title", (_LEFT, 10, _COLUMN, 14), sheet.title, 15, bold=True)
    items.text("Subject", (_LEFT, 24, _COLUMN, 10), subject, 9)
    items.text("About", (_LEFT, 35, _COLUMN, 14), f"{sheet.about}\nCRS: {delineation.crs.name}", 6.5)
    _legend(items, sheet)
    _scale_bar(items, feet)
    _north(items)
    table = _table(items, sheet, len(delineation.layers[sheet.table]))
    page = _Items().add(_PAGE, "Page", (0, 0, WIDTH, HEIGHT), background="true")
    page.set("zValue", "0")
    return q.node(
        "Layout",
        q.node("PageCollection", page),
        *items.made,
        table,
        name="Sheet 11 x 17",
        units="mm",
        printResolution=300,
    )


def _window(
    delineation: Delineation, bounds: tuple[float, float, float, float]
) -> tuple[float, tuple[float, float, float, float]]:
    """Choose the largest engineers' scale that shows `bounds`; return feet in an inch, and what the map shows then."""
    foot = FOOT_M / unit_of(delineation.crs)[1]  # CRS units in a foot
    inches = _MAP[2] / _INCH, _MAP[3] / _INCH
    left, bottom, right, top = bounds
    needed = max((right - left) / foot / inches[0], (top - bottom) / foot / inches[1])
    feet = next(feet for power in itertools.count() for s in _SCALES if (feet := s * 10**power) >= needed)
    half = [side / 2 * feet * foot for side in inches]
    x, y = (left + right) / 2, (bottom + top) / 2
    return feet, (x - half[0], y - half[1], x + half[0], y + half[1])


def _legend(items: _Items, sheet: Sheet) -> None:
    sizes = {"title": (9, True), "group": (8, True), "subgroup": (7.5, True), "symbol": (7, False)}
    sizes["symbolLabel"] = (7, False)
    margins: dict[str, dict[str, float]] = {
        "subgroup": {"marginTop": 2},
        "symbol": {"marginTop": 0.8},
        "symbolLabel": {"marginLeft": 2},
    }
    styles = [
        q.node(
            "style",
            q.node("styleFont", description=_font(size, bold=bold), style=""),
            q.text_style(size, bold=bold),
            name=name,
            alignment=1,
            indent=0,
            **margins.get(name, {}),
        )
        for name, (size, bold) in sizes.items()
    ]
    items.add(
        _LEGEND,
        "Legend",
        (_LEFT - 2, 50, _COLUMN, 100),
        q.node("styles", *styles),
        q.node("layer-tree-group", *sheet.legend),
        map_uuid=_key("Map"),
        title="",
        columnCount=2,
        splitLayer=0,
        equalColumnWidth=1,
        columnSpace=3,
        boxSpace=2,
        symbolWidth=6,
        symbolHeight=3,
        lineSpacing=1,
        symbolAlignment=1,
        titleAlignment=1,
        wrapChar="",
        fontColor="#000000",
        resizeToContents=1,
        legendFilterByAtlas=0,
    )


def _scale_bar(items: _Items, feet: float) -> None:
    items.add(
        _SCALE_BAR,
        "Scale bar",
        (_LEFT, HEIGHT - 26, 70, 14),
        q.text_style(8),
        q.node("fillSymbol1", q.symbol("fill", q.simple_fill("#000000"), name="")),
        q.node("fillSymbol2", q.symbol("fill", q.simple_fill("#ffffff"), name="")),
        *(
            q.node(tag, q.symbol("line", q.simple_line("#000000", 0.25), name=""))
            for tag in ("lineSymbol", "divisionLineSymbol", "subdivisionLineSymbol")
        ),
        mapUuid=_key("Map"),
        style="Single Box",
        unitType="feet",
        unitLabel="feet",
        numMapUnitsPerScaleBarUnit=1,
        numUnitsPerSegment=feet,
        numSegments=2,
        numSegmentsLeft=0,
        numSubdivisions=1,
        segmentSizeMode=0,
        height=2.5,
        subdivisionsHeight=1.5,
        labelBarSpace=1.5,
        boxContentSpace=0,
        alignment=0,
        minBarWidth=50,
        maxBarWidth=150,
        outlineWidth=0.25,
        labelVerticalPlacement=0,
        labelHorizontalPlacement=0,
    )


def _north(items: _Items) -> None:
    picture = base64.b64encode(_ARROW.encode()).decode()
    items.add(
        _PICTURE,
        "North arrow",
        (WIDTH - 10 - 14, HEIGHT - 32, 14, 21),
        file=f"base64:{picture}",
        mode=0,
        resizeMode=0,
        anchorPoint=4,
        northMode=0,
        northOffset=0,
        pictureRotation=0,
        mapUuid=_key("Map"),
        svgFillColor=q.rgba("#ffffff"),
        svgBorderColor=q.rgba("#000000"),
        svgBorderWidth="0.2",
    )
    items.text("North", (WIDTH - 10 - 28, HEIGHT - 14, 14, 4), "grid north", 6.5)


def _table(items: _Items, sheet: Sheet, rows: int) -> Element:
    """Put the table's frame on the sheet and return the table itself; it goes on on further pages."""
    top = 142.0
    cut = f" (the first {_MOST_ROWS} of {rows:,})" if rows > _MOST_ROWS else ""
    items.text("Table title", (_LEFT, top - 6, _COLUMN, 5), f"{_TITLES[sheet.table]}{cut}", 9, bold=True)
    frame = _key("Table")
    items.add(
        _FRAME,
        "Table",
        (_LEFT, top, _COLUMN, HEIGHT - 34 - top),
        multiFrame=_key("Rows"),
        multiFrameTemplateUuid=_key("Rows"),
        hidePageIfEmpty=0,
        hideBackgroundIfEmpty=0,
    )
    columns = [
        q.node(
            "column",
            q.node("backgroundColor", red=0, green=0, blue=0, alpha=0),
            attribute=expression,
            heading=heading,
            hAlignment=_RIGHT if number else _LEFT_ALIGNED,
            vAlignment=_MIDDLE,
            width=0,
            sortByRank=0,
            sortOrder=0,
        )
        for heading, expression, number in TABLES[sheet.table]
    ]
    return q.node(
        "LayoutMultiFrame",
        q.node("childFrame", uuid=frame, templateUuid=frame),
        q.node("headerTextFormat", q.text_style(6.5, bold=True)),
        q.node("contentTextFormat", q.text_style(6.5)),
        q.node("displayColumns", *columns),
        q.node("sortColumns"),
        q.node("cellStyles", q.node("headerRow", cellBackgroundColor=q.rgba("#e8e8e8"), enabled=1)),
        type=_TABLE,
        uuid=_key("Rows"),
        templateUuid=_key("Rows"),
        source=0,
        vectorLayer=sheet.table_id,
        vectorLayerName=sheet.table,
        vectorLayerSource=sheet.table_source,
        vectorLayerProvider="ogr",
        maxFeatures=_MOST_ROWS,
        resizeMode=1,
        headerMode=1,
        headerHAlignment=0,
        cellMargin=0.8,
        showGrid=1,
        gridStrokeWidth=0.15,
        gridColor=q.rgba("#888888"),
        horizontalGrid=1,
        verticalGrid=0,
        emptyTableMode=0,
        emptyTableMessage="",
        showEmptyRows=0,
        wrapString="",
        wrapBehavior=0,
        filterFeatures="false",
        featureFilter="",
        showOnlyVisibleFeatures=0,
        showUniqueRowsOnly=0,
        filterToAtlasIntersection=0,
        useConditionalStyling=0,
        backgroundColor=q.rgba("#ffffff"),
    )


def _font(size: float, *, bold: bool = False) -> str:
    """A font as Qt writes it."""
    return f"{q.FONTS[0]},{size:g},-1,5,{75 if bold else 50},0,0,0,0,0"


def _key(name: str) -> str:
    return f"{{{uuid.uuid5(uuid.NAMESPACE_OID, f'wetgeo layout {name}')}}}"
