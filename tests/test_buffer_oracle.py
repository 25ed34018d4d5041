"""Our offsets against the buffer conformance suite of JTS and GEOS (``geos-buffer-xml``).

The suite's cases hold a geometry, an operation with its distance and quadrant segments (8 where not said), and the
buffer that is right. Its arcs are coarser than ours, so that the two edges may lie apart by the suite's chord error.

In scope are round buffers of polygons by positive distances. Out of scope, for nothing of the kind is asked of a buffer
under these rules: distances of nought and below (no resource shrinks), points and lines (a stream given as a line is
drawn from bank to bank first, with flat ends, which the suite does not have), collections, mitred joints and
single-sided buffers. Files that hold no case in scope are named in the table, so that one that changes is seen.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
import shapely
from places import SHARED

from wetgeo.kernels.offset import grow

FOLDER = SHARED / "data" / "geos-buffer-xml"
#: the suite's own quarter segments, where a case does not say others
QUARTER = 8
#: a joint between two sides may get one chord for up to one and a half steps of its quarter circle
WIDEST_STEP = 1.5
#: the engine that made the suite fills hollows up to this share of the distance; ours are followed
FILLED = 0.01

IN_SCOPE = {
    "Buffer-1.xml": 14,
    "Buffer-2.xml": 0,
    "TestBuffer.xml": 7,
    "TestBufferExternal-1.xml": 2,
    "TestBufferExternal-2.xml": 0,
    "TestBufferMitredJoin.xml": 0,
    "misc-TestBigNastyBuffer.xml": 1,
    "safe-TestBufferJagged.xml": 8,
    "singlesidedbuffer.xml": 0,
}
OUT_OF_SCOPE = {
    "distance not positive": 115,
    "LineString": 18,
    "buffersinglesided": 10,
    "MultiLineString": 6,
    "buffermitredjoin": 5,
    "Point": 4,
    "LinearRing": 4,
    "GeometryCollection": 3,
    "isvalid": 1,
}


@dataclass(frozen=True)
class Case:
    """One buffer of the suite."""

    file: str
    number: int
    shape: shapely.Geometry
    distance: float
    quarter: int
    expected: shapely.Geometry

    def __str__(self):
        return f"{self.file.removesuffix('.xml')}-{self.number}-by-{self.distance:g}"

    @property
    def chord_error(self):
        """How far the suite's edge may lie from the true one."""
        return self.distance * (1 - math.cos(WIDEST_STEP * math.pi / 4 / self.quarter))


def geometry(text):
    """Read WKT, or WKB in hexadecimal digits."""
    text = text.strip()
    return shapely.from_wkb("".join(text.split())) if text[:2] in ("00", "01") else shapely.from_wkt(text)


def read(path):
    """The cases of a file that are in scope, and how many are not, by the reason."""
    cases, left = [], Counter()
    for number, case in enumerate(ET.parse(path).getroot().iter("case"), 1):
        shape = geometry(case.findtext("a"))
        for operation in case.iter("op"):
            name = operation.get("name").lower()
            # one file gives the distance where others give the quarter segments
            distance, quarter = float(operation.get("arg2") or operation.get("arg3") or 0), QUARTER
            if operation.get("arg2") and operation.get("arg3"):
                quarter = int(operation.get("arg3"))
            if name != "buffer":
                left[name] += 1
            elif shape.geom_type not in ("Polygon", "MultiPolygon"):
                left[shape.geom_type] += 1
            elif distance <= 0:
                left["distance not positive"] += 1
            else:
                cases.append(Case(path.name, number, shape, distance, quarter, geometry(operation.text)))
    return cases, left


FILES = {path.name: read(path) for path in sorted(FOLDER.glob("*.xml"))}
CASES = [case for cases, _ in FILES.values() for case in cases]
pytestmark = pytest.mark.skipif(not CASES, reason=f"the suite is not at {FOLDER}")


def apart(one, other, step):
    """The greatest distance of an edge from another, one way, looked for every `step`."""
    along = shapely.points(shapely.get_coordinates(shapely.segmentize(one.boundary, step)))
    return float(shapely.distance(along, other.boundary).max())


def test_every_case_of_the_suite_is_in_scope_or_accounted_for():
    assert {name: len(cases) for name, (cases, _) in FILES.items()} == IN_SCOPE
    assert dict(sum((left for _, left in FILES.values()), Counter())) == OUT_OF_SCOPE


@pytest.mark.parametrize("case", CASES, ids=str)
def test_round_buffers_of_polygons(case):
    grown = grow(np.array([case.shape], dtype=object), np.array([case.distance]), tolerance=case.distance / 5000)[0]
    assert grown.is_valid
    assert shapely.get_num_interior_rings(shapely.get_parts(grown)).sum() == (
        shapely.get_num_interior_rings(shapely.get_parts(case.expected)).sum()
    )
    allowed = case.chord_error + FILLED * case.distance
    step = max(case.distance / 20, grown.length / 20_000)
    assert apart(grown, case.expected, step) <= allowed
    assert apart(case.expected, grown, step) <= allowed
    assert shapely.symmetric_difference(grown, case.expected).area <= allowed * case.expected.length
    # coarse chords only take away from a true buffer: nothing but filled hollows may stick out of ours
    assert shapely.difference(case.expected, grown).area <= FILLED * case.distance * case.expected.length
