"""The imports that an edit of a Python file needs and lacks, as hunks of their own.

A module of the standard library alone is certain by its name. Whether the rest of the edit is right is left to the other checks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from editd.checks.names import missing_modules
from editd.checks.rewrite import Rewrite
from editd.diff.document import Document
from editd.diff.hunk import Hunk
from editd.diff.matching import changes
from editd.intent.intents import AddImport
from editd.refactor.add_import import add_import
from editd.syntax.code import read_code
from editd.syntax.lines import split


def with_missing_imports(
    document: Document,
    hunks: Sequence[Hunk],
    instruction: str,
    language: str,
    selected: tuple[int, int],
) -> list[Hunk]:
    """``hunks``, in order, and a hunk more (with a note and a new id) for each module of Python's standard library that
    they use and that nothing imports.

    hunks: all of the edit, checked. selected: the lines that may change, the end exclusive. A module that a suspect
    hunk needs is left out, and so is one whose import would stand outside the selected lines or touch another hunk. The
    hunk that needs an added import loses its note about that. Nothing is added in other languages and where
    ``missing_modules`` judges nothing.
    """
    added: list[Hunk] = []
    found = {hunk.id: hunk for hunk in hunks}
    rewrite = Rewrite(document, tuple(hunks), instruction, language, (selected,))
    text = rewrite.model_text(0, len(rewrite.old_lines))
    for module, user in missing_modules(rewrite):
        place = _place_of(module, text)
        if place is None or found[user.id].suspect is not None:
            continue
        start, lines = place
        if not selected[0] <= start <= selected[1] or any(map(_touches(start), [*hunks, *added])):
            continue
        written = document.restore_ends(lines, start, 0)
        note = f"“{module}” is used now and was not imported."
        added.append(Hunk(1 + max(found), start, 0, written, note=note))
        found[added[-1].id] = added[-1]
        found[user.id] = replace(found[user.id], note=None)
    return sorted(found.values(), key=lambda hunk: hunk.start)


def _place_of(module: str, text: str) -> tuple[int, list[str]] | None:
    """The line of ``text`` (0-based) before which ``module`` is imported, and the lines to insert, with their ends;
    ``None`` if no import can be added.
    """
    candidates = add_import(AddImport(module), read_code(text, "python"))
    if candidates is None:
        return None
    new = split(candidates.texts[0])
    change = changes(split(text), new)[0]
    return change.old_start, new[change.new_start : change.new_end]


def _touches(line: int) -> Callable[[Hunk], bool]:
    """Whether a hunk holds the border before ``line``, or ends or begins there."""
    return lambda hunk: hunk.start <= line <= hunk.start + hunk.old_count
