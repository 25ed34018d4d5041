#!/usr/bin/env python3
"""Make the sample data: data_samples/site.gpkg and data_samples/dem.tif, a site in Minnesota that does not exist.

    python scripts/make_samples.py [FOLDER]

The same script makes the same files. `sample_ground` holds the terrain, `sample_plat` the plat, this file the rest.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import geopandas as gpd
import numpy as np
import shapely
from sample_ground import BROOK, HEIGHT, KETTLES, LAKE_AT, LAKE_LEVEL, OUTLET, SWALE, WIDTH, Ground, line, make_ground
from sample_plat import COUNTY_ROAD, FOOT, NEIGHBOURS, TRACT, Plat, make_plat, rounded
from scipy import ndimage
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from wetgeo.testing import cell_centres, classified, outline, smooth_line, write_dem, write_geopackage

if TYPE_CHECKING:
    from numpy.typing import NDArray

CRS = "EPSG:26915"
#: easting and northing of the site's south-western corner; near 45.1 N, 92.85 W
ORIGIN = (511200.0, 4993600.0)
SITE = shapely.box(0, 0, WIDTH, HEIGHT)
HOMESTEAD = (268.0, 452.0)
FARM_DRIVE = ((178, 875), (178, 790), (176, 720), (190, 644), (214, 560), (238, 495), (258, 462))
PAVED_TRAIL = ((352, 588), (402, 505), (462, 452), (548, 482), (640, 512), (720, 545), (812, 592), (880, 640))
FOOTPATH = (
    (552, 250),
    (610, 240),
    (668, 252),
    (726, 254),
    (772, 244),
    (790, 204),
    (760, 160),
    (700, 140),
    (640, 110),
    (590, 60),
)
WOODS = (
    (255, 205), (300, 262), (390, 300), (425, 360), (505, 366), (548, 330), (560, 270), (500, 186), (420, 132),
    (335, 138), (272, 166),
)  # fmt: skip
SEDGES = ((600, 410), (560, 440), (640, 485), (735, 528), (806, 545), (800, 505), (720, 462), (660, 428))
BASIN = ((670, 533), (688, 537), (702, 549), (696, 556), (678, 551), (666, 542))

#: id, what the two rules call it, central, groundwater-dependent, status, vegetation
WETLAND_ROWS = (
    ("W-1", "Manage 1", "2", True, False, "delineated", "sedge meadow"),
    ("W-2", "Preserve", "1", False, False, "delineated", "shallow marsh"),
    ("W-3", "Manage 2", "3", False, False, "delineated", "shrub-carr"),
    ("W-4", "Manage 2", "3", False, False, "delineated", "deep marsh around an island"),
    ("W-5", "Manage 3", "4", False, False, "delineated", "seasonally flooded basin, cropped"),
    ("W-6", "Preserve", "2", False, True, "delineated", "calcareous seep"),
    ("W-7", "Manage 1", "2", False, False, "delineated", "wooded swamp"),
    ("P-1", None, None, False, False, "incidental", "pond dug for stormwater"),
)
#: code, MUKEY, MUSYM, name, HYDGRP; dual groups as the soil survey writes them
SOIL_ROWS = (
    (0, "900001", "W", "Water", None),
    (1, "900112", "540", "Muck, 0 to 1 percent slopes", "A/D"),
    (2, "900113", "266", "Loam, depressional", "C/D"),
    (3, "900207", "155C", "Moraine loamy sand, 6 to 12 percent slopes", "A"),
    (4, "900208", "155D", "Moraine sandy loam, 12 to 25 percent slopes", "B"),
    (5, "900301", "49B", "Outwash sandy loam, 1 to 6 percent slopes", "B"),
    (6, "900315", "264B", "Till silt loam, 2 to 6 percent slopes", "C"),
    (7, "900316", "325", "Silt loam, seasonally wet, 0 to 2 percent slopes", "B/D"),
)
#: code, FLD_ZONE, ZONE_SUBTY, SFHA_TF
FLOOD_ROWS = (
    (0, "X", "AREA OF MINIMAL FLOOD HAZARD", "F"),
    (1, "X", "0.2 PCT ANNUAL CHANCE FLOOD HAZARD", "F"),
    (2, "AE", None, "T"),
    (3, "AE", "FLOODWAY", "T"),
)


@dataclass(frozen=True, slots=True)
class Waters:
    """Outlines of the lake and of the wetlands by id, in the site's own metres."""

    lake: BaseGeometry
    wetlands: dict[str, BaseGeometry]


