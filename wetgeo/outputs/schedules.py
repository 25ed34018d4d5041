"""The tables of the plan sheets and the report: what they tell of each row, in words and figures."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from wetgeo.outputs.figures import acres, beside, feet, sqft, stated
from wetgeo.outputs.plain import one_line

if TYPE_CHECKING:
    from wetgeo.delineation import Delineation

NONE = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its field, what stands above it, how it is written, and whether narrow tables have it too.

    `stated` are feet as the rule states them; `against` is the field that the figure is compared with.
    """

    field: str
    head: str
    kind: Literal["text", "ft", "stated", "sqft", "acres", "percent", "share", "count", "xy", "yes", "ratio"] = "text"
    brief: bool = True
    against: str | None = None

    @property
    def is_number(self) -> bool:
        """Whether it holds figures, which stand at the right."""
        return self.kind not in ("text", "yes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A table, all of it as text."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def brief(self) -> Schedule:
        """The same without the columns that narrow tables do without."""
        kept = [place for place, column in enumerate(self.columns) if column.brief]
        rows = [tuple(row[place] for place in kept) for row in self.rows]
        columns = tuple(self.columns[place] for place in kept)
        return Schedule(name=self.name, title=self.title, columns=columns, rows=rows)


_ID = Column("resource_id", "Resource")
_SECTIONS = Column("citation", "Section", brief=False)

#: layers that are told as tables, in their order: title and columns
TABLES: dict[str, tuple[str, tuple[Column, ...]]] = {
    "averaging": (
        "Buffer averaging",
        (
            _ID,
            Column("verdict", "Verdict"),
            Column("edge_ft", "Edge, ft", "ft", brief=False),
            Column("required_sqft", "Required, sq ft", "sqft"),
            Column("proposed_sqft", "Proposed, sq ft", "sqft", brief=False),
            Column("credited_sqft", "Credited, sq ft", "sqft"),
            Column("lost_sqft", "Reduced, sq ft", "sqft", brief=False),
            Column("gained_sqft", "Added, sq ft", "sqft", brief=False),
            Column("over_cap_sqft", "Over cap, sq ft", "sqft", brief=False),
            Column("net_sqft", "Net, sq ft", "sqft"),
            Column("required_ft", "Required average, ft", "stated", brief=False),
            Column("average_ft", "Average, ft", "ft", against="required_ft"),
            Column("minimum_allowed_ft", "Least allowed, ft", "stated"),
            Column("minimum_ft", "Least, ft", "ft", against="minimum_allowed_ft"),
            Column("margin_ft", "Margin, ft", "ft", brief=False),
            _SECTIONS,
        ),
    ),
    "averaging_areas": (
        "Areas reduced and added",
        (
            Column("label", "Area"),
            _ID,
            Column("kind", "Kind"),
            Column("area_sqft", "Sq ft", "sqft"),
            Column("edge_ft", "Along edge, ft", "ft"),
            Column("minimum_ft", "From, ft", "ft"),
            Column("maximum_ft", "To, ft", "ft"),
            _SECTIONS,
        ),
    ),
    "violations": (
        "Where the proposal falls short",
        (
            _ID,
            Column("kind", "What"),
            Column("measured_ft", "Measured, ft", "ft", against="required_ft"),
            Column("required_ft", "Required, ft", "stated"),
            Column("area_sqft", "Sq ft", "sqft"),
            Column("citation", "Section"),
        ),
    ),
    "impacts": (
        "Disturbed, and replacement owed",
        (
            Column("number", "No.", "count"),
            _ID,
            Column("kind", "What"),
            Column("cause", "Cause"),
            Column("area_sqft", "Sq ft", "sqft"),
            Column("exempt", "Exempt", "yes", brief=False),
            Column("ratio", "Ratio", "ratio"),
            Column("replacement_sqft", "Replacement, sq ft", "sqft"),
            _SECTIONS,
        ),
    ),
    "triggers": (
        "Provisions tested",
        (
            Column("applies", "Applies"),
            Column("effect", "Asks for"),
            Column("reason", "Why"),
            Column("citation", "Section"),
        ),
    ),
    "access": (
        "Access through buffers",
        (
            Column("access_id", "Access"),
            _ID,
            Column("parcel_id", "Parcel"),
            Column("width_ft", "Width, ft", "ft", against="allowed_ft"),
            Column("allowed_ft", "Allowed, ft", "stated"),
            Column("counts", "Counts as buffer", "yes"),
            Column("area_sqft", "Sq ft", "sqft"),
            _SECTIONS,
        ),
    ),
    "buffers": (
        "Required buffers",
        (
            _ID,
            Column("class", "Class"),
            Column("base_ft", "Base, ft", "stated"),
            Column("slope_pct", "Slope, %", "percent", brief=False),
            Column("slope_cut_ft", "Slope cut, ft", "stated"),
            Column("hsg", "Soil group", brief=False),
            Column("soil_cut_ft", "Soil cut, ft", "stated"),
            Column("floor_ft", "Floor, ft", "stated", brief=False),
            Column("width_ft", "Width, ft", "stated"),
            Column("minimum_ft", "Least if averaged, ft", "stated", brief=False),
            Column("area_sqft", "Area, sq ft", "sqft"),
            Column("area_ac", "Acres", "acres", brief=False),
            _SECTIONS,
        ),
    ),
    "zones": (
        "Zones of streams",
        (
            _ID,
            Column("zone", "Zone"),
            Column("width_ft", "Width, ft", "stated"),
            Column("area_sqft", "Area, sq ft", "sqft"),
            _SECTIONS,
        ),
    ),
    "extensions": (
        "Extensions",
        (
            _ID,
            Column("zone", "Zone"),
            Column("kind", "For"),
            Column("reach_ft", "Reach, ft", "ft"),
            Column("area_sqft", "Area, sq ft", "sqft"),
            _SECTIONS,
        ),
    ),
    "monument_proof": (
        "Monuments by lot",
        (
            _ID,
            Column("parcel_id", "Parcel"),
            Column("edge_ft", "Edge, ft", "ft"),
            Column("monuments", "Monuments", "count"),
            Column("largest_gap_ft", "Largest gap, ft", "ft", against="allowed_gap_ft"),
            Column("allowed_gap_ft", "Allowed, ft", "stated", brief=False),
            Column("verdict", "Verdict"),
        ),
    ),
    "parcels": (
        "Parcels that hold buffer",
        (
            Column("parcel_id", "Parcel"),
            Column("buffer_sqft", "Buffer, sq ft", "sqft"),
            Column("buffer_share", "Share of all", "share"),
        ),
    ),
    "monuments": (
        "Monuments",
        (
            Column("monument_id", "Monument"),
            Column("reason", "Reason"),
            Column("marker", "Marker", brief=False),
            Column("y", "Northing", "xy"),
            Column("x", "Easting", "xy"),
            Column("elev_ft", "Elev., ft", "ft"),
            Column("gap_ft", "To next, ft", "ft"),
            Column("bearing", "Bearing to next"),
            Column("parcel_ids", "Parcel", brief=False),
        ),
    ),
}

#: the schema's own words that are written with a blank; a user's text stays as it is
_WORDS = frozenset(
    {
        "over_cap",
        "not_counted",
        "too_narrow",
        "monument_gap",
        "no_lot_line_monument",
        "excluded_use",
        "steep_slope",
        "natural_community",
        "lot_line",
    }
)

_WRITE: dict[str, Callable[[Any], str]] = {
    "text": lambda value: one_line(value).replace("_", " ") if value in _WORDS else one_line(value),
    "ft": feet,
    "stated": stated,
    "sqft": sqft,
    "acres": acres,
    "percent": lambda value: f"{value:.2f}",
    "share": lambda value: f"{value:.1%}",
    "count": lambda value: f"{value:,d}",
    "xy": lambda value: f"{value:.3f}",
    "yes": lambda value: "yes" if value else "no",
    "ratio": lambda value: f"{value:g} : 1",
}


def written(value: Any, kind: str) -> str:  # noqa: ANN401 -- a value of a field
    """Write a value as tables have it; a dash for null."""
    return NONE if pd.isna(value) else _WRITE[kind](value)


def schedule(delineation: Delineation, name: str, resource_ids: Collection[str] | None = None) -> Schedule | None:
    """Tell a layer as a table; None where the command has no such layer or it has no rows.

    Parameters
    ----------
    delineation
        With conformed layers.
    name
        A layer of `TABLES`.
    resource_ids
        Only the rows of these resources; all where left out.
    """
    frame = delineation.layers.get(name)
    if frame is None or frame.empty:
        return None
    if name == "impacts":
        frame = numbered(frame)
    if resource_ids is not None:
        frame = frame[frame["resource_id"].isin(list(resource_ids))]
    if frame.empty:
        return None
    title, wanted = TABLES[name]
    columns = tuple(column for column in wanted if frame[column.field].notna().any())
    cells = [_cells(frame, column) for column in columns]
    return Schedule(name=name, title=title, columns=columns, rows=list(zip(*cells, strict=True)))


def numbered(impacts: pd.DataFrame) -> pd.DataFrame:
    """Number what is disturbed in the order of its layer: maps show numbers, tables tell the rest."""
    return impacts.assign(number=range(1, len(impacts) + 1))


def _cells(frame: pd.DataFrame, column: Column) -> list[str]:
    """Write a column; its figures are told from those that they are compared with."""
    values = frame[column.field].tolist()
    cells = [written(value, column.kind) for value in values]
    if column.against is None:
        return cells
    limits = frame[column.against].tolist()
    return [
        cell if pd.isna(value) or pd.isna(limit) else beside(value, limit)
        for cell, value, limit in zip(cells, values, limits, strict=True)
    ]
