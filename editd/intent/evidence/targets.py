"""Evidence for edits of a described target: something goes, becomes a comment, or code again.

"the X-Mailer header gets us flagged as spam, lose it" has a request ("lose it") and a clause that says what is meant and why.
A request with words of its own is decided by these: each has to fit the target (``refactor.edit_target`` looks for the one thing
of the buffer that they fit). Where it only has a pronoun or a noun, the other clauses say what is meant, and may say more. The
head of the description decides: what stands behind "in", "from" or "under" is around the target. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editd.intent.english import QUOTED
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.target_cues import ASKS_ANOTHER, AskingClause, asking_clause, clauses_of
from editd.intent.evidence.target_words import NOUNS, described, hidden_quote
from editd.intent.intents import EditTarget
from editd.intent.target import TargetDescription

_WITH_COMMENT = re.compile(
    r",? ?\b(?:"
    r"(?:and|with|incl(?:uding|\.)?|plus|together with|along with|as well as)(?: also)?"
    r"(?: (?:its|their) (?:\w+ )?(?:comments?|jsdoc|javadoc|docblock|docs)(?: line)?(?: (?:above|over|on top)(?: (?:of )?(?:it|that|them))?)?"
    r"| (?:the|that) (?:\w+ )?comment(?: line)? (?:right |just |directly )?(?:above|over|before|on top of|on top|belonging to|for|of|about)(?: (?:it|that|them|this))?(?![ ](?!too|as well|please)\w))"
    r"|(?:with|including|incl\.|together with|along with) (?:the |a )?(?:comment|jsdoc|javadoc|docblock)(?![ ](?!too|as well|please|can|must|should|may|has|goes)\w)"
    r")(?: too| as well)?",
    re.IGNORECASE,
)
_NARROWS = re.compile(
    r"\b(?:except(?!ion)|excepting|other than|apart from|besides|unless|if|second|third|fourth|half|some of|one of|neither|either|but not|instead"
    r"|(?:don't|do not|never|not) (?:touch|change|delete|remove|drop|rename|the|in|this|those|any)|maybe|perhaps|or|where|whenever|when(?! (?:we|i|you)\b)|(?<!was )(?<!were )(?<!is )(?<!it's )only (?:when|if|in|for|on|where|inside|while))\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:i mean|no,? wait|scratch that)\b|\.\.\. ?(?:no|wait)\b", re.IGNORECASE
)
_EXPLAINED = ("", "definition", "test", "route")
"""Kinds of what "comment this" may ask to explain."""
_SPARES = re.compile(
    r"^(?:(?:but|and|please|just|only) )*(?:keep|leave|spare)\b|\b(?:stays?|remains?|untouched)\b",
    re.IGNORECASE,
)
_NOT_DELETED = re.compile(
    r"\b(?:don't|do not|not|never|instead of) (?:delet|remov|drop)\w*", re.IGNORECASE
)
_MARK = re.compile(r"(?<!\S)(?P<mark>//|#|--|/\*(?: ?\*/)?)(?= ?(?:line )?comments?\b)")
_SAYS_OUT = re.compile(r"\b(?:out|disabl\w+|deactivat\w+|off)\b", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|this|that)\b", re.IGNORECASE)
_MANY_OF = ("comment", "print", "log")


def read_targets(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the one deletion, commenting out or uncommenting of a described target that a request is; nothing if it is none,
    asks for several, or has a word that narrows it.
    """
    plain = re.sub(r"[‘’]", "'", text.strip())
    quotes: list[str] = []
    hidden = re.sub(QUOTED, lambda at: _hide(at, quotes), plain)
    mark, with_comment = _MARK.search(hidden), None
    if mark:
        hidden = _without(mark, hidden)
    if with_comment := _WITH_COMMENT.search(hidden):
        hidden = _without(with_comment, hidden)
    clauses, sparing = _split(hidden)
    asking = [x for x in clauses if x.action and not x.is_weak] or [x for x in clauses if x.action]
    others = [x.rest for x in clauses if x not in asking]
    if (
        len({x.action for x in asking}) != 1
        or _CORRECTS.search(hidden)
        or _NARROWS.search(" , ".join(x.rest for x in clauses))
        or any(map(ASKS_ANOTHER.match, others))
        or any(map(facts.places_in, sparing))
    ):
        return
    action = asking[0].action
    spared = [described(x, quotes, facts) for x in sparing]
    targets = [described(x.rest, quotes, facts, is_for_now=action != "delete") for x in asking]
    subjects = [described(x, quotes, facts) for x in others]
    is_terse = action == "comment" and not _SAYS_OUT.search(hidden)
    is_singular = any(_IT.search(x.rest) for x in asking)
    spoken_of = next((x.noun for x in spared if x.noun), "")
    for target in _targets(targets, subjects, is_singular=is_singular):
        noun = spoken_of if target.noun == "one" and spoken_of else target.noun
        kind = NOUNS.get(noun, "")
        asks_for_all = not target.count and kind in _MANY_OF and any(x.noun for x in targets)
        if (
            noun == "one"
            or (with_comment and kind == "comment")  # it is what the comment is about that goes
            or (is_terse and kind in _EXPLAINED)
            or (asks_for_all and not (target.required or mark))  # for ``whole``
            or not all(_is_another(x, kind) for x in spared)
        ):
            continue
        found = replace(
            target,
            noun=noun,
            kind=kind,
            with_comment=with_comment is not None,
            mark=mark["mark"][:2] if mark else "",
            spared=tuple(word.text for x in spared for word in x.required),
        )
        intent = EditTarget(action, found, says_comment="comment" in plain.lower())
        yield Interpretation(intent, _in_words(intent))


