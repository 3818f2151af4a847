"""Tells whether words around a request narrow it: exceptions, conditions, choices, questions. Standard library only."""

from __future__ import annotations

import re

from editd.intent.restrictions import excepts

# What sounds like an exception or a condition and is none.
_IDIOMS = re.compile(
    r"\b(?:(?:stay|remain|keep|left|leave)(?:s|ing)? (?:open|unclosed)|keep (?:the zero padding|things?|it (?:simple|short)|imports? sorted)"
    r"|(?:first|last) thing|(?:(?:if|when|whenever|in case|once|as soon as|unless)\b[^,;:.!?]*?"
    r"\b(?:fail\w*|throw\w*|rais\w+|crash\w*|break\w*|broken|blow\w*|explod\w+|goes wrong|an? (?:error|exception)|errors?|exceptions?)"
    r"|try(?: ?[/-] ?| )except|if (?:possible|you (?:can|could|want|like|don't mind|have time)|that's ok(?:ay)?)|when you (?:can|have time)))\b",
    re.IGNORECASE,
)
_CONDITIONS = re.compile(
    r"\b(?:if|unless|whether|when|whenever|where|wherever|while|until|once|in case|provided|depending|as long as"
    r"|but|however|yet|instead of (?:all|every)|rather not|or|either|neither|maybe|perhaps|some|several|half|most|few|certain|such"
    r"|other|others|another|second|third|fourth|one of|any of|not)\b",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"\b(?:can|could|would|will|may|might|mind|please|pls|plz|pretty|how about|why (?:not|don't))\b",
    re.IGNORECASE,
)


def is_narrowed(text: str) -> bool:
    """Whether a sentence has words that make an exception anywhere, whatever they are about: "only", "keep", "the first one"; or is
    a question that is no polite request.
    """
    bare = _IDIOMS.sub(" ", text.replace("’", "'"))
    return excepts(bare) or is_question(bare)


def is_question(text: str) -> bool:
    """Whether a sentence is a question that is no polite request."""
    bare = text.replace("’", "'")
    return bare.rstrip(" )\"'").endswith("?") and not _POLITE.search(bare)


def has_condition(text: str) -> bool:
    """Whether a clause has words that say when, where or how much, or deny: "if that is shorter", "but not here", "some"."""
    return _CONDITIONS.search(_IDIOMS.sub(" ", text.replace("’", "'"))) is not None


_LEAVES = re.compile(
    r"^(?:and |but )?(?:please )?(?:leave|keep|don't touch|do not touch)\b"
    r"|.*\b(?:stays?|remains?|untouched|as is|as they are|alone|(?:we|i) (?:still )?need(?: (?:for|in) .*)?|(?:is|are) (?:still )?(?:needed|fine|ok|okay)(?: for .*)?)[!.]?$",
    re.IGNORECASE,
)


def leaves_others(text: str) -> bool:
    """Whether a clause says that something else stays as it is: "leave the others alone", "the one in load stays"."""
    return _LEAVES.search(text.replace("’", "'")) is not None


_EXCEPTS_IN_REASONS = re.compile(
    r"\b(?:except|excepting|excluding|exclude|apart from|unless|other than|but (?:not|keep|leave|the)|never touch|skip|ignore|spare"
    r"|only (?:in|for|when|the|if|inside|within)|not (?:in|inside|the|this|that)|the (?:first|second|last) one|(?:leave|keep|(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bthey )(?<!users )(?:don't|do not)) (?!need|want|like|know|use|have))\b",
    re.IGNORECASE,
)


def narrows_as_reason(text: str) -> bool:
    """Whether a clause that gives a reason makes an exception all the same: "the one in load is fine, except …"."""
    return _EXCEPTS_IN_REASONS.search(_IDIOMS.sub(" ", text.replace("’", "'"))) is not None
