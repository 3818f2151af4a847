"""The growing answer against the buffer: what is settled, when, and under which id."""

import pytest

from editd.diff.document import Document
from editd.diff.edits import apply
from editd.diff.hunk import Hunk, Keep
from editd.diff.streaming import StreamingDiff


def check(before, answer, expected, hunks=None, **options):
    """Push ``answer`` whole and line by line; the result is ``expected`` either way."""
    for pieces in ([answer], answer.splitlines(keepends=True), list(answer)):
        diff = StreamingDiff(Document.of(before), **options)
        for piece in pieces:
            diff.push(piece)
        diff.finish()
        assert apply(diff.hunks, before) == expected
        if hunks is not None:
            assert [(h.start, h.old_count, list(h.new_lines)) for h in diff.hunks] == hunks


def numbered(*names):
    return "".join(f"{name}\n" for name in names)


ABC = numbered(*"abcdefgh")


@pytest.mark.parametrize(
    ("before", "answer", "hunks"),
    [
        ("", "", []),
        (ABC, ABC, []),
        (ABC, "", [(0, 8, [])]),
        ("", "a\nb\n", [(0, 0, ["a\n", "b\n"])]),
        (ABC, numbered(*"abXdefgh"), [(2, 1, ["X\n"])]),
        (ABC, numbered(*"abXcdefgh"), [(2, 0, ["X\n"])]),
        (ABC, numbered(*"abdefgh"), [(2, 1, [])]),
        (ABC, numbered(*"Xabcdefgh"), [(0, 0, ["X\n"])]),
        (ABC, numbered(*"abcdefghX"), [(8, 0, ["X\n"])]),
        (ABC, numbered(*"abcdefg"), [(7, 1, [])]),
        (ABC, numbered(*"XbcYefgZ"), [(0, 1, ["X\n"]), (3, 1, ["Y\n"]), (7, 1, ["Z\n"])]),
        ("\n\n\n", "\n\n", [(2, 1, [])]),
        ("\n\n", "\n\n\n", [(2, 0, ["\n"])]),
        # An inserted block that equals the one after it.
        (ABC, numbered(*"abcdcdefgh"), [(4, 0, ["c\n", "d\n"])]),
        # A blank line inside a rewritten block stays in its hunk.
        (numbered(*"abc", "", *"def", ""), numbered(*"XYZ", "", *"UVW", ""), None),
    ],
)
def test_hunks_are_small(before, answer, hunks):
    check(before, answer, answer, hunks)


def test_a_rewritten_block_with_a_blank_line_in_it_is_one_hunk():
    before = numbered("keep", "a1", "a2", "", "b1", "b2", "end")
    after = numbered("keep", "A1", "A2", "", "B1", "B2", "end")
    check(before, after, after, [(1, 5, ["A1\n", "A2\n", "\n", "B1\n", "B2\n"])])


def test_a_change_is_settled_by_the_next_old_line():
    diff = StreamingDiff(Document.of(ABC))
    assert diff.push("a\nb\n") == [Keep(2)]
    assert diff.push("X\n") == [Hunk(1, 2, 0, ("X\n",), done=False)]
    assert diff.push("d\n") == [Hunk(1, 2, 1, ("X\n",)), Keep(2 - 1)]
    assert diff.push("e\nf\n") == [Keep(2)]
    assert diff.finish() == [Hunk(2, 6, 2, ())]


def test_blank_lines_and_brackets_settle_nothing():
    before = numbered("one", "}", "", "two", "}", "", "three", "}", "", "four")
    diff = StreamingDiff(Document.of(before))
    diff.push("one\n}\n\nnew\n}\n\n")
    assert diff.hunks == ()
    ops = diff.push("three\n")
    assert ops[0] == Hunk(1, 3, 1, ("new\n",))


