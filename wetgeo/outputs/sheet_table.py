"""Tables on paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wetgeo.outputs.schedules import Column, Schedule
from wetgeo.outputs.sheet_paper import ASCENT, Box, Face, Ink, Paper, fitted, text_width, wrapped

_RULE, _LINE = Ink(line="#000000", width=0.7), Ink(line="#b0b0b0", width=0.25)
_HEAD = Ink(fill="#ececec")
_PAD = 2.0
_TITLE = 7.5
#: print gets no smaller than this, points, and gets there by such steps
_SMALLEST, _SHRINK = 5.5, 0.25
#: so many rows tell how wide the columns are
_SAMPLE = 400
#: texts of so many characters are not to be cut
_SHORT = 12
#: text is cut rather than let a column get wider than this share of the table
_WIDEST = 0.45


def table_height(schedule: Schedule, width: float, *, size: float, rows: int) -> float:
    """How high a table with so many of its rows is, points."""
    return _TITLE * 1.7 + _heads_height(schedule, width, size) + rows * _step(size) + 3


def draw_table(
    paper: Paper, box: Box, schedule: Schedule, *, size: float, start: int = 0, title: str | None = None
) -> tuple[float, int]:
    """Draw as many rows of a table as a box holds, from row `start`.

    Returns
    -------
    tuple
        Where the table ends (points from below), and the first row that found no room.
    """
    widths = column_widths(schedule, box.width, size)
    top = box.top - _TITLE * 1.45
    paper.text((box.left, box.top - _TITLE), title or schedule.title, size=_TITLE, face="bold")
    heads = _heads(schedule.columns, widths, size)
    deep = max(map(len, heads), default=1) * size * 1.15 + 3
    right = box.left + sum(widths)
    paper.box(Box(box.left, top - deep, right, top), _HEAD)
    paper.line([(box.left, top), (right, top)], _RULE)
    for (left, width), column, lines in zip(_edges(box.left, widths), schedule.columns, heads, strict=True):
        for number, line in enumerate(lines):
            base = top - deep + 2 + (len(lines) - 1 - number) * size * 1.15 + size * 0.2
            _cell(paper, (left, base, width), line, column, size, bold=True)
    y = top - deep
    paper.line([(box.left, y), (right, y)], _RULE)
    step, row = _step(size), start
    while row < len(schedule.rows) and y - step >= box.bottom:
        for (left, width), column, text in zip(
            _edges(box.left, widths), schedule.columns, schedule.rows[row], strict=True
        ):
            _cell(paper, (left, y - size * ASCENT - (step - size) / 2 - 0.3, width), text, column, size)
        y -= step
        row += 1
        paper.line([(box.left, y), (right, y)], _RULE if row == len(schedule.rows) else _LINE)
    return y - 3, row


def fitting_size(schedule: Schedule, width: float, size: float) -> float:
    """Return the size at which a table's figures and heads fit a width whole: `size`, or less down to `_SMALLEST`."""
    while size > _SMALLEST and sum(_least_widths(schedule, size)) > width:
        size -= _SHRINK
    return size


def _least_widths(schedule: Schedule, size: float) -> list[float]:
    """Widths below which figures, short texts or words of heads would be cut."""
    found = []
    for place, column in enumerate(schedule.columns):
        cells = [row[place] for row in schedule.rows[:_SAMPLE]]
        whole = [cell for cell in cells if column.is_number or len(cell) <= _SHORT]
        words = [text_width(word, size, "bold") for word in column.head.split()]
        found.append(max([*words, *(text_width(figure, size) for figure in whole)]) + 2 * _PAD)
    return found


def column_widths(schedule: Schedule, width: float, size: float) -> list[float]:
    """Share a width out: each column what its text asks for, texts less where all is too much, heads last."""
    least, asked = [], []
    for place, column in enumerate(schedule.columns):
        cells = max((text_width(row[place], size) for row in schedule.rows[:_SAMPLE]), default=0.0)
        word = max(text_width(word, size, "bold") for word in column.head.split()) + 2 * _PAD
        asked.append(max(min(cells + 2 * _PAD, width * _WIDEST), word))
        least.append(asked[-1] if column.is_number else word)
    extra = sum(asked) - width
    give = [one - low for one, low in zip(asked, least, strict=True)]
    if extra > 0 and sum(give) > 0:
        share = min(extra / sum(give), 1.0)
        asked = [one - share * some for one, some in zip(asked, give, strict=True)]
        extra = sum(asked) - width
    if extra > 0:
        return [one * width / sum(asked) for one in asked]
    return [one - extra / len(asked) for one in asked]


def _edges(left: float, widths: Sequence[float]) -> Iterator[tuple[float, float]]:
    for width in widths:
        yield left, width
        left += width


def _heads(columns: Sequence[Column], widths: Sequence[float], size: float) -> list[list[str]]:
    return [wrapped(column.head, size, width - 2 * _PAD, "bold") for column, width in zip(columns, widths, strict=True)]


def _heads_height(schedule: Schedule, width: float, size: float) -> float:
    heads = _heads(schedule.columns, column_widths(schedule, width, size), size)
    return max(map(len, heads), default=1) * size * 1.15 + 3


def _cell(
    paper: Paper, at: tuple[float, float, float], text: str, column: Column, size: float, *, bold: bool = False
) -> None:
    left, base, width = at
    face: Face = "bold" if bold else "regular"
    text = fitted(text, size, width - 2 * _PAD + 0.5, face)
    if column.is_number:
        paper.text((left + width - _PAD, base), text, size=size, face=face, align="right")
    else:
        paper.text((left + _PAD, base), text, size=size, face=face)


def _step(size: float) -> float:
    return size * 1.42
