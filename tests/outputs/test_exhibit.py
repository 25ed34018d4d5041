"""exhibit.pdf: a true scale, all that a plan sheet must say, no text on text, the same file every time."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
import shapely
from places import ROOT
from sheets import (
    LEAST_FT,
    WIDTH_FT,
    Slope,
    draft,
    frame_of,
    judged_layers,
    judged_site,
    ring,
    site_layers,
    small_site,
    wetland,
)

from wetgeo.findings import Findings
from wetgeo.outputs import exhibit
from wetgeo.outputs.exhibit import draw_sheets, exhibit_limits, write_exhibit
from wetgeo.outputs.schedules import TABLES, Schedule
from wetgeo.outputs.sheet_block import BORDER, COLUMN, MAP, draw_block, heading
from wetgeo.outputs.sheet_paper import HEIGHT, INCH, WIDTH, Paper, fitted, text_width, wrapped, writable
from wetgeo.outputs.sheet_plan import MOST_SHEETS, SCALES, View, fit_scale, plan_sheets
from wetgeo.outputs.sheet_relief import trace_contours
from wetgeo.outputs.sheet_table import column_widths, fitting_size
from wetgeo.outputs.write import prepare

NOTHING = shapely.MultiPolygon()


def ready(delineation):
    return prepare(delineation, ("pdf",))


def finished(delineation) -> list[Paper]:
    """All sheets as they go into the file."""
    head = heading(delineation)
    sheets = draw_sheets(delineation, head)
    for number, (paper, scale) in enumerate(sheets, 1):
        draw_block(paper, head, sheet=number, sheets=len(sheets), scale=scale)
    return [paper for paper, _ in sheets]


def words(paper: Paper) -> str:
    return "\n".join(text for text, _ in paper.written)


# ---- the file itself: paths are read back from the PDF's own content streams ----------------------------------------


def streams(pdf: Path) -> str:
    """All that the PDF draws, page by page; what is compressed otherwise, such as fonts, holds no paths."""
    packed = re.findall(rb"/Filter /FlateDecode.*?stream\r?\n(.*?)\r?\nendstream", pdf.read_bytes(), re.DOTALL)
    return "\n".join(zlib.decompress(one).decode("latin-1") for one in packed)


def paths(pdf: Path) -> list[np.ndarray]:
    """Points of all paths, in the PDF's points, 72 an inch."""
    step = r"-?[\d.]+ -?[\d.]+ "
    found = re.findall(rf"(?<![\d.] )({step}m\n(?:{step}l\n)+)", streams(pdf))
    return [np.array(re.findall(r"(-?[\d.]+) (-?[\d.]+) [ml]", path), dtype=float) for path in found]


def squares(pdf: Path) -> list[float]:
    """Sides of all upright squares drawn, points."""
    sides = []
    for xy in paths(pdf):
        width, height = np.ptp(xy, axis=0)
        if len(xy) in (4, 5) and width > 20 and abs(width - height) < 1e-3 * width:
            sides.append(float(width))
    return sides


@pytest.mark.parametrize(
    ("side", "scale"), [(40.0, 20), (200.0, 40), (600.0, 100), (1400.0, 200), (2600.0, 300), (8000.0, 1000)]
)
def test_the_scale_is_true(tmp_path: Path, side: float, scale: int) -> None:
    square = wetland(side=side)
    data = ready(small_site(tmp_path, layers=site_layers(["W-1"], [square])))
    write_exhibit(data, tmp_path)
    plan = plan_sheets(data, MAP)
    assert [sheet.view.feet for sheet in plan.sheets] == [scale]
    expected = side / scale * 72
    assert any(abs(found - expected) < 1e-3 * expected for found in squares(tmp_path / "exhibit.pdf"))
    assert f'1" = {scale:,} ft' in words(finished(data)[0])


def test_sheets_are_11_by_17_and_dated_by_the_application(tmp_path: Path) -> None:
    write_exhibit(ready(small_site(tmp_path)), tmp_path)
    data = (tmp_path / "exhibit.pdf").read_bytes()
    assert set(re.findall(rb"/MediaBox \[ ?(.*?) ?\]", data)) == {b"0 0 1224 792"}
    assert (WIDTH, HEIGHT) == (17 * 72, 11 * 72)
    assert b"/CreationDate (D:20260601000000Z)" in data


