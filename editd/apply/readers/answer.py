"""Reads an answer's code blocks by several readers, in the order of a table; a reading is the changes of the file that pasted lines mean, with confidences.

A later reader of ``READERS`` is taken only where it is better than the best so far. How a single block is read, when the blocks
are read one after the other, is left to ``one_block``. Diffs and search/replace blocks come before all of them
(``paste.recognise``), since they name their old lines (``by_old_lines``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from editd.apply.doubts.losses import displaces_definition, lost_definition
from editd.apply.doubts.table import (
    CERTAIN,
    CONFIDENT,
    MAY_BELONG_ELSEWHERE,
    SHOWN,
    sentence_for,
)
from editd.apply.paste.recognise import CodeBlock
from editd.apply.paste.segments import Sketch
from editd.apply.readers.by_keys import (
    KeyReading,
    cap_losses,
    is_to_go,
    members_lost_by,
    read_by_keys,
)
from editd.apply.readers.in_file_order import TOO_LONG, read_in_file_order
from editd.apply.readers.new_code import (
    new_block,
    without_outer_markers,
)
from editd.apply.readers.one_block import SAYS_SIDE, SketchReading, read_block
from editd.apply.readers.placeholders import Placeholders
from editd.apply.readers.prose_locations import class_of, stated_location
from editd.apply.reading import ChangedLines, NoReadingError, Reading, capped, differences
from editd.apply.text.edited_lines import EditedLines
from editd.apply.text.file_lines import FileLines
from editd.apply.text.indent import with_mended_indent
from editd.apply.text.new_names import new_names, with_new_names
from editd.diff.matching import is_weak
from editd.syntax.containers import Member

_MOST_LINES = 5_000  # of an answer
_MOST_WORK = 40_000  # code blocks times lines of the file: each block reads them anew
_RENAMED = 0.7  # least share of lines that a definition of another name has, if it is renamed
# Lines of prose that may name a container; that may speak of a whole file.
_FEW_ABOVE, _FEW_NEAR = 3, 2
_MOST_SHOWN = 0.8  # share of the file's lines in a code block that shows all of it
_SAYS_WHOLE = re.compile(
    r"\b(?:full|whole|entire|complete|final)\b(?:[ -]\w+){0,3}? "
    r"(?:file|config\w*|content\w*|document|manifest|version)\b",
    re.IGNORECASE,
)


def read_answer(code_blocks: Sequence[CodeBlock], lines: FileLines) -> SketchReading:
    """The likeliest reading of an answer, certain or not, and the sketch with the segment (lines between two markers)
    of each change; without segments if the reading is not one by alignment.

    Lost indentation of code blocks is mended first. Comments that may stand for code are read as comments and as
    markers (``placeholders``). No change that takes a member of a container away is certain, and none at all where a
    code block may be for another file. Raises ``NoReadingError`` if the answer has no reading or is too long.
    """
    code_blocks = [
        replace(block, lines=with_mended_indent(block.lines, lines)) for block in code_blocks
    ]
    comments = Placeholders(code_blocks, lines)
    if comments.lone:
        reading, sketch = _with_placeholders(code_blocks, lines, comments)
    else:
        reading, sketch = _best_reading(code_blocks, lines)
    other_file = next((block.doubt for block in code_blocks if block.doubt), "")
    return (capped(reading, other_file) if other_file else reading), sketch


def _with_placeholders(
    code_blocks: Sequence[CodeBlock], lines: FileLines, comments: Placeholders
) -> SketchReading:
    """The reading with lone comments as markers where that is likely, else with all of them as comments.

    The reading as markers needs a confidence of 0.5 and a change. If it is doubtful which comments are markers, that
    doubt caps the confidence, and the other of the two readings, if there is one, is its ``other``. Fills ``comments``
    by ``weigh``. Raises ``NoReadingError`` if there is neither reading.
    """
    # 1) as comments
    as_shown: SketchReading | None = None
    error: NoReadingError | None = None
    try:
        as_shown = _best_reading(code_blocks, lines)
    except NoReadingError as found:
        error = found
    comments.weigh(as_shown[0].changes if as_shown is not None else ())
    # 2) those that stand for code as markers
    marked: SketchReading | None = None
    if comments.taken:
        with suppress(NoReadingError):
            marked = _best_reading(comments.as_markers(), lines)
    if marked is not None and marked[0].confidence >= SHOWN and marked[0].changes:
        if not comments.doubt:
            return marked
        other = as_shown[0].changes if as_shown is not None else ()
        return replace(capped(marked[0], comments.doubt), other=other), marked[1]
    if as_shown is None:
        raise error or NoReadingError(TOO_LONG)
    if not comments.warning:
        return as_shown
    with suppress(NoReadingError):
        marked = _best_reading(comments.as_markers(doubtful=True), lines)
    reading = capped(as_shown[0], comments.warning)
    return (reading if marked is None else replace(reading, other=marked[0].changes)), as_shown[1]


def _best_reading(code_blocks: Sequence[CodeBlock], lines: FileLines) -> SketchReading:
    """The reading of ``READERS``, run in their order: each gets the best so far, and may return a better one; an error
    counts as none. Changes of it that take members of a container away are capped.

    Raises the first ``NoReadingError`` if no reader has a reading.
    """
    best: SketchReading | None = None
    error: NoReadingError | None = None
    for reader in READERS:
        try:
            best = reader.read(code_blocks, lines, best) or best
        except NoReadingError as found:
            error = error or found
    if best is None:
        raise error or NoReadingError(TOO_LONG)
    return cap_losses(best[0], lines), best[1]


# --- all code blocks: the best reading wins ---


@dataclass(frozen=True, slots=True)
class AllBlocksReader:
    """A way to read all code blocks. takes: what it can read. passes_on: when the best reading so far stays.

    read: gets the code blocks, the file and the best reading so far; returns a better one, ``None`` where it passes on, or
    raises ``NoReadingError``.
    """

    name: str
    takes: str
    passes_on: str
    read: Callable[[Sequence[CodeBlock], FileLines, SketchReading | None], SketchReading | None]


def _in_file_order(
    code_blocks: Sequence[CodeBlock], lines: FileLines, _best: SketchReading | None
) -> SketchReading | None:
    """The reading by alignment and by names; ``None`` if a code block shows its old lines. Raises ``NoReadingError``
    for more than 5,000 lines (first of all), if no line is in the file and no name places them, for markers alone, and
    if alignment would take too long and no name helps.
    """
    _refuse_long(code_blocks)
    if any(block.substitutions for block in code_blocks):
        return None
    return read_in_file_order([block.lines for block in code_blocks], lines)


def _in_turn(
    code_blocks: Sequence[CodeBlock], lines: FileLines, best: SketchReading | None
) -> SketchReading | None:
    """The reading of one code block after the other; ``None`` if ``best`` is certain, or preferred.

    The more confident one of both is preferred; a ``best`` that loses a definition has no confidence. Of two equally
    confident ones this reading is preferred if there are several blocks, or if prose names a side of a line and a
    change of ``best`` is less than ``CONFIDENT``. For new code this reading is preferred however confident ``best`` is,
    unless that is certain. Raises ``NoReadingError`` for more than 5,000 lines, even if ``best`` is certain; and if
    ``best`` is not, for a block without a reading, and for several blocks of which the number times the file's lines is
    more than 40,000.
    """
    _refuse_long(code_blocks)
    if best is not None and best[0].confidence >= CERTAIN:
        return None
    confidence = 0.0
    if best is not None and not lost_definition(best[0].changes, lines, best[1]):
        confidence = best[0].confidence
    reading = _one_by_one(code_blocks, lines, best if len(code_blocks) == 1 else None)
    is_doubtful = best is None or min(x.confidence for x in best[0].changes) < CONFIDENT
    says_side = any(map(SAYS_SIDE.search, code_blocks[0].prose))
    is_preferred = len(code_blocks) > 1 or (is_doubtful and says_side)
    if (
        reading.confidence > confidence
        or (reading.confidence == confidence and is_preferred)
        or _has_new(code_blocks, lines)
    ):
        return reading, Sketch((), tuple(block.lines for block in code_blocks))
    return None


def _by_keys(
    code_blocks: Sequence[CodeBlock], lines: FileLines, best: SketchReading | None
) -> SketchReading | None:
    """The reading by the keys of containers; ``None`` if ``best`` stays: it is certain and loses no member, it is
    likelier, or no reading by keys exists.

    Also returned is ``best`` itself with the reading by keys as its ``other``. A ``best`` of less than 0.5 counts as
    none. Raises ``NoReadingError`` if one of several code blocks has no reading in what those before it left.
    """
    literal = best[0] if best is not None and best[0].confidence >= SHOWN else None
    if (
        literal is not None
        and literal.confidence >= CERTAIN
        and not members_lost_by(literal.changes, lines)
    ):
        return None
    reading = _blocks_by_keys(code_blocks, lines, literal)
    if reading is None or reading is literal:
        return None
    is_same = literal is not None and reading.changes is literal.changes
    if is_same and best is not None:
        return reading, best[1]
    return reading, Sketch((), tuple(block.lines for block in code_blocks))


def _under_new_names(
    code_blocks: Sequence[CodeBlock], lines: FileLines, best: SketchReading | None
) -> SketchReading | None:
    """The reading of an answer that shows definitions of the file under other names, with a doubt that says so;
    ``None`` if it shows none, or ``best`` is certain and displaces no definition.

    The answer is read in the file with the new names, and each line of it in which that is another one is a change, too.
    Raises ``NoReadingError`` if that file has no reading.
    """
    _refuse_long(code_blocks)
    if best is not None and best[0].confidence >= CERTAIN:
        edits = [part for change in best[0].changes for part in differences(change, lines.keys)]
        if not displaces_definition(best[0].changes, edits, lines, best[1]):
            return None
    names = new_names([block.lines for block in code_blocks], lines)
    if not names:
        return None
    renamed = with_new_names(lines, names)
    reading, _ = _best_reading(code_blocks, renamed)
    old, new = next(iter(names.items()))
    # What changes nothing in the file with the new names is left out, with its doubts: the names are what it changes.
    read = [change for change in reading.changes if any(differences(change, renamed.keys))]
    covered = {number for change in read for number in range(change.start, change.end)}
    changes = [
        *(part for change in read for part in differences(change, lines.keys)),
        *(
            ChangedLines(number, number + 1, (renamed.raw[number],))
            for number, row in enumerate(lines.raw)
            if row != renamed.raw[number] and number not in covered
        ),
    ]
    changes.sort(key=lambda change: (change.start, change.end))
    doubted = tuple(change.doubted("renamed", new, old) for change in changes)
    confidence = min(change.confidence for change in doubted)
    return Reading(doubted, min(confidence, reading.confidence) if read else confidence), Sketch(
        (), tuple(block.lines for block in code_blocks)
    )


READERS = (
    AllBlocksReader(
        "in file order",
        "any code blocks in the file's order: by alignment, by names of definitions, or both",
        "a code block shows its old lines",
        _in_file_order,
    ),
    AllBlocksReader(
        "in turn",
        "code blocks in any order, each in the text that those before it left (BLOCK_READERS)",
        "the best reading is certain, or at least as confident and nothing is new code",
        _in_turn,
    ),
    AllBlocksReader(
        "by keys",
        "members of a mapping, class, enum, rule, element or import group",
        "the best reading is certain and loses no member, or shows most of the container",
        _by_keys,
    ),
    AllBlocksReader(
        "under new names",
        "definitions of the file under other names",
        "the best reading is certain and displaces no definition, or none has another name",
        _under_new_names,
    ),
)


def _refuse_long(code_blocks: Sequence[CodeBlock]) -> None:
    """Raise ``NoReadingError`` for more than 5,000 lines."""
    if sum(len(block.lines) for block in code_blocks) > _MOST_LINES:
        raise NoReadingError(TOO_LONG)


def _has_new(code_blocks: Sequence[CodeBlock], lines: FileLines) -> bool:
    """Whether some code block is new code whose location prose states, or new definitions of whose lines the file has
    less than 70 %. That the file has some of its lines in another definition does not make it a version of that one.
    """
    for block in code_blocks:
        is_stated = stated_location(block.prose, lines) is not None
        shown = without_outer_markers(block.lines, lines) if is_stated else block.lines
        strong = [x for x in shown if not is_weak(x)]
        is_few = sum(x.strip() in lines.where_bare for x in strong) < _RENAMED * len(strong)
        new = new_block(shown, lines, class_of(block.prose, lines))
        if new is not None and (is_stated or (new.is_defined and is_few)):
            return True
    return False


def _one_by_one(
    code_blocks: Sequence[CodeBlock], lines: FileLines, known: SketchReading | None
) -> Reading:
    """The reading of the code blocks, each in the text that those before it left, as one reading of the file.

    known: how the only block was read in the file's order, if it was. A last block, not the only one, that has no
    reading and none of whose lines is in the file, is left out, and all changes get the doubt ``left``. Raises
    ``NoReadingError`` if another block has no reading, and if several blocks times the file's lines are more than
    40,000.
    """
    if len(code_blocks) > 1 and len(code_blocks) * len(lines) > _MOST_WORK:
        raise NoReadingError(
            "The paste has too many code blocks for so long a file; apply it in parts."
        )
    edited = EditedLines(lines)
    left_out = ""
    for number, block in enumerate(code_blocks):
        is_alone = len(code_blocks) == 1
        try:
            edited.take(read_block(block, edited.lines, is_alone=is_alone, known=known))
        except NoReadingError:
            strong = [x.strip() for x in block.lines if not is_weak(x)]
            is_last = number and number + 1 == len(code_blocks)
            if not is_last or not strong or any(x in lines.where_bare for x in strong):
                raise
            left_out = sentence_for("left", strong[0][:60])
    return capped(edited.changes(), left_out, ("left",)) if left_out else edited.changes()


# --- by keys, or as the lines are shown ---


def _blocks_by_keys(
    code_blocks: Sequence[CodeBlock], lines: FileLines, literal: Reading | None
) -> Reading | None:
    """The reading by keys, or ``literal`` itself where that is likelier; ``None`` if a single block has neither.

    literal: the reading of the lines as they are shown. Several blocks are read one after the other, each by keys where
    its own lines have no reading or lose members; but ``literal`` is returned if it loses no member. Without a
    ``literal`` the result of several blocks is a best guess at most. Raises ``NoReadingError`` if one of several blocks
    has no reading.
    """
    if len(code_blocks) == 1:
        return _block_by_keys(code_blocks[0], lines, literal)
    if literal is not None and not members_lost_by(literal.changes, lines):
        return literal
    edited = EditedLines(lines)
    for block in code_blocks:
        reading: Reading | None = None
        error: NoReadingError | None = None
        try:
            reading = read_block(block, edited.lines, is_alone=False)
        except NoReadingError as found:
            error = found
        if reading is None or members_lost_by(reading.changes, edited.lines):
            reading = _block_by_keys(block, edited.lines, reading)
        if reading is None:
            raise error or NoReadingError(TOO_LONG)
        edited.take(reading)
    whole = edited.changes()
    return whole if literal is not None else capped(whole, MAY_BELONG_ELSEWHERE)


def _block_by_keys(block: CodeBlock, lines: FileLines, literal: Reading | None) -> Reading | None:
    """The reading of a code block by keys, with ``literal`` as ``other``, where keys are likelier; else ``literal``,
    with the reading by keys as ``other`` if ``literal`` takes members away. The only reading if there is but one;
    ``None`` if there is none.

    literal: the reading of the lines as they are shown. Keys are likelier if ``literal`` takes members away that the
    prose does not remove, and the reading by keys keeps one of these; or, where all shown members fit and the reading
    by keys takes none away, if ``literal`` takes away members that the prose does not remove, or takes none away and is
    not confident or only adds lines. Never for a block that shows the whole file.
    """
    prose = block.prose[:_FEW_ABOVE]
    losses: list[Member] = []
    is_doubtful = False
    if literal is not None:
        losses = members_lost_by(literal.changes, lines)
        only_adds = all(change.start == change.end for change in literal.changes)
        is_doubtful = only_adds or min(x.confidence for x in literal.changes) < CONFIDENT
        if not losses and not is_doubtful:
            return literal
    keyed = read_by_keys(block.lines, lines, prose, by_share=True)
    if keyed is None or literal is None:
        return literal if keyed is None else _without_literal(keyed)
    unmentioned = [member for member in losses if not is_to_go(member, block.prose)]
    keeps = any(member.start in keyed.staying for member in unmentioned)
    fits = keyed.fits and (bool(unmentioned) or (is_doubtful and not losses))
    if not _is_whole(block, lines) and (
        keeps or (fits and not members_lost_by(keyed.changes, lines))
    ):
        return Reading(keyed.changes, keyed.confidence, literal.changes)
    other = read_by_keys(block.lines, lines, prose, by_share=False) if losses else None
    return literal if other is None else replace(literal, other=other.changes)


def _without_literal(keyed: KeyReading) -> Reading:
    """The reading by keys where there is no other one: a best guess at most if what is new in it may belong elsewhere."""
    reading = Reading(keyed.changes, keyed.confidence)
    return reading if keyed.fits else capped(reading, MAY_BELONG_ELSEWHERE)


def _is_whole(block: CodeBlock, lines: FileLines) -> bool:
    """Whether a code block shows all of the file: one of the two nearest lines of prose says so, or it has 80 % of the
    file's lines with a letter or digit, of which there are some.
    """
    if any(map(_SAYS_WHOLE.search, block.prose[:_FEW_NEAR])):
        return True
    shown = {line.strip() for line in block.lines}
    strong = [line.strip() for line in lines.keys if not is_weak(line)]
    return sum(line in shown for line in strong) >= _MOST_SHOWN * len(strong) > 0
