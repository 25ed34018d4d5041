"""What is wrong with a pack is told with file, line, key and the allowed words; all faults at once."""

from __future__ import annotations

import pytest

from wetgeo.errors import RulePackError, UsageError
from wetgeo.rules.load import load_pack

pytest_plugins = ["broken_packs"]


def test_small_pack_is_right(small, tmp_path):
    (tmp_path / "own.toml").write_text(small, encoding="utf-8")
    pack = load_pack("own.toml", tmp_path)
    assert pack.classes("wetland") == ("High", "Low")
    assert pack.path == tmp_path / "own.toml"
    assert load_pack(str(tmp_path / "own.toml")).sha256 == pack.sha256


def test_byte_order_mark_and_crlf(small, tmp_path):
    (tmp_path / "own.toml").write_bytes(b"\xef\xbb\xbf" + small.replace("\n", "\r\n").encode())
    assert load_pack("own.toml", tmp_path).id == "small"


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        # an unknown key
        ('interval = "100 ft"', 'intervall = "100 ft"', 32, ["unknown key", "did you mean 'interval'", "lot_lines"]),
        ('authority = "Somewhere"', 'author = "X"', 4, ["unknown key", "authority", "document"]),
        # a missing citation
        ('citation = "3"\n', "", 27, ['key "citation"', "missing", "cites the section"]),
        ('citation = "1"\n', "", 11, ['option 1 "trigger"', 'key "citation"', "missing"]),
        # a section that is no text
        ('citation = "2"', "citation = 2.1", 20, ['key "citation"', "2.1 is not text", "quotes"]),
        # bare numbers and wrong units
        ('interval = "100 ft"', "interval = 100", 32, ['key "interval"', "100 is a bare number", '"100 ft"']),
        ('base = "30 ft"', "base = 30", 24, ['key "rows[2].base"', "30 is a bare number", '"30 ft"']),
        ('interval = "100 ft"', 'interval = "100"', 32, ["'100' is no length", '"1 ft"']),
        ('interval = "100 ft"', 'interval = "50 %"', 32, ["is no length"]),
        ('base = "30 ft"', 'base = "-30 ft"', 24, ["is no length"]),
        # words that are not known
        ('kind = "monuments"', 'kind = "monument"', 28, ["unknown kind 'monument'", "did you mean 'monuments'"]),
        ('kind = "monuments"\n', "", 27, ['key "kind"', "missing", "class_width"]),
        ('marker = "post"', 'marker = "stake"', 38, ["'stake' is no word", "post, flush"]),
        (
            'resource = "wetland", class = "Low"',
            'resource = "bog", class = "Low"',
            24,
            ["'bog'", "wetland, lake, stream"],
        ),
        ('status = "in force"', 'status = "valid"', 6, ["'valid'", "in force, draft"]),
        ('"crossing", "stormwater"', '"crossing", "storm"', 11, ["unknown value 'storm'", "stormwater"]),
        ('id = "trigger"', 'id = "triger"', 11, ["unknown option 'triger'", "did you mean 'trigger'"]),
        ("lot_lines = true", 'lot_lines = "yes"', 34, ['key "lot_lines"', "true or false"]),
        # rows that overlap, in one spelling or another, and rows that contradict themselves
        ('class = "Low"', 'class = "high"', 24, ["rows overlap", "'High' and 'high'", "'high'"]),
        ('class = "Low"', 'class = "h"', 24, ["rows overlap", "'High' and 'h'"]),
        ('class = "Low"', 'class = "High"', 24, ["rows overlap", "class 'High' of wetland"]),
        ('class = "Low", ', "", 24, ["a row without class overlaps", "'High'"]),
        ('floor = "50 ft"', 'floor = "70 ft"', 23, ["floor 70 ft is more than base 60 ft"]),
        ('floor = "50 ft"', 'minimum = "70 ft"', 23, ["minimum 70 ft is more than base 60 ft"]),
        # what provisions and options owe each other
        ('downgradient = ["stormwater"]', "downgradient = []", 41, ["option trigger offers stormwater"]),
        ('id = "token_edge_length"', 'id = "course_tolerance"', 50, ["no provision of the pack reads it"]),
        ('id = "token_edge_length"', 'id = "course_tolerance"', 27, ["lacks the option 'token_edge_length'"]),
        ('default = "10 ft"\n', "", 50, ["its default is missing", '"1 ft"']),
        ('default = "10 ft"', 'default = "10"', 50, ["'10' is no length"]),
        ("bends = false", "bends = true", 27, ["lacks the option 'bend_tolerance'"]),
        # ids and dates
        ('id = "monuments"', 'id = "width"', 29, ['"width"', "more than one provision"]),
        ("effective = 2020-01-01", 'effective = "soon"', 7, ['key "effective"', "date"]),
        ("[[option]]", "[[options]]", 11, ["[options]", "unknown table", "did you mean 'option'"]),
    ],
)
def test_one_fault(small, faults_of, old, new, line, words):
    assert old in small
    error = faults_of(small.replace(old, new, 1))
    [fault, *_] = [fault for fault in error.faults if all(word in fault for word in words)] or [None]
    assert fault is not None, error
    assert fault.startswith(f"bad.toml:{line}: "), fault
    assert "bad.toml" in error.message
    assert error.exit_code == 2


