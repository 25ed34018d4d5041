"""B3 by QGIS Processing: the pieces of buffers on parcels."""

from start import layer, run, target

run(
    "native:intersection",
    target("pieces"),
    INPUT=layer("buffers"),
    OVERLAY=layer("parcels"),
    INPUT_FIELDS=["WET_ID"],
    OVERLAY_FIELDS=["PIN"],
)
