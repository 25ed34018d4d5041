"""Files and what lies beside them: parts that lack or are out of date, unsaved edits, and endings that lie."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from wetgeo.doctor.reading import Reading
from wetgeo.doctor.remarks import Remark

#: first bytes of formats, with the endings that they usually bear
_MAGIC: tuple[tuple[bytes, str, tuple[str, ...]], ...] = (
    (b"SQLite format 3\0", "a GeoPackage or SQLite database", (".gpkg", ".sqlite", ".db", ".mbtiles")),
    (b"PK\x03\x04", "a zip archive", (".zip", ".kmz", ".xlsx", ".gdbz")),
    (b"\x00\x00\x27\x0a", "a shapefile's .shp or .shx", (".shp", ".shx")),
    (b"II*\0", "a TIFF", (".tif", ".tiff", ".gtiff")),
    (b"MM\0*", "a TIFF", (".tif", ".tiff", ".gtiff")),
    (b"II+\0", "a BigTIFF", (".tif", ".tiff", ".gtiff")),
    (b"fgb\x03", "a FlatGeobuf", (".fgb",)),
    (b"PAR1", "a Parquet file", (".parquet", ".geoparquet")),
    (b"\x1f\x8b", "a gzip archive", (".gz", ".svgz")),
    (b"%PDF", "a PDF", (".pdf",)),
)
_WEB_PAGE = (b"<!doctype html", b"<html")
#: of a shapefile, what other programs derived from it and would be wrong when it is newer
_INDEXES = (".qix", ".sbn", ".sbx")
#: seconds by which copying may turn the order of two files
_SAME_TIME = 2.0


def look(reading: Reading) -> Iterator[Remark]:
    """Look at every file that the project names, and beside it."""
    named = [(name, source.path) for name, source in reading.project.layers.items()]
    named += [("dem", path) for path in (reading.project.dem.paths if reading.project.dem else ())]
    seen: set[Path] = set()
    for layer, path in named:
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        yield from _ending(layer, path)
        yield from _beside(layer, path)
        if path.suffix.lower() == ".shp":
            yield from _shapefile(layer, path)


def _remark(layer: str, path: Path, code: str, message: str, mend: str, *, severity: str = "warning") -> Remark:
    return Remark(
        severity=severity, subject="sidecars", code=code, layer=layer, file=str(path), message=message, mend=mend
    )


def _ending(layer: str, path: Path) -> Iterator[Remark]:
    with path.open("rb") as file:
        start = file.read(64)
    if start.lstrip().lower().startswith(_WEB_PAGE) and path.suffix.lower() not in (".html", ".htm"):
        yield _remark(
            layer, path, "file-kind", f"{path.name} is a web page, such as a server sends instead of a file",
            "fetch the file again; the page may say why it was not sent",
        )  # fmt: skip
    for magic, what, endings in _MAGIC:
        if start.startswith(magic) and path.suffix.lower() not in endings:
            yield _remark(
                layer, path, "file-kind", f"{path.name} is {what}, whatever its ending says",
                f"rename it to {path.stem}{endings[0]}, and name that in the project file",
            )  # fmt: skip
            return


def _beside(layer: str, path: Path) -> Iterator[Remark]:
    for end in ("-wal", "-journal"):
        side = Path(f"{path}{end}")
        if side.is_file() and side.stat().st_size:
            yield _remark(
                layer, side, "file-unsaved",
                f"{side.name} holds changes that another program has not brought into {path.name} yet; they are read "
                "too, "
                "as far as they were saved",
                "save the edits and close the file there (in QGIS: remove its layers), then look again",
            )  # fmt: skip
    xml = Path(f"{path}.aux.xml")
    if xml.is_file() and _older(xml, path):
        yield _remark(
            layer, xml, "sidecar-stale",
            f"{xml.name} is older than {path.name}: statistics, nodata or CRS in it may be of an earlier file",
            f"delete {xml.name}, unless it states the CRS or unit; programs make it anew",
        )  # fmt: skip


def _shapefile(layer: str, path: Path) -> Iterator[Remark]:
    sides = {each.suffix.lower(): each for each in path.parent.glob(f"{_escaped(path.stem)}.*")}
    if ".prj" not in sides:
        yield _remark(
            layer, path, "sidecar-missing", f"{path.stem}.prj is missing, which states the coordinate system",
            "copy it from where the shapefile came from; else state crs for the layer",
        )  # fmt: skip
    if ".cpg" not in sides and ".dbf" in sides and _beyond_ascii(sides[".dbf"]):
        yield _remark(
            layer, path, "sidecar-missing",
            f"{path.stem}.cpg is missing, which states the encoding, and the attributes hold letters beyond ASCII: "
            "they "
            "may come out wrong",
            f"write the encoding, such as UTF-8, into {path.stem}.cpg",
        )  # fmt: skip
    for end in _INDEXES:
        if end in sides and _older(sides[end], path):
            yield _remark(
                layer, sides[end], "sidecar-stale",
                f"{sides[end].name} is a spatial index older than {path.name}: programs that use it may miss features",
                f"delete {sides[end].name}; programs make it anew",
            )  # fmt: skip
    yield from _counts(layer, path, sides)


def _escaped(stem: str) -> str:
    return "".join(f"[{letter}]" if letter in "[]*?" else letter for letter in stem)


def _counts(layer: str, path: Path, sides: dict[str, Path]) -> Iterator[Remark]:
    """Compare the number of shapes by the index with the number of rows of the table."""
    if ".shx" not in sides or ".dbf" not in sides:
        return
    shapes = max(sides[".shx"].stat().st_size - 100, 0) // 8
    with sides[".dbf"].open("rb") as file:
        head = file.read(8)
    rows = struct.unpack("<I", head[4:8])[0] if len(head) == 8 else 0
    if shapes != rows:
        yield _remark(
            layer, path, "sidecar-stale",
            f"{sides['.shx'].name} counts {shapes:,} shapes and {sides['.dbf'].name} {rows:,} rows: they are not of "
            "one "
            "shapefile",
            "copy all files of the shapefile again, from one place",
        )  # fmt: skip


def _older(side: Path, path: Path) -> bool:
    return side.stat().st_mtime < path.stat().st_mtime - _SAME_TIME


def _beyond_ascii(dbf: Path) -> bool:
    """Look for letters beyond ASCII in the first megabyte of a table's rows."""
    with dbf.open("rb") as file:
        head = file.read(32)
        if len(head) < 32:
            return False
        file.seek(struct.unpack("<H", head[8:10])[0])
        return any(byte > 127 for byte in file.read(2**20))
