"""What ``wetgeo impacts`` and ``wetgeo screen`` share: the disturbance and its causes, the run, the JSON document."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

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
from wetgeo.errors import UsageError, closest

if TYPE_CHECKING:
    import pandas as pd

    from wetgeo.cli.options import Progress
    from wetgeo.delineation import Delineation
    from wetgeo.inputs.disturbance import CauseReading
    from wetgeo.project import Project

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.argument("project", type=click.Path(path_type=Path)),
    click.option(
        "--disturbance", metavar="SRC", required=True, help="The disturbed ground: FILE or FILE|LAYER of polygons."
    ),
    click.option("--cause-field", metavar="FIELD", help="Field that tells the cause [default: one named cause]."),
    click.option(
        "--cause-value",
        "cause_values",
        metavar="WORD=CAUSE",
        multiple=True,
        help="What a word in that field means: fill, drain, excavate or temporary. May be repeated.",
    ),
    click.option("--cause", metavar="CAUSE", help="The cause of features that tell none."),
    output_option,
    overwrite_option,
    dry_run_option,
    json_option,
    verbosity_options,
)


def permit_options(function: Command) -> Command:
    """Give a command PROJECT, the disturbance, its causes, and the shared options."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def cause_reading(
    *, cause_field: str | None, cause_values: tuple[str, ...], cause: str | None, required: bool
) -> CauseReading:
    """Read the options that say how a file tells causes.

    Raises
    ------
    UsageError
        A word that is no cause.
    """
    from wetgeo.inputs.disturbance import CauseReading

    values = {}
    for pair in cause_values:
        word, equals, meant = pair.rpartition("=")
        if not equals or not word.strip():
            raise UsageError(
                f"--cause-value {pair!r} is no WORD=CAUSE", mend='write it as --cause-value "Grading=fill"'
            )
        values[word.strip()] = _cause(meant, "--cause-value")
    default = None if cause is None else _cause(cause, "--cause")
    return CauseReading(column=cause_field, values=values, default=default, required=required)


def _cause(text: str, option: str) -> str:
    from wetgeo.inputs.disturbance import CAUSES

    word = text.strip().casefold()
    if word in CAUSES:
        return word
    near = closest(word, CAUSES)
    hint = f" (did you mean {near}?)" if near else ""
    raise UsageError(f"{option}: {text!r} is no cause{hint}", mend=f"write one of {', '.join(CAUSES)}")


def permit_run(
    path: Path,
    work: Callable[[Project, Progress], Delineation],
    *,
    output: Path | None,
    overwrite: bool,
    dry_run: bool,
    quiet: bool,
) -> Delineation:
    """Run a command's work on a project and write its outputs."""
    from wetgeo.outputs.write import write_outputs
    from wetgeo.project import load_project

    project = load_project(path)
    if output is not None:
        project = dataclasses.replace(project, output=output.absolute())
    with progress_bar(quiet=quiet) as progress, hold(project, overwrite=overwrite, dry_run=dry_run):
        found = work(project, progress)
        if not dry_run:
            progress(0.95, "writing the outputs")
            write_outputs(found, project.output, overwrite=overwrite, formats=project.formats, claimed=True)
    return found


def document(found: Delineation, **content: Any) -> str:  # noqa: ANN401 -- what JSON can say
    """Write one JSON document: what was run, the content, and the findings."""
    head = {
        "command": found.command,
        "project": found.project.name,
        "rule": found.pack.id,
        "options": dict(found.options),
        "crs": found.crs.to_string(),
    }
    findings = [dataclasses.asdict(finding) for finding in found.findings]
    return json.dumps(
        {**head, **content, "findings": findings}, ensure_ascii=False, indent=1, allow_nan=False, default=str
    )


def records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    """Turn a frame into plain rows without geometries; null where there is nothing."""
    plain = frame.drop(columns="geometry", errors="ignore").astype(object)
    rows: list[dict[Any, Any]] = plain.where(plain.notna(), None).to_dict("records")
    return rows


__all__ = ["cause_reading", "document", "permit_options", "permit_run", "records", "tell"]
