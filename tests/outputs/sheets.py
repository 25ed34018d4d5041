"""A small site by hand for sheets and pages: a square wetland, its buffer, a proposal, lots, monuments, a sloping DEM."""

from __future__ import annotations

import dataclasses
import datetime
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from delineated import UTM, Pack, project

from wetgeo.delineation import Delineation
from wetgeo.findings import Findings
from wetgeo.kernels.grid import Grid

FOOT = 0.3048
#: lower left corner of the first wetland, metres
EAST, NORTH = 500_000.0, 5_000_000.0
SIDE_FT, WIDTH_FT, LEAST_FT = 200.0, 50.0, 20.0


def feet(geometry: shapely.Geometry) -> shapely.Geometry:
    """A geometry in feet from the corner of the first wetland, in the CRS."""
    return shapely.transform(geometry, lambda xy: xy * FOOT + (EAST, NORTH))


@dataclasses.dataclass(frozen=True)
class Slope:
    """Elevations of a plane that climbs so many feet in a foot to the east, from 900 ft at the corner."""

    rise: float = 0.1
    cell: float = 1.0
    bounds: tuple[float, float, float, float] = (EAST - 2000, NORTH - 2000, EAST + 2000, NORTH + 2000)

    def window(self, bounds, *, pad=2):
        left, bottom, right, top = (
            max(np.floor(bounds[0]) - pad, self.bounds[0]),
            max(np.floor(bounds[1]) - pad, self.bounds[1]),
            min(np.ceil(bounds[2]) + pad, self.bounds[2]),
            min(np.ceil(bounds[3]) + pad, self.bounds[3]),
        )
        if left >= right or bottom >= top:
            return None
        x = np.arange(left, right) + 0.5
        z = np.tile(self.sample(x, x), (int(top - bottom), 1))
        return Grid(z=z, left=left, top=top, dx=1.0, dy=1.0)

    def sample(self, x, _y):
        return 900 * FOOT + self.rise * (x - EAST)


def wetland(column: int = 0, row: int = 0, *, side: float = SIDE_FT, apart: float = 2000.0) -> shapely.Polygon:
    x, y = column * apart, row * apart
    return shapely.box(x, y, x + side, y + side)


def ring(square: shapely.Polygon, width: float = WIDTH_FT) -> shapely.Polygon:
    return square.buffer(width, quad_segs=64).difference(square)


def frame_of(geometries, **fields) -> gpd.GeoDataFrame:
    """A layer of geometries in feet."""
    return gpd.GeoDataFrame(
        pd.DataFrame(fields, index=range(len(geometries))), geometry=[feet(one) for one in geometries], crs=UTM
    )


def site_layers(names: list[str], squares: list[shapely.Polygon], *, marker: str = "post", parcel: str = "12-34"):
    """Layers of a run."""
    rings = [ring(square) for square in squares]
    lot = shapely.union_all(rings).envelope.buffer(100, join_style="mitre")
    common = {"resource_id": names, "resource_type": "wetland", "class": "Preserve"}
    area = [one.area for one in rings]
    spots = [shapely.Point(ring(square).bounds[0], square.centroid.y) for square in squares]
    monuments = {
        "monument_id": [f"{name}-1" for name in names],
        "resource_id": names,
        "seq": 1,
        "reason": "interval",
        "station_ft": 0.0,
        "gap_ft": 200.0,
        "marker": marker,
        "parcel_ids": parcel,
        "bearing": "N 00°00'00\" E",
        "x": [feet(one).x for one in spots],
        "y": [feet(one).y for one in spots],
        "lon": -93.0,
        "lat": 45.0,
        "elev_ft": 900.0,
    }
    return {
        "resources": frame_of(squares, **common, gdnr=False, area_sqft=[one.area for one in squares], edge_ft=800.0),
        "buffers": frame_of(
            rings,
            **common,
            rule="test",
            base_ft=WIDTH_FT,
            slope_pct=10.0,
            slope_cut_ft=0.0,
            hsg="D",
            hsg_share=1.0,
            soil_cut_ft=0.0,
            floor_ft=None,
            width_ft=WIDTH_FT,
            minimum_ft=WIDTH_FT / 2,
            average_ft=WIDTH_FT,
            area_sqft=area,
            area_ac=[one / 43560 for one in area],
            citation="5(a); 5(c)",
        ),
        "edges": frame_of(
            [shapely.LineString(square.buffer(WIDTH_FT, quad_segs=64).exterior) for square in squares],
            resource_id=names,
            parcel_id=parcel,
            kind="upland",
            length_ft=1000.0,
        ),
        "monuments": frame_of(spots, **monuments),
        "monument_proof": pd.DataFrame(
            {
                "resource_id": names,
                "parcel_id": parcel,
                "edge_ft": 1000.0,
                "monuments": 1,
                "largest_gap_ft": 200.0,
                "allowed_gap_ft": 200.0,
                "verdict": "ok",
            }
        ),
        "parcels": frame_of([lot], parcel_id=[parcel], buffer_sqft=[sum(area)], buffer_share=[1.0]),
        "buffer_union": frame_of(rings, area_sqft=area),
        "reasons": pd.DataFrame(
            {
                "resource_id": names,
                "step": 1,
                "provision": "width",
                "what": "base",
                "value_ft": WIDTH_FT,
                "reason": "base width 50 ft",
                "citation": "5(a)",
            }
        ),
    }


