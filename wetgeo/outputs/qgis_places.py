"""Where the labels of buffers stand: beside the resource, where an extension makes a buffer reach far from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from wetgeo.outputs.plain import unit_of
from wetgeo.pieces import Layers
from wetgeo.units import FOOT_M

if TYPE_CHECKING:
    from wetgeo.delineation import Delineation

#: the places stand in the style itself: no more than so many
_MOST = 200


def label_ground(delineation: Delineation) -> str | None:
    """Return an expression that gives the ground on which a buffer's label may stand; None for all of its ground.

    The ground of an extended buffer may surround other resources, and a label there would be taken for theirs.

    Parameters
    ----------
    delineation
        With conformed layers.
    """
    layers = Layers.of(delineation.layers)
    wide = sum(int(widths.notna().sum()) for widths in layers.column("buffers", "width_ft"))
    if not layers.rows("extensions") or not 0 < wide <= _MOST:
        return None
    buffers = layers["buffers"].dropna(subset=["width_ft"])
    foot = FOOT_M / unit_of(delineation.crs)[1]  # CRS units in a foot
    waters = layers["resources"].set_index("resource_id").geometry
    near = shapely.buffer(waters.loc[buffers["resource_id"]].to_numpy(), buffers["width_ft"].to_numpy() * foot)
    rings = shapely.intersection(buffers.geometry.to_numpy(), near)
    whens = [
        f'WHEN "resource_id" = {_quoted(name)} THEN buffer(make_point({x:.2f}, {y:.2f}), {radius:.2f})'
        for name, (x, y, radius) in zip(buffers["resource_id"], map(_roomiest, _own_first(rings)), strict=True)
        if radius > 0
    ]
    return " ".join(["CASE", *whens, "ELSE $geometry END"]) if whens else None


def _own_first(rings: np.ndarray) -> list[shapely.Geometry]:
    """Leave out of each ring what others share; where nothing is left, keep the ring."""
    found = []
    for number, ring in enumerate(rings):
        own = shapely.difference(ring, shapely.union_all(np.delete(rings, number)))
        found.append(ring if shapely.is_empty(own) else own)
    return found


def _roomiest(ground: shapely.Geometry) -> tuple[float, float, float]:
    """Return centre and radius of the widest circle in polygons; a radius of 0 where there is none."""
    (ground,) = shapely.buffer([ground], 0)  # without the lines and points of an intersection
    if shapely.is_empty(ground):
        return 0.0, 0.0, 0.0
    centre, touched = shapely.get_coordinates(shapely.maximum_inscribed_circle([ground], tolerance=0.1))
    return float(centre[0]), float(centre[1]), float(np.hypot(*(touched - centre)))


def _quoted(text: str) -> str:
    """Write text as QGIS's expressions do."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
