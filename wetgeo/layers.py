"""The layers and fields of the outputs: one table that the writers, the documentation and the tests read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "real", "int", "bool"]
Geometry = Literal["MultiPolygon", "LineString", "Point"] | None


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its name, kind, short name in shapefiles (10 characters at most) and meaning."""

    name: str
    kind: Kind
    short: str
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSchema:
    """One output layer: what a row is, its geometry type, its fields and the commands that write it."""

    name: str
    row: str
    geometry: Geometry
    fields: tuple[Field, ...]
    commands: tuple[str, ...] = ("run", "check", "design", "impacts", "screen")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields, in order."""
        return tuple(field.name for field in self.fields)


def _fields(*rows: tuple[str, Kind, str, str]) -> tuple[Field, ...]:
    return tuple(Field(*row) for row in rows)


_RESOURCE_ID: tuple[str, Kind, str, str] = ("resource_id", "text", "res_id", "the resource's id, as the file has it")
_TYPE: tuple[str, Kind, str, str] = ("resource_type", "text", "res_type", "wetland, lake or stream")
_CLASS: tuple[str, Kind, str, str] = ("class", "text", "class", "the rule's class")
_PARCEL: tuple[str, Kind, str, str] = ("parcel_id", "text", "parcel_id", "the parcel's number; null where none")
_AREA: tuple[str, Kind, str, str] = ("area_sqft", "real", "area_sqft", "area, square feet")
_CITATION: tuple[str, Kind, str, str] = ("citation", "text", "citation", "the provisions that decided this row")
_ZONE: tuple[str, Kind, str, str] = ("zone", "text", "zone", "streamside, middle or outer; null for lakes and wetlands")

#: the commands that judge a proposed buffer
_JUDGED = ("check", "design")

LAYERS: dict[str, LayerSchema] = {
    schema.name: schema
    for schema in (
        LayerSchema(
            name="resources",
            row="a wetland, lake or stream as used; the file's own columns follow, prefixed src_",
            geometry="MultiPolygon",
            fields=_fields(
                _RESOURCE_ID,
                _TYPE,
                _CLASS,
                ("gdnr", "bool", "gdnr", "true for a groundwater-dependent natural resource"),
                _AREA,
                ("edge_ft", "real", "edge_ft", "length of the outline, islands included, feet"),
            ),
        ),
        LayerSchema(
            name="buffers",
            row="the required buffer of one resource",
            geometry="MultiPolygon",
            fields=_fields(
                _RESOURCE_ID,
                _TYPE,
                _CLASS,
                ("rule", "text", "rule", "the rule pack's id"),
                ("base_ft", "real", "base_ft", "base width of the class, feet"),
                ("slope_pct", "real", "slope_pct", "average slope over the base width, percent; null where unknown"),
                ("slope_cut_ft", "real", "slopecut_f", "reduction for slope, feet"),
                ("hsg", "text", "hsg", "predominant hydrologic soil group; null where unknown"),
                ("hsg_share", "real", "hsg_share", "its share of the base-width buffer, a fraction of 1"),
                ("soil_cut_ft", "real", "soilcut_ft", "reduction for soil, feet"),
                ("floor_ft", "real", "floor_ft", "width below which no reduction goes, feet; null where none"),
                ("width_ft", "real", "width_ft", "required width, feet"),
                ("minimum_ft", "real", "minimum_ft", "least width that an averaged buffer may have, feet"),
                ("average_ft", "real", "average_ft", "average width that an averaged buffer must have, feet"),
                _AREA,
                ("area_ac", "real", "area_ac", "area, acres"),
                _CITATION,
            ),
        ),
        LayerSchema(
            name="zones",
            row="one zone of one stream, as extended",
            geometry="MultiPolygon",
            fields=_fields(
                _RESOURCE_ID, _ZONE, ("width_ft", "real", "width_ft", "width of the zone, feet"), _AREA, _CITATION
            ),
        ),
        LayerSchema(
            name="extensions",
            row="what one provision added outside the plain zone",
            geometry="MultiPolygon",
            fields=_fields(
                _RESOURCE_ID,
                _ZONE,
                ("kind", "text", "kind", "steep_slope, floodplain, natural_community or drainageway"),
                ("reach_ft", "real", "reach_ft", "greatest distance from the resource, feet"),
                _AREA,
                _CITATION,
            ),
        ),
        LayerSchema(
            name="flow_paths",
            row="a path that water takes from new impervious surface, where the rule asks for the edge it reaches",
            geometry="LineString",
            fields=_fields(
                ("resource_id", "text", "res_id", "the resource it reaches; null where none"),
                ("source_id", "text", "source_id", "the surface it comes from"),
                ("ends", "text", "ends", "target (a resource), edge (of the DEM), void or pit"),
                ("length_ft", "real", "length_ft", "length, feet"),
            ),
        ),
        LayerSchema(
            name="edges",
            row="a piece of the upland edge",
            geometry="LineString",
            fields=_fields(
                _RESOURCE_ID,
                _PARCEL,
                ("kind", "text", "kind", "upland, or tract where the tract's line cuts the buffer"),
                ("length_ft", "real", "length_ft", "length, feet"),
            ),
        ),
        LayerSchema(
            name="monuments",
            row="a monument",
            geometry="Point",
            fields=_fields(
                ("monument_id", "text", "mon_id", "the monument's id"),
                _RESOURCE_ID,
                ("seq", "int", "seq", "number along the resource's edge, clockwise, from 1"),
                ("reason", "text", "reason", "lot_line, interval, bend or end"),
                ("station_ft", "real", "station_ft", "distance along the edge from its start, feet"),
                ("gap_ft", "real", "gap_ft", "distance along the edge to the next; null at the end of an open edge"),
                ("marker", "text", "marker", "post or flush"),
                ("parcel_ids", "text", "parcel_ids", "the parcels it stands on or between, separated by ; "),
                ("bearing", "text", "bearing", "grid bearing of the straight line to the next monument"),
                ("x", "real", "x", "easting, unit of the working CRS"),
                ("y", "real", "y", "northing, unit of the working CRS"),
                ("lon", "real", "lon", "longitude, degrees"),
                ("lat", "real", "lat", "latitude, degrees"),
                ("elev_ft", "real", "elev_ft", "ground elevation from the DEM, feet; null where unknown"),
            ),
        ),
        LayerSchema(
            name="monument_proof",
            row="one resource's edge on one lot",
            geometry=None,
            fields=_fields(
                _RESOURCE_ID,
                _PARCEL,
                ("edge_ft", "real", "edge_ft", "length of the upland edge on the lot, feet"),
                ("monuments", "int", "monuments", "monuments on that edge, both ends counted"),
                ("largest_gap_ft", "real", "largestgap", "largest gap between neighbours along the edge, feet"),
                ("allowed_gap_ft", "real", "allowedgap", "the rule's interval, feet"),
                ("verdict", "text", "verdict", "ok or gap"),
            ),
        ),
        LayerSchema(
            name="parcels",
            row="a parcel that holds buffer",
            geometry="MultiPolygon",
            fields=_fields(
                _PARCEL,
                ("buffer_sqft", "real", "buffersqft", "buffer on the parcel, ground counted once, square feet"),
                ("buffer_share", "real", "buffershar", "buffer as a fraction of the whole buffer"),
            ),
        ),
        LayerSchema(
            name="buffer_union",
            row="connected ground that is buffer, counted once",
            geometry="MultiPolygon",
            fields=_fields(_AREA),
        ),
        LayerSchema(
            name="averaging",
            row="the verdict on the proposed buffer of one resource",
            geometry=None,
            fields=_fields(
                _RESOURCE_ID,
                ("edge_ft", "real", "edge_ft", "length of the resource's edge that the rule applies to, feet"),
                ("required_ft", "real", "requiredft", "required average width, feet"),
                ("required_sqft", "real", "requiresqf", "area of the uniform buffer of that width, square feet"),
                ("proposed_sqft", "real", "proposesqf", "proposed upland within the tract at this resource"),
                ("credited_sqft", "real", "creditesqf", "what of it is credited, square feet"),
                ("lost_sqft", "real", "lost_sqft", "uniform buffer outside the proposal, square feet"),
                ("gained_sqft", "real", "gainedsqft", "credited ground outside the uniform buffer, square feet"),
                ("over_cap_sqft", "real", "overcapsqf", "proposed beyond the cap on the width, square feet"),
                ("net_sqft", "real", "net_sqft", "credited less required, square feet"),
                ("average_ft", "real", "average_ft", "width of the uniform buffer with the credited area, feet"),
                ("minimum_ft", "real", "minimum_ft", "least width of the proposal, feet"),
                ("minimum_x", "real", "minimum_x", "easting of the edge where it is narrowest, unit of the CRS"),
                ("minimum_y", "real", "minimum_y", "northing of the edge where it is narrowest, unit of the CRS"),
                ("minimum_allowed_ft", "real", "minallowft", "least width allowed, feet"),
                ("margin_ft", "real", "margin_ft", "least width less the least allowed, feet"),
                ("verdict", "text", "verdict", "compliant, shortfall or too_narrow"),
                _CITATION,
            ),
            commands=_JUDGED,
        ),
        LayerSchema(
            name="averaging_areas",
            row="a labelled area of the averaging exhibit",
            geometry="MultiPolygon",
            fields=_fields(
                ("label", "text", "label", "R reduced, A added, X over the cap, T not counted, with a number"),
                _RESOURCE_ID,
                ("kind", "text", "kind", "reduced, added, over_cap or not_counted"),
                _AREA,
                ("edge_ft", "real", "edge_ft", "length of the resource's edge that it lies along, feet"),
                ("minimum_ft", "real", "minimum_ft", "distance from the resource at which it begins, feet"),
                ("maximum_ft", "real", "maximum_ft", "distance from the resource at which it ends, feet"),
                _CITATION,
            ),
            commands=_JUDGED,
        ),
        LayerSchema(
            name="width_profile",
            row="a station of the resource's edge, every 10 ft",
            geometry="Point",
            fields=_fields(
                _RESOURCE_ID,
                ("station_ft", "real", "station_ft", "distance along the edge from its start, feet"),
                ("width_ft", "real", "width_ft", "from the station to the nearest ground that is not buffer, feet"),
                ("required_ft", "real", "requiredft", "required average width, feet"),
                ("minimum_allowed_ft", "real", "minallowft", "least width allowed, feet"),
            ),
            commands=_JUDGED,
        ),
        LayerSchema(
            name="violations",
            row="a place where the proposal falls short",
            geometry="MultiPolygon",
            fields=_fields(
                _RESOURCE_ID,
                (
                    "kind",
                    "text",
                    "kind",
                    "too_narrow, monument_gap, no_lot_line_monument, monument_off_edge or excluded_use",
                ),
                ("measured_ft", "real", "measuredft", "what is there, feet"),
                ("required_ft", "real", "requiredft", "what the rule asks, feet"),
                _AREA,
                _CITATION,
            ),
            commands=_JUDGED,
        ),
        LayerSchema(
            name="proposed",
            row="the proposal as judged or designed, by resource",
            geometry="MultiPolygon",
            fields=_fields(_RESOURCE_ID, _AREA),
            commands=_JUDGED,
        ),
        LayerSchema(
            name="impacts",
            row="a piece of a wetland, required buffer or natural community that is disturbed",
            geometry="MultiPolygon",
            fields=_fields(
                _RESOURCE_ID,
                ("kind", "text", "kind", "wetland, buffer or natural_community"),
                ("cause", "text", "cause", "fill, drain, excavate or temporary"),
                _AREA,
                ("exempt", "bool", "exempt", "true for wetland exempt by its size, added up over the project"),
                ("ratio", "real", "ratio", "square feet of replacement for one disturbed; null where none is owed"),
                ("replacement_sqft", "real", "replacesqf", "replacement owed, square feet"),
                _CITATION,
            ),
            commands=("impacts",),
        ),
        LayerSchema(
            name="triggers",
            row="a provision that the work was tested against",
            geometry=None,
            fields=_fields(
                ("provision", "text", "provision", "id of the provision in the rule pack"),
                ("applies", "text", "applies", "yes, no or undecided"),
                ("measured", "real", "measured", "what decides, as measured; null where it could not be"),
                ("threshold", "real", "threshold", "what the rule compares it with"),
                ("unit", "text", "unit", "unit of both: sq ft, %, lots or structures"),
                ("effect", "text", "effect", "what it asks: permit, buffer, notice of intent, plan"),
                ("reason", "text", "reason", "why it applies or not, or why that is not decided"),
                _CITATION,
            ),
            commands=("screen",),
        ),
        LayerSchema(
            name="access",
            row="access through the buffer of one resource, as drawn",
            geometry="MultiPolygon",
            fields=_fields(
                ("access_id", "text", "access_id", "the access line's id"),
                _RESOURCE_ID,
                _PARCEL,
                ("width_ft", "real", "width_ft", "width of the access, feet"),
                ("lot_width_ft", "real", "lotwidthft", "the lot's width at the resource, feet; null where unknown"),
                ("allowed_ft", "real", "allowed_ft", "greatest width allowed, feet"),
                ("counts", "bool", "counts", "true where it counts as buffer"),
                _AREA,
                _CITATION,
            ),
        ),
        LayerSchema(
            name="findings",
            row="something a reviewer should know",
            geometry=None,
            fields=_fields(
                ("severity", "text", "severity", "info, warning or error"),
                ("code", "text", "code", "what kind of finding it is"),
                ("layer", "text", "layer", "the layer it is about"),
                ("feature_id", "text", "feature_id", "the feature it is about"),
                ("message", "text", "message", "what was found"),
                _CITATION,
            ),
        ),
        LayerSchema(
            name="reasons",
            row="one step by which a resource's width was decided (read by wetgeo explain)",
            geometry=None,
            fields=_fields(
                _RESOURCE_ID,
                ("step", "int", "step", "order of the step"),
                ("provision", "text", "provision", "id of the provision in the rule pack"),
                ("what", "text", "what", "base, slope, soil, floor, cap, width, zone, extension, structure, ..."),
                ("value_ft", "real", "value_ft", "the step's value, feet; null where it is no length"),
                ("reason", "text", "reason", "the step in words, with its input"),
                _CITATION,
            ),
        ),
    )
}
