"""The layers made of footprints: resources, buffers, zones, extensions and the union."""

import math

import numpy as np
import pytest
import shapely
from sites import FEET, METRES, make_ruling, make_site

from wetgeo.buffers import buffer_grounds, buffers_layer, extensions_layer, resources_layer, union_layer
from wetgeo.findings import Findings
from wetgeo.footprints import Extension, lay_footprints
from wetgeo.layers import LAYERS
from wetgeo.rules.width import Facts
from wetgeo.upland import Upland
from wetgeo.widths import ResourceWidth, decide_width

NOTHING = np.zeros(0, dtype=object)


def lay(resources, *, layers=None, pack="mcwd-2024", extend=None, excluded=NOTHING, crs=FEET):
    """Layers of resources (dicts as of `make_site`) under a pack, without terrain or soils."""
    site, ruling, findings = make_site(resources, layers, crs=crs), make_ruling(pack), Findings()
    facts = [
        Facts(resource_type=kind, class_name=name, gdnr=bool(gdnr))
        for kind, name, gdnr in zip(
            site.resources["resource_type"], site.resources["class"], site.resources["gdnr"], strict=True
        )
    ]
    widths = [
        ResourceWidth(decision=decide_width(ruling.pack, ruling.options, one), facts=one)
        if ruling.pack.regulates(one.resource_type, one.class_name)
        else None
        for one in facts
    ]
    upland = Upland.of(site)
    footprints = lay_footprints(upland, [None if w is None else w.decision for w in widths], extend=extend)
    grounds = buffer_grounds(upland, footprints, excluded)
    return {
        "site": site,
        "findings": list(findings),
        "buffers": buffers_layer(site, pack, widths, footprints, grounds, findings).set_index("resource_id"),
        "union": union_layer(site, grounds),
        "extensions": extensions_layer(site, upland, footprints, excluded),
        "told": [(f.code, f.feature_id, f.severity) for f in findings],
    }


def square(x, y, size, **columns):
    return {"geometry": shapely.box(x, y, x + size, y + size), **columns}


def around(side, width):
    """Area of the buffer of a square."""
    return 4 * side * width + math.pi * width**2


def test_resources_as_used():
    island = shapely.Polygon(shapely.box(0, 0, 100, 100).exterior, [shapely.box(40, 40, 60, 60).exterior])
    site = make_site([{"geometry": island, "src_NOTE": "x", "class": "Preserve"}], crs=METRES)
    layer = resources_layer(site)
    assert set(LAYERS["resources"].names) <= set(layer)
    assert layer["src_NOTE"].tolist() == ["x"]
    assert layer["area_sqft"].tolist() == pytest.approx([(100**2 - 20**2) / 0.3048**2])
    assert layer["edge_ft"].tolist() == pytest.approx([(400 + 80) / 0.3048])


@pytest.mark.parametrize(
    ("kind", "name", "gdnr", "width", "minimum"),
    [
        ("lake", "natural environment", False, 75, 37.5),
        ("lake", "recreational development", False, 50, 25),
        ("wetland", "1", False, 100, 100),
        ("wetland", "2", False, 75, 50),
        ("wetland", "3", False, 50, 25),
        ("wetland", "4", False, 50, 25),
        ("lake", "recreational development", True, 100, 50),
        ("wetland", "4", True, 100, 50),
        ("wetland", "1", True, 100, 100),
    ],
)
def test_a_row_says_what_the_table_of_rules_says(kind, name, gdnr, width, minimum):
    found = lay([square(0, 0, 400, resource_type=kind, **{"class": name}, gdnr=gdnr)], pack="cmscwd-2009-draft")
    row = found["buffers"].loc["R1"]
    assert (row["width_ft"], row["minimum_ft"]) == (width, minimum)
    assert row["area_sqft"] == pytest.approx(around(400, width), rel=2e-4)
    assert row["area_ac"] == pytest.approx(row["area_sqft"] / 43560)
    assert row["citation"]
    assert row["rule"] == "cmscwd-2009-draft"


@pytest.mark.parametrize(
    ("kind", "name", "width", "minimum"),
    [
        ("lake", "public water", 50, 30),
        ("stream", "public water", 50, 30),
        ("wetland", "public water", 50, 30),
        ("stream", "public drainage ditch", 16.5, 16.5),
    ],
)
def test_the_buffer_law_by_class(kind, name, width, minimum):
    found = lay([square(0, 0, 400, resource_type=kind, **{"class": name})], pack="mn-buffer-law")
    row = found["buffers"].loc["R1"]
    assert (row["width_ft"], row["minimum_ft"], row["average_ft"]) == (width, minimum, width)
    assert row["area_sqft"] == pytest.approx(around(400, width), rel=2e-4)
    assert row["citation"].startswith("subdivision 3(a)")


