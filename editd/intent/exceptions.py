"""Reads a request that excepts something by a description: "remove the console.logs except the one for the port".

What is excepted has to be a thing of the kind that goes, described by words that the code has there, or the last of them.
An exception of a place ("except in load", "not in tests") is none of these. Knows no buffer. Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from editd.intent.clause import without_politeness
from editd.intent.english import FUNCTION_WORDS, QUOTED

_LONGEST = 200
_EXCEPT = re.compile(
    r"(?P<request>.+?),? (?:and |but )?(?:except(?:ing)?(?: for)?|apart from|aside from|other than|besides|excluding|save for"
    r"|but for|but not|but(?= (?:the|that|those)\b)|keep(?:ing)?|leav(?:e|ing)|don't (?:touch|remove|delete)) (?P<what>[^,;:]+?)",
    re.IGNORECASE,
)
_AT_THE_END = re.compile(
    r" (?:alone|as (?:it is|they are|is)|untouched|in place|there|in|please|of course|obviously)$",
    re.IGNORECASE,
)
_NOUN = (
    r"(?:prints?|print statements?|console\.logs?|logs?|log (?:calls?|lines?)|comments?|docstrings?|statements?|calls?|messages?|lines?|imports?"
    r"|output|ones?)"
)
_PLACE = re.compile(
    r"(?:the (?:ones?|\w+) )?(?:in|inside|within|at|under|above|below)\b", re.IGNORECASE
)
_ORDINAL = re.compile(
    rf"(?:for )?(?:the )?(?:very )?(?P<which>first|last)(?: {_NOUN})?", re.IGNORECASE
)
_DESCRIBED = re.compile(
    rf"(?:the |that |those |these )?(?:{_NOUN} )?(?:(?:for|about|of|with|saying|on|which|that|who|where|when)(?: (?:says?|prints?|logs?|shows?|mentions?|starts with|contains?))? )?(?P<words>.+?)"
    rf"(?: {_NOUN})?",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:ones|those|these|and|\w+s$)\b|^\w*s$", re.IGNORECASE)
_LICENCE = re.compile(
    r"licen[cs]e(?: header| notice)?|copyright(?: notice| header)?", re.IGNORECASE
)
LICENCE_WORDS = ("license", "licence", "copyright", "spdx")


@dataclass(frozen=True, slots=True)
class Excepted:
    """A request without its exception, and what that describes.

    words: each of which the code there has; of alternatives one is enough. which: ``first`` or ``last`` of the places; empty for
    none. are_several: more than one may be meant. are_comments: it is about comments.
    """

    request: str
    words: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    which: str = ""
    are_several: bool = False
    are_comments: bool = False


def exception_in(sentence: str) -> Excepted | None:
    """The request and the exception that a sentence states; ``None`` for another sentence, over 200 characters, or an exception of
    a place, or one that has no words which describe anything.
    """
    text = without_politeness(sentence)
    if len(text) > _LONGEST:
        return None
    found = _EXCEPT.fullmatch(text)
    if found is None:
        return None
    what = _AT_THE_END.sub("", found["what"])
    request = re.sub(r",? (?:but|and)$", "", found["request"])
    if _EXCEPT.fullmatch(f"{request} x") or _PLACE.match(what):
        return None
    about = re.search(r"\bcomment", text, re.IGNORECASE) is not None
    if ordinal := _ORDINAL.fullmatch(what):
        return Excepted(request, which=ordinal["which"].lower())
    described = _DESCRIBED.fullmatch(what)
    if described is None:
        return None
    quoted = tuple(re.findall(QUOTED, described["words"]))
    bare = re.sub(QUOTED, " ", described["words"])
    own = (x for x in re.findall(r"[^\W_][\w-]*", bare) if x.lower() not in FUNCTION_WORDS)
    words = (*quoted, *own)
    if not words:
        return None
    if _LICENCE.fullmatch(" ".join(words)):
        return Excepted(request, alternatives=LICENCE_WORDS, are_several=True, are_comments=about)
    are_several = _SEVERAL.search(what) is not None
    return Excepted(request, words, are_several=are_several, are_comments=about)
