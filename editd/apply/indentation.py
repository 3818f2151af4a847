"""How the lines of a sketch are indented as the file is, all of them or one part.

Knows lines; where a part goes is decided elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from editd.apply.lines import indent_of, moved_to


def in_units(blocks: list[list[str]], file: Sequence[str]) -> list[list[str]]:
    """The sketch with the file's unit of indentation, if it has another one."""
    every = [line for block in blocks for line in block]
    own, wanted = _unit(every), _unit(file)
    if not own and any(line.startswith("\t") for line in every) and "\t" not in wanted:
        own = "\t"
    if not own or not wanted or own == wanted:
        return blocks
    return [
        [indent_of(line).replace(own, wanted) + line.lstrip() for line in block] for block in blocks
    ]


def shifted_as_file(lines: Sequence[str], file: Sequence[str]) -> Sequence[str]:
    """The part shifted as a whole, if neither its first nor its last line stands in the file as it is."""
    known = set(file)
    told = [n for n, line in enumerate(lines) if line]
    first, last = told[0], told[-1]
    if lines[first] in known or lines[last] in known:
        return lines
    own, bare = indent_of(lines[first]), lines[first].strip()
    found = []
    for indent in sorted({indent_of(line) for line in file if line.strip() == bare}, key=len):
        if indent.endswith(own):
            more = indent[: len(indent) - len(own)]
            found.append([more + line if line else line for line in lines])
        elif own.endswith(indent):
            less = own[: len(own) - len(indent)]
            found.append([line.removeprefix(less) for line in lines])
    fitting = [moved for moved in found if moved[first] in known and moved[last] in known]
    return max(fitting, key=lambda moved: sum(line in known for line in moved), default=lines)


def reindented(lines: Sequence[str], given: str, wanted: str, file: Sequence[str]) -> Sequence[str]:
    """The lines as the file indents them: where they have the blanks ``given``, it has ``wanted``."""
    lines = [x if x.strip() else "" for x in lines]
    tabs = any(x.startswith("\t") for x in file)
    spaces = any(x.startswith("  ") and not x.startswith("  *") for x in file)
    first = indent_of(next((x for x in lines if x.strip()), ""))
    target = first
    if given != wanted:
        if wanted.endswith(given):
            target = wanted[: len(wanted) - len(given)] + first
        elif given.endswith(wanted) and len(first) >= len(given) - len(wanted):
            target = first[len(given) - len(wanted) :]
        elif not {*given, *wanted} - {" ", "\t"}:
            target = wanted
    if tabs != spaces:
        unit = _least_step(lines)
        if tabs and any(x.startswith("  ") for x in lines) and unit:
            lines = [indent_of(x).replace(unit, "\t") + x.lstrip() for x in lines]
            target = wanted if given != wanted else target.replace(unit, "\t")
        elif spaces and any(x.startswith("\t") for x in lines):
            own = _least_step(file) or "    "
            lines = [indent_of(x).replace("\t", own) + x.lstrip() for x in lines]
            target = wanted if given != wanted else target.replace("\t", own)
    if not lines or indent_of(lines[0]) == target:
        return lines
    return moved_to(lines, target) or lines


def stripped(lines: Sequence[str]) -> tuple[str, ...]:
    """Without blank lines at both ends."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return tuple(lines[start:end])


def _unit(lines: Sequence[str]) -> str:
    """The blanks of one level: the usual step from an opening line to the one below."""
    steps: Counter[str] = Counter()
    for above, line in pairwise([line for line in lines if line.strip()]):
        less, more = indent_of(above), indent_of(line)
        if len(more) > len(less) and more.startswith(less) and above.rstrip()[-1] in "{([:":
            steps[more[len(less) :]] += 1
    return steps.most_common(1)[0][0] if steps else ""


def _least_step(lines: Sequence[str]) -> str:
    """The blanks of one level: the least that a line has more than the one above."""
    steps = [
        len(indent_of(two)) - len(indent_of(one))
        for one, two in pairwise([x for x in lines if x.strip()])
        if len(indent_of(two)) > len(indent_of(one)) and not two.lstrip().startswith("*")
    ]
    return " " * min(steps) if steps else ""
