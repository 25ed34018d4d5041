"""``wetgeo doctor``: look at every input of a project, and change nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wetgeo.cli.options import json_option, progress_bar, quiet_option, verbose_option
from wetgeo.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wetgeo.doctor.examine import Examination
    from wetgeo.doctor.remarks import Remark

#: details of a remark that are printed; the JSON document has all
_MOST_DETAILS = 8


@click.command()
@click.argument("project", type=click.Path(path_type=Path))
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write the findings as a page, too.")
@json_option
@verbose_option
@quiet_option("Leave out what only informs.")
@click.pass_context
def doctor(ctx: click.Context, project: Path, html: Path | None, *, as_json: bool, quiet: bool) -> None:
    """Look at every input of PROJECT without running it; say what is wrong or doubtful, where, and how to mend it.

    An error is what would stop a run, or what it would leave out. Exit status: 0 the project runs; 1 the data cannot be
    used; 2 the project file or the rule is wrong. -q leaves out what only informs.
    """
    from wetgeo.doctor.examine import examine

    with progress_bar(quiet=quiet or as_json) as progress:
        found = examine(project, progress)
    if html is not None:
        _write_page(found, html)
    if as_json:
        click.echo(json.dumps(found.document(), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        for line in _lines(found, quiet=quiet):
            click.echo(line)
    ctx.exit(found.exit_code)


def _write_page(found: Examination, path: Path) -> None:
    from wetgeo.outputs.doctor_page import doctor_page

    try:
        path.write_text(doctor_page(found.document()), encoding="utf-8", newline="\n")
    except OSError as fault:
        raise OutputError(
            f"the page {path} cannot be written: {fault.strerror or fault}", mend="name another file with --html"
        ) from fault


def _lines(found: Examination, *, quiet: bool) -> Iterator[str]:
    for remark in found.remarks:
        if not (quiet and remark.severity == "info"):
            yield from _told(remark)
    counts = found.document()["counts"]
    words = ", ".join(f"{counts[name]} {name}{'' if counts[name] == 1 else 's'}" for name in ("error", "warning"))
    verdict = "wetgeo run would stop at the errors" if found.exit_code else "wetgeo run would get through"
    if counts["error"] and not found.exit_code:
        verdict += ", and leave out what the errors name"
    yield f"{words}: {verdict}."


def _told(remark: Remark) -> Iterator[str]:
    about = " ".join(filter(None, (remark.layer, remark.feature_id))) or remark.subject
    at = "" if remark.x is None or remark.y is None else f" (at {remark.x:.1f}, {remark.y:.1f})"
    yield f"{remark.severity}: {about}: {remark.message}{at}"
    for detail in remark.details[:_MOST_DETAILS]:
        yield f"    - {detail}"
    if len(remark.details) > _MOST_DETAILS:
        yield f"    - and {len(remark.details) - _MOST_DETAILS:,} more lines (--json or --html tells all)"
    if remark.mend:
        yield f"    To mend it: {remark.mend}"
    if remark.line:
        for number, line in enumerate(remark.line.splitlines()):
            yield f"    {f'[{remark.table}]' if not number else ' ' * len(f'[{remark.table}]')} {line}"


__all__ = ["doctor"]
