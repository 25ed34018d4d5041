"""What a print layout consists of: items on pages of 11 x 17 in, each with a place, a stack order and an id."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from wetgeo.outputs import qgis_xml as q
from wetgeo.outputs.qgis_xml import Element

#: millimetres in an inch
INCH = 25.4
WIDTH, HEIGHT = 17 * INCH, 11 * INCH
#: between the paper's edge and what stands on it, mm
MARGIN = 10.0
#: between pages, where QGIS lays them below each other, mm
_BETWEEN = 10.0

#: QGIS's numbers for kinds of items, and for how text is set
PAGE, MAP, PICTURE, LABEL, LEGEND, SCALE_BAR, FRAME, TABLE = 65638, 65639, 65640, 65641, 65642, 65646, 65647, 65649
RIGHT_ALIGNED, LEFT_ALIGNED, TOP, MIDDLE = 2, 1, 32, 128


@dataclass(slots=True)
class Items:
    """Makes the sheet's items, each with a place in the stack and an id that depends on nothing else."""

    made: list[Element] = field(default_factory=list)

    def add(
        self, kind: int, name: str, box: Sequence[float], *children: Element, page: int = 0, **attributes: object
    ) -> Element:
        """Add an item at a place on a page: left, top, width and height, mm."""
        x, y, width, height = box
        id_ = key(name)
        item = q.node(
            "LayoutItem",
            *children,
            type=kind,
            id=name,
            uuid=id_,
            templateUuid=id_,
            position=f"{x:g},{y + page * (HEIGHT + _BETWEEN):g},mm",
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

    def text(
        self, name: str, box: Sequence[float], text: str, size: float, *, bold: bool = False, page: int = 0
    ) -> None:
        """Add a text, its size in points."""
        self.add(
            LABEL,
            name,
            box,
            q.node("LabelFont", description=font(size, bold=bold), style=""),
            q.text_style(size, bold=bold),
            labelText=text,
            halign=LEFT_ALIGNED,
            valign=TOP,
            marginX=0,
            marginY=0,
            htmlState=0,
            page=page,
        )


def font(size: float, *, bold: bool = False) -> str:
    """A font as Qt writes it."""
    return f"{q.FONTS[0]},{size:g},-1,5,{75 if bold else 50},0,0,0,0,0"


def key(name: str) -> str:
    """Make an id for a name, the same each time."""
    return f"{{{uuid.uuid5(uuid.NAMESPACE_OID, f'wetgeo layout {name}')}}}"
