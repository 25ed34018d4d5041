"""Draw the pictures of docs/in-qgis.md, in a QGIS with a window (or under Xvfb).

    PICTURES=docs/images PROJECT=out/cmscwd/buffers.qgz CHECK=out/check/buffers.qgz \
        SITE=copy/of/site.gpkg FOLDER=out/new qgis --nologo --code scripts/draw_qgis_pictures.py

The plugin has to be installed and turned on, and wetgeo be found. QGIS ends when the pictures are drawn.
"""

import os
from pathlib import Path

import processing
from qgis.core import QgsLayoutExporter, QgsProject, QgsVectorLayer
from qgis.PyQt.QtCore import Qt, QTimer
from qgis.PyQt.QtGui import QImage
from qgis.PyQt.QtWidgets import QDockWidget
from qgis.utils import iface

PICTURES = Path(os.environ["PICTURES"])
#: how long the map may take to be drawn, and windows to settle, ms
_DRAWN, _SETTLED = 6000, 2500
_WIDE = 1000


def later(milliseconds, step):
    """Take a step when the window has settled."""
    QTimer.singleShot(milliseconds, step)


def grab(widget, name):
    """Save a picture of a window."""
    save(widget.grab().toImage(), name)


def save(image, name):
    """Save a picture in 256 colours, for small files."""
    image = image.convertToFormat(QImage.Format.Format_Indexed8, Qt.ImageConversionFlag.ThresholdDither)
    image.save(str(PICTURES / f"qgis-{name}.png"))


def begin():
    """Open the project; only the layers' panel stands beside the map."""
    window = iface.mainWindow()
    window.resize(1500, 950)
    for dock in window.findChildren(QDockWidget):
        dock.setVisible(dock.objectName() == "Layers")
    iface.addProject(os.environ["PROJECT"])
    later(_DRAWN, draw_project)


def draw_project():
    """The project as it opens, and its sheet."""
    grab(iface.mainWindow(), "project")
    layout = QgsProject.instance().layoutManager().printLayouts()[0]
    settings = QgsLayoutExporter.ImageExportSettings()
    settings.dpi = 90
    sheet = str(PICTURES / "qgis-sheet.png")
    QgsLayoutExporter(layout).exportToImage(sheet, settings)
    save(QImage(sheet), "sheet")
    iface.addProject(os.environ["CHECK"])
    later(_DRAWN, zoom_to_proposal)


def zoom_to_proposal():
    """Go where the proposal is."""
    layer = QgsProject.instance().mapLayer("wetgeo_proposed")
    iface.mapCanvas().setExtent(layer.extent().buffered(40))
    iface.mapCanvas().refresh()
    later(_DRAWN, draw_check)


def draw_check():
    """A proposal as judged; then the layers of a site, and the dialog of the first algorithm."""
    grab(iface.mainWindow(), "check")
    iface.newProject()
    iface.mapCanvas().freeze(True)  # drawing and the algorithm would wait for each other's layers
    project = QgsProject.instance()
    for name, subset in (("soils", ""), ("tract", ""), ("parcels", ""), ("wetlands", "|subset=STATUS = 'delineated'")):
        project.addMapLayer(QgsVectorLayer(f"{os.environ['SITE']}|layername={name}{subset}", name, "ogr"))
    wetlands = project.mapLayersByName("wetlands")[0]
    project.setCrs(wetlands.crs())
    parameters = {
        "RULE": "mcwd-2024",
        "WETLANDS": wetlands.id(),
        "WETLANDS_ID": "WET_ID",
        "WETLANDS_CLASS": "MGMT_CLASS",
        "PARCELS": project.mapLayersByName("parcels")[0].id(),
        "PARCELS_ID": "PIN",
        "TRACT": project.mapLayersByName("tract")[0].id(),
        "SOILS": project.mapLayersByName("soils")[0].id(),
        "SOILS_HSG": "HYDGRP",
        "NAME": "Heron Lake Addition",
    }
    dialog = processing.createAlgorithmDialog("wetgeo:requiredbuffers", parameters)
    dialog.resize(_WIDE, 760)
    dialog.show()
    later(_SETTLED, lambda: run_algorithm(dialog, parameters))


def run_algorithm(dialog, parameters):
    """The dialog; then what it gives, beside the toolbox."""
    grab(dialog, "dialog")
    dialog.close()
    for node in QgsProject.instance().layerTreeRoot().findLayers():
        node.setItemVisibilityChecked(False)
        node.setExpanded(False)
    processing.runAndLoadResults(
        "wetgeo:requiredbuffers", {**parameters, "FOLDER": os.environ["FOLDER"], "FORMATS": []}
    )
    for dock in iface.mainWindow().findChildren(QDockWidget):
        if dock.objectName() == "ProcessingToolbox":
            dock.setVisible(True)
            dock.algorithmTree.setFilterString("wetgeo")
            dock.algorithmTree.expandAll()
    buffers = QgsProject.instance().mapLayersByName("Required buffers")[0]
    iface.mapCanvas().freeze(False)
    iface.mapCanvas().setExtent(buffers.extent().buffered(30))
    later(_DRAWN, end)


def end():
    """What was loaded; then all is done."""
    grab(iface.mainWindow(), "toolbox")
    os._exit(0)  # QGIS 3.22 may crash while Python takes its objects apart


later(_SETTLED, begin)
