"""The lines of a buffer that an instruction names, when the buffer is too large to rewrite whole.

Renamed things wherever they are mentioned, functions by name, the imports, or every part in turn
for an edit that each part can have alone. Knows lines and words; what fits is asked of the caller.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from editd.prompts.instruction import (
    has_quantifier,
    is_about_imports,
    is_everywhere,
    names_in,
    rename_in,
    words_in,
)
from editd.prompts.outline import Definition, outline, tiles

Fits = Callable[[int, int], bool]

_NEAR = 64  # parts with no more lines than this between them are rewritten as one
_MOST_PARTS = 16  # of an edit of everything; a rename may have any number


@dataclass(frozen=True, slots=True)
class Named:
    """Lines ``start .. end`` (0-based, end exclusive); ``name`` of the definition they are, or ""."""

    start: int
    end: int
    name: str = ""


def ranges_named(
    lines: Sequence[str], instruction: str, language: str, fits: Fits
) -> tuple[Named, ...]:
    """What the instruction names, in order, without overlaps; empty if it names nothing here.

    ``fits(start, end)``: whether these lines can be rewritten in one go. Parts found by mention
    fit; a definition that was asked for by name comes whole, whether it fits or not.
    """
    definitions = outline(lines, language)
    parts = _Parts(lines, tiles(lines, definitions), definitions, fits)
    pairs = rename_in(instruction)
    renamed = {text for pair in pairs for text in pair}
    names = [name for name in names_in(instruction) if name not in renamed]

    mentions = parts.lines_with([old for old, _ in pairs])
    places = [name for name in (*names, *words_in(instruction)) if _is_place(name, instruction)]
    confined = _defined(definitions, places)
    if mentions and confined:
        mentions = [at for at in mentions if any(d.start <= at < d.end for d in confined)]
    everywhere = is_everywhere(instruction) and not pairs
    found = parts.around(mentions)
    if not (mentions and confined):
        found += parts.whole(_defined(definitions, names), cut=everywhere)
    if is_about_imports(instruction):
        found += parts.imports()
    if not found and not has_quantifier(instruction):
        found = parts.whole(_defined(definitions, words_in(instruction)))
    if not found:
        found = parts.around(parts.lines_with(names))
    if not found and everywhere:
        everything = parts.around(range(len(lines)))
        found = everything if len(everything) <= _MOST_PARTS else []
    return _without_overlaps(found)


def _defined(definitions: Iterable[Definition], names: Iterable[str]) -> list[Definition]:
    """The definitions with these names; a class that only says where a method is does not count."""
    wanted = {re.split(r"\.|::|#|->", name)[-1]: name for name in names}
    chosen = [d for d in definitions if d.name in wanted and _owner_agrees(d, wanted[d.name])]
    inside = [
        d
        for d in chosen
        if any(c is not d and c.start <= d.start and d.end <= c.end for c in chosen)
    ]
    if not inside:
        return chosen
    around = [c for c in chosen if any(c.start <= d.start and d.end <= c.end for d in inside)]
    names_inside = {d.name for d in inside}
    return [d for d in chosen if d in inside or (d not in around and d.name not in names_inside)]


def _owner_agrees(definition: Definition, name: str) -> bool:
    path = re.split(r"\.|::|#|->", name)
    return len(path) == 1 or not definition.owner or definition.owner == path[-2]


def _is_place(name: str, instruction: str) -> bool:
    """Whether the name says where: "rename x to y in parse"."""
    quoted = rf"[`'\"“‘]?{re.escape(name)}\b"
    return bool(
        re.search(rf"\b(?:in|inside|within|of)\s+(?:the\s+)?(?:\w+\s+)?{quoted}", instruction)
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    lines: Sequence[str]
    tiles: Sequence[tuple[int, int]]
    definitions: Sequence[Definition]
    fits: Fits

    def lines_with(self, texts: Iterable[str]) -> list[int]:
        """Numbers of the lines that mention one of ``texts`` as a word."""
        patterns = [_as_word(text) for text in texts if text]
        if not patterns:
            return []
        pattern = re.compile("|".join(patterns))
        return [number for number, line in enumerate(self.lines) if pattern.search(line)]

    def whole(self, definitions: Iterable[Definition], *, cut: bool = False) -> list[Named]:
        """These definitions; with ``cut`` in pieces that fit."""
        found: list[Named] = []
        for one in definitions:
            if cut and not self.fits(one.start, one.end):
                found += self.around(range(one.start, one.end))
            else:
                found.append(Named(one.start, one.end, one.qualified))
        return found

    def around(self, numbers: Iterable[int]) -> list[Named]:
        """The tiles that hold these lines, joined where they are near and fit together."""
        starts = [start for start, _ in self.tiles]
        held: dict[tuple[int, int], list[int]] = {}
        for number in numbers:
            held.setdefault(self.tiles[bisect_right(starts, number) - 1], []).append(number)
        pieces: list[tuple[int, int]] = []
        for (start, end), inside in held.items():
            cut = [(start, end)] if self.fits(start, end) else self._cut(start, end)
            pieces += [piece for piece in cut if any(piece[0] <= n < piece[1] for n in inside)]
        joined: list[Named] = []
        for start, end in sorted(pieces):
            last = joined[-1] if joined else None
            if last and start - last.end <= _NEAR and self.fits(last.start, end):
                joined[-1] = Named(last.start, end)
            else:
                joined.append(Named(start, end))
        return [replace(part, name=self._name_of(part)) for part in joined]

    def imports(self) -> list[Named]:
        """The top of the file down to the last import that stands with the others."""
        last = -1
        for number, line in enumerate(self.lines):
            if _IMPORT.match(line):
                last = number
            elif number - last > _NEAR:
                break
        end = last + 1 if last >= 0 else min(1, len(self.lines))
        start = 0
        while end - start > 1 and not self.fits(start, end):
            start += 1
        return [Named(start, end, "the imports")] if self.lines else []

    def _cut(self, start: int, end: int) -> list[tuple[int, int]]:
        """``start .. end`` in pieces that fit, cut before shallow lines after blank ones if it can."""
        pieces = []
        while start < end:
            size = end - start
            while size > 1 and not self.fits(start, start + size):
                size = size // 2
            stop = start + size
            if stop < end:
                stop = max(range(start + max(1, size // 2), stop + 1), key=self._cut_quality)
            pieces.append((start, stop))
            start = stop
        return pieces

    def _cut_quality(self, at: int) -> tuple[bool, int, int]:
        line = self.lines[at] if at < len(self.lines) else ""
        blank_before = not self.lines[at - 1].strip()
        return blank_before, -(len(line) - len(line.lstrip())), at

    def _name_of(self, part: Named) -> str:
        for one in self.definitions:
            if one.start == part.start and one.end <= part.end:
                rest = self.lines[one.end : part.end]
                return "" if any(line.strip() for line in rest) else one.qualified
        return ""


_IMPORT = re.compile(
    r"\s*(?:import\b|from\s+\S+\s+import\b|#\s*include\b|use\s|using\s|package\s)"
    r"|.*\brequire\("
)


def _as_word(text: str) -> str:
    """A pattern for ``text`` with word borders where it begins and ends with a word character."""
    left = r"(?<!\w)" if re.match(r"\w", text) else ""
    right = r"(?!\w)" if re.search(r"\w$", text) else ""
    return left + re.escape(text) + right


def _without_overlaps(found: Iterable[Named]) -> tuple[Named, ...]:
    merged: list[Named] = []
    for named in sorted(found, key=lambda n: (n.start, -n.end)):
        if merged and named.start < merged[-1].end:
            last = merged[-1]
            if named.end > last.end:
                merged[-1] = Named(last.start, named.end)
        elif named.end > named.start:
            merged.append(named)
    return tuple(merged)
