"""`wetgeo check` and `wetgeo design` from the command line: exit status, JSON, layers, and proposals as they come."""

from __future__ import annotations

import json

import ezdxf
import geopandas as gpd
import numpy as np
import pandas as pd
import pyogrio
import pytest
import shapely
from small_site import UTM, square, wetlands, write_layer, write_project

from wetgeo.cli.check import _lines
from wetgeo.outputs.declaration import read_declaration
from wetgeo.project import DEFAULT_FORMATS

FT = 0.3048
GPKG = 'formats = ["gpkg"]'


@pytest.fixture
def site(tmp_path):
    write_layer(tmp_path / "wetlands.gpkg", wetlands())
    return write_project(tmp_path, tail=f'[options]\nreductions = "none"\n[outputs]\n{GPKG}\n')


def write_all(site, formats=DEFAULT_FORMATS):
    """Let a project write more than the GeoPackage."""
    text = site.read_text(encoding="utf-8")
    assert GPKG in text
    site.write_text(text.replace(GPKG, f"formats = {json.dumps(list(formats))}"), encoding="utf-8")


def rings(width_ft=(75, 40), **how):
    shapes = [
        shapely.buffer(square(x, 100), width * FT, quad_segs=128) for x, width in zip((100, 300), width_ft, strict=True)
    ]
    return gpd.GeoDataFrame({"name": ["a", "b"]}, geometry=shapes, crs=UTM, **how)


def read(folder, layer):
    return pyogrio.read_dataframe(folder / "buffers.gpkg", layer=layer)


def test_compliant_proposal(site, tmp_path, run_wetgeo):
    source = write_layer(tmp_path / "p.gpkg", rings())
    result = run_wetgeo("check", site, "--proposed", source, "-o", tmp_path / "o")
    assert result.code == 0, result.err
    assert "The buffer complies." in result.out
    assert read(tmp_path / "o", "averaging")["verdict"].tolist() == ["compliant", "compliant"]
    assert set(read(tmp_path / "o", "proposed")["resource_id"]) == {"W-1", "W-2"}
    assert read(tmp_path / "o", "buffers")["width_ft"].tolist() == [75, 40]
    provenance = json.loads((tmp_path / "o" / "provenance.json").read_text(encoding="utf-8"))
    assert "p.gpkg" in json.dumps(provenance)


def test_a_complying_proposal_is_what_is_staked_recorded_and_drawn(site, tmp_path, run_wetgeo):
    """Widened from 75 and 40 ft to 80 and 45: edges, monuments, parcels, declaration and drawing follow it."""
    parcel = gpd.GeoDataFrame({"PIN": ["7"]}, geometry=[square(0, 0, 500.0)], crs=UTM)
    write_layer(tmp_path / "parcels.gpkg", parcel)
    with site.open("a", encoding="utf-8") as file:
        file.write('[layers.parcels]\npath = "parcels.gpkg"\nfields = { id = "PIN" }\n')
    write_all(site, ("gpkg", "declaration", "csv", "dxf", "html"))
    source, out = write_layer(tmp_path / "p.gpkg", rings((80, 45))), tmp_path / "o"
    assert run_wetgeo("check", site, "--proposed", source, "-o", out).code == 0
    proposed = read(out, "proposed")
    edges = read(out, "edges")
    outer = shapely.union_all([square(100, 100), square(300, 100), *proposed.geometry]).boundary
    assert edges.union_all().hausdorff_distance(outer) < 0.01
    assert read(out, "buffer_union")["area_sqft"].sum() == pytest.approx(proposed["area_sqft"].sum(), rel=1e-6)
    assert read(out, "parcels")["buffer_sqft"].sum() == pytest.approx(proposed["area_sqft"].sum(), rel=1e-6)
    assert read(out, "buffers")["width_ft"].tolist() == [75, 40]
    assert "those of the proposed buffer, which complies" in (out / "report.html").read_text(encoding="utf-8")
    text = (out / "declaration.txt").read_text(encoding="utf-8")
    assert "Buffer described: the averaged buffer as proposed, which complies" in text
    described = sum(one.area_sqft for one in read_declaration(text))
    assert described == pytest.approx(proposed["area_sqft"].sum(), rel=0.01)
    assert "WG-PROPOSED" in {entity.dxf.layer for entity in ezdxf.readfile(out / "buffers.dxf").modelspace()}
    # the monuments that were set out for it are what --monuments accepts
    again = run_wetgeo(
        "check", site, "--proposed", source, "--monuments", f"{out / 'buffers.gpkg'}|monuments", "--dry-run"
    )
    assert again.code == 0, again.out


