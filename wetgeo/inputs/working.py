"""The working CRS of a site, and the way of each layer into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import shapely
from pyproj import CRS

from wetgeo.errors import CrsError, InputError, ProjectError, TomlLine
from wetgeo.findings import Findings
from wetgeo.inputs import crs as systems
from wetgeo.inputs.draft import Draft
from wetgeo.inputs.faults import Faults, listed
from wetgeo.site import LAYER_GEOMETRY, RESOURCE_LAYERS

#: a layer further from the resources than this is probably not of this site: five miles, in feet
FAR_FT = 5 * 5280
#: a DEM further from the resources than this tells nothing of the ground beside them, feet
FAR_DEM_FT = 500.0
#: a layer that lies so far off the area its CRS is meant for is in another one: a UTM zone, in degrees
_ZONE_DEGREES = 6.0
#: no wetland, lake or reach of a stream is so wide; the widest lake on earth has 1,200 km, the widest here 560 km
WIDEST_KM = 1500


def settle(drafts: Sequence[Draft], findings: Findings, faults: Faults) -> list[Draft]:
    """Give each layer the CRS of its file, or the one that the project states where the file has none.

    A layer without CRS, with two that differ, or whose coordinates its CRS cannot have goes to `faults`.
    """
    settled = []
    for draft in drafts:
        with faults.collect():
            settled.append(with_crs(draft, drafts, findings))
    return settled


def with_crs(draft: Draft, drafts: Sequence[Draft], findings: Findings) -> Draft:
    """Give one of several layers its CRS; see `settle`.

    Raises
    ------
    CrsError
        It has no CRS, two that differ, or coordinates that its CRS cannot have.
    ProjectError
        The project states a CRS that is not known.
    InputError
        A wetland, lake or stream reaches over half a continent.
    """
    stated = draft.source.crs
    crs = systems.parse(stated, place=f"[layers.{draft.name}] crs") if stated else draft.crs
    if crs is None:
        raise _missing(draft, drafts)
    if stated and draft.crs is None:
        findings.info(
            "crs-stated", f"its file has no CRS; the project file states {systems.label(crs)}", layer=draft.name
        )
    elif draft.crs is not None and not systems.same(crs, draft.crs):
        raise CrsError(
            f"{draft.place}: the project file states {systems.label(crs)}, but the file is in "
            f"{systems.label(draft.crs)}",
            mend=f"take crs out of [layers.{draft.name}], or mend the file",
        )
    beyond = systems.why_not_lon_lat(draft.geometry, crs)
    if beyond.any():
        names = listed([draft.names[row] for row in draft.rows[beyond]], 10)
        x, y = shapely.get_coordinates(draft.geometry[beyond])[0]
        raise CrsError(
            f"{draft.place}: it is said to be in {systems.label(crs)}, whose longitudes lie within 180 and latitudes "
            f"within 90 degrees, but the coordinates of {names} are out of that range, such as ({x:.10g}, {y:.10g})",
            mend="the file's CRS is wrong: assign the one that its coordinates are in",
        )
    draft = replace(draft, crs=crs)
    refuse_too_wide(draft)
    _refuse_nowhere(draft)
    return draft


def _refuse_nowhere(draft: Draft) -> None:
    """Refuse wetlands, lakes and streams whose coordinates lie outside what their projected CRS can hold."""
    crs = _of(draft)
    if draft.name not in RESOURCE_LAYERS or not len(draft.geometry) or not crs.is_projected:
        return
    if not np.isfinite(draft.bounds).all() or np.isfinite(systems.bounds_lon_lat(draft.bounds, crs)).all():
        return  # what has no coordinates is told elsewhere
    each = [tuple(bounds) for bounds in shapely.bounds(draft.geometry).tolist()]
    nowhere = np.array(
        [
            bool(np.isfinite(bounds).all() and not np.isfinite(systems.bounds_lon_lat(bounds, crs)).all())
            for bounds in each
        ]
    )
    if nowhere.all():
        raise _wrong_crs(draft, "its coordinates lie outside what that can hold")
    if nowhere.any():
        names = listed([draft.names[row] for row in draft.rows[nowhere]], 10)
        x, y = shapely.get_coordinates(draft.geometry[nowhere])[0]
        raise CrsError(
            f"{draft.place}: the coordinates of {names}, such as ({x:.10g}, {y:.10g}), lie outside what "
            f"{systems.label(crs)} can hold",
            mend="correct these features; the others lie where that CRS has a place",
        )


def _refuse_contradicted(draft: Draft) -> None:
    """Refuse a layer that cannot be in the CRS that its file states: it lies off its area of use, and would not be fit.

    What would bring it into the area is a reason of its own: another unit, or degrees.
    """
    crs, bounds = _of(draft), draft.bounds
    if not np.isfinite(bounds).all():
        return
    if systems.likeness(bounds, crs) is None and not (
        systems.off_area(bounds, crs) > _ZONE_DEGREES and systems.fitness(crs, bounds).reason
    ):
        return
    west, south, east, north = systems.bounds_lon_lat(bounds, crs)
    raise _wrong_crs(draft, f"it lies at longitude {west:.3f} to {east:.3f}, latitude {south:.3f} to {north:.3f} there")


def _wrong_crs(draft: Draft, but: str) -> CrsError:
    """Say that a layer's CRS is wrong, and what its coordinates look like."""
    crs, path = _of(draft), draft.source.path
    like = systems.likeness(draft.bounds, crs)
    x, y = shapely.get_coordinates(draft.geometry)[0]
    looks, mend = "", "the file's CRS is wrong: assign the one that its coordinates are in"
    if like is not None and like.is_degrees:
        looks = "; they look like longitude and latitude"
        new = path.with_name(f"{path.stem}-with-crs{path.suffix}").name
        mend = (
            f"the file's CRS is wrong: assign EPSG:4326 to it, with `ogr2ogr -a_srs EPSG:4326 {new} {path.name}`, or "
            "the geographic CRS that its coordinates are in"
        )
    elif like is not None:
        looks = f"; they look like {like.unit}: times {like.factor:.6g} they would lie where it is meant for"
        mend += f" (its unit must be {like.unit}), or multiply the coordinates by {like.factor:.6g} in a GIS"
    use, area = crs.area_of_use, ""
    if use is not None:
        area = f", which is meant for longitude {use.west:g} to {use.east:g}, latitude {use.south:g} to {use.north:g}"
    return CrsError(
        f"{draft.place}: it is said to be in {systems.label(crs)}{area}, but {but}; its coordinates are such as "
        f"({x:.10g}, {y:.10g}){looks}",
        mend=mend,
    )


