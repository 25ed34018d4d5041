"""QGIS without its window, with Processing; run by the system's Python."""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, "/usr/share/qgis/python/plugins")

from qgis.core import QgsApplication, QgsFeatureRequest, QgsProcessingContext

DATA, OUT = Path(sys.argv[1]), Path(sys.argv[2])
RULE = json.loads((DATA / "rule.json").read_text(encoding="utf-8"))

application = QgsApplication([], False)
application.initQgis()

import processing  # noqa: E402 -- found only once the application runs
from processing.core.Processing import Processing  # noqa: E402

Processing.initialize()
CONTEXT = QgsProcessingContext()
CONTEXT.setInvalidGeometryCheck(QgsFeatureRequest.GeometryNoCheck)


def layer(name: str) -> str:
    """Return an input layer's source."""
    return f"{DATA / 'inputs.gpkg'}|layername={name}"


def run(algorithm: str, output: str = "TEMPORARY_OUTPUT", **parameters: Any) -> Any:
    """Run an algorithm; the output is a layer in memory unless a file is named."""
    return processing.run(algorithm, {**parameters, "OUTPUT": output}, context=CONTEXT)["OUTPUT"]


def target(name: str) -> str:
    """Return where a layer of the answer goes: a GeoPackage of its own."""
    return f"ogr:dbname='{OUT / (name + '.gpkg')}' table=\"{name}\" (geom)"


def expression(source: Any, output: str, text: str) -> Any:
    """Make geometries by an expression."""
    return run("native:geometrybyexpression", output, INPUT=source, OUTPUT_GEOMETRY=0, EXPRESSION=text)
