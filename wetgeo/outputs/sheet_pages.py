"""Sheets that hold tables in full, or text."""

from __future__ import annotations

from collections.abc import Sequence

from wetgeo.outputs.schedules import Schedule
from wetgeo.outputs.sheet_block import COLUMN, MAP, Heading, draw_title, inner
from wetgeo.outputs.sheet_paper import ASCENT, Box, Paper, text_width, wrapped
from wetgeo.outputs.sheet_table import draw_table, table_height

_TABLE, _TEXT, _NOTE = 6.5, 6.5, 6.5
_GAP = 14.0
#: tables with more columns than this take the whole width of a sheet
_NARROW = 9
#: a table is begun only where so many of its rows fit
_LEAST_ROWS = 3
#: columns of text on a sheet, and the distance of its lines as a multiple of their size
_TEXT_COLUMNS, _LINES_APART = 3, 1.28


def schedule_pages(schedules: Sequence[Schedule], head: Heading, notes: Sequence[str], *, most: int) -> list[Paper]:
    """Lay tables out on sheets, wide ones first, at most so many sheets; the last one tells what is left out.

    `notes` stand beside the tables of the last sheet.
    """
    slots = _Slots(head, "Tables", most)
    for columns in (1, 2):
        for schedule in schedules:
            if (len(schedule.columns) > _NARROW) is (columns == 1):
                _lay(slots, schedule, columns)
        slots.divide()
    for note in notes if slots.papers else ():
        slots.tell(note)
    return slots.papers


def text_pages(lines: Sequence[str], head: Heading, *, most: int) -> list[Paper] | None:
    """Lay lines of text out in columns of sheets; blanks at the beginning of a line indent it.

    Returns None where more sheets would be needed than `most`: half of such a text would serve nobody.
    """
    slots = _Slots(head, "Description by courses, for the declaration", most)
    step = _TEXT * _LINES_APART
    width = (inner(MAP).width - (_TEXT_COLUMNS - 1) * _GAP) / _TEXT_COLUMNS
    if len(lines) > most * _TEXT_COLUMNS * inner(MAP).height / step:
        return None
    for indent, text in (row for line in lines for row in _broken(line, width)):
        box = slots.take(_TEXT_COLUMNS, step)
        if box is None:
            return None
        slots.papers[-1].text((box.left + indent, box.top - _TEXT * ASCENT), text, size=_TEXT)
        slots.used(box.top - step)
    return slots.papers


class _Slots:
    """Columns of sheets, to be filled from the top."""

    def __init__(self, head: Heading, subject: str, most: int) -> None:
        self.papers: list[Paper] = []
        self._head, self._subject, self._most = head, subject, most
        self._columns: list[Box] = []
        self._beside = 0.0

    def take(self, columns: int, height: float) -> Box | None:
        """Return the column to be filled next, with room for so much; None where there are too many sheets."""
        while self._columns and self._columns[0].height < height:
            self._columns.pop(0)
        if not self._columns and not self._open(columns):
            return None
        return self._columns[0]

    def used(self, top: float) -> None:
        """Note down to where the column is filled."""
        box = self._columns[0]
        self._columns[0] = Box(box.left, box.bottom, box.right, top)

    def divide(self) -> None:
        """Make two columns of what is left below one."""
        if self._columns:
            self._columns = _divided(self._columns[0], 2)

    def tell(self, words: str) -> None:
        """Write a note beside the last sheet's columns."""
        box = inner(COLUMN)
        space = Box(box.left, box.bottom, box.right, self._beside - 3)
        self._beside = self.papers[-1].paragraph(space, words, size=_NOTE)

    def _open(self, columns: int) -> bool:
        if len(self.papers) == self._most:
            return False
        self.papers.append(Paper())
        self._beside = draw_title(self.papers[-1], self._head, self._subject)
        self._columns = _divided(inner(MAP), columns)
        return True


def _divided(box: Box, columns: int) -> list[Box]:
    width = (box.width - _GAP * (columns - 1)) / columns
    lefts = [box.left + number * (width + _GAP) for number in range(columns)]
    return [Box(left, box.bottom, left + width, box.top) for left in lefts]


def _lay(slots: _Slots, schedule: Schedule, columns: int) -> None:
    """Lay a table out over as many columns as it takes."""
    row, title = 0, schedule.title
    width = _divided(inner(MAP), columns)[0].width
    while row < len(schedule.rows):
        rows = min(_LEAST_ROWS, len(schedule.rows) - row)
        box = slots.take(columns, table_height(schedule, width, size=_TABLE, rows=rows))
        if box is None:
            slots.tell(f"{schedule.title}: {len(schedule.rows) - row:,} more rows stand in the data files.")
            return
        bottom, row = draw_table(slots.papers[-1], box, schedule, size=_TABLE, start=row, title=title)
        slots.used(bottom - _GAP)
        title = f"{schedule.title}, continued"


def _broken(line: str, width: float) -> list[tuple[float, str]]:
    """Break a line into what fits a width, each with its indent; ruled lines are left out."""
    if set(line.strip()) == {"="}:
        return []
    indent = (len(line) - len(line.lstrip())) * text_width("n", _TEXT) * 0.6
    pieces = wrapped(line, _TEXT, width - indent - 8) or [""]
    return [(indent + (8 if number else 0), piece) for number, piece in enumerate(pieces)]
