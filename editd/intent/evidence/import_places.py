"""Reads where an import goes: "below the datetime line", "first in the list", "in its alphabetical place". Standard library only.

"At the top" alone is no place: imports are there. What is beside an import must be one, which the buffer shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.intent.intents import ImportPlace

_LIST = r"(?:(?:import|require|include|use|using)(?:s|ing)? ?(?:list|block|group|section|lines?|statements?)?|list|block|group)"
_OF_ALL = rf"(?:(?:of|in|among) (?:all )?(?:the |our |my )?(?:(?:other|existing) )?{_LIST}s?)"
_PUT = r"(?:\b(?:and )?(?:please )?(?:put|place|add|insert|keep|have|want|stick|goes|go|should go|should be|make)(?: it| that| this| them)? )?"
_ENDS_CLAUSE = r"(?=\s*(?:[,;.!)]|$|please\b|pls\b|so\b|because\b))"
_OTHERS = rf"(?:all )?(?:of )?(?:the |our |my )?(?:(?:other|existing|present|rest of the) {_LIST}s?|others|rest|other ones|ones there|{_LIST}s)(?! (?:of|from|for)\b)"
_FIRST = re.compile(
    rf"{_PUT}\b(?:(?:as|being|be|is) (?:the |its )?(?:very )?first(?: one| {_LIST})?|(?:the )?first {_OF_ALL}|as the first\b(?: one| {_LIST})?"
    rf"|(?:at|on|to|in) (?:the )?(?:very )?(?:top|start|beginning|head|front) {_OF_ALL}|(?:at|on|to) the very (?:top|start|beginning|head)(?: of (?:the |this )?(?:file|module))?"
    rf"|first thing(?: in the file)?|(?:before|above|ahead of|on top of) {_OTHERS})",
    re.IGNORECASE,
)
_LAST = re.compile(
    rf"{_PUT}\b(?:(?:as|being|be|is) (?:the |its )?(?:very )?last(?: one| {_LIST})?|(?:the )?last {_OF_ALL}|as the last\b(?: one| {_LIST})?"
    rf"|(?:at|to|on|in) (?:the )?(?:very )?(?:end|bottom|tail) {_OF_ALL}|(?:at|to) the (?:very )?(?:end|bottom){_ENDS_CLAUSE}|last{_ENDS_CLAUSE}"
    rf"|(?:after|below|under|underneath|beneath|behind) (?:{_OTHERS}|the last (?:one|{_LIST})))",
    re.IGNORECASE,
)
_IN_ORDER = re.compile(
    rf"{_PUT}\b(?:(?:in|into|at|to) (?:its|their|the|an?)?(?: (?:right|proper|correct))? ?(?:alphabetical|alphabetic|alphabetically|sorted|abc)(?: (?:correct|right|proper))? ?(?:place|position|order|spot|slot)?"
    r"|(?:placed |sorted )?alphabetically(?: sorted| placed)?|in (?:abc|sort(?:ed)?|a-z) order|(?<!un)sorted(?: in)?(?: correctly| properly)?"
    r"|where (?:it|they) belongs? (?:alphabetically|in the order)|where the alphabet (?:puts|wants) it|(?:and )?keep(?:ing)? (?:the (?:list|imports|order|block) |it |them )?(?:sorted|alphabetical|in order))",
    re.IGNORECASE,
)
_ANCHOR = (
    r"(?:[`'\"](?P<{0}_quoted>[^`'\"]+)[`'\"]|(?P<{0}_code>(?:from|import|use|#include) (?!line\b|of\b|for\b|statement\b)[`'\"<]?[@\w./:-]+[`'\">]?(?: import \w+)?)"
    r"|(?P<{0}>[@\w./:-]*\w))"
)
_LINE_OF = r"(?:the |that |our )?(?:(?:line|import|one|statement|require|include)s? (?:line )?(?:with|of|for|from) (?:the )?)?"
_LINE = r"(?:['’]s)?(?: (?:import|require|include|use|using)?(?: ?(?:lines?|statements?|one|imports?))?)?"
_SIDES = r"(?P<side>below|after|under|underneath|beneath|behind|following|above|before|next to|beside|on top of|ahead of)"
_BESIDE = re.compile(
    rf"{_PUT}(?:\b(?:right|directly|just|immediately|straight|on (?:the|a) (?:new )?line|the line) )?\b{_SIDES} {_LINE_OF}{_ANCHOR.format('anchor')}{_LINE}(?![\w./])",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"{_PUT}\bbetween {_LINE_OF}{_ANCHOR.format('anchor')}{_LINE} and {_LINE_OF}{_ANCHOR.format('end')}{_LINE}(?![\w./])"
    rf"|{_PUT}\b(?:after|below) {_LINE_OF}{_ANCHOR.format('anchor2')}{_LINE}(?:, ?| and |, and )(?:but )?(?:before|above) {_LINE_OF}{_ANCHOR.format('end2')}{_LINE}(?![\w./])",
    re.IGNORECASE,
)
_BEFORE = frozenset(["above", "before", "on top of", "ahead of"])
_NO_ANCHORS = frozenset(
    "the that this it them others other existing imports import all top rest file release merge use using all we i you next".split()  # noqa: SIM905
)


def import_place_in(text: str) -> tuple[ImportPlace, str] | None:
    """The place that a request gives an import, and the request without the words for it; ``None`` without such words."""
    for found, place in _places(text):
        rest = f"{text[: found.start()]} {text[found.end() :]}"
        rest = re.sub(r"\(\s*\)", " ", _IN_ORDER.sub(" ", rest) if place.beside else rest)
        rest = re.sub(r"\s+", " ", re.sub(r"\s+([,;.!)])", r"\1", rest))
        return place, re.sub(r"[,;:(\s–—-]+$|^[,;:)\s–—-]+", "", rest)
    return None


def _places(text: str) -> Iterator[tuple[re.Match[str], ImportPlace]]:
    """Yield the words of a request for a place, each with the place."""
    if found := _BETWEEN.search(text):
        anchor, end = (_named(found, x) or _named(found, f"{x}2") for x in ("anchor", "end"))
        if anchor and end:
            yield found, ImportPlace("after", anchor, end)
    for name, pattern in (("first", _FIRST), ("last", _LAST), ("in order", _IN_ORDER)):
        if found := pattern.search(text):
            yield found, ImportPlace(name)
    for found in _BESIDE.finditer(text):
        is_a_thing = re.search(r"\bthe \w+$", found[0]) is not None  # "after the csv"
        if (anchor := _named(found, "anchor")) and not is_a_thing:
            side = "before" if found["side"].lower() in _BEFORE else "after"
            yield found, ImportPlace(side, anchor)


def _named(found: re.Match[str], group: str) -> str:
    """The import that the groups of an anchor have; empty for none, or for a word that names none."""
    anchor = found[f"{group}_quoted"] or found[f"{group}_code"] or found[group] or ""
    return "" if anchor in _NO_ANCHORS else re.sub(r"['’]s$", "", anchor).rstrip(";:.,")
