"""The column beside the map of a plan sheet: title, rule, revisions, preparer and seal, sheet number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import shapely

import wetgeo
from wetgeo.outputs.plain import one_line, unit_of
from wetgeo.outputs.sheet_paper import HEIGHT, INCH, WIDTH, Box, Ink, Paper, fitted, wrapped
from wetgeo.rules.model import RulePack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wetgeo.delineation import Delineation

_MARGIN = 0.4 * INCH
_COLUMN = 4.15 * INCH
#: the paper inside its border, the map's frame, and the column beside it
BORDER = Box(_MARGIN, _MARGIN, WIDTH - _MARGIN, HEIGHT - _MARGIN)
COLUMN = Box(BORDER.right - _COLUMN, BORDER.bottom, BORDER.right, BORDER.top)
MAP = Box(BORDER.left, BORDER.bottom, COLUMN.left, BORDER.top)
_PAD = 7.0
#: size of the smallest print
_NOTE = 6.5
_NUMBER, _PREPARER, _REVISIONS = 46.0, 74.0, 46.0
#: where the title block at the foot of the column ends
BLOCK_TOP = COLUMN.bottom + _NUMBER + _PREPARER + _REVISIONS

_THICK, _THIN, _FAINT = Ink(line="#000000", width=1.2), Ink(line="#000000", width=0.6), Ink(line="#909090", width=0.4)
_DRAFT = "#a50026"

TITLES = {
    "run": "Required wetland buffers",
    "check": "Buffer averaging, as proposed",
    "design": "Buffer averaging, as designed",
    "impacts": "Impacts on wetlands and buffers",
    "screen": "Provisions that the work triggers",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What the title block of every sheet says: the project, the rule and how it stands, the datum."""

    project: str
    title: str
    date: str
    rule: str
    authority: str
    standing: str
    pack: str
    sections: str
    is_draft: bool
    datum: tuple[str, ...]
    staked: str
    program: str


def heading(delineation: Delineation) -> Heading:
    """Gather what the title block of a delineation's sheets says."""
    project, pack, crs = delineation.project, delineation.pack, delineation.crs
    drafted, standing = rule_standing(delineation)
    unit, unit_m = unit_of(crs)
    code = crs.to_authority()
    datum = crs.datum.name if crs.datum is not None else "unknown"
    return Heading(
        project=one_line(project.name),
        title=TITLES.get(delineation.command, TITLES["run"]),
        date=project.date.isoformat(),
        rule=one_line(pack.title),
        authority=one_line(pack.authority) if isinstance(pack, RulePack) else "",
        standing=standing,
        pack=f"rule pack {one_line(pack.id)}, version {one_line(pack.version)}",
        sections=", ".join(sections(delineation)),
        is_draft=drafted,
        datum=(
            f"Horizontal datum: {datum}",
            f"Coordinates: {crs.name}{f' ({code[0]}:{code[1]})' if code else ''}, {unit} ({unit_m:.10g} m)",
            "Lengths, areas and bearings are on the grid, in feet of 0.3048 m. North is grid north.",
        ),
        staked=_staked(delineation),
        program=f"wetgeo {wetgeo.__version__}",
    )


def _staked(delineation: Delineation) -> str:
    """Say which buffer the monuments are of, where one was judged."""
    if delineation.command not in ("check", "design"):
        return ""
    which = "proposed buffer, which complies" if delineation.recorded == "proposed" else "required buffer"
    return f"Monuments, lots and the description by courses are those of the {which}."


def rule_standing(delineation: Delineation) -> tuple[bool, str]:
    """Tell whether the rule was out of force on the application date, and how it stands in words."""
    pack, date = delineation.pack, delineation.project.date
    if isinstance(pack, RulePack):
        if pack.status == "draft":
            return True, f"Draft of {pack.effective}, not in force"
        if not pack.in_force(date):
            return True, f"Effective {pack.effective}, not in force on {date}"
    elif pack.effective is None:
        return True, "Draft, not in force"
    return False, f"Effective {pack.effective}"


def sections(delineation: Delineation) -> list[str]:
    """List the sections of the rule that decided something, each once, in their order of appearance."""
    found: dict[str, None] = {}
    for name in ("buffers", "averaging"):
        frame = delineation.layers.get(name)
        for citation in [] if frame is None else frame["citation"].dropna().tolist():
            found |= dict.fromkeys(part.strip() for part in citation.split(";"))
    return sorted(filter(None, found))


def draw_title(paper: Paper, head: Heading, subject: str) -> float:
    """Draw the upper part of the column: title, project, subject, rule; returns where it ends."""
    paper.box(BORDER, _THICK)
    paper.line([(COLUMN.left, COLUMN.bottom), (COLUMN.left, COLUMN.top)], _THICK)
    box = inner(COLUMN)
    y = box.top - 3
    y = paper.paragraph(Box(box.left, box.bottom, box.right, y), head.title.upper(), size=11.5, face="bold")
    y = paper.paragraph(Box(box.left, y - 40, box.right, y - 1), head.project, size=10, face="bold")
    y = paper.paragraph(Box(box.left, y - 26, box.right, y - 2), subject, size=7.5)
    y -= 4
    paper.line([(COLUMN.left, y), (COLUMN.right, y)], _THIN)
    y = paper.paragraph(Box(box.left, y - 26, box.right, y - 3), head.rule, size=7.5, face="bold")
    if head.authority:
        y = paper.paragraph(Box(box.left, y - 20, box.right, y), head.authority, size=6.5)
    color = _DRAFT if head.is_draft else "#000000"
    y = paper.paragraph(Box(box.left, y - 20, box.right, y), head.standing, size=6.5, face="bold", color=color)
    y = paper.paragraph(Box(box.left, y - 26, box.right, y), f"Sections {head.sections} ({head.pack})", size=6.5)
    y -= 4
    paper.line([(COLUMN.left, y), (COLUMN.right, y)], _THIN)
    return y - 4


