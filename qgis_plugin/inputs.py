"""The parameters that describe a site, and how they become files that wetgeo reads."""

from pathlib import Path
from typing import NamedTuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsFeatureRequest,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingFeatureSource,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterCrs,
    QgsProcessingParameterDateTime,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterFile,
    QgsProcessingParameterMatrix,
    QgsProcessingParameterRasterLayer,
    QgsProcessingParameterString,
    QgsVectorFileWriter,
)

from . import program
from .layer_roles import LAYERS, LINE, POINT, POLYGON, RESOURCES, ROLES, SHOWN
from .project_file import pairs, plain_value, project_text, values_by_role

_KINDS = {
    POLYGON: QgsProcessing.SourceType.TypeVectorPolygon,
    LINE: QgsProcessing.SourceType.TypeVectorLine,
    POINT: QgsProcessing.SourceType.TypeVectorPoint,
}
#: words of the drop-down for the DEM's unit, and what the project file calls them
_UNITS = {"as the file says": None, "m": "m", "ft": "ft", "us-ft": "us-ft", "cm": "cm"}
#: the key of a GeoPackage's rows, which is no field of theirs there; a field of that name gets another
_KEY, _RENAMED = "fid", "source_fid"
#: the file that layers are written to, and the project file beside it
INPUTS, PROJECT = "inputs.gpkg", "wetgeo.toml"


class Site(NamedTuple):
    """A project file and the file of its layers."""

    project: Path
    inputs: Path


def add_parameters(algorithm, *, overwrite=True):
    """Add the parameters of a site to an algorithm, and whether what stands there may be replaced."""
    packs = program.packs()
    known = [pack["id"] for pack in sorted(packs, key=lambda pack: pack.get("status") != "in force")]
    add = algorithm.addParameter
    rule = QgsProcessingParameterEnum(
        "RULE", algorithm.tr("Rule"), options=known, usesStaticStrings=True, defaultValue=known[0] if known else None
    )
    add(rule)
    for layer in LAYERS:
        for parameter in _layer_parameters(algorithm, layer):
            if layer.name not in SHOWN:
                _advanced(parameter)
            add(parameter)
    add(QgsProcessingParameterRasterLayer("DEM", algorithm.tr("Elevations (DEM)"), optional=True))
    add(
        QgsProcessingParameterEnum(
            "DEM_UNIT",
            algorithm.tr("Unit of the elevations"),
            options=list(_UNITS),
            usesStaticStrings=True,
            defaultValue=next(iter(_UNITS)),
            optional=True,
        )
    )
    _add_settings(algorithm)
    if overwrite:
        add(QgsProcessingParameterBoolean("OVERWRITE", algorithm.tr("Replace what stands there"), defaultValue=False))


def _layer_parameters(algorithm, layer):
    """The layer itself; then its fields, and what its classes mean."""
    title, name = algorithm.tr(layer.title), layer.name.upper()
    kinds = [_KINDS[kind] for kind in layer.kinds]
    yield QgsProcessingParameterFeatureSource(name, title, types=kinds, optional=True)
    for role in layer.roles:
        label = f"{title}: {algorithm.tr(ROLES[role])}"
        field = QgsProcessingParameterField(
            f"{name}_{role.upper()}", label, parentLayerParameterName=name, optional=True
        )
        yield field if role in ("id", "class", "hsg") else _advanced(field)
    if "class" in layer.roles:
        yield _advanced(
            QgsProcessingParameterMatrix(
                f"{name}_CLASS_VALUES",
                f"{title}: {algorithm.tr('what the class field says')}",
                hasFixedNumberRows=False,
                headers=[algorithm.tr("the field says"), algorithm.tr("the rule calls it")],
                optional=True,
            )
        )
        label = f"{title}: {algorithm.tr('class of features that have none')}"
        yield _advanced(QgsProcessingParameterString(f"{name}_CLASS_DEFAULT", label, optional=True))
    if layer.name == "soils":
        label = f"{title}: {algorithm.tr('table with the groups by map unit key')}"
        yield _advanced(QgsProcessingParameterFile("SOILS_TABLE", label, optional=True))


