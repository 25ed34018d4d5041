"""Findings: what a reviewer should know about a run.

Wrong is an error, doubtful is a finding. All findings stand in layer ``findings`` of the outputs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

SEVERITIES = ("error", "warning", "info")

#: every code a finding may bear, with its meaning (the reference documentation is made from it)
CODES: dict[str, str] = {
    # coordinate systems and units
    "crs-working": "the working CRS, and the grid scale at the site",
    "crs-reprojected": "a layer or raster was reprojected to the working CRS",
    "crs-area": "a layer that lies outside the area that its CRS is meant for",
    "crs-stated": "a layer's CRS was taken from the project file, for its file has none",
    "crs-auto": "the working CRS was chosen by the tool",
    "z-unit": "where the DEM's vertical unit was taken from, and where two statements differ",
    # layers and features
    "layer-empty": "a layer without a usable feature",
    "layer-far": "a layer that lies nowhere near the resources",
    "layer-read": "what the format's reader warned of",
    "layer-ignored": "a layer or field that this rule does not use",
    "schema-recognised": "a known schema was recognised and its fields were used",
    "geometry-repaired": "an invalid geometry was repaired; the change of area is told",
    "geometry-dropped": "a feature that could not be used: no geometry, empty, no area, or of the wrong kind",
    "geometry-linearised": "true curves were drawn as chords",
    "geometry-flattened": "heights or measures were dropped from geometries",
    "duplicate-dropped": "a feature that repeats another one to the vertex was dropped",
    "id-repeated": "an id that several features bear; made unique with #2, #3",
    "id-missing": "features without an id; named by their layer and number",
    "resources-overlap": "two resources that claim the same ground",
    "class-unknown": "a class that the rule does not know",
    "class-default": "a default class was used",
    "class-decided": "a class that was decided from ratings, and by which characteristic",
    "value-default": "a default value was used",
    "value-unreadable": "a value that cannot be read as what its role asks",
    # soils
    "soil-unmatched": "soil polygons whose map unit key is in no table",
    "soil-contradicted": "map units that the table of groups names twice, with different groups",
    "soil-overlap": "soil polygons that claim the same ground",
    "soil-unrated": "soil without a hydrologic group, where it decides",
    "soil-missing": "no soil layer was given, or none covers the buffer; no cut was made",
    # terrain
    "dem-missing": "no DEM was given; what needs one was left out",
    "dem-coverage": "the DEM does not cover all of a buffer",
    "dem-nodata": "implausible elevations were taken as nodata",
    "dem-tiles": "DEM tiles of differing resolution were resampled",
    "dem-edge": "a result reaches the edge of the DEM and may be cut short",
    "flow-void": "flow paths that end in a void of the DEM",
    # the rule
    "rule-option": "an option of the rule, as used",
    "rule-draft": "the rule is a draft",
    "rule-date": "the rule took effect after the application date",
    "rule-central": "Rule M: which wetland is central, and which are not connected to it",
    "rule-setback": "a structure setback that is missing",
    "rule-structure": "widths decided by a structure's distance",
    "rule-no-buffer": "a resource that gets no buffer under this rule, with the reason",
    "rule-reading": "another reading of the rule would turn the result",
    "width-decided": "how a width was decided where a reviewer may ask",
    "subject-edge": "only part of a resource's edge is subject to the rule",
    "vegetated-distance": "the buffer was widened past surface that does not count",
    "extension": "what a provision added, or could not decide",
    "extension-cut-short": "an extension touches the edge of its layer or of the DEM",
    "buffer-none": "a resource without any buffer on the tract",
    "parcel-none": "buffer that lies on no parcel",
    "parcel-overlap": "parcels that overlap, and parcels with the same outline",
    "parcel-repeated": "parcel features that bear one number and were taken as one parcel",
    "monument": "placement of monuments that a reviewer may ask about",
    # averaging
    "proposal": "what a proposed buffer holds that counts nothing, counts twice or was taken as meant",
    "averaging": "why an averaged buffer does not comply, and by how much",
    "recorded": "which buffer the edges, monuments, parcels and the declaration are of, where one was judged",
    "design": "what a designed buffer could not reach, and why",
    # what else a permit asks
    "disturbance": "ground that work disturbs, as it was taken: overlaps, and what lies off the site or the tract",
    "impact": "what is disturbed that may not be, what is exempt, and how what is owed was reckoned",
    "access": "access through a buffer: how wide it may be, and where it is wider",
    "trigger": "what decides whether a provision applies to the work, or keeps it from being decided",
    # batches
    "left-out": "a resource that could not be worked, with what went wrong; the others were",
    # outputs
    "outputs-limited": "outputs that were not written because there are too many resources for them",
    "shapefile-cut": "a value that a shapefile cannot hold in full",
    "exhibit": "what the plan sheets leave out, or draw smaller, where there would be too many",
}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Finding:
    """One thing a reviewer should know; the fields are those of layer ``findings``."""

    severity: str
    code: str
    layer: str = ""
    feature_id: str = ""
    message: str
    citation: str = ""


@dataclass(slots=True)
class Findings:
    """Collects findings; repeats count once, and the order of iteration does not depend on the order of collection."""

    _found: set[Finding] = field(default_factory=set)
    _noted: dict[str, dict[str, float]] = field(default_factory=dict)

    def add(
        self, severity: str, code: str, message: str, *, layer: str = "", feature_id: object = "", citation: str = ""
    ) -> None:
        """Add a finding. Raises KeyError for a severity or code that is not listed here."""
        if severity not in SEVERITIES or code not in CODES:
            raise KeyError(f"{severity}/{code}")
        self._found.add(
            Finding(
                severity=severity,
                code=code,
                layer=layer,
                feature_id=str(feature_id),
                message=message,
                citation=citation,
            )
        )

    def info(self, code: str, message: str, *, layer: str = "", feature_id: object = "", citation: str = "") -> None:
        """Add a finding that only informs."""
        self.add("info", code, message, layer=layer, feature_id=feature_id, citation=citation)

    def warning(self, code: str, message: str, *, layer: str = "", feature_id: object = "", citation: str = "") -> None:
        """Add a finding that a reviewer should look at."""
        self.add("warning", code, message, layer=layer, feature_id=feature_id, citation=citation)

    def error(self, code: str, message: str, *, layer: str = "", feature_id: object = "", citation: str = "") -> None:
        """Add a finding about something that was left out because it could not be used."""
        self.add("error", code, message, layer=layer, feature_id=feature_id, citation=citation)

    def note(self, code: str, part: str, amount: float) -> None:
        """Note an amount that belongs to one finding about a whole; a part that is noted again counts once."""
        self._noted.setdefault(code, {})[part] = amount

    def noted(self, code: str) -> dict[str, float]:
        """Give the amounts noted for a code, by part."""
        return dict(self._noted.get(code, {}))

    def forget(self, feature_ids: Collection[str]) -> None:
        """Drop what was found about some features."""
        self._found = {one for one in self._found if one.feature_id not in feature_ids}

    def extend(self, others: Findings) -> None:
        """Take over all findings of another collection, and what it noted."""
        self._found |= others._found
        for code, parts in others._noted.items():
            self._noted.setdefault(code, {}).update(parts)

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Finding]:
        return iter(sorted(self._found, key=lambda f: (SEVERITIES.index(f.severity), f.code, f.layer, f.feature_id, f)))
