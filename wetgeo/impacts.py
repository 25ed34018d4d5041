"""Impacts: what work disturbs of wetlands, required buffers and natural communities, and the replacement owed for it.

Ground counts once: where disturbance polygons overlap, the cause for which replacement is owed goes before the others;
where wetlands overlap, the one with the higher ratio; where buffers do, the one of a wetland that is replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from wetgeo.findings import Findings
from wetgeo.frames import empty, natural_key
from wetgeo.kernels.offset import GeometryArray, Shape, polygons_only, subtract, without_slivers
from wetgeo.kernels.unions import union_parts
from wetgeo.rules.evaluate import community_protected, de_minimis_limit, replacement_ratio
from wetgeo.rules.model import CommunityProtection, DeMinimis, Replacement
from wetgeo.ruling import Ruling
from wetgeo.site import Site
from wetgeo.units import area_text

#: ground of less than this, square feet, is the noise of overlays
_TOKEN_SQFT = 0.01
#: a disturbance further from all resources than this is probably not of this site
_FAR_MILES = 5
_FT_PER_MILE = 5280
#: areas added up are rounded to so many decimals of a square foot, so that ground of exactly the limit is at it
_DIGITS = 3
#: the reading of option buffer_replacement under which all disturbed buffer is replaced
_ALL_BUFFER = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disturbance:
    """Disturbed ground, each piece of it once.

    Attributes
    ----------
    parts
        Its connected parts for each cause, shape (n,); no two overlap.
    causes
        The cause of each part; None where it is not known.
    """

    parts: GeometryArray
    causes: NDArray[np.object_]

    @classmethod
    def of(cls, frame: gpd.GeoDataFrame, site: Site, ruling: Ruling, findings: Findings) -> Disturbance:
        """Take disturbance polygons apart so that no ground counts twice; overlaps are told.

        Parameters
        ----------
        frame
            ``feature_id``, ``cause`` and ``geometry`` in the working CRS.
        site, ruling
            The site, and the rule, which says for which causes replacement is owed.
        findings
            Takes note of overlaps, and of ground outside the tract.
        """
        replacement = ruling.find(Replacement)
        owed = () if replacement is None else replacement.causes
        shapes, given = frame.geometry.to_numpy(), frame["cause"].to_numpy(dtype=object)
        parts: list[GeometryArray] = []
        causes: list[object] = []
        across = 0.0
        for cause in sorted(set(given), key=lambda each: (each not in owed, each is None, str(each))):
            own = union_parts(shapes[[each == cause for each in given]])
            whole = shapely.area(own).sum()
            for earlier in parts:
                own = subtract(own, earlier)
            across += float(whole - shapely.area(own).sum()) / site.sqft
            own = shapely.get_parts(without_slivers(own, _TOKEN_SQFT * site.sqft))
            parts.append(own)
            causes += [cause] * len(own)
        found = cls(parts=np.concatenate(parts), causes=np.array(causes, dtype=object))
        _tell_disturbance(frame, found, site, across, findings)
        return found


def _tell_disturbance(
    frame: gpd.GeoDataFrame, found: Disturbance, site: Site, across: float, findings: Findings
) -> None:
    """Tell of ground that polygons share, of it `across` square feet between causes, and of ground off the tract."""
    area = float(shapely.area(found.parts).sum())
    twice = (shapely.area(frame.geometry.to_numpy()).sum() - area) / site.sqft
    if twice > 1:
        told = f"its polygons overlap by {area_text(twice)}; that ground was counted once"
        if across > 1:
            told += f"; {area_text(across)} of it tell two causes, of which one that owes replacement was taken"
        tell = findings.warning if across > 1 else findings.info
        tell("disturbance", told, layer="disturbance")
    _tell_far(frame, site, findings)
    tract = site.layers.get("tract")
    if tract is None or tract.empty:
        return
    beyond = shapely.area(subtract(found.parts, tract.geometry.to_numpy())).sum() / site.sqft
    if beyond > 1:
        findings.warning("disturbance", f"{area_text(beyond)} of it lie outside the tract", layer="disturbance")


def _tell_far(frame: gpd.GeoDataFrame, site: Site, findings: Findings) -> None:
    """Tell of each polygon that is so far off all resources that it is hardly of this site."""
    tree = shapely.STRtree(site.resources.geometry.to_numpy())
    (row, _), away = tree.query_nearest(frame.geometry.to_numpy(), return_distance=True, all_matches=False)
    miles = away / site.ft / _FT_PER_MILE
    for at, far in zip(row[miles > _FAR_MILES], miles[miles > _FAR_MILES], strict=True):
        name = str(frame["feature_id"].iloc[at])
        told = f"{name} lies {far:,.1f} miles from the site's nearest wetland, lake or stream: is it of this site?"
        findings.warning("disturbance", told, layer="disturbance", feature_id=name)


@dataclass(slots=True, kw_only=True)
class _Piece:
    """One row of layer ``impacts`` in the making; ``class_name`` is for the summary only."""

    resource_id: str
    kind: str
    cause: str | None
    class_name: str | None
    shape: Shape
    area_sqft: float
    exempt: bool = False
    ratio: float | None = None
    citation: str = ""

    @property
    def replacement_sqft(self) -> float:
        return 0.0 if self.ratio is None or self.exempt else self.ratio * self.area_sqft


def impacts_layer(
    site: Site, ruling: Ruling, buffers: gpd.GeoDataFrame, disturbance: Disturbance, findings: Findings
) -> gpd.GeoDataFrame:
    """List each piece of wetland, required buffer and natural community that is disturbed, and what is owed for it.

    Parameters
    ----------
    site, ruling
        The site, and the rule as it applies.
    buffers
        Layer ``buffers`` of the site.
    disturbance
        The disturbed ground.
    findings
        Takes note of exemptions, of communities that may not be disturbed (errors), and of ground off all of these.

    Returns
    -------
    geopandas.GeoDataFrame
        Layer ``impacts``, and a column ``class``.
    """
    wetlands = _wetlands(site, ruling, disturbance)
    _exempt(wetlands, ruling, findings)
    replaced = {piece.resource_id for piece in wetlands if piece.replacement_sqft > 0}
    pieces = [*wetlands, *_buffers(site, ruling, buffers, disturbance, replaced, findings)]
    communities = _communities(site, ruling, disturbance, findings)
    _tell_rest(site, [*pieces, *communities], disturbance, findings)
    _tell_note(ruling, wetlands, findings)
    return _frame(site, [*pieces, *communities])


def impact_summary(impacts: gpd.GeoDataFrame) -> pd.DataFrame:
    """Add up layer ``impacts`` by kind, class and cause.

    Returns
    -------
    pandas.DataFrame
        ``kind``, ``class``, ``cause``, ``area_sqft``, ``exempt_sqft``, ``ratio`` and ``replacement_sqft``.
    """
    table = pd.DataFrame(impacts.drop(columns="geometry"))
    table["exempt_sqft"] = table["area_sqft"].where(table["exempt"].astype(bool), 0.0)
    keys = ["kind", "class", "cause", "ratio"]
    added = table.groupby(keys, dropna=False, sort=False)[["area_sqft", "exempt_sqft", "replacement_sqft"]].sum()
    order = ["kind", "class", "cause", "area_sqft", "exempt_sqft", "ratio", "replacement_sqft"]
    kinds = ["wetland", "buffer", "natural_community"]
    return (
        added.reset_index()[order]
        .sort_values(order[:3], key=lambda column: column.map(lambda v: kinds.index(v) if v in kinds else str(v)))
        .reset_index(drop=True)
    )


def _pieces(
    kind: str,
    frame: pd.DataFrame,
    grounds: GeometryArray,
    disturbance: Disturbance,
    sqft: float,
) -> list[_Piece]:
    """Cut grounds by the disturbance; `frame` names them (``resource_id``, ``class``), row by row."""
    row, part = shapely.STRtree(disturbance.parts).query(grounds, predicate="intersects")
    order = np.lexsort((part, row))
    row, part = row[order], part[order]
    cut = without_slivers(
        polygons_only(shapely.intersection(grounds[row], disturbance.parts[part])), _TOKEN_SQFT * sqft
    )
    shapes, index = shapely.get_parts(cut, return_index=True)
    ids, classes = frame["resource_id"].to_numpy(), frame["class"].to_numpy(dtype=object)
    return [
        _Piece(
            resource_id=str(ids[row[i]]),
            kind=kind,
            cause=disturbance.causes[part[i]],
            class_name=None if pd.isna(classes[row[i]]) else str(classes[row[i]]),
            shape=shape,
            area_sqft=shape.area / sqft,
        )
        for shape, i in zip(shapes, index, strict=True)
    ]


def _once(grounds: GeometryArray, order: Sequence[int]) -> GeometryArray:
    """Give ground that several claim to the first of them in `order`."""
    place = np.empty(len(grounds), dtype=np.intp)
    place[list(order)] = np.arange(len(grounds))
    one, two = shapely.STRtree(grounds).query(grounds, predicate="intersects")
    later = (place[one] > place[two]) & ~shapely.touches(grounds[one], grounds[two])
    left = grounds.copy()
    for row in np.unique(one[later]):
        others = grounds[two[later & (one == row)]]
        left[row] = subtract(grounds[row : row + 1], others)[0]
    return left


def _wetlands(site: Site, ruling: Ruling, disturbance: Disturbance) -> list[_Piece]:
    frame = site.resources[site.resources["resource_type"] == "wetland"].reset_index(drop=True)
    if frame.empty:
        return []
    classes = [None if pd.isna(name) else str(name) for name in frame["class"]]
    replacement = ruling.find(Replacement)
    ratios = [_highest(ruling, name, () if replacement is None else replacement.causes) for name in classes]
    order = sorted(range(len(frame)), key=lambda row: (-ratios[row], natural_key(str(frame["resource_id"].iloc[row]))))
    pieces = _pieces("wetland", frame, _once(frame.geometry.to_numpy(), order), disturbance, site.sqft)
    for piece in pieces:
        owed = None if piece.cause is None else replacement_ratio(ruling.pack, piece.class_name, piece.cause)
        if owed is not None:
            piece.ratio, piece.citation = owed
        elif replacement is not None:
            piece.citation = replacement.citation
    return pieces


def _highest(ruling: Ruling, class_name: str | None, causes: Iterable[str]) -> float:
    found = (replacement_ratio(ruling.pack, class_name, cause) for cause in causes)
    return max((owed[0] for owed in found if owed is not None), default=0.0)


def _exempt(pieces: Sequence[_Piece], ruling: Ruling, findings: Findings) -> None:
    """Exempt impacts by their size, added up over the project for the classes that have one limit together."""
    groups: dict[object, list[_Piece]] = {}
    for piece in pieces:
        if piece.ratio is not None:
            groups.setdefault(_group(ruling, piece.class_name), []).append(piece)
    for group in groups.values():
        limit = de_minimis_limit(ruling.pack, ruling.options, group[0].class_name)
        if limit is None:
            continue
        total = round(sum(piece.area_sqft for piece in group), _DIGITS)
        classes = ", ".join(sorted({piece.class_name for piece in group if piece.class_name}))
        words = f"impacts on wetlands{f' of class {classes}' if classes else ''} add up to {total:,.10g} sq ft"
        exempt = total <= limit[0]
        for piece in group if exempt else ():
            piece.exempt, piece.citation = True, f"{limit[1]}; {piece.citation}"
        findings.info(
            "impact",
            f"{words}, {'no more than' if exempt else 'more than'} the {limit[0]:,g} sq ft that are exempt: "
            f"{'no replacement is owed for them' if exempt else 'none of it is exempt'}",
            layer="impacts",
            citation=limit[1],
        )


def _group(ruling: Ruling, class_name: str | None) -> object:
    """Name what classes share: the row of the de minimis table, or the option."""
    provision = ruling.find(DeMinimis)
    rows = () if provision is None else provision.rows
    return next((number for number, row in enumerate(rows) if class_name in row.classes), "option")


def _buffers(
    site: Site,
    ruling: Ruling,
    buffers: gpd.GeoDataFrame,
    disturbance: Disturbance,
    replaced: set[str],
    findings: Findings,
) -> list[_Piece]:
    if buffers.empty:
        return []
    ids = [str(name) for name in buffers["resource_id"]]
    order = sorted(range(len(ids)), key=lambda row: (ids[row] not in replaced, natural_key(ids[row])))
    pieces = _pieces("buffer", buffers, _once(buffers.geometry.to_numpy(), order), disturbance, site.sqft)
    cited = dict(zip(ids, buffers["citation"], strict=True))
    unowed = 0.0
    for piece in pieces:
        piece.citation = str(cited[piece.resource_id])
        owed = None if piece.cause is None else replacement_ratio(ruling.pack, None, piece.cause, of="buffer")
        if owed is None:
            continue
        piece.citation = f"{owed[1]}; {piece.citation}"
        if piece.resource_id in replaced or ruling.options.get("buffer_replacement") == _ALL_BUFFER:
            piece.ratio = owed[0]
        else:
            unowed += owed[0] * piece.area_sqft
    provision = ruling.find(Replacement)
    if unowed > _TOKEN_SQFT and provision is not None:
        findings.warning(
            "rule-reading",
            "buffer is disturbed whose own wetland is not replaced; none is owed for it, as the rule asks it when a "
            f'wetland is impacted and replaced. Under option buffer_replacement = "{_ALL_BUFFER}" another '
            f"{area_text(unowed)} would be owed",
            layer="impacts",
            citation=provision.buffer_citation or provision.citation,
        )
    return pieces


def _communities(site: Site, ruling: Ruling, disturbance: Disturbance, findings: Findings) -> list[_Piece]:
    layer = site.layers.get("natural_communities")
    if layer is None or layer.empty:
        return []
    provision = ruling.find(CommunityProtection)
    ranks = [None if pd.isna(rank) else str(rank) for rank in layer["rank"]]
    verdicts = [_protected(provision, rank) for rank in ranks]
    frame = pd.DataFrame({"resource_id": _distinct(list(layer["feature_id"])), "class": ranks})
    order = sorted(range(len(frame)), key=lambda row: (verdicts[row] is not True, str(frame["resource_id"].iloc[row])))
    pieces = _pieces("natural_community", frame, _once(layer.geometry.to_numpy(), order), disturbance, site.sqft)
    if provision is None:
        return pieces
    wetlands = site.resources.geometry.to_numpy()[site.resources["resource_type"].to_numpy() == "wetland"]
    verdict_of = dict(zip(frame["resource_id"], verdicts, strict=True))
    for name in dict.fromkeys(piece.resource_id for piece in pieces):
        own = [piece for piece in pieces if piece.resource_id == name]
        for piece in own:
            piece.citation = provision.citation
        _tell_community(name, own, verdict_of[name], provision, wetlands, findings)
    return pieces


def _distinct(names: list[str]) -> list[str]:
    """Number the names that several communities bear, so that each is told apart."""
    count: dict[str, int] = {}
    distinct = []
    for name in names:
        count[name] = count.get(name, 0) + 1
        distinct.append(name if count[name] == 1 else f"{name}#{count[name]}")
    return distinct


def _protected(provision: CommunityProtection | None, rank: str | None) -> bool | None:
    return None if provision is None or rank is None else community_protected(provision, rank)


def _tell_community(
    name: str,
    pieces: Sequence[_Piece],
    protected: bool | None,  # noqa: FBT001 -- a verdict, not a switch
    provision: CommunityProtection,
    wetlands: GeometryArray,
    findings: Findings,
) -> None:
    area, rank = sum(piece.area_sqft for piece in pieces), pieces[0].class_name
    if protected is False:
        return
    if protected is None:
        findings.warning(
            "impact",
            f"{area_text(area)} of it are disturbed; its rank, {rank or 'not given'}, is none of "
            f"{', '.join(provision.ranks)}: whether it may be disturbed cannot be decided",
            layer="natural_communities",
            feature_id=name,
            citation=provision.citation,
        )
        return
    ground = shapely.union_all([piece.shape for piece in pieces])
    near = wetlands[shapely.intersects(wetlands, ground)]
    inside = shapely.intersection(ground, shapely.union_all(near)).area / ground.area
    findings.error(
        "impact",
        f"a community of rank {rank} may not be disturbed, and {area_text(area)} of it are ({inside:.0%} of them in "
        "delineated wetland)",
        layer="natural_communities",
        feature_id=name,
        citation=provision.citation,
    )


def _tell_rest(site: Site, pieces: Sequence[_Piece], disturbance: Disturbance, findings: Findings) -> None:
    """Tell of disturbed water that is no wetland, and of a disturbance that touches nothing."""
    wet = site.resources["resource_type"].to_numpy() == "wetland"
    open_water = site.resources[~wet].reset_index(drop=True)
    water: dict[str, float] = {}
    if len(open_water):
        grounds = subtract(open_water.geometry.to_numpy(), site.resources.geometry.to_numpy()[wet])
        for piece in _pieces("water", open_water, grounds, disturbance, site.sqft):
            water[piece.resource_id] = water.get(piece.resource_id, 0.0) + piece.area_sqft
    for name, area in water.items():
        findings.warning(
            "disturbance",
            f"{area_text(area)} of it outside wetlands are disturbed; lakes and streams have no row in layer impacts, "
            "for this rule sets no replacement for them",
            layer="resources",
            feature_id=name,
        )
    if not pieces and not water:
        findings.warning(
            "disturbance",
            f"none of its {shapely.area(disturbance.parts).sum() / site.sqft:,.0f} sq ft lie in a wetland, a required "
            "buffer or a natural community: is it of this site?",
            layer="disturbance",
        )


def _tell_note(ruling: Ruling, wetlands: Sequence[_Piece], findings: Findings) -> None:
    provision = ruling.find(Replacement)
    if provision is not None and provision.note and any(piece.ratio is not None for piece in wetlands):
        findings.info("impact", provision.note, layer="impacts", citation=provision.citation)


def _frame(site: Site, pieces: Sequence[_Piece]) -> gpd.GeoDataFrame:
    if not pieces:
        return empty("impacts", site.crs).assign(**{"class": pd.Series(dtype=object)})
    rows: list[dict[str, Any]] = [
        {
            "resource_id": piece.resource_id,
            "kind": piece.kind,
            "cause": piece.cause,
            "class": piece.class_name,
            "area_sqft": piece.area_sqft,
            "exempt": piece.exempt,
            "ratio": piece.ratio,
            "replacement_sqft": piece.replacement_sqft,
            "citation": piece.citation,
            "geometry": piece.shape,
        }
        for piece in pieces
    ]
    return gpd.GeoDataFrame(rows, geometry="geometry", crs=site.crs)
