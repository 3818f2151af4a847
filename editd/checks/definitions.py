"""Deleted functions and classes that the instruction does not mention.

A model that loses its way in a small file drops a function of three lines, which is too little for
``deletion``. What is written anew under another name is not lost, and neither is what moved.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.checks.asked_for import lines_asked_for
from editd.checks.rewrite import Doubt, Rewrite
from editd.diff.document import Document
from editd.diff.hunk import Hunk
from editd.instruction import read
from editd.prompts.outline import Definition, outline


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """Hunks that delete definitions which the instruction does not mention."""
    if _REBUILDING.search(rewrite.instruction):
        return []
    gone = lost(rewrite)
    if not gone:
        return []
    if sum(map(len, gone.values())) <= _num_new(rewrite):
        return []
    asked = lines_asked_for(rewrite.instruction, rewrite.old_lines)
    words = _meant_by(rewrite.instruction)
    unasked = {
        hunk: [
            one
            for one in definitions
            if one.start not in asked and not any(_may_mean(word, one.name) for word in words)
        ]
        for hunk, definitions in gone.items()
    }
    return [told(hunk, definitions) for hunk, definitions in unasked.items() if definitions]


def lost(rewrite: Rewrite) -> dict[Hunk, list[Definition]]:
    """By hunk, the definitions in the lines it replaces that no longer exist anywhere."""
    shrinking = [hunk for hunk in rewrite.hunks if len(hunk.new_lines) < hunk.old_count]
    if not shrinking:
        return {}  # the outline of a long file takes longer than all else here
    definitions = outline(rewrite.old_lines, rewrite.language)
    blocks = [one for one in definitions if one.is_block]
    heads = {one: _head(one, rewrite.old_lines) for one in blocks}
    gone = {
        one: hunk
        for hunk in shrinking
        for one, line in heads.items()
        if line is not None and hunk.start <= line < hunk.start + hunk.old_count
    }
    kept = {one.name for one in blocks if one not in gone}
    written = [line for hunk in rewrite.hunks for line in hunk.new_lines]
    found: dict[Hunk, list[Definition]] = {}
    for one, hunk in gone.items():
        if one.name not in kept and not any(one.name in line for line in written):
            found.setdefault(hunk, []).append(one)
    return found


def told(hunk: Hunk, definitions: Sequence[Definition]) -> Doubt:
    """A sentence about what one hunk lost."""
    first, *others = definitions
    more = f" and {len(others)} more" if others else ""
    verb = "are" if others else "is"
    reason = (
        f"“{first.name}” (line {first.start + 1}){more} {verb} gone; check that this is intended."
    )
    return Doubt(reason, (hunk.id,))


def _num_new(rewrite: Rewrite) -> int:
    """Definitions under names that the buffer's replaced lines do not define."""
    lines = [line for hunk in rewrite.hunks for line in hunk.new_lines]
    replaced = [
        line
        for hunk in rewrite.hunks
        for line in rewrite.old_lines[hunk.start : hunk.start + hunk.old_count]
    ]
    old = outline(replaced, rewrite.language)
    new = outline(Document("", tuple(lines)).model_lines, rewrite.language)
    return len({one.name for one in new if one.is_block} - {one.name for one in old})


def _head(one: Definition, lines: Sequence[str]) -> int | None:
    """The line that names it: a decorator above may go with another definition, in a diff.

    ``None`` where the name is only the beginning of another: a call in a text that a parser misreads.
    """
    name = re.compile(rf"(?<![\w.]){re.escape(one.name)}(?![\w.])")
    return next((line for line in range(one.start, one.end) if name.search(lines[line])), None)


def _meant_by(instruction: str) -> set[str]:
    """Words by which it may mention a definition; a renamed one is not to be deleted."""
    said = read(instruction)
    return {*said.names, *said.words} - {text for pair in said.renames for text in pair}


def _may_mean(word: str, name: str) -> bool:
    word, name = _bare(word), _bare(name)
    return word in (name, f"{name}s", f"{name}es") or (len(word) >= _SHORTEST and word in name)


def _bare(name: str) -> str:
    """``TestLocal`` is ``test_local``."""
    return name.replace("_", "").lower()


_SHORTEST = 4  # letters of a word that may be a part of a name
_REBUILDING = re.compile(r"\b(?:refactor|restructur|reorgani[sz]|rewrit|redesign)", re.IGNORECASE)