def test_what_does_not_comply_is_not_described(site, tmp_path, run_wetgeo):
    write_all(site, ("gpkg", "declaration"))
    source, out = write_layer(tmp_path / "p.gpkg", rings((80, 10))), tmp_path / "o"
    assert run_wetgeo("check", site, "--proposed", source, "-o", out).code == 3
    text = (out / "declaration.txt").read_text(encoding="utf-8")
    assert "NOT THE PROPOSED BUFFER" in text
    assert "as proposed" not in text
    required = read(out, "buffers")["area_sqft"].sum()
    assert read(out, "buffer_union")["area_sqft"].sum() == pytest.approx(required, rel=1e-6)
    findings = read(out, "findings")
    assert findings.loc[findings["code"] == "recorded", "message"].tolist() == [
        "edges, monuments, parcels and the declaration are those of the required buffer: no other was found to comply"
    ]


def test_a_design_is_recorded(site, tmp_path, run_wetgeo):
    house = gpd.GeoDataFrame({"name": ["house"]}, geometry=[square(110, 155, 25.0)], crs=UTM)
    write_all(site, ("gpkg", "declaration"))
    out = tmp_path / "o"
    source = write_layer(tmp_path / "k.gpkg", house)
    assert run_wetgeo("design", site, "--keep-out", source, "-o", out).code == 0
    text = (out / "declaration.txt").read_text(encoding="utf-8")
    assert "the averaged buffer as designed, which complies" in text
    union = read(out, "buffer_union").union_all()
    assert shapely.intersection(union, house.geometry[0]).area < 1e-3
    assert union.area / FT**2 == pytest.approx(read(out, "proposed")["area_sqft"].sum(), rel=1e-6)


