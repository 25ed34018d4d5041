import pytest

from wetgeo.units import FOOT_M, US_SURVEY_FOOT_M, area_text, parse_area, parse_length, parse_percent


def test_feet_are_those_of_the_standards():
    assert FOOT_M == 0.3048
    assert pytest.approx(1200, abs=1e-12) == US_SURVEY_FOOT_M * 3937


@pytest.mark.parametrize(
    ("text", "feet"), [("75 ft", 75), ("16.5ft", 16.5), ("1 rod", 16.5), ("30.48 m", 100), ("0.5 mi", 2640)]
)
def test_lengths(text, feet):
    assert parse_length(text).value == pytest.approx(feet)


def test_a_quantity_keeps_its_text():
    assert str(parse_length("  75   ft ")) == "75 ft"
    assert str(parse_area("1 acre")) == "1 acre"
    assert parse_area("1 acre").value == 43560
    assert parse_percent("50 %").value == 50


@pytest.mark.parametrize("bad", [75, 75.0, "75", "ft", "-5 ft", "75 furlongs", "75 ft 6 in", None, True, "1e3 ft"])
def test_a_length_without_a_clear_unit_is_refused(bad):
    with pytest.raises(ValueError, match="number and its unit"):
        parse_length(bad)


@pytest.mark.parametrize(
    ("sqft", "text"),
    [
        (10_935.49, "10,935 sq ft"),
        (34_982.709, "34,983 sq ft"),
        (10.0, "10 sq ft"),
        (9.87, "9.9 sq ft"),
        (0, "0 sq ft"),
    ],
)
def test_areas_are_written_as_on_plans(sqft, text):
    assert area_text(sqft) == text
