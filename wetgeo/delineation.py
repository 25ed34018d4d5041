"""A delineation: all that one run found, as a value that the writers take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    import pandas as pd
    from pyproj import CRS

    from wetgeo.findings import Findings
    from wetgeo.kernels.grid import ElevationSource
    from wetgeo.project import Project


class PackIdentity(Protocol):
    """What the outputs tell of a rule pack."""

    @property
    def id(self) -> str:
        """The pack's id."""

    @property
    def title(self) -> str:
        """The rule's title."""

    @property
    def version(self) -> str:
        """The pack's own version."""

    @property
    def sha256(self) -> str:
        """Hash of the pack's file."""

    @property
    def path(self) -> Path:
        """The pack's file."""

    @property
    def effective(self) -> datetime.date | None:
        """The day from which the rule is in force; None for a draft."""

    def classes(self, resource_type: str) -> tuple[str, ...]:
        """Return the rule's classes of a resource type, the strictest first; none where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delineation:
    """All that one run found.

    Attributes
    ----------
    project
        The project file.
    pack
        The rule pack.
    options
        The pack's options as resolved, defaults included.
    crs
        The working CRS, in which all geometries are.
    layers
        Frames by the names in `wetgeo.layers.LAYERS`; spatial layers are GeoDataFrames. A layer that is left out has no
        rows. Layer ``findings`` is made from `findings` and is not given here.
    findings
        What a reviewer should know.
    inputs
        Every file that was read: vector containers (a ``.gdb`` folder counts as one), tables, rasters.
    command
        The command that made it: run, check, design, impacts or screen.
    dem
        The elevations, for contours; None where there are none.
    disturbance
        The ground that work disturbs, each piece once, for maps: ``cause`` and ``geometry`` in the working CRS; None
        where none was given (run, check and design).
    recorded
        The buffer that edges, monuments, parcels and ``buffer_union`` are of: a proposed one only where it complies.
    """

    project: Project
    pack: PackIdentity
    options: Mapping[str, Any]
    crs: CRS
    layers: Mapping[str, pd.DataFrame]
    findings: Findings
    inputs: Sequence[Path] = field(default=())
    command: str = "run"
    dem: ElevationSource | None = None
    disturbance: pd.DataFrame | None = None
    recorded: Literal["required", "proposed"] = "required"

    @property
    def complies(self) -> bool | None:
        """Whether the buffer that was judged complies; None where none was: the rule asks for no buffer here."""
        return complies(self.layers)


def complies(layers: Mapping[str, pd.DataFrame]) -> bool | None:
    """Tell from layers ``averaging`` and ``violations`` whether a buffer complies; None where none was judged."""
    averaging, violations = layers.get("averaging"), layers.get("violations")
    if violations is not None and not violations.empty:
        return False
    if averaging is None or averaging.empty:
        return None
    return bool(averaging["verdict"].eq("compliant").all())
