"""monuments.csv as a data collector reads it, and its companion with latitudes and longitudes."""

from __future__ import annotations

import csv
import io

import pytest
import shapely
from pyproj import CRS
from recorded import FEET, METRES, ready

from wetgeo.outputs.monuments_csv import LATLON_CSV, MONUMENTS_CSV, write_monuments_csv

WETLAND, BUFFER = {"W1": shapely.box(0, 0, 10, 10)}, {"W1": shapely.box(-50, -50, 60, 60)}


def _written(folder, monuments, crs=FEET):
    write_monuments_csv(ready(folder, WETLAND, BUFFER, monuments=monuments, crs=crs), folder)
    texts = [(folder / name).read_bytes().decode() for name in (MONUMENTS_CSV, LATLON_CSV)]
    return [list(csv.reader(io.StringIO(text, newline=""))) for text in texts]


def test_feet(tmp_path):
    rows, _ = _written(tmp_path, [("W1-1", 0.0004, 60), ("W1-2", 100.1236, -50)])
    assert rows == [
        ["1", "800060.000", "2500000.000", "1000.498", "W1-1 LOT LINE POST"],
        ["2", "799950.000", "2500100.124", "", "W1-2 LOT LINE FLUSH"],
    ]


def test_metres_for_elevations_too(tmp_path):
    rows, _ = _written(tmp_path, [("W1-1", 0, 100)], METRES)
    assert rows == [["1", "4980030.480", "455000.000", "304.952", "W1-1 LOT LINE POST"]]


def test_bytes_are_plain(tmp_path):
    _written(tmp_path, [("Łąka-1", 0, 60)])
    raw = (tmp_path / MONUMENTS_CSV).read_bytes()
    assert raw == "1,800060.000,2500000.000,1000.498,Łąka-1 LOT LINE POST\r\n".encode()


def test_latlon(tmp_path):
    _, rows = _written(tmp_path, [("W1-1", 0, 60), ("W1-2", 10, 60)])
    assert rows[0] == ["point", "monument_id", "resource_id", "lat", "lon", "elev_ft", "datum", "grid", "grid_unit"]
    assert rows[1][:6] == ["1", "W1-1", "W1", "44.98765432", "-93.12345679", "1000.500"]
    assert rows[2][:6] == ["2", "W1-2", "W1", "44.98765432", "-93.12345679", ""]
    assert rows[1][6:] == ["NAD83", FEET.name, "US survey foot"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("=1+1-1", "'=1+1-1 LOT LINE POST"),
        ("@sum-1", "'@sum-1 LOT LINE POST"),
        ("-7-1", "'-7-1 LOT LINE POST"),
        ("+7-1", "'+7-1 LOT LINE POST"),
        ("\t=7-1", "'=7-1 LOT LINE POST"),
        ('a,b "c"\r\nd-1', "a b c d-1 LOT LINE POST"),
        ("ź–😀-1", "ź–😀-1 LOT LINE POST"),
    ],
)
def test_awkward_ids(tmp_path, name, words):
    rows, latlon = _written(tmp_path, [(name, 0, 60)])
    assert rows[0][4] == words
    assert len(rows) == 1
    assert len(rows[0]) == 5
    assert len(latlon) == 2
    assert not latlon[1][1].startswith(("=", "+", "-", "@"))


def test_no_monuments(tmp_path):
    rows, latlon = _written(tmp_path, [])
    assert rows == []
    assert len(latlon) == 1


def test_columns_keep_northing_before_easting_in_any_crs(tmp_path):
    """EPSG:2180 lists its northing first; the files go by what they name."""
    rows, _ = _written(tmp_path, [("W1-1", 1000, 2000)], CRS("EPSG:2180"))
    assert [float(value) for value in rows[0][1:3]] == pytest.approx([609.6, 304.8])
