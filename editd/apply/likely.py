"""The likeliest merge, certain or not: the draft for a model that merges.

If the merge is certain, this is the merge; otherwise the best reading, however unlikely. A wrong guess
costs a round and never a character. Texts in, texts out.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from editd.apply.blocks import read_block
from editd.apply.lines import Lines
from editd.apply.outcome import Change, Doubt, differences
from editd.apply.recognise import Paste, Step, recognise
from editd.breathing import breathe
from editd.diff.document import Document
from editd.prompts.language import language_of


@dataclass(frozen=True, slots=True)
class Likely:
    """The likely text after the merge.

    pieces: its text in order, each with its origin, ``buffer`` or ``sketch``. spacing: whether some
    change may be about blank lines.
    """

    pieces: tuple[tuple[str, str], ...]
    spacing: bool = False


def likely(text: str, sketch: str, path: str = "") -> Likely:
    """The likeliest reading of ``sketch`` in ``text``, which has LF line ends. Never raises."""
    lines = Lines(Document.of(text).model_lines, language_of(path))
    paste = _read(sketch, lines, path)
    breathe()
    pieces: list[tuple[Sequence[str], str]] = []
    position = 0
    found = _changes(paste, lines)
    spacing = any("blank" in one.doubts for one in found)
    for one in (part for whole in found for part in differences(whole, lines.keys)):
        pieces += [(lines.raw[position : one.start], "buffer"), (one.new, "sketch")]
        spacing |= not any((*lines.keys[one.start : one.end], *one.new))
        position = one.end
    pieces.append((lines.raw[position:], "buffer"))
    told = (("".join(f"{line}\n" for line in own), source) for own, source in pieces)
    return Likely(tuple(one for one in told if one[0]), spacing)


def unwrapped(text: str, sketch: str, path: str = "") -> str:
    """The paste as a model is shown it: without fence and prose, with LF line ends."""
    paste = _read(sketch, Lines(Document.of(text).model_lines), path)
    if paste.form != "sketch":
        return Document.of(sketch).model_text
    return "".join(line + "\n" for step in paste.steps for line in step.lines)


def _read(sketch: str, lines: Lines, path: str) -> Paste:
    known = {line.strip() for line in lines.keys}
    try:
        return recognise(sketch, known, language_of(path), path)
    except Doubt:
        told = Document.of(sketch).model_text.split("\n")
        bare = tuple(line for line in told if not line.lstrip().startswith("```"))
        return Paste("sketch", steps=(Step(bare),))


def _changes(paste: Paste, lines: Lines) -> list[Change]:
    from editd.apply.stepwise import read_answer

    found: list[Change] = []
    if paste.form == "sketch":
        with suppress(Doubt):
            found += read_answer(paste.steps, lines)[0].changes
    for block in paste.blocks:
        with suppress(Doubt):
            found += read_block(block, lines)
    found.sort(key=lambda one: (one.start, one.end))
    return [] if any(one.end > two.start for one, two in pairwise(found)) else found