def test_the_same_delineation_makes_the_same_file(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path[:0] = sys.argv[1:3]\n"
        "from pathlib import Path\nfrom sheets import judged_site\nfrom wetgeo.outputs.exhibit import write_exhibit\n"
        "from wetgeo.outputs.write import prepare\n"
        "write_exhibit(prepare(judged_site(Path(sys.argv[3])), ('pdf',)), Path(sys.argv[3]))"
    )
    made = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        command = [sys.executable, "-c", code, str(ROOT / "tests" / "outputs"), str(ROOT), str(folder)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed, "TZ": f"UTC-{seed}"})
        made.append((folder / "exhibit.pdf").read_bytes())
    assert made[0] == made[1]


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no pdftotext to read the sheets with")
def test_text_can_be_searched(tmp_path: Path) -> None:
    write_exhibit(ready(judged_site(tmp_path)), tmp_path)
    command = ["pdftotext", "-layout", str(tmp_path / "exhibit.pdf"), "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for part in ("Heron Lake", "R-1", "A-1", "W-1-1", "12-34", "least width 20.0 ft"):
        assert part in text


# ---- what a sheet says ------------------------------------------------------------------------------------------------


def test_a_judged_sheet_says_what_a_reviewer_asks_for(tmp_path: Path) -> None:
    text = words(finished(ready(judged_site(tmp_path, dem=Slope())))[0])
    for part in (
        "BUFFER AVERAGING, AS PROPOSED",
        "Heron Lake",
        "Resources: W-1",
        "Wetland Protection Rule",
        "Effective 2024-04-29",
        "Sections 5(a), 5(c)",
        "Buffer averaging",
        "too narrow",
        "R-1",
        "A-1",
        "least width 20.0 ft",
        "allowed 25 ft",
        "W-1-1",
        "12-34",
        "Required buffer edge",
        "Proposed buffer edge",
        "Contour every 2 ft",
        "Horizontal datum: North American Datum 1983",
        "EPSG:26915",
        "North is grid north",
        "Prepared by",
        "Seal",
        "Revision",
        "2026-06-01",
        "1 of ",
        "N",
    ):
        assert part in text


@pytest.mark.parametrize("pieces", [1, 2])
def test_the_first_sheet_says_whether_the_buffer_complies(tmp_path: Path, pieces: int) -> None:
    found = judged_site(tmp_path)
    layers = dict(found.layers)
    if pieces == 2:
        far = site_layers(["W-1", "W-2"], [wetland(), wetland(5)])
        layers |= {name: far[name] for name in ("resources", "buffers")}
    first, *others = (words(paper) for paper in finished(ready(judged_site(tmp_path, layers=layers))))
    assert ("Key sheet" in first) == (pieces == 2)
    assert "DOES NOT COMPLY" in first
    assert "Too narrow: W-1." in first
    # a verdict on one of two resources is none on both
    assert ("Not judged here: 1 of the 2 resources" in first) == (pieces == 2)
    assert "Proposed buffer edge" in first
    assert not any("DOES NOT COMPLY" in other for other in others)
    kept = layers["averaging"].assign(verdict="compliant")
    good = judged_site(tmp_path, layers=layers | {"averaging": kept, "violations": layers["violations"].iloc[:0]})
    first = words(finished(ready(good))[0])
    assert "COMPLIES" in first
    assert "DOES NOT" not in first


def test_a_run_has_no_verdict(tmp_path: Path) -> None:
    text = words(finished(ready(small_site(tmp_path)))[0])
    assert "COMPL" not in text


def test_figures_of_a_table_are_never_cut() -> None:
    title, columns = TABLES["averaging"]
    row = tuple("1,162,683.5" if column.is_number else "short of area" for column in columns)
    table = Schedule(name="averaging", title=title, columns=columns, rows=[row]).brief
    size = fitting_size(table, 285, 6.5)
    widths = column_widths(table, 285, size)
    for width, column, text in zip(widths, table.columns, table.rows[0], strict=True):
        assert not column.is_number or text_width(text, size) <= width


def test_the_legend_names_only_what_is_drawn(tmp_path: Path) -> None:
    text = words(finished(ready(small_site(tmp_path)))[0])
    assert "Monument, post" in text
    for part in ("Lake, ", "Stream, ", "Proposed", "R: buffer", "Monument, flush", "Contour", "Extension", "tract"):
        assert part not in text


def test_a_run_gets_a_dimension_of_its_width(tmp_path: Path) -> None:
    assert "50 ft" in words(finished(ready(small_site(tmp_path)))[0])


def test_the_narrowest_place_is_drawn_where_it_is(tmp_path: Path) -> None:
    from wetgeo.outputs.sheet_dimensions import dimensions
    from wetgeo.outputs.sheet_map import Ground

    data = ready(judged_site(tmp_path))
    view = plan_sheets(data, MAP).sheets[0].view
    ground = Ground.of(data, view.foot)
    (found,) = dimensions(view, ground.layers, ground.proposed, ["W-1"])
    length = np.hypot(found.end[0] - found.start[0], found.end[1] - found.start[1])
    assert length == pytest.approx(LEAST_FT / view.feet * INCH, rel=1e-3)
    assert found.start[0] == pytest.approx(found.end[0], abs=0.01)
    assert found.end[1] < found.start[1]


def test_a_draft_is_stamped(tmp_path: Path) -> None:
    assert "RULE NOT IN FORCE" in words(finished(ready(small_site(tmp_path, pack=draft())))[0])
    assert "RULE NOT IN FORCE" not in words(finished(ready(small_site(tmp_path)))[0])


def test_the_declaration_is_a_sheet(tmp_path: Path) -> None:
    text = "\n".join(words(paper) for paper in finished(ready(small_site(tmp_path))))
    assert "PARCEL 12-34" in text
    assert re.search(r"thence [NS] \d\d°\d\d'\d\d\" [EW] \d", text)


def test_a_site_without_buffers_still_gets_a_sheet(tmp_path: Path) -> None:
    layers = {"resources": site_layers(["W-1"], [wetland()])["resources"]}
    papers = finished(ready(small_site(tmp_path, layers=layers)))
    assert len(papers) == 1
    assert "W-1" in words(papers[0])


def test_a_site_without_anything_gets_a_sheet_that_says_so(tmp_path: Path) -> None:
    data = ready(small_site(tmp_path, layers={}))
    write_exhibit(data, tmp_path)
    assert "There is nothing to draw" in words(finished(data)[0])


# ---- text on text -----------------------------------------------------------------------------------------------------


def crowd(folder: Path, **changes):
    """Many monuments close to each other, long names, many lots."""
    square = wetland()
    layers = site_layers(["A wetland with quite a long name of its own"], [square])
    outline = square.buffer(WIDTH_FT, quad_segs=64).exterior
    spots = [outline.interpolate(one) for one in np.arange(0, outline.length, 6.0)]
    one = layers["monuments"].iloc[0]
    fields = {name: one[name] for name in layers["monuments"].columns if name not in ("geometry", "monument_id", "seq")}
    ids = [f"Wetland-1-{number}" for number in range(len(spots))]
    layers["monuments"] = frame_of(spots, monument_id=ids, seq=range(len(spots)), **fields)
    lots = [shapely.box(x, y, x + 40, y + 40) for x in range(-100, 300, 40) for y in range(-100, 300, 40)]
    numbers = [f"01.030.20.20.{number:04d}" for number in range(len(lots))]
    layers["parcels"] = frame_of(lots, parcel_id=numbers, buffer_sqft=1.0, buffer_share=0.01)
    return small_site(folder, layers=layers, dem=Slope(rise=0.3), **changes)


@pytest.mark.parametrize("site", [small_site, judged_site, crowd])
def test_no_text_lies_on_other_text_or_beyond_the_border(tmp_path: Path, site) -> None:
    for paper in finished(ready(site(tmp_path, dem=Slope()) if site is not crowd else site(tmp_path))):
        boxes = np.array([box.buffer(-0.2) for _, box in paper.written], dtype=object)
        one, two = shapely.STRtree(boxes).query(boxes, predicate="intersects")
        assert [(paper.written[a][0], paper.written[b][0]) for a, b in zip(one, two, strict=True) if a < b] == []
        assert [text for text, box in paper.written if not BORDER.polygon.contains(box)] == []


def test_labels_without_room_are_counted(tmp_path: Path) -> None:
    text = words(finished(ready(crowd(tmp_path)))[0])
    assert re.search(r"\d+ labels had no room on this map", text)


def test_awkward_text_is_written_as_it_is(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    names = ["$x^2$ & \\frac{1}{0}", "湿地 \U0001f438", "Łąka <b>\n\x07%s {}"]
    squares = [wetland(place, apart=700) for place in range(3)]
    layers = site_layers(names, squares, parcel="$\\alpha$")
    data = ready(small_site(tmp_path, layers=layers, findings=Findings()))
    write_exhibit(data, tmp_path)
    text = "\n".join(words(paper) for paper in finished(data))
    assert "$x^2$ & \\frac{1}{0}" in text
    assert "Łąka <b> %s {}" in text
    assert "\ufffd\ufffd \ufffd" in text
    assert not recwarn.list


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("$x$ and $", "$x$ and $"),
        ("$\\undefined{", "$\\undefined{"),
        ("one\ntwo\r\nthree\ttabs", "one two three tabs"),
        ("\U0001f438 frog", "\ufffd frog"),
        ("%PDF (x) \\) endstream", "%PDF (x) \\) endstream"),
    ],
)
def test_awkward_ids_where_a_buffer_was_judged(tmp_path: Path, name: str, shown: str) -> None:
    square = wetland()
    layers = site_layers([name], [square], parcel=name) | judged_layers(name, square)
    data = ready(judged_site(tmp_path, layers=layers))
    write_exhibit(data, tmp_path)
    text = words(finished(data)[0])
    assert shown in text
    assert f"Resources: {shown}" in text


