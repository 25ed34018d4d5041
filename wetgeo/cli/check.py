"""``wetgeo check``: judge a proposed buffer, and staked monuments."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wetgeo.cli.options import (
    dry_run_option,
    json_option,
    output_option,
    overwrite_option,
    progress_bar,
    verbosity_options,
)
from wetgeo.cli.run import hold, tell

if TYPE_CHECKING:
    import pandas as pd

    from wetgeo.cli.options import Progress
    from wetgeo.delineation import Delineation
    from wetgeo.project import Project

#: exit status of a proposal that does not comply
NOT_COMPLIANT = 3

#: layers that the JSON document holds, without their geometries
_TOLD = ("averaging", "averaging_areas", "violations")


@click.command()
@click.argument("project", type=click.Path(path_type=Path))
@click.option("--proposed", metavar="SRC", required=True, help="The proposed buffer: FILE or FILE|LAYER of polygons.")
@click.option("--monuments", metavar="SRC", help="Staked monuments to judge too: FILE or FILE|LAYER of points.")
@click.option("--resource", "resources", metavar="ID", multiple=True, help="Judge this one only; may be repeated.")
@output_option
@overwrite_option
@dry_run_option
@json_option
@verbosity_options
@click.pass_context
def check(
    ctx: click.Context,
    /,
    project: Path,
    proposed: str,
    monuments: str | None,
    resources: tuple[str, ...],
    **options: Any,  # noqa: ANN401 -- the shared options
) -> None:
    """Judge a proposed (averaged) buffer under PROJECT's rule.

    Says for each resource whether the proposal keeps the least width and the required area, by what margin, and
    where it does not. Exit status 3: it does not comply, or there is nothing to judge.
    """

    def work(loaded: Project, progress: Progress) -> Delineation:
        from wetgeo.pipeline import check as check_proposal

        return check_proposal(loaded, proposed, monuments=monuments, resources=resources, progress=progress)

    ctx.exit(judged_run(project, work, chosen=resources, **options))


def judged_run(  # noqa: PLR0913 -- the shared options
    path: Path,
    work: Callable[[Project, Progress], Delineation],
    *,
    chosen: Sequence[str] = (),
    output: Path | None,
    overwrite: bool,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run a command that judges a buffer: write its outputs, tell the verdicts, and return the exit status."""
    from wetgeo.frames import conform, findings_frame
    from wetgeo.outputs.write import write_outputs
    from wetgeo.project import load_project

    project = load_project(path)
    if output is not None:
        project = dataclasses.replace(project, output=output.absolute())
    with progress_bar(quiet=quiet or as_json) as progress, hold(project, overwrite=overwrite, dry_run=dry_run):
        found = work(project, progress)
        if not dry_run:
            progress(0.95, "writing the outputs")
            write_outputs(found, project.output, overwrite=overwrite, formats=project.formats, claimed=True)
    layers = {name: conform(name, found.layers[name], found.crs) for name in _TOLD}
    layers |= {"findings": findings_frame(found.findings), "resources": found.layers["resources"]}
    complies = found.complies
    if as_json:
        click.echo(_document(found, layers))
    elif not quiet:
        for line in [*_lines(layers), _summary(layers, chosen, complies=complies)]:
            click.echo(line)
    tell(found, dry_run=dry_run, quiet=quiet)
    return 0 if complies else NOT_COMPLIANT


def _document(found: Delineation, layers: Any) -> str:  # noqa: ANN401 -- frames by name
    told = {name: _records(layers[name]) for name in (*_TOLD, "findings")}
    head = {
        "command": found.command,
        "project": found.project.name,
        "rule": found.pack.id,
        "options": dict(found.options),
        "crs": found.crs.to_string(),
        "compliant": found.complies,
    }
    return json.dumps({**head, **told}, ensure_ascii=False, indent=1, allow_nan=False, default=str)


def _records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    plain = frame.drop(columns="geometry", errors="ignore").astype(object)
    return plain.where(plain.notna(), None).to_dict("records")


def _lines(layers: Any) -> list[str]:  # noqa: ANN401 -- frames by name
    """Say each verdict on a line, and each violation that is no verdict."""
    lines = [
        f"{row.resource_id}: {row.verdict.replace('_', ' ')}; least width {row.minimum_ft:.2f} ft "
        f"({row.minimum_allowed_ft:g} allowed), average {row.average_ft:.2f} ft ({row.required_ft:g} required), "
        f"credited {row.credited_sqft:,.0f} of {row.required_sqft:,.0f} sq ft ({round(row.net_sqft):+,d})"
        + (f", {row.over_cap_sqft:,.0f} more lie over the cap" if row.over_cap_sqft >= 1 else "")
        for row in layers["averaging"].itertuples()
    ]
    # what is null has no measure: no monument at a lot line, none at all on an edge
    columns = ("resource_id", "kind", "measured_ft", "required_ft", "area_sqft", "citation")
    for row in _records(layers["violations"][list(columns)]):
        measured = "" if row["measured_ft"] is None else f": {row['measured_ft']:.2f} ft"
        required = "" if row["required_ft"] is None else f", {row['required_ft']:g} ft"
        where = "" if row["area_sqft"] is None else f", on {row['area_sqft']:,.0f} sq ft"
        cited = f" by {row['citation']}" if row["citation"] else ""
        lines.append(f"{row['resource_id']}: {row['kind'].replace('_', ' ')}{measured}{required}{cited}{where}")
    return lines


def _summary(layers: Any, chosen: Sequence[str], *, complies: bool | None) -> str:  # noqa: ANN401 -- frames by name
    if complies is None and chosen:
        return f"Nothing was judged: no required buffer on the tract at {', '.join(chosen)}."
    if complies is None:
        return (
            "Nothing was judged: no resource here has a required buffer on the tract. This is no finding of compliance."
        )
    said = "complies" if complies else "does not comply"
    if chosen:
        return f"The buffer {said} at {', '.join(chosen)}; the other resources were not judged."
    judged, all_ = len(layers["averaging"]), len(layers["resources"])
    rest = f" {all_ - judged} of {all_} resources have no required buffer and were not judged." if judged < all_ else ""
    return f"The buffer {said}.{rest}"
