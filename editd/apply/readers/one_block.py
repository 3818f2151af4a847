"""Reads one code block of an answer (finds the changes that it means), in the file as the blocks before it left it: a table of readers, the first of which wins.

The readers of all code blocks, and the loop over them, are left to ``answer``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from editd.apply.doubts.losses import lost_definition
from editd.apply.doubts.table import (
    CERTAIN,
    CONFIDENT,
    FROM_PROSE,
    SHOWN,
)
from editd.apply.paste.recognise import CodeBlock
from editd.apply.paste.segments import Sketch
from editd.apply.readers.by_old_lines import read_substitutions
from editd.apply.readers.in_file_order import read_in_file_order
from editd.apply.readers.new_code import (
    beside_like,
    insert_at,
    new_block,
    read_versions,
    without_context,
    without_outer_markers,
)
from editd.apply.readers.new_imports import read_imports
from editd.apply.readers.prose_locations import StatedLocation, class_of, stated_location
from editd.apply.reading import NoReadingError, Reading, capped, sentence_of
from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import indent_of, stripped
from editd.diff.matching import is_weak
from editd.syntax.imports import IMPORT_LINE

SketchReading = tuple[Reading, Sketch]
"""A reading, and the sketch with the segment of each change; without segments where lines did not decide."""

_SAYS_CHANGE = re.compile(
    r"^(?!.*\b(?:add|insert|place|put)\b).*\b(?:change|modify|replace|update)\b(?! (?!all|its|the|these|your)\w+ \w+s\b)",
    re.IGNORECASE,
)
SAYS_SIDE = re.compile(r"\b(?:before|after|above|below)\b", re.IGNORECASE)


@dataclass(frozen=True)
class BlockToRead:
    """A code block and the file as the blocks before it left it.

    is_alone: whether it is the only block. known: how it was read in the file's order, if that was done already.
    """

    block: CodeBlock
    lines: FileLines
    is_alone: bool
    known: SketchReading | None

    @cached_property
    def location(self) -> StatedLocation | None:
        """The place at which the prose says that new lines go; ``None`` if it names none (``stated_location``), or its
        nearest line speaks of a change rather than of an addition.
        """
        if any(map(_SAYS_CHANGE.search, self.block.prose[:1])):
            return None
        return stated_location(self.block.prose, self.lines)

    @cached_property
    def by_own_lines(self) -> tuple[Reading | None, NoReadingError]:
        """The reading in the file's order, if its confidence is 0.5 or more and it loses no definition, else ``None``;
        and an error that says why it has none, or why it may not be certain. Computed once.

        Doubts against some changes of an alignment are raised against all, since they lean on one another.
        """
        try:
            reading, sketch = self.known or read_in_file_order(
                [self.block.lines], self.lines, marked=not self.is_alone
            )
        except NoReadingError as error:
            return None, error
        why_not = NoReadingError(sentence_of(reading))
        if reading.confidence < SHOWN or lost_definition(reading.changes, self.lines, sketch):
            return None, why_not
        if sketch.segments:
            doubts = sorted({x for change in reading.changes for x in change.doubts})
            reading = capped(reading, sentence_of(reading), doubts, reading.confidence)
        return reading, why_not

    @cached_property
    def strong(self) -> list[str]:
        """The block's lines with a letter or digit, stripped."""
        return [x.strip() for x in self.block.lines if not is_weak(x)]


@dataclass(frozen=True, slots=True)
class BlockReader:
    """A way to read one code block. takes: what it can read. passes_on: when ``read`` returns ``None``."""

    name: str
    takes: str
    passes_on: str
    read: Callable[[BlockToRead], Reading | None]


def read_block(
    block: CodeBlock, lines: FileLines, *, is_alone: bool, known: SketchReading | None = None
) -> Reading:
    """The reading of one code block by the first of ``BLOCK_READERS`` that has one. Raises ``NoReadingError`` if none
    has, or if the block shows old lines that stand nowhere, or at several locations.

    lines: the file as the blocks before it left it. is_alone: whether the block is all of the paste. known: how it was
    read in the file's order, if it was.
    """
    to_read = BlockToRead(block, lines, is_alone, known)
    for reader in BLOCK_READERS:
        if (reading := reader.read(to_read)) is not None:
            return reading
    raise to_read.by_own_lines[1]


def _old_lines(to_read: BlockToRead) -> Reading | None:
    """The reading in which the block's old lines are replaced by its new ones; ``None`` if the block shows no old
    lines. As confident as its least confident change. Raises ``NoReadingError`` if neither they nor similar ones stand
    in the file, if they stand at several locations, or if two of the changes overlap.
    """
    if not to_read.block.substitutions:
        return None
    changes = tuple(read_substitutions(to_read.block.substitutions, to_read.lines))
    return Reading(changes, min((change.confidence for change in changes), default=CERTAIN))


