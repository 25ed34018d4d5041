"""``wetgeo rules``: list, show and test rule packs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from wetgeo.cli.options import json_option


@click.group()
def rules() -> None:
    """List, show and test rule packs: the district's rules as data."""


@rules.command("list")
@json_option
def list_packs(*, as_json: bool) -> None:
    """List the packs that come with wetgeo."""
    from wetgeo.rules.load import builtin_ids, load_pack

    packs = [load_pack(name) for name in builtin_ids()]
    if as_json:
        told = ("id", "title", "authority", "document", "effective", "status")
        rows = [{name: getattr(pack, name) for name in told} for pack in packs]
        click.echo(json.dumps(rows, indent=2, default=str))
        return
    width = max(len(pack.id) for pack in packs)
    for pack in packs:
        click.echo(f"{pack.id:<{width}}  {pack.authority}: {pack.title} ({pack.status}, {pack.effective})")


@rules.command("show")
@click.argument("pack_id", metavar="ID")
@json_option
def show_pack(pack_id: str, *, as_json: bool) -> None:
    """Print a pack's tables, options and provisions with their citations. ID is a pack's id or a file."""
    from wetgeo.rules.load import load_pack
    from wetgeo.rules.show import show

    pack = load_pack(pack_id, Path.cwd())
    click.echo(json.dumps(pack.as_data(), indent=2) if as_json else show(pack, name=pack_id))


@rules.command("test")
@click.argument("path", required=False)
@json_option
@click.pass_context
def test_packs(ctx: click.Context, path: str | None, *, as_json: bool) -> None:
    """Check a pack and run its worked examples: of the pack PATH (a file or an id), or of all that come with wetgeo."""
    from wetgeo.rules.examples import run_examples, sweep, uncovered
    from wetgeo.rules.load import builtin_ids, load_pack

    packs = [load_pack(name, Path.cwd()) for name in ([path] if path else builtin_ids())]
    results = {pack.id: run_examples(pack) for pack in packs}
    gaps = {pack.id: sweep(pack) for pack in packs}
    failed = sum(not result.ok for found in results.values() for result in found) + sum(map(len, gaps.values()))
    if as_json:
        rows = [
            {"pack": name, "about": r.about, "ok": r.ok, "expected": r.expected, "got": r.got}
            for name, found in results.items()
            for r in found
        ]
        click.echo(json.dumps(rows, indent=2, default=str))
    else:
        for pack in packs:
            found = results[pack.id]
            click.echo(f"{pack.id}: {sum(r.ok for r in found)} of {len(found)} examples hold")
            for result in found:
                if not result.ok:
                    click.echo(f"  {result.about}: expected {result.expected}, got {result.got}")
            for gap in gaps[pack.id]:
                click.echo(f"  {gap}")
            for note in uncovered(pack):
                click.echo(f"  no example: {note}")
    ctx.exit(1 if failed else 0)
