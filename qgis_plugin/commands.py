"""The algorithms that run a command of wetgeo."""

import shutil
import tempfile
from pathlib import Path

from qgis.core import (
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingException,
    QgsProcessingOutputBoolean,
    QgsProcessingOutputVectorLayer,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterFolderDestination,
)
from qgis.PyQt.QtCore import QCoreApplication

from . import inputs, outputs, program

#: where this dialog holds what wetgeo's sentences call by its name in the project file
_HERE = {
    "values.class": "what the class field says (advanced)",
    "defaults.class": "class of features that have none (advanced)",
    "z_unit": "Unit of the elevations",
    "crs = ": "CRS to work in (advanced)",
    "[options]": "Options of the rule (advanced)",
    "--overwrite": "Replace what stands there",
}
_NOT_COMPLIANT = 3
_POLYGONS = [QgsProcessing.SourceType.TypeVectorPolygon]
_POINTS = [QgsProcessing.SourceType.TypeVectorPoint]
_ALWAYS = "gpkg"  # layers are loaded from it
_ALL_FORMATS = (_ALWAYS, "shp", "qgz", "html", "pdf", "csv", "declaration", "dxf")
_CAUSES = ["fill", "drain", "excavate", "temporary"]


class WetgeoAlgorithm(QgsProcessingAlgorithm):
    """What all algorithms share: their texts, the rule packs in their help, and that wetgeo must be there."""

    NAME, TITLE, ABOUT = "", "", ""

    def tr(self, text):
        """Translate."""
        return QCoreApplication.translate("wetgeo", text)

    def createInstance(self):
        """Make another."""
        return type(self)()

    def name(self):
        """Its id within the provider."""
        return self.NAME

    def displayName(self):
        """Its name in the toolbox."""
        return self.tr(self.TITLE)

    def shortHelpString(self):
        """What it does, and the rules with their citations."""
        rules = "".join(f"<li><b>{pack['id']}</b>: {_citation(pack)}</li>" for pack in program.packs())
        return f"<p>{self.tr(self.ABOUT)}</p><p>{self.tr('Rules')}:</p><ul>{rules}</ul>"

    def canExecute(self):
        """Whether wetgeo is there, or how to install it."""
        try:
            program.find()
        except program.ProgramError as fault:
            return False, str(fault)
        return True, ""


