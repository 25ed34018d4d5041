"""Masks of cells as polygons without stair-steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from wetgeo.kernels.grid import Grid

Array = NDArray[np.float64]
Polygonal = shapely.Polygon | shapely.MultiPolygon

#: the corners of a square (upper left, upper right, lower right, lower left) are the bits 1, 2, 4, 8; for each pattern
#: of corners inside, the sides (0 top, 1 right, 2 bottom, 3 left) that lines join; opposite corners are kept apart
_LINES = {
    1: ((3, 0),),
    2: ((0, 1),),
    3: ((3, 1),),
    4: ((1, 2),),
    5: ((3, 0), (1, 2)),
    6: ((0, 2),),
    7: ((3, 2),),
    8: ((2, 3),),
    9: ((0, 2),),
    10: ((0, 1), (2, 3)),
    11: ((1, 2),),
    12: ((1, 3),),
    13: ((0, 1),),
    14: ((3, 0),),
}


def smooth_outline(grid: Grid, mask: NDArray[np.bool_], *, fine: float, blur: float = 1.0) -> Polygonal:
    """Return the ground of a mask as polygons with smooth outlines.

    Parameters
    ----------
    grid
        Gives the cells.
    mask
        The cells, shape of ``grid.z``.
    fine
        Cells wider than this (CRS units) are divided first, so that the outline bends in steps no longer than it.
    blur
        Standard deviation of the blur, cells.

    Returns
    -------
    Valid polygons, in the plane of the grid. The mask is blurred and the outline drawn where half is left: straight
    edges of any direction stay within half a cell, corners are rounded within 0.6 of the blur. Cells that meet only at
    a corner are not joined.
    """
    parts = max(round(max(grid.dx, grid.dy) / fine), 1)
    cells = np.pad(np.kron(mask, np.ones((parts, parts), dtype=bool)), parts, mode="edge")
    inner = gaussian_filter(cells.astype(np.float64), sigma=blur * parts, mode="nearest", truncate=3.0)
    dx, dy = grid.dx / parts, grid.dy / parts
    outline = contour(inner, 0.5, left=grid.left - parts * dx, top=grid.top + parts * dy, cell=(dx, dy))
    return polygonal(shapely.intersection(outline, shapely.box(*grid.bounds)))


def contour(field: Array, level: float, *, left: float, top: float, cell: tuple[float, float]) -> Polygonal:
    """Return where a field given at cell centres exceeds a level, by marching squares.

    `left`, `top` is the outer corner of cell (0, 0), `cell` its size. The field ends at its outermost centres.
    """
    dx, dy = cell
    ground = np.pad(np.where(field == level, np.nextafter(level, np.inf), field), 1, constant_values=-np.inf)
    ends = _sides(ground, level)
    inside = ground > level
    pattern = inside[:-1, :-1] + 2 * inside[:-1, 1:] + 4 * inside[1:, 1:] + 8 * inside[1:, :-1]
    pieces = []
    for kind, lines in _LINES.items():
        at = np.nonzero(pattern == kind)
        pieces += [np.stack([ends[one][at], ends[other][at]], axis=1) for one, other in lines]
    segments = np.concatenate(pieces)
    segments = segments[(segments[:, 0] != segments[:, 1]).any(axis=1)]
    if not len(segments):
        return shapely.Polygon()
    x = left + (segments[..., 0] - 0.5) * dx  # the pad shifts positions by a cell, centres by half of one
    y = top - (segments[..., 1] - 0.5) * dy
    drawn: Any = shapely.linestrings(np.stack([x, y], axis=-1))
    return polygonal(shapely.build_area(shapely.geometrycollections(drawn)))


def _sides(ground: Array, level: float) -> tuple[Array, Array, Array, Array]:
    """Return where the level crosses each side of each square, as column and row; top, right, bottom, left."""
    rows, columns = ground.shape
    with np.errstate(invalid="ignore", divide="ignore"):
        across = (level - ground[:, :-1]) / (ground[:, 1:] - ground[:, :-1])
        down = (level - ground[:-1]) / (ground[1:] - ground[:-1])
    # beside the pad the line runs through the outermost centres
    across = np.where(np.isinf(ground[:, :-1]), 1.0, np.where(np.isinf(ground[:, 1:]), 0.0, across))
    down = np.where(np.isinf(ground[:-1]), 1.0, np.where(np.isinf(ground[1:]), 0.0, down))
    row, column = np.meshgrid(np.arange(rows, dtype=float), np.arange(columns, dtype=float), indexing="ij")
    level_x = np.stack([column[:, :-1] + across, row[:, :-1]], axis=-1)
    upright = np.stack([column[:-1], row[:-1] + down], axis=-1)
    return level_x[:-1], upright[:, 1:], level_x[1:], upright[:, :-1]


def polygonal(shape: Any) -> Polygonal:  # noqa: ANN401 (shapely returns unions of types)
    """Return the polygons of a geometry, valid; an empty Polygon where there are none."""
    parts = shapely.get_parts(shapely.make_valid(shape))
    while (shapely.get_type_id(parts) > shapely.GeometryType.POLYGON).any():
        parts = shapely.get_parts(parts)
    polygons = [part for part in parts if isinstance(part, shapely.Polygon) and not part.is_empty]
    return polygons[0] if len(polygons) == 1 else shapely.MultiPolygon(polygons) if polygons else shapely.Polygon()
