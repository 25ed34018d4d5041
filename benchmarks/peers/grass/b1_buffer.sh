# B1 by GRASS: each wetland's buffer at its base width; run inside a GRASS session: b1_buffer.sh DATA OUT
set -eu
data=$1 out=$2
v.in.ogr --quiet input="$data/inputs.gpkg" layer=wetlands output=wetlands
# -t keeps each wetland's category; where buffers overlap, an area has several
v.buffer --quiet -t input=wetlands layer=1 output=buffers column=base_m
v.out.ogr --quiet -m input=buffers type=area output="$out/out.gpkg" output_layer=buffers