def test_a_long_jump_needs_more_than_one_line():
    before = [f"line {i}\n" for i in range(100)]
    diff = StreamingDiff(Document.of("".join(before)))
    diff.push("".join(before[:10]))
    diff.push(before[60])  # a moved line, or the end of a large deletion?
    assert diff.hunks == ()
    diff.push("".join(before[10:20]))  # it was moved
    assert diff.hunks == (Hunk(1, 10, 0, (before[60],)),)
    diff.push("".join(before[60:80]))  # this is a deletion
    assert diff.hunks[1:] == (Hunk(2, 20, 40, ()),)


def test_an_open_hunk_grows_and_ends_under_its_id():
    before = numbered(*(f"old {i}" for i in range(20)))
    diff = StreamingDiff(Document.of(before), first_id=7)
    shown = []
    for i in range(5):
        shown += diff.push(f"new {i}\n")
    assert [op.id for op in shown] == [7] * 5
    assert [len(op.new_lines) for op in shown] == [1, 2, 3, 4, 5]
    assert not any(op.done for op in shown)
    ops = diff.push("old 5\nold 6\n")
    assert ops == [Hunk(7, 0, 5, tuple(f"new {i}\n" for i in range(5))), Keep(2)]


def test_a_closed_hunk_is_refined_and_its_first_part_keeps_the_id():
    before = numbered("a", "if x {", "}", "b", "}", "c", "}", "last", "end")
    after = numbered("A", "if x {", "}", "B", "}", "C", "}", "last", "end")
    diff = StreamingDiff(Document.of(before))
    opened = diff.push("A\n")
    assert opened == [Hunk(1, 0, 0, ("A\n",), done=False)]
    diff.push(after[2:])
    diff.finish()
    assert [(h.id, h.start, h.old_count) for h in diff.hunks] == [(1, 0, 1), (2, 3, 1), (3, 5, 1)]


def test_an_answer_that_never_rejoins_is_one_hunk():
    before = numbered(*(f"old {i}" for i in range(300)))
    diff = StreamingDiff(Document.of(before))
    ops = []
    for i in range(3000):
        ops += diff.push(f"new {i}\n")
    assert {op.id for op in ops} == {1}
    assert len(ops) < 300  # shown ever more seldom, or its cost would grow with the square
    assert diff.finish() == [Hunk(1, 0, 300, tuple(f"new {i}\n" for i in range(3000)))]


@pytest.mark.parametrize(
    ("before", "answer", "final_newline", "expected"),
    [
        ("a\nb", "a\nb\n", None, "a\nb"),  # a missing final newline stays missing
        ("a\nb", "a\nb", None, "a\nb"),
        ("a\nb", "a\nb\nc\n", None, "a\nb\nc"),
        ("a\nb", "a\n", None, "a"),
        ("a\nb", "a\nb\n\n\n", None, "a\nb"),
        ("a\n\n\nb", "a\n\n\nB\n", None, "a\n\n\nB"),
        ("a\nb", "\n\n", None, ""),
        ("a\nb\n", "a\nb", None, "a\nb\n"),  # and one that is there stays
        ("a\nb\n", "a\nc", None, "a\nc\n"),
        ("a\nb\n", "a\nb\n\n", None, "a\nb\n\n"),
        ("", "a", None, "a\n"),
        ("a\r\nb", "a\nb\n", True, "a\r\nb\r\n"),  # unless asked for
        ("a\nb\n", "a\nb\n", False, "a\nb"),
        ("a\nb\n", "a\nc\n\n", False, "a\nc"),
        ("a\n  ", "a\n  \n", None, "a\n  "),
    ],
)
def test_the_final_newline_is_the_buffers_unless_asked_for(before, answer, final_newline, expected):
    check(before, answer, expected, final_newline=final_newline)


@pytest.mark.parametrize(
    ("before", "start", "end", "answer", "expected"),
    [
        ("a\nb\nc\n", 1, 2, "X", "a\nX\nc\n"),  # in the middle every line is ended
        ("a\nb\nc", 1, 2, "X", "a\nX\nc"),
        ("a\r\nb\r\nc", 1, 2, "X\nY\n", "a\r\nX\r\nY\r\nc"),
        ("a\nb\nc", 2, 3, "X\n", "a\nb\nX"),
        ("a\nb\nc\n", 1, 1, "X\n", "a\nX\nb\nc\n"),
        ("a\nb", 2, 2, "c\n", "a\nb\nc"),  # after an unended line
        ("\ufeffa\r\nb\r\n", 0, 1, "\ufeffX\n", "\ufeffX\r\nb\r\n"),
        ("a\nb\nc\n", 1, 2, "", "a\nc\n"),
    ],
)
def test_only_the_region_changes(before, start, end, answer, expected):
    check(before, answer, expected, start=start, end=end)


