"""Where a model hesitated is told at that word of the hunk, in words, and nowhere else."""

import pytest

from editd.diff.document import Document
from editd.diff.hunk import Hunk
from editd.diff.streaming import StreamingDiff
from editd.engine.provenance import (
    NEW,
    Provenance,
    TokenOrigin,
    TokenText,
    named,
    notes_hesitation,
)
from editd.models.text_source import Hesitation

COPIED = TokenOrigin("buffer")


def hunks_of(buffer, tokens):
    """The hunks of an answer of ``(text, rival, chance)`` tokens; no rival: a copied one."""
    diff, provenance = StreamingDiff(Document.of(buffer)), Provenance(at_start=True)
    ops = []
    for text, *unsure in tokens:
        provenance.add(
            [TokenText(text, text)],
            [NEW if unsure else COPIED],
            [Hesitation(unsure[1], unsure[0])] if unsure else [None],
        )
        ops += diff.push(text)
    provenance.finish([])
    ops += diff.finish()
    hunks = [op for op in ops if isinstance(op, Hunk) and op.done]
    return provenance.named(hunks, diff.first_line)


def told(buffer, *tokens):
    return [
        (span.line, hunk.new_lines[span.line][span.start : span.end], span.text)
        for hunk in hunks_of(buffer, tokens)
        for span in hunk.note_spans
    ]


OLD = "a = 1\nb = 2\nc = 3\n"
HERE = "hesitated here: "


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([("a = 1\nb =",), (" total", " sum", 0.4), ("\nc = 3\n",)],
         [(0, "total", f"{HERE}`total` or `sum`")]),
        # What is sure enough, and what stands where nothing changes.
        ([("a = 1\nb =",), (" total", " sum", 0.6), ("\nc = 3\n",)], []),
        ([("a =",), (" 1", " 7", 0.2), ("\nb = 4\nc = 3\n",)], []),
        # Into the next line: the words of each.
        ([("a = 1\nb =",), (" 4\nx", " 5", 0.4), (" = 1\nc = 3\n",)],
         [(0, "4", f"{HERE}`4` or `5`"), (1, "x", f"{HERE}`x` or `5`")]),
        # No word, no difference that can be seen, half a character.
        ([("a = 1\nb = 4",), ("\n", ",", 0.2), ("c = 3\n",)], []),
        ([("a = 1\nb =",), (" 4", "4", 0.2), ("\nc = 3\n",)], []),
        ([("a = 1\nb =",), (" 4", "\ufffd", 0.2), ("\nc = 3\n",)], []),
        # Nothing more to say, or only white space.
        ([("a = 1\nb = 2",), (" +", "\n", 0.2), (" 1\nc = 3\n",)],
         [(0, "+", f"{HERE}`+` or a new line")]),
        ([("a = 1\nb = 2",), (" +", "  ", 0.2), (" 1\nc = 3\n",)],
         [(0, "+", f"{HERE}`+` or white space")]),
        ([("a = 1\nb = 2",), (" +", "", 0.2), (" 1\nc = 3\n",)],
         [(0, "+", f"{HERE}`+` or the end of the answer")]),
        ([("a = 1\nb = ",), ("`x`", "y", 0.2), ("\nc = 3\n",)],
         [(0, "`x`", f"{HERE}“`x`” or `y`")]),
        # The least certain three, in their order.
        ([("a = 1\nb =",), (" p", "_", 0.5), (" q", "_", 0.1), (" r", "_", 0.55), (" s", "_", 0.2),
          ("\nc = 3\n",)],
         [(0, word, f"{HERE}`{word}` or `_`") for word in "pqs"]),
    ],
)  # fmt: skip
def test_it_stands_at_the_word(tokens, expected):
    assert told(OLD, *tokens) == expected


def test_origins_are_what_they_are_without_it():
    tokens = [("a = 1\nb =",), (" to", "x", 0.1), ("tal", "y", 0.2), ("\nc = 3\n",)]
    sure = [token if len(token) == 1 else (token[0], "x", 1.0) for token in tokens]
    assert [h.origins for h in hunks_of(OLD, tokens)] == [h.origins for h in hunks_of(OLD, sure)]
    assert [origin.source for origin in hunks_of(OLD, tokens)[0].origins] == [
        "buffer",
        "new",
        "buffer",
    ]
    assert named("new") == NEW


@pytest.mark.parametrize(
    ("instruction", "language", "expected"),
    [
        ("rename total to amount", "python", True),
        ("delete the comments", "python", True),
        ("remove all print calls", "go", True),
        ("make it handle empty lists", "typescript", True),
        ("add a docstring to parse", "python", False),
        ("add a log call at the start of every function", "python", False),
        ("document the parameters", "rust", False),
        ("make it handle empty lists", "markdown", False),
        ("make it handle empty lists", "", False),
    ],
)
def test_nothing_is_said_of_prose(instruction, language, expected):
    assert notes_hesitation(instruction, language) == expected
