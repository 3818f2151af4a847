"""The kinds of edits that the embedded model is taught.

What their instructions look like is in ``editd.instruction.table``, the generators of examples are in
``training/families``, all under the same names.
"""

from __future__ import annotations

from dataclasses import dataclass

_PYTHON = frozenset({"python"})


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of edit.

    name: in ``editd.json``, in the table of sentences and on the command line. title: what it does, for a
    user. languages: where it is offered, empty for all.
    """

    name: str
    title: str
    languages: frozenset[str] = frozenset()


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("rename", "rename a variable, function, class or attribute everywhere"),
        Family("replace-string", "replace a string"),
        Family("replace-number", "replace a number"),
        Family("delete-comments", "delete the comments"),
        Family("delete-prints", "delete the print statements"),
        Family("delete-lines", "delete the lines that contain a text"),
        Family("delete-function", "delete a function, method or class", _PYTHON),
        Family("add-import", "add an import", _PYTHON),
        Family("add-docstring", "add a docstring to a function", _PYTHON),
        Family("add-type-hint", "add a type hint to a parameter", _PYTHON),
        Family("add-logging", "add a logging call to a function", _PYTHON),
        Family("wrap-try", "wrap a function's body in try/except", _PYTHON),
        Family("f-strings", "convert string formatting to f-strings", _PYTHON),
        Family("no-change", "change nothing when there is nothing to do"),
    )
}
