"""Change quotes: how people ask that strings be written in the other ones."""

from __future__ import annotations

import re

from editd.intent import lexicon
from editd.intent.chores import CHANGE, in_usual_words
from editd.intent.english import tokens_of
from editd.intent.intents import ChangeQuotes
from editd.intent.lexicon import words_of
from editd.intent.restrictions import excepts
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import Rule, bare_names_are_certain
from editd.intent.rules.templates import ALL

_STRINGS = f"{ALL} (string)? (strings|literals|quotes|string literals)"
_QUOTES = "(quotes?|quotation marks|quoted strings|quote marks)"
_ONES = f"({_QUOTES}|quoted|ones)"


def _with(quote: str, other: str) -> tuple[str, ...]:
    """Rows that ask for ``quote`` quotes, in place of ``other``."""
    return (
        f"(use|prefer|switch to|convert to|change to|go for|put|i want|i'd like|i prefer|write|make)* {quote} {_QUOTES} ((for|in|around|on|everywhere in)? {_STRINGS})? (only|consistently)? WHERE?",
        f"(change|convert|turn|replace|make|switch|swap|rewrite) {ALL} {other} {_QUOTES} (to|into|with|by|for) {quote} {_ONES}? WHERE?",
        f"(change|convert|turn|make|switch|rewrite|normali[sz]e) {_STRINGS} (quotes)? (to|into|in|from {other} (quotes)? to)? (use)? {quote} {_ONES}? WHERE?",
        f"(use|put|prefer|i want|i'd like|i prefer|we use|write)* {quote} {_QUOTES} (instead of|rather than|not|and not|in place of|over) {other} {_ONES}? ((for|in|around|on) {_STRINGS})? WHERE?",
        f"{_STRINGS} MODAL (use|have|get|be (written|put)? (in|with)?) {quote} {_ONES} ((instead of|not|rather than) {other} {_ONES}?)?",
        f"(change|convert|turn|replace|make|switch|rewrite) {ALL} {other}-quoted strings (to|into|with|by)? {quote}-quoted (strings|ones)? WHERE?",
    )


USE_DOUBLE_QUOTES = Rule(
    "quotes",
    paraphrases=_with("double", "single"),
    intent=lambda _: ChangeQuotes('"'),
    takes_location=True,
    examples=(
        ("use double quotes", ChangeQuotes('"')),
        ("switch this module from single to double quotes", ChangeQuotes('"')),
        ("double quotes instead of single ones, template strings stay", ChangeQuotes('"')),
    ),
    near_misses=(
        "double quotes, docstrings stay as they are",
        "use double quotes for docstrings",
        "use double quotes for the keys",
    ),
)
USE_SINGLE_QUOTES = Rule(
    "quotes",
    # Docstrings stay as they are anyway.
    paraphrases=_with("single", "double")
    + tuple(
        f"{row}, (but)? (leave|keep) (THE|all)? docstrings? (alone|as is|as (it|they) (is|are)|untouched|unchanged|in double quotes)?"
        for row in _with("single", "double")
    ),
    intent=lambda _: ChangeQuotes("'"),
    takes_location=True,
    examples=(
        ("can you turn all double-quoted strings into single-quoted ones?", ChangeQuotes("'")),
        ("change double quotes to single quotes", ChangeQuotes("'")),
        ("single quotes for strings, docstrings stay as they are", ChangeQuotes("'")),
    ),
)


def _around(kind: str, quote: str, *examples: tuple[str, ChangeQuotes]) -> Rule:
    """The rule for ``kind`` quotes, which are ``quote``, around one string."""
    return Rule(
        "quotes",
        paraphrases=(
            f"(use|put|i want|prefer)? {kind} quotes (around|for|on) (the)? (string|text|value|word)? (CODE|OLDCODE)",
        ),
        intent=lambda slots: ChangeQuotes(quote, slots.get("code") or slots["old"]),
        name_slots=(),
        is_certain=bare_names_are_certain,
        takes_location=True,
        is_of_one=True,
        examples=examples,
    )


DOUBLE_QUOTES_AROUND = _around(
    "double", '"', ("double quotes around Helvetica", ChangeQuotes('"', "Helvetica"))
)
SINGLE_QUOTES_AROUND = _around(
    "single", "'", ("use single quotes for 'host'", ChangeQuotes("'", "host"))
)

_REST_STAYS = re.compile(
    r"[,(;:–—-]* ?(?:and |but )?(?:leave|keep) (?:the rest|everything else|all (?:the )?others?|the others?|other strings)"
    r"(?: (?:alone|as (?:it is|is|they are)|untouched|unchanged))?\)?|\b(?:only|just)\b",
    re.IGNORECASE,
)
_CONSTANTS = re.compile(
    r"\b(?:the |those |these |all )*(?P<count>two |three |four |five |\d )?(?:module[- ](?:level )?|global |top[- ]level )?constants\b",
    re.IGNORECASE,
)
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5}
_SAYS_NOTHING = (
    CHANGE
    | lexicon.SAYS_NOTHING
    | words_of(
        """
        quote quotes quoted quoting mark marks string strings literal literals text value around for on not type class constant
        constants variable variables name both instead rather than over no their its prefer want put from
        """
    )
)


def _limited(text: str) -> ChangeQuotes | None:
    """The intent of a request for other quotes only in what it names: constants (all or a number of them), definitions,
    or strings themselves.

    ``None`` for another request, an exception, words that leave open which quotes become which, or if nothing is named.
    """
    rest = _REST_STAYS.sub(" ", in_usual_words(text))
    constants = _CONSTANTS.search(rest)
    count = -1
    if constants:
        number = (constants["count"] or "").strip().lower()
        count = int(number) if number.isdigit() else _COUNTS.get(number, 0)
        rest = rest[: constants.start()] + rest[constants.end() :]
    terms = [token for token in tokens_of(rest) if token.kind == "term"]
    kinds = [token.word for token in terms if token.word in ("double", "single")]
    is_old_last = re.search(r"\b(?:instead of|rather than|not|over|no)\b", rest) is not None
    if not kinds or len(kinds) > 2 or (kinds[0] == kinds[-1] and len(kinds) == 2) or excepts(rest):
        return None
    if not any(token.word.startswith(("quot", "string")) for token in terms):
        return None
    new = kinds[0] if len(kinds) == 1 or is_old_last else kinds[1]
    names = tuple(
        token.text.removesuffix("()")
        for token in terms
        if token.quoted or token.word not in _SAYS_NOTHING | {"double", "single"}
    )
    if not names and count < 0:
        return None
    return ChangeQuotes('"' if new == "double" else "'", names=names, constants=count)


CHANGE_QUOTES_OF = Guess(
    "quotes",
    reads=_limited,
    examples=(
        (
            "DB_HOST and DB_NAME should be in double quotes",
            ChangeQuotes('"', names=("DB_HOST", "DB_NAME")),
        ),
        (
            "only the EMAIL_FROM constant: use \" instead of '",
            ChangeQuotes('"', names=("EMAIL_FROM",)),
        ),
        (
            "single quotes for the two constants at the top, leave the rest",
            ChangeQuotes("'", constants=2),
        ),
    ),
    near_misses=("use double quotes", "change double quotes to single quotes"),
)
"""In what is named alone."""
