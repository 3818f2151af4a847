"""Companions of a described thing, which go with it: "ping and its entry in COMMANDS", "the roll command (handler and table)". Standard library only."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from editd.intent.english import is_code_like
from editd.intent.evidence.target_words import NOUNS

_SIGN = "\u2063"
"""Stands in the place of the words that join a thing and its companion, so that no clause ends there."""
_NOUNS = "|".join(
    sorted(
        (
            re.escape(noun)
            for noun, kind in NOUNS.items()
            if kind not in ("comment", "print", "log", "")
        ),
        key=len,
        reverse=True,
    )
)
_A_NOUN = rf"(?:{_NOUNS})(?:e?s)?(?![\w-])"
_JOINS = re.compile(
    r"(?P<joins>[ ]*(?:,|\band\b|\bplus\b|[+&]|\bas well as\b|\b(?:together|along) with\b|\bwith\b|\bincl(?:uding\b|\.))"
    r"(?:[ ]?,?[ ](?:and|also|of course|obviously|naturally|then)\b,?)*[ ])"
    rf"(?=(?:its|their)[ ](?:\S+[ ])??{_A_NOUN}(?![ ](?:is|are|was|were|has|have|can|must|should|does|do|will|needs?|stays?|remains?|goes|go)\b))",
    re.IGNORECASE,
)
_BOTH_NOUNS = re.compile(
    rf"[ ]*(?:[(]|,[ ]|[ ][-–—][ ])(?:i\.e\.,? |that is,? |both )?(?:the )?(?P<first>{_A_NOUN})[ ]?(?:[+&/,]|\band\b)[ ]?(?:the )?(?P<second>{_A_NOUN})(?:[)]|[ ]?$)",
    re.IGNORECASE,
)

_AND_NAME = re.compile(r"(?:,| and|, and)(?: the)? (?P<name>[^\W\d]\w*)(?!\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ThingParts:
    """The words for a thing, and those for what goes with it. is_named_again: the companions are all that is meant."""

    thing: str
    companions: tuple[str, ...] = ()
    is_named_again: bool = False


def with_companions_joined(text: str, names: Collection[str] = ()) -> str:
    """``text`` with a sign for the words before each companion, so that ``parts_of`` finds them in a clause. names: those of the buffer,
    of which one may follow a companion: "f, its command and LIMIT".
    """
    text = _BOTH_NOUNS.sub(rf" {_SIGN}{_SIGN} its \g<first> {_SIGN} its \g<second> ", text)
    text = _JOINS.sub(f" {_SIGN} ", text).strip()
    head, sign, rest = text.partition(_SIGN)

    def joined(found: re.Match[str]) -> str:
        is_name = found["name"] in names and (
            is_code_like(found["name"]) or found["name"].isupper()
        )
        return f" {_SIGN} {found['name']}" if is_name else found[0]

    return f"{head}{sign}{_AND_NAME.sub(joined, rest)}"


def parts_of(clause: str) -> ThingParts:
    """The words of a clause for a thing and for its companions."""
    thing, *companions = clause.split(_SIGN)
    is_named_again = bool(companions) and not companions[0].strip()
    found = tuple(x.strip() for x in companions if x.strip())
    return ThingParts(thing.strip(), found, is_named_again)
