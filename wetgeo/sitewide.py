"""Site-wide: what must be known of a whole site before any part of it can be worked by itself.

Which resources get a buffer may hang on a chain of others; water comes from far uphill; a floodplain is added as far as
it is connected. These are found once, over the whole site; all other steps look at a resource and what lies around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wetgeo.access import AccessWay, access_ways
from wetgeo.extensions import MappedGround, mapped_grounds
from wetgeo.findings import Findings
from wetgeo.ruling import Ruling
from wetgeo.site import Site
from wetgeo.structures import tell_lacking_setbacks
from wetgeo.subject import SubjectEdges, subject_edges
from wetgeo.vegetated import UncountedSurface
from wetgeo.widths import buffered


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteWide:
    """What is known of a whole site.

    Attributes
    ----------
    chosen
        The resources that get a buffer, shape of ``site.resources``.
    subject
        The edges that the rule applies to.
    uncounted
        Surface that is no part of a buffer.
    mapped
        Mapped ground that the rule may add to zones, each connected part whole.
    ways
        Access as drawn.
    """

    chosen: NDArray[np.bool_]
    subject: SubjectEdges
    uncounted: UncountedSurface
    mapped: Sequence[MappedGround]
    ways: Sequence[AccessWay]

    @classmethod
    def of(cls, site: Site, ruling: Ruling, findings: Findings) -> SiteWide:
        """Find it; `findings` take note of what was assumed. Raises InputError as `subject_edges`."""
        chosen = buffered(site, ruling, findings)
        tell_lacking_setbacks(site, ruling, chosen, findings)
        return cls(
            subject=subject_edges(site, ruling, findings),
            chosen=chosen,
            uncounted=UncountedSurface.of(site, ruling, findings),
            mapped=mapped_grounds(site, ruling, findings),
            ways=access_ways(site, ruling, findings),
        )
