"""Replace a token: how people ask that a colour, address, version or other sign of code become another of its kind."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS, KINDS, LABELS, PRONOUNS, QUOTED, SIGNS, cut_quotes
from editd.intent.intents import ReplaceToken
from editd.intent.rules.guess import Guess
from editd.intent.rules.word_lists import NOUNS, TYPES

_TOKEN = rf"(?:{QUOTED}|[^\s,;\"'`]+)"
_LEAD = r"(?:the )?(?:(?:colou?r|address|url|host|domain|path|version|image|value|text|string|label|hash|algorithm|link|e?mail|ip|size|token) )?"
_OLD, _NEW = rf"{_LEAD}(?P<old>{_TOKEN})", rf"{_LEAD}(?P<new>{_TOKEN})"
_EVERYWHERE = r"(?: (?:everywhere|throughout|in all places|in (?:this|the) file|instead))?"
_SAYS = (
    rf"[\w' -]+? (?:says|reads|shows|prints|returns|displays|answers|replies|outputs) (?P<old>{QUOTED})(?: (?:to|for) [\w ]+)?"
    r"(?:[.,;:]| -)* ?(?:(?:and|but|please|so) )*(?:let it|make it|have it|it (?:should|must|has to)|should|that should) ?"
    r"(?:rather |better |now )?(?:say|read|show|print|return|display|be|answer|reply|output)? ?"
    rf"(?P<new>{QUOTED})(?: (?:now|instead))?"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:replace|substitute|swap|exchange|change|update|switch|turn|convert|correct|fix) (?:all |every )?(?:occurrences of )?{_OLD} (?:with|by|to|into|for|->) {_NEW}{_EVERYWHERE}",
        rf"(?:use|put|write|make it|take|prefer|switch to|point to|i want) {_NEW} (?:instead of|in place of|rather than|not|over) {_OLD}{_EVERYWHERE}",
        rf"(?:run on|listen on|deploy to|connect to|send to|save to|read from|write to|link to|build on|test on) {_NEW} (?:instead of|in place of|rather than|not) {_OLD}{_EVERYWHERE}",
        rf"(?:change|switch|update|move|migrate) from {_OLD} to {_NEW}{_EVERYWHERE}",
        rf"{_NEW},? (?:instead of|in place of|rather than) {_OLD}{_EVERYWHERE}",
        rf"{_OLD} ?(?:->|=>|→) ?{_NEW}{_EVERYWHERE}",
        rf"{_OLD} (?:should|must|has to) (?:be|become|be replaced (?:by|with)) {_NEW}{_EVERYWHERE}",
        _SAYS,
        rf"(?:the )?[\w -]+ (?:(?:is|are|lives?)(?: at)?|should be|must be) {_NEW}(?: now)?,? (?:not|instead of|and not|no longer|rather than) {_OLD}(?: any ?more)?",
    )
)
_TITLES = re.compile(
    r"(?P<old>[A-Z]\w+(?: [\w,']+)+[.!?]?) ?(?:->|=>|→) ?(?P<new>[A-Z][\w' ,]*[.!?]?)"
)
"""Two texts as an interface shows them: "No users found -> Nobody here"."""
_SHAPES = tuple(
    re.compile(shape)
    for shape in (
        r"#[0-9a-fA-F]{3,8}",
        r"\w+://\S+",
        r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
        r"v?\d+(?:\.\d+)+(?:[-.]?\w+)*",
        r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|local|internal|app|ai|co|edu|gov|info|biz|cloud|de|uk|eu|fr|nl|ch|at|us|test|example)(?::\d+)?",
        r"[\w-]+\.(?:json|ya?ml|csv|txt|db|sqlite3?|log|html|css|png|jpe?g|svg|ini|toml|md|xml|pt|zip|pdf)",
        r"\d+(?:\.\d+)?(?:px|em|rem|vh|vw|pt|ms|s|m|h|d|kb|mb|gb|KB|MB|GB|Mi|Gi|%)",
        r"[~.]?(?:/[\w.-]+)+/?",
        r"[A-Za-z]+[\w-]*\d[\w-]*",
        r"[\w.-]+:[\w.-]+",
        r"[\w./-]+@v?\d[\w.]*",
    )
)

_WORD = re.compile(r"[A-Za-z]{3,}")
_NO_VALUES = FUNCTION_WORDS | PRONOUNS | KINDS | LABELS | SIGNS | NOUNS | TYPES
_SAME_NAME = re.compile(  # "Python 3.9 with Python 3.11"
    r"(?:replace|change|update|bump) (?P<name>[A-Z][\w.+#]*) (?P<old>v?\d[\w.]*) (?:with|by|to) (?P=name) (?P<new>v?\d[\w.]*)"
)


def _replaced(text: str) -> ReplaceToken | None:
    """The intent of a request that exchanges two different tokens of the same shape (two words, two signs of code), or
    two texts in quotes other than backticks or around an arrow with capitals, and does not speak of a docstring; ``None`` for another one.

    A name before both values belongs to the old and the new text: ``timeout 5`` and ``timeout 9``.
    """
    is_of_docstring = re.search(r"\bdocstring\b", re.sub(QUOTED, "", text)) is not None
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is None or is_of_docstring:
            continue
        (old, mark), (new, mark2) = (cut_quotes(found[role]) for role in ("old", "new"))
        are_words = all(_WORD.fullmatch(x) and x.lower() not in _NO_VALUES for x in (old, new))
        is_alike = are_words or any(
            shape.fullmatch(old) and shape.fullmatch(new) for shape in _SHAPES
        )
        are_texts = not {mark, mark2} & {"", "`"} and old.strip() and new.strip()
        if old != new and (is_alike or are_texts):
            return ReplaceToken(old, new)
    if found := _TITLES.fullmatch(text):
        return ReplaceToken(found["old"], found["new"])
    if found := _SAME_NAME.fullmatch(text):
        return ReplaceToken(f"{found['name']} {found['old']}", f"{found['name']} {found['new']}")
    return None


_VERSION = r"(?P<version>v?\d[\w.-]*)"
_OF_VERSIONS = (
    re.compile(
        rf"(?:use|switch to|upgrade to|update to|move to|bump to|run on|go to|build on|build with|target) (?:the )?(?P<name>[A-Za-z][\w./-]*?)[-:@ ]{_VERSION}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:bump|upgrade|update|set|change|move|downgrade) (?:the )?(?P<name>[A-Za-z][\w./-]*) to {_VERSION}",
        re.IGNORECASE,
    ),
)


def _of_version(text: str) -> ReplaceToken | None:
    """The intent of a request for another version of what is named; ``None`` for another request."""
    found = next((match for form in _OF_VERSIONS if (match := form.fullmatch(text))), None)
    return None if found is None else ReplaceToken(found["name"], found["version"], is_version=True)


REPLACE_TOKEN = Guess(
    "replace-token",
    reads=_replaced,
    examples=(
        ("replace #3366ff by #0055cc", ReplaceToken("#3366ff", "#0055cc")),
        ("use sha256 instead of md5", ReplaceToken("md5", "sha256")),
        ("the bot says 'no', make it say 'never'", ReplaceToken("no", "never")),
        ("No hits -> Nothing found", ReplaceToken("No hits", "Nothing found")),
        ("change 12px to 1rem", ReplaceToken("12px", "1rem")),
        ("the contact is a@x.io now, not b@x.io", ReplaceToken("b@x.io", "a@x.io")),
    ),
    near_misses=(
        "replace tabs with spaces",
        "use a set instead of a list",
        "self.items should be self.entries",
        "use pathlib instead of os.path",
        'the docstring should be "a" not "b"',
    ),
)
"""Two tokens of the same shape."""
REPLACE_VERSION = Guess(
    "replace-version",
    reads=_of_version,
    examples=(
        ("use ubuntu-22.04", ReplaceToken("ubuntu", "22.04", is_version=True)),
        ("bump actions/checkout to v4", ReplaceToken("actions/checkout", "v4", is_version=True)),
        ("use python 3.12-slim", ReplaceToken("python", "3.12-slim", is_version=True)),
    ),
    near_misses=("use a newer version of python",),
)
"""The version behind a name."""
