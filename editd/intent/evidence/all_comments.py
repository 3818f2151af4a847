"""Evidence for the deletion of all comments of a buffer, or of all code that stands in comments. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.companions import parts_of
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.target_words import NOUNS, described
from editd.intent.evidence.targets import read_request
from editd.intent.intents import DeleteCommentedCode, DeleteComments

_COMMENTED = frozenset(["commented", "commented-out"])
_COMMENTS = frozenset(["comment", "comments", "remark", "remarks"])
_CHOOSES = re.compile(r"\b(?:that|which|who|whose|where|with|without|about|for)\b", re.IGNORECASE)


def read_all_comments(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the deletion of all comments, or of all code in comments, where a clause asks for them with no further word; nothing if a
    clause speaks of some comments, or says that something stays.
    """
    request = read_request(re.sub(r"[‘’]", "'", text.strip()), facts)
    if request is None or request.action != "delete" or request.spared or request.mark:
        return
    if not any(x.rest.strip(" .,;:!?") not in ("", "it", "that", "this") for x in request.asking):
        for subject in request.subjects:
            words = {x.text.lower() for x in subject.optional}
            if subject.noun == "code" and not subject.required and words & _COMMENTED:
                yield Interpretation(DeleteCommentedCode(), "delete the code in comments")
    for clause in request.asking:
        thing = parts_of(clause.rest).thing
        target = described(thing, request.quotes, facts)
        kind = NOUNS.get(target.noun, "")
        adjectives = {x.text.lower() for x in target.optional} - {target.noun, "dead", "old"}
        if target.required or target.position or _CHOOSES.search(thing):
            continue
        if adjectives and adjectives <= _COMMENTED and (target.noun == "code" or kind == "comment"):
            yield Interpretation(DeleteCommentedCode(), "delete the code in comments")
        elif target.noun in _COMMENTS and not target.count and not adjectives:
            others = (x for x in request.subjects if NOUNS.get(x.noun) == "comment")
            if not any(others):
                yield Interpretation(DeleteComments(), "delete the comments")
