"""The table on the sheet: the first of those that a run has, going on on further pages, three columns on each."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wetgeo.outputs import qgis_xml as q
from wetgeo.outputs.qgis_items import (
    FRAME,
    HEIGHT,
    LEFT_ALIGNED,
    MARGIN,
    MIDDLE,
    RIGHT_ALIGNED,
    TABLE,
    WIDTH,
    Items,
    key,
)
from wetgeo.outputs.qgis_xml import Element

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
        ("Section", '"citation"', False),
        ("Provision", "replace(replace(\"provision\", 'trigger-', ''), '-', ' ')", False),
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
TITLES = {
    "averaging": "Buffer averaging: areas in sq ft, widths in ft",
    "impacts": "Impacts and replacement owed, sq ft",
    "triggers": "Provisions tested",
    "buffers": "Required buffers",
}

#: a table of so many rows stops
_MOST_ROWS = 2000
#: a row takes no more than so much, whatever the font, mm
_ROW = 4.4
#: on further pages: columns of frames beside each other, and below their top stands a title
_ACROSS, _TITLE = 3, 8.0

_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A layer as a table.

    Attributes
    ----------
    name, id, source
        The layer's name, a key of `TABLES`; its id in the project, and its source.
    rows
        How many rows it has.
    """

    name: str
    id: str
    source: str
    rows: int

    @property
    def title(self) -> str:
        """What stands above it."""
        cut = f" (the first {_MOST_ROWS:,} of {self.rows:,})" if self.rows > _MOST_ROWS else ""
        return f"{TITLES[self.name]}{cut}"


def further_pages(rows: int, height: float) -> int:
    """Count the pages that a table may go on on, after a frame of so many mm; headings stand on each frame."""
    left = min(rows, _MOST_ROWS) - _rows_in(height)
    return max(0, math.ceil(left / (_ACROSS * _rows_in(_further_frames()[0][3]))))


def _rows_in(height: float) -> int:
    return int(height / _ROW) - 1


def _further_frames() -> list[_Box]:
    """Frames on a further page, from left to right, mm."""
    top, width = MARGIN + _TITLE, (WIDTH - 2 * MARGIN) / _ACROSS
    return [(MARGIN + i * width, top, width - MARGIN / 2, HEIGHT - MARGIN - top) for i in range(_ACROSS)]


def put_table(items: Items, table: Table, box: _Box, heading: str) -> Element:
    """Put a table's frames on the sheet, and return the table itself.

    Parameters
    ----------
    items
        Of the sheet; changed.
    table
        What is listed.
    box
        Place of the first frame, mm; the title stands above.
    heading
        What further pages are titled with, besides the table's title.
    """
    left, top, width, height = box
    items.text("Table title", (left, top - 6, width, 5), table.title, 9, bold=True)
    frames = [(box, 0)]
    for page in range(1, further_pages(table.rows, height) + 1):
        frames += [(each, page) for each in _further_frames()]
        text = f"{heading}: {table.title}, continued"
        items.text(f"Title {page + 1}", (MARGIN, MARGIN, WIDTH - 2 * MARGIN, 6), text, 9, bold=True, page=page)
    children = []
    for number, (each, page) in enumerate(frames):
        frame = items.add(
            FRAME,
            f"Table {number + 1}" if number else "Table",
            each,
            multiFrame=key("Rows"),
            multiFrameTemplateUuid=key("Rows"),
            hidePageIfEmpty=page > 0 and each[0] == MARGIN,  # where the first is empty, so are the others
            hideBackgroundIfEmpty=1,
            page=page,
        )
        children.append(q.node("childFrame", uuid=frame.get("uuid"), templateUuid=frame.get("uuid")))
    return _rows(table, children)


def _rows(table: Table, children: list[Element]) -> Element:
    columns = [
        q.node(
            "column",
            q.node("backgroundColor", red=0, green=0, blue=0, alpha=0),
            attribute=expression,
            heading=heading,
            hAlignment=RIGHT_ALIGNED if number else LEFT_ALIGNED,
            vAlignment=MIDDLE,
            width=0,
            sortByRank=0,
            sortOrder=0,
        )
        for heading, expression, number in TABLES[table.name]
    ]
    return q.node(
        "LayoutMultiFrame",
        *children,
        q.node("headerTextFormat", q.text_style(6.5, bold=True)),
        q.node("contentTextFormat", q.text_style(6.5)),
        q.node("displayColumns", *columns),
        q.node("sortColumns"),
        q.node("cellStyles", q.node("headerRow", cellBackgroundColor=q.rgba("#e8e8e8"), enabled=1)),
        type=TABLE,
        uuid=key("Rows"),
        templateUuid=key("Rows"),
        source=0,
        vectorLayer=table.id,
        vectorLayerName=table.name,
        vectorLayerSource=table.source,
        vectorLayerProvider="ogr",
        maxFeatures=_MOST_ROWS,
        resizeMode=0,
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
