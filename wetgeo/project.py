"""The project file, wetgeo.toml: read, checked, all faults told at once."""

from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wetgeo.errors import ProjectError, closest
from wetgeo.site import FIELD_ROLES, LAYER_GEOMETRY, RESOURCE_LAYERS, ROLE_ALIASES
from wetgeo.units import Z_UNITS_M

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FORMATS = ("gpkg", "shp", "qgz", "html", "pdf", "csv", "declaration", "dxf")
DEFAULT_FORMATS = tuple(name for name in FORMATS if name != "dxf")
PROJECT_FILE = "wetgeo.toml"
#: units as people write them: small letters, singular, words set apart by blanks
_UNITS_IN_WORDS = {
    **dict.fromkeys(("foot", "feet", "international foot", "international feet"), "ft"),
    **dict.fromkeys(("us survey foot", "us survey feet", "survey foot", "survey feet", "us ft", "us foot"), "us-ft"),
    **dict.fromkeys(("meter", "metre"), "m"),
    **dict.fromkeys(("centimeter", "centimetre"), "cm"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSource:
    """Where one layer comes from.

    ``fields`` maps a role to the file's field; ``values`` a role to {what the file says: what the rule calls it};
    ``defaults`` a role to the value of features that have none. ``crs`` is stated only where the file has none.
    """

    name: str
    path: Path
    layer: str | None = None
    where: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    crs: str | None = None
    table: Path | None = None
    #: a GeoDataFrame that stands for the file, where a program gives the layer itself; `path` is then only its name
    frame: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemSource:
    """Where elevations come from: rasters (tiles, or a VRT) and their vertical unit, None where the file tells."""

    paths: tuple[Path, ...]
    z_unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project file as read. Paths are absolute; ``options`` are the pack's and not yet checked."""

    path: Path
    name: str
    rule: str
    crs: str | None
    date: datetime.date
    output: Path
    layers: Mapping[str, LayerSource]
    dem: DemSource | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    formats: tuple[str, ...] = DEFAULT_FORMATS

    @property
    def folder(self) -> Path:
        """The folder that relative paths refer to."""
        return self.path.parent

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that the project names."""
        tables = [source.table for source in self.layers.values() if source.table is not None]
        rasters = self.dem.paths if self.dem is not None else ()
        layers = [source.path for source in self.layers.values() if source.frame is None]
        return tuple(dict.fromkeys([*layers, *tables, *rasters]))


def close_match(word: str, allowed: Iterable[str]) -> str:
    """Say which of the allowed words was probably meant, as `` (did you mean x?)``, or nothing."""
    near = closest(word, allowed)
    return f" (did you mean {near}?)" if near else ""


class _Checker:
    """Reads values out of the parsed file and gathers what is wrong with them, each with its line."""

    def __init__(self, text: str, folder: Path) -> None:
        self.lines = text.splitlines()
        self.folder = folder
        self.faults: list[str] = []

    def line_of(self, where: str) -> int | None:
        """Find the line of a dotted key: the header of its table first, then the key below it."""
        parts = where.split(".")
        for depth in range(len(parts), 0, -1):
            table, rest = ".".join(parts[:depth]), parts[depth:]
            header = re.compile(rf"\s*\[\s*{re.escape(table)}\s*\]")
            for number, line in enumerate(self.lines, 1):
                if header.match(line):
                    return self._key_below(number, rest[0]) if rest else number
        return None

    def _key_below(self, start: int, key: str) -> int:
        for number, line in enumerate(self.lines[start:], start + 1):
            if re.match(r"\s*\[", line):
                break
            if re.match(rf"\s*\"?{re.escape(key)}\"?\s*[.=]", line):
                return number
        return start

    def fault(self, where: str, message: str) -> None:
        line = self.line_of(where)
        self.faults.append(f"{where}{f' (line {line})' if line else ''}: {message}")

    def keys(self, table: Mapping[str, Any], where: str, allowed: Iterable[str]) -> None:
        allowed = tuple(allowed)
        for key in table:
            if key not in allowed:
                self.fault(
                    f"{where}.{key}".lstrip("."),
                    f"unknown key{close_match(key, allowed)}; allowed here: {', '.join(allowed)}",
                )

    def table(self, parent: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
        value = parent.get(key, {})
        if isinstance(value, Mapping):
            return value
        self.fault(f"{where}.{key}".lstrip("."), f"should be a table, not {value!r}")
        return {}

    def text(self, table: Mapping[str, Any], key: str, where: str, *, required: bool = False) -> str | None:
        value = table.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if value is not None:
            self.fault(f"{where}.{key}", f"should be text in quotes, not {value!r}")
        elif required:
            self.fault(f"{where}.{key}", "is missing")
        return None

    def file(self, text: str, where: str) -> Path:
        """Make a path of a text; relative ones are below the project's folder."""
        try:
            path = Path(text).expanduser()
        except RuntimeError:  # ~ and a user who is not there
            self.fault(where, f"there is no home folder for {text.split('/', maxsplit=1)[0]!r}; write the path out")
            path = Path(text.lstrip("~"))
        if "\0" in text:
            self.fault(where, "a path cannot hold the character NUL")
            path = Path(text.replace("\0", ""))
        return (self.folder / path).absolute()


def locate_project(path: str | Path) -> Path:
    """Turn the PROJECT of a command line, a wetgeo.toml or a folder that holds one, into the file's path.

    Raises
    ------
    ProjectError
        Where there is no such file.
    """
    given = Path(path)
    try:
        found = given / PROJECT_FILE if given.is_dir() else given
        there = found.is_file()
    except OSError:  # a name that no file can have
        found, there = given, False
    if not there:
        raise ProjectError(
            f"there is no project file {str(found)[:300]}",
            mend="name a wetgeo.toml or a folder that holds one, or run wetgeo init",
        )
    return found.absolute()


def load_project(path: str | Path) -> Project:
    """Read a project file.

    Parameters
    ----------
    path
        A wetgeo.toml, or a folder that holds one.

    Raises
    ------
    ProjectError
        Where the file is missing, is not TOML, or says what it may not say; all faults at once, each with its line.
    """
    project, faults = read_project(path)
    if faults:
        raise ProjectError(f"{project.path} has {len(faults)} fault(s):", faults=faults)
    return project


def read_project(path: str | Path) -> tuple[Project, tuple[str, ...]]:
    """Read a project file as far as it can be read, and all its faults, each with its key and line.

    Raises
    ------
    ProjectError
        Where the file is missing or is not TOML, so that nothing of it can be read.
    """
    found = locate_project(path)
    try:
        text = found.read_text(encoding="utf-8-sig")
        document = tomllib.loads(text)
    except OSError as fault:
        raise ProjectError(
            f"{found} cannot be read: {fault.strerror or fault}", mend="see to its permissions"
        ) from fault
    except UnicodeDecodeError as fault:
        line = fault.object[: fault.start].count(b"\n") + 1
        raise ProjectError(
            f"{found} cannot be read: line {line} is not UTF-8", mend="save the file as UTF-8"
        ) from fault
    except (ValueError, RecursionError) as fault:  # also integers and nesting beyond what Python takes
        raise ProjectError(
            f"{found} is not valid TOML: {fault}", mend="correct that line; text stands in quotes, a key only once"
        ) from fault
    check = _Checker(text, found.parent)
    project = _read_document(document, check, found)
    return project, tuple(check.faults)


def _read_document(document: Mapping[str, Any], check: _Checker, path: Path) -> Project:
    check.keys(document, "", ("project", "layers", "dem", "options", "outputs"))
    head = check.table(document, "project", "")
    check.keys(head, "project", ("name", "rule", "crs", "date", "output"))
    layers = check.table(document, "layers", "")
    sources = {name: _read_layer(name, check.table(layers, name, "layers"), check) for name in layers}
    if not set(RESOURCE_LAYERS) & set(sources):
        check.fault("layers", f"at least one of {', '.join(RESOURCE_LAYERS)} is needed")
    return Project(
        path=path,
        name=check.text(head, "name", "project") or path.parent.name,
        rule=check.text(head, "rule", "project", required=True) or "",
        crs=check.text(head, "crs", "project"),
        date=_read_date(head, check),
        output=check.file(check.text(head, "output", "project") or "out", "project.output"),
        layers={name: source for name, source in sources.items() if source is not None},
        dem=_read_dem(document, check),
        options=dict(check.table(document, "options", "")),
        formats=_read_formats(document, check),
    )


def _read_date(head: Mapping[str, Any], check: _Checker) -> datetime.date:
    value = head.get("date")
    if value is None:
        return datetime.datetime.now().astimezone().date()
    if isinstance(value, datetime.datetime) or not isinstance(value, datetime.date):
        check.fault("project.date", f"should be a date such as 2026-06-01, without quotes, not {value!r}")
        return datetime.date.min
    return value


def _read_layer(name: str, table: Mapping[str, Any], check: _Checker) -> LayerSource | None:
    where = f"layers.{name}"
    if name not in LAYER_GEOMETRY:
        check.fault(where, f"unknown layer{close_match(name, LAYER_GEOMETRY)}; known: {', '.join(LAYER_GEOMETRY)}")
        return None
    check.keys(table, where, ("path", "layer", "where", "fields", "values", "defaults", "crs", "table"))
    file = check.text(table, "path", where, required=True)
    soil_table = check.text(table, "table", where)
    if soil_table and name != "soils":
        check.fault(f"{where}.table", "only soils take a table")
    return LayerSource(
        name=name,
        path=check.file(file or "", f"{where}.path"),
        layer=check.text(table, "layer", where),
        where=check.text(table, "where", where),
        fields=_read_roles(table, "fields", name, check),
        values=_read_roles(table, "values", name, check),
        defaults=_read_roles(table, "defaults", name, check),
        crs=check.text(table, "crs", where),
        table=check.file(soil_table, f"{where}.table") if soil_table else None,
    )


def _read_roles(table: Mapping[str, Any], key: str, layer: str, check: _Checker) -> dict[str, Any]:
    """Read ``fields``, ``values`` or ``defaults``: a table by role, where each role's value has the right form."""
    forms: dict[str, tuple[type | tuple[type, ...], str]] = {
        "fields": (str, "the name of a field, in quotes"),
        "values": (Mapping, 'a table such as { P = "Preserve" }'),
        "defaults": ((str, int, float, bool), "one value"),
    }
    form, words = forms[key]
    roles: dict[str, Any] = {}
    for given, value in check.table(table, key, f"layers.{layer}").items():
        role, where = ROLE_ALIASES.get(given, given), f"layers.{layer}.{key}.{given}"
        if role not in FIELD_ROLES[layer]:
            allowed = FIELD_ROLES[layer]
            check.fault(
                where, f"unknown role{close_match(given, allowed)}; fields of {layer} may be: {', '.join(allowed)}"
            )
        elif not isinstance(value, form):
            check.fault(where, f"should be {words}, not {value!r}")
        else:
            roles[role] = value
    return roles


def unit_fault(z_unit: str | None) -> str:
    """Say what is wrong with a vertical unit as stated, and which was meant; empty where nothing is."""
    if z_unit is None or z_unit in Z_UNITS_M:
        return ""
    said = str(z_unit).strip().casefold().replace("-", " ").replace("_", " ").removesuffix("s")
    meant = next((name for name in Z_UNITS_M if said == name.replace("-", " ")), _UNITS_IN_WORDS.get(said))
    hint = f" (did you mean {meant}?)" if meant else ""
    return f"unknown unit {z_unit!r}{hint}; allowed: {', '.join(Z_UNITS_M)}"


def _read_dem(document: Mapping[str, Any], check: _Checker) -> DemSource | None:
    if "dem" not in document:
        return None
    table = check.table(document, "dem", "")
    check.keys(table, "dem", ("path", "z_unit"))
    paths = table.get("path")
    listed = [paths] if isinstance(paths, str) else paths
    if not isinstance(listed, list) or not listed or not all(isinstance(p, str) and p for p in listed):
        check.fault("dem.path", f"should be a raster's path or a list of them, not {paths!r}")
        listed = []
    z_unit = check.text(table, "z_unit", "dem")
    wrong = unit_fault(z_unit)
    if wrong:
        check.fault("dem.z_unit", wrong)
    return DemSource(paths=tuple(check.file(p, "dem.path") for p in listed), z_unit=z_unit)


def _read_formats(document: Mapping[str, Any], check: _Checker) -> tuple[str, ...]:
    table = check.table(document, "outputs", "")
    check.keys(table, "outputs", ("formats",))
    formats = table.get("formats", list(DEFAULT_FORMATS))
    if not isinstance(formats, list) or not formats or not all(isinstance(name, str) for name in formats):
        check.fault("outputs.formats", f"should be a list of {', '.join(FORMATS)}, not {formats!r}")
        return DEFAULT_FORMATS
    for name in formats:
        if name not in FORMATS:
            check.fault("outputs.formats", f"unknown format {name!r}{close_match(name, FORMATS)}; {', '.join(FORMATS)}")
    return tuple(name for name in FORMATS if name in formats)
