"""Names that nothing defines any more, and imports that stand twice.

Python's names are judged by pyflakes, over the whole text. Imports are compared as lines, in all
languages. What was so before the edit is not judged, and neither is a name that the instruction deletes
or brings along. A missing import of the standard library is a note alone, whatever the instruction says: people
add it afterwards.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editd.checks.deletion import lines_asked_for
from editd.checks.rewrite import Rewrite, Suspicion, quoted
from editd.diff.document import with_lf
from editd.diff.hunk import Hunk
from editd.syntax.code import read_code
from editd.syntax.imports import WHOLE_IMPORT

_MOST = 40_000  # characters of a text that is looked at: what takes some 30 ms
_WORD = re.compile(r"\w+")


def suspicions(rewrite: Rewrite) -> list[Suspicion]:
    """A suspicion for each name of Python that the edit leaves undefined, standard modules aside, and for each hunk
    that repeats an import.
    """
    found = [
        Suspicion(f"“{name}” is used at line {line + 1} but not defined.", (hunk.id,))
        for name, line, hunk in _undefined(rewrite)
        if name not in sys.stdlib_module_names
    ]
    return [*found, *_imported_twice(rewrite)]


def with_notes(rewrite: Rewrite, hunks: Sequence[Hunk], *, every: bool = False) -> list[Hunk]:
    """Copies of ``hunks`` of ``rewrite``, with a note on each that uses a standard module which is not imported, in
    place of another note. every: on each that uses any undefined name. No notes where names are not judged: in other
    languages than Python, for more than 40,000 characters, and if the old text does not parse or has undefined names.
    """
    notes: dict[int, str] = {}
    for name, line, hunk in _undefined(rewrite):
        is_module = name in sys.stdlib_module_names
        if every or is_module:
            what = "imported" if is_module else "defined"
            notes.setdefault(hunk.id, f"“{name}” is used at line {line + 1} but not {what}.")
    return [replace(hunk, note=notes.get(hunk.id, hunk.note)) for hunk in hunks]


def missing_modules(rewrite: Rewrite) -> Iterator[tuple[str, Hunk]]:
    """Yield each module of Python's standard library that the edit uses and that is not imported, and the first hunk
    that uses it. Nothing in other languages, for more than 40,000 characters, and if the old text does not parse or has
    undefined names.
    """
    for name, _, hunk in _undefined(rewrite):
        if name in sys.stdlib_module_names:
            yield name, hunk


def _undefined(rewrite: Rewrite) -> Iterator[tuple[str, int, Hunk]]:
    """Yield each name that the edit left undefined, the 0-based line of its first use in the new text, and the hunk of
    that line, or the nearest before.

    Nothing in other languages than Python, for more than 40,000 characters, or if the old text does not parse or has
    undefined names itself; nor names that stand on old lines which the instruction may delete. Names that only the
    instruction brings along are left out, but for standard modules; in an old text without imports, a piece of a file,
    they alone are yielded.
    """
    total = len(rewrite.old_lines)
    if rewrite.language != "python" or rewrite.size(0, total) > _MOST:
        return
    after = read_code(rewrite.new_text(0, total), "python").undefined_names
    old = rewrite.model_text(0, total)
    if not after or read_code(old, "python").undefined_names != {}:
        return  # a piece of a file: what it needs may be defined elsewhere
    deletable = lines_asked_for(rewrite.instruction, rewrite.old_lines)
    deleted = {word for line in deletable for word in _WORD.findall(rewrite.old_lines[line])}
    brought = set(_WORD.findall(rewrite.instruction)) - set(_WORD.findall(old))
    code = read_code(old, "python")
    is_piece = not any(code.line_starts[x.line] == x.start for x in code.imports)
    for name, line in after.items():
        # "Add logging" names what it is about, and still needs an import.
        is_module = name in sys.stdlib_module_names
        if name not in deleted and (
            name in brought if is_piece else is_module or name not in brought
        ):
            yield name, line, rewrite.hunk_at(line)


def _imported_twice(rewrite: Rewrite) -> Iterator[Suspicion]:
    """A suspicion for each hunk that adds a whole import line which stands more than once in the new text; about the
    first such line of a hunk.
    """
    for hunk in rewrite.hunks:
        replaced = rewrite.old_lines[hunk.start : hunk.start + hunk.old_count]
        added = Counter(filter(WHOLE_IMPORT.match, with_lf(hunk.new_lines)))
        for line in added - Counter(replaced):
            if added[line] + _count_elsewhere(rewrite, hunk.id, line) > 1:
                reason = f"{quoted(line)} stands twice now."
                yield Suspicion(reason, (hunk.id,))
                break


def _count_elsewhere(rewrite: Rewrite, hunk_id: int, line: str) -> int:
    """How often ``line``, its end included, stands in the new text outside of the hunk ``hunk_id``."""
    count = sum(old == line for old in rewrite.old_lines)
    for hunk in rewrite.hunks:
        count -= rewrite.old_lines[hunk.start : hunk.start + hunk.old_count].count(line)
        if hunk.id != hunk_id:
            count += with_lf(hunk.new_lines).count(line)
    return count
