"""Hydrologic soil groups: dual groups, and the group that is predominant in a buffer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wetgeo.rules.provisions import SoilCut

#: hydrologic soil groups as the soil survey writes them: one, or one where drained and D where not
HydrologicGroup = Literal["A", "B", "C", "D", "A/D", "B/D", "C/D"]

#: two areas closer than this share of the whole are equal: overlays of one outline differ in the last digits
_TIE = 1e-9


def hsg_letter(group: str, dual_hsg: str = "undrained") -> str:
    """Return the single letter of a hydrologic soil group; a dual group is D, or its first letter where drained.

    Parameters
    ----------
    group
        A, B, C, D, A/D, B/D or C/D.
    dual_hsg
        Option ``dual_hsg``: ``undrained`` or ``drained``.
    """
    first, _, last = group.strip().upper().partition("/")
    return first if dual_hsg == "drained" or not last else last


def predominant_group(
    areas: Mapping[str, float], total: float, soil_cut: SoilCut, *, dual_hsg: str = "undrained"
) -> tuple[str | None, float | None]:
    """Return the predominant group of a buffer and its share of the whole.

    Parameters
    ----------
    areas
        The rated area of each group, dual groups as such; any unit.
    total
        The area of the whole buffer, rated or not, in the same unit.
    soil_cut
        The provision: its order of grades settles ties (toward the first), its ``unrated_most`` what may be unrated.

    Returns
    -------
    tuple
        The letter and its share as a fraction of 1; both None where too much is unrated.
    """
    letters: dict[str, float] = {}
    for group, area in areas.items():
        letter = hsg_letter(group, dual_hsg)
        letters[letter] = letters.get(letter, 0.0) + area
    rated = sum(letters.values())
    if rated <= 0 or total <= 0 or (1 - rated / total) * 100 > soil_cut.unrated_most.value * (1 + _TIE):
        return None, None
    most = max(letters.values())
    group = next(grade for grade in soil_cut.grades if letters.get(grade, 0.0) >= most - _TIE * total)
    return group, letters[group] / total
