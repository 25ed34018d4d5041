"""Writes the reference pages of the documentation from the program itself: rules, layers, findings, project file.

MkDocs runs it (see mkdocs.yml); nothing that it writes is kept in the checkout.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from inspect import cleandoc
from itertools import groupby
from types import NoneType
from typing import Annotated, Literal, get_args, get_origin

import click
import mkdocs_gen_files

from wetgeo.cli import cli
from wetgeo.findings import CODES
from wetgeo.inputs.schemas import SCHEMAS
from wetgeo.layers import LAYERS
from wetgeo.project import DEFAULT_FORMATS, FORMATS
from wetgeo.rules.load import builtin_ids, load_pack
from wetgeo.rules.model import AnyProvision, Provision, RulePack
from wetgeo.rules.quantities import Entry
from wetgeo.rules.show import provision_figures, rule_tables
from wetgeo.site import COMMAND_ROLES, FIELD_ROLES, LAYER_GEOMETRY, LAYER_MEANING, ROLE_MEANING
from wetgeo.units import Z_UNITS_M, Quantity


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as a Markdown table; a bar within a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in lines)


def code(words: Iterable[str]) -> str:
    """Return words as code, separated by commas."""
    return ", ".join(f"`{word}`" for word in words)


def write(name: str, *blocks: str) -> None:
    """Write a page of the reference."""
    with mkdocs_gen_files.open(f"reference/{name}.md", "w") as page:
        page.write("\n\n".join(blocks) + "\n")


def provision_text(provision: Provision) -> str:
    """Return one provision as an entry: its section, what it does, its figures and its note."""
    period = f", from {provision.effective}" if provision.effective else ""
    period += f", until {provision.until}" if provision.until else ""
    figures = "; ".join(provision_figures(provision))
    parts = [f"**{provision.citation}** `{provision.id}` ({provision.kind}{period})", provision.text]
    parts += [f"*{figures}*"] if figures else []
    parts += [f"Note: {provision.note}"] if provision.note else []
    return "\n:   ".join([parts[0], "\n\n    ".join(parts[1:])])


def rule_page(pack: RulePack) -> None:
    """Write the page of one rule pack."""
    head = pack.head
    facts = [
        ("document", head.document),
        ("status", head.status),
        ("adopted", str(head.adopted or "not stated")),
        ("draft of" if head.status == "draft" else "in force from", str(head.effective)),
        ("pack version", head.version),
        ("source", head.source),
    ]
    options = [
        (
            f"`{option.id}`",
            option.allowed,
            "not set" if option.default is None else f"`{option.default}`",
            option.meaning,
            option.citation,
        )
        for option in pack.options
    ]
    examples = [(example.about, example.citation or "") for example in pack.examples]
    write(
        f"rules/{pack.id}",
        f"# {pack.id}",
        f"{head.authority}: {head.title}.",
        table(facts[0], facts[1:]),
        *([head.note] if head.note else []),
        *(f"## {title}\n\n{table(rows[0], rows[1:])}" for title, rows in rule_tables(pack)),
        "## Options\n\n" + table(["option", "values", "by default", "meaning", "section"], options),
        "## Provisions",
        *(provision_text(provision) for provision in pack.provisions),
        f"## Worked examples\n\n`wetgeo rules test {pack.id}` reckons each of them anew.",
        table(["example", "section"], examples),
    )


def rules_page(packs: Sequence[RulePack]) -> None:
    """Write the list of rules."""
    write(
        "rules/index",
        "# Rules",
        "Each rule is a pack: a TOML file of tables, options, provisions and worked examples, with the section of the "
        "rule in every entry. These pages are made from the packs.",
        table(
            ["pack", "rule", "status"],
            [(f"[{p.id}]({p.id}.md)", f"{p.authority}: {p.title}", f"{p.status}, {p.effective}") for p in packs],
        ),
    )


def vocabulary_page() -> None:
    """Write the kinds of provisions with their keys."""
    blocks = []
    for cls in sorted(get_args(get_args(AnyProvision)[0]), key=lambda kind: kind.__name__):
        fields = [(name, field) for name, field in cls.model_fields.items() if name not in Provision.model_fields]
        rows = [
            (f"`{field.alias or name}`", _type(field.annotation), "yes" if field.is_required() else "")
            for name, field in fields
        ]
        kind = get_args(cls.model_fields["kind"].annotation)[0]
        keys = [table(["key", "holds", "required"], rows)] if rows else []
        blocks.append("\n\n".join([f"## {kind}", cleandoc(cls.__doc__ or ""), *keys]))
    write(
        "rules/vocabulary",
        "# Vocabulary of a pack",
        "Every provision has `kind`, `id`, `citation` and `text`, and may have `effective`, `until` (its first and "
        "last day) and `note`. These are the kinds, each with the keys of its own.",
        *blocks,
    )


def _type(annotation: object) -> str:
    """Say what a key holds: the words allowed, a quantity, text, a table."""
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{word}`" for word in get_args(annotation))
    if get_origin(annotation) is tuple:
        return f"list of {_type(get_args(annotation)[0])}"
    if get_origin(annotation) is dict:
        return f"table of {_type(get_args(annotation)[1])}"
    parts = [part for part in get_args(annotation) if part is not NoneType]
    if get_origin(annotation) is Annotated:
        return _type(parts[0])
    if parts:
        return " or ".join(dict.fromkeys(_type(part) for part in parts))
    if isinstance(annotation, type) and issubclass(annotation, Entry):
        return f"table: {', '.join(f'`{field.alias or name}`' for name, field in annotation.model_fields.items())}"
    words: dict[object, str] = {str: "text", bool: "true or false", Quantity: "quantity"}
    return words.get(annotation, getattr(annotation, "__name__", str(annotation)))


def output_page() -> None:
    """Write the layers and fields of the outputs."""
    blocks = []
    for layer in LAYERS.values():
        rows = [(f"`{f.name}`", f.kind, f"`{f.short}`", f.about) for f in layer.fields]
        written = "" if len(layer.commands) > 2 else f" Written by {code(layer.commands)}."
        blocks.append(
            f"## {layer.name}\n\nOne row is {layer.row}. Geometry: {layer.geometry or 'none'}.{written}\n\n"
            + table(["field", "kind", "in shapefiles", "meaning"], rows)
        )
    write(
        "outputs",
        "# Layers and fields",
        "Widths and lengths are in feet (the international foot), areas in square feet and acres, slopes in percent, "
        "coordinates in the project's CRS; all are measured in its plane.",
        *blocks,
    )


def findings_page() -> None:
    """Write the codes of findings."""
    write(
        "findings",
        "# Findings",
        "What a reviewer should know stands in layer `findings`: `info` for what was done, `warning` for what should "
        "be looked at, `error` for what was left out because it cannot be used.",
        table(["code", "meaning"], [(f"`{name}`", about) for name, about in CODES.items()]),
    )


def input_page() -> None:
    """Write what a project file may hold."""
    layers = [
        (f"`{name}`", LAYER_MEANING[name], " or ".join(kinds), code(FIELD_ROLES[name]))
        for name, kinds in LAYER_GEOMETRY.items()
    ]
    roles = sorted({role for found in (FIELD_ROLES, COMMAND_ROLES) for named in found.values() for role in named})
    schemas = [
        (title, code(dict.fromkeys(layer for s in group for layer in s.layers)), code(s.has[0] for s in group))
        for title, group in ((t, list(g)) for t, g in groupby(SCHEMAS, key=lambda schema: schema.title))
    ]
    write(
        "inputs",
        "# Layers of a project",
        "At least one of `wetlands`, `lakes` and `streams` is needed; which of the others a rule uses, its page tells.",
        table(["layer", "what it is", "geometry", "roles of its fields"], layers),
        '## Roles\n\nA role is what a field tells; `fields = { role = "FIELD" }` says which field that is.',
        table(["role", "meaning"], [(f"`{role}`", ROLE_MEANING[role]) for role in roles]),
        "## Recognised schemas\n\nWithout `fields`, these are recognised by their fields, and a finding says so.",
        table(["schema", "layers", "told by"], schemas),
        "## Elevations",
        f"`[dem] path` is a raster, a list of tiles or a VRT; `z_unit` one of {code(Z_UNITS_M)}.",
        "## Formats",
        f"`[outputs] formats` holds any of {code(FORMATS)}; left out: {code(DEFAULT_FORMATS)}. "
        "`provenance.json` is always written.",
    )


def commands_page() -> None:
    """Write what each command says of itself."""
    commands = {"wetgeo": cli, **{f"wetgeo {name}": command for name, command in sorted(cli.commands.items())}}
    rules = commands["wetgeo rules"]
    assert isinstance(rules, click.Group)
    commands |= {f"wetgeo rules {name}": command for name, command in sorted(rules.commands.items())}
    blocks = []
    for name, command in commands.items():
        context = click.Context(command, info_name=name, max_content_width=100, terminal_width=100)
        blocks.append(f"## {name}\n\n```text\n{command.get_help(context)}\n```")
    write(
        "commands",
        "# Commands",
        "Data goes to standard output, messages to standard error; `--json` prints one document. Exit status: 0 done "
        "(for `check` and `design`: compliant), 1 the data cannot be used, 2 wrong usage, project file or rule pack, "
        "3 done, but not compliant.",
        *blocks,
    )


PACKS = [load_pack(name) for name in builtin_ids()]
rules_page(PACKS)
vocabulary_page()
for each in PACKS:
    rule_page(each)
output_page()
findings_page()
input_page()
commands_page()
