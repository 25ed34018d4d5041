"""Finding and opening vector files: what GDAL is to open, and which layers it holds. Nothing is written beside them."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pyogrio

from wetgeo.errors import InputError, closest
from wetgeo.inputs.faults import did_you_mean, how_to_choose, listed, toml_line, where_named
from wetgeo.inputs.reach import NOT_THERE, shortened, unreachable
from wetgeo.inputs.wholeness import TAIL_BYTES, Part, end_fault, shapefile_fault

GEOPARQUET = (".parquet", ".geoparquet")
#: what a zip may hold that GDAL reads as a data set of its own
_IN_ZIP = (".shp", ".gpkg", ".geojson", ".json", ".fgb", ".kml", ".gml", ".dxf", ".tab")
#: parts of a shapefile that cannot be done without, and what each holds
_SHAPEFILE_PARTS = {".shx": "the index of its shapes", ".dbf": "the table of its attributes"}
#: a member of a zip that unpacks to so many bytes, and so many times its size, is taken for a bomb
_BOMB_BYTES, _BOMB_RATIO = 100 << 20, 200
_ENCRYPTED = 1
#: what pyogrio raises on a file that it cannot read; the unbound name where GDAL cannot write its CRS as text
NOT_READ = (ValueError, OSError, RuntimeError, UnboundLocalError, pa.ArrowException)
#: formats of which GDAL reads what is there, whether or not it ends
_WITH_END = (".dxf", ".gml", ".kml")
_SQLITE_WAL = b"\x02\x02"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """A data set as GDAL opens it.

    Attributes
    ----------
    path
        The user's file or folder, for messages.
    gdal
        The name that GDAL opens.
    options
        Open options of GDAL's driver.
    layers
        Name of each layer, with its geometry type; None for a table.
    """

    path: Path
    gdal: str
    options: Mapping[str, str] = field(default_factory=dict)
    layers: Mapping[str, str | None] = field(default_factory=dict)

    def choose(self, wanted: str | None, *, name: str) -> str:
        """Return the layer to read for the project's layer `name`. Raises InputError where it is not clear."""
        spatial = [layer for layer, kind in self.layers.items() if kind]
        if wanted is not None:
            same = [layer for layer in self.layers if layer.casefold() == wanted.casefold()]
            chosen = wanted if wanted in self.layers else same[0] if len(same) == 1 else None
            if chosen is None:
                raise InputError(
                    f"layer {name}: {self.path} has no layer {wanted!r}",
                    mend=f"its layers are {listed(self.layers)}.{did_you_mean(wanted, self.layers)}",
                    toml=toml_line(name, f'layer = "{closest(wanted, self.layers) or "..."}"'),
                )
        elif len(spatial) > 1:
            raise InputError(
                f"layer {name}: {self.path} holds {len(spatial)} layers and none is named",
                mend=f"{how_to_choose(name)}; its layers are {listed(spatial)}",
                toml=toml_line(name, f'layer = "{closest(name, spatial) or "..."}"'),
            )
        else:
            chosen = (spatial or list(self.layers))[0]
        if self.layers[chosen] is None:
            raise InputError(
                f"layer {name}: {chosen!r} of {self.path} is a table without geometry",
                mend=f"name a layer with geometry: {listed(spatial)}" if spatial else "give a file with geometry",
            )
        return chosen


