"""Geometries as they must be behind the door: of the right kind, valid, with an extent, each ground once."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.inputs.notes import Notes
from wetgeo.units import area_text

GeometryArray = NDArray[np.object_]

#: kinds by GEOS's type ids, from -1
_KINDS = np.array(["nothing", "point", "line", "line", "polygon", "point", "line", "polygon", "collection"])
#: what is smaller has no extent: a thousandth of a foot, or of a square foot
_NO_EXTENT = 1e-3
#: a change of area that a reviewer should look at (issue: more than 1 %)
_MUCH = 0.01


def kinds(geometry: GeometryArray) -> NDArray[np.str_]:
    """Return point, line, polygon, collection or nothing for each geometry."""
    kind: NDArray[np.str_] = _KINDS[shapely.get_type_id(geometry) + 1]
    return kind


#: coordinates beyond this are on no map, in whatever unit: the Earth's girth is 4e7 m
_FARTHEST = 1e10


def unusable(geometry: GeometryArray, surface: NDArray[np.bool_]) -> dict[str, NDArray[np.intp]]:
    """Find rows that hold no usable geometry, by reason; a row has one reason."""
    missing = shapely.is_missing(geometry)
    empty = shapely.is_empty(geometry)
    coordinates, of = shapely.get_coordinates(geometry, return_index=True)
    strange = np.zeros(len(geometry), dtype=bool)
    strange[of[~np.isfinite(coordinates).all(axis=1)]] = True
    beyond = np.zeros(len(geometry), dtype=bool)
    beyond[of[(np.abs(coordinates) > _FARTHEST).any(axis=1)]] = True
    reasons = {
        "a 3D surface (TIN or multipatch) has no outline on the ground": surface,
        "it has no geometry": missing & ~surface,
        "its geometry is empty": empty,
        "its geometry has coordinates that are not numbers": strange & ~empty,
        f"its coordinates are beyond {_FARTHEST:.0e}, which is on no map": beyond & ~strange & ~empty,
    }
    return {reason: np.flatnonzero(rows) for reason, rows in reasons.items() if rows.any()}


def as_allowed(geometry: GeometryArray, allowed: tuple[str, ...], notes: Notes) -> GeometryArray:
    """Make geometries of a kind that the layer may hold.

    Of a collection the allowed part is kept; a closed line is the outline of a polygon where the layer holds nothing
    but polygons, as in drawings. What is left as it was is of a wrong kind.
    """
    made = geometry.copy()
    found = kinds(geometry)
    for row in np.flatnonzero(found == "collection").tolist():
        part = _allowed_part(geometry[row], allowed)
        if part is not None:
            made[row] = part
            notes.add("warning", "geometry-repaired", "of a collection of several kinds its main part was kept", [row])
    if allowed == ("polygon",):
        for row in np.flatnonzero(found == "line").tolist():
            lines = shapely.get_parts(geometry[row])
            if (shapely.is_closed(lines) & (shapely.get_num_points(lines) > 3)).all():
                made[row] = _gathered([shapely.Polygon(line.coords) for line in lines], "polygon")
                notes.add("info", "geometry-repaired", "a closed line was taken as the outline of a polygon", [row])
    return made


def _allowed_part(collection: Any, allowed: tuple[str, ...]) -> Any:  # noqa: ANN401 -- shapely geometries
    """Return the part of a collection, nested ones too, that has the highest allowed dimension; None where none."""
    parts = np.array([collection], dtype=object)
    while (kinds(parts) == "collection").any():
        parts = shapely.get_parts(parts)
    parts = shapely.get_parts(parts)
    of = kinds(parts)
    for kind in ("polygon", "line", "point"):
        if kind in allowed and (of == kind).any():
            return _gathered(parts[of == kind], kind)
    return None


def _gathered(parts: Any, kind: str) -> Any:  # noqa: ANN401 -- shapely geometries
    """Make one geometry of parts of one kind."""
    if len(parts) == 1:
        return parts[0]
    makers: dict[str, Any] = {
        "polygon": shapely.multipolygons,
        "line": shapely.multilinestrings,
        "point": shapely.multipoints,
    }
    return makers[kind](parts)


def make_valid(
    geometry: GeometryArray, *, sqft: float, notes: Notes, features: NDArray[np.intp] | None = None
) -> GeometryArray:
    """Repair invalid polygons so that all ground inside any of their lobes is kept, and none twice.

    The change of area is reckoned from the shoelace formula over the rings as they are stored, which is the area that
    a GIS shows of an invalid outline; a figure that crosses itself has no other area of its own.

    Parameters
    ----------
    geometry
        Geometries of allowed kinds.
    sqft
        Square CRS units in a square foot.
    notes
        Gets a note for each repair, a warning where the area changes by more than 1 %.
    features
        The row of `notes` that each geometry is of, shape (n,); left out, they count from 0.
    """
    made = geometry.copy()
    rows = np.flatnonzero(~shapely.is_valid(geometry) & (kinds(geometry) == "polygon"))
    if not len(rows):
        return made
    broken = geometry[rows]
    mended = shapely.make_valid(broken, method="structure", keep_collapsed=False)
    made[rows] = mended
    before, after = shapely.area(broken) / sqft, shapely.area(mended) / sqft
    for row, reason, old, new in zip(rows.tolist(), shapely.is_valid_reason(broken), before, after, strict=True):
        if new <= _NO_EXTENT:
            continue  # told as a feature without area
        change = (new - old) / old if old > 0 else np.inf
        notes.add(
            "warning" if abs(change) > _MUCH else "info",
            "geometry-repaired",
            f"invalid outline repaired ({reason}): area {area_text(old)} before, by the shoelace formula over its "
            f"rings as stored, {area_text(new)} after ({_percent(change)})",
            [row if features is None else features[row]],
        )
    return made


def _percent(change: float) -> str:
    return f"{change:+.2%}" if np.isfinite(change) else "it had none before"


def without_extent(geometry: GeometryArray, *, ft: float) -> NDArray[np.bool_]:
    """Flag polygons without area and lines without length; `ft` is CRS units in a foot."""
    found = kinds(geometry)
    flat = (found == "polygon") & (shapely.area(geometry) <= _NO_EXTENT * ft**2)
    short = (found == "line") & (shapely.length(geometry) <= _NO_EXTENT * ft)
    return np.asarray(flat | short | (found == "nothing") | shapely.is_empty(geometry))


def has_ground(geometry: GeometryArray) -> NDArray[np.bool_]:
    """Tell which geometries will have an extent once repaired, in whatever CRS they are."""
    flat = (kinds(geometry) == "polygon") & (shapely.area(geometry) == 0)
    ground = np.ones(len(geometry), dtype=bool)
    ground[flat] = shapely.area(shapely.make_valid(geometry[flat], method="structure", keep_collapsed=False)) > 0
    return ground
