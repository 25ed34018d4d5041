"""Worked examples that a pack carries, each a table ``[[example]]``; `examples.run_examples` reckons them anew."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool

from wetgeo.rules.provisions import Resource
from wetgeo.rules.quantities import Area, Entry, Length, Measure, Percent, Ratio, Text
from wetgeo.rules.soils import HydrologicGroup


class _Example(Entry):
    about: Text
    citation: Text | None = None


class WidthExample(_Example):
    """The width of one resource; what is left out of the expectation is not asked."""

    kind: Literal["width"]
    resource: Resource
    class_name: Text | None = Field(None, alias="class")
    gdnr: StrictBool = False
    slope: Percent | None = None
    hsg: Text | None = None
    setback: Length | None = None
    new_structure: Length | None = None
    options: dict[Text, Text] = Field(default_factory=dict)
    width: Length
    base: Length | None = None
    slope_cut: Length | None = None
    soil_cut: Length | None = None
    floor: Length | None = None
    minimum: Length | None = None
    average: Length | None = None
    cap: Length | None = None
    zones: dict[Text, Length] | None = None
    zone_minima: dict[Text, Length] | None = None
    cites: Text | None = None


class StructureExample(_Example):
    """The width on a parcel whose existing primary structure stands at a distance."""

    kind: Literal["existing_structure"]
    distance: Length
    width: Length


class ReplacementExample(_Example):
    """What is owed for an impact on wetland of a class, or on upland buffer (``of = "buffer"``)."""

    kind: Literal["replacement"]
    of: Literal["wetland", "buffer"] = "wetland"
    class_name: Text | None = Field(None, alias="class")
    cause: Literal["fill", "drain", "excavate", "temporary"]
    area: Area
    ratio: Ratio | Literal["none"]
    replacement: Area


class DeMinimisExample(_Example):
    """Whether impacts on a class, added up, are exempt."""

    kind: Literal["de_minimis"]
    class_name: Text | None = Field(None, alias="class")
    areas: tuple[Area, ...] = Field(min_length=1)
    options: dict[Text, Text] = Field(default_factory=dict)
    exempt: StrictBool


class TriggerExample(_Example):
    """Whether a trigger applies, given one measured value for each of its conditions (``"unknown"``: not measured).

    ``applying`` names the other provisions that apply; those that are not named do not.
    """

    kind: Literal["permit_trigger"]
    provision: Text
    measured: tuple[Measure | Literal["unknown"], ...] = ()
    site: Area | None = None
    applying: tuple[Text, ...] = ()
    applies: Literal["yes", "no", "undecided"]


class CategoryExample(_Example):
    """The category of a wetland with some ratings."""

    kind: Literal["management_category"]
    ratings: dict[Text, Text]
    category: Text | Literal["undecided"]


class FloodZoneExample(_Example):
    """Whether a flood zone is the 100-year floodplain."""

    kind: Literal["floodplain"]
    zone: Text
    counts: Literal["yes", "no", "unknown"]


class CommunityExample(_Example):
    """Whether a community of a rank is protected."""

    kind: Literal["community_protection"]
    rank: Text
    protected: Literal["yes", "no", "unknown"]


class AccessExample(_Example):
    """The widest access on a lot."""

    kind: Literal["access"]
    lot_width: Length | None = None
    most: Length


class TrailExample(_Example):
    """How a trail in the buffer counts."""

    kind: Literal["vegetated_distance"]
    trail: Length
    counts: Literal["counts", "does not count", "violation"]


class SteepExample(_Example):
    """Whether a run that gains some height is steep."""

    kind: Literal["steep_slope"]
    gain: Length
    steep: StrictBool


class InfiltrationExample(_Example):
    """Whether an infiltration feature may lie at a distance."""

    kind: Literal["infiltration"]
    distance: Length
    allowed: StrictBool


class MonumentExample(_Example):
    """Into how many gaps a stretch of edge between two fixed points is divided."""

    kind: Literal["monuments"]
    stretch: Length
    gaps: int


class SoilExample(_Example):
    """The predominant hydrologic soil group of a buffer, by areas; ``unrated`` is what no group has."""

    kind: Literal["soil_cut"]
    areas: dict[HydrologicGroup, Area]
    unrated: Area | None = None
    dual: Literal["undrained", "drained"] = "undrained"
    group: Text | Literal["unknown"]


Example = Annotated[
    WidthExample
    | StructureExample
    | ReplacementExample
    | DeMinimisExample
    | TriggerExample
    | CategoryExample
    | FloodZoneExample
    | CommunityExample
    | AccessExample
    | TrailExample
    | SteepExample
    | InfiltrationExample
    | MonumentExample
    | SoilExample,
    Field(discriminator="kind"),
]
