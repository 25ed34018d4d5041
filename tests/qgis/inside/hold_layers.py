"""Hold the layers of a project open while rows are being read, until a line comes in: PROJECT."""

import os
import sys

from qgis.core import QgsApplication, QgsProject

application = QgsApplication([], False)
application.initQgis()
project = QgsProject.instance()
read = project.read(sys.argv[1])
rows = [layer.getFeatures() for layer in project.mapLayers().values()]
begun = [next(row, None) for row in rows]
sys.stdout.write("held\n" if read and any(begun) else "nothing to hold\n")
sys.stdout.flush()
sys.stdin.readline()
os._exit(0)  # QGIS 3.22 may crash while Python takes its objects apart
