"""The steps of the command line as functions over GeoDataFrames. ``import wetgeo`` gives all that stands here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import geopandas as gpd

from wetgeo import permitting, pipeline
from wetgeo.errors import UsageError
from wetgeo.given import make_project, several, told_in_python
from wetgeo.inputs.build import Source
from wetgeo.inputs.disturbance import CauseReading
from wetgeo.project import Project, load_project
from wetgeo.result import Result
from wetgeo.rules.load import builtin_ids, load_pack
from wetgeo.rules.model import RulePack

#: the words that `design_averaging` takes for ``prefer``
PREFERENCES = ("uniform", "near")

__all__ = [
    "Result",
    "check_averaging",
    "delineate",
    "design_averaging",
    "load_project",
    "load_rule",
    "make_project",
    "measure_impacts",
    "required_buffers",
    "rule_ids",
    "screen",
]


def required_buffers(**given: Any) -> Result:  # noqa: ANN401 -- the parameters of make_project
    """Delineate the required buffers of layers that are given as frames.

    Parameters
    ----------
    **given
        As of `make_project`: ``rule``, the layers, ``dem`` and so on.

        Layers, each a GeoDataFrame with a CRS, and the roles that its columns play (``fields`` of `make_project` says
        which column plays which; columns named like a role need no such word). At least one of the first three is
        given; which others a rule needs, ``wetgeo rules show ID`` and the findings tell.

        =======================  ======================================================================
        ``wetlands``             id, class (by the rule), central, gdnr, setback_ft, the MnRAM ratings
        ``lakes``                id, class, gdnr, setback_ft
        ``streams``              id, class, gdnr, setback_ft; bank_width_ft where they are lines
        ``parcels``              id
        ``tract``                id
        ``soils``                id; hsg or mukey
        ``floodplain``           id, zone
        ``natural_communities``  id, rank
        ``drainageways``         id, width_ft
        ``new_impervious``       id
        ``existing_impervious``  id
        ``trails``               id, width_ft
        ``structures``           id, kind (new_principal or existing_primary)
        ``public_land``          id
        ``watercourses``         id
        ``infiltration``         id
        ``access``               id, width_ft
        =======================  ======================================================================

        Fields that end in ``_ft`` are in feet. ``wetgeo.site`` holds the ratings (``RATINGS``) and what each layer and
        role means (``LAYER_MEANING``, ``ROLE_MEANING``).

    Returns
    -------
    Result
        All layers of ``wetgeo run`` in the working CRS; the numbers are the same. Widths are in feet (``width_ft``),
        areas in square feet (``area_sqft``).

    Raises
    ------
    WetgeoError
        As the command line says it: the rule or an option is wrong, or a layer cannot be used.

    Examples
    --------
    >>> import geopandas, shapely, wetgeo
    >>> pond = geopandas.GeoDataFrame(
    ...     {"id": ["W-1"], "class": ["Preserve"]}, geometry=[shapely.box(500000, 4980000, 500060, 4980040)], crs=26915
    ... )
    >>> result = wetgeo.required_buffers(wetlands=pond, rule="mcwd-2024", options={"reductions": "none"})
    >>> result["buffers"][["resource_id", "width_ft", "citation"]].values.tolist()
    [['W-1', 75.0, '5(a); 5(c)']]
    >>> print(result.explain("W-1").splitlines()[0])
    W-1: wetland, Preserve
    """
    return delineate(make_project(**given))


def delineate(project: Project) -> Result:
    """Delineate the required buffers of a project, as ``wetgeo run``.

    Parameters
    ----------
    project
        From `make_project` or `load_project`.

    Returns
    -------
    Result
        As of `required_buffers`.

    Raises
    ------
    WetgeoError
        The rule, an option or a layer cannot be used.
    TypeError
        The project is none.

    Examples
    --------
    >>> import geopandas, shapely, wetgeo
    >>> pond = geopandas.GeoDataFrame(
    ...     {"id": ["W-1"], "class": ["Manage 1"]}, geometry=[shapely.box(500000, 4980000, 500060, 4980040)], crs=26915
    ... )
    >>> project = wetgeo.make_project(wetlands=pond, rule="mcwd-2024")
    >>> round(wetgeo.delineate(project)["buffers"]["area_sqft"].iloc[0])
    31272
    """
    _require_project(project)
    with told_in_python(project):
        return Result.of(pipeline.delineate(project))


def check_averaging(
    project: Project, proposed: Source, *, monuments: Source | None = None, resources: str | Sequence[str] = ()
) -> Result:
    """Judge a proposed, averaged buffer, as ``wetgeo check``.

    Parameters
    ----------
    project
        From `make_project` or `load_project`.
    proposed
        Polygons of the proposal: a frame, ``FILE`` or ``FILE|LAYER``.
    monuments
        Points of staked monuments, or None.
    resources
        Ids of the resources to judge, or one id; none for all.

    Returns
    -------
    Result
        With the layers ``averaging``, ``averaging_areas``, ``width_profile``, ``violations`` and ``proposed``;
        `Result.complies` tells the verdict. Widths in feet, areas in square feet; in the working CRS.

    Raises
    ------
    WetgeoError
        As `delineate`; or the proposal or the monuments cannot be used.

    Examples
    --------
    >>> import geopandas, shapely, wetgeo
    >>> pond = geopandas.GeoDataFrame(
    ...     {"id": ["W-1"], "class": ["Manage 1"]}, geometry=[shapely.box(500000, 4980000, 500060, 4980040)], crs=26915
    ... )
    >>> project = wetgeo.make_project(wetlands=pond, rule="mcwd-2024")
    >>> proposal = geopandas.GeoDataFrame(geometry=pond.buffer(15), crs=26915)
    >>> wetgeo.check_averaging(project, proposal).complies
    True
    """
    _require_project(project)
    _require_sources(proposed=proposed, monuments=monuments)
    with told_in_python(project):
        return Result.of(pipeline.check(project, proposed, monuments=monuments, resources=several(resources)))


def design_averaging(project: Project, keep_out: Source, *, prefer: Source = "uniform") -> Result:
    """Find an averaged buffer that complies around what must stay out of it, as ``wetgeo design``.

    Parameters
    ----------
    project
        From `make_project` or `load_project`.
    keep_out
        Polygons that must stay out of the buffer: a frame, ``FILE`` or ``FILE|LAYER``.
    prefer
        Where to make up for what is lost: ``"uniform"``, ``"near"``, or polygons (a frame, ``FILE`` or
        ``FILE|LAYER``).

    Returns
    -------
    Result
        As of `check_averaging`; layer ``proposed`` is the design.

    Raises
    ------
    WetgeoError
        As `delineate`; or a layer cannot be used.

    Examples
    --------
    >>> import geopandas, shapely, wetgeo
    >>> pond = geopandas.GeoDataFrame(
    ...     {"id": ["W-1"], "class": ["Manage 1"]}, geometry=[shapely.box(500000, 4980000, 500060, 4980040)], crs=26915
    ... )
    >>> project = wetgeo.make_project(wetlands=pond, rule="mcwd-2024")
    >>> house = geopandas.GeoDataFrame(geometry=[shapely.box(500068, 4980000, 500090, 4980020)], crs=26915)
    >>> designed = wetgeo.design_averaging(project, house)
    >>> designed.complies, bool(designed["proposed"].intersects(house.geometry[0].buffer(-0.01)).any())
    (True, False)
    """
    _require_project(project)
    _require_sources(keep_out=keep_out, prefer=prefer)
    if isinstance(prefer, str) and prefer not in PREFERENCES and not Path(prefer.partition("|")[0]).exists():
        raise UsageError(
            f"prefer={prefer!r}: there is no such file",
            mend='give "uniform", "near", or polygons: a GeoDataFrame, FILE or FILE|LAYER',
        )
    with told_in_python(project):
        return Result.of(pipeline.design(project, keep_out, prefer=prefer))


def measure_impacts(
    project: Project,
    disturbance: Source,
    *,
    field: str | None = None,
    values: Mapping[str, str] | None = None,
    cause: str | None = None,
) -> Result:
    """Measure what work disturbs and the replacement owed, as ``wetgeo impacts``.

    Parameters
    ----------
    project
        From `make_project` or `load_project`.
    disturbance
        Polygons of the disturbed ground: a frame, ``FILE`` or ``FILE|LAYER``.
    field
        Its field that tells the cause; left out, one named ``cause``.
    values
        What that field says, to fill, drain, excavate or temporary: ``{"FILL": "fill"}``.
    cause
        The cause of features that tell none.

    Returns
    -------
    Result
        With the layer ``impacts``, in the working CRS; areas in square feet.

    Raises
    ------
    WetgeoError
        As `delineate`; or the disturbance cannot be used.

    Examples
    --------
    >>> import geopandas, shapely, wetgeo
    >>> pond = geopandas.GeoDataFrame(
    ...     {"id": ["W-1"], "class": ["Manage 1"]}, geometry=[shapely.box(500000, 4980000, 500060, 4980040)], crs=26915
    ... )
    >>> project = wetgeo.make_project(wetlands=pond, rule="mcwd-2024")
    >>> fill = geopandas.GeoDataFrame(geometry=[shapely.box(500000, 4980000, 500010, 4980010)], crs=26915)
    >>> impacts = wetgeo.measure_impacts(project, fill, cause="fill")["impacts"]
    >>> impacts.query("kind == 'wetland'")[["area_sqft", "replacement_sqft"]].round(1).values.tolist()
    [[1076.4, 2152.8]]
    """
    _require_project(project)
    _require_sources(disturbance=disturbance)
    reading = CauseReading(column=field, values=values or {}, default=cause)
    with told_in_python(project):
        return Result.of(permitting.measure_impacts(project, disturbance, reading=reading))


def screen(
    project: Project,
    disturbance: Source,
    *,
    field: str | None = None,
    values: Mapping[str, str] | None = None,
    cause: str | None = None,
) -> Result:
    """Test which provisions work triggers, as ``wetgeo screen``.

    Parameters
    ----------
    project, disturbance, field, values, cause
        As of `measure_impacts`; here the cause may stay unknown.

    Returns
    -------
    Result
        With the layer ``triggers``: what was measured, the threshold, and whether it applies (yes, no, undecided).

    Raises
    ------
    WetgeoError
        As `measure_impacts`.

    Examples
    --------
    >>> import geopandas, shapely, wetgeo
    >>> pond = geopandas.GeoDataFrame(
    ...     {"id": ["W-1"], "class": ["Manage 1"]}, geometry=[shapely.box(500000, 4980000, 500060, 4980040)], crs=26915
    ... )
    >>> project = wetgeo.make_project(wetlands=pond, rule="mcwd-2024")
    >>> fill = geopandas.GeoDataFrame(geometry=[shapely.box(500000, 4980000, 500010, 4980010)], crs=26915)
    >>> sorted(set(wetgeo.screen(project, fill, cause="fill")["triggers"]["applies"]) - {"yes"})
    ['no', 'undecided']
    """
    _require_project(project)
    _require_sources(disturbance=disturbance)
    reading = CauseReading(column=field, values=values or {}, default=cause, required=False)
    with told_in_python(project):
        return Result.of(permitting.screen(project, disturbance, reading=reading))


def rule_ids() -> tuple[str, ...]:
    """Return the ids of the rule packs that come with wetgeo.

    Returns
    -------
    tuple of str
        Such as ``mcwd-2024``; each can be given as ``rule``.

    Examples
    --------
    >>> import wetgeo
    >>> "mcwd-2024" in wetgeo.rule_ids()
    True
    """
    return tuple(builtin_ids())


def load_rule(rule: str | Path) -> RulePack:
    """Load a rule pack by its id, or a file.

    Parameters
    ----------
    rule
        One of `rule_ids`, or the path of a pack (TOML).

    Returns
    -------
    RulePack
        The rule's head, options and provisions, each with its section.

    Raises
    ------
    RulePackError
        There is no such pack, or it is wrong.

    Examples
    --------
    >>> import wetgeo
    >>> wetgeo.load_rule("mcwd-2024").classes("wetland")
    ('Preserve', 'Manage 1', 'Manage 2', 'Manage 3')
    """
    return load_pack(str(rule), Path.cwd())


def _require_project(given: object) -> None:
    if not isinstance(given, Project):
        raise TypeError(
            f"project is a {type(given).__name__}, no Project; make one with wetgeo.make_project (of frames) or "
            "wetgeo.load_project (of a file)"
        )


def _require_sources(**given: object) -> None:
    for name, source in given.items():
        if not isinstance(source, str | Path | gpd.GeoDataFrame | None):
            raise TypeError(f"{name} is a {type(source).__name__}; give a GeoDataFrame, FILE or FILE|LAYER")
