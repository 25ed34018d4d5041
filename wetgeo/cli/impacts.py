"""``wetgeo impacts``: wetland, buffer and natural community disturbed, and the replacement owed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wetgeo.cli.options import say
from wetgeo.cli.permit import cause_reading, document, permit_options, permit_run, records, tell
from wetgeo.units import area_text

if TYPE_CHECKING:
    import pandas as pd

    from wetgeo.cli.options import Progress
    from wetgeo.delineation import Delineation
    from wetgeo.project import Project


@click.command()
@permit_options
def impacts(  # noqa: PLR0913 -- one for each option
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
    """Measure what of wetlands, required buffers and natural communities PROJECT's work disturbs, and what is owed.

    Ground counts once. Each feature of the disturbance tells its cause: fill, drain, excavate or temporary. What may
    not be disturbed at all is a finding of severity error; the exit status stays 0.
    """
    reading = cause_reading(cause_field=cause_field, cause_values=cause_values, cause=cause, required=True)

    def work(loaded: Project, progress: Progress) -> Delineation:
        from wetgeo.permitting import measure_impacts

        return measure_impacts(loaded, disturbance, reading=reading, progress=progress)

    found = permit_run(project, work, dry_run=dry_run, quiet=quiet, **options)
    from wetgeo.impacts import impact_summary

    layer = found.layers["impacts"]
    summary = impact_summary(layer)
    for line in _lines(summary):
        say(line, quiet=quiet)
    tell(found, dry_run=dry_run, quiet=quiet)
    if as_json:
        total = float(summary["replacement_sqft"].sum())
        click.echo(document(found, replacement_sqft=total, summary=records(summary), impacts=records(_by_id(layer))))


def _by_id(layer: pd.DataFrame) -> pd.DataFrame:
    return layer.sort_values(["resource_id", "kind", "cause", "area_sqft"], kind="stable")


def _lines(summary: pd.DataFrame) -> list[str]:
    """Say what is disturbed, a line for each kind, class and cause, and what is owed in all."""
    lines = []
    for row in records(summary):
        label = "" if row["class"] is None else f" of {'rank' if row['kind'] == 'natural_community' else 'class'} "
        what = f"{row['kind'].replace('_', ' ')}{label}{row['class'] or ''}, {row['cause']}"
        owed = "" if row["ratio"] is None else f"; replacement {row['ratio']:g}:1, {area_text(row['replacement_sqft'])}"
        exempt = f" ({area_text(row['exempt_sqft'])} exempt)" if row["exempt_sqft"] > 0 else ""
        lines.append(f"{what}: {area_text(row['area_sqft'])}{exempt}{owed}")
    return [*lines, f"Replacement owed in all: {area_text(summary['replacement_sqft'].sum())}"]
