"""The algorithm that looks at the inputs before a run."""

import json
import tempfile
from pathlib import Path

from qgis.core import (
    QgsCategorizedSymbolRenderer,
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsGeometry,
    QgsMarkerSymbol,
    QgsPointXY,
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingLayerPostProcessorInterface,
    QgsProcessingOutputBoolean,
    QgsProcessingOutputNumber,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFileDestination,
    QgsRendererCategory,
    QgsWkbTypes,
)
from qgis.PyQt.QtCore import QVariant

from . import inputs, program
from .commands import WetgeoAlgorithm, sentences, without_folder
from .project_file import project_text
from .write_project import referenced

#: how the remarks are marked on the map: severity, what the legend says, colour, size in mm
_MARKS = (
    ("error", "Error: would stop a run", "#d7191c", "3.4"),
    ("warning", "Warning: look at it first", "#f4a736", "2.8"),
    ("info", "How it was taken", "#8a8a8a", "2.2"),
)
_KEPT = []
_FIELDS = ("severity", "subject", "code", "layer", "feature_id", "message", "details", "mend", "line")


class Doctor(WetgeoAlgorithm):
    """``wetgeo doctor``."""

    NAME, TITLE = "doctor", "Doctor"
    ABOUT = (
        "Looks at every input without running anything, and says what is wrong or doubtful, where, and how to mend it: "
        "as a page, and as points on the map; what has no place stands in the table of the points only. Layers from "
        "files are looked at where they are; others as they would be handed over."
    )

    def initAlgorithm(self, _configuration=None):
        """Declare parameters and outputs."""
        inputs.add_parameters(self, overwrite=False)
        self.addParameter(
            QgsProcessingParameterFeatureSink(
                "REMARKS", self.tr("Remarks"), QgsProcessing.SourceType.TypeVectorPoint, optional=True
            )
        )
        self.addParameter(
            QgsProcessingParameterFileDestination("PAGE", self.tr("Page"), self.tr("HTML files (*.html)"))
        )
        self.addOutput(QgsProcessingOutputBoolean("RUNS", self.tr("Whether a run would get through")))
        for severity, _, _, _ in _MARKS:
            self.addOutput(QgsProcessingOutputNumber(severity.upper(), self.tr(f"Remarks: {severity}")))

    def checkParameterValues(self, parameters, context):
        """See that something can be looked at; faults of layers are what this algorithm tells."""
        faults = inputs.missing(self, parameters, context)
        return (False, "\n".join(faults)) if faults else super().checkParameterValues(parameters, context)

    def processAlgorithm(self, parameters, context, feedback):
        """Look at the inputs."""
        page = Path(self.parameterAsFileOutput(parameters, "PAGE", context))
        with tempfile.TemporaryDirectory(prefix="wetgeo-qgis-") as temporary:
            folder = Path(temporary)
            text = project_text(
                inputs.head(self, parameters, context),
                referenced(self, parameters, context, feedback, folder / inputs.INPUTS),
                dem=inputs.dem(self, parameters, context),
                options=inputs.options(self, parameters, context),
            )
            (folder / inputs.PROJECT).write_text(text, encoding="utf-8")
            told = None if feedback.isCanceled() else self._ask(folder, feedback)
            if told is None:
                feedback.pushInfo(self.tr("Cancelled: nothing was written."))
                return {}
            html = (folder / "page.html").read_text(encoding="utf-8")
            page.write_text(without_folder(html, temporary), encoding="utf-8", newline="\n")
        for remark in told["remarks"]:
            _push(remark, feedback)
        counts = {severity.upper(): told["counts"].get(severity, 0) for severity, _, _, _ in _MARKS}
        remarks = self._write_remarks(told, parameters, context)
        return {"RUNS": told["runs"], "PAGE": str(page), **counts, **remarks}

    def _ask(self, folder, feedback):
        words = ["doctor", str(folder / inputs.PROJECT), "--json", "--html", str(folder / "page.html")]
        try:
            ended = program.run(words, feedback)
        except program.ProgramError as fault:
            raise QgsProcessingException(str(fault)) from fault
        if ended.code is None:
            return None
        try:
            return json.loads(without_folder(ended.out, folder))
        except ValueError as fault:  # it ended before it could tell anything
            raise QgsProcessingException(sentences(ended, folder)) from fault

    def _write_remarks(self, told, parameters, context):
        fields = QgsFields()
        for name in _FIELDS:
            fields.append(QgsField(name, QVariant.String))
        crs = QgsCoordinateReferenceSystem(told["crs"] or "")
        kind = QgsWkbTypes.Type.Point
        sink, target = self.parameterAsSink(parameters, "REMARKS", context, fields, kind, crs)
        if sink is None:  # not asked for
            return {}
        for remark in told["remarks"]:
            feature = QgsFeature(fields)
            feature.setAttributes([_cell(remark[name]) for name in _FIELDS])
            if remark["x"] is not None and remark["y"] is not None:
                feature.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(remark["x"], remark["y"])))
            if not sink.addFeature(feature, QgsFeatureSink.Flag.FastInsert):
                raise QgsProcessingException(f"the remarks cannot be written: {sink.lastError()}")
        del sink  # which closes the file
        if context.willLoadLayerOnCompletion(target):
            marks = _Marks()
            _KEPT.append(marks)  # neither QGIS nor the algorithm, which is a copy, keeps it
            context.layerToLoadOnCompletionDetails(target).setPostProcessor(marks)
        return {"REMARKS": target}


class _Marks(QgsProcessingLayerPostProcessorInterface):
    """Marks the remarks by their severity."""

    def postProcessLayer(self, layer, _context, _feedback):
        """Style the layer."""
        categories = []
        for severity, label, color, size in _MARKS:
            look = {"name": "circle", "color": color, "outline_color": "#222222", "size": size}
            categories.append(QgsRendererCategory(severity, QgsMarkerSymbol.createSimple(look), label))
        layer.setRenderer(QgsCategorizedSymbolRenderer("severity", categories))
        layer.setMapTipTemplate('<b>[% "layer" || \' \' || "feature_id" %]</b> [% "message" %]')
        layer.triggerRepaint()


def _cell(value):
    return "\n".join(value) if isinstance(value, list) else value


def _push(remark, feedback):
    about = " ".join(part for part in (remark["layer"], remark["feature_id"]) if part) or remark["subject"]
    text = "\n".join(
        [f"{remark['severity']}: {about}: {remark['message']}", *(f"  - {one}" for one in remark["details"])]
    )
    if remark["mend"]:
        text = f"{text}\n  To mend it: {remark['mend']}"
    if remark["severity"] == "error":
        feedback.reportError(text, False)
    elif remark["severity"] == "warning":
        feedback.pushWarning(text)
    else:
        feedback.pushInfo(text)
