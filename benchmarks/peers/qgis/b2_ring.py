"""B2 by QGIS Processing: buffers less all wetlands."""

from start import layer, run, target

run("native:difference", target("rings"), INPUT=layer("buffers"), OVERLAY=layer("wetlands"))
