"""What a merged text is doubted for before it is offered."""

import pytest

from editd.apply import Merged
from editd.apply.guards import checked_hunks
from editd.apply.resolve import merge_request
from editd.diff.edits import with_keeps
from editd.diff.hunk import Hunk, Keep
from editd.errors import EditRefused
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions

FUNCTIONS = "".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(8))


def applied(sketch, text=FUNCTIONS, instruction="", path="a.py"):
    result = merge_request(EditRequest("1", text, instruction, path=path, sketch=sketch))
    assert isinstance(result, EditResult), result
    return result


@pytest.mark.parametrize(
    ("sketch", "doubt"),
    [
        ("# ...\ndef f2(a):\n    a = 1\n    return a + 2\n# ...\n", None),
        ("# ...\ndef f2(a):\n    return (a + 2\n    return a + 2\n# ...\n", "parsed before"),
    ],
)
def test_a_doubt_stands_on_its_hunk(sketch, doubt):
    result = applied(sketch)
    assert len(result.hunks) == 1
    assert len(result.text) > len(FUNCTIONS) - 2
    if doubt is None:
        assert not result.suspects
        assert result.hunks[0].suspect is None
    else:
        assert doubt in result.hunks[0].suspect
        assert result.hunks[0].suspect in result.suspects


def test_what_is_right_nearly_always_is_a_note():
    """The sketch's last line is also that of f4: everything up to there is not meant to go."""
    result = applied("# ...\ndef f2(a):\n    return a + 4\n# ...\n")
    assert [hunk.old_count for hunk in result.hunks] == [1]
    assert result.hunks[0].suspect is None
    assert "otherwise than the file" in result.hunks[0].note


def test_a_definition_that_goes_is_named():
    result = applied("# ...\n    return a + 2\n\n\ndef f4(a):\n# ...\n")
    assert result.hunks[0].suspect == "“f3” (line 13) is gone; check that this is intended."


def test_the_result_says_where_every_character_came_from_and_who_merged():
    result = applied("# ...\ndef f2(a):\n    a = 1\n    return a + 2\n# ...\n")
    assert (result.stats.written_by, result.summary) == (
        "text",
        "Merged without a model, one reading.",
    )
    assert [way.name for way in result.ways] == ["model"]
    (hunk,) = result.hunks
    assert [(o.source, o.end) for o in hunk.origins] == [("sketch", len("    a = 1\n"))]
    assert with_keeps(result.hunks, FUNCTIONS) == (Keep(9), hunk, Keep(23))
    assert isinstance(hunk, Hunk)


def test_a_way_that_is_not_there_is_refused():
    options = EditOptions(way="reading")
    asked = EditRequest("1", FUNCTIONS, "", path="a.py", sketch="x", options=options)
    with pytest.raises(EditRefused, match="no other way 'reading'"):
        merge_request(asked)


def test_a_text_that_loses_most_is_doubted():
    words = [
        word
        for n in range(10)
        for word in (f"alpha = {n}", f"beta({n})", f"if g{n}: pass", f"del {n}")
    ]
    text = "".join(f"{word}\n" for word in words)
    shown = "".join(f"{words[n]}\n" for n in (1, 2, 36, 37))
    result = applied(f"# ...\n{shown}# ...\n", text)
    assert "7 of 40 lines are left; look whether the sketch was cut short." in result.suspects
    assert result.hunks[0].suspect


@pytest.mark.parametrize(
    ("written", "doubted"),
    [
        (FUNCTIONS, True),  # the whole file, where two lines were asked for
        ("def f2(a):\n    a = 1\n    return a + 2\n", False),
        (FUNCTIONS.replace("return", "return 1 + "), False),  # nothing that stands there
    ],
)
def test_a_model_that_writes_the_file_into_a_part_of_it_is_doubted(written, doubted):
    hunk = Hunk(1, 8, 2, tuple(written.splitlines(keepends=True)))
    sketch = "# ...\ndef f2(a):\n    a = 1\n# ...\n"
    lines = FUNCTIONS.splitlines(keepends=True)
    merged = Merged("".join([*lines[:8], written, *lines[10:]]), (hunk,), "sketch")
    (checked,), suspects = checked_hunks(
        merged, EditRequest("1", FUNCTIONS, "", path="a.py", sketch=sketch)
    )
    told = [one for one in suspects if "written once more" in one]
    assert bool(told) == doubted
    assert not doubted or checked.suspect


def test_what_the_sketch_itself_says_twice_is_meant():
    again = "def f7(a):\n    a = 1\n    b = 2\n    c = 3\n    return a + 7\n"
    text = FUNCTIONS + again.replace("f7", "f9")
    result = applied(
        f"# ...\n    return a + 6\n\n\n{again.replace('f7', 'f8')}\n\ndef f7(a):\n# ...\n", text
    )
    assert not any("written once more" in one for one in result.suspects)