def _add_settings(algorithm):
    tr = algorithm.tr
    for parameter in (
        QgsProcessingParameterFile(
            "RULE_FILE", tr("A rule pack of your own, instead of the rule above"), optional=True
        ),
        QgsProcessingParameterMatrix(
            "OPTIONS",
            tr("Options of the rule"),
            hasFixedNumberRows=False,
            headers=[tr("option"), tr("value")],
            optional=True,
        ),
        QgsProcessingParameterMatrix(
            "DEFAULTS",
            tr("Values of features that have none"),
            hasFixedNumberRows=False,
            headers=[tr("layer, as wetlands"), tr("role, as central"), tr("value, as true")],
            optional=True,
        ),
        QgsProcessingParameterCrs("CRS", tr("CRS to work in (empty: the wetlands' own)"), optional=True),
        QgsProcessingParameterDateTime(
            "DATE",
            tr("Date of the application (empty: today)"),
            type=QgsProcessingParameterDateTime.Type.Date,
            optional=True,
        ),
        QgsProcessingParameterString("NAME", tr("Name of the project"), optional=True),
    ):
        add = parameter if parameter.name() in ("DATE", "NAME") else _advanced(parameter)
        algorithm.addParameter(add)


def _advanced(parameter):
    parameter.setFlags(parameter.flags() | QgsProcessingParameterDefinition.Flag.FlagAdvanced)
    return parameter


def faults(algorithm, parameters, context, extra=()):
    """Tell what is wrong with the layers before anything begins: none given, none selected, no CRS, no file.

    `extra` are names of further parameters that are layers.
    """
    found = []
    names = {layer.name.upper(): layer.title for layer in LAYERS}
    names.update({name: algorithm.parameterDefinition(name).description() for name in extra})
    for name, title in names.items():
        source = algorithm.parameterAsSource(parameters, name, context) if parameters.get(name) is not None else None
        if source is not None:
            found += _layer_faults(algorithm, title, source, needed=name.lower() in RESOURCES or name in extra)
    return found + missing(algorithm, parameters, context)


def missing(algorithm, parameters, context):
    """Tell whether there is nothing to work on, or a raster that is no file."""
    there = any(parameters.get(resource.upper()) is not None for resource in RESOURCES)
    found = [] if there else [algorithm.tr("No resources: give wetlands, lakes or streams.")]
    return found + _raster_faults(algorithm, parameters, context)


def _layer_faults(algorithm, title, source, *, needed):
    if not source.sourceCrs().isValid():
        yield algorithm.tr(
            "{}: layer {} has no CRS. To mend it: right-click the layer, Layer CRS, Set Layer CRS."
        ).format(title, source.sourceName())
    if needed and source.featureCount() == 0:
        yield algorithm.tr(
            "{}: layer {} gives no features. To mend it: select some, or untick Selected features only; see to its "
            "filter."
        ).format(title, source.sourceName())


def _raster_faults(algorithm, parameters, context):
    if not parameters.get("DEM"):
        return []
    raster = algorithm.parameterAsRasterLayer(parameters, "DEM", context)
    if raster is None or not raster.isValid():
        return [algorithm.tr("Elevations (DEM): there is no such raster: {}").format(parameters["DEM"])]
    if raster_path(raster) is None:
        return [
            algorithm.tr("Elevations (DEM): {} is no raster file ({}). To mend it: export it as GeoTIFF first.").format(
                raster.name(), raster.providerType()
            )
        ]
    return []


def raster_path(raster):
    """Return the file of a raster layer; None where it is none."""
    path = Path(raster.source().partition("|")[0])
    return path if raster.providerType() == "gdal" and path.exists() else None


def write_site(algorithm, parameters, context, feedback, folder, formats):
    """Write the layers and the project file into a folder.

    Raises
    ------
    QgsProcessingException
        A layer cannot be written.
    """
    folder = Path(folder)
    layers = {}
    for layer in LAYERS:
        name = layer.name.upper()
        source = algorithm.parameterAsSource(parameters, name, context) if parameters.get(name) is not None else None
        if source is None:
            continue
        if feedback.isCanceled():
            break
        feedback.setProgressText(algorithm.tr("Writing {}").format(layer.title))
        write_layer(source, folder / INPUTS, layer.name, context, feedback)
        layers[layer.name] = {"path": INPUTS, "layer": layer.name, **mapping(algorithm, parameters, context, layer)}
    text = project_text(
        head(algorithm, parameters, context),
        layers,
        dem=dem(algorithm, parameters, context),
        options=options(algorithm, parameters, context),
        formats=formats,
    )
    (folder / PROJECT).write_text(text, encoding="utf-8")
    return Site(folder / PROJECT, folder / INPUTS)


