"""``wetgeo design``: find an averaged buffer that complies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wetgeo.cli.check import judged_run
from wetgeo.cli.options import dry_run_option, json_option, output_option, overwrite_option, verbosity_options
from wetgeo.errors import UsageError

if TYPE_CHECKING:
    from wetgeo.cli.options import Progress
    from wetgeo.delineation import Delineation
    from wetgeo.project import Project


@click.command()
@click.argument("project", type=click.Path(path_type=Path))
@click.option(
    "--keep-out", metavar="SRC", required=True, help="What must stay out of the buffer: FILE or FILE|LAYER of polygons."
)
@click.option(
    "--prefer",
    metavar="uniform|near|SRC",
    default="uniform",
    show_default=True,
    help="Where to make up for what is lost: all along the edge, near the loss, or first on the polygons of a layer.",
)
@output_option
@overwrite_option
@dry_run_option
@json_option
@verbosity_options
@click.pass_context
def design(ctx: click.Context, /, project: Path, keep_out: str, prefer: str, **options: Any) -> None:  # noqa: ANN401 -- the shared options
    """Find an averaged buffer that complies under PROJECT's rule around what must stay out of it.

    Layer `proposed` holds the design, judged as `check` would. Exit status 3: no shape complies, and this is the best
    there is.
    """
    file = Path(prefer.partition("|")[0])
    if prefer not in ("uniform", "near") and not file.suffix and not file.exists():
        raise UsageError(
            f"--prefer {prefer!r} is none of the words uniform and near, nor a file that is there",
            mend='write --prefer uniform, --prefer near, or --prefer FILE or "FILE|LAYER" of polygons',
        )

    def work(loaded: Project, progress: Progress) -> Delineation:
        from wetgeo.pipeline import design as design_buffer

        return design_buffer(loaded, keep_out, prefer=prefer, progress=progress)

    ctx.exit(judged_run(project, work, **options))
