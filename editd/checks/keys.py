"""Keys whose value an instruction names, and that an answer gives another name: ``"port": 80`` for "set the port to 8080".

A key is what stands before ``:`` or ``=`` on its line: of a mapping, of an assignment, of an argument. Words that speak of
names may mean the key itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.checks.rewrite import Rewrite, Suspicion, quoted
from editd.diff.document import with_lf

_KEY = re.compile(
    r"(?P<before>\s*(?:- )?(?:(?:export|const|let|var|static|final|pub|mut) )*)(?P<mark>[\"'`]?)(?P<key>[\w$.-]+)(?P=mark)\??"
    r"\s*(?::(?!:)|=(?![=>])|:=)"
)
_RENAMING = re.compile(
    r"\brenam\w*|\bcall(?:ed)? it\b|\bidentifiers?\b|\bkeys?\b|\bspell\w*|\bmisspel\w*|\btypos?\b|->|→|\bknown as\b|\bnaming\b",
    re.IGNORECASE,
)
_REPLACING = re.compile(r"\b(?:replac|chang|swap|substitut|turn|instead|rather)", re.IGNORECASE)


def suspicions(rewrite: Rewrite) -> list[Suspicion]:
    """A suspicion for each hunk that gives another name to a key that the words name; none if the words speak of names,
    and none for a pair that they exchange.
    """
    if _RENAMING.search(rewrite.instruction):
        return []
    words = frozenset(re.findall(r"[\w$-]+", rewrite.instruction))
    pairs = rewrite.parsed.renames
    given = frozenset(pairs) if _REPLACING.search(rewrite.instruction) else frozenset()
    found: dict[int, Suspicion] = {}
    for hunk_id, old, new in _keys(rewrite):
        if old in words and old != new and (old, new) not in given:
            reason = f"The value of {quoted(old)} is named, and its name changed."
            found.setdefault(hunk_id, Suspicion(reason, (hunk_id,)))
    return list(found.values())


def _keys(rewrite: Rewrite) -> Iterator[tuple[int, str, str]]:
    """Yield for each changed or unchanged line of a hunk that has a key before and after, with the same words (such as
    ``const``) before the key, the id of the hunk, the old and the new key; nothing for hunks that change the number of
    lines.
    """
    for hunk in rewrite.hunks:
        old = rewrite.old_lines[hunk.start : hunk.start + hunk.old_count]
        new = with_lf(hunk.new_lines)
        if len(old) != len(new):
            continue
        for before, after in zip(old, new, strict=True):
            was, now = _KEY.match(before), _KEY.match(after)
            if was and now and was["before"] == now["before"]:
                yield hunk.id, was["key"], now["key"]
