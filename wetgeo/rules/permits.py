"""The closed vocabulary of a pack, second part: replacement, permit triggers, access, strips and categories."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, StrictBool, model_validator

from wetgeo.rules.provisions import Provision, Resource
from wetgeo.rules.quantities import Area, Entry, Length, Measure, Percent, Ratio, Text

Cause = Literal["fill", "drain", "excavate", "temporary"]
Measured = Literal[
    "wetland_disturbed",
    "wetland_excavated",
    "disturbance",
    "new_impervious",
    "existing_impervious_disturbed",
    "new_principal_structures",
    "lots",
]


class ReplacementRow(Entry):
    """The ratio of replacement to impact for some classes; without ``classes`` for all."""

    classes: tuple[Text, ...] = ()
    ratio: Ratio
    citation: Text | None = None


class Replacement(Provision):
    """Wetland lost for one of ``causes`` is replaced by class; upland buffer lost with it by ``buffer_ratio``."""

    kind: Literal["replacement"]
    causes: tuple[Cause, ...] = Field(min_length=1)
    rows: tuple[ReplacementRow, ...] = Field(min_length=1)
    buffer_ratio: Ratio | None = None
    buffer_citation: Text | None = None


class DeMinimisRow(Entry):
    """The area up to which an impact on some classes is exempt."""

    classes: tuple[Text, ...] = Field(min_length=1)
    area: Area


class DeMinimis(Provision):
    """Impacts exempt by their size, added up over the project; other classes by option ``de_minimis_sqft``."""

    kind: Literal["de_minimis"]
    rows: tuple[DeMinimisRow, ...] = ()


class CommunityProtection(Provision):
    """Wetland plant communities of rank ``protected`` or better may not be disturbed; ``ranks``: from best to worst."""

    kind: Literal["community_protection"]
    ranks: tuple[Text, ...] = Field(min_length=2)
    protected: Text

    @model_validator(mode="after")
    def _known_rank(self) -> CommunityProtection:
        if self.protected not in self.ranks:
            raise ValueError(f"protected = {self.protected!r} is not among ranks: {', '.join(self.ranks)}")
        return self


class Access(Provision):
    """What access through the buffer may take: a corridor, by its width and its share of the lot's, or a surface."""

    kind: Literal["access"]
    corridor_most: Length | None = None
    lot_share: Percent | None = None
    surface_most: Length | None = None
    counts_as_buffer: StrictBool


class AgriculturalStrip(Provision):
    """The strip that agriculture keeps: ``least``, or ``setback_share`` of the structure setback where that is more."""

    kind: Literal["agricultural_strip"]
    least: Length
    setback_share: Percent
    resources: tuple[Resource, ...] = Field(min_length=1)


class Condition(Entry):
    """One thing that can be measured on the layers, and its threshold.

    ``or_share_of_site``: the threshold is this share of the site where that is less. ``within`` and ``tributary``
    narrow what is measured to ground near and draining to the resources in ``of``.
    """

    measure: Measured
    more_than: Measure | None = None
    at_least: Measure | None = None
    or_share_of_site: Percent | None = None
    within: Length | None = None
    tributary: StrictBool = False
    of: tuple[Literal["gdnr", "public_water"], ...] = ()

    @model_validator(mode="after")
    def _one_threshold(self) -> Condition:
        if (self.more_than is None) == (self.at_least is None):
            raise ValueError('a condition has either "more_than" or "at_least"')
        if (self.within is not None or self.tributary) != bool(self.of):
            raise ValueError('"within" and "tributary" need "of" (gdnr, public_water), and "of" needs one of them')
        return self

    @property
    def threshold(self) -> Measure:
        """The threshold as written."""
        return self.at_least if self.at_least is not None else self.more_than  # type: ignore[return-value] # one is set


class PermitTrigger(Provision):
    """Work that needs a permit, a buffer or a notice: where all ``conditions`` hold.

    ``question`` is what the layers cannot tell and must be asked. ``entailed_by`` names provisions any of which, where
    it applies, answers that question with yes; ``unless`` those that, where they apply, take this one's place.
    """

    repeats: ClassVar[bool] = True
    kind: Literal["permit_trigger"]
    effect: Literal["permit", "buffer", "notice of intent", "stormwater plan", "erosion control plan"]
    conditions: tuple[Condition, ...] = ()
    question: Text | None = None
    entailed_by: tuple[Text, ...] = ()
    unless: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _decidable(self) -> PermitTrigger:
        if not self.conditions and self.question is None:
            raise ValueError('a trigger needs "conditions", or a "question" for what the layers cannot tell')
        return self


class Criterion(Entry):
    """A characteristic that puts a wetland into a category: each rating in ``when`` has one of its values."""

    category: Text
    about: Text
    when: dict[Text, tuple[Text, ...]] = Field(min_length=1)


class ManagementCategory(Provision):
    """The category of a wetland from its ratings.

    ``precedence``: the categories in the order in which they are tried; the first that has a criterion which holds is
    the wetland's. ``ratings``: each rating's values. ``synonyms``: other words for a value.
    """

    kind: Literal["management_category"]
    precedence: tuple[Text, ...] = Field(min_length=1)
    ratings: dict[Text, tuple[Text, ...]] = Field(min_length=1)
    synonyms: dict[Text, Text] = Field(default_factory=dict)
    criteria: tuple[Criterion, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _closed(self) -> ManagementCategory:
        faults = [
            f"criterion {number} ({row.about}): {fault}"
            for number, row in enumerate(self.criteria, 1)
            for fault in self._faults(row)
        ]
        words = {word for values in self.ratings.values() for word in values}
        faults += [
            f"synonyms: {value!r} is no rating's value" for value in self.synonyms.values() if value not in words
        ]
        unused = [name for name in self.precedence if name not in {row.category for row in self.criteria}]
        faults += [f"category {name!r} of precedence has no criterion" for name in unused]
        if faults:
            raise ValueError("; ".join(faults))
        return self

    def _faults(self, row: Criterion) -> list[str]:
        faults = []
        if row.category not in self.precedence:
            faults.append(f"category {row.category!r} is not in precedence: {', '.join(self.precedence)}")
        for rating, values in row.when.items():
            if rating not in self.ratings:
                faults.append(f"unknown rating {rating!r}; ratings: {', '.join(self.ratings)}")
                continue
            unknown = [value for value in values if value not in self.ratings[rating]]
            faults += [f"{rating} has no value {v!r}; values: {', '.join(self.ratings[rating])}" for v in unknown]
        return faults