class CommandAlgorithm(WetgeoAlgorithm):
    """Writes the site to temporary files, runs a command on them, and loads its layers."""

    COMMAND, FORMATS = "run", tuple(name for name in _ALL_FORMATS if name != "dxf")
    #: parameters that are layers, besides those of the site, with the option that takes each
    SOURCES = ()
    #: layers that are loaded, from the bottom up; one more where a command writes it
    LOADED = outputs.LOADED

    def initAlgorithm(self, _configuration=None):
        """Declare parameters and outputs."""
        inputs.add_parameters(self)
        self.add_more()
        self.addParameter(
            QgsProcessingParameterEnum(
                "FORMATS",
                self.tr("Outputs besides the GeoPackage"),
                options=[name for name in _ALL_FORMATS if name != _ALWAYS],
                allowMultiple=True,
                usesStaticStrings=True,
                defaultValue=[name for name in self.FORMATS if name != _ALWAYS],
                optional=True,
            )
        )
        self.addParameter(QgsProcessingParameterFolderDestination("FOLDER", self.tr("Folder for the outputs")))
        for name in self.LOADED:
            self.addOutput(QgsProcessingOutputVectorLayer(outputs.output_name(name), name.replace("_", " ")))

    def add_more(self):
        """Declare what this command takes besides the site."""

    def checkParameterValues(self, parameters, context):
        """Tell all that is wrong with the layers before anything begins."""
        given = [name for name, _ in self.SOURCES if parameters.get(name) is not None]
        faults = inputs.faults(self, parameters, context, given)
        return (False, "\n".join(faults)) if faults else super().checkParameterValues(parameters, context)

    def processAlgorithm(self, parameters, context, feedback):
        """Run the command."""
        folder = Path(self.parameterAsString(parameters, "FOLDER", context))
        with tempfile.TemporaryDirectory(prefix="wetgeo-qgis-") as temporary:
            site = inputs.write_site(self, parameters, context, feedback, temporary, self._formats(parameters, context))
            words = [self.COMMAND, str(site.project), "-o", str(folder), *self.arguments(parameters, context)]
            for name, option in self.SOURCES:
                if parameters.get(name) is not None:
                    source = self.parameterAsSource(parameters, name, context)
                    inputs.write_layer(source, site.inputs, name.lower(), context, feedback)
                    words += [option, f"{site.inputs}|{name.lower()}"]
            if self.parameterAsBool(parameters, "OVERWRITE", context):
                words.append("--overwrite")
            ended = None if feedback.isCanceled() else self._run(words, feedback, temporary)
            if ended is None:
                feedback.pushInfo(self.tr("Cancelled: nothing was written."))
                return {}
            kept = folder / "inputs"
            kept.mkdir(exist_ok=True)
            for path in site:
                shutil.copyfile(path, kept / path.name)
        return {**outputs.load(folder, self.LOADED, context), **self.results(ended), "FOLDER": str(folder)}

    def _formats(self, parameters, context):
        given = parameters.get("FORMATS")
        # QGIS takes the default for a list from which all was taken
        none = given is not None and not given
        return [_ALWAYS, *([] if none else self.parameterAsEnumStrings(parameters, "FORMATS", context))]

    def arguments(self, _parameters, _context):
        """Further words of the command line."""
        return []

    def results(self, _ended):
        """Further outputs."""
        return {}

    def _run(self, words, feedback, temporary):
        try:
            ended = program.run(words, feedback)
        except program.ProgramError as fault:
            raise QgsProcessingException(str(fault)) from fault
        if ended.code is None:
            return None
        if ended.code not in (0, _NOT_COMPLIANT):
            raise QgsProcessingException(sentences(ended, temporary))
        for line in ended.out.splitlines():
            feedback.pushInfo(line)
        return ended


class RequiredBuffers(CommandAlgorithm):
    """``wetgeo run``."""

    NAME, TITLE = "requiredbuffers", "Required buffers"
    ABOUT = (
        "Draws the buffers that the rule asks around wetlands, lakes and streams, sets the monuments along their "
        "edges, and writes all outputs into a folder. Each row says why, with the section of the rule."
    )


class PlaceMonuments(CommandAlgorithm):
    """``wetgeo run`` with the formats that surveyors take."""

    NAME, TITLE = "placemonuments", "Place monuments"
    ABOUT = (
        "Sets the monuments along the edges of the required buffers: at lot lines, at most the rule's interval apart, "
        "and at bends where the rule asks it. Writes them for a data collector, as a drawing, and as the declaration."
    )
    FORMATS = ("gpkg", "csv", "declaration", "dxf")
    LOADED = ("edges", "monuments", "monument_proof")


class _Judging(CommandAlgorithm):
    LOADED = (*outputs.LOADED, *outputs.JUDGED)

    def add_more(self):
        """Declare the verdict."""
        self.addOutput(QgsProcessingOutputBoolean("COMPLIANT", self.tr("Whether the buffer complies")))

    def results(self, ended):
        """Return the verdict."""
        return {"COMPLIANT": ended.code == 0}


class CheckAveraging(_Judging):
    """``wetgeo check``."""

    NAME, TITLE, COMMAND = "checkaveraging", "Check averaging", "check"
    ABOUT = (
        "Judges a proposed, averaged buffer: its least width and where, its area, and by what margin it complies or "
        "falls short. Judges staked monuments too."
    )
    SOURCES = (("PROPOSED", "--proposed"), ("MONUMENT_POINTS", "--monuments"))

    def add_more(self):
        """Declare the proposal and the monuments."""
        self.addParameter(QgsProcessingParameterFeatureSource("PROPOSED", self.tr("Proposed buffer"), types=_POLYGONS))
        self.addParameter(
            QgsProcessingParameterFeatureSource(
                "MONUMENT_POINTS", self.tr("Staked monuments"), types=_POINTS, optional=True
            )
        )
        super().add_more()