@contextmanager
def quiet() -> Iterator[list[warnings.WarningMessage]]:
    """Collect what GDAL warns of while the block reads, instead of printing it."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        yield heard


def require(path: Path, *, name: str) -> None:
    """Raise InputError where a path leads to no file or folder to read; a close match in its folder is told."""
    why = unreachable(path)
    if why is None:
        return
    folder = path.parent
    if why == NOT_THERE:
        if not folder.is_dir():
            raise InputError(f"layer {name}: {path} is not there", mend=f"there is no folder {folder}; mend the path")
        near = did_you_mean(path.name, _names_in(folder))
        raise InputError(f"layer {name}: {path} is not there", mend=f"mend the path {where_named(name)}.{near}")
    raise InputError(
        f"layer {name}: {shortened(path)} cannot be read: {why}", mend=f"mend the path {where_named(name)}"
    )


def _names_in(folder: Path) -> list[str]:
    try:
        return [each.name for each in folder.iterdir()]
    except OSError:  # the names are only a hint
        return []


@contextmanager
def opened(path: Path, *, name: str, layer: str | None = None) -> Iterator[DataSet]:
    """Open a file for the project's layer `name`; `layer` chooses among the data sets of a zip.

    GeoPackages in WAL mode are read without the files that SQLite would lay beside them: as immutable where all is in
    the file itself, else from a private copy together with their write-ahead log.

    Raises
    ------
    InputError
        The file is missing, incomplete, or not one that GDAL reads.
    """
    require(path, name=name)
    with tempfile.TemporaryDirectory(prefix="wetgeo-") as folder:
        if path.suffix.lower() == ".zip":
            yield _zipped(path, name, layer)
        elif _needs_copy(path):
            yield _described(path, str(_private_copy(path, Path(folder))), name)
        else:
            if path.suffix.lower() == ".shp":
                _check_parts(path, [each.name for each in path.parent.iterdir()], path.name, name)
                _check_sizes(path, _parts_on_disk(path), name)
            elif path.suffix.lower() in _WITH_END and path.is_file():
                _check_end(path, name)
            yield _described(path, str(path), name)


def _check_parts(path: Path, siblings: list[str], shp: str, name: str) -> None:
    present = {each.casefold() for each in siblings}
    stem = shp[: -len(".shp")]
    lost = {part: what for part, what in _SHAPEFILE_PARTS.items() if (stem + part).casefold() not in present}
    if lost:
        parts = " and ".join(f"{PurePosixPath(stem).name}{part} ({what})" for part, what in lost.items())
        raise InputError(
            f"layer {name}: the shapefile {path} is incomplete: {parts} is missing",
            mend="copy all files of the shapefile (.shp, .shx, .dbf, .prj) into one folder",
        )


@contextmanager
def unzipped(path: Path, *, name: str) -> Iterator[zipfile.ZipFile]:
    """Open a zip for reading; what is wrong with it, also while the block reads from it, is an InputError.

    Raises
    ------
    InputError
        It is no zip, damaged, encrypted, or unpacks to very much more than it is.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _refuse_bombs(archive, path, name)
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise InputError(
            f"layer {name}: {path} is no zip file, or a damaged or locked one ({error})", mend="zip it anew"
        ) from error


def _refuse_bombs(archive: zipfile.ZipFile, path: Path, name: str) -> None:
    for each in archive.infolist():
        if each.flag_bits & _ENCRYPTED:
            raise InputError(
                f"layer {name}: {each.filename!r} in {path} is encrypted", mend="unpack it, or zip it anew"
            )
        if each.file_size > _BOMB_BYTES and each.file_size > _BOMB_RATIO * each.compress_size:
            raise InputError(
                f"layer {name}: {each.filename!r} in {path} would unpack from {each.compress_size:,} to "
                f"{each.file_size:,} bytes",
                mend="see whether it is what it should be; if so, unpack it and name the file",
            )


def _check_sizes(path: Path, parts: Mapping[str, Part], name: str) -> None:
    fault = shapefile_fault(parts)
    if fault is not None:
        raise InputError(
            f"layer {name}: the shapefile {path} is damaged: {fault}",
            mend="copy all files of the shapefile (.shp, .shx, .dbf, .prj) anew from where they came",
        )


def _parts_on_disk(path: Path) -> dict[str, Part]:
    parts = {}
    for each in path.parent.iterdir():
        end = each.suffix.lower()
        if end in (".shp", *_SHAPEFILE_PARTS) and each.stem.casefold() == path.stem.casefold() and each.is_file():
            with each.open("rb") as file:
                parts[end] = Part(each.stat().st_size, file.read(100))
    return parts


def _parts_in_zip(archive: zipfile.ZipFile, shp: str) -> dict[str, Part]:
    stem = shp[: -len(".shp")].casefold()
    parts = {}
    for each in archive.infolist():
        end = PurePosixPath(each.filename).suffix.lower()
        if end in (".shp", *_SHAPEFILE_PARTS) and each.filename.casefold() == stem + end:
            with archive.open(each) as file:
                parts[end] = Part(each.file_size, file.read(100))
    return parts


def _check_end(path: Path, name: str) -> None:
    with path.open("rb") as file:
        head = file.read(TAIL_BYTES)
        file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        fault = end_fault(path.suffix.lower(), head, file.read())
    if fault is not None:
        raise InputError(f"layer {name}: {path} is cut short: {fault}", mend="copy or export the file anew")


def _zipped(path: Path, name: str, layer: str | None) -> DataSet:
    """Find the data sets in a zip; the stray files that macOS adds are none."""
    with unzipped(path, name=name) as archive:
        members = [m for m in archive.namelist() if "__MACOSX" not in m and not PurePosixPath(m).name.startswith("._")]
        member = _chosen_member(path, members, name, layer)
        if member.lower().endswith(".shp"):
            _check_parts(path, members, member, name)
            _check_sizes(path, _parts_in_zip(archive, member), name)
    return _described(path, f"/vsizip/{path}/{member}", name)


