"""Signs that an answer is bad although it was decoded faithfully.

A model does write ``# … rest unchanged``, drop half the file, or do something else than was asked. Each
check is a file with a function ``suspicions(rewrite)``; ``check_hunks`` runs them all. ``literal`` compares an answer
with what the words alone say, ``loops`` reads an answer while it is written. A check knows texts and hunks, and asks
``editd.syntax`` about code; it knows nothing of models. It prefers silence to a false alarm: an honest edit that is
called suspect teaches people to ignore the word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from editd.checks import (
    blocks,
    definitions,
    deletion,
    elision,
    exchanges,
    keys,
    leftovers,
    literal,
    names,
    removals,
    syntax,
    taken,
    thin,
    unfinished,
)
from editd.checks import (
    guesses as guessing,
)
from editd.checks.rewrite import Rewrite, Suspicion
from editd.diff.document import Document
from editd.diff.hunk import Hunk
from editd.turns import yield_point

__all__ = ["check_hunks"]

_Check = Callable[[Rewrite], list[Suspicion]]
# What a person pastes need not be what an instruction says, and may use names that come later.
_OF_MODELS: tuple[_Check, ...] = (
    names.suspicions,
    exchanges.suspicions,
    removals.suspicions,
    unfinished.suspicions,
)
# Whatever the words say, and though they say it.
_ALWAYS: tuple[_Check, ...] = (taken.suspicions, keys.suspicions, blocks.suspicions)


def _first_of(*checks: _Check) -> _Check:
    """A check that gives the suspicions of the first of ``checks`` that has any, none if no check has: each says the
    same in fewer words.
    """
    return lambda rewrite: next((found for check in checks if (found := check(rewrite))), [])


_CHECKS: tuple[_Check, ...] = (
    elision.suspicions,
    _first_of(deletion.suspicions, definitions.suspicions, deletion.suspicions_of_rename),
    syntax.suspicions,
)


def check_hunks(
    document: Document,
    hunks: Sequence[Hunk],
    instruction: str,
    language: str = "",
    regions: Sequence[tuple[int, int]] = (),
    comparison: literal.Compared | None = None,
    *,
    guesses: Mapping[int, str] | None = None,
    pasted: bool = False,
) -> tuple[list[Hunk], list[str]]:
    """Run all checks on an edit. Returns copies of its hunks, suspect ones with the first reason unless they have one
    already, some with a note; and every reason once, in order. Without hunks both lists are empty.

    hunks: all of the edit, in order. language: as ``syntax.language`` names it. regions: the lines that were rewritten,
    start and end (exclusive); by default all. comparison: the answer beside what the words say. If it agrees with them,
    most checks are left out and ``note_spans`` of all hunks become empty; if it has a doubt, all hunks are suspect; a
    hunk that it counts as more than was asked for is suspect if the words can mean nothing more, else it gets a note.
    guesses: what the model guessed, by the id of a hunk. pasted: a person has the hunks from elsewhere; checks of
    models' habits are left out. Calls ``yield_point`` after each check.
    """
    rewrite = Rewrite(
        document,
        tuple(hunks),
        instruction,
        language,
        tuple(regions) or ((0, len(document.lines)),),
    )
    if not hunks:
        return [], []
    found: list[Suspicion] = []
    agrees = comparison is not None and comparison.agrees
    checks = (syntax.suspicions,) if agrees else (*_CHECKS, *(() if pasted else _OF_MODELS))
    if not pasted:
        checks += _ALWAYS
    checks = (*checks, leftovers.suspicions)
    for doubts_of in checks:
        found += doubts_of(rewrite)
        yield_point()
    if comparison is not None and comparison.doubt:
        found.append(Suspicion(comparison.doubt, tuple(hunk.id for hunk in hunks)))
    elif comparison is not None and comparison.is_plain:
        suspected = {hunk_id for suspicion in found for hunk_id in suspicion.hunk_ids}
        if more := tuple(comparison.more - suspected):
            found.append(Suspicion(literal.NOT_NAMED, more))
    if not agrees:
        found += guessing.suspicions(rewrite, guesses or {})
    reasons: dict[int, str] = {}
    for suspicion in found:
        for hunk_id in suspicion.hunk_ids:
            reasons.setdefault(hunk_id, suspicion.reason)
    marked = [replace(hunk, suspect=hunk.suspect or reasons.get(hunk.id)) for hunk in hunks]
    marked = names.with_notes(rewrite, marked, every=pasted)
    marked = thin.with_notes(rewrite, marked)
    if comparison is not None and not comparison.is_plain:
        marked = [
            replace(hunk, note=hunk.note or literal.NOT_NAMED)
            if hunk.id in comparison.more
            else hunk
            for hunk in marked
        ]
    if comparison is not None and agrees:  # however unsure the model was
        marked = [replace(hunk, note_spans=()) for hunk in marked]
    return marked, list(dict.fromkeys(suspicion.reason for suspicion in found))
