"""The page of ``wetgeo doctor``: what is wrong or doubtful in a project's inputs, as one file that opens offline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from markupsafe import Markup

from wetgeo.outputs.page import hashed, static, templates
from wetgeo.outputs.plain import one_line

#: words of the severities, for headings
_HEADINGS = {
    "error": "Errors: these would stop a run, or be left out of it",
    "warning": "Warnings: look at these before relying on a result",
    "info": "How the inputs were taken",
}
#: side of the plan of the layers, and the margin in it, pixels
_WIDE, _HIGH, _MARGIN = 720.0, 300.0, 14.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Box:
    """The extent of one layer on the plan, pixels."""

    layer: str
    x: float
    y: float
    width: float
    height: float


def doctor_page(document: Mapping[str, Any]) -> str:
    """Write the page.

    Parameters
    ----------
    document
        The JSON document that `wetgeo.doctor` describes. Text of users in it is escaped wherever it stands.
    """
    style = static("doctor.css")
    remarks: Sequence[Mapping[str, Any]] = document["remarks"]
    groups = [
        (severity, words, [remark for remark in remarks if remark["severity"] == severity])
        for severity, words in _HEADINGS.items()
    ]
    boxes, dots = _plan(document["inputs"], remarks)
    return (
        templates()
        .get_template("doctor.html")
        .render(
            document=document,
            verdict=_verdict(document),
            groups=[group for group in groups if group[2]],
            boxes=boxes,
            dots=dots,
            size=(_WIDE, _HIGH),
            short=lambda path: PurePath(path).name,
            one_line=one_line,
            style=Markup(style),  # noqa: S704 -- a file of this package
            policy=f"default-src 'none'; style-src '{hashed(style)}'; img-src data:",
        )
    )


def _verdict(document: Mapping[str, Any]) -> str:
    counts = document["counts"]
    if counts["error"] and document["runs"]:
        left = "one error names" if counts["error"] == 1 else f"{counts['error']} errors name"
        return f"A run would get through, and leave out what {left}"
    if counts["error"]:
        stop = "one fault" if counts["error"] == 1 else f"{counts['error']} faults"
        return f"A run would stop: {stop} must be mended first"
    if counts["warning"]:
        look = "one thing" if counts["warning"] == 1 else f"{counts['warning']} things"
        return f"A run would get through; look at {look} before relying on it"
    return "Nothing wrong was found"


def _plan(
    inputs: Sequence[Mapping[str, Any]], remarks: Sequence[Mapping[str, Any]]
) -> tuple[list[_Box], list[tuple[float, float, int, str]]]:
    """Lay the extents of the layers, and the places of the remarks, on a plan: x, y, number, severity."""
    known = [each for each in inputs if each["bounds"] is not None]
    if not known:
        return [], []
    left, bottom = (min(each["bounds"][at] for each in known) for at in (0, 1))
    right, top = (max(each["bounds"][at] for each in known) for at in (2, 3))
    scale = min((_WIDE - 2 * _MARGIN) / max(right - left, 1e-9), (_HIGH - 2 * _MARGIN) / max(top - bottom, 1e-9))
    across, down = (_WIDE - scale * (right - left)) / 2, (_HIGH - scale * (top - bottom)) / 2
    boxes = [
        _Box(
            layer=each["layer"],
            x=round(across + scale * (each["bounds"][0] - left), 1),
            y=round(down + scale * (top - each["bounds"][3]), 1),
            width=max(round(scale * (each["bounds"][2] - each["bounds"][0]), 1), 1),
            height=max(round(scale * (each["bounds"][3] - each["bounds"][1]), 1), 1),
        )
        for each in sorted(known, key=_area, reverse=True)
    ]
    return boxes, list(_dots(remarks, (left, bottom, right, top), scale, (across, down)))


def _area(each: Mapping[str, Any]) -> float:
    left, bottom, right, top = each["bounds"]
    return float((right - left) * (top - bottom))


def _dots(
    remarks: Sequence[Mapping[str, Any]],
    extent: tuple[float, float, float, float],
    scale: float,
    shift: tuple[float, float],
) -> Iterator[tuple[float, float, int, str]]:
    left, bottom, right, top = extent
    for number, remark in enumerate(remarks, 1):
        x, y = remark["x"], remark["y"]
        if remark["severity"] != "info" and x is not None and left <= x <= right and bottom <= y <= top:
            yield (
                round(shift[0] + scale * (x - left), 1),
                round(shift[1] + scale * (top - y), 1),
                number,
                remark["severity"],
            )
