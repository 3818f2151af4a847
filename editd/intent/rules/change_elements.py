"""Change elements: how people ask that something go into a list, or out of it."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS, QUOTED
from editd.intent.intents import ChangeElements
from editd.intent.rules.frames import deleted_in
from editd.intent.rules.guess import Guess

_KIND = r"(?:lists?|arrays?|sets?|tuples?|sequences?|slices?|vectors?|enums?|enumerations?|options?|entries|values|elements|items)"
_OF = (
    rf"(?:the |our |my )?(?:{_KIND} (?:of |called |named )?(?:the )?)?"
    rf"[`'\"]?(?P<of>[\w$@-]+(?:\.[\w$-]+)*|[a-z]+(?: [a-z]+){{1,2}}?)[`'\"]?(?: {_KIND})?"
)
_ELEMENT = rf"(?:{QUOTED}|[^\s,`'\"()\[\]{{}}]+(?:\(\S*\)|\[\S*\])?)"
_WHAT = rf"(?P<what>(?:(?:the |an? )?(?:new )?(?P<word>[a-z]+) )?{_ELEMENT}(?:(?:, and |, | and ){_ELEMENT})*)"
_TOO = r"(?:,? (?:too|as well|also))?"
_ADDED = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:also )?(?P<verb>add|append|put|include|insert|push|register|list) {_WHAT}(?: in)?(?: to| in| into| onto)(?: the end of)? {_OF}{_TOO}",
        rf"(?:also )?(?P<verb>add|append|include) {_WHAT} as an? (?:new |another )?(?P<of>[a-z]+){_TOO}",
        rf"(?:also )?(?P<verb>add|append|include) (?:the |an? |another )?(?:new )?(?P<of>[a-z]+):? (?P<what>{QUOTED}|[\w@-]+(?:[./:=<>~^-]+\w+)+)(?P<word>(?!))?{_TOO}",
        rf"extend {_OF} (?:with|by) {_WHAT}{_TOO}",
        rf"{_OF} (?:should|must|has to|needs to|also needs to)(?: also)? (?:include|contain|have|list|hold) {_WHAT}{_TOO}",
        rf"{_OF} (?:is missing|misses|lacks|also needs|needs) {_WHAT}{_TOO}(?:[,;:] ?add (?:it|them|that))?",
    )
)
_REMOVED = (
    re.compile(rf"{_WHAT} (?:from|in|of) {_OF}", re.IGNORECASE),
    re.compile(
        rf"{_OF} (?:shouldn't|should not|must not|should no longer|need not|needn't|no longer needs to) (?:include|contain|have|list|hold) {_WHAT}(?: any ?more)?",
        re.IGNORECASE,
    ),
)
_NO_ELEMENTS = FUNCTION_WORDS | frozenset(
    """
    it them this that these those one more another docstring docstrings comment comments test tests import imports type types
    hints logging parameter argument everything anything nothing something
    """.split()  # noqa: SIM905
)


# Bare words that say what is to be done, and are no elements.
_DEEDS = re.compile(
    r"\w+ations?|logging|caching|testing|handling|checking|sorting|filtering|typing|support|checks?|errors?|docs",
    re.IGNORECASE,
)


def _changed(text: str) -> ChangeElements | None:
    """The intent of a request that names elements and the list that they go into or out of; ``None`` for another request."""
    for form in _ADDED:
        if found := form.fullmatch(text):
            verb = found.groupdict().get("verb") or ""
            at_end = verb.lower() == "append" or " the end of " in text
            return _of_words(found, at_end=at_end)
    for form, words in ((_REMOVED[0], deleted_in(text)), (_REMOVED[1], text)):
        if found := form.fullmatch(words):
            return _of_words(found, is_removed=True)
    return None


def _of_words(
    found: re.Match[str], *, is_removed: bool = False, at_end: bool = False
) -> ChangeElements | None:
    """The intent of the words of a form; ``None`` if an element is a word that is none ("it")."""
    what, word = found["what"], (found["word"] or "").lower()
    if word:
        what = re.sub(rf"^(?:the |an? )?(?:new )?{word} ", "", what, flags=re.IGNORECASE)
    elements, rest = [], what
    while part := re.match(rf"({QUOTED}|(?:(?!,? and |, ).)+)(?:,? and |, |$)", rest):
        elements.append(part[1].strip("`"))
        rest = rest[part.end() :]
        if not rest:
            break
    if any(_DEEDS.fullmatch(x) for x in elements):
        return None
    if {x.lower() for x in elements} & _NO_ELEMENTS or found["of"].lower() in _NO_ELEMENTS:
        return None
    return ChangeElements(tuple(elements), found["of"], word, is_removed, at_end)


CHANGE_ELEMENTS = Guess(
    "change-elements",
    reads=_changed,
    examples=(
        (
            "add rest_framework to INSTALLED_APPS",
            ChangeElements(("rest_framework",), "INSTALLED_APPS"),
        ),
        (
            'append "example.com" to the allowed hosts',
            ChangeElements(('"example.com"',), "allowed hosts", at_end=True),
        ),
        ("add python 3.13 to the matrix", ChangeElements(("3.13",), "matrix", "python")),
        (
            "drop python 3.9 from the matrix",
            ChangeElements(("3.9",), "matrix", "python", is_removed=True),
        ),
        ("add fr and it_IT to the LOCALES list", ChangeElements(("fr", "it_IT"), "LOCALES")),
        ("EXTENSIONS should also contain .webp", ChangeElements((".webp",), "EXTENSIONS")),
        ("add httpx as a dependency", ChangeElements(("httpx",), "dependency")),
        ('add the keyword "cms"', ChangeElements(('"cms"',), "keyword")),
        ("add CANCELLED to the Status enum", ChangeElements(("CANCELLED",), "Status")),
    ),
    near_misses=(
        "add a docstring to load",
        "add it to HOSTS",
        "add logging to main",
        "add validation to roles",
        "remove all unused imports from the file",
    ),
    reads_all_words=True,
)
"""Elements of a list that the buffer has."""
