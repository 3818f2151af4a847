"""Placeholders for text that the model did not write out: ``# ... rest of the code unchanged``.

Applied, they delete what they stand for. Only lines that are nothing but a placeholder count, and
only if the buffer does not have them.
"""

from __future__ import annotations

import re
from itertools import chain, islice

from editd.checks.rewrite import Rewrite, Suspicion, quoted

_MOST_BLANK = 100  # lines above dots in which their colon is looked for
_COMMENT = re.compile(
    r"(?:#+|//+|/\*+|<!--|--+|;+|%+|\{/\*+|\(\*|\"\"\"|''')\s*(?P<text>.*?)"
    r"\s*(?:\*+/\}?|-->|--|\*\)|\"\"\"|''')?"
)
_NOTE = re.compile(r"[.…]* ?(?:\[[^\[\](){};=]*\]|\([^\[\](){};=]*\)) ?[.…]*")
_ELLIPSIS = re.compile(r"\.{3}|…")
_PART = (
    r"(?:code|file|class|function|method|module|implementation|script|document|content|program|logic|"
    r"test|import|buffer|field|line|body|definition|helper|handler|case|section|configuration|config)s?"
)
_WORDS = re.compile(
    rf"\b(?:rest|remain(?:s|ing|der)?|existing|unchanged|omitted|same|as before|as is|truncated|snip|"
    rf"previous {_PART}|other {_PART}|more {_PART}|your {_PART}|original {_PART}|keep|continues?)\b",
    re.IGNORECASE,
)
_SAME = (
    r"(?:(?:is|are|is left|are left|will)?\s*)?(?:unchanged|(?:the )?same(?: as (?:before|above))?|here|"
    r"as (?:is|before)|omitted(?: for brevity)?|remains? (?:here|unchanged|(?:the )?same|as is)|"
    r"stays? (?:here|unchanged|(?:the )?same|as is)|goes here|continues?(?: here)?|follows)"
)
_PHRASE = re.compile(
    rf"(?:the )?(?:rest|remainder) of (?:the |this |your |my )?(?:original |existing )?{_PART}"
    rf"(?: \w+)?(?: {_SAME})?"
    rf"|(?:the )?(?:existing|remaining|other|original|previous)(?: \w+)? {_PART} {_SAME}"
    rf"|(?:the )?(?:remaining|existing|unchanged|original) {_PART}|{_PART} (?:unchanged|omitted)"
    rf"|placeholder for (?:the |your )?(?:actual |real |original )?{_PART}(?: here)?"
    r"|unchanged|same as (?:before|above|original)|no changes?(?: here)?|snip|omitted for brevity",
    re.IGNORECASE,
)


def suspicions(rewrite: Rewrite) -> list[Suspicion]:
    """A suspicion for each line that a hunk writes, that is a placeholder (``# ... rest unchanged``) or, where the
    language has none, dots alone, and that the buffer does not have.
    """
    found: list[Suspicion] = []
    for number, (hunk, start) in enumerate(zip(rewrite.hunks, rewrite.new_starts, strict=True)):
        for index, line in enumerate(hunk.new_lines, start):
            if not is_placeholder(line) and not _is_bare_ellipsis(rewrite, number, index - start):
                continue
            if not rewrite.has_line(line.strip()):
                reason = f"Line {index + 1} stands for text that was left out: {quoted(line)}."
                found.append(Suspicion(reason, (hunk.id,)))
    return found


def is_placeholder(line: str) -> bool:
    """Whether the line is a comment (or a note in brackets with dots) that says "and so on as before"; dots alone in a
    comment are one, dots without a comment are none.
    """
    bare = line.strip()
    if _NOTE.fullmatch(bare):
        return bool(_ELLIPSIS.search(bare) and _WORDS.search(bare))
    comment = _COMMENT.fullmatch(bare)
    if comment is None:
        return False
    text = comment["text"].strip(" \t-=*()[]")
    if not text.strip("….") and _ELLIPSIS.search(text):
        return True
    at_border = _ELLIPSIS.match(text) or re.search(r"(?:\.{3}|…)$", text)
    return bool((at_border and _WORDS.search(text)) or _PHRASE.fullmatch(text.strip("…. \t")))


def _is_bare_ellipsis(rewrite: Rewrite, number: int, index: int) -> bool:
    """Whether line ``index`` of the new lines of hunk ``number`` (both from 0) is dots alone where the language has no
    such thing. Never in texts, markup, YAML and unknown languages; in Python not where a body may be or a session is
    shown: after a colon, a docstring, a decorator, ``>>>`` or other dots.
    """
    lines = rewrite.hunks[number].new_lines
    if lines[index].strip() not in ("...", "…", "...."):
        return False
    if rewrite.language in ("markdown", "text", "rst", "yaml", "latex", "html", ""):
        return False
    if rewrite.language != "python":
        return True
    above = islice(chain(reversed(lines[:index]), rewrite.new_before(number)), _MOST_BLANK)
    before = next((x.strip() for x in above if x.strip()), "")
    return not before.endswith((":", '"""', "'''", ">>>")) and not before.startswith(("@", "..."))
