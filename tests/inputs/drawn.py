"""Shapes near one corner of UTM zone 15 north, and a small rule."""

from __future__ import annotations

from dataclasses import dataclass

import shapely

#: a corner where the grid scale is 0.9996
X, Y = 455_000.0, 4_980_000.0
UTM = "EPSG:26915"


def box(x: float, y: float, width: float, height: float) -> shapely.Polygon:
    """Draw a rectangle by its lower left corner, in metres from (X, Y)."""
    return shapely.box(X + x, Y + y, X + x + width, Y + y + height)


def outline(*points: tuple[float, float]) -> shapely.Polygon:
    """Draw a polygon through points, in metres from (X, Y)."""
    return shapely.Polygon([(X + x, Y + y) for x, y in points])


@dataclass(frozen=True)
class Rule:
    """A rule with two classes of wetlands, and one width for lakes and streams."""

    id: str = "test-rule"
    known: tuple[str, ...] = ("High", "Low 1")
    required: bool = True

    def regulates(self, resource_type: str) -> bool:
        return resource_type != "nothing"

    def classes(self, resource_type: str) -> tuple[str, ...]:
        return self.known if resource_type == "wetland" else ()

    def match_class(self, resource_type: str, text: str) -> str | None:  # noqa: ARG002 -- as a pack has it
        plain = {"".join(name.split()).casefold(): name for name in self.known}
        return plain.get("".join(text.split()).casefold())

    def class_required(self, resource_type: str) -> bool:
        return self.required and bool(self.classes(resource_type))

    def category_table(self) -> None:
        """It decides no class from ratings."""
