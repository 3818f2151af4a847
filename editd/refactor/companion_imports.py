"""Takes away an import that a sentence says goes with what it deletes or replaces, once nothing uses it any more.

a.py, "delete the sleep, and the time import with it"::

    import os
    import time


    def load():
        os.sync()
        time.sleep(1)

becomes::

    import os


    def load():
        os.sync()
"""

from __future__ import annotations

import re
from dataclasses import replace

from editd.intent.intents import RemoveUnusedImports
from editd.refactor.candidates import Candidates
from editd.refactor.facts import facts_of
from editd.refactor.remove_unused_imports import remove_unused_imports
from editd.syntax.code import read_code

_IMPORT = re.compile(
    r"\b(?:the|its|that|our) (?P<name>[\w.]+) (?:import|require|include)s?\b|\bimport (?:of|for) (?P<of>\w+)",
    re.IGNORECASE,
)
_GOES = re.compile(
    r"\b(?:goes|go|drop|remove|delete|throw|kick|lose|take|out|away|with it|too|as well|along|then)\b",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\b(?:add|needs?|insert|missing|keep|leave|stays?|still|forget|import it|already)\b(?! (?:else )?needs?)",
    re.IGNORECASE,
)


def with_companion_imports(
    instruction: str, found: Candidates | None, text: str, language: str
) -> Candidates | None:
    """The certain change, without the import that the instruction says goes as well; ``found`` as it is where the instruction says so of none.
    ``None`` if other code uses that import.
    """
    if found is None or found.problem or not found.is_certain or found.texts[0] == text:
        return found
    name = _companion(instruction)
    bound = facts_of(read_code(text, language)).imports.get(name, ()) if name else ()
    new = read_code(found.texts[0], language)
    left = tuple(x for x in bound if x in facts_of(new).imports)
    if not left:
        return found
    without = remove_unused_imports(RemoveUnusedImports(left), new)
    if without is None or not without.is_certain or without.texts[0] == found.texts[0]:
        return None
    return replace(found, texts=(without.texts[0],), wider=None)


def _companion(instruction: str) -> str:
    """The name of the import that goes as well; empty if none is said to."""
    for found in _IMPORT.finditer(instruction):
        start = max(instruction.rfind(x, 0, found.start()) for x in ",;.(:")
        end = min(
            (at for x in ",;.)" if (at := instruction.find(x, found.end())) >= 0),
            default=len(instruction),
        )
        clause = instruction[start + 1 : end]
        if _GOES.search(clause) and not _STAYS.search(clause):
            return found["name"] or found["of"]
    return ""
