import json

import pytest

from benchmarks.solved.manifest import (
    KnownEdit,
    describe,
    fingerprint,
    is_solved,
    known_edit,
    refusal,
)

TEXT = "a = 1\nb = 2\n"
PART = "b = 2\n"

KNOWN = [
    KnownEdit("one", "one.py", "Rename a to c.", fingerprint(TEXT), None, True, 9, 12.0),
    KnownEdit("two", "one.py", "Delete b", fingerprint(TEXT), None, True, 9, 12.0),
    KnownEdit("part", "one.py", "Add hints.", fingerprint(PART), (2, 2), False, 9, 12.0),
]
MANIFEST = json.loads(json.dumps(describe(KNOWN, "demo")))


@pytest.mark.parametrize(
    ("instruction", "buffer", "path", "expected"),
    [
        ("Rename a to c.", TEXT, "", "one"),
        ("  rename A\n to  c ", TEXT, "elsewhere/other.py", "one"),
        ("Delete b.", TEXT, "", "two"),
        ("Rename a to c.", "\ufeffa = 1\r\nb = 2\r\n", "", "one"),
        ("Rename a to d.", TEXT, "one.py", None),
        ("Rename a to c. Please.", TEXT, "one.py", None),
        ("", TEXT, "one.py", None),
        ("Rename a to c.", TEXT + "\n", "one.py", None),
        ("Rename a to c.", TEXT.rstrip(), "one.py", None),
        ("Rename a to c.", "", "one.py", None),
        ("Add hints.", PART, "src/one.py", "part"),
        ("Add hints.", PART, "src\\one.py", "part"),
        ("Add hints.", PART, "two.py", None),
        ("Add hints.", TEXT, "one.py", None),
    ],
)
def test_only_the_very_edit_is_known(instruction, buffer, path, expected):
    known = known_edit(MANIFEST, instruction, buffer, path)
    assert (known.name if known else None) == expected


def test_the_entry_survives_json():
    assert known_edit(MANIFEST, "Add hints.", PART, "one.py") == KNOWN[2]


@pytest.mark.parametrize("manifest", [{}, {"format": "demo"}, {"kind": "trained"}])
def test_other_models_are_not_held_back(manifest):
    assert not is_solved(manifest)


def test_the_refusal_names_what_is_known_and_what_to_do():
    said = refusal(MANIFEST)
    assert "knows only 3 edits (of one.py;" in said
    assert "`editd models`" in said


def test_the_refusal_for_a_known_file_names_its_instructions():
    said = refusal(MANIFEST, TEXT)
    assert "only “Rename a to c.” and “Delete b” of this text by heart" in said
    assert "Add hints" not in said
    assert "`editd models`" in said


def test_an_unknown_file_gets_the_general_refusal():
    assert refusal(MANIFEST, "x\n") == refusal(MANIFEST)
