"""The edge downgradient of new surface, on ground whose flow is known; in feet."""

import numpy as np
import pytest
import shapely
from shapely import affinity
from sites import FEET, Elevations, make_ruling, make_site

from wetgeo.errors import InputError
from wetgeo.findings import Findings
from wetgeo.rules.load import load_pack
from wetgeo.ruling import Ruling
from wetgeo.subject import subject_edges

CELL = 3.0
WETLAND = shapely.box(-150, -100, 150, 0)


def plane(aspect=0.0, ratio=0.1):
    """Ground that climbs towards an azimuth, degrees."""
    turn = np.radians(aspect)
    return lambda x, y: 900 + ratio * (x * np.sin(turn) + y * np.cos(turn))


def find(wetland, surfaces, height, *, cell=CELL, half=400.0):
    """Return the ground along the subject edge of each wetland, the flow paths and the findings."""
    wetlands = wetland if isinstance(wetland, list) else [wetland]
    site = make_site(
        [{"geometry": shape} for shape in wetlands],
        {"new_impervious": [{"geometry": surface} for surface in surfaces]},
        crs=FEET,
        dem=height if isinstance(height, Elevations) else Elevations.of(height, half=half, cell=cell),
    )
    findings = Findings()
    found = subject_edges(site, make_ruling("mcwd-2024", trigger="stormwater"), findings)
    return [found.ground.get(row) for row in range(len(wetlands))], found.flow_paths, list(findings)


def edge_of(ground, wetland):
    """The part of the wetland's edge that the ground lies along."""
    return shapely.intersection(wetland.boundary, shapely.buffer(ground, 1e-3))


@pytest.mark.parametrize("aspect", [0, 15, 37, 60])
def test_the_strip_below_a_surface_to_two_cells(aspect):
    turned = [affinity.rotate(shape, -aspect, origin=(0, 0)) for shape in (WETLAND, shapely.box(-40, 100, 60, 150))]
    (ground,), paths, findings = find(turned[0], [turned[1]], plane(aspect))
    back = affinity.rotate(edge_of(ground, turned[0]), aspect, origin=(0, 0))
    left, bottom, right, top = back.bounds
    assert (left, right) == pytest.approx((-40, 60), abs=2 * CELL)
    assert (bottom, top) == pytest.approx((0, 0), abs=0.01)
    # straight away from a straight edge: a strip as wide as the edge
    band = shapely.intersection(affinity.rotate(ground, aspect, origin=(0, 0)), shapely.box(-500, 0, 500, 200))
    assert band.area == pytest.approx(200 * (right - left), rel=1e-3)
    assert set(paths["ends"]) <= {"target", "edge"}
    assert (paths.loc[paths["ends"] == "target", "resource_id"] == "R1").all()
    assert any("flow paths of new_impervious reach" in found.message for found in findings)


def test_two_surfaces_give_two_pieces():
    surfaces = [shapely.box(-120, 100, -70, 120), shapely.box(60, 100, 110, 120)]
    (ground,), paths, _ = find(WETLAND, surfaces, plane())
    pieces = sorted(piece.bounds for piece in edge_of(ground, WETLAND).geoms if piece.length > 1)
    ends = [bounds[i] for bounds in pieces for i in (0, 2)]
    assert ends == pytest.approx([-120, -70, 60, 110], abs=2 * CELL)
    assert set(paths["source_id"]) == {"1", "2"}


@pytest.mark.parametrize("start", range(6))
def test_where_the_ring_starts_does_not_matter(start):
    corners = [(-150, -100), (150, -100), (150, 0), (20, 0), (-150, 0), (-150, -50)]
    wetland = shapely.Polygon(corners[start:] + corners[:start])
    (ground,), _, _ = find(wetland, [shapely.box(-40, 100, 60, 150)], plane())
    left, _, right, _ = edge_of(ground, wetland).bounds
    assert (left, right) == pytest.approx((-40, 60), abs=2 * CELL)


def test_a_bay_gains_no_ground_that_is_nearer_to_its_other_sides():
    bay = shapely.Polygon(
        [(-150, -100), (150, -100), (150, 100), (50, 100), (50, 0), (-50, 0), (-50, 100), (-150, 100)]
    )
    (ground,), _, _ = find(bay, [shapely.box(-30, 150, 30, 170)], plane())
    left, _, right, top = edge_of(ground, bay).bounds
    assert (left, right) == pytest.approx((-30, 30), abs=2 * CELL)
    assert top == pytest.approx(0, abs=0.01)
    # between the bay's sides, 100 ft apart, its floor is nearest up to 50 ft off, below lines of 45 degrees
    assert shapely.intersection(ground, shapely.box(-50, 0, 50, 100)).area == pytest.approx(
        shapely.intersection(shapely.box(left, 0, right, 100), shapely.Polygon([(-50, 0), (50, 0), (0, 50)])).area,
        rel=0.01,
    )


