"""``wetgeo screen``: which provisions some work triggers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wetgeo.cli.permit import cause_reading, document, permit_options, permit_run, records, tell

if TYPE_CHECKING:
    import pandas as pd

    from wetgeo.cli.options import Progress
    from wetgeo.delineation import Delineation
    from wetgeo.project import Project


@click.command()
@permit_options
def screen(  # noqa: PLR0913 -- one for each option
    *,
    project: Path,
    disturbance: str,
    cause_field: str | None,
    cause_values: tuple[str, ...],
    cause: str | None,
    as_json: bool,
    dry_run: bool,
    quiet: bool,
    **options: Any,  # noqa: ANN401 -- the shared options
) -> None:
    """Test which provisions of PROJECT's rule some work triggers.

    For each: what was measured, the threshold, and whether it applies: yes, no, or undecided where the layers do not
    tell. Lakes and streams of the project are its public waters; whether ground is tributary to them is followed over
    the DEM; the tract is the site.
    """
    reading = cause_reading(cause_field=cause_field, cause_values=cause_values, cause=cause, required=False)

    def work(loaded: Project, progress: Progress) -> Delineation:
        from wetgeo.permitting import screen as screen_project

        return screen_project(loaded, disturbance, reading=reading, progress=progress)

    found = permit_run(project, work, dry_run=dry_run, quiet=quiet, **options)
    triggers = found.layers["triggers"]
    if as_json:
        click.echo(document(found, triggers=records(triggers)))
    elif not quiet:
        for line in _lines(triggers):
            click.echo(line)
    tell(found, dry_run=dry_run, quiet=quiet)


def _lines(triggers: pd.DataFrame) -> list[str]:
    """Say each provision on a line: those that apply first."""
    words = ("yes", "undecided", "no")
    ordered = sorted(triggers.itertuples(), key=lambda row: words.index(row.applies))
    return [f"{row.applies:<9}  {row.citation}: {row.effect} ({row.provision}): {row.reason}" for row in ordered] or [
        "The rule has no provisions to test."
    ]
