"""The buffer's lines, indexed for comparison with a paste, and what single lines say.

Two lines are equal if they differ in trailing blanks at most. Knows lines; where a part goes is decided
elsewhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import cached_property, lru_cache
from itertools import pairwise, zip_longest

from editd.diff.matching import changes, is_weak
from editd.syntax.outline import Definition, outline
from editd.turns import yield_point

MOST_COMPARED = 1_000_000  # lines of one paste with lines of its file
_MOST_REMEMBERED = 2_000  # pairs of lines that were compared by likeness
_MOST_NESTED = 100  # texts whose brackets have been counted
_MOST_LETTERS = 250_000  # of two lines, multiplied, that are compared one by one: some 20 ms
_MANY = 500  # lines that are read without a pause
MOST_NEAREST = (
    5_000  # lines that a missing one is compared with: difflib takes microseconds for each
)


class Lines:
    """Lines without their ends, and the indices of each.

    language: by which they are outlined. is_ended: whether a newline stands after the last one.
    """

    def __init__(self, lines: Sequence[str], language: str = "") -> None:
        self.raw = tuple(line.rstrip("\n") for line in lines)
        self.keys = tuple(line.rstrip() for line in self.raw)
        self.is_ended = bool(lines) and lines[-1].endswith("\n")
        self.language = language
        self._compared = 0

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def where(self) -> dict[str, list[int]]:
        """Indices by the line without its trailing blanks."""
        return _indices(self.keys)

    @cached_property
    def where_bare(self) -> dict[str, list[int]]:
        """Indices by the line without the blanks around it."""
        return _indices(line.strip() for line in self.keys)

    @cached_property
    def text(self) -> str:
        """The lines without their trailing blanks, joined."""
        return "\n".join(self.keys)

    @cached_property
    def signs(self) -> str:
        """Characters beyond ASCII that the lines have."""
        return "".join(sorted({x for x in self.text if not x.isascii()}))

    @cached_property
    def given(self) -> tuple[str, ...]:
        """The name that each line gives a value to."""
        return tuple(map(given_name, self.keys))

    @cached_property
    def where_given(self) -> dict[str, list[int]]:
        """Indices by that name."""
        return _indices(self.given)

    @cached_property
    def indented_by_tabs(self) -> bool | None:
        """Whether tabs indent; ``None`` if both tabs and spaces do, or if nothing is indented."""
        tabs = any(line.startswith("\t") for line in self.keys)
        spaces = any(line.startswith("  ") and not line.startswith("  *") for line in self.keys)
        return tabs if tabs != spaces else None

    @cached_property
    def words(self) -> tuple[dict[str, list[int]], list[int]]:
        """The lines that have a word or sign, as often as they have it; and how many each line has."""
        found: dict[str, list[int]] = defaultdict(list)
        totals = []
        for number, line in enumerate(self.keys):
            if number % _MANY == 0:
                yield_point()
            said = words_of(line)
            totals.append(len(said))
            for word in said:
                found[word].append(number)
        return dict(found), totals

    @cached_property
    def unit(self) -> str:
        """The blanks of one level."""
        return unit_of(self.keys)

    @cached_property
    def _outline(self) -> tuple[Definition, ...]:
        return outline([f"{line}\n" for line in self.keys], self.language)

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The file's functions and classes."""
        return tuple(one for one in self._outline if one.is_block)

    @cached_property
    def fields(self) -> tuple[Definition, ...]:
        """Its constants and fields."""
        return tuple(one for one in self._outline if not one.is_block)

    @cached_property
    def blocks(self) -> tuple[Head, ...]:
        """The file's definitions and other blocks, but for those within functions."""
        return tuple(heads_of(self.keys, self.definitions))

    @cached_property
    def nested(self) -> tuple[Head, ...]:
        """Functions that are no definitions of the file: within a function, or a value in an object."""
        known = {one.head for one in self.blocks if not one.is_other}
        found = []
        for start, end in _deeper(self.keys):
            if start not in known and (name := called(self.keys[start])):
                found.append(Head(name, start, end, start))
        names = Counter(one.name for one in found)
        return tuple(one for one in found if names[one.name] == 1)

    @cached_property
    def _by_head(self) -> tuple[list[int], list[Head]]:
        heads = sorted(self.blocks, key=lambda one: one.head)
        return [one.head for one in heads], heads

    def heads_in(self, start: int, end: int) -> Sequence[Head]:
        """The blocks whose first line is one of ``start .. end``."""
        if start >= end:
            return ()
        at, heads = self._by_head
        return heads[bisect_left(at, start) : bisect_left(at, end)]

    def is_too_much(self, number: int) -> bool:
        """Whether so many more comparisons of lines would be too many; else they are counted."""
        yield_point()
        if self._compared + number > MOST_COMPARED:
            return True
        self._compared += number
        return False

    def run_down(self, block: Sequence[str], start: int) -> int:
        """How many of the block's first lines the buffer has in a row from ``start`` on."""
        keys, length = self.keys, 0
        most = min(len(block), len(keys) - start)
        while length < most and keys[start + length] == block[length]:
            length += 1
        return length

    def run_up(self, block: Sequence[str], end: int) -> int:
        """How many of the block's last lines the buffer has in a row up to ``end`` (exclusive)."""
        keys, length = self.keys, 0
        most = min(len(block), end)
        while length < most and keys[end - 1 - length] == block[-1 - length]:
            length += 1
        return length


