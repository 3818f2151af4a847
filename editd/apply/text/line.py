"""Facts about single lines and short rows of lines: indentation, brackets, the name that gets a value, likeness.

In this room a line *says something*, or is *strong*, if it is neither blank nor only brackets and the like
(``diff.matching.is_weak``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from editd.diff.matching import changes, is_weak

_MOST_REMEMBERED = 2_000  # pairs of lines that were compared by likeness

_MOST_NESTED = 100  # texts whose brackets have been counted

_MOST_LETTERS = 250_000  # of two lines, multiplied, that are compared one by one: some 20 ms
_WORD = re.compile(r"\w+|[^\w\s]")
_WORD_OR_BLANKS = re.compile(r"\w+|\s+|[^\w\s]")
_GIVEN = re.compile(
    r"\s*(?:[\w>\[\],.*&?][\w<>\[\],.*&?]*\s+)*?(?P<name>[\"']?[\w$.@#/-]+[\"']?)(?:\s*:(?!:)\s*[^=:]+?)?\s*=(?![=>])|"
    r"\s*(?:(?:readonly|private|protected|public|static)\s+)*(?P<key>[\"']?[\w$.@#/-]+[\"']?)\??:(?!:)|\s*(?P<tag><[\w-]+\s+[\w-]+=)|"
    r"\s*(?P<variant>[A-Z]\w*)(?:\(.*\)|\s*\{.*\})?,$|\s*(?P<arm>[A-Z_\"'\d][^=]*?)\s*=>"
)
SECTION = re.compile(r"\[\[?[\w.\"' -]+(?:\(.*\)[\w.\"' -]*)?\]\]?")
REMARK = re.compile(r"\s*(?://|/?\*|--\s|#\s)")  # a comment, but no rule of CSS and no flag
CLOSES = re.compile(r"\s*(?:[\])}]|\{$|</|(?:end|fi|done|esac)\b)")
_FLOW = re.compile(
    r"\W*(?:if|else|elif|elsif|for|foreach|while|until|unless|do|switch|match|with|try|except|catch|finally|return)\b"
)
_RULES = "media|supports|keyframes|font-face|layer|container|page|include|mixin"
ABOVE = re.compile(
    rf"\s*(?:@(?!{_RULES})|#\[|#(?!\w[\w-]*.*[{{,]$)|//|/\*|\*|--|\"\"\"|<!--)"
)  # what stands above the line with the name
_CALLED = re.compile(
    r"\s*(?:(?:async|const|export|fn|func|function\*?|let|local|private|pub|public|static|var)\s+)*(?P<name>[A-Za-z_$][\w$]*)"
    r"(?:\s*(?::[^=]*)?=\s*(?:async\s*)?(?:function\b|\().*|\s?\([^'\"]*)$|\s*(?P<case>case\s+[^:]+):(?:\s*\{)?$"
)


def words_of(line: str) -> list[str]:
    """The words and the signs of a line, in order."""
    return _WORD.findall(line)


def given_name(line: str) -> str:
    """The name that a line gives a value to by ``=``, ``:`` or ``=>``, with its dots (``self.x``) and without quotes;
    empty for any other line, and for control flow.

    Also the variant of an enum (``Red,`` or ``Red(u8),`` on a line), and a tag up to the ``=`` of its first attribute
    (``<a href=``).
    """
    found = _GIVEN.match(line)
    if found is None or _FLOW.match(line):
        return ""
    return (found[found.lastgroup or 0]).strip("\"'")


def is_other_name(line: str, other: str) -> bool:
    """Whether both lines give a value to a name, and the names differ."""
    first, second = given_name(line), given_name(other)
    return bool(first and second and first != second)


def num_strong(row: Sequence[str]) -> int:
    """The number of different lines with a letter or digit: neither blank nor only brackets and the like."""
    return len({line for line in row if not is_weak(line)})


def collapse(line: str) -> str:
    """The line without the blanks around it, and with one blank for each run of blanks."""
    return " ".join(line.split())


@lru_cache(_MOST_REMEMBERED)
def likeness(first: str, second: str, least: float) -> float:
    """The share of two lines that they have in common, from 0 to 1, as difflib's ratio; 0 if it is ``least`` or less,
    and 1 for equal lines whatever ``least`` is.

    Lines whose lengths multiply to more than 250,000 are compared by words. The last 2,000 results are remembered.
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
    """The ratio of two long lines: twice the characters that both have, at equal ends and as words between these, by
    the sum of the lengths.

    Words count in the same order; in any order within a stretch of changed words that is too long to be aligned.
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
    """How many ``()``, ``[]`` and ``{}`` are opened more often than closed (negative if fewer are opened), and for
    triple double quotes, triple single quotes and backticks 1 if their number is odd, else 0; six numbers. Strings and
    comments count like code.
    """
    return _nesting("".join(lines))


@lru_cache(_MOST_NESTED)  # the thousand definitions of one minified line ask for the same
def _nesting(text: str) -> tuple[int, ...]:
    """The six counts of ``nesting`` for one text; the last hundred texts are remembered."""
    brackets = (
        text.count(opening) - text.count(closing) for opening, closing in ("()", "[]", "{}")
    )
    return (*brackets, *(text.count(quotes) % 2 for quotes in ('"""', "'''", "`")))


def indent_of(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def stripped(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines without the blank ones at both ends; empty if all are blank."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return tuple(lines[start:end])


def unit_of(lines: Sequence[str]) -> str:
    """The blanks of one level: the commonest step from a line that ends in ``{``, ``(``, ``[`` or ``:`` to a deeper
    line below, blank lines aside; empty if there is no such step.
    """
    steps: Counter[str] = Counter()
    for above, line in pairwise([line for line in lines if line.strip()]):
        less, more = indent_of(above), indent_of(line)
        if len(more) > len(less) and more.startswith(less) and above.rstrip()[-1] in "{([:":
            steps[more[len(less) :]] += 1
    return steps.most_common(1)[0][0] if steps else ""


def function_name(line: str) -> str:
    """The name of the function that a line begins, if it looks like a head (``load(id) {``, ``const load = async () => {``, ``case x:``); else empty."""
    found = _CALLED.match(line)
    return "" if found is None or _FLOW.match(line) else found["name"] or found["case"]


def common_ends(new: Sequence[str], old: Sequence[str]) -> tuple[list[str], list[str]]:
    """The first lines that both have in common one below the other, and the last ones, from the end upwards; equal
    lists give all lines twice.
    """
    rows: list[list[str]] = []
    for first, second in ((new, old), (new[::-1], old[::-1])):
        size = 0
        while size < min(len(first), len(second)) and first[size] == second[size]:
            size += 1
        rows.append(list(first[:size]))
    return rows[0], rows[1]


def num_blank(lines: Sequence[str]) -> int:
    """How many blank lines they begin with; all of them if none says anything."""
    return next((number for number, line in enumerate(lines) if line), len(lines))
