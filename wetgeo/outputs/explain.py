"""Why this width, here: the story of one resource, told from the outputs alone; nothing is measured again."""

from __future__ import annotations

import difflib
import textwrap
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from wetgeo.errors import OutputError
from wetgeo.frames import natural_key
from wetgeo.outputs.figures import acres, feet, sqft, stated
from wetgeo.outputs.read import read_layer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_WIDTH = 100
_NAMES_SHOWN = 8


def explain_resource(folder: Path, resource_id: str) -> str:
    """Tell in words why a resource has its width.

    Parameters
    ----------
    folder
        The output folder of a finished run.
    resource_id
        The resource's id, as it stands in the outputs.

    Returns
    -------
    str
        Lines: what it is, what is required, each step with its input and citation, zones, extensions, findings.

    Raises
    ------
    OutputError
        The folder holds no outputs that can be read, or no such resource.
    """
    return explain_from(partial(read_layer, folder), resource_id, str(folder))


def explain_from(layer: Callable[[str], pd.DataFrame], resource_id: str, run: str) -> str:
    """Tell the same of layers that `layer` gives by name; `run` is what an error calls them."""
    resources = layer("resources")
    mine = _of(resources, resource_id)
    if mine.empty:
        raise _no_such(run, resource_id, resources)
    one = mine.iloc[0]
    kinds = [str(part) for part in (one["resource_type"], one["class"]) if not pd.isna(part)]
    if one["gdnr"] in (True, 1):
        kinds.append("groundwater-dependent")
    lines = [f"{resource_id}: {', '.join(kinds)}"]
    lines += _buffer(_of(layer("buffers"), resource_id))
    for step in _rows(_of(layer("reasons"), resource_id)):
        lines += _item(f"{step['step']}. {step['what']}: {step['reason']}", step["citation"])
    for zone in _rows(_of(layer("zones"), resource_id)):
        lines += _item(
            f"{zone['zone']} zone: {_ft(zone['width_ft'])} wide, {sqft(zone['area_sqft'])} sq ft", zone["citation"]
        )
    for added in _rows(_of(layer("extensions"), resource_id)):
        place = "" if pd.isna(added["zone"]) else f" to the {added['zone']} zone"
        words = f"added{place} for {str(added['kind']).replace('_', ' ')}: {sqft(added['area_sqft'])} sq ft"
        lines += _item(f"{words}, up to {feet(added['reach_ft'])} ft from the resource", added["citation"])
    findings = layer("findings")
    for found in _rows(findings[findings["feature_id"] == resource_id]):
        lines += _item(f"{found['severity']}: {found['message']}", found["citation"])
    return "\n".join(lines)


def _buffer(rows: pd.DataFrame) -> list[str]:
    if rows.empty:
        return ["No buffer is required; the findings below say why."]
    one = rows.iloc[0]
    covered = f"{sqft(one['area_sqft'])} sq ft ({acres(one['area_ac'])} acres)"
    lines = [f"Required width {_ft(one['width_ft'])} under {one['rule']}; the buffer covers {covered}."]
    if not pd.isna(one["minimum_ft"]):
        average = "" if pd.isna(one["average_ft"]) else f", and must be {_ft(one['average_ft'])} wide on average"
        lines.append(f"Averaged, it may be no narrower than {_ft(one['minimum_ft'])}{average}.")
    return lines


def _item(words: str, citation: str | None) -> list[str]:
    cited = "" if pd.isna(citation) or not citation else f" [{citation}]"
    return textwrap.wrap(words + cited, _WIDTH, initial_indent="  ", subsequent_indent="     ")


def _of(frame: pd.DataFrame, resource_id: str) -> pd.DataFrame:
    return frame[frame["resource_id"] == resource_id]


def _rows(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    names = [str(name) for name in frame.columns if name != "geometry"]
    yield from (dict(zip(names, row, strict=True)) for row in frame[names].itertuples(index=False, name=None))


def _ft(value: float) -> str:
    return f"{stated(value)} ft"


def _no_such(run: str, resource_id: str, resources: pd.DataFrame) -> OutputError:
    ids = sorted(resources["resource_id"], key=natural_key)
    near = difflib.get_close_matches(resource_id, ids, n=_NAMES_SHOWN) or ids[:_NAMES_SHOWN]
    return OutputError(
        f"{run} holds no resource {resource_id!r}",
        mend=f"name one of its {len(ids)} resources, such as {', '.join(near)}",
    )
