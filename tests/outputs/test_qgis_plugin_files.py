"""The QGIS plugin's files, without QGIS: metadata, zip, roles, the project file it writes, and what it imports."""

from __future__ import annotations

import ast
import configparser
import importlib.machinery
import importlib.util
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from wetgeo import __version__
from wetgeo.project import load_project
from wetgeo.site import FIELD_ROLES, LAYER_GEOMETRY, RATINGS

PLUGIN = ROOT / "qgis_plugin"
SOURCES = sorted(PLUGIN.glob("*.py"))

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def load(path: Path) -> ModuleType:
    """Load a module that is in no package, whatever its ending."""
    loader = importlib.machinery.SourceFileLoader(path.stem, str(path))
    spec = importlib.util.spec_from_loader(path.stem, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


roles, project_file = load(PLUGIN / "layer_roles.py"), load(PLUGIN / "project_file.py")


def test_the_metadata_is_complete() -> None:
    metadata = configparser.ConfigParser()
    metadata.read(PLUGIN / "metadata.txt", encoding="utf-8")
    general = metadata["general"]
    for name in ("name", "description", "about", "author", "email", "tracker", "repository", "tags", "changelog"):
        assert general[name]
    assert (general["qgisminimumversion"], general["qgismaximumversion"]) == ("3.22", "4.99")
    assert (general["hasprocessingprovider"], general["version"]) == ("yes", __version__)
    assert (PLUGIN / general["icon"]).is_file()


def test_the_zip_is_one_folder_and_the_same_each_time(tmp_path: Path) -> None:
    package = load(ROOT / "scripts" / "package_plugin").package
    one, other = package(tmp_path / "a"), package(tmp_path / "b")
    assert one.name == f"wetgeo_qgis-{__version__}.zip"
    assert one.read_bytes() == other.read_bytes()
    with zipfile.ZipFile(one) as packed:
        names = set(packed.namelist())
    # a folder wetgeo would stand before the library in QGIS's Python
    assert {name.partition("/")[0] for name in names} == {"wetgeo_qgis"}
    assert {"wetgeo_qgis/metadata.txt", "wetgeo_qgis/LICENSE", "wetgeo_qgis/icon.svg"} <= names
    assert {f"wetgeo_qgis/{path.name}" for path in SOURCES} <= names


def test_layers_and_roles_are_wetgeos() -> None:
    assert {layer.name for layer in roles.LAYERS} == set(LAYER_GEOMETRY)
    for layer in roles.LAYERS:
        assert set(layer.kinds) == set(LAYER_GEOMETRY[layer.name]), layer.name
        assert layer.roles == tuple(role for role in FIELD_ROLES[layer.name] if role not in RATINGS), layer.name
        assert set(layer.roles) <= set(roles.ROLES)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_a_module_runs_on_old_pythons_and_imports_through_qgis_only(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        for name in names:
            top = name.partition(".")[0]
            assert top in {"qgis", "processing"} or top in sys.stdlib_module_names, name
            assert top not in {"subprocess", "pickle"}, name
            assert not name.startswith("qgis.PyQt5"), name
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"exec", "eval", "compile", "__import__"}
        assert not (isinstance(node, ast.keyword) and node.arg == "shell")


def test_a_project_file_says_what_it_was_given(tmp_path: Path) -> None:
    text = project_file.project_text(
        {"name": 'O\'Brien "x"\\ Łąka', "rule": "mcwd-2024", "crs": None, "date": "2026-06-01"},
        {
            "wetlands": {
                "path": "C:\\maps\\w.gpkg",
                "layer": "wet lands",
                "where": "\"A\" = 'b'",
                "fields": {"id": "WET_ID", "class": "KLASSE"},
                "values": {"class": {"P": "Preserve", "M 1": "Manage 1", "": "x"}},
                "defaults": {"class": "Manage 2"},
                "table": None,
            }
        },
        dem={"path": "dem.tif", "z_unit": None},
        options={"trigger": "stormwater", "bend_tolerance": 5, "x": True},
        formats=("gpkg", "csv"),
    )
    (tmp_path / "wetgeo.toml").write_text(text, encoding="utf-8")
    project = load_project(tmp_path)
    assert (project.name, project.rule, project.crs) == ('O\'Brien "x"\\ Łąka', "mcwd-2024", None)
    assert project.date.isoformat() == "2026-06-01"
    wetlands = project.layers["wetlands"]
    assert (wetlands.layer, wetlands.where) == ("wet lands", "\"A\" = 'b'")
    assert wetlands.fields == {"id": "WET_ID", "class": "KLASSE"}
    assert wetlands.values == {"class": {"P": "Preserve", "M 1": "Manage 1", "": "x"}}
    assert wetlands.defaults == {"class": "Manage 2"}
    assert project.options == {"trigger": "stormwater", "bend_tolerance": 5, "x": True}
    assert project.dem.paths == (tmp_path / "dem.tif",)
    assert project.formats == ("gpkg", "csv")


TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.dictionaries(TEXT, TEXT | st.integers(-(2**60), 2**60) | st.booleans() | st.lists(TEXT)))
def test_any_value_comes_back_from_toml(entries: dict[str, object]) -> None:
    assert tomllib.loads(f"[a]\nb = {project_file.value(entries)}\n") == {"a": {"b": entries}}
    assert tomllib.loads(project_file.table("a", entries)) == {"a": entries}


@pytest.mark.parametrize(
    ("text", "meant"), [("5", 5), (" 2.5 ", 2.5), ("-3", -3), ("true", True), ("False", False), ("stormwater", "stormwater"), ("nan", "nan"), ("1e3", "1e3"), ("", "")]
)  # fmt: skip
def test_an_option_is_read_as_what_it_looks_like(text: str, meant: object) -> None:
    assert project_file.plain_value(text) == meant
    assert type(project_file.plain_value(text)) is type(meant)


def test_a_matrix_is_read_in_pairs() -> None:
    assert project_file.pairs(["P", "Preserve", "", "", " M1 ", "Manage 1", None, "x", "odd"]) == {
        "P": "Preserve",
        "M1": "Manage 1",
    }
    assert project_file.pairs(None) == {}