@pytest.mark.parametrize(
    ("before", "answer", "expected"),
    [
        ("a\r\nb\nc\r", "a\nb\nX\nc\n", "a\r\nb\nX\nc\r"),
        ("a\r\nb\r\n", "a\r\nX\r\nb\r\n", "a\r\nX\r\nb\r\n"),  # a model may write CR LF itself
        ("a\r\nb\r\n", "a\rX\rb\r", "a\r\nX\r\nb\r\n"),
        ("a\rb\n\nc\n", "a\n\nc\n", "a\r\r\nc\n"),  # CR and LF must not become one line end
        ("a\rb\n\n\nc\n", "a\n\n\nc\n", "a\r\r\n\nc\n"),
        ("a\rb\nc\n", "a\n\nc\n", "a\r\r\nc\n"),
        ("x\ry\r\n\nz", "x\nY\n\nz\n", "x\rY\r\n\nz"),
        ("a\fb\u2028c\x85d\n", "a\fb\u2028c\x85D\n", "a\fb\u2028c\x85D\n"),
    ],
)
def test_line_ends_return_line_by_line(before, answer, expected):
    check(before, answer, expected)
    assert Document.of(expected).model_text == Document.of(answer).model_text.removesuffix(
        "" if before.endswith(("\n", "\r")) else "\n"
    )


@pytest.mark.parametrize(
    ("before", "answer", "expected", "restored"),
    [
        ("a  \nb\n", "a\nb\n", "a  \nb\n", 1),
        ("a\nb\n", "a\t\nB\n", "a\nB\n", 1),
        ("a\n   \nb\n", "a\n\nb\n", "a\n   \nb\n", 1),
        ("a\n\n\nb\nc\n", "a\nb\nX\n", "a\n\n\nb\nX\n", 2),
        ("a\nb\nc\n", "a\n\nb\n\nC\n", "a\nb\n\nC\n", 1),
        ("a \r\nb\r\n", "a\nB \n", "a \r\nB \r\n", 1),
        # Around a change, and in a block that moves: counted line by line.
        ("a \nx\nb \nc\nd\n", "a\nX\nb\nc\nd\n", "a \nX\nb \nc\nd\n", 2),
        # Blank lines that come or go with other lines are part of that change.
        ("a\n\nb\n\nc\n", "a\n\nc\n", "a\n\nc\n", 0),
        ("a\nc\n", "a\n\nb\n\nc\n", "a\n\nb\n\nc\n", 0),
        # White space that says something.
        ("if x:\n    y\n", "if x:\n  y\n", "if x:\n  y\n", 0),
        ("a  ", "a", "a  ", 1),
    ],
)
def test_white_space_that_nobody_speaks_of_stays(before, answer, expected, restored):
    check(before, answer, expected, keeps_spacing=True)
    diff = StreamingDiff(Document.of(before), keeps_spacing=True)
    diff.push(answer)
    diff.finish()
    assert diff.num_restored == restored


METHOD = "class A:\n    def f(self):\n        return 1\n\n    x = 1\n    y = 2\n"


