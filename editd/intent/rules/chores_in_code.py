"""Chores that the syntax decides: commented-out code that goes, ``var`` and ``==`` of JavaScript that become others."""

from __future__ import annotations

import re

from editd.intent.intents import DeleteCommentedCode, ReplaceVar, UseStrictEquality
from editd.intent.rules.guess import Guess

_DELETE = r"(?:delete|remove|rm|drop|strip(?: out)?|kill|get rid of|throw (?:out|away)|clean up|clear(?: out)?|purge)"
_COMMENTED = re.compile(
    rf"{_DELETE} (?:all |any |of |the |this |that |old |dead |unused )*(?:commented[- ]?(?:out)?|out-?commented|uncommented-out) "
    r"(?:code|lines?(?: of code)?|blocks?|statements?|stuff|parts?|sections?)(?: (?:from|in) (?:the |this )?file| everywhere)?"
    rf"|{_DELETE} (?:all |any |the |old )*(?:code (?:in|from) (?:the )?comments|code that (?:is|was) commented out|dead comments with code)",
    re.IGNORECASE,
)
_WORDS = r"(?P<new>(?:let|const)(?:(?: ?/ ?| and | or | & |, )(?:let|const))?)"
_VARS = r"(?:all |every |each |the )*`?vars?`?(?: declarations?| keywords?| statements?)?"
_END = r"(?: (?:everywhere|where possible|where appropriate|as appropriate|throughout|in (?:this|the) file))?"
_VAR = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:replace|swap|change|convert|turn|switch|update|migrate|modernize|modernise) {_VARS} (?:with|by|to|into|for) (?:`)?{_WORDS}(?:`)?{_END}",
        rf"(?:use|prefer) `?{_WORDS}`? (?:instead of|rather than|over|in place of) {_VARS}{_END}",
        rf"{_VARS} ?(?:->|=>|→) ?{_WORDS}",
    )
)
_NO_VAR = re.compile(
    rf"(?:no more|no|get rid of|eliminate|remove) {_VARS},? (?:use|with|in favou?r of) {_WORDS}{_END}",
    re.IGNORECASE,
)
_EQUALITY = re.compile(
    r"(?:use|prefer|switch to|change to|convert to|enforce) (?:strict (?:equality|equals|comparisons?)(?: (?:operators?|checks?|comparisons?))?|triple[- ]equals)(?: (?:instead of|rather than) (?:loose (?:equality|comparisons?)|==))?(?: everywhere| throughout)?"
    r"|(?:use|prefer) `?===`?(?: and `?!==`?)? (?:instead of|rather than|over) `?==`?(?: and `?!=`?)?(?: everywhere)?"
    r"|(?:replace|change|convert|switch|turn|swap) (?:all |every |the )*`?==`?(?: and `?!=`?)? (?:with|to|by|into|for) `?===`?(?: and `?!==`?)?(?: everywhere)?"
    r"|`?==`? ?(?:->|=>|to|→) ?`?===`?|(?:make|turn) (?:all |the )*comparisons strict",
    re.IGNORECASE,
)


def _commented(text: str) -> DeleteCommentedCode | None:
    """The intent of a request that all commented-out code go; ``None`` for another request."""
    return DeleteCommentedCode() if _COMMENTED.fullmatch(text) else None


def _var(text: str) -> ReplaceVar | None:
    """The intent of a request that ``var`` become ``let`` or ``const``, with the one that is named alone; else ``None``."""
    found = next((at for form in (*_VAR, _NO_VAR) if (at := form.fullmatch(text))), None)
    if found is None:
        return None
    words = set(re.findall(r"let|const", found["new"].lower()))
    return ReplaceVar(only=words.pop() if len(words) == 1 else "")


def _equality(text: str) -> UseStrictEquality | None:
    """The intent of a request for ``===``; ``None`` for another request."""
    return UseStrictEquality() if _EQUALITY.fullmatch(text) else None


DELETE_COMMENTED_CODE = Guess(
    "delete-commented-code",
    reads=_commented,
    examples=(
        ("remove the commented-out code", DeleteCommentedCode()),
        ("get rid of all commented out lines", DeleteCommentedCode()),
    ),
    near_misses=("remove the comments", "remove the commented-out retry line"),
    reads_all_words=True,
)
"""Code in comments, everywhere."""
REPLACE_VAR = Guess(
    "replace-var",
    reads=_var,
    examples=(
        ("replace var with let/const", ReplaceVar()),
        ("use const instead of var", ReplaceVar(only="const")),
        ("change all vars to let", ReplaceVar(only="let")),
    ),
    near_misses=("replace var with a function", "replace x with const"),
    reads_all_words=True,
)
"""The word ``var``."""
STRICT_EQUALITY = Guess(
    "strict-equality",
    reads=_equality,
    examples=(
        ("use strict equality", UseStrictEquality()),
        ("replace == with ===", UseStrictEquality()),
        ("== to ===", UseStrictEquality()),
    ),
    near_misses=("use strict mode", "replace === with =="),
    reads_all_words=True,
)
"""The strict signs."""