def test_all_faults_at_once_in_order(small, faults_of):
    text = small.replace('base = "30 ft"', "base = 30").replace('interval = "100 ft"', "interval = 100")
    text = text.replace('status = "in force"', 'status = "valid"').replace('citation = "2"\n', "")
    error = faults_of(text)
    assert "4 faults" in error.message
    lines = [int(fault.split(":")[1]) for fault in error.faults]
    assert lines == sorted(lines)
    assert len(lines) == 4


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (
            (
                'kind = "replacement"\nid = "r"\ncitation = "4"\ntext = "R."\ncauses = ["fill"]\n'
                'rows = [{ classes = ["Middling"], ratio = "2:1" }]'
            ),
            ["class 'Middling' has no width row", "High, Low"],
        ),
        (
            'kind = "replacement"\nid = "r"\ncitation = "4"\ntext = "R."\ncauses = ["fill"]\nrows = [{ ratio = 2 }]',
            ["2 is a bare number", '"2:1"'],
        ),
        (
            'kind = "replacement"\nid = "r"\ncitation = "4"\ntext = "R."\ncauses = ["fill"]\nrows = [{ ratio = "2" }]',
            ["'2' is no ratio"],
        ),
        (
            (
                'kind = "gdnr_width"\nid = "g"\ncitation = "4"\ntext = "G."\n'
                'rows = [{ resource = "wetland", classes = ["High"], width = "9 ft", minimum = "9 ft" }]'
            ),
            ["no row for wetland of class Low"],
        ),
        (
            (
                'kind = "new_residence_width"\nid = "n"\ncitation = "4"\ntext = "N."\ntrigger = "new_residence"\n'
                'structures = "new_principal"\nshare = "25 %"\nleast = "25 ft"\nat_most = "base"'
            ),
            ["'new_residence' is no value of the pack's option", "crossing, stormwater"],
        ),
        (
            (
                'kind = "stream_zones"\nid = "z"\ncitation = "4"\ntext = "Z."\n'
                'rows = [{ zone = "outer", width = 5, minimum_share = "50 %" }]'
            ),
            ['key "rows[1].width"', "5 is a bare number", "to setback"],
        ),
        (
            (
                'kind = "stream_zones"\nid = "z"\ncitation = "4"\ntext = "Z."\n'
                'rows = [{ zone = "outer", width = "to setback", minimum_share = "50 %" },\n'
                '  { zone = "outer", width = "5 ft", minimum_share = "50 %" }]'
            ),
            ["only the last zone"],
        ),
        (
            'kind = "permit_trigger"\nid = "t"\ncitation = "4"\ntext = "T."\neffect = "permit"',
            ['needs "conditions", or a "question"'],
        ),
        (
            (
                'kind = "permit_trigger"\nid = "t"\ncitation = "4"\ntext = "T."\neffect = "permit"\n'
                'conditions = [{ measure = "disturbance" }]'
            ),
            ['either "more_than" or "at_least"'],
        ),
        (
            (
                'kind = "permit_trigger"\nid = "t"\ncitation = "4"\ntext = "T."\neffect = "permit"\n'
                'conditions = [{ measure = "disturbance", at_least = 5000 }]'
            ),
            ["5000 is a bare number", "sq ft"],
        ),
        (
            (
                'kind = "permit_trigger"\nid = "t"\ncitation = "4"\ntext = "T."\neffect = "permit"\n'
                'conditions = [{ measure = "disturbance", at_least = "1 acre", within = "9 ft" }]'
            ),
            ['need "of"'],
        ),
        (
            (
                'kind = "permit_trigger"\nid = "t"\ncitation = "4"\ntext = "T."\neffect = "permit"\n'
                'question = "Q?"\nunless = ["u"]'
            ),
            ["unless names 'u'"],
        ),
        (
            (
                'kind = "permit_trigger"\nid = "t"\ncitation = "4"\ntext = "T."\neffect = "permit"\n'
                'question = "Q?"\nentailed_by = ["t"]'
            ),
            ["entailed_by names 't'"],
        ),
        (
            'kind = "community_protection"\nid = "c"\ncitation = "4"\ntext = "C."\nranks = ["A", "B"]\nprotected = "C"',
            ["'C' is not among ranks: A, B"],
        ),
        (
            (
                'kind = "management_category"\nid = "m"\ncitation = "4"\ntext = "M."\nprecedence = ["High"]\n'
                'ratings = { plants = ["good", "bad"] }\nsynonyms = { fine = "great" }\n'
                'criteria = [{ category = "Top", about = "a", when = { plants = ["best"], soil = ["bad"] } }]'
            ),
            ["plants has no value 'best'", "unknown rating 'soil'", "'Top' is not in precedence", "'great'"],
        ),
        (
            (
                'kind = "monuments"\nid = "again"\ncitation = "4"\ntext = "M."\ninterval = "50 ft"\nlot_lines = true\n'
                'interval_tolerance = "0 ft"\nbends = false\nmerge = "0 ft"\noff_edge = "2 ft"\nmarker = "post"\n'
                'public_land_marker = "post"'
            ),
            ["applies on the same days", '"monuments"'],
        ),
        (
            'kind = "declaration"\nid = "d"\ncitation = "4"\ntext = "D."\neffective = 2021-01-01\nuntil = 2020-01-01',
            ["until is before effective"],
        ),
        (
            (
                'kind = "class_width"\nid = "w2"\ncitation = "4"\ntext = "W."\n'
                'rows = [{ resource = "lake", base = "9 ft" }, { resource = "lake", base = "8 ft" }]'
            ),
            ["two rows give a width to every lake"],
        ),
    ],
)
def test_fault_of_a_provision(small, faults_of, extra, words):
    error = faults_of(f"{small}\n[[provision]]\n{extra}\n")
    assert all(word in str(error) for word in words), str(error)
    assert all(fault.startswith("bad.toml:") for fault in error.faults)


