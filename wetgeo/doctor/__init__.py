r"""Look at every input of a project without running it, and tell what is wrong or doubtful. Nothing is changed.

`examine.examine` does it all; the other modules look at one subject each. What is found is a list of remarks. A remark
of severity ``error`` is what would stop ``wetgeo run``, or a feature that it would leave out; ``warning`` is what a
person should look at before relying on the result; ``info`` tells how something was taken.

``wetgeo doctor PROJECT --json`` prints one document::

    {
     "command": "doctor",
     "wetgeo": "0.1.0",
     "project": "Lakeview Estates",          # its name; "" where the project file cannot be read
     "path": "/.../wetgeo.toml",
     "rule": "mcwd-2024",
     "date": "2026-06-01",                   # application date
     "crs": "EPSG:26915",                    # working CRS, of x and y below; null where none could be settled
     "runs": false,                          # whether `wetgeo run` would get through
     "counts": {"error": 1, "warning": 4, "info": 9},
     "inputs": [                             # one for each layer, and one for the DEM
      {"layer": "wetlands", "file": "/.../site.gpkg", "crs": "EPSG:26915", "features": 12, "kinds": "polygon",
       "bounds": [455000.0, 4980000.0, 456000.0, 4981000.0]}   # in the working CRS; null where unknown
     ],
     "remarks": [                            # errors first, then warnings, then infos; by subject within each
      {"severity": "error",                  # error, warning, info
       "subject": "classes",                 # project, rule, output, files, crs, units, geometry, classes,
                                             # ids, parcels, soils, elevation, extents, sidecars, dates
       "code": "class-unknown",              # as in layer findings where it tells of the same
       "layer": "wetlands",                  # "" where it is about no layer; "dem" for elevations
       "file": "/.../site.gpkg",             # "" where it is about no file
       "feature_id": "W-7",                  # "" where it is about no single feature
       "x": 455120.5, "y": 4980310.2,        # a place in the working CRS, or null
       "lon": -93.57, "lat": 44.97,          # the same place in longitude and latitude (WGS 84), or null
       "message": "...",                     # what is wrong
       "details": ["class 'Mange 1': W-7"],  # single faults, where there are several
       "mend": "...",                        # how to mend it; "" where there is nothing to do
       "table": "layers.wetlands",           # table of wetgeo.toml that `line` belongs in; "" where there is no line
       "line": "values.class = { \"Mange 1\" = \"Manage 1\" }"}
     ]
    }

Exit status: 0 the project runs; 1 the data cannot be used; 2 the project file, its options or the rule pack are wrong.
"""
