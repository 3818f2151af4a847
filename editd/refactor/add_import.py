"""Adds an import to a Python file.

a.py, "add an import of json"::

    import ast
    import re

    x = 1

becomes::

    import ast
    import json
    import re

    x = 1
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from editd.intent.intents import AddImport
from editd.refactor.candidates import Candidates
from editd.syntax.code import Code
from editd.syntax.imports import Import, imports_below
from editd.syntax.python_text import first_constant, written

_CLASS = re.compile(r"ABC|[A-Z][a-z]\w*")  # hardly a module is called like a class
_LIKE_CLASSES = frozenset(["Crypto", "Cryptodome", "Cython", "Levenshtein", "Xlib"])
_ENCODING = re.compile(r"#.*?coding[:=]")


def add_import(intent: AddImport, code: Code) -> Candidates | None:
    """The text with the import on a line of its own: in order among the imports at the top if they are in order and the
    new one is not the first; else one of Python's modules above them (but below those from ``__future__``), another behind those of its
    kind. Without others, below those, the
    docstring and the comments at the top, between blank lines.

    Certain; each other usual place is one more candidate. ``None`` if the text imports the same already, as a statement of
    its own at top level, is no Python that parses or is an indented part of a file, or its last import has no line end;
    and for a class without its module ("import Path"), which leaves open where from.
    """
    if not intent.item and _CLASS.fullmatch(intent.module) and intent.module not in _LIKE_CLASSES:
        return None
    line = f"import {intent.module}\n"
    if intent.item:
        line = f"from {intent.module} import {intent.item}\n"
    python = code.python
    if python is None or python.is_part:
        return None
    body = python.tree.body
    if any(written(statement) == line.strip() for statement in body):
        return None
    if intent.item and any(_gives(found, intent) for found in code.imports):
        return None
    lines = python.lines
    docstring = first_constant(python.tree)
    # An import goes between these lines.
    first = last = 0 if docstring is None else python.last(docstring) + 1
    at = None
    above: list[Import] = []
    for found in imports_below(python, docstring):
        last = found.end_line
        if found.text.startswith("from __future__"):
            first = last
        else:
            at = found.line if at is None else at
            above.append(found)
    if last and not lines[last - 1].endswith("\n"):
        return None
    header = 0
    while header < len(lines) and lines[header].startswith("#"):
        header += 1
    # A comment right above code may be about that, one that a blank line ends is about the file.
    head = header if header < len(lines) and not lines[header].strip() else _for_the_system(lines)
    place = (
        max(first, head)
        if at is None
        else _in_order(intent, above) or _behind_its_kind(intent, above) or at
    )
    places = dict.fromkeys((place, *range(first, last + 1), max(first, header)))
    if at is None:
        following = next((node.lineno - 1 for node in body if node.lineno > last), len(lines))
        places |= dict.fromkeys(range(first, following + 1))
    texts = ["".join([*lines[:place], line, *lines[place:]]) for place in places]
    if at is None:
        texts.insert(0, _apart(line, place, lines))
    return Candidates(tuple(dict.fromkeys(texts)), is_certain=True)


def _gives(found: Import, intent: AddImport) -> bool:
    """Whether an import gives the item of the module already."""
    item = rf"(?s)\bimport\b.*(?<![\w.]){re.escape(intent.item)}\b(?!\s+as\b)"
    return found.module == intent.module and re.search(item, found.text) is not None


def _apart(line: str, place: int, lines: Sequence[str]) -> str:
    """The text with a first import at line ``place`` (0-based), a blank line between it and other
    lines; none below a comment.
    """
    above, below = (lines[n].strip() if 0 <= n < len(lines) else "" for n in (place - 1, place))
    before = "\n" if above and not above.startswith("#") else ""
    after = "\n" if below else ""
    return "".join([*lines[:place], before, line, after, *lines[place:]])


def _in_order(intent: AddImport, above: Sequence[Import]) -> int | None:
    """The number (0-based) of the line below the last of the imports ``above`` that sorts before the new one, or
    equally; ``None`` if they are not in order, or none sorts so.
    """
    keys = [_key(found.module, is_from=found.text.startswith("from")) for found in above]
    own = _key(intent.module, is_from=bool(intent.item))
    before = [found for found, key in zip(above, keys, strict=True) if key <= own]
    return before[-1].end_line if before and keys == sorted(keys) else None


def _behind_its_kind(intent: AddImport, above: Sequence[Import]) -> int | None:
    """The number (0-based) of the line below the last of the imports ``above`` that is of the same section as the new one (other
    packages, relative ones), or below them all if none is; ``None`` for one of Python's modules.
    """
    section = _key(intent.module, is_from=True)[0]
    if not section or not above:
        return None
    same = [x for x in above if _key(x.module, is_from=True)[0] == section]
    return (same or above)[-1].end_line


def _key(module: str, *, is_from: bool) -> tuple[int, bool, str]:
    """The sort key of an import: Python's modules, other packages, relative ones; in each ``import`` before ``from``
    (``is_from``), then by name without regard to case.
    """
    name = module.lstrip(".")
    of_python = name.partition(".")[0] in sys.stdlib_module_names
    section = 2 if name != module else 0 if of_python else 1
    return section, is_from, name.lower()


def _for_the_system(lines: Sequence[str]) -> int:
    """The number of first lines that the system or Python reads: a shebang, an encoding."""
    count = 1 if lines and lines[0].startswith("#!") else 0
    return count + any(map(_ENCODING.match, lines[count : count + 1]))
