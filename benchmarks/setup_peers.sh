#!/bin/sh
# Install the peers that benchmarks/run.py compares with: from Debian (QGIS, GRASS, PostGIS, GDAL) and from PyPI.
#
#     sh benchmarks/setup_peers.sh [PYTHON]
#
# PYTHON is the interpreter that has wetgeo, .venv/bin/python where it is left out. Debian's part needs root.
set -eu
python=${1:-.venv/bin/python}
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
$as_root apt-get update
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
  gdal-bin grass-core postgis postgresql postgresql-postgis python3-gdal python3-qgis qgis
"$python" -m pip install 'exactextract>=0.2' 'geopandas>=1.1' 'psutil>=5.9' 'richdem2>=2.4'
