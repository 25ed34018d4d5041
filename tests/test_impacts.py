"""Impacts and replacement, against closed forms and the figures printed in the rules. Lengths in feet."""

from __future__ import annotations

import itertools

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from sites import METRES, make_layer, make_ruling, make_site

from wetgeo.findings import Findings
from wetgeo.impacts import Disturbance, impact_summary, impacts_layer

FT = 0.3048
CMSCWD, MCWD, RCWD = "cmscwd-2009-draft", "mcwd-2024", "rcwd-rule-m-2004"


def box(x, y, width, height):
    return shapely.box(455_000 + x * FT, 4_980_000 + y * FT, 455_000 + (x + width) * FT, 4_980_000 + (y + height) * FT)


def wetland(x, class_name=None, *, side=100.0, **more):
    return {"class": class_name, "geometry": box(x, 0, side, side), **more}


def disturbed(*features):
    """Disturb ground: pairs of a cause and a polygon."""
    return make_layer([{"cause": cause, "geometry": shape} for cause, shape in features])


def buffer_frame(site, width=50.0):
    """Draw a buffer around each resource, square at its corners, upland only."""
    water = shapely.union_all(site.resources.geometry.to_numpy())
    shapes = shapely.difference(
        shapely.buffer(site.resources.geometry.to_numpy(), width * FT, cap_style="square", join_style="mitre"), water
    )
    columns = {"resource_id": site.resources["resource_id"], "class": site.resources["class"], "citation": "width"}
    return gpd.GeoDataFrame(columns, geometry=shapes, crs=METRES)


def measure(resources, features, *, pack=CMSCWD, layers=None, buffers=False, **options):
    """Give the layer, with class, and the findings."""
    site, ruling, findings = make_site(resources, layers), make_ruling(pack, **options), Findings()
    disturbance = Disturbance.of(disturbed(*features), site, ruling, findings)
    frame = buffer_frame(site)
    layer = impacts_layer(site, ruling, frame if buffers else frame.iloc[:0], disturbance, findings)
    return layer, findings


def told(findings, code="impact"):
    return [(f.severity, f.feature_id, f.message) for f in findings if f.code == code]


RATIOS = [
    (MCWD, "Preserve", 2, "3(b)"),
    (MCWD, "Manage 3", 2, "3(b)"),
    (RCWD, None, 1, "7(b)"),
    (CMSCWD, "1", 6, "8.5.4(a)"),
    (CMSCWD, "2", 4, "8.5.4(b)"),
    (CMSCWD, "3", 3, "8.5.4(c)"),
    (CMSCWD, "4", 2, "8.5.4(d)"),
]


@pytest.mark.parametrize(("pack", "name", "ratio", "citation"), RATIOS)
@pytest.mark.parametrize("cause", ["fill", "drain", "excavate"])
def test_replacement_by_pack_and_class(pack, name, ratio, citation, cause) -> None:
    layer, _ = measure([wetland(0, name)], [(cause, box(20, 20, 30, 40))], pack=pack)
    assert layer["area_sqft"].tolist() == pytest.approx([1200], abs=1e-3)
    assert layer["ratio"].tolist() == [ratio]
    assert layer["replacement_sqft"].tolist() == pytest.approx([1200 * ratio], abs=0.01)
    assert layer["citation"].tolist() == [citation]
    assert not layer["exempt"].any()


def test_what_is_temporary_is_not_replaced() -> None:
    layer, _ = measure([wetland(0, "1")], [("temporary", box(20, 20, 30, 40))])
    assert layer[["kind", "cause", "exempt", "replacement_sqft"]].to_numpy().tolist() == [
        ["wetland", "temporary", False, 0.0]
    ]
    assert layer["ratio"].isna().all()