def _imports(to_read: BlockToRead) -> Reading | None:
    """New imports beside the import that prose names, else among the file's; ``None`` if ``read_imports`` reads none.
    With the doubt ``stated`` if the prose has a word such as “above” or “after” and names no import as the place.
    """
    block, lines, location = to_read.block, to_read.lines, to_read.location
    imports = read_imports(block.lines, lines, " ".join(block.prose[:1]))
    if imports is None:
        return None
    if location is not None and location.is_named:
        named = lines.keys[location.at - (not location.before) :][:1]
        if any(map(IMPORT_LINE.match, named)):
            return insert_at(block.lines, location, lines, is_whole=False)
    says_side = any(map(SAYS_SIDE.search, block.prose))
    return capped(imports, FROM_PROSE, ("stated",)) if says_side else imports


def _new_code(to_read: BlockToRead) -> Reading | None:
    """Blocks that the file has not, at the place that prose states, else below the last of their kind; then with the
    doubt ``hinted`` if there is any prose, or a marker around them.

    ``None`` if the lines are not only definitions and other whole blocks that the file has not (``new_block``); or if
    prose states no place, the file has no block of their kind, and they are no definition.
    """
    block, lines, location = to_read.block, to_read.lines, to_read.location
    shown = without_outer_markers(block.lines, lines)
    new = new_block(shown, lines, class_of(block.prose, lines))
    if new is None:
        return None
    if location is not None:
        if new.given and any(indent_of(lines.keys[x.head]) == new.given for x in lines.blocks):
            location = replace(location, depth=new.given)  # as deep as the paste shows it
        return insert_at(shown, location, lines, is_whole=True)
    reading = beside_like(new, lines, block.prose)
    if reading is not None and (block.prose or shown != stripped(block.lines)):
        # prose may state a location in other words, and a marker that it is in the middle
        return capped(reading, sentence_of(reading), ("hinted",), reading.confidence)
    return reading


def _stated(to_read: BlockToRead) -> Reading | None:
    """The block's lines at the place that prose states; ``None`` if it states none, or the file has one of the lines
    with a letter or digit.
    """
    is_known = any(x in to_read.lines.where_bare for x in to_read.strong)
    if to_read.location is None or is_known:
        return None
    return insert_at(to_read.block.lines, to_read.location, to_read.lines, is_whole=False)


def _own_lines(to_read: BlockToRead) -> Reading | None:
    """The reading in the file's order; ``None`` if it is less than confident, or cannot be shown."""
    reading, _ = to_read.by_own_lines
    return reading if reading is not None and reading.confidence >= CONFIDENT else None


def _versions(to_read: BlockToRead) -> Reading | None:
    """New versions of up to three lines of the file; ``None`` if ``read_versions`` reads none."""
    lines = to_read.lines
    return read_versions(to_read.block.lines, lines, (0, len(lines)))


def _own_lines_doubtful(to_read: BlockToRead) -> Reading | None:
    """The reading in the file's order; ``None`` if it cannot be shown."""
    return to_read.by_own_lines[0]


def _stated_with_context(to_read: BlockToRead) -> Reading | None:
    """The block's lines at the place that prose states, without the file's lines that they show beside it.

    ``None`` if prose states no place, or the file has half or more of the other lines with a letter or digit, of which
    there has to be one.
    """
    block, lines, location = to_read.block, to_read.lines, to_read.location
    if location is None:
        return None
    new = without_context(block.lines, location.at, lines)
    strong = [x.strip() for x in new if not is_weak(x)]
    if 2 * sum(x in lines.where_bare for x in strong) >= len(strong):
        return None
    return insert_at(block.lines, location, lines, is_whole=False)


BLOCK_READERS = (
    BlockReader(
        "old lines",
        "a diff without headers, or “replace this” and “with this”",
        "the block shows no old lines",
        _old_lines,
    ),
    BlockReader(
        "imports",
        "import lines alone",
        "a line is no import, or the file has all of them",
        _imports,
    ),
    BlockReader(
        "new code",
        "whole definitions and blocks that the file has not",
        "the file has one of them, or nothing of their kind",
        _new_code,
    ),
    BlockReader(
        "stated location",
        "lines that the file has not",
        "prose states no location, or the file has one of the lines",
        _stated,
    ),
    BlockReader(
        "own lines",
        "any lines: by alignment, by names of definitions, or both",
        "the reading is less than confident",
        _own_lines,
    ),
    BlockReader(
        "versions",
        "up to three lines, each a version of one line of the file",
        "the file has one of the lines, or no single line is like it",
        _versions,
    ),
    BlockReader(
        "own lines, doubtful",
        "any lines",
        "the reading is less likely than all others, or loses a definition",
        _own_lines_doubtful,
    ),
    BlockReader(
        "stated location, with context",
        "new lines beside the file's",
        "prose states no location, or half of the lines are the file's",
        _stated_with_context,
    ),
)