def make_waters(ground: Ground) -> Waters:
    """Outline lake and wetlands where the ground lies low enough."""
    grid = ground.grid
    x, y = cell_centres(grid)
    low = ndimage.gaussian_filter(grid.z, 1.5)
    # openings leave channels out
    lake = ndimage.binary_opening((low < LAKE_LEVEL) & (x > 158), iterations=4)
    found: dict[str, BaseGeometry] = {
        name: outline(grid, ndimage.binary_opening(low < kettle.level + 0.15, iterations=2) & near, at, spacing=7)
        for name, kettle in KETTLES.items()
        for at, near in [((kettle.x - 12, kettle.y), np.hypot(x - kettle.x, y - kettle.y) < 95)]
    }
    marsh = outline(grid, _wet_floor(ground, x, 672, 150), (690, 492), spacing=7)
    found["W-6"] = outline(grid, _wet_floor(ground, x, 952, 78), (945, 590), spacing=7)
    # the marsh and the shrubs west of it are two wetlands with one line between them
    shrubs = shapely.Polygon(((500, 300), (622, 300), (606, 440), (618, 480), (608, 600), (500, 600)))
    found["W-1"], found["W-3"] = marsh.difference(shrubs), marsh.intersection(shrubs)
    # both may have shed crumbs along that line
    found = {name: max(shapely.get_parts(rounded(shape)), key=shapely.area) for name, shape in found.items()}
    return Waters(lake=rounded(outline(grid, lake, LAKE_AT, spacing=5)), wetlands=found)


def _wet_floor(ground: Ground, x: NDArray[np.float64], middle: float, reach: float) -> NDArray[np.bool_]:
    """Return where the valley's floor is wet: lower over the brook the farther from `middle`."""
    damp = 0.75 - 0.6 * ((x - middle) / reach) ** 2
    return np.asarray((ground.over_brook < damp) & (np.abs(x - middle) < reach) & (ground.from_brook < 90))


def _frame(rows: list[dict[str, Any]]) -> gpd.GeoDataFrame:
    """Put rows at their place in the world."""
    frame = gpd.GeoDataFrame(rows, geometry="geometry", crs=CRS)
    frame.geometry = [rounded(shapely.transform(shape, lambda xy: xy + ORIGIN)) for shape in frame.geometry]
    return frame


def water_layers(waters: Waters) -> dict[str, gpd.GeoDataFrame]:
    """Wetlands, lake, streams, drainageway and watercourses."""
    wetlands = [
        {
            "WET_ID": name,
            "MGMT_CLASS": mcwd,
            "CATEGORY": category,
            "CENTRAL": central,
            "GDNR": gdnr,
            "STATUS": status,
            "VEGETATION": vegetation,
            "geometry": waters.wetlands[name],
        }
        for name, mcwd, category, central, gdnr, status, vegetation in WETLAND_ROWS
    ]
    lake = {
        "LAKE_ID": "L-1",
        "NAME": "Heron Lake",
        "CLASS": "natural environment",
        "GDNR": False,
        "SETBACK_FT": 150.0,
        "geometry": waters.lake,
    }
    courses = {"S-1": ("Otter Brook", BROOK), "S-2": ("Otter Brook below Heron Lake", OUTLET)}
    lines = {key: line(points).intersection(SITE).difference(waters.lake) for key, (_, points) in courses.items()}
    streams = [
        {
            "STREAM_ID": key,
            "NAME": name,
            "CLASS": "stream",
            "GDNR": False,
            "BANK_FT": 14.0,
            "SETBACK_FT": 150.0,
            "geometry": lines[key],
        }
        for key, (name, _) in courses.items()
    ]
    swale = {"NAME": "D-1", "WIDTH_FT": 8.0, "geometry": line(SWALE)}
    watercourses = [{"NAME": row["NAME"], "geometry": row["geometry"]} for row in (*streams, swale)]
    return {
        "wetlands": _frame(wetlands),
        "lakes": _frame([lake]),
        "streams": _frame(streams),
        "drainageways": _frame([swale]),
        "watercourses": _frame(watercourses),
    }


