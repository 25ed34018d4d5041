"""B10 by geopandas and shapely: averaging checks of wetlands that stand alone, by the definitions of the rule."""

import numpy as np
import pandas as pd
import shapely
from files import read, rule, write

FT = 0.3048
#: the rule: credit up to twice the width
CAP = 2.0


def buffered(shapes: np.ndarray, widths: np.ndarray, chord: float) -> np.ndarray:
    """Buffer shapes with chords that stray from the arc by no more than is allowed."""
    drawn = shapes.copy()
    for width in np.unique(widths):
        rows = widths == width
        segments = int(np.ceil(np.pi / 4 / np.arccos(1 - chord / width)))
        drawn[rows] = shapely.buffer(shapes[rows], width, quad_segs=segments)
    return drawn


wetlands = read("wetlands").merge(pd.DataFrame(read("proposed")).rename(columns={"geometry": "proposed"}), on="WET_ID")
water, base = wetlands.geometry.to_numpy(), wetlands["base_m"].to_numpy()
proposed, chord = shapely.difference(wetlands["proposed"].to_numpy(), water), rule()["chord_m"]
required = shapely.difference(buffered(water, base, chord), water)
credited = shapely.intersection(proposed, buffered(water, CAP * base, chord))
held = shapely.union(proposed, water, grid_size=1e-6)
answer = wetlands[["WET_ID", "geometry"]].assign(
    required_sqft=shapely.area(required) / FT**2,
    credited_sqft=shapely.area(credited) / FT**2,
    lost_sqft=shapely.area(shapely.difference(required, proposed)) / FT**2,
    gained_sqft=shapely.area(shapely.difference(credited, required)) / FT**2,
    minimum_ft=shapely.distance(water, shapely.boundary(held)) / FT,
)
write(answer.set_geometry(proposed, crs=wetlands.crs), "averaging")
