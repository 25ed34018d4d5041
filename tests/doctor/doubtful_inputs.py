"""For each thing that the doctor doubts a project that has it and one that has not, made by functions of a folder."""

from __future__ import annotations

import datetime
import os
import struct

import geopandas as gpd
import numpy as np
import pandas as pd
import rasterio
import shapely
from faulty_projects import layer, site
from small_site import UTM, WETLANDS, X, Y, square, wetlands, write_layer, write_project

FT = 0.3048
DEM = 'path = "ground.tif"'
RULE_M = "rcwd-rule-m-2004"
#: code of a remark: its subject, its severity, the project that has it, and the one that has not
DOUBTS = {}


def doubt(code, subject, severity="warning", *, without=None):
    """Add a project that has a doubt; what it makes without the fault is the sound one, if no other is given."""

    def add(function):
        sound = without or (lambda folder: function(folder, fault=False))
        DOUBTS[f"{function.__name__}: {code}"] = (code, subject, severity, function, sound)
        return function

    return add


# elevations


def ground(folder, change=None, *, slope=0.04, low=300.0, unit="metre", cell=2.0, dtype="float32"):
    """Write a plane that climbs to the north over 400 x 300 m; `change` is given heights and the cells' x and y."""
    rows, columns = int(300 / cell), int(400 / cell)
    x, y = np.meshgrid((np.arange(columns) + 0.5) * cell, 300 - (np.arange(rows) + 0.5) * cell)
    z = low + slope * y
    z = z if change is None else change(z, x, y)
    with rasterio.open(
        folder / "ground.tif", "w", driver="GTiff", width=columns, height=rows, count=1, dtype=dtype, crs=UTM,
        nodata=0, transform=rasterio.Affine(cell, 0, X, 0, -cell, Y + 300),
    ) as file:  # fmt: skip
        file.write(z.astype(dtype), 1)
        if unit:
            file.units = (unit,)
    return folder


def with_ground(folder, change=None, dem=DEM, **how):
    ground(folder, change, **how)
    return site(folder, dem=dem)


@doubt("dem-spikes", "elevation")
def one_cell_twenty_metres_up(folder, *, fault=True):
    return with_ground(folder, lambda z, x, y: z + 20 * fault * ((abs(x - 151) < 1) & (abs(y - 121) < 1)))


@doubt("dem-spikes", "elevation")
def one_cell_twenty_metres_down(folder, *, fault=True):
    return with_ground(folder, lambda z, x, y: z - 20 * fault * ((abs(x - 151) < 1) & (abs(y - 121) < 1)))


@doubt("dem-surface", "elevation")
def houses_beside_the_wetlands(folder, *, fault=True):
    """Houses 12 m wide and 6 m high, every 30 m; without them a knoll as high, 80 m wide."""

    def houses(z, x, y):
        knoll = 6 * np.exp(-((x - 120) ** 2 + (y - 120) ** 2) / 40**2)
        return z + 6 * ((x % 30 < 12) & (y % 30 < 12)) if fault else z + knoll

    return with_ground(folder, houses)


@doubt("dem-coverage", "elevation", without=with_ground)
def a_void(folder):
    return with_ground(folder, lambda z, x, y: np.where((abs(x - 150) < 12) & (abs(y - 120) < 12), 0, z))


@doubt("dem-coverage", "elevation", "info")
def elevations_all_around(folder, *, fault=True):
    return with_ground(folder) if fault else site(folder)


@doubt("dem-cells", "elevation", without=with_ground)
def cells_of_twenty_metres(folder):
    return with_ground(folder, cell=20.0)


@doubt("dem-steps", "elevation")
def whole_metres(folder, *, fault=True):
    return with_ground(folder, dtype="int16" if fault else "float32")


@doubt("dem-missing", "elevation", without=with_ground)
def no_dem(folder):
    return site(folder)


# vertical units


@doubt("z-unit-doubtful", "units")
def centimetres_as_metres(folder, *, fault=True):
    """A coast 5 m high, in centimetres."""
    times = 100 if fault else 1
    return with_ground(folder, slope=0.04 * times, low=5.0 * times)


@doubt("z-unit-doubtful", "units")
def metres_as_centimetres(folder, *, fault=True):
    return with_ground(folder, slope=0.01, unit=None, dem=f'{DEM}\nz_unit = "{"cm" if fault else "m"}"')


@doubt("z-unit-fits", "units", "info")
def centimetres_that_nobody_declared(folder, *, fault=True):
    return with_ground(folder, slope=4, low=30_000, dtype="uint16", unit=None if fault else "centimetre")


# layers that lie elsewhere


def parcels(folder, shapes, **how):
    names = [f"P-{number}" for number in range(len(shapes))]
    lines = layer(folder, "parcels", shapes, PIN=names, **how) + '\nfields = { id = "PIN" }'
    return site(folder, parcels=lines)


@doubt("layer-scaled", "units")
def parcels_in_feet_labelled_as_metres(folder, *, fault=True):
    whole = square(0, 0, 500)
    return parcels(folder, [shapely.transform(whole, lambda xy: xy / FT) if fault else whole])