def _missing(draft: Draft, drafts: Sequence[Draft]) -> CrsError:
    """Say that a layer has no CRS, and which it could be."""
    bounds = draft.bounds
    line, why = 'crs = "EPSG:..."', ""
    if len(draft.geometry) and systems.looks_like_lon_lat(bounds):
        line, why = systems.line_to_write(systems.LON_LAT), " (its coordinates look like longitude and latitude)"
    elif len(draft.geometry):
        for other in drafts:
            if other.crs is not None and len(other.geometry) and _meet(bounds, other.bounds):
                line = systems.line_to_write(other.crs)
                why = f" (its coordinates lie where layer {other.name} lies, which is in that CRS)"
                break
    path = draft.source.path
    if path.suffix.lower() in (".shp", ".shz", ".zip"):
        own = "restore its .prj"
    else:
        new = path.with_name(f"{path.stem}-with-crs{path.suffix}").name
        own = f"assign it with `ogr2ogr -a_srs {_code(line)} {new} {path.name}`"
    mend = f"write {line} under [layers.{draft.name}]{why}, or {own}"
    if draft.name not in LAYER_GEOMETRY:
        mend = f"give the file its CRS{why}: {own}"
    return CrsError(f"{draft.place} has no CRS", mend=mend, toml=TomlLine(f"layers.{draft.name}", line))


def _code(line: str) -> str:
    """Take the CRS out of a line of the project file."""
    return line.split('"')[1]


def _meet(one: systems.Bounds, other: systems.Bounds) -> bool:
    return bool(one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3])


def _without_any(drafts: Sequence[Draft]) -> str:
    places = [draft.place for draft in drafts if draft.name in RESOURCE_LAYERS]
    return f"; nothing that can be used is in {listed(places)}" if places else ""


