"""What fields mean: mapped, recognised, translated, defaulted; nothing of it silently."""

from __future__ import annotations

import math

import pytest
import shapely
from drawn import Rule, X, Y, box

from wetgeo.errors import ClassError, InputError
from wetgeo.inputs.roles import as_text
from wetgeo.inputs.schemas import recognise

pytest_plugins = ["site_fixtures"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(" W1 ", "W1"), ("", None), ("  ", None), (None, None), (math.nan, None), (12.0, "12"), (1.5, "1.5"),
     (2711723410012345678, "2711723410012345678"), ("05501", "05501"), (True, "True")],
)  # fmt: skip
def test_text_of_a_value(value: object, text: str | None) -> None:
    assert as_text(value) == text


def test_unknown_fields_are_all_told_with_close_ones(write, read) -> None:
    path = write("w.gpkg", [box(0, 0, 9, 9)], WETLAND_ID=["1"], MGMT=["High"])
    with pytest.raises(InputError) as caught:
        read(wetlands={"path": path, "fields": {"id": "WETLAND_IDS", "class": "NOTHING"}}, pack=Rule())
    text = str(caught.value)
    assert "layer wetlands" in text
    assert "id = 'WETLAND_IDS' is no field of the file. Did you mean 'WETLAND_ID'?" in text
    assert "class = 'NOTHING'" in text
    assert "its fields are WETLAND_ID, MGMT" in text


def test_fields_are_found_without_regard_to_case(write, read) -> None:
    path = write("w.gpkg", [box(0, 0, 9, 9)], Wetland_Id=["1"])
    done = read(wetlands={"path": path, "fields": {"id": "WETLAND_ID"}})
    assert done.site.resources["resource_id"].tolist() == ["1"]


def test_fields_named_like_roles_count_only_where_nothing_is_mapped(write, read) -> None:
    path = write("w.gpkg", [box(0, 0, 9, 9)], WID=["A"], ID=["B"], CENTRAL=[True])
    mapped = read(wetlands={"path": path, "fields": {"id": "WID"}})
    assert not mapped.site.resources["central"][0]
    assert "CENTRAL" in mapped.told("layer-ignored")[0][2]
    free = read(wetlands=path)
    assert free.site.resources["central"][0]
    assert free.site.resources["resource_id"].tolist() == ["B"]
    assert {"id taken from the field ID, by its name", "central taken from the field CENTRAL, by its name"} == {
        message for _, _, message in free.told("schema-recognised")
    }


@pytest.mark.parametrize(
    ("layer", "fields", "roles", "title"),
    [
        ("wetlands", ["ATTRIBUTE", "WETLAND_TYPE", "ACRES"], {}, "National Wetlands Inventory"),
        ("soils", ["AREASYMBOL", "MUSYM", "MUKEY"], {"mukey": "MUKEY"}, "SSURGO map units"),
        ("soils", ["mukey", "hydgrpdcd"], {"mukey": "mukey", "hsg": "hydgrpdcd"}, "gSSURGO map units"),
        ("soils", ["MUKEY", "Hydgrp"], {"mukey": "MUKEY", "hsg": "Hydgrp"}, "SSURGO map units"),
        ("floodplain", ["FLD_ZONE", "ZONE_SUBTY", "SFHA_TF"], {"zone": "FLD_ZONE"}, "FEMA National Flood Hazard Layer"),
        ("floodplain", ["ZONE", "FLOODWAY", "SFHA"], {"zone": "ZONE"}, "FEMA Q3"),
        ("floodplain", ["fid", "floodzone"], {"zone": "floodzone"}, "flood zone"),
        ("floodplain", ["FEMA_ZONE"], {"zone": "FEMA_ZONE"}, "flood zone"),
        ("parcels", ["PIN", "COUNTY_PIN", "STATE_PIN"], {"id": "COUNTY_PIN"}, "Minnesota parcel standard"),
        ("parcels", ["FOLIO", "PIN"], {"id": "PIN"}, "parcel number"),
        ("natural_communities", ["EORANK"], {"rank": "EORANK"}, "natural community rank"),
        ("trails", ["MUKEY", "PIN"], {}, None),
    ],
)
def test_known_schemas(layer: str, fields: list[str], roles: dict[str, str], title: str | None) -> None:
    found, schemas = recognise(layer, fields)
    assert found == roles
    assert (schemas[0][0].title if schemas else None) == title


def test_booleans_in_the_ways_people_write_them(write, read) -> None:
    words = ["T", "y", "1", "yes", "True", "F", "no", "0", None, "perhaps"]
    shapes = [box(20 * i, 0, 9, 9) for i in range(len(words))]
    done = read(wetlands=write("w.gpkg", shapes, id=[f"W{i}" for i in range(len(words))], gdnr=words))
    assert done.site.resources["gdnr"].tolist() == [True] * 5 + [False] * 5
    assert [(s, f) for s, f, _ in done.told("value-unreadable")] == [("error", "W9")]


