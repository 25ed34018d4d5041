"""Vegetated distance: buffers widened past surface that does not count as vegetated, and that surface itself."""

from __future__ import annotations

from dataclasses import dataclass

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from wetgeo.access import uncounted_access
from wetgeo.findings import Findings
from wetgeo.kernels.needles import without_slits
from wetgeo.kernels.offset import CHORD_TOLERANCE_FT, FloatArray, GeometryArray, Shape, quarter_segments
from wetgeo.kernels.rays import limit_to_own, outward_rays, reach_past, strip_polygons, sure_between
from wetgeo.rules.provisions import VegetatedDistance
from wetgeo.ruling import Ruling
from wetgeo.site import Site
from wetgeo.upland import NEEDLE_FT, Upland

#: rays stand at most this far apart along a side; where edges are straight more of them change nothing
_RAY_SPACING_FT = 2.0
#: where rays turn off, more of them are laid until another ends this near to the line between its neighbours, feet
_CLOSE_FT = 0.005
#: and between ends that are nearer to each other than this no more are laid, feet
_FINEST_FT = 2e-4
#: widening is given up this many widths from the resource
MOST_WIDTHS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UncountedSurface:
    """Surface that is no part of a buffer.

    Attributes
    ----------
    crossed
        Polygons over which width is not counted, shape (n,).
    access
        Polygons of access to the water, shape (m,). They run straight through the buffer: their area does not count,
        but beside them it is as wide as elsewhere. A path along the water is a trail.
    provision
        The provision on vegetated distance; None where the rule has none.
    """

    crossed: GeometryArray
    access: GeometryArray
    provision: VegetatedDistance | None

    @classmethod
    def of(cls, site: Site, ruling: Ruling, findings: Findings) -> UncountedSurface:
        """Collect the surface of a site that does not count under the rule."""
        provision = ruling.find(VegetatedDistance)
        access = uncounted_access(site, ruling, findings)
        if provision is None:
            return cls(crossed=np.zeros(0, dtype=object), access=access, provision=None)
        shapes = [site.layers[name].geometry.to_numpy() for name in provision.layers if name in site.layers]
        shapes.append(_trails(site, provision, findings))
        return cls(crossed=np.concatenate(shapes), access=access, provision=provision)

    @property
    def shapes(self) -> GeometryArray:
        """All of it, shape (n + m,)."""
        return np.concatenate([self.crossed, self.access])


def _trails(site: Site, provision: VegetatedDistance, findings: Findings) -> GeometryArray:
    """Draw the trails that do not count; lines get their width, with flat ends."""
    layer = site.layers.get("trails")
    if layer is None or layer.empty:
        return np.zeros(0, dtype=object)
    shapes, widths = layer.geometry.to_numpy(), layer["width_ft"].to_numpy(dtype=float)
    citation = provision.trail_citation or provision.citation
    lines = shapely.get_dimensions(shapes) == 1
    shapes = _drawn(layer, site.ft)
    for name in layer["feature_id"].to_numpy()[lines & ~(widths > 0)]:
        findings.warning(
            "value-unreadable",
            "is a line without a width (field role width_ft); it was taken to count as buffer",
            layer="trails",
            feature_id=name,
            citation=citation,
        )
    wide = widths > provision.trail_most.value
    for name, width in zip(layer["feature_id"].to_numpy()[wide], widths[wide], strict=True):
        words = "may not lie in a buffer" if provision.wider_trail == "violation" else "does not count as buffer"
        findings.warning(
            "vegetated-distance",
            f"is {width:g} ft wide, wider than {provision.trail_most}, and {words}",
            layer="trails",
            feature_id=name,
            citation=citation,
        )
    uncounted = wide | (not provision.trail_counts)
    kept: GeometryArray = shapes[uncounted & ~shapely.is_empty(shapes)]
    return kept


def _drawn(trails: gpd.GeoDataFrame, ft: float) -> GeometryArray:
    """Give trails that are lines their width, with flat ends; one without a width gets no ground."""
    shapes, widths = trails.geometry.to_numpy().copy(), trails["width_ft"].to_numpy(dtype=float)
    lines = shapely.get_dimensions(shapes) == 1
    shapes[lines] = shapely.buffer(shapes[lines], np.nan_to_num(widths[lines]) * ft / 2, cap_style="flat")
    drawn: GeometryArray = shapes
    return drawn


