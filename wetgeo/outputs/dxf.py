"""buffers.dxf: everything that was delineated, for a CAD drawing in the working CRS."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import ezdxf
import ezdxf.colors
import numpy as np
import pandas as pd
import shapely
from ezdxf.enums import TextEntityAlignment

from wetgeo.outputs.plain import is_unit, one_line, unit_of
from wetgeo.units import FOOT_M, US_SURVEY_FOOT_M

if TYPE_CHECKING:
    from pathlib import Path

    from ezdxf.document import Drawing
    from ezdxf.layouts import BlockLayout, Modelspace

    from wetgeo.delineation import Delineation

#: the file's name in the output folder
DXF = "buffers.dxf"

#: layers of the drawing: true colour, and the nearest of the numbered colours for programs without true colours
LAYERS: dict[str, tuple[tuple[int, int, int], int]] = {
    "WG-RESOURCES": ((31, 120, 180), 5),
    "WG-RESOURCES-FILL": ((166, 206, 227), 151),
    "WG-BUFFERS": ((51, 160, 44), 3),
    "WG-BUFFERS-FILL": ((178, 223, 138), 81),
    "WG-ZONES-STREAMSIDE": ((27, 158, 119), 114),
    "WG-ZONES-MIDDLE": ((102, 166, 30), 82),
    "WG-ZONES-OUTER": ((166, 118, 29), 42),
    "WG-PROPOSED": ((0, 0, 0), 7),
    "WG-AREAS-REDUCED": ((213, 94, 0), 30),
    "WG-AREAS-ADDED": ((0, 158, 115), 114),
    "WG-AREAS-OVER-CAP": ((204, 121, 167), 231),
    "WG-AREAS-NOT-COUNTED": ((110, 110, 110), 8),
    "WG-VIOLATIONS": ((165, 0, 38), 1),
    "WG-EXTENSIONS": ((255, 127, 0), 30),
    "WG-EDGE-UPLAND": ((227, 26, 28), 1),
    "WG-EDGE-TRACT": ((106, 61, 154), 6),
    "WG-LOT-LINES": ((110, 110, 110), 8),
    "WG-MONUMENTS": ((227, 26, 28), 1),
    "WG-MONUMENTS-TEXT": ((227, 26, 28), 1),
    "WG-TEXT": ((60, 60, 60), 250),
}
#: $INSUNITS by metres in a unit
_INSUNITS = {1.0: 6, FOOT_M: 2, US_SURVEY_FOOT_M: 21}
_UNITLESS = 0
#: the drawing is meant to be plotted at this many feet an inch, with text and symbols of these inches
PLAN_FT = 50.0
TEXT_IN = 0.1
SYMBOL_IN = 0.06
_STYLE = "WG"
_FILL_TRANSPARENCY = 0.6
#: attributes of a monument's block; not shown, for programs such as LibreCAD show none: its id stands beside it as text
_ATTRIBUTES = ("ID", "REASON", "STATION_FT", "ELEVATION_FT", "MARKER", "PARCELS", "BEARING")


def write_dxf(delineation: Delineation, folder: Path) -> None:
    """Write ``buffers.dxf`` into `folder`: AutoCAD 2010 format, coordinates of the working CRS, its unit stated.

    Outlines are closed polylines, one a ring, fills are hatches with their holes on layers of their own; monuments are
    blocks with attributes. Text and symbols have their size on a plan of 1 inch to 50 feet. The same delineation makes
    the same file.

    Parameters
    ----------
    delineation
        With conformed layers.
    folder
        An existing folder.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    with _fixed_dates():
        drawing = _Drawing(delineation)
        drawing.draw()
        drawing.document.saveas(folder / DXF)


@contextmanager
def _fixed_dates() -> Iterator[None]:
    """Let ezdxf write fixed dates and ids: a drawing should differ only where the delineation does."""
    before = ezdxf.options.write_fixed_meta_data_for_testing
    ezdxf.options.write_fixed_meta_data_for_testing = True
    try:
        yield
    finally:
        ezdxf.options.write_fixed_meta_data_for_testing = before


