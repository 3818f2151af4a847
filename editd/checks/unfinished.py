"""A text that stops in the middle of a statement, and an answer that goes on with it though no new code was asked for.

A small model that is shown the beginning of a function writes the rest of it, whatever it was asked. Known by the parser
where there is one; in other languages by a last line without an end that the answer made longer.
"""

from __future__ import annotations

import re

from editd.checks.code import cut_of
from editd.checks.rewrite import Doubt, Rewrite

_MOST = 3  # lines that may be added below any other text


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """The last hunk, if it changes what the text stopped in, or goes on behind it."""
    if _ASKED.search(rewrite.instruction):
        return []
    total = len(rewrite.old_lines)
    old, new = rewrite.model_text(0, total), rewrite.new_text(0, total)
    cut = cut_of(old, rewrite.language)
    if cut is None:
        return []
    if new.rstrip("\n").endswith(cut.unfinished.rstrip("\n")):
        return []
    last = rewrite.hunks[-1]
    start = len(cut.whole.splitlines())
    if last.start + last.old_count <= start and last.start < start:
        return []
    reason = "The text stops in the middle of a statement, and this goes on with it."
    return [Doubt(reason, (last.id,))]


_ASKED = re.compile(
    r"\b(?:complet\w*|finish\w*|continu\w*|go on|implement\w*|fill|writ(?:e|es|ing)|creat\w*|generat\w*|fix\w*|syntax|repair|close"
    r"|new (?:function|class|method|test)|(?:add|insert|append) (?:a |an |the |another |some )?(?:new )?(?:function|class|method|test|code|line|loop|check|branch|case)s?)\b",
    re.IGNORECASE,
)