def banned_trails(site: Site, provision: VegetatedDistance | None) -> gpd.GeoDataFrame:
    """Take trails and access too wide to lie in a buffer at all: ``feature_id``, ``width_ft`` and their polygons.

    Empty where the rule bans none.
    """
    banned = gpd.GeoDataFrame({"feature_id": [], "width_ft": []}, geometry=[], crs=site.crs)
    if provision is None or provision.wider_trail != "violation":
        return banned
    for name in ("trails", "access"):
        layer = site.layers.get(name)
        if layer is not None and "width_ft" in layer:
            wide = layer[layer["width_ft"].to_numpy(dtype=float) > provision.trail_most.value]
            drawn = wide[["feature_id", "width_ft", "geometry"]].set_geometry(_drawn(wide, site.ft))
            banned = drawn if banned.empty else pd.concat([banned, drawn], ignore_index=True)
    return banned


def widen_past(
    site: Site,
    upland: Upland,
    surface: UncountedSurface,
    findings: Findings,
    rows: np.ndarray,
    widths_ft: FloatArray,
    footprints: GeometryArray,
) -> GeometryArray:
    """Widen footprints, straight away from the resource, until the vegetated distance reaches the width.

    Parameters
    ----------
    site, upland, findings
        Each widened buffer is told.
    surface
        What does not count.
    rows, widths_ft, footprints
        The resources, their widths in feet and plain footprints, each shape (n,).
    """
    widened = footprints.copy()
    if surface.provision is None or not len(surface.crossed):
        return widened
    tree = shapely.STRtree(surface.crossed)
    ids = site.resources["resource_id"].to_numpy()
    for index, (row, width) in enumerate(zip(rows, widths_ft, strict=True)):
        if not len(tree.query(footprints[index], predicate="intersects")):
            continue
        gained, cut = _gained(upland.resources[row], surface.crossed, width * site.ft, site.ft)
        if gained.is_empty:
            continue
        # between the last rays on either side of a hollow corner a slit stays open
        widened[index] = without_slits(shapely.union(footprints[index], gained), NEEDLE_FT * site.ft)
        findings.info(
            "vegetated-distance",
            "was widened past surface that does not count as vegetated"
            + (f"; widening ended {MOST_WIDTHS:g} widths from the resource" if cut else ""),
            layer="buffers",
            feature_id=ids[row],
            citation=surface.provision.citation,
        )
    return widened


def _gained(
    resource: Shape,
    shapes: GeometryArray,
    width: float,
    ft: float,
) -> tuple[Shape, bool]:
    """Find the ground beyond the plain width, and whether any ray was given up."""
    most = MOST_WIDTHS * width
    # what lies within the widened reach counts too: more surface may follow behind the first
    reachable = shapes[shapely.dwithin(shapes, resource, most)]
    surface = shapely.difference(shapely.union_all(reachable), resource)
    aims = shapely.get_coordinates(shapely.segmentize(surface, 4 * _RAY_SPACING_FT * ft))
    aims = aims[shapely.distance(shapely.points(aims), resource) <= most]
    step = np.pi / 2 / quarter_segments(most, CHORD_TOLERANCE_FT * ft)
    strips = outward_rays(resource, aims, spacing=_RAY_SPACING_FT * ft, step=step)

    def past(origins: FloatArray, directions: FloatArray) -> FloatArray:
        return reach_past(origins, directions, surface, width=width, most=most)

    def own(origins: FloatArray, directions: FloatArray) -> FloatArray:
        return limit_to_own(origins, directions, past(origins, directions), resource)

    reaches = np.split(past(*map(np.concatenate, zip(*strips, strict=True))), _ends(strips))
    widened = [strip for strip, reach in zip(strips, reaches, strict=True) if (reach > width).any()]
    pieces: list[Shape] = []
    cut = False
    for origins, directions, reach in sure_between(widened, own, within=_CLOSE_FT * ft, finest=_FINEST_FT * ft):
        cut = cut or bool((reach >= most).any())
        quads = strip_polygons(origins, directions, reach)
        beyond = (reach[:-1] > width) | (reach[1:] > width)
        pieces += list(shapely.make_valid(quads[beyond]))
    return shapely.union_all(pieces), cut


def _ends(strips: list[tuple[FloatArray, FloatArray]]) -> np.ndarray:
    """Where each strip but the last ends among the rays of all."""
    return np.cumsum([len(origins) for origins, _ in strips])[:-1]