def test_dated_values_may_follow_each_other(small, tmp_path):
    """A change of law is a new dated provision; the day of the application decides."""
    import datetime

    from wetgeo.rules.model import Monuments

    start = small.index('[[provision]]\nkind = "monuments"')
    end = small.index("[[provision]]", start + 1)
    old = small[start:end].rstrip()
    new = old.replace('id = "monuments"', 'id = "later"').replace('interval = "100 ft"', 'interval = "150 ft"')
    text = f"{small}\n{old}\nuntil = 2022-12-31\n\n{new}\neffective = 2023-01-01\n".replace(old, "", 1)
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    pack = load_pack("own.toml", tmp_path)
    assert pack.find(Monuments, datetime.date(2022, 12, 31)).interval.text == "100 ft"
    assert pack.find(Monuments, datetime.date(2023, 1, 1)).interval.text == "150 ft"
    assert pack.at(datetime.date(2022, 1, 1)).find(Monuments).interval.text == "100 ft"
    assert pack.find(Monuments).interval.text == "150 ft"


@pytest.mark.parametrize(
    ("example", "words"),
    [
        ('kind = "width"\nresource = "wetland"\nclass = "Hihg"\nwidth = "9 ft"', ["unknown class 'Hihg'", "High, Low"]),
        ('kind = "width"\nresource = "wetland"\nwidth = "9 ft"', ["class is missing"]),
        ('kind = "width"\nresource = "wetland"\nclass = "High"\nwidth = 9', ["9 is a bare number"]),
        ('kind = "permit_trigger"\nprovision = "x"\napplies = "yes"', ["'x' is no permit_trigger"]),
        (
            'kind = "soil_cut"\nareas = { A = "9 sq ft", "67 ft" = "10 sq ft" }\ngroup = "A"',
            ["areas.67 ft", "allowed: A, B, C, D, A/D"],
        ),
        ('kind = "wdith"', ["unknown kind 'wdith'", "did you mean 'width'"]),
    ],
)
def test_fault_of_an_example(small, faults_of, example, words):
    error = faults_of(f'{small}\n[[example]]\nabout = "it"\n{example}\n')
    assert all(word in str(error) for word in words), str(error)


def test_toml_itself(small, faults_of):
    assert "line 4" in str(faults_of(small.replace('authority = "Somewhere"', "authority = Somewhere")))
    twice = faults_of(small.replace('authority = "Somewhere"', 'authority = "a"\nauthority = "b"'))
    assert "line 5" in str(twice)
    assert "only once" in str(twice)


def test_tables_of_the_wrong_form(faults_of):
    error = faults_of('[provision]\nkind = "width"\n')
    assert "[pack]" in str(error)
    assert "[[provision]]" in str(error)
    assert "no provision" in str(faults_of('[pack]\nid = "x"\n'))


def test_subtables_are_found_by_line(small, faults_of):
    """Rows written as tables of their own are told by their own lines."""
    start = small.index("rows = [")
    end = small.index("]\n\n[[provision]]", start) + 2
    rows = '[[provision.rows]]\nresource = "wetland"\nclass = "High"\nbase = "9 ft"\n'
    text = f"{small[:start]}{rows}[[provision.rows]]\nresource = 'wetland'\nclass = 'Low'\nbase = 7\n{small[end:]}"
    [fault] = faults_of(text).faults
    assert fault.startswith("bad.toml:29: ")
    assert "rows[2].base" in fault


def test_unknown_pack(tmp_path):
    with pytest.raises(RulePackError) as caught:
        load_pack("mcwd-2042")
    assert isinstance(caught.value, UsageError)
    assert "Did you mean 'mcwd-2024'" in str(caught.value)
    assert "rcwd-rule-m-2004" in str(caught.value)
    with pytest.raises(RulePackError, match=r"none\.toml does not exist"):
        load_pack("none.toml", tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'title = "\xff"')
    with pytest.raises(RulePackError, match="cannot be read"):
        load_pack("latin.toml", tmp_path)
