"""Projects that are sound, doubtful or wrong, each made by a function of a folder; the project file comes back."""

from __future__ import annotations

import geopandas as gpd
import pandas as pd
import shapely
from small_site import WETLANDS, square, wetlands, write_dem, write_layer, write_project

DEM = 'path = "dem.tif"'
PROJECTS = {}


def project(function):
    """Add a project to the list, by the function's name."""
    PROJECTS[function.__name__] = function
    return function


def site(folder, frame=None, **tables):
    write_layer(folder / "wetlands.gpkg", wetlands() if frame is None else frame)
    return write_project(folder, **tables)


def layer(folder, name, shapes, crs="EPSG:26915", **columns):
    """Write a further layer; the line that names it."""
    write_layer(folder / f"{name}.gpkg", gpd.GeoDataFrame(columns, geometry=shapes, crs=crs))
    return f'path = "{name}.gpkg"'


# sound


@project
def sound(folder):
    return site(folder)


@project
def sound_with_dem_and_parcels(folder):
    write_dem(folder / "dem.tif")
    return site(folder, dem=DEM, parcels=layer(folder, "parcels", [square(50, 50, 400)], PIN=["1"]))


# doubtful: a run gets through


@project
def repaired(folder):
    bow = shapely.Polygon([(x + 455000, y + 4980000) for x, y in ((0, 0), (40, 40), (40, 0), (0, 40))])
    return site(folder, wetlands(geometry=[square(100, 100), bow]))


@project
def dropped_feature(folder):
    return site(folder, wetlands(geometry=[square(100, 100), None]))


@project
def repeated_ids(folder):
    return site(folder, wetlands(WET_ID=["W-1", "W-1"]))


@project
def parcels_far_away(folder):
    return site(folder, parcels=layer(folder, "parcels", [square(90_000, 0)], PIN=["1"]))


@project
def empty_parcels(folder):
    return site(folder, parcels=layer(folder, "parcels", [], PIN=[]))


@project
def dem_beside_the_site(folder):
    write_dem(folder / "dem.tif", columns=10)
    return site(folder, dem=DEM)


@project
def mapped_crs(folder):
    write_layer(folder / "wetlands.gpkg", wetlands().to_crs(4326))
    return write_project(folder, project='crs = "auto"')


@project
def old_date(folder):
    path = site(folder)
    path.write_text(path.read_text().replace("2026-06-01", "2001-06-01"))
    return path


@project
def soils_without_table(folder):
    return site(folder, soils=layer(folder, "soils", [square(0, 0, 900)], MUKEY=["1"]))


# wrong: a run stops


@project
def missing_file(folder):
    return site(folder, wetlands=WETLANDS.replace("wetlands.gpkg", "wetland.gpkg"))


@project
def cut_short(folder):
    path = site(folder)
    data = (folder / "wetlands.gpkg").read_bytes()
    (folder / "wetlands.gpkg").write_bytes(data[:5000])
    return path


@project
def shapefile_without_index(folder):
    write_layer(folder / "wetlands.shp", wetlands())
    (folder / "wetlands.shx").unlink()
    return write_project(folder, wetlands=WETLANDS.replace("gpkg", "shp"))


@project
def table_only(folder):
    pd.DataFrame({"WET_ID": ["W-1"], "CLASS": ["Preserve"]}).to_csv(folder / "wetlands.csv", index=False)
    return write_project(folder, wetlands=WETLANDS.replace("gpkg", "csv"))


@project
def unknown_field(folder):
    return site(folder, wetlands=WETLANDS.replace("CLASS", "KLASS"))


@project
def unknown_class(folder):
    return site(folder, wetlands(CLASS=["Preserv", "Manage 1"]))


@project
def no_class(folder):
    return site(folder, wetlands(CLASS=[None, "Manage 1"]))


@project
def wrong_default(folder):
    return site(folder, wetlands=WETLANDS + '\ndefaults.class = "Manage 9"')


@project
def points_for_wetlands(folder):
    return site(folder, wetlands(geometry=[shapely.Point(455100, 4980100), shapely.Point(455200, 4980100)]))


@project
def no_crs(folder):
    write_layer(folder / "bare.shp", wetlands().set_crs(None, allow_override=True))
    return write_project(folder, wetlands=WETLANDS.replace("wetlands.gpkg", "bare.shp"))


