"""Evidence for edits that name no text: which kind is a cue, where is a definition that the buffer has, and the rest may say why.

"take_damage: return first thing if already dead, then flatten the rest" needs no more: one function, one ``if`` that can be turned.
What narrows such an edit ("except", "only", a number, a quoted text, another name of the buffer) leaves it unread. Standard library
only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from editd.intent.english import QUOTED
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.cues import CUES, Cue, pattern
from editd.intent.evidence.filler import content_words
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.narrowing import has_condition, is_narrowed
from editd.intent.evidence.request_clauses import RequestClause, cut_sentence
from editd.intent.intents import Several

_SECOND_EDIT = pattern(
    r"""\b(?:rename|delete|remove|drop|kill|add|insert|append|annotate|type|document|log|wrap|catch|extract|inline|move|merge|split
    |comment|replace|raise|translate|speed_up|cache|test|simplify|make_it)\b"""
)


def read_whole(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the one edit for which a cue of ``text`` speaks, at each definition that it names; nothing if no or several cues do,
    a word narrows it, a second edit is asked for, or the clause with the cue has a word that neither the cue nor the buffer explains.
    """
    bare = re.sub(QUOTED, _without_text, text)
    speaking = [
        cue
        for cue in CUES
        if cue.says.search(bare) and not (cue.against and cue.against.search(bare))
    ]
    if len(speaking) != 1 or is_narrowed(bare):
        return
    [cue] = speaking
    places = facts.places_in(text)
    if not all(_is_explained(clause, cue, bare, places) for clause in cut_sentence(bare)):
        return
    intent = cue.makes(bare, facts)
    if intent is None:
        return
    each = tuple(replace(intent, location=place) for place in places)
    where = f" in {' and '.join(places)}" if places else ""
    yield Interpretation(
        Several(each) if len(each) > 1 else each[0] if each else intent, cue.words + where
    )


def _without_text(quoted: re.Match[str]) -> str:
    """A quoted name as it is, and of another quoted text only its quotes."""
    return quoted[0] if re.fullmatch(r"[`'\"][\w.()]+[`'\"]", quoted[0]) else '"…"'


def _gaps(match: re.Match[str]) -> str:
    """The text between the words of a cue."""
    return f" {' '.join(gap for gap in match.groups() if gap)} "


def _is_explained(clause: RequestClause, cue: Cue, text: str, places: tuple[str, ...]) -> bool:
    """Whether a clause asks for no second edit, and has no words but those of the cue, of its kind, of the places, and filler; of
    one without words of the cue, which is a reason, only whether it asks for none.
    """
    matches = [
        x for x in cue.says.finditer(text) if x.start() < clause.end and clause.start < x.end()
    ]
    rest = cue.about.sub(" ", cue.says.sub(_gaps, clause.text))
    if _SECOND_EDIT.search(rest):
        return False
    if not matches:
        return True
    for place in places:
        rest = re.sub(rf"(?<!\w){re.escape(place)}(?!\w)", " ", rest)
    return not has_condition(rest) and next(content_words(rest), None) is None
