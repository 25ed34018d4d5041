"""Imports point one way (docs/architecture.md), also those inside functions and those for type checking."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest
from places import ROOT

PACKAGE = ROOT / "wetgeo"
LEAVES = {"errors", "units", "findings", "layers", "paths", "interrupts"}
#: the modules that are no step of the delineation; every other one beside them is
NO_STEPS = LEAVES | {
    "site",
    "project",
    "ruling",
    "frames",
    "pieces",
    "delineation",
    "pipeline",
    "permitting",
    "given",
    "result",
    "api",
    "testing",
    "__init__",
    "__main__",
}
STEPS = {path.stem for path in PACKAGE.glob("*.py")} - NO_STEPS
BELOW_STEPS = LEAVES | {"kernels", "site", "project", "rules", "ruling", "frames"}
BELOW_PIPELINE = BELOW_STEPS | STEPS | {"inputs", "delineation", "pieces"}

#: what each module or subpackage may import of ours, besides itself
MAY_IMPORT: dict[str, AbstractSet[str]] = {
    **dict.fromkeys(LEAVES, frozenset()),
    "kernels": {"errors"},
    "site": LEAVES | {"kernels.grid"},
    "project": LEAVES | {"kernels.grid", "site"},
    "rules": LEAVES,
    "ruling": LEAVES | {"rules"},
    "frames": LEAVES,
    "pieces": LEAVES | {"frames"},
    "delineation": LEAVES | {"kernels.grid", "site", "project"},
    "inputs": LEAVES | {"kernels", "site", "project", "rules"},
    **dict.fromkeys(STEPS, BELOW_STEPS | STEPS),
    "pipeline": BELOW_PIPELINE,
    "permitting": BELOW_PIPELINE | {"pipeline"},
    "batch": BELOW_PIPELINE | {"pipeline"},
    "outputs": LEAVES | {"kernels", "site", "rules", "frames", "pieces", "delineation"},
    "doctor": BELOW_PIPELINE | {"outputs"},
    "given": LEAVES | {"site", "project"},
    "result": LEAVES | {"project", "delineation", "given", "outputs"},
    "api": BELOW_PIPELINE | {"given", "pipeline", "permitting", "result"},
    "cli": BELOW_PIPELINE | {"pipeline", "permitting", "batch", "outputs", "doctor"},
    "testing": LEAVES | {"kernels", "site", "project"},
    "__init__": {"api"},
    "__main__": {"cli"},
}
#: libraries that a kernel knows nothing of
NOT_IN_KERNELS = {"geopandas", "pandas", "pyproj", "rasterio", "fiona", "pyogrio", "click", "logging"}


def _modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def _group(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of every import; `from wetgeo import x` counts as `wetgeo.x`."""
    package = ("wetgeo", *path.relative_to(PACKAGE).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*start, *filter(None, [node.module])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def _ours(path: Path) -> Iterator[tuple[int, str]]:
    for line, name in _imports(path):
        top, _, inner = name.partition(".")
        if top == "wetgeo" and inner and not inner.startswith("__"):
            yield line, inner


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    group = _group(path)
    assert group in MAY_IMPORT, f"{group} stands in no line of docs/architecture.md and of this table"
    allowed = MAY_IMPORT[group] | {group}
    faults = [
        f"{path.relative_to(ROOT)}:{line} imports wetgeo.{name}"
        for line, name in _ours(path)
        if not any(f"{name}.".startswith(f"{one}.") for one in allowed)
    ]
    assert not faults


def test_no_step_reads_files() -> None:
    for path in (PACKAGE / f"{step}.py" for step in sorted(STEPS)):
        if path.exists():
            assert not {name.partition(".")[0] for _, name in _imports(path)} & {"pyogrio", "fiona", "rasterio"}


@pytest.mark.parametrize("path", sorted((PACKAGE / "kernels").glob("*.py")), ids=lambda path: path.name)
def test_kernels_know_no_frames_files_or_commands(path: Path) -> None:
    assert not {name.partition(".")[0] for _, name in _imports(path)} & NOT_IN_KERNELS


def test_kernels_load_no_frames_files_or_commands() -> None:
    names = [f"wetgeo.kernels.{path.stem}" for path in (PACKAGE / "kernels").glob("*.py") if path.stem != "__init__"]
    code = f"import sys, importlib\nfor n in {names!r}: importlib.import_module(n)\nprint(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert not set(result.stdout.split()) & (NOT_IN_KERNELS - {"logging"})


def test_no_two_modules_import_each_other() -> None:
    graph: dict[str, set[str]] = {}
    for path in _modules():
        group = _group(path)
        graph.setdefault(group, set()).update(name.partition(".")[0] for _, name in _ours(path))
        graph[group].discard(group)
    tuple(graphlib.TopologicalSorter(graph).static_order())


def test_modules_that_the_docs_name_are_in_the_table() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", text, flags=re.MULTILINE)
    named = {name.rstrip("/") for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert named
    assert named <= set(MAY_IMPORT)
