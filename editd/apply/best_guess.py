"""The best guess at a paste's text, for a model that merges: it drafts from it, so a wrong guess costs a round and never a character.

Unlike ``merging`` it never refuses: where the paste has no reading it stays out.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from editd.apply.merging import read_paste
from editd.apply.paste.recognise import CodeBlock, Paste
from editd.apply.paste.substitutions import between_signs
from editd.apply.readers.by_old_lines import read_substitution
from editd.apply.reading import ChangedLines, NoReadingError, differences
from editd.apply.text.file_lines import FileLines
from editd.diff.document import Document
from editd.syntax.language import language_of
from editd.turns import yield_point


@dataclass(frozen=True, slots=True)
class MergeGuess:
    """The likeliest text after the merge.

    segments: its text in order, each with its origin, ``buffer`` or ``sketch``. spacing: whether some change may be
    about blank lines.
    """

    segments: tuple[tuple[str, str], ...]
    spacing: bool = False


def best_guess(text: str, sketch: str, path: str = "") -> MergeGuess:
    """The likeliest merged text, as segments of ``(text, "buffer" or "sketch")`` in order, none of them empty: every
    change of the paste that has a location is in it, however doubtful. The old text if two changes overlap or none has
    a location. Never raises.

    text: with LF line ends. path: gives the language. Each line of the result ends in LF, the last one too. Lines of a
    change that the file has already count as the buffer's. ``spacing`` is true if a change is doubted for its blank
    lines, or blank lines are all that differs somewhere. Calls ``yield_point`` once (pauses for other work of the
    process).
    """
    lines = FileLines(Document.of(text).model_lines, language_of(path))
    paste = _read_or_raw(sketch, lines, path)
    yield_point()
    segments: list[tuple[Sequence[str], str]] = []
    position = 0
    changes = _changes(paste, lines)
    spacing = any("blank" in change.doubts for change in changes)
    for change in (part for placed in changes for part in differences(placed, lines.keys)):
        segments += [(lines.raw[position : change.start], "buffer"), (change.new, "sketch")]
        spacing |= not any((*lines.keys[change.start : change.end], *change.new))
        position = change.end
    segments.append((lines.raw[position:], "buffer"))
    texts = (("".join(f"{line}\n" for line in own), source) for own, source in segments)
    return MergeGuess(tuple(change for change in texts if change[0]), spacing)


def paste_for_model(text: str, sketch: str, path: str = "") -> str:
    """The paste as a model is shown it, with LF line ends. Never raises.

    Of a sketch, the lines of the code blocks for this file, one block after the other, without fences and prose; of a
    paste that cannot be read, all its lines but those that begin with a Markdown fence. A diff or search/replace blocks
    stay whole as pasted, prose included, unless other parts are for other files: then only the blocks for this file, as
    search/replace blocks in aider's form. text: the file's. path: chooses among the files of an answer.
    """
    paste = _read_or_raw(sketch, FileLines(Document.of(text).model_lines), path)
    if paste.form != "sketch" and paste.others:
        return "\n".join(map(between_signs, paste.substitutions))
    if paste.form != "sketch":
        return Document.of(sketch).model_text
    return "".join(line + "\n" for block in paste.code_blocks for line in block.lines)


def _read_or_raw(sketch: str, lines: FileLines, path: str) -> Paste:
    """The paste with its form, code blocks and options read (``merging.read_paste``); if that raises
    ``NoReadingError``, a sketch of one code block with all lines but those that begin with a Markdown fence. Never
    raises. path: the file's name, which chooses among the files of an answer.
    """
    try:
        return read_paste(sketch, lines, path)
    except NoReadingError:
        rows = Document.of(sketch).model_text.split("\n")
        bare = tuple(line for line in rows if not line.lstrip().startswith("```"))
        return Paste("sketch", code_blocks=(CodeBlock(bare),))


def _changes(paste: Paste, lines: FileLines) -> list[ChangedLines]:
    """The changes of the paste's best reading, or of each block of old lines that has a location, sorted by location;
    empty if two overlap.

    Blocks, and sketches, without a reading are left out silently.
    """
    from editd.apply.readers.answer import read_answer

    found: list[ChangedLines] = []
    if paste.form == "sketch":
        with suppress(NoReadingError):
            found += read_answer(paste.code_blocks, lines)[0].changes
    for block in paste.substitutions:
        with suppress(NoReadingError):
            found += read_substitution(block, lines)
    found.sort(key=lambda above: (above.start, above.end))
    return [] if any(above.end > below.start for above, below in pairwise(found)) else found
