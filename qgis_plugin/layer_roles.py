"""The layers that wetgeo takes, and the roles that their fields play; free of QGIS."""

from typing import NamedTuple

POLYGON, LINE, POINT = "polygon", "line", "point"


class LayerRoles(NamedTuple):
    """A layer of a wetgeo project: its name there, what dialogs call it, its geometries and its fields' roles."""

    name: str
    title: str
    kinds: tuple
    roles: tuple


#: what dialogs call the roles
ROLES = {
    "id": "number or name",
    "class": "class",
    "central": "central wetland (true or false)",
    "gdnr": "groundwater-dependent (true or false)",
    "setback_ft": "structure setback, feet",
    "bank_width_ft": "width from bank to bank, feet (streams as lines)",
    "hsg": "hydrologic soil group",
    "mukey": "map unit key",
    "zone": "flood zone",
    "rank": "rank",
    "width_ft": "width, feet",
    "kind": "kind (new_principal or existing_primary)",
}

LAYERS = (
    LayerRoles("wetlands", "Wetlands", (POLYGON,), ("id", "class", "central", "gdnr", "setback_ft")),
    LayerRoles("lakes", "Lakes", (POLYGON,), ("id", "class", "gdnr", "setback_ft")),
    LayerRoles("streams", "Streams", (POLYGON, LINE), ("id", "class", "gdnr", "setback_ft", "bank_width_ft")),
    LayerRoles("parcels", "Parcels", (POLYGON,), ("id",)),
    LayerRoles("tract", "Tract (land the applicant controls)", (POLYGON,), ("id",)),
    LayerRoles("soils", "Soils", (POLYGON,), ("id", "hsg", "mukey")),
    LayerRoles("floodplain", "Floodplain", (POLYGON,), ("id", "zone")),
    LayerRoles("natural_communities", "Natural communities", (POLYGON,), ("id", "rank")),
    LayerRoles("drainageways", "Drainageways", (LINE, POLYGON), ("id", "width_ft")),
    LayerRoles("watercourses", "Watercourses", (LINE, POLYGON), ("id",)),
    LayerRoles("new_impervious", "New impervious surface", (POLYGON,), ("id",)),
    LayerRoles("existing_impervious", "Existing impervious surface", (POLYGON,), ("id",)),
    LayerRoles("trails", "Trails", (LINE, POLYGON), ("id", "width_ft")),
    LayerRoles("structures", "Structures", (POLYGON, POINT), ("id", "kind")),
    LayerRoles("infiltration", "Infiltration", (POLYGON,), ("id",)),
    LayerRoles("public_land", "Public land", (POLYGON,), ("id",)),
    LayerRoles("access", "Access", (LINE,), ("id", "width_ft")),
)
#: at least one of these is needed
RESOURCES = ("wetlands", "lakes", "streams")
#: layers that dialogs show at once; the others stand under the advanced parameters
SHOWN = (*RESOURCES, "parcels", "tract", "soils")
