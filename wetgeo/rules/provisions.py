"""The closed vocabulary of a pack, first part: widths, zones, their extension, averaging and monuments.

Each class is one ``kind`` of provision. None has a default that is a figure: what a rule says stands in its pack.
"""

from __future__ import annotations

import datetime
import functools
import re
from typing import ClassVar, Literal

from pydantic import Field, StrictBool, ValidationInfo, field_validator

from wetgeo.rules.quantities import Entry, Length, Percent, Text
from wetgeo.units import Quantity

Resource = Literal["wetland", "lake", "stream"]
Zone = Literal["streamside", "middle", "outer"]
Trigger = Literal["replacement", "crossing", "stormwater", "new_residence"]
Marker = Literal["post", "flush"]

#: steps of a slope cut at most: more of them is a slip of the decimal point
MOST_STEPS = 1000

_NOT_ALNUM = re.compile(r"[\W_]+")
_WHOLE = re.compile(r"(\d+)\.0+")
_RANGE = re.compile(r"([a-z]+)(\d+)-\1(\d+)")


def normalise(text: object) -> str:
    """Return a class or code as it is compared: without regard to case, blanks and punctuation.

    A whole number that a file stores as a float (``1.0``) is that whole number.
    """
    words = str(int(text)) if isinstance(text, float) and text.is_integer() else str(text).strip()
    return _compact(words)


@functools.lru_cache(maxsize=4096)
def _compact(words: str) -> str:
    whole = _WHOLE.fullmatch(words)
    return whole[1] if whole else _NOT_ALNUM.sub("", words.casefold())


class Provision(Entry):
    """What every provision states: its id, the section as the rule writes it, and what it does.

    ``effective`` is the first and ``until`` the last day on which it applies; left out, it applies whenever the pack
    does. ``repeats`` tells whether several of its kind may apply on one day.
    """

    repeats: ClassVar[bool] = False

    kind: str
    id: Text
    citation: Text
    text: Text
    effective: datetime.date | None = None
    until: datetime.date | None = None
    note: Text | None = None

    def applies_on(self, date: datetime.date | None) -> bool:
        """Whether it applies on a day; on any where no day is given."""
        if date is None:
            return True
        return (self.effective is None or self.effective <= date) and (self.until is None or date <= self.until)


class WidthRow(Entry):
    """The width of one class of one resource; without ``class`` it holds for every resource of the type."""

    resource: Resource
    class_name: Text | None = Field(None, alias="class")
    aliases: tuple[Text, ...] = ()
    base: Length
    floor: Length | None = None
    minimum: Length | None = None
    average: Length | None = None
    citation: Text | None = None
    minimum_citation: Text | None = None

    @property
    def spellings(self) -> frozenset[str]:
        """The normalised spellings by which the row is found."""
        return frozenset(normalise(name) for name in (self.class_name, *self.aliases) if name is not None)


class ClassWidth(Provision):
    """Widths by resource and class. Resources in ``unlisted_none`` get no buffer where no row has their class."""

    repeats: ClassVar[bool] = True
    kind: Literal["class_width"]
    rows: tuple[WidthRow, ...] = Field(min_length=1)
    unlisted_none: tuple[Resource, ...] = ()


class ZoneRow(Entry):
    """One zone of a stream: a width of its own, or as far as the structure setback; and its least averaged width."""

    zone: Zone
    width: Length | Literal["to setback"]
    minimum_share: Percent
    minimum_least: Length | None = None
    citation: Text | None = None


class StreamZones(Provision):
    """The zones of a stream from the bank outwards; ``gdnr`` holds those of a groundwater-dependent stream."""

    kind: Literal["stream_zones"]
    rows: tuple[ZoneRow, ...] = Field(min_length=1)
    gdnr: tuple[ZoneRow, ...] = ()
    gdnr_citation: Text | None = None


class GdnrRow(Entry):
    """The width of a groundwater-dependent resource; ``classes`` narrows the row, without it all classes are meant."""

    resource: Literal["wetland", "lake"]
    classes: tuple[Text, ...] = ()
    width: Length
    minimum: Length
    citation: Text | None = None


class GdnrWidth(Provision):
    """The width of a lake or wetland that is a groundwater-dependent natural resource."""

    kind: Literal["gdnr_width"]
    rows: tuple[GdnrRow, ...] = Field(min_length=1)


class SlopeCut(Provision):
    """``cut`` for each full ``step`` by which the average slope, rounded to ``rounding``, is below ``below``.

    ``coverage_told`` and ``coverage_least``: the share of the buffer that the DEM must cover for the slope to be taken
    without a finding, and for it to be taken at all.
    """

    kind: Literal["slope_cut"]
    below: Percent
    step: Percent
    cut: Length
    rounding: Percent
    coverage_told: Percent
    coverage_least: Percent

    @field_validator("step")
    @classmethod
    def _countable(cls, step: Quantity, info: ValidationInfo) -> Quantity:
        below = info.data.get("below")
        if step.value <= 0 or (below is not None and below.value > MOST_STEPS * step.value):
            raise ValueError(f"'{step}' is no step: it must be over 0 %, and {MOST_STEPS} of them reach below")
        return step

    @field_validator("rounding")
    @classmethod
    def _not_nothing(cls, rounding: Quantity) -> Quantity:
        if rounding.value <= 0:
            raise ValueError(f"'{rounding}' is no rounding: it must be over 0 %")
        return rounding


