"""Faults of several inputs, told at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from wetgeo.errors import InputError, TomlLine, closest

#: how many ids one sentence of an error lists
MOST_IDS = 100
#: layers that a command line names, not the project file: the option of each
_OPTIONS = {
    "disturbance": "--disturbance",
    "proposed": "--proposed",
    "monuments": "--monuments",
    "keep_out": "--keep-out",
}


@dataclass(slots=True)
class Faults:
    """Collects the errors of the inputs, so that a user mends them all before the next run."""

    errors: list[InputError] = field(default_factory=list)

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Keep an InputError that the block raises; the block is left."""
        try:
            yield
        except InputError as error:
            self.errors.append(error)

    def raise_any(self) -> None:
        """Raise what was collected: one error as it is, several as one that lists them."""
        if not self.errors:
            return
        if len(self.errors) == 1:
            raise self.errors[0]
        kinds = {type(error) for error in self.errors}
        kind = kinds.pop() if len(kinds) == 1 else InputError
        raise kind(
            f"{len(self.errors)} faults in the input data",
            faults=[str(error).replace("\n", "\n    ") for error in self.errors],
        )


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'x'?" for the closest known name, or nothing."""
    near = closest(name, known)
    return f" Did you mean {near!r}?" if near else ""


def listed(names: Iterable[object], most: int = MOST_IDS) -> str:
    """List names, separated by commas; what is over `most` is counted."""
    words = [str(name) for name in names]
    more = len(words) - most
    return ", ".join(words[:most]) + (f" and {more:,} more" if more > 0 else "")


def none_usable(count: int) -> str:
    """Say that none of so many features of a layer can be used."""
    return "its only feature cannot be used" if count == 1 else f"none of its {count:,} features can be used"


def where_named(layer: str) -> str:
    """Say where a user names a layer: under its table of the project file, or in an option of the command line."""
    return f"in {_OPTIONS[layer]}" if layer in _OPTIONS else f"under [layers.{layer}]"


def how_to_choose(layer: str) -> str:
    """Say how one layer of a file that holds several is named."""
    return f'write {_OPTIONS[layer]} "FILE|LAYER"' if layer in _OPTIONS else f'write layer = "..." {where_named(layer)}'


def toml_line(layer: str, line: str) -> TomlLine | None:
    """Return what to write into the project file; None where the command line names the layer."""
    return None if layer in _OPTIONS else TomlLine(f"layers.{layer}", line)