def head(algorithm, parameters, context):
    """Entries of ``[project]``."""
    own = algorithm.parameterAsFile(parameters, "RULE_FILE", context)
    crs = algorithm.parameterAsCrs(parameters, "CRS", context) if parameters.get("CRS") else None
    date = algorithm.parameterAsDateTime(parameters, "DATE", context).date() if parameters.get("DATE") else None
    return {
        "name": algorithm.parameterAsString(parameters, "NAME", context) or context_name(context),
        "rule": str(Path(own).absolute()) if own else algorithm.parameterAsEnumString(parameters, "RULE", context),
        "crs": _crs_text(crs),
        "date": date.toString("yyyy-MM-dd") if date is not None and date.isValid() else None,
    }


def context_name(context):
    """Name a project by the QGIS project's title."""
    project = context.project()
    return (project.title() or project.baseName() if project is not None else "") or "wetgeo"


def _crs_text(crs):
    if crs is None or not crs.isValid():
        return None
    return crs.authid() or crs.toWkt(QgsCoordinateReferenceSystem.WktVariant.WKT_PREFERRED)


def dem(algorithm, parameters, context):
    """Entries of ``[dem]``; None where there is none."""
    raster = algorithm.parameterAsRasterLayer(parameters, "DEM", context) if parameters.get("DEM") else None
    if raster is None:
        return None
    unit = algorithm.parameterAsEnumString(parameters, "DEM_UNIT", context)
    return {"path": str(raster_path(raster).absolute()), "z_unit": _UNITS.get(unit)}


def options(algorithm, parameters, context):
    """Entries of ``[options]``."""
    given = pairs(algorithm.parameterAsMatrix(parameters, "OPTIONS", context))
    return {name: plain_value(text) for name, text in given.items()}


def mapping(algorithm, parameters, context, layer):
    """Entries of a layer that say what its fields and their values mean."""
    name = layer.name.upper()
    fields = {}
    for role in layer.roles:
        chosen = algorithm.parameterAsFields(parameters, f"{name}_{role.upper()}", context)
        if chosen:
            fields[role] = renamed(chosen[0])
    defaults = values_by_role(algorithm.parameterAsMatrix(parameters, "DEFAULTS", context), layer.name)
    entries = {"fields": fields or None}
    if "class" in layer.roles:
        values = pairs(algorithm.parameterAsMatrix(parameters, f"{name}_CLASS_VALUES", context))
        default = algorithm.parameterAsString(parameters, f"{name}_CLASS_DEFAULT", context)
        entries["values"] = {"class": values} if values else None
        defaults = {**defaults, **({"class": default} if default else {})}
    entries["defaults"] = defaults or None
    if layer.name == "soils":
        table = algorithm.parameterAsFile(parameters, "SOILS_TABLE", context)
        entries["table"] = str(Path(table).absolute()) if table else None
    return entries


def renamed(field):
    """Name a field as the written file has it."""
    return _RENAMED if field.lower() == _KEY else field


def write_layer(source, path, name, context, feedback):
    """Write what a source gives, a filter and a selection applied, as one more layer of a GeoPackage.

    Raises
    ------
    QgsProcessingException
        It cannot be written; or it gives no features.
    """
    writing = QgsVectorFileWriter.SaveVectorOptions()
    writing.driverName, writing.layerName, writing.fileEncoding = "GPKG", name, "UTF-8"
    action = QgsVectorFileWriter.ActionOnExistingFile
    writing.actionOnExistingFile = (
        action.CreateOrOverwriteLayer if Path(path).exists() else action.CreateOrOverwriteFile
    )
    writer = QgsVectorFileWriter.create(
        str(path), _fields(source), source.wkbType(), source.sourceCrs(), context.transformContext(), writing
    )
    if writer.hasError() != QgsVectorFileWriter.WriterError.NoError:
        raise QgsProcessingException(f"layer {source.sourceName()} cannot be written: {writer.errorMessage()}")
    # wetgeo repairs geometries itself, and tells so
    unchecked = QgsProcessingFeatureSource.Flag.FlagSkipGeometryValidityChecks
    for feature in source.getFeatures(QgsFeatureRequest(), unchecked):
        if feedback.isCanceled():
            break
        if not writer.addFeature(feature, QgsFeatureSink.Flag.FastInsert):
            raise QgsProcessingException(f"layer {source.sourceName()} cannot be written: {writer.errorMessage()}")
    del writer  # which closes the file


def _fields(source):
    fields = QgsFields()
    for field in source.fields():
        made = QgsField(field)
        made.setName(renamed(field.name()))
        fields.append(made)
    return fields
