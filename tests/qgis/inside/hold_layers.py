"""Hold the layers of a project open while rows of one are being read, until a line comes in: PROJECT."""

import os
import sys

from qgis.core import QgsApplication, QgsProject

application = QgsApplication([], False)
application.initQgis()
project = QgsProject.instance()
read = project.read(sys.argv[1])
rows = project.mapLayer("wetgeo_buffers").getFeatures()
begun = next(rows, None)
sys.stdout.write("held\n" if read and begun else "nothing to hold\n")
sys.stdout.flush()
sys.stdin.readline()
os._exit(0)  # QGIS 3.22 may crash while Python takes its objects apart
