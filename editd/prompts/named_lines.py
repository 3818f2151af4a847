"""The lines of a buffer that an instruction names, when the buffer is too large to rewrite whole.

Renamed things wherever they are mentioned, functions by name, the imports, or every part in turn for an edit that
each part can have alone. Knows lines and words; the caller decides what fits.
"""

from __future__ import annotations

import itertools
import re
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from editd.intent import Parsed
from editd.syntax.definition import Definition
from editd.syntax.imports import HEAD_LINE
from editd.syntax.outline import outline, tiles
from editd.turns import yield_point

Fits = Callable[[int, int], bool]

_NEAR = 64  # parts with no more lines than this between them are rewritten as one
_MOST_PARTS = 16  # of an edit of everything; a rename may have any number
_MOST_NAMES = 200  # an instruction that names more does not say where
_READ = 10_000  # characters of an instruction in which places are looked for
_LINES_A_PIECE = 2000
_TILES_A_PIECE = 200
_CUTS = 1000  # lines among which the best to cut at is looked for
_LONGEST_IMPORT = 1000  # characters of a line that are looked at
_LONGEST_DOCSTRING = 200  # lines

_DOCSTRING = re.compile(r"\s*[rR]?(\"\"\"|''')")


@dataclass(frozen=True, slots=True)
class NamedLines:
    """Lines ``start .. end`` (0-based, end exclusive). name: of the definition that they are; empty for others."""

    start: int
    end: int
    name: str = ""


def find_named_lines(
    lines: Sequence[str], parsed: Parsed, language: str, fits: Fits
) -> tuple[NamedLines, ...]:
    """The parts that the instruction names, in order, without overlaps; empty if it names nothing in ``lines``.
    Lets other work run meanwhile.

    Mentions of a renamed text (only in the functions named as places, if any), named definitions and imports; else
    definitions by bare words, else mentions of names, else, for an edit of everything, all lines if these are at
    most 16 parts. Of names and words the first 200 count. fits: whether lines ``start .. end`` can be rewritten in
    one go. Parts found by mention fit; a definition named by the instruction comes whole, whether it fits or not,
    unless the edit is of everything.
    """
    parts = Parts.of(lines, language, fits)
    definitions = parts.definitions
    pairs = parsed.renames
    renamed = {text for pair in pairs for text in pair}
    names = [name for name in parsed.names if name not in renamed][:_MOST_NAMES]
    words = parsed.bare_words[:_MOST_NAMES]

    mentions = parts.lines_with([old for old, _ in pairs])
    places = [name for name in (*names, *words) if _is_place(name, parsed.text)]
    confined = definitions_named(definitions, places)
    yield_point()
    if mentions and confined:
        mentions = _inside(mentions, confined)
    everywhere = parsed.is_everywhere and not pairs
    yield_point()
    found = parts.tiles_around(mentions)
    if not (mentions and confined):
        found += parts.whole_definitions(definitions_named(definitions, names), cut=everywhere)
    if parsed.is_about_imports:
        found += parts.imports()
    if not found and not parsed.has_quantifier:
        found = parts.whole_definitions(definitions_named(definitions, words))
    if not found:
        found = parts.tiles_around(parts.lines_with(names))
    if not found and everywhere:
        everything = parts.tiles_around(range(len(lines)), most=_MOST_PARTS)
        found = everything if len(everything) <= _MOST_PARTS else []
    return without_overlaps(found)


def definitions_named(definitions: Iterable[Definition], names: Iterable[str]) -> list[Definition]:
    """The definitions with these names, in order; a qualified name (``.``, ``::``, ``#`` or ``->``) must agree with
    the owner. Of names that end alike the last counts.

    Left out are a class that is named only as the place of a named method (a definition right after it lies in it),
    a constructor in its class of the same name, and a namesake of a definition that lies in another named one. definitions: in the order of their lines.
    """
    owner_paths = {re.split(r"\.|::|#|->", name)[-1]: name for name in names}
    chosen = [
        d for d in definitions if d.name in owner_paths and _owner_agrees(d, owner_paths[d.name])
    ]
    # A constructor is in the class whose name it has.
    ends = {definition.name: definition.end for definition in reversed(chosen)}
    chosen = [definition for definition in chosen if definition.end >= ends[definition.name]]
    # They are in order, outer before inner: what ends last so far holds whatever ends before that.
    inside: list[bool] = []
    reached = -1
    for definition in chosen:
        inside.append(definition.end <= reached)
        reached = max(reached, definition.end)
    holds = [  # whether the next one is in it: nothing between the two could
        after.end <= definition.end for definition, after in pairwise(chosen)
    ] + [False] * bool(chosen)
    names_inside = {
        definition.name for definition, within in zip(chosen, inside, strict=True) if within
    }
    return [
        definition
        for definition, within, outer in zip(chosen, inside, holds, strict=True)
        if within or (not outer and definition.name not in names_inside)
    ]


