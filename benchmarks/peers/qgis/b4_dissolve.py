"""B4 by QGIS Processing: all buffers dissolved and taken apart."""

from start import layer, run, target

united = run("native:dissolve", INPUT=layer("buffers"), FIELD=[])
run("native:multiparttosingleparts", target("parts"), INPUT=united)
