"""The figures that the rules print, typed by hand, against the packs."""

from __future__ import annotations

import datetime
import hashlib
import json
import re

import pytest

from wetgeo.rules import model as m
from wetgeo.rules.load import PROVISION_KINDS, builtin_ids, load_pack

pytest_plugins = ["broken_packs"]

BUILTIN = ("cmscwd-2009-draft", "mcwd-2024", "mn-buffer-law", "rcwd-rule-m-2004")


def test_ids():
    assert builtin_ids() == BUILTIN


@pytest.mark.parametrize("pack_id", BUILTIN)
def test_head(pack_id):
    """Each pack says what it is; its hash is that of the file's bytes; its file is named for its id."""
    pack = load_pack(pack_id)
    assert pack.id == pack_id == pack.path.stem
    assert pack.sha256 == hashlib.sha256(pack.path.read_bytes()).hexdigest()
    assert all((pack.title, pack.authority, pack.document, pack.version, pack.head.source))


@pytest.mark.parametrize("pack_id", BUILTIN)
def test_every_provision_is_cited_and_dated(pack_id):
    """Id, section as text, a sentence and an effective date on each; ids differ."""
    pack = load_pack(pack_id)
    assert len({p.id for p in pack.provisions}) == len(pack.provisions)
    for provision in pack.provisions:
        assert provision.effective is not None, provision.id
        assert re.match(r"\d|appendix|subdivision", provision.citation), provision.id
        assert provision.text.endswith("."), provision.id


def test_dates(mcwd, rcwd, cmscwd, law):
    assert (mcwd.head.adopted, mcwd.effective) == (datetime.date(2024, 4, 11), datetime.date(2024, 4, 29))
    assert rcwd.effective == datetime.date(2004, 1, 28)
    assert (cmscwd.effective, cmscwd.status) == (datetime.date(2009, 12, 1), "draft")
    assert law.provision("public-drainage").effective == datetime.date(2018, 11, 1)
    assert mcwd.in_force(datetime.date(2024, 4, 29))
    assert not mcwd.in_force(datetime.date(2024, 4, 28))
    assert not cmscwd.in_force(datetime.date(2026, 6, 1))


def test_vocabulary_is_used():
    """No kind of provision is without use: each stands in one of the packs."""
    used = {provision.kind for pack_id in BUILTIN for provision in load_pack(pack_id).provisions}
    assert used == set(PROVISION_KINDS)


def test_provisions_apply_by_date(law, mcwd):
    """The ditches' year came later than the public waters'; before a rule's first day it is read as on that day."""
    assert law.at(datetime.date(2018, 6, 1)).classes("stream") == ("public water",)
    assert law.at(datetime.date(2019, 6, 1)).classes("stream") == ("public water", "public drainage ditch")
    assert mcwd.at(datetime.date(2020, 1, 1)).find(m.SlopeCut) is not None
    assert mcwd.find(m.SlopeCut, datetime.date(2026, 1, 1)) is mcwd.find(m.SlopeCut)


def test_mcwd_table(mcwd):
    rows = {row.class_name: (row.base.text, row.floor.text) for _, row in mcwd.width_rows("wetland")}
    assert rows == {
        "Preserve": ("75 ft", "67 ft"),
        "Manage 1": ("40 ft", "34 ft"),
        "Manage 2": ("30 ft", "24 ft"),
        "Manage 3": ("20 ft", "16 ft"),
    }


def test_mcwd_figures(mcwd):
    slope = mcwd.find(m.SlopeCut)
    assert (slope.below.value, slope.step.value, slope.cut.value, slope.rounding.value) == (20, 5, 2, 0.01)
    assert (slope.coverage_told.value, slope.coverage_least.value, slope.citation) == (95, 50, "5(a)")
    soil = mcwd.find(m.SoilCut)
    assert (soil.grades, soil.cut.value, soil.unrated_most.value) == (("D", "C", "B", "A"), 2, 50)
    house = mcwd.find(m.NewResidenceWidth)
    assert (house.share.value, house.least.value, house.citation) == (25, 25, "5(e)")
    averaging = mcwd.find(m.Averaging)
    assert (averaging.minimum_share.value, averaging.cap_share.value, averaging.citation) == (50, 200, "5(c)")
    surface = mcwd.find(m.VegetatedDistance)
    assert (surface.trail_most.value, surface.trail_counts, surface.wider_trail) == (4, True, "does not count")
    assert (surface.layers, surface.citation) == (("existing_impervious",), "6(d)")
    monuments = mcwd.find(m.Monuments)
    assert (monuments.interval.value, monuments.bends, monuments.public_land_marker) == (200, True, "flush")
    assert (monuments.merge.value, monuments.interval_tolerance.value, monuments.citation) == (0.5, 0.01, "4(c)")
    assert mcwd.find(m.Replacement).rows[0].ratio.value == 2
    assert mcwd.find(m.Shortfall).citation == "5(d)"
    assert mcwd.find(m.TractClip).citation == "5(b)"
    edge = mcwd.find(m.SubjectEdge)
    assert [edge.is_whole(t) for t in (None, "replacement", "crossing", "stormwater", "new_residence")] == [
        *(True, True, True),
        *(False, False),
    ]