def working_crs(stated: str | None, drafts: Sequence[Draft], findings: Findings) -> CRS:
    """Choose the working CRS: the stated one, the site's UTM zone for "auto", else that of the first resource layer.

    Parameters
    ----------
    stated
        What the project file says.
    drafts
        The layers, each with its CRS.
    findings
        Says which CRS it is, and its grid scale at the site.

    Raises
    ------
    ProjectError
        The stated CRS is not known, or not fit for measuring at the site.
    CrsError
        None is stated, and that of the resources is not fit; the line to write is in the message. Or a file of
        resources states a CRS that its coordinates cannot be in.
    InputError
        There is no resource.
    """
    by_name = {draft.name: draft for draft in drafts}
    waters = [by_name[name] for name in RESOURCE_LAYERS if name in by_name and len(by_name[name].geometry)]
    if not waters:
        raise InputError(
            f"no wetland, lake or stream is left to draw a buffer around{_without_any(drafts)}",
            mend="give a layer wetlands, lakes or streams that has features",
        )
    for draft in waters:
        _refuse_contradicted(draft)
    _tell_out_of_area(drafts, findings)
    first = waters[0]
    crs, origin = _of(first), f"that of layer {first.name}"
    if stated == "auto":
        crs, origin = _zone(waters), 'the site\'s UTM zone, chosen for crs = "auto"'
    elif stated is not None:
        crs, origin = systems.parse(stated, place="[project] crs"), "stated in the project file"
    fit = systems.fitness(crs, _bounds_in(crs, waters))
    if fit.reason:
        zone = _zone(waters)
        raise _unfit(stated, first, crs, fit.reason, zone if _fits(zone, waters) else None)
    findings.info(
        "crs-working",
        f"working CRS {systems.label(crs)}, {origin}; its unit is the {crs.axis_info[0].unit_name}; the grid scale at "
        f"the site is {fit.scale:.6f}: all is measured on the grid, whose lengths are that many times "
        "those on the ellipsoid",
    )
    if stated == "auto":
        findings.info("crs-auto", f"the working CRS {systems.label(crs)} was chosen by the tool: {origin}")
    return crs


def _tell_out_of_area(drafts: Sequence[Draft], findings: Findings) -> None:
    for draft in drafts:
        known = draft.crs is not None and len(draft.geometry) and np.isfinite(draft.bounds).all()
        words = systems.out_of_area(draft.bounds, _of(draft)) if known else ""
        if words:
            findings.warning("crs-area", f"{words}; is its CRS right?", layer=draft.name)


def _zone(waters: Sequence[Draft]) -> CRS:
    """Return the UTM zone of the site; PROJ takes a fifth of a second to find it."""
    left, bottom, right, top = _bounds_in(systems.LON_LAT, waters)
    return systems.utm((left + right) / 2, (bottom + top) / 2)


def _fits(zone: CRS, waters: Sequence[Draft]) -> bool:
    return not systems.fitness(zone, _bounds_in(zone, waters)).reason


def _unfit(stated: str | None, first: Draft, crs: CRS, reason: str, zone: CRS | None) -> CrsError | ProjectError:
    """Say why a CRS is not fit, and that of the site's UTM `zone`; None where that is not fit either."""
    toml = None
    mend = "the site is too wide for one UTM zone: divide it, or state a State Plane CRS that covers it"
    if zone is not None:
        toml = TomlLine("project", systems.line_to_write(zone))
        mend = f'write {toml.line} under [project]; crs = "auto" takes the same'
    if stated is not None:
        why = f"[project] crs = {stated!r}: {systems.label(crs)} is not fit for measuring here: {reason}"
        return ProjectError(why, mend=mend, toml=toml)
    why = f"{first.place} is in {systems.label(crs)}, which is not fit for measuring: {reason}"
    return CrsError(why, mend=mend, toml=toml)


def _of(draft: Draft) -> CRS:
    if draft.crs is None:
        raise CrsError(f"{draft.place} has no CRS")
    return draft.crs


def _bounds_in(crs: CRS, drafts: Sequence[Draft]) -> systems.Bounds:
    """Return the common bounds of layers in a CRS; infinite where they cannot be brought there."""
    corners = []
    for draft in drafts:
        own = _of(draft)
        bounds = draft.bounds
        if not systems.same(own, crs):
            bounds = systems.way_between(own, crs, bounds).transformer.transform_bounds(*bounds)
        corners.append(bounds)
    left, bottom, right, top = np.array(corners).T
    return float(left.min()), float(bottom.min()), float(right.max()), float(top.max())


