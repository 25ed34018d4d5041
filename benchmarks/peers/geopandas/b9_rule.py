"""B9 by geopandas, rasterio and exactextract: the whole rule, as an analyst writes it.

Base width by class, less a cut for slope and one for soil, down to the floor; buffers less wetlands; buffer held by
each parcel; monuments at lot lines and evenly between.
"""

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from exactextract import exact_extract
from files import DATA, OUT, read, rule, write
from slopes import write_slope

RULE = rule()
SQFT = 0.3048**2


def buffered(wetlands: gpd.GeoDataFrame, width: pd.Series) -> gpd.GeoSeries:
    """Buffer each wetland by its width, with chords that stray from the arc by no more than is allowed."""
    segments = np.ceil(np.pi / 4 / np.arccos(1 - RULE["chord_m"] / width)).astype(int)
    drawn = wetlands.geometry.copy()
    for count, rows in wetlands.groupby(segments).groups.items():
        drawn[rows] = wetlands.geometry[rows].buffer(width[rows], quad_segs=int(count))
    return drawn


def less_wetlands(wetlands: gpd.GeoDataFrame, drawn: gpd.GeoSeries) -> gpd.GeoDataFrame:
    """Take all wetlands away."""
    rings = gpd.overlay(wetlands[["WET_ID"]].set_geometry(drawn), wetlands[["geometry"]], how="difference")
    return rings.set_index("WET_ID").loc[wetlands["WET_ID"]].reset_index()


def soil_group(rings: gpd.GeoDataFrame) -> pd.Series:
    """Predominant hydrologic soil group by WET_ID; dual groups are D, none where over half is unrated."""
    soils = read("soils")
    soils["hsg"] = soils["HYDGRP"].where(~soils["HYDGRP"].str.contains("/", na=False), "D")
    pieces = gpd.overlay(rings, soils[["hsg", "geometry"]])
    areas = pieces.assign(area=pieces.area).pivot_table(index="WET_ID", columns="hsg", values="area", aggfunc="sum")
    areas = areas.reindex(index=rings["WET_ID"], columns=["D", "C", "B", "A"]).fillna(0)
    rated = areas.sum(axis=1) >= 0.5 * rings.set_index("WET_ID").area
    return areas.idxmax(axis=1).where(rated)


def monuments(drawn: gpd.GeoSeries, parcels: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Set monuments where lot lines cross the edge of all buffers together, and evenly between."""
    united = drawn.union_all(method="disjoint_subset")
    rings = shapely.get_rings(shapely.get_parts(united))
    lots = parcels.boundary.to_numpy()
    ring, lot = shapely.STRtree(lots).query(rings, predicate="intersects")
    crossing, pair = shapely.get_parts(shapely.intersection(rings[ring], lots[lot]), return_index=True)
    crossing, of = shapely.get_parts(crossing, return_index=True)
    of = ring[pair[of]]
    ends, line = shapely.get_coordinates(crossing, return_index=True)
    at = shapely.line_locate_point(rings[of[line]], shapely.points(ends))
    fixed = pd.DataFrame({"ring": of[line], "at": at}).sort_values(["ring", "at"])
    near = fixed.groupby("ring")["at"].diff() < 0.5 * 0.3048
    fixed = fixed[~near]
    bare = np.setdiff1d(np.arange(len(rings)), fixed["ring"])
    fixed = pd.concat([fixed, pd.DataFrame({"ring": bare, "at": 0.0})]).sort_values(["ring", "at"], ignore_index=True)
    length = shapely.length(rings)[fixed["ring"]]
    first = fixed.groupby("ring")["at"].transform("first")
    gap = fixed.groupby("ring")["at"].shift(-1).fillna(first + length) - fixed["at"]
    count = np.maximum(np.ceil((gap - 0.003) / RULE["interval_m"]), 1).astype(int)
    row = np.repeat(np.arange(len(fixed)), count)
    number = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count).to_numpy()
    station = fixed["at"].to_numpy()[row] + gap.to_numpy()[row] * number / count.to_numpy()[row]
    points = shapely.line_interpolate_point(rings[fixed["ring"].to_numpy()[row]], station % length[row])
    return gpd.GeoDataFrame({"station_ft": station / 0.3048}, geometry=points, crs=drawn.crs)


wetlands, parcels = read("wetlands"), read("parcels")
rings = less_wetlands(wetlands, buffered(wetlands, wetlands["base_m"]))
slope_file = write_slope(DATA / "dem.tif", OUT / "slope.tif")
slope = exact_extract(str(slope_file), rings, "mean", output="pandas")["mean"].round(2)
hsg = soil_group(rings).reset_index(drop=True)
steps = np.floor((RULE["slope_below"] - slope) / RULE["slope_step"] + 1e-9).clip(lower=0)
grades = hsg.map({"D": 0, "C": 1, "B": 2, "A": 3}).fillna(0)
cut = steps * RULE["slope_cut_m"] + grades * RULE["soil_cut_m"]
width = np.maximum(wetlands["base_m"] - cut, wetlands["floor_m"])
drawn = buffered(wetlands, width)
buffers = less_wetlands(wetlands, drawn).assign(slope_pct=slope, hsg=hsg, width_ft=width / 0.3048)
buffers["area_sqft"] = buffers.area / SQFT
write(buffers, "buffers")
union = gpd.GeoDataFrame(geometry=[buffers.union_all(method="disjoint_subset")], crs=buffers.crs).explode(
    ignore_index=True
)
write(union, "buffer_union")
held = gpd.overlay(union, parcels[["PIN", "geometry"]])
held = held.assign(buffer_sqft=held.area / SQFT).groupby("PIN")["buffer_sqft"].sum()
write(parcels.merge(held[held > 1].reset_index(), on="PIN"), "parcels")
write(monuments(drawn, parcels), "monuments")
