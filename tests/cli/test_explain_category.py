"""``wetgeo explain`` tells by which characteristic a wetland's class was decided: CMSCWD appendix 0.2."""

from __future__ import annotations

from small_site import wetlands, write_layer, write_project


def test_the_criterion_that_decided_stands_first(tmp_path, run_wetgeo) -> None:
    ratings = {"vegetative_diversity": ["exceptional", "low"], "wildlife_habitat": ["low", "exceptional"]}
    write_layer(tmp_path / "wetlands.gpkg", wetlands(CLASS=[None, None], **ratings))
    fields = ", ".join(f'{name} = "{name}"' for name in ratings)
    layer = f'path = "wetlands.gpkg"\nfields = {{ id = "WET_ID", class = "CLASS", {fields} }}'
    tail = '[outputs]\nformats = ["gpkg"]'
    site = write_project(tmp_path, rule="cmscwd-2009-draft", wetlands=layer, tail=tail)
    result = run_wetgeo("run", site)
    assert result.code == 0, result.err
    said = " ".join(run_wetgeo("explain", tmp_path / "out", "W-1").out.split())
    assert "1. class: no class in the file; class 1 by its ratings (appendix 0.2): exceptional vegetative" in said
    assert "exceptional wildlife habitat" in " ".join(run_wetgeo("explain", tmp_path / "out", "W-2").out.split())
