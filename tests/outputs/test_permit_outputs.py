"""report.html and exhibit.pdf of impacts, screening and access: said first, in tables, and on the map."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd
import pytest
import shapely
from sheets import frame_of, site_layers, small_site, wetland

from wetgeo.findings import Findings
from wetgeo.outputs.exhibit import draw_sheets
from wetgeo.outputs.report import report_page
from wetgeo.outputs.report_map import page_map
from wetgeo.outputs.report_verdict import verdict
from wetgeo.outputs.schedules import schedule
from wetgeo.outputs.sheet_block import MAP, heading
from wetgeo.outputs.write import prepare


def impacted(folder: Path, *, ratio: float | None = 2.0, kinds=("wetland", "buffer", "natural_community")):
    layers = site_layers(["W-1"], [wetland()])
    shapes = {
        "wetland": shapely.box(0, 0, 50, 20),
        "buffer": shapely.box(0, -40, 50, 0),
        "natural_community": shapely.box(100, -40, 150, 0),
    }
    owed = [1000.0 * ratio if kind == "wetland" and ratio else 0.0 for kind in kinds]
    layers["impacts"] = frame_of(
        [shapes[kind] for kind in kinds],
        resource_id=["Fen, rich" if kind == "natural_community" else "W-1" for kind in kinds],
        kind=list(kinds),
        cause="fill",
        area_sqft=[shapes[kind].area for kind in kinds],
        exempt=False,
        ratio=[ratio if kind == "wetland" else None for kind in kinds],
        replacement_sqft=owed,
        citation="3(b)",
    )
    return small_site(folder, layers=layers, command="impacts")


def page_of(delineation) -> str:
    return report_page(prepare(delineation, ("html",)))


def sheets_of(delineation) -> list[str]:
    ready = prepare(delineation, ("pdf",))
    return ["\n".join(text for text, _ in paper.written) for paper, _ in draw_sheets(ready, heading(ready))]


def test_impacts_are_said_first_in_the_table_and_on_the_map(tmp_path: Path) -> None:
    text = page_of(impacted(tmp_path))
    assert "Replacement is owed: 2,000 sq ft" in text
    assert text.index("Replacement is owed") < text.index('id="map"') < text.index('id="table-impacts"')
    for part in ("2 : 1", 'id="layer-impacts"', "natural community disturbed", "wetland disturbed"):
        assert part in text
    assert "required, 50 ft wide" not in text


def test_impacts_stand_on_the_sheet(tmp_path: Path) -> None:
    plan, *tables = sheets_of(impacted(tmp_path))
    for part in (
        "IMPACTS ON WETLANDS AND BUFFERS",
        "Disturbed, and replacement owed",
        "Wetland disturbed",
        "Buffer disturbed",
        "Natural community disturbed",
        "Fen, rich",
    ):
        assert part in plan
    assert any("3(b)" in table for table in tables)


def test_pieces_have_the_numbers_of_the_table(tmp_path: Path) -> None:
    ready = prepare(impacted(tmp_path), ("pdf",))
    paper = draw_sheets(ready, heading(ready))[0][0]
    on_map = {text: box.centroid for text, box in paper.written if MAP.polygon.contains(box)}
    assert {"1", "2", "3"} <= set(on_map)
    table = schedule(ready, "impacts")
    assert table is not None
    assert [row[0] for row in table.rows] == ["1", "2", "3"]
    kinds = ready.layers["impacts"]["kind"].tolist()
    # the community lies to the east of what is disturbed of wetland and buffer
    east = on_map[str(kinds.index("natural_community") + 1)].x
    assert all(on_map[str(kinds.index(kind) + 1)].x < east for kind in ("wetland", "buffer"))


def test_numbers_stay_those_of_the_layer_on_a_sheet_of_some(tmp_path: Path) -> None:
    table = schedule(prepare(impacted(tmp_path), ()), "impacts", ["W-1"])
    assert table is not None
    assert [row[0] for row in table.rows] == ["2", "3"]


@pytest.mark.parametrize(
    ("changes", "error", "headline", "tone"),
    [
        ({}, False, "Replacement is owed: 2,000 sq ft", "plain"),
        ({"ratio": None}, False, "No replacement is owed", "plain"),
        ({"kinds": ()}, False, "Nothing is disturbed", "good"),
        ({}, True, "Something is disturbed that may not be", "bad"),
    ],
)
def test_what_impacts_come_to(tmp_path: Path, changes, error, headline, tone) -> None:
    found = impacted(tmp_path, **changes)
    if error:
        found.findings.error("impact", "a community of rank B may not be disturbed", layer="natural_communities")
    said = verdict(prepare(found, ()))
    assert (said.headline, said.tone) == (headline, tone)
    if error:
        assert "a community of rank B may not be disturbed" in said.words


def screened(folder: Path, *answers: str):
    rows = {
        "provision": [f"trigger-{place}" for place in range(len(answers))],
        "applies": list(answers),
        "measured": None,
        "threshold": 1.0,
        "unit": "sq ft",
        "effect": "permit",
        "reason": "disturbed more than 1 sq ft",
        "citation": [f"4({'abcdef'[place]})" for place in range(len(answers))],
    }
    layers = {**site_layers(["W-1"], [wetland()]), "triggers": pd.DataFrame(rows)}
    return small_site(folder, layers=layers, command="screen", findings=Findings())


@pytest.mark.parametrize(
    ("answers", "headline"),
    [
        (("no", "yes", "undecided", "yes"), "2 of 4 provisions apply, 1 is undecided"),
        (("yes", "no"), "1 of 2 provisions applies"),
        (("no", "undecided"), "No provision is sure to apply, 1 is undecided"),
        (("no",), "No provision applies"),
        ((), "Nothing was tested"),
    ],
)
def test_what_screening_comes_to(tmp_path: Path, answers, headline) -> None:
    said = verdict(prepare(screened(tmp_path, *answers), ()))
    assert said.headline == headline
    order = ["applies", "undecided", "does not apply"]
    places = [order.index(item.verdict) for item in said.items]
    assert places == sorted(places)


def test_screening_is_a_table_of_page_and_sheets(tmp_path: Path) -> None:
    found = screened(tmp_path, "yes", "no")
    assert 'id="table-triggers"' in page_of(found)
    text = "\n".join(sheets_of(found))
    assert "PROVISIONS THAT THE WORK TRIGGERS" in text
    assert "Provisions tested" in text
    assert "disturbed more than 1 sq ft" in text


def test_the_work_is_drawn_where_it_is_screened(tmp_path: Path) -> None:
    found = screened(tmp_path, "yes")
    assert 'id="layer-disturbance"' not in page_of(found)
    work = frame_of([shapely.box(150, -80, 400, 60)], cause="fill")
    found = dataclasses.replace(found, disturbance=work)
    text = page_of(found)
    assert text.count('id="layer-disturbance"') == 1
    assert '"disturbance":{"fields":["cause"],"rows":[["fill"]]}' in text
    plan, *_ = sheets_of(found)
    assert "Ground disturbed" in plan


def test_work_far_away_does_not_make_the_map_small(tmp_path: Path) -> None:
    near = dataclasses.replace(screened(tmp_path, "yes"), disturbance=frame_of([wetland()], cause="fill"))
    far = dataclasses.replace(near, disturbance=frame_of([wetland(50)], cause="fill"))
    widths = [page_map(prepare(found, ("html",))).canvas.box[2] for found in (near, far)]
    assert widths[0] < widths[1] <= 2.2 * widths[0]


def test_access_is_a_table_and_drawn(tmp_path: Path) -> None:
    layers = site_layers(["W-1"], [wetland()])
    layers["access"] = frame_of(
        [shapely.box(90, -50, 110, 0)],
        access_id="A-1",
        resource_id="W-1",
        parcel_id="12-34",
        width_ft=20.0,
        lot_width_ft=100.0,
        allowed_ft=50.0,
        counts=True,
        area_sqft=1000.0,
        citation="4.9.2",
    )
    found = small_site(tmp_path, layers=layers)
    text = page_of(found)
    assert 'id="table-access"' in text
    assert 'id="layer-access"' in text
    plan, *_ = sheets_of(found)
    assert "Access through buffers" in plan
    assert "A-1" in plan