def test_rcwd_figures(rcwd):
    [(_, row)] = rcwd.width_rows("wetland")
    assert (row.base.value, row.class_name) == (50, None)
    averaging = rcwd.find(m.Averaging)
    assert (averaging.minimum.value, averaging.cap_share, averaging.citation) == (25, None, "6(c)")
    assert rcwd.find(m.Infiltration).not_within.value == 25
    surface = rcwd.find(m.VegetatedDistance)
    assert (surface.trail_most.value, surface.trail_counts, surface.wider_trail) == (10, False, "violation")
    monuments = rcwd.find(m.Monuments)
    assert (monuments.interval.value, monuments.bends, monuments.citation) == (200, False, "6(b)")
    central = rcwd.find(m.CentralWetland)
    assert (central.joined_by, central.unmarked, central.citation) == (("touch", "watercourses"), "largest", "6(a)")
    assert rcwd.find(m.Replacement).rows[0].ratio.value == 1
    assert rcwd.find(m.CommunityProtection).protected == "B/C"
    trigger = rcwd.provision("trigger-impervious")
    assert (trigger.conditions[0].more_than.value, trigger.citation) == (10000, "2(a)(ii)")
    assert rcwd.classes("wetland") == ()
    assert not rcwd.class_required("wetland")


def test_cmscwd_tables(cmscwd):
    lakes = {row.class_name: (row.base.value, row.minimum.value) for _, row in cmscwd.width_rows("lake")}
    assert lakes == {"natural environment": (75, 37.5), "recreational development": (50, 25)}
    wetlands = {row.class_name: (row.base.value, row.minimum.value) for _, row in cmscwd.width_rows("wetland")}
    assert wetlands == {"1": (100, 100), "2": (75, 50), "3": (50, 25), "4": (50, 25)}
    zones = cmscwd.find(m.StreamZones)
    assert [(z.zone, str(z.width), z.minimum_share.value, z.minimum_least.value) for z in zones.rows] == [
        ("streamside", "25 ft", 50, 25),
        ("middle", "50 ft", 50, 25),
        ("outer", "to setback", 50, 25),
    ]
    assert [(z.zone, str(z.width), z.minimum_share.value) for z in zones.gdnr] == [
        ("streamside", "50 ft", 50),
        ("middle", "100 ft", 50),
        ("outer", "to setback", 50),
    ]


def test_cmscwd_figures(cmscwd):
    steep = cmscwd.find(m.SteepSlope)
    assert (steep.over.value, steep.run.value, steep.citation) == (12, 50, "4.3.3")
    assert (steep.buffers, steep.stream_zones) == (("lake", "wetland"), ("streamside", "middle"))
    community = cmscwd.find(m.NaturalCommunity)
    assert (community.buffers, community.stream_zones, community.citation) == (("lake",), ("middle",), "4.3.2")
    flood = cmscwd.find(m.Floodplain)
    assert (flood.buffers, flood.stream_zones, flood.citation) == (("lake", "wetland"), ("middle",), "4.3.4")
    assert cmscwd.find(m.Drainageway).citation == "4.3.5"
    assert cmscwd.find(m.BothBuffers).citation == "4.3.6"
    assert cmscwd.find(m.Averaging).cap_share.value == 200
    structure = cmscwd.find(m.ExistingStructure)
    assert (structure.share.value, structure.citation) == (50, "4.9.4")
    access = cmscwd.find(m.Access)
    assert (access.corridor_most.value, access.lot_share.value, access.citation) == (50, 50, "4.9.2")
    strip = cmscwd.find(m.AgriculturalStrip)
    assert (strip.least.value, strip.setback_share.value, strip.citation) == (16.5, 50, "3.5")
    owed = cmscwd.find(m.Replacement)
    assert [(r.classes, r.ratio.value) for r in owed.rows] == [(("1",), 6), (("2",), 4), (("3",), 3), (("4",), 2)]
    assert owed.buffer_ratio.value == 1
    [tiny] = cmscwd.find(m.DeMinimis).rows
    assert (tiny.classes, tiny.area.value) == (("1", "2"), 20)
    monuments = cmscwd.find(m.Monuments)
    assert (monuments.interval.value, monuments.bends, monuments.citation) == (200, False, "4.4.2")


