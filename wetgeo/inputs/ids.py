"""Names of features, and the canonical order, in which nothing depends on the order of the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.findings import Findings
from wetgeo.inputs.faults import listed


def canonical_order(geometry: NDArray[np.object_], ties: Sequence[str], *, grain: float) -> NDArray[np.intp]:
    """Return the positions that sort geometries from west to east, then south to north, then by size and shape.

    Parameters
    ----------
    geometry
        Geometries, shape (n,).
    ties
        Decides between geometries that are the same to the vertex.
    grain
        Bounds within it count as the same, so that the noise of a reprojection changes no order; CRS units.
    """
    sizes = shapely.area(geometry) + shapely.length(geometry)
    return order_of(shapely.bounds(geometry), sizes, lambda rows: geometry[rows], ties, grain=grain)


def order_of(
    bounds: NDArray[np.float64],
    sizes: NDArray[np.float64],
    take: Callable[[NDArray[np.intp]], NDArray[np.object_]],
    ties: Sequence[str],
    *,
    grain: float,
) -> NDArray[np.intp]:
    """As `canonical_order`, of geometries of which only those that are alike in bounds and size are taken.

    Parameters
    ----------
    bounds, sizes
        Of the geometries, shape (n, 4); area and length together, shape (n,).
    take
        Gives the geometries of some positions.
    ties, grain
        As in `canonical_order`.
    """
    rough, sizes = np.round(bounds / grain), np.round(sizes, 6)
    columns = (sizes, *rough.T[::-1])
    order = np.lexsort(columns)
    keys = np.column_stack(columns)[order]
    alike = np.flatnonzero((keys[1:] == keys[:-1]).all(axis=1))
    if len(alike):
        order = _settle(order, take, ties, np.unique(np.concatenate([alike, alike + 1])), keys)
    return np.asarray(order, dtype=np.intp)


def _settle(
    order: NDArray[np.intp],
    take: Callable[[NDArray[np.intp]], NDArray[np.object_]],
    ties: Sequence[str],
    places: NDArray[np.intp],
    keys: NDArray[np.float64],
) -> NDArray[np.intp]:
    """Sort the geometries at some places, whose bounds and sizes are alike, by their vertices and then by `ties`."""
    shapes = vertices(take(order[places]))
    rows = sorted(
        range(len(places)), key=lambda i: (tuple(keys[places[i]][::-1]), shapes[i], ties[int(order[places[i]])])
    )
    settled = order.copy()
    settled[places] = order[places[rows]]
    return settled


def vertices(geometry: NDArray[np.object_]) -> list[bytes]:
    """Return geometries as bytes that are equal where they have the same vertices, wherever their rings start."""
    return [bytes(each) for each in shapely.to_wkb(shapely.normalize(geometry), byte_order=1)]


def unique_ids(raw: Sequence[str], layers: Sequence[str], findings: Findings) -> list[str]:
    """Make ids unique: of several features with one id, the later in the given (canonical) order get #2, #3.

    Parameters
    ----------
    raw
        Ids as they came, in canonical order.
    layers
        The layer of each, for the finding.
    findings
        Gets one finding for each id that is repeated.
    """
    taken = set(raw)
    count: dict[str, int] = {}
    renamed: dict[str, list[str]] = {}
    unique: list[str] = []
    for name in raw:
        count[name] = count.get(name, 0) + 1
        new = name
        if count[name] > 1:
            while (new := f"{name}#{count[name]}") in taken:
                count[name] += 1
            taken.add(new)
            renamed.setdefault(name, []).append(new)
        unique.append(new)
    first_layer = dict(zip(reversed(raw), reversed(layers), strict=True))
    for name, new_names in renamed.items():
        findings.warning(
            "id-repeated",
            f"{len(new_names) + 1} features bear the id {name}; the others, from west to east, are now "
            f"{listed(new_names)}",
            layer=first_layer[name],
            feature_id=name,
        )
    return unique
