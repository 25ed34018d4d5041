"""B9 by QGIS Processing: the whole rule, as a script of its algorithms.

Base width by class, less a cut for slope and one for soil, down to the floor; buffers less wetlands; buffer held by
each parcel; monuments at lot lines and evenly between, for which there is no algorithm.
"""

import math
from collections import defaultdict

from qgis.core import QgsFeature, QgsGeometry, QgsPointXY, QgsSpatialIndex, QgsVectorLayer
from start import DATA, OUT, RULE, expression, layer, run, target

FT = 0.3048


def field(source, output, name, kind, text):
    """Add a field by an expression: kind 0 is a number, 2 text."""
    return run(
        "native:fieldcalculator",
        output,
        INPUT=source,
        FIELD_NAME=name,
        FIELD_TYPE=kind,
        FIELD_LENGTH=0,
        FIELD_PRECISION=0,
        FORMULA=text,
    )


def dissolved(source, output):
    """Unite all polygons and take them apart."""
    return run("native:multiparttosingleparts", output, INPUT=run("native:dissolve", INPUT=source, FIELD=[]))


def joined(source, table, *fields):
    """Join fields by WET_ID."""
    return run(
        "native:joinattributestable",
        INPUT=source,
        FIELD="WET_ID",
        INPUT_2=table,
        FIELD_2="WET_ID",
        FIELDS_TO_COPY=list(fields),
        METHOD=1,
    )


def soil_groups(rings):
    """Predominant group by WET_ID: a dual group is D; none where over half of the ground is unrated."""
    pieces = run(
        "native:intersection", INPUT=rings, OVERLAY=layer("soils"), INPUT_FIELDS=["WET_ID"], OVERLAY_FIELDS=["HYDGRP"]
    )
    held = defaultdict(lambda: defaultdict(float))
    for piece in pieces.getFeatures():
        group = str(piece["HYDGRP"]) if piece["HYDGRP"] else ""
        held[piece["WET_ID"]]["D" if "/" in group else "" if group == "NULL" else group] += piece.geometry().area()
    table = QgsVectorLayer("NoGeometry?field=WET_ID:string&field=hsg:string", "groups", "memory")
    rows = []
    for name, areas in held.items():
        rated = {group: area for group, area in areas.items() if group}
        known = rated and sum(rated.values()) >= 0.5 * sum(areas.values())
        row = QgsFeature(table.fields())
        row.setAttributes([name, max(rated, key=rated.get) if known else None])
        rows.append(row)
    table.dataProvider().addFeatures(rows)
    return table


def monuments(footprints):
    """Set monuments where lot lines cross the edge of all buffers together, and evenly between."""
    edges = run(
        "native:multiparttosingleparts",
        INPUT=run("native:polygonstolines", INPUT=dissolved(footprints, "TEMPORARY_OUTPUT")),
    )
    lots = QgsVectorLayer(layer("parcels"), "lots", "ogr")
    lines = {f.id(): QgsGeometry(f.geometry().constGet().boundary()) for f in lots.getFeatures()}
    index = QgsSpatialIndex(lots.getFeatures())
    points = QgsVectorLayer("Point?crs=EPSG:26915&field=station_ft:double", "monuments", "memory")
    made = []
    for edge in edges.getFeatures():
        ring = edge.geometry()
        engine = QgsGeometry.createGeometryEngine(ring.constGet())
        engine.prepareGeometry()
        at = []
        for number in index.intersects(ring.boundingBox()):
            line = lines[number]
            if engine.intersects(line.constGet()):
                crossing = QgsGeometry(engine.intersection(line.constGet()))
                places = [QgsGeometry.fromPointXY(QgsPointXY(vertex)) for vertex in crossing.vertices()]
                at += [ring.lineLocatePoint(place) for place in places]
        for station in stations(sorted(at), ring.length()):
            feature = QgsFeature(points.fields())
            feature.setGeometry(ring.interpolate(station))
            feature.setAttributes([station / FT])
            made.append(feature)
    points.dataProvider().addFeatures(made)
    return points


def stations(at, length):
    """Return all stations on a ring: those given, half a foot apart at least, and evenly between."""
    fixed = [here for before, here in zip([-math.inf, *at], at, strict=False) if here - before >= 0.5 * FT] or [0.0]
    found = []
    for here, after in zip(fixed, [*fixed[1:], fixed[0] + length], strict=True):
        gaps = max(1, math.ceil((after - here - 0.003) / RULE["interval_m"]))
        found += [(here + (after - here) * number / gaps) % length for number in range(gaps)]
    return found


drawn = 'buffer($geometry, "{0}", ceil(pi() / 4 / acos(1 - {1} / "{0}")))'
wetlands = QgsVectorLayer(layer("wetlands"), "wetlands", "ogr")
base = expression(wetlands, "TEMPORARY_OUTPUT", drawn.format("base_m", RULE["chord_m"]))
rings = run("native:difference", INPUT=base, OVERLAY=wetlands)
slope = run(
    "gdal:slope",
    str(OUT / "slope.tif"),
    INPUT=str(DATA / "dem.tif"),
    BAND=1,
    SCALE=1,
    AS_PERCENT=True,
    COMPUTE_EDGES=True,
)
zonal = {"INPUT_RASTER": slope, "RASTER_BAND": 1, "COLUMN_PREFIX": "slope_", "STATISTICS": [2]}
with_slope = run("native:zonalstatisticsfb", INPUT=rings, **zonal)
facts = joined(joined(wetlands, with_slope, "slope_mean"), soil_groups(rings), "hsg")
facts = field(facts, "TEMPORARY_OUTPUT", "slope_pct", 0, 'round("slope_mean", 2)')
steps = f'max(0, floor(({RULE["slope_below"]} - "slope_pct") / {RULE["slope_step"]} + 1e-9))'
grades = "coalesce(ascii('D') - ascii(\"hsg\"), 0)"
cut = f"{RULE['slope_cut_m']} * {steps} + {RULE['soil_cut_m']} * {grades}"
widths = field(facts, "TEMPORARY_OUTPUT", "width_m", 0, f'max("floor_m", "base_m" - ({cut}))')
widths = field(widths, "TEMPORARY_OUTPUT", "width_ft", 0, f'"width_m" / {FT}')
footprints = expression(widths, "TEMPORARY_OUTPUT", drawn.format("width_m", RULE["chord_m"]))
cut_out = run("native:difference", INPUT=footprints, OVERLAY=wetlands)
buffers = field(cut_out, target("buffers"), "area_sqft", 0, f"area($geometry) / {FT**2}")
union = dissolved(buffers, target("buffer_union"))
held = run(
    "native:intersection", INPUT=union, OVERLAY=layer("parcels"), INPUT_FIELDS=["WET_ID"], OVERLAY_FIELDS=["PIN"]
)
by_lot = run(
    "native:aggregate",
    INPUT=field(held, "TEMPORARY_OUTPUT", "sqft", 0, f"area($geometry) / {FT**2}"),
    GROUP_BY='"PIN"',
    AGGREGATES=[
        {
            "aggregate": "first_value",
            "delimiter": ",",
            "input": '"PIN"',
            "length": 0,
            "name": "PIN",
            "precision": 0,
            "type": 10,
        },
        {
            "aggregate": "sum",
            "delimiter": ",",
            "input": '"sqft"',
            "length": 0,
            "name": "buffer_sqft",
            "precision": 0,
            "type": 6,
        },
    ],
)
run("native:extractbyexpression", target("parcels"), INPUT=by_lot, EXPRESSION='"buffer_sqft" > 1')
run("native:savefeatures", target("monuments"), INPUT=monuments(footprints))
