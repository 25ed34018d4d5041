"""Run algorithms of the plugin as QGIS does, and tell how each ended: JOBS.json PLUGINS_FOLDER.

A job is {"id": ..., "parameters": {...}, "cancel_at": percent or null, "load": true or false}. A parameter that is a
layer is {"source": ..., "provider": "ogr" or "memory", "subset": ..., "selected": expression, "copy_of": source}, a
file to write and to load {"sink": path}.
"""

import json
import os
import sys
import warnings
from pathlib import Path

from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsFeatureRequest,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingFeedback,
    QgsProcessingOutputLayerDefinition,
    QgsProject,
    QgsRasterLayer,
    QgsVectorLayer,
)

warnings.simplefilter("ignore", DeprecationWarning)
sys.path[:0] = ["/usr/share/qgis/python/plugins", sys.argv[2]]
application = QgsApplication([], False)
application.initQgis()

from processing.core.Processing import Processing  # noqa: E402 -- QGIS has to be there first
from processing.gui.Postprocessing import handleAlgorithmResults  # noqa: E402

Processing.initialize()
import wetgeo_qgis  # noqa: E402

plugin = wetgeo_qgis.classFactory(None)
plugin.initProcessing()


class Feedback(QgsProcessingFeedback):
    """Keeps what is said, and cancels when it is told to."""

    def __init__(self, cancel_at):
        super().__init__(False)
        self.cancel_at, self.progress_seen, self.said, self.warned = cancel_at, [], [], []
        self.progressChanged.connect(self.watch)

    def watch(self, progress):
        self.progress_seen.append(progress)
        if self.cancel_at is not None and progress >= self.cancel_at:
            self.cancel()

    def pushInfo(self, text):
        self.said.append(text)

    def pushWarning(self, text):
        self.warned.append(text)

    def setProgressText(self, text):
        self.said.append(text)


def layer(given):
    made = QgsVectorLayer(given.get("copy_of") or given["source"], "layer of the user", given.get("provider", "ogr"))
    if given.get("subset"):
        assert made.setSubsetString(given["subset"])
    if given.get("copy_of"):
        made = made.materialize(QgsFeatureRequest())
        made.setName("layer in memory")
    if given.get("crs") is not None:
        made.setCrs(QgsCoordinateReferenceSystem(given["crs"]))
    assert made.isValid(), given
    QgsProject.instance().addMapLayer(made)
    if given.get("selected") is not None:
        made.selectByExpression(given["selected"])
        return QgsProcessingFeatureSourceDefinition(made.id(), True)
    return made.id()


def value(given):
    if isinstance(given, dict) and "raster" in given:
        made = QgsRasterLayer(given["raster"], "raster of the user", given.get("provider", "gdal"))
        QgsProject.instance().addMapLayer(made)
        return made.id()
    if isinstance(given, dict) and "sink" in given:
        return QgsProcessingOutputLayerDefinition(given["sink"], QgsProject.instance())
    return layer(given) if isinstance(given, dict) else given


def run(job):
    feedback = Feedback(job.get("cancel_at"))
    context = QgsProcessingContext()
    context.setFeedback(feedback)
    if job.get("load"):
        QgsProject.instance().clear()
        context.setProject(QgsProject.instance())
    parameters = {name: value(given) for name, given in job["parameters"].items()}
    context.setProject(QgsProject.instance())
    algorithm = QgsApplication.processingRegistry().createAlgorithmById(job["id"])
    told = {"id": job["id"]}
    can, why = algorithm.canExecute()
    fine, fault = algorithm.checkParameterValues(parameters, context)
    if not can:
        told["error"] = why
    elif not fine:
        told["error"] = fault
    else:
        try:
            results, succeeded = algorithm.run(parameters, context, feedback, {}, False)
            told.update(results=results, succeeded=succeeded)
        except QgsProcessingException as error:
            told["error"] = str(error)
    if job.get("load") and "results" in told:
        told["loaded"] = load(algorithm, context, feedback, parameters)
    return {**told, "progress": feedback.progress_seen, "said": feedback.said, "warned": feedback.warned}


def load(algorithm, context, feedback, parameters):
    before = set(QgsProject.instance().mapLayers())
    handleAlgorithmResults(algorithm, context, feedback, True, parameters)
    nodes = [node for node in QgsProject.instance().layerTreeRoot().findLayers() if node.layer().id() not in before]
    return [
        {
            "name": node.layer().source().partition("layername=")[2],
            "title": node.layer().name(),
            "renderer": node.layer().renderer().type() if node.layer().renderer() else None,
            "labels": node.layer().labelsEnabled(),
        }
        for node in nodes
    ]


def about(algorithm):
    return {
        "id": algorithm.id(),
        "help": algorithm.shortHelpString(),
        "group": algorithm.group(),
        "rules": algorithm.parameterDefinition("RULE").options(),
        "cancels": bool(algorithm.flags() & QgsProcessingAlgorithm.Flag.FlagCanCancel),
    }


provider = QgsApplication.processingRegistry().providerById("wetgeo")
told = {
    "algorithms": [about(algorithm) for algorithm in provider.algorithms()],
    "jobs": [run(job) for job in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))],
}
plugin.unload()
told["unloaded"] = QgsApplication.processingRegistry().providerById("wetgeo") is None
sys.stdout.write(f"\n{json.dumps(told, default=str)}\n")
sys.stdout.flush()
os._exit(0)  # QGIS 3.22 may crash while Python takes its objects apart