def land_layers(plat: Plat) -> dict[str, gpd.GeoDataFrame]:
    """Parcels, tract and park."""
    addition = "Heron Lake Addition"
    named = [
        *((f"20.{i:04}", f"Lot {i}, Block 1", addition, lot) for i, lot in enumerate(plat.lots, 1)),
        *((f"20.{i:04}", name, addition, shape) for i, (name, shape) in enumerate(plat.outlots.items(), 101)),
        *((pin, None, None, shape) for pin, shape in NEIGHBOURS.items()),
    ]
    parcels = [
        {
            "PIN": f"01.030.20.{pin}",
            "LOT": lot,
            "PLAT": name,
            "ACRES": round(shape.area / 4046.8564, 2),
            "geometry": shape,
        }
        for pin, lot, name, shape in named
    ]
    return {
        "parcels": _frame(parcels),
        "tract": _frame([{"NAME": addition, "geometry": TRACT}]),
        "public_land": _frame([{"NAME": "Park", "geometry": plat.outlots["Park"]}]),
    }


def ground_layers(ground: Ground, waters: Waters) -> dict[str, gpd.GeoDataFrame]:
    """Soils, floodplain and natural communities."""
    soils = classified(ground.grid, _soil_codes(ground, waters), tolerance=3.5)
    floods = classified(ground.grid, _flood_codes(ground), tolerance=2.5)
    woods, sedges = (shapely.Polygon(smooth_line(list(points), closed=True)) for points in (WOODS, SEDGES))
    soil_rows = [
        {"MUKEY": mukey, "MUSYM": musym, "MUNAME": name, "HYDGRP": group, "geometry": shape}
        for code, mukey, musym, name, group in SOIL_ROWS
        for shape in soils.get(code, [])
    ]
    flood_rows = [
        {"FLD_ZONE": zone, "ZONE_SUBTY": subtype, "SFHA_TF": flag, "geometry": shapely.MultiPolygon(floods[code])}
        for code, zone, subtype, flag in FLOOD_ROWS
    ]
    communities = [
        {"NAME": "Maple-basswood forest", "RANK": "B", "geometry": woods.difference(waters.lake)},
        {"NAME": "Sedge meadow", "RANK": "C", "geometry": sedges},
    ]
    return {
        "soils": _frame(soil_rows),
        "floodplain": _frame(flood_rows),
        "natural_communities": _frame(communities),
    }


def _soil_codes(ground: Ground, waters: Waters) -> NDArray[np.integer[Any]]:
    """Map the soils from the lie of the land: codes of SOIL_ROWS."""
    x, y = cell_centres(ground.grid)
    smooth = ndimage.gaussian_filter(ground.grid.z, 6)
    steep = 100 * np.hypot(*np.gradient(smooth, ground.grid.dx))
    codes = np.where(x + 0.35 * y < 660 + 45 * np.sin(y / 62) + 22 * np.sin(y / 27), 5, 6)
    codes[(smooth > 299.6) & (((x - 720) / 460) ** 2 + ((y - 215) / 215) ** 2 < 1)] = 3
    codes[steep > 11.5] = 4
    codes[(codes == 6) & (steep < 1.6)] = 7
    codes[(ground.over_brook < 1.0) & (ground.from_brook < 95)] = 1
    for name, kettle in KETTLES.items():
        near = np.hypot(x - kettle.x, y - kettle.y) < 1.7 * max(kettle.radii)
        codes[near & (smooth < kettle.level + 0.9)] = 1 if name == "W-4" else 2
    shares = [ndimage.gaussian_filter((codes == code).astype(float), 5) for code in range(8)]
    codes = np.asarray(np.argmax(shares, axis=0))
    codes[shapely.contains_xy(waters.lake, x, y)] = 0
    return codes


def _flood_codes(ground: Ground) -> NDArray[np.integer[Any]]:
    """Map the flood zones: codes of FLOOD_ROWS."""
    x, _ = cell_centres(ground.grid)
    smooth = ndimage.gaussian_filter(ground.grid.z, 4)
    codes = np.zeros(smooth.shape, dtype=np.int16)
    brook = (ground.from_brook < 120) & (x > 380)
    for code, height in ((1, 2.0), (2, 1.3)):
        codes[brook & (ground.over_brook < height)] = code
        codes[(x < 480) & (smooth < LAKE_LEVEL + height)] = code
    codes[(ground.from_brook < 18) & (x > 445)] = 3
    return np.asarray(ndimage.median_filter(codes, 5))


