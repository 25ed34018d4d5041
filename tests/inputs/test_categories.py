"""The class of a wetland from its ratings: CMSCWD appendix 0.2."""

from __future__ import annotations

import pytest
from drawn import box

from wetgeo.errors import ClassError
from wetgeo.rules.load import builtin_ids, load_pack
from wetgeo.rules.permits import ManagementCategory
from wetgeo.site import FIELD_ROLES, RATINGS

pytest_plugins = ["site_fixtures"]

CMSCWD = load_pack("cmscwd-2009-draft")
LOW = {
    "vegetative_diversity": "low",
    "hydrologic_regime": "low",
    "wetland_water_quality": "low",
    "downstream_water_quality": "low",
    "wildlife_habitat": "low",
    "fish_habitat": "not applicable",
    "amphibian_habitat": "low",
    "groundwater_dependent_community": "no",
    "stormwater_sensitivity": "low",
    "setting": "isolated",
    "use": "none",
}


@pytest.fixture
def rated(write, read):
    """Read wetlands with ratings that differ from all low; a ``class`` of None is a missing one."""

    def _rated(*wetlands, **keys):
        rows = [{"class": None, **LOW, **ratings} for ratings in wetlands]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        path = write(
            "w.gpkg", [box(20 * n, 0, 9, 9) for n in range(len(rows))], id=list("ABCDEF")[: len(rows)], **columns
        )
        return read(wetlands={"path": path, **keys}, pack=CMSCWD)

    return _rated


def test_each_wetland_gets_the_class_of_its_ratings(rated) -> None:
    done = rated(
        {"vegetative_diversity": "Exceptional"},
        {"setting": "shoreland"},
        {},
        {"use": "Livestock watering"},
        {"class": "Manage 3", "vegetative_diversity": "exceptional"},
    )
    frame = done.site.resources
    assert frame["class"].tolist() == ["1", "2", "3", "4", "3"]
    assert frame["class_citation"].tolist() == ["appendix 0.2"] * 4 + [None]
    told = {feature: message for _, feature, message in done.told("class-decided")}
    assert set(told) == set("ABCD")
    assert "exceptional vegetative diversity/integrity" in told["A"]
    assert told["B"] == frame["class_reason"][1]


def test_a_missing_rating_is_never_low(rated) -> None:
    with pytest.raises(ClassError, match="cannot be decided without wildlife_habitat: B") as caught:
        rated({"vegetative_diversity": "exceptional"}, {"wildlife_habitat": None})
    assert "A" not in str(caught.value.faults[0]).split(": ")[1]


def test_a_default_stands_in_where_ratings_do_not_decide(rated) -> None:
    done = rated({"wildlife_habitat": None}, {}, defaults={"class": "2"})
    assert done.site.resources["class"].tolist() == ["2", "3"]
    assert [feature for _, feature, _ in done.told("class-default")] == ["A"]


def test_a_word_that_is_no_rating_counts_as_missing_and_is_told(rated) -> None:
    with pytest.raises(ClassError, match="cannot be decided without hydrologic_regime"):
        rated({"hydrologic_regime": "so so", "vegetative_diversity": "medium"})
    with pytest.raises(ClassError, match=r"cannot be read, hydrologic_regime = 'so so'; allowed: .*: A"):
        rated({"hydrologic_regime": "so so", "vegetative_diversity": "medium"})
    done = rated({"hydrologic_regime": "so so"})  # with low vegetation it decides nothing
    assert done.site.resources["class"].tolist() == ["3"]
    assert "'so so'" in done.told("value-unreadable")[0][2]


@pytest.mark.parametrize(("yes", "no"), [(1, 0), (1.0, 0.0), (True, False), ("y", "n"), ("Yes", "No")])
def test_yes_and_no_as_databases_write_them(rated, yes, no) -> None:
    given = ({"groundwater_dependent_community": word, "vegetative_diversity": "medium"} for word in (yes, no))
    assert rated(*given).site.resources["class"].tolist() == ["1", "3"]


def test_ratings_by_other_field_names_and_words(write, read) -> None:
    path = write("w.gpkg", [box(0, 0, 9, 9)], ID=["A"], **{f"R_{name}": [word] for name, word in LOW.items()})
    fields = {"id": "ID", **{name: f"R_{name}" for name in LOW}}
    done = read(
        wetlands={"path": path, "fields": fields, "values": {"setting": {"isolated": "Shoreland"}}}, pack=CMSCWD
    )
    assert done.site.resources["class"].tolist() == ["2"]


def test_other_rules_leave_ratings_alone(write, read) -> None:
    columns = {"id": ["A"], "class": ["Preserve"], "use": ["corn"], "setting": ["far off"]}
    done = read(wetlands=write("w.gpkg", [box(0, 0, 9, 9)], **columns), pack=load_pack("mcwd-2024"))
    assert not [message for _, _, message in done.told("schema-recognised") if "use" in message]
    assert done.site.resources["class_reason"].tolist() == [None]


def test_without_ratings_the_error_says_that_they_would_do(write, read) -> None:
    with pytest.raises(ClassError, match="ratings that decide the class"):
        read(wetlands=write("w.gpkg", [box(0, 0, 9, 9)], id=["A"]), pack=CMSCWD)


def test_every_rating_of_a_pack_is_a_role() -> None:
    assert set(RATINGS) < set(FIELD_ROLES["wetlands"])
    tables = [load_pack(name).find(ManagementCategory) for name in builtin_ids()]
    assert {rating for table in tables if table for rating in table.ratings} == set(RATINGS)
