"""The best guess at a paste's text, for a model that merges: it drafts from it, so a wrong guess costs a round and never a character."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from editd.apply.merging import _recognised
from editd.apply.paste.recognise import CodeBlock, Paste
from editd.apply.paste.substitutions import between_signs
from editd.apply.readers.by_old_lines import read_substitution
from editd.apply.reading import LineChange, NoReadingError, differences
from editd.apply.text.file_lines import FileLines
from editd.breathing import breathe
from editd.diff.document import Document
from editd.syntax.language import language_of


@dataclass(frozen=True, slots=True)
class BestGuess:
    """The likely text after the merge.

    segments: its text in order, each with its origin, ``buffer`` or ``sketch``. spacing: whether some
    change may be about blank lines.
    """

    segments: tuple[tuple[str, str], ...]
    spacing: bool = False


def best_guess(text: str, sketch: str, path: str = "") -> BestGuess:
    """The likeliest reading of ``sketch`` in ``text``, which has LF line ends. Never raises."""
    lines = FileLines(Document.of(text).model_lines, language_of(path))
    paste = _read(sketch, lines, path)
    breathe()
    segments: list[tuple[Sequence[str], str]] = []
    position = 0
    found = _changes(paste, lines)
    spacing = any("blank" in one.doubts for one in found)
    for one in (part for whole in found for part in differences(whole, lines.keys)):
        segments += [(lines.raw[position : one.start], "buffer"), (one.new, "sketch")]
        spacing |= not any((*lines.keys[one.start : one.end], *one.new))
        position = one.end
    segments.append((lines.raw[position:], "buffer"))
    told = (("".join(f"{line}\n" for line in own), source) for own, source in segments)
    return BestGuess(tuple(one for one in told if one[0]), spacing)


def paste_for_model(text: str, sketch: str, path: str = "") -> str:
    """The paste as a model is shown it: without fence, prose and parts for other files, with LF line ends."""
    paste = _read(sketch, FileLines(Document.of(text).model_lines), path)
    if paste.form != "sketch" and paste.others:
        return "\n".join(map(between_signs, paste.substitutions))
    if paste.form != "sketch":
        return Document.of(sketch).model_text
    return "".join(line + "\n" for block in paste.code_blocks for line in block.lines)


def _read(sketch: str, lines: FileLines, path: str) -> Paste:
    try:
        return _recognised(sketch, lines, path)
    except NoReadingError:
        told = Document.of(sketch).model_text.split("\n")
        bare = tuple(line for line in told if not line.lstrip().startswith("```"))
        return Paste("sketch", code_blocks=(CodeBlock(bare),))


def _changes(paste: Paste, lines: FileLines) -> list[LineChange]:
    from editd.apply.readers.answer import read_answer

    found: list[LineChange] = []
    if paste.form == "sketch":
        with suppress(NoReadingError):
            found += read_answer(paste.code_blocks, lines)[0].changes
    for block in paste.substitutions:
        with suppress(NoReadingError):
            found += read_substitution(block, lines)
    found.sort(key=lambda one: (one.start, one.end))
    return [] if any(one.end > two.start for one, two in pairwise(found)) else found
