"""Change quotes: how people ask that strings be written in the other ones."""

from __future__ import annotations

from editd.intent.intents import ChangeQuotes
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
        f"(change|convert|turn|replace|make|switch|rewrite) {ALL} {other}-quoted strings (to|into|with|by)? {quote}-quoted (strings|ones)? WHERE?",
    )


USE_DOUBLE_QUOTES = Rule(
    "quotes",
    paraphrases=_with("double", "single"),
    intent=lambda _: ChangeQuotes('"'),
    takes_location=True,
    examples=(("use double quotes", ChangeQuotes('"')),),
    near_misses=(
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
