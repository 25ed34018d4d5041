"""The class of a wetland that the file does not state, from its ratings, where the rule has a table for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wetgeo.inputs.roles import RoleReader
from wetgeo.rules.evaluate import CategoryResult, management_category
from wetgeo.rules.permits import ManagementCategory


def rated_categories(
    reader: RoleReader, table: ManagementCategory, rows: Sequence[int]
) -> Mapping[int, CategoryResult]:
    """Decide the category of some features from their ratings.

    Parameters
    ----------
    reader
        Of the wetlands; takes note of each category that was decided, and of ratings that could not be read.
    table
        The rule's decision table.
    rows
        The features that have no class.

    Returns
    -------
    Mapping
        Row to what was decided; empty where the layer has no field of ratings. A missing rating is never read as low:
        ``category`` is None where one is missing that could turn the answer.
    """
    given = [name for name in table.ratings if name in reader.fields or name in reader.source.defaults]
    if not given or not rows:
        return {}
    columns = {name: reader.column(name) for name in given}
    results = {}
    for row in rows:
        result = management_category(table, {name: values[row] for name, values in columns.items()})
        for fault in result.unreadable:
            reader.notes.add("warning", "value-unreadable", f"{fault}; it was taken as missing", [row])
        if result.category is not None:
            reader.notes.add("info", "class-decided", decided(result), [row])
        results[row] = result
    return results


def decided(result: CategoryResult) -> str:
    """Say by which characteristic a category was decided."""
    return f"no class in the file; class {result.category} by its ratings ({result.citation}): {result.criterion}"
