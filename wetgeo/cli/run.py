"""``wetgeo run``: delineate the required buffers and write the outputs."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wetgeo.cli.options import (
    dry_run_option,
    output_option,
    overwrite_option,
    progress_bar,
    say,
    verbosity_options,
)
from wetgeo.errors import WetgeoError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wetgeo.delineation import Delineation
    from wetgeo.project import Project

#: findings that are printed; the others stand in the outputs
_MOST_TOLD = 25


@click.command()
@click.argument("projects", metavar="PROJECT...", nargs=-1, required=True, type=click.Path(path_type=Path))
@output_option
@overwrite_option
@dry_run_option
@verbosity_options
@click.pass_context
def run(
    ctx: click.Context, projects: tuple[Path, ...], output: Path | None, *, overwrite: bool, dry_run: bool, quiet: bool
) -> None:
    """Delineate the required buffers of each PROJECT and write the outputs.

    With several projects, -o DIR takes the outputs of each into DIR/NAME, NAME being the project's name; one that fails
    does not keep the others from being done.
    """
    if len(projects) == 1:
        run_project(projects[0], output, overwrite=overwrite, dry_run=dry_run, quiet=quiet)
        return
    statuses = []
    for path in projects:
        try:
            folder = None if output is None else output / _name_of(path)
            status, words = 0, run_project(path, folder, overwrite=overwrite, dry_run=dry_run, quiet=quiet)
        except WetgeoError as fault:
            status, words = fault.exit_code, fault.message
            click.echo(f"Error: {path}: {fault}", err=True)
        statuses.append((path, status, words))
    for path, status, words in statuses:
        click.echo(f"{'done  ' if status == 0 else 'failed'}  {path}  {words}")
    ctx.exit(max(status for _, status, _ in statuses))


def _name_of(path: Path) -> str:
    from wetgeo.project import load_project

    return load_project(path).name.replace("/", "_").replace("\\", "_")


def run_project(path: Path, output: Path | None, *, overwrite: bool, dry_run: bool, quiet: bool) -> str:
    """Run one project; returns a line that says what was done."""
    from wetgeo.project import load_project

    project = load_project(path)
    if output is not None:
        project = dataclasses.replace(project, output=output.absolute())
    from wetgeo.outputs.write import write_outputs
    from wetgeo.pipeline import delineate

    with progress_bar(quiet=quiet) as progress, hold(project, overwrite=overwrite, dry_run=dry_run):
        delineation = delineate(project, progress=progress)
        if not dry_run:
            progress(0.95, "writing the outputs")
            write_outputs(delineation, project.output, overwrite=overwrite, formats=project.formats, claimed=True)
    words = summary(delineation)
    say(f"{project.name}: {words}", quiet=quiet)
    tell(delineation, dry_run=dry_run, quiet=quiet)
    return words


def tell(delineation: Delineation, *, dry_run: bool, quiet: bool) -> None:
    """Tell the first findings that a reviewer should look at, and where the outputs are."""
    doubtful = [finding for finding in delineation.findings if finding.severity != "info"]
    for finding in doubtful[:_MOST_TOLD]:
        about = " ".join(filter(None, (finding.layer, finding.feature_id))) or finding.code
        say(f"  {finding.severity}: {about}: {finding.message}", quiet=quiet)
    if len(doubtful) > _MOST_TOLD:
        say(f"  and {len(doubtful) - _MOST_TOLD:,} more; all stand in layer findings", quiet=quiet)
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
    from wetgeo.units import SQFT_PER_ACRE

    resources, buffers = delineation.layers["resources"], delineation.layers["buffers"]
    acres = delineation.layers["buffer_union"]["area_sqft"].sum() / SQFT_PER_ACRE
    warnings = sum(finding.severity != "info" for finding in delineation.findings)
    return (
        f"{len(buffers)} of {len(resources)} resources have a buffer, {acres:,.2f} acres in all, under "
        f"{delineation.pack.id}; {len(delineation.findings)} findings, {warnings} to look at"
    )