@pytest.mark.parametrize(("width", "exempt"), [(4.9, True), (5.0, True), (5.1, False)])
@pytest.mark.parametrize("classes", [("1", "1"), ("1", "2"), ("2", "2")])
def test_de_minimis_is_added_up_over_the_project(width, exempt, classes) -> None:
    """Two impacts of 10 sq ft each, at, under and over 20 sq ft together."""
    resources = [wetland(0, classes[0]), wetland(500, classes[1])]
    layer, findings = measure(resources, [("fill", box(0, 0, 2, width)), ("fill", box(500, 0, 2, width))])
    assert layer["area_sqft"].sum() == pytest.approx(4 * width, abs=1e-3)
    assert layer["exempt"].tolist() == [exempt, exempt]
    owed = sum(2 * width * {"1": 6, "2": 4}[name] for name in classes)
    assert layer["replacement_sqft"].sum() == pytest.approx(0 if exempt else owed, abs=0.01)
    assert [f.citation for f in findings if f.code == "impact" and "20 sq ft" in f.message] == ["8.5.2(a)"]
    assert "8.5.2(a)" in layer["citation"][0] or not exempt


@pytest.mark.parametrize(("width", "exempt"), [(19.9, True), (20.0, True), (20.1, False)])
def test_other_categories_are_exempt_by_the_option_only(width, exempt) -> None:
    features = [("fill", box(0, 0, 20, width))]
    layer, _ = measure([wetland(0, "3")], features, de_minimis_sqft="400 sq ft")
    assert layer["exempt"].tolist() == [exempt]
    assert not measure([wetland(0, "3")], features)[0]["exempt"].any()


def test_categories_with_limits_of_their_own_do_not_share_them() -> None:
    resources = [wetland(0, "1"), wetland(500, "3")]
    features = [("fill", box(0, 0, 2, 5)), ("fill", box(500, 0, 20, 30))]
    layer, _ = measure(resources, features, de_minimis_sqft="400 sq ft")
    assert dict(zip(layer["class"], layer["exempt"], strict=True)) == {"1": True, "3": False}


def test_temporary_ground_does_not_use_up_the_exemption() -> None:
    layer, _ = measure([wetland(0, "1")], [("fill", box(0, 0, 2, 5)), ("temporary", box(50, 50, 40, 40))])
    assert layer.set_index("cause")["exempt"].to_dict() == {"fill": True, "temporary": False}


def test_overlapping_disturbance_counts_once_for_the_cause_that_is_replaced() -> None:
    features = [("temporary", box(0, 0, 40, 40)), ("fill", box(20, 0, 40, 40)), ("fill", box(30, 0, 40, 40))]
    layer, findings = measure([wetland(0, "2")], features)
    areas = impact_summary(layer).set_index("cause")["area_sqft"]
    assert areas["fill"] == pytest.approx(50 * 40, abs=1e-2)
    assert areas["temporary"] == pytest.approx(20 * 40, abs=1e-2)
    ((severity, _, message),) = told(findings, "disturbance")
    assert severity == "warning"
    assert message.startswith("its polygons overlap by 2,000 sq ft; that ground was counted once; 800 sq ft of it")


def test_overlapping_disturbance_of_one_cause_is_a_note() -> None:
    _, findings = measure([wetland(0, "2")], [("fill", box(20, 0, 40, 40)), ("fill", box(30, 0, 40, 40))])
    assert [f.severity for f in findings if f.code == "disturbance"] == ["info"]


def test_overlapping_wetlands_count_once_at_the_higher_ratio() -> None:
    layer, _ = measure([wetland(0, "4"), wetland(50, "1")], [("fill", box(0, 10, 200, 10))])
    areas = dict(zip(layer["class"], layer["area_sqft"], strict=True))
    assert areas == pytest.approx({"4": 500, "1": 1000}, abs=1e-2)


def test_buffer_is_replaced_one_for_one_with_its_wetland() -> None:
    layer, findings = measure([wetland(0, "2")], [("fill", box(80, 0, 50, 40))], buffers=True)
    rows = layer.set_index("kind")
    assert rows["area_sqft"].to_dict() == pytest.approx({"wetland": 800, "buffer": 1200}, abs=1e-2)
    assert rows["ratio"].to_dict() == {"wetland": 4, "buffer": 1}
    assert rows["replacement_sqft"].to_dict() == pytest.approx({"wetland": 3200, "buffer": 1200}, abs=1e-2)
    assert rows.loc["buffer", "citation"] == "8.5.4; width"
    assert not told(findings, "rule-reading")


