"""The steps of the command line as functions over GeoDataFrames. ``import wetgeo`` gives all that stands here."""

from __future__ import annotations

import atexit
import datetime
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pyproj import CRS

from wetgeo import permitting, pipeline
from wetgeo.delineation import Delineation
from wetgeo.errors import ProjectError, RasterError, closest
from wetgeo.inputs.build import Source
from wetgeo.inputs.disturbance import CauseReading
from wetgeo.outputs.explain import explain_from
from wetgeo.outputs.write import prepare, write_outputs
from wetgeo.project import DEFAULT_FORMATS, FORMATS, DemSource, LayerSource, Project, load_project
from wetgeo.rules.load import builtin_ids, load_pack
from wetgeo.rules.model import RulePack
from wetgeo.site import FIELD_ROLES, LAYER_GEOMETRY, RESOURCE_LAYERS

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

#: elevations: a file, several tiles, or an array with its affine transform
Elevations = str | Path | Sequence[str | Path] | tuple[NDArray[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a run found.

    Attributes
    ----------
    delineation
        The whole, as the writers take it.
    layers
        Frames by the names of the outputs (``buffers``, ``monuments``, ``findings`` ...), with the fields, units and
        order that the files have; spatial ones are GeoDataFrames in the working CRS.

    Examples
    --------
    >>> import geopandas, shapely, wetgeo
    >>> pond = geopandas.GeoDataFrame(
    ...     {"id": ["W-1"], "class": ["Manage 1"]}, geometry=[shapely.box(500000, 4980000, 500060, 4980040)], crs=26915
    ... )
    >>> result = wetgeo.required_buffers(wetlands=pond, rule="mcwd-2024")
    >>> float(result["buffers"]["width_ft"].iloc[0])
    40.0
    """

    delineation: Delineation
    layers: Mapping[str, pd.DataFrame] = field(repr=False)

    @classmethod
    def of(cls, delineation: Delineation) -> Result:
        """Make the frames of a delineation as they would be written."""
        return cls(delineation=delineation, layers=prepare(delineation, ()).layers)

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self.layers:
            near = closest(name, self.layers)
            raise KeyError(
                f"no layer {name!r}" + (f"; did you mean {near!r}?" if near else f": {', '.join(self.layers)}")
            )
        return self.layers[name]

    @property
    def findings(self) -> pd.DataFrame:
        """What a reviewer should know: severity, code, layer, feature_id, message, citation."""
        return self.layers["findings"]

    @property
    def crs(self) -> CRS:
        """The working CRS."""
        return self.delineation.crs

    @property
    def options(self) -> Mapping[str, Any]:
        """The rule's options as used, defaults included."""
        return self.delineation.options

    @property
    def complies(self) -> bool | None:
        """Whether a judged or designed buffer complies (exit status 0 of the command); None where none was judged."""
        if "averaging" not in self.layers or not len(self.layers["averaging"]):
            return None
        verdicts = self.layers["averaging"]["verdict"]
        return bool(verdicts.eq("compliant").all() and self.layers["violations"].empty)

    def explain(self, resource_id: str) -> str:
        """Tell in words why a resource has its width, as ``wetgeo explain`` does.

        Raises
        ------
        OutputError
            There is no such resource.
        """
        return explain_from(self.layers.__getitem__, resource_id, "the result")

    def write(
        self, folder: str | Path, formats: Sequence[str] = DEFAULT_FORMATS, *, overwrite: bool = False
    ) -> list[Path]:
        """Write files as ``wetgeo run`` does, all or none.

        Parameters
        ----------
        folder
            The output folder; made where there is none.
        formats
            Of ``gpkg``, ``shp``, ``qgz``, ``html``, ``pdf``, ``csv``, ``declaration`` and ``dxf``; provenance.json is
            always written.
        overwrite
            Whether outputs of an earlier run may be replaced.

        Raises
        ------
        OutputError
            The folder holds outputs already, or cannot be written.
        ValueError
            A format is not known.
        """
        unknown = [name for name in formats if name not in FORMATS]
        if unknown:
            raise ValueError(f"unknown formats {', '.join(map(repr, unknown))}; known are {', '.join(FORMATS)}")
        return write_outputs(self.delineation, Path(folder).absolute(), overwrite=overwrite, formats=tuple(formats))


def make_project(  # noqa: PLR0913 -- what a project file holds
    *,
    rule: str | Path,
    dem: Elevations | None = None,
    z_unit: str | None = None,
    dem_crs: Any = None,  # noqa: ANN401 -- all that pyproj takes
    crs: str | None = None,
    date: datetime.date | str | None = None,
    options: Mapping[str, Any] | None = None,
    fields: Mapping[str, Mapping[str, str]] | None = None,
    values: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
    defaults: Mapping[str, Mapping[str, Any]] | None = None,
    name: str = "Project",
    **layers: gpd.GeoDataFrame,
) -> Project:
    """Gather what a project file would hold, with layers as frames.

    Parameters
    ----------
    rule
        A pack's id (`rule_ids`), or the path of a pack.
    dem
        Elevations: a raster, a list of tiles, or ``(array, transform)``: a 2D array, row 0 in the north, NaN where
        void, and its affine transform (six numbers a to f, or an `affine.Affine`).
    z_unit
        Vertical unit: ``m``, ``ft``, ``us-ft`` or ``cm``; left out, the file must tell. An array needs it.
    dem_crs
        CRS of an array; left out, that of the first resource layer.
    crs
        Working CRS, such as ``"EPSG:26915"``, or ``"auto"`` for the site's UTM zone; left out, that of the wetlands.
    date
        Application date, a date or as text such as ``"2026-06-01"``; left out, today.
    options
        The rule's own options.
    fields, values, defaults
        By layer, as in a project file: ``fields={"wetlands": {"id": "WET_ID", "class": "MGMT"}}``. Without ``fields``,
        columns named like a role (``id``, ``class``, ``hsg`` ...) play it.
    name
        The project's name, for the outputs.
    **layers
        Frames by the project's names of layers: ``wetlands``, ``lakes``, ``streams``, ``parcels``, ``tract``,
        ``soils`` and so on, each with its CRS. They are not changed.

    Raises
    ------
    ProjectError
        A layer or role is not known, or no wetlands, lakes or streams are given.
    RasterError
        An array is no DEM.

    Examples
    --------
    >>> import geopandas, shapely, wetgeo
    >>> pond = geopandas.GeoDataFrame(
    ...     {"WET_ID": ["W-1"], "MGMT": ["P"]}, geometry=[shapely.box(500000, 4980000, 500060, 4980040)], crs=26915
    ... )
    >>> project = wetgeo.make_project(
    ...     rule="mcwd-2024",
    ...     wetlands=pond,
    ...     fields={"wetlands": {"id": "WET_ID", "class": "MGMT"}},
    ...     values={"wetlands": {"class": {"P": "Preserve"}}},
    ... )
    >>> wetgeo.delineate(project)["buffers"]["class"].tolist()
    ['Preserve']
    """
    given = {layer: frame for layer, frame in layers.items() if frame is not None}
    tables = {"fields": fields or {}, "values": values or {}, "defaults": defaults or {}}
    _require_known(given, tables)
    sources = {
        layer: LayerSource(
            name=layer,
            path=Path(f"{layer}, as given"),
            frame=frame,
            fields=dict(tables["fields"].get(layer, {})),
            values=dict(tables["values"].get(layer, {})),
            defaults=dict(tables["defaults"].get(layer, {})),
        )
        for layer, frame in given.items()
    }
    first = next(given[layer] for layer in RESOURCE_LAYERS if layer in given)
    here = Path.cwd()
    return Project(
        path=here / "(layers given by a program)",
        name=name,
        rule=str(rule),
        crs=crs,
        date=_day(date),
        output=here / "out",
        layers=sources,
        dem=None if dem is None else _elevations(dem, z_unit, dem_crs or first.crs),
        options=dict(options or {}),
    )


def _day(given: datetime.date | str | None) -> datetime.date:
    """Take a date as given; today where none is."""
    if given is None:
        return datetime.datetime.now().astimezone().date()
    if isinstance(given, datetime.date) and not isinstance(given, datetime.datetime):
        return given
    try:
        return datetime.date.fromisoformat(str(given))
    except ValueError as fault:
        raise ProjectError(f"date {given!r} is no date", mend='write it as "2026-06-01" or datetime.date') from fault


def _require_known(layers: Mapping[str, Any], tables: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
    faults = [
        f"{name!r} is no layer of a project{_meant(name, LAYER_GEOMETRY)}"
        for name in layers
        if name not in LAYER_GEOMETRY
    ]
    faults += [
        f"{name} is no GeoDataFrame, but a {type(frame).__name__}"
        for name, frame in layers.items()
        if not isinstance(frame, gpd.GeoDataFrame)
    ]
    for key, of_layers in tables.items():
        for layer, roles in of_layers.items():
            if layer not in layers:
                faults.append(f"{key} names {layer!r}, which is not given")
                continue
            known = FIELD_ROLES.get(layer, ())
            faults += [
                f"{key}[{layer!r}]: {role!r} is no role of it{_meant(role, known)}"
                for role in roles
                if role not in known
            ]
    if not RESOURCE_LAYERS.keys() & layers.keys():
        faults.append(f"none of {', '.join(RESOURCE_LAYERS)} is given")
    if faults:
        raise ProjectError("the layers cannot be used", faults=faults, mend=f"layers are {', '.join(LAYER_GEOMETRY)}")


def _meant(word: str, known: Any) -> str:  # noqa: ANN401 -- any words
    near = closest(word, known)
    return f" (did you mean {near}?)" if near else ""


def _elevations(dem: Elevations, z_unit: str | None, crs: Any) -> DemSource:  # noqa: ANN401 -- all that pyproj takes
    if isinstance(dem, str | Path):
        return DemSource(paths=(Path(dem).absolute(),), z_unit=z_unit)
    if isinstance(dem, tuple) and len(dem) == 2 and isinstance(dem[0], np.ndarray):
        return DemSource(paths=(_raster_of(dem[0], dem[1], crs),), z_unit=z_unit)
    return DemSource(paths=tuple(Path(str(tile)).absolute() for tile in dem), z_unit=z_unit)


def _raster_of(z: NDArray[Any], transform: Any, crs: Any) -> Path:  # noqa: ANN401 -- rasterio has no types
    """Lay an array down as a raster, which the door for elevations reads by windows; it goes when the program ends."""
    import rasterio

    if z.ndim != 2 or z.dtype.kind not in "iuf":
        raise RasterError(
            f"the elevations are an array of {z.ndim} dimensions of {z.dtype}",
            mend="give a 2D array of real numbers, row 0 in the north, and its affine transform",
        )
    folder = tempfile.mkdtemp(prefix="wetgeo-dem-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "dem.tif"
    stored = z.astype(np.float64)
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        height=z.shape[0],
        width=z.shape[1],
        count=1,
        dtype="float64",
        crs=None if crs is None else CRS.from_user_input(crs).to_wkt(),
        transform=rasterio.Affine(*tuple(transform)[:6]),
        nodata=np.nan,
        tiled=True,
        compress="deflate",
    ) as file:
        file.write(stored, 1)
    return path


def required_buffers(**given: Any) -> Result:  # noqa: ANN401 -- the parameters of make_project
    """Delineate the required buffers of layers that are given as frames.

    Parameters
    ----------
    **given
        As of `make_project`: ``rule``, the layers (``wetlands``, ``parcels``, ``soils`` ...), ``dem`` and so on.

    Returns
    -------
    Result
        All layers of ``wetgeo run``; the numbers are the same.

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

    Raises
    ------
    WetgeoError
        The rule, an option or a layer cannot be used.
    """
    return Result.of(pipeline.delineate(project))


def check_averaging(
    project: Project, proposed: Source, *, monuments: Source | None = None, resources: Sequence[str] = ()
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
        Ids of the resources to judge; none for all.

    Returns
    -------
    Result
        With the layers ``averaging``, ``averaging_areas``, ``width_profile``, ``violations`` and ``proposed``;
        `Result.complies` tells the verdict.

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
    return Result.of(pipeline.check(project, proposed, monuments=monuments, resources=resources))


def design_averaging(project: Project, keep_out: Source, *, prefer: Source = "uniform") -> Result:
    """Find an averaged buffer that complies around what must stay out of it, as ``wetgeo design``.

    Parameters
    ----------
    project
        From `make_project` or `load_project`.
    keep_out
        Polygons that must stay out of the buffer.
    prefer
        Where to make up for what is lost: ``"uniform"``, ``"near"``, or polygons.

    Returns
    -------
    Result
        As of `check_averaging`; layer ``proposed`` is the design.

    Raises
    ------
    WetgeoError
        As `delineate`; or a layer cannot be used.
    """
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
        Polygons of the disturbed ground.
    field
        Its field that tells the cause; left out, one named ``cause``.
    values
        What that field says, to fill, drain, excavate or temporary.
    cause
        The cause of features that tell none.

    Returns
    -------
    Result
        With the layer ``impacts``.

    Raises
    ------
    WetgeoError
        As `delineate`; or the disturbance cannot be used.
    """
    reading = CauseReading(column=field, values=values or {}, default=cause)
    return Result.of(permitting.measure_impacts(project, disturbance, reading=reading))


def screen(
    project: Project,
    disturbance: Source,
    *,
    field: str | None = None,
    values: Mapping[str, str] | None = None,
    cause: str | None = None,
) -> Result:
    """Test which provisions work triggers, as ``wetgeo screen``; parameters and errors as `measure_impacts`.

    Returns
    -------
    Result
        With the layer ``triggers``.
    """
    reading = CauseReading(column=field, values=values or {}, default=cause, required=False)
    return Result.of(permitting.screen(project, disturbance, reading=reading))


def rule_ids() -> tuple[str, ...]:
    """Return the ids of the rule packs that come with wetgeo.

    Examples
    --------
    >>> import wetgeo
    >>> "mcwd-2024" in wetgeo.rule_ids()
    True
    """
    return tuple(builtin_ids())


def load_rule(rule: str | Path) -> RulePack:
    """Load a rule pack by its id, or a file.

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