def judged_layers(name: str, square: shapely.Polygon):
    """Layers of a check: a notch to 20 ft from the southern edge, a strip added in the north."""
    left, bottom, right, top = square.bounds
    middle = (left + right) / 2
    notch = shapely.box(middle - 10, bottom - WIDTH_FT - 20, middle + 10, bottom - LEAST_FT)
    strip = shapely.box(left, top + WIDTH_FT, right, top + WIDTH_FT + 10)
    proposal = shapely.union_all([ring(square).difference(notch), strip])
    lost = ring(square).intersection(notch)
    at = feet(shapely.Point(middle, bottom))
    stations = np.arange(0, 800, 10.0)
    width = np.where(np.abs(stations - 700) < 11, LEAST_FT, WIDTH_FT)
    edge = shapely.LineString(square.exterior)
    return {
        "averaging": pd.DataFrame(
            {
                "resource_id": [name],
                "edge_ft": 800.0,
                "required_ft": WIDTH_FT,
                "required_sqft": ring(square).area,
                "proposed_sqft": proposal.area,
                "credited_sqft": proposal.area,
                "lost_sqft": lost.area,
                "gained_sqft": strip.area,
                "over_cap_sqft": 0.0,
                "net_sqft": strip.area - lost.area,
                "average_ft": 51.0,
                "minimum_ft": LEAST_FT,
                "minimum_x": at.x,
                "minimum_y": at.y,
                "minimum_allowed_ft": 25.0,
                "margin_ft": LEAST_FT - 25.0,
                "verdict": "too_narrow",
                "citation": "5(c)",
            }
        ),
        "averaging_areas": frame_of(
            [lost, strip],
            label=["R-1", "A-1"],
            resource_id=name,
            kind=["reduced", "added"],
            area_sqft=[lost.area, strip.area],
            edge_ft=[20.0, 200.0],
            minimum_ft=[LEAST_FT, WIDTH_FT],
            maximum_ft=[WIDTH_FT, WIDTH_FT + 10],
            citation="5(c)",
        ),
        "width_profile": frame_of(
            [edge.interpolate(one) for one in stations],
            resource_id=name,
            station_ft=stations,
            width_ft=width,
            required_ft=WIDTH_FT,
            minimum_allowed_ft=25.0,
        ),
        "violations": frame_of(
            [lost],
            resource_id=name,
            kind="too_narrow",
            measured_ft=LEAST_FT,
            required_ft=25.0,
            area_sqft=100.0,
            citation="5(c)",
        ),
        "proposed": frame_of([proposal], resource_id=name, area_sqft=proposal.area),
    }


def small_site(folder: Path, **changes) -> Delineation:
    """A run on one wetland, W-1."""
    findings = Findings()
    findings.warning("monument", "a monument stands close to another", layer="monuments", feature_id="W-1-1")
    values = {
        "project": project(folder, name="Heron Lake"),
        "pack": Pack(),
        "options": {"reductions": "both", "course_tolerance": 1.0},
        "crs": UTM,
        "layers": site_layers(["W-1"], [wetland()]),
        "findings": findings,
        "command": "run",
    }
    return Delineation(**(values | changes))


def judged_site(folder: Path, **changes) -> Delineation:
    """A check of a proposal for the same wetland."""
    square = wetland()
    layers = site_layers(["W-1"], [square]) | judged_layers("W-1", square)
    return small_site(folder, **({"layers": layers, "command": "check"} | changes))


def draft() -> Pack:
    return dataclasses.replace(Pack(), effective=None)


DATE = datetime.date(2026, 6, 1)