class DesignAveraging(_Judging):
    """``wetgeo design``."""

    NAME, TITLE, COMMAND = "designaveraging", "Design averaging", "design"
    ABOUT = (
        "Finds an averaged buffer that complies around what must stay out of it, or the best there is, and judges it."
    )
    SOURCES = (("KEEP_OUT", "--keep-out"), ("PREFER_ON", "--prefer"))

    def add_more(self):
        """Declare what stays out, and where to make up for it."""
        self.addParameter(
            QgsProcessingParameterFeatureSource("KEEP_OUT", self.tr("What must stay out"), types=_POLYGONS)
        )
        self.addParameter(
            QgsProcessingParameterEnum(
                "PREFER",
                self.tr("Make up for what is lost: all along the edge, or near the loss"),
                options=["uniform", "near"],
                usesStaticStrings=True,
                defaultValue="uniform",
            )
        )
        self.addParameter(
            QgsProcessingParameterFeatureSource(
                "PREFER_ON", self.tr("Make up for it first on these polygons"), types=_POLYGONS, optional=True
            )
        )
        super().add_more()

    def arguments(self, parameters, context):
        """Where to make up for what is lost, unless on polygons."""
        if parameters.get("PREFER_ON") is not None:
            return []
        return ["--prefer", self.parameterAsEnumString(parameters, "PREFER", context)]


class _Disturbing(CommandAlgorithm):
    SOURCES = (("DISTURBANCE", "--disturbance"),)

    def add_more(self):
        """Declare the disturbance and its causes."""
        self.addParameter(
            QgsProcessingParameterFeatureSource("DISTURBANCE", self.tr("Disturbed ground"), types=_POLYGONS)
        )
        self.addParameter(
            QgsProcessingParameterField(
                "CAUSE_FIELD",
                self.tr("Field that tells the cause (fill, drain, excavate or temporary)"),
                parentLayerParameterName="DISTURBANCE",
                optional=True,
            )
        )
        self.addParameter(
            QgsProcessingParameterEnum(
                "CAUSE",
                self.tr("Cause of features that tell none"),
                options=_CAUSES,
                usesStaticStrings=True,
                optional=True,
            )
        )

    def arguments(self, parameters, context):
        """How the causes are told."""
        field = self.parameterAsFields(parameters, "CAUSE_FIELD", context)
        cause = self.parameterAsEnumString(parameters, "CAUSE", context) if parameters.get("CAUSE") else ""
        words = ["--cause-field", inputs.renamed(field[0])] if field else []
        return [*words, *(["--cause", cause] if cause else [])]


class Impacts(_Disturbing):
    """``wetgeo impacts``."""

    NAME, TITLE, COMMAND = "impacts", "Impacts", "impacts"
    ABOUT = (
        "Measures what of wetlands, required buffers and natural communities is disturbed, and the replacement owed."
    )
    LOADED = (*outputs.LOADED, "impacts")


class Screen(_Disturbing):
    """``wetgeo screen``."""

    NAME, TITLE, COMMAND = "screen", "Screen provisions", "screen"
    ABOUT = "Tests which provisions of the rule some work triggers, with what was measured and the threshold."
    LOADED = (*outputs.LOADED, "triggers")


def _citation(pack):
    parts = [pack.get(part) for part in ("authority", "title", "document", "effective", "status")]
    return ", ".join(str(part) for part in parts if part)


def sentences(ended, temporary):
    """Return wetgeo's own sentences, from the word Error on, without the folder that is gone afterwards."""
    lines = list(ended.messages)
    start = next((number for number, line in enumerate(lines) if line.startswith("Error")), 0)
    text = "\n".join(lines[start:]) or f"wetgeo ended with status {ended.code} and said nothing"
    here = [f"In this dialog, {name} is: {place}." for name, place in _HERE.items() if name in text]
    return "\n".join([without_folder(text, temporary), *here])


def without_folder(text, folder):
    """Leave a folder that is gone afterwards out of a text."""
    return text.replace(f"{folder}/", "").replace(f"{folder}\\", "")
