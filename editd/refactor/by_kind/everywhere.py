"""Edits of all places of one kind, or of those that a sentence is about: quotes, formatted strings, prints, files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from editd.intent import intents
from editd.intent.english import QUOTED
from editd.intent.evidence.cue import Cue
from editd.intent.evidence.cues import USE_WITH
from editd.intent.evidence.print_cues import DELETE_PRINTS, LOG
from editd.intent.evidence.string_cues import CHANGE_QUOTES, USE_F_STRINGS
from editd.refactor.by_kind.places import at_chosen_places
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.candidates import Candidates

_QUOTES = {"double": '"', "single": "'"}
_FORMATS = (
    (re.compile(r"\bpercent\b|(?<!\w)%", re.IGNORECASE), re.compile(r"[\"'] ?%")),
    (re.compile(r"\.format\b|\bformat(?:\(\)| calls?)"), re.compile(r"\.format\(")),
    (re.compile(r"\bconcat|\bplus|\bglue|(?<!\w)\+(?!\w)", re.IGNORECASE), re.compile(r" \+ ")),
)
"""Words for a way of formatting strings, and its code."""
_ASKS_TO_PRINT = re.compile(
    r"\W*(?:please |pls |also )*(?:print|log|echo)\b(?!s|[( ](?:statements?|calls?|lines?|outputs?|in\b))",
    re.IGNORECASE,
)
_TO_A_FILE = re.compile(r"\b(?:to|into) (?:a |the )?(?:log)?file\b(?! on)", re.IGNORECASE)
_OF_WAYS = re.compile(r"\bformat$|\bgetLogger$|^__name__$")
_EXCHANGE = re.compile(
    r"\b(?:single|double)\b[^.;]{0,30}?(?:->|=>|→|\bto\b|\binto\b) (?P<new>single|double)\b",
    re.IGNORECASE,
)


def _of_cue(cue: Cue, request: KindRequest) -> Iterator[Candidates]:
    """Yield the change that a cue makes, at the places that the request is about."""
    found = _changed(cue, cue.makes(request.text, ("",), (), request.facts), request)
    if found:
        yield replace(found, reading=cue.words)


def _deleted_prints(request: KindRequest) -> Iterator[Candidates]:
    """Yield the text without the prints that the request is about; nothing if it asks to print ("print the total at the end"), or neither
    speaks of prints nor quotes one.
    """
    speaks_of = DELETE_PRINTS.makes(request.text, (), (), request.facts) is not None
    quoted = (x[0][1:-1] for x in re.finditer(QUOTED, request.text))
    if not speaks_of and not any(x and x in request.code.text for x in quoted):
        return
    if not _ASKS_TO_PRINT.match(request.text):
        yield from _of_cue(DELETE_PRINTS, request)


def _f_strings(request: KindRequest) -> Iterator[Candidates]:
    """Yield the text with f-strings or template literals; of a way of formatting that the sentence names only the places that have it."""
    intent = USE_F_STRINGS.makes(request.text, ("",), (), request.facts)
    ways = [has for says, has in _FORMATS if says.search(request.text)]
    has = ways[0] if len(ways) == 1 else None
    if found := _changed(USE_F_STRINGS, intent, request, has):
        yield replace(found, reading=USE_F_STRINGS.words)


def _quotes(request: KindRequest) -> Iterator[Candidates]:
    """Yield the change to the quotes that the sentence names, if it names one kind, or to those that the cue takes for the new ones."""
    intent = CHANGE_QUOTES.makes(request.text, ("",), (), request.facts)
    if change := _EXCHANGE.search(request.text):
        intent = intents.ChangeQuotes(_QUOTES[change["new"].lower()])
    named = {x.lower() for x in re.findall(r"\b(double|single)", request.text, re.IGNORECASE)}
    if intent is None and len(named) == 1:
        intent = intents.ChangeQuotes(_QUOTES[named.pop()])
    if found := _changed(CHANGE_QUOTES, intent, request):
        yield replace(found, reading=CHANGE_QUOTES.words)


def _changed(
    cue: Cue,
    intent: intents.Intent | None,
    request: KindRequest,
    has: re.Pattern[str] | None = None,
) -> Candidates | None:
    """The change that an intent makes at the places that the request is about; ``None`` if it cites what the buffer does not have, other than
    words of the cue.
    """
    if cue is LOG and _TO_A_FILE.search(request.text):
        return None
    if intent is None or not all(_is_about(cue, text) for text in request.missing):
        return None
    return at_chosen_places(request, intent, cue.nouns, has)


def _is_about(cue: Cue, text: str) -> bool:
    """Whether a text that the buffer does not have speaks of the kind of edit itself: "logging.info"; not a call with its arguments."""
    is_call = re.search(r"\w\((?!\.\.\.|…)[^)]", text) and not text.startswith(("with ", "open("))
    return (
        not is_call and any(x.search(text) for x in (cue.says, _OF_WAYS))
    ) or cue.about.fullmatch(text) is not None


READERS: dict[str, Reader] = {
    "fstrings": _f_strings,
    "prints_delete": _deleted_prints,
    "prints_to_logging": partial(_of_cue, LOG),
    "quotes": _quotes,
    "with_open": partial(_of_cue, USE_WITH),
}
"""The readers of the kinds of edits here."""
