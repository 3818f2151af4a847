"""Comments out the lines that a request describes.

a.py, "comment out the call to log"::

    def load(path):
        log(path)
        return read(path)

becomes::

    def load(path):
        # log(path)
        return read(path)

a.css, "comment out the .old rule"::

    .old {
      display: none;
    }

becomes::

    /* .old {
      display: none;
    } */
"""

from __future__ import annotations

from editd.intent.intents import CommentOutCode
from editd.refactor.candidates import Candidates
from editd.refactor.comment_out import commented
from editd.refactor.described_lines import described_lines
from editd.refactor.entries import is_program
from editd.refactor.values import SHELLS
from editd.syntax.code import Code
from editd.syntax.units import units_of


def comment_out_code(intent: CommentOutCode, code: Code) -> Candidates | None:
    """The text with the described lines as comments; a certain candidate if the rest keeps its tokens, else an uncertain one.

    ``None`` if other than the described number of lines fit, or they cannot become comments: the language's comments
    are not known, the lines are blank or comments already, continue a line or are continued by a backslash, or their
    indentation mixes tabs and spaces. Also if the request only says "comment" (``intent.is_terse``) and the lines,
    which are not given by number, are no calls in a program other than a shell's.
    """
    found = described_lines(intent.described, intent.within, code)
    if (
        intent.is_terse
        and is_program(code)
        and code.language not in SHELLS
        and not intent.described.first
    ):
        called = {(unit.start, unit.end) for unit in units_of(code) if unit.called}
        if not called.issuperset(found):
            return None
    numbers = [number for start, end in found for number in range(start, end)]
    return commented(code, numbers) if numbers else None
