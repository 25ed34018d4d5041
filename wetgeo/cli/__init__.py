"""The command line: one file per command. Commands turn options into arguments and results into files and sentences."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import click

from wetgeo import __version__, interrupts
from wetgeo.cli.check import check
from wetgeo.cli.design import design
from wetgeo.cli.diff import diff
from wetgeo.cli.doctor import doctor
from wetgeo.cli.explain import explain
from wetgeo.cli.impacts import impacts
from wetgeo.cli.init import init
from wetgeo.cli.rules import rules
from wetgeo.cli.run import run
from wetgeo.cli.screen import screen
from wetgeo.errors import WetgeoError

#: what a shell reports of a program that was interrupted
_INTERRUPTED = 130


class _Commands(click.Group):
    """Turns errors into sentences and exit statuses: a user never sees a traceback (but for ``-vv``)."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 -- click's own signature
        try:
            with interrupts.remembered():
                return _uninterrupted(super().invoke, ctx)
        except KeyboardInterrupt:
            click.echo("Interrupted; earlier outputs are as they were.", err=True)
            ctx.exit(_INTERRUPTED)
        except WetgeoError as fault:
            click.echo(f"Error: {fault}", err=True)
            ctx.exit(fault.exit_code)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except MemoryError:
            click.echo(
                "Error: this machine has not the memory that these inputs need; earlier outputs are as they were\n"
                "To mend it: see whether a geometry or a raster is very much larger than the site, and cut it there",
                err=True,
            )
            ctx.exit(1)
        except Exception as fault:
            if logging.getLogger("wetgeo").isEnabledFor(logging.DEBUG):
                raise
            click.echo(
                f"Error: wetgeo failed in a way it should not: {type(fault).__name__}: {fault}\n"
                "Earlier outputs are as they were. Run again with -vv to see where, and report it.",
                err=True,
            )
            ctx.exit(1)


def _uninterrupted(invoke: Callable[[click.Context], Any], ctx: click.Context) -> Any:  # noqa: ANN401 -- as click's
    """Do what a command does; an error that an interrupt is behind becomes one."""
    try:
        return invoke(ctx)
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception as fault:
        if interrupts.is_interrupt(fault):
            raise KeyboardInterrupt from fault
        raise


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="PROJECT is a wetgeo.toml or a folder that holds one. Exit status: 0 done (compliant); "
    "1 the data cannot be used; 2 wrong usage or project file; 3 done, but not compliant.",
)
@click.version_option(__version__, prog_name="wetgeo")
def cli() -> None:
    """Vegetated buffers around wetlands, lakes and streams, as watershed-district rules require them."""


for command in (init, doctor, run, check, design, impacts, screen, explain, diff, rules):
    cli.add_command(command)


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line with `args`, or with those of the process; ends in SystemExit with the exit status."""
    cli.main(args=args, prog_name="wetgeo")
