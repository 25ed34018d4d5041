"""Vector files that are cut short, spoilt, misnamed or no files at all."""

from __future__ import annotations

import contextlib
import json
import os
import random
import sqlite3
import struct
import subprocess
import sys
import zipfile

import geopandas as gpd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
from scene import polygons
from small_site import UTM, square, wetlands, write_dem, write_layer

from wetgeo.errors import InputError
from wetgeo.inputs.vector import read_layer
from wetgeo.project import LayerSource

IDS = [f"W-{number}" for number in range(1, 31)]
#: what is needed beside path and fields for formats that say less
MORE = {"dxf": 'path = "w.dxf"\ncrs = "EPSG:26915"\ndefaults.class = "Preserve"'}


@pytest.fixture(scope="module")
def formats(tmp_path_factory):
    """The same thirty wetlands in every format: the bytes of each file by its name."""
    folder = tmp_path_factory.mktemp("formats")
    squares = [square(60 * (number % 6), 60 * (number // 6), 20) for number in range(30)]
    frame = polygons(*squares)
    for end in ("gpkg", "shp", "geojson", "fgb", "gml"):
        write_layer(folder / f"w.{end}", frame)
    write_layer(folder / "w.kml", frame.to_crs("EPSG:4326"), driver="KML")
    write_layer(folder / "w.dxf", gpd.GeoDataFrame(geometry=squares))
    frame.to_parquet(folder / "w.parquet")
    with zipfile.ZipFile(folder / "w.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for end in ("shp", "shx", "dbf", "prj"):
            archive.write(folder / f"w.{end}", f"w.{end}")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def spoil(scene, formats, name, change):
    """Lay a changed file and its companions into the scene; returns the arguments of its project."""
    stem, end = name.split(".")
    asked = "shp" if end in ("shx", "dbf", "prj", "cpg") else end
    companions = [
        n for n in formats if n.split(".")[0] == stem and asked == "shp" and n.endswith(("shp", "shx", "dbf", "prj"))
    ]
    for each in {name, *companions}:
        (scene.folder / each).write_bytes(formats[each])
    (scene.folder / name).write_bytes(change(formats[name]))
    lines = MORE.get(asked)
    return {"wetlands": lines} if lines else {"file": f"w.{asked}"}


FILES = ("gpkg", "shp", "shx", "dbf", "geojson", "fgb", "gml", "kml", "dxf", "parquet", "zip")


@pytest.mark.parametrize("share", [0.0, 0.5, 0.98])
@pytest.mark.parametrize("end", FILES)
def test_a_file_that_was_cut_short(scene, formats, end, share):
    ids = [f"wetlands-{number}" for number in range(1, 31)] if end == "dxf" else IDS
    project = spoil(scene, formats, f"w.{end}", lambda data: data[: int(len(data) * share)])
    error = scene.answered(ids=ids, **project)
    if error is not None:
        assert "w." in error


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("end", FILES)
def test_a_file_with_bytes_that_are_wrong(scene, formats, end, seed):
    dice = random.Random(f"{end} {seed}")

    def change(data):
        spoilt = bytearray(data)
        for at in dice.choices(range(len(data)), k=4**seed):
            spoilt[at] = dice.choice((0, 0x7F, 0xFF, dice.randrange(256)))
        return bytes(spoilt)

    scene.answered(**spoil(scene, formats, f"w.{end}", change))


def _png(scene):
    return b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8


def _page(scene):
    return b"<!DOCTYPE html><html><body><h1>403 Forbidden</h1><script>alert(1)</script></body></html>"


def _toml(scene):
    return b'[project]\nrule = "mcwd-2024"\n'


def _database(scene):
    with sqlite3.connect(scene.folder / "made.db") as base:
        base.execute("CREATE TABLE wetlands (id INTEGER, shape BLOB)")
    base.close()
    return (scene.folder / "made.db").read_bytes()


def _geojson(scene):
    return write_layer(scene.folder / "other.geojson", wetlands()).read_bytes()


def _raster(scene):
    return write_dem(scene.folder / "other.tif").read_bytes()


@pytest.mark.parametrize("end", ["gpkg", "shp", "geojson", "zip", "parquet", "kml", "fgb", "dxf", "gml"])
@pytest.mark.parametrize("content", [_png, _page, _toml, _database, _raster], ids=lambda make: make.__name__.strip("_"))
def test_a_name_that_lies(scene, end, content):
    (scene.folder / f"w.{end}").write_bytes(content(scene))
    for part in ("shx", "dbf"):
        (scene.folder / f"w.{part}").write_bytes(b"\0" * 200)
    scene.refused("w.", file=f"w.{end}")


def test_another_format_under_a_wrong_name_is_read_or_refused(scene):
    (scene.folder / "w.gpkg").write_bytes(_geojson(scene))
    scene.refused("no GeoPackage", file="w.gpkg")


class TestNoFile:
    """Paths that lead to links, devices, pipes, folders or nowhere."""

    def test_a_link_is_followed(self, scene):
        (scene.folder / "link.gpkg").symlink_to("wetlands.gpkg")
        assert len(scene.done(file="link.gpkg")["buffers"]) == 2

    def test_a_link_to_nothing(self, scene):
        (scene.folder / "link.gpkg").symlink_to("gone.gpkg")
        scene.refused("link.gpkg", "link to gone.gpkg", file="link.gpkg")

    def test_links_in_a_circle(self, scene):
        (scene.folder / "a.gpkg").symlink_to("b.gpkg")
        (scene.folder / "b.gpkg").symlink_to("a.gpkg")
        scene.refused("a.gpkg", file="a.gpkg")

    @pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/stdin", "/dev/tty"])
    def test_a_device(self, scene, device):
        (scene.folder / "w.geojson").symlink_to(device)
        scene.refused("w.geojson", file="w.geojson")

    @pytest.mark.parametrize("end", ["gpkg", "geojson", "zip", "parquet", "gml"])
    def test_a_pipe_that_nobody_writes(self, scene, end):
        os.mkfifo(scene.folder / f"w.{end}")
        scene.refused("device or a pipe", file=f"w.{end}")

    @pytest.mark.parametrize("end", ["gpkg", "shp", "geojson", "zip", "gdb", "parquet", "gml"])
    def test_a_folder(self, scene, end):
        (scene.folder / f"w.{end}").mkdir()
        scene.refused(f"w.{end}", file=f"w.{end}")

    def test_a_geodatabase_of_rubbish(self, scene):
        (scene.folder / "w.gdb").mkdir()
        for number in range(1, 4):
            (scene.folder / "w.gdb" / f"a{number:08x}.gdbtable").write_bytes(b"\0\x01\x02" * 500)
        scene.refused("w.gdb", file="w.gdb")

    @pytest.mark.parametrize(
        "name", ["x" * 300 + ".gpkg", "a/" * 2500 + "w.gpkg", "w.gpkg/inner.gpkg", "wetlands.gpkg/w.gpkg", "no/w.gpkg"],
        ids=["long", "deep", "below", "below-a-file", "no-folder"],
    )  # fmt: skip
    def test_a_path_to_nowhere(self, scene, name):
        assert len(scene.refused(file=name)) < 2000

    @pytest.mark.parametrize(
        "name",
        ["/vsicurl/http://127.0.0.1:9/w.gpkg", "/vsizip/w.zip/w.shp", "PG:host=127.0.0.1", "http://127.0.0.1:9/w.json"],
    )
    def test_no_file_but_a_name_for_gdal(self, scene, name):
        scene.refused("is not there", file=name)

    @pytest.mark.parametrize("folder", ["a\nb", "a\tb", "!", "x.zip!y"])
    def test_a_folder_that_gdal_would_take_for_another(self, scene, folder):
        (scene.folder / folder).mkdir()
        quoted = folder.replace("\n", "\\n").replace("\t", "\\t")
        (scene.folder / folder / "w.gpkg").write_bytes((scene.folder / "wetlands.gpkg").read_bytes())
        scene.refused("w.gpkg", "GDAL does not find it", file=f"{quoted}/w.gpkg")

    def test_the_project_file_as_a_layer(self, scene):
        scene.refused("site.toml", file="site.toml")


class TestShapefiles:
    """Parts of a shapefile that do not fit each other."""

    def test_the_index_of_another_file(self, scene, formats):
        write_layer(scene.folder / "v.shp", wetlands())
        other = (scene.folder / "v.shx").read_bytes()
        scene.answered(ids=IDS, **spoil(scene, formats, "w.shx", lambda _: other))

    def test_the_attributes_of_another_file(self, scene, formats):
        write_layer(scene.folder / "v.shp", wetlands())
        other = (scene.folder / "v.dbf").read_bytes()
        error = scene.answered(**spoil(scene, formats, "w.dbf", lambda _: other))
        assert error is None or "w.shp" in error

    def test_a_header_that_promises_more_records(self, scene, formats):
        def change(data):
            return data[:4] + struct.pack("<I", 2_000_000_000) + data[8:]

        scene.answered(ids=IDS, **spoil(scene, formats, "w.dbf", change))

    @pytest.mark.parametrize("text", ["", "rubbish", 'PROJCS["', "\0" * 50, "EPSG:26915", "9" * 5000])
    def test_a_projection_that_is_rubbish(self, scene, formats, text):
        spoil(scene, formats, "w.prj", lambda _: text.encode())
        scene.refused("w.shp", file="w.shp")

    def test_a_projection_whose_name_is_no_text(self, scene, formats):
        # GDAL knows the projection, and cannot hand it on
        spoil(scene, formats, "w.prj", lambda data: data.replace(b"_Zone_", b"\xff\x9f\xf0\xff"))
        scene.refused("w.shp", "coordinate system", file="w.shp")

    @pytest.mark.parametrize("text", ["", "NO-SUCH-CODE", "UTF-16", "\xff\xfe"])
    def test_an_encoding_that_nobody_knows(self, scene, formats, text):
        (scene.folder / "w.cpg").write_text(text, encoding="latin-1")
        scene.answered(ids=IDS, **spoil(scene, formats, "w.shp", lambda data: data))


def _shape(coordinates, kind=3):
    """A polygon as GeoPackages hold it, with any coordinates and any type code."""
    ring = b"".join(struct.pack("<2d", *xy) for xy in coordinates)
    body = struct.pack("<BII", 1, kind, 1) + struct.pack("<I", len(coordinates)) + ring
    return b"GP\0\x01" + struct.pack("<i", 26915) + body


#: what another program writes
CHANGE = "UPDATE wetlands SET CLASS = 'Manage 3' WHERE WET_ID = 'W-2'"


@contextlib.contextmanager
def held_by_another_program(path, sentences):
    """Let another process execute SQL on a database and keep it open: within one process locks would be no locks."""
    code = (
        "import sqlite3, sys\nbase = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "for one in sys.argv[2:]: base.execute(one)\nprint('ready', flush=True)\nsys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path), *sentences], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline()
        yield
        process.stdin.close()


def without_triggers(path):
    """Open a GeoPackage to change it; its triggers call functions that only GDAL has."""
    base = sqlite3.connect(path, isolation_level=None)
    for (trigger,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        base.execute(f'DROP TRIGGER "{trigger}"')
    return base


class TestGeopackages:
    """Databases whose tables say what cannot be."""

    @pytest.fixture
    def base(self, scene):
        base = without_triggers(scene.folder / "wetlands.gpkg")
        yield base
        base.close()

    @pytest.mark.parametrize(
        "change",
        [
            "DELETE FROM gpkg_geometry_columns",
            "DELETE FROM gpkg_contents",
            "DELETE FROM gpkg_spatial_ref_sys",
            "DROP TABLE gpkg_spatial_ref_sys",
            "DROP TABLE gpkg_geometry_columns",
            "DROP TABLE wetlands",
            "UPDATE gpkg_geometry_columns SET srs_id = 999999",
            "UPDATE gpkg_geometry_columns SET column_name = 'nowhere'",
            "UPDATE gpkg_geometry_columns SET geometry_type_name = 'NONSENSE'",
            "UPDATE gpkg_contents SET data_type = 'nonsense'",
            "UPDATE gpkg_spatial_ref_sys SET definition = 'rubbish' WHERE srs_id = 26915",
            "UPDATE gpkg_contents SET min_x = 1e300, max_x = -1e300",
            "PRAGMA application_id = 0",
            "PRAGMA user_version = 999999",
        ],
    )
    def test_tables_that_contradict_each_other(self, scene, base, change):
        base.execute(change)
        base.close()
        scene.answered(ids=["W-1", "W-2"])

    @pytest.mark.parametrize(
        "blob",
        [
            b"",
            b"GP",
            b"rubbish that is no geometry",
            _shape([(1, 1), (2, 2), (1, 1)])[:30],
            _shape([(455_000, 4_980_000)] * 2),
            _shape([(455_000, 4_980_000), (455_050, 4_980_000), (455_050, 4_980_050)]),
            _shape([(455_000, 4_980_000), (455_050, 4_980_000), (455_050, 4_980_050), (455_000, 4_980_000)], kind=4242),
            b"GP\0\x01" + struct.pack("<i", 26915) + struct.pack("<BII", 1, 3, 0xFFFFFFF0),
            b"GP\0\x01" + struct.pack("<i", 26915) + struct.pack("<BII", 1, 6, 2) + b"\x01\x03\0\0\0" * 2,
        ],
        ids=["empty", "short", "text", "cut", "two-points", "open-ring", "unknown-type", "huge-count", "bad-parts"],
    )
    def test_a_geometry_that_is_none(self, scene, base, blob):
        base.execute("UPDATE wetlands SET geom = ? WHERE WET_ID = 'W-1'", [blob])
        base.close()
        scene.answered(ids=["W-1", "W-2"])

    def test_attributes_of_another_type_than_their_column(self, scene, base):
        base.execute("UPDATE wetlands SET WET_ID = x'00ff00', CLASS = 3.5 WHERE WET_ID = 'W-1'")
        base.close()
        scene.refused("3.5")

    def test_a_view_is_read(self, scene, base):
        base.execute("CREATE VIEW seen AS SELECT * FROM wetlands")
        base.execute("INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('seen', 'features', 26915)")
        base.execute("INSERT INTO gpkg_geometry_columns VALUES ('seen', 'geom', 'POLYGON', 26915, 0, 0)")
        base.close()
        layers = scene.done(
            wetlands='path = "wetlands.gpkg"\nlayer = "seen"\nfields = { id = "WET_ID", class = "CLASS" }'
        )
        assert set(layers["resources"]["resource_id"]) == {"W-1", "W-2"}

    @pytest.mark.parametrize(
        "layer",
        ["it's", 'say "so"', "a]b[c", "x; DROP TABLE wetlands; --", "Zeile\nzwei", "\U0001f427", "<b>x</b>", "%s"],
    )
    def test_names_of_layers(self, scene, layer):
        scene.write(wetlands(), "odd.gpkg", layer="plain", SPATIAL_INDEX="NO")
        scene.write(wetlands(), "odd.gpkg", layer="other", mode="a")
        base = without_triggers(scene.folder / "odd.gpkg")
        base.execute("""ALTER TABLE plain RENAME TO "{}" """.format(layer.replace('"', '""')))
        for table in ("gpkg_contents", "gpkg_geometry_columns", "gpkg_ogr_contents"):
            base.execute(f"UPDATE {table} SET table_name = ? WHERE table_name = 'plain'", [layer])
        base.close()
        quoted = layer.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        lines = f'path = "odd.gpkg"\nlayer = "{quoted}"\nfields = {{ id = "WET_ID", class = "CLASS" }}'
        assert set(scene.done(wetlands=lines)["resources"]["resource_id"]) == {"W-1", "W-2"}

    @pytest.mark.parametrize(
        ("sentences", "classes"),
        [
            (("PRAGMA journal_mode = WAL", "BEGIN IMMEDIATE", CHANGE), {"Preserve", "Manage 1"}),
            (("PRAGMA journal_mode = WAL", CHANGE), {"Preserve", "Manage 3"}),
            (("BEGIN EXCLUSIVE",), {"Preserve", "Manage 1"}),
        ],
        ids=["not-committed", "in-the-log", "locked"],
    )
    def test_another_program_holds_it(self, scene, base, sentences, classes):
        base.close()
        with held_by_another_program(scene.folder / "wetlands.gpkg", sentences):
            assert set(scene.done()["buffers"]["class"]) == classes

    def test_a_journal_of_rubbish(self, scene):
        (scene.folder / "wetlands.gpkg-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600))
        scene.answered(ids=["W-1", "W-2"])

    def test_a_log_of_rubbish(self, scene):
        (scene.folder / "wetlands.gpkg-wal").write_bytes(b"rubbish" * 100)
        scene.answered(ids=["W-1", "W-2"])


def test_many_rows_without_anything(scene):
    frame = gpd.GeoDataFrame({"WET_ID": [None] * 300, "CLASS": [None] * 300}, geometry=[None] * 300, crs=UTM)
    scene.write(frame)
    scene.refused("none of its 300 features can be used")


def test_five_thousand_layers(scene):
    names = ", ".join(f"('l{number}', 'features', 26915)" for number in range(5000))
    with sqlite3.connect(scene.folder / "wetlands.gpkg") as base:
        base.execute(f"INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES {names}")
    base.close()
    assert len(scene.refused(wetlands='path = "wetlands.gpkg"\nlayer = "none"\nfields = {}')) < 20_000


def test_lines_where_ground_is_wanted(scene):
    scene.write(wetlands(geometry=[shapely.LineString([(0, 0), (1, 1)])] * 2))
    scene.refused("holds lines")


def _places(value, way=()):
    """Every place in a JSON value, as the keys that lead there."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield (*way, key)
        yield from _places(part, (*way, key))


def _spoilt(value, way, other):
    """A copy with another value at a place, or nothing there."""
    copied = json.loads(json.dumps(value))
    held = copied
    for key in way[:-1]:
        held = held[key]
    if other is GONE:
        del held[way[-1]]
    else:
        held[way[-1]] = other
    return copied


GONE = object()


@pytest.mark.parametrize("part", ["geo", "pandas"])
@pytest.mark.parametrize("other", [GONE, 7, "w", [], {}, None], ids=["gone", "7", "w", "list", "table", "null"])
def test_metadata_of_geoparquet_with_another_value_anywhere(formats, tmp_path, part, other):
    (tmp_path / "w.parquet").write_bytes(formats["w.parquet"])
    table = pq.read_table(tmp_path / "w.parquet")
    metadata = json.loads(table.schema.metadata[part.encode()])
    told = 0
    for way in _places(metadata):
        text = json.dumps(_spoilt(metadata, way, other))
        pq.write_table(
            table.replace_schema_metadata({**table.schema.metadata, part.encode(): text}), tmp_path / "w.parquet"
        )
        source = LayerSource(name="wetlands", path=tmp_path / "w.parquet")
        layer = error = None
        try:
            layer = read_layer(source)
        except InputError as refusal:
            error = refusal
        assert layer is not None or ("cannot be read" in error.message and error.mend)
        assert layer is None or len(layer.geometry) == 30
        told += layer is None
    assert told > 0 or part == "pandas"


@pytest.mark.parametrize("column", ["WET_ID", "CLASS"])
def test_text_of_geoparquet_that_is_no_utf8(formats, tmp_path, column):
    (tmp_path / "w.parquet").write_bytes(formats["w.parquet"])
    table = pq.read_table(tmp_path / "w.parquet")
    texts = [f"W-{number}".encode() for number in range(29)] + [b"W-\xf0\xff"]
    spoilt = pa.array(texts, type=pa.binary()).cast(pa.string(), safe=False)
    table = table.set_column(table.schema.names.index(column), column, spoilt)
    pq.write_table(table, tmp_path / "w.parquet")
    with pytest.raises(InputError, match=f"not in the encoding that it states, in {column}"):
        read_layer(LayerSource(name="wetlands", path=tmp_path / "w.parquet"))
