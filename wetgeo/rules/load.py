"""Reading a pack: a file becomes a RulePack, or one error that tells all its faults."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from wetgeo.errors import RulePackError, closest
from wetgeo.rules.checks import check_pack
from wetgeo.rules.faults import Faults, Key, key_lines
from wetgeo.rules.model import AnyProvision, Option, PackHead, RulePack
from wetgeo.rules.options import known_words
from wetgeo.rules.worked import Example

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_PACKS = Path(__file__).parent / "packs"
_TABLES = ("pack", "option", "provision", "example")


def _by_kind(union: Any) -> dict[str, type[BaseModel]]:  # noqa: ANN401 # an Annotated union is no type
    members = get_args(get_args(union)[0])
    return {get_args(member.model_fields["kind"].annotation)[0]: member for member in members}


#: the vocabulary: each kind of provision and of worked example, with its class
PROVISION_KINDS: Mapping[str, type[BaseModel]] = _by_kind(AnyProvision)
EXAMPLE_KINDS: Mapping[str, type[BaseModel]] = _by_kind(Example)


def builtin_ids() -> tuple[str, ...]:
    """Return the ids of the packs that come with wetgeo."""
    return tuple(sorted(path.stem for path in _PACKS.glob("*.toml")))


def load_pack(reference: str, folder: Path | None = None) -> RulePack:
    """Read a pack.

    Parameters
    ----------
    reference
        A pack's id, or the path of a ``.toml`` file.
    folder
        The folder that a relative path refers to; left out, the current one.

    Raises
    ------
    RulePackError
        Where there is no such pack or file, with the known ids; or with every fault of the file, each with file, line,
        key and the allowed words.
    """
    path = _locate(reference, folder)
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise RulePackError(f"Rule pack {path} cannot be read: {error}.") from error
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also integers and nesting beyond what Python takes
        raise RulePackError(
            f"Rule pack {path} is no valid TOML: {error}.",
            mend="correct that line; a key or table may stand only once, and text needs quotes.",
        ) from error
    faults = Faults(path.name, key_lines(text))
    pack = _read(data, path, hashlib.sha256(content).hexdigest(), faults)
    if pack is None or faults:
        raise RulePackError(f"Rule pack {path} has {_count(len(faults), 'fault')}.", faults=faults)
    return pack


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _locate(reference: str, folder: Path | None) -> Path:
    if reference in builtin_ids():
        return _PACKS / f"{reference}.toml"
    if reference.endswith(".toml") or "/" in reference or "\\" in reference:
        path = Path(reference) if folder is None else folder / reference
        if _is_file(path):
            return path
        raise RulePackError(f"Rule pack {str(path)[:300]} does not exist.", mend=f"give its path, or one of: {_ids()}.")
    near = closest(reference, builtin_ids())
    hint = f" Did you mean {near!r}?" if near else ""
    raise RulePackError(
        f"There is no rule pack {reference[:300]!r}.{hint}", mend=f"use one of: {_ids()}; or the path of a .toml file."
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have
        return False


def _ids() -> str:
    return ", ".join(builtin_ids())


def _read(data: Mapping[str, Any], path: Path, sha256: str, faults: Faults) -> RulePack | None:
    for name in data:
        if name not in _TABLES:
            faults.add((name, 0), f"[{name}]", f"unknown table; {known_words(name, _TABLES)}")
    head = _head(data, faults)
    provisions = _tables(data, "provision", faults, PROVISION_KINDS)
    options = _tables(data, "option", faults, {"": Option})
    examples = _tables(data, "example", faults, EXAMPLE_KINDS)
    if not provisions and not data.get("provision"):
        faults.add((), "[[provision]]", "the pack has no provision")
    if head is None:
        return None
    pack = RulePack(
        head=head,
        options=tuple(options.values()),
        provisions=tuple(provisions.values()),
        examples=tuple(examples.values()),
        path=path,
        sha256=sha256,
    )
    check_pack(pack, faults, provisions=provisions, options=options, examples=examples)
    return pack


def _head(data: Mapping[str, Any], faults: Faults) -> PackHead | None:
    if not isinstance(data.get("pack"), Mapping):
        faults.add((), "[pack]", "the table is missing; it says what the pack is")
        return None
    try:
        return PackHead.model_validate(data["pack"])
    except ValidationError as error:
        faults.add_invalid(error, model=PackHead, key=("pack",), where="[pack]")
        return None


def _tables(data: Mapping[str, Any], name: str, faults: Faults, kinds: Mapping[str, type[BaseModel]]) -> dict[Key, Any]:
    tables = data.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        faults.add((name,), f"[{name}]", f"write each with double brackets, [[{name}]]")
        return {}
    found = {}
    for index, table in enumerate(tables):
        key: Key = (name, index)
        where = _where(name, index, table)
        model = _kind(table, kinds, faults, key, where)
        if model is None:
            continue
        try:
            found[key] = model.model_validate(table)
        except ValidationError as error:
            faults.add_invalid(error, model=model, key=key, where=where)
    return found


def _where(name: str, index: int, table: Mapping[str, Any]) -> str:
    title = table.get("id", table.get("about", ""))
    return f'{name} {index + 1} "{title}"' if title else f"{name} {index + 1}"


def _kind(
    table: Mapping[str, Any], kinds: Mapping[str, type[BaseModel]], faults: Faults, key: Key, where: str
) -> type[BaseModel] | None:
    if "" in kinds:
        return kinds[""]
    kind = table.get("kind")
    if isinstance(kind, str) and kind in kinds:
        return kinds[kind]
    problem = f"unknown kind {table['kind']!r}" if "kind" in table else "it is missing"
    faults.add((*key, "kind"), f'{where}, key "kind"', f"{problem}; {known_words(kind or '', kinds)}")
    return None
