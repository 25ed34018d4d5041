"""Upland: the ground that buffers may lie on, and the uniform buffer U(w) that every provision is measured by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import shapely
from numpy.typing import NDArray

from wetgeo.kernels.needles import without_bands, without_needles
from wetgeo.kernels.offset import (
    CHORD_TOLERANCE_FT,
    FloatArray,
    GeometryArray,
    Shape,
    clip,
    grow,
    polygons_only,
    subtract,
    without_slivers,
)
from wetgeo.site import Site

#: parts of upland smaller than this are what is left where outlines nearly coincide, no ground
_SLIVER_SQFT = 0.01
#: and so are spikes and slits that are thinner than this
NEEDLE_FT = 0.001
#: and bands between a hole and the outline that are thinner than this
_BAND_FT = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Upland:
    """All that is in no wetland, lake or stream, within the tract where there is one.

    Attributes
    ----------
    resources
        The resources' polygons, in the site's order; `rows` below count in it.
    tree
        A tree of them.
    tract
        The tract as one geometry, or None: everything.
    subject
        Row to the ground whose nearest point of that resource lies on its subject edge. A row that is not here is
        subject all round.
    ft
        Units of the CRS in a foot.
    neighbours
        Flags resources that come to another within a hair, shape of `resources`.
    """

    resources: GeometryArray
    tree: shapely.STRtree
    tract: Shape | None
    ft: float
    neighbours: NDArray[np.bool_]
    subject: Mapping[int, Shape] = field(default_factory=dict)

    @classmethod
    def of(cls, site: Site, subject: Mapping[int, Shape] | None = None) -> Upland:
        """Take the upland of a site."""
        resources = site.resources.geometry.to_numpy()
        tract, tree = site.layers.get("tract"), shapely.STRtree(resources)
        return cls(
            resources=resources,
            tree=tree,
            neighbours=_neighbours(resources, tree, _BAND_FT * site.ft),
            tract=None if tract is None or tract.empty else shapely.union_all(tract.geometry.to_numpy()),
            ft=site.ft,
            subject=subject or {},
        )

    def offset(self, rows: np.ndarray, widths_ft: FloatArray) -> GeometryArray:
        """Grow resources by widths in feet; the polygons hold the resources, and know nothing of tract or upland."""
        return grow(
            self.resources[rows], np.asarray(widths_ft, dtype=float) * self.ft, tolerance=CHORD_TOLERANCE_FT * self.ft
        )

    def clipped(self, footprints: GeometryArray, rows: np.ndarray) -> GeometryArray:
        """Reduce footprints to upland within the tract and each row's subject ground."""
        ground = subtract(footprints, self.resources, self.tree)
        for index, row in enumerate(rows):
            if row in self.subject:
                ground[index] = shapely.intersection(ground[index], self.subject[row])
        ground = polygons_only(ground)
        if self.tract is not None:
            ground = clip(ground, self.tract)
        ground = without_needles(without_slivers(ground, _SLIVER_SQFT * self.ft**2), NEEDLE_FT * self.ft)
        beside = np.flatnonzero(self.neighbours[rows])
        ground[beside] = without_bands(ground[beside], _BAND_FT * self.ft)
        return ground

    def within(self, rows: np.ndarray, widths_ft: FloatArray) -> GeometryArray:
        """U(w): upland within w feet of each resource, within tract and subject ground."""
        return self.clipped(self.offset(rows, widths_ft), rows)


def _neighbours(resources: GeometryArray, tree: shapely.STRtree, reach: float) -> NDArray[np.bool_]:
    one, two = tree.query(resources)
    one, two = one[one < two], two[one < two]
    near = shapely.dwithin(resources[one], resources[two], reach)
    flags = np.zeros(len(resources), dtype=bool)
    flags[one[near]] = flags[two[near]] = True
    return flags
