"""The algorithm that writes a wetgeo.toml from layers."""

from pathlib import Path

from qgis.core import (
    QgsFields,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingParameterFileDestination,
    QgsProviderRegistry,
)

from . import inputs
from .commands import WetgeoAlgorithm
from .layer_roles import LAYERS
from .project_file import project_text


class WriteProject(WetgeoAlgorithm):
    """Writes a project file; the layers stay where they are, but for those that are no plain files."""

    NAME, TITLE = "writeproject", "Write project file from layers"
    ABOUT = (
        "Writes a wetgeo.toml for the command line. Layers from files are named by their paths, with their filters; "
        "layers in memory, selections, joins and edits are copied into a GeoPackage beside it."
    )

    def initAlgorithm(self, _configuration=None):
        """Declare parameters and outputs."""
        inputs.add_parameters(self)
        self.addParameter(
            QgsProcessingParameterFileDestination(
                "PROJECT", self.tr("Project file"), fileFilter=self.tr("wetgeo project (*.toml)")
            )
        )

    def checkParameterValues(self, parameters, context):
        """Tell all that is wrong with the layers before anything begins."""
        faults = inputs.faults(self, parameters, context)
        return (False, "\n".join(faults)) if faults else super().checkParameterValues(parameters, context)

    def processAlgorithm(self, parameters, context, feedback):
        """Write the file."""
        path = Path(self.parameterAsFileOutput(parameters, "PROJECT", context)).absolute()
        copies = path.with_name(f"{path.stem}_inputs.gpkg")
        if not self.parameterAsBool(parameters, "OVERWRITE", context):
            there = [str(each) for each in (path, copies) if each.exists()]
            if there:
                raise QgsProcessingException(
                    self.tr("{} is there already. To mend it: tick Replace what stands there, or name another.").format(
                        there[0]
                    )
                )
        copies.unlink(missing_ok=True)
        layers = referenced(self, parameters, context, feedback, copies)
        if feedback.isCanceled():
            copies.unlink(missing_ok=True)
            feedback.pushInfo(self.tr("Cancelled: nothing was written."))
            return {}
        text = project_text(
            inputs.head(self, parameters, context),
            layers,
            dem=inputs.dem(self, parameters, context),
            options=inputs.options(self, parameters, context),
        )
        path.write_text(text, encoding="utf-8")
        return {"PROJECT": str(path)}


def referenced(algorithm, parameters, context, feedback, copies):
    """Say where each layer is, as entries of the project file; what is no plain file is copied into `copies`."""
    layers = {}
    for layer in LAYERS:
        name = layer.name.upper()
        if parameters.get(name) is None or feedback.isCanceled():
            continue
        entries = inputs.mapping(algorithm, parameters, context, layer)
        place = reference(algorithm.parameterAsVectorLayer(parameters, name, context), parameters[name])
        if place is None:
            source = algorithm.parameterAsSource(parameters, name, context)
            inputs.write_layer(source, copies, layer.name, context, feedback)
            place = {"path": copies.name, "layer": layer.name}
            feedback.pushInfo(algorithm.tr("{} was copied into {}").format(layer.title, copies.name))
        else:
            chosen = entries.get("fields") or {}
            for role in chosen:
                field = algorithm.parameterAsFields(parameters, f"{name}_{role.upper()}", context)
                chosen[role] = field[0]
        layers[layer.name] = {**place, **entries}
    return layers


def reference(layer, given):
    """Say where a layer's file is, as entries of the project file; None where it has to be copied."""
    if layer is None or layer.providerType() != "ogr" or layer.isModified():
        return None
    if isinstance(given, QgsProcessingFeatureSourceDefinition) and given.selectedFeaturesOnly:
        return None
    fields = layer.fields()
    if any(fields.fieldOrigin(i) != QgsFields.FieldOrigin.OriginProvider for i in range(fields.count())):
        return None
    stated, meant = layer.dataProvider().crs(), layer.crs()
    if stated.isValid() and stated != meant:
        return None
    parts = QgsProviderRegistry.instance().decodeUri("ogr", layer.source())
    path = Path(parts.get("path") or "")
    if not path.exists() or parts.get("vsiPrefix"):
        return None
    return {
        "path": str(path.absolute()),
        "layer": parts.get("layerName") or None,
        "where": layer.subsetString() or None,
        "crs": None if stated.isValid() else meant.authid() or None,
    }