@doubt("layer-mislabelled", "crs")
def parcels_labelled_as_of_the_next_zone(folder, *, fault=True):
    return parcels(folder, [square(0, 0, 500)], crs="EPSG:26916" if fault else UTM)


@doubt("layer-mislabelled", "crs")
def parcels_of_utm_labelled_as_state_plane(folder, *, fault=True):
    return parcels(folder, [square(0, 0, 500)], crs="EPSG:26851" if fault else UTM)


@doubt("layer-misses", "extents")
def parcels_a_mile_off(folder, *, fault=True):
    return parcels(folder, [square(2000 if fault else 0, 0, 400)])


@doubt("feature-far", "extents")
def a_parcel_at_nought(folder, *, fault=True):
    lots = [square(100 * number, 50, 100) for number in range(5)]
    return parcels(folder, [*lots, shapely.box(0, 0, 50, 50)] if fault else lots)


@doubt("tract-misses", "extents")
def a_tract_elsewhere(folder, *, fault=True):
    tract = layer(folder, "tract", [square(2000 if fault else 50, 50, 400)], NAME=["a"])
    return site(folder, tract=tract)


@doubt("tract-misses", "extents", "info")
def a_tract_around_one_of_two(folder, *, fault=True):
    frame = wetlands(geometry=[square(100, 100), square(1300 if fault else 200, 100)])
    return site(folder, frame, tract=layer(folder, "tract", [square(50, 50, 200)], NAME=["a"]))


# coordinate systems


@doubt("crs-feet", "crs")
def two_kinds_of_feet(folder, *, fault=True):
    """Two layers in feet of Minnesota South, one of them in international feet, as by hand."""
    survey = "EPSG:26851"
    other = "+proj=lcc +lat_0=43 +lon_0=-94 +lat_1=45.2166666666667 +lat_2=43.7833333333333 +x_0=800000 +y_0=100000"
    write_layer(folder / "wetlands.gpkg", wetlands().to_crs(survey))
    frame = gpd.GeoDataFrame({"PIN": ["1"]}, geometry=[square(0, 0, 500)], crs=UTM)
    write_layer(folder / "parcels.gpkg", frame.to_crs(f"{other} +datum=NAD83 +units=ft" if fault else survey))
    return write_project(folder, parcels='path = "parcels.gpkg"', project=f'crs = "{survey}"')


@doubt("crs-scale", "crs")
def far_from_the_central_meridian(folder, *, fault=True):
    """Six degrees and a half from it, where lengths are 0.06 % off."""
    x = 455_000 + 330_000 * fault
    frame = wetlands(geometry=[shapely.box(x + d, 4_980_000, x + d + 40, 4_980_040) for d in (0, 200)])
    return site(folder, frame)


@doubt("crs-area", "crs")
def a_zone_too_far_west(folder, *, fault=True):
    return site(folder, wetlands() if not fault else wetlands(geometry=[square(420_000, 0), square(420_300, 0)]))


# sidecars


def shapefile(folder, ids=("W-1", "W-2")):
    write_layer(folder / "wetlands.shp", wetlands(WET_ID=list(ids)), encoding="utf-8")
    return write_project(folder, wetlands=WETLANDS.replace("gpkg", "shp"))


def older(path, than):
    when = than.stat().st_mtime - 3600
    os.utime(path, (when, when))


@doubt("sidecar-stale", "sidecars")
def an_index_of_an_earlier_file(folder, *, fault=True):
    path = shapefile(folder)
    (folder / "wetlands.qix").write_bytes(b"SQT\1\1\0\0\0" + bytes(8))
    if fault:
        older(folder / "wetlands.qix", folder / "wetlands.shp")
    return path


@doubt("sidecar-stale", "sidecars")
def statistics_of_an_earlier_dem(folder, *, fault=True):
    path = with_ground(folder)
    (folder / "ground.tif.aux.xml").write_text("<PAMDataset></PAMDataset>")
    if fault:
        older(folder / "ground.tif.aux.xml", folder / "ground.tif")
    return path


@doubt("sidecar-stale", "sidecars")
def a_table_of_another_shapefile(folder, *, fault=True):
    path = shapefile(folder)
    if fault:
        (folder / "other").mkdir()
        write_layer(folder / "other" / "wetlands.shp", pd.concat([wetlands(), wetlands()]))
        (folder / "wetlands.dbf").write_bytes((folder / "other" / "wetlands.dbf").read_bytes())
    return path


@doubt("sidecar-missing", "sidecars")
def no_prj(folder, *, fault=True):
    path = shapefile(folder)
    if fault:
        (folder / "wetlands.prj").unlink()
        path.write_text(path.read_text().replace("fields", f'crs = "{UTM}"\nfields'))
    return path


@doubt("sidecar-missing", "sidecars")
def letters_of_an_encoding_that_is_not_stated(folder, *, fault=True):
    path = shapefile(folder, ("Mår-1", "Mår-2") if fault else ("M-1", "M-2"))
    (folder / "wetlands.cpg").unlink()
    # as another program would leave it: no hint of the encoding in the table's head either
    with (folder / "wetlands.dbf").open("r+b") as file:
        file.seek(29)
        file.write(struct.pack("B", 0))
    return path


