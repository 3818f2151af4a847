"""Remove unused imports: how people ask for it."""

from __future__ import annotations

from editd.intent.intents import RemoveUnusedImports
from editd.intent.rules.rule import Rule
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
    ),
    near_misses=("remove unused imports except os",),
)