def into(crs: CRS, draft: Draft, findings: Findings, *, bounds: systems.Bounds | None = None) -> Draft:
    """Bring a layer into the working CRS, vertex by vertex, and say so.

    The way is the one for `bounds`, units of the layer's own CRS: those of the whole layer, where `draft` is a part.

    Raises
    ------
    CrsError
        Some coordinates have no place in the working CRS.
    """
    own = _of(draft)
    if not len(draft.geometry) or systems.same(own, crs):
        return replace(draft, crs=crs)
    way = systems.way_between(own, crs, bounds or draft.bounds)
    geometry = systems.reproject(draft.geometry, way)
    lost = ~np.isfinite(shapely.bounds(geometry)).all(axis=1)
    if lost.any():
        raise CrsError(
            f"{draft.place}: the coordinates of {listed([draft.names[row] for row in draft.rows[lost]], 20)} in "
            f"{systems.label(own)} cannot be transformed to {systems.label(crs)}",
            mend="the file's CRS is wrong: assign the one that its coordinates are in",
        )
    accuracy = f"accuracy {way.accuracy_m:g} m" if way.accuracy_m >= 0 else "accuracy unknown"
    findings.add(
        "warning" if way.doubtful else "info",
        "crs-reprojected",
        f"reprojected from {systems.label(own)} to {systems.label(crs)} by: {way.about} ({accuracy})"
        + ("; the datums differ, and no grid that gives the shift between them is installed" if way.doubtful else ""),
        layer=draft.name,
    )
    return replace(draft, crs=crs, geometry=geometry)


def refuse_too_wide(draft: Draft) -> None:
    """Refuse wetlands, lakes and streams that reach over half a continent: one of their vertices is far off.

    A layer in degrees is not judged: what lies on both sides of the 180th meridian spans all longitudes.

    Raises
    ------
    InputError
        Some are so wide; their ids and one of the vertices are named.
    """
    crs = _of(draft)
    if draft.name not in RESOURCE_LAYERS or not len(draft.geometry) or not crs.is_projected:
        return
    left, bottom, right, top = shapely.bounds(draft.geometry).T
    with np.errstate(all="ignore"):  # what is no number at all is told elsewhere
        wide = np.hypot(right - left, top - bottom) * systems.unit_m(crs) / 1000 > WIDEST_KM
    if not wide.any():
        return
    vertices = shapely.get_coordinates(draft.geometry[wide][0])
    x, y = vertices[np.argmax(np.abs(vertices - np.median(vertices, axis=0)).max(axis=1))]
    raise InputError(
        f"{draft.place}: {listed([draft.names[row] for row in draft.rows[wide]], 20)} would reach over more than "
        f"{WIDEST_KM:,} km; in {systems.label(crs)} a vertex lies at ({x:.10g}, {y:.10g})",
        mend="correct the vertex that is far off; clip a river of that length to the ground around the site",
    )


def tell_far(draft: Draft, site: systems.Bounds, ft: float, findings: Findings) -> None:
    """Warn of a layer none of whose features is near the site; `ft` is CRS units in a foot."""
    if len(draft.geometry):
        tell_far_bounds(draft.name, shapely.bounds(draft.geometry), site, ft, findings)


def tell_far_bounds(
    name: str, bounds: np.ndarray, site: systems.Bounds, ft: float, findings: Findings, *, most_ft: float = FAR_FT
) -> None:
    """As `tell_far`, of the bounds of a layer's features, shape (n, 4), further than `most_ft` from the site."""
    left, bottom, right, top = bounds.T
    dx = np.maximum(np.maximum(site[0] - right, left - site[2]), 0)
    dy = np.maximum(np.maximum(site[1] - top, bottom - site[3]), 0)
    nearest = float(np.hypot(dx, dy).min()) / ft
    if nearest > most_ft:
        findings.warning(
            "layer-far",
            f"it lies nowhere near the resources: {nearest / 5280:,.1f} miles from them; is its CRS right, and is it "
            "of this site?",
            layer=name,
        )


def tell_far_dem(tiles: Sequence[systems.Bounds], site: systems.Bounds, ft: float, findings: Findings) -> None:
    """Warn of a DEM none of whose tiles (bounds, CRS units) is near the site."""
    tell_far_bounds("dem", np.array(tiles), site, ft, findings, most_ft=FAR_DEM_FT)
