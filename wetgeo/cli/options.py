"""Options that several commands share, and how messages and progress reach the user."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

_PROGRESS = "WETGEO_PROGRESS"

Command = TypeVar("Command", bound=Callable[..., Any])
Progress = Callable[[float, str], None]

output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for the outputs [default: the project file's].",
)
overwrite_option = click.option("--overwrite", is_flag=True, help="Replace the outputs of an earlier run.")
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Read and check everything, say what would be done, write nothing."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on standard output.")


def _set_up_log(ctx: click.Context, _parameter: click.Parameter, _value: object) -> None:
    level = ctx.meta.get("wetgeo.level", 0) + (int(_value) if isinstance(_value, int) else 0)
    ctx.meta["wetgeo.level"] = level
    logger = logging.getLogger("wetgeo")
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(message)s"))
        logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if level > 1 else logging.INFO if level == 1 else logging.WARNING)


def verbosity_options(function: Command) -> Command:
    """Give a command ``-v`` (may be repeated) and ``-q``."""
    return quiet_option("Say nothing but errors.")(verbose_option(function))


def verbose_option(function: Command) -> Command:
    """Give a command ``-v`` (may be repeated)."""
    return click.option(
        "-v",
        "--verbose",
        count=True,
        expose_value=False,
        is_eager=True,
        callback=_set_up_log,
        help="Say more; -vv for everything.",
    )(function)


def quiet_option(words: str) -> Callable[[Command], Command]:
    """Give a command ``-q``, with what it leaves out there."""
    return click.option("-q", "--quiet", is_flag=True, help=words)


def say(message: str, *, quiet: bool = False) -> None:
    """Tell the user something on standard error."""
    if not quiet:
        click.echo(message, err=True)


def worker_options(function: Command) -> Command:
    """Give a command ``--workers`` and ``--scheduler``."""
    function = click.option(
        "--scheduler", metavar="ADDRESS", help="Have the tiles worked by the Dask cluster of this scheduler."
    )(function)
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="Processes that work on tiles [default: as suits the project and the machine].",
    )(function)


@contextlib.contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress]:
    """Give a ``progress(fraction, message)`` that draws a bar on a terminal and does nothing elsewhere.

    A program that runs wetgeo and shows progress itself sets WETGEO_PROGRESS=lines, and gets lines such as
    ``[ 30%] deciding the widths`` on standard error.
    """
    if os.environ.get(_PROGRESS) == "lines":
        yield lambda fraction, message: click.echo(f"[{fraction:4.0%}] {message}", err=True)
        return
    if quiet or not sys.stderr.isatty():
        yield lambda _fraction, _message: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda fraction, message: bar.update(task, completed=fraction, description=message)
