"""How things look on a plan sheet.

They are told apart by hatch, dash and tone too, so that a sheet holds in grey and for colour-blind eyes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wetgeo.outputs.sheet_paper import Ink

#: hues of Okabe and Ito, which colour-blind eyes tell apart
BLUE, SKY, GREEN, ORANGE, RED, PURPLE = "#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7"
GREY, BLACK = "#6b6b6b", "#000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a kind of thing is drawn and what the legend calls it."""

    ink: Ink
    name: str
    swatch: Literal["ground", "line", "post", "flush", "path"] = "ground"


RESOURCES = {
    "wetland": Style(ink=Ink(line=BLUE, width=1.0, fill="#d3e8f5"), name="Wetland, delineated edge"),
    "lake": Style(ink=Ink(line=BLUE, width=1.0, fill="#9fcbe6"), name="Lake, ordinary high-water level"),
    "stream": Style(ink=Ink(line=BLUE, width=0.8, fill="#6eb1da"), name="Stream, top of bank"),
}
BUFFER = Style(ink=Ink(fill="#e3efd3"), name="Required buffer")
REQUIRED = Style(ink=Ink(line=BLACK, width=1.1, dash=(6, 2.5)), name="Required buffer edge", swatch="line")
PROPOSED = Style(ink=Ink(line=BLACK, width=1.7), name="Proposed buffer edge", swatch="line")
TRACT = Style(
    ink=Ink(line=PURPLE, width=1.6, dash=(9, 2, 2, 2, 2, 2)), name="Buffer edge on the tract line", swatch="line"
)
LOTS = Style(ink=Ink(line=GREY, width=0.7, dash=(12, 2.5, 3, 2.5)), name="Lot line, parcel number", swatch="line")
FLOW = Style(
    ink=Ink(line=BLUE, width=0.7, dash=(1.5, 1.5)), name="Path of water from new impervious surface", swatch="line"
)
ZONES = {
    "streamside": Style(
        ink=Ink(line=GREEN, width=0.8, dash=(4, 1.5)), name="Edge of the streamside zone", swatch="line"
    ),
    "middle": Style(
        ink=Ink(line=GREEN, width=0.8, dash=(4, 1.5, 1, 1.5)), name="Edge of the middle zone", swatch="line"
    ),
    "outer": Style(ink=Ink(line=GREEN, width=0.8, dash=(1, 1.5)), name="Edge of the outer zone", swatch="line"),
}
EXTENSIONS = {
    "steep_slope": Style(ink=Ink(hatch="///", hatch_color="#b08968"), name="Extension: steep slope"),
    "floodplain": Style(ink=Ink(hatch="---", hatch_color=SKY), name="Extension: floodplain"),
    "natural_community": Style(ink=Ink(hatch="..", hatch_color=GREEN), name="Extension: natural community"),
    "drainageway": Style(ink=Ink(hatch="|||", hatch_color=BLUE), name="Extension: drainageway"),
}
AREAS = {
    "reduced": Style(ink=Ink(hatch="////", hatch_color=RED, line=RED, width=0.5), name="R: buffer reduced"),
    "added": Style(ink=Ink(hatch="\\\\\\\\", hatch_color=GREEN, line=GREEN, width=0.5), name="A: buffer added"),
    "over_cap": Style(
        ink=Ink(hatch="xxx", hatch_color=PURPLE, line=PURPLE, width=0.5), name="X: beyond the cap, not credited"
    ),
    "not_counted": Style(
        ink=Ink(hatch="...", hatch_color=GREY, line=GREY, width=0.5), name="T: does not count as buffer"
    ),
}
IMPACTS = {
    "wetland": Style(ink=Ink(hatch="xxxx", hatch_color=RED, line=RED, width=0.7), name="Wetland disturbed"),
    "buffer": Style(ink=Ink(hatch="xx", hatch_color=ORANGE, line=ORANGE, width=0.7), name="Buffer disturbed"),
    "natural_community": Style(
        ink=Ink(hatch="xx", hatch_color=PURPLE, line=PURPLE, width=0.7), name="Natural community disturbed"
    ),
}
DISTURBANCE = Style(ink=Ink(line=BLACK, width=0.8, dash=(2, 1.5), fill="#f4cfa3", alpha=0.55), name="Ground disturbed")
ACCESS = Style(ink=Ink(line="#8a5a00", width=0.6, fill="#f3dfb5"), name="Access")
VIOLATION = Style(ink=Ink(line="#a50026", width=1.4, fill="#fddbc7", alpha=0.75), name="Falls short of the rule")
MONUMENTS = {
    "post": Style(ink=Ink(line="#ffffff", width=0.4, fill=BLACK), name="Monument, post", swatch="post"),
    "flush": Style(
        ink=Ink(line=BLACK, width=0.9, fill="#ffffff"), name="Monument, flush with the ground", swatch="flush"
    ),
}
DIMENSION = Style(ink=Ink(line="#a50026", width=0.9), name="")
