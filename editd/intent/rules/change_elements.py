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
        rf"(?:add|put|include|insert|register) {_WHAT}(?: to| in| into) {_OF},? (?:right |directly |just )?(?P<where>after|behind|below|before|above) (?:the )?(?P<beside>{_ELEMENT})",
        rf"(?:also )?(?P<verb>add|append|put|include|insert|push|register|list) {_WHAT}(?: in)?(?: to| in| into| onto)(?: the end of)? {_OF}{_TOO}",
        rf"(?:also )?(?P<verb>add|append|include) {_WHAT} as an? (?:new |another )?(?P<of>[a-z]+){_TOO}",
        rf"(?:also )?(?P<verb>add|append|include) (?:the |an? |another )?(?:new )?(?P<of>[a-z]+):? (?P<what>{QUOTED}|[\w@-]+(?:[./:=<>~^-]+\w+)+)(?P<word>(?!))?{_TOO}",
        rf"extend {_OF} (?:with|by) {_WHAT}{_TOO}",
        rf"{_OF} (?:should|must|has to|needs to|also needs to)(?: also)? (?:include|contain|have|list|hold) {_WHAT}{_TOO}",
        rf"{_OF} (?:is missing|misses|lacks|also needs|needs) {_WHAT}{_TOO}(?:[,;:] ?add (?:it|them|that))?",
    )
)
# The list is not named: it is the only one that has such elements.
_ADDED_ALIKE = (
    rf"(?:also )?(?:test|build|check|run(?: the tests| it| ci)?) (?:also )?(?:on|with|against|for|under) {_WHAT}{_TOO}",
    rf"(?:also )?(?:support|allow|accept|handle|recogni[sz]e) (?:also )?{_WHAT}{_TOO}",
)
_ADDED_ALIKE_FORMS = tuple(re.compile(form, re.IGNORECASE) for form in _ADDED_ALIKE)
_REMOVED_ALIKE = re.compile(_WHAT, re.IGNORECASE)
_HAS_SIGNS = re.compile(r"[\"']?(?:[.@]?\w*[./:@-]\w|\.\w|\d+$).*")
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
    for form in _ADDED_ALIKE_FORMS:
        if found := form.fullmatch(text):
            return _of_unnamed(found)
    if found := _REMOVED_ALIKE.fullmatch(deleted_in(text)):
        return _of_unnamed(found, is_removed=True)
    return None


def _of_unnamed(found: re.Match[str], *, is_removed: bool = False) -> ChangeElements | None:
    """The intent of words that name elements alone; ``None`` if one of these may be an ordinary word."""
    made = _of_words(found, is_removed=is_removed)
    are_clear = made is not None and all(map(_HAS_SIGNS.fullmatch, made.elements))
    return made if are_clear else None


def _of_words(
    found: re.Match[str], *, is_removed: bool = False, at_end: bool = False
) -> ChangeElements | None:
    """The intent of the words of a form; ``None`` if an element is a word that is none ("it")."""
    what, word = found["what"], (found["word"] or "").lower()
    of = found.groupdict().get("of") or ""
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
    if {x.lower() for x in elements} & _NO_ELEMENTS or of.lower() in _NO_ELEMENTS:
        return None
    parts = found.groupdict()
    beside, where = (parts.get("beside") or "").strip("`"), (parts.get("where") or "").lower()
    is_before = where in ("before", "above")
    return ChangeElements(tuple(elements), of, word, is_removed, at_end, beside, is_before)


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
        (
            "add cors to MIDDLEWARE after session",
            ChangeElements(("cors",), "MIDDLEWARE", beside="session"),
        ),
        ("also test on python 3.12", ChangeElements(("3.12",), "", "python")),
        ("support .webp and .gif, too", ChangeElements((".webp", ".gif"), "")),
        ("drop python 3.9", ChangeElements(("3.9",), "", "python", is_removed=True)),
    ),
    near_misses=(
        "add a docstring to load",
        "add it to HOSTS",
        "add logging to main",
        "add validation to roles",
        "remove all unused imports from the file",
        "also test on windows",
        "support dark mode",
        "drop the table",
    ),
    reads_all_words=True,
)
"""Elements of a list that the buffer has."""
