"""The rule pack as a value, and the names of its vocabulary."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import Field

from wetgeo.rules.options import Option, resolve
from wetgeo.rules.permits import (
    Access,
    AgriculturalStrip,
    CommunityProtection,
    Condition,
    Criterion,
    DeMinimis,
    ManagementCategory,
    PermitTrigger,
    Replacement,
)
from wetgeo.rules.provisions import (
    Averaging,
    BothBuffers,
    CentralWetland,
    ClassWidth,
    Declaration,
    Drainageway,
    ExistingStructure,
    Floodplain,
    GdnrWidth,
    Infiltration,
    Monuments,
    NaturalCommunity,
    NewResidenceWidth,
    Provision,
    Shortfall,
    SlopeCut,
    SoilCut,
    SteepSlope,
    StreamZones,
    SubjectEdge,
    TractClip,
    VegetatedDistance,
    WidthRow,
    normalise,
)
from wetgeo.rules.quantities import Entry, Text
from wetgeo.rules.worked import Example

__all__ = [
    "Access",
    "AgriculturalStrip",
    "AnyProvision",
    "Averaging",
    "BothBuffers",
    "CentralWetland",
    "ClassWidth",
    "CommunityProtection",
    "Condition",
    "Criterion",
    "DeMinimis",
    "Declaration",
    "Drainageway",
    "ExistingStructure",
    "Floodplain",
    "GdnrWidth",
    "Infiltration",
    "ManagementCategory",
    "Monuments",
    "NaturalCommunity",
    "NewResidenceWidth",
    "Option",
    "PackHead",
    "PermitTrigger",
    "Provision",
    "Replacement",
    "RulePack",
    "Shortfall",
    "SlopeCut",
    "SoilCut",
    "SteepSlope",
    "StreamZones",
    "SubjectEdge",
    "TractClip",
    "VegetatedDistance",
    "WidthRow",
    "normalise",
]

AnyProvision = Annotated[
    ClassWidth
    | StreamZones
    | GdnrWidth
    | SlopeCut
    | SoilCut
    | NewResidenceWidth
    | SubjectEdge
    | TractClip
    | Averaging
    | Shortfall
    | VegetatedDistance
    | CentralWetland
    | ExistingStructure
    | NaturalCommunity
    | SteepSlope
    | Floodplain
    | Drainageway
    | BothBuffers
    | Infiltration
    | Monuments
    | Declaration
    | Replacement
    | DeMinimis
    | CommunityProtection
    | Access
    | AgriculturalStrip
    | PermitTrigger
    | ManagementCategory,
    Field(discriminator="kind"),
]

P = TypeVar("P", bound=Provision)

#: what a rule asks of its buffer, and not of the strip that agriculture keeps instead
_OF_BUFFERS = (
    Access,
    Averaging,
    BothBuffers,
    Declaration,
    Drainageway,
    ExistingStructure,
    Floodplain,
    Monuments,
    NaturalCommunity,
    SteepSlope,
)


class PackHead(Entry):
    """Table ``[pack]``: what the pack is and where its rule comes from. A draft's ``effective`` is the draft's date."""

    id: Text
    title: Text
    authority: Text
    document: Text
    status: Literal["in force", "draft"]
    adopted: datetime.date | None = None
    effective: datetime.date
    until: datetime.date | None = None
    version: Text
    source: Text
    note: Text | None = None


def _plain(table: Entry) -> dict[str, Any]:
    return table.model_dump(mode="json", by_alias=True, exclude_defaults=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePack:
    """One rule: its provisions, options and worked examples, as read from one file.

    ``path`` is the file and ``sha256`` the hash of its bytes; both go into the provenance of what it decides.
    """

    head: PackHead
    options: tuple[Option, ...]
    provisions: tuple[Provision, ...]
    examples: tuple[Example, ...]
    path: Path
    sha256: str
    _kinds: dict[type[Provision], tuple[Provision, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def id(self) -> str:
        """The pack's id."""
        return self.head.id

    @property
    def title(self) -> str:
        """The rule's title."""
        return self.head.title

    @property
    def authority(self) -> str:
        """Whose rule it is."""
        return self.head.authority

    @property
    def document(self) -> str:
        """The document that it was read from."""
        return self.head.document

    @property
    def status(self) -> str:
        """``in force`` or ``draft``."""
        return self.head.status

    @property
    def effective(self) -> datetime.date:
        """The first day on which it is in force; a draft's date."""
        return self.head.effective

    @property
    def version(self) -> str:
        """The version of the pack."""
        return self.head.version

    def as_data(self) -> dict[str, Any]:
        """Return the whole pack in the form of its file, ready for JSON, with its hash."""
        tables = {"option": self.options, "provision": self.provisions, "example": self.examples}
        return {
            "pack": {**_plain(self.head), "sha256": self.sha256},
            **{name: [_plain(table) for table in found] for name, found in tables.items()},
        }

    @property
    def all_citations(self) -> tuple[str, ...]:
        """Every section that a provision cites, sorted."""
        return tuple(sorted({provision.citation for provision in self.provisions}))

    def in_force(self, date: datetime.date) -> bool:
        """Whether the rule is in force on a day; a draft never is."""
        until = self.head.until
        return self.status == "in force" and self.effective <= date and (until is None or date <= until)

    def at(self, date: datetime.date) -> RulePack:
        """Return the pack with the provisions that apply on a day, as the date of an application decides.

        Before the rule's own first day it is read as on that day; whether it is in force is another matter.
        """
        day = max(date, self.effective)
        return replace(self, provisions=tuple(p for p in self.provisions if p.applies_on(day)))

    def under(self, options: Mapping[str, object]) -> RulePack:
        """Return the pack as option ``provision`` narrows it.

        Where the agricultural strip is chosen, nothing that the rule adds to its buffer applies, and no class is asked.
        """
        strip = self.find(AgriculturalStrip)
        if strip is None or options.get("provision") != "agricultural":
            return self
        kept = (
            p.model_copy(update={"unlisted_none": strip.resources}) if isinstance(p, ClassWidth) else p
            for p in self.provisions
            if not isinstance(p, _OF_BUFFERS)
        )
        return replace(self, provisions=tuple(kept))

    def all(self, cls: type[P]) -> tuple[P, ...]:
        """Return all provisions of a kind."""
        if cls not in self._kinds:
            self._kinds[cls] = tuple(p for p in self.provisions if isinstance(p, cls))
        return cast("tuple[P, ...]", self._kinds[cls])

    def find(self, cls: type[P], on: datetime.date | None = None) -> P | None:
        """Return the provision of a kind, or None; of several over time the latest, or that of a day."""
        found = (self if on is None else self.at(on)).all(cls)
        return max(found, key=lambda p: p.effective or datetime.date.min) if found else None

    def provision(self, provision_id: str) -> Provision:
        """Return a provision by its id. Raises KeyError."""
        for provision in self.provisions:
            if provision.id == provision_id:
                return provision
        raise KeyError(provision_id)

    def resolve_options(self, given: Mapping[str, object]) -> Mapping[str, str | float | None]:
        """Check a project's options and fill in the defaults; lengths in feet, areas as the option's name says.

        Raises
        ------
        ProjectError
            With every option that is unknown and every value that is not allowed.
        """
        return resolve(self.options, given, self.id)

    def width_rows(self, resource_type: str) -> tuple[tuple[ClassWidth, WidthRow], ...]:
        """Return the rows of the width tables for a resource type, each with its provision."""
        return tuple((p, row) for p in self.all(ClassWidth) for row in p.rows if row.resource == resource_type)

    def find_width(self, resource_type: str, class_name: str | None) -> tuple[ClassWidth, WidthRow] | None:
        """Return the row for a class in the rule's own spelling, or the one that holds for any class, or None."""
        rows = self.width_rows(resource_type)
        exact = [pair for pair in rows if class_name is not None and pair[1].class_name == class_name]
        return next(iter(exact or [pair for pair in rows if pair[1].class_name is None]), None)

    def classes(self, resource_type: str) -> tuple[str, ...]:
        """Return the rule's classes of a resource type, in its own spelling; none where it has none."""
        names = (row.class_name for _, row in self.width_rows(resource_type) if row.class_name is not None)
        return tuple(dict.fromkeys(names))

    def class_required(self, resource_type: str) -> bool:
        """Whether a resource without a class of the rule is a fault, rather than one that gets no buffer."""
        optional = any(resource_type in p.unlisted_none for p in self.all(ClassWidth))
        return bool(self.classes(resource_type)) and not optional

    def category_table(self) -> ManagementCategory | None:
        """Return the table that decides the class of a wetland from its ratings, or None."""
        return self.find(ManagementCategory)

    def match_class(self, resource_type: str, text: object) -> str | None:
        """Return the rule's spelling of a class, or None; case, blanks and punctuation do not matter."""
        wanted = normalise(text)
        for _, row in self.width_rows(resource_type):
            if row.class_name is not None and wanted in row.spellings:
                return row.class_name
        return None

    def regulates(self, resource_type: str, class_name: str | None = None) -> bool:
        """Whether the rule asks a buffer of a resource type; with a class, of that class."""
        if resource_type == "stream" and self.find(StreamZones) is not None:
            return True
        if class_name is not None:
            return self.find_width(resource_type, class_name) is not None
        return bool(self.width_rows(resource_type))
