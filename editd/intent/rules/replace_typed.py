"""Replace what is typed: a wrong spelling, a command or several words that stand in the file as they are typed."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from editd.intent.english import FUNCTION_WORDS, KINDS, LABELS, QUOTED, SIGNS
from editd.intent.intents import ReplaceTyped
from editd.intent.rules.guess import Guess

_TEXT = rf"(?:{QUOTED}|[^\s].*?)"
_TYPO = r"(?:typos?|spelling(?: mistake| error)?|misspelling|misspelled word|spelling error)"
_ARROW = r"(?:->|=>|→|⇒|-->)"
_TYPO_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:(?:fix|correct)(?: the| this| a)? )?{_TYPO}(?: of| in|:| -)* (?P<old>{_TEXT})(?:,| is wrong,?)? ?(?:{_ARROW}|(?:should|must|has to) (?:be|read)(?: spelled| written)?|to|is spelled|=)(?: spelled)? (?P<new>{_TEXT})",
        rf"(?:fix|correct) (?:the )?{_TYPO}(?: of| in|:| -)* (?P<old>\S+) \((?:should be |it's |-> ?)?(?P<new>\S+)\)",
        rf"(?P<old>{QUOTED}|\S+) (?:should be|is spelled|should read|should be spelled|must be|is misspelled, (?:should be|it's))(?: spelled| written)? (?P<new>{QUOTED}|\S+)",
        rf"(?:fix|correct)(?: the word)? (?P<old>{QUOTED}|\S+) (?:to|{_ARROW}|into) (?P<new>{QUOTED}|\S+)",
        rf"(?P<old>{QUOTED}|\S+) ?{_ARROW} ?(?P<new>{QUOTED}|\S+)",
    )
)
_EVERY = (
    r"(?:(?:all|every|each)(?: (?:the|of the))?(?: occurrences? of| instances? of| uses? of)? )?"
)
_PLACES = r"(?: (?:everywhere|throughout|in the whole file|in this file|in all places))?"
_FORMS = (
    (re.compile(rf"(?:replace|swap|substitute|exchange) {_EVERY}(?P<old>{_TEXT}) (?:with|by|for) (?P<new>{_TEXT}){_PLACES}", re.IGNORECASE), False),
    (re.compile(rf"(?:use|run|call|prefer) (?P<new>{_TEXT}) (?:instead of|rather than|in place of|over) (?P<old>{_TEXT}){_PLACES}", re.IGNORECASE), True),
    (re.compile(rf"(?:change|update|turn|switch) {_EVERY}(?P<old>{_TEXT}) (?:to|into) (?P<new>{_TEXT}){_PLACES}", re.IGNORECASE), False),
)  # fmt: skip
_LIMITED = re.compile(
    r" (?:(?:in|inside|within) (?:the|all|that|this|these|those|its|every|each|both)|unless|except|if|when|where|but|only)\b",
    re.IGNORECASE,
)
_LIKE = 0.6  # least likeness of a wrong spelling and the right one


def _typed(text: str) -> ReplaceTyped | None:
    """The intent of a request that names what is typed and what is to stand there; ``None`` for another request, and for
    words that describe a thing ("the header", "tabs").
    """
    for number, form in enumerate(_TYPO_FORMS):
        if found := form.fullmatch(text):
            old, new, is_quoted = _parts(found)
            is_like = SequenceMatcher(None, old.lower(), new.lower()).ratio() >= _LIKE
            is_word = re.fullmatch(r"[^\W\d][\w'’-]*(?: [\w'’-]+)*", old) is not None
            is_said = number < len(("fix", "brackets"))
            if is_like and is_word and (is_said or (" " not in old and len(old) > len("abc"))):
                return ReplaceTyped(old, new, is_typo=True, is_quoted=is_quoted)
    for form, of_command in _FORMS:
        found = form.fullmatch(text)
        if found is None:
            continue
        old, new, is_quoted = _parts(found)
        if _LIMITED.search(new) and not re.fullmatch(QUOTED, found["new"]):
            return None  # "replace DEBUG by TRACE in the prints"
        if is_quoted and re.match(rf"(?:{QUOTED}) ", new):
            continue  # "… to "x" and b to c" says more than one text
        if re.search(r"\w [\"'`“].*[\"'`”]$", new):
            continue  # "the stage "builder"" says what the text is
        first = text.split(" ", 1)[0].lower()
        if first in ("change", "update", "turn", "switch") and " " not in old and not is_quoted:
            continue
        if is_quoted or (_is_typed(old) and _is_typed(new)):
            return ReplaceTyped(old, new, of_command=of_command, is_quoted=is_quoted)
    return None


def _parts(found: re.Match[str]) -> tuple[str, str, bool]:
    """The text that is there, the one that is to be there, and whether the first stood in quotes."""
    old, new = found["old"], found["new"]
    is_quoted = re.fullmatch(QUOTED, old) is not None
    old = old[1:-1] if is_quoted else old
    new = new[1:-1] if re.fullmatch(QUOTED, new) else new
    return old, new, is_quoted


def _is_typed(text: str) -> bool:
    """Whether words may be typed as they stand in a file, and describe nothing."""
    words = text.lower().split()
    ordinary = FUNCTION_WORDS | KINDS | LABELS | SIGNS
    if words[0] in (
        "the",
        "a",
        "an",
        "all",
        "any",
        "every",
        "this",
        "that",
        "its",
        "my",
        "our",
        "your",
        "it",
    ):
        return False
    return not re.fullmatch(r"[\d.]+", text) and not set(words) <= ordinary


REPLACE_TYPED = Guess(
    "replace-typed",
    reads=_typed,
    examples=(
        ("fix typo: recieve -> receive", ReplaceTyped("recieve", "receive", is_typo=True)),
        ("typo: recieve should be receive", ReplaceTyped("recieve", "receive", is_typo=True)),
        ("correct seperate to separate", ReplaceTyped("seperate", "separate", is_typo=True)),
        ("use pnpm instead of npm", ReplaceTyped("npm", "pnpm", of_command=True)),
        ("replace all npm with pnpm", ReplaceTyped("npm", "pnpm")),
        (
            "replace pip install tinyqueue with uv add tinyqueue",
            ReplaceTyped("pip install tinyqueue", "uv add tinyqueue"),
        ),
    ),
    near_misses=(
        "timeout should be 30",
        "replace the header with a table",
        "replace tabs with spaces",
        "change color to blue",
        "fix the typo",
        "replace DEBUG by TRACE in the prints",
    ),
)
"""A text that stands in the file."""
