"""exhibit.pdf: plan sheets to scale, 11 x 17 in, to be attached to a permit."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.backends.backend_pdf import PdfPages

import wetgeo
from wetgeo.findings import Findings
from wetgeo.outputs.declaration import declaration_lines
from wetgeo.outputs.plain import unit_of
from wetgeo.outputs.schedules import TABLES, Schedule, schedule
from wetgeo.outputs.sheet_block import (
    BLOCK_TOP,
    COLUMN,
    MAP,
    Heading,
    draw_block,
    draw_notes,
    draw_stamp,
    draw_title,
    heading,
    inner,
    stamp_box,
)
from wetgeo.outputs.sheet_key import draw_key, plan_keys, sheet_list
from wetgeo.outputs.sheet_legend import draw_legend, draw_north, draw_scale, legend_entries, legend_height
from wetgeo.outputs.sheet_map import Drawn, Ground, draw_map
from wetgeo.outputs.sheet_pages import schedule_pages, text_pages
from wetgeo.outputs.sheet_paper import Box, Paper
from wetgeo.outputs.sheet_plan import MOST_SHEETS, PlanSheet, SheetPlan, View, plan_sheets
from wetgeo.outputs.sheet_table import draw_table, fitting_size, table_height
from wetgeo.outputs.sheet_verdict import draw_verdict, is_judged
from wetgeo.units import FOOT_M

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from wetgeo.delineation import Delineation

#: the file's name in the output folder
EXHIBIT = "exhibit.pdf"
#: at most so many sheets of tables, and of the declaration
MOST_TABLES, MOST_TEXTS = 12, 20
#: a title names so many resources
MOST_NAMES = 10
#: the declaration of more resources than this is too long for sheets in any case
MOST_DECLARED = 150

#: text stays text, to be searched and copied; lines keep every vertex; dashes are points
_STYLE: dict[Any, Any] = {
    "pdf.fonttype": 42,
    "path.simplify": False,
    "lines.scale_dashes": False,
    "hatch.linewidth": 0.45,
}
_SIZE = 6.5
_SCALE_HEIGHT = 58.0
#: tables that stand beside a map, where its resources have rows in them
_BESIDE_MAP = (
    "averaging",
    "averaging_areas",
    "violations",
    "impacts",
    "access",
    "buffers",
    "zones",
    "extensions",
    "monuments",
)

Sheet = tuple[Paper, str]


def write_exhibit(delineation: Delineation, folder: Path) -> None:
    """Write ``exhibit.pdf`` into `folder`.

    A key sheet where there are several plan sheets; the plan sheets, each at an engineer's scale at which the buffers
    of its resources fit; the tables in full; the declaration. The file depends on the delineation only: its date of
    creation is the application date.

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
    head = heading(delineation)
    with mpl.rc_context(_STYLE):
        sheets = draw_sheets(delineation, head)
        with PdfPages(folder / EXHIBIT, metadata=_metadata(delineation, head)) as file:
            for number, (paper, scale) in enumerate(sheets, 1):
                draw_block(paper, head, sheet=number, sheets=len(sheets), scale=scale)
                file.savefig(paper.figure)


def exhibit_limits(delineation: Delineation) -> Findings:
    """Tell in findings what the sheets leave out, where there would be too many; the layers are conformed."""
    findings = Findings()
    if delineation.layers["resources"].empty:
        return findings
    plan = plan_sheets(delineation, MAP)
    if not plan.sheets:
        words = (
            f"exhibit.pdf has key sheets only: more than {MOST_SHEETS} plan sheets would be needed even at "
            f'1" = {plan.least_feet:,.0f} ft; run parts of the site by themselves to get plan sheets'
        )
        findings.warning("exhibit", words)
    elif plan.is_reduced:
        words = f'plan sheets are drawn at 1" = {plan.least_feet:,.0f} ft or smaller, so that {MOST_SHEETS} are enough'
        findings.info("exhibit", words)
    return findings


def draw_sheets(delineation: Delineation, head: Heading) -> list[Sheet]:
    """Draw all sheets but for their numbers; each with its scale in words."""
    if delineation.layers["resources"].empty:
        return [_empty_sheet(head)]
    plan = plan_sheets(delineation, MAP)
    sheets: list[Sheet] = []
    ground = None
    if plan.sheets or is_judged(delineation):
        ground = Ground.of(delineation, FOOT_M / unit_of(delineation.crs)[1])
    if len(plan.sheets) != 1:
        keys = plan_keys(delineation, plan, MAP)
        sheets += [_key_sheet(delineation, head, view, plan, ground, first=len(keys) + 1) for view in keys]
    if ground is not None:
        alone = len(plan.sheets) == 1
        sheets += [_plan_sheet(delineation, head, sheet, ground, says_verdict=alone) for sheet in plan.sheets]
    tables = [found for name in TABLES if (found := schedule(delineation, name)) is not None]
    texts = _declaration_sheets(delineation, head)
    notes = (
        [] if texts is not None else ["The description by courses is too long for these sheets: see declaration.txt."]
    )
    papers = schedule_pages(tables, head, notes, most=MOST_TABLES)
    return [*sheets, *((paper, "none") for paper in (*papers, *(texts or ())))]


