import numpy as np
import pytest
import shapely
from sites import FEET, make_ruling, make_site

from wetgeo.findings import Findings
from wetgeo.upland import Upland
from wetgeo.vegetated import UncountedSurface, widen_past

WETLAND = {"geometry": shapely.box(0, 0, 600, 200)}


def widened(pack, width, layers, resource=WETLAND):
    site, findings = make_site([resource], layers, crs=FEET), Findings()
    ruling, upland = make_ruling(pack), Upland.of(site)
    surface = UncountedSurface.of(site, ruling, findings)
    rows, widths = np.array([0]), np.array([float(width)])
    plain = upland.offset(rows, widths)
    return widen_past(site, upland, surface, findings, rows, widths, plain)[0], plain[0], list(findings)


def drive(*bounds):
    return {"existing_impervious": [{"geometry": shapely.box(*bounds)}]}


def test_a_drive_across_pushes_the_edge_out_by_its_own_width():
    grown, plain, findings = widened("mcwd-2024", 75, drive(-500, 220, 1100, 230))
    edge = shapely.intersection(grown, shapely.LineString([(300, 200), (300, 400)]))
    assert edge.bounds[3] == pytest.approx(285, abs=0.01)
    # a corner's rays cross the drive aslant: what they cross is more than its width
    assert grown.area - plain.area > 600 * 10
    assert grown.bounds[1] == pytest.approx(plain.bounds[1])
    assert [f.code for f in findings] == ["vegetated-distance"]


def test_only_the_ground_behind_the_surface_is_gained():
    grown, plain, _ = widened("mcwd-2024", 75, drive(200, 220, 400, 230))
    assert shapely.difference(grown, plain).area == pytest.approx(200 * 10, rel=0.001)
    assert shapely.difference(grown, plain).bounds == pytest.approx((200, 275, 400, 285), abs=0.01)


def test_surface_in_the_widened_part_counts_too():
    layers = {
        "existing_impervious": [
            {"geometry": shapely.box(200, 220, 400, 230)},
            {"geometry": shapely.box(200, 280, 400, 284)},
        ]
    }
    grown, _, _ = widened("mcwd-2024", 75, layers)
    assert shapely.intersection(grown, shapely.LineString([(300, 200), (300, 400)])).bounds[3] == pytest.approx(
        289, abs=0.01
    )


def test_surface_beyond_the_width_changes_nothing():
    grown, plain, findings = widened("mcwd-2024", 75, drive(200, 276, 400, 290))
    assert grown.equals(plain)
    assert not findings


def trail(width):
    return {"trails": [{"geometry": shapely.LineString([(-500, 234), (1100, 234)]), "width_ft": width}]}


@pytest.mark.parametrize(
    ("pack", "width", "trail_ft", "edge", "told"),
    [
        ("mcwd-2024", 75, 4.0, 275, 0),
        ("mcwd-2024", 75, 4.1, 279.1, 2),
        ("mcwd-2024", 75, 8.0, 283, 2),
        ("rcwd-rule-m-2004", 50, 8.0, 258, 1),
        ("rcwd-rule-m-2004", 50, 4.0, 254, 1),
        ("rcwd-rule-m-2004", 50, 12.0, 262, 2),
    ],
)
def test_trails_count_as_each_rule_says(pack, width, trail_ft, edge, told):
    grown, _, findings = widened(pack, width, trail(trail_ft))
    line = shapely.intersection(grown, shapely.LineString([(300, 200), (300, 400)]))
    # the CRS counts in survey feet, the rule in international feet: 2 ppm
    assert line.bounds[3] == pytest.approx(edge, abs=0.01)
    assert len(findings) == told


def test_a_trail_without_a_width_is_told():
    _, _, findings = widened("mcwd-2024", 75, trail(np.nan))
    assert "without a width" in findings[0].message


def test_widening_ends_somewhere():
    grown, _, findings = widened("mcwd-2024", 75, drive(200, 220, 400, 5000))
    assert grown.bounds[3] <= 200 + 75 * 10 + 1
    assert "ended" in findings[0].message


@pytest.mark.parametrize("seed", range(4))
def test_no_wedge_is_missing_behind_surface_along_a_ragged_shore(seed):
    # by the definition, place for place: the shortest straight way, less what it crosses
    rng = np.random.default_rng(seed)
    x = np.linspace(0, 400, 25)
    shore = np.column_stack([x, 100 + rng.uniform(-4, 4, len(x)) + 15 * np.sin(x / 50)])
    wetland = shapely.Polygon([*shore, (400, 0), (0, 0)])
    trail = shapely.LineString([(-200, 118), (150, 128), (250, 125), (600, 135)])
    shed = shapely.box(*(rng.uniform((120, 140), (180, 150))), *(rng.uniform((190, 152), (220, 158))))
    layers = {
        "trails": [{"geometry": trail, "width_ft": 8.0}],
        "existing_impervious": [{"geometry": shed}],
    }
    grown, plain, _ = widened("mcwd-2024", 40, layers, {"geometry": wetland})
    surface = shapely.union(shapely.buffer(trail, 4, cap_style="flat"), shed)
    places = shapely.points(*(axis.ravel() for axis in np.meshgrid(np.arange(20, 380, 0.8), np.arange(120, 190, 0.4))))
    near = shapely.union(surface, wetland)
    shapely.prepare(near)
    places = places[~shapely.dwithin(near, places, 0.05)]
    shapely.prepare([wetland, grown])
    ways = shapely.shortest_line(wetland, places)
    counted = shapely.length(ways) - shapely.length(shapely.intersection(ways, surface))
    held = shapely.contains(grown, places)
    assert not held[counted > 40.05].any()
    missing = places[(counted < 39.95) & ~held]
    assert not len(missing), missing[:5]
    assert shapely.difference(plain, grown).area < 1e-6