def test_buffer_of_a_wetland_that_is_not_replaced_is_a_reading() -> None:
    features = [("fill", box(110, 0, 20, 40))]
    layer, findings = measure([wetland(0, "2")], features, buffers=True)
    assert layer["replacement_sqft"].tolist() == [0.0]
    assert layer["ratio"].isna().all()
    assert "another 800 sq ft would be owed" in told(findings, "rule-reading")[0][2]
    layer, findings = measure([wetland(0, "2")], features, buffers=True, buffer_replacement="all")
    assert layer["replacement_sqft"].tolist() == pytest.approx([800], abs=1e-2)
    assert not told(findings, "rule-reading")


@pytest.mark.parametrize("pack", [MCWD, RCWD])
def test_rules_without_a_ratio_for_buffer_ask_none(pack) -> None:
    name = "Preserve" if pack == MCWD else None
    layer, findings = measure([wetland(0, name)], [("fill", box(80, 0, 50, 40))], pack=pack, buffers=True)
    assert layer.set_index("kind")["replacement_sqft"]["buffer"] == 0
    assert not told(findings, "rule-reading")


def test_ground_in_two_buffers_counts_once_for_the_wetland_that_is_replaced() -> None:
    resources = [wetland(0, "3"), wetland(150, "3")]
    # W-2 is filled, and all of the 50 ft between the two, which lie in both buffers
    layer, _ = measure(resources, [("fill", box(100, 0, 60, 100))], buffers=True)
    rows = layer[layer["kind"] == "buffer"]
    assert rows[["resource_id", "ratio"]].to_numpy().tolist() == [["R2", 1.0]]
    assert rows["area_sqft"].tolist() == pytest.approx([5000], abs=1e-2)


@pytest.mark.parametrize(
    ("rank", "severity"),
    [("A", "error"), ("B", "error"), ("B/C", "error"), ("BC", "error"), ("C", None), ("D", None), ("?", "warning")],
)
def test_communities_of_a_high_rank_may_not_be_disturbed(rank, severity) -> None:
    layers = {"natural_communities": [{"rank": rank, "feature_id": "fen", "geometry": box(0, 0, 100, 100)}]}
    layer, findings = measure([wetland(0)], [("temporary", box(90, 0, 30, 50))], pack=RCWD, layers=layers)
    row = layer[layer["kind"] == "natural_community"].iloc[0]
    assert (row["resource_id"], row["citation"]) == ("fen", "7(c)(i)")
    assert row["area_sqft"] == pytest.approx(500, abs=1e-2)
    found = [(level, name) for level, name, _ in told(findings) if name]
    assert found == ([] if severity is None else [(severity, "fen")])


def test_other_rules_protect_no_rank() -> None:
    layers = {"natural_communities": [{"rank": "A", "geometry": box(0, 0, 100, 100)}]}
    layer, findings = measure([wetland(0, "4")], [("fill", box(0, 0, 30, 50))], layers=layers)
    assert sorted(layer["kind"]) == ["natural_community", "wetland"]
    assert "error" not in {f.severity for f in findings}


def test_disturbed_lakes_and_streams_are_told() -> None:
    lake = {"resource_type": "lake", "class": "natural environment", "geometry": box(50, 0, 100, 100)}
    layer, findings = measure([wetland(0, "1"), lake], [("fill", box(0, 0, 150, 10))])
    assert layer["area_sqft"].tolist() == pytest.approx([1000], abs=1e-2)  # what both claim is wetland
    assert [name for _, name, _ in told(findings, "disturbance")] == ["R2"]
    assert "500 sq ft" in told(findings, "disturbance")[0][2]