class SoilCut(Provision):
    """``cut`` for each grade above the first of ``grades``; unknown where more than ``unrated_most`` is unrated."""

    kind: Literal["soil_cut"]
    grades: tuple[Literal["A", "B", "C", "D"], ...] = Field(min_length=2)
    cut: Length
    unrated_most: Percent

    @field_validator("grades")
    @classmethod
    def _all_once(cls, grades: tuple[str, ...]) -> tuple[str, ...]:
        if sorted(grades) != ["A", "B", "C", "D"]:
            raise ValueError("grades must name A, B, C and D, each once: a soil may be of any of them")
        return grades


class NewResidenceWidth(Provision):
    """A share of the distance from a new principal structure, at least ``least`` and at most the table's base."""

    kind: Literal["new_residence_width"]
    trigger: Trigger
    structures: Literal["new_principal"]
    share: Percent
    least: Length
    at_most: Literal["base"]


class SubjectEdge(Provision):
    """For which triggers a buffer is due along the whole edge, and for which only downgradient of a layer."""

    kind: Literal["subject_edge"]
    whole: tuple[Trigger, ...]
    downgradient: tuple[Trigger, ...]
    of: Literal["new_impervious"]

    def is_whole(self, trigger: object) -> bool:
        """Whether the whole edge is subject under a trigger; it is where none is given."""
        return trigger not in self.downgradient


class TractClip(Provision):
    """Buffers end at the land that the applicant controls."""

    kind: Literal["tract_clip"]
    boundary: Literal["tract"]


class Averaging(Provision):
    """What an averaged buffer must keep: its least width and the width up to which area is credited.

    ``minimum_share`` and ``cap_share`` are of the required width (or of the table's base, option ``averaging_base``);
    a row of the width table that states its own minimum goes before both. Without ``cap_share`` all area is credited.
    """

    kind: Literal["averaging"]
    minimum_share: Percent | None = None
    minimum: Length | None = None
    minimum_citation: Text | None = None
    cap_share: Percent | None = None
    cap_citation: Text | None = None
    area_citation: Text | None = None


class Shortfall(Provision):
    """A shortfall in buffer area is stated in square feet, for the authority to decide."""

    kind: Literal["shortfall"]


class VegetatedDistance(Provision):
    """Width is counted over vegetated ground only: surface in ``layers`` does not count.

    A trail up to ``trail_most`` wide may lie in the buffer and counts toward it or not (``trail_counts``); a wider
    one does not count, or is a violation (``wider_trail``).
    """

    kind: Literal["vegetated_distance"]
    layers: tuple[Literal["existing_impervious"], ...] = ()
    trail_most: Length
    trail_counts: StrictBool
    wider_trail: Literal["does not count", "violation"]
    trail_citation: Text | None = None


class CentralWetland(Provision):
    """Only the central wetland, and what is joined to it step by step, gets a buffer."""

    kind: Literal["central_wetland"]
    joined_by: tuple[Literal["touch", "watercourses"], ...] = Field(min_length=1)
    unmarked: Literal["largest"]


class ExistingStructure(Provision):
    """On a parcel whose existing structure stands within the setback: a share of the distance to the nearest such."""

    kind: Literal["existing_structure"]
    structures: Literal["existing_primary"]
    share: Percent


class _Extension(Provision):
    """What lies beyond the plain zone is added to ``buffers`` (whole) and to ``stream_zones`` of streams."""

    buffers: tuple[Resource, ...] = ()
    stream_zones: tuple[Zone, ...] = ()


class NaturalCommunity(_Extension):
    """A mapped natural community that overlaps or borders the zone is added as a whole."""

    kind: Literal["natural_community"]


class SteepSlope(_Extension):
    """A slope is steep where its average over ``run`` exceeds ``over``; the zone then reaches the top of the slope."""

    kind: Literal["steep_slope"]
    over: Percent
    run: Length


class Floodplain(_Extension):
    """The 100-year floodplain: flood zones that count, and those that do not. ``A1-A30`` is a range of codes."""

    kind: Literal["floodplain"]
    zones: tuple[Text, ...] = Field(min_length=1)
    not_zones: tuple[Text, ...] = ()


def zone_codes(codes: tuple[str, ...]) -> frozenset[str]:
    """Return flood zone codes normalised, ranges written out."""
    found: set[str] = set()
    for code in codes:
        span = _RANGE.fullmatch("".join(code.casefold().split()))
        if span is None:
            found.add(normalise(code))
        else:
            found.update(f"{span[1]}{number}" for number in range(int(span[2]), int(span[3]) + 1))
    return frozenset(found)


class Drainageway(Provision):
    """A drainageway that crosses the buffer and goes on outside is added at its own width."""

    kind: Literal["drainageway"]


class BothBuffers(Provision):
    """A lake or wetland within or touching a stream keeps its own buffer beside the stream's."""

    kind: Literal["both_buffers"]
    resources: tuple[Resource, ...] = Field(min_length=1)
    beside: Resource


class Infiltration(Provision):
    """Infiltration features may lie in the buffer, but not within a distance of the resource."""

    kind: Literal["infiltration"]
    not_within: Length


class Monuments(Provision):
    """Monuments along the upland edge.

    ``interval`` is the largest gap along the edge, kept to ``interval_tolerance``; lot lines within ``merge`` of each
    other are one; ``off_edge`` is how far from the edge a staked monument may stand. With ``bends`` the straight line
    between neighbours keeps to the edge within option ``bend_tolerance``.
    """

    kind: Literal["monuments"]
    interval: Length
    interval_tolerance: Length
    lot_lines: StrictBool
    bends: StrictBool
    merge: Length
    off_edge: Length
    marker: Marker
    public_land_marker: Marker


class Declaration(Provision):
    """The buffer is recorded on the title."""

    kind: Literal["declaration"]
