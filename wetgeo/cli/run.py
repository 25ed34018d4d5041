"""``wetgeo run``: delineate the required buffers and write the outputs."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wetgeo import interrupts
from wetgeo.cli.options import (
    dry_run_option,
    output_option,
    overwrite_option,
    progress_bar,
    say,
    verbosity_options,
    worker_options,
)
from wetgeo.errors import WetgeoError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wetgeo.cli.options import Progress
    from wetgeo.delineation import Delineation
    from wetgeo.project import Project

logger = logging.getLogger(__name__)

#: the folder, in the output folder, where tiles are kept until all are done
WORK = ".wetgeo.work"
#: a project with more resources is worked in tiles
_WHOLE_MOST = 1500
#: the most resources that outputs are written for that people read page by page
_MOST_DRAWN = 5000
#: findings that are printed; the others stand in the outputs
_MOST_TOLD = 25
#: features that such a finding names
_MOST_NAMED = 10


@click.command()
@click.argument("projects", metavar="PROJECT...", nargs=-1, required=True, type=click.Path(path_type=Path))
@output_option
@overwrite_option
@dry_run_option
@worker_options
@verbosity_options
@click.pass_context
def run(ctx: click.Context, /, projects: tuple[Path, ...], output: Path | None, **options: Any) -> None:  # noqa: ANN401 -- the shared options
    """Delineate the required buffers of each PROJECT and write the outputs.

    With several projects, -o DIR takes the outputs of each into DIR/NAME, NAME being the project's name; one that fails
    does not keep the others from being done.

    A project with many resources is worked in tiles by several processes. A run that was interrupted or killed goes on
    where it was when the same command is given again.
    """
    if len(projects) == 1:
        run_project(projects[0], output, **options)
        return
    statuses = []
    for path in projects:
        try:
            folder = None if output is None else output / _name_of(path)
            status, words = 0, run_project(path, folder, **options)
        except WetgeoError as fault:
            interrupts.check()
            status, words = fault.exit_code, fault.message
            click.echo(f"Error: {path}: {fault}", err=True)
        statuses.append((path, status, words))
    for path, status, words in statuses:
        click.echo(f"{'done  ' if status == 0 else 'failed'}  {path}  {words}")
    ctx.exit(max(status for _, status, _ in statuses))


def _name_of(path: Path) -> str:
    from wetgeo.project import load_project

    return load_project(path).name.replace("/", "_").replace("\\", "_")


def run_project(
    path: Path,
    output: Path | None,
    *,
    overwrite: bool,
    dry_run: bool,
    quiet: bool,
    workers: int | None = None,
    scheduler: str | None = None,
) -> str:
    """Run one project; returns a line that says what was done."""
    from wetgeo.project import load_project

    project = load_project(path)
    if output is not None:
        project = dataclasses.replace(project, output=output.absolute())
    from wetgeo.outputs.write import write_outputs

    with (
        progress_bar(quiet=quiet) as progress,
        hold(project, overwrite=overwrite, dry_run=dry_run),
        work_folder(project, dry_run=dry_run) as folder,
    ):
        delineation = _delineated(project, folder, workers, scheduler, progress)
        if not dry_run:
            progress(0.95, "writing the outputs")
            formats = formats_for(delineation)
            write_outputs(delineation, project.output, overwrite=overwrite, formats=formats, claimed=True)
        words = summary(delineation)
    say(f"{project.name}: {words}", quiet=quiet)
    tell(delineation, dry_run=dry_run, quiet=quiet)
    return words


def _delineated(
    project: Project, folder: Path, workers: int | None, scheduler: str | None, progress: Progress
) -> Delineation:
    """Delineate a project as a whole, or in tiles where it is large, asked for, or was begun."""
    from wetgeo.inputs.counts import resource_count

    resources = resource_count(project)
    if scheduler is None and (workers or 1) == 1 and resources <= _WHOLE_MOST and not folder.exists():
        whole = _as_a_whole(project, progress)
        if whole is not None:
            return whole
        workers = 0
    from wetgeo.batch.delineating import delineate_in_tiles, tile_size
    from wetgeo.batch.workers import sensible_count

    count = sensible_count() if workers is None else workers
    return delineate_in_tiles(
        project,
        folder,
        workers=count,
        scheduler=scheduler,
        most=tile_size(resources, count),
        progress=progress,
    )


def _as_a_whole(project: Project, progress: Progress) -> Delineation | None:
    """Delineate a project as a whole; None where something went wrong that one feature can cause.

    One feature must not end the run: tiles are then narrowed down to it, and it becomes a finding.
    """
    from wetgeo.batch.results import OF_FEATURES
    from wetgeo.pipeline import delineate

    try:
        return delineate(project, progress=progress)
    except WetgeoError:
        raise
    except OF_FEATURES as fault:
        if interrupts.is_interrupt(fault):
            raise KeyboardInterrupt from fault
        told = f"{type(fault).__name__}: {fault}"
        logger.warning(
            "the site could not be worked as a whole (%s); it is worked in tiles, and what cannot be worked is left "
            "out and told",
            told,
        )
        logger.debug("where it went wrong:", exc_info=fault)
        return None


@contextlib.contextmanager
def work_folder(project: Project, *, dry_run: bool) -> Iterator[Path]:
    """Give the folder for the tiles, in the output folder.

    It is gone when all is done, and stays after a failure, unless the inputs could not even be read.
    """
    if dry_run:
        with tempfile.TemporaryDirectory(prefix="wetgeo-") as name:
            yield Path(name) / WORK
        return
    folder = project.output / WORK
    try:
        yield folder
    except WetgeoError:
        from wetgeo.batch.delineating import is_begun

        if not is_begun(folder):
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def formats_for(delineation: Delineation) -> tuple[str, ...]:
    """Choose the formats to write: drawings and reports of very many resources serve nobody, which is a finding."""
    from wetgeo.outputs.write import DRAWN
    from wetgeo.pieces import Layers

    formats = delineation.project.formats
    many = Layers.of(delineation.layers).rows("resources")
    left = [name for name in formats if name in DRAWN] if many > _MOST_DRAWN else []
    if left:
        delineation.findings.warning(
            "outputs-limited",
            f"{', '.join(left)} were not written: {many:,} resources are more than the {_MOST_DRAWN:,} that can be "
            "drawn or listed on sheets; divide the project with a where filter to get them",
        )
    return tuple(name for name in formats if name not in left)


def tell(delineation: Delineation, *, dry_run: bool, quiet: bool) -> None:
    """Tell the first findings that a reviewer should look at, and where the outputs are."""
    doubtful = [finding for finding in delineation.findings if finding.severity != "info"]
    doubtful.sort(key=lambda finding: finding.severity != "error")  # what was left out must not be cut off below
    alike: dict[tuple[str, str, str, str], list[str]] = {}  # what is the same of many features is said once
    for finding in doubtful:
        key = finding.severity, finding.code, finding.layer, finding.message
        alike.setdefault(key, []).append(finding.feature_id)
    for (severity, code, layer, message), names in list(alike.items())[:_MOST_TOLD]:
        whose = ", ".join(names[:_MOST_NAMED]) + (
            f" and {len(names) - _MOST_NAMED:,} more" * (len(names) > _MOST_NAMED)
        )
        say(f"  {severity}: {' '.join(filter(None, (layer, whose))) or code}: {message}", quiet=quiet)
    if len(alike) > _MOST_TOLD:
        say(
            f"  and {sum(map(len, list(alike.values())[_MOST_TOLD:])):,} more; all stand in layer findings", quiet=quiet
        )
    where = f"Outputs are in {delineation.project.output}"
    say("Nothing was written (--dry-run)." if dry_run else where, quiet=quiet)


@contextlib.contextmanager
def hold(project: Project, *, overwrite: bool, dry_run: bool) -> Iterator[None]:
    """Keep the output folder for this run, from before the work until all is written."""
    from wetgeo.outputs.write import check_output, claim

    if dry_run:
        yield
        return
    check_output(project.output, overwrite=overwrite, formats=project.formats)
    with claim(project.output):
        yield


def summary(delineation: Delineation) -> str:
    """Say in one line what a delineation holds."""
    from wetgeo.pieces import Layers
    from wetgeo.units import SQFT_PER_ACRE

    layers = Layers.of(delineation.layers)
    acres = sum(float(areas.sum()) for areas in layers.column("buffer_union", "area_sqft")) / SQFT_PER_ACRE
    warnings = sum(finding.severity != "info" for finding in delineation.findings)
    left = _left_out(delineation)
    resources = layers.rows("resources") + left
    without = f" ({left:,} left out, see the errors)" if left else ""
    return (
        f"{layers.rows('buffers')} of {resources} resources have a buffer{without}, {acres:,.2f} acres in all, "
        f"under {delineation.pack.id}; {len(delineation.findings)} findings, {warnings} to look at"
    )


def _left_out(delineation: Delineation) -> int:
    """Count the features of resource layers that could not be used: they are no row of layer resources."""
    from wetgeo.site import RESOURCE_LAYERS

    return len(
        {
            (finding.layer, finding.feature_id)
            for finding in delineation.findings
            if finding.code == "geometry-dropped" and finding.layer in RESOURCE_LAYERS
        }
    )
