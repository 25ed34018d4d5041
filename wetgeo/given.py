"""What a program gives instead of a project file: layers as frames, elevations, rule and options."""

from __future__ import annotations

import atexit
import contextlib
import datetime
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
from numpy.typing import NDArray
from pyproj import CRS

from wetgeo.errors import ProjectError, RasterError, UnitError, WetgeoError, closest
from wetgeo.project import DemSource, LayerSource, Project
from wetgeo.site import FIELD_ROLES, LAYER_GEOMETRY, RESOURCE_LAYERS

#: elevations: a file, several tiles, or an array with its affine transform
Elevations = str | Path | Sequence[str | Path] | tuple[NDArray[Any], Any]

#: the name that stands for the project file where a program gave all
BY_PROGRAM = "(layers given by a program)"
#: the keywords of `make_project` that are no layers
_KEYWORDS = ("rule", "dem", "z_unit", "dem_crs", "crs", "date", "options", "fields", "values", "defaults", "name")

#: words of the command line, and what they are called in Python
_OF_COMMANDS = (
    (r"add --overwrite to replace them, or name another folder with -o", "give overwrite=True, or another folder"),
    (r"name another folder with -o", "give another folder"),
    (r"add --cause-field FIELD, or --cause CAUSE", 'give field="FIELD", or cause="CAUSE"'),
    (r'add --cause-value "([^"=]*)=(\w+)"', r'give values={"\1": "\2"}'),
    (r"that the command line names", "that are named"),
    (r"--cause-field", "field"),
    (r"--cause-value", "values"),
    (r"--keep-out", "keep_out"),
    (r"--(proposed|monuments|disturbance|prefer|cause)\b", r"\1"),
    (r"--resource\b", "resources"),
    (r"`ogr2ogr -a_srs (\S+) [^`]*?(\w+), as given`", r'`\2.set_crs("\1", allow_override=True)`'),
    (r"give the file its CRS: assign", "assign"),
)
#: words of the project file, for layers that a program gave; in this order
_OF_PROJECT_FILES = (
    (r'write crs = "[^"]*" under \[layers\.\w+\].*?, or (?=assign)', ""),
    (r'write crs = "([^"]+)"  # (.*?) under \[project\]', r'give crs="\1" (\2)'),
    (r'write crs = "([^"]+)" under \[project\]', r'give crs="\1"'),
    (r'crs = "auto"', 'crs="auto"'),
    (r"\[project\] crs = ", "crs="),
    (r"\[project\] (\w+)", r"\1"),
    (r"\bdem\.z_unit:", "z_unit:"),
    (r"; wetgeo doctor tells [^;]*$", ""),
    (r"write the unit under \[dem\] in the project file", "give the unit"),
    (r" under \[dem\](?: in the project file)?", ""),
    (r"\[dem\] path(?: in the project file)?", "dem"),
    (r"\bz_unit = \"", 'z_unit="'),
    (r"that the project file names", "that fields names"),
    (r"\b(fields|values|defaults) under \[layers\.(\w+)\]", r'\1["\2"]'),
    (r"under \[layers\.\w+\] write ", "give "),
    (r"name the layer in the project file: \[layers\.(\w+)\] path = \.\.\.", r"give the layer, \1=..."),
    (r"add to the project file: ", "give "),
    (r'\[layers\.(\w+)\] path = (?:\.\.\.|"[^"]*")', r"\1=..."),
    (r"\[layers\.(\w+)\]", r"\1"),
)


@contextlib.contextmanager
def told_in_python(project: Project | None = None) -> Iterator[None]:
    """Tell errors in a program's terms: arguments for options and, where a program gave the layers, for TOML."""
    try:
        yield
    except WetgeoError as error:
        given = project is not None and project.path.name == BY_PROGRAM
        error.message = _in_python(error.message, given=given)
        error.faults = tuple(_in_python(fault, given=given) for fault in error.faults)
        error.mend = _in_python(error.mend, given=given)
        error.toml = None if given else error.toml
        error.args = (str(error),)
        raise


