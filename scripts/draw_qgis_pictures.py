"""Draw the pictures of docs/in-qgis.md, in a QGIS with a window (or under Xvfb).

    PICTURES=docs/images PROJECT=out/cmscwd/buffers.qgz CHECK=out/check/buffers.qgz \
        SITE=copy/of/site.gpkg qgis --nologo --code scripts/draw_qgis_pictures.py

The plugin has to be installed and turned on. QGIS ends when the pictures are drawn.
"""

import os
from pathlib import Path

import processing
from qgis.core import QgsLayoutExporter, QgsProject, QgsVectorLayer
from qgis.PyQt.QtCore import QTimer
from qgis.PyQt.QtWidgets import QDockWidget
from qgis.utils import iface

PICTURES = Path(os.environ["PICTURES"])
#: how long the map may take to be drawn, and windows to settle, ms
_DRAWN, _SETTLED = 6000, 2500
_WIDE, _TOOLBOX = 1000, (420, 340)


def later(milliseconds, step):
    """Take a step when the window has settled."""
    QTimer.singleShot(milliseconds, step)


def grab(widget, name):
    """Save a picture of a window."""
    widget.grab().save(str(PICTURES / f"qgis-{name}.png"))


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
    later(_SETTLED, lambda: show_toolbox(dialog))


def show_toolbox(dialog):
    """The dialog; then the toolbox."""
    grab(dialog, "dialog")
    dialog.close()
    toolbox = find_toolbox()
    toolbox.setVisible(True)
    tree = toolbox.algorithmTree
    tree.setFilterString("wetgeo")
    tree.expandAll()
    toolbox.setFloating(True)
    toolbox.resize(*_TOOLBOX)
    later(_SETTLED, end)


def find_toolbox():
    """The panel with the algorithms."""
    docks = iface.mainWindow().findChildren(QDockWidget)
    return next(dock for dock in docks if dock.objectName() == "ProcessingToolbox")


def end():
    """The toolbox; then all is done."""
    grab(find_toolbox(), "toolbox")
    os._exit(0)  # QGIS 3.22 may crash while Python takes its objects apart


later(_SETTLED, begin)
