"""Edits of all places of one kind, or of those that a sentence means: quotes, formatted strings, prints, comments, files, imports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from editd.intent.evidence.cue import Cue
from editd.intent.evidence.cues import USE_WITH
from editd.intent.evidence.import_cues import REMOVE_UNUSED_IMPORTS, SORT_IMPORTS
from editd.intent.evidence.print_cues import DELETE_PRINTS, LOG
from editd.intent.evidence.string_cues import CHANGE_QUOTES, USE_F_STRINGS
from editd.refactor.by_kind.places import at_meant_places
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.candidates import Candidates


def _of_cue(cue: Cue, request: KindRequest) -> Iterator[Candidates]:
    """Yield the change that a cue makes at the places that the request means."""
    intent = cue.makes(request.text, ("",), (), request.facts)
    found = request.done(intent) if intent is not None else None
    if found is None:
        return
    chosen = at_meant_places(request, found, cue.nouns) if cue.nouns else found
    if chosen is not None:
        yield replace(chosen, reading=cue.words)


READERS: dict[str, Reader] = {
    "fstrings": partial(_of_cue, USE_F_STRINGS),
    "prints_delete": partial(_of_cue, DELETE_PRINTS),
    "prints_to_logging": partial(_of_cue, LOG),
    "quotes": partial(_of_cue, CHANGE_QUOTES),
    "remove_unused_imports": partial(_of_cue, REMOVE_UNUSED_IMPORTS),
    "sort_imports": partial(_of_cue, SORT_IMPORTS),
    "with_open": partial(_of_cue, USE_WITH),
}
"""The readers of the kinds of edits here."""
