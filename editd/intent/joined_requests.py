"""Cuts a sentence into two requests: "change the port to 8080 and turn off debug mode", "rename a to b and c to d".

A cut is tried on a buffer, never believed (``refactor.one_by_one``): each part has to change it for certain. So a cut may be wrong,
but nothing may be cut that belongs together: quoted texts, conditions, what a new text says. Knows no buffer. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from editd.intent.clause import without_politeness
from editd.intent.context import VERB
from editd.intent.english import QUOTED
from editd.intent.restrictions import takes_back

_LONGEST = 200
_MOST_CUTS = 4
_BETWEEN = re.compile(
    rf"(?P<whole>{QUOTED}|\w\([^()]*\))"
    r"|(?:[,;.]? (?:and|plus|&|\+)|[,;.] (?:then|also)|;|,| then)(?: (?:then|also|please|finally))* ",
    re.IGNORECASE,
)
# One request that goes on to its end: a condition with what follows from it, a text that is written somewhere.
_BELONGS_TOGETHER = re.compile(
    r"\b(?:if|when(?:ever)?|unless|while|until|otherwise|else|between|both|either|neither|in case|on (?:error|failure|success)"
    r"|(?:say|says|saying|reads|reading|telling|explaining|noting|mentioning)|(?:todo|fixme):|(?:the|a) (?:comment|note|text|message|line) that)\b",
    re.IGNORECASE,
)
_DEFAULT = re.compile(r"\bdefaults?\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|an?) ", re.IGNORECASE)
_TO = re.compile(r" (?:to|as|into|with|by|from|in) |->|=>|→")
_THE_REST = re.compile(
    r"\b(?:the (?:rest|others|other ones|remaining(?: ones)?)|what(?:'s| is) left|them|the (?P<which>unused) ones)\b",
    re.IGNORECASE,
)
_MANY = re.compile(
    r"\b(?P<noun>imports|prints|print statements|console\.logs|comments|docstrings)\b",
    re.IGNORECASE,
)
_IT = re.compile(r"\b(?:it|its|this|that|them|they)\b", re.IGNORECASE)
_STATES = re.compile(
    r"\S+ (?:is|are|was|were|has|have|does|do|needs?|should|must|can|will|gets?|runs?|takes?)\b",
    re.IGNORECASE,
)
_A_VERB = re.compile(
    r"(?:turn|switch|sort|require|remove|test|use|run|listen|expose|enable|disable|pass|read|take|drop|upgrade|downgrade|pin|install)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cut:
    """Two requests of one sentence.

    rest: ways to say the second as a sentence of its own, of which one may be meant. is_elided: the verb of the first is that of the
    second as well. begins: the first begins with a verb that asks.
    """

    first: str
    rest: tuple[str, ...]
    is_elided: bool = False
    begins: bool = True


def cuts_of(sentence: str) -> Iterator[Cut]:
    """Yield the cuts of a sentence, in order; none for over 200 characters, or more than four places to cut at, nor where a part is a
    condition, an exception, or a text that is to be written.
    """
    text = without_politeness(sentence)
    bare = re.sub(QUOTED, '"…"', text)
    if len(text) > _LONGEST or _BELONGS_TOGETHER.search(bare):
        return
    cuts = [x for x in _BETWEEN.finditer(text) if not x["whole"]]
    if len(cuts) > _MOST_CUTS:
        return
    for cut in cuts:
        first, second = text[: cut.start()].strip(), text[cut.end() :].strip()
        if (many := _MANY.search(first)) and _THE_REST.search(second):
            second = _THE_REST.sub(rf"the \g<which> {many['noun']}", second).replace("  ", " ")
        if not (first and second) or takes_back(second) or takes_back(first):
            continue
        is_comma = not re.search(r"\w|[;&+]", cut[0])
        begins = VERB.match(first) or (_A_VERB.match(first) and not is_comma)
        if _STATES.match(first):
            begins = None  # "clear is silent"
        goes_on = VERB.match(second) or (_A_VERB.match(second) and not is_comma)
        if (goes_on or begins) and ((begins and goes_on) or not is_comma):
            yield from (
                replace(x, begins=begins is not None)
                for x in _cut(first, second, has_verb=goes_on is not None)
            )


def _cut(first: str, second: str, *, has_verb: bool) -> Iterator[Cut]:
    """Yield the cut between two parts; nothing if "it" stands in that, or it has no verb and that of
    the first cannot be its own. has_verb: it begins with one.
    """
    if _IT.search(second):
        return
    verb = VERB.match(first) or _A_VERB.match(first)
    if has_verb or verb is None or (_TO.search(first) and not _TO.search(second)):
        yield Cut(first, (second,))
    else:
        ways = [f"{verb[0]} {second}"]
        if _DEFAULT.search(first) and not _DEFAULT.search(second):
            ways.append(f"{verb[0]} the default {_ARTICLE.sub('', second)}")
        yield Cut(first, tuple(ways), is_elided=True)
