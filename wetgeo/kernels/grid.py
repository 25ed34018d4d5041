"""A grid of elevations as one value, and the source that windows of it are read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Elevations on square or rectangular cells, north up.

    Attributes
    ----------
    z
        Elevations, shape (rows, columns), row 0 in the north, in the unit of the horizontal CRS (so that slopes are
        plain ratios); NaN is void.
    left, top
        The outer corner of cell (0, 0), CRS units.
    dx, dy
        Size of a cell, CRS units, both positive.
    touches
        True where the window ends at the end of the source on some side.
    implausible
        Number of cells that hold a number which no land has as its elevation; they are void in `z`.
    """

    z: NDArray[np.float64]
    left: float
    top: float
    dx: float
    dy: float
    touches: bool = False
    implausible: int = 0

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Outer bounds (left, bottom, right, top), CRS units."""
        rows, columns = self.z.shape
        return self.left, self.top - rows * self.dy, self.left + columns * self.dx, self.top


class ElevationSource(Protocol):
    """Elevations in the working CRS, read by windows; the whole is never loaded."""

    @property
    def cell(self) -> float:
        """The larger side of a cell, CRS units."""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Outer bounds of all elevations (left, bottom, right, top), CRS units."""

    def window(self, bounds: tuple[float, float, float, float], *, pad: int = 2) -> Grid | None:
        """Read the cells that `bounds` touches and `pad` cells around; None where there are none."""

    def sample(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Elevations at points, bilinear, in the unit of the CRS; NaN where there are none."""