@doubt("file-kind", "sidecars")
def a_geopackage_that_is_called_a_shapefile(folder, *, fault=True):
    path = site(folder)
    if fault:
        (folder / "wetlands.gpkg").rename(folder / "wetlands.dat")
        path.write_text(path.read_text().replace("wetlands.gpkg", "wetlands.dat"))
    return path


# parcels


@doubt("parcel-overlap", "parcels")
def parcels_that_overlap_by_a_foot(folder, *, fault=True):
    return parcels(folder, [square(0, 0, 200), shapely.box(X + 200 - FT * fault, Y, X + 400, Y + 200)])


@doubt("parcel-gap", "parcels")
def a_gap_of_a_foot_between_parcels(folder, *, fault=True):
    """Without the fault a street lies there."""
    return parcels(folder, [square(0, 0, 200), shapely.box(X + 200 + (FT if fault else 15), Y, X + 400, Y + 200)])


@doubt("parcel-sliver", "parcels")
def a_parcel_two_feet_wide(folder, *, fault=True):
    wide = 2 * FT if fault else 20
    return parcels(
        folder,
        [square(0, 0, 200), shapely.box(X + 200, Y, X + 200 + wide, Y + 200), shapely.box(X + 200 + wide, Y, X + 400, Y + 200)],
    )  # fmt: skip


# soils


def with_soils(folder, groups):
    """Soils in two halves, each under one of the wetlands."""
    halves = [shapely.box(X, Y, X + 220, Y + 300), shapely.box(X + 220, Y, X + 440, Y + 300)]
    lines = layer(folder, "soils", halves, HSG=groups) + '\nfields = { hsg = "HSG" }'
    return site(folder, soils=lines)


@doubt("soil-unrated", "soils")
def a_soil_without_a_group(folder, *, fault=True):
    return with_soils(folder, ["B", None if fault else "C"])


@doubt("soil-coverage", "soils", "info")
def soils_with_groups_all_around(folder, *, fault=True):
    return with_soils(folder, ["B", "C" if fault else None])


@doubt("soil-missing", "soils")
def no_soils(folder, *, fault=True):
    return site(folder) if fault else with_soils(folder, ["A", "B"])


# dates


def dated(folder, date, **how):
    path = site(folder, **how)
    path.write_text(path.read_text().replace("date = 2026-06-01", "" if date is None else f"date = {date}"))
    return path


def day(ahead):
    return datetime.datetime.now().astimezone().date() + datetime.timedelta(days=ahead)


@doubt("date-today", "dates", "info")
def no_date(folder, *, fault=True):
    return dated(folder, None if fault else day(-1))


@doubt("date-ahead", "dates")
def a_date_in_the_year_after_next(folder, *, fault=True):
    return dated(folder, day(800 if fault else 30))


@doubt("rule-date", "rule")
def a_date_before_the_rule(folder, *, fault=True):
    return dated(folder, "2001-06-01" if fault else "2024-06-01")


# geometries, ids, classes


@doubt("geometry-sliver", "geometry")
def a_wetland_of_ten_square_feet(folder, *, fault=True):
    return site(folder, wetlands(geometry=[square(100, 100, 1 if fault else 10), square(300, 100)]))


@doubt("geometry-dense", "geometry", "info")
def an_outline_traced_from_cells(folder, *, fault=True):
    corners = 12_000 if fault else 200
    return site(folder, wetlands(geometry=[shapely.Point(X, Y).buffer(40, quad_segs=corners // 4), square(300, 100)]))


@doubt("geometry-kinds", "geometry", "info")
def two_bow_ties(folder, *, fault=True):
    ties = [((0, 0), (40, 40), (40, 0), (0, 40)), ((100, 0), (140, 40), (140, 0), (100, 40))]
    bows = [shapely.Polygon([(X + x, Y + y) for x, y in tie]) for tie in ties]
    return site(folder, wetlands(geometry=bows if fault else [bows[0], square(300, 100)]))


@doubt("id-alike", "ids")
def ids_that_differ_by_case(folder, *, fault=True):
    return site(folder, wetlands(WET_ID=["W-1", "w-1" if fault else "W-2"]))


@doubt("id-field", "ids")
def a_field_that_could_be_the_id(folder, *, fault=True):
    fields = 'class = "CLASS"' if fault else 'id = "NUMBER", class = "CLASS"'
    lines = f'path = "wetlands.gpkg"\nfields = {{ {fields} }}'
    return site(folder, wetlands(WET_ID=None, NUMBER=["17", "18"]), wetlands=lines)


@doubt("class-counts", "classes", "info", without=lambda folder: write_project(folder, wetlands=None))
def classes(folder):
    return site(folder)


@doubt("class-near", "classes")
def a_class_that_the_rule_lets_pass(folder, *, fault=True):
    kinds = ["publik water", "public water"] if fault else ["private", "public water"]
    return site(folder, wetlands(CLASS=kinds), rule="mn-buffer-law")
