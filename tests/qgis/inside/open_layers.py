"""Open layers as files are dragged into QGIS, each with its default style, and tell what was found: FILE|LAYER ..."""

import json
import os
import sys

from qgis.core import NULL, QgsApplication, QgsVectorLayer

application = QgsApplication([], False)
application.initQgis()


def plain(value):
    return None if value == NULL else value if isinstance(value, (bool, int, float, str)) else str(value)


def about(source):
    path, _, name = source.partition("|")
    layer = QgsVectorLayer(f"{path}|layername={name}" if name else path, name or path, "ogr")
    renderer = layer.renderer()
    return {
        "valid": layer.isValid(),
        "crs": layer.crs().authid(),
        "encoding": layer.dataProvider().encoding(),
        "renderer": renderer.type() if renderer else None,
        "legend": [item.label() for item in renderer.legendSymbolItems()] if renderer else [],
        "labels": layer.labelsEnabled(),
        "fields": [[field.name(), field.typeName(), field.length()] for field in layer.fields()],
        "rows": [[plain(value) for value in feature.attributes()] for feature in layer.getFeatures()],
    }


sys.stdout.write(f"\n{json.dumps({source: about(source) for source in sys.argv[1:]})}\n")
sys.stdout.flush()
os._exit(0)  # QGIS 3.22 may crash while Python takes its objects apart