def test_all_round_a_kettle():
    wetland = shapely.Point(0, 0).buffer(60, 32)
    ring = shapely.difference(shapely.Point(0, 0).buffer(150, 32), shapely.Point(0, 0).buffer(120, 32))
    (ground,), paths, _ = find(wetland, [ring], lambda x, y: 900 + 0.1 * np.hypot(x, y))
    # the outer outline drains inwards too
    assert (paths["ends"] == "target").all()
    assert ground.buffer(1e-3).covers(shapely.difference(shapely.Point(0, 0).buffer(200), wetland))


def test_water_that_goes_elsewhere_makes_nothing_subject():
    west, east = WETLAND, affinity.translate(WETLAND, 0, 260)
    (first, second), paths, findings = find([west, east], [shapely.box(-40, 40, 60, 90)], plane())
    assert not first.is_empty
    assert second.is_empty
    assert any("no part of its edge" in found.message and found.feature_id == "R2" for found in findings)
    assert (paths["resource_id"].dropna() == "R1").all()


def test_water_that_runs_together_takes_a_cell_of_the_edge():
    def gully(x, y):
        return 900 + 0.05 * y + 0.5 * np.abs(x - 1.5)

    (ground,), _, _ = find(WETLAND, [shapely.box(-40, 100, 60, 150)], gully)
    left, _, right, _ = edge_of(ground, WETLAND).bounds
    assert right - left >= CELL - 0.01
    assert (left, right) == pytest.approx((0, 3), abs=2 * CELL)


def test_resources_that_share_an_edge_are_reached_alike():
    stream = shapely.box(-150, -20, 150, 0)  # along the wetland's upper edge
    (first, second), _, _ = find([WETLAND, stream], [shapely.box(-40, 100, 60, 150)], plane())
    for ground, shape in ((first, WETLAND), (second, stream)):
        left, _, right, _ = edge_of(ground, shape).bounds
        assert (left, right) == pytest.approx((-40, 60), abs=2 * CELL)


def test_voids_are_told():
    dem = Elevations.of(plane())
    x = np.arange(dem.grid.z.shape[1]) * CELL - 300
    y = 300 - np.arange(dem.grid.z.shape[0]) * CELL
    dem.grid.z[np.ix_((y > 30) & (y < 60), (x > -20) & (x < 20))] = np.nan
    (ground,), paths, findings = find(WETLAND, [shapely.box(-40, 100, 60, 150)], dem)
    (told,) = [found for found in findings if found.code == "flow-void"]
    assert told.layer == "new_impervious"
    assert "end in a void of the DEM" in told.message
    assert {"void", "target"} <= set(paths["ends"])
    assert not ground.is_empty


def test_surface_beyond_the_elevations_is_told():
    _, paths, findings = find(WETLAND, [shapely.box(2000, 2000, 2050, 2050)], plane())
    assert paths.empty
    assert any(found.code == "dem-edge" and "no elevations" in found.message for found in findings)


def test_what_is_missing_is_said_at_once():
    site = make_site([{"geometry": WETLAND}], crs=FEET)
    with pytest.raises(
        InputError, match=r"(?s)downgradient of new_impervious.*layers\.new_impervious.*\[dem\]"
    ) as error:
        subject_edges(site, make_ruling("mcwd-2024", trigger="new_residence"), Findings())
    assert "or choose another trigger" in str(error.value)
    site = make_site([{"geometry": WETLAND}], {"new_impervious": []}, crs=FEET, dem=Elevations.of(plane()))
    with pytest.raises(InputError, match=r"layers\.new_impervious"):
        subject_edges(site, make_ruling("mcwd-2024", trigger="stormwater"), Findings())


@pytest.mark.parametrize("options", [{}, {"trigger": "replacement"}, {"trigger": "crossing"}])
def test_other_triggers_take_the_whole_edge(options):
    site = make_site([{"geometry": WETLAND}], crs=FEET)
    pack = load_pack("mcwd-2024")
    found = subject_edges(site, Ruling.of(pack, options, site.date, Findings()), Findings())
    assert not found.ground
    assert found.flow_paths is None
