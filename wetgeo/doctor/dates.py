"""Dates: the application date against today. That the rule took effect later is told by the reader."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from wetgeo.doctor.reading import Reading
from wetgeo.doctor.remarks import Remark

#: an application that lies further ahead is probably a slip of the pen: days
_AHEAD = 366


def look(reading: Reading) -> Iterator[Remark]:
    """Look at the application date."""
    date = reading.project.date
    today = datetime.datetime.now().astimezone().date()
    if date == today:
        yield _remark(
            reading,
            "info",
            "date-today",
            f"the application date is today's, {today}; left out of the project file, it is another one tomorrow",
            "state it, so that a later run applies the same rule",
            f"date = {today}",
        )
    elif (date - today).days > _AHEAD:
        yield _remark(
            reading, "warning", "date-ahead", f"the application date, {date}, lies more than a year ahead",
            "correct the date", "date = ...",
        )  # fmt: skip


def _remark(reading: Reading, severity: str, code: str, message: str, mend: str, line: str) -> Remark:
    return Remark(
        severity=severity,
        subject="dates",
        code=code,
        file=str(reading.project.path),
        message=message,
        mend=mend,
        table="project",
        line=line,
    )
