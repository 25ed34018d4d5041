"""Open a project in QGIS, draw its map and its sheet, and tell what was found: PROJECT PICTURES_PREFIX."""

import json
import os
import sys

from qgis.core import (
    QgsApplication,
    QgsCategorizedSymbolRenderer,
    QgsLayoutExporter,
    QgsLayoutItemMap,
    QgsMapRendererParallelJob,
    QgsMapSettings,
    QgsProject,
    QgsRectangle,
    QgsUnitTypes,
)
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor

application = QgsApplication([], False)
application.initQgis()
messages = []
QgsApplication.messageLog().messageReceived.connect(lambda text, tag, level: messages.append([tag, level, text]))


def about(node):
    layer = node.layer()
    renderer = layer.renderer()
    labels = layer.labeling().settings() if layer.labeling() else None
    return {
        "name": layer.shortName(),
        "title": node.name(),
        "group": node.parent().name(),
        "shown": node.isVisible(),
        "valid": layer.isValid(),
        "crs": layer.crs().authid(),
        "rows": layer.featureCount(),
        "renderer": renderer.type() if renderer else None,
        "categories": [c.label() for c in renderer.categories()]
        if isinstance(renderer, QgsCategorizedSymbolRenderer)
        else [],
        "labels": layer.labelsEnabled(),
        "label_scale": labels.minimumScale if labels and labels.scaleVisibility else None,
        "font_found": labels.format().fontFound() if labels and hasattr(labels.format(), "fontFound") else None,
        "abstract": layer.metadata().abstract(),
        "source": layer.source(),
    }


def draw(project, extent, path):
    settings = QgsMapSettings()
    settings.setLayers([n.layer() for n in project.layerTreeRoot().findLayers() if n.isVisible()])
    settings.setDestinationCrs(project.crs())
    settings.setOutputSize(QSize(1400, 1000))
    settings.setOutputDpi(96)
    settings.setExtent(extent)
    settings.setBackgroundColor(QColor("#ffffff"))
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    image.save(path)
    return {"errors": [e.message for e in job.errors()], "scale": settings.scale(), "colors": colors(image)}


def colors(image):
    small = image.scaled(280, 200)
    return len({small.pixel(x, y) for x in range(small.width()) for y in range(small.height())})


def sheet(layout, path):
    exporter, settings = QgsLayoutExporter(layout), QgsLayoutExporter.ImageExportSettings()
    settings.dpi = 110
    result = exporter.exportToImage(path, settings)
    maps = [item for item in layout.items() if isinstance(item, QgsLayoutItemMap)]
    tables = [frame.rowCount() if hasattr(frame, "rowCount") else None for frame in layout.multiFrames()]
    return {
        "name": layout.name(),
        "result": int(result),
        "pages": layout.pageCollection().pageCount(),
        "size": [
            layout.pageCollection().page(0).pageSize().width(),
            layout.pageCollection().page(0).pageSize().height(),
        ],
        "scale": maps[0].scale(),
        "extent": box(maps[0].extent()),
        "tables": tables,
    }


def box(extent):
    return [extent.xMinimum(), extent.yMinimum(), extent.xMaximum(), extent.yMaximum()]


project = QgsProject.instance()
read = project.read(sys.argv[1])
extent = QgsRectangle(project.viewSettings().defaultViewExtent())
told = {
    "read": read,
    "error": project.error(),
    "title": project.title(),
    "abstract": project.metadata().abstract(),
    "crs": project.crs().authid(),
    "crs_valid": project.crs().isValid(),
    "units": QgsUnitTypes.encodeUnit(project.distanceUnits()),
    "extent": box(extent),
    "layers": [about(node) for node in project.layerTreeRoot().findLayers()],
    "map": draw(project, extent, f"{sys.argv[2]}-map.png"),
    "sheets": [sheet(one, f"{sys.argv[2]}-sheet.png") for one in project.layoutManager().printLayouts()],
    "messages": messages,
}
sys.stdout.write(f"\n{json.dumps(told)}\n")
sys.stdout.flush()
os._exit(0)  # QGIS 3.22 may crash while Python takes its objects apart