def test_a_polygon_miles_off_is_named_with_its_distance() -> None:
    near, far = box(0, 0, 10, 10), box(100 + 54 * 5280, 0, 20, 10)
    _, findings = measure([wetland(0, "1")], [("fill", near), ("fill", far)])
    ((severity, name, message),) = told(findings, "disturbance")
    assert severity == "warning"
    assert message.startswith(f"{name} lies 54.0 miles from the site's nearest wetland, lake or stream")


def test_ground_outside_the_tract_and_off_the_site_is_told() -> None:
    layers = {"tract": [{"geometry": box(0, 0, 200, 200)}]}
    layer, findings = measure([wetland(0, "1")], [("fill", box(190, 190, 20, 10))], layers=layers)
    assert layer.empty
    messages = " ".join(message for _, _, message in told(findings, "disturbance"))
    assert "100 sq ft of it lie outside the tract" in messages
    assert "is it of this site?" in messages


def test_no_resource_disturbed_gives_a_summary_without_rows() -> None:
    layer, _ = measure([wetland(0, "1")], [("fill", box(900, 0, 5, 5))])
    assert impact_summary(layer).empty


def test_summary_adds_up_by_kind_class_and_cause() -> None:
    resources = [wetland(0, "1"), wetland(300, "1"), wetland(600, "3")]
    features = [("fill", box(0, 0, 10, 10)), ("fill", box(300, 0, 10, 10)), ("drain", box(600, 0, 10, 10))]
    table = impact_summary(measure(resources, features)[0])
    assert table[["class", "cause"]].to_numpy().tolist() == [["1", "fill"], ["3", "drain"]]
    assert table["area_sqft"].tolist() == pytest.approx([200, 100], abs=1e-2)
    assert table["replacement_sqft"].tolist() == pytest.approx([1200, 300], abs=1e-2)


# properties

corner = st.floats(-60, 160, allow_nan=False)
size = st.floats(1, 120, allow_nan=False)
cause = st.sampled_from(["fill", "drain", "excavate", "temporary"])
features = st.lists(st.tuples(cause, st.builds(box, corner, corner, size, size)), min_size=1, max_size=5)
SITE = [wetland(0, "1"), wetland(80, "3"), wetland(140, "2")]


def owed(layer):
    return layer["replacement_sqft"].sum()


@settings(max_examples=40, deadline=None)
@given(features)
def test_impacts_and_what_is_untouched_are_the_whole(given_features) -> None:
    layer, _ = measure(SITE, given_features, buffers=True)
    ground = shapely.union_all([shape for _, shape in given_features])
    whole = buffer_frame(make_site(SITE))
    shapes = {
        "wetland": shapely.union_all([row["geometry"] for row in SITE]),
        "buffer": shapely.union_all(whole.geometry.to_numpy()),
    }
    for kind, shape in shapes.items():
        untouched = shapely.difference(shape, ground).area / FT**2
        touched = layer.loc[layer["kind"] == kind, "area_sqft"].sum()
        assert touched + untouched == pytest.approx(shape.area / FT**2, abs=0.1)


@settings(max_examples=40, deadline=None)
@given(features, corner)
def test_splitting_a_disturbance_changes_no_total(given_features, at) -> None:
    first_cause, shape = given_features[0]
    west, east = box(-500, -500, 500 + at, 2000), box(at, -500, 2000, 2000)
    halves = [(first_cause, shapely.intersection(shape, side)) for side in (west, east)]
    split = [(name, half) for name, half in halves if half.area > 0] + given_features[1:]
    whole, parts = (impact_summary(measure(SITE, each, buffers=True)[0]) for each in (given_features, split))
    np.testing.assert_allclose(whole["area_sqft"], parts["area_sqft"], atol=0.1)
    np.testing.assert_allclose(whole["replacement_sqft"], parts["replacement_sqft"], atol=0.6)


@settings(max_examples=40, deadline=None)
@given(features)
def test_more_disturbance_never_owes_less(given_features) -> None:
    layers = [measure(SITE, given_features[:count], buffers=True)[0] for count in range(1, len(given_features) + 1)]
    totals = [owed(layer) for layer in layers]
    assert all(after >= before - 0.5 for before, after in itertools.pairwise(totals))
