"""wetgeo: vegetated buffers as watershed-district rules require them.

The command line is ``wetgeo``; the same steps are functions over GeoDataFrames here:

=====================  =====================================================================
`required_buffers`     delineates the required buffers of layers that are given as frames
`make_project`         gathers layers as frames, elevations, rule and options
`load_project`         reads a project file instead
`delineate`            delineates the required buffers of a project
`check_averaging`      judges a proposed, averaged buffer
`design_averaging`     finds one that complies
`measure_impacts`      what work disturbs, and the replacement owed
`screen`               which provisions work triggers
`rule_ids, load_rule`  the rule packs
=====================  =====================================================================

Each takes frames or a project and gives a `Result`: layers as frames, findings, the reasons for each width, and a way
to write all that the command line writes. Nothing heavy is loaded before one of them is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wetgeo.api import (
        Result,
        check_averaging,
        delineate,
        design_averaging,
        load_project,
        load_rule,
        make_project,
        measure_impacts,
        required_buffers,
        rule_ids,
        screen,
    )

__version__ = "0.1.0"

__all__ = [
    "Result",
    "__version__",
    "check_averaging",
    "delineate",
    "design_averaging",
    "load_project",
    "load_rule",
    "make_project",
    "measure_impacts",
    "required_buffers",
    "rule_ids",
    "screen",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- PEP 562
    if name in __all__:
        return getattr(importlib.import_module("wetgeo.api"), name)
    if name == "errors":  # what is raised, without an import of its own
        return importlib.import_module("wetgeo.errors")
    raise AttributeError(f"module 'wetgeo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "errors"})