def test_cmscwd_thresholds(cmscwd):
    def limits(name):
        return [(c.measure, c.threshold.value, c.at_least is not None) for c in cmscwd.provision(name).conditions]

    near = {c.within.value for p in cmscwd.all(m.PermitTrigger) for c in p.conditions if c.within}
    assert near == {1000}
    assert limits("stormwater-impervious") == [("new_impervious", 43560, False)]
    assert cmscwd.provision("stormwater-impervious").conditions[0].or_share_of_site.value == 5
    assert limits("stormwater-near") == [("disturbance", 5000, True), ("new_impervious", 0, False)]
    assert limits("erosion-acre") == [("disturbance", 43560, True)]
    assert limits("erosion-near") == [("disturbance", 10890, True), ("disturbance", 0, False)]
    assert limits("erosion-notice") == [("disturbance", 5000, True), ("disturbance", 0, False)]


def test_law_figures(law):
    rows = {(r.resource, r.class_name): (r.base.value, r.average.value, r.minimum.value)
            for name in ("lake", "stream", "wetland") for _, r in law.width_rows(name)}  # fmt: skip
    assert rows == {
        ("lake", "public water"): (50, 50, 30),
        ("stream", "public water"): (50, 50, 30),
        ("wetland", "public water"): (50, 50, 30),
        ("stream", "public drainage ditch"): (16.5, 16.5, 16.5),
    }
    assert not law.class_required("wetland")
    assert law.class_required("stream")
    assert not law.regulates("wetland", "Manage 1")


@pytest.mark.parametrize(
    ("pack_id", "resource", "text", "name"),
    [
        ("mcwd-2024", "wetland", " preserve ", "Preserve"),
        ("mcwd-2024", "wetland", "MANAGE 1", "Manage 1"),
        ("mcwd-2024", "wetland", "Manage1", "Manage 1"),
        ("mcwd-2024", "wetland", "Manage  2", "Manage 2"),
        ("mcwd-2024", "wetland", "manage-3", "Manage 3"),
        ("mcwd-2024", "wetland", "Manage III", None),
        ("mcwd-2024", "wetland", "", None),
        ("mcwd-2024", "wetland", None, None),
        ("mcwd-2024", "lake", "Preserve", None),
        ("cmscwd-2009-draft", "wetland", "1", "1"),
        ("cmscwd-2009-draft", "wetland", 1, "1"),
        ("cmscwd-2009-draft", "wetland", 2.0, "2"),
        ("cmscwd-2009-draft", "wetland", "2.0", "2"),
        ("cmscwd-2009-draft", "wetland", "Manage 3", "3"),
        ("cmscwd-2009-draft", "wetland", "CATEGORY 4", "4"),
        ("cmscwd-2009-draft", "wetland", "Management Category 1", "1"),
        ("cmscwd-2009-draft", "wetland", "5", None),
        ("cmscwd-2009-draft", "wetland", "10", None),
        ("cmscwd-2009-draft", "lake", "Natural Environment", "natural environment"),
        ("cmscwd-2009-draft", "lake", "recreational development lake", "recreational development"),
    ],
)
def test_classes_are_matched(pack_id, resource, text, name):
    assert load_pack(pack_id).match_class(resource, text) == name


def test_what_is_regulated(mcwd, rcwd, cmscwd):
    kinds = ("wetland", "lake", "stream")
    assert [mcwd.regulates(kind) for kind in kinds] == [True, False, False]
    assert [rcwd.regulates(kind) for kind in kinds] == [True, False, False]
    assert [cmscwd.regulates(kind) for kind in kinds] == [True, True, True]
    assert [cmscwd.class_required(kind) for kind in kinds] == [True, True, False]


@pytest.mark.parametrize("pack_id", BUILTIN)
def test_as_data(pack_id):
    """The JSON form holds what the file holds: quantities as written, classes under their own key."""
    pack = load_pack(pack_id)
    data = json.loads(json.dumps(pack.as_data()))
    assert data["pack"]["sha256"] == pack.sha256
    assert len(data["provision"]) == len(pack.provisions)
    rows = [row for provision in data["provision"] if provision["kind"] == "class_width" for row in provision["rows"]]
    names = [row.get("class") for row in rows if row["resource"] == "wetland"]
    assert names == list(pack.classes("wetland") or (None,))
    assert all(row["base"].endswith(" ft") for row in rows)
