# B5 by GRASS: points evenly along outlines, at most the interval apart; inside a GRASS session: b5_monuments.sh DATA OUT
set -eu
data=$1 out=$2
interval=$(python3 -c "import json; print(json.load(open('$data/rule.json'))['interval_m'])")
# outlines as lines, not broken where buffers overlap; they get numbers of their own
v.in.ogr --quiet -c input="$data/inputs.gpkg" layer=buffers type=boundary output=rings
v.type --quiet input=rings output=lines from_type=boundary to_type=line
v.category --quiet input=lines output=numbered option=add type=line
v.to.points --quiet input=numbered output=points type=line dmax="$interval"
v.out.ogr --quiet input=points layer=1 type=point output="$out/out.gpkg" output_layer=points
