"""Parcels: the lots that they make, and the buffer that each holds."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from wetgeo.findings import Findings
from wetgeo.kernels.lines import Floats, GeometryArray, Ints
from wetgeo.kernels.shares import Shares, shares
from wetgeo.site import Site
from wetgeo.units import SQFT_PER_ACRE

#: a parcel holds buffer where it is more than what two drawings of one line may differ by
LEAST_SQFT = 1.0
#: lots whose ground is in memory at a time, where only their outlines are compared
_BLOCK = 2_500
#: outlines whose vertices agree within this are the same
SAME_FT = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Lots:
    """The parcels, each number once.

    Attributes
    ----------
    labels
        The parcel's number; the feature's own id where the file has no number.
    geometries
        Their ground; features that bear one number are one parcel.
    areas
        Area, square units of the CRS.
    outline
        Parcels with the same outline bear the same number here: they are one lot.
    """

    labels: NDArray[np.object_]
    geometries: GeometryArray
    areas: Floats
    outline: Ints
    _names: dict[tuple[int, ...], str | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.labels)

    def name(self, holders: Iterable[int]) -> str | None:
        """Name the lot that holds a place: the smallest of several, with all numbers that bear its outline."""
        asked = tuple(holders)
        if asked not in self._names:
            self._names[asked] = self._name(asked)
        return self._names[asked]

    def _name(self, holders: tuple[int, ...]) -> str | None:
        held = sorted(holders, key=lambda lot: (self.areas[lot], lot))
        if not held:
            return None
        return "; ".join(str(self.labels[lot]) for lot in held if self.outline[lot] == self.outline[held[0]])


def lots_of(site: Site, findings: Findings) -> Lots:
    """Take the lots of a site; none where no parcels were given.

    Numbers that several features bear, and parcels with the same outline, are findings.
    """
    frame = site.layers.get("parcels")
    if frame is None or frame.empty:
        none = np.empty(0, dtype=object)
        return Lots(labels=none, geometries=none, areas=np.empty(0), outline=np.empty(0, dtype=np.intp))
    labels, group = _numbered(frame)
    (geometries,) = _grounds(group, frame.geometry.to_numpy().__getitem__, len(group))
    outline = _numbers(_outlines(geometries, SAME_FT * site.ft))
    _tell_alike(labels, group, outline, findings)
    return Lots(labels=labels, geometries=geometries, areas=shapely.area(geometries), outline=outline)


def tell_lots(frame: pd.DataFrame, shapes: Callable[[Ints], GeometryArray], ft: float, findings: Findings) -> None:
    """Tell of parcels what `lots_of` tells, with the ground of some of them in memory at a time.

    Parameters
    ----------
    frame
        Columns ``parcel_id`` and ``feature_id``.
    shapes
        Gives the ground of some rows.
    ft
        CRS units in a foot.
    findings
        Takes what is told.
    """
    if frame.empty:
        return
    labels, group = _numbered(frame)
    keys = [key for ground in _grounds(group, shapes, _BLOCK) for key in _outlines(ground, SAME_FT * ft)]
    _tell_alike(labels, group, _numbers(keys), findings)


def _numbered(frame: pd.DataFrame) -> tuple[NDArray[np.object_], Ints]:
    """Label the lots, and number the lot that each feature belongs to."""
    numbered = frame["parcel_id"].notna().to_numpy()
    labels = np.where(numbered, frame["parcel_id"].to_numpy(dtype=object), frame["feature_id"].to_numpy(dtype=object))
    keys = pd.Series([(bool(n), str(label)) for n, label in zip(numbered, labels, strict=True)])
    group = np.asarray(keys.groupby(keys, sort=False).ngroup(), dtype=np.intp)
    return labels[np.unique(group, return_index=True)[1]], group


def _grounds(group: Ints, shapes: Callable[[Ints], GeometryArray], most: int) -> Iterator[GeometryArray]:
    """Give the ground of the lots, at most so many at a time; features of one lot are united."""
    first = np.unique(group, return_index=True)[1]
    several = np.flatnonzero(np.bincount(group) > 1)
    for start in range(0, len(first), most):
        ground = shapes(first[start : start + most])
        for lot in several[(several >= start) & (several < start + most)]:
            ground[lot - start] = shapely.union_all(shapes(np.flatnonzero(group == lot)))
        yield ground


def _tell_alike(labels: NDArray[np.object_], group: Ints, outline: Ints, findings: Findings) -> None:
    """Tell of numbers that several features bear, and of outlines that several lots have."""
    repeated = [str(labels[lot]) for lot in np.flatnonzero(np.bincount(group) > 1)]
    if repeated:
        findings.info(
            "parcel-repeated",
            f"{_count(len(repeated), 'parcel number is', 'parcel numbers are')} borne by several features, which were "
            f"taken as one parcel each: {_some(repeated)}",
            layer="parcels",
        )
    stacked = np.flatnonzero(np.bincount(outline) > 1)
    if len(stacked):
        names = ["(" + _some(labels[outline == one].tolist()) + ")" for one in stacked]
        findings.info(
            "parcel-overlap",
            f"{_count(len(stacked), 'outline is', 'outlines are')} shared by several parcels, which are one lot each: "
            f"{_some(names)}",
            layer="parcels",
        )


def parcels_layer(buffer_union: gpd.GeoDataFrame, lots: Lots, site: Site, findings: Findings) -> gpd.GeoDataFrame:
    """Measure the buffer that each parcel holds.

    Ground that buffers share counts once; where parcels overlap, each holds the whole.

    Parameters
    ----------
    buffer_union
        The connected parts of all buffers, in the working CRS.
    lots
        The parcels.
    site
        For CRS and units.
    findings
        Takes the area of buffer on no parcel, and on several.

    Returns
    -------
    A row a parcel with more than a square foot of buffer: parcel_id, buffer_sqft, buffer_share, and the parcel.
    """
    held = shares(buffer_union.geometry.to_numpy(), lots.geometries)
    if len(lots):
        tell_held(held.total, held.covered, math.fsum(held.area), site, findings)
    return held_layer(held, lots, site)


def held_layer(held: Shares, lots: Lots, site: Site) -> gpd.GeoDataFrame:
    """Make the layer of what lots hold of all buffers, where it is measured; as `parcels_layer`."""
    enough = held.area > LEAST_SQFT * site.sqft
    lot, area = held.lot[enough], held.area[enough]
    return gpd.GeoDataFrame(
        {
            "parcel_id": lots.labels[lot],
            "buffer_sqft": area / site.sqft,
            "buffer_share": area / held.total if held.total else area,
        },
        geometry=lots.geometries[lot],
        crs=site.crs,
    )


def tell_held(total: float, covered: float, held: float, site: Site, findings: Findings) -> None:
    """Tell of buffer on no parcel, and on several.

    Parameters
    ----------
    total
        Area of all buffers, ground counted once, square units of the CRS.
    covered, held
        What of it lies on any parcel, and what all parcels hold, added up.
    site
        For CRS and units.
    findings
        Takes what is told.
    """
    bare, twice = (total - covered) / site.sqft, (held - covered) / site.sqft
    if bare > LEAST_SQFT:
        share = bare / (total / site.sqft)
        findings.warning(
            "parcel-none",
            f"{bare:,.0f} sq ft ({bare / SQFT_PER_ACRE:.2f} ac, {100 * share:.1f} % of the buffer) lie on no parcel, "
            "such as a street's right-of-way",
            layer="parcels",
        )
    if twice > LEAST_SQFT:
        findings.warning(
            "parcel-overlap",
            f"parcels overlap on {twice:,.0f} sq ft of buffer ({twice / SQFT_PER_ACRE:.2f} ac); each holds the whole "
            "of it, so that the parcels' sum is greater than the buffer",
            layer="parcels",
        )


def _outlines(geometries: GeometryArray, grid: float) -> list[bytes]:
    """Give each outline a key that others have only where their vertices agree within the grid."""
    rounded = shapely.normalize(shapely.set_precision(geometries, grid, mode="pointwise"))
    return [hashlib.blake2b(each, digest_size=16).digest() for each in shapely.to_wkb(rounded)]


def _numbers(keys: list[bytes]) -> Ints:
    return pd.factorize(pd.Series(keys, dtype=object))[0].astype(np.intp)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _some(names: Sequence[object], most: int = 10) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(str(name) for name in names[:most]) + more
