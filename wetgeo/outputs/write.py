"""All outputs of one run, as a whole or not at all."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from typing import TYPE_CHECKING

from wetgeo.frames import conform, empty, findings_frame
from wetgeo.layers import LAYERS
from wetgeo.outputs.declaration import write_declaration
from wetgeo.outputs.dxf import write_dxf
from wetgeo.outputs.earlier import FILES, check_files, check_folder, check_output, earlier_files
from wetgeo.outputs.exhibit import exhibit_limits, write_exhibit
from wetgeo.outputs.geopackage import write_geopackage
from wetgeo.outputs.monuments_csv import write_monuments_csv
from wetgeo.outputs.provenance import write_provenance
from wetgeo.outputs.qgis_project import write_qgis_project
from wetgeo.outputs.report import write_report
from wetgeo.outputs.shapefile import shapefile_cuts, write_shapefiles
from wetgeo.outputs.staging import claim, exchange, files_in, staging, told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from wetgeo.delineation import Delineation

__all__ = ["WRITERS", "check_output", "claim", "prepare", "write_outputs"]

logger = logging.getLogger(__name__)

#: what writes a format: a conformed delineation into a folder; the formats that this version has
WRITERS: dict[str, Callable[[Delineation, Path], None]] = {
    "gpkg": write_geopackage,
    "shp": write_shapefiles,
    "qgz": write_qgis_project,
    "html": write_report,
    "pdf": write_exhibit,
    "csv": write_monuments_csv,
    "declaration": write_declaration,
    "dxf": write_dxf,
}


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
        Formats of `wetgeo.project.FORMATS`; those without a writer in this version are told to the log.
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
    layers = {}
    for name, schema in LAYERS.items():
        if delineation.command not in schema.commands:
            continue
        given = delineation.layers.get(name)
        layers[name] = empty(name, delineation.crs) if given is None else conform(name, given, delineation.crs)
    ready = dataclasses.replace(delineation, layers=layers)
    if "shp" in formats:
        delineation.findings.extend(shapefile_cuts(ready))
    if "pdf" in formats:
        delineation.findings.extend(exhibit_limits(ready))
    layers["findings"] = conform("findings", findings_frame(delineation.findings), delineation.crs)
    return ready


def _write_all(ready: Delineation, folder: Path, formats: Sequence[str]) -> None:
    for one in formats:
        if one in WRITERS:
            WRITERS[one](ready, folder)
        else:
            logger.info("%s: this version of wetgeo does not write %s", one, FILES.get(one, one))
    write_provenance(ready, folder, files_in(folder))
