"""buffers.dxf, read back by ezdxf and by GDAL, which QGIS reads drawings with."""

from __future__ import annotations

import ezdxf
import pyogrio
import pytest
import shapely
from pyproj import CRS
from recorded import FEET, METRES, at, ready

from wetgeo.outputs.dxf import DXF, LAYERS, write_dxf

WETLAND = {"W1": shapely.box(0, 0, 300, 200)}
BUFFER = {"W1": shapely.box(-50, -50, 350, 250).difference(WETLAND["W1"])}
LOTS = {"A": shapely.box(-500, -500, 100, 700), "B": shapely.box(100, -500, 700, 700)}
MONUMENTS = [("W1-1", 100, 250), ("W1-2", 100, -50)]


def _drawn(folder, *, monuments=MONUMENTS, crs=FEET, wetland=WETLAND, buffer=BUFFER, lots=LOTS):
    folder.mkdir(exist_ok=True)
    write_dxf(ready(folder, wetland, buffer, lots, monuments, crs=crs), folder)
    return ezdxf.readfile(folder / DXF)


@pytest.mark.parametrize(("crs", "units", "metric"), [(METRES, 6, 1), (FEET, 21, 0), (CRS("EPSG:2222"), 2, 0)])
def test_units(tmp_path, crs, units, metric):
    drawing = _drawn(tmp_path, crs=crs)
    assert drawing.dxfversion == "AC1024"
    assert (drawing.header["$INSUNITS"], drawing.header["$MEASUREMENT"]) == (units, metric)
    height = 5 * 0.3048 / crs.axis_info[0].unit_conversion_factor
    texts = drawing.modelspace().query("TEXT")
    assert [one.dxf.height for one in texts] == pytest.approx([height] * len(texts))


def test_sound_and_coloured(tmp_path):
    drawing = _drawn(tmp_path)
    audit = drawing.audit()
    assert not audit.errors
    assert not audit.fixes
    for name, (rgb, _) in LAYERS.items():
        assert drawing.layers.get(name).rgb == rgb
    assert {one.dxf.layer for one in drawing.modelspace()} <= set(LAYERS)


def test_monuments_are_blocks_with_attributes(tmp_path):
    inserts = list(_drawn(tmp_path).modelspace().query("INSERT"))
    assert [one.dxf.name for one in inserts] == ["WG-MONUMENT-POST", "WG-MONUMENT-FLUSH"]
    assert tuple(inserts[0].dxf.insert)[:2] == (2_500_100.0, 800_250.0)
    assert {one.dxf.tag: one.dxf.text for one in inserts[0].attribs} == {
        "ID": "W1-1",
        "REASON": "lot_line",
        "STATION_FT": "0.00",
        "ELEVATION_FT": "1000.50",
        "MARKER": "post",
        "PARCELS": "A; B",
        "BEARING": "",
    }
    assert inserts[1].get_attrib_text("ELEVATION_FT") == ""


def test_gdal_reads_fills_with_their_holes(tmp_path):
    _drawn(tmp_path)
    read = pyogrio.read_dataframe(tmp_path / DXF)
    fill = read[read["Layer"] == "WG-BUFFERS-FILL"].geometry
    assert len(fill) == 1
    assert fill.iloc[0].equals(at(BUFFER["W1"]))
    outlines = read[read["Layer"] == "WG-BUFFERS"].geometry
    assert sorted(outlines.length) == pytest.approx([1000, 1400])
    assert outlines.is_ring.all()
    texts = set(read["Text"].dropna())
    assert {"W1", "A", "B", "50 ft", "W1-1", "W1-2"} <= texts


@pytest.mark.parametrize("name", ["Łąka – “3”", "a^b", "50%%d", "%%", "tab\tline\nend", "\\P{x}", "😀", "#;|'\""])
def test_awkward_names(tmp_path, name):
    """Control characters become blanks; signs that DXF takes for commands stay what they are."""
    drawing = _drawn(tmp_path, wetland={name: WETLAND["W1"]}, buffer={name: BUFFER["W1"]}, lots={name: LOTS["A"]})
    assert not drawing.audit().errors
    shown = [one.plain_text() for one in drawing.modelspace().query("TEXT") if one.dxf.layer == "WG-TEXT"]
    assert sorted({*shown} - {"50 ft"}) == [" ".join(name.split())]
    assert len(pyogrio.read_dataframe(tmp_path / DXF)) > 10


def test_same_delineation_same_file(tmp_path):
    before = ezdxf.options.write_fixed_meta_data_for_testing
    _drawn(tmp_path / "a")
    _drawn(tmp_path / "b")
    assert (tmp_path / "a" / DXF).read_bytes() == (tmp_path / "b" / DXF).read_bytes()
    assert ezdxf.options.write_fixed_meta_data_for_testing == before


def test_nothing_to_draw(tmp_path):
    drawing = _drawn(tmp_path, wetland={}, buffer={}, lots={}, monuments=[])
    assert len(drawing.modelspace()) == 0
