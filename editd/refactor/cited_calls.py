"""Calls that a request cites: whether a text has them, so that no other call is taken for one."""

from __future__ import annotations

import re

from editd.intent.evidence.snippets import calls_in
from editd.intent.evidence.target_cues import speaks_of_deleting
from editd.syntax.code import Code

_PLURAL = re.compile(r"\((?:e?s)?\)$")
_INSTEAD = re.compile(r"\b(?:instead|replace|rather than|use|call)\b", re.IGNORECASE)


def cites(cited: str, written: str) -> bool:
    """Whether a text has a call or subscript, white space aside; of a call at least the first arguments."""
    cited, written = (re.sub(r"\s+", "", x) for x in (cited, written))
    head = re.sub(r",?(?:\.\.\.|…)?\)$", "", cited)
    return cited in written or bool(
        head and re.search(rf"(?<![\w.]){re.escape(head)}(?=[,)])", written)
    )


def deletes_another_call(request: str, code: Code) -> bool:
    """Whether a request wants a call with these arguments to go, and the text only has others of the same function."""
    if not speaks_of_deleting(request) or _INSTEAD.search(request):
        return False
    cited = [x.code for x in calls_in(request) if not _PLURAL.search(x.code)]
    lacking = [x for x in cited if not cites(x, code.text)]
    return any(f"{x.split('(')[0]}(" in code.text for x in lacking)
