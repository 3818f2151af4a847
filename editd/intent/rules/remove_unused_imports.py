"""Remove unused imports: how people ask for it."""

from __future__ import annotations

import re

from editd.intent import lexicon
from editd.intent.chores import UNUSED, UNUSED_BESIDE
from editd.intent.english import FUNCTION_WORDS, KINDS, LABELS, tokens_of
from editd.intent.intents import RemoveUnusedImports
from editd.intent.lexicon import words_of
from editd.intent.restrictions import excepts
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import RowMatch, Rule, Slots
from editd.intent.rules.templates import ALL, IMPORTS

_UNUSED = (
    f"{ALL} (unused|unneeded|unnecessary|unreferenced|dead|superfluous|redundant|needless|useless|stale|leftover) "
    "(imports?|import (statements?|lines?)|#?includes?|#?include (directives?|lines?)|use (statements|declarations)|imported names)"
)
_NOT_USED = (
    "((that|which)? (are|is|were|was|aren't|isn't|weren't) (not|never|no longer)? (used|needed|referenced|required)"
    "|(that|which)? (nobody|nothing|no one|no code) (uses|needs|references)"
    "|(that|which)? (i|we|it|this file|the file|the code) (don't|do not|doesn't|does not|never|no longer) (actually)? (use|uses|need|needs)"
    "|not (used|needed|referenced)|without (any)? (use|uses)) (at all)? (anywhere)? ANYMORE?"
)


_ONES = "(imports?|requires?|import (statements?|lines?)|use (statements?|lines?)|includes?)"


def _names(slots: Slots) -> tuple[str, ...]:
    """The names in the slot ``imported``."""
    named = re.findall(r"[^\W\d][\w.]*", slots["imported"])
    return tuple(name for name in named if name.lower() not in ("and", "both", "the"))


def _are_no_names(match: RowMatch) -> bool:
    """Whether one of the words is hardly the name of an import: "some", "functions"."""
    ordinary = (
        FUNCTION_WORDS
        | KINDS
        | LABELS
        | {"unused", "comments", "lines", "except", "some", "unneeded"}
    )
    return any(name.lower() in ordinary for name in _names(match.slots))


REMOVE_UNUSED_IMPORTS = Rule(
    "remove-unused-imports",
    paraphrases=(
        f"(DELETE|prune|trim|tidy up|weed out|sort out) {_UNUSED} (out|away)? TOP? WHERE?",
        f"(DELETE|prune|trim)? (any|all)? (of)? {IMPORTS} (that|which)? {_NOT_USED}, (DELETE them)?",
        f"there (is|are) (some)? ({_UNUSED}|{IMPORTS} {_NOT_USED}) WHERE?, (so)? DELETE (it|them) (out)?",
    ),
    intent=lambda _: RemoveUnusedImports(),
    examples=(
        ("remove unused imports", RemoveUnusedImports()),
        ("there are imports we don't need, take them out", RemoveUnusedImports()),
        ("unused imports -> out", RemoveUnusedImports()),
        ("one import is not in use. bin it", RemoveUnusedImports()),
        ("some imports aren't needed, remove the unused ones", RemoveUnusedImports()),
    ),
    near_misses=("remove unused imports except os",),
)
REMOVE_NAMED_IMPORTS = Rule(
    "remove-unused-imports",
    paraphrases=(
        f"DELETE (the)? unused {_ONES} (of|for)? IMPORTED",
        f"DELETE (the)? unused? IMPORTED {_ONES} (, (it|they)? (is|are)? (unused|not used|not needed))?",
        f"IMPORTED (is|are|isn't|aren't|was|were) (not|never|no longer)? (used|needed|unused) ANYMORE?, (so)? DELETE (it|them|both|the {_ONES}|(its|their) {_ONES})",
        f"DELETE IMPORTED from (the|its|our) {_ONES}, (it|they)? (is|are|it's|they're) (unused|not used|not needed|never used)",
        f"(we|i) (don't|no longer|never) (need|use) IMPORTED ANYMORE?, (so)? DELETE the {_ONES}",
    ),
    intent=lambda slots: RemoveUnusedImports(_names(slots)),
    excludes=_are_no_names,
    examples=(
        (
            "sys and shutil aren't used, drop them",
            RemoveUnusedImports(("sys", "shutil")),
        ),
        ("path is never used, remove the require", RemoveUnusedImports(("path",))),
        (
            "drop the unused imports (useMemo and Spinner)",
            RemoveUnusedImports(("useMemo", "Spinner")),
        ),
    ),
    near_misses=("load isn't used, drop it from the list", "remove the imports of all functions"),
)
"""Of some imports, which are named."""

_IMPORTED = words_of(
    """
    import imports imported importing require requires required include includes use uses line lines statement statements
    declared declaration name names defined never variable variables value
    """
)
_SAID_OF_UNUSED = UNUSED - words_of(
    "use uses used need needs needed required read reference references referenced"
)
_DENIED = re.compile(
    r"\b(?:not|never|no longer|nobody|nothing|no one|isn't|aren't|wasn't|weren't|don't|doesn't) (?:\w+ ){0,3}?"
    r"(?:use[sd]?|need(?:s|ed)?|required|read|reference[sd]?)\b",
    re.IGNORECASE,
)
_SAID = re.compile(r"\b(?:is|are) (?:all |both )?(?:unused|never used|not used)\b", re.IGNORECASE)
_ADDED = re.compile(r"\bimport it\b|\b(?:not|never|n't) (?:yet )?imported\b|\badd\b", re.IGNORECASE)
_REQUESTED = (
    lexicon.DELETE
    | UNUSED
    | words_of("go fix can should could must may need needs please just so then for")
)
_KNOWN = _IMPORTED | _REQUESTED | UNUSED_BESIDE | lexicon.LINTERS | lexicon.SAYS_NOTHING


def _named(text: str) -> RemoveUnusedImports | None:
    """The intent of a request that says of some names in any words that they are unused imports: every word that is not
    known counts as a name, the last part of a dotted one, each once. ``None`` for another request, an exception, or if
    no word is left.
    """
    text = re.sub(r" from (?:the )?\S+ (?=imports?\b)", " from the ", text)
    tokens = [token for token in tokens_of(text) if token.kind == "term"]
    words = {token.word for token in tokens}
    is_unused = not words.isdisjoint(_SAID_OF_UNUSED) or _DENIED.search(text) is not None
    if (
        not is_unused
        or (words.isdisjoint(_IMPORTED) and not _SAID.search(text))
        or _ADDED.search(text)
        or excepts(text)
    ):
        return None
    names = [
        token.text.removesuffix("()").rpartition(".")[2]
        for token in tokens
        if token.word not in _KNOWN and token.text not in ("-", "–", "—")
    ]
    return RemoveUnusedImports(tuple(dict.fromkeys(names))) if names else None


REMOVE_SAID_IMPORTS = Guess(
    "remove-unused-imports",
    reads=_named,
    examples=(
        ("sys is imported but unused, remove it", RemoveUnusedImports(("sys",))),
        ("the IOException import isn't needed", RemoveUnusedImports(("IOException",))),
        (
            "eslint: no-unused-vars for useMemo and Spinner, drop the imports",
            RemoveUnusedImports(("useMemo", "Spinner")),
        ),
        (
            "ts complains that 'qs' is declared but never read - remove the import",
            RemoveUnusedImports(("qs",)),
        ),
    ),
    near_misses=("the imports of load are unused except os", "import lazily", "sort the imports"),
)
"""Of names that the buffer imports and does not use."""
