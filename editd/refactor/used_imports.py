"""Imports that a deletion takes away although the rest of the text uses them."""

from __future__ import annotations

import re
from collections import Counter

from editd.refactor.remove_unused_imports import bound_names
from editd.syntax.code import Code

_ANYWAY = re.compile(
    r"\b(?:anyway|anyhow|regardless|nevertheless|nonetheless|all the same|even (?:though|if)|although|despite|still)\b",
    re.IGNORECASE,
)


def why_import_stays(old: Code, new: Code, instruction: str) -> str:
    """The sentence that says that ``new`` uses an import that only ``old`` has, and on which line of ``old``; empty if
    none is used, the words say "anyway", or no parser knows the imports of the text.
    """
    if _ANYWAY.search(instruction):
        return ""
    left = _names_in(new)
    for used in Counter(_names_in(old)) - Counter(left):
        if used in left:
            continue
        lines = _lines_using(used, old)
        is_used = bool(_lines_using(used, new))
        if new.undefined_names is not None:
            is_used = used in new.undefined_names
        if is_used and lines:
            return f"“{used}” is used (line {lines[0]}), so its import stays; say “anyway” to remove it all the same."
    return ""


def _names_in(code: Code) -> list[str]:
    """The names that the imports of a text give, as the text writes them: of Python's ``import a.b`` the first part."""
    if code.language == "rust":
        heads = (code.text[x.start : x.end] for x in code.imports)
        return [name for head in heads for name in re.findall(r"\w+(?=\s*(?:[,;}]|$))", head)]
    return [name.partition(".")[0] for name in bound_names(code)]


def _lines_using(name: str, code: Code) -> list[int]:
    """The numbers (from 1) of the lines that mention a name in code, and not in an import."""
    imports = [(x.start, x.end) for x in code.imports]
    return [
        code.text.count("\n", 0, t.start) + 1
        for t in code.tokens_of("name")
        if t.text == name and not any(a <= t.start < b for a, b in imports)
    ]