@pytest.mark.parametrize("as_json", [False, True])
def test_nothing_judged_is_no_compliance(as_json, tmp_path, run_wetgeo):
    """Rule M gives a buffer to the central wetland only; here it lies outside the tract."""
    write_layer(tmp_path / "wetlands.gpkg", wetlands().iloc[:1])
    tract = gpd.GeoDataFrame(geometry=[square(400, 400)], crs=UTM)
    write_layer(tmp_path / "tract.gpkg", tract)
    site = write_project(
        tmp_path, rule="rcwd-rule-m-2004", wetlands='path = "wetlands.gpkg"\nfields = { id = "WET_ID" }',
        tract='path = "tract.gpkg"',
    )  # fmt: skip
    source = write_layer(tmp_path / "p.gpkg", rings().iloc[:1])
    result = run_wetgeo("check", site, "--proposed", source, "-o", tmp_path / "o", *(["--json"] if as_json else []))
    assert result.code == 3, result.err
    assert "complies." not in result.out
    if as_json:
        told = json.loads(result.out)
        assert (told["compliant"], told["averaging"]) == (None, [])
    else:
        assert "Nothing was judged" in result.out
    report = (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    assert "Nothing was judged" in report
    assert "buffer complies" not in report


def test_resources_that_are_not_judged_are_counted(site, tmp_path, run_wetgeo):
    lake = gpd.GeoDataFrame(geometry=[square(600, 100)], crs=UTM)
    write_layer(tmp_path / "lakes.gpkg", lake)
    with site.open("a", encoding="utf-8") as file:
        file.write('[layers.lakes]\npath = "lakes.gpkg"\n')
    result = run_wetgeo("check", site, "--proposed", write_layer(tmp_path / "p.gpkg", rings()), "--dry-run")
    assert "The buffer complies. 1 of 3 resources have no required buffer and were not judged." in result.out


def test_a_proposal_that_reaches_no_resource_holds_nothing(site, tmp_path, run_wetgeo):
    far = gpd.GeoDataFrame(geometry=[square(2000, 2000)], crs=UTM)
    result = run_wetgeo("check", site, "--proposed", write_layer(tmp_path / "p.gpkg", far), "--dry-run")
    assert result.code == 3
    assert "The buffer does not comply." in result.out


def test_what_was_not_measured_is_not_said_to_be_nan():
    violations = pd.DataFrame(
        {
            "resource_id": ["W-1"],
            "kind": ["no_lot_line_monument"],
            "measured_ft": [float("nan")],
            "required_ft": [1.0],
            "area_sqft": [float("nan")],
            "citation": ["4(c)"],
        }
    )
    layers = {"averaging": pd.DataFrame(), "violations": violations}
    assert _lines(layers) == ["W-1: no lot line monument, 1 ft by 4(c)"]


@pytest.mark.parametrize("there", [True, False])
def test_monuments_elsewhere_or_none_at_all(there, site, tmp_path, run_wetgeo):
    parcels = gpd.GeoDataFrame({"PIN": ["1", "2"]}, geometry=[square(0, 0, 120.0), square(120, 0, 120.0)], crs=UTM)
    write_layer(tmp_path / "parcels.gpkg", parcels)
    with site.open("a", encoding="utf-8") as file:
        file.write('[layers.parcels]\npath = "parcels.gpkg"\nfields = { id = "PIN" }\n')
    source = write_layer(tmp_path / "p.gpkg", rings())
    far = gpd.GeoDataFrame(geometry=[shapely.Point(1e6, 5e6)], crs=UTM)
    staked = write_layer(tmp_path / "m.gpkg", far if there else far.iloc[:0])
    result = run_wetgeo("check", site, "--proposed", source, "--monuments", staked, "--dry-run")
    assert result.code == (3 if there else 1)
    assert "no lot line monument" in result.out if there else "holds no feature that can be used" in result.err
    assert "nan" not in result.out.lower()


def test_json_is_one_document_and_shortfall_is_exit_3(site, tmp_path, run_wetgeo):
    source = write_layer(tmp_path / "p.gpkg", rings((75, 30)))
    result = run_wetgeo("check", site, "--proposed", f"{source}|p", "-o", tmp_path / "o", "--json")
    assert result.code == 3
    told = json.loads(result.out)
    assert (told["command"], told["compliant"]) == ("check", False)
    assert [row["verdict"] for row in told["averaging"]] == ["compliant", "shortfall"]
    short = told["averaging"][1]
    assert short["net_sqft"] == pytest.approx(short["credited_sqft"] - short["required_sqft"])
    assert any("a shortfall of" in finding["message"] for finding in told["findings"])


def test_dry_run_writes_nothing(site, tmp_path, run_wetgeo):
    source = write_layer(tmp_path / "p.gpkg", rings((75, 10)))
    result = run_wetgeo("check", site, "--proposed", source, "-o", tmp_path / "o", "--dry-run")
    assert result.code == 3
    assert not (tmp_path / "o").exists()
    assert "W-2: too narrow: 10.0" in result.out


def test_layers_of_check_are_not_written_by_run(site, tmp_path, run_wetgeo):
    assert run_wetgeo("run", site, "-o", tmp_path / "o").code == 0
    names = {row[0] for row in pyogrio.list_layers(tmp_path / "o" / "buffers.gpkg")}
    assert not names & {"averaging", "averaging_areas", "width_profile", "violations", "proposed"}


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:26850", "EPSG:3857"])
def test_proposal_in_another_crs(crs, site, tmp_path, run_wetgeo):
    one = run_wetgeo(
        "check", site, "--proposed", write_layer(tmp_path / "a.gpkg", rings((70, 41))), "--json", "--dry-run"
    )
    source = write_layer(tmp_path / "b.gpkg", rings((70, 41)).to_crs(crs))
    other = run_wetgeo("check", site, "--proposed", source, "--json", "--dry-run")
    for here, there in zip(json.loads(one.out)["averaging"], json.loads(other.out)["averaging"], strict=True):
        assert there["minimum_ft"] == pytest.approx(here["minimum_ft"], abs=0.01)
        assert there["average_ft"] == pytest.approx(here["average_ft"], abs=0.01)
        assert there["verdict"] == here["verdict"]
    assert any(
        row["code"] == "crs-reprojected" and row["layer"] == "proposed" for row in json.loads(other.out)["findings"]
    )


def test_self_crossing_proposal_is_repaired_and_told(site, tmp_path, run_wetgeo):
    frame = rings((80, 45))
    x, y = 455_200.0, 4_980_000.0
    bow = shapely.Polygon([(x, y), (x + 9, y + 9), (x + 9, y), (x, y + 9)])
    frame.loc[2] = {"name": "bow", "geometry": bow}
    result = run_wetgeo("check", site, "--proposed", write_layer(tmp_path / "p.gpkg", frame), "--json", "--dry-run")
    assert result.code == 0, result.err
    codes = {(row["code"], row["layer"]) for row in json.loads(result.out)["findings"]}
    assert {("geometry-repaired", "proposed"), ("proposal", "proposed")} <= codes


def test_wetland_only_is_too_narrow(site, tmp_path, run_wetgeo):
    source = write_layer(tmp_path / "p.gpkg", wetlands()[["geometry"]])
    result = run_wetgeo("check", site, "--proposed", source, "--json", "--dry-run")
    assert result.code == 3
    assert {row["verdict"] for row in json.loads(result.out)["averaging"]} == {"too_narrow"}
    assert {row["minimum_ft"] for row in json.loads(result.out)["averaging"]} == {0}


@pytest.mark.parametrize("command", [("check", "--proposed"), ("design", "--keep-out")])
@pytest.mark.parametrize("kind", ["line", "empty", "missing", "layer"])
def test_sources_that_cannot_be_used(command, kind, site, tmp_path, run_wetgeo):
    source = tmp_path / "p.gpkg"
    frame = rings()
    if kind == "line":
        frame = frame.set_geometry([shapely.LineString([(0, 0), (9, 9)])] * 2, crs=UTM)
    if kind != "missing":
        write_layer(source, frame.iloc[:0] if kind == "empty" else frame)
    result = run_wetgeo(command[0], site, command[1], f"{source}|nosuch" if kind == "layer" else source, "--dry-run")
    assert result.code == 1
    assert "p.gpkg" in result.err
    assert "Traceback" not in result.err
    assert "To mend it" in result.err


def test_source_must_be_named(site, run_wetgeo):
    assert run_wetgeo("check", site).code == 2
    assert run_wetgeo("design", site).code == 2


def test_design_and_check_of_its_own_output_say_the_same(site, tmp_path, run_wetgeo):
    house = gpd.GeoDataFrame({"name": ["house"]}, geometry=[square(110, 152, 25.0)], crs=UTM)
    source = write_layer(tmp_path / "k.gpkg", house)
    result = run_wetgeo("design", site, "--keep-out", source, "-o", tmp_path / "d", "--json")
    assert result.code == 0, result.err
    designed = json.loads(result.out)
    assert designed["command"] == "design"
    again = run_wetgeo(
        "check", site, "--proposed", f"{tmp_path / 'd' / 'buffers.gpkg'}|proposed", "--json", "--dry-run"
    )
    assert again.code == 0
    for one, other in zip(designed["averaging"], json.loads(again.out)["averaging"], strict=True):
        numbers = {name: value for name, value in one.items() if isinstance(value, float)}
        assert {name: other[name] for name in numbers} == pytest.approx(numbers, abs=1e-2)
        assert other["verdict"] == one["verdict"]
    assert shapely.intersection(read(tmp_path / "d", "proposed").union_all(), house.geometry[0]).area < 1e-6


def test_design_that_cannot_comply_is_exit_3(site, tmp_path, run_wetgeo):
    house = gpd.GeoDataFrame({"name": ["house"]}, geometry=[square(110, 142, 25.0)], crs=UTM)
    result = run_wetgeo("design", site, "--keep-out", write_layer(tmp_path / "k.gpkg", house), "--dry-run")
    assert result.code == 3
    assert "no shape complies" in result.err
    assert "comes within 6.56 ft" in result.err


@pytest.mark.parametrize("prefer", ["near", "layer"])
def test_design_with_a_preference(prefer, site, tmp_path, run_wetgeo):
    house = gpd.GeoDataFrame({"name": ["house"]}, geometry=[square(110, 155, 25.0)], crs=UTM)
    source = write_layer(tmp_path / "k.gpkg", house)
    wood = write_layer(tmp_path / "wood.gpkg", gpd.GeoDataFrame(geometry=[square(40, 60, 60.0)], crs=UTM))
    words = (wood if prefer == "layer" else prefer,)
    result = run_wetgeo("design", site, "--keep-out", source, "--prefer", *words, "-o", tmp_path / "d")
    assert result.code == 0, result.err
    areas = read(tmp_path / "d", "averaging_areas")
    added = areas[areas["kind"] == "added"].union_all()
    if prefer == "layer":
        assert shapely.difference(added, square(40, 60, 60.0)).area < 0.1


def test_ten_thousand_slivers_from_a_file_to_all_outputs(site, tmp_path, run_wetgeo):
    """5,000 needle holes in the widened buffer, and 5,000 slivers beside it: judged, told, neither staked nor lost."""
    frame = rings((85, 50))
    x, y = (one.ravel() for one in np.meshgrid(np.arange(100.0, 140.0, 0.4), np.arange(50)))
    holes = shapely.multipolygons(
        shapely.box(455_000 + x, 4_980_164 + 0.03 * y, 455_000.02 + x, 4_980_164.01 + 0.03 * y)
    )
    frame.loc[0, "geometry"] = shapely.difference(frame.geometry[0], holes)
    slivers = shapely.box(455_600 + x, 4_980_000 + y, 455_600.001 + x, 4_980_000.9 + y)
    frame = pd.concat(
        [frame, gpd.GeoDataFrame({"name": "sliver"}, index=range(len(slivers)), geometry=slivers, crs=UTM)]
    )
    source, out = write_layer(tmp_path / "p.gpkg", frame), tmp_path / "o"
    write_all(site)
    result = run_wetgeo("check", site, "--proposed", source, "-o", out)
    assert result.code == 0, result.err
    findings = read(out, "findings")
    assert findings["message"].str.contains("5,?000 pieces of the proposal").any()
    assert findings["message"].str.contains("neither staked nor described").any()
    assert len(read(out, "edges")) == 2
    assert shapely.get_num_interior_rings(shapely.get_parts(read(out, "proposed").geometry[0])).sum() > 4_000


def test_overlapping_proposals_count_once(site, tmp_path, run_wetgeo):
    frame = rings((75, 40))
    twice = pd.concat([frame, frame, rings((60, 30))], ignore_index=True)
    codes = []
    for name, one in (("once", frame), ("twice", twice)):
        source = write_layer(tmp_path / f"{name}.gpkg", one)
        result = run_wetgeo("check", site, "--proposed", source, "--json", "--dry-run")
        codes.append([row["credited_sqft"] for row in json.loads(result.out)["averaging"]])
        assert result.code == 0
    assert codes[0] == pytest.approx(codes[1], abs=0.01)


def test_monuments_of_lines_are_refused(site, tmp_path, run_wetgeo):
    lines = rings().boundary.to_frame("geometry").set_geometry("geometry", crs=UTM)
    result = run_wetgeo(
        "check", site, "--proposed", write_layer(tmp_path / "p.gpkg", rings()),
        "--monuments", write_layer(tmp_path / "m.gpkg", lines), "--dry-run",
    )  # fmt: skip
    assert result.code == 1
    for part in ("layer monuments", "m.gpkg", "To mend it"):
        assert part in result.err


def test_a_proposal_without_a_crs_is_refused(site, tmp_path, run_wetgeo):
    frame = gpd.GeoDataFrame(geometry=list(rings().geometry))
    result = run_wetgeo("check", site, "--proposed", write_layer(tmp_path / "p.shp", frame), "--dry-run")
    assert result.code == 1
    for part in ("p.shp", "CRS", "To mend it"):
        assert part in result.err


def test_case_proposals_hold(shared, tmp_path, run_wetgeo):
    case = shared / "cases" / "R07-rule-m-averaging"
    for name, code in (("exact", 0), ("narrow", 3), ("short", 3)):
        result = run_wetgeo("check", case, "--proposed", f"{case / 'site.gpkg'}|{name}", "--json", "--dry-run")
        assert result.code == code


class TestOneResource:
    """A plan of one wetland, judged alone."""

    def test_is_judged_and_the_others_are_not(self, site, tmp_path, run_wetgeo):
        source = write_layer(tmp_path / "p.gpkg", rings().iloc[[1]])
        assert run_wetgeo("check", site, "--proposed", source, "-o", tmp_path / "all").code == 3
        result = run_wetgeo("check", site, "--proposed", source, "--resource", "W-2", "-o", tmp_path / "o")
        assert result.code == 0, result.err
        assert result.out.splitlines()[-1] == "The buffer complies at W-2; the other resources were not judged."
        assert read(tmp_path / "o", "averaging")["resource_id"].tolist() == ["W-2"]
        assert set(read(tmp_path / "o", "monuments")["resource_id"]) == {"W-1", "W-2"}
        told = read(tmp_path / "o", "findings").query("code == 'recorded'")["message"]
        assert "only W-2 of the 2 resources" in told.iloc[0]
        same = (
            read(tmp_path / "all", "averaging").query("resource_id == 'W-2'").drop(columns="geometry", errors="ignore")
        )
        mine = read(tmp_path / "o", "averaging").drop(columns="geometry", errors="ignore")
        assert same.reset_index(drop=True).equals(mine)

    def test_that_is_not_there(self, site, tmp_path, run_wetgeo):
        source = write_layer(tmp_path / "p.gpkg", rings())
        result = run_wetgeo("check", site, "--proposed", source, "--resource", "W2", "-o", tmp_path / "o")
        assert (result.code, result.out) == (2, "")
        assert "there is no resource 'W2' (did you mean W-2?)" in result.err
        assert not (tmp_path / "o").exists()
