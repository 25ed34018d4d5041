"""The text of a wetgeo.toml; free of QGIS."""

import json
import re

_BARE = re.compile(r"^[A-Za-z0-9_-]+$")
_NUMBER = re.compile(r"^[+-]?\d+(\.\d+)?$")
#: characters that TOML wants escaped and JSON does not
_DELETE = "\x7f"


def value(one):
    """Write text, a number, true or false, a list or a table as TOML."""
    if isinstance(one, bool):
        return "true" if one else "false"
    if isinstance(one, (int, float)):
        return repr(one)
    if isinstance(one, (list, tuple)):
        return f"[{', '.join(value(each) for each in one)}]"
    if isinstance(one, dict):
        return f"{{ {', '.join(f'{key(name)} = {value(each)}' for name, each in one.items())} }}" if one else "{}"
    return json.dumps(str(one), ensure_ascii=False).replace(_DELETE, "\\u007f")


def key(name):
    """Write a key, in quotes where it needs them."""
    return name if _BARE.match(name) else value(name)


def table(name, entries):
    """Write a table; entries that are None are left out."""
    lines = [f"{key(each)} = {value(one)}" for each, one in entries.items() if one is not None]
    return "\n".join([f"[{name}]", *lines, ""])


def project_text(head, layers, *, dem=None, options=None, formats=None):
    """Write a project file.

    Parameters
    ----------
    head
        Entries of ``[project]``; the date as text such as 2026-06-01.
    layers
        Entries of each layer by its name.
    dem, options, formats
        Entries of ``[dem]`` and ``[options]``, and the list of formats; None for none.
    """
    date = head.get("date")
    text = table("project", {**head, "date": None})
    parts = [text if date is None else text.replace("[project]\n", f"[project]\ndate = {date}\n", 1)]
    parts += [table(f"layers.{name}", entries) for name, entries in layers.items()]
    parts += [table("dem", dem)] if dem else []
    parts += [table("options", options)] if options else []
    parts += [table("outputs", {"formats": formats})] if formats else []
    return "\n".join(parts)


def plain_value(text):
    """Read an option as a dialog has it: a number, true or false, or text."""
    stripped = str(text).strip()
    if stripped.lower() in ("true", "false"):
        return stripped.lower() == "true"
    if _NUMBER.match(stripped):
        return float(stripped) if "." in stripped else int(stripped)
    return stripped


def pairs(flat):
    """Take a matrix of two columns, as QGIS hands it over, as a dict; rows without a first cell are left out."""
    cells = ["" if cell is None else str(cell).strip() for cell in flat or ()]
    return {name: meant for name, meant in zip(cells[::2], cells[1::2]) if name}


def values_by_role(flat, layer):
    """Take the rows of one layer from a matrix of layer, role and value."""
    cells = ["" if cell is None else str(cell).strip() for cell in flat or ()]
    rows = zip(cells[::3], cells[1::3], cells[2::3])
    return {role: plain_value(meant) for name, role, meant in rows if name == layer and role}