def _split(hidden: str) -> tuple[list[AskingClause], list[str]]:
    """The clauses of a request, and those, without their verbs, that say what stays."""
    speaks_of_comments = bool(re.search(r"comment", _NOT_DELETED.sub("", hidden), re.IGNORECASE))
    clauses, sparing = [], []
    for text in clauses_of(hidden):
        clause = asking_clause(text, speaks_of_comments=speaks_of_comments)
        if _SPARES.search(text) and not clause.action:
            sparing.append(_SPARES.sub(" ", text))
        elif not _NOT_DELETED.match(text):
            clauses.append(clause)
    return clauses, sparing


def _is_another(spared: TargetDescription, kind: str) -> bool:
    """Whether what is to stay has words to tell it by, or is of another kind than what is meant."""
    return bool(spared.required) or (bool(spared.noun) and NOUNS.get(spared.noun) != kind)


def _without(found: re.Match[str], text: str) -> str:
    """A text without what was found in it."""
    return f"{text[: found.start()]}{text[found.end() :]}"


def _targets(
    targets: Sequence[TargetDescription],
    subjects: Sequence[TargetDescription],
    *,
    is_singular: bool,
) -> Iterator[TargetDescription]:
    """Yield what the clauses that ask describe (``targets``); if they have no words of their own, what they and the others (``subjects``) describe together. Nothing if two of them have words. is_singular: the request speaks of "it"."""
    own = [x for x in targets if x.required]
    if len(own) > 1:
        return
    target = own[0] if own else targets[0]
    noun = next((x.noun for x in targets if x.noun), "")
    if noun == "one":  # "the other one": of what is spoken of
        noun = next((x.noun for x in subjects if x.noun), "one")
    count = next((x.count for x in targets if x.count != 1), 1)
    if not count:
        count = next((x.count for x in (*targets, *subjects) if x.count > 1), 0)
    if own:
        yield replace(target, noun=noun, count=count)
    else:
        words = tuple(word for x in (*subjects, target) for word in (*x.required, *x.optional))
        if count == 1 and not noun and not is_singular:
            count = next((x.count for x in subjects if x.noun), 1)
        yield replace(
            target,
            noun=noun or next((x.noun for x in subjects if x.noun), ""),
            required=(),
            optional=tuple(dict.fromkeys(words)),
            count=count,
            position=next((x.position for x in (target, *subjects) if x.position), ""),
            is_subject=True,
            is_bare=False,
        )


def _in_words(intent: EditTarget) -> str:
    """The edit as a plain sentence, for which ``refactor`` has a better one once the target is found."""
    words = (word.text for word in intent.target.required)
    return " ".join([intent.action, *words, intent.target.noun]).strip()


def _hide(quoted: re.Match[str], quotes: list[str]) -> str:
    """A sign in the place of a quoted text, which is put at the end of ``quotes``."""
    quotes.append(quoted[0][1:-1])
    return hidden_quote(len(quotes) - 1)
