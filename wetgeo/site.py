"""The site: all inputs of one project, valid, in one CRS, typed, with stable ids.

`wetgeo.inputs` makes it; everything behind it takes it and never opens a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wetgeo.units import FOOT_M

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    import geopandas as gpd
    from pyproj import CRS

    from wetgeo.kernels.grid import ElevationSource

#: layers whose features are resources, with the resource type of each
RESOURCE_LAYERS = {"wetlands": "wetland", "lakes": "lake", "streams": "stream"}

#: all layers a project may name, with the geometry kinds that each may hold
LAYER_GEOMETRY: dict[str, tuple[str, ...]] = {
    "wetlands": ("polygon",),
    "lakes": ("polygon",),
    "streams": ("polygon", "line"),
    "parcels": ("polygon",),
    "tract": ("polygon",),
    "soils": ("polygon",),
    "floodplain": ("polygon",),
    "natural_communities": ("polygon",),
    "drainageways": ("line", "polygon"),
    "new_impervious": ("polygon",),
    "existing_impervious": ("polygon",),
    "trails": ("line", "polygon"),
    "structures": ("polygon", "point"),
    "public_land": ("polygon",),
    "watercourses": ("line", "polygon"),
    "infiltration": ("polygon",),
    "access": ("line",),
}

#: what each layer is for
LAYER_MEANING: dict[str, str] = {
    "wetlands": "delineated wetlands",
    "lakes": "lakes, to the ordinary high water level",
    "streams": "streams from bank to bank, as polygons or as centre lines with their width",
    "parcels": "lots: monuments stand at their lines, declarations are written for each",
    "tract": "the land that the applicant controls; buffers end at its line",
    "soils": "soil map units with their hydrologic group, or a key to a table that has it",
    "floodplain": "flood zones",
    "natural_communities": "native plant communities with their rank",
    "drainageways": "drainageways that a buffer extends along",
    "new_impervious": "planned surface that sheds water: what lies downgradient of it is subject to the rule",
    "existing_impervious": "surface that does not count as vegetated",
    "trails": "trails through buffers",
    "structures": "buildings, planned and standing",
    "public_land": "parks and other public land, where markers are set flush",
    "watercourses": "ditches and watercourses that connect wetlands",
    "infiltration": "infiltration basins and other practices within buffers",
    "access": "lines along which a buffer is crossed to the water",
}

#: ratings of the Minnesota Routine Assessment Method from which a rule may decide the class of a wetland
RATINGS = (
    "vegetative_diversity",
    "hydrologic_regime",
    "wetland_water_quality",
    "downstream_water_quality",
    "wildlife_habitat",
    "fish_habitat",
    "amphibian_habitat",
    "groundwater_dependent_community",
    "stormwater_sensitivity",
    "setting",
    "use",
)

#: the roles that fields may play, by layer (SPEC: project file)
FIELD_ROLES: dict[str, tuple[str, ...]] = {
    "wetlands": ("id", "class", "central", "gdnr", "setback_ft", *RATINGS),
    "lakes": ("id", "class", "gdnr", "setback_ft"),
    "streams": ("id", "class", "gdnr", "setback_ft", "bank_width_ft"),
    "parcels": ("id",),
    "tract": ("id",),
    "soils": ("id", "hsg", "mukey"),
    "floodplain": ("id", "zone"),
    "natural_communities": ("id", "rank"),
    "drainageways": ("id", "width_ft"),
    "new_impervious": ("id",),
    "existing_impervious": ("id",),
    "trails": ("id", "width_ft"),
    "structures": ("id", "kind"),
    "public_land": ("id",),
    "watercourses": ("id",),
    "infiltration": ("id",),
    "access": ("id", "width_ft"),
}

#: what each role tells
ROLE_MEANING: dict[str, str] = {
    "id": "the feature's id; of a parcel its number",
    "class": "the class by the rule",
    "central": "true for the central wetland (Rule M)",
    "gdnr": "true for a groundwater-dependent natural resource",
    "setback_ft": "the structure setback, feet",
    "bank_width_ft": "the full width from bank to bank of a stream given as a line, feet",
    "hsg": "hydrologic soil group: A, B, C, D, A/D, B/D or C/D",
    "mukey": "map unit key, by which the group is found in a table",
    "zone": "the flood zone's code",
    "width_ft": "the full width, feet",
    "kind": "`new_principal` or `existing_primary`",
    "rank": "the community's condition rank",
    "cause": "`fill`, `drain`, `excavate` or `temporary`",
    **{name: f"MnRAM rating: {name.replace('_', ' ')}" for name in RATINGS},
}

#: the roles of files that a command names
COMMAND_ROLES: dict[str, tuple[str, ...]] = {"disturbance": ("id", "cause")}


def roles_of(layer: str) -> tuple[str, ...]:
    """Return the roles that fields of a layer, or of a file that a command names, may play."""
    return FIELD_ROLES.get(layer) or COMMAND_ROLES.get(layer, ("id",))


#: roles that have another name too
ROLE_ALIASES = {"parcel": "id"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """All inputs of one project in the working CRS.

    Attributes
    ----------
    crs
        The working CRS: projected, its grid scale within 0.1 % of 1 at the site.
    unit_m
        Metres in one unit of the CRS.
    resources
        One row a wetland, lake or stream: ``resource_id`` (unique text), ``resource_type`` (wetland, lake, stream),
        ``class`` (the rule's own spelling, or None), ``class_reason`` and ``class_citation`` (text where the class was
        decided from ratings, else None), ``gdnr`` (bool), ``central`` (bool), ``setback_ft`` (float, NaN
        where not given), ``geometry`` (valid Polygon or MultiPolygon; streams given as lines stand as the polygon from
        bank to bank), and the file's own columns prefixed ``src_``. Sorted by geometry, whatever the order of the file.
    layers
        The other layers that were given, by name. Each has ``feature_id`` (text) and ``geometry`` (valid, 2D), and the
        columns of its roles: parcels ``parcel_id`` (None where the file has none); soils ``hsg`` (A, B, C, D, A/D,
        B/D, C/D or None), ``mukey``; floodplain ``zone``; natural_communities ``rank``; drainageways, trails and access
        ``width_ft``; structures ``kind``. Sorted by geometry. A layer that was given but is empty has no rows.
    dem
        The elevations, or None.
    date
        The application date.
    files
        Every file that was read: also soil tables that were found and the parts of a VRT.
    """

    crs: CRS
    unit_m: float
    resources: gpd.GeoDataFrame
    layers: Mapping[str, gpd.GeoDataFrame] = field(default_factory=dict)
    dem: ElevationSource | None = None
    date: datetime.date
    files: tuple[Path, ...] = ()

    @property
    def ft(self) -> float:
        """Units of the CRS in one international foot."""
        return FOOT_M / self.unit_m

    @property
    def sqft(self) -> float:
        """Square units of the CRS in one square foot."""
        return self.ft**2
