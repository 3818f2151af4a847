"""Signs that an answer is bad although it was decoded faithfully.

A model does write ``# … rest unchanged``, drop half the file, or do something else than was asked. Each
check is one file with one function, ``doubts(rewrite)``; ``check_hunks`` runs them all. ``literal`` holds an
answer beside what the words say, ``loops`` reads one while it is written. A check knows texts and hunks; it
knows nothing of models. It prefers silence to a false alarm: an honest edit that is called suspect teaches
people to ignore the word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from editd.breathing import breathe
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
    unfinished,
)
from editd.checks import (
    guesses as guessing,
)
from editd.checks.rewrite import Doubt, Rewrite
from editd.diff.document import Document
from editd.diff.hunk import Hunk

__all__ = ["check_hunks"]

_Check = Callable[[Rewrite], list[Doubt]]
# What a person pastes need not be what an instruction says, and may use names that come later.
_OF_MODELS: tuple[_Check, ...] = (
    names.doubts,
    exchanges.doubts,
    removals.doubts,
    unfinished.doubts,
)
# Whatever the words say, and though they say it.
_ALWAYS: tuple[_Check, ...] = (taken.doubts, keys.doubts, blocks.doubts)


def _first_of(*checks: _Check) -> _Check:
    """The first of some checks that doubts anything: they say the same, each in fewer words."""
    return lambda rewrite: next((found for check in checks if (found := check(rewrite))), [])


_CHECKS: tuple[_Check, ...] = (
    elision.doubts,
    _first_of(deletion.doubts, definitions.doubts, deletion.doubts_of_rename),
    syntax.doubts,
)


def check_hunks(
    document: Document,
    hunks: Sequence[Hunk],
    instruction: str,
    language: str = "",
    regions: Sequence[tuple[int, int]] = (),
    said: literal.Compared | None = None,
    *,
    guesses: Mapping[int, str] | None = None,
    pasted: bool = False,
) -> tuple[list[Hunk], list[str]]:
    """The hunks, those that a check doubts marked with its reason; and all doubts in sentences.

    hunks: all of one edit, in order. language: as ``syntax.language`` names it. regions: the lines that were rewritten, start and end; by default all. said: the answer
    beside what the words say. guesses: where the model guessed, by the id of a hunk. pasted: a person has the hunks from elsewhere.
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
    doubts: list[Doubt] = []
    agrees = said is not None and said.agrees
    checks = (syntax.doubts,) if agrees else (*_CHECKS, *(() if pasted else _OF_MODELS))
    if not pasted:
        checks += _ALWAYS
    checks = (*checks, leftovers.doubts)
    for doubts_of in checks:
        doubts += doubts_of(rewrite)
        breathe()
    if said is not None and said.doubt:
        doubts.append(Doubt(said.doubt, tuple(hunk.id for hunk in hunks)))
    elif said is not None and said.is_plain:
        told = {hunk_id for doubt in doubts for hunk_id in doubt.hunk_ids}
        if more := tuple(said.more - told):
            doubts.append(Doubt(literal.NOT_NAMED, more))
    if not agrees:
        doubts += guessing.doubts(rewrite, guesses or {})
    reasons: dict[int, str] = {}
    for doubt in doubts:
        for hunk_id in doubt.hunk_ids:
            reasons.setdefault(hunk_id, doubt.reason)
    marked = [replace(hunk, suspect=hunk.suspect or reasons.get(hunk.id)) for hunk in hunks]
    marked = names.noted(rewrite, marked, every=pasted)
    if said is not None and not said.is_plain:
        marked = [
            replace(hunk, note=hunk.note or literal.NOT_NAMED) if hunk.id in said.more else hunk
            for hunk in marked
        ]
    if said is not None and agrees:  # however unsure the model was
        marked = [replace(hunk, note_spans=()) for hunk in marked]
    return marked, list(dict.fromkeys(doubt.reason for doubt in doubts))
