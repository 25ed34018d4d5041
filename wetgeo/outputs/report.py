"""report.html: one page that opens anywhere, without a network: the verdict, a map, tables, findings, provenance."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

import wetgeo
from wetgeo.findings import CODES
from wetgeo.outputs.page import hashed, static, templates
from wetgeo.outputs.plain import one_line, unit_of
from wetgeo.outputs.provenance import versions
from wetgeo.outputs.report_map import PageMap, page_map
from wetgeo.outputs.report_profile import HEIGHT, WIDTH, charts, profile_data
from wetgeo.outputs.report_verdict import verdict
from wetgeo.outputs.schedules import TABLES, Schedule, schedule
from wetgeo.outputs.sheet_block import TITLES, heading
from wetgeo.rules.model import RulePack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wetgeo.delineation import Delineation

#: the file's name in the output folder
REPORT = "report.html"
#: rows of a table, and findings, beyond these stand in the data files only, which the page says
MOST_ROWS, MOST_FINDINGS = 1500, 3000
#: the figures of so many resources are explained step by step
MOST_EXPLAINED = 500


def write_report(delineation: Delineation, folder: Path) -> None:
    """Write ``report.html`` into `folder`.

    The page asks nothing of any network, and a policy inside it forbids that it could. Text of users is escaped
    wherever it stands; it is never taken as markup or script.

    Parameters
    ----------
    delineation
        With conformed layers.
    folder
        An existing folder.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    (folder / REPORT).write_text(report_page(delineation), encoding="utf-8", newline="\n")


def report_page(delineation: Delineation) -> str:
    """Write the page as text; see `write_report`."""
    style, script = static("report.css"), static("report.js")
    return (
        templates()
        .get_template("report.html")
        .render(
            head=heading(delineation),
            titles=TITLES,
            verdict=verdict(delineation),
            style=Markup(style),  # noqa: S704 -- a file of this package
            script=Markup(script),  # noqa: S704 -- a file of this package
            policy=f"default-src 'none'; style-src '{hashed(style)}'; script-src '{hashed(script)}'; img-src data:",
            **_drawn(delineation),
            tables=list(_tables(delineation)),
            explained=list(_explained(delineation)),
            more_explained=max(len(delineation.layers["buffers"]) - MOST_EXPLAINED, 0),
            **_findings(delineation),
            sections=_sections(delineation),
            provenance=_provenance(delineation),
            versions=versions(),
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Explained:
    """How a resource came by its width: the steps in words, each with its section."""

    resource_id: str
    steps: list[tuple[str, str]]


def _drawn(delineation: Delineation) -> dict[str, Any]:
    """Draw the map and the charts, and gather what the script must know of them."""
    drawn: PageMap | None = page_map(delineation)
    profile, averaging = (delineation.layers.get(name) for name in ("width_profile", "averaging"))
    found = []
    if drawn is not None and profile is not None and averaging is not None and len(profile):
        found = charts(profile, averaging, drawn.canvas)
    data = {
        "unit": 0 if drawn is None else drawn.unit_ft,
        "features": {} if drawn is None else drawn.features,
        "profiles": profile_data(found),
    }
    more = 0 if averaging is None else max(len(averaging) - len(found), 0)
    return {
        "map": drawn,
        "charts": found,
        "more_charts": more,
        "chart_size": (WIDTH, HEIGHT),
        "data": script_json(data),
    }


def script_json(data: Any) -> Markup:  # noqa: ANN401 -- anything that JSON holds
    r"""Write JSON for a script element: plain ASCII, and with no character that could end the element.

    Letters beyond ASCII, U+2028 among them, are ``\u`` escapes; so are ``<``, ``>`` and ``&``.
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 -- escaped above


def _tables(delineation: Delineation) -> Iterator[tuple[Schedule, int]]:
    """All tables but that of the monuments, each with how many rows it has in all."""
    for name in TABLES:
        found = None if name == "monuments" else schedule(delineation, name)
        if found is not None:
            rows = found.rows[:MOST_ROWS]
            yield Schedule(name=found.name, title=found.title, columns=found.columns, rows=rows), len(found.rows)


def _explained(delineation: Delineation) -> Iterator[_Explained]:
    reasons = delineation.layers["reasons"]
    if reasons.empty:
        return
    groups = dict(iter(reasons.groupby("resource_id", sort=False)))
    for name in delineation.layers["resources"]["resource_id"].tolist()[:MOST_EXPLAINED]:
        if name in groups:
            rows = groups[name]
            steps = zip(rows["reason"].tolist(), rows["citation"].tolist(), strict=True)
            yield _Explained(resource_id=one_line(name), steps=[(one_line(a), one_line(b or "")) for a, b in steps])


def _findings(delineation: Delineation) -> dict[str, Any]:
    frame = delineation.layers["findings"]
    fields = ("severity", "code", "layer", "feature_id", "message", "citation")
    cells = [[one_line(value or "") for value in frame[field].tolist()] for field in fields]
    rows = [dict(zip(fields, row, strict=True)) for row in zip(*cells, strict=True)]
    counts = Counter(row["severity"] for row in rows)
    return {
        "findings": rows[:MOST_FINDINGS],
        "more_findings": max(len(rows) - MOST_FINDINGS, 0),
        "severities": [(name, counts[name]) for name in ("error", "warning", "info") if counts[name]],
        "meanings": CODES,
    }


def _sections(delineation: Delineation) -> list[tuple[str, str]]:
    """The sections of the rule that apply on the application date, with what each says."""
    pack = delineation.pack
    if not isinstance(pack, RulePack):
        return []
    return [(one_line(one.citation), one_line(one.text)) for one in pack.at(delineation.project.date).provisions]


def _provenance(delineation: Delineation) -> list[tuple[str, str]]:
    project, pack = delineation.project, delineation.pack
    unit, unit_m = unit_of(delineation.crs)
    options = [f"{name} = {value}" for name, value in sorted(delineation.options.items()) if value is not None]
    rows = [
        ("Command", f"wetgeo {delineation.command}, version {wetgeo.__version__}"),
        ("Project file", project.path.name),
        ("Application date", project.date.isoformat()),
        ("Rule pack", f"{pack.id}, version {pack.version}"),
        ("SHA-256 of the pack", pack.sha256),
        ("Options", "; ".join(options) or "none"),
        ("Coordinate system", f"{delineation.crs.name}, {unit} ({unit_m:.10g} m)"),
        *(("Input", _shown(path, project.folder)) for path in sorted(set(delineation.inputs))),
    ]
    return [(name, one_line(value)) for name, value in rows]


def _shown(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()