def test_text_is_measured_as_wide_as_it_is() -> None:
    assert text_width("", 10) == 0
    assert text_width("WWWW", 10) == pytest.approx(4 * text_width("W", 10))
    assert text_width("i", 10) < text_width("W", 10)
    assert fitted("a long line of text", 10, 40) == "a lon…"
    assert text_width(fitted("a long line of text", 10, 40), 10) <= 40
    lines = wrapped("several words, and averyveryverylongword", 10, 60)
    assert "".join(lines).replace(" ", "") == "severalwords,andaveryveryverylongword"
    assert all(text_width(line, 10) <= 60 for line in lines)
    assert writable("a\u202eb\tc") == "a b c"


# ---- how sheets are laid out ----------------------------------------------------------------------------------------


def test_scales_are_an_engineers() -> None:
    room = MAP.width / INCH - 0.9
    for feet in SCALES:
        assert fit_scale(room * feet, 1.0, MAP) == feet
        assert fit_scale(room * feet * 1.001, 1.0, MAP) > feet
    assert fit_scale(room * 1001, 1.0, MAP) == 2000


def test_neighbours_share_a_sheet_and_all_resources_have_one(tmp_path: Path) -> None:
    names = ["W-1", "W-2", "W-3", "W-4"]
    corners = [(0, 0, 300), (390, 0, 60), (390, 200, 60), (9000, 0, 60)]
    squares = [shapely.box(x, y, x + side, y + side) for x, y, side in corners]
    plan = plan_sheets(ready(small_site(tmp_path, layers=site_layers(names, squares))), MAP)
    assert [sheet.resource_ids for sheet in plan.sheets] == [("W-1", "W-2", "W-3"), ("W-4",)]
    for sheet in plan.sheets:
        shapes = [ring(square) for name, square in zip(names, squares, strict=True) if name in sheet.resource_ids]
        left, bottom, right, top = shapely.total_bounds(shapely.union_all(shapes)) * 0.3048
        x0, y0, x1, y1 = np.array(sheet.view.bounds) - (500_000, 5_000_000) * 2
        assert x0 < left < right < x1
        assert y0 < bottom < top < y1


