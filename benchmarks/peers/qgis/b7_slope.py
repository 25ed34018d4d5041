"""B6 and B7 by QGIS Processing: slope raster, zonal mean; cells count by their centres."""

from start import DATA, OUT, layer, run

slope = run(
    "gdal:slope",
    str(OUT / "slope.tif"),
    INPUT=str(DATA / "dem.tif"),
    BAND=1,
    SCALE=1,
    AS_PERCENT=True,
    COMPUTE_EDGES=True,
)
means = run(
    "native:zonalstatisticsfb",
    INPUT=layer("rings"),
    INPUT_RASTER=slope,
    RASTER_BAND=1,
    COLUMN_PREFIX="slope_",
    STATISTICS=[2],
)
run(
    "native:refactorfields",
    str(OUT / "out.csv"),
    INPUT=means,
    FIELDS_MAPPING=[
        {"expression": '"WET_ID"', "name": "WET_ID", "type": 10, "length": 0, "precision": 0},
        {"expression": '"slope_mean"', "name": "slope_pct", "type": 6, "length": 0, "precision": 0},
    ],
)
