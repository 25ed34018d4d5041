"""report.html: one file, nothing from outside, text stays text, and a page that works."""

from __future__ import annotations

import html.parser
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import shapely
from sheets import FOOT, draft, frame_of, judged_layers, judged_site, site_layers, small_site, wetland

from wetgeo.findings import Findings
from wetgeo.outputs import report_map
from wetgeo.outputs.report import report_page, script_json, write_report
from wetgeo.outputs.report_map import Canvas, page_map
from wetgeo.outputs.write import prepare

HOSTILE = [
    "</script><script>window.pwned=1</script>",
    '<img src=x onerror="window.pwned=1">',
    '" onmouseover="window.pwned=1',
    "' autofocus onfocus='window.pwned=1",
    "{{ 7*7 }}{% raw %}",
    "<!--<script>",
    "\u2028\u2029 after",
    "]]><svg onload=window.pwned=1>",
    "javascript:window.pwned=1",
    "&lt;b&gt; &amp; café 湿地 \U0001f438",
    "__proto__",
]


class Page(html.parser.HTMLParser):
    """What a page holds: elements with their attributes, and all text outside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.scripts: list[str] = []
        self._raw = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._raw = tag if tag in ("script", "style") else ""

    def handle_endtag(self, _tag):
        self._raw = ""

    def handle_data(self, data):
        if self._raw == "script":
            self.scripts.append(data)
        elif not self._raw:
            self.text.append(data)


def ready(delineation):
    return prepare(delineation, ("html",))


def hostile_site(folder: Path):
    squares = [wetland(place % 4, place // 4) for place in range(len(HOSTILE))]
    layers = site_layers(HOSTILE, squares, parcel=HOSTILE[0])
    layers["resources"]["src_note"] = HOSTILE[::-1]
    layers["reasons"]["reason"] = HOSTILE
    findings = Findings()
    for text in HOSTILE:
        findings.warning("monument", text, layer=text, feature_id=text, citation=text)
    found = small_site(folder, layers=layers, findings=findings)
    return ready(found)


def test_text_of_users_stays_text(tmp_path: Path) -> None:
    page = Page(report_page(hostile_site(tmp_path)))
    allowed = {"script", "style", "svg", "path", "circle", "text", "g", "defs", "pattern"}
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 2
    assert "img" not in tags
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert not allowed & {"img", "iframe", "object", "embed", "form", "base"}
    shown = "".join(page.text)
    for text in HOSTILE:
        assert " ".join(text.split()) in shown
    assert "49" not in re.findall(r"\{\{.*?\}\}|\b49\b", shown)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_users_stays_text_where_a_buffer_was_judged(tmp_path: Path, text: str) -> None:
    square = wetland()
    layers = site_layers([text], [square], parcel=text) | judged_layers(text, square)
    for name in ("averaging", "averaging_areas", "violations"):
        layers[name] = layers[name].assign(citation=text)
    page = Page(report_page(ready(judged_site(tmp_path, layers=layers))))
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 2
    assert not {"img", "iframe", "object", "embed", "form", "base"} & set(tags)
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    # said first, in the tables, by the map and above the chart
    assert "".join(page.text).count(" ".join(text.split())) > 6


def test_json_of_the_script_cannot_end_it(tmp_path: Path) -> None:
    data = hostile_site(tmp_path)
    page = Page(report_page(data))
    assert len(page.scripts) == 2
    text = page.scripts[0]
    assert text.isascii()
    assert not set("<>&") & set(text)
    found = json.loads(text)["features"]["resources"]
    names = [row[found["fields"].index("resource_id")] for row in found["rows"]]
    assert sorted(names) == sorted(" ".join(one.split()) for one in HOSTILE)


def test_json_holds_what_went_in() -> None:
    data = {"a": [1, 2.5, None, True, "</script>\u2028&<!--"]}
    assert json.loads(str(script_json(data))) == data


def test_nothing_comes_from_outside(tmp_path: Path) -> None:
    text = report_page(ready(judged_site(tmp_path)))
    assert not re.findall(r"(?:https?:)?//[a-z]", text)
    for _, attributes in Page(text).elements:
        for name in ("src", "href", "action", "xlink:href", "srcset", "poster"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,"))
    assert "@import" not in text
    assert set(re.findall(r"url\((.)", text)) == {"#"}
    assert "default-src 'none'" in html.unescape(text)


def test_the_chart_marks_where_the_width_is_least(tmp_path: Path) -> None:
    text = report_page(ready(judged_site(tmp_path)))
    assert "least width 20.0 ft at station " in text
    assert text.count('<circle class="least"') == 2  # in the chart and in its key


def test_the_verdict_comes_first(tmp_path: Path) -> None:
    text = report_page(ready(judged_site(tmp_path)))
    places = [text.index(part) for part in ("does not comply", 'id="map"', 'id="profiles"', 'id="findings"')]
    assert places == sorted(places)
    shown = "".join(Page(text).text)
    assert "least width 20.0 ft, 5.0 ft less than the 25 ft allowed" in shown
    assert "1,400 sq ft more than required" in shown


def test_a_compliant_proposal_is_told_so(tmp_path: Path) -> None:
    found = judged_site(tmp_path)
    layers = dict(found.layers)
    layers["averaging"] = layers["averaging"].assign(verdict="compliant", margin_ft=0.4, minimum_ft=25.4)
    del layers["violations"]
    text = report_page(ready(judged_site(tmp_path, layers=layers)))
    assert "The proposed buffer complies" in text
    assert "does not comply" not in text


def test_a_violation_keeps_a_compliant_average_from_complying(tmp_path: Path) -> None:
    found = judged_site(tmp_path)
    layers = dict(found.layers)
    layers["averaging"] = layers["averaging"].assign(verdict="compliant", margin_ft=0.4)
    assert "The proposed buffer does not comply" in report_page(ready(judged_site(tmp_path, layers=layers)))


def test_a_run_leaves_out_what_it_has_no_layers_for(tmp_path: Path) -> None:
    text = report_page(ready(small_site(tmp_path)))
    assert "Buffers are required" not in text
    assert "A buffer is required, 50 ft wide" in text
    for part in ("profiles", "table-averaging", "table-violations", "layer-proposed", "layer-zones"):
        assert f'id="{part}"' not in text


def test_a_draft_is_marked(tmp_path: Path) -> None:
    assert "not in force" in report_page(ready(small_site(tmp_path, pack=draft())))
    assert "not in force" not in report_page(ready(small_site(tmp_path)))


def test_a_site_without_anything(tmp_path: Path) -> None:
    text = report_page(ready(small_site(tmp_path, layers={}, findings=Findings())))
    assert "No buffer is required here" in text
    assert 'id="map"' not in text


def _ring(path: str) -> np.ndarray:
    start, steps = re.fullmatch(r"M(-?\d+ -?\d+)l([-\d ]+)z", path).groups()
    numbers = [int(one) for one in re.findall(r"-?\d+", steps)]
    xy = [np.array([int(one) for one in start.split()])]
    for step in zip(numbers[::2], numbers[1::2], strict=True):
        xy.append(xy[-1] + step)
    return np.array(xy)


def test_a_path_is_its_polygon(tmp_path: Path) -> None:
    square = shapely.box(100, 200, 130, 240)
    canvas = Canvas(np.array([100.0, 200.0, 130.0, 240.0]), 0.5, FOOT)
    ring = _ring(canvas.path(square))
    unit = 0.5 * FOOT
    assert shapely.Polygon(ring).area * unit**2 == pytest.approx(30 * 40, abs=2 * 70 * unit / 2)
    assert ring.min() == 0
    assert canvas.path(shapely.Point(100, 240)) == "M0 0h0"


def test_a_big_map_is_simplified_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_map, "MOST_PATH_CHARS", 200_000)
    angle = np.linspace(0, 2 * np.pi, 6000, endpoint=False)
    radius = 100 + 3 * np.sin(37 * angle) + 0.8 * np.sin(900 * angle)
    star = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    squares = [shapely.Polygon(5 * (star + np.array([column, row]) * 400)) for column in range(4) for row in range(3)]
    names = [f"W-{number}" for number in range(len(squares))]
    frame = frame_of(squares, resource_id=names, resource_type="wetland", gdnr=False, area_sqft=1.0, edge_ft=1.0)
    data = ready(small_site(tmp_path, layers={"resources": frame.assign(**{"class": None})}))
    drawn = page_map(data)
    assert drawn.tolerance_ft > 0.05
    assert sum(len(shape.path) for one in drawn.layers for shape in one.shapes) <= 200_000
    write_report(data, tmp_path)
    assert f"simplified by at most {drawn.tolerance_ft} ft" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_page_depends_on_the_delineation_only(tmp_path: Path) -> None:
    assert report_page(ready(judged_site(tmp_path))) == report_page(ready(judged_site(tmp_path)))


# ---- in a browser ----------------------------------------------------------------------------------------------------

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no chromium to open the page with")


def in_browser(page: Path, folder: Path, *, width: int = 1280) -> dict:
    """Open a page, do what a reader would (the page's own #selftest), and return what came of it."""
    words = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder / 'profile'}",
        "--virtual-time-budget=4000",
        f"--window-size={width},900",
        "--enable-logging=stderr",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--dump-dom",
        f"{page.as_uri()}#selftest",
    ]
    done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)
    assert "CONSOLE" not in done.stderr, [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    found = re.search(r'<pre id="selftest">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    result: dict = json.loads(html.unescape(found[1]))
    assert result["errors"] == []
    return result


@needs_chromium
def test_the_map_pans_zooms_and_tells(tmp_path: Path) -> None:
    write_report(ready(judged_site(tmp_path)), tmp_path)
    result = in_browser(tmp_path / "report.html", tmp_path)
    assert result["panned"] == pytest.approx([60, 25], abs=0.01)
    assert result["wheel"] < 1 < result["button"]
    assert result["home"] is True
    assert result["toggled"] == ["none", "inline"]
    assert result["hover"].startswith("resources: W-1")
    assert "area_sqft40,000" in result["hover"]
    assert result["tip"] == "resources: W-1"
    assert "ft wide" in result["reading"]
    assert result["filtered"] == "0 of 1 shown"
    assert result["unfiltered"] == "1 of 1 shown"


@needs_chromium
@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_stands_out_to_the_side(tmp_path: Path, width: int) -> None:
    write_report(ready(judged_site(tmp_path)), tmp_path)
    assert in_browser(tmp_path / "report.html", tmp_path, width=width)["wide"] <= 0


@needs_chromium
def test_hostile_text_does_nothing_in_a_browser(tmp_path: Path) -> None:
    data = hostile_site(tmp_path)
    write_report(data, tmp_path)
    result = in_browser(tmp_path / "report.html", tmp_path)
    assert result["hover"]
    assert result["pwned"] is None