def stamp_box(head: Heading) -> list[Box]:
    """Return the ground that the stamp of `draw_stamp` takes; none where the rule is in force."""
    return [Box(MAP.left + 14, MAP.top - 42, MAP.left + 250, MAP.top - 14)] if head.is_draft else []


def draw_stamp(paper: Paper, head: Heading) -> None:
    """Stamp a map whose rule is not in force."""
    for box in stamp_box(head):
        paper.box(box, Ink(line=_DRAFT, width=1.6, fill="#ffffff"))
        paper.text(
            (box.center[0], box.bottom + 16), "RULE NOT IN FORCE", size=11, face="bold", align="center", color=_DRAFT
        )
        words = fitted(head.standing, 7, box.width - 10)
        paper.text((box.center[0], box.bottom + 5), words, size=7, align="center", color=_DRAFT)


def draw_block(paper: Paper, head: Heading, *, sheet: int, sheets: int, scale: str) -> None:
    """Draw the lower part of the column, up to `BLOCK_TOP`: revisions, preparer and seal, sheet number."""
    y = COLUMN.bottom + _NUMBER
    _draw_number(paper, head, Box(COLUMN.left, COLUMN.bottom, COLUMN.right, y), (sheet, sheets, scale))
    _draw_preparer(paper, Box(COLUMN.left, y, COLUMN.right, y + _PREPARER))
    y += _PREPARER
    _draw_revisions(paper, head, Box(COLUMN.left, y, COLUMN.right, y + _REVISIONS))


def draw_notes(paper: Paper, head: Heading, bottom: float, notes: Sequence[str]) -> float:
    """Write notes and the datum above a height; returns where they begin."""
    box = inner(COLUMN)
    lines = [line for note in (*head.datum, *notes) for line in wrapped(note, _NOTE, box.width)]
    top = bottom + len(lines) * _NOTE * 1.25 + 5
    y = top - 3
    for line in lines:
        paper.text((box.left, y - 5), line, size=_NOTE)
        y -= _NOTE * 1.25
    paper.line([(COLUMN.left, top), (COLUMN.right, top)], _FAINT)
    return top


def inner(box: Box) -> Box:
    """The part of a box that text may fill."""
    return Box(box.left + _PAD, box.bottom + _PAD, box.right - _PAD, box.top - _PAD)


def _draw_number(paper: Paper, head: Heading, box: Box, numbers: tuple[int, int, str]) -> None:
    sheet, sheets, scale = numbers
    third = box.left + box.width * 0.66
    paper.line([(box.left, box.top), (box.right, box.top)], _THICK)
    paper.line([(third, box.bottom), (third, box.top)], _THIN)
    rows = (("Scale", scale), ("Date", head.date), ("Drawn by", head.program))
    for number, (name, value) in enumerate(rows):
        y = box.top - 12 - number * 13
        paper.text((box.left + _PAD, y), name, size=6.5, color="#505050")
        paper.text((box.left + 48, y), fitted(value, 6.5, third - box.left - 52), size=6.5)
    paper.text(((third + box.right) / 2, box.top - 12), "SHEET", size=6.5, align="center", color="#505050")
    paper.text(((third + box.right) / 2, box.bottom + 12), f"{sheet} of {sheets}", size=15, face="bold", align="center")


def _draw_preparer(paper: Paper, box: Box) -> None:
    paper.line([(box.left, box.top), (box.right, box.top)], _THIN)
    half = box.right - 82
    paper.line([(half, box.bottom), (half, box.top)], _THIN)
    for number, name in enumerate(("Prepared by", "Licence no.", "Signature, date")):
        y = box.top - 20 - number * 22
        paper.text((box.left + _PAD, y), name, size=6.5, color="#505050")
        paper.line([(box.left + 62, y - 1.5), (half - 8, y - 1.5)], _FAINT)
    x, y = (half + box.right) / 2, (box.bottom + box.top) / 2
    paper.draw([shapely.Point(x, y).buffer(31).boundary], Ink(line="#909090", width=0.5, dash=(3, 2)))
    paper.text((x, y - 2), "Seal", size=6.5, align="center", color="#505050")


def _draw_revisions(paper: Paper, head: Heading, box: Box) -> None:
    columns = (("No.", 0.0), ("Date", 26.0), ("Revision", 80.0), ("By", box.width - 42))
    step = box.height / 4
    for row in range(5):
        y = box.top - row * step
        paper.line([(box.left, y), (box.right, y)], _THIN if row == 0 else _FAINT)
    for name, left in columns:
        paper.text((box.left + left + _PAD, box.top - step + 3.4), name, size=6.5, color="#505050")
        if left:
            paper.line([(box.left + left, box.bottom), (box.left + left, box.top)], _FAINT)
    for (_, left), text in zip(columns, ("0", head.date, "Application"), strict=False):
        paper.text((box.left + left + _PAD, box.top - 2 * step + 3.4), text, size=6.5)