@dataclass(frozen=True, slots=True)
class Head:
    """Lines ``start .. end`` below the line ``head``, with the comment above it and the bracket that closes it.

    name: a definition's, else what the line says. owner: the class or type around a definition. is_other: it is none.
    """

    name: str
    start: int
    end: int
    head: int
    owner: str = ""
    is_other: bool = False


def heads_of(keys: Sequence[str], definitions: Sequence[Definition]) -> list[Head]:
    """Definitions, and other lines with deeper ones below (``.nav {``, ``proxy:``, ``test('x', () => {``), none in a function.

    definitions: those of the text.
    """
    found = [
        Head(one.name, one.start, min(one.end, len(keys)), named_in(keys, one), one.owner)
        for one in definitions
        if 0 <= one.start < len(keys)
    ]
    named = {one.head for one in found}
    within = bytearray(len(keys) + 1)  # a function's lines
    ordered = sorted(definitions, key=lambda one: (one.start, -one.end))
    for one, below in zip_longest(ordered, ordered[1:]):
        if below is None or below.start >= one.end:  # none is inside of it
            within[max(one.start, 0) : one.end] = b"\1" * (
                min(one.end, len(keys)) - max(one.start, 0)
            )
    for start, end in (*_deeper(keys), *_sections(keys)):
        line = keys[start]
        if (
            start in named
            or within[start]
            or is_weak(line)
            or not (_HEADS.match(line) or SECTION.fullmatch(line))
            or _FLOW.match(line)
            or ABOVE.match(line)
        ):
            continue
        top = start
        while (
            top
            and ABOVE.match(keys[top - 1])
            and indent_of(keys[top - 1])[:1000] == indent_of(line)
        ):
            top -= 1
        found.append(Head(line.strip(), top, end, start, is_other=True))
    return sorted(found, key=lambda one: (one.start, -one.end))


def named_in(keys: Sequence[str], one: Definition) -> int:
    """The line that names a definition, below its decorators and comments."""
    inside = range(max(one.start, 0), min(one.end, len(keys)))
    told = (n for n in inside if _has_word(keys[n], one.name) and not ABOVE.match(keys[n]))
    return next(told, one.start)


def _has_word(line: str, word: str) -> bool:
    """Whether a word stands in a line as a whole. A line of minified code is asked for a thousand words."""
    at = line.find(word)
    while at >= 0:
        edges = line[at - 1 : at] + line[at + len(word) : at + len(word) + 1]
        if not any(x.isalnum() or x == "_" for x in edges):
            return True
        at = line.find(word, at + 1)
    return False