def _inside(numbers: Iterable[int], definitions: Iterable[Definition]) -> list[int]:
    """The line numbers that are in one of the definitions, which must be in order of their first
    lines.
    """
    spans: list[tuple[int, int]] = []
    for definition in definitions:
        if (
            not spans or definition.end > spans[-1][1]
        ):  # in order: what ends earlier is in the last one
            spans.append((definition.start, definition.end))
    starts = [start for start, _ in spans]
    return [at for at in numbers if (i := bisect_right(starts, at)) and at < spans[i - 1][1]]


def _owner_agrees(definition: Definition, name: str) -> bool:
    """Whether the class in a qualified name, if there is one, is the definition's."""
    path = re.split(r"\.|::|#|->", name)
    return len(path) == 1 or not definition.owner or definition.owner == path[-2]


def _is_place(name: str, instruction: str) -> bool:
    """Whether the name is a place in the instruction: "rename x to y in parse". Only the first
    10,000 characters of the instruction count.
    """
    instruction = instruction[:_READ]
    quoted = rf"[`'\"“‘]?{re.escape(name)}\b"
    return bool(
        re.search(rf"\b(?:in|inside|within|of)\s+(?:the\s+)?(?:\w+\s+)?{quoted}", instruction)
    )


@dataclass(frozen=True, slots=True)
class Parts:
    """A buffer's lines and where they may be cut. tiles: ``outline.tiles``, which only ``tiles_around`` needs."""

    lines: Sequence[str]
    tiles: Sequence[tuple[int, int]]
    definitions: Sequence[Definition]
    fits: Fits

    @classmethod
    def of(cls, lines: Sequence[str], language: str, fits: Fits) -> Parts:
        """The parts of a buffer, with its definitions and the cuts between them, read from its lines. Lets other
        work run meanwhile.
        """
        definitions = outline(lines, language)
        parts = cls(lines, tiles(lines, definitions), definitions, fits)
        yield_point()
        return parts

    def lines_with(self, texts: Iterable[str]) -> Sequence[int]:
        """Numbers of the lines, in order, that mention one of ``texts`` as a word; none for empty
        texts.
        """
        words = [text for text in texts if text]
        if not words:
            return ()
        return lines_where(
            self.lines, lambda line: any(word in line and _mentions(line, word) for word in words)
        )

    def whole_definitions(
        self, definitions: Iterable[Definition], *, cut: bool = False
    ) -> list[NamedLines]:
        """The definitions as parts, whether they fit or not; with ``cut`` those that do not fit in pieces that do.
        More than 16 are joined where they are near and fit together. Lets other work run meanwhile.
        """
        found: list[NamedLines] = []
        for definition in definitions:
            if cut and not self.fits(definition.start, definition.end):
                found += self.tiles_around(range(definition.start, definition.end))
            else:
                found.append(NamedLines(definition.start, definition.end, definition.qualified))
            yield_point()
        if len(found) > _MOST_PARTS:
            joined: list[NamedLines] = []
            for part in sorted(found, key=lambda part: part.start):
                self._join(joined, part)
                yield_point()
            return joined
        return found

    def tiles_around(self, numbers: Sequence[int], most: int = sys.maxsize) -> list[NamedLines]:
        """The tiles (functions and what is between them) that hold these lines, joined if they are at most 64 lines
        apart and fit together; of one that does not fit the pieces that hold such lines. Lets other work run
        meanwhile.

        numbers: in order. Beyond ``most`` parts, a few more than that.
        """
        joined: list[NamedLines] = []
        for count, (start, end) in enumerate(self._tiles_with(numbers)):
            pieces = [(start, end)]
            if not self.fits(start, end):
                pieces = [
                    piece
                    for piece in self._cut_to_fit(start, end, most)
                    if (at := bisect_left(numbers, piece[0])) < len(numbers)
                    and numbers[at] < piece[1]
                ]
            for piece in pieces:
                self._join(joined, NamedLines(*piece))
            if len(joined) > most:
                break
            if count % _TILES_A_PIECE == _TILES_A_PIECE - 1:
                yield_point()
        return [replace(part, name=self._name_of(part)) for part in joined]

    def _join(self, joined: list[NamedLines], part: NamedLines) -> None:
        """Append ``part`` to ``joined``, or make it one with the last if at most 64 lines are
        between and they fit together; the joined part has no name.
        """
        last = joined[-1] if joined else None
        near = last is not None and part.start - last.end <= _NEAR
        if last and near and self.fits(last.start, max(last.end, part.end)):
            joined[-1] = NamedLines(last.start, max(last.end, part.end))
        else:
            joined.append(part)

    def imports(self) -> list[NamedLines]:
        """The top of the file down to the last import near the others, or to the place for one; as much of its end
        as fits, at least one line. Empty for no lines. Lets other work run meanwhile.
        """
        last = -1
        for number, line in enumerate(self.lines):
            if HEAD_LINE.match(line[:_LONGEST_IMPORT]):
                last = number
            elif number - last > _NEAR:
                break
            if number % _LINES_A_PIECE == _LINES_A_PIECE - 1:
                yield_point()
        end = last + 1 if last >= 0 else _after_header(self.lines)
        # The first line from which on the rest fits, found by halving; the last one at worst.
        start, high = 0, max(0, end - 1)
        while start < high:
            middle = (start + high) // 2
            if self.fits(middle, end):
                high = middle
            else:
                start = middle + 1
        return [NamedLines(start, end, "the imports")] if self.lines else []

    def _tiles_with(self, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield the tiles that hold these lines (numbers, in order), each once, in order."""
        starts = [start for start, _ in self.tiles]
        end = -1
        for number in numbers:
            if number >= end:
                tile = self.tiles[bisect_right(starts, number) - 1]
                end = tile[1]
                yield tile

    def _cut_to_fit(self, start: int, end: int, most: int) -> list[tuple[int, int]]:
        """``start .. end`` in pieces that fit (or have a single line), cut before shallow lines after blank ones if
        possible.

        The rest is left out after ``most + 1`` pieces: a caller sees that there are too many. Lets other work run
        meanwhile.
        """
        pieces: list[tuple[int, int]] = []
        size = end
        while start < end and len(pieces) <= most:
            size = min(end - start, 4 * size)  # lines cost what those before them did, or nearly
            while size > 1 and not self.fits(start, start + size):
                size = size // 2
            stop = start + size
            if stop < end:
                first = max(start + max(1, size // 2), stop - _CUTS)
                stop = max(range(first, stop + 1), key=self._cut_quality)
            pieces.append((start, stop))
            start = stop
            yield_point()
        return pieces

    def _cut_quality(self, at: int) -> tuple[bool, int, int]:
        """The fitness of a cut before line ``at``, the greater the better: after a blank line,
        before a shallow one, late.
        """
        line = self.lines[at] if at < len(self.lines) else ""
        blank_before = not self.lines[at - 1].strip()
        return blank_before, -(len(line) - len(line.lstrip())), at

    def _name_of(self, part: NamedLines) -> str:
        """The qualified name of the definition that a part is, blank lines after it aside; empty if
        it is more than that, or none.
        """
        first = bisect_left(self.definitions, part.start, key=lambda definition: definition.start)
        for definition in islice(self.definitions, first, None):
            if definition.start != part.start:
                break
            if definition.end <= part.end:
                rest = (self.lines[number] for number in range(definition.end, part.end))
                return "" if any(line.strip() for line in rest) else definition.qualified
        return ""


def lines_where(lines: Iterable[str], matches: Callable[[str], bool]) -> Sequence[int]:
    """Numbers of the lines, in order, that ``matches`` returns true for. Lets other work run meanwhile."""
    found = array("I")  # they may be many
    for number, line in enumerate(lines):
        if matches(line):
            found.append(number)
        if number % _LINES_A_PIECE == _LINES_A_PIECE - 1:
            yield_point()
    return found


def after_docstring(lines: Sequence[str], at: int) -> int:
    """The number of the line after the Python docstring that begins at line ``at``, or 200 lines on (at most the
    file's end) if it has not ended by then; ``at`` if none begins there.
    """
    opened = _DOCSTRING.match(lines[at]) if at < len(lines) else None
    if opened is None:
        return at
    rest = lines[at][opened.end() :]
    for end in range(at + 1, min(len(lines), at + _LONGEST_DOCSTRING)):
        if opened[1] in rest:
            return end
        rest = lines[end]
    return min(len(lines), at + _LONGEST_DOCSTRING)


def _after_header(lines: Sequence[str]) -> int:
    """The number of lines before the first that is no comment, docstring or blank; at least one
    unless the file is empty, and not much above 200.
    """
    end = 0
    while end < min(len(lines), _LONGEST_DOCSTRING):
        line = lines[end].strip()
        after = after_docstring(lines, end)
        if after == end and line and not line.startswith(("#", "//")):
            break
        end = max(after, end + 1)
    return min(max(1, end), len(lines))


def _mentions(line: str, word: str) -> bool:
    """Whether ``word`` is anywhere in ``line`` as a whole word: no letter or digit beside an end that is one
    itself. Lets other work run meanwhile.
    """
    at = line.find(word)
    for count in itertools.count(1):
        if at < 0:
            break
        if count % _LINES_A_PIECE == 0:
            yield_point()
        end = at + len(word)
        before, after = line[at - 1 : at] if at else "", line[end : end + 1]
        if not (
            (_is_word(before) and _is_word(word[0])) or (_is_word(after) and _is_word(word[-1]))
        ):
            return True
        at = line.find(word, at + 1)
    return False


def _is_word(character: str) -> bool:
    """Whether a character belongs to a word."""
    return character.isalnum() or character == "_"


def without_overlaps(found: Iterable[NamedLines]) -> tuple[NamedLines, ...]:
    """The parts in order of their lines; those that overlap are made one, without a name unless one
    holds the other. Empty parts are dropped.
    """
    merged: list[NamedLines] = []
    for named in sorted(found, key=lambda n: (n.start, -n.end)):
        if merged and named.start < merged[-1].end:
            last = merged[-1]
            if named.end > last.end:
                merged[-1] = NamedLines(last.start, named.end)
        elif named.end > named.start:
            merged.append(named)
    return tuple(merged)
