"""The one door: files become a `wetgeo.site.Site`, valid, in one CRS, typed, with stable ids.

`build` holds `build_site` and `read_source`; the other modules are their steps, in this order: `files` and `vector`
read, `schemas` and `roles` tell what the fields mean, `classes` what the rule calls them, `crs` brings all to one
CRS, `repair` mends geometries, `ids` names features, `soils` joins the hydrologic groups, `resources` puts wetlands,
lakes and streams together. `raster` opens the DEM.
"""