def _deeper(keys: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Each line that deeper ones follow, and the end of these, with what closes them."""
    stack: list[tuple[int, int]] = []  # depth and number of lines whose deeper ones go on
    last = 0
    for number, line in enumerate((*keys, None)):
        if line is not None and (not line or REMARK.match(line)):
            continue  # a comment at the margin ends no block
        depth = -1 if line is None else len(indent_of(line.expandtabs()))
        closes = line is not None and CLOSES.match(line)
        while stack and stack[-1][0] >= depth and not (stack[-1][0] == depth and closes):
            _, start = stack.pop()
            if last > start + 1:
                yield start, last
        if line is None:
            return
        if not (stack and stack[-1][0] == depth):
            stack.append((depth, number))
        last = number + 1


def _sections(keys: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The sections of a file of settings (``[tool.ruff]``)."""
    heads = [n for n, line in enumerate(keys) if SECTION.fullmatch(line)]
    if not all(n == 0 or not keys[n - 1] or ABOVE.match(keys[n - 1]) for n in heads):
        return
    for start, below in pairwise([*heads, len(keys)]):
        end = below
        while end > start + 1 and (
            not keys[end - 1] or (end < len(keys) and ABOVE.match(keys[end - 1]))
        ):
            end -= 1
        if end > start + 1:
            yield start, end


SECTION = re.compile(r"\[\[?[\w.\"' -]+(?:\(.*\)[\w.\"' -]*)?\]\]?")
REMARK = re.compile(r"\s*(?://|/?\*|--\s|#\s)")  # a comment, but no rule of CSS and no flag
CLOSES = re.compile(r"\s*(?:[\])}]|\{$|</|(?:end|fi|done|esac)\b)")
_FLOW = re.compile(
    r"\W*(?:if|else|elif|elsif|for|foreach|while|until|unless|do|switch|match|with|try|except|catch|finally|return)\b"
)
_HEADS = re.compile(
    r".*(?:[\[({:>)|&=,]|\b(?:then|do|begin|const|override|where))$|\s*(?:- |<\w)"
)  # what a line with deeper ones below ends in
_RULES = "media|supports|keyframes|font-face|layer|container|page|include|mixin"
ABOVE = re.compile(
    rf"\s*(?:@(?!{_RULES})|#\[|#(?!\w[\w-]*.*[{{,]$)|//|/\*|\*|--|\"\"\"|<!--)"
)  # what stands above the line with the name
IMPORT = re.compile(
    r"\s*(?:import\b|from\s+\S+\s+import\b|#\s*include\b|use\s|using\s|require\b|"
    r"(?:const|let|var|local)\s.*\brequire\s*\()"
)


def called(line: str) -> str:
    """The name of the function that a line begins, if it looks like one: ``load(id) {``, ``const load = async () => {``."""
    found = _CALLED.match(line)
    return "" if found is None or _FLOW.match(line) else found["name"] or found["case"]


_CALLED = re.compile(
    r"\s*(?:(?:async|const|export|fn|func|function\*?|let|local|private|pub|public|static|var)\s+)*(?P<name>[A-Za-z_$][\w$]*)"
    r"(?:\s*(?::[^=]*)?=\s*(?:async\s*)?(?:function\b|\().*|\s?\([^'\"]*)$|\s*(?P<case>case\s+[^:]+):(?:\s*\{)?$"
)


def words_of(line: str) -> list[str]:
    """The words and signs of a line."""
    return _WORD.findall(line)


_WORD = re.compile(r"\w+|[^\w\s]")
_WORD_OR_BLANKS = re.compile(r"\w+|\s+|[^\w\s]")
_GIVEN = re.compile(
    r"\s*(?:[\w>\[\],.*&?][\w<>\[\],.*&?]*\s+)*?(?P<name>[\"']?[\w$.@#/-]+[\"']?)(?:\s*:(?!:)\s*[^=:]+?)?\s*=(?![=>])|"
    r"\s*(?:(?:readonly|private|protected|public|static)\s+)*(?P<key>[\"']?[\w$.@#/-]+[\"']?)\??:(?!:)|\s*(?P<tag><[\w-]+\s+[\w-]+=)|"
    r"\s*(?P<variant>[A-Z]\w*)(?:\(.*\)|\s*\{.*\})?,$|\s*(?P<arm>[A-Z_\"'\d][^=]*?)\s*=>"
)


def given_name(line: str) -> str:
    """The name that a line gives a value to, with ``=`` or ``:``; empty in others."""
    found = _GIVEN.match(line)
    if found is None or _FLOW.match(line):
        return ""
    return (found[found.lastgroup or 0]).strip("\"'")


def is_other_name(one: str, two: str) -> bool:
    """Whether two lines give different names a value."""
    first, second = given_name(one), given_name(two)
    return bool(first and second and first != second)


def nearest(line: str, lines: Lines) -> str:
    """``; the nearest is line 12, “return x”``, or an empty string if no line is similar, or the line is long."""
    bare = line.strip()
    if len(bare) ** 2 > _MOST_LETTERS:
        return ""
    candidates = [key for key in lines.where_bare if abs(len(key) - len(bare)) <= len(bare)]
    candidates = candidates[:MOST_NEAREST]
    words = set(bare.split())
    shared = [key for key in candidates if words & set(key.split())] or candidates[:500]
    found = get_close_matches(bare, shared, n=1, cutoff=0.6)
    if not found:
        return ""
    return f"; the nearest is line {lines.where_bare[found[0]][0] + 1}, “{found[0][:60]}”"


def num_strong(row: Sequence[str]) -> int:
    """The number of different strong lines: neither blank nor only brackets and the like."""
    return len({line for line in row if not is_weak(line)})


@lru_cache(_MOST_REMEMBERED)
def likeness(first: str, second: str, least: float) -> float:
    """Share of two lines that they have in common, as difflib's ratio, or 0 if it is not above ``least``.

    Long lines are compared by words, which are fewer than their letters.
    """
    if first == second:
        return 1.0
    if len(first) * len(second) > _MOST_LETTERS:
        ratio = _likeness_by_words(first, second)
        return ratio if ratio > least else 0.0
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    if matcher.real_quick_ratio() <= least or matcher.quick_ratio() <= least:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio > least else 0.0


def _likeness_by_words(first: str, second: str) -> float:
    """The ratio of two long lines: their equal ends, and the words that stand between these in both.

    Words in the same order; in whatever order in a stretch of repeated words that is too long to be aligned.
    """
    shorter = min(len(first), len(second))
    head = next((n for n in range(shorter) if first[n] != second[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if first[-1 - n] != second[-1 - n]), rest)
    old, new = (_WORD_OR_BLANKS.findall(x[head : len(x) - tail]) for x in (first, second))
    shared = len(first)
    for x in changes(old, new):
        removed, added = old[x.old_start : x.old_end], new[x.new_start : x.new_end]
        shared -= sum(map(len, removed))
        if len(removed) * len(added) > _MOST_LETTERS:
            both = Counter(removed) & Counter(added)
            shared += sum(len(word) * number for word, number in both.items())
    return 2 * shared / (len(first) + len(second))


def nesting(lines: Iterable[str]) -> tuple[int, ...]:
    """For each kind of bracket, how many are open; for each kind of long string, whether it is open."""
    return _nesting("".join(lines))


@lru_cache(_MOST_NESTED)  # the thousand definitions of one minified line ask for the same
def _nesting(text: str) -> tuple[int, ...]:
    brackets = (
        text.count(opening) - text.count(closing) for opening, closing in ("()", "[]", "{}")
    )
    return (*brackets, *(text.count(quotes) % 2 for quotes in ('"""', "'''", "`")))


def indent_of(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def _indices(keys: Iterator[str] | Sequence[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for index, key in enumerate(keys):
        found[key].append(index)
    return dict(found)


def stripped(lines: Sequence[str]) -> tuple[str, ...]:
    """Without blank lines at both ends."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return tuple(lines[start:end])


def unit_of(lines: Sequence[str]) -> str:
    """The blanks of one level: the usual step from an opening line to the one below."""
    steps: Counter[str] = Counter()
    for above, line in pairwise([line for line in lines if line.strip()]):
        less, more = indent_of(above), indent_of(line)
        if len(more) > len(less) and more.startswith(less) and above.rstrip()[-1] in "{([:":
            steps[more[len(less) :]] += 1
    return steps.most_common(1)[0][0] if steps else ""