@project
def two_crs(folder):
    return site(folder, wetlands=WETLANDS + '\ncrs = "EPSG:26916"')


@project
def degrees(folder):
    return site(folder, wetlands().to_crs(4326))


@project
def web_mercator(folder):
    return site(folder, wetlands().to_crs(3857))


@project
def lying_crs(folder):
    return site(folder, wetlands().set_crs(4326, allow_override=True))


@project
def unfit_project_crs(folder):
    return site(folder, project='crs = "EPSG:26911"')


@project
def unknown_project_crs(folder):
    return site(folder, project='crs = "EPSG:1"')


@project
def no_vertical_unit(folder):
    write_dem(folder / "dem.tif", unit=None)
    return site(folder, dem=DEM)


@project
def missing_dem(folder):
    return site(folder, dem=DEM)


@project
def dem_cut_short(folder):
    path = write_dem(folder / "dem.tif")
    path.write_bytes(path.read_bytes()[:3000])
    return site(folder, dem=DEM)


@project
def stray_key(folder):
    return site(folder, project='ouput = "x"')


@project
def no_toml(folder):
    return site(folder, wetlands=WETLANDS.replace("}", ""))


@project
def unknown_rule(folder):
    return site(folder, rule="mcwd-2042")


@project
def unknown_option(folder):
    return site(folder, tail='[options]\ntriger = "stormwater"')


@project
def unknown_layer(folder):
    return site(folder, wetland='path = "wetlands.gpkg"')


@project
def no_resource_layer(folder):
    write_layer(folder / "wetlands.gpkg", wetlands())
    return write_project(folder, wetlands=None, parcels='path = "wetlands.gpkg"')


@project
def trigger_without_surface(folder):
    write_dem(folder / "dem.tif")
    return site(folder, dem=DEM, tail='[options]\ntrigger = "stormwater"')


@project
def trigger_without_dem(folder):
    surface = layer(folder, "new", [square(200, 200)], NAME=["road"])
    return site(folder, new_impervious=surface, tail='[options]\ntrigger = "stormwater"')


@project
def trigger_without_house(folder):
    houses = layer(folder, "houses", [square(200, 200)], kind=["existing_primary"])
    return site(folder, structures=houses, tail='[options]\ntrigger = "new_residence"')


@project
def soils_without_group(folder):
    return site(folder, soils=layer(folder, "soils", [square(0, 0, 900)], NAME=["loam"]))


@project
def stream_without_width(folder):
    line = shapely.LineString([(455000, 4980000), (455300, 4980000)])
    return site(folder, streams=layer(folder, "streams", [line], NAME=["brook"]))


@project
def soils_of_unknown_field(folder):
    return site(folder, soils=layer(folder, "soils", [square(0, 0, 900)], NAME=["a"]) + '\nfields = { hsg = "HSG" }')


@project
def stream_of_unknown_field(folder):
    line = shapely.LineString([(455000, 4980000), (455300, 4980000)])
    lines = layer(folder, "streams", [line], NAME=["brook"]) + '\nfields = { bank_width_ft = "W" }'
    return site(folder, streams=lines)


@project
def wrong_rule_and_stray_feature(folder):
    return site(folder, wetlands(geometry=[square(100, 100), shapely.box(0, 0, 9, 9)]), rule="none")


@project
def output_is_a_file(folder):
    path = site(folder)
    (folder / "out").write_text("in the way")
    return path


@project
def no_feature_left(folder):
    return site(folder, wetlands=WETLANDS + "\nwhere = \"CLASS = 'none'\"")


@project
def wrong_filter(folder):
    return site(folder, wetlands=WETLANDS + '\nwhere = "STATUS ="')


@project
def flat_outlines(folder):
    line = shapely.Polygon([(455000, 4980000), (455100, 4980000), (455200, 4980000)])
    return site(folder, wetlands(geometry=[line, line]))


@project
def many_faults(folder):
    write_dem(folder / "dem.tif", unit=None)
    return site(
        folder,
        wetlands(CLASS=["Mange 1", "Preserve"]),
        parcels='path = "parcels.shp"',
        soils=layer(folder, "soils", [square(0, 0, 900)], NAME=["loam"]),
        dem=DEM,
        tail='[options]\ntriger = "stormwater"',
    )