def _in_python(words: str, *, given: bool) -> str:
    for pattern, told in _OF_COMMANDS:
        words = re.sub(pattern, told, words)
    if not given:
        return words
    words = _tables_in_python(words)
    for pattern, told in _OF_PROJECT_FILES:
        words = re.sub(pattern, told, words)
    return words


def _tables_in_python(words: str) -> str:
    """Turn ``values.class = { "a" = "b" }`` of a layer into the argument that says the same."""
    layer = re.search(r"\[layers\.(\w+)\]", words)
    if layer is None:
        return words
    name = layer[1]
    words = re.sub(r'(?:fields = )?\{ (\w+) = ("[^"]*") \}', rf'fields={{"{name}": {{"\1": \2}}}}', words)
    words = re.sub(r'defaults\.(\w+) = ("[^"]*"|[\w.]+)', rf'defaults={{"{name}": {{"\1": \2}}}}', words)
    return re.sub(
        r"values\.(\w+) = \{ (.*?) \}",
        lambda found: f'values={{"{name}": {{"{found[1]}": {{{found[2].replace(" = ", ": ")}}}}}}}',
        words,
    )


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
        ``soils`` and so on, each with its CRS. They are not changed. `required_buffers` lists them with their roles.

    Returns
    -------
    Project
        To be given to `delineate` and the others. Nothing is computed yet.

    Raises
    ------
    ProjectError
        A layer or role is not known, or no wetlands, lakes or streams are given.
    RasterError
        An array is no DEM, has no transform, or (`UnitError`) no unit.

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
        path=here / BY_PROGRAM,
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
        f"{name!r} is no layer of a project{_meant(name, (*LAYER_GEOMETRY, *_KEYWORDS))}"
        for name in layers
        if name not in LAYER_GEOMETRY
    ]
    faults += [
        f"{name} is no GeoDataFrame, but a {type(frame).__name__}{_how_to_read(frame)}"
        for name, frame in layers.items()
        if name in LAYER_GEOMETRY and not isinstance(frame, gpd.GeoDataFrame)
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


def _how_to_read(given: object) -> str:
    """Tell how a GeoDataFrame is made of what was given instead."""
    if isinstance(given, str | Path):
        return f"; read it with geopandas.read_file({str(given)!r})"
    return "; make one with geopandas.GeoDataFrame(geometry=...)" if isinstance(given, gpd.GeoSeries) else ""


def _meant(word: str, known: Any) -> str:  # noqa: ANN401 -- any words
    near = closest(word, known)
    return f" (did you mean {near}?)" if near else ""


def _elevations(dem: Elevations, z_unit: str | None, crs: Any) -> DemSource:  # noqa: ANN401 -- all that pyproj takes
    if isinstance(dem, str | Path):
        return DemSource(paths=(Path(dem).absolute(),), z_unit=z_unit)
    if isinstance(dem, tuple) and len(dem) == 2 and isinstance(dem[0], np.ndarray):
        path = _raster_of(dem[0], dem[1], crs)
        if z_unit is None:
            raise UnitError(
                "dem is an array, which does not tell its vertical unit",
                mend='give z_unit: "m", "ft", "us-ft" or "cm", as the description of the data has it',
            )
        return DemSource(paths=(path,), z_unit=z_unit)
    if isinstance(dem, np.ndarray) or not all(isinstance(tile, str | Path) for tile in dem):
        raise RasterError(
            f"dem is a {type(dem).__name__} that does not say where it lies",
            mend="give (array, transform), with the affine transform of the array, or a file, or a list of files",
        )
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


def several(words: str | Sequence[str]) -> tuple[str, ...]:
    """Take one word as a list of one."""
    return (words,) if isinstance(words, str) else tuple(words)