def test_several_sheets_get_a_key(tmp_path: Path) -> None:
    names = ["W-1", "W-2"]
    layers = site_layers(names, [wetland(), wetland(1, apart=5000)])
    papers = finished(ready(small_site(tmp_path, layers=layers)))
    assert "Key sheet" in words(papers[0])
    assert {"Sheet 2", "Sheet 3"} <= {text for text, _ in papers[0].written}
    assert "Resources: W-1" in words(papers[1])
    assert "Resources: W-2" in words(papers[2])
    assert f"3 of {len(papers)}" in words(papers[2])


def test_many_resources_get_a_smaller_scale_which_is_told(tmp_path: Path) -> None:
    squares = [wetland(column, row, apart=600) for column in range(10) for row in range(6)]
    names = [f"W-{number}" for number in range(len(squares))]
    data = small_site(tmp_path, layers=site_layers(names, squares))
    found = ready(data)
    plan = plan_sheets(found, MAP)
    assert 1 < len(plan.sheets) <= MOST_SHEETS
    assert sorted(name for sheet in plan.sheets for name in sheet.resource_ids) == sorted(names)
    assert plan.is_reduced
    told = [one.message for one in data.findings if one.code == "exhibit"]
    assert len(told) == 1
    assert "or smaller" in told[0]


