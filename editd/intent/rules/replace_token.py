"""Replace a token: how people ask that a colour, address, version or other sign of code become another of its kind."""

from __future__ import annotations

import re

from editd.intent.english import QUOTED
from editd.intent.intents import ReplaceToken
from editd.intent.rules.guess import Guess

_TOKEN = rf"(?:{QUOTED}|[^\s,;\"'`]+)"
_LEAD = r"(?:the )?(?:(?:colou?r|address|url|host|domain|path|version|image|value|text|string|label|hash|algorithm|link|e?mail|ip|size|token) )?"
_OLD, _NEW = rf"{_LEAD}(?P<old>{_TOKEN})", rf"{_LEAD}(?P<new>{_TOKEN})"
_EVERYWHERE = r"(?: (?:everywhere|throughout|in all places|in (?:this|the) file|instead))?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:replace|substitute|swap|exchange|change|update|switch|turn|convert|correct|fix) (?:all |every )?(?:occurrences of )?{_OLD} (?:with|by|to|into|for|->) {_NEW}{_EVERYWHERE}",
        rf"(?:use|put|write|make it|take|prefer|switch to|point to|i want) {_NEW} (?:instead of|in place of|rather than|not|over) {_OLD}{_EVERYWHERE}",
        rf"(?:change|switch|update|move|migrate) from {_OLD} to {_NEW}{_EVERYWHERE}",
        rf"{_NEW},? (?:instead of|in place of|rather than) {_OLD}{_EVERYWHERE}",
        rf"{_OLD} ?(?:->|=>|→) ?{_NEW}{_EVERYWHERE}",
        rf"{_OLD} (?:should|must|has to) (?:be|become|be replaced (?:by|with)) {_NEW}{_EVERYWHERE}",
        rf"(?:the )?[\w -]+ (?:is|should be|must be) {_NEW}(?: now)?,? (?:not|instead of|and not|no longer|rather than) {_OLD}(?: any ?more)?",
    )
)
_SHAPES = tuple(
    re.compile(shape)
    for shape in (
        r"#[0-9a-fA-F]{3,8}",
        r"\w+://\S+",
        r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
        r"v?\d+(?:\.\d+)+(?:[-.]?\w+)*",
        r"[\w-]+(?:\.[\w-]+)+(?::\d+)?",
        r"\d+(?:\.\d+)?(?:px|em|rem|vh|vw|pt|ms|s|m|h|d|kb|mb|gb|KB|MB|GB|Mi|Gi|%)",
        r"[~.]?(?:/[\w.-]+)+/?",
        r"[A-Za-z]+[\w-]*\d[\w-]*",
        r"[\w.-]+:[\w.-]+",
    )
)


def _replaced(text: str) -> ReplaceToken | None:
    """The intent of a request that exchanges two different tokens of the same shape, or two texts
    in quotes other than backticks; ``None`` for another one.
    """
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is None:
            continue
        (old, is_quoted), (new, is_also) = (_unquoted(found[role]) for role in ("old", "new"))
        is_alike = any(shape.fullmatch(old) and shape.fullmatch(new) for shape in _SHAPES)
        if old != new and (is_alike or (is_quoted and is_also and old.strip() and new.strip())):
            return ReplaceToken(old, new)
    return None


def _unquoted(text: str) -> tuple[str, bool]:
    """A text without the quotes around it, and whether it had any; backticks are none."""
    if re.fullmatch(QUOTED, text):
        return text[1:-1], text[0] != "`"
    return text, False


REPLACE_TOKEN = Guess(
    "replace-token",
    reads=_replaced,
    examples=(
        ("replace #3366ff by #0055cc", ReplaceToken("#3366ff", "#0055cc")),
        ("use sha256 instead of md5", ReplaceToken("md5", "sha256")),
        ("change 12px to 1rem", ReplaceToken("12px", "1rem")),
        ("the contact is a@x.io now, not b@x.io", ReplaceToken("b@x.io", "a@x.io")),
    ),
    near_misses=(
        "replace tabs with spaces",
        "use a set instead of a list",
        "use pathlib instead of os.path",
    ),
)
"""Two tokens of the same shape."""
