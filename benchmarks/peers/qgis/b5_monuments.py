"""B5 by QGIS Processing: points evenly along the outlines of buffers, in gaps of at most the interval."""

from qgis.core import QgsProperty
from start import RULE, layer, run, target

lines = run("native:multiparttosingleparts", INPUT=run("native:polygonstolines", INPUT=layer("buffers")))
gap = f"length($geometry) / ceil(length($geometry) / {RULE['interval_m']})"
run(
    "native:pointsalonglines",
    target("points"),
    INPUT=lines,
    DISTANCE=QgsProperty.fromExpression(gap),
    START_OFFSET=0,
    # the end of a ring is its start again
    END_OFFSET=QgsProperty.fromExpression(f"0.5 * {gap}"),
)
