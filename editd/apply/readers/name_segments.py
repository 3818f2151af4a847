"""Cuts a sketch (pasted lines with markers for what stays) into segments: definitions, and lines and markers between them; and finds those that the file has.

A definition of the sketch is new, or the file's one of its name, shown whole or in part. ``by_names`` gives each
segment its location.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from editd.apply.doubts.table import BY_NAME
from editd.apply.readers.new_code import definitions_in, is_overload, kind_of
from editd.apply.reading import ChangedLines
from editd.apply.text.file_lines import FileLines
from editd.apply.text.indent import reindented
from editd.apply.text.line import (
    ABOVE,
    CLOSES,
    REMARK,
    SECTION,
    function_name,
    indent_of,
    likeness,
    nesting,
    num_blank,
    stripped,
)
from editd.apply.text.named_blocks import NamedBlock, blocks_of
from editd.diff.matching import is_weak

_BEYOND = re.compile(
    r"\b(?:class|methods?|functions?|file|module)\b"
)  # what a marker below a definition stands for
_OF_RULES = ("css", "scss", "less")
_LEAVES = re.compile(r"\s*(?:return|raise)\b")
_MOST_SIGNATURE = 30  # lines
_TYPE_LINE = re.compile(r"(?!return\b)[a-zA-Z_][\w *:<>,]*")  # above a function of C
_TYPE = re.compile(r"\b(?:class|enum|interface|module|object|record|struct|trait|union)\b")


@dataclass(frozen=True, slots=True)
class NameSegment:
    """Lines of a sketch that belong together by names.

    kind: ``marker``; ``lines``; ``new``, a definition that the file has not; ``known``, one that takes the place of
    lines ``start .. end``; ``opens`` and ``closes``, where a partly shown one begins and ends; ``head``, its line with
    the name, if it changes. blank: how many blank lines are above and below. given: the indentation of a definition in
    the sketch. is_only: the file has its name once, and it begins with the line that names it. is_nested: it is a
    function within another one.
    """

    kind: str
    lines: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    blank: tuple[int, int] = (0, 0)
    given: str = ""
    is_only: bool = False
    is_nested: bool = False


def _signature_size(lines: Sequence[str]) -> int:
    """How many lines a definition's first line and its parameters in brackets take; 1 if the brackets are still open
    where a block opens, or after 30 lines.
    """
    opened = 0
    for number, line in enumerate(lines[:_MOST_SIGNATURE]):
        opened += line.count("(") - line.count(")")
        if opened <= 0:
            return number + 1
        if line.endswith(("{", ":", "=>")):
            break  # a call with a block, for example
    return 1


def _is_flat(lines: Sequence[str]) -> bool:
    """Whether all lines that are not blank are indented alike."""
    return len({*map(indent_of, filter(None, lines))}) == 1


class NotByNamesError(Exception):
    """Raised where a sketch is not to be read by names; ``read_by_names`` returns ``None`` then."""


class NameMatcher:
    """Matches the definitions of a sketch with those of a file by name."""

    def __init__(self, lines: FileLines, is_marker: Callable[[str], bool]) -> None:
        self.lines, self.is_marker = lines, is_marker
        self.file, self.blocks = lines.keys, lines.blocks
        self.definitions = lines.definitions

    def name_segments(self, blocks: Sequence[Sequence[str]]) -> list[NameSegment]:
        """The sketch's segments in order, those of a partly shown definition between its ends; a marker between two
        code blocks.

        Raises ``NotByNamesError`` if no definition of the sketch is in the file, unless it has a new one and some line
        with a letter or digit that the file has; if the file has several definitions of a name and none matches best;
        and if a definition seems to be shown whole but ends in the middle of the file's, unless a marker for more
        methods, functions or the rest of the class or file follows.
        """
        found: list[NameSegment] = []
        for number, block in enumerate(blocks):
            if number:
                found.append(NameSegment("marker"))
            found += self._segments_of(block, self._named_in_sketch(block), 0, len(self.file))
        kinds = {name_segment.kind for name_segment in found}
        if not kinds & {"known", "opens"} and not (
            "new" in kinds and any(self.has(line) for block in blocks for line in block)
        ):
            raise NotByNamesError
        for name_segment, below in zip(found, [*found[1:], NameSegment("marker")], strict=True):
            ends = below.kind == "marker" and any(map(_BEYOND.search, below.lines))
            if self._is_clipped(name_segment) and not ends:
                raise NotByNamesError
        return found

    def has(self, line: str) -> bool:
        """Whether the line has a letter or digit and the file has it, blanks around aside."""
        return not is_weak(line) and line.strip() in self.lines.where_bare

    # --- the sketch's definitions ---

    def _named_in_sketch(self, block: Sequence[str]) -> list[NamedBlock]:
        """The definitions of a code block, and its other blocks whose name the file has, or whose kind: calls and
        sections (``test(``, ``[``), in style sheets any kind. Without markers and blank lines at their ends, but with a
        marker that ends their body; those with open brackets or comments are left out.
        """
        least = min((indent_of(x) for x in block if x.strip()), key=len, default="")
        bare = [x.removeprefix(least) for x in block]
        definitions = definitions_in(bare, self.lines.language)
        names = {named.name for named in definitions} | {named.name for named in self.blocks}
        calls = {kind_of(self.file[x.head]) for x in self.blocks if x.is_other}
        if self.lines.language not in _OF_RULES:
            calls = {x for x in calls if x[-1:] in ("(", "[")}  # tests and sections, for example
        trimmed = []
        nested = {named.name for named in self.lines.nested} - {
            named.name for named in self.definitions
        }
        for shown in blocks_of(bare, definitions):
            named, head = shown, bare[shown.head]
            if named.name not in names and (name := function_name(head)) in nested:
                named = replace(named, name=name, is_other=False)
            if named.name not in names | nested and kind_of(head) not in calls:
                continue
            start, end = named.start, named.end
            depth = -1 if SECTION.fullmatch(head) else len(indent_of(head))

            def goes_on(line: str, depth: int = depth) -> bool:
                return bool(line.strip()) and (
                    not self.is_marker(line) or len(indent_of(line)) > depth
                )

            while end > start and not goes_on(bare[end - 1]):
                end -= 1
            below = end  # a marker that ends its body
            while below < len(bare) and (not bare[below].strip() or self.is_marker(bare[below])):
                below += 1
                end = below if goes_on(bare[below - 1]) else end
            while start < end and (self.is_marker(bare[start]) or not bare[start].strip()):
                start += 1
            text = "\n".join(bare[start:end])
            if (
                start <= named.head < end
                and not any(nesting([text]))
                and text.count("/*") == text.count("*/")
            ):
                trimmed.append(replace(named, start=start, end=end))
        return trimmed

    def _segments_of(
        self, block: Sequence[str], own: Sequence[NamedBlock], low: int, high: int
    ) -> list[NameSegment]:
        """The segments of some lines, in order: those of each outermost definition (``own``: the named blocks in the
        lines), and of what stands between. The definitions are looked for in ``low .. high`` of the file.

        Raises ``NotByNamesError`` if these lines have the name or the first line of one, but no single definition to
        match it.
        """
        found: list[NameSegment] = []
        position = 0
        for named in own:
            if named.start >= position:  # else it is inside of another
                found += self._between(block[position : named.start])
                found += self._segments_of_definition(block, named, own, low, high)
                position = named.end
        return [*found, *self._between(block[position:])]

    def _between(self, lines: Sequence[str]) -> Iterator[NameSegment]:
        """The segments of lines between definitions: each marker, and each run of other lines that is not all blank,
        without blank lines at its ends.
        """
        rest: list[str] = []
        for line in [*lines, None]:
            if line is not None and not self.is_marker(line):
                rest.append(line)
                continue
            if any(x.strip() for x in rest):
                yield NameSegment(
                    "lines", stripped(rest), blank=(num_blank(rest), num_blank(rest[::-1]))
                )
            rest = []
            if line is not None:
                yield NameSegment("marker", (line,))

    def _segments_of_definition(
        self,
        block: Sequence[str],
        named: NamedBlock,
        own: Sequence[NamedBlock],
        low: int,
        high: int,
    ) -> list[NameSegment]:
        """The segments of a definition in the sketch: one if it is new (an overload of the file's, too) or shown whole;
        else its ends and what stands between them.

        named: its lines in ``block``. own: the definitions of the block, its own inner ones among them. low, high: the
        lines of the file where it may stand. Shown in part is a definition with a marker, or without one of the file's
        inner definitions. A new one with a marker inside is a segment of plain lines. Raises ``NotByNamesError`` if
        these lines have its name or its first line, but no single definition to match it.
        """
        lines = block[named.start : named.end]
        old = self._file_block(block, named, low, high)
        is_open = any(map(self.is_marker, lines))
        given = indent_of(lines[0])
        if old is None:
            self._refuse_known(block[named.head], named, low, high)
            return [NameSegment("lines" if is_open else "new", tuple(lines), given=given)]
        if not is_open and is_overload(named, block, self.lines):
            return [NameSegment("new", tuple(lines), given=given)]
        start, end = self._range_without_omitted(block, named, old)
        shown = reindented(lines, given, indent_of(self.file[start]), self.lines)
        text = "\n".join(shown)
        theirs = [x for x in self.definitions if old.start < x.start < old.end]
        if is_open or not all(x.name in text for x in theirs):
            return self._segments_of_part(lines, named, own, old, start, end)
        is_sole = sum(x.name == named.name for x in self.blocks) == 1
        return [
            NameSegment(
                "known",
                tuple(shown),
                start,
                end,
                given=given,
                is_only=is_sole and (start, named.start) == (old.head, named.head),
                is_nested=old not in self.blocks,
            )
        ]

    def _refuse_known(self, head: str, named: NamedBlock, low: int, high: int) -> None:
        """Raise ``NotByNamesError`` if the file has, in ``low .. high``, a block of the name, or the first line
        ``head`` as a line or as one of several CSS selectors. named: the sketch's block.
        """
        bare = head.strip()
        listed = f"{bare.removesuffix('{').rstrip()},"  # one of several selectors, for example
        same_line = (
            *self.lines.where_bare.get(bare, ()),
            *self.lines.where_bare.get(listed, ()),
        )
        if any(low <= n < high for n in same_line) or any(
            x.name == named.name for x in self.blocks if low <= x.start < high
        ):
            raise NotByNamesError

    def _range_without_omitted(
        self, block: Sequence[str], named: NamedBlock, old: NamedBlock
    ) -> tuple[int, int]:
        """The lines (start, end exclusive) of the file's block ``old`` that the sketch's block ``named`` replaces,
        without blank lines at the end.

        If the sketch shows nothing above the line with the name, the range begins at that line (in C at the line with
        its type), so decorators and comments above stay; if it shows decorators but no comment, below the file's
        comments; else at the comment with which the sketch begins, or at the block's first line if the file has no such
        comment.
        """
        start, end, head = old.start, old.end, old.head
        while end > start and not self.file[end - 1].strip():
            end -= 1
        if named.start == named.head:
            while start < head and not _TYPE_LINE.fullmatch(self.file[start]):
                start += 1
        elif not any(map(REMARK.match, block[named.start : named.head])):
            while start < head and REMARK.match(self.file[start]):
                start += 1
        else:  # from the first of them that the sketch shows
            comment = block[named.start].strip()
            start = next((n for n in range(start, head) if self.file[n].strip() == comment), start)
        return start, end

    def _segments_of_part(
        self,
        lines: Sequence[str],
        named: NamedBlock,
        own: Sequence[NamedBlock],
        old: NamedBlock,
        start: int,
        end: int,
    ) -> list[NameSegment]:
        """The segments of a definition that is shown in part: its changed head, if it has other parameters; its two
        ends; and what stands between them, to be looked for in the file's lines ``start .. end``.

        lines: the definition's in the sketch. named: its lines in the code block. own: the named blocks of that, its
        own inner ones among them. old: the file's block. Raises ``NotByNamesError`` if the file has an inner
        definition's name or first line there, but no single definition to match it.
        """
        given = indent_of(lines[0])
        shown = reindented(lines, given, indent_of(self.file[start]), self.lines)
        inside = [
            replace(
                x, start=x.start - named.start, end=x.end - named.start, head=x.head - named.start
            )
            for x in own
            if named.start < x.start < named.end
        ]
        top: list[NameSegment] = []
        size, old_size = _signature_size(shown), _signature_size(self.file[old.head : old.end])
        if start == old.head and named.start == named.head and self._has_new_head(shown, old):
            top = [NameSegment("head", tuple(shown[:size]), start, start + old_size, given=given)]
            shown, start = [*[""] * size, *shown[size:]], start + old_size
        inner = self._segments_of(shown, inside, start, end)
        last = end - (end - 1 > start and CLOSES.match(self.file[end - 1]) is not None)
        if last < end and inner[-1].lines[-1:] and inner[-1].kind == "lines":
            bracket = inner[-1].lines[-1].strip() == self.file[last].strip()
            rest = stripped(inner[-1].lines[: -1 if bracket else None])
            inner[-1:] = [replace(inner[-1], lines=rest)] if rest else []
        first = self.file[old.head : old.head + 1]  # it says how deep the definition is
        opens = NameSegment("opens", first, start, start, given=given)
        closes = NameSegment("closes", first, last, end, given=given)
        beyond = inner[-1:] if SECTION.fullmatch(lines[0]) and inner[-1].kind == "marker" else []
        return [*top, opens, *inner, closes, *beyond]

    def _has_new_head(self, shown: Sequence[str], old: NamedBlock) -> bool:
        """Whether a partly shown definition has other parameters than the file's, in several lines or right above a
        marker. False if a marker stands among the parameters, or nothing follows them.
        """
        size, old_size = _signature_size(shown), _signature_size(self.file[old.head : old.end])
        if any(map(self.is_marker, shown[:size])) or not any(shown[size:]):
            return False
        rows = self.file[old.head : old.head + old_size]
        is_other = [x.strip() for x in shown[:size]] != [x.strip() for x in rows]
        return is_other and (size > 1 or old_size > 1 or any(map(self.is_marker, shown[1:2])))

    def _file_block(
        self, block: Sequence[str], named: NamedBlock, low: int, high: int
    ) -> NamedBlock | None:
        """The file's block with the name, within lines ``low .. high``; ``None`` if there is none, or several that are
        equally similar.

        Blocks come before functions within others. Of what lies in a class or type only blocks of that one count, else
        only those in none. Of several, types for a type, then the one with the same first line and most lines in common
        (two at least, if the first lines do not decide). named: the block of the sketch, lines of ``block``.
        """
        inside = [x for x in self.blocks if low <= x.start and x.end <= high]
        found = [
            x
            for x in inside
            if x.name == named.name
            or (x.is_other and function_name(self.file[x.head]) == named.name)
        ] or [
            x
            for x in self.lines.nested
            if x.name == named.name and low <= x.start and x.end <= high
        ]
        if named.owner:
            same = [x for x in found if x.owner == named.owner]
            found = same or [x for x in found if not x.owner]
        if len(found) < 2:
            return found[0] if found else None
        head = block[named.head].strip()
        is_type = _TYPE.search(head) is not None  # a constructor has its name, too
        found = [x for x in found if bool(_TYPE.search(self.file[x.head])) == is_type] or found
        if len(found) == 1:
            return found[0]
        own = {x.strip() for x in block[named.start : named.end] if not is_weak(x)}
        scores = [
            (
                self.file[x.head].strip() in (head, f"{head}}}"),
                len(own & {y.strip() for y in self.file[x.start : x.end]}),
            )
            for x in found
        ]
        best, second = sorted(scores)[:-3:-1]
        if best[0] == second[0] and best[1] <= max(1, second[1]):
            return None
        return found[scores.index(best)]

    # --- whether a definition is shown whole ---

    def _is_clipped(self, name_segment: NameSegment) -> bool:
        """Whether a definition of the sketch seems to be shown whole, but may end in the middle of the file's; also
        true if it has fewer than two lines of code. False for segments of other kinds, and for an unchanged definition
        on one line.

        Of the file's definition it does not end in the middle if it has that one's last line, ends in the same bracket
        (not in JSON), or ends in a ``return`` or ``raise`` of its body. Else it does if its last line, or one like it,
        is an earlier line of the file's.
        """
        if name_segment.kind not in ("known", "new"):
            return False
        if name_segment.lines == self.file[name_segment.start : name_segment.end] and set("({") & {
            *name_segment.lines[0]
        }:
            return False  # a method or struct on one line
        strong = [x.strip() for x in name_segment.lines if not is_weak(x)]
        if len([x for x in strong if not ABOVE.match(x)]) < 2:
            return True
        old_lines = [
            x.strip() for x in self.file[name_segment.start : name_segment.end] if not is_weak(x)
        ]
        if name_segment.kind == "new" or old_lines[-1] in strong:
            return False
        last, end = name_segment.lines[-1], self.file[name_segment.end - 1]
        if (is_weak(last) and is_weak(end)) or (CLOSES.match(last) and last.strip() == end.strip()):
            return self.lines.language == "json"  # where people show a few keys of an object
        body = [
            x
            for x in name_segment.lines
            if len(indent_of(x)) > len(indent_of(name_segment.lines[0]))
        ]
        if _LEAVES.match(last) and body and indent_of(last) == min(map(indent_of, body), key=len):
            return False  # nothing could follow
        if strong[-1] in old_lines[:-1]:
            return True
        alike = [likeness(strong[-1], line, 0.6) for line in old_lines]
        return max(alike) > 0 and not alike[-1]

    def _is_sole(self, start: int, end: int) -> bool:
        """Whether the file has the name of the first block in these lines exactly once."""
        name = next((x.name for x in self.lines.heads_in(start, end)), "")
        return sum(x.name == name for x in self.blocks) == 1

    def is_alone(self, name_segment: NameSegment) -> bool:
        """Whether a definition that is all of the sketch and takes the place of the file's cannot mean anything else.

        Both have to end in the same line (a closing bracket as deep as the file's), to share an inner line (or the
        first line, if the last one has a letter or digit), and to be equally deep (or the sketch less deep, with the
        same first line): a beginning alone would delete the rest.
        """
        old_lines = [x.strip() for x in self.file[name_segment.start : name_segment.end]]
        new = [x.strip() for x in name_segment.lines]
        same_head = new[0] == old_lines[0] and old_lines.count(old_lines[0]) == 1
        shared = {x for x in new[1:-1] if not is_weak(x)} & set(old_lines[1:-1])
        indent = indent_of(self.file[name_segment.start])
        return (
            new[-1] == old_lines[-1]
            and (
                name_segment.lines[-1] == self.file[name_segment.end - 1]
                or not CLOSES.match(new[-1])
            )
            and (bool(shared) or (same_head and not is_weak(new[-1])))
            and (
                name_segment.given == indent
                or (same_head and len(name_segment.given) < len(indent))
            )
        )

    def replacement(
        self, name_segment: NameSegment, confidence: float = BY_NAME, *, marked: bool = False
    ) -> ChangedLines:
        """The change that puts a definition of the sketch in the place of the file's, with confidence ``confidence``
        and the first of these doubts that applies, or none.

        Doubts: most of it goes (different lines, more than half as many as it has, at least six more than come, and
        more than twice as many); it ends otherwise (only with ``marked``); it is at another depth (without ``marked``:
        deeper); it has no indentation where the file's has some; or it lies in a function. marked: whether the sketch
        has markers.
        """
        start, end = name_segment.start, name_segment.end
        old_lines = [x.strip() for x in self.file[start:end] if not is_weak(x)]
        new = {x.strip() for x in name_segment.lines if not is_weak(x)}
        removed, added = set(old_lines) - new, new - set(old_lines)
        change = ChangedLines(start, end, name_segment.lines, confidence)
        if (
            len(removed) - len(added) > 5
            and len(removed) > (end - start) / 2
            and 2 * len(added) < len(removed)
        ):
            # what is shown whole says what goes
            return change.doubted("much marked" if marked else "much", start + 1, end)
        if marked and stripped(name_segment.lines)[-1].strip() != self.file[end - 1].strip():
            return change.doubted("end" if self._is_sole(start, end) else "end of several", end)
        if name_segment.given != (target := indent_of(self.file[start])) and (
            marked or len(name_segment.given) > len(target)
        ):
            return change.doubted("deeper", start + 1)
        if _is_flat(name_segment.lines) and not _is_flat(self.file[start : end - 1]):
            return change.doubted("flat", start + 1)
        return change.doubted("nested", start + 1) if name_segment.is_nested else change