@pytest.mark.parametrize(
    ("start", "end", "answer", "expected", "restored"),
    [
        (1, 3, "def f(self):\n        return 1\n", METHOD, 1),
        (1, 3, "  def f(self):\n        return 2\n", METHOD.replace("return 1", "return 2"), 1),
        (1, 3, "def g(self):\n        return 1\n", METHOD.replace("f(", "g("), 1),
        (1, 3, "def f(self):\n\n        return 1\n", METHOD, 2),
        (4, 6, "x = 1\n    y = 3\n", METHOD.replace("y = 2", "y = 3"), 1),
        (
            1,
            3,
            "def f(self):\n        z = 1\n        return 1\n",
            METHOD.replace("        ", "        z = 1\n        "),
            1,
        ),
        # All of it stands as far to the left as in a file of its own.
        (1, 3, "def f(self):\n    return 1\n", METHOD, 2),
        (1, 3, "def f(self):\n    return 2\n", METHOD.replace("return 1", "return 2"), 1),
        (
            1,
            3,
            "@cached\ndef f(self):\n    return 1\n",
            METHOD.replace("    def", "    @cached\n    def"),
            2,
        ),
        (
            1,
            3,
            'def f(self):\n    """F."""\n    return 1\n',
            METHOD.replace("    ret", '    """F."""\n        ret'),
            2,
        ),
        (1, 6, METHOD.replace("\n    ", "\n").partition("\n")[2], METHOD, 4),
        (4, 6, "x = 1\ny = 2\n", METHOD, 2),
        (1, 3, "def f(self):\n", "class A:\ndef f(self):\n" + METHOD.partition("1\n")[2], 0),
        # Another line stands first now.
        (4, 6, "top:\n    x = 1\n    y = 2\n", METHOD.replace("    x", "top:\n    x"), 0),
        (0, 6, METHOD.replace("class A", "class B"), METHOD.replace("class A", "class B"), 0),
    ],
)
def test_lost_indentation_is_given_back(start, end, answer, expected, restored):
    check(METHOD, answer, expected, start=start, end=end, keeps_spacing=True)
    diff = StreamingDiff(Document.of(METHOD), start, end, keeps_spacing=True)
    diff.push(answer)
    diff.finish()
    assert diff.num_restored == restored


def test_what_may_be_meant_to_move_stays_where_it_was_put():
    diff = StreamingDiff(Document.of(METHOD), 1, 3, keeps_spacing=True, may_move=True)
    diff.push("def f(self):\n    return 1\n")
    diff.finish()
    assert apply(diff.hunks, METHOD) == METHOD.replace("    def", "def").replace("    ret", "ret")


def test_blank_lines_are_not_shown_while_they_may_be_undone():
    diff = StreamingDiff(Document.of(ABC), keeps_spacing=True)
    assert diff.push("a\n\n\n") == [Keep(1)]
    assert diff.push("b\n") == [Keep(1)]
    assert [op.new_lines for op in diff.push("\nX\n")] == [("\n", "X\n")]


def test_what_is_abandoned_stays_as_it_was():
    diff = StreamingDiff(Document.of(ABC))
    diff.push("A\nb\nX\nY\n")
    assert diff.abandon() == [Keep(6)]
    assert diff.finish() == []
    assert apply(diff.hunks, ABC) == ABC.replace("a", "A")


def test_a_region_outside_the_document_is_an_error():
    with pytest.raises(ValueError, match="lines 2 to 4 are not in a document of 3 lines"):
        StreamingDiff(Document.of("a\nb\nc"), 2, 4)


def test_nothing_can_be_pushed_after_the_end():
    diff = StreamingDiff(Document.of("a\n"))
    diff.push("a\n")
    diff.finish()
    assert diff.finish() == []
    with pytest.raises(ValueError, match="finished"):
        diff.push("b\n")


def test_a_region_of_a_large_text_looks_at_its_own_lines():
    class Counted(tuple):
        __slots__ = ()
        read = 0

        def __getitem__(self, index):
            found = super().__getitem__(index)
            Counted.read += len(found) if isinstance(index, slice) else 1
            return found

        def __iter__(self):
            Counted.read += len(self)
            return super().__iter__()

    document = Document("", Counted(f"{number}\n" for number in range(10_000)))
    document.__dict__["model_lines"] = document.lines  # as it is where lines are offsets
    diff = StreamingDiff(document, 5000, 5010)
    diff.push("".join(f"{number}!\n" for number in range(5000, 5010)))
    diff.finish()
    assert [(h.start, h.old_count) for h in diff.hunks] == [(5000, 10)]
    assert Counted.read < 100
