"""The scale of confidence, and every doubt: one reason against a reading, what it protects and its sentence.

A doubt caps the confidence of the change against which it is raised; nothing is added up. The caps are about the
share of readings that were right where the doubt alone was raised (``python -m benchmarks.apply.tune --caps``). A doubt
that was right in 95 of 100 answers is a *note*: people see it, and the change is taken. What may lose code is never a
note (``python -m benchmarks.apply.answers --doubts``, ``marks``).
"""

from __future__ import annotations

from dataclasses import dataclass

# Least confidence: no doubt; no mark; shown at all.
CERTAIN, CONFIDENT, SHOWN = 1.0, 0.95, 0.5
# Confidence in a location that a name gives; that prose or a marker gives; where similar code stands.
BY_NAME, BEST_GUESS, WEAK_GUESS = 0.97, 0.9, 0.6

NEW_VERSION = "This is taken for a new version of what stands at line {}; look whether it is."
MAY_BELONG_ELSEWHERE = (
    "The paste does not show where this belongs; look whether it should stand elsewhere."
)
FROM_PROSE = "This is where the text above the code says; look whether it belongs here."
WOULD_GO = (
    "“{}” (line {}) would go, and the paste does not mention it; show more lines around the change."
)
_UNCLEAR_EDGE = "{} does not say for certain where it belongs; show more lines around the change."
_INDENTED = (
    "The sketch is indented otherwise than the file at line {}, and may be indented unevenly; indent it "
    "like the file."
)
_BLANK = (
    "The sketch leaves out a blank line of the file, at line {}, which may or may not be intended; show it, "
    "or use a diff."
)
_ENDS = "The paste ends this otherwise than the file does at line {}; look whether more of it should stay."
_MOST_GO = "Most of lines {} to {} would go; look whether the paste shows all of what it replaces."


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason against a reading.

    cap: the most confidence that a change with it has. protects: what could be lost or misplaced without it. sentence: for
    the user, with ``{}`` for what ``raised`` is given; empty if the sentence of what is around it serves. is_note: whether
    it alone is a note and no suspect.
    """

    cap: float
    protects: str
    sentence: str = ""
    ends_unchanged: bool = False


DOUBTS = {
    # --- of a segment that the alignment placed: what the sketch leaves out (``checks``) ---
    "version": Doubt(0.7, "a line that resembles the new one and stays", _UNCLEAR_EDGE),
    "beside": Doubt(0.6, "order: new lines have an old one on one side only", _UNCLEAR_EDGE),
    "ends": Doubt(0.7, "lines at the file's beginning or end that the sketch omits", _UNCLEAR_EDGE),
    "context": Doubt(
        0.49, "everything: no line says where the segment begins or ends", _UNCLEAR_EDGE
    ),
    "open": Doubt(
        0.96,
        "the file's lines beyond an end of the sketch that has no marker",
        "The sketch has no marker {} line {}, and the file has {} there; add a marker if they stay.",
    ),
    "blank": Doubt(0.6, "blank lines that the sketch omits", _BLANK),
    "still": Doubt(
        0.55,
        "a change that the sketch speaks of and does not show",
        "A part of the sketch changes nothing at line {} of the file, so what it is about is not shown; show "
        "more lines around the change, or leave that part out.",
    ),
    # --- how the segment is indented ---
    "moved": Doubt(0.96, "the depth of lines whose context is as deep in another unit", _INDENTED),
    "shape": Doubt(
        0.96,
        "text that parses: a new line is not deeper below what opens a block, or deeper elsewhere",
        "New lines at line {} of the file are not as deep as the file's lines would be; indent them like the "
        "file.",
    ),
    "foreign": Doubt(
        0.6,
        "a file without mixed tabs and spaces",
        "New lines of the sketch are indented by tabs and the file by spaces, or the other way round; indent "
        "them like the file.",
    ),
    # --- what its lines could be instead ---
    "edge": Doubt(
        0.9,
        "a line that stays, and that the sketch has a second time as a new one",
        "The part of the sketch at line {} of the file begins or ends with a line that may be new or may stay; "
        "show one more line above and below the change.",
    ),
    "branch": Doubt(
        0.6,
        "a branch such as “} catch”, of which the sketch shows the bracket",
        "Lines go at line {} of the file that begin like the bracket which the sketch has instead of them, such as "
        "“}} catch”; show them, or a line below them.",
    ),
    "moves": Doubt(
        0.96,
        "lines beyond the segment from being doubled",
        "The sketch puts lines here that stand right beyond it, so they may be meant to move; show them in "
        "their old place too, or a line beyond it.",
    ),
    # --- where else it could stand, and what it takes away ---
    "rival": Doubt(0.96, "another range that fits almost as well"),
    "spares": Doubt(BEST_GUESS, "lines that would stay in another range"),
    "thin": Doubt(
        0.9,
        "lines that go on the word of few others",
        "Lines go at line {} of the file, and what stays beside them could stand elsewhere, too; show more lines "
        "around the change.",
    ),
    "block": Doubt(
        0.49,
        "a rule of CSS, a test or another block that the sketch does not show",
        "“{}” would go, and the paste does not mention it; show it if it stays, or say in a diff that it goes.",
    ),
    "remark": Doubt(
        BEST_GUESS,
        "a comment that stands for itself, such as a licence",
        "A comment goes at line {} of the file, and nothing comes for it; look whether it should stay.",
    ),
    # --- of a whole reading ---
    "twice": Doubt(
        BEST_GUESS,
        "a name from being declared twice",
        "“{}” would be declared twice; show its old line, or remove it.",
    ),
    "gone": Doubt(BEST_GUESS, "a definition or block that the sketch does not name", WOULD_GO),
    "members": Doubt(BEST_GUESS, "members of a container, such as keys of a mapping"),
    "elided": Doubt(BEST_GUESS, "what a marker beside code stands for"),
    "marker": Doubt(
        BEST_GUESS, "a comment that was taken for a marker, or the reverse", ends_unchanged=True
    ),
    "cut": Doubt(
        BEST_GUESS,
        "lines that were to follow where the paste breaks off",
        "The paste breaks off within its code; look whether more was to follow.",
    ),
    "left": Doubt(
        BEST_GUESS,
        "a code block that is left out",
        "The last code block, which begins with “{}”, is left out: nothing says where it belongs.",
    ),
    "unnamed": Doubt(BEST_GUESS, "whatever the sentence says"),
    # --- of definitions that are found by name ---
    "much": Doubt(WEAK_GUESS, "most of a definition's lines", _MOST_GO),
    "much marked": Doubt(
        WEAK_GUESS, "most of a definition's lines, in a sketch with markers", _MOST_GO
    ),
    "end": Doubt(
        BEST_GUESS, "the rest of a definition that may be shown in part", _ENDS, ends_unchanged=True
    ),
    "end of several": Doubt(
        BEST_GUESS, "the same, of a name that the file has several times", _ENDS
    ),
    "deeper": Doubt(
        BEST_GUESS,
        "the depth of a definition",
        "The sketch shows this in another depth than the file at line {}; look whether it should move.",
    ),
    "flat": Doubt(
        WEAK_GUESS,
        "indentation that the copy lost",
        "The paste has no indentation, and the file has at line {}; indent it like the file.",
    ),
    "nested": Doubt(
        BEST_GUESS,
        "another function of that name",
        "This is taken for the function within another one at line {}; look whether it is.",
        ends_unchanged=True,
    ),
    "unseen": Doubt(0.49, "lines that go at an edge that no line shows"),
    "renamed": Doubt(
        BEST_GUESS,
        "a definition that the answer shows under another name",
        "“{}” is taken for the new name of “{}”; look whether it is.",
        ends_unchanged=True,
    ),
    # --- of new code, whose location no line shows ---
    "stated": Doubt(
        BEST_GUESS, "order: prose states the location", FROM_PROSE, ends_unchanged=True
    ),
    "like": Doubt(
        WEAK_GUESS,
        "order: below the last block of its kind",
        MAY_BELONG_ELSEWHERE,
        ends_unchanged=True,
    ),
    "alone": Doubt(WEAK_GUESS, "order: nothing in the file is of its kind", MAY_BELONG_ELSEWHERE),
    "hinted": Doubt(WEAK_GUESS, "order: prose or a marker may state another location"),
    "user": Doubt(BEST_GUESS, "order: above the definition that uses it", MAY_BELONG_ELSEWHERE),
    "last": Doubt(
        WEAK_GUESS, "order: at the end of a body", MAY_BELONG_ELSEWHERE, ends_unchanged=True
    ),
    "loose": Doubt(WEAK_GUESS, "order: between two definitions", MAY_BELONG_ELSEWHERE),
    "odd": Doubt(
        BEST_GUESS, "an import, or lines of a whole file, beside a definition", MAY_BELONG_ELSEWHERE
    ),
    "near": Doubt(BY_NAME, "lines that may be context of another change"),
    "anew": Doubt(
        BEST_GUESS, "a line that resembles the new one and stays", NEW_VERSION, ends_unchanged=True
    ),
    "less": Doubt(BEST_GUESS, "names that an import loses", NEW_VERSION),
    "others": Doubt(
        BEST_GUESS,
        "imports that were to go",
        "Imports that the paste does not show stay; look whether they should.",
    ),
    "first": Doubt(
        BEST_GUESS, "order: the file has no import yet", MAY_BELONG_ELSEWHERE, ends_unchanged=True
    ),
    # --- of old lines that stand nowhere as they are shown ---
    "stale": Doubt(SHOWN, "a newer version of the old lines"),
}
"""By name. Within a definition that is shown in part, ``in NAME`` is the doubt NAME, which caps nothing."""

NOTES = frozenset({*(name for name, doubt in DOUBTS.items() if doubt.ends_unchanged), "in beside"})
"""Doubts that are notes, if no other one is raised against a change."""


def sentence_for(name: str, *details: object) -> str:
    """The sentence of the doubt ``name`` with ``details`` in the order of its ``{}``. Raises ``KeyError`` for an unknown name."""
    return DOUBTS[name].sentence.format(*details)


def raised(name: str, *details: object) -> tuple[str, str]:
    """The name of a doubt and its sentence with ``details``. Raises ``KeyError`` for an unknown name."""
    return name, sentence_for(name, *details)