def _chosen_member(path: Path, members: list[str], name: str, layer: str | None) -> str:
    inside = {m.rstrip("/") for m in members if PurePosixPath(m).suffix.lower() in _IN_ZIP}
    inside |= {str(p) for m in members for p in PurePosixPath(m).parents if p.suffix.lower() == ".gdb"}
    if not inside:
        raise InputError(
            f"layer {name}: {path} holds no vector file", mend=f"it holds {listed(members, 10) or 'nothing'}"
        )
    by_stem = {PurePosixPath(m).stem.casefold(): m for m in inside}
    member = next(iter(inside)) if len(inside) == 1 else by_stem.get((layer or "").casefold())
    if member is None:
        stems = sorted(PurePosixPath(m).stem for m in inside)
        wanted = "none is named" if layer is None else f"none is called {layer!r}"
        raise InputError(
            f"layer {name}: {path} holds {len(inside)} files and {wanted}",
            mend=f"{how_to_choose(name)}, one of {listed(stems)}",
        )
    return member


def _is_sqlite(path: Path) -> bool:
    return path.suffix.lower() in (".gpkg", ".sqlite", ".db")


def _side_files(path: Path) -> list[Path]:
    sides = (path.with_name(path.name + end) for end in ("-wal", "-journal"))
    return [side for side in sides if side.exists() and side.stat().st_size]


def _needs_copy(path: Path) -> bool:
    """Tell whether reading would write beside the file, or leave out what stands in its log."""
    if path.suffix.lower() == ".gml" and path.is_file():  # GDAL writes a .gfs file
        return True
    if not path.is_file() or not _is_sqlite(path):
        return False
    with path.open("rb") as file:
        wal = file.read(20)[18:20] == _SQLITE_WAL
    return bool(_side_files(path)) or (wal and path.suffix.lower() != ".gpkg")


def _private_copy(path: Path, folder: Path) -> Path:
    siblings = (
        [path.with_suffix(end) for end in (".xsd", ".gfs")] if path.suffix.lower() == ".gml" else _side_files(path)
    )
    for each in (path, *siblings):
        if each.exists():
            shutil.copyfile(each, folder / each.name)
    return folder / path.name


def _described(path: Path, gdal: str, name: str) -> DataSet:
    if gdal.lower().endswith(".gpkg") and not gdal.startswith("/vsi"):
        return DataSet(path=path, gdal=gdal, options={"IMMUTABLE": "YES"}, layers=_geopackage_layers(path, gdal, name))
    if path.suffix.lower() in GEOPARQUET:
        return DataSet(path=path, gdal=gdal, layers={path.stem: "Unknown"})
    try:
        with quiet():
            layers = {str(layer): kind for layer, kind in pyogrio.list_layers(gdal)}
    except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError, UnicodeDecodeError) as error:
        raise InputError(
            f"layer {name}: {path} is no vector file that GDAL can read ({str(error).split(';')[0]})",
            mend="give a shapefile, GeoPackage, GeoJSON, FileGDB, FlatGeobuf, GeoParquet, KML or DXF",
        ) from error
    if not layers:
        raise InputError(f"layer {name}: {path} holds no layer", mend="give a file with a layer")
    return DataSet(path=path, gdal=gdal, layers=layers)


def _geopackage_layers(path: Path, gdal: str, name: str) -> dict[str, str | None]:
    """List the layers of a GeoPackage; pyogrio's own list would open it as one that may be written."""
    sides = _side_files(Path(gdal))
    query = (
        "SELECT c.table_name, g.geometry_type_name FROM gpkg_contents c "
        "LEFT JOIN gpkg_geometry_columns g ON lower(g.table_name) = lower(c.table_name) "
        "WHERE c.data_type IN ('features', 'attributes')"
    )
    try:
        with _read_only(gdal, immutable=not sides) as database:
            layers = dict(database.execute(query).fetchall())
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise InputError(
            f"layer {name}: {path} is no GeoPackage, or a damaged one ({error})", mend="export it anew"
        ) from error
    if not layers:
        raise InputError(f"layer {name}: {path} holds no layer", mend="give a GeoPackage with a layer")
    return layers


@contextmanager
def _read_only(file: str, *, immutable: bool) -> Iterator[sqlite3.Connection]:
    uri = Path(file).resolve().as_uri() + ("?immutable=1" if immutable else "")
    connection = sqlite3.connect(uri, uri=True)
    try:
        yield connection
    finally:
        connection.close()
