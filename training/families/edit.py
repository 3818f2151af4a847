"""An edit that a family proposes, and how spans become a new text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from random import Random
from typing import Protocol

from editd.embedded.families import FAMILIES
from training.families.source import Source
from training.families.wording import Phrasings


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start .. end`` of the old text give way to ``text``."""

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """An instruction, the text that it is about and the only right answer.

    changed: character ranges of ``after`` that the instruction put there; empty ones stand where
    something was taken away.
    """

    instruction: str
    before: str
    after: str
    changed: tuple[tuple[int, int], ...] = ()


class Propose(Protocol):
    """An edit of this family that ``source`` allows, or ``None``; the same for the same ``rng``.

    held_out: say it in a phrasing that no training example has.
    """

    def __call__(self, source: Source, rng: Random, *, held_out: bool = False) -> Edit | None: ...


@dataclass(frozen=True, slots=True)
class Generator:
    """How examples of one family (``editd.embedded.families``) are made.

    name: the family's. weight: its share of the training examples.
    """

    name: str
    phrasings: tuple[Phrasings, ...]
    propose: Propose
    weight: float = 1.0

    @property
    def languages(self) -> frozenset[str]:
        """Where it is offered, empty for all."""
        return FAMILIES[self.name].languages


def edit_of(source: Source, instruction: str, spans: Iterable[Span]) -> Edit | None:
    """``spans`` applied to ``source``; ``None`` if they overlap, change nothing, or do not parse."""
    pieces: list[str] = []
    changed: list[tuple[int, int]] = []
    position = length = 0
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if span.start < position:
            return None
        pieces += [source.text[position : span.start], span.text]
        length += span.start - position
        changed.append((length, length + len(span.text)))
        length += len(span.text)
        position = span.end
    after = "".join([*pieces, source.text[position:]])
    if after == source.text or not after.strip() or not Source(after, source.path).is_valid:
        return None
    return Edit(instruction, source.text, after, tuple(changed))


def cropped(edit: Edit, rng: Random) -> Edit:
    """A few changed lines of ``edit`` and a few around them: what the product shows of a long file."""
    before, after = edit.before.splitlines(keepends=True), edit.after.splitlines(keepends=True)
    opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    hunks = [index for index, opcode in enumerate(opcodes) if opcode[0] != "equal"]
    if not hunks:
        return edit
    first, last = sorted(rng.choices(hunks, k=2))
    above, below = rng.randint(1, _MOST_AROUND), rng.randint(1, _MOST_AROUND)
    _, old, _, new, _ = opcodes[first]
    _, _, old_end, _, new_end = opcodes[last]
    if first > 0:  # the lines before it are equal; a changed line farther up stays outside
        above = min(above, old - opcodes[first - 1][1])
    if last + 1 < len(opcodes):
        below = min(below, opcodes[last + 1][2] - old_end)
    above, below = min(above, old), min(below, len(before) - old_end)
    while above and not before[old - above].strip():  # the product leaves blank ends out, too
        above -= 1
    while below and not before[old_end + below - 1].strip():
        below -= 1
    start = sum(map(len, after[: new - above]))
    text = "".join(after[new - above : new_end + below])
    if not text.strip():
        return edit
    changed = tuple(
        (first - start, last - start)
        for first, last in edit.changed
        if start <= first and last <= start + len(text)
    )
    return Edit(edit.instruction, "".join(before[old - above : old_end + below]), text, changed)


_MOST_AROUND = 6  # lines
