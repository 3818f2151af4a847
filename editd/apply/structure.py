"""Reads a sketch as definitions: which of them the file has, whole or in part, and which are new.

A sketch is *by level* if what stands between its definitions stands between definitions in the file as
well; only such a sketch is read so. Where its parts go is left to ``by_name``, how they are indented to
``indentation``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from editd.apply.lines import Lines, indent_of, likeness, nesting, reindented, stripped
from editd.diff.matching import is_weak
from editd.prompts.outline import Definition, outline

_WRAPPED = ("javascript", "typescript", "tsx", "java")
_KEYWORDS = ("if", "for", "while", "switch", "catch", "with", "do", "try")
_HEAD = re.compile(r"\s*(?:@|#\[|#|//|/\*|\*|--|\"\"\")")
_COMMENT = re.compile(r"\s*(?:#(?!\[)|//|/\*|\*|--)")
IMPORT = re.compile(
    r"\s*(?:import\b|from\s+\S+\s+import\b|#\s*include\b|use\s|using\s|require\b|"
    r"(?:const|let|var|local)\s.*\brequire\s*\()"
)


@dataclass(frozen=True, slots=True)
class Node:
    """Lines of a sketch at one level. kind: ``lines``, ``marker``, ``new``, ``whole`` or ``open``.

    start, end: of a definition that the file has, its lines there. inner: of an open one.
    """

    kind: str
    lines: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    inner: tuple[Node, ...] = ()
    given: str = ""  # its indentation in the sketch
    is_only: bool = False  # the file has its name once, and it begins with the line that names it


class Structure:
    """A file's definitions, and a sketch as such."""

    def __init__(self, lines: Lines, language: str, is_marker: Callable[[str], bool]) -> None:
        self.lines = lines
        self.file, self.language, self.is_marker = lines.keys, language, is_marker
        self.definitions = lines.definitions(language)
        self.strong = {x for x in lines.where_bare if not is_weak(x)}
        self.unclear = False  # a name that the file has several times

    def nodes(self, blocks: Sequence[Sequence[str]]) -> list[Node] | None:
        """The sketch's elements; ``None`` if it has no whole definition, or is not by level."""
        nodes: list[Node] = []
        for number, block in enumerate(blocks):
            if number:
                nodes.append(Node("marker"))
            nodes += self._nodes(block, self._own(block), 0, len(self.file))
        kinds = {one.kind for one in nodes}
        if not kinds & {"whole", "open", "new"} or self.unclear:
            return None
        shows_some = any(x.strip() in self.strong for block in blocks for x in block)
        if not kinds & {"whole", "open"} and not shows_some:
            return None
        if self._is_clipped(nodes) or not self._is_by_level(nodes, 0, len(self.file)):
            return None
        return nodes

    # --- whether it is read so ---

    def _is_clipped(self, nodes: Sequence[Node]) -> bool:
        """Whether a definition seems to be shown whole, but may end in the middle of the file's."""
        for one, below in pairwise([*nodes, Node("end")]):
            if one.kind == "open" and self._is_clipped(one.inner):
                return True
            if one.kind not in ("whole", "new"):
                continue
            strong = [x.strip() for x in one.lines if not is_weak(x)]
            if len([x for x in strong if not _HEAD.match(x)]) < 2:
                return True
            if one.kind == "new":
                continue
            theirs = [x.strip() for x in self.file[one.start : one.end] if not is_weak(x)]
            if theirs[-1] in strong:
                continue
            if strong[-1] in theirs[:-1]:
                return True
            if below.kind == "marker" and self._stops_early(strong, theirs):
                return True
        return False

    def _stops_early(self, strong: Sequence[str], theirs: Sequence[str]) -> bool:
        """Whether a definition above a marker may go on as the file's does; their last lines differ."""
        if len(theirs) > len(strong) + 2:
            return True
        if len(theirs) > len(strong) and not set(strong[1:]) & set(theirs[1:]):
            return True
        alike = [likeness(strong[-1], line, 0.6) for line in theirs]
        return max(alike) > 0 and alike.index(max(alike)) < len(theirs) - 1

    def _is_by_level(self, nodes: Sequence[Node], low: int, high: int) -> bool:
        """Whether what stands between definitions stands between definitions in the file, too."""
        places: dict[str, list[int]] = {}
        for number in range(low, high):
            if not is_weak(self.file[number]):
                places.setdefault(self.file[number].strip(), []).append(number)
        marked = any(node.kind == "marker" for node in nodes)
        inner = [
            one
            for one in self.definitions
            if low <= one.start
            and one.end <= high
            and not any(one.start < other.start < one.end for other in self.definitions)
        ]
        for node in nodes:
            holds_some = any(one.kind not in ("marker", "lines") for one in node.inner)
            if holds_some and not self._is_by_level(node.inner, node.start, node.end):
                return False
            if node.kind != "lines":
                continue
            text = "\n".join(node.lines)
            if any(nesting(node.lines)) and low == 0:
                return False
            if text.count("/*") != text.count("*/"):
                return False
            strong = [x for x in node.lines if not is_weak(x)]
            if (
                marked
                and strong
                and not any(x.strip() in places or IMPORT.match(x) for x in strong)
            ):
                return False
            least = min((len(indent_of(x)) for x in node.lines if x.strip()), default=0)
            if len(indent_of(node.lines[0])) > least:
                return False
            for x in node.lines:
                found = places.get(x.strip(), [])
                if found and all(any(one.start < at < one.end for one in inner) for at in found):
                    return False
        return True

    # --- its definitions ---

    def _own(self, block: Sequence[str]) -> list[Definition]:
        """Definitions in a block, none in a function, without markers and blank lines at their ends."""
        least = min((indent_of(x) for x in block if x.strip()), key=len, default="")
        bare = [x.removeprefix(least) for x in block]
        found = list(outline([f"{x}\n" for x in bare], self.language))
        if self.language in _WRAPPED and not any(one.is_block for one in found):
            wrapped = ["class X {\n", *(f"{x}\n" for x in bare), "}\n"]
            found = [
                replace(one, start=one.start - 1, end=one.end - 1, owner="")
                for one in outline(wrapped, self.language)
                if one.owner == "X" and one.name not in _KEYWORDS
            ]
        trimmed = []
        for one in found:
            start, end = one.start, one.end
            if not one.is_block or start < 0 or end > len(block):
                continue
            depth = len(indent_of(bare[self._named(bare, one)]))
            while end > start and (
                not bare[end - 1].strip()
                or (self.is_marker(bare[end - 1]) and len(indent_of(bare[end - 1])) <= depth)
            ):
                end -= 1
            below = end
            while below < len(bare) and (
                not bare[below].strip()
                or (self.is_marker(bare[below]) and len(indent_of(bare[below])) > depth)
            ):
                below += 1
                end = below if bare[below - 1].strip() else end  # a marker that ends its body
            while start < end and (self.is_marker(bare[start]) or not bare[start].strip()):
                start += 1
            text = "\n".join(bare[start:end])
            if text.count("/*") != text.count("*/"):
                continue
            if end > start and not any(nesting(bare[start:end])):
                trimmed.append(replace(one, start=start, end=end))
        return trimmed

    def _named(self, lines: Sequence[str], one: Definition) -> int:
        """The line that names it, below its decorators and comments."""
        for number in range(one.start, min(one.end, len(lines))):
            if not _HEAD.match(lines[number]) and re.search(
                rf"(?<!\w){re.escape(one.name)}(?!\w)", lines[number]
            ):
                return number
        return one.start

    def _nodes(
        self, block: Sequence[str], own: Sequence[Definition], low: int, high: int
    ) -> list[Node]:
        """The block's elements; definitions are looked for in ``low .. high`` of the file."""
        outer = [
            one
            for one in own
            if not any(
                other is not one and other.start <= one.start and one.end <= other.end
                for other in own
            )
        ]
        nodes: list[Node] = []
        position = 0
        for one in outer:
            if one.start < position:
                continue
            nodes += self._between(block[position : one.start])
            nodes.append(self._definition(block, one, own, low, high))
            position = one.end
        return nodes + self._between(block[position:])

    def _between(self, lines: Sequence[str]) -> list[Node]:
        nodes: list[Node] = []
        rest: list[str] = []
        for line in [*lines, None]:
            if line is None or self.is_marker(line):
                if any(x.strip() for x in rest):
                    nodes.append(Node("lines", stripped(rest)))
                rest = []
                if line is not None:
                    nodes.append(Node("marker"))
            else:
                rest.append(line)
        return nodes

    def _definition(
        self,
        block: Sequence[str],
        one: Definition,
        own: Sequence[Definition],
        low: int,
        high: int,
    ) -> Node:
        lines = block[one.start : one.end]
        there = self._same(block, one, low, high)
        if there is None:
            head = block[self._named(block, one)].strip()
            if head in self.strong or any(other.name == one.name for other in self.definitions):
                self.unclear = True
            marked = any(map(self.is_marker, lines))
            return Node("lines" if marked else "new", tuple(lines))
        start, end, pasted = self._extent(block, one, there)
        given, wanted = indent_of(pasted[0]), indent_of(self.file[start])
        shown = reindented(pasted, given, wanted, self.file)
        members = [other for other in own if other is not one and one.start < other.start < one.end]
        theirs = [
            other
            for other in self.definitions
            if other is not there and there.start < other.start < there.end
        ]
        is_open = any(map(self.is_marker, shown))
        if is_open or self._misses(theirs, shown):
            shift = one.end - len(shown)
            inside = [
                replace(other, start=other.start - shift, end=other.end - shift)
                for other in members
                if other.start >= shift
            ]
            inner = self._nodes(shown, inside, start, end)
            if not is_open and self.language == "python":
                inner.append(Node("marker"))  # what it leaves out stays
            return Node("open", tuple(shown), start, end, tuple(inner), given)
        named = [other for other in self.definitions if other.name == one.name]
        is_only = (
            len(named) == 1
            and start == self._named(self.file, there)
            and self._named(block, one) == one.start
        )
        return Node("whole", tuple(shown), start, end, (), given, is_only)

    def _misses(self, theirs: Sequence[Definition], shown: Sequence[str]) -> bool:
        text = "\n".join(shown)
        return any(one.name not in text for one in theirs)

    def _extent(
        self, block: Sequence[str], one: Definition, there: Definition
    ) -> tuple[int, int, list[str]]:
        """What of the file it replaces, and its lines: comments and decorators that it omits stay."""
        own, head = self._named(block, one), self._named(self.file, there)
        lines = list(block[one.start : one.end])
        above = block[one.start : own]
        start, end = there.start, there.end
        while end > start and not self.file[end - 1].strip():
            end -= 1
        if not above:
            start = head
        elif not any(map(_COMMENT.match, above)):
            while start < head and _COMMENT.match(self.file[start]):
                start += 1
        return start, end, lines

    def _same(
        self, block: Sequence[str], one: Definition, low: int, high: int
    ) -> Definition | None:
        """The file's definition of that name; of several the one that is most alike."""
        found = [
            other
            for other in self.definitions
            if other.name == one.name and low <= other.start and other.end <= high
        ]
        if one.owner and any(other.owner == one.owner for other in found):
            found = [other for other in found if other.owner == one.owner]
        if len(found) < 2:
            return found[0] if found else self._renamed(block, one, low, high)
        own = {x.strip() for x in block[one.start : one.end] if not is_weak(x)}
        head = block[self._named(block, one)].strip()
        ranked = sorted(
            found,
            key=lambda other: (
                self.file[self._named(self.file, other)].strip() == head,
                len(own & {x.strip() for x in self.file[other.start : other.end]}),
            ),
        )
        scores = [
            len(own & {x.strip() for x in self.file[other.start : other.end]}) for other in ranked
        ]
        heads = [self.file[self._named(self.file, other)].strip() == head for other in ranked]
        if heads[-1] and not heads[-2]:
            return ranked[-1]
        return ranked[-1] if heads[-1] == heads[-2] and scores[-1] > max(1, scores[-2]) else None

    def _renamed(
        self, block: Sequence[str], one: Definition, low: int, high: int
    ) -> Definition | None:
        """The file's definition that is the same but for its name."""
        own = [x.strip() for x in block[one.start : one.end] if x.strip()]
        body = "\n".join(own)
        for other in self.definitions:
            if not (low <= other.start and other.end <= high) or other.name in body.split():
                continue
            theirs = [x.strip() for x in self.file[other.start : other.end] if x.strip()]
            if abs(len(theirs) - len(own)) <= 1 and len(own) > 2:
                was = re.sub(rf"(?<!\w){re.escape(other.name)}(?!\w)", one.name, "\n".join(theirs))
                if was == body or was.split("\n")[1:] == own[1:]:
                    return other
        return None
