#!/bin/sh
# The whole table at a state's density: 100,000 wetlands, 225,000 parcels, 10,000 x 10,000 cells. For a quiet machine
# with two cores and 16 GB; takes some hours. A peer that takes longer than LIMIT seconds is told as `> LIMIT s`.
#
#     LIMIT=3600 WORK=/a/fast/disk sh benchmarks/full.sh [PYTHON]
set -eu
python=${1:-.venv/bin/python}
here=$(dirname "$0")
for wetlands in 1000 10000; do
  "$python" "$here/run.py" --wetlands "$wetlands" --repeats 3 --limit 900 --work "${WORK:-/tmp/wetgeo-benchmarks}"
done
exec "$python" "$here/run.py" --wetlands 100000 --repeats 3 --limit "${LIMIT:-3600}" \
  --work "${WORK:-/tmp/wetgeo-benchmarks}"