def test_numbers_values_and_defaults(write, read) -> None:
    shapes = [shapely.LineString([(X, Y + 9 * i), (X + 9, Y + 9 * i)]) for i in range(4)]
    trails = write("t.gpkg", shapes, id=list("abcd"), W=["8", "1,000.5", "wide", None])
    source = {"path": trails, "fields": {"id": "id", "width_ft": "W"}, "values": {"width_ft": {"Wide": 12}}}
    done = read(wetlands=write("w.gpkg", [box(0, 0, 9, 9)]), trails=source)
    widths = done.site.layers["trails"].set_index("feature_id")["width_ft"]
    assert widths[["a", "b", "c"]].tolist() == [8, 1000.5, 12]
    assert math.isnan(widths["d"])
    done = read(wetlands=write("w.gpkg", [box(0, 0, 9, 9)]), trails={**source, "defaults": {"width_ft": 6}})
    assert done.site.layers["trails"].set_index("feature_id")["width_ft"]["d"] == 6
    assert [f for _, f, _ in done.told("value-default")] == ["d"]


def test_structure_kinds(write, read) -> None:
    kinds = ["Existing Primary", "new-principal", "garage", None]
    houses = write("h.gpkg", [box(20 * i, 100, 9, 9) for i in range(4)], id=list("abcd"), KIND=kinds)
    done = read(wetlands=write("w.gpkg", [box(0, 0, 9, 9)]), structures={"path": houses, "fields": {"kind": "KIND"}})
    found = [None if isinstance(kind, float) else kind for kind in done.site.layers["structures"]["kind"]]
    assert found == ["existing_primary", "new_principal", None, None]
    assert "'garage'" in done.told("value-unreadable")[0][2]


def test_a_default_that_cannot_be_read_is_a_fault(write, read) -> None:
    with pytest.raises(InputError, match=r"defaults\.gdnr = 'perhaps' cannot be read"):
        read(wetlands={"path": write("w.gpkg", [box(0, 0, 9, 9)]), "defaults": {"gdnr": "perhaps"}})


class TestClasses:
    """Case, blanks and punctuation are the rule's to forgive; nothing is guessed."""

    words = ("High", " high ", "LOW1", "odd", None, "", "Other")

    def _path(self, write):
        shapes = [box(20 * i, 0, 9, 9) for i in range(7)]
        return write("w.gpkg", shapes, ID=[f"W{i + 1}" for i in range(7)], CLS=list(self.words))

    def test_unknown_and_missing_ones_are_told_all_at_once(self, write, read) -> None:
        source = {"path": self._path(write), "fields": {"id": "ID", "class": "CLS"}}
        with pytest.raises(ClassError) as caught:
            read(wetlands=source, pack=Rule())
        text = str(caught.value)
        assert "class 'odd': W4" in text
        assert "class 'Other': W7" in text
        assert "no class: W5, W6" in text
        assert 'values.class = { "Other" = "...", "odd" = "..." } and defaults.class = "..."' in text
        assert "High, Low 1" in text

    def test_mapping_and_default(self, write, read) -> None:
        source = {
            "path": self._path(write),
            "fields": {"id": "ID", "class": "CLS"},
            "values": {"class": {"odd": "Low 1", "other": "high"}},
            "defaults": {"class": "low 1"},
        }
        done = read(wetlands=source, pack=Rule())
        assert done.site.resources["class"].tolist() == ["High", "High", "Low 1", "Low 1", "Low 1", "Low 1", "High"]
        assert [feature for _, feature, _ in done.told("class-default")] == ["W5", "W6"]

    def test_a_default_that_the_rule_does_not_know(self, write, read) -> None:
        source = {"path": self._path(write), "fields": {"id": "ID"}, "defaults": {"class": "Medium"}}
        with pytest.raises(ClassError, match=r"defaults\.class = 'Medium' is no class of the rule test-rule"):
            read(wetlands=source, pack=Rule())

    def test_without_a_field_the_error_lists_the_fields(self, write, read) -> None:
        with pytest.raises(ClassError, match="no field was named for the class; the file's fields are ID, CLS"):
            read(wetlands={"path": self._path(write), "fields": {"id": "ID"}}, pack=Rule())

    def test_a_rule_without_classes_asks_none(self, write, read) -> None:
        done = read(wetlands=self._path(write))
        assert done.site.resources["class"].isna().all()

    def test_where_the_rule_asks_no_class_unknown_ones_are_told(self, write, read) -> None:
        source = {"path": self._path(write), "fields": {"id": "ID", "class": "CLS"}}
        done = read(wetlands=source, pack=Rule(required=False))
        assert [feature for _, feature, _ in done.told("class-unknown")] == ["W4", "W5", "W6", "W7"]

    def test_a_feature_without_ground_needs_no_class(self, write, read) -> None:
        path = write("w.gpkg", [box(0, 0, 9, 9), None], ID=["A", "B"], CLS=["High", None])
        done = read(wetlands={"path": path, "fields": {"id": "ID", "class": "CLS"}}, pack=Rule())
        assert done.site.resources["resource_id"].tolist() == ["A"]