def test_the_buffer_law_leaves_other_wetlands_alone():
    found = lay([square(0, 0, 400), square(0, 900, 9, resource_type="lake", **{"class": "public water"})],
                pack="mn-buffer-law")  # fmt: skip
    assert list(found["buffers"].index) == ["R2"]


def test_ground_that_buffers_share_counts_for_each_and_once_in_the_union():
    # 60 ft apart, 75 and 40 ft wide: they overlap between; the third lies alone
    found = lay(
        [
            square(0, 0, 100, **{"class": "Preserve"}),
            square(160, 0, 100, **{"class": "Manage 1"}),
            square(9000, 0, 100, **{"class": "Manage 3"}),
        ]
    )
    rows, union = found["buffers"], found["union"]
    assert rows["width_ft"].tolist() == [75, 40, 20]
    assert len(union) == 2
    one, two, three = rows.geometry
    expected = shapely.area([shapely.union(one, two), three])
    assert sorted(union["area_sqft"]) == pytest.approx(sorted(expected / found["site"].sqft))
    assert rows["area_sqft"].sum() > union["area_sqft"].sum()
    assert all(
        not shapely.intersects(part, found["site"].resources.geometry.iloc[0].centroid) for part in union.geometry
    )


def test_touching_wetlands_and_one_that_has_no_upland():
    found = lay(
        [
            square(0, 0, 100, **{"class": "Preserve"}),
            square(100, 0, 100, **{"class": "Preserve"}),
            square(30, 30, 10, **{"class": "Manage 3"}),  # 20 ft wide: all of it in the first
        ]
    )
    assert list(found["buffers"].index) == ["R1", "R2"]
    assert found["told"] == [("buffer-none", "R3", "warning")]
    assert found["union"]["area_sqft"].tolist() == pytest.approx([600 * 75 + math.pi * 75**2], rel=2e-4)


def test_a_resource_off_the_tract_is_told():
    tract = [{"geometry": shapely.box(-500, -500, 500, 500)}]
    found = lay([square(0, 0, 100, **{"class": "Preserve"}), square(2000, 0, 100, **{"class": "Preserve"})],
                layers={"tract": tract})  # fmt: skip
    assert list(found["buffers"].index) == ["R1"]
    assert found["told"] == [("buffer-none", "R2", "warning")]


def test_excluded_surface_is_no_part_of_a_buffer():
    road = shapely.box(-500, 110, 500, 120)
    plain = lay([square(0, 0, 100, **{"class": "Preserve"})])["buffers"]
    found = lay([square(0, 0, 100, **{"class": "Preserve"})], excluded=np.array([road], dtype=object))
    lost = shapely.intersection(plain.geometry.iloc[0], road).area
    assert lost > 1000
    assert found["buffers"]["area_sqft"].iloc[0] == pytest.approx(plain["area_sqft"].iloc[0] - lost, rel=1e-5)


def test_extensions_are_what_lies_outside_the_plain_zone():
    lake = square(0, 0, 400, resource_type="lake", **{"class": "natural environment"})
    strip, other = shapely.box(100, 400, 200, 700), shapely.box(150, 400, 250, 500)

    def extend(row, zone, footprint, _is_last):
        return [
            Extension(row=row, zone=zone, kind=kind, ground=ground, plain=footprint, citation=cite, reason="")
            for kind, ground, cite in (("floodplain", strip, "4.3.4"), ("drainageway", other, "4.3.5"))
        ]

    found = lay([lake], pack="cmscwd-2009-draft", extend=extend)
    rows = found["extensions"].set_index("kind")
    # 75 ft of each stand in the plain zone already; ground that both add stands in both rows
    assert rows["area_sqft"].to_dict() == pytest.approx({"floodplain": 100 * 225, "drainageway": 100 * 25}, rel=1e-4)
    assert rows["reach_ft"].to_dict() == pytest.approx({"floodplain": 300, "drainageway": 100}, abs=0.01)
    assert rows["zone"].isna().all()
    added = 100 * 225 + 50 * 25
    assert found["buffers"]["area_sqft"].iloc[0] == pytest.approx(around(400, 75) + added, rel=2e-4)
    assert found["buffers"]["citation"].iloc[0].endswith("4.3.4; 4.3.5")


def test_nothing_gives_empty_layers():
    found = lay([square(0, 0, 100, resource_type="lake")])
    assert found["buffers"].empty
    assert found["union"].empty
    assert found["extensions"].empty
    assert found["union"].crs == FEET
