"""Imports that a paste shows without their location: each takes the place of the file's import that it is a version of, or goes among them.

Knows how imports are written and how Python's are sorted, not which are used.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from editd.apply.doubts.table import BY_NAME
from editd.apply.reading import ChangedLines, Reading
from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import ABOVE, likeness, stripped
from editd.syntax.imports import IMPORT_LINE, python_package, source_of

_MOST_HEAD = 60  # lines in which a package or the first comment stands
_MOST_COMPARED = 200  # imports that a new one is compared with
_UPDATES = re.compile(r"\b(?:change|replace|shorten|update)\b", re.IGNORECASE)


def read_imports(block: Sequence[str], lines: FileLines, prose: str = "") -> Reading | None:
    """The reading of import lines. Imports that the paste does not show stay.

    A line that the file has is skipped. One that names more than the file's only such import of its module replaces
    that. One that names less is skipped, too, unless ``prose``, the line above, speaks of a change: then it replaces
    that import, with the doubt ``less``. Others are inserted, beside an import that they stand beside in the paste,
    else among the file's. Replaced and inserted ones get the doubt ``others`` if prose speaks of a change and there are
    several lines, and ``first`` if the file has no import. ``None`` if some line is no import or differs from one of
    the file's only in blanks, no change is left, or two changes overlap.
    """
    shown = [x.strip() for x in stripped(block) if x]
    file = lines.keys
    import_lines = [n for n, x in enumerate(file) if IMPORT_LINE.match(x) and x[0] not in " \t"]
    bare = {re.sub(r"\s", "", file[n]): file[n] for n in import_lines}
    if not shown or any(
        not IMPORT_LINE.match(x) or bare.get(re.sub(r"\s", "", x), x).strip() != x for x in shown
    ):
        return None
    updates = _UPDATES.search(prose) is not None
    changes: list[ChangedLines] = []
    fresh: dict[int, list[str]] = defaultdict(list)
    doubt = "others" if updates and len(shown) > 1 else ""
    for number, line in enumerate(shown):
        more = [n for n in import_lines if _is_more(line, file[n])]
        less = [n for n in import_lines if _is_more(file[n], line)]
        if updates and not less and (module := source_of(line)):
            less = [n for n in import_lines if source_of(file[n]) == module]
        if line in lines.where_bare:
            continue
        if len(less) == 1 and len(more) != 1 and not updates:
            continue  # the file has it, with more names
        if len(more) == 1:
            change = ChangedLines(more[0], more[0] + 1, (line,), BY_NAME)
            changes.append(change.doubted(doubt) if doubt else change)
        elif len(less) == 1:
            change = ChangedLines(less[0], less[0] + 1, (line,))
            changes.append(change.doubted("less", less[0] + 1))
        else:
            beside = [
                n + 1 for n in import_lines if number and file[n].strip() == shown[number - 1]
            ]
            beside += [n for n in import_lines if file[n].strip() in shown[number + 1 : number + 2]]
            if not beside and not import_lines:
                doubt = "first"
            fresh[beside[0] if beside else _location_of(line, import_lines, lines)].append(line)
    for at, new in fresh.items():
        above, below = _blank_around(at, new[0], import_lines, lines)
        change = ChangedLines(at, at, (*above, *new, *below), BY_NAME)
        changes.append(change.doubted(doubt) if doubt else change)
    changes.sort(key=lambda above: (above.start, above.end))
    if not changes or any(above.end > below.start for above, below in pairwise(changes)):
        return None
    return Reading(tuple(changes), min(x.confidence for x in changes))


def _is_more(line: str, old: str) -> bool:
    """Whether an import names all that the old one does, of the same module, and more."""
    names, old_names = (re.findall(r"[\w./@-]+", x) for x in (line, old))
    return len(names) > len(old_names) > 2 and not Counter(old_names) - Counter(names)


# --- where a new one goes ---


def _location_of(line: str, import_lines: Sequence[int], lines: FileLines) -> int:
    """The line before which a new import goes: among those of its section and form, where they are sorted, else below
    the group of the most similar one; below the file's head if it has no import.

    In Python, ``import x`` goes above imports of the other form, and a first one of its section between the sections.
    import_lines: numbers of the file's imports.
    """
    file = lines.keys
    if not import_lines:
        return _below_head(file)
    if _has_no_section(line, import_lines, lines):
        before = [n for n in import_lines if _section(file[n]) < _section(line)]
        return before[-1] + 1 if before else import_lines[0]
    word = line.split(maxsplit=1)[0] + " "
    akin = import_lines[:_MOST_COMPARED]
    akin = [n for n in akin if _section(file[n]) == _section(line)] or akin
    same = [n for n in akin if file[n].startswith(word)]
    if lines.language == "python" and word == "import " and not same:
        return akin[0]  # above those of the other form
    akin = same or akin
    first = last = max(akin, key=lambda n: likeness(line, file[n], 0.0))
    while first - 1 in import_lines:
        first -= 1
    while last + 1 in import_lines:
        last += 1
    group = [n for n in range(first, last + 1) if file[n].startswith(word)]
    shown = [file[n] for n in group]
    if len(group) > 1 and shown == sorted(shown):
        number = bisect_right(shown, line)
        return group[number] if number < len(group) else group[-1] + 1
    return last + 1


def _blank_around(
    at: int, line: str, import_lines: Sequence[int], lines: FileLines
) -> tuple[Sequence[str], Sequence[str]]:
    """The blank lines (none or one) to write above and below a new import at line ``at``: for the file's first import,
    and for one that begins a section where the file parts its sections; else none. Never beside a blank line or an end
    of the file.
    """
    file = lines.keys
    groups, sections = (
        sum(n - 1 not in import_lines for n in import_lines),
        {_section(file[n]) for n in import_lines},
    )
    are_parted = len(sections) <= groups and (len(sections) == 1) == (groups == 1)
    if import_lines and not (are_parted and _has_no_section(line, import_lines, lines)):
        return (), ()
    return ("",) * bool(at and file[at - 1]), ("",) * bool(at < len(file) and file[at])


def _has_no_section(line: str, import_lines: Sequence[int], lines: FileLines) -> bool:
    """Whether no import of the file is in the section of a line of Python."""
    return lines.language == "python" and all(
        _section(lines.keys[n]) != _section(line) for n in import_lines
    )


def _section(line: str) -> int:
    """The section of an import of Python: 0 ``__future__``, 1 the standard library, 2 other modules, 3 relative
    imports. 2 for any line that is no import of Python.
    """
    module = python_package(line)
    if module is None:
        return 2
    return (
        0
        if module == "__future__"
        else 1
        if module in sys.stdlib_module_names
        else 2
        if module
        else 3
    )


def _below_head(file: Sequence[str]) -> int:
    """The line below the first ``package`` line among a file's first 60; else below its first comment or docstring, if
    a blank line ends that; else 0.
    """
    top = file[:_MOST_HEAD]
    if packages := [n for n, line in enumerate(top) if line.startswith("package ")]:
        return packages[0] + 1
    blank = next((n for n, line in enumerate(top) if not line), 0)
    return blank if blank and ABOVE.match(top[0]) else 0
