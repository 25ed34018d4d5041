"""How many resources a project has, told by its files' own counts before anything is read."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pyogrio

from wetgeo.errors import WetgeoError
from wetgeo.inputs.files import GEOPARQUET, NOT_READ, opened, quiet
from wetgeo.project import LayerSource, Project
from wetgeo.site import RESOURCE_LAYERS


def resource_count(project: Project) -> int:
    """Count the features of the layers of resources, whatever a filter leaves out.

    A layer that cannot be opened counts nothing: whoever reads it says what is wrong.
    """
    return sum(_count(source) for name, source in project.layers.items() if name in RESOURCE_LAYERS)


def _count(source: LayerSource) -> int:
    try:
        with opened(source.path, name=source.name, layer=source.layer) as data:
            if source.path.suffix.lower() in GEOPARQUET:
                return int(pq.read_metadata(source.path).num_rows)
            named = (
                source.layer and source.layer.casefold() == Path(data.gdal).stem.casefold() and len(data.layers) == 1
            )
            layer = data.choose(None if named else source.layer, name=source.name)
            with quiet():
                return int(
                    pyogrio.read_info(data.gdal, layer=layer, force_feature_count=True, **data.options)["features"]
                )
    except (WetgeoError, *NOT_READ):
        return 0