def test_too_many_resources_get_key_sheets_only_which_is_told(tmp_path: Path) -> None:
    squares = [wetland(column, row, apart=40_000) for column in range(9) for row in range(6)]
    names = [f"W-{number}" for number in range(len(squares))]
    data = ready(small_site(tmp_path, layers=site_layers(names, squares)))
    assert [one.severity for one in exhibit_limits(data)] == ["warning"]
    papers = finished(data)
    keys = [paper for paper in papers if "Key sheet" in words(paper)]
    assert 1 < len(keys) <= 13
    assert set(names) <= {text for paper in keys for text, _ in paper.written}


def test_tables_and_texts_have_their_limits_which_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exhibit, "MOST_TABLES", 1)
    monkeypatch.setattr(exhibit, "MOST_TEXTS", 0)
    text = "\n".join(words(paper) for paper in finished(ready(crowd(tmp_path))))
    assert re.search(r"Monuments: \d+ more rows stand in the data files", text)
    assert "too long for these sheets: see declaration.txt" in " ".join(text.split())
    assert "thence" not in text


# ---- contours ---------------------------------------------------------------------------------------------------------


def test_contours_of_a_plane_stand_where_they_must() -> None:
    view = View(frame=MAP, feet=50, foot=0.3048, middle=(500_100.0, 5_000_000.0))
    found = trace_contours(Slope(rise=0.1), view, NOTHING)
    assert found is not None
    assert found.interval_ft == 2
    for line, level in zip(found.lines, found.levels_ft, strict=True):
        x = (level - 900) / 0.1 * 0.3048 + 500_000
        on_paper = (x - 500_100) / 0.3048 / 50 * 72 + MAP.center[0]
        assert shapely.get_coordinates(line)[:, 0] == pytest.approx(on_paper, abs=0.2)
    levels = sorted(set(found.levels_ft))
    assert levels == list(range(levels[0], levels[-1] + 2, 2))
    assert len(levels) == pytest.approx(MAP.width / 72 * 50 * 0.1 / 2, abs=1)


def test_contours_keep_apart_and_off_the_water() -> None:
    view = View(frame=MAP, feet=500, foot=0.3048, middle=(500_000.0, 5_000_000.0))
    pond = MAP.polygon.centroid.buffer(60)
    found = trace_contours(Slope(rise=0.3), view, pond)
    assert found is not None
    assert found.interval_ft > 2
    assert not shapely.intersects(shapely.union_all(found.lines), pond.buffer(-0.5))


def test_no_contours_without_elevations() -> None:
    view = View(frame=MAP, feet=50, foot=0.3048, middle=(900_000.0, 5_000_000.0))
    assert trace_contours(Slope(), view, NOTHING) is None
    assert trace_contours(None, view, NOTHING) is None
    far = dataclasses.replace(view, feet=100_000)
    assert trace_contours(Slope(), far, NOTHING) is None


def test_the_column_stays_beside_the_map() -> None:
    assert MAP.right == COLUMN.left
    assert COLUMN.right == BORDER.right
