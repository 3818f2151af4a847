"""Edits of all places of one kind, or of those that a sentence is about: quotes, formatted strings, prints, files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from editd.intent import intents
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
_EXCHANGE = re.compile(
    r"\b(?:single|double)\b[^.;]{0,30}?(?:->|=>|→|\bto\b|\binto\b) (?P<new>single|double)\b",
    re.IGNORECASE,
)


def _of_cue(cue: Cue, request: KindRequest) -> Iterator[Candidates]:
    """Yield the change that a cue makes, at the places that the request is about."""
    intent = cue.makes(request.text, ("",), (), request.facts)
    found = intent and at_chosen_places(request, intent, cue.nouns)
    if found:
        yield replace(found, reading=cue.words)


def _f_strings(request: KindRequest) -> Iterator[Candidates]:
    """Yield the text with f-strings or template literals; of a way of formatting that the sentence names only the places that have it."""
    intent = USE_F_STRINGS.makes(request.text, ("",), (), request.facts)
    ways = [has for says, has in _FORMATS if says.search(request.text)]
    has = ways[0] if len(ways) == 1 else None
    found = intent and at_chosen_places(request, intent, USE_F_STRINGS.nouns, has)
    if found:
        yield replace(found, reading=USE_F_STRINGS.words)


def _quotes(request: KindRequest) -> Iterator[Candidates]:
    """Yield the change to the quotes that the sentence names, if it names one kind, or to those that the cue takes for the new ones."""
    intent = CHANGE_QUOTES.makes(request.text, ("",), (), request.facts)
    if change := _EXCHANGE.search(request.text):
        intent = intents.ChangeQuotes(_QUOTES[change["new"].lower()])
    named = {x.lower() for x in re.findall(r"\b(double|single)", request.text, re.IGNORECASE)}
    if intent is None and len(named) == 1:
        intent = intents.ChangeQuotes(_QUOTES[named.pop()])
    found = intent and at_chosen_places(request, intent, CHANGE_QUOTES.nouns)
    if found:
        yield replace(found, reading=CHANGE_QUOTES.words)


READERS: dict[str, Reader] = {
    "fstrings": _f_strings,
    "prints_delete": partial(_of_cue, DELETE_PRINTS),
    "prints_to_logging": partial(_of_cue, LOG),
    "quotes": _quotes,
    "with_open": partial(_of_cue, USE_WITH),
}
"""The readers of the kinds of edits here."""
