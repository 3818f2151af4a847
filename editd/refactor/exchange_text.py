"""Exchanges a text that stands in strings, comments or values, where the words of a sentence fit the place.

a.py, "Ironworks got bought, we are called Steelyard now"::

    TITLE = "Welcome to Ironworks"

becomes::

    TITLE = "Welcome to Steelyard"

a.yaml, "postgres 14 is end of life, we're on 16"::

    db:
      image: postgres:14
      cpus: 14

becomes::

    db:
      image: postgres:16
      cpus: 14
"""

from __future__ import annotations

import re

from editd.intent.intents import ExchangeText
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.entries import is_program
from editd.refactor.spots import spots_of
from editd.refactor.word_stems import means, parts_of_names
from editd.syntax.code import Code
from editd.syntax.language import PROSE

_SHORT = 2  # digits of a number that says nothing by itself
_PLAIN = re.compile(r"[a-z]+")
_PRINTS = re.compile(r"\bprint\w*!?\s*\(|\bconsole\.\w+\(|\becho\b|\bPrintln?f?\b|\bprintf\b")


def exchange_text(intent: ExchangeText, code: Code, path: str = "") -> Candidates | None:
    """The text with ``intent.new`` in the place of ``intent.old``, as a certain candidate: where each of its words fits the line, what is
    around it or the file.

    ``None`` if a word fits no place, code has the old text as a name, it stands in comments as well as in strings and none of both is
    named, a plain word is only a part of strings, or it or a number stands in several places and not all are meant; also if strings give a sign of the new text a meaning.
    path: of the file, whose words may be in the request.
    """
    if re.search(r"[\\\"'`\n{}]", intent.old + intent.new):
        return None
    places = [x.span() for x in whole_text(intent.old).finditer(code.text)]
    kinds = {place: kind_of_place(place, code) for place in places}
    if intent.only:
        places = [x for x in places if _is_in(intent.only, kinds[x], x[0], code)]
    places = _fitting(intent, places, code, path)
    found = {kinds[x] for x in places}
    if _PLAIN.fullmatch(intent.old) and not (intent.only or intent.is_written):
        places = [x for x in places if kinds[x] == "member" or is_whole_value(x, code)]
    if not places or len(found) != 1 or "code" in found:
        return None
    if found == {"member"} and len(places) > 1:
        return None
    is_common = _PLAIN.fullmatch(intent.old) or intent.old.isdigit()
    if len(places) > 1 and is_common and not (intent.is_of_all or intent.only):
        return None
    if intent.old.isdigit() and len(intent.old) <= _SHORT and not intent.words:
        return None
    return Candidates((with_spans(code.text, [(*x, intent.new) for x in places]),), is_certain=True)


def whole_text(old: str) -> re.Pattern[str]:
    """The pattern of a text that is no part of a longer word; a number may stand beside an underscore, but in no longer number."""
    if old.isdigit():
        return re.compile(rf"(?<![^\W_])(?<!\d\.){old}(?![^\W_]|\.\d)")
    before = r"(?<!\w)" if old[0].isalnum() else ""
    after = r"(?!\w)" if old[-1].isalnum() else ""
    return re.compile(before + re.escape(old) + after)


def kind_of_place(place: tuple[int, int], code: Code) -> str:
    """``string``, ``comment``, ``docstring`` or ``member`` for a place in a token of that kind, ``value`` in a value of data or in prose;
    else ``code``.
    """
    if code.language in PROSE:
        return "value"
    start, end = place
    for token in code.tokens_of("comment", "docstring", "string"):
        if token.start <= start and end <= token.end:
            return token.kind if is_program(code) or token.kind == "comment" else "value"
    if re.fullmatch(r"[\w.]+", code.text[start:end]) and _is_called(end, code):
        return "member"
    if is_program(code) and code.language not in ("bash", "zsh", "dockerfile", "makefile"):
        return "code"
    return "value" if any(x.start <= start and end <= x.end for x in spots_of(code)) else "code"


def is_whole_value(place: tuple[int, int], code: Code) -> bool:
    """Whether a place is all of a string or of a value."""
    start, end = place
    if code.text[start - 1 : start] == code.text[end : end + 1] and code.text[end] in "\"'`":
        return True
    spots = {(x.start, x.end) for x in spots_of(code)}
    return not spots.isdisjoint({place, (start - 1, end + 1)})


def _is_called(end: int, code: Code) -> bool:
    """Whether a member that is called ends at an offset: ``log.debug(``."""
    is_member = any(x.end == end for x in code.tokens_of("member"))
    return is_member and code.text[end : end + 1] == "("


def _is_in(only: str, kind: str, start: int, code: Code) -> bool:
    """Whether a place of a kind is in the kind of text that is named: of ``prints`` a string in a line that prints."""
    if only != "prints":
        return f"{kind}s" == only
    return (
        kind == "string" and _PRINTS.search(code.lines[code.text.count("\n", 0, start)]) is not None
    )


def _fitting(
    intent: ExchangeText, places: list[tuple[int, int]], code: Code, path: str
) -> list[tuple[int, int]]:
    """The places that each word of the intent fits; if some words fit the file alone, those that fit most others, in their own line before what is around it. Empty if a word fits
    nothing.
    """
    topic = set(parts_of_names(path)) | set(parts_of_names(code.text[:200].partition("\n\n")[0]))
    own = {*parts_of_names(intent.old), *parts_of_names(intent.new)}
    words = [
        part
        for word in intent.words
        for part in parts_of_names(word) or [word.lower()]
        if part not in own
    ]
    near = {place: words_of_place(place[0], code) for place in places}
    if not all(
        means(word, {*topic, *(x for found in near.values() for x in found)}) for word in words
    ):
        return []
    lines = {start: code.lines[code.text.count("\n", 0, start)] for start, _ in places}
    own_line = {place: set(parts_of_names(lines[place[0]])) for place in places}
    fits = {
        place: sum(means(word, near[place]) + means(word, own_line[place]) for word in words)
        for place in places
    }
    most = max(fits.values(), default=0)
    return [place for place in places if fits[place] == most]


def words_of_place(start: int, code: Code) -> set[str]:
    """The words of the line at an offset, of the comment above it, of the definitions and keys around it."""
    number = code.text.count("\n", 0, start)
    found = set(parts_of_names(code.lines[number]))
    if number and re.match(r"\s*(?:#|//|/\*|\*|--)", code.lines[number - 1]):
        found.update(parts_of_names(code.lines[number - 1]))
    depth = _depth(code.lines[number])
    for line in reversed(code.lines[:number]):
        if depth and line.strip() and _depth(line) < depth:
            depth = _depth(line)
            found.update(parts_of_names(line))
    return found


def _depth(line: str) -> int:
    """The number of blanks and tabs before a line's text."""
    return len(line) - len(line.lstrip())