class _Drawing:
    """A drawing of one delineation."""

    def __init__(self, delineation: Delineation) -> None:
        self.layers = delineation.layers
        name, unit_m = unit_of(delineation.crs)
        inch = PLAN_FT * FOOT_M / unit_m
        self.text, self.symbol = TEXT_IN * inch, SYMBOL_IN * inch
        self.document: Drawing = ezdxf.new("R2010", setup=False)
        known = [code for of_m, code in _INSUNITS.items() if is_unit(unit_m, of_m)]
        self.document.header["$INSUNITS"] = known[0] if known else _UNITLESS
        self.document.header["$MEASUREMENT"] = int(is_unit(unit_m, 1.0))
        self.document.header.custom_vars.append("CRS", f"{delineation.crs.name}, {name}")
        self.document.header.custom_vars.append("Rule", f"{delineation.pack.id} {one_line(delineation.pack.title)}")
        self.document.header.custom_vars.append("Project", one_line(delineation.project.name))
        self.document.styles.new(_STYLE, dxfattribs={"font": "arial.ttf"})
        for layer, (rgb, number) in LAYERS.items():
            self.document.layers.add(layer, color=number, true_color=ezdxf.colors.rgb2int(rgb))
        self.space: Modelspace = self.document.modelspace()

    def draw(self) -> None:
        """Draw all layers, those below first."""
        self._polygons(self.layers["buffers"], "WG-BUFFERS", fill=True)
        self._polygons(self.layers["extensions"], "WG-EXTENSIONS")
        zones = self.layers["zones"]
        for zone in ("streamside", "middle", "outer"):
            self._polygons(zones[zones["zone"] == zone], f"WG-ZONES-{zone.upper()}")
        self._polygons(self.layers["resources"], "WG-RESOURCES", fill=True)
        self._polygons(self.layers["parcels"], "WG-LOT-LINES")
        edges = self.layers["edges"]
        for kind in ("upland", "tract"):
            for line in _shapes(edges[edges["kind"] == kind]):
                self._polyline(shapely.get_coordinates(line), f"WG-EDGE-{kind.upper()}", closed=False)
        self._judged()
        self._labels()
        self._monuments()
        self._view()

    def _judged(self) -> None:
        """Draw a buffer that was judged, the areas that averaging counts with their labels, and what falls short."""
        if "proposed" not in self.layers:
            return
        self._polygons(self.layers["proposed"], "WG-PROPOSED")
        areas = self.layers["averaging_areas"]
        for kind in ("reduced", "added", "over_cap", "not_counted"):
            rows = areas[areas["kind"] == kind]
            layer = f"WG-AREAS-{kind.upper().replace('_', '-')}"
            self._polygons(rows, layer)
            for label, shape in zip(rows["label"], _shapes(rows), strict=True):
                self._text(one_line(label), _inside(shape))
        self._polygons(self.layers["violations"], "WG-VIOLATIONS")

    def _polygons(self, frame: pd.DataFrame, layer: str, *, fill: bool = False) -> None:
        for polygon in shapely.get_parts(_shapes(frame)):
            rings = [shapely.get_coordinates(ring)[:-1] for ring in shapely.get_rings(polygon)]
            if fill:
                hatch = self.space.add_hatch(color=ezdxf.const.BYLAYER, dxfattribs={"layer": f"{layer}-FILL"})
                hatch.transparency = _FILL_TRANSPARENCY
                for number, ring in enumerate(rings):
                    flags = ezdxf.const.BOUNDARY_PATH_OUTERMOST if number else ezdxf.const.BOUNDARY_PATH_EXTERNAL
                    hatch.paths.add_polyline_path(ring.tolist(), is_closed=True, flags=flags)
            for ring in rings:
                self._polyline(ring, layer, closed=True)

    def _polyline(self, xy: Any, layer: str, *, closed: bool) -> None:  # noqa: ANN401 -- an array of vertices
        self.space.add_lwpolyline(xy.tolist(), format="xy", close=closed, dxfattribs={"layer": layer})

    def _labels(self) -> None:
        """Write names inside resources and parcels, which may share that place, and widths inside buffers."""
        for frame, fields, lines in (
            (self.layers["resources"], ["resource_id", "class"], 0.75),
            (self.layers["parcels"], ["parcel_id"], -0.75),
        ):
            known = [[one_line(value) for value in row if not pd.isna(value)] for row in frame[fields].to_numpy()]
            for shape, parts in zip(_shapes(frame), known, strict=True):
                x, y = _inside(shape)
                self._text(" ".join(parts), (x, y + lines * self.text))
        buffers = self.layers["buffers"]
        for shape, width in zip(_shapes(buffers), buffers["width_ft"], strict=True):
            if shape is not None and not pd.isna(width):
                self._text(f"{width:g} ft", _inside(shape))

    def _text(self, text: str, place: tuple[float, float], layer: str = "WG-TEXT") -> None:
        entity = self.space.add_text(_escaped(text), height=self.text, dxfattribs={"layer": layer, "style": _STYLE})
        beside = layer != "WG-TEXT"
        entity.set_placement(place, align=TextEntityAlignment.LEFT if beside else TextEntityAlignment.MIDDLE_CENTER)

    def _monuments(self) -> None:
        monuments = self.layers["monuments"]
        blocks = {marker: self._block(marker) for marker in sorted(set(monuments["marker"].dropna()))}
        for row in monuments.drop(columns="geometry", errors="ignore").to_dict("records"):
            insert = self.space.add_blockref(
                blocks[row["marker"]].name, (row["x"], row["y"]), dxfattribs={"layer": "WG-MONUMENTS"}
            )
            beside = (row["x"] + 1.5 * self.symbol, row["y"] + 0.5 * self.symbol)
            self._text(one_line(row["monument_id"]), beside, "WG-MONUMENTS-TEXT")
            values = {
                "ID": row["monument_id"],
                "REASON": row["reason"],
                "STATION_FT": _number(row["station_ft"]),
                "ELEVATION_FT": _number(row["elev_ft"]),
                "MARKER": row["marker"],
                "PARCELS": row["parcel_ids"],
                "BEARING": row["bearing"],
            }
            insert.add_auto_attribs({tag: _escaped(_known(value)) for tag, value in values.items()})

    def _block(self, marker: str) -> BlockLayout:
        """Make the block of a kind of marker: a circle for all, with a cross in that of a flush one."""
        block = self.document.blocks.new(f"WG-MONUMENT-{marker.upper()}")
        on = {"layer": "WG-MONUMENTS"}
        size = self.symbol
        block.add_circle((0, 0), size, dxfattribs=on)
        if marker == "flush":
            block.add_line((-size, 0), (size, 0), dxfattribs=on)
            block.add_line((0, -size), (0, size), dxfattribs=on)
        else:
            block.add_point((0, 0), dxfattribs=on)
        for tag in _ATTRIBUTES:
            style = {**on, "style": _STYLE}
            attribute = block.add_attdef(tag, (1.5 * size, 0.5 * size), height=self.text, dxfattribs=style)
            attribute.is_invisible = True
        return block

    def _view(self) -> None:
        """Let the drawing open on the whole of it."""
        shapes = [shape for name in ("buffers", "resources", "parcels") for shape in _shapes(self.layers[name])]
        if shapes:
            west, south, east, north = shapely.total_bounds(shapes).tolist()
            self.document.header["$EXTMIN"], self.document.header["$EXTMAX"] = (west, south, 0), (east, north, 0)
            self.document.set_modelspace_vport(
                max(north - south, east - west) * 1.1, ((west + east) / 2, (south + north) / 2)
            )


def _shapes(frame: pd.DataFrame) -> Any:  # noqa: ANN401 -- an array of geometries
    return np.array(list(frame["geometry"]) if len(frame) else [], dtype=object)


def _inside(shape: Any) -> tuple[float, float]:  # noqa: ANN401 -- any shapely geometry
    x, y = shapely.get_coordinates(shapely.point_on_surface(shape))[0].tolist()
    return x, y


def _number(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.2f}"


def _known(value: Any) -> str:  # noqa: ANN401 -- a cell of a frame
    return "" if value is None or pd.isna(value) else one_line(value)


def _escaped(text: str) -> str:
    """Write text so that no sign in it commands: DXF takes %% and ^ for the start of a special character."""
    return text.replace("^", "^ ").replace("%%", "%%%%%%")
