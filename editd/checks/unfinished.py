"""A text that stops in the middle of a statement, and an answer that goes on with it though no new code was asked for.

A small model that is shown the beginning of a function writes the rest of it, whatever it was asked. Known by the parser
where there is one; in other languages by a last line without an end that the answer made longer.
"""

from __future__ import annotations

import re

from editd.checks.rewrite import Rewrite, Suspicion
from editd.diff.hunk import Hunk
from editd.syntax.code import read_code

_REASON = "The text stops in the middle of a statement, and this goes on with it."
_ASKED = re.compile(
    r"\b(?:complet\w*|finish\w*|continu\w*|go on|implement\w*|fill|writ(?:e|es|ing)|creat\w*|generat\w*|fix\w*|syntax|repair|close"
    r"|new (?:function|class|method|test)|(?:add|insert|append) (?:a |an |the |another |some )?(?:new )?(?:function|class|method|test|code|line|loop|check|branch|case)s?)\b",
    re.IGNORECASE,
)


def suspicions(rewrite: Rewrite) -> list[Suspicion]:
    """A suspicion about the last hunk, if the old text stops in the middle of a statement (or of a word, without a last
    newline) and the hunk changes or continues that. None if the instruction asks for new, fixed or completed code.
    """
    if _ASKED.search(rewrite.instruction):
        return []
    total = len(rewrite.old_lines)
    old, new = rewrite.model_text(0, total), rewrite.new_text(0, total)
    last = rewrite.hunks[-1]
    if _goes_on(rewrite, last):
        return [Suspicion(_REASON, (last.id,))]
    cut = read_code(old, rewrite.language).cut
    if cut is None:
        return []
    if new.rstrip("\n").endswith(cut.unfinished.rstrip("\n")):
        return []
    start = len(cut.whole.splitlines())
    if last.start + last.old_count <= start and last.start < start:
        return []
    return [Suspicion(_REASON, (last.id,))]


def _goes_on(rewrite: Rewrite, last: Hunk) -> bool:
    """Whether the last hunk, at the end of a text without a last newline, adds letters to the word with which that ends."""
    total = len(rewrite.old_lines)
    if rewrite.document.ends_with_newline or last.start + last.old_count < total:
        return False
    end = rewrite.old_lines[total - 1].rstrip("\n")
    return bool(end.strip()) and any(
        line.startswith(end) and re.match(r"\w", line[len(end) :]) for line in last.new_lines
    )
