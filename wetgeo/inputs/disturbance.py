"""The ground that work disturbs, and for what cause, from a file that a command names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import geopandas as gpd
import pandas as pd
from pyproj import CRS

from wetgeo.errors import InputError
from wetgeo.findings import Findings
from wetgeo.inputs.build import Source, read_named, source_of
from wetgeo.inputs.draft import draft_layer
from wetgeo.inputs.faults import Faults, listed
from wetgeo.project import LayerSource
from wetgeo.rules.permits import Cause
from wetgeo.rules.provisions import normalise

CAUSES: tuple[str, ...] = get_args(Cause)


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseReading:
    """How a file tells the cause of each disturbance.

    Attributes
    ----------
    column
        The field that tells it; None takes one that is named ``cause``.
    values
        What the file says, to the rule's word: fill, drain, excavate or temporary.
    default
        The cause of features that tell none.
    required
        Whether a feature without a cause is an error, rather than one of unknown cause.
    """

    column: str | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    default: str | None = None
    required: bool = True


def read_disturbance(
    src: Source,
    reading: CauseReading,
    *,
    crs: CRS,
    near: tuple[float, float, float, float],
    findings: Findings,
) -> gpd.GeoDataFrame:
    """Read disturbance polygons.

    Parameters
    ----------
    src
        ``FILE`` or ``FILE|LAYER``.
    reading
        How the cause is told.
    crs, near
        The working CRS, and the bounds of the resources in it.
    findings
        Takes note of what was repaired, dropped, reprojected or taken by default.

    Returns
    -------
    geopandas.GeoDataFrame
        ``feature_id``, ``cause`` (None where unknown, which only a reading that does not require it allows) and
        ``geometry``, sorted by geometry.

    Raises
    ------
    InputError
        The file cannot be used; or features tell no cause, or one that is not known: all are named.
    """
    frame = read_named(_source(src, reading), crs=crs, findings=findings, near=near)
    causes = _causes(src, reading, frame["feature_id"], frame["cause"])
    return frame.assign(cause=pd.Series(causes, dtype=object))[["feature_id", "cause", "geometry"]]


def probe_disturbance(src: Source, reading: CauseReading) -> None:
    """Raise what `read_disturbance` would, as far as it can be told before the site is known."""
    faults = Faults()
    draft = draft_layer(_source(src, reading), Findings(), faults, allowed=("polygon",))
    faults.raise_any()
    if draft is not None:
        _causes(src, reading, [draft.names[row] for row in draft.rows], draft.roles["cause"])


def _source(src: Source, reading: CauseReading) -> LayerSource:
    return replace(
        source_of(src, "disturbance"),
        fields={} if reading.column is None else {"cause": reading.column},
        values={"cause": reading.values} if reading.values else {},
        defaults={} if reading.default is None else {"cause": reading.default},
    )


def _causes(src: Source, reading: CauseReading, names: Iterable[str], told: Iterable[Any]) -> list[str | None]:
    """Understand the causes that features tell; those that cannot be are named, all at once."""
    known = {normalise(word): word for word in CAUSES}
    causes: list[str | None] = []
    bad: dict[str | None, list[str]] = {}
    for name, value in zip(names, told, strict=True):
        text = None if pd.isna(value) else str(value)
        cause = None if text is None else known.get(normalise(text))
        if cause is None and (text is not None or reading.required):
            bad.setdefault(text, []).append(name)
        causes.append(cause)
    if bad:
        raise _unknown(f"layer disturbance ({source_of(src, 'disturbance').path})", bad)
    return causes


def _unknown(place: str, bad: Mapping[str | None, list[str]]) -> InputError:
    unknown = sorted(text for text in bad if text is not None)
    faults = [f"cause {text!r}: {listed(bad[text])}" for text in unknown]
    mends = [f'--cause-value "{text}=fill"' for text in unknown[:10]]
    if None in bad:
        faults.append(f"no cause: {listed(bad[None])}")
        mends.append("--cause-field FIELD, or --cause CAUSE for those that tell none")
    count = sum(map(len, bad.values()))
    return InputError(
        f"{place}: {count:,} feature{'s' * (count != 1)} whose cause is not one of {listed(CAUSES)}",
        faults=faults,
        mend=f"mend the field cause, or add {' and '.join(mends)}",
    )
