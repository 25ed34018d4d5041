# B4 by GRASS: all buffers dissolved into areas; run inside a GRASS session: b4_dissolve.sh DATA OUT
set -eu
data=$1 out=$2
v.in.ogr --quiet input="$data/inputs.gpkg" layer=buffers output=buffers
v.extract --quiet -d input=buffers output=parts new=1
v.category --quiet input=parts output=bare option=del cat=-1
v.category --quiet input=bare output=single option=add
v.out.ogr --quiet input=single type=area output="$out/out.gpkg" output_layer=parts