def _strip(points: tuple[tuple[float, float], ...], width: float) -> BaseGeometry:
    return line(points).buffer(width / 2, cap_style="flat")


def planned_layers(plat: Plat, waters: Waters) -> dict[str, gpd.GeoDataFrame]:
    """What stands, what is to be built, what must stay out of the buffer, and a buffer averaged around it."""
    box = shapely.box(-8, -5.5, 8, 5.5)
    homestead = affinity.translate(affinity.rotate(box, 12), *HOMESTEAD)
    shore = shapely.shortest_line(homestead, waters.lake)
    drive = _strip(FARM_DRIVE, 12 * FOOT).difference(shapely.union_all([homestead, COUNTY_ROAD]))
    # the homestead stays, so its lot gets no new house
    homes = [home for home in plat.homes if not plat.lots[home.lot - 1].contains(homestead)]
    near = min(homes, key=lambda home: home.house.distance(waters.wetlands["W-2"]))
    septic = affinity.translate(
        affinity.rotate(shapely.box(-9, -4, 9, 4), 8), near.house.centroid.x + 21, near.house.centroid.y + 4
    )
    keep_out = {"house": near.house, "drive": near.drive, "septic": septic}
    houses = [{"NAME": f"Lot {home.lot}", "KIND": "new_principal", "geometry": home.house} for home in homes]
    old = {"NAME": "Homestead", "KIND": "existing_primary", "geometry": homestead}
    built = [
        ("street", plat.pavement),
        *((f"roof, lot {h.lot}", h.house) for h in homes),
        *((f"drive, lot {h.lot}", h.drive) for h in homes),
    ]
    trails = [
        {"NAME": "Brook trail", "SURFACE": "bituminous", "WIDTH_FT": 8.0, "geometry": line(PAVED_TRAIL)},
        {"NAME": "Kettle path", "SURFACE": "earth", "WIDTH_FT": 4.0, "geometry": line(FOOTPATH)},
    ]
    return {
        "structures": _frame([old, *houses]),
        "new_impervious": _frame([{"NAME": name, "geometry": shape} for name, shape in built]),
        "existing_impervious": _frame(
            [{"NAME": "homestead", "geometry": homestead}, {"NAME": "farm drive", "geometry": drive}]
        ),
        "trails": _frame(trails),
        "infiltration": _frame(
            [{"NAME": "Basin 1", "geometry": shapely.Polygon(smooth_line(list(BASIN), closed=True))}]
        ),
        "access": _frame([{"NAME": "Path to the lake", "geometry": shore}]),
        "keep_out": _frame([{"KIND": kind, "geometry": shape} for kind, shape in keep_out.items()]),
        "proposed_buffer": _frame([{"NAME": "around W-2", "geometry": _proposal(waters.wetlands["W-2"], keep_out)}]),
    }


def _proposal(wetland: BaseGeometry, keep_out: dict[str, BaseGeometry]) -> BaseGeometry:
    """Draw a buffer as a designer would: 75 ft, drawn in before the house and let out on the far side."""
    whole = wetland.buffer(75 * FOOT, quad_segs=32)
    behind = wetland.buffer(95 * FOOT, quad_segs=32).intersection(shapely.box(400, wetland.centroid.y, 800, HEIGHT))
    kept_out = shapely.union_all(list(keep_out.values())).buffer(6 * FOOT, join_style="mitre")
    return whole.union(behind).difference(wetland).difference(kept_out)


def make_samples(folder: Path) -> None:
    """Write site.gpkg and dem.tif into a folder."""
    ground = make_ground()
    waters = make_waters(ground)
    plat = make_plat(waters.lake, shapely.union_all([waters.wetlands[name] for name in KETTLES]))
    layers = {
        **water_layers(waters),
        **land_layers(plat),
        **ground_layers(ground, waters),
        **planned_layers(plat, waters),
    }
    grid = replace(ground.grid, left=ORIGIN[0], top=ORIGIN[1] + HEIGHT)
    write_geopackage(folder / "site.gpkg", layers)
    write_dem(folder / "dem.tif", grid, crs=CRS, unit="metre")


if __name__ == "__main__":
    make_samples(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "data_samples")
