"""``wetgeo explain``: why this width, here."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", metavar="OUT", type=click.Path(path_type=Path))
@click.argument("resource_id", metavar="RESOURCE_ID")
def explain(folder: Path, resource_id: str) -> None:
    """Tell why a resource has its width: each step with its citation and input. OUT is the folder of a finished run."""
    from wetgeo.outputs.explain import explain_resource

    click.echo(explain_resource(folder, resource_id))
