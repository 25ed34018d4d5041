"""What is wrong with a pack, in sentences with file, line, key and the allowed words."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from wetgeo.rules.options import known_words

Key = tuple[str | int, ...]

_HEADER = re.compile(r"\s*(\[\[?)\s*([\w\-.\"']+)\s*\]")
_KEY = re.compile(r"\s*([\w\-.\"']+)\s*=")


def key_lines(text: str) -> dict[Key, int]:
    """Return the line of each table and key of a TOML text, by its path; elements of an array are counted by lines.

    It serves messages only: what it does not find (say, several tables on one line) is told by the line above it.
    """
    lines: dict[Key, int] = {}
    counts: dict[Key, int] = {}
    table: Key = ()
    array: Key | None = None
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        if header and array is None:
            table = _table(header[2], repeated=header[1] == "[[", counts=counts)
            lines[table] = number
        elif array is not None:
            if line.lstrip().startswith("{"):
                counts[array] = counts.get(array, -1) + 1
                lines[(*array, counts[array])] = number
            if line.strip().startswith("]"):
                array = None
        elif key := _KEY.match(line):
            path = (*table, *_parts(key[1]))
            lines[path] = number
            array = path if line.split("#")[0].rstrip().endswith("[") else None
    return lines


def _parts(dotted: str) -> Key:
    return tuple(part.strip("\"' ") for part in dotted.split("."))


def _table(name: str, *, repeated: bool, counts: dict[Key, int]) -> Key:
    path: Key = ()
    parts = _parts(name)
    for depth, part in enumerate(parts):
        path = (*path, part)
        if repeated and depth == len(parts) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


@dataclass(slots=True)
class Faults:
    """Gathers the faults of one file."""

    file: str
    lines: Mapping[Key, int]
    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, key: Key, where: str, message: str) -> None:
        """Add a fault at a key; ``where`` names it for a reader."""
        path = key
        while path and path not in self.lines:
            path = path[:-1]
        line = self.lines.get(path, 0)
        place = f"{self.file}:{line}" if line else self.file
        self.found.append((line, f"{place}: {where}: {message}"))

    def __iter__(self) -> Iterator[str]:
        return (sentence for _, sentence in sorted(dict.fromkeys(self.found)))

    def __len__(self) -> int:
        return len(self.found)

    def add_invalid(self, error: ValidationError, *, model: type[BaseModel], key: Key, where: str) -> None:
        """Add all that pydantic found wrong with one table."""
        messages: dict[Key, list[str]] = {}
        for fault in error.errors(include_url=False):
            # a value that may be of several kinds (a length or a word) is told once, with all it may be
            path = tuple(part for part in fault["loc"] if isinstance(part, int) or "[" not in part)
            messages.setdefault(path, []).append(_sentence(fault, path, model_at(model, path[:-1])))
        for path, sentences in messages.items():
            name = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
            self.add((*key, *path), f'{where}, key "{name}"' if name else where, "; or ".join(sentences))


def model_at(model: type[BaseModel] | None, path: Key) -> type[BaseModel] | None:
    """Return the table that a path leads to inside a model, or None."""
    for part in path:
        if model is None or isinstance(part, int):
            continue
        names = {info.alias or name: info for name, info in model.model_fields.items()}
        model = next(_models(names[part].annotation), None) if part in names else None
    return model


def _models(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 # any type may stand in an annotation
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in {tuple, Union, types.UnionType, dict}:
        for inner in get_args(annotation):
            yield from _models(inner)


def keys_of(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the keys that a table may have, as a pack writes them."""
    return tuple(info.alias or name for name, info in model.model_fields.items())


def _sentence(fault: Any, path: Key, model: type[BaseModel] | None) -> str:  # noqa: ANN401 # pydantic's ErrorDetails
    kind, context = fault["type"], fault.get("ctx", {})
    last = path[-1] if path else ""
    if kind == "extra_forbidden":
        return f"unknown key; {known_words(last, keys_of(model) if model else ())}"
    if kind == "missing":
        reason = "; every provision cites the section of its rule, as text" if last == "citation" else ""
        return f"it is missing{reason}"
    if kind == "literal_error":
        words = re.findall(r"'([^']*)'|(True|False)", context["expected"])
        return f"{fault['input']!r} is no word for it; {known_words(fault['input'], [a or b for a, b in words])}"
    if kind == "value_error":
        return str(context["error"])
    return (
        _wrong_type(kind, fault["input"]) or f"{fault['msg'][:1].lower()}{fault['msg'][1:]} (it is {fault['input']!r})"
    )


def _wrong_type(kind: str, given: object) -> str:
    """Return what is said of a value of the wrong type, where there is more to say than pydantic does."""
    if kind == "string_type":
        return f'{given!r} is not text: write it in quotes, such as "{given}"'
    if kind.startswith("bool"):
        return f"{given!r} is neither true nor false: write true or false, without quotes"
    return ""