def _declaration_sheets(delineation: Delineation, head: Heading) -> list[Paper] | None:
    """Lay the declaration out; None where it is too long. Sheets of what is not to be recorded have none."""
    if delineation.command != "run" and delineation.recorded == "required":
        return []
    if len(delineation.layers["buffers"]) > MOST_DECLARED:
        return None
    if delineation.layers["buffer_union"].empty:
        return []
    return text_pages(declaration_lines(delineation), head, most=MOST_TEXTS)


def _empty_sheet(head: Heading) -> Sheet:
    paper = Paper()
    draw_title(paper, head, "No resources")
    paper.text(
        MAP.center, "There is nothing to draw: no wetland, lake or stream is in the data.", size=9, align="center"
    )
    return paper, "none"


def _plan_sheet(
    delineation: Delineation, head: Heading, sheet: PlanSheet, ground: Ground, *, says_verdict: bool
) -> Sheet:
    paper = Paper()
    drawn = draw_map(paper, sheet, ground, delineation, stamp_box(head))
    draw_stamp(paper, head)
    top = draw_title(paper, head, _subject(sheet.resource_ids))
    if says_verdict:
        top = draw_verdict(paper, delineation, inner(COLUMN), top)
    tables = [schedule(delineation, name, _told_of(name, sheet, ground)) for name in _BESIDE_MAP]
    brief = [table.brief for table in tables if table is not None]
    return _finished(paper, head, sheet.view, drawn, brief, top)


def _told_of(name: str, sheet: PlanSheet, ground: Ground) -> Collection[str]:
    """Name the resources whose rows stand beside a map: the sheet's own, and natural communities disturbed on it."""
    if name != "impacts":
        return sheet.resource_ids
    seen = ground.seen(name, sheet.view)
    return [*sheet.resource_ids, *(seen.loc[seen["kind"] == "natural_community", "resource_id"] if len(seen) else ())]


def _key_sheet(
    delineation: Delineation, head: Heading, view: View, plan: SheetPlan, ground: Ground | None, *, first: int
) -> Sheet:
    paper = Paper()
    drawn = draw_key(paper, view, delineation, plan.sheets, ground, first=first, keep_off=stamp_box(head))
    draw_stamp(paper, head)
    top = draw_verdict(paper, delineation, inner(COLUMN), draw_title(paper, head, "Key sheet"))
    averaging = schedule(delineation, "averaging")
    tables = [] if averaging is None else [averaging.brief]
    tables += [sheet_list(plan.sheets, first=first)] if plan.sheets else []
    return _finished(paper, head, view, drawn, tables, top)


def _finished(paper: Paper, head: Heading, view: View, drawn: Drawn, tables: Sequence[Schedule], top: float) -> Sheet:
    """Fill the column beside a map: tables from above; notes, scale and legend from below."""
    notes = []
    if head.staked:
        notes.append(head.staked)
    if drawn.unnamed:
        notes.append(f"{drawn.unnamed:,} monuments stand too close at this scale to be named: see monuments.csv.")
    if drawn.left_out:
        count = len(drawn.left_out)
        notes.append(f"{count:,} label{'s' if count > 1 else ''} had no room on this map; the tables name everything.")
    bottom = draw_notes(paper, head, BLOCK_TOP, notes)
    scale = f'1" = {view.feet:,.0f} ft'
    draw_scale(paper, (COLUMN.left + 16, bottom + 13), view)
    paper.text((COLUMN.left + 16, bottom + 34), f"Scale {scale}", size=8, face="bold")
    draw_north(paper, (COLUMN.right - 26, bottom + 6))
    entries = legend_entries(drawn)
    box = inner(COLUMN)
    low = bottom + _SCALE_HEIGHT
    high = low + legend_height(entries, box.width)
    draw_legend(paper, Box(box.left, low, box.right, high), entries)
    for table in tables:
        space = Box(box.left, high + 4, box.right, top)
        size = fitting_size(table, space.width, _SIZE)
        if table_height(table, space.width, size=size, rows=min(2, len(table.rows))) + _SIZE * 2 > space.height:
            break
        fits = table_height(table, space.width, size=size, rows=len(table.rows)) <= space.height
        below = Box(space.left, space.bottom + (0.0 if fits else _SIZE * 2), space.right, top)
        end, row = draw_table(paper, below, table, size=size)
        if row < len(table.rows):
            words = f"{len(table.rows) - row:,} more: see the tables on the sheets that follow."
            paper.text((box.left, end - _SIZE), words, size=_SIZE, face="oblique")
            end -= _SIZE * 1.5
        top = end - 5
    return paper, scale


def _subject(names: Sequence[str]) -> str:
    """Name the resources of a sheet, as many as a title holds."""
    more = len(names) - MOST_NAMES
    return f"Resources: {', '.join(names[:MOST_NAMES])}{f' and {more} more' if more > 0 else ''}"


def _metadata(delineation: Delineation, head: Heading) -> dict[str, Any]:
    date = delineation.project.date
    midnight = datetime.datetime(date.year, date.month, date.day, tzinfo=datetime.timezone.utc)
    return {
        "Title": f"{head.title}: {head.project}",
        "Subject": f"{head.rule}; {head.standing}",
        "Creator": f"wetgeo {wetgeo.__version__}",
        "Producer": f"matplotlib {mpl.__version__}",
        "CreationDate": midnight,
    }
