"""The print layout of buffers.qgz: one 11 x 17 in sheet with map, legend, scale bar, north arrow, title and table."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wetgeo.outputs import qgis_xml as q
from wetgeo.outputs.plain import unit_of
from wetgeo.outputs.qgis_items import (
    HEIGHT,
    INCH,
    LEGEND,
    MAP,
    MARGIN,
    PAGE,
    PICTURE,
    SCALE_BAR,
    WIDTH,
    Items,
    font,
    key,
)
from wetgeo.outputs.qgis_table import Table, further_pages, put_table
from wetgeo.outputs.qgis_xml import Element
from wetgeo.units import FOOT_M

if TYPE_CHECKING:
    from wetgeo.delineation import Delineation

#: left, top, width and height of the items, mm
_MAP = (MARGIN, MARGIN, 300.0, HEIGHT - 2 * MARGIN)
_LEFT, _COLUMN = 316.0, WIDTH - 316.0 - MARGIN
_TABLE = (_LEFT, 142.0, _COLUMN, HEIGHT - 34.0 - 142.0)
#: feet in an inch: engineers' scales, times ten and so on
_SCALES = (10, 20, 30, 40, 50, 60, 100)

_ARROW = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 60" width="40" height="60">
<path d="M20 2 L32 44 L20 36 Z" fill="#000000" stroke="#000000"/>
<path d="M20 2 L8 44 L20 36 Z" fill="#ffffff" stroke="#000000"/>
<path d="M15 58 V48 L25 58 V48" fill="none" stroke="#000000" stroke-width="2.2"/>
</svg>"""

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
    table
        What the table lists.
    """

    title: str
    about: str
    bounds: tuple[float, float, float, float]
    legend: Sequence[Element]
    table: Table


def layout(delineation: Delineation, sheet: Sheet) -> Element:
    """Make the element ``Layout``."""
    items = Items()
    feet, window = _window(delineation, sheet.bounds)
    shown = dict(zip(("xmin", "ymin", "xmax", "ymax"), map(repr, window), strict=True))
    items.add(
        MAP,
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
    table = put_table(items, sheet.table, _TABLE, sheet.title)
    papers = Items()
    for page in range(1 + further_pages(sheet.table.rows, _TABLE[3])):
        papers.add(PAGE, f"Page {page + 1}", (0, 0, WIDTH, HEIGHT), page=page, background="true").set("zValue", "0")
    return q.node(
        "Layout",
        q.node("PageCollection", *papers.made),
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
    inches = _MAP[2] / INCH, _MAP[3] / INCH
    left, bottom, right, top = bounds
    needed = max((right - left) / foot / inches[0], (top - bottom) / foot / inches[1])
    feet = next(feet for power in itertools.count() for s in _SCALES if (feet := s * 10**power) >= needed)
    half = [side / 2 * feet * foot for side in inches]
    x, y = (left + right) / 2, (bottom + top) / 2
    return feet, (x - half[0], y - half[1], x + half[0], y + half[1])


def _legend(items: Items, sheet: Sheet) -> None:
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
            q.node("styleFont", description=font(size, bold=bold), style=""),
            q.text_style(size, bold=bold),
            name=name,
            alignment=1,
            indent=0,
            **margins.get(name, {}),
        )
        for name, (size, bold) in sizes.items()
    ]
    items.add(
        LEGEND,
        "Legend",
        (_LEFT - 2, 50, _COLUMN, 100),
        q.node("styles", *styles),
        q.node("layer-tree-group", *sheet.legend),
        map_uuid=key("Map"),
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
        legendFilterByMap=1,
    )


def _scale_bar(items: Items, feet: float) -> None:
    items.add(
        SCALE_BAR,
        "Scale bar",
        (_LEFT, HEIGHT - 26, 70, 14),
        q.text_style(8),
        q.node("fillSymbol1", q.symbol("fill", q.simple_fill("#000000"), name="")),
        q.node("fillSymbol2", q.symbol("fill", q.simple_fill("#ffffff"), name="")),
        *(
            q.node(tag, q.symbol("line", q.simple_line("#000000", 0.25), name=""))
            for tag in ("lineSymbol", "divisionLineSymbol", "subdivisionLineSymbol")
        ),
        mapUuid=key("Map"),
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


def _north(items: Items) -> None:
    picture = base64.b64encode(_ARROW.encode()).decode()
    items.add(
        PICTURE,
        "North arrow",
        (WIDTH - 10 - 14, HEIGHT - 32, 14, 21),
        file=f"base64:{picture}",
        mode=0,
        resizeMode=0,
        anchorPoint=4,
        northMode=0,
        northOffset=0,
        pictureRotation=0,
        mapUuid=key("Map"),
        svgFillColor=q.rgba("#ffffff"),
        svgBorderColor=q.rgba("#000000"),
        svgBorderWidth="0.2",
    )
    items.text("North", (WIDTH - 10 - 28, HEIGHT - 14, 14, 4), "grid north", 6.5)
