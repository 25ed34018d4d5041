"""Loading what wetgeo wrote: styled, and in order."""

import contextlib
import sqlite3
from pathlib import Path

from qgis.core import QgsProcessingContext, QgsProcessingLayerPostProcessorInterface

#: layers that are loaded where they have rows, from the bottom up
LOADED = ("findings", "parcels", "resources", "buffers", "zones", "extensions", "edges", "monuments")
JUDGED = ("averaging", "proposed", "averaging_areas", "violations")
_ORDER = (*LOADED, "monument_proof", *JUDGED, "triggers", "impacts")
_FILE, _RANK, _KEPT = "buffers.gpkg", "wetgeo/rank", []


def output_name(layer):
    """Name the output that a layer is."""
    return f"OUTPUT_{layer.upper()}"


def load(folder, names, context):
    """Return the layers of an output folder as outputs of an algorithm; QGIS is asked to load those that have rows."""
    path = Path(folder) / _FILE
    results = {}
    for name, (title, rows) in _layers(path, names).items():
        source = f"{path}|layername={name}"
        results[output_name(name)] = source
        if rows and context.project() is not None:
            details = QgsProcessingContext.LayerDetails(title, context.project(), output_name(name))
            rank = _ORDER.index(name)
            if hasattr(details, "layerSortKey"):
                details.layerSortKey = rank
            processor = _Styled(rank)
            _KEPT.append(processor)  # QGIS does not keep it
            details.setPostProcessor(processor)
            context.addLayerToLoadOnCompletion(source, details)
    return results


def _layers(path, names):
    """Layers of the file among `names`: title and number of rows of each."""
    with contextlib.closing(sqlite3.connect(path.absolute().as_uri() + "?mode=ro", uri=True)) as base:
        titles = dict(base.execute("SELECT f_table_name, description FROM layer_styles"))
        there = {name for (name,) in base.execute("SELECT table_name FROM gpkg_contents")}
        found = {}
        for name in names:
            if name in there:
                # the name is one of the constants above
                (rows,) = base.execute('SELECT count(*) FROM "{}"'.format(name)).fetchone()  # noqa: S608, UP032
                found[name] = (titles.get(name) or name, rows)
    return found


class _Styled(QgsProcessingLayerPostProcessorInterface):
    """Gives a loaded layer the style that its file holds, and its place among the others."""

    def __init__(self, rank):
        super().__init__()
        self.rank = rank

    def postProcessLayer(self, layer, context, _feedback):
        """Style and place the layer."""
        layer.loadDefaultStyle()
        layer.setCustomProperty(_RANK, self.rank)
        layer.triggerRepaint()
        node = context.project().layerTreeRoot().findLayer(layer.id()) if context.project() is not None else None
        if node is not None:
            self._place(node, layer)

    def _place(self, node, layer):
        """Move the layer below those of the same file that lie above it."""
        parent, file = node.parent(), layer.source().partition("|")[0]
        siblings = parent.children()
        above = [
            number
            for number, each in enumerate(siblings)
            if each is not node and _rank(each, file) is not None and _rank(each, file) > self.rank
        ]
        here = next(number for number, each in enumerate(siblings) if each is node or each == node)
        if above and max(above) > here:
            parent.insertChildNode(max(above) + 1, node.clone())
            parent.removeChildNode(node)


def _rank(node, file):
    layer = node.layer() if hasattr(node, "layer") else None
    if layer is None or layer.source().partition("|")[0] != file:
        return None
    rank = layer.customProperty(_RANK)
    return None if rank is None else int(rank)
