"""All outputs of one run, as a whole or not at all."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import logging
from typing import TYPE_CHECKING

from wetgeo.frames import conform, empty, findings_frame
from wetgeo.layers import LAYERS
from wetgeo.outputs.earlier import check_files, check_folder, check_output, earlier_files
from wetgeo.outputs.provenance import write_provenance
from wetgeo.outputs.staging import claim, exchange, files_in, staging, told
from wetgeo.pieces import Layers, StoredLayer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pandas as pd

    from wetgeo.delineation import Delineation

    Writer = Callable[[Delineation, Path], None]

__all__ = ["WRITERS", "check_output", "claim", "prepare", "write_outputs"]

logger = logging.getLogger(__name__)


def _later(module: str, function: str) -> Writer:
    """Load a writer when it is first called: drawing and CAD libraries are slow to load."""

    def write(delineation: Delineation, folder: Path) -> None:
        getattr(importlib.import_module(f"wetgeo.outputs.{module}"), function)(delineation, folder)

    return write


#: what writes a format: a conformed delineation into a folder
WRITERS: dict[str, Writer] = {
    "gpkg": _later("geopackage", "write_geopackage"),
    "shp": _later("shapefile", "write_shapefiles"),
    "qgz": _later("qgis_project", "write_qgis_project"),
    "html": _later("report", "write_report"),
    "pdf": _later("exhibit", "write_exhibit"),
    "csv": _later("monuments_csv", "write_monuments_csv"),
    "declaration": _later("declaration", "write_declaration"),
    "dxf": _later("dxf", "write_dxf"),
}


#: formats that people read page by page
DRAWN = frozenset({"html", "pdf", "declaration", "dxf"})


def write_outputs(
    delineation: Delineation, folder: Path, *, overwrite: bool, formats: Sequence[str], claimed: bool = False
) -> list[Path]:
    """Write a delineation's outputs into a folder, as a whole or not at all.

    Everything is written to a temporary folder inside `folder` and moved into place when all of it stands. Where that
    fails or is interrupted, the earlier outputs are as they were. What an earlier run listed in its provenance.json
    and this one does not write is removed, for it would no longer fit; no other file is touched.

    Parameters
    ----------
    delineation
        What was found. What shapefiles must cut and plan sheets leave out is added to its findings.
    folder
        The output folder; made where there is none.
    overwrite
        Whether outputs of an earlier run may be replaced.
    formats
        Formats of `wetgeo.project.FORMATS`.
    claimed
        Whether the caller holds the folder's `claim`.

    Returns
    -------
    list of Path
        The files written, sorted.

    Raises
    ------
    OutputError
        As `check_output`; or a file cannot be written.
    """
    with told(folder):
        check_folder(folder)
    with contextlib.nullcontext() if claimed else claim(folder), told(folder):
        check_files(folder, overwrite=overwrite, formats=formats)
        ready = prepare(delineation, formats)
        with staging(folder) as stage:
            _write_all(ready, stage / "new", formats)
            names = files_in(stage / "new")
            # once more: hours may lie between, and another program may have opened them
            check_files(folder, overwrite=overwrite, formats=formats)
            gone = earlier_files(folder, formats)
            exchange(stage, folder, gone)
    for name in sorted({*gone} - {*names}):
        logger.info("removed %s: an earlier run's, which this run does not write", folder / name)
    return [folder / name for name in names]


def prepare(delineation: Delineation, formats: Sequence[str]) -> Delineation:
    """Conform all layers of the delineation's command, in the schema's order, and make layer ``findings``.

    Layers on disk are conformed already, and stay there unless something is drawn: drawings ask for layers over and
    over.

    What shapefiles must cut and plan sheets leave out is found first, and added to the delineation's findings.

    Raises
    ------
    OutputError
        A layer is not as the schema says.
    ValueError
        A layer is not one of the schema.
    """
    if unknown := set(delineation.layers) - set(LAYERS):
        raise ValueError(f"layers that the schema does not know: {', '.join(sorted(unknown))}")
    given = Layers.of(delineation.layers)
    layers: dict[str, pd.DataFrame | StoredLayer] = {}
    for name, schema in LAYERS.items():
        if delineation.command not in schema.commands:
            continue
        held = given.held(name)
        if held is None:
            held = empty(name, delineation.crs)
        elif isinstance(held, StoredLayer) and DRAWN & set(formats):
            held = given[name]
        elif not isinstance(held, StoredLayer):
            held = conform(name, held, delineation.crs)
        layers[name] = held
    ready = dataclasses.replace(delineation, layers=Layers(layers))
    if "shp" in formats:
        from wetgeo.outputs.shapefile import shapefile_cuts

        delineation.findings.extend(shapefile_cuts(ready))
    if "pdf" in formats:
        from wetgeo.outputs.exhibit import exhibit_limits

        delineation.findings.extend(exhibit_limits(ready))
    layers["findings"] = conform("findings", findings_frame(delineation.findings), delineation.crs)
    return ready


def _write_all(ready: Delineation, folder: Path, formats: Sequence[str]) -> None:
    for one in formats:
        WRITERS[one](ready, folder)
    write_provenance(ready, folder, files_in(folder))
