"""The notebooks run from end to end, and nothing of the machine that ran them is stored in them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from places import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def test_all_four_are_there() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["averaging", "batch", "quickstart", "terrain_extensions"]


def words_of(notebook: nbformat.NotebookNode) -> list[str]:
    """Text that each cell prints or shows; names of temporary folders differ from run to run."""
    words = []
    for cell in notebook.cells:
        outputs = [output for output in cell.get("outputs", ()) if output.output_type != "display_data"]
        told = "".join(output.get("text", output.get("data", {}).get("text/plain", "")) for output in outputs)
        words.append(re.sub(r"\btmp\w{8}\b", "tmp", told))
    return words


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("MPLBACKEND", "agg")
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    )
    stored = words_of(notebook)
    client.execute()
    said = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert all(output.output_type != "error" for outputs in said for output in outputs)
    # what a reader sees without running it is what runs now
    assert words_of(notebook) == stored


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_holds_no_path_of_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not any(str(folder) in text for folder in (ROOT, Path.home(), sys.prefix))
