"""The likeliest merge, certain or not: the draft for a model that merges.

If the merge is certain, this is the merge; otherwise the best reading, however unlikely. A wrong guess
costs a round and never a character. Texts in, texts out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from editd.apply.blocks import place_block
from editd.apply.lines import Lines
from editd.apply.outcome import Doubt
from editd.apply.recognise import Paste, Step, recognise
from editd.breathing import breathe
from editd.diff.document import Document
from editd.prompts.language import language_of


@dataclass(frozen=True, slots=True)
class Likely:
    """The likely text after the merge.

    pieces: its text in order, each with its origin, ``buffer`` or ``sketch``. spacing: whether blank
    lines or trailing blanks are part of the change.
    """

    pieces: tuple[tuple[str, str], ...]
    spacing: bool = False


def likely(text: str, sketch: str, path: str = "") -> Likely:
    """The likeliest reading of ``sketch`` in ``text``, which has LF line ends. Never raises."""
    lines = Lines(Document.of(text).model_lines)
    paste = _read(sketch, lines, path)
    breathe()
    changes = _changes(paste, lines, language_of(path))
    return Likely(
        _joined(lines, changes),
        any(_is_spacing(lines.raw[start:end], new) for start, end, new in changes),
    )


def unwrapped(text: str, sketch: str, path: str = "") -> str:
    """The paste as a model is shown it: without fence and prose, with LF line ends."""
    paste = _read(sketch, Lines(Document.of(text).model_lines), path)
    if paste.form != "sketch":
        return Document.of(sketch).model_text
    return "".join(line + "\n" for step in paste.steps for line in step.lines)


_Change = tuple[int, int, tuple[str, ...]]
"""Lines ``start .. end`` of the buffer become these."""


def _read(sketch: str, lines: Lines, path: str) -> Paste:
    known = {line.strip() for line in lines.keys}
    try:
        return recognise(sketch, known, language_of(path), path)
    except Doubt:
        told = Document.of(sketch).model_text.split("\n")
        bare = tuple(line for line in told if not line.lstrip().startswith("```"))
        return Paste("sketch", steps=(Step(bare),))


def _changes(paste: Paste, lines: Lines, language: str) -> list[_Change]:
    from editd.apply.reading import read_block
    from editd.apply.stepwise import read_answer

    try:
        if paste.form == "sketch":
            return [
                (x.start, x.end, x.new)
                for x in read_answer(paste.steps, lines, language, draft=True)[0].changes
            ]
        found: list[_Change] = []
        for block in paste.blocks:
            try:
                found += [(x.start, x.end, x.new) for x in place_block(block, lines)]
            except Doubt:
                if one := read_block(block, lines):
                    found.append((one.start, one.end, one.new))
    except Doubt:
        return []
    found.sort()
    return [] if any(one[1] > two[0] for one, two in pairwise(found)) else found


def _is_spacing(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether some change adds or removes blank lines alone, or changes trailing blanks."""
    matcher = SequenceMatcher(None, old, new, False)
    for tag, first, last, new_first, new_last in matcher.get_opcodes():
        was = [line.rstrip() for line in old[first:last]]
        now = [line.rstrip() for line in new[new_first:new_last]]
        if tag != "equal" and (not any((*was, *now)) or set(was) & set(now) - {""}):
            return True
    return False


def _joined(lines: Lines, changes: Sequence[_Change]) -> tuple[tuple[str, str], ...]:
    pieces: list[tuple[str, str]] = []

    def add(part: Sequence[str], source: str) -> None:
        if part:
            pieces.append(("".join(line + "\n" for line in part), source))

    position = 0
    for start, end, new in changes:
        old = lines.raw[start:end]
        add(lines.raw[position:start], "buffer")
        keys = [[line.rstrip() for line in side] for side in (old, new)]
        matcher = SequenceMatcher(None, keys[0], keys[1], autojunk=False)
        for tag, first, last, new_first, new_last in matcher.get_opcodes():
            same = tag == "equal"
            add(
                old[first:last] if same else new[new_first:new_last], "buffer" if same else "sketch"
            )
        position = end
    add(lines.raw[position:], "buffer")
    return tuple(pieces)
