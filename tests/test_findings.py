"""The table of findings: order, what is listed only, notes on a whole."""

from __future__ import annotations

import pytest

from wetgeo.findings import Findings


def test_what_is_not_listed_is_no_finding() -> None:
    findings = Findings()
    for severity, code in (("fatal", "crs-auto"), ("warning", "no-such-code")):
        with pytest.raises(KeyError, match=f"{severity}/{code}"):
            findings.add(severity, code, "?")
    assert len(findings) == 0


def test_findings_come_by_severity_whatever_the_order_in_which_they_were_made() -> None:
    findings = Findings()
    findings.info("crs-auto", "a zone was chosen")
    findings.warning("class-default", "of W-2", layer="wetlands", feature_id="W-2")
    findings.warning("class-default", "of W-1", layer="wetlands", feature_id="W-1")
    findings.error("geometry-dropped", "no outline", layer="wetlands", feature_id=3)
    findings.warning("class-default", "of W-1", layer="wetlands", feature_id="W-1")  # told twice, once in the table
    assert [(one.severity, one.feature_id) for one in findings] == [
        ("error", "3"), ("warning", "W-1"), ("warning", "W-2"), ("info", ""),
    ]  # fmt: skip
    findings.forget({"W-1", "3"})
    assert [one.message for one in findings] == ["of W-2", "a zone was chosen"]


def test_parts_of_a_whole_that_are_noted_in_two_places_count_once() -> None:
    one, other = Findings(), Findings()
    one.note("proposal", "W-1", 2.0)
    other.note("proposal", "W-1", 2.0)
    other.note("proposal", "W-2", 3.0)
    other.warning("proposal", "5 sq ft")
    one.extend(other)
    assert one.noted("proposal") == {"W-1": 2.0, "W-2": 3.0}
    assert one.noted("crs-auto") == {}
    assert [finding.message for finding in one] == ["5 sq ft"]
